// The matrix: its levels of detail, drawing, marks, and what is under the mouse or the cursor.
// Places are counted in ranks; x, y: the place at the upper left corner; k: pixels of a rank.

const GUTTER = 14, LARGEST = 64, LABEL = 13, HATCH = 5;
const canvas = $("matrix"), paper = canvas.getContext("2d");
const SHARES = ["slow", "failed", "timed"];
const VIEWS = { usual: "deviation", worst: "worst link of each cell", slow: "share of slow links" };
const MEASURED = { time: "time", rate: "bandwidth" }; // views of what was measured, where the page has it of each link

// From fine to coarse; each: edges of its rows and columns, and planes of [rows x rows].
function levelsOf(loaded) {
  const { edges, usual, worst, slow, failed, timed } = loaded, levels = [];
  const ranks = edges.at(-1), codes = state.statistic === "median" ? loaded.links : codesOf(loaded, state.statistic);
  const single = ranks === edges.length - 1;
  if (codes) {
    levels.push({ edges: Int32Array.from({ length: ranks + 1 }, (_, i) => i), exact: true, ...planesOf(codes) });
  }
  if (!(codes && single)) levels.push({ edges, usual, worst, slow, failed, timed });
  for (let together = 4; levels.at(-1).edges.length > 65; together *= 4) {
    levels.push(levels[0].exact && single ? folded(levels[0], together) : coarser(levels.at(-1)));
  }
  return levels;
}

function planesOf(codes) { // of single links
  const [slow, failed, timed] = SHARES.map(() => new Uint8Array(codes.length));
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code >= LEAST_KNOWN) { timed[i] = 255; if (code >= SLOW) slow[i] = 255; } else if (code === FAILED) failed[i] = 255;
  }
  return { usual: codes, worst: codes, slow, failed, timed };
}
function cellOf({ first = [0, 0], edges, width = edges.length - 1 }, i, j) { // in the planes of a level; -1: they do not have it
  const [row, column] = [i - first[0], j - first[1]];
  return row < 0 || column < 0 || column >= width ? -1 : row * width + column;
}

function codesOf(loaded, statistic) { // of another statistic than the median
  const seconds = loaded.seconds[statistic], codes = new Int8Array(loaded.links);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < LEAST_KNOWN) continue;
    const code = Math.round(Math.log(seconds[i] / loaded.expected[i]) * data.scale.perLog);
    codes[i] = Number.isFinite(code) ? Math.max(LEAST_KNOWN, Math.min(127, code)) : NOT_MEASURED;
  }
  return codes;
}

function emptyLevel(edges) {
  const size = (edges.length - 1) ** 2, made = { coarse: true, edges };
  for (const name of ["usual", "worst"]) made[name] = new Int8Array(size).fill(NOT_MEASURED);
  for (const name of SHARES) made[name] = new Uint8Array(size);
  return made;
}
function takeUsual(level, cell, code) { // what deviates most; of two as far the slower one
  const there = level.usual[cell];
  if (code >= LEAST_KNOWN && (there < LEAST_KNOWN || Math.abs(code) > Math.abs(there) || (code === -there && code > 0))) level.usual[cell] = code;
}
function takeRest(level, cell, from, at) { // the worst link, and the largest shares
  if (from.worst[at] >= LEAST_KNOWN) level.worst[cell] = Math.max(level.worst[cell], from.worst[at]);
  for (const name of SHARES) level[name][cell] = Math.max(level[name][cell], from[name][at]);
}

