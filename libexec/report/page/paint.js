// Colours and small shapes. Every kind has a shape of its own, so that nothing depends on colour alone.
const HEX = ["ground", "sheet", "ink", "faint", "line", "band", "pick", "ok", "ok-soft", "failure", "killed", "wait", "busy", "soon",
  "learned", "focus"];

function readColours() {
  const style = getComputedStyle(document.documentElement), colours = {};
  for (const name of HEX) colours[name] = style.getPropertyValue("--" + name).trim();
  return colours;
}

const fateColour = (colours, fate) =>
    fate === "failure" ? colours.failure : fate === "killed" ? colours.killed : fate === "success" ? colours.ok : colours["ok-soft"];

// A canvas as wide as its parent and `height` high, in device pixels; returns its context.
function prepare(canvas, width, height) {
  const ratio = window.matchMedia("print").matches ? 3 : Math.min(Math.max(window.devicePixelRatio || 1, 1), 3);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

// A name cut to the width there is: in its middle, as names differ at both ends; the end of a path
// matters more.
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const cut = (size) => {
    const before = text.startsWith("/") ? 0 : Math.ceil(size / 2);
    return text.slice(0, before) + "…" + text.slice(text.length - (size - before));
  };
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(cut(middle)).width <= room) low = middle; else high = middle - 1;
  }
  return cut(low);
}

// A name in at most `most` lines, broken behind a mark if there is one; the last line is cut to fit.
function wrapped(pen, text, room, most) {
  const lines = [];
  while (lines.length + 1 < most && pen.measureText(text).width > room) {
    let end = text.length;
    while (end > 1 && pen.measureText(text.slice(0, end)).width > room) --end;
    const mark = text.slice(0, end).search(/[-_.:/ @][^-_.:/ @]*$/);
    if (mark > end / 3) end = mark + 1;
    lines.push(text.slice(0, end));
    text = text.slice(end);
  }
  return [...lines, fitted(pen, text, room)];
}

// A run: whole for a success, notched at its end for a failure, hatched when it was killed, open if
// no end was seen.
function drawRun(pen, colours, fate, x, y, width, height) {
  pen.fillStyle = fateColour(colours, fate);
  if (width < 3) {
    pen.fillRect(x, y, Math.max(width, 1), height);
    return;
  }
  pen.beginPath();
  pen.roundRect(x, y, width, height, Math.min(2.5, width / 2));
  pen.fill();
  pen.save();
  pen.clip();
  pen.strokeStyle = colours.sheet;
  pen.fillStyle = colours.sheet;
  if (fate === "killed") {
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (let at = Math.max(x - height, x - height); at < x + Math.min(width, 4000); at += 6) {
      pen.moveTo(at, y + height);
      pen.lineTo(at + height, y);
    }
    pen.stroke();
  } else if (fate === "failure" && width >= 7) {
    pen.beginPath();
    pen.moveTo(x + width, y);
    pen.lineTo(x + width - height * 0.45, y + height / 2);
    pen.lineTo(x + width, y + height);
    pen.fill();
  }
  pen.restore();
  if (fate === "running" || fate === "unseen") {
    pen.strokeStyle = colours.ok;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x + width, y + 0.5);
    pen.lineTo(x + 0.5, y + 0.5);
    pen.lineTo(x + 0.5, y + height - 0.5);
    pen.lineTo(x + width, y + height - 0.5);
    pen.stroke();
  }
}

// Busy: a wedge that points down at the run in the way. Too soon: a ring. Takeover: a cross through the holder's end.
function drawMark(pen, colours, kind, x, y) {
  pen.lineWidth = 1.6;
  pen.beginPath();
  if (kind === "busy") {
    pen.fillStyle = colours.busy;
    pen.moveTo(x - 3.6, y - 3);
    pen.lineTo(x + 3.6, y - 3);
    pen.lineTo(x, y + 3.4);
    pen.fill();
  } else if (kind === "too_soon") {
    pen.strokeStyle = colours.soon;
    pen.arc(x, y, 3, 0, 2 * Math.PI);
    pen.stroke();
  } else {
    pen.lineWidth = 2.4;
    pen.strokeStyle = colours.killed;
    pen.moveTo(x - 4, y - 4);
    pen.lineTo(x + 4, y + 4);
    pen.moveTo(x + 4, y - 4);
    pen.lineTo(x - 4, y + 4);
    pen.stroke();
  }
}

function drawWait(pen, colours, from, to, y) {
  pen.strokeStyle = colours.wait;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(from, y - 3);
  pen.lineTo(from, y + 3);
  pen.moveTo(from, y);
  pen.lineTo(to, y);
  pen.stroke();
}

// The time for which a start keeps the next one away.
function drawInterval(pen, colours, from, to, y) {
  pen.lineWidth = 1;
  pen.strokeStyle = colours.soon;
  pen.beginPath();
  pen.moveTo(from, y);
  pen.lineTo(to, y);
  pen.moveTo(to, y - 2.5);
  pen.lineTo(to, y + 2.5);
  pen.stroke();
}

// The moment when a holder is overdue.
function drawOverdue(pen, colours, x, from, to) {
  pen.lineWidth = 1;
  pen.strokeStyle = colours.killed;
  pen.setLineDash([2, 2]);
  pen.beginPath();
  pen.moveTo(x, from);
  pen.lineTo(x, to);
  pen.stroke();
  pen.setLineDash([]);
}
