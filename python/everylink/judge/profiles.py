"""Judges the ranks of one host: cores differ by design, but cores that are alike have alike profiles.

The profile of a rank is the row of its times with all others, sorted. Ranks of one cluster of cores, one tile or one
socket have profiles of one shape; a slow core has the shape of its equals, and lies above them at every quantile.
"""

from dataclasses import dataclass

import numpy as np

from everylink.robust import LOW_ERROR, NORMAL, Matrix, Values

FEWEST_RANKS, FEWEST_EQUALS = 8, 3
MOSTLY_KNOWN = 0.5  # of all links
NEAREST = 0.25  # part of the ranks that one is compared with
QUANTILES = np.linspace(0.1, 0.9, 9)
EVERY = 0.5  # part of its effect that a slow rank shows at least, at every quantile but one
LEAST_ERROR = 0.01  # cores that are alike differ by this, log of the factor


@dataclass(frozen=True)
class Beyond:
    """What each rank adds to its links against ranks of alike profile, log of the factor; 0 where it does not at
    nearly every quantile. `error`: its standard error; [ranks] each."""

    effect: Values
    error: Values


def beyond_equals(times: Matrix, noise: float) -> Beyond | None:
    """`times` [rank, rank]: log seconds, NaN: not measured. None for few ranks, or too few links.

    The spread among the equals counts as error, so where cores differ much, little is claimed.
    """
    ranks = len(times)
    known = np.isfinite(times) & ~np.eye(ranks, dtype=bool)
    if ranks < FEWEST_RANKS or known.sum() < MOSTLY_KNOWN * ranks * (ranks - 1) or not known.any(axis=1).all():
        return None
    profile = np.nanquantile(np.where(known, times, np.nan), QUANTILES, axis=1).T
    shape = profile - np.median(profile, axis=1)[:, None]
    effect, spread = np.zeros(ranks), np.zeros(ranks)
    for rank in range(ranks):
        unlike = np.sort(np.abs(shape - shape[rank]), axis=1)[:, -2]  # one quantile may fall on the slow partner
        unlike[rank] = np.inf
        equals = profile[np.argsort(unlike, kind="stable")[: max(FEWEST_EQUALS, round(NEAREST * ranks))]]
        usual = np.median(equals, axis=0)
        beyond = profile[rank] - usual
        middle = float(np.median(beyond))
        effect[rank] = middle if np.sort(beyond)[1] > EVERY * middle > 0 else 0.0
        levels = np.median(equals - usual, axis=1)
        spread[rank] = NORMAL * float(np.median(np.abs(levels - np.median(levels))))
    of_noise = LOW_ERROR * noise / np.sqrt(known.sum(axis=1))
    return Beyond(effect, np.sqrt(spread**2 + of_noise**2 + LEAST_ERROR**2))
