"""Strips of the matrix of all links: what was read of each link, by the places of its ends in drawn order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Index
from everylink.deviation.scale import LEAST_KNOWN, NOT_MEASURED, between
from everylink.memory import require_memory
from everylink.model.results import Size
from everylink.model.rows import MAIN, Outcome

CHUNK = 2**22  # links that are looked at together
Values = NDArray[Any]
Valued = Callable[[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.float32]], Values]


@dataclass(frozen=True)
class Kind:
    """What is kept of a reading: `none` where there is none, less than `least` but more than `none` where the link
    failed, else a number; `middle` is that of two."""

    type: type[np.generic]
    none: float
    least: float
    middle: Callable[[Values, Values], Values]


CODES = Kind(np.int8, NOT_MEASURED, LEAST_KNOWN, between)
SECONDS = Kind(np.float32, -np.inf, 0, lambda low, high: (low + high) / 2)  # of a failed link -outcome


def readings_of_a_link(size: Size) -> int:
    """At most, if all links have as many."""
    return max(1, -(-len(size.rows) // max(size.ranks * (size.ranks - 1), 1)))


def strip(size: Size, place: Index, begin: int, end: int, kind: Kind, valued: Valued) -> Values:
    """All links from the places `begin` to `end`, [places, ranks]; of several readings the median.

    `valued` makes values of from, to, outcome and median, [readings] each. A link has failed if any of its readings
    did, as in model.links. Raises FileDamaged, NotEnoughMemory.
    """
    ranks = len(place)
    cells = ranks * (end - begin)
    layers: list[Values] = []
    require_memory(cells * np.dtype(kind.type).itemsize, f"to draw the links of {ranks:,} ranks")
    for frm, to, attempt, outcome, median in size.rows.blocks("frm", "to", "attempt", "outcome", "median"):
        kept = (attempt == MAIN) & (outcome != Outcome.LOCAL)
        if end - begin < ranks:
            kept &= (place[frm] >= begin) & (place[frm] < end)
        if not kept.all():
            frm, to, outcome, median = frm[kept], to[kept], outcome[kept], median[kept]
        at = (place[frm] - begin) * ranks + place[to]
        _place(layers, at, valued(frm, to, outcome, median), cells, kind)
    if not layers:
        layers.append(np.full(cells, kind.none, kind.type))
    return _medians(layers, kind).reshape(end - begin, ranks)


def _place(layers: list[Values], cells: Index, values: Values, size: int, kind: Kind) -> None:
    """Puts each value into the first layer that has none at its cell; that of a failed one into the first, for good."""
    if not layers:
        layers.append(np.full(size, kind.none, kind.type))
    failed = (values < kind.least) & (values != kind.none)
    layers[0][cells[failed]] = values[failed]
    there = layers[0][cells]
    fits = (values >= kind.least) & ((there >= kind.least) | (there == kind.none))
    if not fits.all():
        cells, values = cells[fits], values[fits]
    for left, more in _each_once(cells, values):
        for layer in layers:
            free = layer[left] == kind.none
            layer[left[free]] = more[free]
            left, more = left[~free], more[~free]
        if len(left):
            layers.append(np.full(size, kind.none, kind.type))
            layers[-1][left] = more


def _each_once(cells: Index, values: Values) -> Iterator[tuple[Index, Values]]:
    """The same in parts, in each of which no cell occurs twice."""
    ordered = np.sort(cells)
    if not (ordered[1:] == ordered[:-1]).any():
        yield cells, values
        return
    order = np.argsort(cells, kind="stable")
    cells, values = cells[order], values[order]
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    turn = np.arange(len(cells)) - np.repeat(begins, np.diff(begins, append=len(cells)))
    for which in range(int(turn.max()) + 1):
        yield cells[turn == which], values[turn == which]


def _medians(layers: list[Values], kind: Kind) -> Values:
    """The median of the values of each cell over all layers; that of a failed link where the first one has it."""
    first = layers[0]
    if len(layers) == 1:
        return first
    for part in (slice(at, at + CHUNK) for at in range(0, len(first), CHUNK)):
        failed = (first[part] < kind.least) & (first[part] != kind.none)
        ordered = np.sort(np.stack([layer[part] for layer in layers]), axis=0)
        known = (ordered >= kind.least).sum(axis=0)
        none = len(layers) - known
        low, high = (
            np.take_along_axis(ordered, np.minimum(none + half, len(layers) - 1)[None], axis=0)[0]
            for half in (np.maximum(known - 1, 0) // 2, known // 2)
        )
        middle = np.where(known > 0, kind.middle(low, high), kind.type(kind.none))
        first[part] = np.where(failed, first[part], middle)
    return first
