"""Which leaf switch each host hangs on: from the file of --topology, or from what Slurm told the ranks.

Two formats are known: Slurm's topology.conf, and what ibnetdiscover (infiniband-diags) prints without options or with
-g. Its form is in its manual page, "topology file format": a node is a line of kind, ports and quoted GUID with its
description behind #, then a line for each connected port: [port](port GUID) "peer"[peer's port]. Kinds: Switch, Ca, Rt.
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
# "n17 HCA-1", "n17 mlx5_0", "n17 hfi1_0": what the driver makes of host and device; a single word may be a host too.
# Of anything else ("MT4115 ConnectX4 Mellanox Technologies") nobody knows which host it is in.
DESCRIPTION = re.compile(r"(?P<host>\S+)(?:\s+(?P<nic>[A-Za-z]\w*?[_-]\d+|ibp\w+|rocep\w+)(?:\s+\(.*\))?)?")
MANAGED = re.compile(r"MF0;([^:;]+):[^/]*(?:/U1$)?")  # "MF0;leaf1:MQM8700/U1", of a chassis "MF0;core:CS7500/L07/U1"
LARGEST = 512 * 2**20  # bytes: 28,000 hosts with four adapters each take 40 MB
WOULD_WORK = "wanted is Slurm's topology.conf (SwitchName=s1 Nodes=n[1-4]) or what ibnetdiscover prints"
FOREIGN_IB = re.compile(r"(CA|SW|RT)\s+\d+\s+\d+\s+0x|(Ca|Switch|Router)\s*:")
TOLD_BY = "SLURM_TOPOLOGY_ADDR"


def slurm_leaves(lines: Iterable[Line]) -> dict[str, str]:
    """The switch, or block, that each node is listed with; of several the first."""
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
        _names(line.number, said.get("switches", ""))  # of no use here, but a damaged list is a damaged file
        for host in _names(line.number, said.get("nodes", "")):
            found.setdefault(host, name)
        if len(found) > MOST_HOSTS:
            raise Damaged(line.number, f"is beyond {MOST_HOSTS} hosts")
    return found


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines without comments, each with those that it goes on in; those with nothing in them left out."""
    begun: list[Line] = []
    for line in lines:
        text = line.text.partition("#")[0].rstrip()
        begun.append(Line(line.number, text.removesuffix("\\")))
        if not text.endswith("\\"):
            yield from _whole(begun)
            begun = []
    yield from _whole(begun)


def _whole(parts: list[Line]) -> Iterator[Line]:
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
                line.number, f"{quoted(match[1])} is no key of topology.conf; SwitchName, Nodes, Switches are"
            )
        if key in said:
            raise Damaged(line.number, f"has {match[1]} twice")
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
    """The switch of each (host, adapter), hosts' adapters in the order of their names; see Topology.leaf_of_nic."""
    nodes = _nodes(lines)
    names = _switch_names(nodes)
    adapters = [node for node in nodes.values() if node.kind == "Ca"]
    often = Counter(node.description for node in adapters)
    found: dict[tuple[str, str], str] = {}
    for node in sorted(adapters, key=lambda node: _natural(node.description)):
        match = DESCRIPTION.fullmatch(node.description)
        if match is None or often[node.description] > 1:  # "localhost mlx5_0" of many hosts: of which is unknown
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
                raise Damaged(number, f"{quoted(text)} is cut or damaged")
            last = _Node(number, head[1], _guid(head[3]), head[4].strip())
            if last.guid in nodes:
                raise Damaged(number, f"has node {quoted(last.guid)} a second time (line {nodes[last.guid].line})")
            nodes[last.guid] = last
        elif port := INFINIBAND_PORT.match(text):
            if last is None:
                raise Damaged(number, "has a port, but no switch or adapter stands before it")
            last.ports[int(port[1])] = _guid(port[2])
            peers.setdefault(_guid(port[2]), number)
        elif not INFINIBAND_OTHER.match(text):
            raise Damaged(number, f"{quoted(text)} is cut or damaged, or not of ibnetdiscover")
    missing = next((guid for guid in peers if guid not in nodes), None)
    if missing is not None:
        raise Damaged(peers[missing], f"names {quoted(missing)}, which has no entry of its own: the file is cut")
    return nodes


def _guid(text: str) -> str:
    kind, _, number = text.partition("-")
    return f"{kind}-{number.lower().removeprefix('0x')}"


