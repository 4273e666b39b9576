"""The links of a size, some at a time, for files that are larger than memory; and exact order statistics of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.links import pool
from everylink.model.results import LINK_BYTES, Size
from everylink.model.rows import MAIN, Outcome, Rows, chosen, joined

HELD_BYTES = 2**28  # of memory for pooled links: those of 1,300 ranks are pooled at once
HALF = 2**16  # values of half the bits of a float32
Values = NDArray[np.float32]
Stream = Callable[[], Iterable[tuple[int, Values]]]  # a class and some of its values; each call starts anew


@dataclass(frozen=True)
class LinkBlock:
    """Some links, each once: whether they failed, and one statistic in seconds, NaN where it has none."""

    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    failed: NDArray[np.bool_]
    seconds: Values


def link_blocks(size: Size, statistic: str = "median") -> Iterator[LinkBlock]:
    """All links, pooled as Size.links has them, but without all of them in memory.

    Where each link was measured once the rows are the links; else the rows are gone through once for each part of the
    senders that fits into HELD_BYTES.
    """
    if len(size.rows) * LINK_BYTES <= HELD_BYTES:
        links = size.links
        yield LinkBlock(links.frm, links.to, links.failed, links.statistic(statistic))
    elif size.measured_once:
        for frm, to, attempt, outcome, seconds in size.rows.blocks("frm", "to", "attempt", "outcome", statistic):
            kept = (attempt == MAIN) & (outcome != Outcome.LOCAL)
            failed = outcome[kept] != Outcome.OK
            yield LinkBlock(frm[kept], to[kept], failed, np.where(failed, np.float32(np.nan), seconds[kept]))
    else:
        for rows in _by_sender(size):
            links = pool(rows, size.ranks)
            yield LinkBlock(links.frm, links.to, links.failed, links.statistic(statistic))


def _by_sender(size: Size) -> Iterator[Rows]:
    """The rows of the main run in parts, those of each sender in one."""
    parts = min(-(-len(size.rows) * LINK_BYTES // HELD_BYTES), size.ranks)
    edges = np.linspace(0, size.ranks, parts + 1).round().astype(np.int64)
    names = tuple(Rows.__dataclass_fields__)
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        found = []
        for block in size.rows.blocks(*names):
            rows = Rows(*block)
            found.append(chosen(rows, (rows.frm >= begin) & (rows.frm < end) & (rows.attempt == MAIN)))
        yield joined(found)


def order_statistics(stream: Stream, classes: int, wanted: Callable[[int], Sequence[int]]) -> list[list[float]]:
    """For each class, the values at some places of its ascending order; none if the class has no values.

    `wanted` gets the number of values and returns the places, counted from 0. Values must not be negative. The stream
    is read twice, so memory does not grow with it.
    """
    counts = np.zeros((classes, HALF), np.int64)
    for number, values in stream():
        counts[number] += np.bincount(_bits(values) >> 16, minlength=HALF)
    ends = np.cumsum(counts, axis=1)
    places = [np.array(wanted(int(end[-1])) if end[-1] else (), np.int64) for end in ends]
    upper = [np.searchsorted(end, own, "right") for end, own in zip(ends, places, strict=True)]
    lower = [{int(high): np.zeros(HALF, np.int64) for high in own} for own in upper]
    for number, values in stream():
        bits = _bits(values)
        for high, of_high in lower[number].items():
            of_high += np.bincount(bits[bits >> 16 == high] & (HALF - 1), minlength=HALF)
    return [
        [
            _value(int(high), int(np.searchsorted(np.cumsum(lower[number][int(high)]), place - before, "right")))
            for place, high, before in zip(
                places[number], upper[number], _before(ends[number], upper[number]), strict=True
            )
        ]
        for number in range(classes)
    ]


def _before(ends: NDArray[np.int64], upper: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many values have smaller upper halves."""
    return np.where(upper > 0, ends[upper - 1], 0)


def _bits(values: Values) -> NDArray[np.uint32]:
    """In the same order as the values, which are 0 or more; -0.0 counts as 0."""
    return np.ascontiguousarray(np.abs(values), np.float32).view(np.uint32)


def _value(high: int, low: int) -> float:
    return float(np.array(high * HALF + low, np.uint32).view(np.float32))
