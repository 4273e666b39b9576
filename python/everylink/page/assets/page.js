"use strict";
// Draws the data from html.py. All matrices are in drawn order: host by host, [from, to].

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const MOST_PIXELS = 600, LARGEST_CELL = 140, LABEL_PITCH = 13, FONT = "11px system-ui, sans-serif";
const state = { run: null, size: null, name: "median", layer: null, cell: 1 };

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
function decoded(layer) { // only when first shown: a large matrix takes a second
  layer.values ??= new Float32Array(bytesOf(layer.seconds).buffer);
  return layer.values;
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
  select.replaceChildren(...texts.map((text, i) => {
    const option = element("option", text);
    option.value = i;
    return option;
  }));
  select.value = Math.max(0, chosen);
}

function chooseRun(index) {
  state.run = data.runs[index];
  const { run } = state;
  choices($("size"), run.sizes.map((size) => size.label), run.sizes.length - 1);
  $("lines").textContent = run.lines.join("\n");
  $("verdicts").textContent = run.verdicts.join("\n");
  $("verdicts").className = run.alarm ? "alarm" : "";
  $("warnings").textContent = run.warnings.join("\n");
  $("remarks").textContent = run.remarks.join("\n");
  for (const span of document.querySelectorAll(".rate")) span.textContent = run.bandwidthLabel === "bandwidth" ? "" : `- ${run.bandwidthLabel}`;
  const rows = run.times.map((cells) => {
    const row = document.createElement("tr");
    cells.forEach((cell) => element("td", cell, row));
    return row;
  });
  $("means").textContent = run.means.join("\n");
  $("times").tBodies[0].replaceChildren(...rows);
  fillHosts();
  chooseSize(run.sizes.length - 1);
}

function chooseSize(index) {
  state.size = state.run.sizes[index];
  const { size } = state, names = Object.keys(size.statistics);
  if (!names.includes(state.name)) state.name = names[0];
  choices($("statistic"), names, names.indexOf(state.name));
  size.failedAt ??= failedLinks(size);
  for (const which of ["again", "alone"]) size[`${which}At`] ??= new Map(size[which].map((row) => [row.link.join(), row]));
  $("failures").textContent = size.failed ? [`Failed at ${size.label}: ${size.heading}`, ...size.failures].join("\n  ") : "";
  chooseStatistic(state.name);
}

function failedLinks(size) {
  const places = new Uint32Array(bytesOf(size.failedPlaces).buffer), outcomes = bytesOf(size.failedOutcomes);
  const at = new Map();
  outcomes.forEach((outcome, k) => at.set(places[2 * k] * state.run.names.length + places[2 * k + 1], outcome));
  return at;
}

function chooseStatistic(name) {
  state.name = name;
  state.layer = state.size.statistics[name];
  state.rows = Math.sqrt(decoded(state.layer).length);
  state.cell = Math.max(1, Math.min(LARGEST_CELL, Math.floor(MOST_PIXELS / state.rows)));
  $("heading").textContent = `From (rows) to (columns): ${name} one-way time at ${state.size.label}`;
  drawBars();
  drawMatrix();
  drawHistogram();
  fillSlowest();
}

function drawBars() {
  $("bars").replaceChildren();
  for (const [name, scale] of Object.entries(state.layer.scales)) {
    const bar = element("div", "", $("bars"));
    bar.className = "bar";
    element("b", `${name}: ${state.run.barLabel}; one-way time`, bar);
    const colours = bytesOf(state.layer.palettes[name]), stops = [];
    for (let k = 0; k < colours.length; k += 3) stops.push(`rgb(${colours[k]},${colours[k + 1]},${colours[k + 2]})`);
    ticks(scale.rates, bar);
    const ramp = element("div", "", bar);
    ramp.className = "ramp";
    ramp.style.background = `linear-gradient(to right, ${stops.join()})`;
    ticks(scale.times, bar);
    if (scale.beyond) element("span", `from ${scale.beyond[0]} to ${scale.beyond[1]}; what is beyond the scale has its last colour`, bar).className = "pale";
  }
}
function ticks(places, parent) {
  const row = element("div", "", parent);
  row.className = "ticks";
  for (const [place, text] of places) element("span", text, row).style.left = `${100 * place}%`;
}

const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
function painted() {
  const { layer, rows } = state, values = decoded(layer), image = new ImageData(rows, rows);
  const shades = Object.fromEntries(Object.entries(layer.scales).map(([name, scale]) => {
    const colours = bytesOf(layer.palettes[name]), last = colours.length / 3 - 1;
    return [name, { colours, last, low: Math.log(scale.low), span: Math.log(scale.high / scale.low) }];
  }));
  const other = shades["other host"] ?? shades["same host"], same = shades["same host"] ?? other;
  const unknown = rgb(data.colours.unknown);
  for (let i = 0, k = 0; i < rows; i++) {
    const [begin, end] = layer.sameHost[i];
    for (let j = 0; j < rows; j++, k++) {
      const shade = j >= begin && j < end ? same : other, value = values[k];
      let colour = unknown, at = 0;
      if (Number.isFinite(value) && shade) {
        const place = Math.min(1, Math.max(0, (Math.log(value) - shade.low) / shade.span));
        colour = shade.colours;
        at = 3 * Math.round(place * shade.last);
      }
      image.data.set([colour[at], colour[at + 1], colour[at + 2], 255], 4 * k);
    }
  }
  const paint = (i, j, hex) => image.data.set([...rgb(hex), 255], 4 * (Math.floor(i) * rows + Math.floor(j)));
  const ranks = state.run.names.length;
  for (const place of state.size.failedAt.keys()) paint(Math.floor(place / ranks) / layer.fold, place % ranks / layer.fold, data.colours.failed);
  if (layer.fold === 1) for (let i = 0; i < rows; i++) paint(i, i, data.colours.diagonal);
  return image;
}

