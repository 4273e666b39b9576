"""The leaf switch of each host: from the file of --topology, or from the addresses that Slurm gave the ranks.

Two formats are known: Slurm's topology.conf, and the output of ibnetdiscover (infiniband-diags), without options or
with -g. Its manual page describes it under "topology file format": a node has a line with its kind (Switch, Ca, Rt),
ports, quoted GUID and, after #, its description, then a line per connected port: [port](port GUID) "peer"[peer's port].
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.files import Damaged, Line, quoted, text_of
from everylink.host_lists import MOST_HOSTS, expanded
from everylink.model.groups import Grouping
from everylink.model.results import Ranks, Results

SLURM_KEY = re.compile(r"^\s*(SwitchName|BlockName)\s*=", re.IGNORECASE)
PAIR = re.compile(r"\s*(\w+)\s*=\s*(\"[^\"]*\"|\S+)")
NAMES = ("switchname", "blockname")
CHILDREN = ("nodes", "switches", "blocks")
OTHER_KEYS = ("linkspeed", "blocksizes", "nestedblocksizes")
INFINIBAND_NODE = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"[SHR]-')
INFINIBAND_HEAD = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR]-[0-9a-fA-Fx]+)"\s*#\s*"(.*)"(?=$| \(scp\)| (?:base|enhanced) port)'
)
INFINIBAND_PORT = re.compile(r'^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-Fx]*\))?\s*"([SHR]-[0-9a-fA-Fx]+)"\[\d+\]')
INFINIBAND_OTHER = re.compile(
    r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Chassis \d|Non-Chassis Nodes|Hostname:|ibwarn|ibpanic|src/"
)
# Drivers describe an adapter by host and device: "n17 HCA-1", "n17 mlx5_0", "n17 hfi1_0"; a single word may be a host.
# Anything else, such as "MT4115 ConnectX4 Mellanox Technologies", does not identify the host.
DESCRIPTION = re.compile(r"(?P<host>\S+)(?:\s+(?P<nic>[A-Za-z]\w*?[_-]\d+|ibp\w+|rocep\w+)(?:\s+\(.*\))?)?")
MANAGED = re.compile(r"MF0;([^:;]+):[^/]*(?:/U1$)?")  # "MF0;leaf1:MQM8700/U1", of a chassis "MF0;core:CS7500/L07/U1"
LARGEST = 512 * 2**20  # bytes; 28,000 hosts with four adapters each take 40 MB
ADVICE = "expected Slurm's topology.conf (SwitchName=s1 Nodes=n[1-4]) or the output of ibnetdiscover"
FOREIGN_IB = re.compile(r"(CA|SW|RT)\s+\d+\s+\d+\s+0x|(Ca|Switch|Router)\s*:")
TOLD_BY = "SLURM_TOPOLOGY_ADDR"


def slurm_leaves(lines: Iterable[Line]) -> dict[str, str]:
    """The switch or block of each node; the first one if there are several. Raises Damaged."""
    found: dict[str, str] = {}
    for line in _joined(lines):
        said = _pairs(line)
        name = next((said[key] for key in NAMES if key in said), None)
        if name is None:
            if set(said) & set(CHILDREN):
                raise Damaged(line.number, "has children, but no SwitchName=")
            continue
        if not set(said) & set(CHILDREN):
            raise Damaged(line.number, f"{quoted(name)} has neither Nodes= nor Switches=")
        _names(line.number, said.get("switches", ""))  # unused, but a damaged list means a damaged file
        for host in _names(line.number, said.get("nodes", "")):
            found.setdefault(host, name)
        if len(found) > MOST_HOSTS:
            raise Damaged(line.number, f"exceeds {MOST_HOSTS} hosts")
    return found


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


@dataclass
class _Node:
    line: int
    kind: str
    guid: str
    description: str
    ports: dict[int, str] = field(default_factory=dict)  # the peer's GUID


def infiniband_leaves(lines: Sequence[Line]) -> dict[tuple[str, str], str]:
    """The switch of each (host, adapter), sorted by their names; see Topology.leaf_of_nic. Raises Damaged."""
    nodes = _nodes(lines)
    names = _switch_names(nodes)
    adapters = [node for node in nodes.values() if node.kind == "Ca"]
    often = Counter(node.description for node in adapters)
    found: dict[tuple[str, str], str] = {}
    for node in sorted(adapters, key=lambda node: _natural(node.description)):
        match = DESCRIPTION.fullmatch(node.description)
        if match is None or often[node.description] > 1:  # "localhost mlx5_0" of many hosts
            continue
        on_switch = [(port, names[guid]) for port, guid in sorted(node.ports.items()) if guid in names]
        for i, (port, switch) in enumerate(on_switch):
            found[match["host"], (match["nic"] or "") + (f":{port}" if i else "")] = switch
    return found


def _nodes(lines: Sequence[Line]) -> dict[str, _Node]:
    nodes: dict[str, _Node] = {}
    peers: dict[str, int] = {}
    last: _Node | None = None
    for number, text in lines:
        text = text.rstrip()
        if INFINIBAND_NODE.match(text):
            head = INFINIBAND_HEAD.match(text)
            if head is None:
                raise Damaged(number, f"{quoted(text)} is truncated or damaged")
            last = _Node(number, head[1], _guid(head[3]), head[4].strip())
            if last.guid in nodes:
                raise Damaged(number, f"repeats node {quoted(last.guid)} of line {nodes[last.guid].line}")
            nodes[last.guid] = last
        elif port := INFINIBAND_PORT.match(text):
            if last is None:
                raise Damaged(number, "has a port, but no switch or adapter precedes it")
            last.ports[int(port[1])] = _guid(port[2])
            peers.setdefault(_guid(port[2]), number)
        elif not INFINIBAND_OTHER.match(text):
            raise Damaged(number, f"{quoted(text)} is truncated, damaged or not from ibnetdiscover")
    missing = next((guid for guid in peers if guid not in nodes), None)
    if missing is not None:
        raise Damaged(peers[missing], f"names {quoted(missing)}, which has no entry: the file is truncated")
    return nodes


def _guid(text: str) -> str:
    kind, _, number = text.partition("-")
    return f"{kind}-{number.lower().removeprefix('0x')}"


def _switch_names(nodes: dict[str, _Node]) -> dict[str, str]:
    """A name for each switch by GUID: its description, followed by the GUID if that is not unique."""
    described = {node.guid: MANAGED.sub(r"\1", node.description) for node in nodes.values() if node.kind == "Switch"}
    often = Counter(described.values())
    return {guid: name if name and often[name] == 1 else f"{name} {guid}".lstrip() for guid, name in described.items()}


def _natural(text: str) -> list[tuple[int, str]]:
    """A sort key that puts mlx5_2 before mlx5_10."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", text)]


