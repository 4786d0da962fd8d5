// Numbers, spans and moments as people read them.
const UNITS = [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]];

// "3m12s": two units at most, rounded down, as in every table of atmost.
function spanWords(seconds) {
  const ms = Math.floor(seconds * 1000 + 1e-6);
  if (ms < 1) return seconds > 0 ? "<1ms" : "0s";
  if (ms < 1000) return ms + "ms";
  let left = Math.floor(ms / 1000), words = "";
  const first = UNITS.findIndex(([, size]) => left >= size);
  for (const [name, size] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) words += count + name;
  }
  return words;
}

const grouped = (number) => number.toLocaleString("en");
const counted = (number, one, more) => grouped(number) + " " + (number === 1 ? one : more);
const two = (number) => String(number).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// The reader's own time: a Date whose UTC fields are the local ones, and the offset from them to
// the epoch.
const offsetAt = (epoch) => new Date(epoch * 1000).getTimezoneOffset() * 60;
const localDate = (epoch) => new Date(Math.round((epoch - offsetAt(epoch)) * 1000));
const zoneWords = (epoch) => new Intl.DateTimeFormat("en", {timeZoneName: "short"}).formatToParts(new Date(epoch * 1000))
    .find((part) => part.type === "timeZoneName").value;

function dayWords(date) { return date.getUTCDate() + " " + MONTHS[date.getUTCMonth()]; }

function clockWords(date, step) {
  let words = two(date.getUTCHours()) + ":" + two(date.getUTCMinutes());
  if (step < 60) words += ":" + two(date.getUTCSeconds());
  if (step < 1) words += "." + String(date.getUTCMilliseconds()).padStart(3, "0");
  return words;
}

// A moment in full, to the precision that `step` seconds ask for.
function momentWords(epoch, step) {
  const date = localDate(epoch);
  return dayWords(date) + " " + clockWords(date, step);
}

// "2026-11-18 18:00:00 GMT+5:30"
const wholeMoment = (epoch) => localDate(epoch).toISOString().slice(0, 19).replace("T", " ") + " " + zoneWords(epoch);

const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
  7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000, 31536000, 157680000, 315360000];

// Ticks of a time axis: {epoch, words, strong} no closer than `apart` seconds.
function timeTicks(fromEpoch, toEpoch, apart) {
  const step = STEPS.find((one) => one >= apart) ?? STEPS[STEPS.length - 1];
  const ticks = [];
  let day = "";
  const begin = fromEpoch - offsetAt(fromEpoch);
  for (let local = Math.ceil(begin / step) * step; ; local += step) {
    const epoch = local + offsetAt(local + offsetAt(local));  // the clock may change in between
    if (epoch > toEpoch) break;
    const date = localDate(epoch);
    const today = dayWords(date);
    const strong = today !== day;
    let words = step >= 86400 ? today : strong ? today + " " + clockWords(date, Math.max(step, 0.001)) : clockWords(date, step);
    if (step >= 2592000) words = MONTHS[date.getUTCMonth()] + " " + date.getUTCFullYear();
    day = today;
    ticks.push({epoch, words, strong});
  }
  return ticks;
}
