'use strict';
// The answers of libatmost, as JavaScript's classes.
const native = require('./native');

const ADMITTED = 0;
const USAGE = 64;

const CODES = {
  4: 'ATMOST_INTERRUPTED', 64: 'ATMOST_USAGE', 69: 'ATMOST_UNAVAILABLE', 70: 'ATMOST_INTERNAL',
  73: 'ATMOST_CANNOT_CREATE', 74: 'ATMOST_IO', 75: 'ATMOST_BUSY', 76: 'ATMOST_TOO_SOON', 77: 'ATMOST_NOT_PERMITTED',
};

class AtmostError extends Error {
  constructor(message, answer = 0, why = '', retryIn = 0) {
    super(message);
    this.answer = answer;
    this.code = CODES[answer] ?? 'ATMOST_INTERNAL';
    this.why = why;
    this.retryIn = retryIn;
  }

  get name() {
    return this.constructor.name;
  }
}

class Refused extends AtmostError {}
class Busy extends Refused {}
class TooSoon extends Refused {}
class UsageError extends AtmostError {
  constructor(message) {
    super(message, USAGE);
  }
}

const KINDS = { 64: UsageError, 75: Busy, 76: TooSoon };

// The error of this thread's last call; to be called before any other call.
function refusal(answer) {
  const kind = KINDS[answer] ?? AtmostError;
  return new kind(native.message(), answer, native.why(), native.retryIn());
}

const known = (value, unknown) => (value === unknown ? null : value);

function entryAt(address) {
  const one = native.decodeEntry(address);
  return {
    state: one.state,
    slot: known(one.slot, 0),
    position: known(one.position, 0),
    pid: known(Number(one.pid), 0),
    keptFor: known(Number(one.kept_for), 0),
    user: known(Number(one.user), -1),
    token: known(BigInt(one.token), 0n),
    start: known(one.start, -1),
    age: known(one.age, -1),
    expires: one.expires,
    id: one.id,
    command: one.command,
    verified: one.verified !== 0,
  };
}

module.exports = {
  ADMITTED, AtmostError, Refused, Busy, TooSoon, UsageError, refusal, entryAt,
};
