'use strict';
// The cost of taking and releasing a free lock in Node, beside proper-lockfile and, where
// NODE_PATH has it (it must be compiled), fs-ext: medians of turns, so that a busy machine disturbs
// all alike.
//
//     bench/run node
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const koffi = require('koffi');
const lockfile = require('proper-lockfile');
const atmost = require('atmost');

const ROUNDS = 41;
const CYCLES = 50;

function fsExt() {
  try {
    return require('fs-ext');
  } catch {
    return null;
  }
}

function synchronous(folder) {
  const flock = koffi.load(null).func('int flock(int, int)');
  const LOCK_EX_NB = 2 | 4;
  const file = path.join(folder, 'proper');
  fs.writeFileSync(file, '');
  const take = (name, options) => () =>
    atmost.acquireSync(path.join(folder, name), options).release();
  const ext = fsExt();
  const opened = (lock) => () => {
    const descriptor = fs.openSync(path.join(folder, 'bare'), 'w');
    lock(descriptor);
    fs.closeSync(descriptor);
  };
  return {
    'proper-lockfile, lockSync': () => lockfile.lockSync(file)(),
    'open, flock, close': opened((descriptor) => flock(descriptor, LOCK_EX_NB)),
    ...(ext && { 'open, fs-ext, close': opened((fd) => ext.flockSync(fd, 'exnb')) }),
    'acquireSync, no history': take('plain.lock', { noHistory: true }),
    acquireSync: take('logged.lock'),
  };
}

function asynchronous(folder) {
  const file = path.join(folder, 'proper');
  const take = (name, options) => async () =>
    (await atmost.acquire(path.join(folder, name), options)).release();
  return {
    'proper-lockfile, lock': async () => (await lockfile.lock(file))(),
    'acquire, no history': take('plain.lock', { noHistory: true }),
    acquire: take('logged.lock'),
    'acquire that would wait': take('waits.lock', { wait: 60 }),
    withLock: () => atmost.withLock(path.join(folder, 'with.lock'), () => {}),
  };
}

function median(values) {
  return values.sort((one, other) => one - other)[values.length >> 1];
}

// The others are compared with the first.
async function measure(cycles) {
  const taken = Object.fromEntries(Object.keys(cycles).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, cycle] of Object.entries(cycles)) {
      const begin = process.hrtime.bigint();
      for (let turn = 0; turn < CYCLES; turn += 1) {
        const result = cycle();
        if (result instanceof Promise) await result;
      }
      taken[name].push(Number(process.hrtime.bigint() - begin) / 1000 / CYCLES);
    }
  }
  const medians = Object.entries(taken).map(([name, values]) => [name, median(values)]);
  const [[first, beside]] = medians;
  for (const [name, value] of medians) {
    const ratio = (value / beside).toFixed(2);
    console.log(`${name.padEnd(26)} ${value.toFixed(2).padStart(8)} us  ${ratio} x ${first}`);
  }
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'atmost-cycle.'));
  process.env.ATMOST_DIR = folder;
  await measure(synchronous(folder));
  await measure(asynchronous(folder));
}

main();
