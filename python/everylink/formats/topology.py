"""Which leaf switch each host hangs on: read from the file of --topology, whichever of the known formats it has."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.files import text_of
from everylink.formats import ibnetdiscover, slurm_topology
from everylink.formats.lines import Damaged, Line
from everylink.results import Ranks

LARGEST = 512 * 2**20  # bytes: 28,000 hosts with four adapters each take 40 MB
WOULD_WORK = "wanted is Slurm's topology.conf (SwitchName=s1 Nodes=n[1-4]) or what ibnetdiscover prints"
FOREIGN_IB = re.compile(r"(CA|SW|RT)\s+\d+\s+\d+\s+0x|(Ca|Switch|Router)\s*:")


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
    if any(ibnetdiscover.NODE.match(line.text) for line in said):
        by_nic = ibnetdiscover.leaves(said)
        first: dict[str, str] = {}
        for (host, _), leaf in by_nic.items():
            first.setdefault(host, leaf)
        return Topology(first, by_nic)
    if any(slurm_topology.KEY.search(line.text) for line in said):
        return Topology(slurm_topology.leaves(lines))
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
