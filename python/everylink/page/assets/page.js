// What a user chooses: run, size, view, finding, host, place; all of it is kept in the address.

function chooseRun(index) {
  Object.assign(state, { number: index, run: data.runs[index], order: "drawn", brush: null });
  state.finding = -1;
  const { run } = state;
  choices($("run"), data.runs.map((one, i) => [i, one.name]), index);
  choices($("size"), run.sizes.map((size, i) => [i, size.label]), run.sizes.length - 1);
  $("headline").textContent = run.headline;
  $("headline").className = run.alarm ? "alarm" : "fine";
  for (const name of ["lines", "tested", "warnings", "remarks", "means"]) $(name).textContent = run[name].join("\n");
  for (const span of document.querySelectorAll(".rate")) span.textContent = run.bandwidthLabel === "bandwidth" ? "" : `- ${run.bandwidthLabel}`;
  $("times").tBodies[0].replaceChildren(...run.times.map((cells) => {
    const row = document.createElement("tr");
    cells.forEach((cell) => element("td", cell, row));
    return row;
  }));
  $("names").replaceChildren(...run.hosts.slice(0, 5000).map(([, full]) => { const option = document.createElement("option"); option.value = full; return option; }));
  $("filter").value = "";
  fillFindings();
  fillTables();
  return chooseSize(run.sizes.length - 1);
}

async function chooseSize(index, stay = false) {
  const size = state.run.sizes[index];
  state.size = size;
  $("size").value = index;
  const loaded = await load(size);
  if (state.size !== size) return; // another one was chosen meanwhile
  const statistics = Object.keys(loaded.seconds);
  if (!statistics.includes(state.statistic)) state.statistic = "median";
  $("spread").textContent = spreadText(loaded);
  choices($("statistic"), (statistics.length ? statistics : ["median"]).map((name) => [name, name]), state.statistic);
  $("failures").textContent = size.failed ? [`Failed at ${size.label}: ${size.heading}`, ...size.failures].join("\n  ") : "";
  state.levels = levelsOf(loaded);
  state.brush = null;
  chooseView(state.view, stay);
  fillOrders();
  drawHistogram();
  fillSlowest();
}

const viewsNow = () => [...Object.keys(VIEWS), ...(state.size.loaded.seconds[state.statistic] ? Object.keys(MEASURED) : [])];
const viewText = (view) => MEASURED[view] ?? (view === "usual" ? `${VIEWS.usual} from ${state.run.reference}` : VIEWS[view]);
function chooseView(view, stay = false) {
  state.view = viewsNow().includes(view) ? view : "usual";
  choices($("view"), viewsNow().map((name) => [name, viewText(name)]), state.view);
  $("heading").textContent = `From (rows) to (columns), messages of ${state.size.label}: ${viewText(state.view)}, ${state.statistic} of each link`;
  canvas.ariaLabel = `Matrix of ${ranksOf(state.run)} ranks, ${viewText(state.view)} at ${state.size.label}; ${state.run.headline}. The findings and the table of the slowest links say in words what it shows.`;
  layout();
  if (!stay) showAll();
  drawScale();
  draw();
}

function showLink(from, to) {
  state.k = within(state.side / 24, wholeScale(), LARGEST);
  keepInside();
  state.y = from + 0.5 - state.side / state.k / 2;
  state.x = to + 0.5 - state.side / state.k / 2;
  keepInside();
  state.cell = cellAt(placeX(to + 0.5), placeY(from + 0.5));
  draw();
  if (state.cell) say(describe(state.cell));
}
let told = null; // the cell that the tip describes, and where the tip is
function tell(cell, x, y) {
  told = cell ? [cell, x, y] : null;
  showTip(cell ? describe(cell) : "", x, y);
}
function tellAgain() { // what is known of it now
  if (told && !$("tip").hidden) tell(...told);
  if (state.cell) say(describe(state.cell));
}

