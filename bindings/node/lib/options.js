'use strict';
// A program's lock and options, as words for the library.
const native = require('./native');
const { ADMITTED, UsageError, refusal } = require('./answers');

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

// The options that only this binding has.
const BINDING_OPTIONS = new Set(['signal', 'onLost']);

// The library's name of an option, for example if_elapsed for ifElapsed.
const nameOf = (option) => option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function answerOf(request, option, value) {
  const name = nameOf(option);
  if (typeof value === 'boolean') return native.set(request, name, text(String(value), option));
  if (Number.isSafeInteger(value)) return native.setNumber(request, name, value);
  if (typeof value === 'number') return native.setSeconds(request, name, value);
  return native.set(request, name, text(value, option));
}

function set(request, option, value) {
  for (const one of Array.isArray(value) ? value : [value]) {
    const answer = answerOf(request, option, one);
    if (answer !== ADMITTED) throw refusal(answer);
  }
}

function setAll(request, options) {
  if (Object.prototype.toString.call(options) !== '[object Object]') {
    throw new UsageError('options must be an object');
  }
  for (const [option, value] of Object.entries(options)) {
    if (!BINDING_OPTIONS.has(option) && value !== undefined) set(request, option, value);
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function') {
    throw new UsageError('signal must be an AbortSignal');
  }
  if (options.onLost !== undefined && typeof options.onLost !== 'function') {
    throw new UsageError('onLost must be a function');
  }
  // Each take has a Notice, whose pipe is the context, in place of 0.
  if (options.onLost !== undefined) native.setOnLost(request, native.writeEight, 0);
}

function newRequest(name) {
  if (!(name instanceof Atom)) return native.create(text(name, 'the name'));
  const operand = text(name.operand, 'the operand');
  return native.createAtom(text(name.operator, 'the operator'), operand);
}

// The result of `use`, which may call the library with the request.
function withRequest(name, options, use) {
  const request = newRequest(name);
  try {
    if (name instanceof Atom && name.host !== null) set(request, 'host', name.host);
    setAll(request, options);
    return use(request);
  } finally {
    native.free(request);
  }
}

module.exports = { Atom, withRequest };
