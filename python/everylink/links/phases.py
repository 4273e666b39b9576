"""What links took when `--confirm` measured them again, phase by phase."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Size
from everylink.model.rows import ATTEMPT_NAMES, MAIN, Outcome

COLUMNS = ("frm", "to", "attempt", "outcome", "median")


@dataclass(frozen=True)
class Phase:
    """One attempt, of some links: readings, those that failed, and the median in seconds; that of all other links that
    were measured in it is `others_seconds`. NaN without a time."""

    name: str
    readings: int
    failed: int
    seconds: float
    others_seconds: float


class Phases:
    """The readings of a size that are not of the main run."""

    def __init__(self, size: Size) -> None:
        kept: list[tuple[NDArray[np.generic], ...]] = []
        for block in size.rows.blocks(*COLUMNS):
            _, _, attempt, outcome, _ = block
            again = (attempt != MAIN) & (outcome != Outcome.LOCAL)
            kept.append(tuple(column[again] for column in block))
        columns = (np.concatenate(column) for column in zip(*kept, strict=True)) if kept else ()
        self._columns = dict(zip(COLUMNS, columns, strict=True)) if kept else {}
        self._ranks = size.ranks

    def of(self, ends: Sequence[Sequence[int]], direction: str) -> list[Phase]:
        """Of the links of the ranks of one end, or of those between two ends; `direction`: send, receive or both, seen
        from the first end."""
        if not self._columns or not len(self._columns["frm"]):
            return []
        frm, to, attempt, outcome, median = (self._columns[name] for name in COLUMNS)
        first = self._mask(ends[0])
        second = self._mask(ends[1]) if len(ends) > 1 else np.ones(self._ranks, bool)
        sent, received = first[frm] & second[to], second[frm] & first[to]
        own = {"send": sent, "receive": received}.get(direction, sent | received)
        timed = (outcome == Outcome.OK) & (median > 0)
        found = []
        for number in np.unique(attempt[own]).tolist():
            mine, others = own & (attempt == number), ~own & (attempt == number) & timed
            found.append(
                Phase(
                    ATTEMPT_NAMES[number] if number < len(ATTEMPT_NAMES) else f"attempt {number}",
                    int(mine.sum()),
                    int((mine & (outcome != Outcome.OK)).sum()),
                    _median(median[mine & timed]),
                    _median(median[others]),
                )
            )
        return found

    def _mask(self, ranks: Sequence[int]) -> NDArray[np.bool_]:
        mask = np.zeros(self._ranks, bool)
        mask[list(ranks)] = True
        return mask


def _median(seconds: NDArray[np.float32]) -> float:
    return float(np.median(seconds)) if len(seconds) else np.nan
