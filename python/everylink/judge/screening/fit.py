"""Estimates what hosts, groups of hosts and ways between groups add to the readings of a screening.

log time = class + the largest of what its two ends, their groups and the way between them add + noise. The class: the
kinds of the two hosts, whether they are in one group, and how many ranks were busy. A message is as slow as its slowest
part, so a low quantile over the partners of a host is its own: two thirds of these may be slow, or behind slow ways.
Parts are looked for from the largest to the smallest, and each time in what is left: groups, ways, hosts.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from everylink.judge.kinds import APART, SAME, Kinds, classes_of, seen_kinds, told_kinds
from everylink.judge.polish import with_spread
from everylink.judge.screening.readings import FULL, LOADS, QUARTER_BUSY, Index, Mask, ScreenReadings, Values
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.robust import (
    FALSE_RATE,
    LOW,
    LOW_ERROR,
    MEDIAN_ERROR,
    apart_spread,
    discoveries,
    healthy_spread,
    known_sample,
    low_index,
    medians_of,
    moderated,
    sorted_within,
    spread,
)

PASSES = 2
FEWEST = 3  # readings of a host, without which nothing is said of it
SMALLEST_OF_HOST, SMALLEST_OF_GROUP, SMALLEST_OF_WAY = 0.04, 0.06, 0.06  # log of the factor
SUSPECT_Z, SUSPECT_EFFECT = 3.0, 0.025
CERTAIN = 5.0  # standard errors of a group or way
MOST_SUSPECTS = 20  # groups or ways of a level that are not sure
MOSTLY = 0.75  # of the hosts of a group, or of the readings of a way, that must be slow
SHOWN = 0.5  # part of the effect from which one of them counts as slow
FEWEST_HOSTS, FEWEST_GROUPS = 3, 4  # of a group; that are compared: of three one may be further away
FEWEST_OF_WAY = 8  # readings
LONG_Z, SMALLEST_LONG = 6.0, 0.07  # standard deviations, and log of the factor, above which a reading is long
LOW_PARTS = (0.08, 0.15, 0.25, LOW)  # quantiles of the readings of a host, of which two in a row tell its class
AGREE = 0.9  # of the hosts must be in the same class by two quantiles
FEWEST_FRESH = 8  # healthy readings of a class with a quarter of the ranks busy, or few
SHARED = 0.1  # log of the factor of links under full load, or their noise, from which what shares ways may look slow
QUIET = 0.05  # noise of readings with a quarter of the ranks busy, above which they prove nothing
FEWEST_OF_PLACE = 12  # readings between ranks of two places


@dataclass(frozen=True)
class Level:
    """Groups of hosts behind one switch, on one level of the switches: `of_host` [hosts], `names` of the switches."""

    of_host: Index
    names: tuple[str, ...]

    @cached_property
    def sizes(self) -> Index:
        return np.bincount(self.of_host, minlength=len(self.names))


def levels_of(grouping: Grouping | None, hosts: int) -> tuple[Level, ...]:
    """The lowest first; none where no groups were given. A host without a group has one of its own, without a name."""
    if grouping is None:
        return ()
    group_of = grouping.group_of
    alone = np.flatnonzero(group_of < 0)
    levels = []
    for of_group, names in ((np.arange(len(grouping.names)), grouping.names), *grouping.above):
        of_host = np.where(group_of < 0, 0, of_group[np.maximum(group_of, 0)])
        of_host[alone] = len(names) + np.arange(len(alone))
        levels.append(Level(of_host, (*names, *("" for _ in alone))))
    return tuple(levels)


@dataclass(frozen=True)
class Ends:
    """What each end adds, log of the factor, its score, and the number of its readings under load; [ends] each."""

    effect: Values
    z: Values
    readings: Index

    @property
    def bad(self) -> Mask:
        return discoveries(self.z, FALSE_RATE) & (self.effect > SMALLEST_OF_HOST)

    @property
    def suspect(self) -> Mask:
        with np.errstate(invalid="ignore"):
            return (self.z > SUSPECT_Z) & (self.effect > SUSPECT_EFFECT)


@dataclass(frozen=True)
class Slow:
    """A group all of whose links with others are slow, or a way between two groups.

    `groups`: the number of the one, or of the two, the smaller first, on a `level`, from the lowest one. `fresh`: the
    lower median of `fresh_readings`, log of the factor. `inside`: the median of the inner readings of a group,
    likewise; NaN: too few. `is_sure`: whether noise hardly explains it; otherwise it is suspect.
    """

    level: int
    groups: tuple[int, ...]
    effect: float
    z: float
    readings: int
    fresh: float
    fresh_readings: int
    is_sure: bool
    inside: float = np.nan


@dataclass(frozen=True)
class Fit:
    """`rest` [readings]: log of the factor against the class; `explained`: what groups and ways add to it.

    `noise` [readings]: the standard deviation of healthy ones of this class. `typical` [kinds, kinds, distances]: log
    seconds of links under load. `distance` [readings]: the lowest level on which both hosts are in one group; the
    number of levels where there is none. `is_known` [readings]: whether enough healthy ones of the class were measured
    to compare with; always under load. `of_places`: the numbers of places of two ranks with what they add, log of the
    factor. `under_load`: what links of the longest distance take longer under load than with a quarter of the ranks
    busy, log of the factor; 0 where that is not known.
    """

    rest: Values
    noise: Values
    typical: Values
    distance: Index
    is_known: Mask
    kinds: Kinds
    levels: tuple[Level, ...]
    ends: Ends
    groups: tuple[Slow, ...] = ()
    ways: tuple[Slow, ...] = ()
    explained: Values = field(default_factory=lambda: np.zeros(0))
    under_load: float = 0.0
    of_places: tuple[Index, Values] = (np.zeros(0, np.int64), np.zeros(0))

    @property
    def left(self) -> Values:
        """What neither groups nor ways explain, log of the factor."""
        return self.rest - self.explained

    def shares_ways(self, seen: ScreenReadings) -> bool:
        """Whether messages collide where all ranks are busy, or a quarter of them."""
        return max(self.under_load, self.noise_under_load()) > SHARED or self.fresh_noise(seen.is_fresh) > QUIET

    def noise_under_load(self) -> float:
        return float(np.median(self.noise)) if len(self.noise) else 0.0

    def fresh_noise(self, is_fresh: Mask) -> float:
        """The noise of fresh readings; 0 without any."""
        known = self.noise[is_fresh & self.is_known]
        return float(np.median(known)) if len(known) else 0.0

    def is_long(self) -> Mask:
        """[readings]: far longer than groups and ways explain."""
        return self.left > np.maximum(LONG_Z * self.noise, SMALLEST_LONG)


def kinds_of_screening(results: Results, screened: list[ScreenReadings], levels: tuple[Level, ...]) -> Kinds:
    """What the hosts say of their adapters; otherwise classes in the times of the largest size that shows any."""
    told = told_kinds(results)
    if told is not None:
        return told
    by_size = (_seen_classes(seen, levels) for seen in reversed(screened))
    return seen_kinds(itertools.islice((classes for classes in by_size if classes is not None), 1), results.facts.hosts)


def _seen_classes(seen: ScreenReadings, levels: tuple[Level, ...]) -> Index | None:
    """As kinds.seen_classes: a low quantile of a host's readings is what it can do. Two quantiles must agree, because
    one may lie between links of different length. Hosts of a slow class are slow among themselves, too."""
    used = seen.is_full & (_distance(seen, levels) == len(levels))
    one, other, time = seen.one[used], seen.other[used], seen.time[used]
    before = None
    for part in LOW_PARTS:
        capacity, count = quantiles(np.concatenate([one, other]), np.tile(time, 2), seen.hosts, part)
        capacity[count < FEWEST] = np.nan
        classes = classes_of(capacity)
        if classes is not None:
            classes = _with_outliers(classes, capacity)
            if (
                before is not None
                and np.mean(before == classes) >= AGREE
                and _are_slow(one, other, time, classes, capacity)
            ):
                return before
        before = classes
    return None


def _are_slow(one: Index, other: Index, time: Values, classes: Index, capacity: Values) -> bool:
    """Whether the hosts of each class are as slow among themselves."""
    for number in range(1, int(classes.max()) + 1):
        own = classes == number
        among = time[own[one] & own[other]]
        if not len(among) or np.median(among) < np.median(capacity[own]) - SAME:
            return False
    return True


def _with_outliers(classes: Index, capacity: Values) -> Index:
    """The classes, with outliers in the slowest class that is faster than they are, else in the slowest one: a bad host
    is slower than its equals."""
    numbers = np.arange(1, int(classes.max()) + 1)
    middle = np.array([np.median(capacity[classes == number]) for number in numbers])
    apart = np.abs(capacity - middle[np.maximum(classes, 1) - 1])
    classes = np.where(apart > APART, 0, classes)  # many hosts between two values may be a chain
    order = np.argsort(middle)
    place = np.searchsorted(middle[order], np.nan_to_num(capacity, nan=np.inf)) - 1
    return np.where(classes > 0, classes, numbers[order][np.maximum(place, 0)])


def fit(seen: ScreenReadings, kinds: Kinds, levels: tuple[Level, ...]) -> Fit:
    """Fit the readings of one size, of which there is at least one."""
    distance = _distance(seen, levels)
    distances = len(levels) + 1
    kind = kinds.of_host
    low, high = np.minimum(kind[seen.one], kind[seen.other]), np.maximum(kind[seen.one], kind[seen.other])
    of_class = ((low * kinds.count + high) * distances + distance) * LOADS + seen.load
    fitted = Fit(
        np.zeros(len(seen)), np.zeros(len(seen)), np.full((kinds.count, kinds.count, distances), np.nan), distance,
        np.ones(len(seen), bool), kinds, levels,
        _nothing_of(seen.count_of_ends),
    )  # fmt: skip
    healthy = np.ones(len(seen), bool)
    for _ in range(PASSES):
        fitted = _against_classes(fitted, seen, of_class, healthy)
        fitted = _with_groups(fitted, seen)
        fitted = _with_ways(fitted, seen, _at_bad_end(seen, _ends(fitted, seen)))
        fitted = replace(fitted, ends=_ends(fitted, seen))
        healthy = ~_at_bad_end(seen, fitted.ends) & (fitted.explained == 0)
    return fitted


def _distance(seen: ScreenReadings, levels: tuple[Level, ...]) -> Index:
    """[readings]: the lowest level on which both hosts are in one group, else the number of levels."""
    distance = np.full(len(seen), len(levels), np.int64)
    for number in reversed(range(len(levels))):
        of_host = levels[number].of_host
        distance[of_host[seen.one] == of_host[seen.other]] = number
    return distance


def _against_classes(fitted: Fit, seen: ScreenReadings, of_class: Index, healthy: Mask) -> Fit:
    """The rests against the medians of classes, and of places within these, of what is healthy as far as known."""
    rest, noise = np.zeros((2, len(seen)))
    is_known = np.ones(len(seen), bool)
    typical = fitted.typical.copy()
    kinds, distances = typical.shape[1:]
    beyond, usual = list[float](), dict[int, float]()
    for number in np.unique(of_class).tolist():
        own = of_class == number
        known = seen.time[own & healthy]
        pair, load = divmod(number, LOADS)
        if len(known) < (FEWEST if load == FULL else FEWEST_FRESH):
            known = seen.time[own]
            is_known[own] = load == FULL
        middle = float(np.median(known))
        usual[number] = middle
        if load == QUARTER_BUSY and is_known[own].all() and number - 1 in usual and pair % distances == distances - 1:
            beyond.append(usual[number - 1] - middle)
        rest[own] = seen.time[own] - middle
        if load == FULL:
            one, other = divmod(pair // distances, kinds)
            typical[[one, other], [other, one], pair % distances] = middle
    of_places = np.zeros(0, np.int64), np.zeros(0)
    if len(np.unique(seen.place)) > 1:
        places, added = medians_of(rest[healthy], seen.place[healthy])
        count = np.bincount(np.searchsorted(places, seen.place[healthy]), minlength=len(places))
        added = np.where(count >= FEWEST_OF_PLACE, added, 0.0)
        at = np.minimum(np.searchsorted(places, seen.place), len(places) - 1)
        rest -= np.where(places[at] == seen.place, added[at], 0.0)
        of_places = places, added
    for number in np.unique(of_class).tolist():
        own = of_class == number
        usual = rest[own & healthy] if (own & healthy).any() else rest[own]
        noise[own] = moderated(spread(usual), len(known_sample(usual)))
    return replace(
        fitted,
        rest=rest,
        noise=noise,
        typical=typical,
        is_known=is_known,
        of_places=of_places,
        under_load=float(np.median(beyond)) if beyond else 0.0,
    )


def quantiles(of: Index, values: Values, count: int, part: float = LOW) -> tuple[Values, Index]:
    """A lower quantile of the values `of` each number below `count`, in single precision, NaN without any, and how many
    there are."""
    number = np.bincount(of, minlength=count)
    there = number > 0
    found = np.full(count, np.nan)
    found[there] = sorted_within(of, values)[(np.cumsum(number) - number + low_index(number, part))[there]]
    return found, number


def _nothing_of(count: int) -> Ends:
    return Ends(np.zeros(count), np.zeros(count), np.zeros(count, np.int64))


def _at_bad_end(seen: ScreenReadings, ends: Ends) -> Mask:
    one, other = seen.ends
    bad = ends.bad
    return np.asarray(bad[one] | bad[other])


def _ends(fitted: Fit, seen: ScreenReadings) -> Ends:
    """What ends add to what is left, and their scores against how far healthy ones lie apart.

    Readings with a slow partner, or over a slow way or group, do not count where enough others are there. A slower kind
    of partners may hide what a host adds, so of its readings with each kind those that show most count.
    """
    ends = _nothing_of(seen.count_of_ends)
    one, other = (end[seen.is_full] for end in seen.ends)
    of, partner = np.concatenate([one, other]), np.concatenate([other, one])
    left = np.tile(fitted.left[seen.is_full], 2)
    is_clear = np.tile(fitted.explained[seen.is_full] == 0, 2)
    kind_of_partner = fitted.kinds.of_host[partner % seen.hosts]
    noise = fitted.noise_under_load()
    for _ in range(PASSES):
        good = is_clear & ~ends.bad[partner]
        by_kind = [
            _scored(left, of, np.asarray(kind_of_partner == kind), good, seen.count_of_ends, noise)
            for kind in range(fitted.kinds.count)
        ]
        most = np.argmax([np.nan_to_num(one.z, nan=-np.inf) for one in by_kind], axis=0)
        every = np.arange(seen.count_of_ends)
        ends = Ends(
            *(np.stack([vars(one)[name] for one in by_kind])[most, every] for name in ("effect", "z", "readings"))
        )
    return ends


def _scored(left: Values, of: Index, with_kind: Mask, good: Mask, count_of_ends: int, noise: float) -> Ends:
    """The ends by their readings with one kind of partners: by the good ones, where these are enough."""
    effect, count = quantiles(of[with_kind], left[with_kind], count_of_ends)
    good = good & with_kind
    of_good, count_of_good = quantiles(of[good], left[good], count_of_ends)
    enough = count_of_good >= FEWEST
    effect, count = np.where(enough, of_good, effect), np.where(enough, count_of_good, count)
    known = count >= FEWEST
    if not known.any():
        return Ends(np.zeros(count_of_ends), np.full(count_of_ends, np.nan), count)
    effect = np.where(known, effect - float(np.median(effect[known])), np.nan)
    error = LOW_ERROR * noise / np.sqrt(np.maximum(count, 1))
    z = effect / with_spread(error, apart_spread(effect[known]))
    return Ends(np.nan_to_num(effect), z, count)


@dataclass(frozen=True)
class _Fresh:
    """The lower median of the fresh readings of a part between healthy hosts, log of the factor; their number; and
    whether they show by themselves that a part that looks slow under load, too, is slow."""

    effect: float
    readings: int
    is_certain: bool


def _fresh_over(fitted: Fit, seen: ScreenReadings, mask: Mask, at_bad_end: Mask, under_load: float) -> _Fresh:
    used = seen.is_fresh & fitted.is_known & mask & ~at_bad_end
    own = np.sort(fitted.rest[used])
    if not len(own):
        return _Fresh(np.nan, 0, False)
    effect, noise = float(own[(len(own) - 1) // 2]), float(np.median(fitted.noise[used]))
    is_certain = effect > max(SMALLEST_OF_WAY, CERTAIN * MEDIAN_ERROR * noise / np.sqrt(len(own)))
    return _Fresh(effect, len(own), is_certain and len(own) >= FEWEST_OF_WAY and under_load > SMALLEST_OF_WAY)


def _worst(found: Iterable[Slow]) -> list[Slow]:
    """Those that are sure, and the worst of the suspects."""
    every = sorted(found, key=lambda one: -one.z)
    return [one for one in every if one.is_sure] + [one for one in every if not one.is_sure][:MOST_SUSPECTS]


def _with_groups(fitted: Fit, seen: ScreenReadings) -> Fit:
    """Groups of which nearly all hosts are slow with others, on the highest level first."""
    found: list[Slow] = []
    fitted = replace(fitted, explained=np.zeros(len(seen)))
    for number in reversed(range(len(fitted.levels))):
        of_host = fitted.levels[number].of_host
        for group in _worst(_slow_groups(fitted, seen, number)):
            found.append(group)
            leaves = np.isin(of_host[seen.one], group.groups) != np.isin(of_host[seen.other], group.groups)
            fitted = _explained(fitted, group, leaves)
    return replace(fitted, groups=tuple(found))


def _explained(fitted: Fit, slow: Slow, where: Mask) -> Fit:
    if not slow.is_sure:
        return fitted
    return replace(fitted, explained=np.where(where, np.maximum(fitted.explained, slow.effect), fitted.explained))


def _slow_groups(fitted: Fit, seen: ScreenReadings, number: int) -> Iterator[Slow]:
    level = fitted.levels[number]
    of_host, groups = level.of_host, len(level.names)
    whole = np.flatnonzero(level.sizes >= FEWEST_HOSTS)
    if len(whole) < FEWEST_GROUPS:
        return
    a, b = of_host[seen.one], of_host[seen.other]
    beyond = seen.is_full & (a != b)
    of = np.concatenate([seen.one[beyond], seen.other[beyond]])
    effect, count = quantiles(of, np.tile(fitted.left[beyond], 2), seen.hosts)
    known = count >= FEWEST
    if not known.any():
        return
    effect = effect - float(np.median(effect[known]))
    group = of_host[known]
    members, middle = medians_of(effect[known], group)
    of_group = np.full(groups, np.nan)
    of_group[members] = middle
    slow = np.bincount(group, effect[known] > SHOWN * of_group[group], groups)
    hosts = np.bincount(group, minlength=groups)
    readings = np.bincount(of_host[of], minlength=groups)
    of_one = max(spread(effect[known]), LOW_ERROR * fitted.noise_under_load() / np.sqrt(float(np.median(count[known]))))
    z = of_group / with_spread(MEDIAN_ERROR * of_one / np.sqrt(np.maximum(hosts, 1)), healthy_spread(of_group[whole]))
    whole_slow = (hosts >= FEWEST_HOSTS) & (slow >= MOSTLY * hosts) & (level.sizes >= FEWEST_HOSTS)
    with np.errstate(invalid="ignore"):
        suspect = (z > SUSPECT_Z) & (of_group > SUSPECT_EFFECT) & whole_slow
        sure = suspect & (z > CERTAIN) & (of_group > SMALLEST_OF_GROUP)
    nowhere = np.zeros(len(seen), bool)
    for one in np.flatnonzero(suspect).tolist():
        inner = fitted.rest[seen.is_full & (a == one) & (b == one)]
        inside = float(np.median(inner)) if len(inner) >= FEWEST else np.nan
        under_load = float(of_group[one])
        fresh = _fresh_over(fitted, seen, (a == one) != (b == one), nowhere, under_load)
        yield Slow(
            number, (one,), under_load, float(z[one]), int(readings[one]), fresh.effect, fresh.readings,
            bool(sure[one]) or fresh.is_certain, inside,
        )  # fmt: skip


def _with_ways(fitted: Fit, seen: ScreenReadings, at_bad_end: Mask) -> Fit:
    """Ways of which nearly all readings are slow, though no host or group at their ends is; highest level first."""
    found: list[Slow] = []
    for number in reversed(range(len(fitted.levels))):
        of_host, groups = fitted.levels[number].of_host, len(fitted.levels[number].names)
        key = way_between(of_host[seen.one], of_host[seen.other], groups)
        for way in _worst(_slow_ways(fitted, seen, number, key, at_bad_end)):
            found.append(way)
            fitted = _explained(fitted, way, key == way.groups[0] * groups + way.groups[1])
    return replace(fitted, ways=tuple(found))


def way_between(one: Index, other: Index, groups: int) -> Index:
    return np.minimum(one, other) * groups + np.maximum(one, other)


def pairs_of_hosts(seen: ScreenReadings) -> Index:
    """A number for each pair of hosts, [readings]; of a kernel that tells directions, for each link: the sender is the
    quotient by the number of hosts, and the receiver the remainder."""
    if seen.symmetric:
        return way_between(seen.one, seen.other, seen.hosts)
    return seen.one * seen.hosts + seen.other


def _slow_ways(fitted: Fit, seen: ScreenReadings, number: int, key: Index, at_bad_end: Mask) -> Iterator[Slow]:
    of_host, groups = fitted.levels[number].of_host, len(fitted.levels[number].names)
    between = of_host[seen.one] != of_host[seen.other]
    used = seen.is_full & ~at_bad_end & between & (fitted.explained == 0)
    left = fitted.left[used]
    if not len(left):
        return
    keys, middle = medians_of(left, key[used])
    at = np.searchsorted(keys, key[used])
    count = np.bincount(at, minlength=len(keys))
    slow = np.bincount(at, left > SHOWN * middle[at], len(keys))
    enough = count >= FEWEST_OF_WAY
    if enough.sum() < FEWEST_GROUPS:
        return
    middle = middle - np.median(middle[enough])
    error = MEDIAN_ERROR * medians_of(fitted.noise[used], key[used])[1] / np.sqrt(count)
    z = middle / with_spread(error, healthy_spread(middle[enough]))
    suspect = enough & (z > SUSPECT_Z) & (middle > SUSPECT_EFFECT) & (slow >= SHOWN * count)
    sure = suspect & (z > CERTAIN) & (middle > SMALLEST_OF_WAY) & (slow >= MOSTLY * count) & discoveries(z, FALSE_RATE)
    worst = np.flatnonzero(suspect)[np.argsort(-z[suspect])]
    for one in [*np.flatnonzero(sure).tolist(), *[way for way in worst.tolist() if not sure[way]][:MOST_SUSPECTS]]:
        own = at == one
        low, high = divmod(int(keys[one]), groups)
        if min(len(_hosts_of(seen, used, own, of_host, group)) for group in (low, high)) < FEWEST_HOSTS:
            continue
        under_load = float(middle[one])
        fresh = _fresh_over(fitted, seen, key == keys[one], at_bad_end, under_load)
        yield Slow(
            number, (low, high), under_load, float(z[one]), int(count[one]), fresh.effect, fresh.readings,
            bool(sure[one]) or fresh.is_certain,
        )  # fmt: skip


def _hosts_of(seen: ScreenReadings, used: Mask, own: Mask, of_host: Index, group: int) -> Index:
    """The hosts of a group in some of the readings."""
    ends = np.unique(np.concatenate([seen.one[used][own], seen.other[used][own]]))
    return np.asarray(ends[of_host[ends] == group])
