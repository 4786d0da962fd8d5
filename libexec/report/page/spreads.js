// The run times, a card for each lock.
const SVG = "http://www.w3.org/2000/svg";
const CARD = {width: 400, height: 158, left: 8, right: 392, top: 50, foot: 132};
const ROUND = [0.001, 0.01, 0.1, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000];

function shape(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function element(parent, name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// Markers that would write over each other go to rows of their own.
function drawMarkers(svg, markers, x) {
  const ends = [-100, -100, -100];
  for (const {at, words, kind} of [...markers].sort((one, other) => one.at - other.at)) {
    const group = shape(svg, "g", {class: kind}), where = x(at), room = words.length * 6.5 + 8;
    const before = where + room > CARD.right;
    const from = before ? where - room : where;
    let row = ends.findIndex((end) => from > end);
    if (row < 0) row = ends.indexOf(Math.min(...ends));
    ends[row] = from + room;
    shape(group, "line", {x1: where, x2: where, y1: 6 + row * 14, y2: CARD.foot});
    shape(group, "text", {x: before ? where - 4 : where + 4, y: 15 + row * 14, "text-anchor": before ? "end" : "start"}, words);
  }
}

function drawSpread(card, lock) {
  const {edges, counts} = lock.bars, n = lock.n;
  const limits = [n.expire_after_s, lock.learned].filter((one) => one > 0);
  const low = Math.max(0.0005, Math.min(edges[0], ...limits) * 0.8);
  const high = Math.max(low * 4, edges[edges.length - 1] * 1.25, ...limits.map((one) => one * 1.25));
  const x = (seconds) => CARD.left + (CARD.right - CARD.left) * Math.log(Math.max(seconds, low) / low) / Math.log(high / low);
  const svg = shape(card, "svg", {viewBox: `0 0 ${CARD.width} ${CARD.height}`, role: "img",
    "aria-label": `Run times of ${lock.name}: half took up to ${spanWords(n.run_p50_s)}, 99 of 100 up to ${spanWords(n.run_p99_s)}, the longest ${spanWords(n.run_max_s)}`});
  const axis = shape(svg, "g", {class: "axis"});
  let end = -100;
  for (const round of ROUND) {
    if (round < low || round > high) continue;
    const words = spanWords(round);
    if (x(round) - words.length * 3 < end) continue;
    shape(axis, "line", {x1: x(round), x2: x(round), y1: CARD.top, y2: CARD.foot + 4});
    shape(axis, "text", {x: x(round), y: CARD.height - 8, "text-anchor": "middle"}, words);
    end = x(round) + words.length * 3 + 12;
  }
  const bars = shape(svg, "g", {class: "bars"}), most = Math.max(...counts);
  counts.forEach((count, i) => {
    if (count === 0) return;
    const from = x(edges[i]), width = Math.max(x(edges[i + 1]) - from - 0.8, 1.5);
    const high = Math.max(1.5, (CARD.foot - CARD.top) * count / most);
    const bar = shape(bars, "rect", {x: from, y: CARD.foot - high, width, height: high});
    shape(bar, "title", {}, `${spanWords(edges[i])} to ${spanWords(edges[i + 1])}: ${counted(count, "run", "runs")}`);
  });
  shape(axis, "path", {d: `M${CARD.left} ${CARD.foot}H${CARD.right}`});
  const markers = [{at: n.run_p50_s, words: "p50 " + spanWords(n.run_p50_s), kind: "mark"},
    {at: n.run_p99_s, words: "p99 " + spanWords(n.run_p99_s), kind: "mark"}];
  if (n.expire_after_s > 0) markers.push({at: n.expire_after_s, words: "limit " + spanWords(n.expire_after_s), kind: "limit"});
  if (lock.learned > 0) markers.push({at: lock.learned, words: "learned " + spanWords(lock.learned), kind: "learned"});
  drawMarkers(svg, markers, x);
}

function drawCard(parent, lock) {
  const card = element(parent, "figure", "card");
  card.id = "lock-" + lock.index;
  const caption = element(card, "figcaption");
  element(caption, "span", "", lock.name);
  element(caption, "span", "", counted(lock.n.runs, "run", "runs"));
  if (lock.bars.counts.length > 0) drawSpread(card, lock); else element(card, "p", "", "No run has finished by itself.");
  for (const words of lock.told) element(card, "p", "", words);
}
