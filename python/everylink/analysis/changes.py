"""What may be found to have changed between two runs, and how sure a score is when little was measured."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from everylink.analysis.judge.robust import MEDIAN_ERROR, USUAL_WORTH, Values, moderated, spread

FALSE_RATE = 0.001  # of what is called a change
EFFICIENCY = 0.37  # of the median absolute deviation, against the standard deviation: Hampel et al. (1986)
LIKELY_Z = 3.5  # standard deviations, from which a single reading is long
USUAL_READINGS = 500  # of which one is disturbed, before anything was measured


@dataclass(frozen=True)
class Change:
    """`kind`: class, host, within (a host), rank, pair or link; `subject` names it, `pair` and `link` by two names.

    `factor` is the time in the new run by that in the base, so above 1 is slower; `bytes` is the size at which it
    changed most, `also` are others; the two times are medians over its `links`.
    """

    kind: str
    subject: tuple[str, ...]
    direction: str
    bytes: int
    factor: float
    confidence: float
    links: int
    base_seconds: float
    new_seconds: float
    also: tuple[int, ...] = ()

    @property
    def slower(self) -> bool:
        return self.factor > 1

    @property
    def weight(self) -> float:
        """By how much all its links together changed."""
        return self.links * abs(math.log(self.factor))


def worst_first(changes: list[Change]) -> tuple[Change, ...]:
    """Changes of one thing at several sizes folded into one; those that weigh most first."""
    found: dict[tuple[Any, ...], list[Change]] = {}
    for change in changes:
        found.setdefault((change.kind, change.subject, change.slower), []).append(change)
    folded = []
    for same in found.values():
        worst = max(same, key=lambda change: abs(math.log(change.factor)))
        others = tuple(sorted(change.bytes for change in same if change is not worst))
        folded.append(Change(**{**vars(worst), "also": others}))
    return tuple(sorted(folded, key=lambda change: (-change.weight, change.kind, change.subject)))


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
