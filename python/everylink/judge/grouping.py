"""The groups of hosts to judge by: given, or inferred from the times."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.groups import (
    FEWEST_SEEN,
    LEAST_KNOWN,
    MOSTLY_KNOWN,
    SearchedLinks,
    explained,
    find_groups,
    inferred_groups,
    searched_links,
    searched_rails,
)
from everylink.judge.kinds import Kinds
from everylink.judge.quiet import MOST_HOSTS
from everylink.judge.readings import Readings, readings, readings_in
from everylink.model.groups import Grouping
from everylink.model.results import Results, Size
from everylink.model.rows import ALONE, ONE_WAY, QUARTER
from everylink.robust import is_whole, landmarks

LINKS = 12  # needed to place a host; more if there are many groups
ONE_OF_MANY = 1 / 3  # part of the hosts: a smaller one of two groups may be slow, so that the others look like one
MOST_UNPLACED = 0.1  # part of all hosts; some links may have failed
Groups = NDArray[np.int64]


def groups_known(seen: Readings, searched: SearchedLinks, groups: Groups) -> bool:
    """Whether groups show, or would show, and almost every host has enough links to place it in one."""
    needed = LEAST_KNOWN if groups.any() else MOSTLY_KNOWN
    if not is_whole(seen.hosts):  # in such a large run no host is placed by links requested for it
        return searched.known >= needed
    return searched.known >= needed and len(_unplaced(seen, searched, groups)) <= MOST_UNPLACED * seen.hosts


def pairs_for_groups(seen: Readings, groups: Groups, kinds: Kinds) -> set[tuple[int, int]]:
    """Pairs of hosts, smaller number first, that were not measured and would tell more about the groups."""
    if not groups.any():
        marks = landmarks(seen.hosts)
        known = np.isfinite(seen.cells(marks, marks).median)
        return {(a, b) for (i, a), (j, b) in itertools.combinations(enumerate(marks.tolist()), 2) if not known[i, j]}
    random = np.random.default_rng(seen.hosts)  # any landmarks do; repeatable per file
    searched = searched_links(seen, kinds)
    by_group = _by_group(searched, groups)
    pairs = set()
    for host in _unplaced(seen, searched, groups).tolist():
        for members in by_group:
            some = random.choice(members, _needed(members, by_group), replace=False)
            pairs |= {(min(host, mark), max(host, mark)) for mark in some.tolist()}
    return pairs


def _unplaced(seen: Readings, searched: SearchedLinks, groups: Groups) -> NDArray[np.int64]:
    """Hosts that have too few links with the landmarks of some group."""
    some, by_group = searched.hosts, _by_group(searched, groups)
    others = np.setdiff1d(np.arange(seen.hosts), some)
    if not len(others) or not by_group:
        return np.zeros(0, np.int64)
    known = np.isfinite(seen.cells(others, some).median)
    links = [known[:, np.isin(some, members)].sum(axis=1) for members in by_group]
    placed = np.ones(len(others), bool)
    for count, members in zip(links, by_group, strict=True):
        placed &= count >= _needed(members, by_group)
    return others[~placed]


def _needed(members: NDArray[np.int64], by_group: list[NDArray[np.int64]]) -> int:
    """How many links with these landmarks of a group are needed to place a host."""
    return min(len(members), max(FEWEST_SEEN, LINKS // len(by_group)))


def _by_group(searched: SearchedLinks, groups: Groups) -> list[NDArray[np.int64]]:
    """The sampled hosts of each group; empty if there is only one group."""
    if not groups.any():
        return []
    some = searched.hosts
    parts = [some[groups[some] == group] for group in np.unique(groups[some])]
    return [members for members in parts if len(members) >= FEWEST_SEEN]


def groups_for(results: Results, grouping: Grouping | None, kinds: Kinds) -> tuple[NDArray[np.int64], bool]:
    """The group of each host, and whether groups are known: given, or enough was measured for them to show.

    One grouping holds for all sizes: of those that show at some size, under any load, the one that explains most of all
    of them, because load, or a fault, may hide the groups at one.
    """
    if grouping is not None:  # a host missing from the grouping may be anywhere, so it gets its own group
        unknown = grouping.group_of < 0
        return np.where(unknown, len(grouping.names) + np.cumsum(unknown) - 1, grouping.group_of), True
    best, known = np.zeros(int(results.ranks.host_index.max()) + 1, np.int64), False
    every, of_rails = list[SearchedLinks](), list[tuple[Groups, float]]()
    loaded, quiet = list[Groups](), list[Groups]()
    for size in results.sizes:
        seen = readings(results, size)
        if not seen.count:
            continue
        every.append(searched_links(seen, kinds))
        groups, gain = find_groups(seen, every[-1], kinds)
        known |= groups_known(seen, every[-1], groups)
        loaded.append(groups)
        rails = None if gain else searched_rails(seen, kinds, results.ranks.device)
        if rails is not None:
            of_rails.append(find_groups(seen, rails, kinds))
        for less in _with_less_load(results, size, seen.hosts):
            searched = searched_links(less, kinds)
            if searched.known >= MOSTLY_KNOWN:
                every.append(searched)
                quiet.append(find_groups(less, searched, kinds)[0])
    candidates = _different(loaded + [groups for groups in quiet if _shows_twice(groups, loaded, quiet)])
    if len(candidates) > 1:
        gains = sum(explained(searched, candidates, kinds) for searched in every)
        best = candidates[int(np.argmax(gains))]
    elif candidates:
        (best,) = candidates
    if not best.any() and of_rails:
        best = max(of_rails, key=lambda found: found[1])[0]
    sizes = np.bincount(best)
    several = sizes[sizes >= FEWEST_SEEN]
    if len(several) == 2 and several.min() <= ONE_OF_MANY * len(best) and is_whole(len(best)):
        best = _divided(best, every, kinds)
    return _kinds_joined(best, kinds), known


def _with_less_load(results: Results, size: Size, hosts: int) -> Iterator[Readings]:
    """What was measured with a quarter of the ranks busy, and alone, where that may be of most pairs of hosts."""
    if hosts > MOST_HOSTS:
        return
    for attempt in (QUARTER, ALONE, ONE_WAY):
        if (size.rows.attempt == attempt).sum() >= MOSTLY_KNOWN * hosts * (hosts - 1) / 2:
            yield readings_in(results, size, attempt)


def _different(several: list[Groups]) -> list[Groups]:
    """Each of these once, in their order."""
    return list({groups.tobytes(): groups for groups in several}.values())


def _shows_twice(groups: Groups, loaded: list[Groups], quiet: list[Groups]) -> bool:
    """Whether groups that show with less load do so in several of these readings, or divide some that show under full
    load: chance may make some in one, as each pair meets others there."""
    several = sum(bool((groups == other).all()) for other in (*loaded, *quiet)) > 1
    return several or any(other.any() and _divides(groups, other) for other in loaded)


def _divides(fine: Groups, coarse: Groups) -> bool:
    """Whether each of these groups is in one of the others."""
    return len(np.unique(np.stack([fine, coarse]), axis=1).T) == len(np.unique(fine))


def _kinds_joined(groups: Groups, kinds: Kinds) -> Groups:
    """The groups; hosts of a kind that are all alone are one. They are equally far from each other and from all others,
    as hosts are that have a switch of their own."""
    if kinds.count < 2 or not groups.any():
        return groups
    joined, size = groups.copy(), np.bincount(groups)
    for kind in range(kinds.count):
        own = np.flatnonzero(kinds.of_host == kind)
        if len(own) >= FEWEST_SEEN and (size[groups[own]] == 1).all():
            joined[own] = groups[own].min()
    return np.unique(joined, return_inverse=True)[1].reshape(-1)


def _divided(groups: Groups, every: list[SearchedLinks], kinds: Kinds) -> Groups:
    """Two groups, each divided into those that show within it.

    All links of a slow group are so slow that the other groups look like one. What told kinds of hosts differ by is
    taken from links within it.
    """
    divided, count = np.zeros_like(groups), 0
    for group in range(int(groups.max()) + 1):
        own = np.flatnonzero(groups == group)
        among, inner = replace(kinds, of_host=kinds.of_host[own]), list[tuple[Groups, float]]()
        for searched in every:
            times = searched.times[np.ix_(own, own)]
            if kinds.told:
                times = among.levelled(times, np.arange(len(own)), np.arange(len(own)))
            inner.append(inferred_groups(times, among.of_host))
        divided[own] = count + max(inner, key=lambda found: found[1])[0]
        count = int(divided[own].max()) + 1
    return divided