// So many rows and columns of single links together: the row or column of a cell that deviates most at the median, as
// everylink/deviation/planes.py has it, so that single slow links do not hide what is slow as a whole.
function folded(links, together) {
  const ranks = links.edges.length - 1, rows = Math.ceil(ranks / together), line = new Int8Array(together);
  const made = emptyLevel(Int32Array.from({ length: rows + 1 }, (_, i) => Math.min(i * together, ranks)));
  for (let a = 0; a < rows; a++) for (let b = 0; b < rows; b++) {
    const to = a * rows + b, [top, bottom, left, right] = [made.edges[a], made.edges[a + 1], made.edges[b], made.edges[b + 1]];
    for (const across of [true, false]) {
      for (let k = across ? top : left; k < (across ? bottom : right); k++) {
        let count = 0;
        for (let m = across ? left : top; m < (across ? right : bottom); m++) {
          const from = across ? k * ranks + m : m * ranks + k;
          if (links.usual[from] >= LEAST_KNOWN) line[count++] = links.usual[from];
          if (across) takeRest(made, to, links, from);
        }
        if (count) takeUsual(made, to, line.slice(0, count).sort()[(count - 1) >> 1]);
      }
    }
  }
  return made;
}

function coarser(level) { // two rows and columns of blocks together
  const fine = level.edges.length - 1, rows = Math.ceil(fine / 2);
  const made = emptyLevel(Int32Array.from({ length: rows + 1 }, (_, i) => level.edges[Math.min(2 * i, fine)]));
  for (let i = 0; i < fine; i++) for (let j = 0; j < fine; j++) {
    const from = i * fine + j, to = (i >> 1) * rows + (j >> 1);
    takeUsual(made, to, level.usual[from]);
    takeRest(made, to, level, from);
  }
  return made;
}

const palette = (() => { // by code from NOT_MEASURED on, as pixels; what has no time is grey
  const colours = bytesOf(data.scale.palette), pixels = new Uint32Array(256);
  for (let k = 0; k < 256; k++) pixels[k] = 0xff000000 | (colours[3 * k + 2] << 16) | (colours[3 * k + 1] << 8) | colours[3 * k];
  return pixels;
})();
const pixelOf = (code) => palette[code - NOT_MEASURED];
const cssOf = (code) => { const pixel = pixelOf(code); return `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`; };
const shadeOfShare = (share) => (share === 0 ? 0 : Math.round(codeOf(1.05) + (codeOf(4) - codeOf(1.05)) * share / 255)); // as code
const PAPER = 0xffffffff, INK = 0xff111111;

function layout() {
  const frame = $("frame"), ratio = window.devicePixelRatio || 1, { run } = state;
  paper.font = "11px system-ui, sans-serif";
  const longest = Math.max(...run.hosts.slice(0, 400).map(([short]) => paper.measureText(cut(short)).width), 20);
  state.left = Math.ceil(longest) + 8 + GUTTER;
  state.top = Math.ceil(longest) + 8 + GUTTER;
  const above = frame.getBoundingClientRect().top + scrollY, height = Math.max(innerHeight - above - state.top - 30, 420);
  const room = Math.max(220, Math.min(frame.clientWidth - state.left - 1, height, 1000));
  const before = state.side || Math.floor(room);
  state.side = Math.floor(room);
  state.k *= state.side / before;
  for (const [property, length] of [["width", state.left + state.side], ["height", state.top + state.side]]) {
    canvas[property] = Math.round((length + 1) * ratio);
    canvas.style[property] = `${length + 1}px`;
  }
  state.ratio = ratio;
}
const cut = (text) => (text.length > 16 ? `…${text.slice(-15)}` : text);
const ranksOf = (run) => run.ranks.length;
const wholeScale = () => state.side / ranksOf(state.run);

function within(value, least, most) { return Math.max(least, Math.min(most, value)); }
function keepInside() {
  const ranks = ranksOf(state.run), least = wholeScale();
  state.k = within(state.k, least, Math.max(LARGEST, least));
  const most = Math.max(0, ranks - state.side / state.k);
  state.x = within(state.x, 0, most);
  state.y = within(state.y, 0, most);
}
function showAll() { Object.assign(state, { x: 0, y: 0, k: wholeScale() }); }
function zoomAt(px, py, factor) { // pixels in the matrix
  const [x, y] = [state.x + px / state.k, state.y + py / state.k];
  state.k *= factor;
  keepInside();
  state.x = x - px / state.k;
  state.y = y - py / state.k;
  draw();
}

