// The order of hosts in the matrix, and the links of a range of times. Both need every link in the page.

const ORDERS = { drawn: "as they come", name: "by name", findings: "findings first", slowest: "slowest first" };

// The run with its hosts in another order: a copy in which all places are new. `loaded` is of the size that is shown.
function reordered(run, order, loaded) {
  if (order === "drawn") return run;
  const ranked = sortedHosts(run, order, loaded), shown = ranked.flatMap(([, , begin, end]) => Array.from({ length: end - begin }, (_, i) => begin + i));
  const at = new Int32Array(shown.length);
  shown.forEach((place, i) => { at[place] = i; });
  let next = 0;
  const hosts = ranked.map(([short, full, begin, end]) => { next += end - begin; return [short, full, next - (end - begin), next]; });
  const moved = (finding) => ({ ...finding, ends: finding.ends.map((spans) => spansOf(spans, at)) });
  const link = ([from, to, ...rest]) => [at[from], at[to], ...rest], again = (row) => ({ ...row, link: link(row.link) });
  const sizes = run.sizes.map((size) => ({ ...size, loaded: undefined, from: size, shown, slowest: size.slowest.map(link), again: size.again.map(again), alone: size.alone.map(again) }));
  return { ...run, hosts, ranks: shown.map((place) => run.ranks[place]), ends: run.ends && shown.map((place) => run.ends[place]), groups: [], findings: run.findings.map(moved), suspects: run.suspects.map(moved), sizes };
}

function sortedHosts({ hosts, findings, suspects }, order, { senders, receivers }) {
  const keyed = (key) => hosts.map((host, i) => [key(host), i, host]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , host]) => host);
  if (order === "name") return [...hosts].sort(([, a], [, b]) => a.localeCompare(b, "en", { numeric: true }));
  if (order === "slowest") return keyed(([, , begin, end]) => -middleOf([...senders.median.slice(begin, end), ...receivers.median.slice(begin, end)]));
  const every = [...findings, ...suspects];
  return keyed(([, , begin, end]) => {
    const number = every.findIndex(({ ends }) => ends.flat().some(([a, b]) => a < end && b > begin));
    return number < 0 ? every.length : number;
  });
}

function spansOf(spans, at) { // where the places of these spans are now
  const places = spans.flatMap(([a, b]) => Array.from({ length: b - a }, (_, i) => at[a + i])).sort((a, b) => a - b), found = [];
  for (const place of places) {
    if (found.length && found.at(-1)[1] === place) found.at(-1)[1] += 1; else found.push([place, place + 1]);
  }
  return found;
}

// What `load` gives, in another order; all of it by single links.
function permuted(loaded, shown) {
  const ranks = shown.length, line = (values) => values.constructor.from(shown, (place) => values[place]);
  const matrix = (values) => {
    const made = new values.constructor(ranks * ranks);
    for (let i = 0, at = 0; i < ranks; i++) for (let j = 0, row = shown[i] * ranks; j < ranks; j++, at++) made[at] = values[row + shown[j]];
    return made;
  };
  const made = { edges: Int32Array.from({ length: ranks + 1 }, (_, i) => i), seconds: {} };
  for (const name of ["links", "outcomes", "expected", "n"]) if (loaded[name]) made[name] = matrix(loaded[name]);
  for (const [name, values] of Object.entries(loaded.seconds)) made.seconds[name] = matrix(values);
  for (const side of ["senders", "receivers"]) made[side] = Object.fromEntries(Object.entries(loaded[side]).map(([name, values]) => [name, line(values)]));
  return made;
}

async function chooseOrder(order) {
  const size = state.run.sizes.indexOf(state.size), { finding } = state, whole = await load(data.runs[state.number].sizes[size]);
  if (!whole.links) return;
  state.order = order;
  state.run = reordered(data.runs[state.number], order, whole);
  state.cell = null;
  await chooseSize(size);
  state.finding = finding;
  draw();
}

function fillOrders() { // only where all links of a size are in the page
  $("orderPart").hidden = !state.size.deviation.links;
  choices($("order"), Object.entries(ORDERS), state.order);
}
$("order").onchange = (event) => chooseOrder(event.target.value);

// A range of the histogram: links outside of it are dimmed.
let mask = null, maskOf = null; // by link: 1 if it is inside

function chosenLinks(level) { // null if all links are
  const { brush, size } = state, seconds = size.loaded.seconds.median;
  if (!brush || !level.exact || !seconds || level.first) return null;
  const name = [state.number, state.order, size.bytes, ...brush].join();
  if (maskOf === name) return mask;
  const [low, high] = limits();
  mask = Uint8Array.from(seconds, (value) => (value >= low && value <= high ? 1 : 0));
  maskOf = name;
  return mask;
}
function limits() {
  const { seconds } = state.size.histogram, [from, to] = state.brush;
  return [seconds[from] * (1 - 1e-6), seconds[to + 1] * (1 + 1e-6)];
}
const dimmed = (pixel) => 0xff000000 | (((pixel & 0xfcfcfc) >> 2) + 0xb4b4b4);

function brush(from, to) { // numbers of bins; nothing: all links
  state.brush = from === undefined ? null : [Math.min(from, to), Math.max(from, to)];
  drawHistogram();
  draw();
}
function fillBrush() {
  const { histogram, loaded } = state.size, part = $("brushPart");
  part.hidden = !histogram || !loaded.seconds.median;
  if (part.hidden) { state.brush = null; return; }
  const last = histogram.seconds.length - 2, [from, to] = state.brush ?? [0, last];
  for (const [name, value, edge] of [["brushFrom", from, from], ["brushTo", to, to + 1]]) {
    Object.assign($(name), { min: 0, max: last, value, ariaValueText: histogram.edges[edge] });
  }
  const links = state.brush ? chosenLinks({ exact: true }).reduce((sum, one) => sum + one, 0) : 0;
  $("brushed").textContent = state.brush ? `${links.toLocaleString("en")} links from ${histogram.edges[from]} to ${histogram.edges[to + 1]}` : "Choose a range to see which links it has.";
}
for (const name of ["brushFrom", "brushTo"]) {
  $(name).oninput = () => brush(Number($("brushFrom").value), Number($("brushTo").value));
  $(name).onkeydown = (event) => { if (event.key === "Escape") brush(); };
}
$("brushClear").onclick = () => brush();
const binAt = (event) => {
  const { places } = state.size.histogram, box = $("histogram").getBoundingClientRect(), { left, right } = HISTOGRAM;
  const place = ((event.clientX - box.left) / box.width * 640 - left) / (right - left);
  return within(places.findLastIndex((edge) => edge <= place), 0, places.length - 2);
};
let began = null;
$("histogram").addEventListener("pointerdown", (event) => { if ($("brushPart").hidden) return; began = binAt(event); $("histogram").setPointerCapture?.(event.pointerId); brush(began, began); event.preventDefault(); });
$("histogram").addEventListener("pointermove", (event) => { if (began !== null) brush(began, binAt(event)); });
for (const end of ["pointerup", "pointercancel"]) $("histogram").addEventListener(end, () => { began = null; });
