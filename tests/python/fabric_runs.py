"""Simulated runs with planted faults, for the tests of judging and comparing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Ranks, Results, Size
from everylink.model.rows import RETEST, Rows, joined
from everylink.simulate.fabric import Fabric, all_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import measured

SIZE = 1 << 20


def fabric_run(
    *faults: str, hosts: int = 16, seed: int = 1, sizes: tuple[int, ...] = (SIZE,), retested: int = 0, **options: float
) -> Results:
    """A run over all links of a fabric; `retested`: how many of the slowest links were measured a second time."""
    fabric = Fabric(hosts, faults=tuple(map(parse_fault, faults)), seed=seed, **options)  # type: ignore[arg-type]
    run = measured(fabric, all_links(fabric.ranks), list(sizes), Path(f"run-{seed}.h5"), "simulated")
    if not retested:
        return run
    slowest = np.argsort(-np.nan_to_num(run.sizes[-1].rows.mean))[:retested]
    frm, to = (column[slowest].astype(np.int64) for column in (run.sizes[-1].rows.frm, run.sizes[-1].rows.to))
    again = [joined([size.rows, fabric.measure(frm, to, size.bytes, RETEST, 1)]) for size in run.sizes]
    sizes_again = (Size(s.bytes, 1, fabric.ranks, rows) for s, rows in zip(run.sizes, again, strict=True))
    return replace(run, sizes=tuple(sizes_again))


def renumbered(run: Results, seed: int) -> Results:
    """The same run with its ranks renumbered, as by another job."""
    order = np.random.default_rng(seed).permutation(len(run.ranks))  # rank r was order[r]
    number = np.argsort(order)
    sizes = tuple(replace(size, rows=_renumbered(size.rows, number)) for size in run.sizes)
    return replace(run, ranks=_reordered(run.ranks, order), sizes=sizes)


def _renumbered(rows: Rows, number: NDArray[np.int64]) -> Rows:
    return replace(rows, frm=number[rows.frm].astype(np.uint32), to=number[rows.to].astype(np.uint32))


def _reordered(ranks: Ranks, order: NDArray[np.int64]) -> Ranks:
    host = tuple(ranks.host[rank] for rank in order)
    index: dict[str, int] = {}
    host_index = np.array([index.setdefault(name, len(index)) for name in host], np.uint32)
    return replace(ranks, host=host, host_index=host_index, local_rank=ranks.local_rank[order])
