"""Estimates what hosts and groups of hosts add to the times of their links: a robust two-way fit.

log time = class + the larger of what the two ends add + noise. Tukey's median polish (Exploratory Data Analysis,
1977), with two changes. The slower of two slow ends counts, because a message is as slow as its slowest part. Only
what is certain about a host is subtracted from the links of others; otherwise the noise of few readings would spread.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.polish import LEAST_SPREAD, NOTHING, Ends, Spreads, certain, polish
from everylink.judge.times import Times
from everylink.robust import MEDIAN_ERROR, Matrix, Values, both_ways, healthy_spread, known_sample, row_medians, sampled

PASSES = 2
GROUP_CERTAIN, SMALLEST_GROUP = 5.0, 0.06  # smaller group effects occur in healthy fabrics
FEWEST_GROUPS, FEWEST_HOSTS = 3, 3  # with two groups, all links between them are slow, whichever is at fault
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Effects:
    """`rest` [hosts, hosts]: residuals after classes, groups and hosts; `noise`: their standard deviation.

    `expected` [hosts, hosts]: fitted log seconds. With too many hosts both are empty; use `expected_at` instead.
    `sent`, `received` [hosts]: the certain part of each host's effect, log of the factor.

    `typical`: log seconds of a link within a group, and between groups.
    `group_effect`, `group_z` [groups]: 0 where a group is like the others.
    """

    send: Ends
    receive: Ends
    sent: Values
    received: Values
    typical: tuple[float, float]
    group_of: NDArray[np.int64]
    group_effect: Values
    group_z: Values
    rest: Matrix
    expected: Matrix
    noise: float

    def expected_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """Fitted log seconds of links between hosts; two arrays broadcast as in an index."""
        if len(self.expected):
            return np.asarray(self.expected[frm, to])
        near = self.group_of[frm] == self.group_of[to]
        return np.asarray(_by_class(self.typical, near) + np.maximum(*self._of_ends(frm, to, near)), np.float32)

    def both_ends_at(self, frm: Index, to: Index) -> Matrix:
        """How much more both ends together may slow a round trip: one may slow the request, the other the reply."""
        one, other = self._of_ends(frm, to, self.group_of[frm] == self.group_of[to])
        less, more = np.minimum(one, other), np.maximum(one, other)
        return np.asarray(np.log1p(np.exp(less - more) - np.exp(-more)), np.float32)  # (e^one + e^other - 1) / e^more

    def _of_ends(self, frm: Index | int, to: Index | int, near: Mask) -> tuple[Matrix, Matrix]:
        """What each end adds; links with other groups include the effect of the end's group."""
        group = (self.group_effect[self.group_of[end]].astype(np.float32) for end in (frm, to))
        of_groups = (np.where(near, np.float32(0), of_group) for of_group in group)
        of_hosts = self.sent[frm].astype(np.float32), self.received[to].astype(np.float32)
        one, other = (np.maximum(*parts) for parts in zip(of_groups, of_hosts, strict=True))
        return one, other

    @property
    def usual(self) -> float:
        """The median of the fitted log seconds over all links."""
        if len(self.expected):
            return float(np.median(known_sample(self.expected)))
        some = sampled(len(self.group_of))
        return float(np.nanmedian(self.expected_at(some[:, None], some[None, :])))


def fit(times: Times, group_of: NDArray[np.int64], symmetric: bool, blind: bool = False) -> Effects:
    """Fit groups and hosts. `group_of`: group per host, [hosts]; `blind` as in Spreads."""
    spreads = Spreads(blind)
    of_partner = group_of[times.partners]
    near = group_of[:, None] == of_partner[None, :]
    good: Mask = np.ones(near.shape, bool)
    for _ in range(PASSES):  # the second pass takes the typical time of a class without the bad links
        typical = _class_medians(times.sending, near, good)
        of_class = _by_class(typical, near)
        rest = times.sending - of_class
        back = rest if symmetric else times.receiving - of_class
        group_effect, group_z = _groups(rest, back, group_of, of_partner, near)
        of_groups = _between_groups(group_effect[group_of], group_effect[of_partner], near)
        # A slow group hides its slow hosts. A host is therefore judged by its other links, if it has any;
        # otherwise by what it adds on top of its group.
        sending, hidden = _unhidden(rest, of_groups, None)
        receiving = sending if symmetric else _unhidden(back, of_groups, hidden)[0]
        send, receive = polish(replace(times, sending=sending, receiving=receiving), symmetric, spreads)
        beyond = np.where(hidden, group_effect[group_of], 0.0)  # for a host judged by what it adds to its group
        sent, received = (np.where(part > 0, part + beyond, 0.0) for part in (certain(send), certain(receive)))
        taken = np.maximum(of_groups, np.maximum(sent[:, None], received[times.partners]).astype(np.float32))
        good = taken <= 0
    rest = rest - taken
    noise = spreads.noise(rest)
    whole = len(times.partners) == len(group_of)
    expected: Matrix = of_class + taken if whole else NOTHING
    return Effects(
        send,
        receive,
        sent,
        received,
        typical,
        group_of,
        group_effect,
        group_z,
        rest if whole else NOTHING,
        expected,
        noise,
    )


