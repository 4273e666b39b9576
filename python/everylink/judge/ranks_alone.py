"""Looks for slow ranks among several that share an adapter, which hides while all measure what one of them lacks.

A rank that gets a quarter of its adapter under load may be half as fast as the others alone and not show. So each rank
is measured alone with two others of its number; one that is slow with both looks slow, and is then measured with more.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from everylink.judge.comparable import ENOUGH_OF_FEW
from everylink.judge.findings import Findings, Found
from everylink.judge.phases import PhaseReadings
from everylink.judge.verdict import Side
from everylink.model.results import Ranks

MOST_RANKS = 512  # of more, measuring each alone takes too long
FEWEST_HOSTS = 4  # of two or three, nobody can tell which one is slow
FEWEST = 2  # links of a rank, all of which are slow,
LEAST = 0.1  # by this at least, log of the factor


def sharing(ranks: Ranks) -> list[list[int]]:
    """The ranks that share their adapter with others of their host, those of each number on their hosts by themselves.

    None of very many ranks, or few hosts.
    """
    if len(ranks) > MOST_RANKS or len(np.unique(ranks.host_index)) < FEWEST_HOSTS:
        return []
    on_host = defaultdict[int, list[int]](list)
    for rank, host in enumerate(ranks.host_index.tolist()):
        on_host[host].append(rank)
    of_number = defaultdict[int, list[int]](list)
    for _, own in sorted(on_host.items()):
        devices = [ranks.device[rank] for rank in own]
        for number, rank in enumerate(own):
            if devices.count(devices[number]) > 1:
                of_number[number].append(rank)
    return [own for own in of_number.values() if len(own) > FEWEST]


def pairs_of_each(shared: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Pairs of ranks, the smaller one first: each of those that share an adapter, as from `sharing`, with those of its
    number on two other hosts."""
    rings = (zip(own, [*own[1:], own[0]], strict=True) for own in shared)
    return {(min(pair), max(pair)) for ring in rings for pair in ring}


def measured_alone(alone: PhaseReadings) -> list[int]:
    """The ranks of which enough links were measured alone to tell by themselves; none of very many."""
    ends, known = alone.of_ranks, len(alone.host_of) <= MOST_RANKS
    links = np.bincount(ends.frm, minlength=len(alone.host_of)) if known else np.zeros(0, np.int64)
    return np.flatnonzero(links >= ENOUGH_OF_FEW).tolist()


def looking_slow(alone: PhaseReadings, findings: Findings, some: Sequence[Sequence[int]]) -> set[int]:
    """The ranks of some, as from `sharing` or `measured_alone`, of which all links that were measured `alone` are slow,
    but for hosts all ranks of which are."""
    found, host_of = set[int](), alone.host_of
    ranks = set(itertools.chain.from_iterable(some))
    for rank in sorted(ranks & _longer(alone, findings) if ranks else ()):
        slow = alone.slow_with(Found("rank", (rank,), Side.BOTH, 0.0, 0.0, 0), findings)
        if slow.links >= FEWEST and slow.slow == slow.links and slow.effect >= LEAST:
            found.add(rank)
    on_host = Counter(host_of[list(found)].tolist())
    return {rank for rank in found if on_host[int(host_of[rank])] < (host_of == host_of[rank]).sum()}


def _longer(alone: PhaseReadings, findings: Findings) -> set[int]:
    """The ranks all links of which took longer alone than the median of their class, in one direction: no others can be
    slow."""
    comparable, best = alone.ranks_comparable(findings), alone.of_ranks
    beyond = np.zeros(len(best.time))
    for number in np.unique(comparable.of_class).tolist():
        own = comparable.of_class == number
        beyond[own] = best.time[own] - np.median(best.time[own])
    least = np.full((2, len(alone.host_of)), np.inf)
    for of_end, ends in zip(least, (best.frm, best.to), strict=True):
        np.minimum.at(of_end, ends, beyond)
    return set(np.flatnonzero(((least > LEAST / 2) & np.isfinite(least)).any(axis=0)).tolist())
