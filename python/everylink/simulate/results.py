"""A made-up cluster measured once, as a results file would hold it."""

import math
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from everylink import __version__
from everylink.results import Facts, Ranks, Results, Size, Steps
from everylink.simulate.fabric import Fabric, Index, host_names


def measured(
    fabric: Fabric, links: tuple[Index, Index], sizes: list[int], path: Path, command: str, schedule: str = "all"
) -> Results:
    """Results of one run over these links; `links` are the ranks from and to, shape [links] each."""
    rows = [fabric.measure(*links, size) for size in sizes]
    largest = [Size(size, 1, fabric.ranks, made) for size, made in zip(sizes, rows, strict=True)]
    steps = Steps(
        np.zeros(1, np.uint32), np.zeros(1, np.uint64), np.zeros(1), np.ones(1, np.float32), np.zeros(1, np.uint32)
    )
    return Results(
        path, facts(fabric, command, schedule), ranks(fabric), steps, tuple(sorted(largest, key=lambda s: s.bytes))
    )


def facts(fabric: Fabric, command: str, schedule: str) -> Facts:
    """What a run over this fabric would have been."""
    return Facts(
        created=datetime.fromtimestamp(_now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        tool_version=__version__,
        command=command,
        transport="simulate",
        transport_options="",
        bootstrap="local",
        memory="host",
        kernel="semidirectional" if fabric.both_directions else "unidirectional",
        schedule=schedule,
        serial=False,
        seed=fabric.seed,
        ranks=fabric.ranks,
        hosts=fabric.hosts,
        messages=fabric.messages,
        warmups=0,
        window=0 if fabric.both_directions else 1,
        buffers=1,
        check=False,
        randomize=0,
        min_iterations=1,
        min_runtime=0.0,
        time_limit=0.0,
        num_slowest=0,
        all_to_all=False,
        pinned=False,
        complete=True,
    )


def ranks(fabric: Fabric) -> Ranks:
    index = np.arange(fabric.ranks, dtype=np.int64)
    hosts, names = fabric.host_of(index), host_names(fabric.hosts)
    empty = ("",) * fabric.ranks
    return Ranks(
        tuple(names[int(host)] for host in hosts), hosts.astype(np.uint32),
        (index % fabric.ranks_per_host).astype(np.uint32), empty, np.full(fabric.ranks, -1, np.int32),
        empty, empty, empty, empty, np.full(fabric.ranks, -1, np.int32),
    )  # fmt: skip


def topology(fabric: Fabric) -> str:
    """The groups as Slurm's topology.conf says it."""
    lines = []
    for group in range(fabric.groups):
        first = group * fabric.group_size
        last = min(first + fabric.group_size, fabric.hosts) - 1
        lines.append(
            f"SwitchName=g{group} Nodes=n[{first}-{last}]" if last > first else f"SwitchName=g{group} Nodes=n{first}"
        )
    if fabric.groups > 1:
        lines.append(f"SwitchName=top Switches=g[0-{fabric.groups - 1}]")
    return "\n".join(lines) + "\n"


def _now() -> float:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(epoch) if epoch.isdigit() else math.floor(datetime.now(UTC).timestamp())