def _class_medians(matrix: Matrix, near: Mask, good: Mask) -> tuple[float, float]:
    """The median within a group, and between groups; over good links if there are any."""
    typical = []
    for mask in (near, ~near):
        chosen = known_sample(np.where(mask & good, matrix, np.float32(np.nan)))
        if not len(chosen):
            chosen = known_sample(np.where(mask, matrix, np.float32(np.nan)))
        typical.append(float(np.median(chosen)) if len(chosen) else np.nan)
    return typical[0], typical[1]


def _by_class(typical: tuple[float, float], near: Mask) -> Matrix:
    return np.where(near, np.float32(typical[0]), np.float32(typical[1]))


def _unhidden(rest: Matrix, of_groups: Matrix, hidden: Mask | None) -> tuple[Matrix, Mask]:
    """Residuals that no slow group hides, and a mask of hosts without any; for these, what they add to their group."""
    if not of_groups.any():
        return rest, np.zeros(len(rest), bool) if hidden is None else hidden
    shown = np.where(of_groups > 0, np.float32(np.nan), rest)
    if hidden is None:
        hidden = ~np.asarray(np.isfinite(shown).any(axis=1))
    return np.where(hidden[:, None], rest - of_groups, shown), hidden


def _groups(
    rest: Matrix, back: Matrix, group_of: NDArray[np.int64], of_partner: NDArray[np.int64], near: Mask
) -> tuple[Values, Values]:
    """What each group adds to its links with other groups, log of the factor, and its score; [groups] each.

    A group is as slow as the faster of its hosts: the lower quartile over its hosts of the lower quartile over peer
    groups of the median link. So neither slow hosts inside nor slow partners outside make the group slow.
    """
    count = int(group_of.max()) + 1
    effect, z = np.zeros(count), np.zeros(count)
    sizes = np.bincount(group_of, minlength=count)
    whole = np.flatnonzero(sizes >= FEWEST_HOSTS)  # single hosts say nothing about a group
    if len(whole) < FEWEST_GROUPS:
        return effect, z
    far = np.where(near, np.float32(np.nan), rest if back is rest else both_ways(rest, back))
    seen = [group for group in whole if (of_partner == group).any()]
    to_group = np.stack([row_medians(far[:, of_partner == group])[0] for group in seen], axis=1).astype(np.float32)
    of_host = _lower_quartiles(to_group)
    level, within = np.full(count, np.nan), np.full(len(rest), np.nan)
    with np.errstate(all="ignore"):
        for group in whole:
            own = group_of == group
            level[group] = _lower_quartiles(of_host[None, own].astype(np.float32))[0]
            within[own] = of_host[own] - np.nanmedian(of_host[own])
    error = MEDIAN_ERROR * max(healthy_spread(within), LEAST_SPREAD)
    effect = np.nan_to_num(level - np.nanmedian(level))
    z = effect / (error / np.sqrt(np.maximum(sizes, 1)))
    bad = (effect > SMALLEST_GROUP) & (z > GROUP_CERTAIN)
    return np.where(bad, effect, 0.0), np.where(bad, z, 0.0)


def _lower_quartiles(matrix: Matrix) -> Values:
    """The lower quartile of each row's known values, always one of these values; NaN for an empty row."""
    ordered = np.sort(matrix, axis=1)
    known = np.isfinite(matrix).sum(axis=1)
    return np.asarray(ordered[np.arange(len(matrix)), np.maximum(known - 1, 0) // 4], float)


def _between_groups(of_host: Values, of_partner: Values, near: Mask) -> Matrix:
    """What slow groups add to each link: the larger of the effects of the two ends' groups."""
    of_link = np.maximum(of_host.astype(np.float32)[:, None], of_partner.astype(np.float32)[None, :])
    return np.where(near, np.float32(0), of_link)