function drawMatrix() {
  const { rows, cell, layer, run, size } = state, canvas = $("matrix"), context = canvas.getContext("2d");
  const labels = fittingLabels(context);
  state.left = labels.width;
  state.top = labels.upright ? labels.width : 20;
  canvas.width = state.left + rows * cell;
  canvas.height = state.top + rows * cell;
  const small = new OffscreenCanvas(rows, rows);
  small.getContext("2d").putImageData(painted(), 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, state.left, state.top, rows * cell, rows * cell);
  drawLabels(context, labels);
  $("legend").replaceChildren();
  const entries = size.failed ? [["failed", data.colours.failed]] : [];
  if (!size.measuredAll) entries.push(["not measured", data.colours.unknown]);
  for (const [text, colour] of entries) {
    element("i", "", $("legend")).style.background = colour;
    element("span", text, $("legend"));
  }
  const notes = [];
  if (layer.fold > 1) notes.push(`Each cell is the worst of ${layer.fold} x ${layer.fold} links.`);
  if (size.leftOut.length) notes.push(`${run.names.length} ranks: to keep this page small, ${size.leftOut.join(", ")} ${size.leftOut.length > 1 ? "are" : "is"} left out link by link; the results file has it all.`);
  element("div", notes.join(" "), $("legend")).className = "pale";
}

function fittingLabels(context) { // the labels that fit side by side, and the space they need
  const { run, cell, layer } = state;
  const all = run.rankLabels ? run.rankLabels.map((text, i) => [text, i, i + 1]) : run.blocks;
  const pitch = cell / layer.fold * Math.min(...all.map(([, begin, end]) => end - begin));
  const every = Math.max(1, Math.ceil(LABEL_PITCH / pitch));
  const shown = all.filter((_, k) => k % every === 0).map(([text, begin, end]) => ({
    text: text.length > 16 ? `…${text.slice(-15)}` : text,
    middle: (begin + end) / 2 / layer.fold * cell,
  }));
  context.font = FONT;
  const width = Math.ceil(Math.max(...shown.map(({ text }) => context.measureText(text).width))) + 10;
  return { shown, width, upright: width > pitch * every };
}

function drawLabels(context, { shown, upright }) {
  context.font = FONT; // setting the size of a canvas resets its font
  context.fillStyle = "#1a1a1a";
  context.textBaseline = "middle";
  for (const { text, middle } of shown) {
    context.textAlign = "right";
    context.fillText(text, state.left - 5, state.top + middle);
    context.save();
    context.translate(state.left + middle, upright ? state.top - 5 : state.top - 10);
    if (upright) context.rotate(-Math.PI / 2);
    context.textAlign = upright ? "left" : "center";
    context.fillText(text, 0, 0);
    context.restore();
  }
}

function readings(size, at) {
  if (typeof size.n === "string") size.n = new Uint32Array(bytesOf(size.n).buffer);
  return size.n[at] ?? size.n;
}

function describe(i, j) {
  const { run, size, layer } = state, ranks = run.names.length;
  if (layer.fold > 1) {
    const ends = [i, j].map((k) => `${run.names[k * layer.fold]} .. ${run.names[Math.min(ranks, (k + 1) * layer.fold) - 1]}`);
    const value = decoded(layer)[i * state.rows + j];
    return `${ends.join("  ->  ")}\nworst ${state.name}  ${timeText(value)}  ${rateText(value)}`;
  }
  if (i === j) return run.names[i];
  const outcome = size.failedAt.get(i * ranks + j), lines = [`${run.names[i]} -> ${run.names[j]}`];
  if (outcome !== undefined) lines.push(data.outcomes[outcome] ?? `outcome ${outcome}`);
  for (const [name, other] of Object.entries(size.statistics)) {
    const value = decoded(other)[i * ranks + j];
    if (Number.isFinite(value)) lines.push(`${name.padEnd(8)}${timeText(value).padEnd(12)}${rateText(value)}`);
  }
  if (lines.length === 1) lines.push("not measured");
  else if (outcome === undefined) lines.push(size.n === null ? "ok" : `ok, n ${readings(size, i * ranks + j)}`);
  const again = size.againAt.get([i, j].join()), alone = size.aloneAt.get([i, j].join());
  if (again) lines.push(`measured again: ${known(again[state.name]) ? `${timeText(again[state.name])}  ${rateText(again[state.name])}` : data.outcomes[again.outcome]}`);
  if (alone) lines.push(`tried again alone: ${data.outcomes[alone.outcome]}${known(alone[state.name]) ? `, ${timeText(alone[state.name])}` : ""}`);
  return lines.join("\n");
}

