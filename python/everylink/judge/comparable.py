"""The best readings of links in a phase of `--confirm`, and how far some of them lie above those of their like."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import Found, side_of
from everylink.judge.trunks import Trunk
from everylink.judge.verdict import Side
from everylink.units import time_text

FEWEST_GOOD = 4  # good links needed for comparison
GONE = 0.35  # if less than this part of the effect remains alone, the effect needs load
LEAST_ALONE = 0.03  # log of the factor: healthy links are slower than the quickest of their like by less
HEALTHY = 0.2  # quantile of links measured alone that is healthy, though many of them were suspect
NEARLY_ALL = 0.9  # quantile of the links of a class that nothing is known against
AS_SLOW, PART_AS_SLOW = 0.3, 0.25  # part of its effect by which a pair may be slower than this part of the controls
SHOWN_ALONE = 0.5  # part of the median effect of the links of a slow part that each of them must have
USUAL_OF_SLOW = 0.25  # quantile of the times of slow links, below which a link would show it
FEWEST_ALONE, NOT_ALL = 6, 0.8  # links, alone, that tell; part of them of which a slow part slows more
ENOUGH_ALONE, WITH_ALL = 8, 0.9  # links that tell by themselves; part of them that must be slow
ENOUGH_OF_FEW = 5  # of a host with all others, if these are fewer
LEAST_BY_ITSELF = 0.05  # log of the factor that they must have
SURELY_WELL = 0.2  # part of the effect: a link that is slower by less does surely not show it
FEWEST_WELL = 2  # such links are no chance, and the whole part is then not slow,
CLEAR_ALONE = 0.15  # if its effect, log of the factor, is larger than this
LITTLE, LEAST_BEYOND_MOST = 0.09, 0.025  # log of the factor: so little must lie beyond nearly all of the class by this
OTHER_PART = 1 << 40  # no number of a bad part
FAR_BEYOND = 1 << 32  # more than any number of units
Links = list[tuple[int, int]]  # from, to


def turned(links: Links) -> Links:
    """The same the other way round."""
    return [(b, a) for a, b in links]


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
            return "measured one way, both directions are slow"
        slow, usual = (time_text(float(np.exp(log))) for log in (self.usual + self.effect, self.usual))
        return f"measured one way, {slow} in this direction and {usual} in the other"


@dataclass(frozen=True)
class BestReadings:
    """The best reading of single links in one phase of `--confirm`, [n] each: hosts or ranks, log seconds,
    and of how many readings it is the best."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float64]
    count: NDArray[np.int64]

    @property
    def none(self) -> "BestReadings":
        """Without any."""
        return BestReadings(self.frm[:0], self.to[:0], self.time[:0], self.count[:0])

    def one_way(self, effect: float, links: Links) -> OneWay | None:
        """The slow direction of these links, and its factor; None if they were not measured alone."""
        if not len(self.time):
            return None
        there, back = self.times(links), self.times(turned(links))
        both = np.isfinite(there) & np.isfinite(back)
        if not both.any():
            return None
        difference = float(np.median(there[both] - back[both]))
        side = side_of(difference, effect)
        if side == Side.BOTH:
            return OneWay(side, effect, 0.0)
        usual = float(np.median((back if difference > 0 else there)[both]))
        return OneWay(side, abs(difference), usual)

    @cached_property
    def _number(self) -> NDArray[np.int64]:
        """A number for each link, in ascending order."""
        return self.frm * FAR_BEYOND + self.to

    def places(self, links: Links) -> NDArray[np.int64]:
        """Where the readings of these links are, in ascending order; links without a reading are left out."""
        wanted = np.array(sorted({a * FAR_BEYOND + b for a, b in links}), np.int64)
        at = np.searchsorted(self._number, wanted)
        at, wanted = at[at < len(self._number)], wanted[at < len(self._number)]
        return np.asarray(at[self._number[at] == wanted])

    def links_of(self, found: Found | Trunk, group_of: NDArray[np.int64]) -> Links:
        """The link of a pair; for a host, a group or a trunk, its measured links with it, or its group, as sender."""
        if isinstance(found, Trunk):
            return self.between(np.flatnonzero(group_of == found.group), np.array(found.far))
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

    def times(self, links: Links) -> NDArray[np.float64]:
        """Log seconds of each of these links, NaN where there is no reading."""
        found = (self.places([link]) for link in links)
        return np.array([self.time[at[0]] if len(at) else np.nan for at in found])


