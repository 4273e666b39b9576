"""What the scenes of a load pattern amount to, and what that says: pure functions of its flows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from everylink.loads import PING, Load
from everylink.units import bandwidth_text

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
    rate, scenes = load.rate, load.scenes
    order = np.argsort(load.flows.scene, kind="stable")
    bounds = np.searchsorted(load.flows.scene[order], np.arange(len(scenes.point) + 1))
    return tuple(_sums(load, i, order[bounds[i] : bounds[i + 1]], rate) for i in range(len(scenes.point)))


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
    variant = int(scenes.variant[number])
    return SceneSums(
        int(scenes.bytes[number]),
        int(scenes.point[number]),
        load.variants[variant] if variant < len(load.variants) else f"variant {variant}",
        len(rows),
        int(np.count_nonzero(~flows.ok[rows])),
        spread,
        latency,
    )


def conclusions(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    """What a pattern's scenes of one size say, in sentences."""
    conclude = CONCLUSIONS.get(load.name)
    return conclude(load, sums) if conclude and sums else []


def knee(sums: Sequence[SceneSums]) -> int | None:
    """At how many senders, the first time, each has less than a quarter of what one alone has; None: nowhere."""
    alone = sums[0].rate.mean
    return next((scene.point for scene in sums if scene.rate.mean < (1 - NOISE) * alone / 4), None)


def _incast(load: Load, sums: Sequence[SceneSums], one: str = "sender") -> list[str]:
    if sums[0].point != 1 or math.isnan(sums[0].rate.mean):
        return []
    what = f"the bandwidth of a {one}"
    if (count := knee(sums)) is not None:
        return [f"{what} falls below a quarter of that of one alone at {count} {one}s"]
    return [f"{what} stays at a quarter of that of one alone, or above, up to {sums[-1].point} {one}s"]


def _outcast(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    return _incast(load, sums, "receiver")


def effective_bisection(sums: Sequence[SceneSums], level: float = 0.95) -> tuple[float, float, float]:
    """Mean over the random halves of the bandwidth between them, and its confidence interval (Student's t)."""
    totals = np.array([scene.rate.total for scene in sums if not math.isnan(scene.rate.total)])
    mean = float(totals.mean()) if len(totals) else math.nan
    if len(totals) < LEAST_DRAWS:
        return mean, math.nan, math.nan
    half = float(stats.t.ppf((1 + level) / 2, len(totals) - 1) * totals.std(ddof=1) / math.sqrt(len(totals)))
    return mean, mean - half, mean + half


def _random_bisection(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    mean, low, high = effective_bisection(sums)
    if math.isnan(mean):
        return []
    flow = np.nanmean([scene.rate.mean for scene in sums])
    text = f"effective bisection bandwidth {bandwidth_text(mean)}"
    if not math.isnan(low):
        text += f", 95 % interval {bandwidth_text(low)} to {bandwidth_text(high)}"
    return [f"{text}, over {len(sums)} random halves; {bandwidth_text(float(flow))} a flow"]


def _shift(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    known = [scene for scene in sums if not math.isnan(scene.rate.mean)]
    if not known:
        return []
    slowest, fastest = min(known, key=_mean_rate), max(known, key=_mean_rate)
    return [
        f"{bandwidth_text(fastest.rate.mean)} a flow at distance {fastest.point}, the fastest, and "
        f"{bandwidth_text(slowest.rate.mean)} at distance {slowest.point}, the slowest"
    ]


def _mean_rate(scene: SceneSums) -> float:
    return scene.rate.mean


def _ring(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    known = [scene for scene in sums if not math.isnan(scene.rate.mean)]
    natural = [scene.rate.mean for scene in known if scene.variant == "natural"]
    drawn = [scene.rate.mean for scene in known if scene.variant != "natural"]
    if not natural:
        return []
    text = f"{bandwidth_text(natural[0])} a flow in the natural ring"
    if drawn:
        mean = sum(drawn) / len(drawn)
        text += f", {bandwidth_text(mean)} in {len(drawn)} random ones: {mean / natural[0]:.2f} of it"
    return [text]


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


def _victim(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    found = impact(sums)
    if math.isnan(found.mean):
        return []
    factors = (
        f"{name} x {_factor(value)}"
        for name, value in (("mean", found.mean), ("median", found.median), ("p99", found.p99))
    )
    return ["impact of the load on the victims' latency: " + ", ".join(factors)]


def _factor(value: float) -> str:
    return "not known" if math.isnan(value) else f"{value:.2f}"


def rate_matrix(load: Load, size: int, ranks: int) -> NDArray[np.float64]:
    """[from, to]: the mean rate over the scenes of a size; NaN where no flow ended well."""
    rate, flows = load.rate, load.flows
    chosen = np.isfinite(rate) & (load.scenes.bytes[flows.scene] == size)
    total, count = np.zeros((ranks, ranks)), np.zeros((ranks, ranks))
    np.add.at(total, (flows.frm[chosen], flows.to[chosen]), rate[chosen])
    np.add.at(count, (flows.frm[chosen], flows.to[chosen]), 1)
    return np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)


CONCLUSIONS: dict[str, Callable[[Load, Sequence[SceneSums]], list[str]]] = {
    "incast": _incast,
    "outcast": _outcast,
    "random-bisection": _random_bisection,
    "ring": _ring,
    "shift": _shift,
    "victim": _victim,
}
