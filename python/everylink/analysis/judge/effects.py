"""What hosts and groups of hosts add to the times of their links: a robust two-way fit.

log time = class + the larger of what the two ends add + noise. Tukey's median polish (Exploratory Data Analysis,
1977), with two changes: of two slow ends the slower one counts, because a message is as slow as its slowest part;
and only what is certain of a host is taken from the links of the others, or the noise of few readings would spread.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from everylink.analysis.judge.robust import (
    MEDIAN_ERROR,
    Matrix,
    Values,
    healthy_spread,
    known_sample,
    moderated,
    row_medians,
    wide_spread,
)

LOW, LOW_ERROR = 0.34, 1.3  # the quantile of a host's links, and its standard error / that of a mean
FEWEST_SETTLED = 5
ROUNDS, PASSES = 4, 2
CERTAIN = 4.0  # standard errors, before an effect is taken from the links of others
GROUP_CERTAIN, SMALLEST_GROUP = 5.0, 0.06  # of a group: less is how fabrics are
FEWEST_GROUPS, FEWEST_HOSTS = 3, 3  # of two groups all links between them are slow, whichever is to blame
LEAST_SPREAD = 1e-3  # two hosts are never as alike as two runs of a formula
READINGS_A_CELL = 2.0  # both directions of a pair are one reading of it, or nearly so


@dataclass(frozen=True)
class Ends:
    """What each host adds where it sends, or where it receives (the same with a symmetric kernel).

    `effect`: log of the factor against the others; `error`: its standard error; `links`: how many it rests on.
    """

    effect: Values
    error: Values
    links: NDArray[np.intp]

    @property
    def z(self) -> Values:
        return np.asarray(self.effect / self.error)


@dataclass(frozen=True)
class Effects:
    """`rest` [hosts, hosts]: what neither class, nor groups, nor hosts explain; `noise` its standard deviation.

    `expected` [hosts, hosts]: what these explain, log seconds. `sent`, `received`: what is certain of each host.

    `group_effect` and `group_z` have an entry a group, 0 where a group is like the others.
    """

    send: Ends
    receive: Ends
    sent: Values
    received: Values
    group_of: NDArray[np.int64]
    group_effect: Values
    group_z: Values
    rest: Matrix
    expected: Matrix
    noise: float


@dataclass(frozen=True)
class _Spreads:
    """How noise is estimated. `settled` [hosts, hosts]: connections with so many readings that they are less noisy.

    `blind`: classes of links are not known, so what lies high may be healthy too.
    """

    settled: NDArray[np.bool_]
    blind: bool

    def of(self, values: NDArray[np.floating]) -> float:
        return wide_spread(values) if self.blind else healthy_spread(values)

    def noise(self, rest: Matrix) -> float:
        """The standard deviation of what is left, never smaller than so few readings can tell."""
        return moderated(self.of(rest), round(float(np.isfinite(rest).sum()) / READINGS_A_CELL))

    def noises(self, rest: Matrix) -> tuple[float, float]:
        """Of all connections, and of the settled ones."""
        return self.noise(rest), self.noise(np.where(self.settled, rest, np.float32(np.nan)))


def fit(
    matrix: Matrix,
    group_of: NDArray[np.int64],
    symmetric: bool,
    blind: bool = False,
    settled: NDArray[np.bool_] | None = None,
) -> Effects:
    """Fit log times [from, to]; NaN: not measured. `group_of` has an entry a host; the rest is as in _Spreads."""
    spreads = _Spreads(np.zeros(matrix.shape, bool) if settled is None else settled, blind)
    near = group_of[:, None] == group_of[None, :]
    good: NDArray[np.bool_] = np.ones(matrix.shape, bool)
    for _ in range(PASSES):  # what is typical of a class is known once the bad ones are left out
        of_class = _of_classes(matrix, near, good)
        rest = matrix - of_class
        group_effect, group_z = _groups(rest, group_of, near)
        of_groups = _between_groups(group_effect[group_of], near)
        # Behind a slow group a slow host does not show: it is judged by its other links, where it has any.
        # One that has none is judged by what it adds to its group.
        shown = np.where(of_groups > 0, np.float32(np.nan), rest)
        hidden: NDArray[np.bool_] = ~np.asarray(np.isfinite(shown).any(axis=1))
        sending = np.where(hidden[:, None], rest - of_groups, shown)
        receiving = np.where(hidden[None, :], rest - of_groups, shown).T
        send, receive = _polish(sending, receiving, symmetric, spreads)
        beyond = np.where(hidden, group_effect[group_of], 0.0)  # of a host that shows only by what it adds to its group
        sent, received = (np.where(part > 0, part + beyond, 0.0) for part in (_certain(send), _certain(receive)))
        taken = np.maximum(of_groups, np.maximum(sent[:, None], received[None, :]).astype(np.float32))
        good = taken <= 0
    rest = rest - taken
    noise = spreads.noise(rest)
    return Effects(send, receive, sent, received, group_of, group_effect, group_z, rest, of_class + taken, noise)


def _of_classes(matrix: Matrix, near: NDArray[np.bool_], good: NDArray[np.bool_]) -> Matrix:
    """The median of each link's class, inside of a group or between groups, over its good links where there are any."""
    typical = []
    for mask in (near, ~near):
        chosen = known_sample(np.where(mask & good, matrix, np.float32(np.nan)))
        if not len(chosen):
            chosen = known_sample(np.where(mask, matrix, np.float32(np.nan)))
        typical.append(np.median(chosen) if len(chosen) else np.nan)
    return np.where(near, np.float32(typical[0]), np.float32(typical[1]))