$("matrix").addEventListener("mousemove", (event) => {
  const j = Math.floor((event.offsetX - state.left) / state.cell), i = Math.floor((event.offsetY - state.top) / state.cell);
  const tip = $("tip");
  tip.hidden = i < 0 || j < 0 || i >= state.rows || j >= state.rows;
  if (tip.hidden) return;
  tip.textContent = describe(i, j);
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
});
$("matrix").addEventListener("mouseleave", () => { $("tip").hidden = true; });

function drawHistogram() {
  const drawing = $("histogram"), counted = state.layer.histogram;
  drawing.replaceChildren();
  if (!counted) return;
  const left = 50, right = 625, top = 10, bottom = 190;
  const most = Math.max(...Object.values(counted.counts).flat()), span = Math.log10(2 * most / 0.6);
  const x = (place) => left + place * (right - left);
  const y = (count) => bottom - (bottom - top) * Math.log10(count / 0.6) / span;
  for (const [name, counts] of Object.entries(counted.counts)) {
    const colours = bytesOf(state.layer.palettes[name]), at = 3 * Math.floor(colours.length / 3 * 0.7);
    counts.forEach((count, k) => {
      if (!count) return;
      const box = { x: x(counted.places[k]), width: Math.max(1, x(counted.places[k + 1]) - x(counted.places[k]) - 0.5), y: y(count), height: bottom - y(count) };
      const bar = svg("rect", { ...box, fill: `rgb(${colours[at]},${colours[at + 1]},${colours[at + 2]})`, "fill-opacity": 0.85 }, drawing);
      svg("title", {}, bar, `${count} links (${name}) from ${counted.edges[k]} to ${counted.edges[k + 1]}`);
    });
  }
  for (let count = 1; count <= most; count *= 10) svg("text", { x: left - 6, y: y(count) + 4, "text-anchor": "end" }, drawing, count.toLocaleString("en"));
  for (const [place, text] of counted.ticks) {
    svg("line", { x1: x(place), x2: x(place), y1: bottom, y2: bottom + 4, stroke: "#1a1a1a" }, drawing);
    svg("text", { x: x(place), y: bottom + 17, "text-anchor": "middle" }, drawing, text);
  }
  svg("path", { d: `M${left},${top}V${bottom}H${right}`, fill: "none", stroke: "#1a1a1a" }, drawing);
}

function fillSlowest(column = 2, ascending = false) {
  const { run, size, layer } = state;
  const rows = layer.slowest.map(([from, to, first, ratio, second, outcome]) => ({
    keys: [from, to, first, -first, ratio, second ?? (outcome === null ? -1 : Infinity)],
    cells: [run.names[from], run.names[to], timeText(first), rateText(first), ratio.toFixed(2),
      outcome === null ? "" : second === null ? data.outcomes[outcome] : timeText(second)],
  }));
  rows.sort((a, b) => (ascending ? 1 : -1) * (a.keys[column] - b.keys[column]));
  $("slowest").tBodies[0].replaceChildren(...rows.map(({ cells }) => {
    const row = document.createElement("tr");
    cells.forEach((cell) => element("td", cell, row));
    return row;
  }));
  [...$("slowest").tHead.rows[0].cells].forEach((heading, k) => {
    heading.ariaSort = k === column ? (ascending ? "ascending" : "descending") : "none";
    heading.onclick = () => fillSlowest(k, k === column ? !ascending : k < 2);
  });
}

function fillHosts() {
  const tables = state.run.hosts;
  $("hosts").hidden = !tables.length;
  $("hostTables").replaceChildren();
  for (const { title, headings, texts, rows, note } of tables) {
    element("h3", title, $("hostTables"));
    if (rows.length) {
      const frame = element("div", "", $("hostTables")), table = element("table", "", frame);
      frame.className = "scrolled";
      const fill = (cells, tag, part) => {
        const row = element("tr", "", part);
        cells.forEach((cell, k) => { element(tag, cell, row).className = texts[k] ? "text" : ""; });
      };
      fill(headings, "th", element("thead", "", table));
      const body = element("tbody", "", table);
      for (const cells of rows) fill(cells, "td", body);
    }
    element("p", note, $("hostTables")).className = "lines pale";
  }
}

$("run").onchange = (event) => chooseRun(Number(event.target.value));
$("size").onchange = (event) => chooseSize(Number(event.target.value));
$("statistic").onchange = (event) => chooseStatistic(Object.keys(state.size.statistics)[event.target.value]);
function zoom(factor) {
  state.cell = Math.max(1, Math.min(LARGEST_CELL, Math.round(state.cell * factor), Math.floor(8000 / state.rows)));
  drawMatrix();
}
$("smaller").onclick = () => zoom(0.5);
$("larger").onclick = () => zoom(2);
choices($("run"), data.runs.map((run) => run.name), 0);
chooseRun(0);
