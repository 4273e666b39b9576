"""Finds groups of hosts (of a switch, of a pod) in the times themselves: inside a group links are faster.

Hosts of one group are near and far to the same others, so their rows of the matrix are alike: average linkage
(Sokal and Michener 1958) of the correlation of rows, the number of groups by the Bayesian information criterion
(Schwarz 1978), then each host moved to the group that it is nearest to (Lloyd 1982) until none moves.
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from everylink.analysis.judge.robust import Matrix

FEWEST_HOSTS = 6
LEAST_KNOWN = 0.3  # of all pairs: of less, rows are not alike
LEAST_GAP = 0.02  # log of the factor between a link to elsewhere and one inside
MOST_GROUPS, MANY_HOSTS = 256, 1500
FASTEST = 1  # the link of a host that says how fast it can be
MOVES = 8
HIGHEST = (0.7, 0.97)  # quantiles: many slow links hide groups; but where nothing shows below, few links may be far
Groups = NDArray[np.int64]


def inferred_groups(matrix: Matrix) -> tuple[Groups, float]:
    """A group number for each host, by log times [from, to], and how much they explain; NaN: not measured.

    All are 0, and explain 0, where no groups show. What is explained is the gain of the criterion for each link.
    """
    hosts = len(matrix)
    one = np.zeros(hosts, np.int64)
    if hosts < FEWEST_HOSTS or not enough_for_groups(matrix):
        return one, 0.0
    rest, slow = _without_hosts(matrix)
    groups, gain = one, 0.0
    for highest in HIGHEST:
        if not gain:
            groups, gain = _by_links_below(rest, slow, highest)
    return groups, gain


def _by_links_below(rest: Matrix, slow: Matrix, highest: float) -> tuple[Groups, float]:
    """The groups that show in what is left of the times, cut at a quantile: what lies above is a fault, or chance."""
    hosts, one = len(rest), np.zeros(len(rest), np.int64)
    known = np.isfinite(rest)
    rest = np.clip(rest, *np.quantile(rest[known], [0.001, highest]))
    rest[known] -= rest[known].mean()
    flat = np.where(known, rest, np.float32(0))
    squares = float(np.einsum("ij,ij->", flat, flat, dtype=np.float64))
    everybody, clear = np.arange(hosts), np.flatnonzero(slow <= LEAST_GAP)
    best, best_cost = one, _cost(flat, known, one, squares)
    cost_of_one = best_cost
    # Slow hosts are alike for being slow; but so may be those that have few neighbours, so both are tried.
    for chosen in (everybody, clear) if FEWEST_HOSTS <= len(clear) < hosts else (everybody,):
        among = np.ix_(chosen, chosen)
        tree = linkage(_distances(_centred(flat[among], known[among])), "average")
        for count in _counts(len(chosen)):
            groups = _with_the_others(flat, known, chosen, fcluster(tree, count, "maxclust").astype(np.int64) - 1)
            if (cost := _cost(flat, known, groups, squares)) < best_cost:
                best, best_cost = groups, cost
    moved = _moved(flat, known, best)
    if _cost(flat, known, moved, squares) < best_cost:
        best = moved
    best = _true_ones(flat, known, best)
    gain = (cost_of_one - _cost(flat, known, best, squares)) / int(known.sum())
    return (_in_order(best), gain) if gain > 0 and _gap(flat, known, best) > LEAST_GAP else (one, 0.0)


def _with_the_others(flat: Matrix, known: NDArray[np.bool_], clear: NDArray[np.intp], groups: Groups) -> Groups:
    """The groups of the clear hosts, and every other host in the one that it is nearest to."""
    if len(clear) == len(flat):
        return groups
    members = np.zeros((len(flat), int(groups.max()) + 1), np.float32)
    members[clear, groups] = 1
    everywhere: Groups = _means(flat, known, members, np.inf).argmin(axis=1).astype(np.int64)
    everywhere[clear] = groups
    return everywhere


def enough_for_groups(matrix: Matrix) -> bool:
    """Whether so many links were measured that groups would show."""
    hosts = len(matrix)
    return bool(np.isfinite(matrix).sum() >= LEAST_KNOWN * hosts * (hosts - 1))


def _counts(hosts: int) -> list[int]:
    """All small numbers of groups, then fewer and fewer; of many hosts, for which each takes long, fewer too."""
    steps, all_up_to = (48, 24) if hosts <= MANY_HOSTS else (24, 8)
    some = np.unique(np.geomspace(2, max(min(hosts // 2, MOST_GROUPS), 2), steps).round().astype(int))
    return sorted({*some.tolist(), *range(2, min(hosts // 2, all_up_to) + 1)})


def _without_hosts(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """Both directions as one, without what slow hosts add, and that: even their fastest links are slow."""
    both = np.where(np.isfinite(matrix) & np.isfinite(matrix.T), (matrix + matrix.T) / 2, np.fmax(matrix, matrix.T))
    fast = np.sort(both, axis=1)[:, min(FASTEST, len(both)) - 1]
    slow = np.maximum(np.nan_to_num(fast - np.nanmedian(fast)), 0).astype(np.float32)
    return np.asarray(both - np.maximum(slow[:, None], slow[None, :]), np.float32), slow


def _centred(flat: Matrix, known: NDArray[np.bool_]) -> Matrix:
    """Without what each host adds to all of its links, so that slow hosts are not alike for being slow."""
    mean = flat.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(known, flat - mean[:, None] - mean[None, :], np.float32(0)).astype(np.float32)


def _distances(flat: Matrix) -> NDArray[np.float64]:
    """1 - correlation of each two rows, condensed."""
    length = np.sqrt((flat**2).sum(axis=1))
    rows = flat / np.where(length > 0, length, 1)[:, None]
    distance = 1 - rows @ rows.T
    np.fill_diagonal(distance, 0)
    return np.asarray(squareform(np.maximum(distance, 0), checks=False), np.float64)


def _sums(flat: Matrix, known: NDArray[np.bool_], groups: Groups) -> tuple[float, int, float, int]:
    """Sum and number of the links inside of groups, and of those between."""
    members = _members(groups)
    inside = float(np.take_along_axis(flat @ members, groups[:, None], 1).sum(dtype=np.float64))
    count = int(np.take_along_axis(known.astype(np.float32) @ members, groups[:, None], 1).sum(dtype=np.float64))
    return inside, count, float(flat.sum(dtype=np.float64)) - inside, int(known.sum()) - count


def _cost(flat: Matrix, known: NDArray[np.bool_], groups: Groups, squares: float) -> float:
    """Bayesian information criterion: a mean inside each group, and for links between two what each of them adds.

    Links come in pairs, so half of them count.
    """
    members = _members(groups)
    sums = (members.T @ flat @ members).astype(np.float64)
    counts = (members.T @ known.astype(np.float32) @ members).astype(np.float64)
    inside, within = np.diag(sums), np.diag(counts)
    between, outside = (matrix - np.diag(np.diag(matrix)) for matrix in (sums, counts))
    adds = np.linalg.lstsq(np.diag(outside.sum(axis=1)) + outside, between.sum(axis=1), rcond=None)[0]
    explained = float((inside**2 / np.maximum(within, 1)).sum() + 2 * adds @ between.sum(axis=1))
    left = squares - explained
    links, count = int(known.sum()) / 2, members.shape[1]
    parameters = 2 * count * np.log(links) + (2 * len(flat) * np.log(count) if count > 1 else 0.0)
    return float(links * np.log(max(left, 1e-9) / (2 * links)) + parameters)


def _members(groups: Groups) -> Matrix:
    members = np.zeros((len(groups), int(groups.max()) + 1), np.float32)
    members[np.arange(len(groups)), groups] = 1
    return members


def _gap(flat: Matrix, known: NDArray[np.bool_], groups: Groups) -> float:
    inside, near, between, far = _sums(flat, known, groups)
    return between / far - inside / near if near and far else 0.0


def _moved(flat: Matrix, known: NDArray[np.bool_], groups: Groups) -> Groups:
    """Each host in the group that it is nearest to, again and again."""
    for _ in range(MOVES):
        nearest = _means(flat, known, _members(groups), np.inf).argmin(axis=1)
        if (nearest == groups).all():
            break
        groups = np.unique(nearest, return_inverse=True)[1].astype(np.int64)
    return groups


def _true_ones(flat: Matrix, known: NDArray[np.bool_], groups: Groups) -> Groups:
    """A host stays in a group only if it is clearly nearer to it than to others; else it goes where it is, or alone.

    So slow hosts, which are alike too, and hosts that have a switch for themselves make no group. Before, groups
    between which links are as fast as inside become one.
    """
    groups = _joined(flat, known, groups, _half_gap(_nearness(flat, known, groups, groups)))
    nearness = _nearness(flat, known, groups, groups)
    half = _half_gap(nearness)
    stays = nearness > half
    members = _members(groups)
    part = np.bincount(groups, stays, members.shape[1]) / members.sum(axis=0)
    near = np.where((part > 0.5)[None, :], _means(flat, known, members, np.inf), np.inf).argmin(axis=1)
    goes = (_nearness(flat, known, groups, near) > half) & (part[near] > 0.5)
    return np.where(stays, groups, np.where(goes, near, members.shape[1] + np.arange(len(groups))))


def _means(flat: Matrix, known: NDArray[np.bool_], members: Matrix, unknown: float) -> NDArray[np.float64]:
    """[host, group]: the mean of a host's links to a group."""
    counts = known.astype(np.float32) @ members
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, (flat @ members) / counts, unknown)


