"""The number of links that a run planned to measure."""

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Results


def links_planned(results: Results) -> int | None:
    """The number of links of the run's schedule; None if the file does not tell it, or the whole plan was measured."""
    if results.facts.complete or not len(results.ranks):
        return None
    ranks = len(results.ranks)
    name, _, option = results.facts.schedule.partition(":")
    match name:
        case "all":
            return ranks * (ranks - 1)
        case "bisection":
            return 2 * (ranks // 2) * (ranks - ranks // 2)
        case "sample" if option.isdecimal():
            return int(option) * 2 * (ranks // 2)
        case "screen" if option.isdecimal():
            return min(int(option), ranks - 1 + ranks % 2) * 2 * (ranks // 2)
        case "inter-host":
            return ranks * (ranks - 1) - _pairs_of_equals(results.ranks.host_index)
        case "rail":
            return _pairs_of_equals(results.ranks.local_rank)
    return None


def _pairs_of_equals(values: NDArray[np.uint32]) -> int:
    """The number of ordered pairs of different ranks that have the same value."""
    counts = np.bincount(values.astype(np.int64))
    return int((counts * (counts - 1)).sum())
