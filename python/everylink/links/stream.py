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
GROUPS = 4096  # of which medians are found at a time
DIGITS = (10, 11, 10)  # bits of a float32 without its sign, from the left
Values = NDArray[np.float32]
Stream = Callable[[], Iterable[tuple[int, Values]]]  # a class and some of its values; each call starts anew

Grouped = Callable[[], Iterable[tuple[NDArray[np.integer], Values]]]  # groups and their values; each call starts anew


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


def medians(stream: Grouped, groups: int) -> NDArray[np.float64]:
    """The exact median of the values of each group; NaN of a group without any. Values must not be negative.

    The stream is read three times for each GROUPS groups, so memory does not grow with it.
    """
    parts = [_medians(stream, begin, min(begin + GROUPS, groups)) for begin in range(0, groups, GROUPS)]
    return np.concatenate([np.zeros(0), *parts])


def _medians(stream: Grouped, begin: int, end: int) -> NDArray[np.float64]:
    """Those of the groups from `begin` on. The bits of both middle values are found some at a time, from the left.

    A slot stands for a group and the bits that are known so far: values that differ from these are not counted.
    """
    slot = np.tile(np.arange(end - begin), (2, 1))  # of both middle values of each group
    known, place = np.zeros(end - begin, np.int64), np.zeros((2, end - begin), np.int64)
    bits = np.zeros((2, end - begin), np.uint32)
    tables: list[NDArray[np.int32]] = []  # [slot, next bits]: the next slot; -1: no middle value is there
    for width in DIGITS:
        ends = np.cumsum(_counted(stream, begin, end, tables, slot), axis=1, dtype=np.uint32)
        if not tables:
            known = ends[:, -1].astype(np.int64)
            place = np.stack([np.maximum(known - 1, 0) // 2, known // 2])
        digit = np.zeros_like(slot)
        for which, group in np.ndindex(*slot.shape):
            row = ends[slot[which, group]]
            found = min(int(np.searchsorted(row, place[which, group], "right")), len(row) - 1)
            digit[which, group] = found
            place[which, group] -= int(row[found - 1]) if found else 0
        bits = bits << np.uint32(width) | digit.astype(np.uint32)
        kept, following = np.unique((slot << width) + digit, return_inverse=True)
        table = np.full((int(slot.max()) + 1, 1 << width), -1, np.int32)
        table.reshape(-1)[kept] = np.arange(len(kept))
        tables.append(table)
        slot = following.reshape(slot.shape)
    return np.where(known > 0, bits.view(np.float32).astype(np.float64).mean(axis=0), np.nan)


def _counted(
    stream: Grouped, begin: int, end: int, tables: Sequence[NDArray[np.int32]], slot: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """[slot, next bits]: how many values there are."""
    width = DIGITS[len(tables)]
    counts = np.zeros(((int(slot.max()) + 1), 1 << width), np.uint32)
    for group, values in stream():
        mine = (group >= begin) & (group < end)
        at, bits, left = (group[mine] - begin).astype(np.int64), _bits(values[mine]), sum(DIGITS)
        for known, table in zip(DIGITS, tables, strict=False):
            left -= known
            at = table[at, (bits >> left) & ((1 << known) - 1)].astype(np.int64)
            at, bits = at[at >= 0], bits[at >= 0]
        digit = (bits >> (left - width)) & ((1 << width) - 1)
        np.add.at(counts.reshape(-1), (at << width) + digit, np.uint32(1))
    return counts


def _before(ends: NDArray[np.int64], upper: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many values have smaller upper halves."""
    return np.where(upper > 0, ends[upper - 1], 0)


def _bits(values: Values) -> NDArray[np.uint32]:
    """In the same order as the values, which are 0 or more; -0.0 counts as 0."""
    return np.ascontiguousarray(np.abs(values), np.float32).view(np.uint32)


def _value(high: int, low: int) -> float:
    return float(np.array(high * HALF + low, np.uint32).view(np.float32))
