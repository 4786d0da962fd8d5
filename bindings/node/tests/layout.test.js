'use strict';
// Compares the structs with the compiler's, and the package in both kinds of modules.
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const koffi = require('koffi');
const atmost = require('atmost');
const { newFolder } = require('./outside');
const { layouts } = require(path.join(path.dirname(require.resolve('atmost')), 'native.js'));

test('the struct is that of the header', (t) => {
  const folder = newFolder(t);
  const fields = Object.entries(layouts).flatMap(([name, type]) =>
    Object.keys(koffi.type(type).members).map((field) => [name, type, field]));
  const lines = fields.map(([name, , field]) =>
    `printf("%zu\\n", offsetof(${name}, ${field}));`);
  const sizes = Object.keys(layouts).map((name) => `printf("%zu\\n", sizeof(${name}));`);
  fs.writeFileSync(path.join(folder, 'print.c'), `#include <atmost/atmost.h>\n#include <stdio.h>
    int main(void) { ${lines.join('\n')} ${sizes.join('\n')} return 0; }`);
  const program = path.join(folder, 'print');
  const flags = execFileSync('pkg-config', ['--cflags', 'atmost'], { encoding: 'utf8' });
  execFileSync('cc', [...flags.split(/\s+/).filter(Boolean), '-o', program, `${program}.c`]);
  const printed = execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number);
  assert.deepEqual(printed, [
    ...fields.map(([, type, field]) => koffi.offsetof(type, field)),
    ...Object.values(layouts).map((type) => koffi.sizeof(type)),
  ]);
});

test('import and require see the same', async () => {
  const imported = await import('atmost');
  for (const name of Object.keys(atmost)) assert.equal(imported[name], atmost[name], name);
  assert.equal(imported.default, atmost);
});
