"""Infers groups of hosts (one switch, one pod) from the times: links inside a group are faster.

Hosts of one group are near to and far from the same hosts, so their rows of the matrix are alike. Method: average
linkage (Sokal and Michener 1958) on the correlation of rows; the number of groups by the Bayesian information criterion
(Schwarz 1978); then each host moves to its nearest group (Lloyd 1982) until none moves.
"""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.kinds import Kinds, quick_links
from everylink.judge.readings import Readings
from everylink.robust import Matrix, both_ways, is_whole, known_sample, landmarks, row_medians, sampled, spread

Groups = NDArray[np.int64]
Mask = NDArray[np.bool_]
Sums = NDArray[np.floating]
FEWEST_HOSTS = 6
LEAST_KNOWN, MOSTLY_KNOWN = 0.3, 0.7  # of all pairs: the least for comparing rows; enough for groups to show
LEAST_GAP = 0.02  # log of the factor between a link to another group and one inside
MOST_GROUPS, MANY_HOSTS = 256, 1500
MOSTLY_CLEAR = 0.9  # part of very many hosts among which groups show without the others
RIDGE = 1e-9  # of the mean of a diagonal, which makes a matrix regular and changes nothing that shows
NEARER = 2 * LEAST_GAP  # by which a host is clearly nearer to some others than most of its kind are
MOVES = 8
HIGHEST = (0.7, 0.97)  # quantiles: many slow links hide groups; if none show below the first, far links may be few
CLEARLY_SLOWER, CLEAR_OF_NOISE = 0.1, 8.0  # log of the factor, and times the spread, of a single slow link
FEWEST_SEEN = 2  # hosts of a group, if only a sample of hosts is used
FEWEST_FAR = 4  # hosts that are near to a single other one of these, and far from all the rest


@dataclass(frozen=True)
class Links:
    """Log times [host, host] minus their mean, 0 where unknown; `weight`: 1 where known, else 0.

    `squares`: the sum of their squares.
    """

    flat: Matrix
    weight: Matrix
    squares: float


@dataclass(frozen=True)
class Parts:
    """Sums and counts of the links from each part of the hosts to each other part, [part, part]."""

    sums: Sums
    counts: Sums

    def joined(self, of_part: Groups) -> "Parts":
        """Merge the parts that get the same number."""
        members = members_of(of_part).astype(np.float64)
        return Parts(members.T @ self.sums @ members, members.T @ self.counts @ members)


def parts_of(links: Links, of_host: Groups) -> Parts:
    if int(of_host.max()) < MOST_GROUPS:
        members = members_of(of_host)
        return Parts(*((members.T @ matrix @ members).astype(np.float64) for matrix in (links.flat, links.weight)))
    order = np.argsort(of_host, kind="stable")  # many parts: most hosts stay alone
    begins = np.flatnonzero(np.diff(of_host[order], prepend=-1))
    return Parts(*(_sums_of_parts(matrix, order, begins) for matrix in (links.flat, links.weight)))


def _sums_of_parts(matrix: Matrix, order: Groups, begins: NDArray[np.intp]) -> Sums:
    """Of the rows and columns in this order, those from each beginning to the next one."""
    rows = np.add.reduceat(matrix[order], begins, axis=0, dtype=np.float64)
    return np.asarray(np.add.reduceat(rows[:, order], begins, axis=1))


def cost_of(parts: Parts, links: Links) -> float:
    """Bayesian information criterion of a model: a mean inside each group; between two groups, what each of them adds.

    Each link appears twice (both directions), so half of the cells count.
    """
    inside, within = np.diag(parts.sums), np.diag(parts.counts)
    between, outside = (matrix - np.diag(np.diag(matrix)) for matrix in (parts.sums, parts.counts))
    adds = added_by_ends(between, outside)
    explained = float((inside**2 / np.maximum(within, 1)).sum() + 2 * adds @ between.sum(axis=1))
    left = links.squares - explained
    half, count, hosts = float(parts.counts.sum()) / 2, len(parts.sums), len(links.flat)
    parameters = 2 * count * np.log(half) + (2 * hosts * np.log(count) if count > 1 else 0.0)
    return float(half * np.log(max(left, 1e-9) / (2 * half)) + parameters)


