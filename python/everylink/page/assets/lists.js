// Everything beside the matrix: findings, the scale, histogram and tables.

function fillFindings() {
  const { run } = state, list = $("findings");
  list.replaceChildren();
  drawnFindings().forEach((finding, number) => {
    const item = element("li", "", list), button = element("button", finding.title, item);
    button.type = "button";
    button.className = finding.suspected ? "suspected" : "";
    button.ariaExpanded = "false";
    button.onclick = () => chooseFinding(number === state.finding ? -1 : number);
    if (finding.note) element("span", ` ${finding.note}`, item).className = "pale";
    const more = element("div", "", item);
    more.hidden = true;
    for (const line of [`${finding.evidence}; confidence ${finding.confidence}`, finding.because, finding.action]) if (line) element("p", line, more);
    element("p", "", more).className = "profile";
    svg("svg", { class: "evidence", viewBox: "0 0 420 96", role: "img" }, more);
    element("div", "", more).className = "again";
  });
  const [verdicts, suspects] = run.leftOut;
  if (verdicts + suspects) element("li", `and ${[verdicts && `${verdicts} more`, suspects && `${suspects} more suspects`].filter(Boolean).join(", ")}: everylink diagnose --format json has all`, list).className = "pale rest";
  $("inventory").textContent = run.inventory.join("\n");
  $("structure").textContent = run.structure.join("\n");
  $("structureHead").hidden = !run.structure.length;
  $("drain").textContent = run.drain.length ? `drain: ${run.drain.join(", ")}` : "";
}

// Shows a finding: its size, its place in the matrix, and its evidence. -1: none.
async function chooseFinding(number) {
  state.finding = number;
  state.cell = null;
  const finding = drawnFindings()[number];
  const size = state.run.sizes.findIndex((one) => finding && one.bytes === finding.bytes);
  if (size >= 0 && state.run.sizes[size] !== state.size) await chooseSize(size, true);
  [...$("findings").querySelectorAll("button")].forEach((button, k) => {
    button.ariaExpanded = String(k === number);
    button.parentElement.querySelector("div").hidden = k !== number;
    if (k !== number) return;
    button.parentElement.querySelector(".profile").textContent = profileText(finding);
    drawEvidence(button.parentElement.querySelector(".evidence"), finding);
    fillAgain(button.parentElement.querySelector(".again"), state.run.evidence[number]);
  });
  if (finding) showFinding(finding); else showAll();
  draw();
}
function showFinding({ ends }) { // so that it covers a good part of the matrix, with its neighbours
  const spans = ends.map((end) => [Math.min(...end.map(([a]) => a)), Math.max(...end.map(([, b]) => b))]);
  if (!spans.length || !ends[0].length) { showAll(); return; }
  if (spans.length === 1) { // a row and a column through the whole matrix
    showAll();
    return;
  }
  const widest = Math.max(...spans.map(([a, b]) => b - a)), [[a, b], [c, d]] = spans;
  state.k = state.side / Math.max(12, 8 * widest);
  keepInside();
  state.y = (a + b) / 2 - state.side / state.k / 2;
  state.x = (c + d) / 2 - state.side / state.k / 2;
}
function middleOf(codes) { // the lower median of those with a time
  const timed = codes.filter((code) => code >= LEAST_KNOWN).sort((one, other) => one - other);
  return timed.length ? timed[(timed.length - 1) >> 1] : NOT_MEASURED;
}
function profileText({ ends }) { // the links that it names, and how many of them
  const loaded = state.size.loaded;
  if (!loaded || !ends.length || !ends[0].length) return "";
  return ends.length === 2 ? betweenText(ends, loaded) : rowsText(ends[0], loaded);
}
function betweenText(ends, { links }) {
  if (!links) return "";
  const ranks = ranksOf(state.run), places = ends.map((end) => end.flatMap(([a, b]) => Array.from({ length: b - a }, (_, i) => a + i)));
  if (places[0].length * places[1].length > 1e6) return "";
  const said = [places, [places[1], places[0]]].map(([from, to]) => middleOf(from.flatMap((i) => to.map((j) => links[i * ranks + j]))));
  return `At ${state.size.label}, at the median: there ${factorText(said[0])}, back ${factorText(said[1])}.`;
}
function rowsText(end, loaded) {
  const places = end.flatMap(([a, b]) => Array.from({ length: Math.min(b - a, 4096) }, (_, i) => a + i));
  const said = [["senders", "sending"], ["receivers", "receiving"]].map(([side, word]) => {
    const { median, timed, failed } = loaded[side], sum = (counts) => places.reduce((total, place) => total + counts[place], 0);
    const lost = sum(failed);
    return `${word}: median ${factorText(middleOf(places.map((place) => median[place])))} over ${sum(timed)} links${lost ? `, ${lost} failed` : ""}; of all ranks ${factorText(middleOf([...median]))}`;
  });
  return `At ${state.size.label}, ${said.join("; ")}.`;
}

