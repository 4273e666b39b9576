"""What suspects did alone and one way: in which direction they are slow, and whether only under load."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.findings import Found
from everylink.analysis.judge.readings import Readings
from everylink.analysis.judge.verdict import Side
from everylink.links import DIRECTION, Outcome
from everylink.results import Size

SIDED = 0.5  # the difference between directions that makes one of them the slow one, in parts of the effect
LEAST = 0.05  # log of the factor, of that difference
FEWEST_GOOD = 4  # links that are not bad, to compare with
GONE = 0.35  # a part of the effect that is left alone, below which it needs load


@dataclass(frozen=True)
class Alone:
    """Readings of single links, one way: units (hosts, or ranks of one host) and log seconds, [n] each."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float64]

    def side(self, found: Found) -> Side | None:
        """The slow direction of a host or pair, of a pair `SEND`: as it stands; None where it was not measured so."""
        there, back = self._both_ways(found)
        both = np.isfinite(there) & np.isfinite(back)
        if not both.any():
            return None
        difference = float(np.median(there[both] - back[both]))
        if abs(difference) < max(SIDED * found.effect, LEAST):
            return Side.BOTH
        return Side.SEND if difference > 0 else Side.RECEIVE

    def needs_load(self, found: Found, bad: set[int]) -> bool:
        """Whether it is, alone, as fast as links that touch nothing bad; False where there are too few of them."""
        good = ~(np.isin(self.frm, list(bad)) | np.isin(self.to, list(bad)))
        there, back = self._both_ways(found)
        own = np.concatenate([there, back])
        own = own[np.isfinite(own)]
        if good.sum() < FEWEST_GOOD or not len(own):
            return False
        return bool(np.median(own) - np.median(self.time[good]) < GONE * found.effect)

    def _both_ways(self, found: Found) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Times of its links to each partner, and of theirs to it; NaN where one is missing."""
        if found.kind == "pair":
            a, b = found.subject
            return self._medians([(a, b)]), self._medians([(b, a)])
        (unit,) = found.subject
        partners = np.unique(np.concatenate([self.to[self.frm == unit], self.frm[self.to == unit]])).tolist()
        return self._medians([(unit, p) for p in partners]), self._medians([(p, unit) for p in partners])

    def _medians(self, links: list[tuple[int, int]]) -> NDArray[np.float64]:
        found = [self.time[(self.frm == a) & (self.to == b)] for a, b in links]
        return np.array([np.median(times) if len(times) else np.nan for times in found])


def measured_alone(size: Size, seen: Readings) -> Alone:
    """The readings of attempt DIRECTION of one size."""
    rows = size.rows
    good = (rows.attempt == DIRECTION) & (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (seen.host_of[ranks[good].astype(np.int64)] for ranks in (rows.frm, rows.to))
    return Alone(frm, to, np.log(rows.median[good].astype(np.float64)))
