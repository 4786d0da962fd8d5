'use strict';
// Parts that are Node's own: promises, the event loop, signals, collected objects.
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const test = require('node:test');
const atmost = require('atmost');
const outside = require('./outside');

const waiters = (folder) =>
  atmost.list('a', { dir: folder }).filter((one) => one.state === 'waiting').length;

test('success is seen from outside', async (t) => {
  const directory = outside.newFolder(t);
  const once = ['--if-elapsed=900', '--elapsed-from=success'];
  await assert.rejects(atmost.withLock('a', { dir: directory }, async () => {
    assert.equal(outside.run(directory), outside.BUSY);
    throw new RangeError();
  }), RangeError);
  assert.equal(outside.run(directory, once, 'false'), 1);
  assert.equal(await atmost.withLock('a', { dir: directory }, () => 'done'), 'done');
  assert.equal(outside.run(directory, once, 'false'), outside.TOO_SOON);
});

test('a lock that is disposed of is no success', { skip: !Symbol.dispose }, (t) => {
  const directory = outside.newFolder(t);
  const options = { dir: directory, ifElapsed: 900, elapsedFrom: 'success' };
  atmost.acquireSync('a', options)[Symbol.dispose]();
  const held = atmost.acquireSync('a', options);
  held.release();
  held[Symbol.dispose]();
  held.release();
  assert.equal(held.held, false);
  assert.throws(() => atmost.acquireSync('a', options), atmost.TooSoon);
});

test('list and check', async (t) => {
  const directory = outside.newFolder(t);
  assert.deepEqual(atmost.list('a', { dir: directory }), []);
  assert.deepEqual(atmost.check('a', { dir: directory }),
                   { admitted: true, held: 0, why: '', retryIn: 0 });
  await outside.holder(t, directory);
  const [entry, ...more] = atmost.list('a', { dir: directory });
  assert.deepEqual([entry.state, entry.slot, entry.verified, entry.position, more.length],
                   ['held', 1, true, null, 0]);
  assert.notEqual(entry.pid, process.pid);
  assert.equal(typeof entry.token, 'bigint');
  const { admitted, held, why } = atmost.check('a', { dir: directory, maxRuntime: 1, onLost() {} });
  assert.deepEqual([admitted, held, why], [false, 1, 'no_slot']);
  assert.throws(() => atmost.check('a', { dir: directory, max: 0 }), atmost.UsageError);
});

test('wrong arguments', async (t) => {
  const directory = outside.newFolder(t);
  const wrong = [
    ['a\0b'], [Buffer.from('a\0b')], [7], [undefined], ['a', null], ['a', { id: 'x\0y' }],
    ['a', { max: 1.5 }], ['a', { max: 2 ** 32 + 1 }], ['a', { max: 'x' }], ['a', { ifElapsed: -1 }], ['a', { wait: -0.5 }],
    ['a', { now: NaN }], ['a', { also: ['b\0'] }], ['a', { trustFs: 'x' }],
    ['a', { onBusy: 'both' }], ['a', { onLost: 1 }], ['a', { maxRuntime: 1 }], ['a', { Max: 1 }],
    [new atmost.Atom('edit\0', 'b')], ['a', { mayBeKilled: 2 }],
    ['a', { signal: {} }],
  ];
  for (const [name, options] of wrong) {
    const given = options === undefined || options === null ? options : { dir: directory, ...options };
    await assert.rejects(atmost.acquire(name, given), atmost.UsageError);
    assert.throws(() => atmost.acquireSync(name, given), { code: 'ATMOST_USAGE' });
  }
  assert.throws(() => atmost.acquireSync('a', { dir: directory, wait: 1 }), atmost.UsageError);
  await assert.rejects(atmost.withLock('a', { dir: directory }), atmost.UsageError);
  assert.throws(() => new atmost.Held(), TypeError);
  assert.equal(outside.run(directory), 0);
});

test('a release with a wrong argument releases nothing', (t) => {
  const directory = outside.newFolder(t);
  const held = atmost.acquireSync('a', { dir: directory });
  for (const wrong of [false, true, null, 0, 'no', [], new Map(), { succes: false },
                       { success: 0 }, { success: null }]) {
    assert.throws(() => held.release(wrong), TypeError);
    assert.ok(held.held);
  }
  assert.throws(() => held.release({ succes: false }), /succes$/);
  held.release({ success: undefined });
  assert.equal(held.held, false);
  for (const wrong of [undefined, 1, 'yes']) {
    assert.throws(() => atmost.mayBeKilled(wrong), TypeError);
  }
});

