'use strict';
// What a program says, as the fields of atmost_options.
const native = require('./native');
const { UsageError } = require('./answers');

class Atom {
  constructor(operator, operand, host = null) {
    this.operator = operator;
    this.operand = operand;
    this.host = host;
  }
}

// Bytes that end with NUL, as C reads them.
function text(value, what) {
  const isBytes = value instanceof Uint8Array;
  if (!isBytes && typeof value !== 'string') {
    throw new UsageError(`${what} must be a string or a Uint8Array`);
  }
  const bytes = Buffer.from(value);
  if (bytes.includes(0)) throw new UsageError(`${what}: a text with a NUL byte`);
  return Buffer.concat([bytes, Buffer.alloc(1)]);
}

function seconds(value, what) {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw new UsageError(`${what} must be a number of seconds`);
  }
  return value;
}

// C would cut what does not fit.
const integer = (lowest, highest) => (value, what) => {
  if (!Number.isInteger(value) || value < lowest || value > highest) {
    throw new UsageError(`${what} must be a whole number`);
  }
  return value;
};
const count = integer(0, 0xffffffff);
const signed = integer(-0x80000000, 0x7fffffff);

function flag(value, what) {
  if (typeof value !== 'boolean') throw new UsageError(`${what} must be true or false`);
  return value ? 1 : 0;
}

const oneOf = (...names) => (value, what) => {
  const at = names.indexOf(value);
  if (at < 0) throw new UsageError(`${what} must be one of ${names.join(', ')}`);
  return at;
};

function texts(value, what) {
  if (!Array.isArray(value)) throw new UsageError(`${what} must be an array`);
  return [...value.map((one) => text(one, what)), null];
}

// Option: field, and how its value is converted. The values of oneOf count from 0, as in atmost.h.
const FIELDS = new Map(Object.entries({
  max: ['max', count],
  take: ['take', count],
  wait: ['wait', seconds],
  ifElapsed: ['if_elapsed', seconds],
  expireAfter: ['expire_after', seconds],
  killGrace: ['kill_grace', seconds],
  now: ['now', seconds],
  directory: ['directory', text],
  id: ['id', text],
  mode: ['mode', count],
  mayBeKilled: ['may_be_killed', signed],
  log: ['log', text],
  noHistory: ['no_history', flag],
  sharing: ['sharing', oneOf('plain', 'shared', 'exclusive')],
  onBusy: ['on_busy', oneOf('fail', 'replace', 'join', 'supersede')],
  elapsedFrom: ['elapsed_from', oneOf('start', 'finish', 'success')],
  waitTooSoon: ['wait_too_soon', flag],
  maxHold: ['max_hold', seconds],
  also: ['also', texts],
  trustFs: ['trust_fs', flag],
  noLearn: ['no_learn', flag],
  rate: ['rate', text],
  queueMax: ['queue_max', signed],
  store: ['store', text],
}));
const ELSEWHERE = new Set(['signal', 'onLost']);

// ATMOST_DEFAULTS.
const DEFAULTS = {
  size: native.OPTIONS_SIZE, max: 1, take: 1, wait: 0, if_elapsed: 0, expire_after: Infinity,
  kill_grace: 2, now: -1, directory: null, id: null, mode: 0o600, may_be_killed: 0, on_lost: 0,
  context: 0, log: null, no_history: 0, interruptible: 0, wait_mask: null, sharing: 0, on_busy: 0,
  elapsed_from: 0, wait_too_soon: 0, max_hold: Infinity, also: null, trust_fs: 0, no_learn: 0,
  rate: null, queue_max: -1, store: null,
};

function fieldsOf(options) {
  if (Object.prototype.toString.call(options) !== '[object Object]') {
    throw new UsageError('options must be an object');
  }
  const fields = { ...DEFAULTS };
  for (const [option, value] of Object.entries(options)) {
    if (ELSEWHERE.has(option) || value === undefined) continue;
    const field = FIELDS.get(option);
    if (field === undefined) throw new UsageError(`there is no option ${option}`);
    fields[field[0]] = field[1](value, option);
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function') {
    throw new UsageError('signal must be an AbortSignal');
  }
  if (options.onLost !== undefined) {
    if (typeof options.onLost !== 'function') throw new UsageError('onLost must be a function');
    fields.on_lost = native.writeEight; // see Notice, whose pipe will be the context
  }
  return fields;
}

// The name in one part or, for an atom, three.
function partsOf(name) {
  if (!(name instanceof Atom)) return [text(name, 'the name')];
  return [text(name.operator, 'the operator'), text(name.operand, 'the operand'),
          name.host === null ? null : text(name.host, 'the host')];
}

function onePart(name) {
  if (name instanceof Atom) throw new UsageError('an atom cannot be looked at');
  return partsOf(name)[0];
}

module.exports = { Atom, fieldsOf, partsOf, onePart };
