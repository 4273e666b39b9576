// Diagrams and matrices of load patterns, from the values that load/page.py gives: only positions are computed here.

const HEIGHT = 240, CHARACTER = 6.3, HUES = 6, MANY = 100; // pixels; pixels of a character; colours; points of a series
const GUTTER = 14, HATCH = 5, MARGIN = 4, LEAST_SIDE = 220, MOST_SIDE = 720;

// The pixel of each value of an axis that goes from one pixel to another.
function scaleOf({ low, high, is_log }, from, to) {
  const at = is_log ? Math.log : (value) => value;
  return (value) => from + (to - from) * (at(value) - at(low)) / (at(high) - at(low));
}
const hueOf = (number) => (number < 0 ? "plain" : `hue${number % HUES}`);
const classOf = (rule) => (rule.is_limit ? "limit" : hueOf(rule.hue));
const longestOf = (ticks) => CHARACTER * Math.max(0, ...ticks.map(([, text]) => text.length));
const shorter = (text) => (text.length > 15 ? `…${text.slice(-14)}` : text);

// What is known at each place: its words, and the points of all series there.
function columnsOf(diagram) {
  const columns = new Map();
  for (const series of diagram.series) for (const point of series.points) {
    const column = columns.get(point.at) ?? { at: point.at, points: [] };
    column.points.push([series, point]);
    columns.set(point.at, column);
  }
  const made = [...columns.values()];
  for (const column of made) column.x = column.points.reduce((sum, [, point]) => sum + point.x, 0) / column.points.length;
  return made.sort((one, other) => one.x - other.x);
}
const textOf = ({ at, points }) => [at, ...points.map(([{ name }, { text }]) => (name ? `${name}: ${text}` : text))].join("\n");

function addKey(key, kind, name) {
  const both = element("span", "", key), sign = element("i", "", both);
  sign.className = kind;
  both.append(name);
  return sign;
}
function fillKey(key, { series, rules }) {
  const add = (kind, name) => { if (name) addKey(key, kind, name); };
  const intervals = new Set();
  for (const { name, mark, hue, interval } of series) {
    add(`${hueOf(hue)} ${{ line: "", dotted: "dotted", bar: "bar", dot: "point" }[mark]}`, name);
    if (mark !== "bar" && !intervals.has(interval)) add(`${hueOf(hue)} band`, interval);
    intervals.add(interval);
  }
  for (const rule of rules) add(`${classOf(rule)} ${rule.low < rule.high ? "band" : rule.is_limit ? "limit" : "dotted"}`, rule.name);
}

function drawDiagram(drawing, diagram) {
  const width = drawing.getBoundingClientRect().width || 420, box = { left: 12 + longestOf(diagram.y.ticks), right: width - 12, top: 30, bottom: HEIGHT - 36 };
  const x = scaleOf(diagram.x, box.left, box.right), y = scaleOf(diagram.y, box.bottom, box.top);
  drawing.replaceChildren();
  drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  drawing.setAttribute("height", HEIGHT);
  drawAxes(drawing, diagram, x, y, box, width);
  for (const rule of diagram.rules) drawRule(drawing, rule, x, y, box);
  for (const series of diagram.series) drawSeries(svg("g", { class: hueOf(series.hue) }, drawing), series, x, y, box);
  svg("g", { class: "cursor" }, drawing);
  return { x, y, box };
}

function drawAxes(drawing, { x: across, y: up }, x, y, { left, right, top, bottom }, width) {
  let taken = -Infinity;
  for (const [value, text] of up.ticks) {
    svg("path", { d: `M${left},${y(value)}H${right}`, class: "grid" }, drawing);
    svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, drawing, text);
  }
  for (const [value, name] of across.ticks) {
    const text = shorter(name), half = CHARACTER * text.length / 2, middle = Math.max(half, Math.min(width - half, x(value)));
    svg("path", { d: `M${x(value)},${bottom}v4`, class: "axis" }, drawing);
    if (middle - half < taken + CHARACTER) continue;
    svg("text", { x: middle, y: bottom + 16, "text-anchor": "middle" }, drawing, text);
    taken = middle + half;
  }
  svg("path", { d: `M${left},${top}V${bottom}H${right}`, class: "axis" }, drawing);
  svg("text", { x: 0, y: 12 }, drawing, up.label);
  svg("text", { x: right, y: HEIGHT - 4, "text-anchor": "end" }, drawing, across.label);
}

