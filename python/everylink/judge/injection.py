"""Finds hosts of several ranks with less injection bandwidth than others: what their ranks reach together.

The best of the steps in which all ranks of a host work with others show what it can carry, if what lies behind it is
the same for all hosts of its kind, or its group. Where groups do not show, this tells a slow host from narrow ways.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import Found
from everylink.judge.full_load import FullLoad, Together
from everylink.judge.kinds import Equals
from everylink.judge.verdict import Side
from everylink.robust import Values

QUANTILES = (0.7, 0.8, 0.9)  # of the steps of a host, all of which must show less
FEWEST_STEPS, FEWEST_EQUALS = 8, 9  # steps of a host; hosts of its kind, itself among them
FEWEST_MATES = 3  # hosts of its kind in its group, likewise, with which it is compared, too
LEAST, APART = 0.14, 6.0  # log of the factor; times as much as most others carry less than usual
MOST_OTHERS, LEAST_SPREAD = 0.95, 0.01  # part of these; log of the factor by which hosts differ at least
PART_OF_KIND, PART_OF_GROUP = 0.5, 0.5  # fewer hosts of a kind, and of a group of several, must carry less
AS_NEAR = 0.75  # part of what others of its kind send to their own groups in these steps, which a host must, too
Index = NDArray[np.int64]


def slow_together(load: FullLoad, equals: Equals) -> list[Found]:
    """The hosts that carry less than their kind does, and their group, in all steps, and in those with hosts of that
    kind only. None of a group half of which do: it may be built so; nor one that sends more to other groups then, over
    ways that are narrower."""
    seen, found, group_of = load.together(equals.kind_of, equals.group_of), list[Found](), equals.group_of
    for kind in range(equals.kinds):
        hosts = np.flatnonzero(equals.kind_of == kind)
        in_all, in_own = (_less(seen, mask, hosts, group_of) for mask in (slice(None), seen.kind == kind))
        for host in sorted(in_all.keys() & in_own.keys()):
            effect, z = (min(both) for both in zip(in_all[host], in_own[host], strict=True))
            found.append(Found("host", (host,), Side.BOTH, effect, z, load.partners(host)))
    if not load.are_few(len(found)):
        return []
    size, count = np.bincount(group_of), Counter(int(group_of[one.subject[0]]) for one in found)
    built_so = {group for group, slow in count.items() if slow >= PART_OF_GROUP * size[group] and size[group] > 1}
    return [one for one in found if int(group_of[one.subject[0]]) not in built_so]


def _less(
    seen: Together, steps: slice | NDArray[np.bool_], hosts: Index, group_of: Index
) -> dict[int, tuple[float, float]]:
    """Of those of the hosts that carry less in these steps: the log of the factor, and how many times as much that is
    as most others carry less."""
    host, rate = seen.host[steps], seen.rate[steps]
    count = np.bincount(host, minlength=int(hosts.max(initial=0)) + 1)
    known = hosts[count[hosts] >= FEWEST_STEPS]
    if len(known) < FEWEST_EQUALS:
        return {}
    best: Values = np.array([np.quantile(rate[host == one], QUANTILES) for one in known])  # [hosts, quantiles]
    usual = np.tile(np.median(best, axis=0), (len(known), 1))
    for group in np.unique(group_of[known]).tolist():
        own = group_of[known] == group
        if own.sum() >= FEWEST_MATES:
            usual[own] = np.minimum(usual[own], np.median(best[own], axis=0))
    less = np.log(usual / best).min(axis=1)
    slow = less >= LEAST
    if slow.sum() >= PART_OF_KIND * len(known):
        return {}
    times = less / max(LEAST_SPREAD, float(np.quantile(less[~slow], MOST_OTHERS)))
    near = np.bincount(host, seen.near[steps], len(count))[known] / count[known]
    in_none = np.bincount(group_of)[group_of[known]] == 1  # as slow hosts may seem to be
    found = slow & (times >= APART) & ((near >= AS_NEAR * np.median(near)) | in_none)
    return {int(known[at]): (float(less[at]), float(times[at])) for at in np.flatnonzero(found)}
