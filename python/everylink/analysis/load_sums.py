"""What the scenes of a load pattern amount to: pure functions of its flows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from everylink.loads import PING, Load

LEAST_DRAWS = 5  # for an interval
NOISE = 0.02  # four flows that share evenly have a quarter, more or less


@dataclass(frozen=True)
class Spread:
    """Slowest, mean and fastest flow of a scene, and all of them together: bytes a second, NaN without a flow."""

    min: float
    mean: float
    max: float
    total: float


@dataclass(frozen=True)
class Latency:
    """One-way seconds, averaged over the pings of a scene; NaN without one, or where no p99 is known."""

    mean: float
    median: float
    p99: float


@dataclass(frozen=True)
class SceneSums:
    """One scene; `variant` is a word, or empty."""

    bytes: int
    point: int
    variant: str
    flows: int
    failed: int
    rate: Spread
    latency: Latency


def scene_sums(load: Load) -> tuple[SceneSums, ...]:
    """Every scene, in their order."""
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
        int(np.count_nonzero(~flows.ok[rows])),
        spread,
        latency,
    )


def knee(sums: Sequence[SceneSums]) -> int | None:
    """At how many senders, the first time, each has less than a quarter of what one alone has; None: nowhere."""
    alone = sums[0].rate.mean
    return next((scene.point for scene in sums if scene.rate.mean < (1 - NOISE) * alone / 4), None)


def effective_bisection(sums: Sequence[SceneSums], level: float = 0.95) -> tuple[float, float, float]:
    """Mean over the random halves of the bandwidth between them, and its confidence interval (Student's t)."""
    totals = np.array([scene.rate.total for scene in sums if not math.isnan(scene.rate.total)])
    mean = float(totals.mean()) if len(totals) else math.nan
    if len(totals) < LEAST_DRAWS:
        return mean, math.nan, math.nan
    half = float(stats.t.ppf((1 + level) / 2, len(totals) - 1) * totals.std(ddof=1) / math.sqrt(len(totals)))
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Impact:
    """How many times as long the victims' messages take while the others load the network; NaN: not known."""

    mean: float
    median: float
    p99: float


def impact(sums: Sequence[SceneSums]) -> Impact:
    """Loaded over alone, each averaged over the repeats."""

    def factor(time: str) -> float:
        of = {
            variant: [getattr(s.latency, time) for s in sums if s.variant == variant and not math.isnan(s.latency.mean)]
            for variant in ("alone", "loaded")
        }
        return float(np.mean(of["loaded"]) / np.mean(of["alone"])) if of["alone"] and of["loaded"] else math.nan

    return Impact(factor("mean"), factor("median"), factor("p99"))


def rate_matrix(load: Load, size: int, ranks: int) -> NDArray[np.float64]:
    """[from, to]: the mean rate over the scenes of a size; NaN where no flow ended well."""
    rate, flows = load.rate, load.flows
    chosen = np.isfinite(rate) & (load.scenes.bytes[flows.scene] == size)
    total, count = np.zeros((ranks, ranks)), np.zeros((ranks, ranks))
    np.add.at(total, (flows.frm[chosen], flows.to[chosen]), rate[chosen])
    np.add.at(count, (flows.frm[chosen], flows.to[chosen]), 1)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