// Its links, or where the page has no single links the medians of its ranks, against all others: how many of each deviate by
// how much. Each of both is drawn as high as its highest bar.
const BIN = 3, LOWEST = -60, BINS = 58; // in codes
function countsOf(finding) {
  const own = new Float64Array(BINS), others = new Float64Array(BINS), { links, senders, receivers } = state.size.loaded;
  const add = (counts, code, one) => { if (code >= LEAST_KNOWN) counts[within(Math.floor((code - LOWEST) / BIN), 0, BINS - 1)] += one; };
  const addAll = (counts, byCode, sign) => byCode.forEach((count, k) => { if (count) add(counts, k + NOT_MEASURED, sign * count); });
  if (links) {
    const ranks = ranksOf(state.run), seen = new Uint8Array(links.length), [every, mine] = [new Float64Array(256), new Float64Array(256)];
    for (let at = 0; at < links.length; at++) every[links[at] - NOT_MEASURED] += 1;
    for (const [a, b, c, d] of rectangles(finding)) for (let i = a; i < b; i++) for (let j = c, at = i * ranks + c; j < d; j++, at++) {
      if (!seen[at]) { seen[at] = 1; mine[links[at] - NOT_MEASURED] += 1; }
    }
    addAll(own, mine, 1);
    addAll(others, every, 1);
    addAll(others, mine, -1);
    return { own, others, of: "links" };
  }
  const inside = (place) => finding.ends.flat().some(([a, b]) => place >= a && place < b);
  for (const { median } of [senders, receivers]) median.forEach((code, place) => add(inside(place) ? own : others, code, 1));
  return { own, others, of: "medians of ranks" };
}
function drawEvidence(drawing, finding) {
  drawing.replaceChildren();
  const { own, others, of } = countsOf(finding), x = (code) => 8 + (code - LOWEST) / (BIN * BINS) * 404, bottom = 74;
  const total = own.reduce((sum, one) => sum + one, 0), ownText = total === 1 ? of.replace(/^(link|median)s/, "1 $1") : `${total} ${of}`;
  drawing.toggleAttribute("hidden", !total || !finding.ends.flat().length);
  drawing.style.display = drawing.hasAttribute("hidden") ? "none" : "";
  drawing.ariaLabel = `deviations of its ${ownText} against those of all others`;
  for (const [counts, kind] of [[others, "others"], [own, "own"]]) {
    const most = Math.max(...counts, 1), height = (count) => (count > 0 ? Math.max(1.5, 56 * count / most) : 0);
    counts.forEach((count, k) => { if (count > 0) svg("rect", { x: x(LOWEST + k * BIN), width: x(BIN) - x(0), y: bottom - height(count), height: height(count), class: kind }, drawing); });
  }
  svg("path", { d: `M8,${bottom}H412`, stroke: "currentColor" }, drawing);
  for (const factor of [1 / 2, 1 / 1.5, 1, 1.25, 1.5, 2, 4]) {
    const text = factor < 1 ? `1/${1 / factor}` : String(factor);
    svg("line", { x1: x(codeOf(factor)), x2: x(codeOf(factor)), y1: bottom, y2: bottom + 4, stroke: "currentColor" }, drawing);
    svg("text", { x: x(codeOf(factor)), y: bottom + 16, "text-anchor": "middle" }, drawing, text);
  }
  svg("text", { x: 412, y: 12, "text-anchor": "end", class: "own" }, drawing, `its ${ownText}`);
  svg("text", { x: 8, y: 12, class: "others" }, drawing, "all others"); // above the bars, as the other text
}