def added_by_ends(sums: Sums, counts: Sums) -> NDArray[np.float64]:
    """What each part adds to its links with others, [parts], by least squares; of two parts any of the solutions.

    `sums`, `counts` [part, part]: of the links between two parts, symmetric, 0 within one. In seconds of thousands of
    parts, which numpy.linalg.lstsq would take a minute for.
    """
    matrix, wanted = np.diag(counts.sum(axis=1)) + counts, sums.sum(axis=1)
    if len(matrix) <= MOST_GROUPS:
        return np.asarray(np.linalg.lstsq(matrix, wanted, rcond=None)[0])
    least = RIDGE * float(np.trace(matrix)) / len(matrix)
    return np.asarray(np.linalg.solve(matrix + least * np.eye(len(matrix)), wanted), np.float64)


def members_of(groups: Groups) -> Matrix:
    members = np.zeros((len(groups), int(groups.max()) + 1), np.float32)
    members[np.arange(len(groups)), groups] = 1
    return members


def gap_of(links: Links, groups: Groups) -> float:
    """How much slower links between groups are than links inside, log of the factor."""
    parts = parts_of(links, groups)
    inside, near = np.trace(parts.sums), np.trace(parts.counts)
    between, far = parts.sums.sum() - inside, parts.counts.sum() - near
    return float(between / far - inside / near) if near and far else 0.0


def means_of(links: Links, members: Matrix, unknown: float) -> NDArray[np.float64]:
    """[host, group]: the mean of a host's links with a group; `unknown` where there is none."""
    return mean_of(links.flat @ members, links.weight @ members, unknown)


def mean_of(sums: Sums, counts: Sums, unknown: float) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, unknown)


@dataclass(frozen=True)
class SearchedLinks:
    """Hosts searched for groups by their links, log times among them [from, to], and the part that was measured."""

    hosts: NDArray[np.int64]
    times: Matrix
    known: float


def searched_links(seen: Readings, kinds: Kinds) -> SearchedLinks:
    """All hosts, or a sample of very many; the landmarks if too few links are known. Without what kinds differ by."""
    some = _among(sampled(seen.hosts), seen, kinds)
    if some.known >= MOSTLY_KNOWN:
        return some
    marks = _among(landmarks(seen.hosts), seen, kinds)
    return some if some.known >= max(LEAST_KNOWN, marks.known) else marks


def searched_rails(seen: Readings, kinds: Kinds, device: Sequence[str]) -> SearchedLinks | None:
    """All hosts by the links between ranks on adapters of one name; None where hosts have one, or are very many.

    Where each adapter of a host has a switch of its own, only these links are shorter within a group. `device` [ranks];
    the first rank on each adapter of a host counts.
    """
    names = sorted(set(device) - {""})
    if len(names) < 2 or not is_whole(seen.hosts):
        return None
    number = np.array([names.index(name) if name else -1 for name in device])
    first = np.unique(seen.host_of * (len(names) + 1) + number + 1, return_index=True)[1]
    of_first = np.full(len(number), -1, np.int64)
    of_first[first] = number[first]
    hosts = np.arange(seen.hosts)
    times = kinds.levelled(seen.between_equals(of_first), hosts, hosts)
    np.fill_diagonal(times, np.nan)
    return SearchedLinks(hosts, times, float(np.isfinite(times).sum() / max(len(hosts) * (len(hosts) - 1), 1)))


def _among(hosts: NDArray[np.int64], seen: Readings, kinds: Kinds) -> SearchedLinks:
    times = seen.between_hosts.median if len(hosts) == seen.hosts else seen.cells(hosts, hosts).median
    times = kinds.levelled(times, hosts, hosts)
    return SearchedLinks(hosts, times, float(np.isfinite(times).sum() / max(len(hosts) * (len(hosts) - 1), 1)))


def find_groups(seen: Readings, searched: SearchedLinks, kinds: Kinds) -> tuple[Groups, float]:
    """As inferred_groups; if only a sample was used, every other host joins its nearest group."""
    some = searched.hosts
    groups, gain = inferred_groups(searched.times, kinds.of_host[some])
    if len(some) == seen.hosts:
        return groups, gain
    if not gain:
        return np.zeros(seen.hosts, np.int64), 0.0
    every = np.arange(seen.hosts)
    there = kinds.levelled(seen.cells(every, some).median, every, some)
    back = there if seen.symmetric else kinds.levelled(seen.cells(some, every).median, some, every).T
    return _in_order(_nearest(both_ways(there, back), some, groups)), gain


