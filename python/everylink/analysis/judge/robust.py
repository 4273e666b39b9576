"""Robust statistics of matrices with gaps: medians by row, spread, and how many findings chance would give."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]
Matrix = NDArray[np.float32]
NORMAL = 1.4826  # standard deviation / median absolute deviation of the normal distribution
LOWER_QUARTER = 0.9704  # between the 5 % and 25 % quantiles of the normal distribution, in standard deviations
MOST_VALUES = 2**21
UPPER_TENTH = 1.2816  # the 90 % quantile of the normal distribution, in standard deviations
USUAL_SPREAD, USUAL_WORTH = 0.05, 8  # log of times between runs of one link; as many readings as it is worth
LOW, LOW_ERROR = 0.34, 1.3  # the quantile of a host's links that is its own, and its standard error / that of a mean
MEDIAN_ERROR = 1.2533  # standard error of a median / that of a mean, normal distribution: sqrt(pi / 2)


def row_medians(matrix: Matrix) -> tuple[Values, NDArray[np.intp]]:
    """The median of each row's known values, NaN where there is none, and how many are known."""
    ordered = np.sort(matrix, axis=1)  # NaN sorts behind every number
    known = np.isfinite(matrix).sum(axis=1)
    rows = np.arange(len(matrix))
    low = ordered[rows, np.maximum(known - 1, 0) // 2]
    high = ordered[rows, np.minimum(known // 2, np.maximum(known - 1, 0))]
    return np.where(known > 0, (low.astype(float) + high) / 2, np.nan), known


def low_place(known: NDArray[np.integer]) -> NDArray[np.intp]:
    """Which of so many ordered values is their low quantile; the first of none.

    A link is as slow as its slower end: of a host's links a third may be better than it is, and none of them worse for
    its partners' faults.
    """
    return np.asarray(np.maximum(known - 1, 0) * LOW).astype(np.intp)


def both_ways(there: Matrix, back: Matrix) -> Matrix:
    """The mean of both directions of each link, or the one that is known."""
    both = np.isfinite(there) & np.isfinite(back)
    return np.where(both, (there + back) / 2, np.fmax(there, back))


def known_sample(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """The known values; of very many a part that is spread over all of them, because a median needs no more."""
    flat = values.ravel()
    if len(flat) > MOST_VALUES:
        flat = flat[:: len(flat) // MOST_VALUES | 1]  # odd, so that it takes other columns in each row
    return np.asarray(flat[np.isfinite(flat)])


def spread(values: NDArray[np.floating]) -> float:
    """The standard deviation by the median absolute deviation (Hampel 1974); 0 of less than two known values."""
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    return float(NORMAL * np.median(np.abs(known - np.median(known))))


def healthy_spread(values: NDArray[np.floating]) -> float:
    """The standard deviation of values of which up to half are too large: by their lower quarter where that is smaller.

    Faults lengthen times and shorten none, so what lies low is healthy.
    """
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    low, quarter = np.quantile(known, [0.05, 0.25])
    return min(spread(known), float(quarter - low) / LOWER_QUARTER)


def wide_spread(values: NDArray[np.floating]) -> float:
    """The standard deviation by what lies high, but for its highest tenth, where that is larger than by the middle."""
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    middle, high = np.quantile(known, [0.5, 0.9])
    return max(spread(known), float(high - middle) / UPPER_TENTH)


def moderated(spread_seen: float, readings: int) -> float:
    """A spread that few readings cannot make too small: shrunk towards one that is usual (Smyth 2004, moderated t)."""
    return float(np.sqrt((spread_seen**2 * readings + USUAL_SPREAD**2 * USUAL_WORTH) / (readings + USUAL_WORTH)))


def discoveries(z: Values, rate: float) -> NDArray[np.bool_]:
    """Which of these one-sided normal scores are findings, of which a part `rate` at most is expected to be false.

    Benjamini and Hochberg (1995). NaN is no finding.
    """
    p = np.where(np.isfinite(z), stats.norm.sf(z), 1.0)
    order = np.argsort(p)
    passed = p[order] <= rate * np.arange(1, len(p) + 1) / len(p)
    found = np.zeros(len(p), bool)
    if passed.any():
        found[order[: np.flatnonzero(passed)[-1] + 1]] = True
    return found