function spreadText({ senders }) {
  const sum = (counts) => counts.reduce((total, count) => total + count, 0), timed = sum(senders.timed), slow = sum(senders.slow);
  const part = 100 * (timed - slow) / timed, whole = Math.abs(part - 100) < 1e-9;
  return timed ? `At ${state.size.label} ${whole ? "all" : `${Math.min(part, 99.99).toFixed(part > 99 ? 2 : 1)} % of the`} ${timed.toLocaleString("en")} links take less than 1.25 times ${timeOfReference()}.` : "";
}

function drawScale() { // the steps at equal distances
  const scale = $("scale"), width = 420, y = 18, share = state.view === "slow", measured = MEASURED[state.view], { steps } = data.scale;
  const factors = [...steps.map((step) => 1 / step).reverse(), 1, ...steps];
  const seconds = (part) => Math.exp(shades().low + part * (shades().high - shades().low));
  const texts = measured ? [0, 0.25, 0.5, 0.75, 1].map((part) => (state.view === "rate" ? rateText : timeText)(seconds(part))) : share ? ["0 %", "25 %", "50 %", "75 %", "100 %"] : [...steps.map((step) => `1/${step}`).reverse(), "1", ...steps.map(String)];
  const x = (part) => 20 + (width - 40) * part, last = texts.length - 1;
  const codeAt = (part) => {
    if (measured) return Math.round(126 * part);
    if (share) return shadeOfShare(Math.round(255 * part));
    const at = Math.min(part * last, last - 1e-9), k = Math.floor(at), log = (one) => Math.log(factors[one]);
    return Math.round((log(k) + (log(k + 1) - log(k)) * (at - k)) * data.scale.perLog);
  };
  scale.replaceChildren();
  for (let k = 0; k < 200; k++) svg("rect", { x: x(k / 200), y, width: (width - 40) / 200 + 0.6, height: 14, fill: cssOf(codeAt((k + 0.5) / 200)) }, scale);
  svg("rect", { x: 20, y, width: width - 40, height: 14, fill: "none", stroke: "currentColor" }, scale);
  texts.forEach((text, k) => {
    svg("line", { x1: x(k / last), x2: x(k / last), y1: y + 14, y2: y + 18, stroke: "currentColor" }, scale);
    svg("text", { x: x(k / last), y: y + 29, "text-anchor": !measured || (k > 0 && k < last) ? "middle" : k ? "end" : "start" }, scale, text);
  });
  svg("text", { x: 20, y: 12 }, scale, share ? `part of the links of a cell that take 1.25 times ${timeOfReference()}` : measured ? `${measured}, of this size only` : "faster");
  if (!share && !measured) svg("text", { x: width - 20, y: 12, "text-anchor": "end" }, scale, `slower: times ${timeOfReference()}`);
  const legend = $("legend"), { size } = state;
  legend.replaceChildren();
  if (size.failed) { element("i", "", legend).className = "hatch"; element("span", "failed", legend); }
  if (!size.measuredAll) { element("i", "", legend).style.background = cssOf(NOT_MEASURED); element("span", "not measured", legend); }
  const ranks = ranksOf(state.run), blocks = size.deviation.edges.length - 1, notes = [];
  if (blocks < ranks) notes.push(`From afar a cell shows several ranks: what their rows, columns and pairs of hosts take at the median, where it deviates most${size.deviation.links ? "; nearer, single links" : ""}.`);
  if (data.live) notes.push("What a link took last stands for it.");
  else if (!size.deviation.links) notes.push(data.tiles ? "Single links are read from a file where they are two pixels wide." : "To keep this page small, it has only the slowest and the failed of the single links; everylink view shows all.");
  else if (!Object.keys(size.statistics).length) notes.push("To keep this page small, single links are given as times what is expected; the results file has their times.");
  else if (size.leftOut.length) notes.push(`To keep this page small, single links have no ${size.leftOut.join(", ")} here; the results file has all.`);
  element("div", notes.join(" "), legend).className = "pale";
}

