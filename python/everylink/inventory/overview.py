"""What a cluster consists of: for each kind of hosts, what most of them have."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from everylink.inventory.changes import CounterFindings
from everylink.inventory.cluster import Cluster, Codes
from everylink.inventory.meanings import (
    DEVICE,
    FACTS,
    GPU,
    HOST,
    NET,
    PCI,
    PORT,
    TITLES_OF_PARTS,
    Compare,
    fact,
    kind_of_part,
)
from everylink.model.inventory import Hosts

LINK = (("current_link_speed", True), ("current_link_width", False))  # of the PCIe link of a device; under load only
ORDER = {key: place for place, key in enumerate(FACTS)}
KINDS_OF_PARTS = (HOST, DEVICE, PORT, NET, GPU)


@dataclass(frozen=True)
class Usual:
    """The value of a fact that most hosts of a kind have, and how many of those that have the fact have it."""

    part: str
    name: str
    title: str
    value: str
    hosts: int
    of: int


@dataclass(frozen=True)
class KindOfHosts:
    """Hosts of one kind, by number, and what most of them have. `judged`: the devices that matter to the run."""

    hosts: tuple[int, ...]
    facts: tuple[Usual, ...]
    judged: frozenset[str]


@dataclass(frozen=True)
class PortBytes:
    """What a port carried during the run, over the hosts that have it."""

    part: str
    hosts: int
    sent: tuple[float, float, float]  # smallest, median, largest
    received: tuple[float, float, float]


def kinds_in(cluster: Cluster) -> list[KindOfHosts]:
    """Every kind of hosts, the most frequent first."""
    kinds = []
    for kind in cluster.kinds:
        hosts = np.flatnonzero(cluster.kind == kind)
        judged = frozenset(part for part, there in cluster.judged.items() if np.isin(hosts, there).any())
        kinds.append(KindOfHosts(tuple(hosts.tolist()), tuple(_facts(cluster, hosts)), judged))
    return kinds


def _facts(cluster: Cluster, hosts: Hosts) -> Iterator[Usual]:
    inventory = cluster.inventory
    for part in (part for kind in KINDS_OF_PARTS for part in cluster.parts_of(kind)):
        kind, row = kind_of_part(part), inventory.row(part)
        names = {inventory.texts[name]: name for name in inventory.latest.names_of(row).tolist()}
        for name, name_row in sorted(names.items(), key=lambda item: (ORDER.get((kind, item[0]), len(ORDER)), item[0])):
            meaning = fact(kind, name)
            if meaning.compare not in (Compare.OWN, Compare.UNIQUE):
                yield from _usual(cluster, part, name, meaning.title, inventory.latest.at(row, name_row, hosts))
        if kind in (DEVICE, NET, GPU):
            yield from _link(cluster, part, hosts)


def _link(cluster: Cluster, part: str, hosts: Hosts) -> Iterator[Usual]:
    """The PCIe link of a device."""
    for level in cluster.levels(part)[:1]:
        for name, loaded in LINK:
            values = cluster.of_level(level, name, loaded)
            yield from _usual(cluster, part, name, fact(PCI, name).title, values[np.isin(level.hosts, hosts)])


def _usual(cluster: Cluster, part: str, name: str, title: str, values: Codes) -> Iterator[Usual]:
    values = values[values > 0]
    if len(values):
        found, counts = np.unique(values, return_counts=True)
        most = int(np.argmax(counts))
        title = TITLES_OF_PARTS.get((kind_of_part(part), name), title)
        yield Usual(part, name, title, cluster.inventory.texts[int(found[most])], int(counts[most]), len(values))


def traffic_in(counters: CounterFindings) -> list[PortBytes]:
    """What the ports that matter carried, where they count bytes."""
    found = []
    for part, traffic in sorted(counters.traffic.items()):
        if len(traffic.hosts):
            sides = [
                (float(side.min()), float(np.median(side)), float(side.max()))
                for side in (traffic.sent, traffic.received)
            ]
            found.append(PortBytes(part, len(traffic.hosts), sides[0], sides[1]))
    return found
