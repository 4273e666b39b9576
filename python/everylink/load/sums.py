"""Sums over the flows of each scene, and over the rounds of an all-to-all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import student_quantile
from everylink.model.loads import PING, Load

LEAST_DRAWS = 5  # for a confidence interval
NOISE = 0.02  # four flows that share evenly each have a quarter, give or take


@dataclass(frozen=True)
class Spread:
    """The slowest, mean and fastest flow of a scene, and the sum, in bytes/s; NaN without a flow."""

    min: float
    mean: float
    max: float
    total: float


@dataclass(frozen=True)
class Latency:
    """One-way seconds, averaged over the pings of a scene; NaN without a ping, or without a known p99."""

    mean: float
    median: float
    p99: float


@dataclass(frozen=True)
class SceneSums:
    """One scene; `variant` may be empty."""

    bytes: int
    point: int
    variant: str
    flows: int
    failed: int
    rate: Spread
    latency: Latency


def scene_sums(load: Load) -> tuple[SceneSums, ...]:
    """The sums of every scene, in the order of the scenes."""
    rate = load.rate
    return tuple(_sums(load, i, rows, rate) for i, rows in enumerate(load.rows_of_scenes()))


def _sums(load: Load, number: int, rows: NDArray[np.intp], rate: NDArray[np.float64]) -> SceneSums:
    flows, scenes = load.flows, load.scenes
    rates = rate[rows][np.isfinite(rate[rows])]
    spread = Spread(math.nan, math.nan, math.nan, math.nan)
    if len(rates):
        spread = Spread(float(rates.min()), float(rates.mean()), float(rates.max()), float(rates.sum()))
    pings = rows[flows.ok[rows] & (flows.kind[rows] == PING)]
    latency = Latency(
        *(float(c[pings].mean()) if len(pings) else math.nan for c in (flows.mean, flows.median, flows.p99))
    )
    return SceneSums(
        int(scenes.bytes[number]),
        int(scenes.point[number]),
        load.variant_of(number),
        len(rows),
        int(np.count_nonzero(flows.failed[rows])),
        spread,
        latency,
    )


def knee(sums: Sequence[SceneSums]) -> int | None:
    """The smallest number of senders at which each gets less than a quarter of a lone sender's rate; None if none."""
    alone = sums[0].rate.mean
    return next((scene.point for scene in sums if scene.rate.mean < (1 - NOISE) * alone / 4), None)


def effective_bisection(sums: Sequence[SceneSums], level: float = 0.95) -> tuple[float, float, float]:
    """The mean bandwidth in bytes/s over the random halves, and its confidence interval (Student's t)."""
    totals = np.array([scene.rate.total for scene in sums if not math.isnan(scene.rate.total)])
    mean = float(totals.mean()) if len(totals) else math.nan
    if len(totals) < LEAST_DRAWS:
        return mean, math.nan, math.nan
    half = float(student_quantile((1 + level) / 2, len(totals) - 1) * totals.std(ddof=1) / math.sqrt(len(totals)))
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Impact:
    """The factor by which the load lengthens the victims' latency; NaN: unknown."""

    mean: float
    median: float
    p99: float


def impact(sums: Sequence[SceneSums]) -> Impact:
    """Loaded / alone, each averaged over the repetitions."""
    alone, loaded = victims(sums, "alone"), victims(sums, "loaded")
    factors = (getattr(loaded, name) / (getattr(alone, name) or math.nan) for name in ("mean", "median", "p99"))
    return Impact(*factors)


def victims(sums: Sequence[SceneSums], variant: str) -> Latency:
    """The victims' latency in seconds, alone or loaded, averaged over the repetitions; NaN: unknown."""
    known = [scene.latency for scene in sums if scene.variant == variant and not math.isnan(scene.latency.mean)]
    if not known:
        return Latency(math.nan, math.nan, math.nan)
    return Latency(*(float(np.mean([getattr(one, name) for one in known])) for name in ("mean", "median", "p99")))


def mean_flow(sums: Sequence[SceneSums]) -> float:
    """The rate of a flow in bytes/s, averaged over these scenes; NaN: unknown."""
    known = [scene.rate.mean for scene in sums if not math.isnan(scene.rate.mean)]
    return float(np.mean(known)) if known else math.nan


def rate_matrix(load: Load, size: int, ranks: int) -> NDArray[np.float64]:
    """The mean rate over the scenes of a size, bytes/s, [from, to]; NaN if no flow ended ok."""
    rate, flows = load.rate, load.flows
    chosen = np.isfinite(rate) & (load.scenes.bytes[flows.scene] == size)
    total, count = np.zeros((ranks, ranks)), np.zeros((ranks, ranks))
    np.add.at(total, (flows.frm[chosen], flows.to[chosen]), rate[chosen])
    np.add.at(count, (flows.frm[chosen], flows.to[chosen]), 1)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


@dataclass(frozen=True)
class RoundSums:
    """All rounds of one size; `seconds`: time for a message from each rank to each other, round after round.

    A round takes as long as its slowest flow. `rate`: all flows of a round together, bytes/s, mean over the rounds;
    `message`: seconds per message at a round's mean rate; `messages_a_second`: over all flows of a round. `without`:
    rounds in which no flow ended ok; they are excluded.
    """

    bytes: int
    rounds: int
    without: int
    flows: int
    failed: int
    seconds: float
    rate: float
    message: float

    @property
    def messages_a_second(self) -> float:
        return self.rate / self.bytes if self.bytes else math.nan


def round_sums(sums: Sequence[SceneSums]) -> tuple[RoundSums, ...]:
    """One entry per size, in ascending order."""
    return tuple(_of_size([s for s in sums if s.bytes == size]) for size in sorted({s.bytes for s in sums}))


def _of_size(rounds: Sequence[SceneSums]) -> RoundSums:
    known = [one for one in rounds if one.rate.min > 0]
    size = rounds[0].bytes
    return RoundSums(
        size,
        len(rounds),
        len(rounds) - len(known),
        sum(one.flows for one in rounds),
        sum(one.failed for one in rounds),
        sum(size / one.rate.min for one in known) if known else math.nan,
        float(np.mean([one.rate.total for one in known])) if known else math.nan,
        float(np.mean([size / one.rate.mean for one in known])) if known else math.nan,
    )
