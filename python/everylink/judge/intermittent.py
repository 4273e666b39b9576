"""Finds hosts that are slow in a part of the steps only, which a median hides.

For each host the share of steps in which it was slow, against its equals: links of other hosts of its kind between the
same two groups, which share ways that may be busy. By the exact binomial distribution with the rate of these, and by
how far the shares of all hosts scatter around that (the empirical null of Efron 2004, on arcsines of square roots,
which stabilize the variance of shares). The larger probability counts. The worst is taken out, then the others are
looked at again, because each slow step has two ends.

Links between groups that are slow now and then for most hosts share ways that are busy: then only links inside groups
are used.

Within one pass every pair meets once, so a slow way and a slow moment look alike: only pairs that were measured in
several steps, and not slow in each, count.

A host whose slow steps come in stretches flaps: they are fewer than steps in a random order would make (the runs test
of Wald and Wolfowitz 1940).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, few_runs_chance, normal_quantile, normal_tail
from everylink.judge.contention import LEAST
from everylink.judge.effects import Effects
from everylink.judge.kinds import Equals
from everylink.judge.pairs import SMALLEST
from everylink.judge.readings import IS_MAIN, Readings
from everylink.model.results import Size
from everylink.model.rows import MAIN, QUARTER
from everylink.robust import Values, is_whole, spread

NOISES = 5.0  # standard deviations above which a reading is slow
LEAST_RATE = 5e-4  # lower bound of the rate assumed for chance
SMALLEST_SHARE = 0.03  # of a host's steps
LEAST_COST = 0.02  # part of the usual time by which its slow steps lengthen the mean of all
FEWEST_STEPS, FEWEST_SLOW, FEWEST_PARTNERS = 12, 3, 3
MORE_NOISE, MANY_FOR_MOST = 3.0, 0.04  # of links between groups: than those inside; part of the steps of most hosts
MOSTLY = 0.7  # of its steps: a host that is slow in more is slow
MOST_FOUND, MOST_TRIED = 64, 8  # hosts; the clearest ones are tried in turn
NEARLY_ALL, HARDLY_EVER = 0.75, 0.2  # of the others; part of the share of a host's steps
FALSE_RATE = 0.001
OF_ALL = 0.75  # part of the standard deviation of all hosts, a few of which may be slow now and then, too
LIKELY, MOST_SUSPECTS = 0.05, 8  # a host is a suspect if chance explains its slow steps less often than this
ENOUGH = 45  # steps of a host, of which one that is slow in 10 % has a slow one with a chance of 99 %
FEWEST_STRETCHES = 2  # of a host that flaps: with one it may have been busy for a while
IS_SCREENED = np.isin(np.arange(256), (MAIN, QUARTER))  # by the number of the attempt; in others ranks share more
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Intermittent:
    """A host that was slow in `slow` of `steps`; `factor`: log of the median slow reading over what is expected.

    `others`: the rate of slow steps of its equals; `chance`: how often such a share comes by chance. `stretches`:
    in how many rows of consecutive steps they were; 0 where that may be chance. `is_alone`: by steps in which nothing
    else was measured. `stands_out`: it was slow with nearly all others, which were hardly ever slow without it.
    """

    host: int
    slow: int
    steps: int
    factor: float
    others: float
    chance: float
    stretches: int = 0
    is_alone: bool = False
    stands_out: bool = False

    @property
    def is_costly(self) -> bool:
        """Whether its slow steps lengthen the mean of all enough to matter."""
        return bool(self.slow / self.steps * np.expm1(self.factor) >= LEAST_COST)


@dataclass(frozen=True)
class AtTimes:
    """Hosts to measure alone, because they may be slow now and then, and in how many `steps` [hosts] that could show.

    `near_only`: only links inside groups show it.
    """

    suspects: list[int]
    steps: Index
    near_only: bool


@dataclass(frozen=True)
class _Slow:
    """Slow readings, a pair of hosts and a step counted once: hosts a < b, the step, and by how much (log)."""

    a: Index
    b: Index
    step: Index
    beyond: Values


def find_intermittent(
    size: Size, seen: Readings, effects: Effects, bad: Iterable[int], pairs: Sequence[tuple[int, ...]]
) -> list[Intermittent]:
    """The hosts that are slow in more steps than chance explains, the clearest first.

    Without the `bad` hosts and the bad `pairs` of hosts, which are slow all the time, and hosts that hardly lose by it.

    Empty for runs with very many hosts, and where few steps were measured or each link once.
    """
    if not is_whole(seen.hosts) or seen.hosts < 4 or not len(seen.further.time):
        return []
    slow, steps = _slow_readings(size, seen, effects)
    slow, steps = _without(slow, steps, pairs)
    if _are_contended(slow, steps, effects):
        slow, steps = _inside_groups(slow, steps, effects.group_of)
    in_order: list[Intermittent] = []
    left = np.ones(seen.hosts, bool)
    left[list(bad)] = False
    while len(in_order) < MOST_FOUND:
        worst = _worst(slow, steps, left, effects.equals)
        if worst is None:
            break
        in_order.append(worst)
        left[worst.host] = False
    costly = (one for one in in_order if one.is_costly)
    return [replace(one, stretches=_stretches(one.host, slow, size, seen)) for one in costly]


def slow_at_times(
    size: Size, seen: Readings, effects: Effects, bad: Iterable[int], pairs: Sequence[tuple[int, ...]]
) -> AtTimes:
    """What readings under load say of hosts that may be slow now and then; arguments as of find_intermittent."""
    left = np.ones(seen.hosts, bool)
    left[list(bad)] = False
    slow, _ = _slow_readings(size, seen, effects, IS_SCREENED)
    slow, met = _without(slow, _repeated(size, seen), pairs)
    inside = _inside_groups(slow, met, effects.group_of)
    is_contended = _are_contended(slow, met, effects)
    suspects = _suspects(*(inside if is_contended else (slow, met)), left, effects.equals)
    near_only = is_contended or effects.gap > LEAST  # a way that is slow hides hosts that are
    steps = _times_among(*(inside if near_only else (slow, met)), left)[1].sum(axis=1)
    return AtTimes(suspects, np.where(left, steps, ENOUGH), near_only)


def _repeated(size: Size, seen: Readings) -> Index:
    """How many readings those links of each two hosts have that have several, [hosts, hosts]."""
    count = np.zeros(seen.ranks**2, np.int64)
    for frm, to, _ in seen.rows(size, attempts=IS_SCREENED):
        count += np.bincount(frm.astype(np.int64) * seen.ranks + to, minlength=len(count))
    link = np.flatnonzero(count > 1)
    hosts = seen.host_of[link // seen.ranks] * seen.hosts + seen.host_of[link % seen.ranks]
    there = np.bincount(hosts, count[link], seen.hosts**2).astype(np.int64).reshape(seen.hosts, seen.hosts)
    return np.maximum(there, there.T)


def _suspects(slow: _Slow, met: Index, left: NDArray[np.bool_], equals: Equals) -> list[int]:
    """The hosts that have more slow steps than others, the clearest first.

    Each is taken out with its slow steps before the next one is looked for. With a single slow step either of two hosts
    may be the slow one.
    """
    suspects: list[int] = []
    left = left.copy()
    while len(suspects) < MOST_SUSPECTS:
        times, among = _times_among(slow, met, left)
        count, steps = times.sum(axis=1), among.sum(axis=1)
        expected = np.clip(_rate_of_equals(times, among, equals), LEAST_RATE, 0.5)
        chance = np.where(count > 0, binomial_tail(count, np.maximum(steps, 1), expected), 1.0)
        host = int(np.argmin(chance))
        if chance[host] > LIKELY:
            break
        suspects.append(host)
        if count[host] == 1:
            suspects.append(int(np.argmax(times[host])))
        left[suspects] = False
    return suspects


def _times_among(slow: _Slow, met: Index, left: NDArray[np.bool_]) -> tuple[Index, Index]:
    """The slow steps and the steps of each two of the hosts that are `left`, [hosts, hosts]."""
    kept, hosts = left[slow.a] & left[slow.b], len(left)
    times = np.bincount(slow.a[kept] * hosts + slow.b[kept], minlength=hosts**2).reshape(hosts, hosts)
    return times + times.T, np.where(left[:, None] & left[None, :], met, 0)


def _slow_readings(
    size: Size, seen: Readings, effects: Effects, attempts: NDArray[np.bool_] = IS_MAIN
) -> tuple[_Slow, Index]:
    """The slow readings, and in how many pairs and steps each two hosts met, [hosts, hosts]; 0 where only once.

    Of these `attempts`. And only those that are also slow against the best reading of their pair of ranks, or of their
    link where there are no round trips: what is slow each time has a slow way. Both rows of a step of round trips
    measure the same: a step is slow if both are.
    """
    met = np.zeros(seen.hosts**2, np.int64)
    parts: list[tuple[NDArray[Any], ...]] = []
    for frm, to, median, step in seen.rows(size, "step", attempts=attempts):
        time = np.log(median.astype(np.float64))
        one, other = seen.host_of[frm], seen.host_of[to]
        met += np.bincount(one * seen.hosts + other, minlength=len(met))
        beyond = time - seen.added_by_places(frm, to) - effects.expected_at(one, other)
        limit = np.maximum(SMALLEST, NOISES * effects.noise_at(one, other))
        hit = beyond > limit
        least, hosts = (time - limit)[hit], (one * seen.hosts + other)[hit]
        frm, to, step, beyond = frm[hit], to[hit], step[hit].astype(np.int64), beyond[hit]
        pair, way = _pair_numbers(frm, to, seen.ranks), _way_numbers(frm, to, seen)
        rows = np.where(seen.symmetric & np.isfinite(seen.first[to, frm]), 2, 1)
        parts.append((way, least, pair, step, hosts, beyond, rows))
    way, least, *columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    there = met.reshape(seen.hosts, seen.hosts)
    steps = np.maximum(there, there.T)
    often, inverse = np.unique(way, return_inverse=True)
    mixed = least > _best(size, seen, often, attempts)[inverse.reshape(-1)]
    step, hosts, beyond = _once_a_step(*(column[mixed] for column in columns))
    a, b = np.divmod(hosts, seen.hosts)
    found = _Slow(np.minimum(a, b), np.maximum(a, b), step, beyond.astype(np.float64))
    return found, np.where(steps > 1, steps, 0)


def _once_a_step(*columns: NDArray[Any]) -> list[NDArray[Any]]:
    """Of the slow rows of each pair and step the one that is least slow; none where fewer than `rows` are slow.

    Columns: pair, step, hosts, how slow, rows. Of these step, hosts, how slow.
    """
    pair, step, _, beyond, rows = columns
    order = np.lexsort((beyond, step, pair))
    key = np.stack([pair, step])[:, order]
    begins = np.append(True, (key[:, 1:] != key[:, :-1]).any(axis=0))[: len(order)]
    first = np.flatnonzero(begins)
    enough = np.diff(first, append=len(order)) >= rows[order][first]
    return [column[order][first][enough] for column in columns[1:-1]]


def _best(size: Size, seen: Readings, ways: Index, attempts: NDArray[np.bool_]) -> Values:
    """The best reading of each of these ways, log seconds; `ways` ascending, by _way_numbers."""
    best = np.full(len(ways), np.inf)
    for frm, to, median in seen.rows(size, attempts=attempts):
        way = _way_numbers(frm, to, seen)
        at = np.minimum(np.searchsorted(ways, way), max(len(ways) - 1, 0))
        known = np.isin(way, ways)
        np.minimum.at(best, at[known], np.log(median[known].astype(np.float64)))
    return best


def _way_numbers(frm: NDArray[np.uint32], to: NDArray[np.uint32], seen: Readings) -> Index:
    """A number for each pair of ranks if round trips were measured, else for each link: smaller * ranks + larger, or
    from * ranks + to."""
    return _pair_numbers(frm, to, seen.ranks) if seen.symmetric else frm.astype(np.int64) * seen.ranks + to


def _pair_numbers(frm: NDArray[np.uint32], to: NDArray[np.uint32], ranks: int) -> Index:
    return np.minimum(frm, to).astype(np.int64) * ranks + np.maximum(frm, to)


def _without(slow: _Slow, met: Index, pairs: Sequence[tuple[int, ...]]) -> tuple[_Slow, Index]:
    """Without what pairs of hosts had."""
    met = met.copy()
    kept = np.ones(len(slow.a), bool)
    for one, other in pairs:
        met[[one, other], [other, one]] = 0
        kept &= (slow.a != min(one, other)) | (slow.b != max(one, other))
    return _Slow(*(column[kept] for column in vars(slow).values())), met


def _are_contended(slow: _Slow, met: Index, effects: Effects) -> bool:
    """Whether links between groups are slow now and then for most hosts: they share ways with others.

    They vary more than those inside, or most hosts have many slow steps there.
    """
    group_of = effects.group_of
    far = group_of[:, None] != group_of[None, :]
    steps = np.where(far, met, 0).sum(axis=1)
    if not steps.any():
        return False
    a, b = (end[group_of[slow.a] != group_of[slow.b]] for end in (slow.a, slow.b))
    count = np.bincount(a, minlength=len(met)) + np.bincount(b, minlength=len(met))
    varies = effects.class_noise[..., 0] > MORE_NOISE * effects.class_noise[..., 1]
    return bool(varies.any() or np.median(count[steps > 0] / steps[steps > 0]) > MANY_FOR_MOST)


def _inside_groups(slow: _Slow, met: Index, group_of: Index) -> tuple[_Slow, Index]:
    near = group_of[slow.a] == group_of[slow.b]
    inside = group_of[:, None] == group_of[None, :]
    return _Slow(*(column[near] for column in vars(slow).values())), np.where(inside, met, 0)


def _worst(slow: _Slow, met: Index, left: NDArray[np.bool_], equals: Equals) -> Intermittent | None:
    times, met = _times_among(slow, met, left)
    hosts = len(left)
    count, steps = times.sum(axis=1), met.sum(axis=1)
    measured = left & (steps >= FEWEST_STEPS)
    if measured.sum() < FEWEST_PARTNERS:
        return None
    share = count / np.maximum(steps, 1)
    others = _rate_of_equals(times, met, equals)
    by_counts = binomial_tail(count, np.maximum(steps, 1), np.clip(others, LEAST_RATE, 0.5))
    likely = measured & (by_counts * measured.sum() < FALSE_RATE) & (share >= SMALLEST_SHARE) & (share <= MOSTLY)
    likely &= (count >= FEWEST_SLOW) & ((times > 0).sum(axis=1) >= FEWEST_PARTNERS)
    for host in sorted(np.flatnonzero(likely).tolist(), key=lambda one: by_counts[one])[:MOST_TRIED]:
        among = measured & (np.arange(hosts) != host)
        without = np.where(among[:, None] & among[None, :], times, 0), np.where(among[:, None] & among[None, :], met, 0)
        rest = _arc(without[0].sum(axis=1), without[1].sum(axis=1), _rate_of_equals(*without, equals))[among]
        own = _arc(count[[host]], steps[[host]], others[[host]])[0]
        chance = max(float(by_counts[host]), _chance_by_scatter(own, rest, steps[among])) * int(measured.sum())
        if chance < FALSE_RATE:
            own = left[slow.a] & left[slow.b] & ((slow.a == host) | (slow.b == host))
            beyond = float(np.median(slow.beyond[own]))
            with_all = (times[host] > 0).sum() >= NEARLY_ALL * (met[host] > 0).sum()
            of_others = without[0].sum(axis=1) / np.maximum(without[1].sum(axis=1), 1)
            stands_out = bool(with_all and of_others.max() <= HARDLY_EVER * share[host])
            return Intermittent(
                host, int(count[host]), int(steps[host]), beyond, float(others[host]), chance, stands_out=stands_out
            )
    return None


def _stretches(host: int, slow: _Slow, size: Size, seen: Readings) -> int:
    """In how many stretches the slow steps of a host came; 0 where random single steps explain it.

    By the partners with which it was slow once at least: with others, which are slower anyway, it may not show.
    """
    own = (slow.a == host) | (slow.b == host)
    showing = np.zeros(seen.hosts, bool)
    showing[slow.a[own]] = showing[slow.b[own]] = True
    steps = []
    for frm, to, _, step in seen.main_rows(size, "step"):
        one, other = seen.host_of[frm], seen.host_of[to]
        steps.append(np.unique(step[((one == host) | (other == host)) & showing[one] & showing[other]]))
    is_slow = np.isin(np.unique(np.concatenate(steps)), slow.step[own])
    stretches = int(is_slow[0]) + int((is_slow[1:] & ~is_slow[:-1]).sum())
    return stretches if stretches >= FEWEST_STRETCHES and few_runs_chance(is_slow) < FALSE_RATE else 0


def _rate_of_equals(times: Index, met: Index, equals: Equals) -> Values:
    """The rate of slow steps that each host would have, were it as others of its kind in its group, [hosts].

    For each kind and group of partners the rate of the links of these others with them; where there are none, that of
    all links with other groups, or inside of groups. `times`, `met` [hosts, hosts]: slow steps, steps.
    """
    parts = (int(equals.group_of.max()) + 1) * equals.kinds
    part_of = equals.group_of * equals.kinds + equals.kind_of
    of_part = np.eye(parts, dtype=np.int64)[part_of]
    inside = equals.group_of[:, None] == (np.arange(parts) // equals.kinds)[None, :]
    slow, steps = times @ of_part, met @ of_part
    others_slow, others_steps = ((of_part.T @ part)[part_of] - part for part in (slow, steps))
    usual = np.array([slow[where].sum() / max(int(steps[where].sum()), 1) for where in (~inside, inside)])
    rate = np.where(others_steps > 0, others_slow / np.maximum(others_steps, 1), usual[inside.astype(np.int64)])
    return np.asarray((rate * steps).sum(axis=1) / np.maximum(steps.sum(axis=1), 1))


def _arc(slow: Index, steps: Index, expected: Values) -> Values:
    """How far shares lie above what is expected, as a difference of arcsines of square roots."""
    share = np.clip(slow / np.maximum(steps, 1), 0, 1)
    return np.asarray(np.arcsin(np.sqrt(share)) - np.arcsin(np.sqrt(np.clip(expected, 0, 1))))


def _chance_by_scatter(own: float, others: Values, steps: Index) -> float:
    """How often a host lies so far above its equals, if hosts differ as the others do, of which some differ more than
    the middle of them tells."""
    scatter = max(spread(others), OF_ALL * float(np.std(others)), float(np.median(0.5 / np.sqrt(np.maximum(steps, 1)))))
    return float(normal_tail((own - np.median(others)) / scatter))


def score(found: Intermittent) -> float:
    """The normal score of its chance."""
    return float(-normal_quantile(np.clip(found.chance, 1e-300, 0.5)))
