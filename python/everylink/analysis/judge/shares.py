"""Which of several equals takes longer than the others in the same scenes, and whose place they share."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.changes import sure
from everylink.analysis.judge.robust import MEDIAN_ERROR, Values, discoveries, healthy_spread, moderated, spread
from everylink.analysis.service_sums import rows_by
from everylink.results import Ranks

FALSE_RATE = 0.001
FEWEST = 2  # readings of one that may be called slow
FEW, LEAST_OF_FEW = 5, 1.75  # of fewer readings than these, so many times as long
MOST = 1 / 3  # of all: of more it cannot be told who is well
LOW, QUARTER = 0.5, 0.25  # quantiles
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Slow:
    """One of `tested` equals: how many times as long it takes, by `readings` that tell from chance with a score `z`.

    `worst` is the number of the reading that shows it most.
    """

    unit: int
    factor: float
    z: float
    readings: int
    tested: int
    worst: int


def slow_ones(unit: Index, group: Index, seconds: Values, least: float) -> list[Slow]:
    """Who takes `least` times as long as the others of the same groups, or longer, and more than chance explains.

    A reading counts by how much longer it is than the lower quartile of its group, because what disturbs makes longer,
    never shorter; of one's readings the median. Chance is how far the equals are apart, and how far the readings of one
    are: one's own, or those of all, which are more.
    """
    known = np.flatnonzero(np.isfinite(seconds) & (seconds > 0))
    excess, compared = _excess(group[known], np.log(seconds[known]))
    known, excess = known[compared], excess[compared]
    rows = {one: mine for one, mine in rows_by(unit[known], np.arange(len(known))) if len(mine) >= FEWEST}
    if len(rows) < 2:
        return []
    own = [excess[mine] for mine in rows.values()]
    effect = np.array([np.median(readings) for readings in own])
    effect -= np.quantile(effect, LOW, method="lower")  # of two the faster one
    apart = moderated(healthy_spread(effect), len(effect))
    rest = np.concatenate([readings - np.median(readings) for readings in own])
    usual = spread(rest) * np.sqrt(len(rest) / (len(rest) - len(own)))
    within = np.array([MEDIAN_ERROR * max(spread(readings), usual) / np.sqrt(len(readings)) for readings in own])
    z = sure(effect / np.hypot(apart, within), len(effect))
    wanted = np.log([max(least, LEAST_OF_FEW) if len(readings) < FEW else least for readings in own])
    often = np.array([np.quantile(readings, QUARTER) for readings in own]) > wanted / 2
    bad = discoveries(z, FALSE_RATE) & (effect >= wanted) & often
    found = []
    for i, (one, mine) in enumerate(rows.items()):
        if bad[i]:
            worst = int(known[mine[own[i].argmax()]])
            found.append(Slow(one, float(np.exp(effect[i])), float(z[i]), len(mine), len(rows), worst))
    return found


def too_many(slow: Sequence[Slow]) -> bool:
    """Whether so many look slow that it cannot be told who is well; one of two or three may."""
    return bool(slow) and len(slow) > max(1, MOST * slow[0].tested)


def shared_device(ranks: Ranks, judged: Sequence[int], slow: Sequence[int]) -> str:
    """The device that all slow ones have, on two hosts or more, and none of the others has; else nothing."""
    devices = {ranks.device[rank] for rank in slow}
    others = {ranks.device[rank] for rank in judged if rank not in set(slow)}
    hosts = {int(ranks.host_index[rank]) for rank in slow}
    return devices.pop() if len(devices) == 1 and others and not devices & others and len(hosts) > 1 else ""


def _excess(group: Index, value: Values) -> tuple[Values, NDArray[np.bool_]]:
    """By how much each value lies above the lower quartile of its group, and whether that has two values or more."""
    excess, compared = np.zeros(len(value)), np.zeros(len(value), bool)
    for _, rows in rows_by(group, np.arange(len(group))):
        if len(rows) > 1:
            excess[rows] = value[rows] - np.quantile(value[rows], QUARTER)
            compared[rows] = True
    return excess, compared