function drawRule(drawing, rule, x, y, { left, right, top, bottom }) {
  const group = svg("g", { class: classOf(rule) }, drawing), scale = rule.axis === "x" ? x : y;
  const [from, to] = [scale(rule.low), scale(rule.high)];
  if (rule.low < rule.high) {
    const place = rule.axis === "x" ? { x: from, y: top, width: to - from, height: bottom - top } : { x: left, y: to, width: right - left, height: from - to };
    svg("rect", { ...place, class: "band" }, group);
  } else svg("path", { d: rule.axis === "x" ? `M${from},${top}V${bottom}` : `M${left},${from}H${right}`, class: `line ${rule.is_limit ? "limit" : "dotted"}` }, group);
}

function drawSeries(group, { points, mark, hue, interval, width }, x, y, { bottom }) {
  const places = points.map((point) => [x(point.x), y(point.y)]), lined = mark === "line" || mark === "dotted";
  if (interval && lined) {
    const edge = (which) => points.map((point) => `${x(point.x)},${y(point[which])}`);
    svg("path", { d: `M${[...edge("low"), ...edge("high").reverse()].join("L")}Z`, class: "band" }, group);
  }
  if (lined && points.length > 1) svg("path", { d: `M${places.join("L")}`, class: `line ${mark}`, "stroke-width": mark === "line" ? Math.max(1.2, 3 - 0.6 * hue) : 1.5 }, group);
  points.forEach((point, k) => {
    const [cx, cy] = places[k];
    if (mark === "bar") {
      const from = x(point.x - width / 2), room = x(point.x + width / 2) - from;
      svg("rect", { x: from, width: Math.max(0.5, room - Math.min(1, room / 4)), y: cy, height: bottom - cy, class: "bar" }, group);
      if (interval) svg("path", { d: `M${cx - 3},${y(point.low)}h6m-3,0V${y(point.high)}m-3,0h6`, class: "whisker" }, group);
    } else svg("circle", { cx, cy, r: points.length > MANY ? 1.2 : mark === "dot" ? 4 : 3, class: "point" }, group);
    if (point.note) svg("text", { x: cx, y: cy - 8, "text-anchor": "middle" }, group, point.note);
  });
}

// Mouse, touch and arrow keys choose the place whose numbers are shown.
function addDiagram(parent, diagram) {
  const figure = element("figure", "", parent), columns = columnsOf(diagram);
  element("figcaption", diagram.title, figure);
  const key = element("div", "", figure);
  key.className = "key";
  fillKey(key, diagram);
  const drawing = svg("svg", { class: "diagram", tabindex: 0, role: "application", "aria-label": `Diagram: ${diagram.title}. Arrow keys go from value to value; the table below has all.` }, figure);
  let drawn, chosen = -1;
  const draw = () => { drawn = drawDiagram(drawing, diagram); };
  const choose = (number, spoken) => {
    chosen = number;
    const group = drawing.querySelector(".cursor"), column = columns[chosen];
    group.replaceChildren();
    if (!column) { showTip(""); return; }
    const { x, y, box } = drawn, at = x(column.x), place = drawing.getBoundingClientRect();
    svg("path", { d: `M${at},${box.top}V${box.bottom}` }, group);
    for (const [, point] of column.points) svg("circle", { cx: x(point.x), cy: y(point.y), r: 6 }, group);
    showTip(textOf(column), place.left + at, place.top + y(column.points[0][1].y));
    if (spoken) say(textOf(column));
  };
  const nearest = ({ clientX }) => {
    const at = clientX - drawing.getBoundingClientRect().left, far = columns.map((column) => Math.abs(drawn.x(column.x) - at));
    choose(far.indexOf(Math.min(...far)), false);
  };
  drawing.addEventListener("pointermove", nearest);
  drawing.addEventListener("pointerdown", nearest);
  for (const end of ["pointerleave", "blur"]) drawing.addEventListener(end, () => choose(-1, false));
  drawing.addEventListener("keydown", (event) => {
    const last = columns.length - 1, next = { ArrowRight: Math.min(last, chosen + 1), ArrowLeft: Math.max(0, chosen - 1), Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined) return;
    choose(next, true);
    event.preventDefault();
  });
  draw();
  return draw;
}

const colours = bytesOf(data.scale.palette);
const cssOf = (code) => `rgb(${colours.slice(3 * (code - NOT_MEASURED), 3 * (code - NOT_MEASURED) + 3).join()})`;

