'use strict';
// An admission, and the notice that it was lost.
const { AsyncResource } = require('node:async_hooks');
const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const native = require('./native');
const { AtmostError } = require('./answers');

// Calls `then` on the event loop once `descriptor` is readable; the handle may be closed before.
// An exception in koffi's callback would be lost; in setImmediate() it is reported like others.
function whenReadable(descriptor, then) {
  const handle = native.poll(descriptor, () => {
    handle.close();
    setImmediate(then);
  });
  return handle;
}

const O_CLOEXEC = 0o2000000; // of Linux; Node has no name for it

// koffi's handle ends when it is collected.
const listening = new Set();

// The library calls on_lost on a thread of its own, where no JavaScript can run. The function that
// it calls is eventfd_write(), with a pipe in place of the context: it takes an int and a uint64_t
// where on_lost has a pointer and a uint64_t, which every ABI of Linux passes alike. The event loop
// then reads the token. A notice does not keep the program running.
class Notice {
  #ends = [0, 0];
  #handle;
  #onLost;

  constructor(onLost) {
    if (native.pipe2(this.#ends, fs.constants.O_NONBLOCK | O_CLOEXEC) !== 0) {
      throw new AtmostError(`no pipe for onLost: errno ${native.errno()}`, 70);
    }
    this.#onLost = AsyncResource.bind(onLost);
    listening.add(this);
    this.#handle = whenReadable(this.#ends[0], () => this.#read());
    this.#handle.unref();
  }

  get context() {
    return this.#ends[1];
  }

  #read() {
    if (!listening.has(this)) return; // released meanwhile
    const bytes = Buffer.alloc(8);
    fs.readSync(this.#ends[0], bytes);
    this.#onLost(new BigUint64Array(bytes.buffer, bytes.byteOffset, 1)[0]);
  }

  // Only when the library no longer writes: after atmost_release(), or without an admission.
  close() {
    if (!listening.delete(this)) return;
    this.#handle.close();
    for (const end of this.#ends) fs.closeSync(end);
  }
}

// The holds of this thread that are not released yet. The main thread ends with the process, which
// frees them; a Worker does not.
const admissions = new Set();
if (!isMainThread) {
  process.once('exit', () => {
    for (const one of admissions) one.release(false);
  });
}

class Admission {
  constructor(lock, notice) {
    this.lock = lock;
    this.notice = notice;
    admissions.add(this);
  }

  release(success) {
    const { lock } = this;
    if (lock === null) return;
    this.lock = null;
    admissions.delete(this);
    native.release(lock, success ? 1 : 0);
    this.notice?.close();
  }
}

// Any other argument is refused: release(false) would otherwise be a success.
function successOf(outcome) {
  const isObject = Object.prototype.toString.call(outcome) === '[object Object]';
  const other = isObject ? Object.keys(outcome).find((key) => key !== 'success') : undefined;
  if (!isObject) throw new TypeError('release() takes an object, such as { success: false }');
  if (other !== undefined) throw new TypeError(`release() has no option ${other}`);
  const { success = true } = outcome;
  if (typeof success !== 'boolean') throw new TypeError('success must be true or false');
  return success;
}

// The time of a collection is uncertain, and the work may still go on: the lock stays until the
// process or the Worker ends. A warning is printed once.
let warned = false;
const collected = new FinalizationRegistry(() => {
  if (warned) return;
  warned = true;
  process.emitWarning('a lock whose Held nobody refers to any more is held until the process ends: '
    + 'release() it, or use withLock()', { code: 'ATMOST_NOT_RELEASED' });
});

class Held {
  #admission;

  constructor(admission) {
    if (!(admission instanceof Admission)) throw new TypeError('a Held is made by acquire()');
    this.#admission = admission;
    this.token = BigInt(native.token(admission.lock));
    this.slot = native.slot(admission.lock);
    collected.register(this, admission, this);
  }

  get held() {
    const { lock } = this.#admission;
    return lock !== null && native.held(lock) !== 0;
  }

  release(outcome = {}) {
    const success = successOf(outcome);
    collected.unregister(this);
    this.#admission.release(success);
  }
}

// For `using`, in versions of Node that have it. The block's result is not known here.
if (Symbol.dispose !== undefined) {
  Object.defineProperty(Held.prototype, Symbol.dispose, {
    configurable: true,
    value() {
      this.release({ success: false });
    },
    writable: true,
  });
}

module.exports = { Admission, Held, Notice, whenReadable };
