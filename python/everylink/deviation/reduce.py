"""Reduces all links of a size to one matrix of blocks, in constant memory however many readings a file has.

A transient makes one link in some hundred slow, so nearly every block of a large matrix has such a link: its worst link
does not tell a slow host from a healthy one. A bad host, rank, switch or way makes whole rows or columns of a block
slow, and a bad pair all links between two hosts, so a block is shown by the medians of these.
"""

from collections.abc import Iterator

import numpy as np

from everylink.deviation.blocks import Blocks
from everylink.deviation.model import Deviations, Index
from everylink.deviation.planes import Planes
from everylink.deviation.scale import FAILED, NOT_MEASURED, Codes, between, coded, has_time
from everylink.deviation.usual import Usual
from everylink.memory import require_memory
from everylink.model.results import Size
from everylink.model.rows import MAIN, Outcome

STRIP_BYTES = 512 * 2**20  # of links held at the same time
CHUNK = 2**22  # links that are looked at together


def deviations(size: Size, usual: Usual, blocks: Blocks, with_links: bool = False) -> Deviations:
    """Reads the rows once for each strip of STRIP_BYTES. Raises FileDamaged, NotEnoughMemory."""
    ranks, planes = size.ranks, Planes(blocks)
    whole = np.empty((ranks, ranks), np.int8) if with_links else None
    for begin, end in _strips(blocks, _readings_of_a_link(size)):
        strip = _strip(size, usual, blocks.places, begin, end)
        if whole is not None:
            whole[begin:end] = strip
        planes.add(strip, begin)
    return planes.done(size.bytes, whole)


def _readings_of_a_link(size: Size) -> int:
    """At most, if all links have as many."""
    return max(1, -(-len(size.rows) // max(size.ranks * (size.ranks - 1), 1)))


def _strips(blocks: Blocks, readings: int) -> Iterator[tuple[int, int]]:
    """Places from and to of rows that fit into STRIP_BYTES together, whole blocks."""
    ranks, edges = int(blocks.edges[-1]), blocks.edges
    together = max(STRIP_BYTES // (ranks * readings), blocks.largest)
    begin = 0
    while begin < ranks:
        end = int(edges[np.searchsorted(edges, begin + together, "right") - 1])
        yield begin, end
        begin = end


def _strip(size: Size, usual: Usual, place: Index, begin: int, end: int) -> Codes:
    """The codes of all links from the places `begin` to `end`, [places, ranks]; of several readings the median.

    A link has failed if any of its readings did, as in model.links.
    """
    ranks = len(place)
    layers: list[Codes] = []
    require_memory(ranks * (end - begin), f"to draw the links of {ranks:,} ranks")
    for frm, to, attempt, outcome, median in size.rows.blocks("frm", "to", "attempt", "outcome", "median"):
        kept = (attempt == MAIN) & (outcome != Outcome.LOCAL)
        if end - begin < ranks:
            kept &= (place[frm] >= begin) & (place[frm] < end)
        if not kept.all():
            frm, to, outcome, median = frm[kept], to[kept], outcome[kept], median[kept]
        with np.errstate(divide="ignore", invalid="ignore"):
            codes = coded(np.where(median > 0, np.log(median), np.nan) - usual.log_seconds(frm, to))
        codes[outcome != Outcome.OK] = FAILED
        cells = (place[frm] - begin) * ranks + place[to]
        _place(layers, cells, codes, ranks * (end - begin))
    if not layers:
        return np.full((end - begin, ranks), NOT_MEASURED, np.int8)
    return _medians(layers).reshape(end - begin, ranks)


def _place(layers: list[Codes], cells: Index, codes: Codes, size: int) -> None:
    """Puts each code into the first layer that has none at its cell; FAILED into the first one, for good."""
    if not layers:
        layers.append(np.full(size, NOT_MEASURED, np.int8))
    failed = codes == FAILED
    layers[0][cells[failed]] = FAILED
    fits = ~failed & (codes != NOT_MEASURED) & (layers[0][cells] != FAILED)
    if not fits.all():
        cells, codes = cells[fits], codes[fits]
    for left, values in _each_once(cells, codes):
        for layer in layers:
            free = layer[left] == NOT_MEASURED
            layer[left[free]] = values[free]
            left, values = left[~free], values[~free]
        if len(left):
            layers.append(np.full(size, NOT_MEASURED, np.int8))
            layers[-1][left] = values


def _each_once(cells: Index, codes: Codes) -> Iterator[tuple[Index, Codes]]:
    """The same in parts, in each of which no cell occurs twice."""
    ordered = np.sort(cells)
    if not (ordered[1:] == ordered[:-1]).any():
        yield cells, codes
        return
    order = np.argsort(cells, kind="stable")
    cells, codes = cells[order], codes[order]
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    turn = np.arange(len(cells)) - np.repeat(begins, np.diff(begins, append=len(cells)))
    for which in range(int(turn.max()) + 1):
        yield cells[turn == which], codes[turn == which]


def _medians(layers: list[Codes]) -> Codes:
    """The median of the codes of each cell over all layers; FAILED where the first one says so."""
    first = layers[0]
    if len(layers) == 1:
        return first
    for part in (slice(at, at + CHUNK) for at in range(0, len(first), CHUNK)):
        failed = first[part] == FAILED
        ordered = np.sort(np.stack([layer[part] for layer in layers]), axis=0).astype(np.int16)
        known = has_time(ordered).sum(axis=0)
        none = len(layers) - known
        low, high = (
            np.take_along_axis(ordered, np.minimum(none + half, len(layers) - 1)[None], axis=0)[0]
            for half in (np.maximum(known - 1, 0) // 2, known // 2)
        )
        middle = np.where(known > 0, between(low, high), NOT_MEASURED)
        first[part] = np.where(failed, FAILED, middle)
    return first
