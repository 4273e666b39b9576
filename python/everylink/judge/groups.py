"""Finds groups of hosts (of a switch, of a pod) in the times themselves: inside a group links are faster.

Hosts of one group are near and far to the same others, so their rows of the matrix are alike: average linkage
(Sokal and Michener 1958) of the correlation of rows, the number of groups by the Bayesian information criterion
(Schwarz 1978), then each host moved to the group that it is nearest to (Lloyd 1982) until none moves.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from everylink.judge.readings import Readings
from everylink.robust import Matrix, both_ways, known_sample, landmarks, row_medians, sampled

Groups = NDArray[np.int64]
Sums = NDArray[np.floating]
FEWEST_HOSTS = 6
LEAST_KNOWN, MOSTLY_KNOWN = 0.3, 0.7  # of all pairs: of less, rows are not alike; of so many, groups would show
LEAST_GAP = 0.02  # log of the factor between a link to elsewhere and one inside
MOST_GROUPS, MANY_HOSTS = 256, 1500
FASTEST = 1  # the link of a host that says how fast it can be
MOVES = 8
HIGHEST = (0.7, 0.97)  # quantiles: many slow links hide groups; but where nothing shows below, few links may be far
FEWEST_SEEN = 2  # of a group, where not all hosts are looked at


@dataclass(frozen=True)
class Links:
    """Log times [host, host] less their mean, 0 where they are not known; `weight`: 1 where they are, else 0.

    `squares`: the sum of their squares.
    """

    flat: Matrix
    weight: Matrix
    squares: float


@dataclass(frozen=True)
class Parts:
    """Sums and numbers of the links from each part of the hosts to each, [part, part]."""

    sums: Sums
    counts: Sums

    def joined(self, of_part: Groups) -> "Parts":
        """Parts that have one number become one."""
        members = members_of(of_part).astype(np.float64)
        return Parts(members.T @ self.sums @ members, members.T @ self.counts @ members)


def parts_of(links: Links, of_host: Groups) -> Parts:
    members = members_of(of_host)
    return Parts(*((members.T @ matrix @ members).astype(np.float64) for matrix in (links.flat, links.weight)))


def cost_of(parts: Parts, links: Links) -> float:
    """Bayesian information criterion: a mean inside each group, and for links between two what each of them adds.

    Links come in pairs, so half of them count.
    """
    inside, within = np.diag(parts.sums), np.diag(parts.counts)
    between, outside = (matrix - np.diag(np.diag(matrix)) for matrix in (parts.sums, parts.counts))
    adds = np.linalg.lstsq(np.diag(outside.sum(axis=1)) + outside, between.sum(axis=1), rcond=None)[0]
    explained = float((inside**2 / np.maximum(within, 1)).sum() + 2 * adds @ between.sum(axis=1))
    left = links.squares - explained
    half, count, hosts = float(parts.counts.sum()) / 2, len(parts.sums), len(links.flat)
    parameters = 2 * count * np.log(half) + (2 * hosts * np.log(count) if count > 1 else 0.0)
    return float(half * np.log(max(left, 1e-9) / (2 * half)) + parameters)


def members_of(groups: Groups) -> Matrix:
    members = np.zeros((len(groups), int(groups.max()) + 1), np.float32)
    members[np.arange(len(groups)), groups] = 1
    return members


def gap_of(links: Links, groups: Groups) -> float:
    """By how much links between groups are slower than those inside."""
    parts = parts_of(links, groups)
    inside, near = np.trace(parts.sums), np.trace(parts.counts)
    between, far = parts.sums.sum() - inside, parts.counts.sum() - near
    return float(between / far - inside / near) if near and far else 0.0


def means_of(links: Links, members: Matrix, unknown: float) -> NDArray[np.float64]:
    """[host, group]: the mean of a host's links to a group."""
    return mean_of(links.flat @ members, links.weight @ members, unknown)


def mean_of(sums: Sums, counts: Sums, unknown: float) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, unknown)


@dataclass(frozen=True)
class LookedAt:
    """Hosts in whose links groups show, log times among them [from, to], and the part of these that was measured."""

    hosts: NDArray[np.int64]
    times: Matrix
    known: float


def looked_at(seen: Readings) -> LookedAt:
    """All hosts, of very many a part, and where few links are known the landmarks."""
    some = _among(sampled(seen.hosts), seen)
    if some.known >= MOSTLY_KNOWN:
        return some
    marks = _among(landmarks(seen.hosts), seen)
    return some if some.known >= max(LEAST_KNOWN, marks.known) else marks


def _among(hosts: NDArray[np.int64], seen: Readings) -> LookedAt:
    times = seen.between_hosts.median if len(hosts) == seen.hosts else seen.cells(hosts, hosts).median
    return LookedAt(hosts, times, float(np.isfinite(times).sum() / max(len(hosts) * (len(hosts) - 1), 1)))


