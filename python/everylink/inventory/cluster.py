"""The hosts of a run as their inventory shows them: which kinds there are, and which adapters matter to the run.

Hosts of a kind have the same processors, and the same model of adapter at the same name. A part of at least
max(4, 10 %) of the hosts that differs in that is another generation: structure, no deviation.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.meanings import DEVICE, GPU, NET, PORT, device_of, kind_of_part
from everylink.io.ibnetdiscover import AdapterPort
from everylink.io.topology import Topology, ports_of_run
from everylink.links.hosts import host_names
from everylink.model.inventory import Hosts, Inventory
from everylink.model.results import Ranks, Results

Codes = NDArray[np.int64]
Description = tuple[int, ...]  # rows of texts
SMALLEST_CLASS, CLASS_SHARE = 4, 0.1  # of hosts that differ from the others in the same way
MOST_LEVELS = 16  # of PCIe bridges above an adapter
WORD = re.compile(r"[\w.\-]+")
NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)")
LOOPBACK = "net/lo"
PROCESSOR = ("host", "cpu_model")


@dataclass(frozen=True)
class Level:
    """The PCI functions `height` bridges above an adapter, by host; 0: its own. `parts` are rows of texts."""

    height: int
    hosts: Hosts
    parts: Codes

    @cached_property
    def functions(self) -> list[int]:
        """Each of the parts once."""
        return list(map(int, np.unique(self.parts)))


@dataclass(frozen=True, eq=False)
class Cluster:
    """An inventory with the ranks of its run.

    `ports`: the ends of cables that a topology file tells, by host index and part, `ib/mlx5_0/1`.
    """

    inventory: Inventory
    ranks: Ranks
    ports: Mapping[tuple[int, str], AdapterPort] = field(default_factory=dict)
    _hosts_with: dict[str, Hosts] = field(default_factory=dict, repr=False)
    _levels: dict[str, list[Level]] = field(default_factory=dict, repr=False)

    @cached_property
    def names(self) -> list[str]:
        """The name of each host."""
        return host_names(self.ranks)

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The names of parts by their kind; interfaces without a device of their own only if they carry messages."""
        inventory = self.inventory
        table, pci = inventory.latest, inventory.row("pci")
        real = set(table.part[table.name == pci].tolist())
        found: dict[str, list[str]] = {}
        for row in np.unique(np.concatenate([table.part, inventory.counters.part.astype(np.int64)])).tolist():
            part = inventory.texts[row]
            kind = kind_of_part(part)
            if kind != NET or row in real or part in self.carrying:
                found.setdefault(kind, []).append(part)
        return {kind: tuple(sorted(parts)) for kind, parts in found.items()}

    def parts_of(self, kind: str) -> tuple[str, ...]:
        return self.parts.get(kind, ())

    def ports_of(self, device: str) -> tuple[str, ...]:
        return self._ports.get(device, ())

    @cached_property
    def _ports(self) -> dict[str, tuple[str, ...]]:
        return {device: tuple(ports) for device, ports in groupby(self.parts_of(PORT), device_of)}

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """RDMA devices, then interfaces, then GPUs."""
        return (*self.parts_of(DEVICE), *self.parts_of(NET), *self.parts_of(GPU))

    # What carries the run

    @cached_property
    def carrying(self) -> dict[str, set[int]]:
        """The hosts on which each interface or device carries messages, by what the ranks report."""
        owners = self._owners_of_addresses
        found: dict[str, set[int]] = {}
        ranks = self.ranks
        named = {texts: self.parts_in(" ".join(texts)) for texts in set(zip(ranks.device, ranks.lanes, strict=True))}
        columns = (ranks.host_index.tolist(), ranks.device, ranks.lanes, ranks.address)
        for host, device, lanes, address in zip(*columns, strict=True):
            owner = owners.get((host, address))
            for part in named[device, lanes] | ({owner} if owner else set()):
                found.setdefault(part, set()).add(host)
        return found

    def adapters_of_run(self) -> Iterator[tuple[str, Hosts]]:
        """Each device and interface with the hosts whose messages it carries; not where its RDMA device counts."""
        for part, hosts in self.carrying.items():
            own = [host for host in sorted(hosts) if (host, part) not in self.interfaces]
            if own and kind_of_part(part) in (DEVICE, NET):
                yield part, np.array(own, np.int64)

    def parts_in(self, text: str) -> set[str]:
        """The interfaces and devices that a text names, without the loopback."""
        parts = {f"{kind}/{word}" for word in WORD.findall(text) for kind in ("net", "ib", "cxi")}
        return {part for part in parts if part != LOOPBACK and self.inventory.row(part) >= 0}

    @cached_property
    def _owners_of_addresses(self) -> dict[tuple[int, str], str]:
        """The interface of each IP address of each host, without the loopback."""
        inventory = self.inventory
        name, table = inventory.row("ip"), inventory.latest
        owners: dict[tuple[int, str], str] = {}
        for part in table.part[(table.name == name) & (table.part != inventory.row(LOOPBACK))].tolist():
            for host, value in zip(*map(np.ndarray.tolist, table.column(part, name)), strict=True):
                for address in inventory.texts[value].split(","):
                    owners[host, address.strip().partition("/")[0]] = inventory.texts[part]
        return owners

    @cached_property
    def chips(self) -> dict[str, tuple[Hosts, Codes]]:
        """For each device the hosts that have it, and a number for its kind of chip, the same in `ib/` and `net/`."""
        return self._numbered(self._chips_on)

    @cached_property
    def models(self) -> dict[str, tuple[Hosts, Codes]]:
        """For each device the hosts that have it, and a number above 0 for its model."""
        return self._numbered(self._models_on)

    @property
    def is_of_one_model(self) -> bool:
        """Whether the adapters of the run are of one model, which is known, on all hosts."""
        found = {one for part, hosts in self.adapters_of_run() for one in self._models_on(part, hosts)}
        return len(found) == 1 and any(found.pop())

    def _numbered(self, describe: Callable[[str, Hosts], Iterable[Description]]) -> dict[str, tuple[Hosts, Codes]]:
        known: dict[Description, int] = {}
        found = {}
        for part in self.devices:
            hosts = self.hosts_with(part)
            numbers = [known.setdefault(one, len(known) + 1) for one in describe(part, hosts)]
            found[part] = hosts, np.array(numbers, np.int64)
        return found

    def _chips_on(self, part: str, hosts: Hosts) -> Iterator[Description]:
        ids = [self._of_function(part, name, hosts).tolist() for name in ("vendor", "device", "driver")]
        names = [self.values_at(part, name, hosts).tolist() for name in ("hca_type", "driver")]
        for *function, model, driver in zip(*ids, *names, strict=True):
            yield tuple(function) if function[1] else (model or driver,)

    def _models_on(self, part: str, hosts: Hosts) -> Iterator[Description]:
        names = [self.values_at(part, name, hosts).tolist() for name in ("hca_type", "board_id", "name", "driver")]
        return zip(*names, self._of_function(part, "device", hosts).tolist(), strict=True)

    def _of_function(self, part: str, name: str, hosts: Hosts) -> Codes:
        """A fact of the PCI function of a device on each host."""
        found = np.zeros(len(hosts), np.int64)
        for level in self.levels(part)[:1]:
            found[np.searchsorted(hosts, level.hosts)] = self.of_level(level, name)
        return found

    @cached_property
    def judged(self) -> dict[str, Hosts]:
        """For each device the hosts on which it matters: a GPU, or what carries messages, or is of the chip that does.

        Where no RDMA device carries any, those of the fastest chip matter, too: applications use them. Where nothing
        is known to carry messages and there is none, the fastest interfaces do.
        """
        chips = set()
        for part, carriers in self.carrying.items():
            if part in self.chips:
                known, codes = self.chips[part]
                chips |= set(codes[np.isin(known, list(carriers))].tolist())
        devices = self.parts_of(DEVICE)
        if not any(part in self.carrying for part in devices) and not chips & self._chips_of(devices):
            chips |= self._fastest(devices)
        if not chips:
            chips = self._fastest(self.parts_of(NET))
        wanted = np.array(sorted(chips), np.int64)
        found = {}
        for part, (hosts, codes) in self.chips.items():
            own = np.isin(hosts, list(self.carrying.get(part, ())))
            if (matters := np.isin(codes, wanted) | own | (kind_of_part(part) == GPU)).any():
                found[part] = hosts[matters]
        return found

    def hosts_using(self, gpu: str) -> Hosts:
        """The hosts on which a GPU holds messages of the run."""
        return np.unique(self.ranks.host_index[self.ranks.gpu == int(gpu.partition("/")[2])]).astype(np.int64)

    def _chips_of(self, parts: tuple[str, ...]) -> set[int]:
        return {code for part in parts for code in self.chips[part][1].tolist()}

    def _fastest(self, devices: tuple[str, ...]) -> set[int]:
        """The chips of the fastest of these devices; all of them where no rate is known."""
        rates: dict[int, float] = {}
        for device in devices:
            known, codes = self.chips[device]
            for gigabits in self.gigabits(device, known):
                for code, rate in set(zip(codes.tolist(), gigabits, strict=True)):
                    rates[code] = max(rates.get(code, 0.0), rate)
        most = max(rates.values(), default=0.0)
        return {code for code, rate in rates.items() if rate == most}

    def gigabits(self, device: str, hosts: Hosts) -> Iterator[list[float]]:
        """What each port of a device, or an interface itself, can carry on each host: Gbit/s; 0: not known."""
        for part in self.ports_of(device) or (device,):
            for name, unit in (("rate", 1.0), ("speed", 1e-3)):
                yield [number_in(text) * unit for text in self.texts_at(part, name, hosts)]

    # Who is an equal of whom

    @cached_property
    def kind(self) -> Codes:
        """The number of the kind of each host, 0 being the most frequent; -1 for a host that was not read."""
        return kinds_of_hosts(self.inventory.hosts, list(self._features()), len(self.names))

    @cached_property
    def kinds(self) -> range:
        """The numbers of the kinds, the most frequent first."""
        return range(int(self.kind.max(initial=-1)) + 1)

    def _features(self) -> Iterator[Codes]:
        """What tells generations apart: a number for each host that was read; 0: it does not have this."""
        hosts = self.inventory.hosts
        host, model = map(self.inventory.row, PROCESSOR)
        yield self.inventory.latest.at(host, model, hosts)
        least = smallest_class(len(hosts))
        for known, codes in self.models.values():
            if len(known) >= least:
                values = np.zeros(len(hosts), np.int64)
                values[np.searchsorted(hosts, known)] = codes
                yield values

    # Access

    def hosts_with(self, part: str) -> Hosts:
        """The hosts that have any fact of a part."""
        if part not in self._hosts_with:
            table, row = self.inventory.latest, self.inventory.row(part)
            there = np.zeros(int(table.host.max(initial=-1)) + 1, bool)
            for name in table.names_of(row).tolist():
                there[table.column(row, name)[0]] = True
            hosts = np.flatnonzero(there).astype(np.int64)
            self._hosts_with[part] = hosts[np.isin(hosts, self.inventory.hosts)]
        return self._hosts_with[part]

    def values_at(self, part: str, name: str, hosts: Hosts) -> Codes:
        """A fact of each host, as a row of texts; 0 where it is not known."""
        inventory = self.inventory
        return inventory.latest.at(inventory.row(part), inventory.row(name), hosts)

    def texts_at(self, part: str, name: str, hosts: Hosts) -> list[str]:
        """A fact of each host; empty where it is not known."""
        return [self.inventory.texts[value] for value in self.values_at(part, name, hosts).tolist()]

    def levels(self, part: str) -> list[Level]:
        """The PCI functions from a device to the root."""
        if part not in self._levels:
            self._levels[part] = list(self._levels_above(part))
        return self._levels[part]

    def _levels_above(self, part: str) -> Iterator[Level]:
        hosts = self.hosts_with(part)
        addresses = self.values_at(part, "pci", hosts)
        for height in range(MOST_LEVELS + 1):
            functions = self._functions(addresses)
            known = functions >= 0
            if not known.any():
                return
            hosts = hosts[known]
            level = Level(height, hosts, functions[known])
            yield level
            addresses = self.of_level(level, "parent")

    def functions_of(self, device: str, host: int) -> list[str]:
        """The PCI functions of a host from a device to the root."""
        texts = self.inventory.texts
        levels = ((level, np.flatnonzero(level.hosts == host)) for level in self.levels(device))
        return [texts[int(level.parts[at[0]])] for level, at in levels if len(at)]

    def _functions(self, addresses: Codes) -> Codes:
        """The row of the part of each PCI address, a row of texts; -1: none."""
        inventory = self.inventory
        distinct, inverse = np.unique(addresses, return_inverse=True)
        rows = [inventory.row(f"pci/{inventory.texts[address]}") if address else -1 for address in distinct.tolist()]
        return np.array(rows, np.int64)[inverse.reshape(-1)]

    def of_level(self, level: Level, name: str, loaded: bool = False) -> Codes:
        """A fact of the function that each host has at a level, as a row of texts."""
        table, row = self.inventory.loaded if loaded else self.inventory.latest, self.inventory.row(name)
        found = np.zeros(len(level.hosts), np.int64)
        for part in level.functions:
            here = level.parts == part
            found[here] = table.at(part, row, level.hosts[here])
        return found

    @cached_property
    def interfaces(self) -> dict[tuple[int, str], str]:
        """The RDMA device, or its port, that an interface of a host belongs to."""
        found: dict[tuple[int, str], str] = {}
        by_function: dict[tuple[int, int], str] = {}
        for part in self.parts_of(DEVICE):
            hosts = self.hosts_with(part)
            addresses = self.values_at(part, "pci", hosts)
            by_function |= {pair: part for pair in zip(hosts.tolist(), addresses.tolist(), strict=True) if pair[1]}
        for part in self.parts_of(NET):
            hosts = self.hosts_with(part)
            addresses = self.values_at(part, "pci", hosts)
            for pair in zip(hosts.tolist(), addresses.tolist(), strict=True):
                if pair in by_function:
                    found[pair[0], part] = by_function[pair]
        return found

    def neighbour(self, host: int, part: str) -> str:
        """The switch and port at the other end of the cable of an adapter, its port or interface, where it is told.

        What the topology file tells counts before LLDP.
        """
        device = self.interfaces.get((host, part), device_of(part))
        own = [part] if kind_of_part(part) == PORT else self.ports_of(device)
        ends = [self.ports[host, port] for port in own if (host, port) in self.ports]
        if len(ends) == 1:  # else it is not known which port the device uses
            return f"{ends[0].switch} {ends[0].switch_port}"
        parts = [part, *(net for net in self.parts_of(NET) if self.interfaces.get((host, net)) == device)]
        told = (self.inventory.value_of(host, one, "neighbour") for one in parts if kind_of_part(one) == NET)
        return next(filter(None, told), "")


