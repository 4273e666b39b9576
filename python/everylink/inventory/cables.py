"""The cables between hosts and switches, where neighbours are told, and which ranks use which."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.cluster import Cluster, cluster_of
from everylink.inventory.meanings import NET, device_of, kind_of_part
from everylink.io.topology import Topology, grouping_of
from everylink.links.rails import rails
from everylink.model.results import Results

NAME = re.compile(r"[\w.\-]+(?::\d+)?")
LLDP, GIVEN = "LLDP", "--topology"


@dataclass(frozen=True)
class Cable:
    """From a part of a host, `ib/mlx5_0/1` or `net/eth0`, to a port of a switch. `host` is a host index."""

    host: int
    part: str
    switch: str
    switch_port: str

    @property
    def adapter(self) -> str:
        """The part without its kind: `mlx5_0/1`, `eth0`."""
        return self.part.partition("/")[2]

    @property
    def told_by_lldp(self) -> bool:
        """LLDP tells interfaces, ibnetdiscover ports of adapters."""
        return kind_of_part(self.part) == NET


@dataclass(frozen=True)
class Belongs:
    """Which ranks belong to which of a number of things, such as the switches: one entry for each such pair."""

    rank: NDArray[np.int64]
    thing: NDArray[np.int64]
    ranks: int
    things: int

    @cached_property
    def matrix(self) -> NDArray[np.bool_]:
        """Shape [ranks, things]."""
        matrix = np.zeros((self.ranks, self.things), bool)
        matrix[self.rank, self.thing] = True
        return matrix

    @cached_property
    def _by_rank(self) -> tuple[NDArray[np.int64], ...]:
        """How many things each rank has, where they begin, and the entries by rank."""
        counts = np.bincount(self.rank, minlength=self.ranks)
        return counts, np.cumsum(counts) - counts, np.argsort(self.rank, kind="stable")

    def expanded(self, ranks: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """For links with these ranks at one end: the index of the link and the thing, for each that the rank has."""
        counts, begins, order = self._by_rank
        if counts.max(initial=0) == 1:
            link = np.flatnonzero(counts[ranks])
            return link, self.thing[order[begins[ranks[link]]]]
        each = counts[ranks]
        link = np.repeat(np.arange(len(ranks)), each)
        place = np.arange(len(link)) - np.repeat(np.cumsum(each) - each, each)
        return link, self.thing[order[begins[ranks][link] + place]]


@dataclass(frozen=True, eq=False)
class Wiring:
    """All cables that are told, and the switches of ranks. `told_by` says by what the switches are known."""

    cables: tuple[Cable, ...]
    switches: tuple[str, ...]
    on_cables: Belongs
    on_switches: Belongs
    told_by: str


def wiring_of_run(results: Results, topology: Topology | None) -> Wiring | None:
    """Where the ranks hang: by the cables that they use, else by the switches of their hosts; None: not known.

    Ports that `topology` names count before those that LLDP told. A file that names switches only counts for switches.
    """
    cluster, grouping = cluster_of(results, topology), grouping_of(results, topology)
    cables = tuple(_cables(cluster))
    of_ranks = list(_of_ranks(cluster, cables))
    on_cables = _belongs(of_ranks, len(cluster.ranks), len(cables))
    names_only = topology is not None and not topology.ports
    if len(on_cables.rank) and not names_only:
        used = [cables[number] for numbers in of_ranks for number in numbers]
        switches = tuple(dict.fromkeys(cable.switch for cable in used))
        number_of = {switch: number for number, switch in enumerate(switches)}
        homes = [sorted({number_of[cables[number].switch] for number in numbers}) for numbers in of_ranks]
        told_by = " and ".join(sorted({LLDP if cable.told_by_lldp else GIVEN for cable in used}))
    elif grouping is not None:
        switches, told_by = grouping.names, grouping.told_by or GIVEN
        homes = [[group] if group >= 0 else [] for group in grouping.group_of[cluster.ranks.host_index].tolist()]
    else:
        return None
    return Wiring(cables, switches, on_cables, _belongs(homes, len(cluster.ranks), len(switches)), told_by)


def _belongs(things: Sequence[Sequence[int]], ranks: int, count: int) -> Belongs:
    pairs = [(rank, thing) for rank, several in enumerate(things) for thing in several]
    columns = np.array(pairs, np.int64).reshape(-1, 2).T
    return Belongs(columns[0], columns[1], ranks, count)


def _cables(cluster: Cluster) -> Iterator[Cable]:
    inventory, given = cluster.inventory, cluster.ports
    for host, part in sorted(given):
        end = given[host, part]
        yield Cable(host, part, end.switch, str(end.switch_port))
    devices = {(host, device_of(part)) for host, part in given}
    row = inventory.row("neighbour")
    for number in np.unique(inventory.latest.part[inventory.latest.name == row]).tolist():
        part = inventory.texts[number]
        hosts, neighbours = inventory.over_hosts(part, "neighbour")
        for host, neighbour in zip(hosts.tolist(), neighbours, strict=True):
            if (host, cluster.interfaces.get((host, part), part)) not in devices:
                switch, _, port = neighbour.partition(" ")
                yield Cable(host, part, switch, port)


def _of_ranks(cluster: Cluster, cables: Sequence[Cable]) -> Iterator[list[int]]:
    """The numbers of the cables of each rank: those of the devices that it uses, else the only one of its host."""
    of_host: dict[int, list[int]] = {}
    by_name: dict[tuple[int, str], list[int]] = {}
    interfaces: dict[tuple[int, str], list[str]] = {}
    for (host, interface), device in cluster.interfaces.items():
        interfaces.setdefault((host, device), []).append(interface)
    for number, cable in enumerate(cables):
        of_host.setdefault(cable.host, []).append(number)
        device = cluster.interfaces.get((cable.host, cable.part), device_of(cable.part))
        parts = {cable.part, device, *interfaces.get((cable.host, device), ())}
        for part in parts:
            by_name.setdefault((cable.host, part.partition("/")[2]), []).append(number)
    for host, rail in zip(cluster.ranks.host_index.tolist(), rails(cluster.ranks), strict=True):
        if rail:
            found = (_of_device(cluster, host, name, by_name) for name in NAME.findall(rail))
            yield sorted({number for numbers in found for number in numbers})
        else:
            yield of_host[host] if len(of_host.get(host, ())) == 1 else []


def _of_device(cluster: Cluster, host: int, name: str, by_name: Mapping[tuple[int, str], list[int]]) -> list[int]:
    """The cables of a port, `mlx5_0:1`, a device or an interface; of a bond those of its members."""
    device, _, port = name.partition(":")
    members = NAME.findall(cluster.inventory.value_of(host, f"net/{device}", "lower"))
    for names in ([f"{device}/{port}"], [device], members):
        if found := [number for one in names for number in by_name.get((host, one), ())]:
            return found
    return []
