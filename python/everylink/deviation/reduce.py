"""Reduces all links of a size to one matrix of blocks, in constant memory however many readings a file has.

A transient makes one link in some hundred slow, so nearly every block of a large matrix has such a link: its worst link
does not tell a slow host from a healthy one. A bad host, rank, switch or way makes whole rows or columns of a block
slow, and a bad pair all links between two hosts, so a block is shown by the medians of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.model import Deviations, Index
from everylink.deviation.planes import Planes
from everylink.deviation.scale import FAILED, LEAST_KNOWN, NOT_MEASURED, Codes, between, coded
from everylink.judge.expected import Expected
from everylink.memory import require_memory
from everylink.model.results import Ranks, Results, Size
from everylink.model.rows import MAIN, Outcome

STRIP_BYTES = 800 * 2**20  # of links held at the same time
CHUNK = 2**22  # links that are looked at together


def deviations(
    results: Results, size: Size, expected: Expected | None, blocks: Blocks, with_links: bool = False
) -> Deviations:
    """Reads the rows once for each strip of STRIP_BYTES. Without `expected`, that is the median of all links between
    hosts. Raises FileDamaged, NotEnoughMemory."""
    ranks = len(results.ranks)
    usual, planes = _Usual.of(results.ranks, size, expected), Planes(blocks)
    whole = np.empty((ranks, ranks), np.int8) if with_links else None
    for begin, end in _strips(blocks, _readings_of_a_link(size)):
        strip = _strip(size, usual, blocks.places(), begin, end)
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


@dataclass(frozen=True)
class _Usual:
    """What is expected of links, log seconds: by the judge, and of those within a host what they take at the median, on
    one NUMA node and on several."""

    expected: Expected | None
    between: float
    host_of: Index
    numa: Index
    within: NDArray[np.float64]

    @classmethod
    def of(cls, ranks: Ranks, size: Size, expected: Expected | None) -> "_Usual":
        host, numa = ranks.host_index.astype(np.int64), ranks.numa.astype(np.int64)
        several = np.bincount(host).max() > 1
        between, near, far = [], [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
        if (several and host.any()) or expected is None:
            for frm, to, log in _readings(size):
                same = (host[frm] == host[to]) & host.any()
                one = numa[frm[same]] == numa[to[same]]
                near.append(log[same][one])
                far.append(log[same][~one])
                if expected is None:
                    between.append(_middle(log[~same]))
        within = np.array([_middle(np.concatenate(far)), _middle(np.concatenate(near))])
        return cls(expected, _middle(np.array(between, np.float32)), host, numa, within)

    def log_seconds(self, frm: NDArray[np.uint32], to: NDArray[np.uint32]) -> NDArray[np.float64]:
        """NaN where it is not known."""
        log = np.full(len(frm), self.between) if self.expected is None else self.expected.log_seconds(frm, to)
        same = np.flatnonzero(self.host_of[frm] == self.host_of[to])
        if len(same) and np.isfinite(self.within).any():
            one = self.numa[frm[same]] == self.numa[to[same]]
            log[same] = self.within[one.astype(np.int64)]
        return log


def _middle(values: NDArray[np.floating]) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else np.nan


def _readings(size: Size) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]]:
    """Of the main run: from, to, log seconds."""
    for frm, to, attempt, outcome, median in size.rows.blocks("frm", "to", "attempt", "outcome", "median"):
        ok = (attempt == MAIN) & (outcome == Outcome.OK) & (median > 0)
        yield frm[ok], to[ok], np.log(median[ok])


def _strip(size: Size, usual: _Usual, place: Index, begin: int, end: int) -> Codes:
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
        known = (ordered >= LEAST_KNOWN).sum(axis=0)
        none = len(layers) - known
        low, high = (
            np.take_along_axis(ordered, np.minimum(none + half, len(layers) - 1)[None], axis=0)[0]
            for half in (np.maximum(known - 1, 0) // 2, known // 2)
        )
        middle = np.where(known > 0, between(low, high), NOT_MEASURED)
        first[part] = np.where(failed, FAILED, middle)
    return first
