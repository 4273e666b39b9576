"""What hosts and groups of hosts add to the times of their links: a robust two-way fit.

log time = class + the larger of what the two ends add + noise. Tukey's median polish (Exploratory Data Analysis,
1977), with two changes: of two slow ends the slower one counts, because a message is as slow as its slowest part;
and only what is certain of a host is taken from the links of the others, or the noise of few readings would spread.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.robust import MEDIAN_ERROR, Matrix, Values, healthy_spread, moderated, row_medians

LOW, LOW_ERROR = 0.34, 1.3  # the quantile of a host's links, and its standard error / that of a mean
ROUNDS = 4
CERTAIN = 4.0  # standard errors, before an effect is taken from the links of others
SMALLEST = 0.03  # of a group's effect: less is how fabrics are
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

    `expected` [hosts, hosts]: what these explain, log seconds.

    `group_effect` and `group_z` have an entry a group, 0 where a group is like the others.
    """

    send: Ends
    receive: Ends
    group_of: NDArray[np.int64]
    group_effect: Values
    group_z: Values
    rest: Matrix
    expected: Matrix
    noise: float


def fit(matrix: Matrix, group_of: NDArray[np.int64], symmetric: bool) -> Effects:
    """Fit log times [from, to]; NaN where nothing was measured. `group_of` has an entry a host."""
    near = group_of[:, None] == group_of[None, :]
    of_class = _of_classes(matrix, near)
    rest = matrix - of_class
    group_effect, group_z = _groups(rest, group_of, near)
    of_groups = _between_groups(group_effect[group_of], near)
    # Behind a slow group a slow host does not show: it is judged by its other links, where it has any.
    send, receive = _polish(np.where(of_groups > 0, np.float32(np.nan), rest), symmetric)
    taken = np.maximum(of_groups, np.maximum(_certain(send)[:, None], _certain(receive)[None, :]).astype(np.float32))
    rest = rest - taken
    return Effects(send, receive, group_of, group_effect, group_z, rest, of_class + taken, noise_of(rest))


def noise_of(rest: Matrix) -> float:
    """The standard deviation of what is left, never smaller than so few readings can tell."""
    return moderated(healthy_spread(rest), round(float(np.isfinite(rest).sum()) / READINGS_A_CELL))


def _of_classes(matrix: Matrix, near: NDArray[np.bool_]) -> Matrix:
    """The median of each link's class: inside of a group, or between groups."""
    typical = [np.median(known) if len(known := matrix[mask & np.isfinite(matrix)]) else np.nan for mask in (near, ~near)]
    return np.where(near, np.float32(typical[0]), np.float32(typical[1]))


def _groups(rest: Matrix, group_of: NDArray[np.int64], near: NDArray[np.bool_]) -> tuple[Values, Values]:
    """What each group adds to its links with other groups.

    A group is as slow as the faster of its hosts: the lower quartile of them, each by its median link to elsewhere, and
    of the groups that it talks to the lower quartile too. So slow hosts in it, and slow partners, do not make it slow.
    """
    count = int(group_of.max()) + 1
    effect, z = np.zeros(count), np.zeros(count)
    sizes = np.bincount(group_of, minlength=count)
    if count < FEWEST_GROUPS:
        return effect, z
    far = np.where(near, np.float32(np.nan), rest)
    far = np.where(np.isfinite(far) & np.isfinite(far.T), (far + far.T) / 2, np.where(np.isfinite(far), far, far.T))
    to_group = np.full((len(rest), count), np.nan, np.float32)
    links = np.zeros((len(rest), count))
    for group in range(count):
        to_group[:, group], links[:, group] = row_medians(far[:, group_of == group])
    with np.errstate(all="ignore"):
        of_host = _lower_quartiles(to_group)
        level = np.array([_lower_quartiles(of_host[None, group_of == g])[0] for g in range(count)])
    within = of_host - np.array([np.nanmedian(of_host[group_of == g]) if (group_of == g).any() else np.nan for g in group_of])
    error = MEDIAN_ERROR * max(healthy_spread(within[sizes[group_of] >= FEWEST_HOSTS]), LEAST_SPREAD)
    effect = np.nan_to_num(level - np.nanmedian(level))
    z = effect / (error / np.sqrt(np.maximum(sizes, 1)))
    bad = (effect > SMALLEST) & (z > CERTAIN) & (sizes >= FEWEST_HOSTS)
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


def _polish(rest: Matrix, symmetric: bool) -> tuple[Ends, Ends]:
    noise = noise_of(rest)
    sent = received = np.zeros(len(rest))
    send = receive = Ends(sent, np.ones(len(rest)), np.zeros(len(rest), np.intp))
    for _ in range(ROUNDS):
        send = _ends(rest, received, noise)
        sent = _certain(send)
        receive = send if symmetric else _ends(rest.T, sent, noise)
        received = _certain(receive)
        noise = noise_of(rest - np.maximum(sent[:, None], received[None, :]).astype(np.float32))
    return send, receive


def _ends(rest: Matrix, others: Values, noise: float) -> Ends:
    """A low quantile of each row, over those partners that are not slow themselves; over all where there are no others.

    A message is as slow as its slower end, so every link of a slow host is slow, while one of a healthy host is so only
    where its partner is: what lies low in a row is the host's own.
    """
    good = np.where(others[None, :] > 0, np.float32(np.nan), rest)
    none_left = ~np.isfinite(good).any(axis=1)
    good[none_left] = (rest - others[None, :].astype(np.float32))[none_left]
    low, links = _low_of_rows(good)
    effect = np.nan_to_num(low - np.nanmedian(low)) if np.isfinite(low).any() else np.zeros(len(low))
    spread_of_hosts = max(healthy_spread(effect) ** 2 - (LOW_ERROR * noise) ** 2 / max(float(np.median(links)), 1.0), 0.0)
    error = np.sqrt((LOW_ERROR * noise) ** 2 / np.maximum(links, 1) + spread_of_hosts + LEAST_SPREAD**2)
    return Ends(effect, error, links)


def _low_of_rows(matrix: Matrix) -> tuple[Values, NDArray[np.intp]]:
    ordered = np.sort(matrix, axis=1)
    known = np.isfinite(matrix).sum(axis=1)
    at = (np.maximum(known - 1, 0) * LOW).astype(np.intp)
    return np.asarray(ordered[np.arange(len(matrix)), at], float), known


def _certain(ends: Ends) -> Values:
    return np.where(ends.z > CERTAIN, ends.effect, 0.0)
