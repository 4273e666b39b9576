"""Which single pairs, or links, got slower: what neither class nor ends explain, in enough readings to be sure.

A single reading may be disturbed and read long; so how often that happens is estimated from pairs of which one reading
is long and another is not, and a pair counts only where chance would not disturb all of its readings.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.changes import FALSE_RATE, LIKELY_Z, score_of_chance, sure, tempered_spread
from everylink.analysis.judge.readings import Cells, Readings
from everylink.analysis.judge.robust import Matrix, Values, discoveries

SUSPECT_Z = 4.5  # standard deviations


@dataclass(frozen=True)
class ChangedPair:
    """`frm` and `to` of the level that was looked at; `effect`: log of the factor; `readings` that it rests on."""

    frm: int
    to: int
    effect: float
    z: float
    readings: int


@dataclass(frozen=True)
class ChangedPairs:
    """`sure` are found; `suspects` are long in all of their readings, which are too few."""

    sure: tuple[ChangedPair, ...]
    suspects: tuple[ChangedPair, ...]


def slower_pairs(before: Cells, after: Cells, again: Readings, explained: Matrix, least: float) -> ChangedPairs:
    """Pairs slower after than before; `again` are all readings after, those of retests too.

    To find faster ones, take before for after, and the negative of `explained`.
    """
    symmetric, cells = again.symmetric, again.between_hosts
    change = after.median - before.median
    rest = change - explained
    measured = np.isfinite(rest) & (np.triu(np.ones(rest.shape, bool), 1) if symmetric else True)
    noise = tempered_spread(rest[measured])
    z = sure(np.where(measured, rest, 0.0) / noise, int(measured.sum()))
    lowest = cells.quartile - before.median - explained
    likely = measured & (z > LIKELY_Z) & (rest > least) & (lowest > LIKELY_Z * noise)
    likely &= change > max(least, LIKELY_Z * noise)  # else it only stayed as it was while its ends changed
    frm, to = np.nonzero(likely)
    alone = _long_alone(again, before, explained, lowest, LIKELY_Z * noise)
    count = cells.count[frm, to]
    score = np.minimum(z[frm, to], score_of_chance(count, alone, again.count))
    found = _discovered(score, int(measured.sum()))
    pairs = [
        ChangedPair(int(frm[i]), int(to[i]), float(rest[frm[i], to[i]]), float(score[i]), int(count[i]))
        for i in range(len(frm))
    ]
    certain = tuple(pair for pair, is_sure in zip(pairs, found, strict=True) if is_sure)
    suspects = tuple(
        pair for pair, is_sure in zip(pairs, found, strict=True) if not is_sure and z[pair.frm, pair.to] > SUSPECT_Z
    )
    return ChangedPairs(certain, suspects)


def _long_alone(again: Readings, before: Cells, explained: Matrix, lowest: Matrix, limit: float) -> int:
    """How many readings are long in pairs whose others are not."""
    frm, to, time = again.each()
    frm, to = again.host_of[frm], again.host_of[to]
    long = time - before.median[frm, to] - explained[frm, to] > limit
    return int((long & ~(lowest[frm, to] > limit)).sum())


def _discovered(score: Values, tests: int) -> NDArray[np.bool_]:
    """Which scores are findings among so many tests, all others of which found nothing."""
    padded = np.concatenate([score, np.full(max(tests - len(score), 0), -np.inf)])
    return discoveries(padded, FALSE_RATE)[: len(score)]
