// Single links from a file of tiles, as everylink/deviation/tiles.py writes it: of a run that is too large for the page.
// The user chooses the file, or `everylink view` serves it.

const TILES_HELD = 400, LINKS_FROM = 2; // pixels of a link from which on tiles are read
let tiles = null; // the file: its matrices, and how it is read

async function openTiles(read) { // read(begin, end) gives the bytes from begin up to end
  const text = (bytes) => new TextDecoder().decode(bytes);
  const start = await read(0, 12);
  if (start.byteLength < 12 || text(start.slice(0, 8)) !== "EVLTILE1") throw new Error("is not a file of links");
  const head = JSON.parse(text(await read(12, 12 + new DataView(start).getUint32(8, true))));
  if (head.key !== data.tiles) throw new Error("belongs to another report");
  tiles = { read, side: head.tile, matrices: head.matrices.map((one) => ({ ...one, at: Number(one.at), held: new Map() })) };
  $("tilesPart").hidden = true;
  draw();
}

const matrixOfTiles = () => tiles?.matrices.find(({ run, bytes }) => run === state.number && bytes === state.size.bytes);

// A tile: its codes, and its times once they were asked for. Nothing while it is read; what was used least recently goes.
function tileAt(matrix, row, column) {
  const { side, read } = tiles, name = `${row},${column}`, links = side * side, found = matrix.held.get(name);
  if (found) { matrix.held.delete(name); matrix.held.set(name, found); return found; }
  const across = Math.ceil(matrix.ranks / side), at = matrix.at + (row * across + column) * links * 5, made = {};
  made.wantSeconds = () => { made.wantSeconds = () => {}; got(read(at + links, at + links * 5), (bytes) => { made.seconds = new Float32Array(bytes); }); };
  got(read(at, at + links), (bytes) => { made.codes = new Int8Array(bytes); });
  matrix.held.set(name, made);
  if (matrix.held.size > TILES_HELD) matrix.held.delete(matrix.held.keys().next().value);
  return made;
}
let waiting = 0;
function got(reading, take) {
  waiting += 1;
  reading.then(take).catch((error) => { if (tiles) say(`Single links cannot be read: ${error.message}`); tiles = null; }).finally(() => {
    waiting -= 1;
    if (waiting === 0 && tiles) { draw(); tellAgain(); }
  });
}

// The level of single links around what is seen, as those of levelsOf, with `first` and `width` instead of whole rows; null
// as long as tiles of it are read.
function nearLevel() {
  const matrix = matrixOfTiles(), { loaded } = state.size, pixels = state.k * state.ratio;
  if (!matrix || loaded.links || pixels < LINKS_FROM || state.statistic !== "median") return null;
  const { side } = tiles, size = state.side / state.k, last = Math.ceil(matrix.ranks / side);
  const [top, left] = [state.y, state.x].map((from) => Math.floor(from / side)), [bottom, right] = [state.y, state.x].map((from) => Math.min(last, Math.ceil((from + size) / side)));
  const name = [top, bottom, left, right].join();
  loaded.near ??= { edges: Int32Array.from({ length: matrix.ranks + 1 }, (_, i) => i), exact: true };
  if (loaded.near.name === name) return loaded.near;
  const wanted = [];
  for (let row = top; row < bottom; row++) for (let column = left; column < right; column++) wanted.push([row, column, tileAt(matrix, row, column)]);
  if (wanted.some(([, , tile]) => !tile.codes)) return null;
  const width = (right - left) * side, codes = new Int8Array(width * (bottom - top) * side);
  for (const [row, column, tile] of wanted) for (let line = 0; line < side; line++) {
    codes.set(tile.codes.subarray(line * side, (line + 1) * side), ((row - top) * side + line) * width + (column - left) * side);
  }
  return Object.assign(loaded.near, { name, first: [top * side, left * side], width }, planesOf(codes));
}

// Seconds of a link, -outcome if it failed, -Infinity if it was not measured; undefined if that is not known, or not yet.
function secondsOf(from, to) {
  const matrix = matrixOfTiles();
  if (!matrix) return undefined;
  const { side } = tiles, tile = tileAt(matrix, Math.floor(from / side), Math.floor(to / side));
  tile.wantSeconds();
  return tile.seconds?.[(from % side) * side + to % side];
}
function outcomeOf(seconds) { // 255: not measured
  if (seconds === undefined) return undefined;
  if (seconds > 0) return 0;
  return Number.isFinite(seconds) ? -seconds : 255;
}

$("tilesPart").hidden = !data.tiles || data.served;
$("tiles").onchange = (event) => {
  const [file] = event.target.files;
  if (file) openTiles((begin, end) => file.slice(begin, end).arrayBuffer()).catch((error) => say(`${file.name} ${error.message}`));
};
async function served(begin, end) {
  const answer = await fetch("tiles", { headers: { Range: `bytes=${begin}-${end - 1}` } });
  if (answer.status !== 206) throw new Error("everylink view does not answer as it should");
  return answer.arrayBuffer();
}
