"""The diagrams of each load pattern."""

import math
from collections.abc import Callable, Iterable, Sequence

from everylink.load.axes import (
    ROOM_OVER_BARS,
    close_rate_axis,
    count_axis,
    log_rate_axis,
    log_time_axis,
    names_axis,
    place_axis,
    rate_axis,
    size_axis,
)
from everylink.load.diagram import BAR, Diagram, Mark, Point, Rule, Series, failed_text, known_points, values_of
from everylink.load.service_diagrams import service_diagrams
from everylink.load.sums import SceneSums, effective_bisection, impact, knee, mean_flow, round_sums, scene_sums, victims
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.units import bandwidth_text, plural, size_text, time_text

TIMES = ("mean", "median", "p99")
ALONE_LOADED = ("alone", "loaded")


def diagrams_of(results: Results, load: Load) -> list[Diagram]:
    """At the largest size and over the sizes; empty if nothing was measured there."""
    if load.name == "client-server":
        return service_diagrams(results, load)
    every = scene_sums(load)
    sums = [scene for scene in every if load.sizes and scene.bytes == load.sizes[-1]]
    if not any(math.isfinite(scene.rate.total) or _is_timed(load, scene) for scene in sums):
        return []
    at = f" at {size_text(sums[0].bytes)}"
    found = [draw(title.format(at=at), load, sums) for title, draw in _OF.get(load.name, ())]
    if len(load.sizes) > 1:
        found.append(_rounds_over_size(load, every) if load.name == "all-to-all" else _rate_over_size(load, every))
    return found


def _is_timed(load: Load, scene: SceneSums) -> bool:
    return load.name == "victim" and math.isfinite(scene.latency.mean)


def _spread(title: str, load: Load, sums: Sequence[SceneSums], rules: Iterable[Rule] = ()) -> Diagram:
    """The slowest, mean and fastest flow of each scene."""
    known = sorted((s for s in sums if math.isfinite(s.rate.mean)), key=lambda scene: scene.point)
    points = [_of_flows(scene, scene.point, _at(load, scene)) for scene in known]
    return Diagram(
        title,
        count_axis(load.point, [scene.point for scene in known]),
        rate_axis("bandwidth of a flow", max(scene.rate.max for scene in known)),
        (Series("mean of the flows", tuple(points), interval="slowest to fastest flow"),),
        tuple(rules),
    )


def _at(load: Load, scene: SceneSums) -> str:
    """`4 senders`, `distance 4`."""
    one = load.point.removesuffix("s")
    return f"{one} {scene.point}" if one == load.point else plural(scene.point, one)


def _of_flows(scene: SceneSums, x: float, at: str) -> Point:
    rate, text = scene.rate, bandwidth_text(scene.rate.mean)
    if rate.min < rate.max:
        text += f", slowest {bandwidth_text(rate.min)}, fastest {bandwidth_text(rate.max)}"
    return Point(x, rate.mean, at, text + failed_text(scene.failed, scene.flows), rate.min, rate.max)


