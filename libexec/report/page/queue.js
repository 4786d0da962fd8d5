// The number of waiters: of the lock that is picked, else of all together.
class Queue {
  constructor(model, view) {
    this.model = model;
    this.view = view;
  }
  // The largest number in the shown part, at least 1.
  static most(queue, size, view) {
    let most = 1;
    for (const [index, count] of queue.most) {
      if ((index + 1) * size >= view.from && index * size <= view.to) most = Math.max(most, count);
    }
    return most;
  }
  draw(pen, colours, width, height, lanes) {
    lanes.measure(width);
    const picked = this.model.locks[lanes.picked];
    const queue = picked ? picked.queue : this.model.queue, size = this.model.span / queue.steps;
    const most = Queue.most(queue, size, this.view), foot = height - 22, high = foot - (lanes.label ? 24 : 14);
    pen.fillStyle = colours.sheet;
    pen.fillRect(0, 0, width, height);
    const ticks = timeTicks(this.model.from + this.view.from, this.model.from + this.view.to, 112 / lanes.scale);
    pen.textBaseline = "middle";
    pen.font = "11px system-ui, sans-serif";
    let end = 0;
    for (const tick of ticks) {
      const x = Math.round(lanes.x(tick.epoch - this.model.from)) + 0.5;
      pen.fillStyle = colours.line;
      pen.fillRect(x, 6, 1, foot - 6);
      pen.fillStyle = colours.faint;
      pen.textAlign = "left";
      const from = Math.max(x - 3, lanes.left), room = pen.measureText(tick.words).width;
      if (from + room > width || from < end) continue;
      pen.fillText(tick.words, from, foot + 12);
      end = from + room + 6;
    }
    pen.save();
    pen.beginPath();
    pen.rect(lanes.left, 0, lanes.right - lanes.left + 4, height);
    pen.clip();
    pen.fillStyle = colours.wait;
    for (const [index, count] of queue.most) {
      const x = lanes.x(index * size), wide = Math.max(size * lanes.scale, 1);
      if (x + wide < lanes.left || x > lanes.right) continue;
      const tall = high * count / most;
      pen.fillRect(x, foot - tall, wide, tall);
    }
    pen.restore();
    pen.fillStyle = colours.line;
    pen.fillRect(lanes.left, foot, lanes.right - lanes.left, 1);
    pen.textAlign = "right";
    pen.fillStyle = colours.faint;
    pen.fillText(grouped(most), lanes.left - 8, foot - high);
    pen.fillText("0", lanes.left - 8, foot - 2);
    pen.textAlign = "left";
    pen.fillStyle = colours.ink;
    pen.font = "600 12.5px system-ui, sans-serif";
    const only = this.model.locks.length === 1 ? this.model.locks[0] : picked;
    const name = only ? only.name : "All locks";
    if (lanes.label) {
      pen.fillText(fitted(pen, name, lanes.right - lanes.left), lanes.left, 12);
    } else {
      wrapped(pen, name, lanes.left - 40, 2).forEach((line, i) => pen.fillText(line, 12, foot / 2 + 14 * i));
    }
    if (queue.most.size > 0) return;
    pen.fillStyle = colours.faint;
    pen.font = "12.5px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText("Nobody waited.", (lanes.left + lanes.right) / 2, foot / 2 + 4);
  }
}
