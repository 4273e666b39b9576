"""Finds groups whose ways to others, or to one other, carry less than those of equal groups under equal load.

Where a leaf switch spreads messages over all of its uplinks, or draws one anew for each, no pair of hosts is slow by
itself when one uplink is: all hosts of the leaf are a little slower with other groups while all measure, and alone as
fast as others. So are those of a leaf that more of the pairs of a step happen to leave. Hence links are compared with
those of other groups in steps in which as many pairs left the groups at their ends. A way of several cables between
two groups is the same when one of these is slow: its links are compared with those of ways between others in steps in
which as many pairs took it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import FEWEST_HOSTS, Effects
from everylink.judge.polish import LEAST_SPREAD
from everylink.judge.readings import Readings
from everylink.model.results import Size
from everylink.model.rows import MAIN, ORDER, Outcome, Rows, joined
from everylink.robust import MEDIAN_ERROR, Values, known_sample

FEWEST_EQUALS = 3  # other groups of as many hosts of the same kind
FEWEST_EQUAL_HOSTS, FEWEST_EQUAL_RANKS = 12, 24  # in groups that are compared: else chance decides who shares ways
SMALLEST, CERTAIN = 0.025, 7.0  # log of the factor, and its score from the scatter of hosts
APART = 1.5  # times as far from the others as these are from each other
ALIKE = 1 / 6  # part of the effect, by more of which the others differ from each other by design
FEWEST_ADAPTERS, FEWEST_EQUALS_OF_ADAPTERS = 2, 11  # of one name in a group, and other groups of as many
SMALLEST_OF_ADAPTERS, APART_OF_ADAPTERS = 0.05, 2.0  # as SMALLEST and APART
SHOWN_BY_EACH = 0.5  # part of the effect that each adapter shows
AS_MUCH, MANY_AS_MUCH = 0.7, 3  # part of what a group adds, and units of others that add as much, which are many
IN_MAIN_OF_GROUP = 0.45  # part of the effect in the main order alone, with the same score
IN_MAIN = 0.3  # likewise of a way
FEWEST_WAYS = 5  # others between groups of as many hosts of the same kind
SMALLEST_OF_WAY = 0.03  # log of the factor
APART_OF_WAY = 2.0  # times as far from the others as these are from each other
APART_IN_EACH = 1.0  # likewise, of groups and ways, in the main order, and of ways in drawn ones
LOW_OF_PAIRS = 0.1  # quantile over the pairs of a way
SUM, NARROWEST = 0.0, 1.0  # how much of what a link takes longer is due to the end that more pairs leave, beyond a half
MODELS = (SUM, NARROWEST)
MOST_HOSTS = 1024  # of more, the rows of all links would have to be held
TINY = 1e-9  # of all squares, added to those of each host, so that there is one solution
OF_ONE_CABLE = 0.44  # log of the factor: of three cables one is missing, and a little more
LEVELS = 32  # of load, at most
Index = NDArray[np.int64]
Way = tuple[int, int]  # the groups at its ends, the smaller number first


@dataclass(frozen=True)
class LoadedGroup:
    """A group, or its way to one `other`, that is slower than its equals under equal load; -1: to all.

    `effect`: log of the factor; `links`: number of rows. `among_alike`: whether its equals are alike without it; if
    not, their ways differ by design, and so may its own. `least`: what each unit of the group adds at least. `device`:
    of the group just its adapters of this name.
    """

    group: int
    effect: float
    z: float
    links: int
    other: int = -1
    among_alike: bool = True
    least: float = 0.0
    device: str = ""

    @property
    def has_fewer_cables(self) -> bool:
        """Whether a whole group carries so much less that one bad cable of three or more does not explain it; the
        adapters of one rail may share two."""
        return self.other < 0 and not self.device and self.among_alike and self.effect > OF_ONE_CABLE


@dataclass(frozen=True)
class Units:
    """What shares ways to others: hosts, or single adapters of them.

    `of_rank` [ranks]: the number of a rank's unit, -1: none. Of each unit, [units]: its host, and the groups and kinds
    of units and of their hosts; `device`: the number of its name. `fewest`: in a group that can be compared;
    `equals`: other groups, at least; `apart`: as APART.
    """

    of_rank: Index
    host: Index
    group_of: Index
    group_of_host: Index
    kind_of: Index
    device: Index
    fewest: int = FEWEST_HOSTS
    equals: int = FEWEST_EQUALS
    apart: float = APART

    @classmethod
    def of_hosts(cls, seen: Readings, effects: Effects) -> "Units":
        every, group_of = np.arange(seen.hosts), effects.group_of
        return cls(seen.host_of, every, group_of, group_of, effects.equals.kind_of, np.zeros(seen.hosts, np.int64))

    @classmethod
    def of_adapters(cls, seen: Readings, effects: Effects, device: Sequence[str]) -> "Units":
        """`device` [ranks]. Adapters of one name in the hosts of a group have a switch of their own, perhaps."""
        names, number = np.unique(np.array(device), return_inverse=True)
        each, of_rank = np.unique(seen.host_of * len(names) + number.reshape(-1), return_inverse=True)
        host, of_name = np.divmod(each, len(names))
        group = effects.group_of[host]
        of_group = np.unique(group * len(names) + of_name, return_inverse=True)[1].reshape(-1)
        named = np.array([bool(name) for name in device])
        own = np.where(named, of_rank.reshape(-1), -1)
        return cls(
            own, host, of_group, group, effects.equals.kind_of[host], of_name,
            FEWEST_ADAPTERS, FEWEST_EQUALS_OF_ADAPTERS, APART_OF_ADAPTERS,
        )  # fmt: skip

    @property
    def count(self) -> int:
        return len(self.host)

    def class_number(self, a: Index, b: Index) -> Index:
        """A number for the kinds of two units, and whether their hosts are of one group, and they of one name."""
        one, other = np.sort([self.kind_of[a], self.kind_of[b]], axis=0)
        kinds = one * (int(self.kind_of.max()) + 1) + other
        near, same = self.group_of_host[a] == self.group_of_host[b], self.device[a] == self.device[b]
        return np.asarray((kinds * 2 + near) * 2 + same)


@dataclass(frozen=True)
class _Links:
    """Rows between units of different groups, one entry each.

    `a`, `b`: the units at their ends; `of_a`: 1 where more pairs leave the first one's group, 0 where fewer do, else a
    half; `like`: a number for rows under equal load, of equal kinds; `time`: log seconds.
    """

    a: Index
    b: Index
    of_a: Values
    like: Index
    time: Values

    def touching(self, group: int, group_of: Index) -> NDArray[np.bool_]:
        """Which rows have an end in a group."""
        return np.asarray((group_of[self.a] == group) | (group_of[self.b] == group))

    def only(self, rows: NDArray[np.bool_]) -> "_Links":
        """Some of them."""
        like = np.unique(self.like[rows], return_inverse=True)[1].reshape(-1)
        return _Links(self.a[rows], self.b[rows], self.of_a[rows], like, self.time[rows])


@dataclass(frozen=True)
class _Fitted:
    """What each host adds, log of the factor [host], NaN where that is not known; `explained`: part of the sum of
    squares."""

    added: Values
    explained: float


@dataclass(frozen=True)
class _Added:
    """What each group adds to its links with others under equal load, log of the factor [group], and the standard
    error of a group by how far its hosts differ."""

    effect: Values
    error: Values

    def beyond(self, group: int, others: Index) -> tuple[float, float]:
        """How much more a group adds than others, and its score."""
        more = float(self.effect[group] - np.median(self.effect[others]))
        return more, more / float(self.error[group])

    def scatter(self, groups: Index) -> float:
        return float(np.ptp(self.effect[groups]))


def slow_at_equal_load(size: Size, seen: Readings, effects: Effects, bad: Collection[int]) -> tuple[LoadedGroup, ...]:
    """The groups that are slower than their equals, in the order of the main run and in those that `--confirm` drew.

    `bad`: hosts that are slow by themselves, whose links are left out.
    """
    return _slow(size, Units.of_hosts(seen, effects), bad)


def slow_adapters_at_equal_load(
    size: Size, seen: Readings, effects: Effects, device: Sequence[str], bad: Collection[int]
) -> tuple[LoadedGroup, ...]:
    """Likewise the adapters of one name of all hosts of a group: where each rail has switches of its own, the ways of
    these to others. Each of them is slow: one may be by itself. `device` [ranks]; nothing where hosts use one."""
    names = np.unique(np.array(device))
    if len(names) < 2:
        return ()
    units = Units.of_adapters(seen, effects, device)
    first = np.unique(units.group_of, return_index=True)[1]
    slow = _slow(size, units, np.flatnonzero(np.isin(units.host, list(bad))).tolist())
    return tuple(
        replace(one, group=int(units.group_of_host[at]), device=str(names[units.device[at]]))
        for one in slow for at in (first[one.group],)
        if one.effect > SMALLEST_OF_ADAPTERS and one.least > SHOWN_BY_EACH * one.effect
    )  # fmt: skip


def _slow(size: Size, units: Units, bad: Collection[int]) -> tuple[LoadedGroup, ...]:
    """The groups of units that are slower than their equals; `bad` units are left out."""
    equals = list(_equal_groups(units)) if units.count <= MOST_HOSTS else []
    if not equals:
        return ()
    main, drawn = (size.rows.of_attempt(attempt) for attempt in (MAIN, ORDER))
    links = _links(joined([main, drawn]), units, bad)
    if not len(links.time):
        return ()
    group_of = units.group_of
    fits = {model: _fitted(links, units.count, model) for model in MODELS}
    model = max(fits, key=lambda one: fits[one].explained)
    whole, found = _of_groups(fits[model], units), []
    for groups in equals:
        known = groups[np.isfinite(whole.effect[groups])]
        for group in known.tolist() if len(known) > units.equals else []:
            others = known[known != group]
            more, z = whole.beyond(group, others)
            beyond = fits[model].added[np.isin(group_of, others)] - np.median(whole.effect[others])
            if (beyond > AS_MUCH * more).sum() >= MANY_AS_MUCH:
                continue  # it is how these are built, or loaded
            if z > CERTAIN and more > SMALLEST and more > units.apart * whole.scatter(others):
                own = links.touching(group, group_of)
                without = _of_groups(_fitted(links.only(~own), units.count, model), units)
                alike = without.scatter(others) < max(ALIKE * more, CERTAIN * float(without.error[others].max()))
                each_adds = fits[model].added[group_of == group] - np.median(whole.effect[others])
                one = LoadedGroup(group, more, z, int(own.sum()), -1, alike, float(np.nanmin(each_adds)))
                found.append((one, others))
    if not found:
        return ()
    each = [_links(rows, units, bad) for rows in (main, drawn)]
    if not all(len(part.time) for part in each):
        return ()
    in_main, in_drawn = (_of_groups(_fitted(part, units.count, model), units) for part in each)
    return tuple(one for one, others in found if _repeats(one, others, in_main, in_drawn))


def slow_ways_at_equal_load(
    size: Size, seen: Readings, effects: Effects, bad: Collection[int]
) -> tuple[LoadedGroup, ...]:
    """The ways between two groups that are slower than those between others of as many hosts; arguments and orders as
    of slow_at_equal_load."""
    units = Units.of_hosts(seen, effects)
    equals = list(_equal_groups(units)) if units.count <= MOST_HOSTS else []
    if not equals:
        return ()
    main, drawn = (size.rows.of_attempt(attempt) for attempt in (MAIN, ORDER))
    if not len(drawn):
        return ()
    parts = [_of_ways(rows, units, bad) for rows in (joined([main, drawn]), main, drawn)]
    found = []
    for groups in equals:
        own = [way for way in parts[0] if set(way) <= set(groups.tolist()) and all(way in part for part in parts)]
        for way in own if len(own) > FEWEST_WAYS else []:
            whole, *each = (_beyond_others(way, own, part) for part in parts)
            more, scatter = whole
            is_apart = more > max(SMALLEST_OF_WAY, APART_OF_WAY * scatter)
            repeats = all(part > max(IN_MAIN * more, APART_IN_EACH * apart) for part, apart in each)
            if is_apart and repeats and _is_of_all_pairs(way, own, parts[0]):
                z = more / max(scatter / APART_OF_WAY, LEAST_SPREAD)
                found.append(LoadedGroup(way[0], more, z, parts[0][way].rows, way[1]))
    return tuple(found)


@dataclass(frozen=True)
class _OfWay:
    """What the links of a way take, the median of the log of the factor to the mean of all that have as many pairs of
    the step on their way; and of the pairs of hosts a low quantile and the median of the mean. `rows`: how many."""

    longer: float
    low_of_pairs: float
    of_pairs: float
    rows: int


def _beyond_others(way: Way, ways: Sequence[Way], of_ways: Mapping[Way, _OfWay]) -> tuple[float, float]:
    """How much longer the links of a way take than those of the others, and how far these are apart."""
    others = np.array([of_ways[one].longer for one in ways if one != way])
    return of_ways[way].longer - float(np.median(others)), float(np.ptp(others))


def _is_of_all_pairs(way: Way, ways: Sequence[Way], of_ways: Mapping[Way, _OfWay]) -> bool:
    """Whether nearly all pairs of a way take longer than the usual one of any other: not just some, which always meet
    others where routes are static."""
    return of_ways[way].low_of_pairs > max(of_ways[one].of_pairs for one in ways if one != way)


def _of_ways(rows: Rows, units: Units, bad: Collection[int]) -> dict[Way, _OfWay]:
    """Of each way between two groups; the load counts the pairs that send the same way first."""
    far = _between_groups(rows, units, bad)
    group_of, groups = units.group_of, int(units.group_of.max()) + 1
    low, high = np.sort([group_of[far.a], group_of[far.b]], axis=0)
    first = group_of[np.where(far.frm < far.to, far.a, far.b)] == low
    way = low * groups + high
    _, at, count = np.unique((far.step * 2 + first) * groups**2 + way, return_inverse=True, return_counts=True)
    like = (units.class_number(far.a, far.b) * (int(count.max(initial=0)) + 1) + count[at]) * 2 + far.drawn
    number = np.unique(like, return_inverse=True)[1].reshape(-1)
    rest = far.time - (np.bincount(number, far.time) / np.bincount(number))[number]
    hosts = len(group_of)
    pair, of_pair = np.unique(np.minimum(far.a, far.b) * hosts + np.maximum(far.a, far.b), return_inverse=True)
    each = np.bincount(of_pair, rest) / np.bincount(of_pair)
    low, high = np.sort([group_of[pair // hosts], group_of[pair % hosts]], axis=0)
    found = {}
    for number in np.unique(way).tolist():
        own, of_own = rest[way == number], each[low * groups + high == number]
        found[divmod(number, groups)] = _OfWay(
            float(np.median(own)), float(np.quantile(of_own, LOW_OF_PAIRS)), float(np.median(of_own)), len(own)
        )
    return found


def _repeats(one: LoadedGroup, others: Index, in_main: _Added, in_drawn: _Added) -> bool:
    """Whether a group is slow in the main order, and no faster than others in drawn ones, which may load it less."""
    more, z = in_main.beyond(one.group, others)
    is_apart = more > max(IN_MAIN_OF_GROUP * one.effect, APART_IN_EACH * in_main.scatter(others))
    return is_apart and z > CERTAIN and in_drawn.beyond(one.group, others)[0] > 0


def _equal_groups(units: Units) -> Iterator[Index]:
    """Sets of groups of as many units, all of one kind, which can be compared; where units have several names, also of
    one name each."""
    group_of, size = units.group_of, np.bincount(units.group_of)
    ranks = np.bincount(group_of[units.of_rank[units.of_rank >= 0]], minlength=len(size))
    kinds = [np.unique(units.kind_of[group_of == group]).tolist() for group in range(len(size))]
    name = units.device[np.unique(group_of, return_index=True)[1]]
    whole = [group for group, own in enumerate(kinds) if len(own) == 1 and size[group] >= units.fewest]
    by_kind: dict[tuple[int, ...], list[int]] = {}
    for group in whole:
        alike = (int(size[group]), kinds[group][0])
        by_kind.setdefault(alike, []).append(group)
        if units.device.any():
            by_kind.setdefault((*alike, int(name[group])), []).append(group)
    for groups in map(np.array, by_kind.values()):
        is_enough = size[groups].sum() >= FEWEST_EQUAL_HOSTS and ranks[groups].sum() >= FEWEST_EQUAL_RANKS
        if is_enough and len(groups) > units.equals:
            yield groups


@dataclass(frozen=True)
class _Far:
    """Rows between units of different groups, one entry each: ranks, units, step, log seconds, and whether the order
    was drawn anew."""

    frm: Index
    to: Index
    a: Index
    b: Index
    step: Index
    time: Values
    drawn: NDArray[np.bool_]


def _between_groups(rows: Rows, units: Units, bad: Collection[int] = ()) -> _Far:
    """Those that ended ok, without the ones of `bad` units, and those inside a host."""
    ok = (rows.outcome == Outcome.OK) & (rows.median > 0)
    ok &= (units.of_rank[rows.frm] >= 0) & (units.of_rank[rows.to] >= 0)
    frm, to, step = (column[ok].astype(np.int64) for column in (rows.frm, rows.to, rows.step))
    a, b = units.of_rank[frm], units.of_rank[to]
    far = _Far(frm, to, a, b, step, np.log(rows.median[ok].astype(np.float64)), rows.attempt[ok] == ORDER)
    kept = (units.group_of[a] != units.group_of[b]) & (units.host[a] != units.host[b])
    kept &= ~np.isin(a, list(bad)) & ~np.isin(b, list(bad))
    return _Far(*(column[kept] for column in vars(far).values()))


def _links(rows: Rows, units: Units, bad: Collection[int]) -> _Links:
    """The rows between groups, by the load of the ways at both ends.

    That is how many pairs of the step leave the group at this end by units that send when this one does: of each pair
    one sends first, the smaller rank in every other step.
    """
    far, group_of = _between_groups(rows, units), units.group_of
    frm, to, a, b, step, time, drawn = vars(far).values()
    groups = int(group_of.max()) + 1
    ways = [(step * groups + group_of[end]) * 2 + smaller for end, smaller in ((a, frm < to), (b, to < frm))]
    count = np.bincount(np.concatenate(ways))
    count = count * min(LEVELS, int(count.max(initial=1))) // max(int(count.max(initial=1)), 1)
    one, other = (count[way] for way in ways)
    base = int(count.max(initial=0)) + 1
    like = (units.class_number(a, b) * base + np.minimum(one, other)) * base + np.maximum(one, other)
    like = 2 * like + drawn
    of_a = (1 + np.sign(one - other)) / 2
    good = ~np.isin(a, list(bad)) & ~np.isin(b, list(bad))
    number = np.unique(like[good], return_inverse=True)[1].reshape(-1)
    return _Links(a[good], b[good], of_a[good], number, time[good])


def _fitted(links: _Links, hosts: int, model: float) -> _Fitted:
    """Least squares: time = that of its like + what the ends add.

    `model`: both ends add (latency does), or just the one whose way is narrower under this load (bandwidth).
    """
    count = np.bincount(links.like)
    rest = links.time - (np.bincount(links.like, links.time) / count)[links.like]
    of_a = 0.5 + model * (links.of_a - 0.5)
    ends = ((links.a, of_a), (links.b, 1 - of_a))
    of_like = _summed([(links.like * hosts + end, part) for end, part in ends], len(count) * hosts).reshape(-1, hosts)
    pairs = [(one * hosts + other, part * of_other) for one, part in ends for other, of_other in ends]
    squares = _summed(pairs, hosts**2).reshape(hosts, hosts)
    normal = squares - of_like.T @ (of_like / count[:, None])
    right = _summed([(end, part * rest) for end, part in ends], hosts)
    added = np.linalg.solve(normal + TINY * np.trace(squares) * np.eye(hosts), right)  # what all hosts add is not known
    known = of_like.sum(axis=0) > 0
    scale = 1.0 if model == NARROWEST else 0.5  # half of the sum of both ends is what one of them adds
    return _Fitted(np.where(known, scale * added, np.nan), float(added @ right))


def _of_groups(fitted: _Fitted, units: Units) -> _Added:
    """Of a group the median of its units."""
    added, group_of = fitted.added, units.group_of
    groups = range(int(group_of.max()) + 1)
    effect = np.array([_median(added[group_of == group], units.fewest) for group in groups])
    within = known_sample(added - effect[group_of])
    scatter = max(float(np.sqrt(np.mean(within**2))) if len(within) else 0.0, LEAST_SPREAD)
    return _Added(effect, MEDIAN_ERROR * scatter / np.sqrt(np.bincount(group_of)))


def _summed(parts: Iterable[tuple[Index, Values]], length: int) -> Values:
    """The sums of values by their numbers below `length`."""
    return np.asarray(sum(np.bincount(number, values, length) for number, values in parts), np.float64)


def _median(values: Values, fewest: int) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) >= fewest else np.nan
