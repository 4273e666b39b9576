"""What ibnetdiscover (infiniband-diags) prints, without options or with -g: which switch each channel adapter hangs on.

Form: its manual page, "topology file format". A node is a line of kind, ports and quoted GUID with its description
behind #, then a line for each connected port: [port](port GUID) "peer"[peer's port]. Kinds: Switch, Ca, Rt.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from everylink.formats.lines import Damaged, Line, quoted

NODE = re.compile(r'^(Switch|Ca|Rt)\s+\d+\s+"[SHR]-')
HEAD = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d+)\s+"([SHR]-[0-9a-fA-Fx]+)"\s*#\s*"(.*)"(?=$| \(scp\)| (?:base|enhanced) port)'
)
PORT = re.compile(r'^\[(\d+)\](?:\[ext \d+\])?(?:\([0-9a-fA-Fx]*\))?\s*"([SHR]-[0-9a-fA-Fx]+)"\[\d+\]')
OTHER = re.compile(
    r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Chassis \d|Non-Chassis Nodes|Hostname:|ibwarn|ibpanic|src/"
)
# "n17 HCA-1", "n17 mlx5_0", "n17 hfi1_0": what the driver makes of host and device; a single word may be a host too.
# Of anything else ("MT4115 ConnectX4 Mellanox Technologies") nobody knows which host it is in.
DESCRIPTION = re.compile(r"(?P<host>\S+)(?:\s+(?P<nic>[A-Za-z]\w*?[_-]\d+|ibp\w+|rocep\w+)(?:\s+\(.*\))?)?")
MANAGED = re.compile(r"MF0;([^:;]+):[^/]*(?:/U1$)?")  # "MF0;leaf1:MQM8700/U1", of a chassis "MF0;core:CS7500/L07/U1"


@dataclass
class _Node:
    line: int
    kind: str
    guid: str
    description: str
    ports: dict[int, str] = field(default_factory=dict)  # the peer's GUID


def leaves(lines: Sequence[Line]) -> dict[tuple[str, str], str]:
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
        if NODE.match(text):
            head = HEAD.match(text)
            if head is None:
                raise Damaged(number, f"{quoted(text)} is cut or damaged")
            last = _Node(number, head[1], _guid(head[3]), head[4].strip())
            if last.guid in nodes:
                raise Damaged(number, f"has node {quoted(last.guid)} a second time (line {nodes[last.guid].line})")
            nodes[last.guid] = last
        elif port := PORT.match(text):
            if last is None:
                raise Damaged(number, "has a port, but no switch or adapter stands before it")
            last.ports[int(port[1])] = _guid(port[2])
            peers.setdefault(_guid(port[2]), number)
        elif not OTHER.match(text):
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