// The cells with so many pixels each, hatched where a connection failed.
function imageOf({ count, folded, usual, failed, timed }, cell) {
  const image = new ImageData(count * cell, count * cell), pixels = image.data;
  for (let y = 0, at = 0; y < count * cell; y++) for (let x = 0; x < count * cell; x++, at += 4) {
    const [i, j] = [Math.floor(y / cell), Math.floor(x / cell)], place = i * count + j, from = 3 * (usual[place] - NOT_MEASURED);
    const hatched = failed[place] && (cell < HATCH - 1 || (x + y) % HATCH < 2), bare = !timed[place] && (failed[place] || (!folded && i === j));
    for (let k = 0; k < 3; k++) pixels[at + k] = hatched ? 17 : bare ? 255 : colours[from + k];
    pixels[at + 3] = 255;
  }
  const drawn = document.createElement("canvas");
  drawn.width = drawn.height = count * cell;
  drawn.getContext("2d").putImageData(image, 0, 0);
  return drawn;
}

function describe({ names, count, folded, usual, failed, timed, seconds, bytes }, i, j) {
  const cell = i * count + j, lines = [names[i] === names[j] ? names[i] : `${names[i]} -> ${names[j]}`];
  if (!folded && i === j) return names[i];
  if (failed[cell]) lines.push(folded ? `${percentText(failed[cell] / 255)} of the connections failed` : "failed");
  if (timed[cell]) lines.push(`${factorText(usual[cell])}${folded ? ", the median of the row, column or two hosts that deviates most" : ""}`);
  if (timed[cell] && seconds) lines.push(`${inUnit(bytes / seconds[cell], RATES)}, ${timeText(seconds[cell])} for a message`);
  if (lines.length === 1) lines.push("not measured");
  return lines.join("\n");
}

function drawMatrix(canvas, matrix, chosen) {
  const paper = canvas.getContext("2d"), ratio = window.devicePixelRatio || 1, { count, labels, marked } = matrix;
  const font = "11px system-ui, sans-serif", ink = getComputedStyle(document.body).color;
  paper.font = font;
  const left = Math.ceil(Math.max(...labels.map(([, text]) => paper.measureText(shorter(text)).width))) + GUTTER, top = left;
  const side = Math.max(LEAST_SIDE, Math.min(canvas.parentElement.clientWidth - left - MARGIN, MOST_SIDE, innerHeight - left - 40));
  const k = side / count, cell = Math.max(1, Math.round(k * ratio));
  canvas.width = Math.round((left + side + MARGIN) * ratio);
  canvas.height = Math.round((top + side + MARGIN) * ratio);
  canvas.style.width = `${left + side + MARGIN}px`;
  canvas.style.height = `${top + side + MARGIN}px`;
  if (matrix.cell !== cell) Object.assign(matrix, { cell, image: imageOf(matrix, cell) });
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  paper.imageSmoothingEnabled = k * ratio < 1;
  paper.drawImage(matrix.image, left, top, side, side);
  paper.strokeStyle = paper.fillStyle = ink;
  paper.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
  paper.font = font;
  paper.textBaseline = "middle";
  let taken = -Infinity;
  for (const [place, text] of labels) {
    if (place * k < taken) continue;
    taken = place * k + 12;
    paper.textAlign = "right";
    paper.fillText(shorter(text), left - GUTTER + 4, top + place * k);
    paper.save();
    paper.translate(left + place * k, top - GUTTER + 4);
    paper.rotate(-Math.PI / 2);
    paper.textAlign = "left";
    paper.fillText(shorter(text), 0, 0);
    paper.restore();
  }
  paper.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--alarm");
  for (const [from, to] of marked.flat()) {
    paper.fillRect(left - 7, top + from * k, 4, Math.max(2, (to - from) * k));
    paper.fillRect(left + from * k, top - 7, Math.max(2, (to - from) * k), 4);
  }
  if (chosen) {
    paper.strokeStyle = "#000"; // on the matrix, which is the same in the dark
    paper.lineWidth = 2;
    paper.strokeRect(left + chosen[1] * k - 1, top + chosen[0] * k - 1, Math.max(4, k + 2), Math.max(4, k + 2));
  }
  return { left, top, k };
}

