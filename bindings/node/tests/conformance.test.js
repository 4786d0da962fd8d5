'use strict';
// The table that every binding runs. Node cannot fork.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const atmost = require('atmost');
const { newFolder } = require('./outside');

const table = fs.readFileSync(path.join(__dirname, 'conformance.json'), 'utf8');
const { situations } = JSON.parse(table);
const REFUSALS = { busy: atmost.Busy, too_soon: atmost.TooSoon, usage: atmost.UsageError };

const number = (value) => (value === 'infinity' ? Infinity : value);

function optionsOf(step, dir) {
  const options = { dir };
  for (const [option, value] of Object.entries(step.options ?? {})) {
    options[option.replace(/_(.)/g, (_, letter) => letter.toUpperCase())] = number(value);
  }
  return options;
}

const nameOf = (step) => (step.atom === undefined ? step.lock : new atmost.Atom(...step.atom));

class Runner {
  constructor(directory, take) {
    Object.assign(this, { directory, take, held: {}, tokens: {} });
  }

  async run(steps) {
    for (const step of steps) await this[step.do](step);
  }

  async get(step) {
    const taken = this.take(nameOf(step), optionsOf(step, this.directory));
    if (step.answer !== 'admitted') return this.refused(step, taken);
    const held = await taken;
    this.held[step.as] = held;
    this.tokens[step.as] = held.token;
    assert.equal(held.slot, step.slot ?? held.slot);
    if (step.token_above !== undefined) assert.ok(held.token > this.tokens[step.token_above]);
    return undefined;
  }

  async check(step) {
    const options = optionsOf(step, this.directory);
    const { admitted, held } = atmost.check(nameOf(step), options);
    assert.deepEqual([admitted, held], [step.answer === 'admitted', step.held]);
    assert.equal(atmost.list(nameOf(step), options).length, step.held);
  }

  async refused(step, taken) {
    const refusal = await taken.then(() => null, (error) => error);
    assert.equal(refusal?.constructor, REFUSALS[step.answer], String(refusal));
    assert.equal(refusal.code, `ATMOST_${step.answer.toUpperCase()}`);
    assert.equal(refusal.why, step.why ?? refusal.why);
    const expected = number(step.retry_in ?? refusal.retryIn);
    assert.ok(refusal.retryIn === expected || Math.abs(refusal.retryIn - expected) <= 0.01);
  }

  async release(step) {
    this.held[step.lock].release({ success: step.success });
  }
}

// acquireSync() does not wait. The function is async so that a refusal is a rejection here, too.
async function takeSync(name, options) {
  if (options.wait > 0) return atmost.acquire(name, options);
  return atmost.acquireSync(name, options);
}

for (const { name, needs, steps } of situations) {
  for (const [way, take] of [['acquire', atmost.acquire], ['acquireSync', takeSync]]) {
    test(`${name}: ${way}`, { skip: needs?.includes('fork') && 'needs fork' }, async (t) => {
      await new Runner(newFolder(t), take).run(steps);
    });
  }
}
