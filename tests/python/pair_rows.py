"""Rows of runs in which pairs of ranks take given times."""

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import Outcome, Rows

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