test('an unknown option is refused by its name', async (t) => {
  const directory = outside.newFolder(t);
  const wrong = { dir: directory, waitt: 1 };
  const refused = { name: 'UsageError', message: /^waitt: no option of the library/ };
  await assert.rejects(atmost.acquire('a', wrong), refused);
  await assert.rejects(atmost.withLock('a', wrong, () => {}), refused);
  for (const call of [atmost.acquireSync, atmost.list, atmost.check]) {
    assert.throws(() => call('a', wrong), refused);
    assert.throws(() => call('a', new Map([['dir', directory]])), atmost.UsageError);
    assert.throws(() => call('a', [wrong]), atmost.UsageError);
  }
});

test('names are bytes', async (t) => {
  const directory = outside.newFolder(t);
  const texts = [['a\nb', 'a\\nb'], [Buffer.from([97, 255, 10, 98]), 'a\\377\\nb']];
  for (const [name, printed] of texts) {
    const held = await atmost.acquire(name, { dir: directory });
    const run = () => spawnSync('sh', [
      '-c', 'atmost run -q "$(printf "$1")" -- true', 'sh', printed,
    ], { env: { ...process.env, ATMOST_DIR: directory } }).status;
    assert.equal(run(), outside.BUSY);
    held.release();
    assert.equal(run(), 0);
  }
});

test('the event loop goes on while one waits', async (t) => {
  const directory = outside.newFolder(t);
  const end = await outside.holder(t, directory);
  const wait = atmost.withLock('a', { dir: directory, wait: Infinity }, () => outside.run(directory));
  await outside.eventually(() => waiters(directory) === 1);
  end();
  assert.equal(await wait, outside.BUSY);
  assert.equal(outside.run(directory), 0);
});

test('waiters take no thread of the pool, and are woken in a busy loop', async (t) => {
  const directory = outside.newFolder(t);
  const end = await outside.holder(t, directory);
  // The timer keeps the loop alive, so that nothing but the descriptors can continue the waiters.
  const { child, line } = outside.node(t, directory, `
    process.env.UV_THREADPOOL_SIZE = 1;
    setInterval(() => {}, 1e9);
    const waits = Array.from({ length: 8 }, () =>
      atmost.withLock('a', { dir: folder, wait: Infinity }, () => {}));
    Promise.all(waits).then(() => console.log('all'));
    process.stdin.once('data', () =>
      require('node:fs').promises.readFile('/dev/null').then(() => console.log('read')));
  `);
  await outside.eventually(() => waiters(directory) === 8);
  child.stdin.write('\n');
  assert.equal(await line(), 'read');
  end();
  assert.equal(await line(), 'all');
});

test('a signal gives the place up', async (t) => {
  const directory = outside.newFolder(t);
  const threads = () => fs.readdirSync('/proc/self/task').length;
  await outside.holder(t, directory);
  const before = threads();
  const controller = new AbortController();
  const wait = atmost.acquire('a', { dir: directory, wait: Infinity, signal: controller.signal });
  await outside.eventually(() => waiters(directory) === 1);
  controller.abort();
  await assert.rejects(wait, { name: 'AbortError' });
  assert.deepEqual([waiters(directory), threads()], [0, before]);
  const late = atmost.acquire('b', { dir: directory, signal: AbortSignal.abort(new RangeError()) });
  await assert.rejects(late, RangeError);
});

test('aborted after the admission: nobody holds the lock', async (t) => {
  const directory = outside.newFolder(t);
  const controller = new AbortController();
  const wait = atmost.acquire('a', { dir: directory, wait: Infinity, signal: controller.signal });
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (atmost.check('a', { dir: directory }).held === 0) Atomics.wait(cell, 0, 0, 10);
  controller.abort();
  await assert.rejects(wait, { name: 'AbortError' });
  assert.equal(outside.run(directory), 0);
});

const WAITER = `
  setInterval(() => {}, 1e9);
  const controller = new AbortController();
  const { signal } = controller;
  if (HEARD) process.once('SIGINT', () => controller.abort());
  atmost.acquire('a', { dir: folder, wait: Infinity, signal }).catch((error) => {
    console.log(error.name);
    process.stdin.once('data', () => process.exit(3));
  });
`;

test('Ctrl-C is heard while waiting', async (t) => {
  // The lock stays held, so that nothing but the signal can end the wait.
  const directory = outside.newFolder(t);
  await outside.holder(t, directory);
  const waiter = outside.node(t, directory, WAITER.replace('HEARD', 'true'));
  await outside.eventually(() => waiters(directory) === 1);
  spawnSync('kill', ['-INT', String(waiter.child.pid)]);
  assert.equal(await waiter.line(), 'AbortError');
  assert.equal(waiters(directory), 0);
  waiter.child.stdin.write('\n');
  assert.deepEqual(await waiter.ended, [3, null]);
  const killed = outside.node(t, directory, WAITER.replace('HEARD', 'false'));
  await outside.eventually(() => waiters(directory) === 1);
  spawnSync('kill', ['-INT', String(killed.child.pid)]);
  assert.deepEqual(await killed.ended, [null, 'SIGINT']);
  assert.equal(waiters(directory), 0);
});

