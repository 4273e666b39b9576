"""The groups of hosts to judge by: those that were given, or those that show in the times."""

import itertools

import numpy as np
from numpy.typing import NDArray

from everylink.judge.groups import FEWEST_SEEN, LEAST_KNOWN, MOSTLY_KNOWN, LookedAt, groups_seen, looked_at
from everylink.judge.readings import Readings, readings
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.robust import is_whole, landmarks

LINKS = 12  # of a host that is to be placed; more where groups are many
MOST_UNPLACED = 0.1  # of all hosts: links of some may have failed
Groups = NDArray[np.int64]


def groups_known(seen: Readings, looked: LookedAt, groups: Groups) -> bool:
    """Whether groups show or would show, and almost every host has links that tell to which it belongs."""
    needed = LEAST_KNOWN if groups.any() else MOSTLY_KNOWN
    if not is_whole(seen.hosts):  # of so many nobody is placed by links of its own that were asked for
        return looked.known >= needed
    return looked.known >= needed and len(_unplaced(seen, looked, groups)) <= MOST_UNPLACED * seen.hosts


def pairs_for_groups(seen: Readings, groups: Groups) -> set[tuple[int, int]]:
    """Pairs of hosts, the smaller number first, that were not measured and tell more of the groups."""
    if not groups.any():
        marks = landmarks(seen.hosts)
        known = np.isfinite(seen.cells(marks, marks).median)
        return {(a, b) for (i, a), (j, b) in itertools.combinations(enumerate(marks.tolist()), 2) if not known[i, j]}
    random = np.random.default_rng(seen.hosts)  # any landmarks do, but the same for the same file
    looked = looked_at(seen)
    by_group = _by_group(looked, groups)
    pairs = set()
    for host in _unplaced(seen, looked, groups).tolist():
        for members in by_group:
            some = random.choice(members, _wanted(members, by_group), replace=False)
            pairs |= {(min(host, mark), max(host, mark)) for mark in some.tolist()}
    return pairs


def _unplaced(seen: Readings, looked: LookedAt, groups: Groups) -> NDArray[np.int64]:
    """Hosts that have fewer links than are wanted with the landmarks of some group."""
    some, by_group = looked.hosts, _by_group(looked, groups)
    others = np.setdiff1d(np.arange(seen.hosts), some)
    if not len(others) or not by_group:
        return np.zeros(0, np.int64)
    known = np.isfinite(seen.cells(others, some).median)
    links = [known[:, np.isin(some, members)].sum(axis=1) for members in by_group]
    placed = np.ones(len(others), bool)
    for count, members in zip(links, by_group, strict=True):
        placed &= count >= _wanted(members, by_group)
    return others[~placed]


def _wanted(members: NDArray[np.int64], by_group: list[NDArray[np.int64]]) -> int:
    """How many links with these landmarks of a group place a host."""
    return min(len(members), max(FEWEST_SEEN, LINKS // len(by_group)))


def _by_group(looked: LookedAt, groups: Groups) -> list[NDArray[np.int64]]:
    """Of each group those of its hosts that are looked at; none where there is one group."""
    if not groups.any():
        return []
    some = looked.hosts
    parts = [some[groups[some] == group] for group in np.unique(groups[some])]
    return [members for members in parts if len(members) >= FEWEST_SEEN]


def groups_for(results: Results, grouping: Grouping | None) -> tuple[NDArray[np.int64], bool]:
    """The group of each host, and whether groups are known: given, or measured so far that they would show.

    One grouping holds for all sizes: that of the size at which it explains most, because a fault that shows at one size
    may hide the groups there.
    """
    if grouping is not None:  # a host that is not in it may be anywhere: a group of its own
        unknown = grouping.group_of < 0
        return np.where(unknown, len(grouping.names) + np.cumsum(unknown) - 1, grouping.group_of), True
    best: NDArray[np.int64] | None = None
    most, known = -1.0, False
    for size in results.sizes:
        seen = readings(results, size)
        if not seen.count:
            continue
        looked = looked_at(seen)
        groups, gain = groups_seen(seen, looked)
        known |= groups_known(seen, looked, groups)
        if gain > most:
            best, most = groups, gain
    return np.zeros(int(results.ranks.host_index.max()) + 1, np.int64) if best is None else best, known
