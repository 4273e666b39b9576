"""GPUs of a host that are slow because of the PCIe switch that they share are one verdict."""

from collections.abc import Mapping, Sequence

import numpy as np

from everylink.inventory.cluster import Cluster
from everylink.inventory.gpus import gpu_of
from everylink.judge.merged import each_by_itself
from everylink.judge.verdict import Scope, Verdict


def one_per_switch(verdicts: Sequence[Verdict], cluster: Cluster) -> tuple[Verdict, ...]:
    """The verdicts, with one of the scope `each` in place of those of all GPUs of a host below one PCIe switch, where
    its other GPUs are not slow."""
    of_hosts: dict[int, dict[int, Verdict]] = {}
    for one in verdicts:
        for name in one.subject if _is_slow_rank(one) else ():
            rank = cluster.ranks.numbers.get(name, -1)
            if rank >= 0 and gpu_of(cluster, rank):
                of_hosts.setdefault(int(cluster.ranks.host_index[rank]), {})[rank] = one
    merged, left_out = list[Verdict](), set[Verdict]()
    for host, slow in of_hosts.items():
        for bridge, ranks in _shared(host, slow, cluster):
            of_bridge = list(dict.fromkeys(slow[rank] for rank in ranks))
            is_whole = sum(len(one.subject) for one in of_bridge) == len(ranks)  # of ranks that share an adapter all
            if is_whole and left_out.isdisjoint(of_bridge):
                left_out.update(of_bridge)
                switch = bridge.partition("/")[2]
                text = f"of the GPUs of {cluster.names[host]} just those below PCIe switch {switch} are slow"
                merged.append(each_by_itself(of_bridge, "rank", text))
    kept = [one for one in verdicts if one not in left_out]
    return tuple(sorted(kept + merged, key=lambda one: one.worth))


def _is_slow_rank(verdict: Verdict) -> bool:
    return verdict.is_slow_rank and verdict.scope in (Scope.ALL, Scope.WITHIN, Scope.EACH)


def _shared(host: int, slow: Mapping[int, Verdict], cluster: Cluster) -> list[tuple[str, list[int]]]:
    """PCI bridges above several GPUs, all of them slow, and the ranks of these; those above most of them first."""
    here = np.flatnonzero((cluster.ranks.host_index == host) & (cluster.ranks.gpu >= 0)).tolist()
    above: dict[str, list[int]] = {}  # a bridge stands before what is above it
    for rank in here:
        for part in cluster.functions_of(gpu_of(cluster, rank), host)[1:]:
            above.setdefault(part, []).append(rank)
    found = [
        (part, ranks)
        for part, ranks in above.items()
        if len({int(cluster.ranks.gpu[rank]) for rank in ranks}) > 1
        and len(ranks) < len(here)
        and all(rank in slow for rank in ranks)
    ]
    return sorted(found, key=lambda one: -len(one[1]))
