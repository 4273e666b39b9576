"""The mean times of the turns of a size, as the core and LinkTest print them at the end of a run."""

from dataclasses import dataclass

import numpy as np

from everylink.model.results import Size
from everylink.model.rows import MAIN, Outcome


@dataclass(frozen=True)
class TurnMeans:
    """The shortest, mean and longest of the mean one-way times of all turns, in seconds."""

    min: float
    mean: float
    max: float


def turn_means(size: Size) -> TurnMeans | None:
    """The means of the turns of the main run that did not fail; None if there is none or their means are unknown."""
    count, total, low, high = 0, 0.0, np.inf, -np.inf
    for attempt, outcome, mean in size.rows.blocks("attempt", "outcome", "mean"):
        known = mean[(attempt == MAIN) & (outcome == Outcome.OK) & np.isfinite(mean)].astype(np.float64)
        if len(known):
            count, total = count + len(known), total + float(known.sum())
            low, high = min(low, float(known.min())), max(high, float(known.max()))
    return TurnMeans(low, total / count, high) if count else None
