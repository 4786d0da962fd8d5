'use strict';
// Asking for a lock; every decision is libatmost's.
const { isMainThread } = require('node:worker_threads');
const native = require('./native');
const { ADMITTED, Refused, UsageError, entryAt, refusal } = require('./answers');
const { Atom, fieldsOf, onePart, partsOf } = require('./options');
const { Admission, Held, Notice, whenReadable } = require('./held');

// What the library wrote: a lock or a request, by which of its functions is called.
function ask(named, ofAtom, name, fields, notice) {
  const out = [null];
  if (notice !== null) fields.context = notice.context;
  const call = name instanceof Atom ? ofAtom : named;
  const answer = call(...partsOf(name), fields, out);
  if (answer !== ADMITTED) throw refusal(answer);
  return out[0];
}

function finish(request) {
  const out = [null];
  const answer = native.finish(request, out);
  if (answer !== ADMITTED) throw refusal(answer);
  return out[0];
}

// Requests of this thread that wait, and their handles, which end when they are collected.
const waiting = new Map();

function giveUp(request) {
  waiting.get(request)?.close();
  waiting.delete(request);
  native.cancel(request);
  const out = [null];
  if (native.finish(request, out) === ADMITTED) native.release(out[0], 0);
}

// The main thread ends with the process, which gives its places up; a Worker does not.
if (!isMainThread) {
  process.once('exit', () => {
    for (const request of waiting.keys()) giveUp(request);
  });
}

// Resolves once finish() will not block. Aborting makes that soon: a takeover that has begun is
// finished first.
async function answered(request, signal) {
  if (native.answered(request)) return;
  const cancel = () => native.cancel(request);
  signal?.addEventListener('abort', cancel);
  try {
    await new Promise((resolve) => {
      waiting.set(request, whenReadable(native.descriptor(request), resolve));
    });
    waiting.delete(request);
  } catch (error) {
    giveUp(request);
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

async function withNotice(onLost, take) {
  const notice = onLost === undefined ? null : new Notice(onLost);
  try {
    return new Held(new Admission(await take(notice), notice));
  } catch (error) {
    notice?.close();
    throw error;
  }
}

async function acquire(name, options = {}) {
  const fields = fieldsOf(options);
  const { signal, onLost } = options;
  if (signal?.aborted) throw signal.reason;
  return withNotice(onLost, async (notice) => {
    const request = ask(native.begin, native.beginAtom, name, fields, notice);
    await answered(request, signal);
    if (!signal?.aborted) return finish(request);
    giveUp(request); // also an admission that came first: nobody would release it
    throw signal.reason;
  });
}

function acquireSync(name, options = {}) {
  const fields = fieldsOf(options);
  if (fields.wait !== 0) throw new UsageError('acquireSync() does not wait; acquire() does');
  if (options.signal !== undefined) throw new UsageError('acquireSync() takes no signal');
  const notice = options.onLost === undefined ? null : new Notice(options.onLost);
  try {
    return new Held(new Admission(ask(native.get, native.getAtom, name, fields, notice), notice));
  } catch (error) {
    notice?.close();
    throw error;
  }
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
  const answer = native.list(onePart(name), fieldsOf(options), each, null);
  if (answer !== ADMITTED) throw refusal(answer);
  return entries;
}

function check(name, options = {}) {
  const count = [0];
  const answer = native.check(onePart(name), fieldsOf(options), count);
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