def _nearest(times: Matrix, some: NDArray[np.int64], groups: Groups) -> Groups:
    """The groups of the sampled hosts; every other host joins the group it is clearly nearest to, or stays alone."""
    times = times - row_medians(times)[0][:, None].astype(np.float32)  # a slow host is equally far from all
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


def inferred_groups(matrix: Matrix, kind_of: NDArray[np.int64] | None = None) -> tuple[Groups, float]:
    """A group number per host from log times [from, to] (NaN: not measured), and how much the groups explain.

    `kind_of` [hosts]: their kinds, if there are several; the times are without what these differ by.

    All 0, explaining 0, if no groups show. Explained: the gain in the criterion per link.
    """
    hosts = len(matrix)
    groups, gain = np.zeros(hosts, np.int64), 0.0
    if hosts < FEWEST_HOSTS or np.isfinite(matrix).sum() < LEAST_KNOWN * hosts * (hosts - 1):
        return groups, gain
    of_kind = np.zeros(hosts, np.int64) if kind_of is None else kind_of
    both = both_ways(matrix, matrix.T)
    added = _added_by_hosts(both, of_kind)
    slow = added[np.unique(of_kind, return_inverse=True)[1], np.arange(hosts)]
    views, far = [_without_added(both, added, of_kind)], _far_pairs(both, slow, of_kind)
    if far.any():
        views.append(_without_added(both, np.where(far, np.float32(0), added), of_kind))
    for highest in HIGHEST:
        if not gain:
            groups, gain = _by_links_below(views, slow, highest)
    return groups, gain


def explained(searched: SearchedLinks, candidates: Sequence[Groups], kinds: Kinds) -> NDArray[np.float64]:
    """How much each of these groups [hosts] explains of the links, as in inferred_groups; [candidates]."""
    both, of_kind = both_ways(searched.times, searched.times.T), kinds.of_host[searched.hosts]
    rest = _without_added(both, _added_by_hosts(both, of_kind), of_kind)
    gains = np.zeros((len(HIGHEST), len(candidates)))
    for of_links, highest in zip(gains, HIGHEST, strict=True):
        links = _links(rest, highest)
        cost_of_one = _cost_of_one(links)
        of_links[:] = [_gain(links, _in_order(groups[searched.hosts]), cost_of_one) for groups in candidates]
    first, other = np.maximum(gains, 0.0)
    return np.asarray(np.where(first > 0, first, other))


def _by_links_below(rests: Sequence[Matrix], slow: Matrix, highest: float) -> tuple[Groups, float]:
    """The groups that show in the residuals, clipped at a quantile: what lies above is a fault, or chance.

    Once more without single slow links where there are some: one inside a group would divide it.
    """
    views = [_links(rest, highest) for rest in rests]
    found = _searched(views, slow)
    if len(slow) > MANY_HOSTS or not found[1] or not (single := _single(views[0], found[0])).any():
        return found
    return _searched([_without_links(view, single) for view in views], slow)


def _searched(views: Sequence[Links], slow: Matrix) -> tuple[Groups, float]:
    """The best groups, and their gain, of these links; `slow` [hosts]: what hosts add to all of theirs.

    The second view, if there is one, keeps what two hosts that are near to each other only add to their links with all
    the rest. Without that, the rest are as far from these as from each other.
    """
    links = views[0]
    hosts = len(links.flat)
    one = np.zeros(hosts, np.int64)
    cost_of_one = _cost_of_one(links)
    best, best_cost = one, cost_of_one
    every_host, clear = np.arange(hosts), np.flatnonzero(slow <= LEAST_GAP)
    # Slow hosts look alike because they are slow, but so do hosts with few neighbours; so both choices are tried, but
    # where few of very many hosts are slow, as each takes long.
    choices = [every_host]
    if FEWEST_HOSTS <= len(clear) < hosts:
        choices = [clear] if hosts > MANY_HOSTS and len(clear) >= MOSTLY_CLEAR * hosts else [every_host, clear]
    for chosen in choices:
        groups, cost = _best_of_tree(links, chosen)
        if cost < best_cost:
            best, best_cost = groups, cost
    moved = _moved(links, best)
    if cost_of(parts_of(links, moved), links) < best_cost:
        best = moved
    found = [(one, 0.0)]
    for view in views:
        groups = _clear_members(view, best)
        several = (np.bincount(groups) >= FEWEST_SEEN).sum() > 1  # hosts that stay alone are slow, or far
        if several and gap_of(view, groups) > LEAST_GAP:
            found.append((_in_order(groups), _gain(links, groups, cost_of_one)))
    return max(found, key=lambda of_view: of_view[1])


