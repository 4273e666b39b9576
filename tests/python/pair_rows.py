"""Runs in which pairs of ranks take given times, and their rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.io.foreign import bare_facts, bare_ranks, bare_steps, counted_hosts
from everylink.model.results import Results, Size
from everylink.model.rows import Outcome, Rows, joined

Index = NDArray[np.int64]


def rows_of_pairs(
    pairs: Index, times: NDArray[np.float64], step: Index | int, attempt: int, noise: float, random: np.random.Generator
) -> Rows:
    """Both links of each pair, first all from the first ranks; `noise`: standard deviation of the log of the time.

    `step`: of each pair, or of all.
    """
    frm, to = np.concatenate([pairs, pairs[:, ::-1]]).T
    seconds = (np.tile(times, 2) * np.exp(noise * random.standard_normal(2 * len(pairs)))).astype(np.float32)
    count = len(seconds)
    return Rows(
        frm=frm.astype(np.uint32), to=to.astype(np.uint32),
        step=np.tile(np.broadcast_to(step, len(pairs)), 2).astype(np.uint32),
        attempt=np.full(count, attempt, np.uint8), outcome=np.full(count, Outcome.OK, np.uint8),
        arrived=np.full(count, 100, np.int32), setup=np.full(count, 1e-4, np.float32),
        n=np.full(count, 100, np.uint32), min=seconds, median=seconds, mean=seconds, p99=seconds, max=seconds,
        late=np.zeros(count, np.uint32), all_to_all=np.full(count, np.nan, np.float32),
    )  # fmt: skip


def run_of(host_of: Index, steps: int, rows: Mapping[int, Sequence[Rows]]) -> Results:
    """A run of round trips of ranks on the hosts n0, n1, ... `host_of` [ranks]; `rows`: by bytes of the messages."""
    ranks = len(host_of)
    facts = bare_facts("semidirectional", ranks=ranks, hosts=int(host_of.max()) + 1, messages=100)
    sizes = tuple(Size(size, 1, ranks, joined(list(parts))) for size, parts in rows.items())
    made = bare_ranks(*counted_hosts([f"n{host}" for host in host_of.tolist()]))
    return Results(Path("run.h5"), facts, made, bare_steps(steps), sizes)
