// The content of a lane: runs and marks one by one, or pieces of time with many of them.
Lanes.prototype.rowOf = function (lock, run, top) {
  const rows = rowsOf(lock);
  if (rows === 1) return {y: top + 14, height: LANE.bar};
  return {y: top + 12 + SLOT_ROW * ((Math.max(run.slot, 1) - 1) % rows), height: SLOT_ROW - 2};
};

// Under the bars where there is room, else behind them.
Lanes.prototype.drawWaits = function (pen, colours, lock, top) {
  for (const run of lock.runs) {
    if (run.waited * this.scale <= 2 || run.start < this.view.from || run.start - run.waited > this.view.to) continue;
    const {y, height} = this.rowOf(lock, run, top);
    drawWait(pen, colours, this.x(run.start - run.waited), this.x(run.start), rowsOf(lock) > 1 ? y + height / 2 : y + height + 3);
  }
};

Lanes.prototype.drawEvents = function (pen, colours, lock, top) {
  this.drawWaits(pen, colours, lock, top);
  // The end and colour of each row so far: a run that would add nothing to them is not drawn.
  const seen = new Map();
  for (const run of lock.runs) {
    if (run.start + run.ran < this.view.from || run.start - run.waited > this.view.to) continue;
    const {y, height} = this.rowOf(lock, run, top);
    const x = this.x(run.start), width = Math.max(run.ran * this.scale, 1);
    const before = seen.get(y);
    if (width <= 1 && before && before.fate === run.fate && x < before.x) continue;
    seen.set(y, {x: x + Math.max(width, 1), fate: run.fate});
    const left = Math.max(x, this.left - 10), right = Math.min(x + width, this.right + 20);
    drawRun(pen, colours, run.fate, left, y, right - left, height);
    if (rowsOf(lock) === 1) this.drawLimits(pen, colours, lock, x, top);
  }
  const last = {};
  for (const mark of lock.marks) {
    if (mark.at < this.view.from || mark.at - mark.waited > this.view.to) continue;
    const x = this.x(mark.at), y = mark.kind === "takeover" ? top + 14 + LANE.bar / 2 : top + 7;
    const gap = x - (last[mark.kind] ?? -100);
    if (gap < 0.7) continue;
    last[mark.kind] = x;
    if (mark.waited * this.scale > 2) drawWait(pen, colours, this.x(mark.at - mark.waited), x, y);
    if (gap >= 6) {
      drawMark(pen, colours, mark.kind, x, y);
    } else {
      pen.fillStyle = mark.kind === "busy" ? colours.busy : mark.kind === "too_soon" ? colours.soon : colours.killed;
      pen.fillRect(x - 0.5, y - 3, 1, 6);
    }
  }
};

// As in Figure 2: the time for which a start keeps the next one away, and the moment when its
// holder is overdue.
Lanes.prototype.drawLimits = function (pen, colours, lock, x, top) {
  const keeps = (lock.n.if_elapsed_s ?? 0) * this.scale, expires = (lock.n.expire_after_s ?? 0) * this.scale;
  const y = top + LANE.height - 4.5;
  if (keeps > 14) drawInterval(pen, colours, x, x + keeps, y);
  if (expires > 14) drawOverdue(pen, colours, x + expires, top + 11, top + 17 + LANE.bar);
};

