"""What is slow in a screening: hosts, groups, ways between groups and pairs, and what fresh readings say of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from everylink.judge.polish import with_spread
from everylink.judge.screening.fit import (
    FEWEST,
    SMALLEST_LONG,
    SMALLEST_OF_GROUP,
    SMALLEST_OF_HOST,
    SMALLEST_OF_WAY,
    Ends,
    Fit,
    pairs_of_hosts,
    quantiles,
    way_between,
)
from everylink.judge.screening.readings import Index, Mask, ScreenReadings
from everylink.judge.verdict import Side
from everylink.robust import FALSE_RATE, LOW_ERROR, apart_spread, discoveries, most_of

KEPT = 0.4  # of its effect under full load, at least, with a quarter of the ranks busy
CERTAIN = 5.0  # standard errors of the fresh readings of a host
FEWEST_PARTNERS = 2  # with which a host is measured again: one may be bad itself
FEWEST_OF_PAIR = 7  # readings of it
MOST_PAIRS = 20_000
MANY_LONG = 0.03  # part of the readings: if more are long, the ways of these pairs differ by design
ALIKE, PART_ALIKE = 0.05, 0.2  # log of the factor by which effects may differ, and part of these
FEW_HOSTS, PART_OF_HOSTS = 4, 0.125  # as many others as this are slow alike, and part of all: they share a design
FEW_GROUPS, PART_OF_GROUPS = 3, 0.125
FEW_WAYS, PART_OF_WAYS = 4, 0.03
FEW_PAIRS = 3


class State(Enum):
    """What fresh readings say of a part."""

    SLOW = "slow"  # with fewer ranks busy, too
    LOAD = "load"  # not then
    UNKNOWN = "unknown"  # too few were measured


@dataclass(frozen=True)
class Part:
    """What is slow under load, or may be. `kind`: host, group, trunk or pair. `numbers`: of the host, of the group, of
    two groups, or of two hosts; groups are those of a `level`. `effect`: log of the factor under full load, and
    `fresh`, with a quarter of the ranks busy; NaN: not known.

    `partners`: with how many others a host was measured again. `by_few`: whether `fresh` and `state` are those with few
    ranks busy. `is_sure`: whether noise hardly explains it, by the readings under load or by the fresh ones.
    """

    kind: str
    numbers: tuple[int, ...]
    effect: float
    z: float
    readings: int
    fresh: float
    fresh_readings: int
    state: State
    is_sure: bool
    side: Side = Side.BOTH
    level: int = 0
    inside: float = np.nan
    partners: int = 0
    by_few: bool = False

    @property
    def needs_more(self) -> bool:
        """Whether fresh readings of it may decide."""
        if self.kind == "host" and self.is_sure and self.partners < FEWEST_PARTNERS:
            return True
        return self.fresh_readings < FEWEST

    @property
    def best_effect(self) -> float:
        """That of the fresh readings: parts were not chosen by these."""
        return self.fresh if self.state is State.SLOW else self.effect


def parts_of(fitted: Fit, seen: ScreenReadings) -> list[Part]:
    """All parts that are slow or suspect at one size, but for hosts and pairs that a larger one explains."""
    return [*_shared(fitted), *_hosts(fitted, seen), *_pairs(fitted, seen)]


def alike(parts: Sequence[Part], most: int) -> list[Part]:
    """Those that are as slow as more than `most` others."""
    effects = np.array([part.best_effect for part in parts])
    found = []
    for part in parts:
        near = np.abs(effects - part.best_effect) <= max(ALIKE, PART_ALIKE * part.best_effect)
        if near.sum() > most:
            found.append(part)
    return found


def by_design(parts: Sequence[Part], fitted: Fit, hosts: int) -> list[Part]:
    """Parts that share their slowness with so many others that the cluster must be built that way; hosts only if no
    groups were given."""
    found = []
    for level in range(len(fitted.levels)):
        groups = len(fitted.levels[level].names)
        own = [part for part in parts if part.kind == "group" and part.level == level]
        found += alike(own, max(FEW_GROUPS, int(PART_OF_GROUPS * groups)))
        own = [part for part in parts if part.kind == "trunk" and part.level == level]
        found += alike(own, max(FEW_WAYS, int(PART_OF_WAYS * groups * (groups - 1) / 2)))
    if not fitted.levels:
        found += alike([part for part in parts if part.kind == "host"], max(FEW_HOSTS, int(PART_OF_HOSTS * hosts)))
    pairs = [part for part in parts if part.kind == "pair"]
    return found + (pairs if len(pairs) > FEW_PAIRS else [])


def _state(effect: float, fresh: float, count: int, smallest: float) -> State:
    if count < FEWEST:
        return State.UNKNOWN
    return State.SLOW if fresh > max(smallest, KEPT * effect) else State.LOAD


def _fresh_of_ends(fitted: Fit, seen: ScreenReadings) -> Ends:
    """A low quantile of the fresh readings of each end with partners that are not bad, and its score against those of
    the others."""
    one, other = seen.ends
    bad = fitted.ends.bad
    used = seen.is_fresh & fitted.is_known & (fitted.explained == 0)
    left = fitted.left[used]
    of = np.concatenate([one[used], other[used]])
    good = ~np.concatenate([bad[other[used]], bad[one[used]]])
    low, count = quantiles(of[good], np.tile(left, 2)[good], seen.count_of_ends)
    known = count >= FEWEST
    if not known.any():
        return Ends(low, np.full(len(low), np.nan), count)
    noise = float(np.median(fitted.noise[used]))
    error = LOW_ERROR * noise / np.sqrt(np.maximum(count, 1))
    apart = apart_spread(low[known])
    z = np.where(known, (low - min(float(np.median(low[known])), 0.0)) / with_spread(error, apart), np.nan)
    return Ends(low, z, count)


def _hosts(fitted: Fit, seen: ScreenReadings) -> Iterator[Part]:
    ends, fresh = fitted.ends, _fresh_of_ends(fitted, seen)
    bad, is_fresh_bad = ends.bad, fresh.z > CERTAIN
    low = np.nan_to_num(fresh.effect)
    is_fresh_bad &= discoveries(fresh.z, FALSE_RATE) & (low > SMALLEST_OF_HOST)
    partners = _partners(seen)
    is_fresh_bad &= np.tile(partners, len(bad) // seen.hosts) >= FEWEST_PARTNERS
    is_fresh_bad &= ends.effect > np.maximum(SMALLEST_OF_HOST, KEPT * low)  # under load it looks slow, too
    of_host: dict[int, list[Part]] = {}
    for end in np.flatnonzero(bad | ends.suspect | is_fresh_bad).tolist():
        effect, count = float(ends.effect[end]), int(fresh.readings[end])
        median = float(fresh.effect[end]) if count else np.nan
        state = _state(effect, median, count, SMALLEST_OF_HOST)
        is_sure = bool(bad[end] or (state is State.SLOW and is_fresh_bad[end]))
        z = max(float(ends.z[end]), float(fresh.z[end])) if is_fresh_bad[end] else float(ends.z[end])
        side = Side.BOTH if seen.symmetric else Side.SEND if end < seen.hosts else Side.RECEIVE
        host = end % seen.hosts
        part = Part(
            "host", (host,), effect, z, int(ends.readings[end]), median, count, state, is_sure, side,
            partners=int(partners[host]),
        )  # fmt: skip
        of_host.setdefault(host, []).append(part)
    for parts in of_host.values():
        yield parts[0] if len(parts) == 1 else _both(parts)


def _partners(seen: ScreenReadings) -> Index:
    """With how many others each host was measured again, [hosts]."""
    again = ~seen.is_full
    ends = np.divmod(np.unique(way_between(seen.one[again], seen.other[again], seen.hosts)), seen.hosts)
    return np.bincount(np.concatenate(ends), minlength=seen.hosts)


def _both(parts: Sequence[Part]) -> Part:
    """What is slow in both directions, as one part."""
    sure = [part for part in parts if part.is_sure]
    worst = max(sure or parts, key=lambda part: part.effect)
    return replace(worst, side=Side.BOTH) if len(sure) != 1 else worst


def _shared(fitted: Fit) -> Iterator[Part]:
    """Groups, then ways."""
    for kind, smallest, found in (
        ("group", SMALLEST_OF_GROUP, fitted.groups),
        ("trunk", SMALLEST_OF_WAY, fitted.ways),
    ):
        for one in found:
            state = _state(one.effect, one.fresh, one.fresh_readings, smallest)
            yield Part(
                kind, one.groups, one.effect, one.z, one.readings, one.fresh, one.fresh_readings, state, one.is_sure,
                level=one.level, inside=one.inside,
            )  # fmt: skip


def _pairs(fitted: Fit, seen: ScreenReadings) -> Iterator[Part]:
    """Pairs with a long reading that neither their hosts nor a larger part explain."""
    long, under_load = fitted.is_long(), _unexplained(fitted, seen)
    if many_differ(fitted, seen) or not long[under_load].any():
        return
    key = pairs_of_hosts(seen)
    chosen = np.unique(key[under_load & long])
    if len(chosen) > MOST_PAIRS:
        chosen = chosen[:MOST_PAIRS]
    at = np.searchsorted(chosen, key)
    at[at == len(chosen)] = 0
    own = (chosen[at] == key) & fitted.is_known
    place, time, is_long, is_fresh = at[own], fitted.left[own], long[own], seen.is_fresh[own]
    z = time / fitted.noise[own]
    count = np.bincount(place, minlength=len(chosen))
    count_fresh = np.bincount(place, is_fresh, len(chosen)).astype(np.int64)
    count_long = np.bincount(place, is_long, len(chosen))
    order = np.lexsort((time, place))
    begin = np.cumsum(count) - count
    middle = time[order][begin + (count - 1) // 2]
    z_middle = z[order][begin + (count - 1) // 2]
    is_slow = (middle > SMALLEST_LONG) & ((count_fresh < FEWEST) | (count_long >= most_of(count)))
    for i in np.flatnonzero(is_slow).tolist():
        pair = divmod(int(chosen[i]), seen.hosts)
        is_known = count_fresh[i] >= FEWEST
        is_sure = bool(is_known and count[i] >= FEWEST_OF_PAIR)
        effect = float(middle[i])
        yield Part(
            "pair", pair, effect, float(z_middle[i]), int(count[i]), effect if is_known else np.nan,
            int(count_fresh[i]), State.SLOW if is_known else State.UNKNOWN, is_sure,
            Side.BOTH if seen.symmetric else Side.SEND,
        )  # fmt: skip


def many_differ(fitted: Fit, seen: ScreenReadings) -> bool:
    """Whether too many readings are long to judge single pairs."""
    under_load = _unexplained(fitted, seen)
    return bool(under_load.any() and fitted.is_long()[under_load].mean() > MANY_LONG)


def _unexplained(fitted: Fit, seen: ScreenReadings) -> Mask:
    """[readings]: under load, without a host that is slow or suspect, and not over anything that is slow."""
    slow = fitted.ends.bad | fitted.ends.suspect
    one, other = seen.ends
    return np.asarray(~slow[one] & ~slow[other] & (fitted.explained == 0) & seen.is_full)