@dataclass(frozen=True)
class Topology:
    """`leaf_of`: the leaf switch of each host by its name in the file; with several adapters, that of the first.

    `leaf_of_nic`: the leaf switch of each (host, adapter), `("n17", "mlx5_0")`, or `("n17", "mlx5_0:2")` for further
    ports. Empty if the file does not name adapters.
    """

    leaf_of: Mapping[str, str]
    leaf_of_nic: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read_topology(path: Path | str) -> Topology:
    """Read a file of either format, recognised by its contents. Raises UserMistake with the line number."""
    path = Path(path)
    lines = [Line(number, text) for number, text in enumerate(text_of(path, LARGEST, ADVICE).split("\n"), 1)]
    try:
        topology = _topology(lines)
    except Damaged as damage:
        raise UserMistake(f"{path}, line {damage.line}: {damage}") from None
    if not topology.leaf_of:
        raise UserMistake(f"{path}: names no host on a switch; {ADVICE}")
    return topology


def _topology(lines: list[Line]) -> Topology:
    said = [line for line in lines if line.text.strip() and not line.text.lstrip().startswith("#")]
    if not said:
        return Topology({})
    if any(INFINIBAND_NODE.match(line.text) for line in said):
        by_nic = infiniband_leaves(said)
        first: dict[str, str] = {}
        for (host, _), leaf in by_nic.items():
            first.setdefault(host, leaf)
        return Topology(first, by_nic)
    if any(SLURM_KEY.search(line.text) for line in said):
        return Topology(slurm_leaves(lines))
    if FOREIGN_IB.match(said[0].text):
        raise Damaged(said[0].number, "is output of ibnetdiscover with an option; expected its output without options")
    raise Damaged(said[0].number, f"has an unknown format; {ADVICE}")


