"""What changed between two inventories. Hosts are matched by name."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.cluster import Cluster
from everylink.inventory.folding import fold
from everylink.inventory.meanings import PCI, Compare, Severity, fact, kind_of_part
from everylink.model.inventory import LINK_FACTS, Inventory, Table

CHANGING = ("load", "boot_id", "throttle_reasons")  # from reading to reading, or at each start
Found = tuple[int, str, tuple[str, str, str]]  # a host's place in the list of names, part; name, before, after
HostNumbers = NDArray[np.int64]


@dataclass(frozen=True)
class Changed:
    """A fact that hosts had and have no more (`after` empty), or have now (`before` empty), or that differs."""

    hosts: tuple[str, ...]
    parts: tuple[str, ...]
    name: str
    title: str
    before: str
    after: str


@dataclass(frozen=True)
class Change(Changed):
    """What changed, and how much it matters."""

    severity: Severity


@dataclass(frozen=True)
class Versus:
    """`gone` and `new`: hosts of one file only."""

    changes: tuple[Change, ...]
    hosts: int
    gone: tuple[str, ...]
    new: tuple[str, ...]


def versus(base: Cluster, new: Cluster) -> Versus:
    """Compare what each host of both files was and is."""
    names = [_read_names(cluster) for cluster in (base, new)]
    common = sorted(names[0].keys() & names[1].keys())
    pairs = np.array([(names[0][name], names[1][name]) for name in common], np.int64).reshape(-1, 2)
    changes = (
        _change(tuple(common[host] for host in hosts), parts, *what)
        for hosts, parts, what in fold(_changes(base, new, pairs))
    )
    order = sorted(changes, key=lambda change: (-change.severity, change.parts, change.name, change.hosts))
    gone, added = (tuple(sorted(names[i].keys() - names[1 - i].keys())) for i in (0, 1))
    return Versus(tuple(order), len(common), gone, added)


def _change(hosts: tuple[str, ...], parts: tuple[str, ...], name: str, before: str, after: str) -> Change:
    meaning = fact(kind_of_part(parts[0]), name)
    return Change(hosts, parts, name, meaning.title, before, after, meaning.severity)


def _read_names(cluster: Cluster) -> dict[str, int]:
    return {cluster.names[host]: host for host in cluster.inventory.hosts.tolist()}


def _changes(base: Cluster, new: Cluster, pairs: HostNumbers) -> Iterator[Found]:
    columns = dict.fromkeys(_columns(base.inventory)) | dict.fromkeys(_columns(new.inventory))
    for part, name in columns:
        meaning = fact(kind_of_part(part), name)
        if name in CHANGING or (meaning.compare is Compare.OWN and kind_of_part(part) == PCI):
            continue
        texts = [_texts(cluster.inventory, part, name, pairs[:, side]) for side, cluster in enumerate((base, new))]
        for index, (before, after) in enumerate(zip(*texts, strict=True)):
            unknown = name in LINK_FACTS and not (before and after)
            if before != after and not unknown:
                yield index, part, (name, before, after)


def _columns(inventory: Inventory) -> Iterator[tuple[str, str]]:
    table: Table = inventory.latest
    texts = inventory.texts
    return ((texts[p], texts[n]) for p, n in zip(table.part.tolist(), table.name.tolist(), strict=True))


def _texts(inventory: Inventory, part: str, name: str, hosts: HostNumbers) -> list[str]:
    table = inventory.loaded if name in LINK_FACTS else inventory.latest
    return [inventory.texts[row] for row in table.at(inventory.row(part), inventory.row(name), hosts).tolist()]
