"""The leaf switch of each host: from the file of --topology, or from the addresses that Slurm gave the ranks.

Two formats are known: Slurm's topology.conf, and the output of ibnetdiscover, which names ports, too.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.files import Damaged, Line, printable, quoted, text_of
from everylink.host_lists import MOST_HOSTS, expanded, folded
from everylink.io.ibnetdiscover import INFINIBAND_NODE, AdapterPort, adapter_ports, leaves, places
from everylink.model.groups import Grouping
from everylink.model.inventory import NO_INVENTORY, Inventory
from everylink.model.results import Ranks, Results
from everylink.units import plural

SLURM_KEY = re.compile(r"^\s*(SwitchName|BlockName)\s*=", re.IGNORECASE)
PAIR = re.compile(r"\s*(\w+)\s*=\s*(\"[^\"]*\"|\S+)")
NAMES = ("switchname", "blockname")
CHILDREN = ("nodes", "switches", "blocks")
OTHER_KEYS = ("linkspeed", "blocksizes", "nestedblocksizes")
LARGEST = 512 * 2**20  # bytes; 28,000 hosts with four adapters each take 40 MB
ADVICE = "expected Slurm's topology.conf (SwitchName=s1 Nodes=n[1-4]) or the output of ibnetdiscover"
FOREIGN_IB = re.compile(r"(CA|SW|RT)\s+\d+\s+\d+\s+0x|(Ca|Switch|Router)\s*:")
TOLD_BY = "SLURM_TOPOLOGY_ADDR"


def slurm_leaves(lines: Iterable[Line]) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """The switch or block of each node, the first one if there are several; another one of each that has; and the
    switch above each switch, likewise the first one. Raises Damaged."""
    found, others, above = dict[str, str](), dict[str, str](), dict[str, str]()
    for line in _joined(lines):
        said = _pairs(line)
        name = next((said[key] for key in NAMES if key in said), None)
        if name is None:
            if set(said) & set(CHILDREN):
                raise Damaged(line.number, "has children, but no SwitchName=")
            continue
        if not set(said) & set(CHILDREN):
            raise Damaged(line.number, f"{quoted(name)} has neither Nodes= nor Switches=")
        for switch in _names(line.number, said.get("switches", "")):
            above.setdefault(switch, name)
        for host in _names(line.number, said.get("nodes", "")):
            if found.setdefault(host, name) != name:
                others[host] = name
        if len(found) > MOST_HOSTS:
            raise Damaged(line.number, f"exceeds {MOST_HOSTS} hosts")
    return found, others, above


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines without comments, joined with their continuation lines; empty ones are left out."""
    begun: list[Line] = []
    for line in lines:
        text = line.text.partition("#")[0].rstrip()
        begun.append(Line(line.number, text.removesuffix("\\")))
        if not text.endswith("\\"):
            yield from _joined_line(begun)
            begun = []
    yield from _joined_line(begun)


def _joined_line(parts: list[Line]) -> Iterator[Line]:
    text = " ".join(part.text for part in parts)
    if text.strip():
        yield Line(parts[0].number, text)


def _pairs(line: Line) -> dict[str, str]:
    said: dict[str, str] = {}
    at = 0
    while line.text[at:].strip():
        match = PAIR.match(line.text, at)
        if match is None:
            raise Damaged(line.number, f"{quoted(line.text[at:].strip())} is not of the form Key=value")
        key = match[1].lower()
        if key not in NAMES + CHILDREN + OTHER_KEYS:
            raise Damaged(
                line.number, f"{quoted(match[1])} is not a key of topology.conf; use SwitchName, Nodes or Switches"
            )
        if key in said:
            raise Damaged(line.number, f"{match[1]} occurs twice")
        said[key] = match[2].strip('"')
        at = match.end()
    return said


def _names(number: int, text: str) -> list[str]:
    try:
        return expanded(text) if text else []
    except ValueError as error:
        raise Damaged(number, f"{quoted(text)} {error}") from None


@dataclass(frozen=True)
class Topology:
    """`leaf_of`: the leaf switch of each host by its name in the file; with several adapters, that of the first.

    `leaf_of_nic`: the leaf switch of each (host, adapter), `("n17", "mlx5_0")`, or `("n17", "mlx5_0:2")` for further
    ports. Empty if the file does not name adapters. `ports`: those of all adapters, as ibnetdiscover names them.
    `other_leaf_of`: another leaf switch of each host that Slurm's file has on several. `above`: the switch above each
    switch, as far as the file tells it. `path`: the file.
    """

    leaf_of: Mapping[str, str]
    leaf_of_nic: Mapping[tuple[str, str], str] = field(default_factory=dict)
    ports: Sequence[AdapterPort] = ()
    other_leaf_of: Mapping[str, str] = field(default_factory=dict)
    above: Mapping[str, str] = field(default_factory=dict)
    path: Path = field(default=Path(), compare=False)

    def __hash__(self) -> int:
        return hash(frozenset(self.leaf_of.items()))


