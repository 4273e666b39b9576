"""Robust statistics: row medians, spreads, false discovery rates, and sampling of hosts.

Runs with more than MOST_WHOLE hosts are sampled: a median over two thousand hosts is as good as one over all."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, normal_quantile, normal_tail, student_tail

Values = NDArray[np.float64]
Matrix = NDArray[np.float32]
NORMAL = 1.4826  # standard deviation / median absolute deviation of the normal distribution
LOWER_QUARTER = 0.9704  # between the 5 % and 25 % quantiles of the normal distribution, in standard deviations
MOST_VALUES = 2**19
BLOCK_VALUES = 2**20  # of a matrix that are looked at together, so that copies of them stay in the cache
FEW_KNOWN = 0.25  # part of the values of a row
UPPER_TENTH = 1.2816  # the 90 % quantile of the normal distribution, in standard deviations
FEWEST_FOR_UPPER = 5  # of fewer values a third is no slow host
UPPER_THIRD = 0.3853  # the 65 % quantile, likewise
USUAL_SPREAD, USUAL_WORTH = 0.05, 8  # prior: spread of log(time) of a link between runs, and its weight in readings
LOW, LOW_ERROR = 0.34, 1.3  # quantile of a host's links that describes the host; its standard error / that of a mean
MEDIAN_ERROR = 1.2533  # standard error of a median / that of a mean, normal distribution: sqrt(pi / 2)
MOST_WHOLE = 4096  # hosts; larger runs are sampled
SAMPLED = 2048
LANDMARKS, MOST_PLACED = 128, 1024  # hosts; with 16 groups, each has at least two landmarks in 95 % of draws
ALL_LANDMARKS = 160  # in runs of up to this many hosts, every host is a landmark
SEED = 28000  # arbitrary but fixed: the same file gives the same verdicts
Index = NDArray[np.int64]
FALSE_RATE = 0.001  # of reported changes
EFFICIENCY = 0.37  # of the median absolute deviation relative to the standard deviation: Hampel et al. (1986)
LIKELY_Z = 3.5  # standard deviations above which a single reading counts as long
USUAL_READINGS = 500  # prior: one reading in this many is disturbed


def row_medians(matrix: Matrix) -> tuple[Values, NDArray[np.intp]]:
    """The median of the known (finite) values of each row and their number, shape [rows] each.

    The median is NaN if a row has no known value.
    """
    known = known_in_rows(matrix)
    last = np.maximum(known - 1, 0)
    low, high = in_order(matrix, np.stack([last // 2, np.minimum(known // 2, last)]), known)
    return np.where(known > 0, (low.astype(float) + high) / 2, np.nan), known


def medians_of(values: Values, of: Index) -> tuple[Index, Values]:
    """The distinct numbers in `of`, ascending, and the median of the values of each; values are finite."""
    order = np.lexsort((values, of))
    numbers, begins, count = np.unique(of[order], return_index=True, return_counts=True)
    ordered = values[order]
    return numbers, (ordered[begins + (count - 1) // 2] + ordered[begins + count // 2]) / 2


def sorted_within(place: NDArray[np.integer], values: NDArray[np.floating]) -> Matrix:
    """The values of one place after the other, ascending, in single precision; places are not negative.

    Sorts numbers of 64 bits, many times as fast as np.lexsort: the place and, below it, the bits of the value, of which
    those of negative numbers are turned around.
    """
    bits = np.asarray(values, np.float32).view(np.uint32)
    sign = np.uint32(1 << 31)
    ascending = np.where(bits & sign, ~bits, bits | sign)
    both = np.sort(place.astype(np.uint64) << np.uint64(32) | ascending)
    bits = both.astype(np.uint32)
    return np.where(bits & sign, bits & ~sign, ~bits).view(np.float32)


def known_in_rows(matrix: NDArray[np.floating]) -> NDArray[np.intp]:
    """The number of known (finite) values of each row, [rows]."""
    return np.asarray(np.count_nonzero(np.isfinite(matrix), axis=1), np.intp)


def in_order(matrix: NDArray[np.floating], at: NDArray[np.intp], known: NDArray[np.intp]) -> NDArray[np.floating]:
    """The values that would be at some places of each row if its known values were in order; shape of `at`.

    `at` [places, rows]: the places, below the number of columns; `known` [rows]: the number of known values.
    """
    found = np.empty(at.shape, matrix.dtype)
    for rows in blocks_of_rows(matrix.shape):
        found[:, rows] = _in_order(matrix[rows], at[:, rows], known[rows])
    return found


def blocks_of_rows(shape: tuple[int, ...]) -> Iterator[slice]:
    """The rows of a matrix [rows, columns] in blocks of about BLOCK_VALUES values."""
    rows, columns = shape
    together = max(BLOCK_VALUES // max(columns, 1), 1)
    for begin in range(0, rows, together):
        yield slice(begin, begin + together)


def _in_order(matrix: NDArray[np.floating], at: NDArray[np.intp], known: NDArray[np.intp]) -> NDArray[np.floating]:
    widest = max(int(known.max()), 1)
    if widest <= matrix.shape[1] * FEW_KNOWN:
        matrix = _known_first(matrix, known, widest)
    ordered = np.sort(matrix, axis=1)  # NaN comes last; np.partition takes far longer where many values are equal
    return np.take_along_axis(ordered, at.T, axis=1).T


def _known_first(matrix: NDArray[np.floating], known: NDArray[np.intp], columns: int) -> NDArray[np.floating]:
    """The known values of each row, then NaN; [rows, columns]."""
    made = np.full((len(matrix), columns), np.nan, matrix.dtype)
    made[np.arange(columns) < known[:, None]] = matrix[np.isfinite(matrix)]
    return made


def low_index(known: NDArray[np.integer], part: float = LOW) -> NDArray[np.intp]:
    """The index of a lower quantile (`part`) among `known` ordered values; 0 if there are none. Any shape.

    A link is as slow as its slower end. The low quantile (LOW) describes a host even if faults of its partners slow
    down most of its links.
    """
    return np.asarray(np.maximum(known - 1, 0) * part).astype(np.intp)


def lower_quantiles(matrix: NDArray[np.floating], part: float = LOW) -> tuple[Values, NDArray[np.intp]]:
    """A lower quantile of the known (finite) values of each row, always one of them, and their number; [rows] each.

    The quantile is NaN if a row has no known value.
    """
    known = known_in_rows(matrix)
    return np.asarray(in_order(matrix, low_index(known, part)[None], known)[0], float), known


def both_ways(there: Matrix, back: Matrix) -> Matrix:
    """The mean of both directions of each link; if only one is known, that one. All shapes are equal."""
    mean = np.empty(there.shape, np.float32)
    for rows in blocks_of_rows(there.shape):
        mean[rows] = (there[rows] + back[rows]) / 2
        np.fmax(there[rows], back[rows], out=mean[rows], where=~np.isfinite(mean[rows]))
    return mean


def known_sample(values: NDArray[np.floating], mask: NDArray[np.bool_] | None = None) -> NDArray[np.floating]:
    """The known (finite) values, of a mask if there is one; shape [n].

    Above MOST_VALUES, an evenly spaced sample, which suffices for a median.
    """
    every = slice(None)
    if values.size > MOST_VALUES:
        every = slice(None, None, values.size // MOST_VALUES | 1)  # odd: visits different columns in each row
    flat = values.ravel()[every]
    chosen = np.isfinite(flat) if mask is None else np.isfinite(flat) & mask.ravel()[every]
    return np.asarray(flat[chosen])


def spread(values: NDArray[np.floating]) -> float:
    """The standard deviation, estimated from the median absolute deviation (Hampel 1974).

    0 for fewer than two known values.
    """
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    return float(NORMAL * np.median(np.abs(known - np.median(known))))


def healthy_spread(values: NDArray[np.floating]) -> float:
    """The standard deviation when up to half of the values are too large: also estimated from the lowest quarter.

    The smaller estimate counts. Faults only lengthen times, so the lowest values are healthy.
    """
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    low, quarter = np.quantile(known, [0.05, 0.25])
    return min(spread(known), float(quarter - low) / LOWER_QUARTER)


def upper_spread(values: NDArray[np.floating]) -> float:
    """The standard deviation from the median to the 65 % quantile, when up to a third of the values are too large.

    Hosts that differ by design hide in what their slower partners take, if they are quick: what is left of them lies
    closer together below the median than above.
    """
    known = known_sample(values)
    if len(known) < FEWEST_FOR_UPPER:
        return 0.0
    middle, high = np.quantile(known, [0.5, 0.65], method="lower")
    return float(high - middle) / UPPER_THIRD


def apart_spread(values: NDArray[np.floating]) -> float:
    """The larger of `healthy_spread` and `upper_spread`: of hosts or other parts that may differ by design."""
    return max(healthy_spread(values), upper_spread(values))


def wide_spread(values: NDArray[np.floating]) -> float:
    """The larger of two estimates of the standard deviation: `spread`, and one from the median to the 90 % quantile."""
    known = known_sample(values)
    if len(known) < 2:
        return 0.0
    middle, high = np.quantile(known, [0.5, 0.9])
    return max(spread(known), float(high - middle) / UPPER_TENTH)


def moderated(spread_seen: float, readings: int) -> float:
    """A spread from few readings, shrunk towards USUAL_SPREAD so that it is not too small (Smyth 2004, moderated t)."""
    return float(np.sqrt((spread_seen**2 * readings + USUAL_SPREAD**2 * USUAL_WORTH) / (readings + USUAL_WORTH)))


def discoveries(z: Values, rate: float) -> NDArray[np.bool_]:
    """Which one-sided normal scores are findings, at a false discovery rate of at most `rate`. Shape of `z`.

    Benjamini and Hochberg (1995). NaN is never a finding.
    """
    p = np.where(np.isfinite(z), normal_tail(z), 1.0)
    order = np.argsort(p)
    passed = p[order] <= rate * np.arange(1, len(p) + 1) / len(p)
    found = np.zeros(len(p), bool)
    if passed.any():
        found[order[: np.flatnonzero(passed)[-1] + 1]] = True
    return found


def is_whole(hosts: int) -> bool:
    """Whether a run of this many hosts is judged without sampling."""
    return hosts <= MOST_WHOLE


def sampled(hosts: int) -> Index:
    """Host indices in ascending order: all, or a random sample of SAMPLED hosts."""
    if is_whole(hosts):
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, SAMPLED, replace=False))


def landmarks(hosts: int) -> Index:
    """Indices, in ascending order, of the hosts that --confirm measures with each other if too few links are known.

    Empty above MOST_PLACED hosts, where placing the remaining hosts would take too long.
    """
    if hosts > MOST_PLACED:
        return np.zeros(0, np.int64)
    if hosts <= ALL_LANDMARKS:
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, LANDMARKS, replace=False))


def tempered_spread(values: NDArray[np.floating]) -> float:
    """The spread of values, shrunk towards USUAL_SPREAD if there are few of them."""
    return moderated(spread(values), int(np.isfinite(values).sum()))


def normal_score(z: Values, count: int) -> Values:
    """Normal scores with the same probability as the t scores `z`, for a spread estimated from `count` values."""
    freedom = USUAL_WORTH + EFFICIENCY * count
    return -normal_quantile(np.maximum(student_tail(np.maximum(z, 0.0), freedom), 1e-300))


def most_of(count: NDArray[np.integer]) -> NDArray[np.integer]:
    """How many of `count` readings must be long: more than three quarters. Shape of `count`."""
    return np.asarray(count - (count - 1) // 4)


def score_of_chance(count: NDArray[np.integer], long_alone: int, readings: int) -> Values:
    """The normal score for most of `count` readings being long by chance. Shape of `count`.

    A disturbance can lengthen a single reading. Its rate is estimated from the readings that are long while most
    others of the same link are not: `long_alone` of all `readings`.
    """
    rate = (long_alone + 1) / (readings + USUAL_READINGS)
    return -normal_quantile(np.maximum(binomial_tail(most_of(count), count, rate), 1e-300))


def confidence(z: float) -> float:
    """The probability that the score `z` is not due to chance."""
    return float(normal_tail(-z))


def level_score(level: float, rest: NDArray[np.floating], hosts: int) -> float:
    """The two-sided score of `level`, a change common to all links of a class; 0 if it may be chance.

    `rest` is the residual, any shape. Links of one host are not independent, so the error is that of `hosts` values.
    """
    known = rest[np.isfinite(rest)]
    error = MEDIAN_ERROR * tempered_spread(known) / math.sqrt(max(hosts, 1))
    z = float(normal_score(np.array([abs(level) / error]), len(known))[0])
    return z if normal_tail(z) < FALSE_RATE else 0.0