const HISTOGRAM = { left: 76, right: 618, top: 10, bottom: 190 };
const countText = (count) => (count >= 1e9 ? `${count / 1e9} billion` : count >= 1e6 ? `${count / 1e6} million` : count.toLocaleString("en"));
function drawHistogram() {
  const drawing = $("histogram"), counted = state.size.histogram;
  drawing.replaceChildren();
  $("histogramPart").hidden = !counted;
  if (!counted) return;
  const { left, right, top, bottom } = HISTOGRAM;
  const most = Math.max(...Object.values(counted.counts).flat()), span = Math.log10(2 * most / 0.6);
  const x = (place) => left + place * (right - left);
  const y = (count) => bottom - (bottom - top) * Math.log10(count / 0.6) / span;
  const kinds = Object.entries(counted.counts), part = 1 / kinds.length;
  kinds.forEach(([name, counts], turn) => counts.forEach((count, k) => { // side by side, so that none hides another
    if (!count) return;
    const whole = x(counted.places[k + 1]) - x(counted.places[k]);
    const box = { x: x(counted.places[k]) + whole * part * turn, width: Math.max(1, whole * part - 0.3), y: y(count), height: bottom - y(count) };
    const bar = svg("rect", { ...box, class: turn ? "same" : "other" }, drawing);
    svg("title", {}, bar, `${count} links (${name}) from ${counted.edges[k]} to ${counted.edges[k + 1]}`);
  }));
  for (let count = 1; count <= most; count *= 10) svg("text", { x: left - 6, y: y(count) + 4, "text-anchor": "end" }, drawing, countText(count));
  for (const [place, text] of counted.ticks) {
    svg("line", { x1: x(place), x2: x(place), y1: bottom, y2: bottom + 4, stroke: "currentColor" }, drawing);
    svg("text", { x: x(place), y: bottom + 17, "text-anchor": "middle" }, drawing, text);
  }
  if (state.brush) {
    const [from, to] = [counted.places[state.brush[0]], counted.places[state.brush[1] + 1]].map(x);
    svg("rect", { x: from, width: to - from, y: top, height: bottom - top, class: "brush" }, drawing);
  }
  fillBrush();
  svg("path", { d: `M${left},${top}V${bottom}H${right}`, fill: "none", stroke: "currentColor" }, drawing);
  $("kinds").replaceChildren();
  if (kinds.length > 1) kinds.forEach(([name], turn) => { element("i", "", $("kinds")).className = turn ? "same" : "other"; element("span", name, $("kinds")); });
}

function fillSlowest(column = 2, ascending = false) {
  const { size } = state;
  $("factorHead").textContent = `x ${state.run.reference}`;
  $("slowestPart").hidden = !size.slowest.length;
  const rows = size.slowest.map(([from, to, first, ratio, second, outcome]) => ({
    ends: [from, to],
    keys: [from, to, first, -first, ratio, second ?? (outcome === null ? -1 : Infinity)],
    cells: [nameAt(from), nameAt(to), timeText(first), rateText(first), known(ratio) ? ratio.toFixed(2) : "-",
      outcome === null ? "" : second === null ? data.outcomes[outcome] : timeText(second)],
  }));
  rows.sort((a, b) => (ascending ? 1 : -1) * (a.keys[column] - b.keys[column]));
  $("slowest").tBodies[0].replaceChildren(...rows.map(({ cells, ends }) => {
    const row = document.createElement("tr");
    cells.forEach((cell) => element("td", cell, row));
    row.onclick = () => showLink(...ends);
    return row;
  }));
  [...$("slowest").tHead.rows[0].cells].forEach((heading, k) => {
    heading.ariaSort = k === column ? (ascending ? "ascending" : "descending") : "none";
    heading.firstElementChild.onclick = () => fillSlowest(k, k === column ? !ascending : k < 2);
  });
}

function fillTables() {
  const { tables } = state.run;
  $("hosts").hidden = !tables.length;
  $("hostTables").replaceChildren();
  for (const { title, headings, texts, rows, note } of tables) {
    element("h3", title, $("hostTables"));
    if (rows.length) {
      const frame = element("div", "", $("hostTables")), table = element("table", "", frame);
      frame.className = "scrolled";
      frame.tabIndex = 0;
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
