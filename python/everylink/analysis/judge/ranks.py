"""What single ranks add to the times of their host's links: a NIC of several, a rank on the wrong core."""

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.effects import LEAST_SPREAD, LOW, LOW_ERROR, Effects, Ends
from everylink.analysis.judge.readings import Readings
from everylink.analysis.judge.robust import Matrix, Values, healthy_spread

BLOCK = 1024  # ranks that are looked at together


def rank_ends(readings: Readings, effects: Effects) -> Ends:
    """Each rank against the better half of its host's ranks; 0 of ranks that are alone on their host.

    As with hosts, what lies low in a rank's links is its own.
    """
    ranks, host_of = readings.ranks, readings.host_of
    per_host = np.bincount(host_of, minlength=readings.hosts)
    if not (per_host > 1).any():
        return Ends(np.zeros(ranks), np.ones(ranks), np.zeros(ranks, np.intp))
    low, links = _low(readings, effects)
    typical = _lower_median_of_hosts(low, host_of, readings.hosts)
    effect = np.where(per_host[host_of] > 1, np.nan_to_num(low - typical[host_of]), 0.0)
    others = effect[(per_host[host_of] > 1) & (effect != 0)]
    spread = healthy_spread(others) if len(others) else 0.0
    error = np.sqrt(2 * (LOW_ERROR * effects.noise) ** 2 / np.maximum(links, 1) + spread**2 + LEAST_SPREAD**2)
    return Ends(effect, error, links)


def _low(readings: Readings, effects: Effects) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of what is left of each rank's links, both directions, and how many there are."""
    rest = readings.time - effects.expected[readings.host_of[readings.frm], readings.host_of[readings.to]]
    own, other = np.concatenate([readings.frm, readings.to]), np.concatenate([readings.to, readings.frm])
    rest = np.concatenate([rest, rest])
    low, links = np.full(readings.ranks, np.nan), np.zeros(readings.ranks, np.intp)
    for begin in range(0, readings.ranks, BLOCK):
        inside = (own >= begin) & (own < begin + BLOCK)
        rows = min(BLOCK, readings.ranks - begin)
        matrix = _best(own[inside] - begin, other[inside], rest[inside], rows, readings.ranks)
        known = np.isfinite(matrix).sum(axis=1)
        ordered = np.sort(matrix, axis=1)
        at = (np.maximum(known - 1, 0) * LOW).astype(np.intp)
        low[begin : begin + rows] = ordered[np.arange(rows), at]
        links[begin : begin + rows] = known
    return low, links


def _best(
    row: NDArray[np.int64], column: NDArray[np.int64], value: NDArray[np.float32], rows: int, columns: int
) -> Matrix:
    """The smallest value of each cell, NaN where there is none."""
    matrix = np.full(rows * columns, np.inf, np.float32)
    np.minimum.at(matrix, row * columns + column, value)
    return np.where(np.isfinite(matrix), matrix, np.float32(np.nan)).reshape(rows, columns)


def _lower_median_of_hosts(low: Values, host_of: NDArray[np.int64], hosts: int) -> Values:
    order = np.lexsort((low, host_of))  # NaN sorts behind every number
    known = np.bincount(host_of[np.isfinite(low)], minlength=hosts)
    starts = np.concatenate([[0], np.cumsum(np.bincount(host_of, minlength=hosts))[:-1]])
    return np.where(known > 0, low[order][starts + np.maximum(known - 1, 0) // 2], np.nan)
