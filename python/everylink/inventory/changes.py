"""How counters changed between the readings of a run, and which changes prove something.

Only differences within a process count: between two processes of a resumed run, others used the ports.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.cluster import Cluster
from everylink.inventory.equals import FEWEST, SHARE, Found
from everylink.inventory.meanings import (
    COUNTERS,
    GPU,
    HOST,
    LEFT_OUT_AT_ZERO,
    NET,
    PROVING,
    RECEIVED,
    SENT,
    Family,
    Severity,
    counter,
    device_of,
    kind_of_part,
)
from everylink.model.inventory import Hosts, Inventory, Moment, Table, group
from everylink.model.results import Ranks
from everylink.units import number_text

AT_LEAST, TIMES = 20, 10  # losses count from this number on; from this many times those of the others for sure
LEAST_TIMES = 1.5  # of three or four hosts, losses count from this many times those of the others
FEW = 100  # up to this many hosts, a host is compared with the median of the others, else with that of all
CHANCE = 5  # standard deviations of a count
LEAST_BYTES, LEAST_SHARE, PART = 2**20, 0.05, 0.1  # of a host's messages; of them on a rail; of the equals' share
GB = 1e9
BACKWARDS, SATURATED, TRAFFIC = "went backwards", "saturated", "traffic"
ORDER = {name: place for place, name in enumerate(COUNTERS)}


@dataclass(frozen=True, eq=False)
class Changes:
    """Of each counter and host: how much it grew in all processes, whether it went backwards (1), its last value."""

    grew: Table
    backwards: Table
    last: Table


@dataclass(frozen=True, eq=False)
class Traffic:
    """Bytes that a port or interface says it sent and received during the run, on each of `hosts`."""

    part: str
    hosts: Hosts
    sent: NDArray[np.float64]
    received: NDArray[np.float64]


def changes_of(inventory: Inventory) -> Changes:
    """The differences of all counters."""
    counters = inventory.counters
    grouped = group(counters.part, counters.name, counters.host, counters.reading)
    value = counters.value[grouped.order]
    first = _begins_process(inventory, counters.host[grouped.order], counters.reading[grouped.order])
    before = np.concatenate([value[:1], value[:-1]])
    from_zero = _left_out_at_zero(inventory, grouped.name) & ~first[grouped.begins]
    before[grouped.begins[from_zero]] = 0
    first[grouped.begins[~from_zero]] = True
    grew = np.where(~first & (value > before), value - before, np.uint64(0))
    back = ~first & (value < before)
    every = np.ones(len(grouped.begins), bool)
    sums = np.add.reduceat(grew, grouped.begins) if len(value) else grew
    turns = np.bitwise_or.reduceat(back, grouped.begins) if len(value) else back
    most = np.uint64(2**63 - 1)
    return Changes(
        grouped.table(np.minimum(sums, most).astype(np.int64), every),
        grouped.table(turns.astype(np.int64), every),
        grouped.table(np.minimum(value[grouped.ends - 1], most).astype(np.int64), every),
    )


def _left_out_at_zero(inventory: Inventory, names: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a counter of this name was 0 before it was first read."""
    distinct, inverse = np.unique(names, return_inverse=True)
    zero = [inventory.texts[name].startswith(LEFT_OUT_AT_ZERO) for name in distinct.tolist()]
    return np.array(zero, bool)[inverse.reshape(-1)]


def _begins_process(inventory: Inventory, host: NDArray[np.uint32], reading: NDArray[np.uint32]) -> NDArray[np.bool_]:
    readings = inventory.readings
    begins = readings.moment == Moment.BEFORE
    pairs = (readings.host[begins].astype(np.int64) << 32) | readings.reading[begins]
    found: NDArray[np.bool_] = np.isin((host.astype(np.int64) << 32) | reading, pairs)
    return found


def _carried_by_hosts(inventory: Inventory, ranks: Ranks) -> NDArray[np.float64]:
    """Bytes of messages that the ranks of each host sent and received, in all processes."""
    carried = inventory.carried
    hosts = int(ranks.host_index.max()) + 1
    order = np.lexsort((carried.reading, carried.rank))
    rank = carried.rank[order]
    total = (carried.sent[order] + carried.received[order]).astype(np.float64)
    new = np.diff(rank.astype(np.int64), prepend=-1) != 0
    new |= _begins_process(inventory, ranks.host_index[rank], carried.reading[order])
    before = np.where(new, 0.0, np.concatenate([total[:1], total[:-1]]))
    return np.bincount(ranks.host_index[rank], np.maximum(total - before, 0), hosts).astype(np.float64)