def groups_seen(seen: Readings, looked: LookedAt) -> tuple[Groups, float]:
    """As inferred_groups; where only some hosts are looked at, each of the others goes to where it is nearest."""
    some = looked.hosts
    groups, gain = inferred_groups(looked.times)
    if len(some) == seen.hosts:
        return groups, gain
    if not gain:
        return np.zeros(seen.hosts, np.int64), 0.0
    there = seen.cells(np.arange(seen.hosts), some).median
    back = there if seen.symmetric else seen.cells(some, np.arange(seen.hosts)).median.T
    return _in_order(_nearest(both_ways(there, back), some, groups)), gain


def _nearest(times: Matrix, some: NDArray[np.int64], groups: Groups) -> Groups:
    """The groups of some hosts, and every other host in the one that it is clearly nearer to, or alone."""
    times = times - row_medians(times)[0][:, None].astype(np.float32)  # a slow host is as far from all
    known = np.isfinite(times)
    members = members_of(groups)
    members = members[:, members.sum(axis=0) >= FEWEST_SEEN]
    of_column = np.flatnonzero(np.bincount(groups) >= FEWEST_SEEN)
    means = mean_of(np.where(known, times, np.float32(0)) @ members, known.astype(np.float32) @ members, np.inf)
    near = means.argmin(axis=1)
    nearness = _nearness(np.where(np.isfinite(means), means, np.nan), near)
    inside = np.isin(groups, of_column)
    alone = int(groups.max()) + 1 + np.arange(len(times))
    everywhere = np.where(nearness > _half_gap(nearness[some[inside]]), of_column[near], alone)
    everywhere[some] = groups
    return np.asarray(everywhere, np.int64)


def inferred_groups(matrix: Matrix) -> tuple[Groups, float]:
    """A group number for each host, by log times [from, to], and how much they explain; NaN: not measured.

    All are 0, and explain 0, where no groups show. What is explained is the gain of the criterion for each link.
    """
    hosts = len(matrix)
    groups, gain = np.zeros(hosts, np.int64), 0.0
    if hosts < FEWEST_HOSTS or np.isfinite(matrix).sum() < LEAST_KNOWN * hosts * (hosts - 1):
        return groups, gain
    rest, slow = _without_hosts(matrix)
    for highest in HIGHEST:
        if not gain:
            groups, gain = _by_links_below(rest, slow, highest)
    return groups, gain


def _by_links_below(rest: Matrix, slow: Matrix, highest: float) -> tuple[Groups, float]:
    """The groups that show in what is left of the times, cut at a quantile: what lies above is a fault, or chance."""
    hosts, one = len(rest), np.zeros(len(rest), np.int64)
    links = _links(rest, highest)
    best, cost_of_one = one, cost_of(parts_of(links, one), links)
    best_cost = cost_of_one
    everybody, clear = np.arange(hosts), np.flatnonzero(slow <= LEAST_GAP)
    # Slow hosts are alike for being slow; but so may be those that have few neighbours, so both are tried.
    for chosen in (everybody, clear) if FEWEST_HOSTS <= len(clear) < hosts else (everybody,):
        groups, cost = _best_of_tree(links, chosen)
        if cost < best_cost:
            best, best_cost = groups, cost
    moved = _moved(links, best)
    if cost_of(parts_of(links, moved), links) < best_cost:
        best = moved
    best = _true_ones(links, best)
    gain = (cost_of_one - cost_of(parts_of(links, best), links)) / float(links.weight.sum(dtype=np.float64))
    return (_in_order(best), gain) if gain > 0 and gap_of(links, best) > LEAST_GAP else (one, 0.0)


def _links(rest: Matrix, highest: float) -> Links:
    """The links as they are compared."""
    known = np.isfinite(rest)
    flat = np.clip(rest, *np.quantile(known_sample(rest), [0.001, highest]).astype(np.float32))
    flat -= np.mean(flat, where=known)
    flat[~known] = 0
    squares = float(np.einsum("ij,ij->", flat, flat, dtype=np.float64))
    return Links(flat, known.astype(np.float32), squares)


def _best_of_tree(links: Links, chosen: NDArray[np.intp]) -> tuple[Groups, float]:
    """Of all cuts through the tree of the chosen hosts the cheapest; others go to the group that they are nearest to.

    The finest cut has the others within it, so what the hosts of each part of it have in common is summed up once.
    """
    among = np.ix_(chosen, chosen)
    tree = linkage(_distances(_centred(links.flat[among], links.weight[among])), "average")
    cuts = [fcluster(tree, count, "maxclust").astype(np.int64) - 1 for count in _counts(len(chosen))]
    others = np.setdiff1d(np.arange(len(links.flat)), chosen)
    finest = np.empty(len(links.flat), np.int64)
    finest[chosen], finest[others] = cuts[-1], int(cuts[-1].max()) + 1 + np.arange(len(others))
    parts = parts_of(links, finest)
    clear = len(parts.sums) - len(others)
    best, best_cost = finest, np.inf
    for cut in cuts:
        of_part = np.zeros(len(parts.sums), np.int64)
        of_part[cuts[-1]] = cut
        member = members_of(of_part[:clear]).astype(np.float64)
        sums, counts = (matrix[clear:, :clear] @ member for matrix in (parts.sums, parts.counts))
        of_part[clear:] = mean_of(sums, counts, np.inf).argmin(axis=1)
        if (cost := cost_of(parts.joined(of_part), links)) < best_cost:
            best, best_cost = of_part[finest], cost
    return best, best_cost


