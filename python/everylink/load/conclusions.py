"""Conclusions from a pattern's scenes, as sentences."""

import math
from collections.abc import Callable, Sequence

from everylink.load.service import ServiceSums, service_sums
from everylink.load.sums import SceneSums, effective_bisection, impact, knee, mean_flow, round_sums, scene_sums
from everylink.model.loads import Load
from everylink.units import bandwidth_text, plural, size_text, time_text

MOST_NAMED = 3


def all_conclusions(load: Load, name: Callable[[int], str]) -> list[str]:
    """All conclusions of a pattern, at each size; for client-server only at the largest size."""
    if load.name == "client-server":
        sums = service_sums(load)
        return [
            f"{heading(load, size)}: {line}"
            for size in load.sizes[-1:]
            for line in service_conclusions([scene for scene in sums if scene.bytes == size], name)
        ]
    every = scene_sums(load)
    return [
        f"{heading(load, size)}: {line}"
        for size in load.sizes
        for line in conclusions(load, [scene for scene in every if scene.bytes == size])
    ]


def heading(load: Load, size: int) -> str:
    """Start a sentence with the pattern, and the size if there are several."""
    return f"{load.name} at {size_text(size)}" if len(load.sizes) > 1 else load.name


def conclusions(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    """Conclusions from a pattern's scenes of one size, as sentences."""
    conclude = CONCLUSIONS.get(load.name)
    return conclude(load, sums) if conclude and sums else []


def _incast(load: Load, sums: Sequence[SceneSums], one: str = "sender") -> list[str]:
    if sums[0].point != 1 or math.isnan(sums[0].rate.mean):
        return []
    what = f"the bandwidth of a {one}"
    if (count := knee(sums)) is not None:
        return [f"{what} falls below a quarter of that of one alone at {count} {one}s"]
    return [f"{what} stays at a quarter of that of one alone, or above, up to {sums[-1].point} {one}s"]


def _outcast(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    return _incast(load, sums, "receiver")


def _random_bisection(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    mean, low, high = effective_bisection(sums)
    if math.isnan(mean):
        return []
    text = f"effective bisection bandwidth {bandwidth_text(mean)}"
    if not math.isnan(low):
        text += f", 95 % interval {bandwidth_text(low)} to {bandwidth_text(high)}"
    return [f"{text}, over {len(sums)} random halves; {bandwidth_text(mean_flow(sums))} per flow"]


def _shift(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    known = [scene for scene in sums if not math.isnan(scene.rate.mean)]
    if not known:
        return []
    slowest, fastest = min(known, key=_mean_rate), max(known, key=_mean_rate)
    return [
        f"{bandwidth_text(fastest.rate.mean)} per flow at distance {fastest.point}, the fastest, and "
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
    text = f"{bandwidth_text(natural[0])} per flow in the natural ring"
    if drawn:
        mean = sum(drawn) / len(drawn)
        text += f", {bandwidth_text(mean)} in {len(drawn)} random ones: {mean / natural[0]:.2f} of it"
    return [text]


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


def _all_to_all(load: Load, sums: Sequence[SceneSums]) -> list[str]:
    (rounds,) = round_sums(sums)
    if math.isnan(rounds.seconds):
        return []
    without = f", {rounds.without} of the {rounds.rounds} rounds left out" if rounds.without else ""
    return [
        f"a message from each to each takes {time_text(rounds.seconds)} in {rounds.rounds - rounds.without} rounds, "
        f"each as long as its slowest flow{without}; {bandwidth_text(rounds.rate)} in all, the mean over the rounds"
    ]


def service_conclusions(sums: Sequence[ServiceSums], name: Callable[[int], str]) -> list[str]:
    """One sentence per client-server scene of one size; `name` returns the name of a rank."""
    lines = []
    for scene in sums:
        ends = scene.finishers
        if len(ends) < 2:
            continue
        last = ", ".join(
            f"{name(one.rank)} after {time_text(one.seconds)}" for one in ends[: min(MOST_NAMED, len(ends) - 1)]
        )
        first = f"{name(ends[-1].rank)} after {time_text(ends[-1].seconds)}"
        way = " ".join(filter(None, (scene.variant, f"with {scene.point} in flight")))
        lines.append(f"{way}: {_shared(scene.jain, len(ends))}; last {last}; first {first}")
    return lines


def _shared(jain: float, clients: int) -> str:
    count = plural(clients, "client")
    return f"Jain's index {jain:.3f} over {count}" if math.isfinite(jain) else count


CONCLUSIONS: dict[str, Callable[[Load, Sequence[SceneSums]], list[str]]] = {
    "all-to-all": _all_to_all,
    "incast": _incast,
    "outcast": _outcast,
    "random-bisection": _random_bisection,
    "ring": _ring,
    "shift": _shift,
    "victim": _victim,
}
