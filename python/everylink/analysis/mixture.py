"""Quantiles of latencies that are known only flow by flow, each by a few numbers: those of the mixture of all."""

import numpy as np
from numpy.typing import NDArray

from everylink.loads import Flows

LEAST_FOR_P99 = 100  # readings
HALVINGS = 44  # of the interval in which a quantile lies
Values = NDArray[np.float64]


def pooled_mean(flows: Flows, rows: NDArray[np.intp]) -> float:
    """Of these flows, weighted by their readings; NaN without any."""
    rows = _timed(flows, rows)
    weight = flows.n[rows].astype(np.float64)
    return float(np.average(flows.mean[rows], weights=weight)) if len(rows) else float("nan")


def pooled_quantile(flows: Flows, rows: NDArray[np.intp], part: float) -> float:
    """Of the readings of these flows together; NaN without any, or of too few for a p99.

    Each flow's distribution function is taken as straight lines from 0 at its min over 1/2 at its median and, where
    it is known, 0.99 at its p99 to 1 at its max.
    """
    rows = _timed(flows, rows)
    weight = flows.n[rows].astype(np.float64)
    if not len(rows) or (part > 0.5 and weight.sum() < LEAST_FOR_P99):
        return float("nan")
    low, middle, p99, high = (np.asarray(c[rows], np.float64) for c in (flows.min, flows.median, flows.p99, flows.max))
    unknown = ~np.isfinite(p99)
    p99 = np.where(unknown, middle + 0.98 * (high - middle), p99)  # on the line from the median to the max
    knots = np.maximum.accumulate([low, middle, p99, high], axis=0)
    begin, end = float(knots[0].min()), float(knots[3].max())
    for _ in range(HALVINGS):
        at = (begin + end) / 2
        if np.average(_part_below(knots, at), weights=weight) < part:
            begin = at
        else:
            end = at
    return end


def _timed(flows: Flows, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    known = np.isfinite(flows.mean[rows] + flows.min[rows] + flows.median[rows] + flows.max[rows])
    return np.asarray(rows[known & (flows.n[rows] > 0) & flows.ok[rows]])


def _part_below(knots: Values, at: float) -> Values:
    """What part of the readings of each flow is at most so long."""
    below = np.zeros(knots.shape[1])
    for first, last, part in zip(knots, knots[1:], (0.5, 0.49, 0.01), strict=False):
        width = last - first
        inside = np.divide(at - first, width, out=np.asarray(at >= last, np.float64), where=width > 0)
        below += part * np.clip(inside, 0, 1)
    return below