class CounterFindings:
    """What the counters of a run prove, as deviations of single hosts."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.inventory = cluster, cluster.inventory
        self.changes = changes_of(self.inventory)

    @cached_property
    def carried(self) -> NDArray[np.float64]:
        return _carried_by_hosts(self.inventory, self.cluster.ranks)

    @cached_property
    def traffic(self) -> dict[str, Traffic]:
        """What each port and interface that matters carried, as far as it counts bytes."""
        every = (self._traffic_of(part, hosts) for part, hosts in self._watched() if kind_of_part(part) != HOST)
        return {traffic.part: traffic for traffic in every if traffic is not None}

    def found(self) -> list[Found]:
        """One deviation for each host and adapter: the most telling counter stands for all that moved."""
        moved: dict[tuple[int, str], list[Found]] = {}
        for part, hosts in self._watched():
            for kind in self.cluster.kinds:
                of_kind = hosts[self.cluster.kind[hosts] == kind]
                for one in self._of_part(part, of_kind):
                    moved.setdefault((one.host, self._adapter(one.host, part)), []).append(one)
        return [self._most_telling(several) for several in moved.values()] + list(self._idle_rails())

    def _adapter(self, host: int, part: str) -> str:
        """The device that a part belongs to; interfaces and ports of one device are one."""
        return self.cluster.interfaces.get((host, part), device_of(part))

    def _most_telling(self, several: list[Found]) -> Found:
        def order(one: Found) -> tuple[int, int, int]:
            family = counter(one.name).family
            place = PROVING.index(family) if family in PROVING else len(PROVING)
            return (-one.severity, place, ORDER.get(one.name, len(ORDER)))

        first, *others = sorted(several, key=order)
        names = list(dict.fromkeys(one.name for one in others if one.name != first.name))
        if not names:
            return first
        also = f"; also {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"
        return Found(**vars(first) | {"told": first.told + also})

    def _watched(self) -> Iterator[tuple[str, Hosts]]:
        """The parts whose counters matter, with their hosts."""
        yield HOST, self.inventory.hosts
        for device, hosts in self.cluster.judged.items():
            yield device, hosts
            yield from ((port, hosts) for port in self.cluster.ports_of(device))
            for level in self.cluster.levels(device):
                for row in np.unique(level.parts).tolist():
                    here = level.hosts[level.parts == row]
                    yield self.inventory.texts[row], here[np.isin(here, hosts)]

    def _of_part(self, part: str, hosts: Hosts) -> Iterator[Found]:
        row = self.inventory.row(part)
        for name_row in self.changes.grew.names_of(row).tolist():
            name = self.inventory.texts[name_row]
            known, grew = self.changes.grew.column(row, name_row)
            wanted = np.isin(known, hosts)
            _, back = self.changes.backwards.column(row, name_row)
            _, last = self.changes.last.column(row, name_row)
            yield from self._grown(part, name, known[wanted], grew[wanted])
            yield from self._backwards(part, name, known[wanted], back[wanted])
            yield from self._saturated(part, name, known[wanted], last[wanted], grew[wanted])

    def _grown(self, part: str, name: str, hosts: Hosts, grew: NDArray[np.int64]) -> Iterator[Found]:
        """Hosts where a counter grew that should not; of one that grows everywhere, where it grew most."""
        meaning = counter(name)
        if meaning.family not in PROVING or not grew.any():
            return
        seldom = np.count_nonzero(grew) <= (1 - SHARE) * len(grew) or len(grew) < FEWEST
        if meaning.family is not Family.LOSS and seldom:
            severity = Severity.CRITICAL if meaning.family is Family.RECOVERY else Severity.WARNING
            others = int(np.count_nonzero(grew == 0))
            equals = f"; {others} other{'s' if others > 1 else ''} did not" if others else ""
            for index in np.flatnonzero(grew).tolist():
                yield self._moved(part, name, int(hosts[index]), int(grew[index]), 0, others, severity, equals)
        else:
            yield from self._grown_most(part, name, hosts, grew)

    def _grown_most(self, part: str, name: str, hosts: Hosts, grew: NDArray[np.int64]) -> Iterator[Found]:
        """A host that loses messages shows at its peers, too: all pairs of n hosts give it n - 1 times theirs."""
        count = len(grew)
        if count < FEWEST:
            return
        least = max(LEAST_TIMES, min(TIMES, (count - 1) / 2))
        every = float(np.median(grew))
        found = []
        for index in np.flatnonzero(grew >= AT_LEAST).tolist():
            usual = every if count > FEW else float(np.median(np.delete(grew, index)))
            times = grew[index] / max(usual, 1.0)
            if times >= least and grew[index] - usual > CHANCE * np.sqrt(usual + 1):
                severity = Severity.WARNING if times >= TIMES else Severity.INFO
                found.append((index, int(usual), severity))
        if len(found) > (1 - SHARE) * count:
            return
        for index, usual_growth, severity in found:
            others = count - len(found)
            equals = f"; the other {others} by {usual_growth:,} (median)"
            yield self._moved(part, name, int(hosts[index]), int(grew[index]), usual_growth, others, severity, equals)

    def _moved(
        self, part: str, name: str, host: int, more: int, usual: int, others: int, severity: Severity, equals: str
    ) -> Found:
        where = "" if part == HOST else f" of {part}"
        per_gb = self._per_gb(host, part, more)
        told = f"{name}{where} grew by {more:,}{per_gb}: {counter(name).proves}{equals}"
        return Found(host, part, name, f"+{more}", f"+{usual}", others, severity, told)

    def _per_gb(self, host: int, part: str, more: int) -> str:
        if kind_of_part(device_of(part)) == GPU:
            return ""  # not known what its links carried
        traffic = self.traffic.get(part)
        total = float(self.carried[host])
        if traffic is not None and host in traffic.hosts:
            index = int(np.searchsorted(traffic.hosts, host))
            total = float(traffic.sent[index] + traffic.received[index])
        return f" ({number_text(more / (total / GB), 3)} per GB)" if total >= LEAST_BYTES else ""

    def _backwards(self, part: str, name: str, hosts: Hosts, back: NDArray[np.int64]) -> Iterator[Found]:
        for host in hosts[back > 0].tolist():
            told = f"{name} of {part} went backwards: the driver or the firmware was reset during the run"
            yield Found(host, part, name, BACKWARDS, "", int(len(hosts) - back.sum()), Severity.WARNING, told)

    def _saturated(
        self, part: str, name: str, hosts: Hosts, last: NDArray[np.int64], grew: NDArray[np.int64]
    ) -> Iterator[Found]:
        meaning = counter(name)
        if meaning.bits >= 64 or meaning.family is Family.CONGESTION:
            return
        full = last == 2**meaning.bits - 1
        if len(hosts) >= FEWEST and np.count_nonzero(full) > (1 - SHARE) * len(hosts):
            return
        for host in hosts[full & (grew == 0)].tolist():
            told = (
                f"{name} of {part} is saturated at {2**meaning.bits - 1}: that it did not grow proves nothing; "
                "reset it (perfquery -R)"
            )
            yield Found(host, part, name, SATURATED, "", int(len(hosts) - full.sum()), Severity.INFO, told)

    def _traffic_of(self, part: str, hosts: Hosts) -> Traffic | None:
        """The bytes of the first counters of bytes that a part has."""
        row = self.inventory.row(part)
        sides = []
        for names in (SENT, RECEIVED):
            there = [name for name in names if len(self.changes.grew.column(row, self.inventory.row(name))[0])]
            if not there:
                return None
            values = self.changes.grew.at(row, self.inventory.row(there[0]), hosts, missing=-1)
            sides.append(np.where(values < 0, np.nan, values * float(counter(there[0]).factor)))
        known = np.isfinite(sides[0]) & np.isfinite(sides[1])
        return Traffic(part, hosts[known], sides[0][known], sides[1][known])

    def _idle_rails(self) -> Iterator[Found]:
        """Ports that carried next to nothing where those of equals carried a part of the messages."""
        interfaces = self.cluster.interfaces
        for part, traffic in self.traffic.items():
            if kind_of_part(part) == NET and any((host, part) in interfaces for host in traffic.hosts.tolist()):
                continue  # its RDMA device is looked at
            for kind in self.cluster.kinds:
                yield from self._idle_among_equals(traffic, self.cluster.kind[traffic.hosts] == kind)

    def _idle_among_equals(self, traffic: Traffic, equal: NDArray[np.bool_]) -> Iterator[Found]:
        carried = self.carried[traffic.hosts]
        here = equal & (carried >= LEAST_BYTES)
        if np.count_nonzero(here) < FEWEST:
            return
        share = (traffic.sent[here] + traffic.received[here]) / carried[here]
        usual = float(np.median(share))
        idle = share < PART * usual
        others = int(np.count_nonzero(~idle))
        if usual < LEAST_SHARE or others < SHARE * len(idle):
            return
        for host, own in zip(traffic.hosts[here][idle].tolist(), share[idle].tolist(), strict=True):
            value, usual_value = f"{100 * own:.2g} %", f"{100 * usual:.2g} %"
            told = (
                f"{traffic.part} carried {value} of the messages of its host; "
                f"that of the other {others} carried {usual_value}"
            )
            yield Found(host, traffic.part, TRAFFIC, value, usual_value, others, Severity.WARNING, told)
