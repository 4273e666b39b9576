"""Hosts with more ranks than cores: their ranks wait for each other, which looks like a slow or unsteady host."""

from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np

from everylink.host_lists import folded
from everylink.judge.verdict import OF_TIMES, Scope, Verdict
from everylink.links.hosts import host_names
from everylink.model.results import Results

MOST_CERTAIN = 0.7
EXPLAINED = 2.0  # a rank that waits for another one as often as not takes twice as long


def crowded_hosts(results: Results) -> list[str]:
    """The names of the hosts that have more ranks than cores, in the order of the hosts."""
    ranks, names = results.ranks, host_names(results.ranks)
    return [names[host] for host in sorted(set(ranks.host_index[ranks.crowded > 0].tolist()))]


def crowded_names(results: Results) -> Set[str]:
    """The names of the hosts that have more ranks than cores, and of their ranks."""
    ranks = results.ranks
    return {*crowded_hosts(results), *(ranks.name(rank) for rank in np.flatnonzero(ranks.crowded).tolist())}


def less_certain(results: Results, verdicts: Sequence[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """The same verdicts, as sure ones and suspects.

    Those of times on crowded hosts are sure to MOST_CERTAIN at most. Within one host, and of single ranks, what waiting
    for a core explains is a suspect: all that is slow between the ranks of a host, where each wait counts in full.
    Hosts that are compared with each other all wait.
    """
    crowded = crowded_names(results)
    if not crowded:
        return list(verdicts), []
    sure: list[Verdict] = []
    suspects: list[Verdict] = []
    for verdict in verdicts:
        doubtful = is_doubtful(verdict, crowded)
        explained = verdict.symptom != "slow" or verdict.scope == Scope.WITHIN or (verdict.factor or 1) < EXPLAINED
        is_suspect = doubtful and explained and _is_within_a_host(results, verdict)
        (suspects if is_suspect else sure).append(_doubted(verdict) if doubtful else verdict)
    return sure, suspects


def is_doubtful(verdict: Verdict, crowded: Set[str]) -> bool:
    """Whether the verdict is about times on a crowded host, or about many hosts of which one is crowded."""
    of_many = bool(crowded) and verdict.kind in ("group", "trunk")
    return verdict.symptom in OF_TIMES and (of_many or not crowded.isdisjoint(verdict.subject))


def _is_within_a_host(results: Results, verdict: Verdict) -> bool:
    """Whether it compares ranks of one host with each other, or rests on links within one host."""
    ranks = results.ranks
    of_device = verdict.device != ""  # against other devices of the same hosts
    if verdict.kind == "rank" or of_device or verdict.scope == Scope.WITHIN or len(set(ranks.host_index.tolist())) == 1:
        return True
    hosts = {int(ranks.host_index[ranks.numbers[name]]) if name in ranks.numbers else -1 for name in verdict.subject}
    return verdict.kind in ("pair", "link") and len(hosts) == 1


def crowd_remarks(results: Results) -> list[str]:
    """One sentence that names the crowded hosts; none without them."""
    hosts = crowded_hosts(results)
    if not hosts:
        return []
    certain = f"{100 * MOST_CERTAIN:.0f} %"
    return [
        f"More ranks than cores on {folded(hosts)}: times there include waiting for a core. So a verdict on times "
        f"there has a confidence of {certain} at most, and what waiting may explain within a host is only a suspect."
    ]


def _doubted(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        confidence=min(verdict.confidence, MOST_CERTAIN),
        evidence=f"{verdict.evidence}; there are more ranks than cores",
    )
