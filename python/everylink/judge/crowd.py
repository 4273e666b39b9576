"""Hosts with more ranks than cores: their ranks wait for each other, which looks like a slow or unsteady host."""

from collections.abc import Sequence
from dataclasses import replace

from everylink.host_lists import folded
from everylink.judge.verdict import Verdict
from everylink.links.hosts import host_names
from everylink.model.results import Results

MOST_CERTAIN = 0.9
OF_TIMES = ("slow", "jitter", "unfair")


def crowded_hosts(results: Results) -> list[str]:
    """The names of the hosts that have more ranks than cores, in the order of the hosts."""
    ranks, names = results.ranks, host_names(results.ranks)
    return [names[host] for host in sorted(set(ranks.host_index[ranks.crowded > 0].tolist()))]


def less_certain(results: Results, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts; those of times on crowded hosts are sure to MOST_CERTAIN at most."""
    hosts = crowded_hosts(results)
    if not hosts:
        return list(verdicts)
    ranks = results.ranks
    known = {*hosts, *(ranks.name(rank) for rank in range(len(ranks)) if ranks.crowded[rank])}

    def is_doubtful(verdict: Verdict) -> bool:
        of_many = verdict.kind in ("group", "trunk")
        return verdict.symptom in OF_TIMES and (of_many or not known.isdisjoint(verdict.subject))

    return [_doubted(verdict) if is_doubtful(verdict) else verdict for verdict in verdicts]


def crowd_remarks(results: Results) -> list[str]:
    """One sentence that names the crowded hosts; none without them."""
    hosts = crowded_hosts(results)
    if not hosts:
        return []
    return [
        f"More ranks than cores on {folded(hosts)}: times there include waiting for a core, so what is slow there is "
        f"sure to {100 * MOST_CERTAIN:.0f} % at most."
    ]


def _doubted(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        confidence=min(verdict.confidence, MOST_CERTAIN),
        evidence=f"{verdict.evidence}; there are more ranks than cores",
    )
