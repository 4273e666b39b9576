"""Results of measuring a simulated cluster, optionally with re-measured suspects, and its topology file."""

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import numpy as np

from everylink.files import atomic_write
from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.io.read import read
from everylink.io.results_file import IN_MEMORY, append_rows, write_results
from everylink.io.stored import StoredRows
from everylink.judge.confirm import ROUNDS, plan_to_confirm
from everylink.model.groups import Grouping
from everylink.model.plan import Plan
from everylink.model.results import Facts, Ranks, Results, Size, Steps
from everylink.model.rows import BLOCK, Rows
from everylink.simulate.fabric import Fabric, Index, host_names
from everylink.units import utc_text


def measured(
    fabric: Fabric, links: tuple[Index, Index], sizes: list[int], path: Path, command: str, schedule: str = "all"
) -> Results:
    """Results of one run over `links`: ranks from and to, shape [links] each."""
    rows = [fabric.measure(*links, size) for size in sizes]
    largest = [Size(size, 1, fabric.ranks, made) for size, made in zip(sizes, rows, strict=True)]
    steps = replace(bare_steps(1), overlap=np.ones(1, np.float32))
    return Results(
        path, facts(fabric, command, schedule), ranks(fabric), steps, tuple(sorted(largest, key=lambda s: s.bytes))
    )


def facts(fabric: Fabric, command: str, schedule: str) -> Facts:
    """The facts of a run over this fabric."""
    return bare_facts(
        "semidirectional" if fabric.both_directions else "unidirectional",
        created=utc_text(_now()),
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
    """The groups in the form of Slurm's topology.conf."""
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


class Measurable(Protocol):
    """A cluster that answers a plan: `turn` counts the plans."""

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        """The rows of the plan's pairs, and of those that filled up, at one message size; steps from 0.

        Row i is the same link, step and attempt in every size.
        """


def confirmed(cluster: Measurable, results: Results, grouping: Grouping | None = None) -> Results:
    """The results with the answers to the plans of `--confirm` appended, until no suspect is left."""
    for turn in range(ROUNDS):
        plan = plan_to_confirm(results, grouping)
        if not len(plan):
            break
        first = len(results.steps.began)
        sizes, count = [], 0
        for size in results.sizes:
            again = cluster.answer(plan, size.bytes, turn)
            count = int(again.step.max()) + 1
            again = replace(again, step=again.step + np.uint32(first))
            sizes.append(replace(size, rows=size.rows.with_more([again])))
        results = replace(results, steps=_more_steps(results.steps, count), sizes=tuple(sizes))
    return results


def _more_steps(steps: Steps, count: int) -> Steps:
    """With more steps, of which nothing is known but that their pairs ran at the same time."""
    more = replace(bare_steps(count), overlap=np.ones(count, np.float32))
    return Steps(
        *(np.concatenate([old, new]) for old, new in zip(vars(steps).values(), vars(more).values(), strict=True))
    )


def is_large(fabric: Fabric) -> bool:
    """Whether a fabric has more links than are held in memory."""
    return fabric.ranks * (fabric.ranks - 1) > IN_MEMORY


def write_large(fabric: Fabric, sizes: list[int], path: Path, command: str, confirm: bool, force: bool) -> None:
    """Write every link once, in blocks; with `confirm`, also re-measured suspects. Raises UserMistake."""
    none = np.zeros(0, np.int64)
    with atomic_write(path, force) as new:
        results = measured(fabric, (none, none), sizes, new, command)
        write_results(results, force=True, room=fabric.ranks * (fabric.ranks - 1))
        append_rows(new, {size: _blocks(fabric, size) for size in sizes})
        if confirm:
            again = confirmed(fabric, read(new))
            more = {s.bytes: [s.rows.added] for s in again.sizes if isinstance(s.rows, StoredRows)}
            append_rows(new, more, again.steps)


def _blocks(fabric: Fabric, size: int) -> Iterator[Rows]:
    """All links sorted by (from, to), in blocks. Each block has its own noise."""
    others = fabric.ranks - 1
    for draw, begin in enumerate(range(0, fabric.ranks * others, BLOCK)):
        link = np.arange(begin, min(begin + BLOCK, fabric.ranks * others))
        frm, to = np.divmod(link, others)
        yield fabric.measure(frm, to + (to >= frm), size, draw=draw)
