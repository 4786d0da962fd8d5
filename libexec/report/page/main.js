// The page put together: the order of drawing, the pointer and the keys.
const FIRST_CARDS = 24, PRINTED_LANES = 40;
const byId = (id) => document.getElementById(id);
const model = unpack(JSON.parse(byId("data").textContent));
const view = new View(model.span);
const lanes = new Lanes(model, view), queue = new Queue(model, view);
const box = byId("lanes"), queueBox = byId("queue"), tip = byId("tip"), told = byId("told");
let colours = readColours(), brush = null, asked = false;

function draw() {
  asked = false;
  const printing = window.matchMedia("print").matches;
  lanes.measure(box.clientWidth);
  const most = printing ? lanes.tops[PRINTED_LANES] ?? lanes.height : Math.max(180, window.innerHeight * 0.7);
  const width = box.clientWidth, height = Math.min(lanes.height, most), scrolled = printing ? 0 : box.scrollTop;
  const canvas = box.querySelector("canvas"), pen = prepare(canvas, width, height);
  box.querySelector(".spacer").style.height = lanes.height - height + "px";
  lanes.draw(pen, colours, width, height, scrolled);
  if (brush) {
    pen.fillStyle = colours.focus;
    pen.globalAlpha = 0.18;
    pen.fillRect(Math.min(brush.from, brush.to), AXIS, Math.abs(brush.to - brush.from), height);
    pen.globalAlpha = 1;
  }
  queue.draw(prepare(queueBox.querySelector("canvas"), queueBox.clientWidth, queueBox.clientHeight), colours,
      queueBox.clientWidth, queueBox.clientHeight, lanes);
  document.documentElement.dataset.drawn = "yes";
}

function redraw() {
  if (!asked) requestAnimationFrame(draw);
  asked = true;
}

function repaint() {
  colours = readColours();
  drawLegend();
  draw();
}

const step = () => (view.to - view.from) / 1000;

const COMMANDS = {
  in: () => view.zoom(0.5),
  out: () => view.zoom(2),
  all: () => view.show(0, view.span),
  earlier: () => view.move(-0.25),
  later: () => view.move(0.25),
};

function obey(name) {
  COMMANDS[name]();
  hideTip();
  redraw();
  told.textContent = momentWords(model.from + view.from, step()) + " to " + momentWords(model.from + view.to, step()) +
      " (" + spanWords(view.to - view.from) + ")";
}

function pick(index) {
  if (index < 0 || index >= model.locks.length) return;
  lanes.picked = index;
  lanes.cursor = null;
  document.querySelectorAll("#locks tr.picked").forEach((row) => row.classList.remove("picked"));
  document.querySelector(`#locks tr[data-lock="${index}"]`)?.classList.add("picked");
  const top = lanes.tops[index], bottom = top + lanes.heightOf(model.locks[index]);
  if (top - AXIS < box.scrollTop) box.scrollTop = top - AXIS;
  if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  const lock = model.locks[index];
  told.textContent = lock.name + ": " + (lock.verdict || counted(lock.n.runs, "run", "runs") + ", no trouble");
  redraw();
}

// The next (by = 1) or previous (by = -1) event of the picked lock.
function stepTo(by) {
  if (lanes.picked < 0) pick(0);
  const stations = lanes.stations(model.locks[lanes.picked]);
  let index = lanes.cursor ? stations.indexOf(lanes.cursor) + by : stations.findIndex((one) => one.at >= view.from);
  index = Math.min(Math.max(index, 0), stations.length - 1);
  if (index < 0) return;
  const one = lanes.cursor = stations[index], width = view.to - view.from;
  if (one.at < view.from || one.at > view.to) view.show(one.at - width / 2, one.at + width / 2);
  told.textContent = one.words(step());
  redraw();
}

const KEYS = {
  "+": () => obey("in"), "=": () => obey("in"), "-": () => obey("out"), "−": () => obey("out"), "0": () => obey("all"),
  ArrowLeft: () => obey("earlier"), ArrowRight: () => obey("later"), Home: () => obey("all"),
  ArrowUp: () => pick(Math.max(lanes.picked - 1, 0)), ArrowDown: () => pick(lanes.picked + 1),
  n: () => stepTo(1), p: () => stepTo(-1),
};

function hideTip() { tip.hidden = true; }

function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const room = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, window.innerWidth - room.width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + room.height > window.innerHeight ? event.clientY - room.height - 10 : event.clientY + 18) + "px";
}

function place(event) {
  const room = box.getBoundingClientRect();
  return {x: event.clientX - room.left, y: event.clientY - room.top};
}