def cluster_of(results: Results, topology: Topology | None = None) -> Cluster:
    """The hosts of a run, with the ends of cables that a topology file tells."""
    return _cluster_of(results, topology)


@lru_cache(maxsize=1)  # verdicts, and what is shown beside them, ask for the same
def _cluster_of(results: Results, topology: Topology | None) -> Cluster:
    ports = {} if topology is None else ports_of_run(topology, results.ranks, results.inventory)
    return Cluster(results.inventory, results.ranks, ports)


def smallest_class(count: int) -> int:
    """How many of `count` hosts must differ in the same way to be a generation of their own."""
    return max(SMALLEST_CLASS, int(np.ceil(CLASS_SHARE * count)))


def kinds_of_hosts(hosts: Hosts, features: list[Codes], count: int) -> Codes:
    """The kind of each of `count` hosts from the features of `hosts`.

    A value that few hosts have tells no kind: such a host is of the kind that it agrees with most.
    """
    kind = np.full(count, -1, np.int64)
    if not len(hosts):
        return kind
    known = [np.where(_is_common(values), values, -1) for values in features]
    table = np.stack([values for values in known if len(np.unique(values)) > 1] or [np.zeros(len(hosts), np.int64)], 1)
    whole = (table >= 0).all(axis=1)
    rows, inverse, counts = np.unique(table[whole], axis=0, return_inverse=True, return_counts=True)
    if not len(rows):
        kind[hosts] = 0
        return kind
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    kind[hosts[whole]] = rank[inverse.reshape(-1)]
    for index in np.flatnonzero(~whole).tolist():
        kind[hosts[index]] = int(np.argmax((rows[order] == table[index]).sum(axis=1)))
    return kind


def _is_common(values: Codes) -> NDArray[np.bool_]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    common: NDArray[np.bool_] = (counts >= smallest_class(len(values)))[inverse.reshape(-1)]
    return common


def number_in(text: str) -> float:
    """The number that a text begins with; 0 if there is none."""
    found = NUMBER.match(text)
    return float(found[1]) if found else 0.0