function levelAt(pixel) { // the finest level with cells of a pixel or more
  const near = nearLevel();
  if (near) return near;
  const step = 1 / (pixel * state.k);
  return state.levels.find(({ edges }) => edges.at(-1) / (edges.length - 1) >= step * 0.999) ?? state.levels.at(-1);
}

function cellsAlong(level, from, pixels, step) { // of each pixel the row or column that is there
  const { edges } = level, last = edges.length - 2, cells = new Int32Array(pixels);
  let low = 0, high = last;
  while (low < high) { const middle = (low + high + 1) >> 1; if (edges[middle] <= from) low = middle; else high = middle - 1; }
  for (let p = 0, at = low; p < pixels; p++) {
    const place = from + (p + 0.5) * step;
    while (at < last && edges[at + 1] <= place) at++;
    cells[p] = at;
  }
  return cells;
}

function planeOf(level) { // what colours the cells
  if (!MEASURED[state.view]) return level[state.view];
  return level.exact && !level.first ? shades().codes : level.usual;
}

// Times of all links as codes from 0, the shortest, to 126, the longest; one in a hundred may be shorter, one in two hundred
// longer. `low` and `high` are their logs.
function shades() {
  const { loaded } = state.size, seconds = loaded.seconds[state.statistic], name = state.statistic;
  if (loaded.shades?.name === name) return loaded.shades;
  const logs = Float64Array.from(seconds, Math.log), known = logs.filter(Number.isFinite).sort();
  const [low, high] = [0.01, 0.995].map((part) => known[Math.floor(part * (known.length - 1))] ?? 0), span = Math.max(high - low, 1e-9);
  const codes = Int8Array.from(logs, (log) => (Number.isFinite(log) ? within(Math.round(126 * (log - low) / span), 0, 126) : NOT_MEASURED));
  loaded.shades = { name, codes, low, high };
  return loaded.shades;
}

function draw() {
  if (!state.levels.length) return;
  keepInside();
  const { left, top, side, ratio, k } = state, pixels = Math.round(side * ratio), step = 1 / (k * ratio);
  const level = levelAt(ratio), width = level.edges.length - 1;
  const columns = cellsAlong(level, state.x, pixels, step), rows = cellsAlong(level, state.y, pixels, step), [, left0] = level.first ?? [0, 0];
  const image = new ImageData(pixels, pixels), out = new Uint32Array(image.data.buffer), plane = planeOf(level);
  const wide = k * ratio * level.edges.at(-1) / width, hatched = wide >= 4;
  const { failed, timed, worst } = level, single = level.exact, chosen = chosenLinks(level);
  for (let y = 0, at = 0; y < pixels; y++) {
    const row = cellOf(level, rows[y], left0) - left0;
    if (y && rows[y] === rows[y - 1] && !hatched) { out.copyWithin(at, at - pixels, at); at += pixels; continue; }
    for (let x = 0; x < pixels; x++, at++) {
      const cell = row + columns[x];
      let pixel = state.view === "slow" ? pixelOf(timed[cell] ? shadeOfShare(plane[cell]) : NOT_MEASURED) : pixelOf(plane[cell]);
      if (failed[cell]) pixel = !hatched || (x + y) % (HATCH * ratio) < 1.7 * ratio ? INK : timed[cell] ? pixel : PAPER;
      else if (single && rows[y] === columns[x] && worst[cell] < LEAST_KNOWN) pixel = PAPER;
      out[at] = chosen && !chosen[cell] ? dimmed(pixel) : pixel;
    }
  }
  paper.setTransform(1, 0, 0, 1, 0, 0);
  paper.clearRect(0, 0, canvas.width, canvas.height);
  paper.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
  paper.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawLines();
  drawMarks();
  drawAxes();
  drawMap();
  remember();
}