@dataclass(frozen=True)
class Comparable:
    """What makes readings of a phase comparable, [n] each: a number for the class of the link, and for its bad part.

    The bad part: a bad host, group or rank at an end, another number where that receives; 0: none.
    """

    best: BestReadings
    of_class: NDArray[np.int64]
    part: NDArray[np.int64]

    def without(self, links: Links) -> "Comparable":
        """The same, but these links are no good ones to compare with: messages that pass a slow switch, for instance,
        are as slow as its own. Those of parts that have too few others are."""
        part, at = self.part.copy(), self.best.places(links)
        part[at] = np.where(part[at] == 0, OTHER_PART, part[at])
        return self.with_parts(part)

    def with_parts(self, part: NDArray[np.int64]) -> "Comparable":
        """The same with other bad parts, [n], in the classes where these leave enough to compare with."""
        part = part.copy()
        for number in np.unique(self.of_class).tolist():
            own = self.of_class == number
            if (part[own] == 0).sum() < FEWEST_GOOD:
                part[own] = self.part[own]
        return replace(self, part=part)

    @cached_property
    def _like(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """By class and bad part the readings, the best first."""
        order, begins = self._in_order
        first = order[begins].tolist()
        parts = np.split(self.best.time[order], begins[1:])
        return {(int(self.of_class[at]), int(self.part[at])): part for at, part in zip(first, parts, strict=False)}

    @cached_property
    def _in_order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the readings are by class, bad part and time, and where in this order each part begins."""
        order = np.lexsort((self.best.time, self.part, self.of_class))
        of_class, part = self.of_class[order], self.part[order]
        changes = (np.diff(of_class, prepend=-1) != 0) | (np.diff(part, prepend=-1) != 0)
        return order, np.flatnonzero(changes)

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        """How many better readings of its class and part there are; [n]."""
        order, begins = self._in_order
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
        return rank

    def _usual(self, of_class: int, part: int, own: NDArray[np.int64], quantile: float = HEALTHY) -> float:
        """What healthy readings take, log seconds, without these `own` ones; NaN if there are too few."""
        like = self._like.get((of_class, part), np.zeros(0))
        own = np.sort(self._rank[own[(self.of_class[own] == of_class) & (self.part[own] == part)]])
        count = len(like) - len(own)
        if count < FEWEST_GOOD:
            return np.nan
        at = quantile * (count - 1)
        wanted = np.array([int(at), min(int(at) + 1, count - 1)])
        low, high = like[wanted + np.searchsorted(own - np.arange(len(own)), wanted, "right")]
        return float(low + (high - low) * (at - int(at)))

    def are_slow(
        self, effect: float, links: Links, is_pair: bool, gone: float = GONE, unless_usual: bool = False
    ) -> bool | None:
        """Whether these links keep their effect against others of their class, which no bad end slows.

        Links of a pair that has a bad end are compared with other links of that end. None if too few are known; but a
        pair with a bad end then has no proof of its own, so False. `unless_usual`: not where a good part of the others
        take as long.
        """
        both = [*links, *turned(links)]
        beyond = ((one, self.beyond_usual(one, both, is_pair)) for one in (links, turned(links)))
        known = [(one, median) for one, median in beyond if np.isfinite(median)]
        if not known:
            return False if is_pair and bool((self.part[self.best.places(both)] > 0).any()) else None
        slow = (one for one, median in known if median >= max(gone * effect, LEAST_ALONE))
        return any(not (unless_usual and self._are_usual(one, effect)) for one in slow)

    def beyond_usual(self, links: Links, without: Links, is_pair: bool) -> float:
        """The median of what these links take beyond what is usual `without` some; NaN where that is not known."""
        own, left_out = self.best.places(links), self.best.places(without)
        of_class, part = self.of_class[own].tolist(), (self.part[own] * is_pair).tolist()
        usual = {key: self._usual(*key, left_out) for key in set(zip(of_class, part, strict=True))}
        beyond = self.best.time[own] - [usual[key] for key in zip(of_class, part, strict=True)]
        beyond = beyond[np.isfinite(beyond)]
        return float(np.median(beyond)) if len(beyond) else np.nan

    def each_beyond(self, links: Links, without: Links, quantile: float) -> NDArray[np.float64]:
        """What each of these links takes beyond a quantile of its class `without` some; NaN where that is not known."""
        left_out, usual, beyond = self.best.places(without), dict[int, float](), []
        for link in links:
            at = self.best.places([link])
            if not len(at):
                beyond.append(np.nan)
                continue
            number = int(self.of_class[at[0]])
            if number not in usual:
                usual[number] = self._usual(number, 0, left_out, quantile)
            beyond.append(float(self.best.time[at[0]]) - usual[number])
        return np.array(beyond)

    def each_beyond_healthy(self, links: Links) -> NDArray[np.float64]:
        """What each of these links takes beyond healthy ones of its class, in the slower direction; NaN where that is
        not known."""
        both = [*links, *turned(links)]
        return np.asarray(np.fmax(*(self.each_beyond(way, both, HEALTHY) for way in (links, turned(links)))))

    def slow_among(self, links: Links) -> "SlowWith":
        """How many of these links are slow, of those that could show it: not those that take as long anyway."""
        both = [*links, *turned(links)]
        slowest = SlowWith()
        for way in (links, turned(links)):
            beyond, time = self.each_beyond(way, both, HEALTHY), self.best.times(way)
            longer = beyond[beyond > LEAST_ALONE]
            if not len(longer):
                continue
            slow = beyond > max(SHOWN_ALONE * float(np.median(longer)), LEAST_ALONE)
            effect, usual = float(np.median(beyond[slow])), float(np.quantile(time[slow], USUAL_OF_SLOW))
            well = np.isfinite(beyond) & ~slow & (time < usual - SHOWN_ALONE * effect)
            if slow.sum() > slowest.slow:
                beyond_most = float(np.nanmedian(self.each_beyond(way, both, NEARLY_ALL)[slow]))
                surely = int((well & (beyond < max(SURELY_WELL * effect, LEAST_ALONE))).sum())
                seconds = float(np.median(np.exp(time[slow]) * -np.expm1(-beyond[slow])))
                slowest = SlowWith(int((slow | well).sum()), int(slow.sum()), effect, beyond_most, surely, seconds)
        return slowest

    def longer_than_usual(self, links: Links) -> tuple[float, float]:
        """How much longer these links take than what is usual, in the slower direction: log of the factor, and
        seconds."""
        longest, both = (np.nan, np.nan), [*links, *turned(links)]
        for one in (links, turned(links)):
            beyond = self.beyond_usual(one, both, False)
            if np.isfinite(beyond) and not beyond <= longest[0]:
                seconds = float(np.exp(np.median(self.best.time[self.best.places(one)])))
                longest = beyond, -seconds * float(np.expm1(-beyond))
        return longest

    def _are_usual(self, links: Links, effect: float) -> bool:
        """Whether most of these links are no slower than a good part of those of their class that have no bad end,
        such as those with hosts that are further away."""
        as_slow = []
        for at in self.best.places(links).tolist():
            like = self._like.get((int(self.of_class[at]), 0), np.zeros(0))
            if len(like) >= FEWEST_GOOD:
                as_slow.append(1 - np.searchsorted(like, self.best.time[at] - AS_SLOW * effect) / len(like))
        return bool(as_slow) and float(np.median(as_slow)) >= PART_AS_SLOW


@dataclass(frozen=True)
class SlowWith:
    """Of how many `links`, in the slower direction, how many are `slow`, and how many are surely `well`.

    `effect`: the median of the slow ones, log of the factor; `beyond_most`: likewise, beyond nearly all others of their
    class; `seconds`: how much longer they take. `enough`: links that tell by themselves.
    A slow part slows all of its links that could show it; what slows some is a part of it, or lies behind it.
    """

    links: int = 0
    slow: int = 0
    effect: float = 0.0
    beyond_most: float = 0.0
    well: int = 0
    seconds: float = 0.0
    enough: int = ENOUGH_ALONE

    @property
    def all(self) -> bool:
        """Whether they tell by themselves that the part is slow: nearly all are, and more than others of their class
        differ."""
        return self.may_be_all and self.beyond_most >= LEAST_ALONE

    @property
    def may_be_all(self) -> bool:
        """Whether nearly all are slow, but perhaps no more than others of their class differ."""
        is_all = self.slow >= WITH_ALL * self.links and not self._has_well
        return self.links >= self.enough and is_all and self.effect >= LEAST_BY_ITSELF

    @property
    def z(self) -> float:
        """A score: healthy links differ by less than LEAST_ALONE."""
        return self.effect / LEAST_ALONE * float(np.sqrt(self.links))

    @property
    def is_usual(self) -> bool:
        """Whether they are hardly slower than others of their class differ."""
        is_little = 0 < self.effect < LITTLE and self.beyond_most < LEAST_BEYOND_MOST
        return self.links >= ENOUGH_ALONE and is_little

    @property
    def some(self) -> bool:
        """Whether enough others, which could show it, are well."""
        return self.links >= FEWEST_ALONE and self.slow < NOT_ALL * self.links

    @property
    def is_no_end(self) -> bool:
        """Likewise of a host or rank, all messages of which pass it: a few tell."""
        return self.some or (self.links >= FEWEST_ALONE and self._has_well)

    @property
    def _has_well(self) -> bool:
        """Whether a few are so clearly well that they are no chance: those behind the same switch, for instance."""
        return self.effect > CLEAR_ALONE and self.well >= FEWEST_WELL
