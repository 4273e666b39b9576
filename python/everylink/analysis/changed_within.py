"""What changed among links that stay on their host: all of them, or those of single hosts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.changed_ends import ChangedEnd
from everylink.analysis.changes import (
    FALSE_RATE,
    LIKELY_Z,
    level_score,
    most_of,
    score_of_chance,
    sure,
    tempered_spread,
)
from everylink.analysis.judge.robust import Values, discoveries
from everylink.links import Links, keys


@dataclass(frozen=True)
class Within:
    """`level`: what all hosts have in common (log of the factor), `level_z` its score, 0 where it may be chance."""

    level: float
    level_z: float
    hosts: tuple[ChangedEnd, ...]


def changed_within(
    links: tuple[Links, Links],
    near: NDArray[np.bool_],
    host: NDArray[np.int64],
    ranks: int,
    symmetric: bool,
    least: float,
) -> Within:
    """Compare links that stay on their host (`near`), by the median of each host; `host` has an entry a link."""
    before, after = (_log_times(part, ranks, symmetric)[near] for part in links)
    numbers, change = _medians(after - before, host[near])
    level = float(np.median(change))
    z = (change - level) / tempered_spread(change - level)
    singly = (np.log(links[1].median) - np.log(links[0].median))[near] - level
    found = []
    for sign in (1, -1):
        score = np.minimum(sure(sign * z, len(change)), _score_of_chance(sign * singly, host[near]))
        far = (sign * change > least) & (sign * (change - level) > least)
        found += [
            ChangedEnd(int(numbers[i]), "both", float(change[i]), float(score[i]))
            for i in np.flatnonzero(discoveries(score, FALSE_RATE) & far)
        ]
    return Within(level, level_score(level, change - level, len(change)), tuple(found))


def _score_of_chance(change: Values, host: NDArray[np.int64]) -> Values:
    """For each host how improbable it is that most of its links read long by chance; 0 where they do not."""
    long = change > LIKELY_Z * tempered_spread(change)
    _, index, count = np.unique(host, return_inverse=True, return_counts=True)
    most = np.bincount(index[long], minlength=len(count)) >= most_of(count)
    alone = int((long & ~most[index]).sum())
    return np.where(most, score_of_chance(count, alone, len(change)), 0.0)


def _log_times(links: Links, ranks: int, symmetric: bool) -> Values:
    """Of both directions of a symmetric kernel the shorter: a disturbed reading is longer, never shorter."""
    times = np.log(links.median.astype(np.float64))
    if symmetric:
        own, reverse = keys(links, ranks), links.to.astype(np.int64) * ranks + links.frm
        at = np.minimum(np.searchsorted(own, reverse), len(own) - 1)
        times = np.minimum(times, np.where(own[at] == reverse, times[at], np.inf))
    return times


def _medians(values: Values, of: NDArray[np.int64]) -> tuple[NDArray[np.int64], Values]:
    """The numbers that occur, and the median of the values of each."""
    order = np.argsort(of, kind="stable")
    numbers, starts = np.unique(of[order], return_index=True)
    return numbers, np.array([np.median(part) for part in np.split(values[order], starts[1:])])