const inkColour = () => getComputedStyle(document.body).color;
const alarmColour = () => getComputedStyle(document.documentElement).getPropertyValue("--alarm");
function clipped(drawing) {
  paper.save();
  paper.beginPath();
  paper.rect(state.left, state.top, state.side, state.side);
  paper.clip();
  drawing();
  paper.restore();
}
const placeX = (place) => state.left + (place - state.x) * state.k;
const placeY = (place) => state.top + (place - state.y) * state.k;

function drawLines() { // between hosts, where they are large, and between groups
  const { run, k, side, left, top } = state;
  clipped(() => {
    const narrowest = Math.min(...run.groups.flatMap(([, spans]) => spans.map(([begin, end]) => (end - begin) * k)), side);
    paper.strokeStyle = narrowest < 40 ? "#00000018" : "#00000030";
    paper.lineWidth = 1;
    paper.beginPath();
    const line = (place) => {
      const [x, y] = [Math.round(placeX(place)) - 0.5, Math.round(placeY(place)) - 0.5];
      paper.moveTo(x, top); paper.lineTo(x, top + side);
      paper.moveTo(left, y); paper.lineTo(left + side, y);
    };
    if (run.hosts.length > 1) for (const [, , begin, end] of run.hosts) if ((end - begin) * k >= 14) line(begin);
    for (const [, spans] of run.groups) for (const [begin, end] of spans) if ((end - begin) * k >= 8) { line(begin); line(end); }
    paper.stroke();
  });
  paper.strokeStyle = inkColour();
  paper.lineWidth = 1;
  paper.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
}

// The rectangles of a finding: rows and columns of one end, or where two ends meet; [y0, y1, x0, x1] in places.
function rectangles(finding) {
  const ranks = ranksOf(state.run), found = [], { ends, direction, kind } = finding;
  if (ends.length === 2) {
    const oneWay = kind === "link" || direction !== "both";
    for (const [a, b] of ends[0]) for (const [c, d] of ends[1]) {
      if (!oneWay || direction !== "receive") found.push([a, b, c, d]);
      if (!oneWay || direction === "receive") found.push([c, d, a, b]);
    }
    return found;
  }
  for (const [a, b] of ends[0] ?? []) {
    if (direction !== "receive") found.push([a, b, 0, ranks]);
    if (direction !== "send") found.push([0, ranks, a, b]);
  }
  return found;
}

const drawnFindings = () => [...state.run.findings, ...state.run.suspects];
function drawMarks() {
  drawnFindings().forEach((finding, number) => {
    const chosen = number === state.finding;
    if (finding.suspected && !chosen) return;
    paper.strokeStyle = finding.suspected ? inkColour() : alarmColour();
    const spans = finding.ends.flat();
    for (const [a, b] of spans) { // in the margins
      paper.lineWidth = chosen ? 5 : 3;
      for (const [from, to, across] of [[placeY(a), placeY(b), true], [placeX(a), placeX(b), false]]) {
        const begin = across ? state.top : state.left;
        const low = within(from, begin, begin + state.side), high = within(Math.max(to, from + 2), begin, begin + state.side);
        if (high - low < 0.5) continue;
        paper.beginPath();
        if (across) { paper.moveTo(state.left - 6, low); paper.lineTo(state.left - 6, high); }
        else { paper.moveTo(low, state.top - 6); paper.lineTo(high, state.top - 6); }
        paper.stroke();
      }
    }
    clipped(() => {
      paper.strokeStyle = finding.suspected ? "#5c4400" : "#a3005c"; // on the matrix, which is the same in the dark
      paper.lineWidth = chosen ? 2 : 1.3;
      for (const [y0, y1, x0, x1] of rectangles(finding)) {
        const small = finding.ends.length === 2, more = small ? 3 : 1;
        const [x, y] = [placeX(x0) - more, placeY(y0) - more];
        const [w, h] = [(x1 - x0) * state.k + 2 * more, (y1 - y0) * state.k + 2 * more];
        if (small && Math.max(w, h) < 14) {
          paper.beginPath();
          paper.arc(x + w / 2, y + h / 2, 7, 0, 7);
          paper.stroke();
        } else if (chosen || small) paper.strokeRect(x, y, w, h);
      }
    });
  });
  if (state.cell) {
    const { level, i, j } = state.cell, { edges } = level;
    clipped(() => {
      paper.strokeStyle = "#000"; paper.lineWidth = 2;
      paper.strokeRect(placeX(edges[j]) - 1, placeY(edges[i]) - 1, Math.max(4, (edges[j + 1] - edges[j]) * state.k + 2), Math.max(4, (edges[i + 1] - edges[i]) * state.k + 2));
    });
  }
}

