"""Uses readings taken alone and one way: which direction is slow, and whether it is slow only under load."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import Found
from everylink.judge.readings import Readings
from everylink.judge.verdict import Side
from everylink.model.results import Size
from everylink.model.rows import DIRECTION, Outcome

SIDED = 0.5  # difference between directions, as a part of the effect, from which one direction is the slow one
LEAST = 0.05  # least difference, log of the factor
FEWEST_GOOD = 4  # good links needed for comparison
GONE = 0.35  # if less than this part of the effect remains alone, the effect needs load
Links = list[tuple[int, int]]  # from, to


@dataclass(frozen=True)
class Alone:
    """One-way readings of single links, [n] each: units (hosts, or ranks of one host) and log seconds."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float64]

    def side(self, effect: float, links: Links) -> Side | None:
        """The slow direction of these links; SEND: from -> to as given; None if they were not measured alone."""
        if not len(self.time):
            return None
        there, back = self._medians(links), self._medians([(b, a) for a, b in links])
        both = np.isfinite(there) & np.isfinite(back)
        if not both.any():
            return None
        difference = float(np.median(there[both] - back[both]))
        if abs(difference) < max(SIDED * effect, LEAST):
            return Side.BOTH
        return Side.SEND if difference > 0 else Side.RECEIVE

    def needs_load(self, effect: float, links: Links, bad: set[int]) -> bool:
        """Whether these links, measured alone, are as fast as links without a bad end; False if too few are known."""
        if not len(self.time):
            return False
        good = ~(np.isin(self.frm, list(bad)) | np.isin(self.to, list(bad)))
        own = np.concatenate([self._medians(links), self._medians([(b, a) for a, b in links])])
        own = own[np.isfinite(own)]
        if good.sum() < FEWEST_GOOD or not len(own):
            return False
        return bool(np.median(own) - np.median(self.time[good]) < GONE * effect)

    def links_of(self, found: Found) -> Links:
        """The link of a pair; for a host, its measured links with the host as sender."""
        if found.kind == "pair":
            a, b = found.subject
            return [(a, b)]
        (unit,) = found.subject
        partners = np.unique(np.concatenate([self.to[self.frm == unit], self.frm[self.to == unit]])).tolist()
        return [(unit, p) for p in partners]

    def between(self, own: NDArray[np.integer], far: NDArray[np.integer]) -> Links:
        """The measured links from one set of hosts to another."""
        over = np.isin(self.frm, own) & np.isin(self.to, far)
        return sorted(set(zip(self.frm[over].tolist(), self.to[over].tolist(), strict=True)))

    def _medians(self, links: Links) -> NDArray[np.float64]:
        found = [self.time[(self.frm == a) & (self.to == b)] for a, b in links]
        return np.array([np.median(times) if len(times) else np.nan for times in found])


def measured_alone(size: Size, seen: Readings) -> Alone:
    """The readings of one size with attempt DIRECTION."""
    rows = size.rows.of_attempt(DIRECTION)
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (seen.host_of[ranks[good].astype(np.int64)] for ranks in (rows.frm, rows.to))
    return Alone(frm, to, np.log(rows.median[good].astype(np.float64)))
