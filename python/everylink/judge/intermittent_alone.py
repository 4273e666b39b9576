"""Finds hosts that are slow in a part of the steps by what `--confirm` measured alone, where ways that links share are
idle: there only the host itself, or a longer route, is slow now and then.

A reading is compared with the best one of its link, so that links may differ by design. A step is slow if both
directions of its pair are: what disturbs a reading hits one of them. The steps of a host may follow each other, and all
be in a busy moment of the machine: so of slow steps in a row, whichever pairs they have, only the first one counts, and
a host must be slow in several passes. A host is compared with the pairs that it is
not part of, near ones with near ones, by the exact binomial distribution, and by how far the scores of the other hosts
scatter (the empirical null of Efron 2004).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, normal_quantile, normal_tail
from everylink.judge.effects import Effects
from everylink.judge.intermittent import (
    FALSE_RATE,
    FEWEST_PARTNERS,
    FEWEST_SLOW,
    FEWEST_STEPS,
    LIKELY,
    MOSTLY,
    NOISES,
    SMALLEST_SHARE,
    Intermittent,
)
from everylink.judge.readings import Readings
from everylink.model.rows import Outcome, Rows
from everylink.robust import Values, spread

SMALLEST = 0.2  # log of the factor of a slow step; less hurts nobody, and longer routes now and then take less
SELDOM = 0.01  # a host that is slow at times is so in so few steps alone by chance
AS_SLOW = 0.5  # part of what a step takes longer under load from which one is slow alone, too
SURELY = 0.1  # part of FALSE_RATE: there are several rounds and message sizes to be found at
LEAST_CHANCE = 1e-300
Index = NDArray[np.int64]


@dataclass(frozen=True)
class AloneSteps:
    """Steps in which pairs of hosts were measured alone, one entry each: hosts, the number of the pass, the number of
    the class of the pair, whether both are in one group, whether it was slow, and by how much (log). Pairs with
    several readings only. `hosts`: how many there are.
    """

    hosts: int
    a: Index
    b: Index
    turn: Index
    of_class: Index
    near: NDArray[np.bool_]
    slow: NDArray[np.bool_]
    beyond: Values

    @cached_property
    def steps(self) -> Index:
        """Of each host, [hosts]."""
        return self._of_hosts(np.ones(len(self.a), bool))

    @cached_property
    def slow_steps(self) -> Index:
        """Likewise."""
        return self._of_hosts(self.slow)

    @cached_property
    def slow_partners(self) -> Index:
        """With how many others each host was slow, [hosts]."""
        pairs = np.unique(np.stack([self.a, self.b])[:, self.slow], axis=1)
        return np.bincount(pairs.ravel(), minlength=self.hosts)

    @cached_property
    def slow_passes(self) -> Index:
        """In how many passes each host was slow, [hosts]."""
        ends = np.concatenate([self.a[self.slow], self.b[self.slow]])
        of_hosts = np.unique(np.stack([ends, np.tile(self.turn[self.slow], 2)]), axis=1)
        return np.bincount(of_hosts[0], minlength=self.hosts)

    def touching(self, host: int) -> NDArray[np.bool_]:
        """Mask of those in which it was measured."""
        return np.asarray((self.a == host) | (self.b == host))

    def of(self, which: NDArray[np.bool_]) -> "AloneSteps":
        """Some of them."""
        slow, beyond, near = self.slow[which], self.beyond[which], self.near[which]
        a, b, turn, of_class = self.a[which], self.b[which], self.turn[which], self.of_class[which]
        return AloneSteps(self.hosts, a, b, turn, of_class, near, slow, beyond)

    def without_ways(self, ways: Iterable[tuple[int, int]], group_of: Index) -> "AloneSteps":
        """Those that do not lead from one of the groups at the ends of any of these ways to the other."""
        low, high = np.sort([group_of[self.a], group_of[self.b]], axis=0)
        on_any = np.zeros(len(self.a), bool)
        for one, other in ways:
            on_any |= (low == one) & (high == other)
        return self.of(~on_any)

    def usual_rates(self) -> Values:
        """Of each host the rate of slow steps of pairs that it is not part of, near and far as its own, [hosts].

        One step more than was slow counts as slow: that none was does not mean that none ever is. Where pairs of its
        classes are slow more often than all near or far ones, these tell: some kinds of hosts may have longer routes.
        """
        expected = np.zeros(self.hosts)
        for near in (False, True):
            own = self.near == near
            steps, slow = self.of(own)._without_own()
            usual = (slow + 1) / (steps + 1)
            for number in np.unique(self.of_class[own]).tolist():
                of_class = self.of(own & (self.of_class == number))
                steps, slow = of_class._without_own()
                expected += of_class.steps * np.maximum(usual, slow / np.maximum(steps, 1))
        return np.minimum(expected / np.maximum(self.steps, 1), 0.5)

    def _without_own(self) -> tuple[Index, Index]:
        """How many steps each host is not part of, and how many of these were slow, [hosts] each."""
        return len(self.a) - self.steps, self.slow.sum() - self.slow_steps

    def _of_hosts(self, which: NDArray[np.bool_]) -> Index:
        return np.bincount(np.concatenate([self.a[which], self.b[which]]), minlength=self.hosts)


def alone_steps(rows: Rows, seen: Readings, effects: Effects) -> AloneSteps:
    """The steps of rows that were measured alone; those of links between hosts that ended ok."""
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to, step = (column[good].astype(np.int64) for column in (rows.frm, rows.to, rows.step))
    apart = seen.host_of[frm] != seen.host_of[to]
    frm, to, step = frm[apart], to[apart], step[apart]
    time = np.log(rows.median[good][apart].astype(np.float64))
    beyond, noise, known = _beyond_best(frm * seen.ranks + to, step, time)
    one, other = seen.host_of[frm[known]], seen.host_of[to[known]]
    a, b, step = np.minimum(one, other), np.maximum(one, other), step[known]
    order = np.lexsort((beyond, step))
    a, b, step, beyond = a[order], b[order], step[order], beyond[order]
    first = np.flatnonzero(np.diff(step, prepend=-1))
    slow = beyond[first] > max(SMALLEST, NOISES * noise)
    slow[1:] &= ~slow[:-1].copy()
    a, b = a[first], b[first]
    near, turn = effects.group_of[a] == effects.group_of[b], _passes(a * seen.hosts + b)
    return AloneSteps(seen.hosts, a, b, turn, effects.class_number(a, b), near, slow, beyond[first])


def _passes(pair: Index) -> Index:
    """The number of the pass of each step: one ends where a pair comes again."""
    turn, number, before = np.zeros(len(pair), np.int64), 0, set[int]()
    for at, one in enumerate(pair.tolist()):
        if one in before:
            number, before = number + 1, set()
        before.add(one)
        turn[at] = number
    return turn


def _beyond_best(link: Index, step: Index, time: Values) -> tuple[Values, float, NDArray[np.bool_]]:
    """How far readings lie above the best of as many of their link (log), of those that have several: a mask, and the
    noise.

    Readings of a link that has more than most are compared in parts: of more readings, the best is better. The noise:
    from differences of successive readings.
    """
    order = np.lexsort((step, link))
    same = np.diff(link[order]) == 0
    noise = spread(np.diff(time[order])[same]) / np.sqrt(2)
    _, first, which, count = np.unique(link[order], return_index=True, return_inverse=True, return_counts=True)
    usual = int(np.median(count[count > 1])) if (count > 1).any() else 1
    part = np.minimum((np.arange(len(order)) - first[which]) // usual, np.maximum(count // usual, 1)[which] - 1)
    of_part = np.empty(len(order), np.int64)
    of_part[order] = np.unique(which * (len(order) + 1) + part, return_inverse=True)[1].reshape(-1)
    best = np.full(int(of_part.max(initial=-1)) + 1, np.inf)
    np.minimum.at(best, of_part, time)
    known = np.empty(len(order), bool)
    known[order] = count[which] > 1
    return (time - best[of_part])[known], float(noise), known


def find_alone(steps: AloneSteps, bad: set[int]) -> list[Intermittent]:
    """The hosts that are slow in more steps than chance explains, the clearest first; without the `bad` ones, and those
    that hardly lose by it."""
    steps = steps.of(~np.isin(steps.a, list(bad)) & ~np.isin(steps.b, list(bad)))
    found: list[Intermittent] = []
    while (worst := _worst(steps)) is not None:
        found.append(worst)
        steps = steps.of(~steps.touching(worst.host))
    return [one for one in found if one.is_costly]


def needs_load(found: Intermittent, steps: AloneSteps) -> bool:
    """Whether a host that is slow at times while others measure was so alone in fewer steps, of these, than chance
    explains: then ways or adapters that are shared make it so."""
    own = steps.beyond[steps.touching(found.host)]
    slow, rate = int((own > AS_SLOW * found.factor).sum()), found.slow / found.steps
    return len(own) > 0 and 1 - float(binomial_tail(slow + 1, len(own), rate)) < SELDOM


def suspects_alone(steps: AloneSteps) -> list[int]:
    """The hosts that may be slow in more steps than others, and need more readings to tell."""
    few = steps.slow_steps >= 2  # one may be the partner's
    return np.flatnonzero(few & (normal_tail(_scores(steps)[0]) < LIKELY)).tolist()


def _worst(steps: AloneSteps) -> Intermittent | None:
    measured = steps.steps >= FEWEST_STEPS
    score, expected = _scores(steps)
    share = steps.slow_steps / np.maximum(steps.steps, 1)
    likely = measured & (steps.slow_passes >= FEWEST_SLOW) & (steps.slow_partners >= FEWEST_PARTNERS)
    likely &= (share >= SMALLEST_SHARE) & (share <= MOSTLY)
    if not likely.any():
        return None
    host = int(np.argmax(np.where(likely, score, -np.inf)))
    others, _ = _scores(steps.of(~steps.touching(host)))
    scatter = max(1.0, spread(others[measured & (np.arange(steps.hosts) != host)]))
    chance = float(normal_tail(score[host] / scatter)) * int(measured.sum())
    if chance >= SURELY * FALSE_RATE:
        return None
    factor = float(np.median(steps.beyond[steps.touching(host) & steps.slow]))
    return Intermittent(
        host, int(steps.slow_steps[host]), int(steps.steps[host]), factor, float(expected[host]), chance, is_alone=True
    )


def _scores(steps: AloneSteps) -> tuple[Values, Values]:
    """Of each host the normal score of its number of slow steps, and the rate that others have, [hosts] each."""
    expected = steps.usual_rates()
    chance = binomial_tail(steps.slow_steps, np.maximum(steps.steps, 1), expected)
    return -normal_quantile(np.clip(chance, LEAST_CHANCE, 1 - 1e-9)), expected
