'use strict';
// Asking for a lock; every decision is libatmost's.
const { isMainThread } = require('node:worker_threads');
const native = require('./native');
const { ADMITTED, Refused, UsageError, entryAt, refusal } = require('./answers');
const { withRequest } = require('./options');
const { Admission, Held, Notice, whenReadable } = require('./held');

// The pointer that the library wrote: a lock or a pending request, depending on the function.
function ask(call, request, notice) {
  const out = [null];
  if (notice !== null) native.setOnLost(request, native.writeEight, notice.context);
  const answer = call(request, out);
  if (answer !== ADMITTED) throw refusal(answer);
  return out[0];
}

function finish(pending) {
  const out = [null];
  const answer = native.finish(pending, out);
  if (answer !== ADMITTED) throw refusal(answer);
  return out[0];
}

// Pending requests of this thread that wait, and their handles, which end when they are collected.
const waiting = new Map();

function giveUp(pending) {
  waiting.get(pending)?.close();
  waiting.delete(pending);
  native.cancel(pending);
  const out = [null];
  if (native.finish(pending, out) === ADMITTED) native.release(out[0], 0);
}

// The main thread ends with the process, which gives its places up; a Worker does not.
if (!isMainThread) {
  process.once('exit', () => {
    for (const pending of waiting.keys()) giveUp(pending);
  });
}

// Resolves once finish() will not block. Aborting makes that soon: a takeover that has begun is
// finished first.
async function answered(pending, signal) {
  if (native.answered(pending)) return;
  const cancel = () => native.cancel(pending);
  signal?.addEventListener('abort', cancel);
  try {
    await new Promise((resolve) => {
      waiting.set(pending, whenReadable(native.descriptor(pending), resolve));
    });
    waiting.delete(pending);
  } catch (error) {
    giveUp(pending);
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

// The result of `take` with a request and, if there is an onLost, a Notice that outlives it.
function withNotice(name, options, take) {
  return withRequest(name, options, (request) => {
    const notice = options.onLost === undefined ? null : new Notice(options.onLost);
    try {
      return { taken: take(request, notice), notice };
    } catch (error) {
      notice?.close();
      throw error;
    }
  });
}

async function acquire(name, options = {}) {
  const { signal } = options ?? {};
  const { taken: pending, notice } = withNotice(name, options, (request, of) => {
    if (signal?.aborted) throw signal.reason;
    return ask(native.begin, request, of);
  });
  try {
    await answered(pending, signal);
    if (!signal?.aborted) return new Held(new Admission(finish(pending), notice));
    giveUp(pending); // also an admission that came first: nothing else would release it
    throw signal.reason;
  } catch (error) {
    notice?.close();
    throw error;
  }
}

function acquireSync(name, options = {}) {
  const { taken: lock, notice } = withNotice(name, options, (request, of) => {
    if (native.waits(request) === 2) {
      throw new UsageError('acquireSync() does not wait; acquire() does');
    }
    if (options.signal !== undefined) throw new UsageError('acquireSync() takes no signal');
    return ask(native.get, request, of);
  });
  return new Held(new Admission(lock, notice));
}

async function withLock(name, ...rest) {
  const work = rest.pop();
  if (typeof work !== 'function') throw new UsageError('withLock() needs a function, the last');
  const held = await acquire(name, ...rest);
  let success = false;
  try {
    const result = await work(held);
    success = true;
    return result;
  } finally {
    held.release({ success });
  }
}

function list(name, options = {}) {
  const entries = [];
  const each = (context, address) => {
    entries.push(entryAt(address));
    return 0;
  };
  const answer = withRequest(name, options, (request) => native.list(request, each, null));
  if (answer !== ADMITTED) throw refusal(answer);
  return entries;
}

function check(name, options = {}) {
  const count = [0];
  const answer = withRequest(name, options, (request) => native.check(request, count));
  const refused = answer === ADMITTED ? null : refusal(answer);
  if (refused !== null && !(refused instanceof Refused)) throw refused;
  return {
    admitted: refused === null,
    held: count[0],
    why: refused?.why ?? '',
    retryIn: refused?.retryIn ?? 0,
  };
}

module.exports = { acquire, acquireSync, withLock, list, check };
