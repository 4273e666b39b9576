"""The group /inventory of a results file, whichever format it has (docs/results-file.md)."""

from dataclasses import fields, replace
from typing import Any, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from everylink.io.checksums import rows_of
from everylink.io.hdf5 import Damage
from everylink.memory import require_memory
from everylink.model.inventory import NO_INVENTORY, Carried, Counters, Facts, Inventory, Readings, Retransmits

INVENTORY = "inventory"
KINDS: dict[str, Any] = {
    "facts": Facts,
    "counters": Counters,
    "readings": Readings,
    "carried": Carried,
    "retransmits": Retransmits,
}
COLUMNS = {name: tuple(column.name for column in fields(kind)) for name, kind in KINDS.items()}
COLUMNS["texts"] = ("text",)  # last: what is written after a text names it
LEFT_OUT = "what was read of the hosts is damaged ({}), and not used"
ENTRY_BYTES = 120  # of memory that an entry takes while inventories are compared
T = TypeVar("T", Facts, Counters, Readings, Carried, Retransmits)


class Tree(Protocol):
    """The part of results_file.Tree that is needed here."""

    @property
    def name(self) -> str: ...
    def group(self, name: str) -> "Tree": ...
    def extent(self, name: str) -> int: ...
    def strings(self, name: str, length: int) -> tuple[str, ...]: ...
    def numbers(self, name: str, kind: type[np.generic], length: int) -> NDArray[Any]: ...


def inventory_in(file: Tree, ranks: int, hosts: int, complete: bool) -> Inventory:
    """The inventory of a file with this many ranks and hosts. Raises Damage.

    One of a complete run that does not fit its checksums is not used at all: what is missing of a host could accuse it.

    While the file is written, or after a kill, the columns of a group may differ in length, and rows may name texts
    that are not there; such rows are left out.
    """
    group = file.group(INVENTORY)
    count = sum(group.group(name).extent("value") for name in ("facts", "counters"))
    require_memory(ENTRY_BYTES * count, f"to read and compare {count:,} facts and counters of hosts")
    known = {
        name: rows_of(file, f"{INVENTORY}/{name}", group.group(name), columns, complete)
        for name, columns in COLUMNS.items()
    }
    rows = {name: length for name, length in known.items() if length is not None}
    if damaged := [name for name in known if name not in rows]:
        return replace(NO_INVENTORY, left_out=LEFT_OUT.format(", ".join(damaged)))
    facts, counters, readings, carried, retransmits = (
        _entries(group.group(name), kind, rows[name], complete) for name, kind in KINDS.items()
    )
    texts = group.group("texts").strings("text", rows["texts"])
    if not texts and not complete:  # killed before the first host was read
        texts = ("",)
    if not texts or texts[0]:
        raise Damage(f"{group.name}/texts does not begin with an empty text")
    if not complete:
        facts, counters = _with_texts(facts, len(texts)), _with_texts(counters, len(texts))
    for entries, what in ((facts, "facts"), (counters, "counters")):
        of_texts = ("part", "name", "value") if what == "facts" else ("part", "name")
        for column in of_texts:
            _check(getattr(entries, column), len(texts), "text", f"{group.name}/{what}/{column}")
    for host, what in ((facts.host, "facts"), (counters.host, "counters"), (readings.host, "readings")):
        _check(host, hosts, "host", f"{group.name}/{what}/host")
    for rank, what in ((readings.rank, "readings"), (carried.rank, "carried"), (retransmits.rank, "retransmits")):
        _check(rank, ranks, "rank", f"{group.name}/{what}/rank")
    _check(retransmits.to, ranks, "rank", f"{group.name}/retransmits/to")
    return Inventory(texts, facts, counters, readings, carried, retransmits)


def inventory_columns(inventory: Inventory) -> dict[str, dict[str, Any]]:
    """The columns of each group by their names in the file; none of an empty inventory."""
    if not len(inventory.readings.host) and not len(inventory):
        return {}
    return {"texts": {"text": inventory.texts}} | {name: dict(vars(getattr(inventory, name))) for name in KINDS}


def _entries(group: Tree, kind: type[T], length: int, complete: bool) -> T:
    extents = {column.name: group.extent(column.name) for column in fields(kind)}
    if complete and length < max(extents.values()):
        longest = max(extents, key=lambda name: extents[name])
        raise Damage(f"{group.name} has columns of {length} and, {longest}, of {extents[longest]} entries")
    return kind(
        **{
            column.name: group.numbers(column.name, get_args(get_args(column.type)[1])[0], length)
            for column in fields(kind)
        }
    )


def _with_texts(entries: T, count: int) -> T:
    """The entries whose texts are there."""
    columns = vars(entries)
    of_texts = [name for name in ("part", "name", "value") if name != "value" or isinstance(entries, Facts)]
    known = np.logical_and.reduce([columns[name] < count for name in of_texts])
    return type(entries)(**{name: column[known] for name, column in columns.items()})


def _check(column: NDArray[np.uint32], count: int, what: str, name: str) -> None:
    if len(column) and column.max() >= count:
        raise Damage(f"{name} names {what} {column.max()} of {count}")
