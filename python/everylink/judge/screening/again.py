"""What was measured again in a screening, pair of hosts by pair of hosts.

Readings of one pair have its ways in common, so they are one observation, and what else is on these makes a reading
longer, never shorter: the quickest one counts. What a part of the cluster adds shows in several pairs. Groups and ways
whose links share cables are compared with others of their kind that nothing is known against and that were measured in
the same way, with few ranks busy. A host must be slow with more of its partners than chance explains.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from everylink.distributions import binomial_tail
from everylink.judge.polish import with_spread
from everylink.judge.screening.fit import (
    CERTAIN,
    QUIET,
    SMALLEST_OF_GROUP,
    SMALLEST_OF_HOST,
    Fit,
    Slow,
    pairs_of_hosts,
    quantiles,
    way_between,
)
from everylink.judge.screening.parts import KEPT, Part, State
from everylink.judge.screening.readings import Index, Mask, ScreenReadings, Values
from everylink.judge.verdict import Side
from everylink.robust import MEDIAN_ERROR, spread

FEWEST_PAIRS = 3  # of a group or way
QUICK = 0.25  # part of the pairs of a group or way that may be as fast as others: all of four must be slow
FEWEST_CONTROLS = 4  # groups or ways that nothing is known against
KEPT_WITH_FEW = 0.8  # of its effect under full load; there all ways are slower, so what is slow by itself shows less
CLEAR_OF_HOST = 4.0  # times the spread of usual pairs
CHANCE = 0.002  # the probability below which chance does not explain with how many partners a host is slow


@dataclass(frozen=True)
class _Pairs:
    """Pairs of hosts, [pairs] each; of a kernel that tells directions `one` sends. `effect`: of the quickest of their
    `readings`, log of the factor against what is usual; `doubts`: how many hosts, groups and ways that look slow they
    pass."""

    one: Index
    other: Index
    effect: Values
    readings: Index
    doubts: Index


class Again:
    """What was measured again of one size."""

    def __init__(self, fitted: Fit, seen: ScreenReadings) -> None:
        self._fitted, self._seen = fitted, seen

    def decided(self, part: Part) -> Part:
        """A group, or the way between two, as readings with few ranks busy show it; unchanged where too few pairs were
        measured, of it or of others, or where these differ.

        Only pairs that pass nothing else that is doubted count.
        """
        pairs, of = self._with_few_busy, self._fitted.levels[part.level]
        ends = of.of_host[pairs.one], of.of_host[pairs.other]
        between = ends[0] != ends[1]
        key = [end[between] for end in ends] if part.kind == "group" else [way_between(*ends, len(of.names))[between]]
        value, doubts, readings = (
            np.tile(column[between], len(key)) for column in (pairs.effect, pairs.doubts, pairs.readings)
        )
        keys = np.concatenate(key)
        is_doubted = np.isin(keys, self._doubted(part))
        by_itself = doubts == is_doubted
        numbers, effect, count = _low(keys[by_itself], value[by_itself], QUICK)
        enough = count >= FEWEST_PAIRS
        usual = effect[enough & ~np.isin(numbers, keys[is_doubted])]
        own = self._number(part.numbers, part.level)
        at = np.flatnonzero(enough & (numbers == own))
        noise = spread(pairs.effect[pairs.doubts == 0])
        if not len(at) or len(usual) < FEWEST_CONTROLS or not noise < QUIET:
            return part
        fresh, error = float(effect[at[0]]), MEDIAN_ERROR * noise / np.sqrt(count[at])
        z = (fresh - max(float(usual.max()), 0.0)) / float(with_spread(error, spread(usual))[0])
        if z > CERTAIN and fresh > max(SMALLEST_OF_GROUP, KEPT_WITH_FEW * part.effect):
            state = State.SLOW
        elif fresh < max(SMALLEST_OF_GROUP, KEPT * part.effect):
            state = State.LOAD
        else:
            return part
        count_of_readings = int(readings[by_itself & (keys == own)].sum())
        return replace(
            part,
            state=state,
            fresh=fresh,
            fresh_readings=count_of_readings,
            z=max(part.z, z),
            is_sure=True,
            by_few=True,
        )

    def shows(self, host: Part) -> bool:
        """Whether a host is slow again with more of its partners than chance explains. The rate of chance is the share
        of pairs that nothing is known against, under full load too, that are as slow. Where only few such pairs were
        measured, it takes two partners; where many were, one is enough."""
        pairs, (number,) = self._of_hosts, host.numbers
        own = np.zeros(len(pairs.one), bool)
        for side, end in ((Side.SEND, pairs.one), (Side.RECEIVE, pairs.other)):
            if host.side in (side, Side.BOTH):
                own |= (end == number) & (pairs.doubts == 1)
        usual = pairs.effect[pairs.doubts == 0]
        least = max(SMALLEST_OF_HOST, KEPT * host.effect, CLEAR_OF_HOST * spread(usual))
        slow = int((pairs.effect[own] > least).sum())
        known = np.concatenate([usual, self._under_load.effect[self._under_load.doubts == 0]])
        often = (int((known > least).sum()) + 1) / (len(known) + 1)
        return float(binomial_tail(slow, int(own.sum()), often)) < CHANCE

    @cached_property
    def _with_few_busy(self) -> _Pairs:
        return self._pairs(self._seen.is_few, (*self._fitted.groups, *self._fitted.ways))

    @cached_property
    def _of_hosts(self) -> _Pairs:
        return self._pairs(~self._seen.is_full, self._sure)

    @cached_property
    def _under_load(self) -> _Pairs:
        return self._pairs(self._seen.is_full, self._sure)

    @property
    def _sure(self) -> list[Slow]:
        return [one for one in (*self._fitted.groups, *self._fitted.ways) if one.is_sure]

    def _number(self, groups: tuple[int, ...], level: int) -> int:
        """Of a group, or of the way between two, as way_between."""
        return groups[0] if len(groups) == 1 else groups[0] * len(self._fitted.levels[level].names) + groups[1]

    def _doubted(self, part: Part) -> list[int]:
        """All parts of the same kind and level that look slow, by number."""
        slow = self._fitted.groups if part.kind == "group" else self._fitted.ways
        return [self._number(one.groups, one.level) for one in slow if one.level == part.level]

    def _pairs(self, used: Mask, doubted: Sequence[Slow]) -> _Pairs:
        fitted, seen = self._fitted, self._seen
        used = used & fitted.is_known
        key, effect, count = _low(pairs_of_hosts(seen)[used], fitted.rest[used], 0.0)
        one, other = np.divmod(key, seen.hosts)
        bad = np.any((fitted.ends.bad | fitted.ends.suspect).reshape(-1, seen.hosts), axis=0)
        doubts: Index = bad.astype(np.int64)[one] + bad.astype(np.int64)[other]
        for slow in doubted:
            of_host = fitted.levels[slow.level].of_host
            first, last = np.isin(of_host[one], slow.groups), np.isin(of_host[other], slow.groups)
            crosses = first != last if len(slow.groups) == 1 else first & last & (of_host[one] != of_host[other])
            doubts += crosses
        return _Pairs(one, other, effect, count, doubts)


def _low(of: Index, values: Values, part: float) -> tuple[Index, Values, Index]:
    """The distinct numbers, ascending, a lower quantile of the values of each, and how many there are."""
    numbers, place = np.unique(of, return_inverse=True)
    return numbers, *quantiles(place, values, len(numbers), part)