def _cost_of_one(links: Links) -> float:
    """The cost of a single group of all hosts."""
    return cost_of(parts_of(links, np.zeros(len(links.flat), np.int64)), links)


def _gain(links: Links, groups: Groups, cost_of_one: float) -> float:
    """How much the criterion gains by these groups, per link."""
    return (cost_of_one - cost_of(parts_of(links, groups), links)) / float(links.weight.sum(dtype=np.float64))


def _single(links: Links, groups: Groups) -> Mask:
    """Mask of the links, [host, host], that are clearly slower than others of their ends with the same groups, where
    neither end has another such link."""
    known = links.weight > 0
    beyond = links.flat - means_of(links, members_of(groups), np.nan)[:, groups]
    beyond = np.where(known, np.minimum(beyond, beyond.T), np.nan)
    slower = beyond > max(CLEARLY_SLOWER, CLEAR_OF_NOISE * spread(known_sample(beyond.astype(np.float32))))
    alone = slower.sum(axis=1) == 1
    return np.asarray(slower & alone[:, None] & alone[None, :])


def _without_links(links: Links, some: Mask) -> Links:
    """Without these."""
    flat, weight = (np.where(some, np.float32(0), matrix) for matrix in (links.flat, links.weight))
    return Links(flat, weight, _squares(flat))


def _squares(flat: Matrix) -> float:
    return float(np.einsum("ij,ij->", flat, flat, dtype=np.float64))


def _links(rest: Matrix, highest: float) -> Links:
    """Clip and centre the residuals."""
    known = np.isfinite(rest)
    flat = np.clip(rest, *np.quantile(known_sample(rest), [0.001, highest]).astype(np.float32))
    flat -= np.mean(flat, where=known)
    flat[~known] = 0
    return Links(flat, known.astype(np.float32), _squares(flat))


