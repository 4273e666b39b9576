// The evidence of a finding: its links against all others, what they took when they were measured again, and its hosts.

const CODES = 256;
const AGAIN = ["how", "readings", "failed", "median", "others", "x others"];

function fillEvidence(box, finding, known) {
  box.replaceChildren();
  const counted = countsOf(finding);
  if (counted) drawCounts(box, counted);
  if (known?.again.length) fillAgain(box, known.again);
  for (const [title, lines] of [["Also deviates there", known?.deviations], ["Its hosts", known?.hosts]]) {
    if (!lines?.length) continue;
    element("h3", title, box);
    for (const line of lines) element("p", line, box);
  }
}

// How many of its links, and of all others, have each code. Where the page has no single links: of the medians of its
// ranks, or of the cells of the matrix where its two ends meet. Null if nothing of it was timed.
function countsOf(finding) {
  const { loaded } = state.size, parts = rectangles(finding), both = { own: new Uint32Array(CODES), others: new Uint32Array(CODES) };
  const sides = finding.ends.length === 1 && !loaded.links ? [["senders", "receive"], ["receivers", "send"]].filter(([, not]) => finding.direction !== not) : [];
  let what = "links";
  if (sides.length) {
    what = "medians of ranks";
    const inside = new Uint8Array(ranksOf(state.run));
    for (const [a, b] of finding.ends[0]) inside.fill(1, a, b);
    for (const [side] of sides) loaded[side].median.forEach((code, place) => { both[inside[place] ? "own" : "others"][code - NOT_MEASURED] += 1; });
  } else {
    if (!loaded.links) what = "cells of the matrix";
    const codes = loaded.links ?? loaded.usual, edges = loaded.links ? null : loaded.edges, width = edges ? edges.length - 1 : ranksOf(state.run);
    const inside = new Uint8Array(codes.length);
    for (const [top, bottom, left, right] of parts.map((part) => (edges ? part.map((place, k) => cellOfEdge(edges, place, k % 2)) : part))) {
      for (let row = top; row < bottom; row++) for (let at = row * width + left; at < row * width + right; at++) {
        if (!inside[at]) both.own[codes[at] - NOT_MEASURED] += 1;
        inside[at] = 1;
      }
    }
    loaded.counts ??= codes.reduce((counts, code) => { counts[code - NOT_MEASURED] += 1; return counts; }, new Uint32Array(CODES));
    both.others = loaded.counts.map((count, k) => count - both.own[k]);
  }
  const spreads = Object.values(both).map(spreadOf);
  return spreads.every(Boolean) ? { ...both, what, spreads } : null;
}
function cellOfEdge(edges, place, behind) { // the block with this place, or the one behind all up to it
  const at = edges.findIndex((edge) => edge >= place);
  return behind || edges[at] === place ? at : at - 1;
}
function spreadOf(counts) { // of those with a time: how many, and the codes at 5, 50 and 95 %
  const first = LEAST_KNOWN - NOT_MEASURED;
  let timed = 0;
  for (let k = first; k < CODES; k++) timed += counts[k];
  if (!timed) return null;
  const at = [0.05, 0.5, 0.95].map((part) => {
    let left = part * (timed - 1), k = first;
    while (left >= counts[k]) left -= counts[k++];
    return k + NOT_MEASURED;
  });
  return { timed, at, failed: counts[FAILED - NOT_MEASURED] };
}
function spreadLine(name, { timed, at: [low, middle, high], failed }, what) {
  const times = (code) => factorOf(code).toFixed(2);
  const spread = timed > 1 ? `, 5 % to 95 %: ${times(low)} to ${times(high)}` : "";
  return `${name} ${timed.toLocaleString("en")} ${timed === 1 ? what.replace(/s\b/, "") : what}: median ${times(middle)}x${spread}${failed && what === "links" ? `; ${failed.toLocaleString("en")} failed` : ""}`;
}

function drawCounts(box, { own, others, what, spreads }) { // each by the share of its own, so that a single link is seen
  const said = [spreadLine("its", spreads[0], what), spreadLine("all other", spreads[1], what)];
  const drawing = svg("svg", { viewBox: "0 0 420 96", role: "img", "aria-label": said.join("; ") }, box), left = 8, right = 412, bottom = 76;
  const seen = (k) => own[k] + others[k] > 0, first = LEAST_KNOWN - NOT_MEASURED;
  let low = first, high = CODES - 1;
  while (!seen(low)) low += 1;
  while (!seen(high)) high -= 1;
  low = Math.min(low, codeOf(1 / 1.1) - NOT_MEASURED);
  high = Math.max(high, codeOf(1.1) - NOT_MEASURED) + 1;
  const together = Math.max(1, Math.ceil((high - low) / 80)), x = (k) => left + (right - left) * (k - low) / (high - low);
  for (const [counts, name] of [[others, "others"], [own, "own"]]) {
    const bins = [];
    for (let k = low; k < high; k += together) bins.push(counts.slice(k, k + together).reduce((sum, count) => sum + count, 0));
    const most = Math.max(...bins), width = x(low + together) - x(low);
    bins.forEach((count, i) => {
      if (!count) return;
      const height = Math.max(2, (bottom - 6) * count / most), thin = name === "own" ? 0.5 : 1;
      svg("rect", { x: x(low + i * together) + width * (1 - thin) / 2, y: bottom - height, width: Math.max(1, width * thin - 0.2), height, class: name }, drawing);
    });
  }
  svg("path", { d: `M${left},${bottom}H${right}`, fill: "none", stroke: "currentColor" }, drawing);
  const { steps } = data.scale, taken = [];
  for (const factor of [1, ...steps.toReversed(), ...steps.map((step) => 1 / step).reverse()]) {
    const at = x(codeOf(factor) - NOT_MEASURED + 0.5);
    if (at < left || at > right || taken.some((other) => Math.abs(other - at) < 30)) continue;
    taken.push(at);
    svg("line", { x1: at, x2: at, y1: bottom, y2: bottom + 4, stroke: "currentColor" }, drawing);
    svg("text", { x: at, y: bottom + 16, "text-anchor": at > right - 20 ? "end" : at < left + 20 ? "start" : "middle" }, drawing, factor < 1 ? `1/${Number((1 / factor).toFixed(2))}` : String(factor));
  }
  const key = element("p", "", box);
  key.className = "pale";
  said.forEach((line, k) => {
    if (k) element("br", "", key);
    svg("rect", { width: 9, height: 9, class: k ? "others" : "own" }, svg("svg", { viewBox: "0 0 9 9", class: "swatch", "aria-hidden": "true" }, key));
    key.append(` ${line}`);
  });
}

function fillAgain(box, rows) {
  element("h3", `Measured again, at ${state.size.label}`, box);
  const frame = element("div", "", box), table = element("table", "", frame);
  Object.assign(frame, { className: "scrolled", tabIndex: 0, role: "group", ariaLabel: "measured again" });
  const fill = (cells, tag, part) => { const line = element("tr", "", part); for (const cell of cells) element(tag, cell, line); };
  fill(AGAIN, "th", element("thead", "", table));
  const body = element("tbody", "", table);
  for (const cells of rows) fill(cells, "td", body);
}
