"""Judges the ranks of one host: cores differ by design, but cores that are alike have parallel rows.

The row of a rank has its times with all others. Ranks of one cluster of cores, one tile, one part of a mesh or one
socket are near to and far from the same others, so their rows run in parallel. The row of a slow core does, too, and
lies above the rows that are most nearly parallel to it.
"""

from dataclasses import dataclass

import numpy as np

from everylink.robust import MEDIAN_ERROR, NORMAL, Matrix, Values, row_medians

FEWEST_RANKS, MOST_RANKS = 8, 1024
MOST_OTHERS = 128  # ranks with which rows are compared
MOSTLY_KNOWN = 0.5  # of all links
EQUALS = 4  # ranks with the most nearly parallel rows, which one is compared with
LEAST_ERROR = 0.01  # cores that are alike differ by this, log of the factor


@dataclass(frozen=True)
class Beyond:
    """What each rank adds to its links against its equals, log of the factor. `error`: its standard error; [ranks]
    each."""

    effect: Values
    error: Values


def beyond_equals(times: Matrix, noise: float) -> Beyond | None:
    """`times` [rank, rank]: log seconds, NaN: not measured. None for few ranks or very many, or too few links.

    How much the equals differ from each other counts as error, so where cores differ much, little is claimed.
    """
    ranks = len(times)
    if not FEWEST_RANKS <= ranks <= MOST_RANKS:
        return None
    rows = np.where(np.eye(ranks, dtype=bool), np.float32(np.nan), times)
    known = np.isfinite(rows)
    rows = rows[:, :: ranks // MOST_OTHERS + 1]
    if known.sum() < MOSTLY_KNOWN * ranks * (ranks - 1) or not np.isfinite(rows).any(axis=1).all():
        return None
    effect, spread = np.transpose([_against_equals(rows, rank) for rank in range(ranks)])
    of_noise = MEDIAN_ERROR * noise / np.sqrt(known.sum(axis=1))
    return Beyond(effect, np.sqrt(spread**2 + of_noise**2 + LEAST_ERROR**2))


def _against_equals(rows: Matrix, rank: int) -> tuple[float, float]:
    """How far the row of a rank lies above those of its equals, and how far these lie apart."""
    above = rows[rank] - rows
    level = _medians(above)
    unlike = _medians(np.abs(above - level[:, None]))
    unlike[rank] = np.inf
    equals = np.argsort(unlike, kind="stable")[:EQUALS]
    effect = float(np.median(level[equals]))
    return effect, NORMAL * float(np.median(np.abs(level[equals] - effect)))


def _medians(rows: Matrix) -> Values:
    """Infinite where a row has no known value; [rows]."""
    median, known = row_medians(rows)
    return np.where(known > 0, median, np.inf)