def _counts(hosts: int) -> list[int]:
    """All small numbers of groups, then fewer and fewer; of many hosts, for which each takes long, fewer too."""
    steps, all_up_to = (48, 24) if hosts <= MANY_HOSTS else (24, 8)
    some = np.unique(np.geomspace(2, max(min(hosts // 2, MOST_GROUPS), 2), steps).round().astype(int))
    return sorted({*some.tolist(), *range(2, min(hosts // 2, all_up_to) + 1)})


def _without_hosts(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Both directions as one, without what slow hosts add, and that: even their fastest links are slow."""
    both = both_ways(matrix, matrix.T)
    at = min(FASTEST, len(both)) - 1
    fast = np.partition(both, at, axis=1)[:, at]
    slow = np.maximum(np.nan_to_num(fast - np.nanmedian(fast)), 0).astype(np.float32)
    both -= np.maximum(slow[:, None], slow[None, :])
    return np.asarray(both, np.float32), slow


def _centred(flat: Matrix, weight: Matrix) -> Matrix:
    """Without what each host adds to all of its links, so that slow hosts are not alike for being slow."""
    mean = flat.sum(axis=1) / np.maximum(weight.sum(axis=1), 1)
    return np.asarray((flat - mean[:, None] - mean[None, :]) * weight, np.float32)


def _distances(flat: Matrix) -> NDArray[np.float64]:
    """1 - correlation of each two rows, condensed."""
    length = np.sqrt((flat**2).sum(axis=1))
    rows = flat / np.where(length > 0, length, 1)[:, None]
    distance = 1 - rows @ rows.T
    np.fill_diagonal(distance, 0)
    return np.asarray(squareform(np.maximum(distance, 0), checks=False), np.float64)


def _moved(links: Links, groups: Groups) -> Groups:
    """Each host in the group that it is nearest to, again and again."""
    for _ in range(MOVES):
        nearest = means_of(links, members_of(groups), np.inf).argmin(axis=1)
        if (nearest == groups).all():
            break
        groups = np.unique(nearest, return_inverse=True)[1].astype(np.int64)
    return groups


def _true_ones(links: Links, groups: Groups) -> Groups:
    """A host stays in a group only if it is clearly nearer to it than to others; else it goes where it is, or alone.

    So slow hosts, which are alike too, and hosts that have a switch for themselves make no group. Before, groups
    between which links are as fast as inside become one.
    """
    groups = _joined(links, groups, _half_gap(_nearness(means_of(links, members_of(groups), np.nan), groups)))
    members = members_of(groups)
    means = means_of(links, members, np.nan)
    nearness = _nearness(means, groups)
    half = _half_gap(nearness)
    stays = nearness > half
    part = np.bincount(groups, stays, members.shape[1]) / members.sum(axis=0)
    near = np.where((part > 0.5)[None, :] & np.isfinite(means), means, np.inf).argmin(axis=1)
    goes = (_nearness(means, near) > half) & (part[near] > 0.5)
    return np.where(stays, groups, np.where(goes, near, members.shape[1] + np.arange(len(groups))))


def _nearness(means: NDArray[np.float64], to: Groups) -> NDArray[np.float64]:
    """By how much each host is nearer to its group of `to` than to most others; of each its means to all groups."""
    rows, others = np.arange(len(to)), means.copy()
    others[rows, to] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a host that has links to one group only
        return np.asarray(np.nanmedian(others, axis=1) - means[rows, to], float)


def _half_gap(nearness: NDArray[np.float64]) -> float:
    known = nearness[np.isfinite(nearness)]
    return float(np.median(known)) / 2 if len(known) else np.inf


def _joined(links: Links, groups: Groups, half: float) -> Groups:
    """Two groups become one where links between them are slower than inside by less than `half`; the nearest first."""
    members = members_of(groups)
    sums, counts = links.flat @ members, links.weight @ members
    while int(groups.max()) > 0:
        members = members_of(groups)
        means = members.T @ mean_of(sums, counts, 0.0).astype(np.float32)
        means = means / members.sum(axis=0)[:, None]
        inside = np.where(members.sum(axis=0) > 1, np.diag(means), np.nan)
        beyond = means - (inside[:, None] + inside[None, :]) / 2
        beyond[np.arange(len(means)), np.arange(len(means))] = np.nan
        if not np.isfinite(beyond).any() or np.nanmin(beyond) >= half:
            break
        a, b = np.unravel_index(np.nanargmin(beyond), beyond.shape)
        for matrix in (sums, counts):
            matrix[:, a] += matrix[:, b]
        sums, counts = np.delete(sums, b, axis=1), np.delete(counts, b, axis=1)
        groups = np.where(groups == b, a, groups)
        groups = groups - (groups > b)
    return groups


def _in_order(groups: Groups) -> Groups:
    """Numbered in the order of their first hosts."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)