const inside = ({ clientX, clientY }) => { const box = canvas.getBoundingClientRect(); return [clientX - box.left, clientY - box.top]; };

// One pointer moves the matrix, two pinch it; a click keeps a cell.
const pointers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (event) => { pointers.set(event.pointerId, inside(event)); moved = 0; try { canvas.setPointerCapture(event.pointerId); } catch { /* made by a script */ } });
canvas.addEventListener("pointermove", (event) => {
  const now = inside(event), before = pointers.get(event.pointerId);
  if (!before) {
    tell(cellAt(...now), event.clientX, event.clientY);
    return;
  }
  if (pointers.size === 1) {
    state.x -= (now[0] - before[0]) / state.k;
    state.y -= (now[1] - before[1]) / state.k;
  } else if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const apart = (at) => Math.max(10, Math.hypot(at[0] - other[0], at[1] - other[1]));
    const middle = [(now[0] + other[0]) / 2 - state.left, (now[1] + other[1]) / 2 - state.top], factor = apart(now) / apart(before);
    pointers.set(event.pointerId, now);
    zoomAt(...middle, factor);
    moved += 9;
    return;
  }
  moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
  pointers.set(event.pointerId, now);
  showTip("");
  draw();
});
for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => {
  pointers.delete(event.pointerId);
  if (end === "pointerup" && moved < 4) {
    state.cell = cellAt(...inside(event));
    if (state.cell) { say(describe(state.cell)); tell(state.cell, event.clientX, event.clientY); }
    draw();
  }
});
canvas.addEventListener("pointerleave", () => showTip(""));
canvas.addEventListener("wheel", (event) => {
  const [x, y] = inside(event);
  if (x < state.left || y < state.top) return;
  event.preventDefault();
  zoomAt(x - state.left, y - state.top, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)));
}, { passive: false });
canvas.addEventListener("dblclick", (event) => { const [x, y] = inside(event); zoomAt(x - state.left, y - state.top, 2.5); });

// Arrow keys move a cursor from cell to cell, with shift the matrix; + and - zoom; Home shows all; Enter zooms in.
canvas.addEventListener("keydown", (event) => {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }, step = steps[event.key];
  const middle = state.side / 2;
  if (step && event.shiftKey) { state.y += step[0] * middle / 2 / state.k; state.x += step[1] * middle / 2 / state.k; draw(); }
  else if (step) moveCursor(...step);
  else if (event.key === "+" || event.key === "=") zoomAt(middle, middle, 1.5);
  else if (event.key === "-") zoomAt(middle, middle, 1 / 1.5);
  else if (event.key === "Home") { showAll(); draw(); }
  else if (event.key === "Escape") { state.cell = null; showTip(""); draw(); }
  else if (event.key === "Enter" && state.cell) {
    const { level, i, j } = state.cell;
    zoomAt(placeX((level.edges[j] + level.edges[j + 1]) / 2) - state.left, placeY((level.edges[i] + level.edges[i + 1]) / 2) - state.top, 2.5);
  } else return;
  event.preventDefault();
});
function moveCursor(down, right) {
  const level = levelAt(state.ratio), last = level.edges.length - 2, middle = [state.left + state.side / 2, state.top + state.side / 2];
  const at = state.cell?.level === level ? state.cell : cellAt(...middle);
  const [i, j] = [within(at.i + down, 0, last), within(at.j + right, 0, last)];
  state.cell = { level, i, j };
  const { edges } = level, size = state.side / state.k;
  if (edges[j] < state.x) state.x = edges[j];
  if (edges[j + 1] > state.x + size) state.x = edges[j + 1] - size;
  if (edges[i] < state.y) state.y = edges[i];
  if (edges[i + 1] > state.y + size) state.y = edges[i + 1] - size;
  draw();
  say(describe(state.cell));
  const box = canvas.getBoundingClientRect();
  tell(state.cell, box.left + placeX(edges[j + 1]), box.top + placeY(edges[i + 1]));
}
canvas.addEventListener("blur", () => showTip(""));