function hover(event) {
  const {x, y} = place(event), index = lanes.laneAt(y, box.scrollTop);
  if (index < 0) return hideTip();
  const lock = model.locks[index], one = x >= lanes.left ? lanes.stationAt(lock, x) : null;
  if (!one && x >= lanes.left) return hideTip();
  showTip(event, lock.name + "\n" + (one ? one.words(step()) : lock.verdict || "No trouble."));
}

function listenToChart() {
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const {x} = place(event);
    if (x < lanes.left) return;
    brush = {from: x, to: x};
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!brush) return hover(event);
    brush.to = Math.min(Math.max(place(event).x, lanes.left), lanes.right);
    hideTip();
    redraw();
  });
  const release = (event) => {
    const done = brush, {x, y} = place(event);
    brush = null;
    if (done && Math.abs(done.to - done.from) > 5) {
      const ends = [lanes.seconds(done.from), lanes.seconds(done.to)].sort((one, other) => one - other);
      view.show(ends[0], ends[1]);
    } else if (x >= 0) {
      pick(lanes.laneAt(y, box.scrollTop));
    }
    redraw();
  };
  box.addEventListener("pointerup", release);
  box.addEventListener("pointercancel", () => { brush = null; redraw(); });
  box.addEventListener("pointerleave", hideTip);
  box.addEventListener("dblclick", () => obey("all"));
  box.addEventListener("scroll", redraw);
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    view.zoom(Math.exp(event.deltaY * 0.002), lanes.seconds(place(event).x));
    redraw();
  }, {passive: false});
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

const LEGEND = [
  ["run", (pen) => drawRun(pen, colours, "success", 2, 4, 22, 10)],
  ["failed", (pen) => drawRun(pen, colours, "failure", 2, 4, 22, 10)],
  ["killed", (pen) => drawRun(pen, colours, "killed", 2, 4, 22, 10)],
  ["no end seen", (pen) => drawRun(pen, colours, "unseen", 2, 4, 22, 10)],
  ["waited", (pen) => drawWait(pen, colours, 3, 24, 9)],
  ["refused: busy", (pen) => drawMark(pen, colours, "busy", 13, 9)],
  ["refused: too soon", (pen) => drawMark(pen, colours, "too_soon", 13, 9)],
  ["holder stopped", (pen) => drawMark(pen, colours, "takeover", 13, 9)],
  ["too soon until here", (pen) => drawInterval(pen, colours, 2, 24, 9)],
  ["overdue from here", (pen) => drawOverdue(pen, colours, 13, 2, 16)],
];

function drawLegend() {
  const list = byId("legend");
  list.replaceChildren();
  for (const [words, paint] of LEGEND) {
    const item = element(list, "li"), canvas = element(item, "canvas");
    canvas.style.width = "26px";
    paint(prepare(canvas, 26, 18));
    item.append(words);
  }
}

function sortTable(head) {
  const column = head.cellIndex, body = byId("locks").tBodies[0];
  const down = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : column > 0;
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => Number(row.cells[column].dataset.v);
  const name = (row) => row.cells[0].querySelector("a").textContent;
  const rows = [...body.rows].sort((one, other) => column === 0 ? name(one).localeCompare(name(other)) : value(one) - value(other));
  body.append(...(down ? rows.reverse() : rows));
}

function showCards(all) {
  const cards = byId("cards");
  const locks = all ? model.locks : model.locks.slice(0, FIRST_CARDS);
  cards.replaceChildren();
  for (const lock of locks) drawCard(cards, lock);
  byId("more").hidden = locks.length === model.locks.length;
}

function start() {
  listenToChart();
  byId("zone").textContent = "The times are " + zoneWords(model.from) + ".";
  for (const one of document.querySelectorAll("time")) one.textContent = wholeMoment(Number(one.dataset.at));
  showCards(false);
  byId("more").addEventListener("click", () => showCards(true));
  document.querySelectorAll(".tools button").forEach((one) => one.addEventListener("click", () => obey(one.dataset.do)));
  document.querySelectorAll("#locks thead button").forEach((one) => one.addEventListener("click", () => sortTable(one.parentElement)));
  byId("locks").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (!row) return;
    const index = Number(row.dataset.lock);
    pick(index);
    if (event.target.closest("a") && !byId("lock-" + index)) showCards(true);
  });
  for (const media of ["(prefers-color-scheme: dark)", "print"]) window.matchMedia(media).addEventListener("change", repaint);
  window.addEventListener("beforeprint", repaint);
  window.addEventListener("afterprint", repaint);
  new ResizeObserver(redraw).observe(box);
  repaint();
}

if (model.locks.length > 0) start(); else document.documentElement.dataset.drawn = "empty";
