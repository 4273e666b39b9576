"""Uses readings taken alone and one way: which direction is slow, and whether it is slow only under load."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import Findings, Found
from everylink.judge.readings import Readings
from everylink.judge.trunks import Trunk
from everylink.judge.verdict import Side
from everylink.model.results import Size
from everylink.model.rows import ONE_WAY, Outcome
from everylink.units import time_text

SIDED = 0.5  # difference between directions, as a part of the effect, from which one direction is the slow one
LEAST = 0.05  # least difference, log of the factor
FEWEST_GOOD = 4  # good links needed for comparison
GONE = 0.35  # if less than this part of the effect remains alone, the effect needs load
HEALTHY = 0.2  # quantile of links measured alone that is healthy, though many of them were suspect
FAR_BEYOND = 1 << 32  # more than any number of units
Links = list[tuple[int, int]]  # from, to


@dataclass(frozen=True)
class OneWay:
    """The slow direction of links measured alone; SEND: from -> to as given. `effect`: log of its factor.

    Where one direction is slow, the other one of the same links is what it is compared with: `usual` log seconds. A
    round trip has half of each, so it shows less. Where both are, `effect` is that of the round trip.
    """

    side: Side
    effect: float
    usual: float

    def __str__(self) -> str:
        if self.side == Side.BOTH:
            return "slow in both directions when measured one way"
        slow, usual = (time_text(float(np.exp(log))) for log in (self.usual + self.effect, self.usual))
        return f"{slow} in that direction alone, {usual} in the other"


@dataclass(frozen=True)
class Alone:
    """The best one-way reading of single links, [n] each: units (hosts, or ranks of one host) and log seconds."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float64]

    def one_way(self, effect: float, links: Links) -> "OneWay | None":
        """The slow direction of these links, and its factor; None if they were not measured alone."""
        if not len(self.time):
            return None
        there, back = self._medians(links), self._medians([(b, a) for a, b in links])
        both = np.isfinite(there) & np.isfinite(back)
        if not both.any():
            return None
        difference = float(np.median(there[both] - back[both]))
        if abs(difference) < max(SIDED * effect, LEAST):
            return OneWay(Side.BOTH, effect, 0.0)
        side = Side.SEND if difference > 0 else Side.RECEIVE
        usual = float(np.median((back if difference > 0 else there)[both]))
        return OneWay(side, abs(difference), usual)

    def among(self, links: Links) -> NDArray[np.bool_]:
        """Mask of the readings of these links."""
        wanted = np.array([a * FAR_BEYOND + b for a, b in links], np.int64)
        return np.isin(self.frm * FAR_BEYOND + self.to, wanted)

    def links_of(self, found: Found, group_of: NDArray[np.int64]) -> Links:
        """The link of a pair; for a host or a group, its measured links with it as sender."""
        if found.kind == "pair":
            a, b = found.subject
            return [(a, b)]
        (unit,) = found.subject
        if found.kind == "group":
            inside = group_of == unit
            return self.between(np.flatnonzero(inside), np.flatnonzero(~inside))
        partners = np.unique(np.concatenate([self.to[self.frm == unit], self.frm[self.to == unit]])).tolist()
        return [(unit, p) for p in partners]

    def between(self, own: NDArray[np.integer], far: NDArray[np.integer]) -> Links:
        """The measured links from one set of hosts to another."""
        over = np.isin(self.frm, own) & np.isin(self.to, far)
        return sorted(set(zip(self.frm[over].tolist(), self.to[over].tolist(), strict=True)))

    def _medians(self, links: Links) -> NDArray[np.float64]:
        found = [self.time[(self.frm == a) & (self.to == b)] for a, b in links]
        return np.array([np.median(times) if len(times) else np.nan for times in found])


@dataclass(frozen=True)
class _Comparable:
    """What makes readings taken alone comparable, [n] each: a number for the class of the link, and for its bad part.

    The bad part: a bad host or group at an end, another number where that receives; 0: none.
    """

    alone: Alone
    of_class: NDArray[np.int64]
    part: NDArray[np.int64]

    def needs_load(self, effect: float, links: Links, is_pair: bool) -> bool:
        """Whether these links, measured alone, are as fast as others of their class, which no bad end slows.

        Links of a pair that has a bad end are compared with other links of that end. False if too few are known; but a
        pair with a bad end then has no proof of its own, so True.
        """
        there, back = self.alone.among(links), self.alone.among([(b, a) for a, b in links])
        slow = []
        for own in (there, back):
            beyond = []
            for which in np.flatnonzero(own).tolist():
                wanted = self.part[which] if is_pair else 0
                like = ~there & ~back & (self.of_class == self.of_class[which]) & (self.part == wanted)
                if like.sum() >= FEWEST_GOOD:
                    beyond.append(self.alone.time[which] - np.quantile(self.alone.time[like], HEALTHY))
            slow += [float(np.median(beyond)) >= GONE * effect] if beyond else []
        if not slow:
            return is_pair and bool((self.part[there | back] > 0).any())
        return not any(slow)


def contention(findings: Findings, alone: Alone) -> frozenset[Found | Trunk]:
    """The bad groups, hosts, pairs and trunks that are slow only while others measure, and alone as fast as equals."""
    group_of = findings.effects.group_of
    of_class = findings.effects.class_number(alone.frm, alone.to)
    comparable = _Comparable(alone, of_class, _bad_parts(findings, alone))
    found = {
        one
        for one in findings.bad
        if one.kind != "rank" and comparable.needs_load(one.effect, alone.links_of(one, group_of), one.kind == "pair")
    }
    trunks = set()
    for one in findings.trunks:
        links = alone.between(np.flatnonzero(group_of == one.group), np.array(one.far))
        if comparable.needs_load(one.effect, links, False):
            trunks.add(one)
    return frozenset(found | trunks)


def _bad_parts(findings: Findings, alone: Alone) -> NDArray[np.int64]:
    part, group_of = np.zeros(len(alone.time), np.int64), findings.effects.group_of
    for group in (found.subject[0] for found in findings.bad if found.kind == "group"):
        sends, receives = group_of[alone.frm] == group, group_of[alone.to] == group
        part[sends & ~receives] = 1 + 2 * group
        part[receives & ~sends] = 2 + 2 * group
    for host in (found.subject[0] for found in findings.bad if found.kind == "host"):
        number = 1 + 2 * (len(group_of) + host)
        part[alone.frm == host] = number
        part[alone.to == host] = number + 1
    return part


def measured_alone(size: Size, seen: Readings) -> Alone:
    """The readings of one size with attempt ONE_WAY, of several the best: messages may take a longer way."""
    rows = size.rows.of_attempt(ONE_WAY)
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (seen.host_of[ranks[good].astype(np.int64)] for ranks in (rows.frm, rows.to))
    link, inverse = np.unique(frm * FAR_BEYOND + to, return_inverse=True)
    best = np.full(len(link), np.inf)
    np.minimum.at(best, inverse.reshape(-1), np.log(rows.median[good].astype(np.float64)))
    return Alone(link // FAR_BEYOND, link % FAR_BEYOND, best)