def _groups(rest: Matrix, group_of: NDArray[np.int64], near: NDArray[np.bool_]) -> tuple[Values, Values]:
    """What each group adds to its links with other groups.

    A group is as slow as the faster of its hosts: the lower quartile of them, each by its median link to elsewhere, and
    of the groups that it talks to the lower quartile too. So slow hosts in it, and slow partners, do not make it slow.
    """
    count = int(group_of.max()) + 1
    effect, z = np.zeros(count), np.zeros(count)
    sizes = np.bincount(group_of, minlength=count)
    whole = np.flatnonzero(sizes >= FEWEST_HOSTS)  # hosts that are alone say nothing of a group
    if len(whole) < FEWEST_GROUPS:
        return effect, z
    far = np.where(near, np.float32(np.nan), rest)
    far = np.where(np.isfinite(far) & np.isfinite(far.T), (far + far.T) / 2, np.where(np.isfinite(far), far, far.T))
    to_group = np.stack([row_medians(far[:, group_of == group])[0] for group in whole], axis=1).astype(np.float32)
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
    """The lower quartile of each row's known values, as one of them; NaN where there is none."""
    ordered = np.sort(matrix, axis=1)
    known = np.isfinite(matrix).sum(axis=1)
    return np.asarray(ordered[np.arange(len(matrix)), np.maximum(known - 1, 0) // 4], float)


def _between_groups(effect: Values, near: NDArray[np.bool_]) -> Matrix:
    """What slow groups add to each link, by the effect of each host's group."""
    of_host = effect.astype(np.float32)
    return np.where(near, np.float32(0), np.maximum(of_host[:, None], of_host[None, :]))


def _polish(sending: Matrix, receiving: Matrix, symmetric: bool, spreads: _Spreads) -> tuple[Ends, Ends]:
    """Rows of `sending` are senders, rows of `receiving` receivers."""
    sent = received = np.zeros(len(sending))
    send = receive = Ends(sent, np.ones(len(sending)), np.zeros(len(sending), np.intp))
    noises = spreads.noises(sending)
    for _ in range(ROUNDS):
        send = _ends(sending, received, noises, spreads)
        sent = _certain(send)
        receive = send if symmetric else _ends(receiving, sent, noises, replace(spreads, settled=spreads.settled.T))
        received = _certain(receive)
        noises = spreads.noises(sending - np.maximum(sent[:, None], received[None, :]).astype(np.float32))
    return send, receive


def _ends(rest: Matrix, others: Values, noises: tuple[float, float], spreads: _Spreads) -> Ends:
    """A low quantile of each row, over those partners that are not slow themselves; over all where there are no others.

    A message is as slow as its slower end, so every link of a slow host is slow, while one of a healthy host is so only
    where its partner is: what lies low in a row is the host's own. Where settled connections say it better, they do.
    """
    good = np.where(others[None, :] > 0, np.float32(np.nan), rest)
    none_left = ~np.isfinite(good).any(axis=1)
    good[none_left] = (rest - others[None, :].astype(np.float32))[none_left]
    low, links = _low_of_rows(good, noises[0])
    low_settled, settled = _low_of_rows(np.where(spreads.settled, good, np.float32(np.nan)), noises[1])
    error, error_settled = (
        LOW_ERROR * n / np.sqrt(np.maximum(k, 1)) for n, k in zip(noises, (links, settled), strict=True)
    )
    better = (settled >= FEWEST_SETTLED) & (error_settled < error)
    low = np.where(better, low_settled, low)
    error = np.where(better, error_settled, error)
    effect = np.nan_to_num(low - np.nanmedian(low)) if np.isfinite(low).any() else np.zeros(len(low))
    spread_of_hosts = max(spreads.of(effect) ** 2 - float(np.median(error)) ** 2, 0.0)
    return Ends(effect, np.sqrt(error**2 + spread_of_hosts + LEAST_SPREAD**2), links)


def _low_of_rows(matrix: Matrix, noise: float) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of each row's known values, set right by what it lies below their middle, and how many there are.

    By how much, with normal noise and n values: Blom 1958.
    """
    ordered = np.sort(matrix, axis=1)
    known = np.isfinite(matrix).sum(axis=1)
    at = (np.maximum(known - 1, 0) * LOW).astype(np.intp)
    below = stats.norm.ppf((at + 0.625) / (np.maximum(known, 1) + 0.25))
    return np.asarray(ordered[np.arange(len(matrix)), at] - noise * below, float), known


def _certain(ends: Ends) -> Values:
    return np.where(ends.z > CERTAIN, ends.effect, 0.0)
