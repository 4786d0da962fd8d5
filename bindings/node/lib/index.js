'use strict';
// At most N at a time, at most once every T, for at most D: libatmost for Node.
//
//     await atmost.withLock('nightly', { wait: 30 }, async (held) => { ... });
//
// Durations are seconds; Infinity means for ever.
const native = require('./native');
const { AtmostError, Refused, Busy, TooSoon, UsageError } = require('./answers');
const { Atom } = require('./options');
const { Held } = require('./held');
const { acquire, acquireSync, withLock, list, check } = require('./request');

const AUTO = 'auto';

function mayBeKilled(agreed) {
  if (typeof agreed !== 'boolean') throw new TypeError('mayBeKilled() takes true or false');
  return native.mayBeKilled(agreed ? 1 : 0) !== 0;
}

// In this form `import { acquire } from 'atmost'` finds each name.
module.exports = {
  AUTO, Atom, AtmostError, Busy, Held, Refused, TooSoon, UsageError, acquire, acquireSync, check,
  list, mayBeKilled, withLock,
};
