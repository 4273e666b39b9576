"""Finds hosts that are slow in a part of the steps only, which a median hides.

For each host the share of steps in which it was slow, against the other hosts: by the exact binomial distribution with
the rate of the others, and by how far the shares of all hosts scatter (the empirical null of Efron 2004, on arcsines of
square roots, which stabilize the variance of shares). The larger probability counts. The worst is taken out, then the
others are looked at again, because each slow step has two ends.

Within one pass every pair meets once, so a slow way and a slow moment look alike: only pairs that were measured in
several steps, and not slow in each, count.

A host whose slow steps come in stretches flaps: they are fewer than steps in a random order would make (the runs test
of Wald and Wolfowitz 1940).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, few_runs_chance, normal_quantile, normal_tail
from everylink.judge.effects import Effects
from everylink.judge.pairs import SMALLEST
from everylink.judge.readings import Readings
from everylink.model.results import Size
from everylink.robust import Values, is_whole, spread

NOISES = 5.0  # standard deviations above which a reading is slow
LEAST_RATE = 5e-4  # lower bound of the rate assumed for chance
SMALLEST_SHARE = 0.03  # of a host's steps
FEWEST_STEPS, FEWEST_SLOW, FEWEST_PARTNERS = 12, 3, 3
MOSTLY = 0.7  # of its steps: a host that is slow in more is slow
MOST_FOUND, MOST_TRIED = 64, 8  # hosts; the clearest ones are tried in turn
FALSE_RATE = 0.001
FEWEST_STRETCHES = 2  # of a host that flaps: with one it may have been busy for a while
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Intermittent:
    """A host that was slow in `slow` of `steps`; `factor`: log of the median slow reading over what is expected.

    `others`: the rate of slow steps of the other hosts; `chance`: how often such a share comes by chance. `stretches`:
    in how many rows of consecutive steps they were; 0 where that may be chance.
    """

    host: int
    slow: int
    steps: int
    factor: float
    others: float
    chance: float
    stretches: int = 0


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

    Without the `bad` hosts and the bad `pairs` of hosts, which are slow all the time.

    Empty for runs with very many hosts, and where few steps were measured or each link once.
    """
    if not is_whole(seen.hosts) or seen.hosts < 4 or not len(seen.further.time):
        return []
    slow, steps = _slow_readings(size, seen, effects)
    slow, steps = _without(slow, steps, pairs)
    in_order: list[Intermittent] = []
    left = np.ones(seen.hosts, bool)
    left[list(bad)] = False
    while len(in_order) < MOST_FOUND:
        worst = _worst(slow, steps, left)
        if worst is None:
            break
        in_order.append(worst)
        left[worst.host] = False
    return [replace(one, stretches=_stretches(one.host, slow, size, seen)) for one in in_order]


def _slow_readings(size: Size, seen: Readings, effects: Effects) -> tuple[_Slow, Index]:
    """The slow readings, and in how many pairs and steps each two hosts met, [hosts, hosts]; 0 where only once.

    Only of pairs of ranks that were also well in another step: a pair that is slow each time has a slow way.
    """
    met = np.zeros(seen.hosts**2, np.int64)
    parts: list[tuple[Index, Index, Index, Values]] = []
    for frm, to, median, step in seen.rows(size, "step"):
        time = np.log(median.astype(np.float64))
        one, other = seen.host_of[frm], seen.host_of[to]
        met += np.bincount(one * seen.hosts + other, minlength=len(met))
        beyond = time - seen.added_by_places(frm, to) - effects.expected_at(one, other)
        hit = beyond > np.maximum(SMALLEST, NOISES * effects.noise_at(one, other))
        pair = _pair_numbers(frm, to, seen.ranks)
        parts.append((pair[hit], step[hit].astype(np.int64), one[hit] * seen.hosts + other[hit], beyond[hit]))
    pair, step, hosts, beyond = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    there = met.reshape(seen.hosts, seen.hosts)
    steps = np.maximum(there, there.T)
    # Both rows of a pair in a step are one reading.
    order = np.lexsort((beyond, step, pair))
    key = np.stack([pair, step])[:, order]
    last = np.append((key[:, 1:] != key[:, :-1]).any(axis=0), True) if len(pair) else np.zeros(0, bool)
    pair, step, hosts, beyond = (column[order][last] for column in (pair, step, hosts, beyond))
    often, inverse, count = np.unique(pair, return_inverse=True, return_counts=True)
    mixed = (count < _times_measured(size, seen, often))[inverse.reshape(-1)]
    a, b = np.divmod(hosts[mixed], seen.hosts)
    found = _Slow(np.minimum(a, b), np.maximum(a, b), step[mixed], beyond[mixed])
    return found, np.where(steps > 1, steps, 0)