map.addEventListener("pointerdown", (event) => {
  const box = map.getBoundingClientRect(), scale = ranksOf(state.run) / box.width, size = state.side / state.k;
  state.x = (event.clientX - box.left) * scale - size / 2;
  state.y = (event.clientY - box.top) * scale - size / 2;
  draw();
});

function findHost(text) { // the first host whose name has the text
  const host = state.run.hosts.find(([, full]) => full === text) ?? state.run.hosts.find(([, full]) => full.includes(text));
  say(host ? "" : `no host has ${text} in its name`);
  $("filter").ariaInvalid = String(!host);
  if (!host) return;
  const [, , begin, end] = host;
  state.k = within(state.side / (16 * (end - begin)), wholeScale(), LARGEST);
  keepInside();
  state.x = state.y = (begin + end) / 2 - state.side / state.k / 2;
  keepInside();
  const level = levelAt(state.ratio), [i] = cellsAlong(level, begin, 1, 1e-6);
  state.cell = { level, i, j: i };
  draw();
  say(describe(state.cell));
}

// The address says what is shown, so that it can be copied.
const CHOSEN = ["run", "order", "size", "view", "statistic", "finding", "x", "y", "k"];
let kept;
function remember() {
  clearTimeout(kept);
  kept = setTimeout(() => {
    const said = { run: state.number, order: state.order, size: state.run.sizes.indexOf(state.size), view: state.view, statistic: state.statistic, finding: state.finding, x: state.x.toFixed(2), y: state.y.toFixed(2), k: (state.k / wholeScale()).toFixed(4) };
    try { history.replaceState(null, "", `#${CHOSEN.map((name) => `${name}=${said[name]}`).join("&")}`); } catch { /* a page inside another one */ }
  }, 250);
}
async function recall() {
  const said = new URLSearchParams(location.hash.slice(1)), number = (name, most) => { const value = Number(said.get(name) ?? -1); return Number.isInteger(value) && value >= 0 && value < most ? value : -1; };
  await chooseRun(Math.max(0, number("run", data.runs.length)));
  if (VIEWS[said.get("view")] ?? MEASURED[said.get("view")]) state.view = said.get("view");
  if (Object.keys(state.size.statistics).includes(said.get("statistic"))) state.statistic = said.get("statistic");
  const size = number("size", state.run.sizes.length), finding = number("finding", drawnFindings().length);
  await chooseSize(size < 0 ? state.run.sizes.length - 1 : size);
  if (ORDERS[said.get("order")] && said.get("order") !== "drawn") await chooseOrder(said.get("order"));
  if (finding >= 0) await chooseFinding(finding);
  const [x, y, k] = ["x", "y", "k"].map((name) => (said.has(name) ? Number(said.get(name)) : NaN));
  if ([x, y, k].every(Number.isFinite)) { Object.assign(state, { x, y, k: k * wholeScale() }); draw(); }
}

$("run").onchange = (event) => chooseRun(Number(event.target.value));
$("size").onchange = (event) => chooseSize(Number(event.target.value), true);
$("view").onchange = (event) => chooseView(event.target.value, true);
$("statistic").onchange = (event) => {
  state.statistic = event.target.value;
  state.levels = levelsOf(state.size.loaded);
  chooseView(state.view, true);
};
$("filter").onchange = (event) => { if (event.target.value) findHost(event.target.value); };
$("smaller").onclick = () => zoomAt(state.side / 2, state.side / 2, 0.5);
$("larger").onclick = () => zoomAt(state.side / 2, state.side / 2, 2);
$("all").onclick = () => { showAll(); draw(); };
addEventListener("resize", () => { layout(); draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
const ready = recall().then(() => (data.tiles && data.served ? openTiles(served) : null)).then(() => { document.body.dataset.ready = "yes"; });
