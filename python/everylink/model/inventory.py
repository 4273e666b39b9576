"""What the hosts of a run say of themselves: facts and counters, read before and after it (docs/causes.md).

Columns for all hosts together: a host has hundreds of entries, and a file may have 10,000 hosts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Hosts = NDArray[np.int64]
UNKNOWN_TEXT = 0  # the row of texts that is empty
LINK_FACTS = ("current_link_width", "current_link_speed")  # of PCIe links, which are slower while nothing is sent


class Moment(IntEnum):
    """When a host was read."""

    BEFORE = 0  # the first step: the first reading of a process, which has everything
    LOADED = 1  # in an untimed step: only what PCIe links are now
    AFTER = 2  # the last main step
    AGAIN = 3  # links were measured again


@dataclass(frozen=True)
class Facts:
    """One entry per fact; `part`, `name` and `value` are rows of the texts. Later readings: what changed."""

    host: NDArray[np.uint32]
    reading: NDArray[np.uint32]
    part: NDArray[np.uint32]
    name: NDArray[np.uint32]
    value: NDArray[np.uint32]


@dataclass(frozen=True)
class Counters:
    """One entry per counter; `part` and `name` are rows of the texts. Later readings: what changed."""

    host: NDArray[np.uint32]
    reading: NDArray[np.uint32]
    part: NDArray[np.uint32]
    name: NDArray[np.uint32]
    value: NDArray[np.uint64]


@dataclass(frozen=True)
class Readings:
    """One entry per host and reading, by the rank that read; times in seconds, `unread` files that did not answer."""

    host: NDArray[np.uint32]
    reading: NDArray[np.uint32]
    moment: NDArray[np.uint8]
    rank: NDArray[np.uint32]
    began: NDArray[np.float64]
    took: NDArray[np.float32]
    unread: NDArray[np.uint32]


@dataclass(frozen=True)
class Carried:
    """Bytes of messages of a rank at a reading, since its process began."""

    reading: NDArray[np.uint32]
    rank: NDArray[np.uint32]
    sent: NDArray[np.uint64]
    received: NDArray[np.uint64]


@dataclass(frozen=True)
class Retransmits:
    """Segments that TCP sent again from a rank to a peer, and the bytes of messages that it sent there meanwhile.

    Entries of one link add up; a link without an entry had none.
    """

    rank: NDArray[np.uint32]
    to: NDArray[np.uint32]
    segments: NDArray[np.uint64]
    bytes: NDArray[np.uint64]


T = TypeVar("T", Facts, Counters, Readings, Carried)
Entries = TypeVar("Entries", Facts, Counters, Readings, Carried, Retransmits)


@dataclass(frozen=True, eq=False)
class Table:
    """The newest value of each part, name and host: a sparse column for each part and name.

    Column c has the hosts `host[begins[c]:begins[c + 1]]` in ascending order, and their values.
    """

    part: NDArray[np.int64]
    name: NDArray[np.int64]
    begins: NDArray[np.int64]
    host: Hosts
    value: NDArray[np.int64]

    @cached_property
    def _columns(self) -> dict[tuple[int, int], int]:
        return {pair: c for c, pair in enumerate(zip(self.part.tolist(), self.name.tolist(), strict=True))}

    def column(self, part: int, name: int) -> tuple[Hosts, NDArray[np.int64]]:
        """The hosts that have this fact or counter, and their values."""
        c = self._columns.get((part, name))
        inside = slice(0, 0) if c is None else slice(int(self.begins[c]), int(self.begins[c + 1]))
        return self.host[inside], self.value[inside]

    def at(self, part: int, name: int, hosts: Hosts, missing: int = UNKNOWN_TEXT) -> NDArray[np.int64]:
        """The value of each of `hosts`, `missing` where there is none."""
        known, values = self.column(part, name)
        if np.array_equal(known, hosts):
            return values.copy()
        if not len(known):
            return np.full(len(hosts), missing, np.int64)
        place = np.minimum(np.searchsorted(known, hosts), len(known) - 1)
        found = values[place]
        found[known[place] != hosts] = missing
        return found

    def names_of(self, part: int) -> NDArray[np.int64]:
        """The names that any host has of a part."""
        return np.asarray(self.name[self.part == part])


@dataclass(frozen=True, eq=False)
class Inventory:
    """All that was read. `texts` has every part, name and value once; row 0 is empty.

    `reading` counts through the file, also over the processes of a resumed or merged run; each process begins with
    a reading of moment BEFORE.

    `left_out`: a sentence, if the file has an inventory that is damaged, and so not used; else empty.
    """

    texts: tuple[str, ...]
    facts: Facts
    counters: Counters
    readings: Readings
    carried: Carried
    retransmits: Retransmits
    left_out: str = ""

    def __len__(self) -> int:
        """How many facts and counters were read."""
        return len(self.facts.host) + len(self.counters.host)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each text."""
        return {text: row for row, text in enumerate(self.texts)}

    def row(self, text: str) -> int:
        """The row of a text, -1 if there is none."""
        return self.rows.get(text, -1)

    @cached_property
    def hosts(self) -> Hosts:
        """The hosts that were read, in ascending order."""
        return np.unique(self.readings.host).astype(np.int64)

    @cached_property
    def latest(self) -> Table:
        """The facts as they were read last."""
        return self._facts_until(self._last(self.readings.moment <= Moment.AGAIN), self._facts_in_order)

    @cached_property
    def loaded(self) -> Table:
        """LINK_FACTS as they were under load; without those of hosts that were not read under load."""
        names = [row for name in LINK_FACTS if (row := self.row(name)) >= 0]
        order = self._facts_in_order
        of_links = np.isin(self.facts.name, np.array(names, np.uint32))
        return self._facts_until(self._last(self.readings.moment == Moment.LOADED), order[of_links[order]])

    def value_of(self, host: int, part: str, name: str) -> str:
        """A fact as it was read last; empty if it is not known."""
        hosts = np.array([host], np.int64)
        return self.texts[int(self.latest.at(self.row(part), self.row(name), hosts)[0])]

    def over_hosts(self, part: str, name: str) -> tuple[Hosts, tuple[str, ...]]:
        """The hosts that have a fact, and its values as they were read last."""
        hosts, values = self.latest.column(self.row(part), self.row(name))
        return hosts, tuple(self.texts[value] for value in values.tolist())

    @cached_property
    def _facts_in_order(self) -> NDArray[np.intp]:
        facts = self.facts
        return _in_order(facts.part, facts.name, facts.host, facts.reading)

    def _last(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The last wanted reading of each host; -1: none."""
        last = np.full(self._most_hosts, -1, np.int64)
        np.maximum.at(last, self.readings.host[wanted], self.readings.reading[wanted].astype(np.int64))
        return last

    @property
    def _most_hosts(self) -> int:
        of_entries = (self.readings.host, self.facts.host, self.counters.host)
        return max((int(column.max()) + 1 for column in of_entries if len(column)), default=0)

    def _facts_until(self, last: NDArray[np.int64], order: NDArray[np.intp]) -> Table:
        """The facts after reading `last` of each host, since the process began that read them; of those in `order`."""
        readings, facts = self.readings, self.facts
        first = np.zeros(len(last), np.int64)
        begin = (readings.moment == Moment.BEFORE) & (readings.reading <= last[readings.host])
        np.maximum.at(first, readings.host[begin], readings.reading[begin].astype(np.int64))
        host, reading = facts.host[order], facts.reading[order]
        wanted = (reading >= first[host]) & (reading <= last[host])
        grouped = _grouped(order[wanted], facts.part, facts.name, facts.host)
        newest = grouped.order[grouped.ends - 1]
        known = facts.value[newest] != UNKNOWN_TEXT
        return grouped.table(facts.value[newest].astype(np.int64), known)


@dataclass(frozen=True, eq=False)
class Grouped:
    """Entries in the order of part, name, host and reading; one group for each part, name and host.

    Group g is `order[begins[g]:ends[g]]`.
    """

    order: NDArray[np.intp]
    begins: NDArray[np.intp]
    ends: NDArray[np.intp]
    part: NDArray[np.int64]
    name: NDArray[np.int64]
    host: Hosts

    def table(self, values: NDArray[np.int64], kept: NDArray[np.bool_]) -> Table:
        """A table with one value per group, without the groups that are not kept."""
        part, name, host = self.part[kept], self.name[kept], self.host[kept]
        new = np.flatnonzero(_differs(part, name))
        return Table(part[new], name[new], np.append(new, len(part)).astype(np.int64), host, values[kept])


def group(
    part: NDArray[np.uint32], name: NDArray[np.uint32], host: NDArray[np.uint32], reading: NDArray[np.uint32]
) -> Grouped:
    """Group entries by part, name and host."""
    return _grouped(_in_order(part, name, host, reading), part, name, host)


def _in_order(
    part: NDArray[np.uint32], name: NDArray[np.uint32], host: NDArray[np.uint32], reading: NDArray[np.uint32]
) -> NDArray[np.intp]:
    """The indices of entries in the order of part, name, host and reading."""
    return np.lexsort(tuple(map(_narrow, (reading, host, name, part))))


def _grouped(
    order: NDArray[np.intp], part: NDArray[np.uint32], name: NDArray[np.uint32], host: NDArray[np.uint32]
) -> Grouped:
    columns = [column[order] for column in (part, name, host)]
    begins = np.flatnonzero(_differs(*columns))
    ends = np.append(begins, len(order))[1:]
    return Grouped(order, begins, ends, *(column[begins].astype(np.int64) for column in columns))


def _differs(*columns: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Where an entry differs from the one before it in any column."""
    new = np.zeros(len(columns[0]), bool)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _narrow(column: NDArray[np.uint32]) -> NDArray[np.integer]:
    """Numbers of 16 bits in the same order, if there are so few: these are sorted several times as fast."""
    largest = int(column.max(initial=0))
    if largest > len(column) + 2**16:  # a table of all numbers up to it would be larger than the column
        return column
    there = np.zeros(largest + 1, bool)
    there[column] = True
    if np.count_nonzero(there) > 2**16:
        return column
    return (np.cumsum(there) - 1).astype(np.uint16)[column]


def joined(parts: Sequence[Inventory]) -> Inventory:
    """The inventories of runs of the same hosts as one, as of a run that was resumed."""
    texts = {text: row for row, text in enumerate(dict.fromkeys(text for part in parts for text in part.texts))}
    facts, counters, readings, carried = [], [], [], []
    shift = 0
    for part in parts:
        new = np.array([texts[text] for text in part.texts], np.uint32)
        facts.append(
            replace(
                _later(part.facts, shift), part=new[part.facts.part], name=new[part.facts.name],
                value=new[part.facts.value],
            )
        )  # fmt: skip
        part_of, name_of = new[part.counters.part], new[part.counters.name]
        counters.append(replace(_later(part.counters, shift), part=part_of, name=name_of))
        readings.append(_later(part.readings, shift))
        carried.append(_later(part.carried, shift))
        shift += max((int(one.reading.max()) + 1 for one in (part.readings, part.facts) if len(one.reading)), default=0)
    return Inventory(
        tuple(texts),
        _concatenated(facts),
        _concatenated(counters),
        _concatenated(readings),
        _concatenated(carried),
        _concatenated([part.retransmits for part in parts]),
    )


def _later(entries: T, shift: int) -> T:
    return replace(entries, reading=(entries.reading + np.uint32(shift)).astype(np.uint32))


def _concatenated(parts: Sequence[Entries]) -> Entries:
    kind = type(parts[0])
    return kind(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


_NUMBER = np.zeros(0, np.uint32)
_BYTES = np.zeros(0, np.uint64)
NO_INVENTORY = Inventory(
    ("",),
    Facts(_NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER),
    Counters(_NUMBER, _NUMBER, _NUMBER, _NUMBER, _BYTES),
    Readings(
        _NUMBER, _NUMBER, np.zeros(0, np.uint8), _NUMBER, np.zeros(0, np.float64), np.zeros(0, np.float32), _NUMBER
    ),
    Carried(_NUMBER, _NUMBER, _BYTES, _BYTES),
    Retransmits(_NUMBER, _NUMBER, _BYTES, _BYTES),
)