def _nearness(flat: Matrix, known: NDArray[np.bool_], groups: Groups, to: Groups) -> NDArray[np.float64]:
    """By how much each host is nearer to its group of `to` than to most others of `groups`."""
    to_group, rows = _means(flat, known, _members(groups), np.nan), np.arange(len(groups))
    own = to_group[rows, to]
    to_group[rows, to] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a host that has links to one group only
        return np.asarray(np.nanmedian(to_group, axis=1) - own, float)


def _half_gap(nearness: NDArray[np.float64]) -> float:
    known = nearness[np.isfinite(nearness)]
    return float(np.median(known)) / 2 if len(known) else np.inf


def _joined(flat: Matrix, known: NDArray[np.bool_], groups: Groups, half: float) -> Groups:
    """Two groups become one where links between them are slower than inside by less than `half`; the nearest first."""
    while int(groups.max()) > 0:
        members = _members(groups)
        means = members.T @ np.nan_to_num(_means(flat, known, members, 0.0)).astype(np.float32)
        means = means / members.sum(axis=0)[:, None]
        inside = np.where(members.sum(axis=0) > 1, np.diag(means), np.nan)
        beyond = means - (inside[:, None] + inside[None, :]) / 2
        beyond[np.arange(len(means)), np.arange(len(means))] = np.nan
        if not np.isfinite(beyond).any() or np.nanmin(beyond) >= half:
            break
        a, b = np.unravel_index(np.nanargmin(beyond), beyond.shape)
        groups = np.unique(np.where(groups == b, a, groups), return_inverse=True)[1].astype(np.int64)
    return groups


def _in_order(groups: Groups) -> Groups:
    """Numbered in the order of their first hosts."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)