const HOLDER = `
  if (AGREED) atmost.mayBeKilled(true);
  global.held = atmost.acquireSync('a', { dir: folder });
  setInterval(() => {}, 1e9);
  console.log('in');
`;

test('a holder that is killed leaves nothing', async (t) => {
  const directory = outside.newFolder(t);
  const { child, ended, line } = outside.node(t, directory, HOLDER.replace('AGREED', 'false'));
  assert.equal(await line(), 'in');
  assert.throws(() => atmost.acquireSync('a', { dir: directory }), atmost.Busy);
  const overdue = { dir: directory, expireAfter: 0, killGrace: 0.2 };
  await assert.rejects(atmost.acquire('a', overdue), { why: 'immune' });
  child.kill('SIGKILL');
  await ended;
  atmost.acquireSync('a', { dir: directory }).release();
  assert.deepEqual(atmost.list('a', { dir: directory }), []);
});

test('an overdue holder that agreed is stopped', async (t) => {
  const directory = outside.newFolder(t);
  const { ended, line } = outside.node(t, directory, HOLDER.replace('AGREED', 'true'));
  assert.equal(await line(), 'in');
  const held = await atmost.acquire('a', { dir: directory, expireAfter: 0, killGrace: 0.2 });
  const [, signal] = await ended;
  assert.ok(['SIGINT', 'SIGTERM', 'SIGKILL'].includes(signal));
  held.release();
});

test('programs that are started share no lock', async (t) => {
  const directory = outside.newFolder(t);
  const held = atmost.acquireSync('a', { dir: directory, onLost() {} });
  const { line } = outside.start(t, 'sh', ['-c', 'echo in; read line'], directory);
  assert.equal(await line(), 'in');
  held.release();
  assert.equal(outside.run(directory), 0);
});

test('onLost: to another process', async (t) => {
  const directory = outside.newFolder(t);
  const lost = [];
  const held = atmost.acquireSync('a', { dir: directory, onLost: (token) => lost.push(token) });
  assert.equal(outside.run(directory), outside.BUSY);
  const { ended } = outside.start(t, 'atmost', [
    'run', '--expire-after=0', '--wait=300', 'a', '--', 'true',
  ], directory);
  await outside.eventually(() => lost.length === 1);
  assert.deepEqual([lost[0], held.held], [held.token, false]);
  held.release();
  assert.deepEqual(await ended, [0, null]);
});

test('onLost: after maxRuntime, also when the event loop comes too late', async (t) => {
  const directory = outside.newFolder(t);
  const descriptors = () => fs.readdirSync('/proc/self/fd').length;
  atmost.acquireSync('a', { dir: directory }).release(); // the descriptors that are kept open
  const before = descriptors();
  const lost = [];
  const onLost = (token) => lost.push(token);
  const held = atmost.acquireSync('a', { dir: directory, maxRuntime: 0.05, onLost });
  await outside.eventually(() => lost.length === 1);
  assert.deepEqual([lost[0], held.held], [held.token, false]);
  held.release();
  const late = await atmost.acquire('a', {
    dir: directory, maxRuntime: 0.05, onLost: () => assert.fail('called after release()'),
  });
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (late.held) Atomics.wait(cell, 0, 0, 10); // the loop stands still
  late.release();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(descriptors(), before);
});

test('onLost: what it throws is reported', async (t) => {
  const directory = outside.newFolder(t);
  const { line, ended } = outside.node(t, directory, `
    setInterval(() => {}, 1e9);
    process.once('uncaughtException', (error) => {
      console.log(error.message);
      process.exit(3);
    });
    const onLost = () => { throw new Error('thrown by onLost'); };
    global.held = atmost.acquireSync('a', { dir: folder, maxRuntime: 0.05, onLost });
  `);
  assert.equal(await line(), 'thrown by onLost');
  assert.deepEqual(await ended, [3, null]);
});

test('a lock that nobody refers to is kept, which is said once', async (t) => {
  const directory = outside.newFolder(t);
  const { line, ended, child } = outside.node(t, directory, `
    process.on('warning', (warning) => console.log(warning.code));
    for (const name of ['a', 'b']) atmost.acquireSync(name, { dir: folder });
    setInterval(() => gc(), 10);
    process.stdin.once('data', () => { console.log('end'); process.exit(0); });
  `, '--expose-gc');
  assert.equal(await line(), 'ATMOST_NOT_RELEASED');
  assert.equal(outside.run(directory), outside.BUSY);
  child.stdin.write('\n');
  assert.equal(await line(), 'end');
  assert.deepEqual(await ended, [0, null]);
  assert.equal(outside.run(directory), 0);
});
