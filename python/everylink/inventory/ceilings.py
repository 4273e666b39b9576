"""What the adapters that carry a run can carry: the rate of their ports, and of the PCIe links above them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everylink.errors import NotEnoughMemory
from everylink.inventory.cluster import Cluster, cluster_of, number_in
from everylink.model.inventory import Hosts
from everylink.model.results import Results

GIGABIT = 1e9 / 8  # bytes per second
# PCI Express Base Specification: a lane of 2.5 and 5 GT/s sends 8 bits as 10, one of 8 to 32 GT/s 128 bits as 130;
# from 64 GT/s on, flits of 256 bytes hold 242 of packets.
GENERATIONS = {2.5: ("1.0", 0.8), 5.0: ("2.0", 0.8), 8.0: ("3.0", 128 / 130), 16.0: ("4.0", 128 / 130),
               32.0: ("5.0", 128 / 130), 64.0: ("6.0", 242 / 256)}  # fmt: skip


@dataclass(frozen=True)
class Ceiling:
    """The most that a rank can send to other hosts while all ranks of its host do: bytes per second, and what limits.

    `limit`: `PCIe 4.0 x8`, `400 Gbit/s` or `400 Gbit/s on each of 4 rails`, of most hosts.
    """

    rate: float
    limit: str


def ceiling_of_run(results: Results) -> Ceiling | None:
    """That of the hosts of a run; none where the hosts do not tell it."""
    try:
        return ceiling_of(cluster_of(results))
    except NotEnoughMemory:
        return None


def ceiling_of(cluster: Cluster) -> Ceiling | None:
    """The median over the hosts of which it is known; none where no adapter's rate is."""
    by_host: dict[int, list[Ceiling]] = {}
    for part, hosts in cluster.adapters_of_run():
        for host, ceiling in _of_adapter(cluster, part, hosts):
            by_host.setdefault(host, []).append(ceiling)
    if not by_host:
        return None
    ranks = np.bincount(cluster.ranks.host_index)
    rates = [sum(one.rate for one in several) / ranks[host] for host, several in by_host.items()]
    limits = Counter(_limit(several) for several in by_host.values())
    return Ceiling(float(np.median(rates)), limits.most_common(1)[0][0])


def _limit(rails: Sequence[Ceiling]) -> str:
    """What limits the rails of a host together."""
    if len(rails) == 1:
        return rails[0].limit
    counts = sorted(Counter(one.limit for one in rails).items(), key=lambda item: (-item[1], item[0]))
    return " and ".join(
        f"{limit} on {'one rail' if count == 1 else f'each of {count} rails'}" for limit, count in counts
    )


def _of_adapter(cluster: Cluster, part: str, hosts: Hosts) -> list[tuple[int, Ceiling]]:
    """The lower one of port and PCIe of an adapter on each host; hosts of which neither is known are left out."""
    known: dict[int, list[Ceiling]] = {}
    for rates in cluster.gigabits(part, hosts):
        for host, gigabits in zip(hosts.tolist(), rates, strict=True):
            if gigabits > 0:
                known.setdefault(host, []).append(Ceiling(gigabits * GIGABIT, f"{gigabits:g} Gbit/s"))
    if not known:
        return []
    for host, ceiling in _of_pcie(cluster, part):
        if host in known:
            known[host].append(ceiling)
    return [(host, min(several, key=lambda one: one.rate)) for host, several in known.items()]


def _of_pcie(cluster: Cluster, part: str) -> list[tuple[int, Ceiling]]:
    """Each link between an adapter and the root, as it was under load."""
    found = []
    texts = cluster.inventory.texts
    for level in cluster.levels(part):
        speeds, widths = (cluster.of_level(level, f"current_link_{name}", loaded=True) for name in ("speed", "width"))
        for host, speed, width in zip(level.hosts.tolist(), speeds.tolist(), widths.tolist(), strict=True):
            transfers, lanes = number_in(texts[speed]), number_in(texts[width])
            if transfers in GENERATIONS and lanes > 0:
                generation, part_of = GENERATIONS[transfers]
                rate = transfers * lanes * part_of * GIGABIT
                found.append((host, Ceiling(rate, f"PCIe {generation} x{lanes:.0f}")))
    return found
