"""Names and addresses that two hosts have, although each host should have its own.

What a class of max(4, 10 %) of the hosts has alike is structure, as the same private network inside of every host.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from everylink.inventory.cluster import Cluster, smallest_class
from everylink.inventory.meanings import DEVICE, HOST, NET, Severity

UNIQUE = ((HOST, "name"), (NET, "address"), (NET, "ip"), (DEVICE, "node_guid"), (DEVICE, "sys_image_guid"))
NOBODYS = ("127.", "::1", "fe80:", "0.0.0.0", "169.254.")  # how addresses begin that every host may have
EMPTY = frozenset(":0.xX")  # an address or GUID of nothing but these is none


@dataclass(frozen=True)
class Duplicate:
    """A name or address with the hosts and parts that have it."""

    name: str
    value: str
    owners: tuple[tuple[int, str], ...]
    severity: Severity


def duplicates(cluster: Cluster) -> list[Duplicate]:
    """What more than one host has, each value once; a GUID of a system is left out where that of its devices is."""
    found = [one for kind, name in UNIQUE for one in _of_name(cluster, kind, name)]
    doubled = {owner for one in found if one.name == "node_guid" for owner in one.owners}
    return [one for one in found if one.name != "sys_image_guid" or not doubled.issuperset(one.owners)]


def _of_name(cluster: Cluster, kind: str, name: str) -> Iterator[Duplicate]:
    owners: dict[str, list[tuple[int, str]]] = {}
    for host, part, value in _candidates(cluster, kind, name):
        for one in _single(name, value):
            owners.setdefault(one, []).append((host, part))
    for value, several in owners.items():
        owning = {host for host, _ in several}
        if 1 < len(owning) < smallest_class(len(cluster.inventory.hosts)) and _are_different(cluster, name, several):
            severity = Severity.WARNING if name == "name" else Severity.CRITICAL
            yield Duplicate(name, value, tuple(sorted(several)), severity)


def _candidates(cluster: Cluster, kind: str, name: str) -> Iterator[tuple[int, str, str]]:
    """Host, part and value; without the values that are there only once, if a value is a single address."""
    inventory, parts = cluster.inventory, cluster.parts_of(kind)
    columns = [inventory.latest.column(inventory.row(part), inventory.row(name)) for part in parts]
    if not columns:
        return
    rows, counts = np.unique(np.concatenate([values for _, values in columns]), return_counts=True)
    wanted = rows if name == "ip" else rows[counts > 1]
    for part, (hosts, values) in zip(parts, columns, strict=True):
        here = np.isin(values, wanted)
        for host, value in zip(hosts[here].tolist(), values[here].tolist(), strict=True):
            yield host, part, inventory.texts[value]


def _single(name: str, value: str) -> list[str]:
    """The addresses of a value, without those that every host may have."""
    several = [one.strip().partition("/")[0] for one in value.split(",")] if name == "ip" else [value]
    return [one for one in several if not one.startswith(NOBODYS) and not EMPTY.issuperset(one)]


def _are_different(cluster: Cluster, name: str, owners: list[tuple[int, str]]) -> bool:
    """Whether the owners are different things: not one machine, or one interface, that several names stand for."""
    things = set()
    for host, part in owners:
        machine = cluster.inventory.value_of(host, HOST, "boot_id") or f"host {host}"
        own = cluster.inventory.value_of(host, part, "address") if name == "ip" else ""
        things.add((machine, own))
    return len(things) > 1
