// The page's data, unpacked. Moments are seconds after the log's beginning, spans are seconds.
const FATES = ["success", "failure", "killed", "running", "unseen"];
const MARKS = ["too_soon", "busy", "takeover"];

class Unpacker {
  constructor(text) {
    this.bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    this.at = 0;
  }
  get more() { return this.at < this.bytes.length; }
  next() {
    let number = 0;
    for (let weight = 1; ; weight *= 128) {
      const byte = this.bytes[this.at++];
      number += (byte & 127) * weight;
      if (byte < 128) return number;
    }
  }
}

function unpackRuns(text, unit) {
  const from = new Unpacker(text), runs = [];
  for (let at = 0; from.more;) {
    at += from.next();
    runs.push({start: at * unit, ran: from.next() * unit, waited: from.next() * unit, slot: from.next(), fate: FATES[from.next()]});
  }
  return runs;
}

function unpackMarks(text, unit) {
  const from = new Unpacker(text), marks = [];
  for (let at = 0; from.more;) {
    at += from.next();
    marks.push({at: at * unit, waited: from.next() * unit, kind: MARKS[from.next()]});
  }
  return marks;
}

function unpackBuckets(text) {
  const from = new Unpacker(text), buckets = [];
  for (let index = 0; from.more;) {
    index += from.next();
    const one = {index, held: from.next() / 100, runs: 0, failed: 0, killed: 0, tooSoon: 0, busy: 0, takeovers: 0};
    const runs = from.next();
    one.runs = Math.floor(runs / 2);
    if (runs % 2 === 1) {
      [one.failed, one.killed, one.tooSoon, one.busy, one.takeovers] =
          [from.next(), from.next(), from.next(), from.next(), from.next()];
    }
    buckets.push(one);
  }
  return buckets;
}

function unpackQueue(queue) {
  const from = new Unpacker(queue.data), most = new Map();
  for (let index = 0; from.more;) {
    index += from.next();
    most.set(index, from.next());
  }
  return {steps: queue.steps, most};
}

function unpackLock(raw, index, unit) {
  const lock = {index, name: raw.name, n: raw.n, verdict: raw.verdict, bars: raw.bars, learned: raw.learned, slots: raw.slots,
    told: [raw.limit, raw.risk].filter(Boolean)};
  lock.exact = raw.runs !== undefined;
  if (lock.exact) {
    lock.runs = unpackRuns(raw.runs, unit);
    lock.marks = unpackMarks(raw.marks, unit);
  } else {
    lock.steps = raw.steps;
    lock.buckets = unpackBuckets(raw.buckets);
  }
  lock.queue = raw.queue ? unpackQueue(raw.queue) : {steps: 1, most: new Map()};
  return lock;
}

function unpack(raw) {
  return {
    from: raw.from,
    span: raw.to - raw.from,
    queue: unpackQueue(raw.queue),
    locks: raw.locks.map((lock, index) => unpackLock(lock, index, raw.unit)),
  };
}
