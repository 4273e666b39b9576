"""The step in which each link was measured, if the file's steps determine it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.model.links import keys
from everylink.model.rows import MAIN, Rows


def links_in_steps(rows: Rows) -> bool:
    """Whether steps identify when a link was measured: no rank leads twice in one step."""
    main = rows.attempt == MAIN
    led = (rows.step[main].astype(np.int64) << 32) | rows.frm[main]
    return bool(len(led)) and len(np.unique(led)) == len(led)


def first_steps(rows: Rows, ranks: int, serial: bool) -> NDArray[np.int64] | None:
    """The first step of each link, counted from 1, in the order of the pooled links, shape [links]; None if unknown.

    For a serial run it is the step of the schedule, not the turn of the pair.
    """
    if not links_in_steps(rows):
        return None
    main = np.flatnonzero(rows.attempt == MAIN)
    _, first = np.unique(keys(rows, ranks)[main], return_index=True)
    step = _of_schedule(rows, main) if serial else rows.step[main]
    return step[first].astype(np.int64) + 1


def _of_schedule(rows: Rows, main: NDArray[np.intp]) -> NDArray[np.integer[Any]]:
    """The step of the schedule for runs in which each pair had its own step: a repeated rank begins the next step."""
    numbers, index = np.unique(rows.step[main], return_inverse=True)
    low, high = np.minimum(rows.frm[main], rows.to[main]), np.maximum(rows.frm[main], rows.to[main])
    first = np.full(len(numbers), -1)
    first[index[::-1]] = np.arange(len(main))[::-1]
    if ((low != low[first][index]) | (high != high[first][index])).any():
        return rows.step[main]
    busy: set[int] = set()
    step, found = 0, []
    for a, b in zip(low[first].tolist(), high[first].tolist(), strict=True):
        if a in busy or b in busy:
            step, busy = step + 1, set()
        busy |= {a, b}
        found.append(step)
    return np.array(found)[index]