def _best_of_tree(links: Links, chosen: NDArray[np.intp]) -> tuple[Groups, float]:
    """The cheapest cut through the tree of the chosen hosts; the other hosts join their nearest group.

    The finest cut refines all others, so the sums over its parts are computed once.
    """
    from scipy.cluster.hierarchy import fcluster, linkage  # slow to import, and not needed for few hosts

    flat, weight = links.flat, links.weight
    if len(chosen) < len(flat):
        flat, weight = (matrix[np.ix_(chosen, chosen)] for matrix in (flat, weight))
    tree = linkage(_distances(_centred(flat, weight)), "average")
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
    """All small numbers of groups, then ever sparser; fewer with many hosts, where each number takes long."""
    steps, all_up_to = (48, 24) if hosts <= MANY_HOSTS else (24, 8)
    some = np.unique(np.geomspace(2, max(min(hosts // 2, MOST_GROUPS), 2), steps).round().astype(int))
    return sorted({*some.tolist(), *range(2, min(hosts // 2, all_up_to) + 1)})


def _added_by_hosts(both: Matrix, of_kind: Groups) -> Matrix:
    """[kind, host]: what slow hosts add to their links with hosts of each kind, if even the fastest of these are slow.

    For each two kinds by itself: a slow host may not show in its links with hosts of a slower kind. Not of a host that
    is nearer to some of another kind than most of its own kind are: it may be near to none of its own. `both`: log
    times [host, host] of both directions.
    """
    members = _of_each(of_kind)
    slower = np.zeros((len(members), len(both)), np.float32)  # than most of its kind, with hosts of each kind
    for own, (with_kind, far) in itertools.product(members, enumerate(members)):
        slower[with_kind, own] = _slower_among(both[np.ix_(own, far)] if len(members) > 1 else both)
    return np.where((slower < -NEARER).any(axis=0), np.float32(0), np.maximum(slower, 0))


def _slower_among(block: Matrix) -> Matrix:
    """How much longer the fastest links of each row take than those of most rows, [rows]."""
    fast = quick_links(block)
    if np.isnan(fast).all():  # such as hosts of two kinds that have no adapter in common
        return np.zeros(len(block), np.float32)
    return np.asarray(np.nan_to_num(fast - np.nanmedian(fast)), np.float32)


def _far_pairs(both: Matrix, slow: Matrix, of_kind: Groups) -> Mask:
    """[hosts]: which are near to a single other one of their kind, as near as most are to others, and far from all the
    rest. None in a kind with fewer than FEWEST_FAR: one switch of two hosts may be slow.

    `slow` [hosts]: what they add within their kind.
    """
    found = np.zeros(len(both), bool)
    if not (slow > CLEARLY_SLOWER).any():
        return found
    for own in _of_each(of_kind):
        block, every = both[np.ix_(own, own)], np.arange(len(own))
        nearest = np.where(np.isnan(block), np.inf, block).argmin(axis=1)
        usual = quick_links(block) - slow[own]
        is_far = (slow[own] > CLEARLY_SLOWER) & (np.abs(block[every, nearest] - usual) < LEAST_GAP)
        is_far &= is_far[nearest] & (nearest[nearest] == every)
        found[own] = is_far & (is_far.sum() >= FEWEST_FAR)
    return found


def _without_added(both: Matrix, added: Matrix, of_kind: Groups) -> Matrix:
    """The times of `both` directions without what slow hosts add, as from _added_by_hosts."""
    rest, members = both.copy(), _of_each(of_kind)
    for (one, own), (other, far) in itertools.combinations_with_replacement(enumerate(members), 2):
        block = both[np.ix_(own, far)] if len(members) > 1 else both
        block = block - np.maximum(added[other, own][:, None], added[one, far][None, :])
        rest[np.ix_(own, far)] = block
        rest[np.ix_(far, own)] = block.T
    return rest


def _of_each(of_kind: Groups) -> list[NDArray[np.intp]]:
    """The hosts of each kind."""
    return [np.flatnonzero(of_kind == kind) for kind in np.unique(of_kind)]


def _centred(flat: Matrix, weight: Matrix) -> Matrix:
    """Subtract what each host adds to all its links, so that slow hosts do not look alike."""
    mean = flat.sum(axis=1) / np.maximum(weight.sum(axis=1), 1)
    centred = flat - mean[:, None]
    centred -= mean[None, :]
    centred *= weight
    return np.asarray(centred, np.float32)


def _distances(flat: Matrix) -> NDArray[np.float64]:
    """1 - correlation of every two rows, condensed."""
    length = np.sqrt((flat**2).sum(axis=1))
    rows = flat / np.where(length > 0, length, 1)[:, None]
    alike = rows @ rows.T
    del rows
    condensed = np.empty(len(flat) * (len(flat) - 1) // 2)
    end = 0
    for number, row in enumerate(alike):
        begin, end = end, end + len(flat) - number - 1
        condensed[begin:end] = np.maximum(1 - row[number + 1 :], 0)
    return condensed


def _moved(links: Links, groups: Groups) -> Groups:
    """Move each host to its nearest group until none moves, at most MOVES times."""
    for _ in range(MOVES):
        nearest = means_of(links, members_of(groups), np.inf).argmin(axis=1)
        if (nearest == groups).all():
            break
        groups = np.unique(nearest, return_inverse=True)[1].astype(np.int64)
    return groups


def _clear_members(links: Links, groups: Groups) -> Groups:
    """Keep a host in a group only if it is clearly nearer to it than to others; otherwise it moves, or stays alone.

    So neither slow hosts, which look alike, nor hosts with a switch of their own form a group. First, groups are merged
    if the links between them are as fast as those inside.
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
    """How much nearer each host is to its group in `to` than to most others, from its mean link with each group."""
    rows, others = np.arange(len(to)), means.copy()
    others[rows, to] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # for a host with links to one group only
        return np.asarray(np.nanmedian(others, axis=1) - means[rows, to], float)


def _half_gap(nearness: NDArray[np.float64]) -> float:
    known = nearness[np.isfinite(nearness)]
    return float(np.median(known)) / 2 if len(known) else np.inf


def _joined(links: Links, groups: Groups, half: float) -> Groups:
    """Merge two groups if links between them are slower than inside by less than `half`; the nearest pair first."""
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
    """Renumber groups in the order of their first hosts."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)
