"use strict";
// The data from html.py, unpacked on first use. All matrices are in drawn order: host by host, [from, to].

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const NOT_MEASURED = -128, FAILED = -127, LEAST_KNOWN = -126; // codes of links, as in everylink/deviation/scale.py
const codeOf = (factor) => Math.round(Math.log(factor) * data.scale.perLog);
const factorOf = (code) => Math.exp(code / data.scale.perLog);
const SLOW = codeOf(1.25);
const state = { run: null, size: null, view: "usual", statistic: "median", levels: [], number: 0, order: "drawn", brush: null, finding: -1, x: 0, y: 0, k: 1, cell: null };

function bytesOf(text) {
  const plain = atob(text), bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
  return bytes;
}
async function unpacked(text, Kind) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Kind(await new Response(stream).arrayBuffer());
}

// What drawing needs of a size: `usual`, `worst`, `slow`, `failed`, `timed` by blocks, and single links where the page has them.
async function load(size) {
  if (size.loaded) return size.loaded;
  if (size.from) {
    size.loaded = permuted(await load(size.from), size.shown);
    for (const which of ["again", "alone"]) size.loaded[which] = new Map(size[which].map((row) => [row.link.join(), row]));
    return size.loaded;
  }
  const packed = size.deviation, made = { edges: Int32Array.from(packed.edges) };
  const wanted = [["usual", Int8Array], ["worst", Int8Array], ["slow", Uint8Array], ["failed", Uint8Array], ["timed", Uint8Array]]
    .map(async ([name, Kind]) => { made[name] = await unpacked(packed[name], Kind); });
  if (packed.links) wanted.push(unpacked(packed.links, Int8Array).then((links) => { made.links = links; }));
  if (size.outcomes) wanted.push(unpacked(size.outcomes, Uint8Array).then((values) => { made.outcomes = values; }));
  if (size.expected) wanted.push(unpacked(size.expected, Float32Array).then((values) => { made.expected = values; }));
  if (typeof size.n === "string") wanted.push(unpacked(size.n, Uint32Array).then((values) => { made.n = values; }));
  made.seconds = {};
  for (const [name, text] of Object.entries(size.statistics)) wanted.push(unpacked(text, Float32Array).then((values) => { made.seconds[name] = values; }));
  for (const side of ["senders", "receivers"]) {
    made[side] = {};
    wanted.push(unpacked(packed[side].median, Int8Array).then((values) => { made[side].median = values; }));
    for (const name of ["timed", "slow", "failed"]) wanted.push(unpacked(packed[side][name], Uint32Array).then((values) => { made[side][name] = values; }));
  }
  for (const which of ["outliers", "failures"]) {
    if (!packed[which]) continue;
    made[which] = {};
    wanted.push(unpacked(packed[which].ends, Uint32Array).then((values) => { made[which].ends = values; }));
    wanted.push(unpacked(packed[which].code, Int8Array).then((values) => { made[which].code = values; }));
  }
  await Promise.all(wanted);
  for (const which of ["again", "alone"]) made[which] = new Map(size[which].map((row) => [row.link.join(), row]));
  size.loaded = made;
  return made;
}

function inUnit(value, units) {
  for (const [unit, scale] of units) {
    const text = (value / scale).toPrecision(4);
    if (Number(text) < (unit.includes("B") ? 1024 : 1000) || unit === units.at(-1)[0]) {
      return `${Number(text) >= 1000 ? Number(text) : text} ${unit}`;
    }
  }
}
const TIMES = [["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1]];
const RATES = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"].map((unit, i) => [unit, 1024 ** i]);
const known = (value) => value !== null && Number.isFinite(value);
const timeText = (s) => (known(s) ? inUnit(s, TIMES) : "-");
const rateText = (s) => (known(s) && s > 0 ? state.run.directions.map((n) => inUnit(n * state.size.bytes / s, RATES)).join(" or ") : "-");
const percentText = (part) => (part > 0 && part < 0.01 ? "below 1 %" : `${Math.round(100 * part)} %`);
const reference = () => state.run?.reference ?? "expected"; // what links are compared with; load patterns have no run
const referenceText = () => (reference() === "expected" ? "expected" : `of ${reference()}`); // behind a factor
const timeOfReference = () => (reference() === "expected" ? "the expected time" : `the time of ${reference()}`);
function factorText(code) {
  if (code === FAILED) return "failed";
  if (code < LEAST_KNOWN) return "not measured";
  const most = code >= 127 ? " or more" : "";
  return `${factorOf(code).toFixed(2)}x ${referenceText()}${most}`;
}

const hostAt = (place) => { // the host with the rank at this place
  const { hosts } = state.run;
  let low = 0, high = hosts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (hosts[middle][2] <= place) low = middle; else high = middle - 1;
  }
  return hosts[low];
};
const endsOf = (run) => run.ends ?? run.ranks; // what names each rank on its host
const nameAt = (place) => `${hostAt(place)[1]}:${endsOf(state.run)[place]}`;
function rangeText(begin, end) { // of places
  if (end - begin === 1) return nameAt(begin);
  const [first, last] = [hostAt(begin), hostAt(end - 1)];
  if (first === last) return end - begin === first[3] - first[2] ? first[1] : `${nameAt(begin)} .. ${nameAt(end - 1)}`;
  return `${first[1]} .. ${last[1]}`;
}

function element(tag, text, parent) {
  const made = document.createElement(tag);
  made.textContent = text;
  parent?.append(made);
  return made;
}
function svg(tag, attributes, parent, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}
function choices(select, texts, chosen) {
  select.replaceChildren(...texts.map(([value, text]) => {
    const option = element("option", text);
    option.value = value;
    return option;
  }));
  select.value = chosen;
}
function say(text) { $("said").textContent = text; }

function showTip(text, x, y) {
  const tip = $("tip");
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - tip.offsetHeight - 8))}px`;
}
