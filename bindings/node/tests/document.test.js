'use strict';
// Every example of README.md, each in a process of its own.
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { newFolder } = require('./outside');

const text = fs.readFileSync(path.join(__dirname, '..', 'README.md'), 'utf8');
const examples = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((found) => found[1]);

test('there are examples', () => assert.ok(examples.length >= 7));

examples.forEach((example, index) => {
  test(`example ${index + 1}`, (t) => {
    const folder = newFolder(t);
    const program = path.join(__dirname, `example${index}.mjs`); // finds the package from here
    t.after(() => fs.rmSync(program));
    fs.writeFileSync(program, example);
    const { status } = spawnSync(process.execPath, [program], {
      cwd: folder, env: { ...process.env, ATMOST_DIR: folder }, stdio: 'inherit',
    });
    assert.equal(status, 0, example);
  });
});
