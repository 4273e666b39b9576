"""A made-up cluster measured once, as a results file would hold it."""

import math
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from everylink.formats.bare import bare_facts, bare_ranks
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
    return bare_facts(
        "semidirectional" if fabric.both_directions else "unidirectional",
        created=datetime.fromtimestamp(_now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=command,
        transport="simulate",
        bootstrap="local",
        memory="host",
        schedule=schedule,
        seed=fabric.seed,
        ranks=fabric.ranks,
        hosts=fabric.hosts,
        messages=fabric.messages,
        buffers=1,
    )


def ranks(fabric: Fabric) -> Ranks:
    index = np.arange(fabric.ranks, dtype=np.int64)
    hosts, names = fabric.host_of(index), host_names(fabric.hosts)
    return bare_ranks([names[int(host)] for host in hosts], hosts, index % fabric.ranks_per_host)


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
