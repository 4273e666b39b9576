"""Strips of the matrix of all links: what was read of each link, by the places of its ends in drawn order."""

from collections.abc import Callable
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
    require_memory(cells * np.dtype(kind.type).itemsize, f"to draw the links of {ranks:,} ranks")
    layers = _Layers(cells, kind)
    for frm, to, attempt, outcome, median in size.rows.blocks("frm", "to", "attempt", "outcome", "median"):
        kept = (attempt == MAIN) & (outcome != Outcome.LOCAL)
        if end - begin < ranks:
            kept &= (place[frm] >= begin) & (place[frm] < end)
        if not kept.all():
            frm, to, outcome, median = frm[kept], to[kept], outcome[kept], median[kept]
        layers.add((place[frm] - begin) * ranks + place[to], valued(frm, to, outcome, median))
    return _medians(layers.layers, kind).reshape(end - begin, ranks)


class _Layers:
    """The values of cells, the n-th of each in the n-th layer; that of a failed one in the first, for good.

    Of few layers it is counted which have a value at a cell: a number for each cell would take several times the
    memory of a layer.
    """

    FEW = 8

    def __init__(self, cells: int, kind: Kind) -> None:
        self._cells, self._kind = cells, kind
        self.layers = [self._empty()]
        self._filled: NDArray[np.uint32] | None = None  # by cell, how many layers have a value there

    def add(self, cells: Index, values: Values) -> None:
        """Any cell may occur several times."""
        kind, first = self._kind, self.layers[0]
        failed = (values < kind.least) & (values != kind.none)
        first[cells[failed]] = values[failed]
        there = first[cells]
        fits = (values >= kind.least) & ((there >= kind.least) | (there == kind.none))
        if not fits.all():
            cells, values = cells[fits], values[fits]
        layer, cells, values = _by_turn(cells, values)
        if self._filled is None and (there == kind.none).all() and not layer.any():
            first[cells] = values
        elif len(cells):
            self._put(layer + self._filled_at(cells), cells, values)

    def _put(self, layer: Index, cells: Index, values: Values) -> None:
        while len(self.layers) <= layer.max():
            self.layers.append(self._empty())
        order = np.argsort(layer, kind="stable")
        numbers, begins = np.unique(layer[order], return_index=True)
        for number, part in zip(numbers.tolist(), np.split(order, begins[1:]), strict=True):
            self.layers[number][cells[part]] = values[part]
        if self._filled is not None:
            np.maximum.at(self._filled, cells, (layer + 1).astype(np.uint32))
        elif len(self.layers) > self.FEW:
            self._filled = self._counted(slice(None)).astype(np.uint32)

    def _filled_at(self, cells: Index) -> Index:
        return (self._counted(cells) if self._filled is None else self._filled[cells]).astype(np.int64)

    def _counted(self, cells: Index | slice) -> Index:
        return np.asarray(np.sum([layer[cells] != self._kind.none for layer in self.layers], axis=0))

    def _empty(self) -> Values:
        return np.full(self._cells, self._kind.none, self._kind.type)


def _by_turn(cells: Index, values: Values) -> tuple[Index, Index, Values]:
    """For each value how many come before it at the same cell, its cell, and the value; in any order."""
    ordered = np.sort(cells)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.zeros(len(cells), np.int64), cells, values
    order = np.argsort(cells, kind="stable")
    cells, values = cells[order], values[order]
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    return np.arange(len(cells)) - np.repeat(begins, np.diff(begins, append=len(cells))), cells, values


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