// Height: the share of the slots that was held. At the bottom, failed and killed runs; at the top,
// refusals.
Lanes.prototype.drawBuckets = function (pen, colours, lock, top) {
  const size = this.model.span / lock.steps, foot = top + LANE.height - 5, room = LANE.height - 16;
  const columns = new Map();
  for (const one of lock.buckets) {
    const from = one.index * size;
    if (from + size < this.view.from || from > this.view.to) continue;
    const x = Math.floor(this.x(from)), width = Math.max(1, Math.ceil(this.x(from + size)) - x);
    const column = columns.get(x) ?? {width, held: 0, pieces: 0, runs: 0, failed: 0, killed: 0, tooSoon: 0, busy: 0};
    column.held += one.held;
    column.pieces += 1;
    column.width = Math.max(column.width, width);
    column.runs += one.runs;
    column.failed += one.failed;
    column.killed += one.killed + one.takeovers;
    column.tooSoon += one.tooSoon;
    column.busy += one.busy;
    columns.set(x, column);
  }
  const perColumn = Math.max(1, 1 / (size * this.scale));
  for (const [x, column] of columns) {
    const held = Math.min(1, column.held / Math.max(perColumn, column.pieces));
    pen.fillStyle = colours.ok;
    pen.fillRect(x, foot - 3 - Math.max(1, held * room), column.width, Math.max(1, held * room));
    if (column.failed || column.killed) {
      // One bad run of many is visible, but not alarming.
      pen.globalAlpha = Math.min(1, 0.35 + 3 * (column.failed + column.killed) / Math.max(1, column.runs));
      pen.fillStyle = column.killed ? colours.killed : colours.failure;
      pen.fillRect(x, foot - 2, column.width, column.killed ? 5 : 3);
      pen.globalAlpha = 1;
    }
    if (column.busy) {
      pen.fillStyle = colours.busy;
      pen.fillRect(x, top + 2, column.width, 3);
    }
    if (column.tooSoon) {
      pen.fillStyle = colours.soon;
      pen.fillRect(x, top + 5.5, column.width, 3);
    }
  }
};

function runWords(model, lock, run, step) {
  const how = {success: "succeeded", failure: "failed", killed: "was killed", running: "has no end yet",
    unseen: "ended unseen"}[run.fate];
  let words = momentWords(model.from + run.start, step) + ": " + how + " after " + spanWords(run.ran);
  if (run.waited >= 0.001) words += ", had waited " + spanWords(run.waited);
  return run.slot > 0 && lock.slots > 1 ? words + ", slot " + run.slot : words;
}

function markWords(model, mark, step) {
  const how = {too_soon: "refused as too soon", busy: "refused as busy", takeover: "the holder was stopped"}[mark.kind];
  return momentWords(model.from + mark.at, step) + ": " + how +
      (mark.waited >= 0.001 ? " after waiting " + spanWords(mark.waited) : "");
}

function bucketWords(model, lock, one, step) {
  const size = model.span / lock.steps, at = model.from + one.index * size, parts = [];
  parts.push("held " + Math.round(one.held * 100) + " %", counted(one.runs, "run", "runs"));
  if (one.failed) parts.push(grouped(one.failed) + " failed");
  if (one.killed) parts.push(grouped(one.killed) + " killed");
  if (one.busy) parts.push(grouped(one.busy) + " refused as busy");
  if (one.tooSoon) parts.push(grouped(one.tooSoon) + " refused as too soon");
  return momentWords(at, step) + " and " + spanWords(size) + " on: " + parts.join(", ");
}

// The events of a lock that have a place in time: {at, ran, words()}, by time.
Lanes.prototype.stations = function (lock) {
  if (lock.stations) return lock.stations;
  const model = this.model, size = model.span / (lock.steps || 1);
  lock.stations = lock.exact
    ? [...lock.runs.map((run) => ({at: run.start, ran: run.ran, words: (step) => runWords(model, lock, run, step)})),
       ...lock.marks.map((mark) => ({at: mark.at, ran: 0, words: (step) => markWords(model, mark, step)}))]
        .sort((one, other) => one.at - other.at)
    : lock.buckets.map((one) => ({at: one.index * size, ran: size, words: (step) => bucketWords(model, lock, one, step)}));
  return lock.stations;
};

// The item nearest to x in a lane, within a few pixels.
Lanes.prototype.stationAt = function (lock, x) {
  const at = this.seconds(x), near = 6 / this.scale;
  let best = null, least = near;
  for (const one of this.stations(lock)) {
    if (one.at - near > at) break;
    const away = at < one.at ? one.at - at : Math.max(0, at - one.at - one.ran);
    if (away < least || (away === least && best && one.ran < best.ran)) [best, least] = [one, away];
  }
  return best;
};
