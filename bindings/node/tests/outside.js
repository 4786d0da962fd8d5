'use strict';
// Other processes: those of atmost show a lock from outside; those of Node use this binding.
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');

const ATMOST = 'atmost'; // which is installed with the library
// A lock that is held around the tests does not count.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('ATMOST_')) delete process.env[name];
}
const BUSY = 75;
const TOO_SOON = 76;

const environment = (folder) => ({ ...process.env, ATMOST_DIR: folder });

/** A folder for locks, until the test `t` is over. */
function newFolder(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'atmost-node-locks.'));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The exit code of `atmost run` of the lock "a". */
function run(folder, options = [], command = 'true') {
  const arguments_ = ['run', '-q', ...options, 'a', '--', command];
  return spawnSync(ATMOST, arguments_, { env: environment(folder) }).status;
}

/** Starts a process, and reads the lines that it prints. The end of the test `t` kills it. */
function start(t, program, arguments_, folder) {
  const child = spawn(program, arguments_, {
    env: environment(folder), stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, line: async () => (await lines.next()).value };
}

/** Another process holds the lock "a" until the function that this resolves to is called. */
async function holder(t, folder) {
  const command = ['run', 'a', '--', 'sh', '-c', 'echo in; read line'];
  const { child, line } = start(t, ATMOST, command, folder);
  if ((await line()) !== 'in') throw new Error('the holder has no lock');
  return () => child.stdin.end();
}

/** Another process of Node runs `program`, a text in which `folder` is defined. */
function bareNode(t, folder, program, ...flags) {
  const text = `const folder = ${JSON.stringify(folder)}; ${program}`;
  return start(t, process.execPath, [...flags, '-e', text], folder);
}

/** The same, with `atmost` defined. */
function node(t, folder, program, ...flags) {
  return bareNode(t, folder, `const atmost = require('atmost'); ${program}`, ...flags);
}

async function eventually(isTrue) {
  while (!(await isTrue())) await sleep(10);
}

module.exports = {
  BUSY, TOO_SOON, bareNode, eventually, holder, newFolder, node, run, start,
};
