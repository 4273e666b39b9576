"""Finds groups whose ways to others carry less than those of equal groups under equal load.

Where a leaf switch spreads messages over all of its uplinks, or draws one anew for each, no pair of hosts is slow by
itself when one uplink is: all hosts of the leaf are a little slower with other groups while all measure, and alone as
fast as others. So are those of a leaf that more of the pairs of a step happen to leave. Hence links are compared with
those of other groups in steps in which as many pairs left the groups at their ends.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import FEWEST_HOSTS, Effects
from everylink.judge.polish import LEAST_SPREAD
from everylink.judge.readings import Readings
from everylink.model.results import Size
from everylink.model.rows import MAIN, ORDER, Outcome, Rows, joined
from everylink.robust import MEDIAN_ERROR, Values

FEWEST_EQUALS = 3  # other groups of as many hosts of the same kind
FEWEST_EQUAL_HOSTS = 24  # in groups that are compared: with fewer, chance decides which pairs share their ways
SMALLEST, CERTAIN = 0.015, 7.0  # log of the factor, and its score from the scatter of hosts
APART = 1.5  # times as far from the others as these are from each other
IN_MAIN, SCORE_IN_MAIN = 0.3, 6.0  # part of the effect, and score, in the main order alone
SUM, NARROWEST = 0.0, 1.0  # how much of what a link takes longer is due to the end that more pairs leave, beyond a half
MODELS = (SUM, NARROWEST)
MOST_HOSTS = 1024  # of more, the rows of all links would have to be held
TINY = 1e-9  # of all squares, added to those of each host, so that there is one solution
LEVELS = 32  # of load, at most
Index = NDArray[np.int64]


@dataclass(frozen=True)
class LoadedGroup:
    """A group that is slower than its equals under equal load; `effect`: log of the factor; `links`: number of rows."""

    group: int
    effect: float
    z: float
    links: int


@dataclass(frozen=True)
class _Links:
    """Rows between hosts of different groups, one entry each.

    `a`, `b`: the hosts at their ends; `of_a`: 1 where more pairs leave the first one's group, 0 where fewer do, else a
    half; `like`: a number for rows under equal load, of equal kinds; `time`: log seconds.
    """

    a: Index
    b: Index
    of_a: Values
    like: Index
    time: Values

    def touching(self, group: int, group_of: Index) -> int:
        """How many rows have an end in a group."""
        return int(((group_of[self.a] == group) | (group_of[self.b] == group)).sum())


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
    equals = list(_equal_groups(effects)) if seen.hosts <= MOST_HOSTS else []
    if not equals:
        return ()
    main, drawn = (size.rows.of_attempt(attempt) for attempt in (MAIN, ORDER))
    links = _links(joined([main, drawn]), seen, effects, bad)
    if not len(links.time):
        return ()
    group_of = effects.group_of
    fits = {model: _fitted(links, seen.hosts, model) for model in MODELS}
    model = max(fits, key=lambda one: fits[one].explained)
    whole, found = _of_groups(fits[model], group_of), []
    for groups in equals:
        known = groups[np.isfinite(whole.effect[groups])]
        for group in known.tolist() if len(known) > FEWEST_EQUALS else []:
            others = known[known != group]
            more, z = whole.beyond(group, others)
            if z > CERTAIN and more > SMALLEST and more > APART * whole.scatter(others):
                found.append((LoadedGroup(group, more, z, links.touching(group, group_of)), others))
    if not found:
        return ()
    each = [_links(rows, seen, effects, bad) for rows in (main, drawn)]
    if not all(len(part.time) for part in each):
        return ()
    in_main, in_drawn = (_of_groups(_fitted(part, seen.hosts, model), group_of) for part in each)
    return tuple(one for one, others in found if _repeats(one, others, in_main, in_drawn))


def _repeats(one: LoadedGroup, others: Index, in_main: _Added, in_drawn: _Added) -> bool:
    """Whether a group is slow in the main order, and no faster than others in drawn ones, which may load it less."""
    more, z = in_main.beyond(one.group, others)
    return more > IN_MAIN * one.effect and z > SCORE_IN_MAIN and in_drawn.beyond(one.group, others)[0] > 0


def _equal_groups(effects: Effects) -> Iterator[Index]:
    """Sets of groups of as many hosts, all of one kind, which can be compared."""
    group_of, kind_of = effects.group_of, effects.equals.kind_of
    size = np.bincount(group_of)
    kinds = [np.unique(kind_of[group_of == group]).tolist() for group in range(len(size))]
    for hosts, kind in {(int(size[group]), own[0]) for group, own in enumerate(kinds) if len(own) == 1}:
        groups = np.array([group for group, own in enumerate(kinds) if size[group] == hosts and own == [kind]])
        if hosts >= FEWEST_HOSTS and hosts * len(groups) >= FEWEST_EQUAL_HOSTS and len(groups) > FEWEST_EQUALS:
            yield groups


def _links(rows: Rows, seen: Readings, effects: Effects, bad: Collection[int]) -> _Links:
    """The rows between groups, by the load of the ways at both ends.

    That is how many pairs of the step leave the group at this end by hosts that send when this one does: of each pair
    one sends first, the smaller rank in every other step.
    """
    ok = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to, step = (column[ok].astype(np.int64) for column in (rows.frm, rows.to, rows.step))
    drawn = rows.attempt[ok] == ORDER
    time, group_of = np.log(rows.median[ok].astype(np.float64)), effects.group_of
    a, b = seen.host_of[frm], seen.host_of[to]
    far = group_of[a] != group_of[b]
    frm, to, step, time, a, b, drawn = (column[far] for column in (frm, to, step, time, a, b, drawn))
    groups = int(group_of.max()) + 1
    ways = [(step * groups + group_of[end]) * 2 + smaller for end, smaller in ((a, frm < to), (b, to < frm))]
    count = np.bincount(np.concatenate(ways))
    count = count * min(LEVELS, int(count.max(initial=1))) // max(int(count.max(initial=1)), 1)
    one, other = (count[way] for way in ways)
    base = int(count.max(initial=0)) + 1
    like = (effects.class_number(a, b) * base + np.minimum(one, other)) * base + np.maximum(one, other)
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
    normal = _summed(pairs, hosts**2).reshape(hosts, hosts) - of_like.T @ (of_like / count[:, None])
    right = _summed([(end, part * rest) for end, part in ends], hosts)
    added = np.linalg.solve(normal + TINY * np.trace(normal) * np.eye(hosts), right)  # what all hosts add is not known
    known = of_like.sum(axis=0) > 0
    scale = 1.0 if model == NARROWEST else 0.5  # half of the sum of both ends is what one of them adds
    return _Fitted(np.where(known, scale * added, np.nan), float(added @ right))


def _of_groups(fitted: _Fitted, group_of: Index) -> _Added:
    """Of a group the median of its hosts."""
    added = fitted.added
    groups = range(int(group_of.max()) + 1)
    effect = np.array([_median(added[group_of == group]) for group in groups])
    within = added - effect[group_of]
    scatter = max(float(np.sqrt(np.nanmean(within**2))), LEAST_SPREAD)
    return _Added(effect, MEDIAN_ERROR * scatter / np.sqrt(np.bincount(group_of)))


def _summed(parts: Iterable[tuple[Index, Values]], length: int) -> Values:
    """The sums of values by their numbers below `length`."""
    return np.asarray(sum(np.bincount(number, values, length) for number, values in parts), np.float64)


def _median(values: Values) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) >= FEWEST_HOSTS else np.nan