def read_topology(path: Path | str) -> Topology:
    """Read a file of either format, recognised by its contents. Raises UserMistake with the line number."""
    path = Path(path)
    texts = text_of(path, LARGEST, ADVICE).split("\n")
    lines = [Line(number, printable(text.expandtabs(1).rstrip("\r"))) for number, text in enumerate(texts, 1)]
    try:
        topology = _topology(lines)
    except Damaged as damage:
        raise UserMistake(f"{path}, line {damage.line}: {damage}") from None
    if not (topology.leaf_of or topology.ports):
        raise UserMistake(f"{path}: names no host on a switch; {ADVICE}")
    return replace(topology, path=path)


def given_topology(path: Path | None) -> Topology | None:
    """What the option --topology names, if it was given."""
    return None if path is None else read_topology(path)


def _topology(lines: list[Line]) -> Topology:
    said = [line for line in lines if line.text.strip() and not line.text.lstrip().startswith("#")]
    if not said:
        return Topology({})
    if any(INFINIBAND_NODE.match(line.text) for line in said):
        ports = adapter_ports(said)
        by_nic = leaves(ports)
        first: dict[str, str] = {}
        for (host, _), leaf in by_nic.items():
            first.setdefault(host, leaf)
        return Topology(first, by_nic, tuple(ports))
    if any(SLURM_KEY.search(line.text) for line in said):
        leaf_of, other_leaf_of, above = slurm_leaves(lines)
        return Topology(leaf_of, other_leaf_of=other_leaf_of, above=above)
    if FOREIGN_IB.match(said[0].text):
        raise Damaged(said[0].number, "is output of ibnetdiscover with an option; expected its output without options")
    raise Damaged(said[0].number, f"has an unknown format; {ADVICE}")


def group_of(topology: Topology, ranks: Ranks) -> NDArray[np.int64]:
    """The group (leaf) of each host by host_index, shape [hosts], numbered in the order of the hosts; -1 if unknown.

    Names match with and without a domain (n17 = n17.cluster), unless that would confuse two hosts.
    """
    return groups_and_names(topology, ranks)[0]


