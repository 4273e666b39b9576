"""Compares each fact among equals: hosts of a kind, with the same model of adapter at the same name.

What at least 2/3 of at least 3 equals have is the rule, and the others deviate. Values that at least max(4, 10 %) of
the equals have are structure, as of two generations, and no deviation. Rates and widths count only if they are below
those of the equals; with fewer than 3 equals, only what a host itself shows: a link below what both its ends can do,
and a port that is down where its siblings are up.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.cluster import Cluster, Codes, Level, number_in, smallest_class
from everylink.inventory.meanings import (
    DEVICE,
    FACTS,
    GPU,
    HOST,
    NET,
    PCI,
    PORT,
    Compare,
    Severity,
    device_of,
    fact,
    kind_of_part,
)
from everylink.model.inventory import LINK_FACTS, Hosts

FEWEST, SHARE = 3, 2 / 3
OF_SIBLINGS = ("throttle_reasons", "ecc_mode")  # facts of a GPU that the others of its host must have, too
MISSING = "missing"  # the value of an adapter that a host lacks
PRESENT = "present"
STATES_UP: dict[str, str | tuple[str, ...]] = {
    "state": ("4", "active"),
    "phys_state": "5",
    "carrier": "1",
    "port/link": "up",
}  # how the text of a state that is up begins
OPERSTATES_UP = ("up", "unknown")
PCI_FACTS = (*LINK_FACTS, *(name for kind, name in FACTS if kind == PCI and name not in LINK_FACTS))
MODEL = ("hca_type", "board_id", "name", "driver")


@dataclass(frozen=True)
class Found:
    """A value of one host that its equals do not have. `equals`: how many have the usual one; 0: the host alone."""

    host: int
    part: str
    name: str
    value: str
    usual: str
    equals: int
    severity: Severity
    told: str = ""  # what a sentence says of it, if it is not made from the values


@dataclass(frozen=True)
class Split:
    """Values that whole classes of equals have: structure. Each value with its hosts, the most frequent first."""

    part: str
    name: str
    classes: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Compared:
    found: list[Found]
    splits: list[Split]


@dataclass(frozen=True)
class Rule:
    """The usual values, the most frequent first, and how many equals have one of them."""

    usual: Codes
    holders: int


def rule_of(values: NDArray[np.int64]) -> Rule | None:
    """What is usual among the values of equals, if anything is."""
    if len(values) < FEWEST:
        return None
    if (values == values[0]).all():
        return Rule(values[:1], len(values))
    found, counts = np.unique(values, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    found, counts = found[order], counts[order]
    classes = counts >= smallest_class(len(values))
    several = np.count_nonzero(classes) > 1
    usual, holders = (found[classes], counts[classes]) if several else (found[:1], counts[:1])
    return Rule(usual, int(holders.sum())) if holders.sum() >= SHARE * len(values) else None


def compared(cluster: Cluster) -> Compared:
    """Every fact of every host against those of its equals."""
    comparison = _Comparison(cluster)
    for kind in cluster.kinds:
        members = np.flatnonzero(cluster.kind == kind)
        comparison.compare_hosts(members)
        for part, hosts in cluster.judged.items():
            comparison.compare_device(part, hosts[np.isin(hosts, members)], members)
    return Compared(comparison.found, comparison.splits)


class _Comparison:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.inventory = cluster, cluster.inventory
        self.found: list[Found] = []
        self.splits: list[Split] = []
        self._seen: set[tuple[int, str, str]] = set()  # of PCI functions, which several adapters share
        self._derived: dict[str, int] = {}  # texts that the file does not have, with their numbers
        self._derived_texts: list[str] = []

    # Hosts

    def compare_hosts(self, hosts: Hosts) -> None:
        names = [self.inventory.texts[row] for row in self.inventory.latest.names_of(self.inventory.row(HOST)).tolist()]
        for name in names:
            if fact(HOST, name).compare is Compare.EQUAL:
                self._compare(HOST, name, hosts, self._values_or_absent(HOST, name, hosts))

    # Adapters

    def compare_device(self, part: str, hosts: Hosts, members: Hosts) -> None:
        """Compare an adapter on the hosts where it matters; `members` are all hosts of the kind."""
        known, codes = self.cluster.models[part]
        models = codes[np.searchsorted(known, hosts)]
        if kind_of_part(part) == DEVICE:
            self._compare_presence(part, hosts, members)
        elif kind_of_part(part) == GPU:  # where NVML fails, no GPU is known
            self._compare_presence(part, hosts, members[self.cluster.values_at(HOST, "nvml", members) == 0])
        rule = rule_of(models)
        if rule is not None and len(rule.usual) == 1:
            for name in (*MODEL, "fault"):
                self._compare(part, name, hosts, self._values_or_absent(part, name, hosts))
        for model in np.unique(models) if rule is None else rule.usual:
            self._compare_model(part, hosts[models == model])

    def _compare_presence(self, part: str, hosts: Hosts, members: Hosts) -> None:
        """Name the hosts that lack an adapter which their equals have."""
        there = np.isin(members, self.cluster.models[part][0])
        rule = rule_of(there.astype(np.int64))
        if rule is None or rule.usual.tolist() != [1] or not len(hosts):
            return
        for host in members[~there].tolist():
            self.found.append(Found(host, part, PRESENT, MISSING, PRESENT, rule.holders, Severity.CRITICAL))

    def _compare_model(self, part: str, hosts: Hosts) -> None:
        """Compare adapters of one model: their own facts, those of their ports, and of the PCI functions above."""
        parts = [part, *self.cluster.ports_of(part)]
        for one in parts:
            kind = kind_of_part(one)
            for row in self.inventory.latest.names_of(self.inventory.row(one)).tolist():
                name = self.inventory.texts[row]
                if not (kind in (DEVICE, NET, GPU) and name in (*MODEL, "fault")):
                    self._compare_fact(one, kind, name, hosts)
        levels = self.cluster.levels(part)
        mine = [_of_hosts(level, hosts) for level in levels]
        for name in PCI_FACTS:
            sleeps = name == "current_link_speed" and kind_of_part(part) == GPU  # where it holds no messages
            self._compare_path(
                [_of_hosts(one, self.cluster.hosts_using(part)) for one in mine] if sleeps else mine, name
            )
        if len(hosts) < FEWEST:
            self._judge_alone(mine, hosts, parts)

    def _compare_fact(self, part: str, kind: str, name: str, hosts: Hosts) -> None:
        compare = fact(kind, name).compare
        values = self.cluster.values_at(part, name, hosts)
        if (kind, name) in DERIVED:
            values = self._mapped(values, DERIVED[kind, name])
        elif compare in (Compare.OWN, Compare.UNIQUE):
            return
        self._compare(part, name, hosts, values)

    def _compare(self, part: str, name: str, hosts: Hosts, values: Codes) -> None:
        """Find the hosts whose value is not usual; 0 is not known."""
        hosts, values = hosts[values != 0], values[values != 0]
        self._compare_known(lambda index: part, name, hosts, values)

    def _compare_path(self, levels: list[Level], name: str) -> None:
        """Compare a fact of the functions on the way to the root. The two ends of a link tell the same once."""
        below: set[int] = set()
        for level in levels:
            values = self._on_path(level, name)
            known = values != 0
            parts = level.parts[known]
            odd = self._compare_known(
                lambda index, parts=parts: self.inventory.texts[int(parts[index])],  # type: ignore[misc]
                name,
                level.hosts[known],
                values[known],
                left_out=below if level.height % 2 and name in LINK_FACTS else set(),
            )
            below = odd

    def _on_path(self, level: Level, name: str) -> Codes:
        """A fact of PCI functions; of links as it was under load, since they are slower while nothing is sent."""
        if name not in LINK_FACTS:
            return self.cluster.of_level(level, name)
        loaded = self.cluster.of_level(level, name, loaded=True)
        if name == "current_link_speed":
            return loaded
        return np.where(loaded == 0, self.cluster.of_level(level, name), loaded)

    def _compare_known(
        self,
        part_of: Callable[[int], str],
        name: str,
        hosts: Hosts,
        values: Codes,
        left_out: "set[int] | frozenset[int]" = frozenset(),
    ) -> set[int]:
        """The hosts whose value deviates; those of `left_out` are not named."""
        rule = rule_of(values)
        if rule is None or (len(rule.usual) == 1 and rule.holders == len(values)):
            return set()
        kind = kind_of_part(part_of(0))
        meaning = fact(kind, name)
        if len(rule.usual) > 1:
            classes = ((self._text(v), tuple(hosts[values == v].tolist())) for v in rule.usual.tolist())
            self.splits.append(Split(part_of(0), name, tuple(classes)))
        deviates = _deviating(meaning.compare, name, [self._text(v) for v in rule.usual.tolist()])
        unusual = {
            value for value in np.unique(values).tolist() if value not in rule.usual and deviates(self._text(value))
        }
        usual = ", ".join(self._text(value) for value in rule.usual.tolist())
        odd = set()
        for index in np.flatnonzero(np.isin(values, list(unusual))).tolist() if unusual else ():
            host, part = int(hosts[index]), part_of(index)
            odd.add(host)
            if host not in left_out and (host, part, name) not in self._seen:
                self._seen.add((host, part, name))
                text = self._text(int(values[index]))
                self.found.append(Found(host, part, name, text, usual, rule.holders, meaning.severity))
        return odd

    # What a host shows by itself

    def _judge_alone(self, levels: list[Level], hosts: Hosts, parts: list[str]) -> None:
        self._judge_links(levels)
        for port in parts:
            kind = kind_of_part(port)
            name = "state" if kind == PORT else "operstate"
            for host in hosts.tolist():
                if kind == GPU:
                    self._judge_gpu(host, port)
                else:
                    self._judge_port(host, port, name)

    def _judge_links(self, levels: list[Level]) -> None:
        """Name links with fewer lanes than both their ends can have."""
        for lower, upper in zip(levels[::2], levels[1::2], strict=False):
            name = "current_link_width"
            now = self._on_path(lower, name)
            ends = [self.cluster.of_level(level, "max_link_width") for level in (lower, upper)]
            place = {host: index for index, host in enumerate(upper.hosts.tolist())}
            for index, host in enumerate(lower.hosts.tolist()):
                if host not in place:
                    continue
                possible = min(number_in(self._text(int(end))) for end in (ends[0][index], ends[1][place[host]]))
                width = self._text(int(now[index]))
                part = self.inventory.texts[int(lower.parts[index])]
                if 0 < number_in(width) < possible and (host, part, name) not in self._seen:
                    self._seen.add((host, part, name))
                    self.found.append(Found(host, part, name, width, f"{possible:.0f}", 0, Severity.CRITICAL))

    def _judge_gpu(self, host: int, gpu: str) -> None:
        """Name what a GPU has and its siblings, of the same model on the same host, do not."""
        here = np.array([host], np.int64)
        model = _at(self.cluster.models[gpu], host)
        siblings = [one for one in self.cluster.parts_of(GPU) if _at(self.cluster.models[one], host) == model]
        for name in OF_SIBLINGS:
            meaning = DERIVED.get((GPU, name), str)
            texts = [meaning(text) for one in siblings if (text := self.cluster.texts_at(one, name, here)[0])]
            mine, usual = meaning(self.cluster.texts_at(gpu, name, here)[0]), max(texts, key=texts.count, default="")
            is_rule = len(texts) >= FEWEST and texts.count(usual) >= SHARE * len(texts)
            if is_rule and mine != usual and (host, gpu, name) not in self._seen:
                self._seen.add((host, gpu, name))
                self.found.append(Found(host, gpu, name, mine, usual, 0, fact(GPU, name).severity))

    def _judge_port(self, host: int, port: str, name: str) -> None:
        """Name a port that is down where its siblings, of the same chip on the same host, are up."""
        here = np.array([host], np.int64)
        mine = self.cluster.texts_at(port, name, here)[0]
        if not mine or _is_up(name, mine) or (host, port, name) in self._seen:
            return
        states = [self.cluster.texts_at(one, name, here)[0] for one in self._siblings(host, port)]
        up = [text for text in states if text and _is_up(name, text)]
        if len(states) >= FEWEST and len(up) >= SHARE * len(states):
            self._seen.add((host, port, name))
            self.found.append(Found(host, port, name, mine, up[0], 0, Severity.CRITICAL))

    def _siblings(self, host: int, port: str) -> Iterator[str]:
        """The ports of this host whose device has the same chip, this one included; of NVLinks those of its number."""
        chips = self.cluster.chips
        kind, chip = kind_of_part(port), _at(chips[device_of(port)], host)
        for other in self.cluster.parts_of(kind):
            device = device_of(other)
            is_alike = kind_of_part(device) != GPU or other.rpartition("/")[2] == port.rpartition("/")[2]
            if device in chips and _at(chips[device], host) == chip and is_alike:
                yield other

    # Values

    def _values_or_absent(self, part: str, name: str, hosts: Hosts) -> Codes:
        values, absent = self.cluster.values_at(part, name, hosts), fact(kind_of_part(part), name).absent
        return np.where(values == 0, self._code(absent), values) if absent else values

    def _code(self, text: str) -> int:
        """The number of a text: its row, or one beyond all rows."""
        row = self.inventory.row(text)
        if row >= 0:
            return row
        if text not in self._derived:
            self._derived[text] = len(self.inventory.texts) + len(self._derived)
            self._derived_texts.append(text)
        return self._derived[text]

    def _text(self, code: int) -> str:
        beyond = code - len(self.inventory.texts)
        return self.inventory.texts[code] if beyond < 0 else self._derived_texts[beyond]

    def _mapped(self, values: Codes, mapping: Callable[[str], str]) -> Codes:
        distinct, inverse = np.unique(values, return_inverse=True)
        codes = [self._code(mapping(self._text(value))) if value > 0 else 0 for value in distinct.tolist()]
        return np.array(codes, np.int64)[inverse.reshape(-1)]


def _of_hosts(level: Level, hosts: Hosts) -> Level:
    here = np.isin(level.hosts, hosts)
    return Level(level.height, level.hosts[here], level.parts[here])


def _at(column: tuple[Hosts, Codes], host: int) -> int:
    hosts, values = column
    place = int(np.searchsorted(hosts, host))
    return int(values[place]) if place < len(hosts) and hosts[place] == host else -1


def _deviating(compare: Compare, name: str, usual: list[str]) -> Callable[[str], bool]:
    """Whether a value deviates from the usual ones."""
    if compare is Compare.LESS:
        least = min(map(number_in, usual))
        return lambda text: number_in(text) < least
    if compare is Compare.UP:
        expected = all(_is_up(name, text) for text in usual)
        return lambda text: expected and not _is_up(name, text)
    return lambda text: True


def _is_up(name: str, text: str) -> bool:
    return text in OPERSTATES_UP if name == "operstate" else text.startswith(STATES_UP[name])


def networks(text: str) -> str:
    """The networks of IP addresses, without those that every link has."""
    found = set()
    for one in text.split(","):
        address, _, bits = one.strip().partition("/")
        family, length = (socket.AF_INET6, 128) if ":" in address else (socket.AF_INET, 32)
        try:
            number = int.from_bytes(socket.inet_pton(family, address), "big")
            others = length - int(bits or length)
            found.add(_network(length, number >> others << others, length - others))
        except (OSError, ValueError):
            continue
    return ", ".join(sorted(found - {""}))


@lru_cache(maxsize=1 << 16)
def _network(length: int, number: int, bits: int) -> str:
    """A network of IPv4 (length 32) or IPv6 (128) as text; empty if every link has it."""
    make = ipaddress.IPv4Network if length == 32 else ipaddress.IPv6Network
    network = make((number, bits))
    return "" if network.is_link_local or network.is_loopback else str(network)


def subnet_prefix(text: str) -> str:
    """The subnet prefix of the first GID."""
    return ":".join(text.split(",")[0].strip().split(":")[:4])


def slowdowns(text: str) -> str:
    """The reasons to lower the clocks of a GPU that the hardware has; others come and go with the load."""
    return ", ".join(word for word in text.split(", ") if word.startswith("hw_")) or "none"


def _sorted_words(text: str) -> str:
    return ", ".join(sorted(word.strip() for word in text.split(",")))


# Facts of which a part is compared.
DERIVED: dict[tuple[str, str], Callable[[str], str]] = {
    (NET, "ip"): networks,
    (PORT, "gid"): subnet_prefix,
    (PORT, "pkey"): _sorted_words,
    (GPU, "throttle_reasons"): slowdowns,
}
