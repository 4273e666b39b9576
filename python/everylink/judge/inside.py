"""Finds hosts of several ranks that are slow with the others of their group while all ranks measure.

Inside a group messages share no ways, so load does not explain it: what the ranks of such a host share is slow. Alone
it does not show where a single rank does not fill that, nor with other groups where the ways there are narrower.
"""

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.kinds import blocks_of_kinds
from everylink.judge.readings import Readings
from everylink.judge.verdict import Side
from everylink.robust import Matrix, both_ways, is_whole, known_sample, row_medians

FEWEST_NEAR = 3  # other hosts of its group with which a host is compared
FEWEST_OF_KINDS = 3  # links inside groups between hosts of two kinds
LEAST = 0.17  # by which a host is slower, log of the factor: other jobs on some hosts may make as much of less
AS_SLOW, MOST = 0.5, 0.6  # part of that by which its links are slow, and part of these
APART = 4.0  # times as much as most other links inside groups differ
MOST_OTHERS = 0.9  # part of these
LEAST_SPREAD = 1e-3  # real links are never exactly alike
PART_OF_GROUP, PART_OF_ALL = 0.5, 1 / 8  # fewer hosts of a group must be slow so, and no more of all, or one
Index = NDArray[np.int64]


def slow_inside(seen: Readings, effects: Effects, told: Set[int]) -> list[Found]:
    """The hosts that are slow so; `told`: those that are known to be slow, with which none is compared."""
    if not is_whole(seen.hosts):
        return []
    longer = _longer_inside(seen, effects)
    longer[:, list(told)] = np.nan
    of_host, links = row_medians(longer)
    slow = np.flatnonzero((links >= FEWEST_NEAR) & (of_host >= LEAST))
    slow = np.setdiff1d(slow, list(told))
    if not len(slow) or len(slow) > max(1, PART_OF_ALL * seen.hosts):
        return []
    well = np.setdiff1d(np.arange(seen.hosts), [*slow.tolist(), *told])
    every, found = _differ(longer, well), list[Found]()
    size = np.bincount(effects.group_of)
    count = np.bincount(effects.group_of[slow], minlength=len(size))
    for host in slow.tolist():
        effect, group = float(of_host[host]), effects.group_of[host]
        own = known_sample(longer[host, well])
        are_slow = len(own) > 0 and (own >= AS_SLOW * effect).mean() >= MOST
        spread = max(every, _differ(longer, well[effects.group_of[well] == group]))
        if are_slow and effect >= APART * spread and count[group] < PART_OF_GROUP * size[group]:
            z = effect / max(spread, LEAST_SPREAD) * float(np.sqrt(len(own)))
            found.append(Found("host", (host,), Side.BOTH, effect, z, int(links[host])))
    return found


def _differ(longer: Matrix, hosts: Index) -> float:
    """By how much most links inside groups among these hosts differ from the usual, log of the factor; where there are
    none, nobody knows. Of a group that is two in truth, some are over the ways between these."""
    known = known_sample(np.abs(longer[np.ix_(hosts, hosts)]))
    return float(np.quantile(known, MOST_OTHERS)) if len(known) else np.inf


def _longer_inside(seen: Readings, effects: Effects) -> Matrix:
    """What links inside groups take longer than those between hosts of the same kinds there usually do, log of the
    factor, [host, host]; NaN elsewhere, and where too few are known."""
    times = both_ways(seen.between_hosts.median, seen.between_hosts.median.T)
    times = np.where(effects.group_of[:, None] == effects.group_of, times, np.nan).astype(np.float32)
    np.fill_diagonal(times, np.nan)
    kind_of = effects.equals.kind_of
    for _, _, block in blocks_of_kinds(kind_of, kind_of, effects.equals.kinds):
        known = known_sample(times[block])
        usual = np.quantile(known, 0.5, method="lower") if len(known) >= FEWEST_OF_KINDS else np.nan
        times[block] -= np.float32(usual)
    return times
