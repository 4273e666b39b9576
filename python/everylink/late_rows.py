"""Sets of links, and rows that ranks handed in late: where one is ok, what stood for it until then does not count."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.links import SMALL_TABLE, SPARSE, Index, Outcome, Rows


class LinkSet:
    """Some links by their number, from * ranks + to; quick to ask for those of many rows."""

    def __init__(self, numbers: Index, ranks: int, rows: int) -> None:
        self._ranks = ranks
        self._numbers = np.unique(numbers)
        self._table: NDArray[np.bool_] | None = None
        if len(self._numbers) and ranks**2 <= max(SMALL_TABLE, SPARSE * rows):
            self._table = np.zeros(ranks**2, bool)
            self._table[self._numbers] = True

    def of(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Of each link from `frm` to `to` whether it is one of them."""
        number = frm.astype(np.int64) * self._ranks + to
        if self._table is not None:
            return np.asarray(self._table[number])
        if not len(self._numbers):
            return np.zeros(number.shape, bool)
        at = np.minimum(np.searchsorted(self._numbers, number), len(self._numbers) - 1)
        return np.asarray(self._numbers[at] == number)


def settled(rows: Rows, ranks: int) -> Rows:
    """Leave out failed rows of which there is an ok one too: its rank was late, and stood as absent until then."""
    if not any((outcome != Outcome.OK).any() for (outcome,) in rows.blocks("outcome")):
        return rows
    failed = _turns(rows, ranks, lambda outcome: outcome != Outcome.OK)
    links = LinkSet(failed["link"], ranks, len(rows))
    ok = _turns(rows, ranks, lambda outcome: outcome == Outcome.OK, links)
    turn = ["link", "step", "attempt"]
    late = failed["row"][np.isin(failed[turn], ok[turn])] if len(ok) else failed["row"][:0]
    return rows.without(late) if len(late) else rows


def _turns(
    rows: Rows, ranks: int, wanted: Callable[[NDArray[np.uint8]], NDArray[np.bool_]], links: LinkSet | None = None
) -> NDArray[Any]:
    """Rows of which the outcome is wanted: their numbers, and what they measured."""
    kind = np.dtype([("row", np.int64), ("link", np.int64), ("step", np.uint32), ("attempt", np.uint8)])
    found, begin = [np.zeros(0, kind)], 0
    for frm, to, step, attempt, outcome in rows.blocks("frm", "to", "step", "attempt", "outcome"):
        mask = wanted(outcome)
        if links is not None:
            mask &= links.of(frm, to)
        at = np.flatnonzero(mask)
        turns = np.zeros(len(at), kind)
        turns["row"], turns["link"] = begin + at, frm[at].astype(np.int64) * ranks + to[at]
        turns["step"], turns["attempt"] = step[at], attempt[at]
        found.append(turns)
        begin += len(frm)
    return np.concatenate(found)