function drawAxes() {
  const { run, k } = state, single = run.hosts.length === 1;
  paper.font = "11px system-ui, sans-serif";
  paper.fillStyle = inkColour();
  paper.textBaseline = "middle";
  const marked = new Set(), chosen = drawnFindings()[state.finding];
  for (const finding of chosen ? [chosen] : run.findings) for (const [a, b] of finding.ends.flat()) if (b - a <= 64) marked.add(hostAt(a));
  const texts = single ? endsOf(run).map((end, i) => [String(end), "", i, i + 1]) : run.hosts;
  for (const upright of [false, true]) {
    const from = upright ? state.x : state.y, to = from + state.side / k;
    const shown = texts.filter(([, , begin, end]) => end > from && begin < to);
    const pitch = shown.length ? state.side / shown.length : LABEL, every = Math.max(1, Math.ceil(LABEL / pitch));
    const taken = [];
    const put = (label, bold) => {
      const [short, , begin, end] = label, middle = ((Math.max(begin, from) + Math.min(end, to)) / 2 - from) * k;
      if (taken.some((other) => Math.abs(other - middle) < LABEL - 1)) return;
      taken.push(middle);
      paper.font = `${bold ? "bold " : ""}11px system-ui, sans-serif`;
      paper.save();
      if (upright) { paper.translate(state.left + middle, state.top - GUTTER + 2); paper.rotate(-Math.PI / 2); } else paper.translate(state.left - GUTTER + 2, state.top + middle);
      paper.textAlign = upright ? "left" : "right";
      paper.fillText(cut(short), 0, 0);
      paper.restore();
    };
    shown.filter((label) => marked.has(label)).slice(0, 40).forEach((label) => put(label, true));
    const groups = every > 1 ? groupsBetween(from, to) : [];
    if (groups.length > 1 && state.side / groups.length >= LABEL) groups.forEach((label) => put(label, false));
    else shown.forEach((label, number) => { if (number % every === 0) put(label, false); });
  }
}

function groupsBetween(from, to) { // as labels of hosts: name, "", and the places of each stretch
  return state.run.groups.flatMap(([name, spans]) => spans.filter(([begin, end]) => end > from && begin < to).map(([begin, end]) => [name, "", begin, end]));
}

const map = $("map"), chart = map.getContext("2d");
function drawMap() {
  const whole = state.k <= wholeScale() * 1.01;
  map.hidden = whole;
  if (whole) return;
  const side = map.width, level = state.levels.find(({ edges }) => edges.length - 1 <= side) ?? state.levels.at(-1);
  const cells = cellsAlong(level, 0, side, ranksOf(state.run) / side), width = level.edges.length - 1;
  const image = new ImageData(side, side), out = new Uint32Array(image.data.buffer);
  for (let y = 0, at = 0; y < side; y++) for (let x = 0; x < side; x++, at++) {
    const cell = cells[y] * width + cells[x];
    out[at] = level.failed[cell] ? INK : pixelOf(level.usual[cell]);
  }
  chart.putImageData(image, 0, 0);
  const scale = side / ranksOf(state.run), size = state.side / state.k * scale;
  chart.strokeStyle = "#000";
  chart.lineWidth = 2;
  chart.strokeRect(state.x * scale, state.y * scale, size, size);
}