def _switch_names(nodes: dict[str, _Node]) -> dict[str, str]:
    """A name for each switch by GUID: its description, with the GUID behind it where others are called the same."""
    called = {node.guid: MANAGED.sub(r"\1", node.description) for node in nodes.values() if node.kind == "Switch"}
    often = Counter(called.values())
    return {guid: name if name and often[name] == 1 else f"{name} {guid}".lstrip() for guid, name in called.items()}


def _natural(text: str) -> list[tuple[int, str]]:
    """Sorts mlx5_2 before mlx5_10."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", text)]


@dataclass(frozen=True)
class Topology:
    """`leaf_of`: the leaf switch of each host by its name in the file; of several the one of its first adapter.

    `leaf_of_nic`: that of each (host, adapter), `("n17", "mlx5_0")`, from the second port on `("n17", "mlx5_0:2")`;
    empty where the file does not name adapters.
    """

    leaf_of: Mapping[str, str]
    leaf_of_nic: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read_topology(path: Path | str) -> Topology:
    """Read a file of either format, told apart by what is in it. Raises UserMistake, one line that says where."""
    path = Path(path)
    lines = [Line(number, text) for number, text in enumerate(text_of(path, LARGEST, WOULD_WORK).split("\n"), 1)]
    try:
        topology = _topology(lines)
    except Damaged as damage:
        raise UserMistake(f"{path}, line {damage.line}: {damage}") from None
    if not topology.leaf_of:
        raise UserMistake(f"{path}: names no host on a switch; {WOULD_WORK}")
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
        raise Damaged(said[0].number, "is what ibnetdiscover prints with an option; wanted is its output without any")
    raise Damaged(said[0].number, f"is of another kind of file; {WOULD_WORK}")


def group_of(topology: Topology, ranks: Ranks) -> NDArray[np.int64]:
    """The number of each host's leaf, by host_index, counted in the order of the hosts; -1 where the file has none.

    Names are the same with and without a domain (n17 = n17.cluster), unless that would mix up two hosts.
    """
    return groups_and_names(topology, ranks)[0]


def groups_and_names(topology: Topology, ranks: Ranks) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The same, and the names of the leaves by their numbers."""
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
    """The leaf switch in SLURM_TOPOLOGY_ADDR: `s1` of "s0.s1.n17" with the pattern "switch.switch.node".

    The last switch is the nearest to the node, whose own name may have dots. None where there is no switch in it, or
    the two do not belong together.
    """
    kinds, names = pattern.lower().split("."), address.split(".")
    if kinds[-1] != "node" or len(names) < len(kinds) or not all(names[: len(kinds)]):
        return None
    above = [name for kind, name in zip(kinds[:-1], names, strict=False) if kind in ("switch", "block")]
    return above[-1] if above else None


def _clear_shorts(names: Iterable[str]) -> dict[str, str]:
    """Names by what stands before their first dot, where it is that of one alone and not of a numerical address."""
    often = Counter(map(_short, names := list(names)))
    return {_short(name): name for name in names if often[_short(name)] == 1 and not _short(name).isdigit()}


def _short(name: str) -> str:
    return name.partition(".")[0]


def grouping_of(results: Results, topology: Path | None = None) -> Grouping | None:
    """Groups that are known; None: they are to be found in the times.

    Raises UserMistake where the file cannot be used, or has none of the hosts.
    """
    if topology is None:
        return _told_by_slurm(results.ranks)
    if not results.ranks.host_index.any():
        raise UserMistake(f"--topology {topology}: says which hosts share a switch; {results.path} is of one host only")
    groups, names = groups_and_names(read_topology(topology), results.ranks)
    if not names:
        raise UserMistake(
            f"--topology {topology}: names none of the hosts of {results.path}, such as {results.ranks.host[0]}"
        )
    return Grouping(groups, names)


def _told_by_slurm(ranks: Ranks) -> Grouping | None:
    """By the leaf switch of each host; one switch alone tells nothing apart."""
    groups = np.full(int(ranks.host_index.max()) + 1, -1, np.int64)
    numbers: dict[str, int] = {}
    for host, address, pattern in zip(ranks.host_index, ranks.topology_address, ranks.topology_pattern, strict=True):
        leaf = leaf_of_address(address, pattern)
        if leaf is not None and groups[host] < 0:
            groups[host] = numbers.setdefault(leaf, len(numbers))
    return Grouping(groups, tuple(numbers), TOLD_BY) if len(numbers) > 1 else None
