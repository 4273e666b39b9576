"""Which links to measure again, so that noise and faults are told apart: suspects, against partners that are good.

A suspect pair of hosts gets more readings of its own links; a suspect host is measured with several hosts that are not
suspect, because links between two bad hosts tell nothing of either.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.findings import Findings, find
from everylink.analysis.judge.grouping import Grouping, groups_for
from everylink.analysis.judge.readings import Readings, readings
from everylink.analysis.judge.times import SETTLED_READINGS
from everylink.analysis.judge.trunks import Trunk
from everylink.analysis.judge.within import find_within
from everylink.results import Results

PARTNERS = 12  # of a suspect host
ITERATIONS = 6  # of every link that is measured again; a round trip gives two readings of a pair
ROUNDS = 3  # suspects may come up only when others are cleared
MOST_RANKS = 4  # of a host, that are measured with their like


def pairs_to_confirm(results: Results, grouping: Grouping | None) -> NDArray[np.int64]:
    """Pairs of ranks [n, 2], each once with the smaller rank first; none: all is clear."""
    pairs: set[tuple[int, int]] = set()
    within: set[int] = set()
    groups, known = groups_for(results, grouping)
    for size in results.sizes:
        seen = readings(results, size)
        if seen.count:
            pairs |= _of_hosts(seen, find(seen, groups, blind=not known))
        within |= {host.host for host in find_within(results, size) if not host.sure}
    ranks = _of_ranks(pairs, results) | _inside(within, results)
    return np.array(sorted(ranks), np.int64).reshape(-1, 2)


def _of_hosts(seen: Readings, findings: Findings) -> set[tuple[int, int]]:
    worst = findings.pairs.suspects
    pairs = {(min(a, b), max(a, b)) for a, b in zip(worst.frm.tolist(), worst.to.tolist(), strict=True)}
    random = np.random.default_rng(len(findings.suspect_hosts))  # any partners do, but the same for the same file
    for trunk in findings.trunks:
        pairs |= _over(trunk, findings, seen, random)
    suspects = findings.suspect_hosts
    good = np.setdiff1d(np.arange(seen.hosts), suspects)
    if len(good) < PARTNERS:
        good = np.arange(seen.hosts)
    settled = findings.pairs.settled
    for host in suspects[settled[suspects] < min(PARTNERS, len(good) - 1)].tolist():
        partners = random.choice(good, min(PARTNERS, len(good)), replace=False)
        pairs |= {(min(host, p), max(host, p)) for p in partners.tolist() if p != host}
    return pairs


def _over(trunk: Trunk, findings: Findings, seen: Readings, random: np.random.Generator) -> set[tuple[int, int]]:
    """Some pairs over a trunk, so that its direction shows; none where some were measured again already."""
    own, far = np.flatnonzero(findings.effects.group_of == trunk.group), np.array(trunk.far)
    if (seen.cells(own, far).count >= SETTLED_READINGS).sum() >= min(PARTNERS, len(own), len(far)):
        return set()
    number = min(PARTNERS, len(own), len(far))
    ends = zip(random.choice(own, number, False).tolist(), random.choice(far, number, False).tolist(), strict=True)
    return {(min(a, b), max(a, b)) for a, b in ends}


def _of_ranks(pairs: set[tuple[int, int]], results: Results) -> set[tuple[int, int]]:
    """The ranks of two hosts with the same number on them; in a run on one host the pairs are of ranks already."""
    host_of = results.ranks.host_index.astype(np.int64)
    if host_of.max() == 0:
        return pairs
    on = _ranks_on_hosts(host_of)
    ranks: set[tuple[int, int]] = set()
    for a, b in pairs:
        ranks |= {(min(x, y), max(x, y)) for x, y in zip(on[a], on[b], strict=False)}
    return ranks


def _inside(hosts: set[int], results: Results) -> set[tuple[int, int]]:
    """All pairs of the first ranks of each of these hosts."""
    on = _ranks_on_hosts(results.ranks.host_index.astype(np.int64)) if hosts else []
    return {pair for host in hosts for pair in itertools.combinations(sorted(on[host]), 2)}


def _ranks_on_hosts(host_of: NDArray[np.int64]) -> list[list[int]]:
    order = np.argsort(host_of, kind="stable")
    starts = np.searchsorted(host_of[order], np.arange(int(host_of.max()) + 2))
    return [order[begin:end][:MOST_RANKS].tolist() for begin, end in itertools.pairwise(starts)]
