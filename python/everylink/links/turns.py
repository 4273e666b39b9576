"""What the core and LinkTest print at the end of a run: mean times of turns, and the bandwidth of a bisection."""

from dataclasses import dataclass

import numpy as np

from everylink.model.results import Results, Size
from everylink.model.rows import MAIN, Outcome
from everylink.units import bandwidth

BISECTION = "bisection"  # the schedule


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


@dataclass(frozen=True)
class BisectionBandwidth:
    """The least, mean and greatest bandwidth of a step of a bisection, in bytes per second."""

    min: float
    mean: float
    max: float


def bisection_bandwidth(results: Results, size: Size) -> BisectionBandwidth | None:
    """Of a step: its number of pairs times the mean bandwidth of its links, of which failed ones count 0.

    None unless the schedule is a bisection, and something was measured.
    """
    if results.facts.schedule != BISECTION:
        return None
    steps = len(results.steps.began)
    rates, links = np.zeros((2, steps))
    for step, attempt, outcome, mean in size.rows.blocks("step", "attempt", "outcome", "mean"):
        kept = (attempt == MAIN) & (outcome != Outcome.LOCAL) & (step < steps)
        seconds = np.where(outcome == Outcome.OK, mean, np.nan)[kept]
        rate = np.nan_to_num(bandwidth(size.bytes, seconds, results.directions))
        rates += np.bincount(step[kept], rate, steps)
        links += np.bincount(step[kept], minlength=steps)
    known = rates[links > 0] / 2
    return BisectionBandwidth(known.min(), known.mean(), known.max()) if known.any() else None
