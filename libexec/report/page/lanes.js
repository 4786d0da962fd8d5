// The timeline: a lane for each lock, in the manner of Figures 2, 4 and 5 of Burgess & Skipitaris (LISA '97).
const AXIS = 28, SLOT_ROW = 9, MOST_ROWS = 8, FEW_LOCKS = 10;
const LANE = {height: 34, bar: 12};  // of a lock with one slot, or in pieces of time
const NARROW = 640, LABEL = 34;  // below that width a lane has its label above it, so high

// Part of the whole that all charts show, in seconds after the beginning.
class View {
  constructor(span) {
    this.span = span;
    this.from = 0;
    this.to = span;
  }
  show(from, to) {
    const least = Math.max(this.span * 1e-7, 1e-3);
    const width = Math.min(Math.max(to - from, Math.min(least, this.span)), this.span);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - width / 2, 0), this.span - width);
    this.to = this.from + width;
  }
  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }
  move(part) {
    const by = (this.to - this.from) * part;
    const from = Math.min(Math.max(this.from + by, 0), this.span - (this.to - this.from));
    this.show(from, from + this.to - this.from);
  }
}

const rowsOf = (lock) => lock.exact && lock.slots > 1 ? Math.min(lock.slots, MOST_ROWS) : 1;
const laneHeight = (lock) => rowsOf(lock) > 1 ? 18 + SLOT_ROW * rowsOf(lock) : LANE.height;

class Lanes {
  constructor(model, view) {
    this.model = model;
    this.view = view;
    this.picked = -1;
    this.cursor = null;
    if (model.locks.length <= FEW_LOCKS) Object.assign(LANE, {height: 46, bar: 20});
    this.layOut(0);
  }
  layOut(label) {
    this.label = label;
    this.tops = [];
    let top = AXIS;
    for (const lock of this.model.locks) {
      this.tops.push(top);
      top += this.heightOf(lock);
    }
    this.height = top + 4;
  }
  heightOf(lock) { return this.label + laneHeight(lock); }
  measure(width) {
    const label = width < NARROW ? LABEL : 0;
    if (label !== this.label) this.layOut(label);
    this.width = width;
    this.left = label ? 34 : Math.round(Math.min(220, width * 0.24));
    this.right = width - 14;
    this.scale = (this.right - this.left) / (this.view.to - this.view.from);
  }
  x(seconds) { return this.left + (seconds - this.view.from) * this.scale; }
  seconds(x) { return this.view.from + (x - this.left) / this.scale; }
  laneAt(y, scrolled) {
    if (y < AXIS) return -1;
    return this.model.locks.findIndex((lock, i) => y + scrolled >= this.tops[i] && y + scrolled < this.tops[i] + this.heightOf(lock));
  }

  // Draws the part between `scrolled` and `scrolled + height`.
  draw(pen, colours, width, height, scrolled) {
    this.measure(width);
    pen.fillStyle = colours.sheet;
    pen.fillRect(0, 0, width, height);
    const ticks = timeTicks(this.model.from + this.view.from, this.model.from + this.view.to, 112 / this.scale);
    this.model.locks.forEach((lock, i) => {
      const top = this.tops[i] - scrolled;
      if (top + this.heightOf(lock) < AXIS || top > height) return;
      this.drawGround(pen, colours, lock, i, top);
      const below = top + this.label;
      pen.save();
      pen.beginPath();
      pen.rect(this.left, below, this.right - this.left + 6, laneHeight(lock));
      pen.clip();
      this.drawTicks(pen, colours, ticks, below, laneHeight(lock));
      if (lock.exact) this.drawEvents(pen, colours, lock, below); else this.drawBuckets(pen, colours, lock, below);
      if (this.cursor && this.picked === i) this.drawCursor(pen, colours, below, laneHeight(lock));
      pen.restore();
    });
    this.drawAxis(pen, colours, ticks);
  }
  drawGround(pen, colours, lock, index, top) {
    const height = this.heightOf(lock);
    if (index === this.picked || index % 2 === 1) {
      pen.fillStyle = index === this.picked ? colours.pick : colours.band;
      pen.fillRect(0, top, this.width, height);
    }
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    const bad = [["failure", "failed"], ["killed", "killed"]].filter(([fate]) => lock.n[fate] > 0)
        .map(([fate, word]) => ", " + grouped(lock.n[fate]) + " " + word);
    const runs = counted(lock.n.runs, "run", "runs") + bad.join("");
    if (this.label) {
      pen.fillStyle = colours.ink;
      pen.font = "600 12.5px system-ui, sans-serif";
      pen.fillText(fitted(pen, lock.name, this.width - 24), 12, top + 15);
      pen.fillStyle = colours.faint;
      pen.font = "11px system-ui, sans-serif";
      pen.fillText(fitted(pen, runs, this.width - 24), 12, top + 29);
      return;
    }
    pen.fillStyle = colours.ink;
    pen.font = "600 12.5px system-ui, sans-serif";
    const room = this.left - 22, lines = wrapped(pen, lock.name, room, 2);
    lines.forEach((line, i) => pen.fillText(line, 12, top + 15 + 13 * i));
    if (lines.length > 1 && height < 46) return;
    pen.fillStyle = colours.faint;
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(fitted(pen, runs, room), 12, top + 15 + 13 * lines.length);
  }
  drawTicks(pen, colours, ticks, top, height) {
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const tick of ticks) {
      const x = Math.round(this.x(tick.epoch - this.model.from)) + 0.5;
      pen.moveTo(x, top);
      pen.lineTo(x, top + height);
    }
    pen.stroke();
  }
  drawAxis(pen, colours, ticks) {
    pen.fillStyle = colours.sheet;
    pen.fillRect(0, 0, this.width, AXIS);
    pen.textBaseline = "middle";
    let end = 0;
    for (const tick of ticks) {
      const x = Math.max(this.x(tick.epoch - this.model.from) - 3, this.left);
      pen.fillStyle = tick.strong ? colours.ink : colours.faint;
      pen.font = (tick.strong ? "600 " : "") + "11px system-ui, sans-serif";
      const room = pen.measureText(tick.words).width;
      pen.textAlign = "left";
      if (x + room > this.width || x < end) continue;
      pen.fillText(tick.words, x, AXIS / 2);
      end = x + room + 6;
    }
    pen.fillStyle = colours.line;
    pen.fillRect(0, AXIS - 1, this.width, 1);
    pen.textAlign = "left";
    pen.fillStyle = colours.faint;
    pen.font = "11px system-ui, sans-serif";
    if (this.left > 40) pen.fillText(zoneWords(this.model.from + this.view.from), 12, AXIS / 2);
  }
  drawCursor(pen, colours, top, height) {
    const x = this.x(this.cursor.at);
    pen.strokeStyle = colours.focus;
    pen.lineWidth = 1.5;
    pen.strokeRect(x - 5, top + 2, Math.max(10, this.cursor.ran * this.scale + 10), height - 4);
  }
}