def groups_and_names(
    topology: Topology, ranks: Ranks, inventory: Inventory = NO_INVENTORY
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The groups as in `group_of`, and the names of the leaves by group.

    A host that the file does not name counts for the switch of its first port, if GUIDs of the inventory tell it.
    """
    named = _names_in_file(topology.leaf_of, ranks)
    by_guid: dict[int, str] = {}
    if topology.ports and None in named:
        for (host, _), port in ports_of_run(topology, ranks, inventory).items():
            by_guid.setdefault(host, port.switch)
    numbers: dict[str, int] = {}
    groups = np.full(len(named), -1, np.int64)
    for index, name in enumerate(named):
        leaf = by_guid.get(index) if name is None else topology.leaf_of[name]
        if leaf is not None:
            groups[index] = numbers.setdefault(leaf, len(numbers))
    return groups, tuple(numbers)


def ports_of_run(topology: Topology, ranks: Ranks, inventory: Inventory) -> dict[tuple[int, str], AdapterPort]:
    """The host index and part, `ib/mlx5_0/1`, of each port that belongs to a host of the run."""
    named = _names_in_file({port.host for port in topology.ports if port.host}, ranks)
    return places(topology.ports, inventory, {name: host for host, name in enumerate(named) if name is not None})


def _names_in_file(known: Collection[str], ranks: Ranks) -> list[str | None]:
    """The name that each host has in the file, where it has one."""
    names = ranks.names_of_hosts()
    in_file, in_run = _clear_shorts(known), _clear_shorts(set(names))
    return [
        name if name in known else in_file.get(_short(name)) if in_run.get(_short(name)) == name else None
        for name in names
    ]


def leaf_of_address(address: str, pattern: str) -> str | None:
    """The leaf switch in SLURM_TOPOLOGY_ADDR: `s1` in "s0.s1.n17" with the pattern "switch.switch.node".

    None if the address has no switch or does not match the pattern.
    """
    return next(iter(switches_of_address(address, pattern)), None)


def switches_of_address(address: str, pattern: str) -> list[str]:
    """All switches in SLURM_TOPOLOGY_ADDR, the leaf first: the last one is nearest to the node.

    The node's own name may contain dots.
    """
    kinds, names = pattern.lower().split("."), address.split(".")
    if kinds[-1] != "node" or len(names) < len(kinds) or not all(names[: len(kinds)]):
        return []
    return [name for kind, name in zip(kinds[:-1], names, strict=False) if kind in ("switch", "block")][::-1]


def _clear_shorts(names: Iterable[str]) -> dict[str, str]:
    """Names by the part before their first dot, if that is unique and not part of a numerical address."""
    often = Counter(map(_short, names := list(names)))
    return {_short(name): name for name in names if often[_short(name)] == 1 and not _short(name).isdigit()}


def _short(name: str) -> str:
    return name.partition(".")[0]


def grouping_of(results: Results, topology: Topology | None = None) -> Grouping | None:
    """The groups from the topology file, else from Slurm; None if unknown, so that they must be found in the times.

    Raises UserMistake if the file names none of the hosts, or if there is only one.
    """
    if topology is None:
        return _told_by_slurm(results.ranks)
    if not results.ranks.host_index.any():
        raise UserMistake(f"--topology {topology.path}: groups hosts by switch, but {results.path} is of a single host")
    inventory = results.inventory if topology.ports else NO_INVENTORY
    groups, names = groups_and_names(topology, results.ranks, inventory)
    if not names:
        raise UserMistake(
            f"--topology {topology.path}: names none of the hosts of {results.path}, such as {results.ranks.host[0]}"
        )
    doubts = tuple(_doubts(topology, groups, results.ranks))
    return Grouping(groups, names, doubts=doubts, above=_levels([_way_up(name, topology.above) for name in names]))


def _way_up(switch: str, above: Mapping[str, str]) -> list[str]:
    """The switches above a switch, from below; a damaged file may lead in a circle."""
    way = [switch]
    while (higher := above.get(way[-1])) is not None and higher not in way:
        way.append(higher)
    return way[1:]


def _levels(ways_up: Sequence[Sequence[str]]) -> tuple[tuple[NDArray[np.int64], tuple[str, ...]], ...]:
    """The levels above groups (Grouping.above), as far as each joins some of the switches below it, and not all."""
    levels = []
    below = len(ways_up)
    for number in range(max(map(len, ways_up), default=0)):
        names: dict[str, int] = {}
        of_group = []
        for group, way in enumerate(ways_up):
            name = way[number] if number < len(way) else f"\0{group}"
            of_group.append(names.setdefault(name, len(names)))
        if 1 < len(names) < below:
            known = tuple("" if name.startswith("\0") else name for name in names)
            levels.append((np.array(of_group, np.int64), known))
            below = len(names)
    return tuple(levels)


def _doubts(topology: Topology, groups: NDArray[np.int64], ranks: Ranks) -> Iterator[str]:
    """Where the file does not fit the run."""
    hosts = ranks.names_of_hosts()
    if left_out := [host for host, group in zip(hosts, groups.tolist(), strict=True) if group < 0]:
        count = plural(len(left_out), "host")
        yield f"{topology.path} has no switch for {count} of the run, {folded(left_out)}: judged without a group."
    named = zip(hosts, _names_in_file(topology.leaf_of, ranks), strict=True)
    if twice := [(host, name) for host, name in named if name is not None and name in topology.other_leaf_of]:
        (host, name), count = twice[0], plural(len(twice), "host")
        first, other = quoted(topology.leaf_of[name]), quoted(topology.other_leaf_of[name])
        which = f"{host} on {first} and on {other}"
        yield f"{topology.path} has {count} of the run on several switches, such as {which}: the first one counts."


def _told_by_slurm(ranks: Ranks) -> Grouping | None:
    """Groups by the leaf switch of each host; None for a single switch."""
    groups = np.full(int(ranks.host_index.max()) + 1, -1, np.int64)
    numbers: dict[str, int] = {}
    ways_up: list[list[str]] = []
    for host, address, pattern in zip(ranks.host_index, ranks.topology_address, ranks.topology_pattern, strict=True):
        leaf, *above = switches_of_address(address, pattern) or (None,)
        if leaf is not None and groups[host] < 0:
            groups[host] = numbers.setdefault(leaf, len(numbers))
            if len(ways_up) < len(numbers):
                ways_up.append([switch for switch in above if switch is not None])
    return Grouping(groups, tuple(numbers), TOLD_BY, above=_levels(ways_up)) if len(numbers) > 1 else None
