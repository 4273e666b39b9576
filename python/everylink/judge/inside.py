"""Finds hosts of several ranks that are slow with the others of their group while all ranks measure.

Inside a group messages share no ways, so load does not explain it: what the ranks of such a host share is slow. Alone
it does not show where a single rank does not fill that, nor with other groups where the ways there are narrower.
"""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import Found
from everylink.judge.full_load import FullLoad
from everylink.judge.kinds import Equals
from everylink.judge.verdict import Side
from everylink.robust import Matrix, known_sample, row_medians

FEWEST_NEAR = 3  # other hosts of its kind and group with which a host is compared
FEWEST_LINKS = 3  # inside groups between hosts of a kind
HIGH, MIDDLE = 0.85, 0.5  # quantiles of the messages of two hosts: the slow ones of a few steps, and the usual ones
LEAST = 0.08  # by which a host is slower, log of the factor
USUALLY = 0.4  # part of that by which it is slower in the usual messages
NOW_AND_THEN = 0.4  # log of the factor, from which it is slow now and then if it is not so usually
AS_SLOW, MOST = 0.5, 0.6  # part of that by which its links are slow, and part of these
APART, APART_USUALLY = 4.0, 2.0  # times as much as most other links inside groups differ
MOST_OTHERS = 0.9  # part of these
LEAST_SPREAD = 0.005  # log of the factor by which links differ at least
PART_OF_GROUP, PART_OF_KIND = 0.5, 0.5  # fewer hosts of a group, and of a kind, must be slow so
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class SlowInside:
    """A host, and whether it is so only now and then."""

    found: Found
    at_times: bool


def slow_inside(load: FullLoad, equals: Equals, told: Set[int]) -> list[SlowInside]:
    """The hosts that are slow so, by all of their ranks; `told`: those that are known to be slow, with which none is
    compared. One that is so now and then if no other looks slow: other jobs may use several."""
    slow, looking_slow = _slow_at(HIGH, load, equals, told, LEAST, APART)
    if not slow:
        return []
    usually, _ = _slow_at(MIDDLE, load, equals, told, USUALLY * LEAST, APART_USUALLY)
    effect = {one.subject: one.effect for one in usually}
    of_all_ranks = (one for one in slow if _is_of_all_ranks(one, load, equals))
    inside = (SlowInside(one, effect.get(one.subject, 0.0) < USUALLY * one.effect) for one in of_all_ranks)
    return [one for one in inside if not one.at_times or (looking_slow == 1 and one.found.effect >= NOW_AND_THEN)]


def _is_of_all_ranks(slow: Found, load: FullLoad, equals: Equals) -> bool:
    """Whether none of its ranks takes longer, compared with those of its number on other hosts, than most of them."""
    group_of, own = equals.group_of, equals.kind_of == equals.kind_of[slow.subject[0]]
    times = load.of_ranks((group_of[:, None] == group_of) & own & own[:, None])
    longer = times[slow.subject[0]] - row_medians(times.T)[0]
    known = longer[np.isfinite(longer)]
    return len(known) > 0 and bool(known.max() - np.quantile(known, 0.5, method="lower") < AS_SLOW * slow.effect)


def _slow_at(
    quantile: float, load: FullLoad, equals: Equals, told: Set[int], least: float, apart: float
) -> tuple[list[Found], int]:
    """Those that are slow so by a quantile of their messages, and how many look slow."""
    times = load.between_hosts(quantile)
    times[equals.group_of[:, None] != equals.group_of] = np.nan
    is_told = np.isin(np.arange(load.hosts), list(told))
    found, looking_slow = list[Found](), 0
    for kind in range(equals.kinds):
        hosts = np.flatnonzero(equals.kind_of == kind)
        own, group_of = times[np.ix_(hosts, hosts)], equals.group_of[hosts]
        slow, looking = _slow_of_kind(own, hosts, group_of, is_told[hosts], least, apart)
        found += [one for one in slow if not _is_quick_with_others(one, times, equals)]
        looking_slow += looking
    return found if load.are_few(len(found)) else [], looking_slow


def _is_quick_with_others(slow: Found, times: Matrix, equals: Equals) -> bool:
    """Whether it is quicker with nearly all hosts of another kind than its own kind usually is: it is near to these,
    and further from its own kind."""
    host, kind_of = slow.subject[0], equals.kind_of
    own = kind_of == kind_of[host]
    for kind in np.flatnonzero(np.arange(equals.kinds) != kind_of[host]).tolist():
        usual, of_host = (known_sample(times[np.ix_(one, kind_of == kind)]) for one in (own, np.array([host])))
        if len(of_host) < FEWEST_NEAR:
            continue
        if np.quantile(of_host, MOST_OTHERS) < np.median(usual) - AS_SLOW * slow.effect:
            return True
    return False


def _slow_of_kind(
    times: Matrix, hosts: Index, group_of: Index, told: Mask, least: float, apart: float
) -> tuple[list[Found], int]:
    """As _slow_at, of the hosts of a kind; `times`: of their links inside groups, log seconds [host, host]."""
    known = known_sample(times[np.ix_(~told, ~told)])
    if len(known) < 2 * FEWEST_LINKS:
        return [], 0
    longer = times - np.quantile(known, 0.5, method="lower")
    of_host, links = row_medians(np.where(told, np.float32(np.nan), longer))
    slow = (links >= FEWEST_NEAR) & (of_host >= least) & ~told
    well = ~slow & ~told
    if not slow.any() or slow.sum() >= PART_OF_KIND * len(hosts):
        return [], int(slow.sum())
    every, found = _differ(longer[np.ix_(well, well)]), list[Found]()
    for at in np.flatnonzero(slow).tolist():
        own, near = known_sample(longer[at, well]), group_of == group_of[at]
        effect = float(np.median(own)) if len(own) >= FEWEST_NEAR else 0.0
        spread = max(every, _differ(longer[np.ix_(near & well, near & well)]))
        elsewhere = known_sample(longer[np.ix_(well & ~near, well & ~near)])
        is_slow = effect >= max(least, apart * spread) and (own >= AS_SLOW * effect).mean() >= MOST
        is_slow &= len(own) > FEWEST_NEAR or len(elsewhere) >= FEWEST_LINKS  # else it may be further from these few
        among = longer[at, ~well]  # those that are well with each other are a group by themselves
        is_slow &= not (among < AS_SLOW * effect).any()
        if is_slow and (slow & near).sum() < PART_OF_GROUP * near.sum():
            z = effect / max(spread, LEAST_SPREAD) * float(np.sqrt(len(own)))
            found.append(Found("host", (int(hosts[at]),), Side.BOTH, effect, z, len(own)))
    return found, int(slow.sum())


def _differ(longer: Matrix) -> float:
    """By how much most of these links differ from the usual, log of the factor; where there are none, nobody knows. Of
    a group that is two in truth, some are over the ways between these."""
    known = known_sample(np.abs(longer))
    return max(float(np.quantile(known, MOST_OTHERS)), LEAST_SPREAD) if len(known) else np.inf