function cellAt(px, py) { // pixels of the canvas
  const [x, y] = [px - state.left, py - state.top];
  if (x < 0 || y < 0 || x >= state.side || y >= state.side) return null;
  const level = levelAt(state.ratio), [j] = cellsAlong(level, state.x + x / state.k - 1e-6, 1, 2e-6), [i] = cellsAlong(level, state.y + y / state.k - 1e-6, 1, 2e-6);
  return { level, i, j };
}

function describe({ level, i, j }) {
  const { edges } = level, cell = cellOf(level, i, j), loaded = state.size.loaded;
  const ends = [[edges[i], edges[i + 1]], [edges[j], edges[j + 1]]];
  if (ends.every(([begin, end]) => end - begin === 1)) return describeLink(edges[i], edges[j], level, cell);
  const lines = [`${rangeText(...ends[0])}  ->  ${rangeText(...ends[1])}`];
  const links = (ends[0][1] - ends[0][0]) * (ends[1][1] - ends[1][0]);
  if (level.timed[cell]) lines.push(`usual ${factorText(level.usual[cell])}, worst link ${factorText(level.worst[cell])}`);
  else if (!level.failed[cell]) lines.push("not measured");
  if (level.timed[cell] && !level.coarse) lines.push(`${percentText(level.slow[cell] / level.timed[cell])} of its links take 1.25x or more`);
  if (level.failed[cell]) lines.push(level.coarse ? "some of its links failed" : `${percentText(level.failed[cell] / 255)} of its ${links} links failed`);
  return lines.join("\n") + outlierLines(ends, loaded);
}
function outlierLines([[a, b], [c, d]], loaded) {
  const lines = [];
  for (const which of ["failures", "outliers"]) {
    const ends = loaded[which]?.ends ?? [];
    for (let k = 0; k < ends.length && lines.length < 4; k += 2) {
      if (ends[k] >= a && ends[k] < b && ends[k + 1] >= c && ends[k + 1] < d) lines.push(`\n${nameAt(ends[k])} -> ${nameAt(ends[k + 1])}: ${factorText(loaded[which].code[k / 2])}`);
    }
  }
  return lines.join("");
}
function describeLink(i, j, level, cell) {
  const { size } = state, loaded = size.loaded, ranks = ranksOf(state.run), link = i * ranks + j;
  if (i === j) return nameAt(i);
  const lines = [`${nameAt(i)} -> ${nameAt(j)}`], exact = secondsOf(i, j), outcome = loaded.outcomes?.[link] ?? outcomeOf(exact);
  if (outcome !== undefined && outcome !== 0 && outcome !== 255) lines.push(data.outcomes[outcome] ?? `outcome ${outcome}`);
  if (level.usual[cell] >= LEAST_KNOWN) lines.push(`${state.statistic} ${factorText(level.usual[cell])}${loaded.expected ? `, which is ${timeText(loaded.expected[link])}` : ""}`);
  for (const [name, values] of Object.entries(loaded.seconds)) {
    if (Number.isFinite(values[link])) lines.push(`${name.padEnd(8)}${timeText(values[link]).padEnd(12)}${rateText(values[link])}`);
  }
  if (exact > 0 && !loaded.seconds.median) lines.push(`${"median".padEnd(8)}${timeText(exact).padEnd(12)}${rateText(exact)}`);
  if (lines.length === 1) lines.push(cell < 0 ? "is read" : "not measured");
  else if (!outcome) lines.push(size.n === null ? "ok" : `ok, n ${loaded.n?.[link] ?? size.n}`);
  const again = loaded.again.get([i, j].join()), alone = loaded.alone.get([i, j].join()), name = state.statistic;
  if (again) lines.push(`measured again: ${known(again[name]) ? `${timeText(again[name])}  ${rateText(again[name])}` : data.outcomes[again.outcome]}`);
  if (alone) lines.push(`tried again alone: ${data.outcomes[alone.outcome]}${known(alone[name]) ? `, ${timeText(alone[name])}` : ""}`);
  return lines.join("\n");
}