def group_of(topology: Topology, ranks: Ranks) -> NDArray[np.int64]:
    """The group (leaf) of each host by host_index, shape [hosts], numbered in the order of the hosts; -1 if unknown.

    Names match with and without a domain (n17 = n17.cluster), unless that would confuse two hosts.
    """
    return groups_and_names(topology, ranks)[0]


def groups_and_names(topology: Topology, ranks: Ranks) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The groups as in `group_of`, and the names of the leaves by group."""
    names = [""] * (int(ranks.host_index.max()) + 1)
    for rank in range(len(ranks) - 1, -1, -1):
        names[int(ranks.host_index[rank])] = ranks.host[rank]
    in_file, in_run = _clear_shorts(topology.leaf_of), _clear_shorts(set(names))
    numbers: dict[str, int] = {}
    groups = np.full(len(names), -1, np.int64)
    for index, name in enumerate(names):
        leaf = topology.leaf_of.get(name)
        if leaf is None and in_run.get(_short(name)) == name:
            leaf = topology.leaf_of.get(in_file.get(_short(name), ""))
        if leaf is not None:
            groups[index] = numbers.setdefault(leaf, len(numbers))
    return groups, tuple(numbers)


def leaf_of_address(address: str, pattern: str) -> str | None:
    """The leaf switch in SLURM_TOPOLOGY_ADDR: `s1` in "s0.s1.n17" with the pattern "switch.switch.node".

    The last switch is nearest to the node. The node's own name may contain dots. None if the address has no switch or
    does not match the pattern.
    """
    kinds, names = pattern.lower().split("."), address.split(".")
    if kinds[-1] != "node" or len(names) < len(kinds) or not all(names[: len(kinds)]):
        return None
    above = [name for kind, name in zip(kinds[:-1], names, strict=False) if kind in ("switch", "block")]
    return above[-1] if above else None


def _clear_shorts(names: Iterable[str]) -> dict[str, str]:
    """Names by the part before their first dot, if that is unique and not part of a numerical address."""
    often = Counter(map(_short, names := list(names)))
    return {_short(name): name for name in names if often[_short(name)] == 1 and not _short(name).isdigit()}


def _short(name: str) -> str:
    return name.partition(".")[0]


def grouping_of(results: Results, topology: Path | None = None) -> Grouping | None:
    """The groups from the topology file, else from Slurm; None if unknown, so that they must be found in the times.

    Raises UserMistake if the file cannot be used or names none of the hosts.
    """
    if topology is None:
        return _told_by_slurm(results.ranks)
    if not results.ranks.host_index.any():
        raise UserMistake(f"--topology {topology}: groups hosts by switch, but {results.path} is of a single host")
    groups, names = groups_and_names(read_topology(topology), results.ranks)
    if not names:
        raise UserMistake(
            f"--topology {topology}: names none of the hosts of {results.path}, such as {results.ranks.host[0]}"
        )
    return Grouping(groups, names)


def _told_by_slurm(ranks: Ranks) -> Grouping | None:
    """Groups by the leaf switch of each host; None for a single switch."""
    groups = np.full(int(ranks.host_index.max()) + 1, -1, np.int64)
    numbers: dict[str, int] = {}
    for host, address, pattern in zip(ranks.host_index, ranks.topology_address, ranks.topology_pattern, strict=True):
        leaf = leaf_of_address(address, pattern)
        if leaf is not None and groups[host] < 0:
            groups[host] = numbers.setdefault(leaf, len(numbers))
    return Grouping(groups, tuple(numbers), TOLD_BY) if len(numbers) > 1 else None