def _quarter(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    """As _spread, with a quarter of a lone flow's bandwidth, and the point from which flows get less."""
    alone, rules = sums[0].rate.mean, []
    if sums[0].point == 1 and math.isfinite(alone):
        rules.append(Rule("a quarter of one alone", "y", alone / 4, alone / 4))
        if (count := knee(sums)) is not None:
            rules.append(Rule(f"below it from {count} {load.point} on", "x", count, count, is_limit=True))
    return _spread(title, load, sums, rules)


def _total(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    known = sorted((s for s in sums if math.isfinite(s.rate.total)), key=lambda scene: scene.point)
    points = [_of_all(scene, scene.point, _at(load, scene)) for scene in known]
    return Diagram(
        title,
        count_axis(load.point, [scene.point for scene in known]),
        rate_axis("bandwidth of all flows", max(scene.rate.total for scene in known)),
        (Series("", tuple(points), hue=1),),
    )


def _of_all(scene: SceneSums, x: float, at: str) -> Point:
    text = f"{bandwidth_text(scene.rate.total)} of {plural(scene.flows - scene.failed, 'flow')}"
    return Point(x, scene.rate.total, at, text + failed_text(scene.failed, scene.flows))


def _rings(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    """A bar for each ring: its mean flow, and the slowest to the fastest."""
    known = [scene for scene in sums if math.isfinite(scene.rate.mean)]
    series = [
        Series(
            variant,
            tuple(
                _of_flows(scene, i, f"ring {scene.point}") for i, scene in enumerate(known) if scene.variant == variant
            ),
            Mark.BAR,
            0 if variant == "natural" else 1,
            "slowest to fastest flow",
        )
        for variant in dict.fromkeys(scene.variant for scene in known)
    ]
    highest = max(scene.rate.max for scene in known)
    return Diagram(
        title,
        names_axis("ring", [str(scene.point) for scene in known]),
        rate_axis("bandwidth of a flow", highest, ROOM_OVER_BARS),
        tuple(series),
    )


def _draws(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    """The distribution of the draws: what all flows have together, ascending, with the interval of the mean."""
    known = sorted((s for s in sums if math.isfinite(s.rate.total)), key=lambda scene: scene.rate.total)
    totals = [scene.rate.total for scene in known]
    mean, low, high = effective_bisection(sums)
    rules = [Rule(f"mean {bandwidth_text(mean)}", "y", mean, mean, hue=1)]
    if math.isfinite(low):
        rules.append(Rule("95 % interval of the mean", "y", low, high, hue=1))
    points = [_of_all(scene, x, f"draw {scene.point}") for x, scene in enumerate(known, 1)]
    return Diagram(
        title,
        place_axis("draws, the slowest first", 1, len(known)),
        close_rate_axis("bandwidth between the halves", *_ends([*totals, low, high])),
        (Series("", tuple(points), Mark.DOT),),
        tuple(rules),
    )


def _ends(values: Iterable[float]) -> tuple[float, float]:
    known = [value for value in values if math.isfinite(value)]
    return min(known), max(known)


def _impact(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    """What victims take alone and loaded, with the factor between them."""
    factors, series = impact(sums), []
    for number, variant in enumerate(ALONE_LOADED):
        times, points = victims(sums, variant), []
        for slot, name in enumerate(TIMES):
            value, factor = getattr(times, name), getattr(factors, name)
            note = f"x {factor:.2f}" if number and math.isfinite(factor) else ""
            place = slot + BAR / 2 * (number - 0.5)
            points.append(Point(place, value, name, f"{time_text(value)} {note}".rstrip(), note=note))
        series.append(Series(variant, known_points(points), Mark.DOT, number))
    return Diagram(
        title,
        names_axis("", TIMES),
        log_time_axis("one-way latency of the victims", values_of(series)),
        tuple(series),
    )


def _repeats(title: str, load: Load, sums: Sequence[SceneSums]) -> Diagram:
    series = []
    for number, variant in enumerate(ALONE_LOADED):
        known = [scene for scene in sums if scene.variant == variant and math.isfinite(scene.latency.mean)]
        for name, mark in (("mean", Mark.LINE), ("p99", Mark.DOTTED)):
            values = [(scene, getattr(scene.latency, name)) for scene in known]
            points = [Point(scene.point, value, _at(load, scene), time_text(value)) for scene, value in values]
            series.append(Series(f"{variant}, {name}", known_points(points), mark, number))
    return Diagram(
        title,
        count_axis(load.point, sorted({scene.point for scene in sums})),
        log_time_axis("one-way latency of the victims", values_of(series)),
        tuple(series),
    )


def _rate_over_size(load: Load, every: Sequence[SceneSums]) -> Diagram:
    """The mean flow at the first and last point, or over all points if these are repetitions."""
    points = sorted({scene.point for scene in every})
    chosen = [points[0], points[-1]] if load.point in ("senders", "receivers") else [None]
    series = []
    for number, point in enumerate(dict.fromkeys(chosen)):
        rates = [
            mean_flow([scene for scene in every if scene.bytes == size and point in (None, scene.point)])
            for size in load.sizes
        ]
        name = "mean of all scenes" if point is None else f"{load.point}: {point}"
        series.append(Series(name, _over_size(load.sizes, rates), hue=number))
    title = "flows of the load over message size" if load.name == "victim" else "over message size"
    return Diagram(title, size_axis(load.sizes), log_rate_axis("bandwidth of a flow", values_of(series)), tuple(series))


def _rounds_over_size(load: Load, every: Sequence[SceneSums]) -> Diagram:
    rates = [one.rate for one in round_sums(every)]
    label = "bandwidth of all flows, mean of the rounds"
    series = Series("", _over_size(load.sizes, rates), hue=1)
    return Diagram("over message size", size_axis(load.sizes), log_rate_axis(label, rates), (series,))


def _over_size(sizes: Sequence[int], rates: Sequence[float]) -> tuple[Point, ...]:
    return known_points(
        Point(size, rate, size_text(size), bandwidth_text(rate)) for size, rate in zip(sizes, rates, strict=True)
    )


_OF: dict[str, tuple[tuple[str, Callable[[str, Load, Sequence[SceneSums]], Diagram]], ...]] = {
    "incast": (("what each sender has{at}", _quarter), ("what all have together{at}", _total)),
    "outcast": (("what each receiver has{at}", _quarter), ("what all have together{at}", _total)),
    "shift": (("flows over the distance{at}", _spread), ("all flows over the distance{at}", _total)),
    "ring": (("each ring: mean flow, slowest to fastest{at}", _rings),),
    "random-bisection": (
        ("draws by what all flows have together{at}", _draws),
        ("flows of each draw{at}", _spread),
    ),
    "victim": (("victims alone and under load, means of the repeats", _impact), ("each repeat", _repeats)),
    "all-to-all": (("flows of each round{at}", _spread), ("all flows of each round{at}", _total)),
}
