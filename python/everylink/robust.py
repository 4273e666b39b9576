"""Robust statistics: medians by row, spread, how many findings chance would give, and a sample of many hosts.

A median over two thousand hosts is as good as one over all, so of more than MOST_WHOLE a part speaks for them."""

import math

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
MOST_WHOLE = 4096  # hosts; of more, a part is looked at
SAMPLED = 2048
LANDMARKS, MOST_PLACED = 128, 1024  # hosts; of sixteen groups each has two landmarks or more in 95 of 100 draws
ALL_LANDMARKS = 160  # hosts, up to which the few others are not worth placing
SEED = 28000  # any, but always the same: the same file, the same verdicts
Index = NDArray[np.int64]
FALSE_RATE = 0.001  # of what is called a change
EFFICIENCY = 0.37  # of the median absolute deviation, against the standard deviation: Hampel et al. (1986)
LIKELY_Z = 3.5  # standard deviations, from which a single reading is long
USUAL_READINGS = 500  # of which one is disturbed, before anything was measured


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


def is_whole(hosts: int) -> bool:
    """Whether so many hosts are all looked at."""
    return hosts <= MOST_WHOLE


def sampled(hosts: int) -> Index:
    """Numbers of hosts in order: all of them, or so many by chance."""
    if is_whole(hosts):
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, SAMPLED, replace=False))


def landmarks(hosts: int) -> Index:
    """Numbers in order of the hosts that --confirm measures with each other where too few links are known.

    None where hosts are so many that to place the others would take too long.
    """
    if hosts > MOST_PLACED:
        return np.zeros(0, np.int64)
    if hosts <= ALL_LANDMARKS:
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, LANDMARKS, replace=False))


def tempered_spread(values: NDArray[np.floating]) -> float:
    """The spread of values, drawn towards what is usual where there are few of them."""
    return moderated(spread(values), int(np.isfinite(values).sum()))


def sure(z: Values, count: int) -> Values:
    """The score that is as improbable as this one, given that its spread was estimated from `count` values only."""
    freedom = USUAL_WORTH + EFFICIENCY * count
    return np.asarray(stats.norm.isf(np.maximum(stats.t.sf(np.maximum(z, 0.0), freedom), 1e-300)))


def most_of(count: NDArray[np.integer]) -> NDArray[np.integer]:
    """How many of so many readings must be long."""
    return np.asarray(count - (count - 1) // 4)


def score_of_chance(count: NDArray[np.integer], long_alone: int, readings: int) -> Values:
    """The score of most of `count` readings being long by chance.

    A single reading may be disturbed and read long. How often that happens is estimated from those that are long while
    most others of the same links are not: `long_alone` of all `readings`.
    """
    rate = (long_alone + 1) / (readings + USUAL_READINGS)
    return np.asarray(stats.norm.isf(np.maximum(stats.binom.sf(most_of(count) - 1, count, rate), 1e-300)))


def confidence(z: float) -> float:
    """The probability that this is not chance alone."""
    return float(stats.norm.cdf(z))


def level_score(level: float, rest: NDArray[np.floating], hosts: int) -> float:
    """The score of what all links of a class have in common, whichever way; 0 where it may be chance.

    `rest` is what it leaves unexplained. Links of one host are not independent, so it counts hosts.
    """
    known = rest[np.isfinite(rest)]
    error = MEDIAN_ERROR * tempered_spread(known) / math.sqrt(max(hosts, 1))
    z = float(sure(np.array([abs(level) / error]), len(known))[0])
    return z if stats.norm.sf(z) < FALSE_RATE else 0.0
