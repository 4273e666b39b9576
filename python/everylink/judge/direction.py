"""Uses readings taken alone and one way: which direction is slow, and whether it is slow only under load."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.readings import Readings
from everylink.judge.verdict import Side
from everylink.model.results import Size
from everylink.model.rows import DIRECTION, Outcome

SIDED = 0.5  # difference between directions, as a part of the effect, from which one direction is the slow one
LEAST = 0.05  # least difference, log of the factor
FEWEST_GOOD = 4  # good links needed for comparison
GONE = 0.35  # if less than this part of the effect remains alone, the effect needs load
HEALTHY = 0.2  # quantile of links measured alone that is healthy, though many of them were suspect
FAR_BEYOND = 1 << 32  # more than any number of units
Links = list[tuple[int, int]]  # from, to


@dataclass(frozen=True)
class Known:
    """What is known to be bad: numbers of hosts and groups; `is_pair`: whether it is asked about a pair."""

    hosts: Sequence[int]
    groups: Sequence[int]
    is_pair: bool

    def part_of(self, frm: NDArray[np.int64], to: NDArray[np.int64], group_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number for the bad part that each link has, another one where that receives; 0: none."""
        part = np.zeros(len(frm), np.int64)
        for group in self.groups:
            sends, receives = group_of[frm] == group, group_of[to] == group
            part[sends & ~receives] = 1 + 2 * group
            part[receives & ~sends] = 2 + 2 * group
        for host in self.hosts:
            number = 1 + 2 * (len(group_of) + host)
            part[frm == host] = number
            part[to == host] = number + 1
        return part


@dataclass(frozen=True)
class Alone:
    """The best one-way reading of single links, [n] each: units (hosts, or ranks of one host) and log seconds."""

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

    def needs_load(self, effect: float, links: Links, known: Known, effects: Effects) -> bool:
        """Whether these links, measured alone, are as fast as others of their class, which no bad end slows.

        Links of a pair that has a bad end are compared with other links of that end. False if too few are known; but a
        pair with a bad end then has no proof of its own, so True.
        """
        there, back = self._among(links), self._among([(b, a) for a, b in links])
        part = known.part_of(self.frm, self.to, effects.group_of)
        of_class = effects.class_number(self.frm, self.to)
        slow = []
        for own in (there, back):
            beyond = []
            for which in np.flatnonzero(own).tolist():
                wanted = part[which] if known.is_pair else 0
                like = ~there & ~back & (of_class == of_class[which]) & (part == wanted)
                if like.sum() >= FEWEST_GOOD:
                    beyond.append(self.time[which] - np.quantile(self.time[like], HEALTHY))
            slow += [float(np.median(beyond)) >= GONE * effect] if beyond else []
        if not slow:
            return known.is_pair and bool((part[there | back] > 0).any())
        return not any(slow)

    def _among(self, links: Links) -> NDArray[np.bool_]:
        """Mask of the readings of these links."""
        wanted = np.array([a * FAR_BEYOND + b for a, b in links], np.int64)
        return np.isin(self.frm * FAR_BEYOND + self.to, wanted)

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
    """The readings of one size with attempt DIRECTION, of several the best: messages may take a longer way."""
    rows = size.rows.of_attempt(DIRECTION)
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (seen.host_of[ranks[good].astype(np.int64)] for ranks in (rows.frm, rows.to))
    link, inverse = np.unique(frm * FAR_BEYOND + to, return_inverse=True)
    best = np.full(len(link), np.inf)
    np.minimum.at(best, inverse.reshape(-1), np.log(rows.median[good].astype(np.float64)))
    return Alone(link // FAR_BEYOND, link % FAR_BEYOND, best)
