"""Runs from other programs, with unknown facts left empty; and what other formats cannot hold."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import UNKNOWN, UNKNOWN_COUNT, Facts, Ranks, Results, Steps
from everylink.model.rows import Rows
from everylink.units import plural
from everylink.version import VERSION

NOTHING_KNOWN = Facts(
    created="", tool_version=VERSION, command="", transport="", transport_options="", bootstrap="", memory="",
    kernel="", schedule="", serial=False, seed=0, ranks=0, hosts=0, messages=0, warmups=UNKNOWN_COUNT, window=0,
    buffers=0, check=False, randomize=0, min_iterations=1, min_runtime=0.0, time_limit=0.0, num_slowest=0,
    all_to_all=False, pinned=False, complete=True,
)  # fmt: skip


def bare_facts(kernel: str, **known: str | int) -> Facts:
    """The facts of a complete run with this kernel and the `known` facts, named as in Facts; all others unknown."""
    return replace(NOTHING_KNOWN, kernel=kernel, window=int(kernel == "unidirectional"), **known)  # type: ignore[arg-type]


def bare_ranks(host: Sequence[str], host_index: NDArray[np.integer], local_rank: NDArray[np.integer]) -> Ranks:
    """Ranks with known places and nothing else; each argument has one entry per rank."""
    empty, unknown = ("",) * len(host), np.full(len(host), -1, np.int32)
    return Ranks(
        host=tuple(host), host_index=host_index.astype(np.uint32), local_rank=local_rank.astype(np.uint32),
        cores=empty, numa=unknown, device=empty, address=empty, lanes=empty, libraries=empty, numa_distance=unknown,
        adapters=np.zeros_like(unknown),
        crowded=np.zeros(len(unknown), np.uint8),
        topology_address=empty, topology_pattern=empty,
        gpu=unknown, gpu_name=empty, gpu_pci=empty, gpu_uuid=empty, gpu_to_device=empty, gpu_path=empty,
    )  # fmt: skip


def counted_hosts(host: Sequence[str]) -> tuple[Sequence[str], NDArray[np.int64], NDArray[np.int64]]:
    """Host, host index and local rank of each rank, where hosts are distinguished only by name."""
    index: dict[str, int] = {}
    host_index = [index.setdefault(name, len(index)) for name in host]
    seen = [0] * len(index)
    local = []
    for number in host_index:
        local.append(seen[number])
        seen[number] += 1
    return host, np.array(host_index, np.int64), np.array(local, np.int64)


def bare_steps(count: int) -> Steps:
    """`count` steps without any facts."""
    none = np.zeros(count, np.uint32)
    return Steps(none, np.zeros(count, np.uint64), np.zeros(count), np.full(count, np.nan, np.float32), none)


def run_losses(results: Results) -> Iterator[str]:
    """Losses that concern the whole run."""
    facts, ranks = results.facts, results.ranks
    if facts.created or facts.transport != UNKNOWN:
        yield "the time, tool and settings of the measurement, the binding of ranks, and the facts of steps"
    yield f"the kernel, {facts.kernel}" + (
        "" if facts.kernel == UNKNOWN else f" (--kernel {facts.kernel} reads it back)"
    )
    if len(set(ranks.host)) <= ranks.host_index.max():
        yield "different hosts of the same name: they become one"
    if results.remarks:
        yield plural(len(set(results.remarks)), "remark")
    yield from inventory_losses(results)


def inventory_losses(results: Results) -> Iterator[str]:
    """A loss of each format that holds measurements only."""
    if len(results.inventory):
        yield "the inventory of the hosts"


def has_details(rows: Rows) -> bool:
    """Whether any row has a time of connecting or a number of messages that arrived."""
    return bool(np.isfinite(rows.setup).any() or (rows.arrived >= 0).any())
