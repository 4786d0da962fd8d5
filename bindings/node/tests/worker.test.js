'use strict';
// Threads of Node, each with an atmost of its own.
const assert = require('node:assert/strict');
const { once } = require('node:events');
const test = require('node:test');
const { Worker } = require('node:worker_threads');
const atmost = require('atmost');
const outside = require('./outside');

function start(t, folder, program) {
  const worker = new Worker(`const atmost = require('atmost');
    const { parentPort, workerData: folder } = require('node:worker_threads');
    ${program}`, { eval: true, workerData: folder });
  t.after(() => worker.terminate());
  return worker;
}

const waiting = (folder) => () =>
  atmost.list('a', { dir: folder }).some((one) => one.state === 'waiting');

test('a Worker waits for a lock of the main thread', async (t) => {
  const directory = outside.newFolder(t);
  const held = atmost.acquireSync('a', { dir: directory });
  const worker = start(t, directory, `
    atmost.withLock('a', { dir: folder, wait: Infinity }, () => parentPort.postMessage('in'));
  `);
  const message = once(worker, 'message');
  const exit = once(worker, 'exit');
  await outside.eventually(waiting(directory));
  held.release();
  assert.deepEqual(await message, ['in']);
  await exit;
  assert.equal(outside.run(directory), 0);
});

test('a Worker that ends holds nothing', async (t) => {
  const directory = outside.newFolder(t);
  const worker = start(t, directory, `
    global.held = atmost.acquireSync('a', { dir: folder, onLost() {} });
    parentPort.postMessage('in');
  `);
  await once(worker, 'message');
  await outside.eventually(() => outside.run(directory) === 0);
});

test('a Worker that exits gives its place up', async (t) => {
  const directory = outside.newFolder(t);
  await outside.holder(t, directory);
  const worker = start(t, directory, `
    atmost.acquire('a', { dir: folder, wait: Infinity });
    parentPort.once('message', () => process.exit(0));
  `);
  await outside.eventually(waiting(directory));
  worker.postMessage('end');
  await once(worker, 'exit');
  assert.equal(waiting(directory)(), false);
});

test('a Worker that is terminated brings nobody down', async (t) => {
  // The program itself has not loaded the library, which must stay for its threads.
  const directory = outside.newFolder(t);
  const end = await outside.holder(t, directory);
  const { ended, line, child } = outside.bareNode(t, directory, `
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(\`const atmost = require('atmost');
      const { workerData: folder } = require('node:worker_threads');
      global.held = atmost.acquireSync('b', { dir: folder, onLost() {} });
      atmost.acquire('a', { dir: folder, wait: Infinity });
    \`, { eval: true, workerData: folder });
    process.stdin.once('data', async () => {
      await worker.terminate();
      console.log('terminated');
      process.stdin.once('data', () => process.exit(3));
    });
  `);
  await outside.eventually(waiting(directory));
  child.stdin.write('\n');
  assert.equal(await line(), 'terminated');
  end(); // a thread of the library is admitted
  await outside.eventually(() => {
    const entries = atmost.list('a', { dir: directory });
    return entries.length === 0 || entries[0].pid === child.pid;
  });
  child.stdin.write('\n');
  assert.deepEqual(await ended, [3, null]);
  assert.equal(outside.run(directory), 0);
});