async function addMatrix(parent, matrix) {
  const count = matrix.names.length, figure = element("figure", "", parent);
  for (const [name, Kind] of [["usual", Int8Array], ["failed", Uint8Array], ["timed", Uint8Array]]) matrix[name] = await unpacked(matrix[name], Kind);
  if (matrix.seconds) matrix.seconds = await unpacked(matrix.seconds, Float32Array);
  matrix.count = count;
  figure.className = "matrix";
  element("figcaption", `${matrix.title}; rows: from ${matrix.what}, columns: to`, figure);
  addScale(figure, matrix);
  const canvas = element("canvas", "", figure);
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.ariaLabel = `Matrix of ${count} rows and columns: ${matrix.title}. Arrow keys go from cell to cell; the findings say in words what it shows.`;
  let drawn, chosen = null;
  const draw = () => { drawn = drawMatrix(canvas, matrix, chosen); };
  const choose = (cell, spoken) => {
    chosen = cell;
    draw();
    if (!cell) { showTip(""); return; }
    const [i, j] = cell, { left, top, k } = drawn, box = canvas.getBoundingClientRect();
    showTip(describe(matrix, i, j), box.left + left + (j + 1) * k, box.top + top + (i + 1) * k);
    if (spoken) say(describe(matrix, i, j));
  };
  const under = ({ clientX, clientY }) => {
    const { left, top, k } = drawn, box = canvas.getBoundingClientRect();
    const [i, j] = [(clientY - box.top - top) / k, (clientX - box.left - left) / k].map(Math.floor);
    choose(Math.min(i, j) >= 0 && Math.max(i, j) < count ? [i, j] : null, false);
  };
  canvas.addEventListener("pointermove", under);
  canvas.addEventListener("pointerdown", under);
  for (const end of ["pointerleave", "blur"]) canvas.addEventListener(end, () => choose(null, false));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [-count, -count] }[event.key];
    if (!step && event.key !== "Escape") return;
    choose(step ? step.map((by, axis) => Math.max(0, Math.min(count - 1, (chosen ?? [0, 0])[axis] + (chosen ? by : 0)))) : null, true);
    event.preventDefault();
  });
  draw();
  return draw;
}

function addScale(figure, { failed, timed, folded, count }) { // the steps at equal distances
  const { steps, perLog } = data.scale, width = 420, y = 16, factors = [...steps.map((step) => 1 / step).reverse(), 1, ...steps];
  const texts = [...steps.map((step) => `1/${step}`).reverse(), "1", ...steps.map(String)], last = texts.length - 1;
  const scale = svg("svg", { class: "scale", viewBox: `0 0 ${width} 46`, role: "img", "aria-label": "scale of the colours" }, figure), x = (part) => 20 + (width - 40) * part;
  for (let k = 0; k < last; k++) for (let part = 0; part < 1; part += 0.05) {
    const log = Math.log(factors[k]) + (Math.log(factors[k + 1]) - Math.log(factors[k])) * (part + 0.025);
    svg("rect", { x: x((k + part) / last), y, width: (width - 40) / last / 20 + 0.6, height: 14, fill: cssOf(Math.round(log * perLog)) }, scale);
  }
  svg("rect", { x: 20, y, width: width - 40, height: 14, fill: "none", stroke: "currentColor" }, scale);
  texts.forEach((text, k) => svg("text", { x: x(k / last), y: y + 26, "text-anchor": "middle" }, scale, text));
  svg("text", { x: 20, y: 11 }, scale, "faster");
  svg("text", { x: width - 20, y: 11, "text-anchor": "end" }, scale, "slower: times the expected time");
  const key = element("div", "", figure), untimed = timed.some((share, cell) => !share && !failed[cell] && (folded || cell % (count + 1)));
  key.className = "key";
  if (failed.some(Boolean)) addKey(key, "cell hatch", "failed");
  if (untimed) addKey(key, "cell", "not measured").style.background = cssOf(NOT_MEASURED);
  if (folded) element("span", "a cell shows several ranks: what their rows, columns and pairs of hosts take at the median, where it deviates most", key).className = "note";
}

const ready = (async () => {
  const redraws = [], parts = document.querySelectorAll(".diagrams");
  for (const [number, { diagrams, matrix }] of data.loads.entries()) {
    for (const diagram of diagrams) redraws.push(addDiagram(parts[number], diagram));
    if (matrix) redraws.push(await addMatrix(parts[number], matrix));
  }
  const redraw = () => { showTip(""); redraws.forEach((draw) => draw()); };
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.body.dataset.ready = "yes";
})();

// Findings are printed with their evidence.
let opened = [];
addEventListener("beforeprint", () => { opened = [...document.querySelectorAll(".findings details:not([open]), details.said:not([open])")]; for (const one of opened) one.open = true; });
addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
