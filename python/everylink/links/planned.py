"""The number of links that a run planned to measure."""

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Ranks, Results


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
        case "inter-host":
            return ranks * (ranks - 1) - _pairs_of_equals(results.ranks.host_index)
        case "rail":
            return _pairs_of_equals(_places(results.ranks))
    return None


def _places(ranks: Ranks) -> NDArray[np.int64]:
    """The place of each rank among those of its host."""
    host = ranks.host_index.astype(np.int64)
    order = np.argsort(host, kind="stable")
    sizes = np.bincount(host)
    places = np.empty(len(host), np.int64)
    places[order] = np.arange(len(host)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places


def _pairs_of_equals(values: NDArray[np.int64] | NDArray[np.uint32]) -> int:
    """The number of ordered pairs of different ranks that have the same value."""
    counts = np.bincount(values.astype(np.int64))
    return int((counts * (counts - 1)).sum())
