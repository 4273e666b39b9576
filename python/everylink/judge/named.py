"""Which hosts verdicts name."""

from collections.abc import Sequence

from everylink.judge.verdict import Verdict
from everylink.links.hosts import host_names
from everylink.model.results import Ranks


def verdicts_by_host(ranks: Ranks, verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Of each host, in the order of the hosts, the verdicts that name it or a rank on it."""
    names = host_names(ranks)
    host_of = {name: names[ranks.host_index[rank]] for name, rank in ranks.numbers.items()}
    found: dict[str, list[Verdict]] = {host: [] for host in names}
    for verdict in verdicts:
        for host in {host_of.get(name, name) for name in verdict.subject}:
            if host in found:
                found[host].append(verdict)
    return found
