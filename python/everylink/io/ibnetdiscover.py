"""The ports of channel adapters and the switches that they hang on, from the output of ibnetdiscover.

ibnetdiscover (infiniband-diags) runs without options or with -g. Its manual page describes the output under "topology
file format": a node has a line with its kind (Switch, Ca, Rt), ports, quoted GUID and, after #, its description, then
a line per connected port: [port](port GUID) "peer"[peer's port].
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from everylink.files import Damaged, Line, quoted
from everylink.model.inventory import Inventory

INFINIBAND_NODE = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"[SHR]-')
INFINIBAND_HEAD = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR]-[0-9a-fA-Fx]+)"\s*#\s*"(.*)"(?=$| \(scp\)| (?:base|enhanced) port)'
)
INFINIBAND_PORT = re.compile(
    r'^\[(\d{1,4})\](?:\[ext \d+\])?(?:\(([0-9a-fA-Fx]*)\))?\s*"([SHR]-[0-9a-fA-Fx]+)"\[(\d{1,4})\]'
)
INFINIBAND_OTHER = re.compile(
    r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Chassis \d|Non-Chassis Nodes|Hostname:|ibwarn|ibpanic|src/"
)
# Drivers describe an adapter by host and device: "n17 HCA-1", "n17 mlx5_0", "n17 hfi1_0"; a single word may be a host.
# Anything else, such as "MT4115 ConnectX4 Mellanox Technologies", does not identify the host.
DESCRIPTION = re.compile(r"(?P<host>\S+)(?:\s+(?P<nic>[A-Za-z]\w*?[_-]\d+|ibp\w+|rocep\w+)(?:\s+\(.*\))?)?")
MANAGED = re.compile(r"MF0;([^:;]+):[^/]*(?:/U1$)?")  # "MF0;leaf1:MQM8700/U1", of a chassis "MF0;core:CS7500/L07/U1"
HEXADECIMAL = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class AdapterPort:
    """A port of a channel adapter, and the switch and port at the other end of its cable.

    GUIDs have 16 digits, empty where not told. `host` and `nic` are what the adapter's description says, if it says it
    of no other one: `n17`, `mlx5_0`.
    """

    node_guid: str
    port: int
    port_guid: str
    host: str
    nic: str
    switch: str
    switch_port: int


@dataclass(frozen=True)
class _Port:
    guid: str
    peer: str  # the GUID of its node
    peer_port: int


@dataclass
class _Node:
    line: int
    kind: str
    guid: str
    description: str
    ports: dict[int, _Port] = field(default_factory=dict)


def adapter_ports(lines: Sequence[Line]) -> list[AdapterPort]:
    """All ports on switches, in the order of the adapters' descriptions. Raises Damaged."""
    nodes = _nodes(lines)
    names = _switch_names(nodes)
    adapters = [node for node in nodes.values() if node.kind == "Ca"]
    often = Counter(node.description for node in adapters)
    found = []
    for node in sorted(adapters, key=lambda node: _natural(node.description)):
        match = DESCRIPTION.fullmatch(node.description)
        if match is None or often[node.description] > 1:  # "localhost mlx5_0" of many hosts
            host, nic = "", ""
        else:
            host, nic = match["host"], match["nic"] or ""
        for number, port in sorted(node.ports.items()):
            if port.peer in names:
                guid = digits_of(node.guid.partition("-")[2]), digits_of(port.guid)
                switch = names[port.peer], port.peer_port
                found.append(AdapterPort(guid[0], number, guid[1], host, nic, *switch))
    return found


def leaves(ports: Sequence[AdapterPort]) -> dict[tuple[str, str], str]:
    """The switch of each (host, adapter) that is named, in the order of the ports; see Topology.leaf_of_nic."""
    found: dict[tuple[str, str], str] = {}
    first: dict[str, int] = {}
    for port in ports:
        if port.host:
            is_first = first.setdefault(port.node_guid, port.port) == port.port
            found[port.host, port.nic + ("" if is_first else f":{port.port}")] = port.switch
    return found


def places(
    ports: Sequence[AdapterPort], inventory: Inventory, host_of: Mapping[str, int]
) -> dict[tuple[int, str], AdapterPort]:
    """The host index and part, `ib/mlx5_0/1`, of each port: by its GUID, by its adapter's, or by the names.

    `host_of`: the index of each host by its name in the file. A GUID that two parts have tells neither.
    """
    by_port, by_node = _owners(inventory, "gid"), _owners(inventory, "node_guid")
    found: dict[tuple[int, str], AdapterPort] = {}
    for port in ports:
        if place := by_port.get(port.port_guid):
            found.setdefault(place, port)
        elif adapter := by_node.get(port.node_guid):
            found.setdefault((adapter[0], f"{adapter[1]}/{port.port}"), port)
        elif port.nic and port.host in host_of:
            found.setdefault((host_of[port.host], f"ib/{port.nic}/{port.port}"), port)
    return found


def _owners(inventory: Inventory, name: str) -> dict[str, tuple[int, str]]:
    """The host and part that has each GUID."""
    table, row = inventory.latest, inventory.row(name)
    found: dict[str, set[tuple[int, str]]] = {}
    for part in np.unique(table.part[table.name == row]).tolist():
        text = inventory.texts[part]
        for host, value in zip(*map(np.ndarray.tolist, table.column(part, row)), strict=True):
            for guid in map(digits_of, inventory.texts[value].split(",")):
                found.setdefault(guid, set()).add((host, text))
    return {guid: next(iter(owners)) for guid, owners in found.items() if guid and len(owners) == 1}


def digits_of(guid: str) -> str:
    """The last 64 bits of a GUID or GID as 16 digits: of `0x2c90300000012` as of `fe80::2:c903:0:12`; else empty."""
    text = guid.strip().lower().removeprefix("0x")
    digits = "".join(piece.zfill(4) for piece in text.split(":")[-4:]) if ":" in text else text.zfill(16)
    return digits if HEXADECIMAL.fullmatch(digits) and digits.strip("0") else ""


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
            last.ports[int(port[1])] = _Port(port[2] or "", _guid(port[3]), int(port[4]))
            peers.setdefault(_guid(port[3]), number)
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
