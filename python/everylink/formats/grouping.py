"""The groups of hosts to judge a run by: of the file of --topology, else of what Slurm told the ranks."""

from pathlib import Path

import numpy as np

from everylink.analysis.judge.grouping import Grouping
from everylink.errors import UserMistake
from everylink.formats.topology import groups_and_names, leaf_of_address, read_topology
from everylink.results import Ranks, Results

TOLD_BY = "SLURM_TOPOLOGY_ADDR"


def grouping_of(results: Results, topology: Path | None = None) -> Grouping | None:
    """Groups that are known; None: they are to be found in the times.

    Raises UserMistake where the file cannot be used, or has none of the hosts.
    """
    if topology is None:
        return _told_by_slurm(results.ranks)
    if not results.ranks.host_index.any():
        raise UserMistake(f"--topology {topology}: says which hosts share a switch; {results.path} is of one host only")
    groups, names = groups_and_names(read_topology(topology), results.ranks)
    if not names:
        raise UserMistake(
            f"--topology {topology}: names none of the hosts of {results.path}, such as {results.ranks.host[0]}"
        )
    return Grouping(groups, names)


def _told_by_slurm(ranks: Ranks) -> Grouping | None:
    """By the leaf switch of each host; one switch alone tells nothing apart."""
    groups = np.full(int(ranks.host_index.max()) + 1, -1, np.int64)
    numbers: dict[str, int] = {}
    for host, address, pattern in zip(ranks.host_index, ranks.topology_address, ranks.topology_pattern, strict=True):
        leaf = leaf_of_address(address, pattern)
        if leaf is not None and groups[host] < 0:
            groups[host] = numbers.setdefault(leaf, len(numbers))
    return Grouping(groups, tuple(numbers), TOLD_BY) if len(numbers) > 1 else None