def _times_measured(size: Size, seen: Readings, pairs: Index) -> Index:
    """In how many steps each of these pairs of ranks was measured; `pairs` ascending, smaller * ranks + larger."""
    up, down = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    if not len(pairs):
        return up
    for frm, to, _ in seen.rows(size):
        pair = _pair_numbers(frm, to, seen.ranks)
        at = np.minimum(np.searchsorted(pairs, pair), len(pairs) - 1)
        known = pairs[at] == pair
        up += np.bincount(at[known & (frm < to)], minlength=len(pairs))
        down += np.bincount(at[known & (frm > to)], minlength=len(pairs))
    return np.maximum(up, down)


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


def _worst(slow: _Slow, met: Index, left: NDArray[np.bool_]) -> Intermittent | None:
    kept = left[slow.a] & left[slow.b]
    a, b = slow.a[kept], slow.b[kept]
    hosts = len(left)
    count = np.bincount(a, minlength=hosts) + np.bincount(b, minlength=hosts)
    steps = np.where(left, met[:, left].sum(axis=1), 0)
    partners = _partners(a, b, hosts)
    measured = left & (steps >= FEWEST_STEPS)
    if measured.sum() < FEWEST_PARTNERS:
        return None
    share = count / np.maximum(steps, 1)
    others = (count[left].sum() - 2 * count) / np.maximum(steps[left].sum() - 2 * steps, 1)
    by_counts = binomial_tail(count, np.maximum(steps, 1), np.clip(others, LEAST_RATE, 0.5))
    likely = measured & (by_counts * measured.sum() < FALSE_RATE) & (share >= SMALLEST_SHARE) & (share <= MOSTLY)
    likely &= (count >= FEWEST_SLOW) & (partners >= FEWEST_PARTNERS)
    for host in sorted(np.flatnonzero(likely).tolist(), key=lambda one: by_counts[one])[:MOST_TRIED]:
        own = (a == host) | (b == host)
        rest = np.bincount(a[~own], minlength=hosts) + np.bincount(b[~own], minlength=hosts)
        among = measured & (np.arange(hosts) != host)
        by_scatter = _chance_by_scatter(float(share[host]), rest[among], (steps - met[:, host])[among])
        chance = max(float(by_counts[host]), by_scatter) * int(measured.sum())
        if chance < FALSE_RATE:
            beyond = float(np.median(slow.beyond[kept][own]))
            return Intermittent(host, int(count[host]), int(steps[host]), beyond, float(others[host]), chance)
    return None


def _stretches(host: int, slow: _Slow, size: Size, seen: Readings) -> int:
    """In how many stretches the slow steps of a host came; 0 where random single steps explain it.

    By the partners with which it was slow once at least: with others, which are slower anyway, it may not show.
    """
    own = (slow.a == host) | (slow.b == host)
    showing = np.zeros(seen.hosts, bool)
    showing[slow.a[own]] = showing[slow.b[own]] = True
    steps = []
    for frm, to, _, step in seen.rows(size, "step"):
        one, other = seen.host_of[frm], seen.host_of[to]
        steps.append(np.unique(step[((one == host) | (other == host)) & showing[one] & showing[other]]))
    is_slow = np.isin(np.unique(np.concatenate(steps)), slow.step[own])
    stretches = int(is_slow[0]) + int((is_slow[1:] & ~is_slow[:-1]).sum())
    return stretches if stretches >= FEWEST_STRETCHES and few_runs_chance(is_slow) < FALSE_RATE else 0


def _chance_by_scatter(share: float, slow: Index, steps: Index) -> float:
    """How often a host has such a share, if hosts differ as the others do; `slow` of `steps` of each without it."""
    arc = np.arcsin(np.sqrt(np.clip(slow / np.maximum(steps, 1), 0, 1)))
    scatter = max(spread(arc), float(np.median(0.5 / np.sqrt(np.maximum(steps, 1)))))
    return float(normal_tail((np.arcsin(np.sqrt(share)) - np.median(arc)) / scatter))


def _partners(a: Index, b: Index, hosts: int) -> Index:
    """With how many partners each host was slow."""
    pairs = np.unique(np.stack([a, b]), axis=1)
    return np.bincount(pairs.ravel(), minlength=hosts)


def score(found: Intermittent) -> float:
    """The normal score of its chance."""
    return float(-normal_quantile(np.clip(found.chance, 1e-300, 0.5)))
