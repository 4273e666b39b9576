"""The diagrams of client-server: bandwidth, latency and fairness over size; each client; each server."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from everylink.links.hosts import short_hosts
from everylink.load.axes import (
    ROOM_OVER_BARS,
    log_rate_axis,
    log_time_axis,
    names_axis,
    part_axis,
    place_axis,
    rate_axis,
    size_axis,
    time_axis,
)
from everylink.load.diagram import (
    BAR,
    Diagram,
    Mark,
    Point,
    Series,
    failed_text,
    known_points,
    values_of,
)
from everylink.load.service import Party, ServiceSums, service_sums
from everylink.model.loads import Load
from everylink.model.results import Ranks, Results
from everylink.units import bandwidth_text, number_text, plural, size_text, time_text

Curve = tuple[str, list[ServiceSums]]


def service_diagrams(results: Results, load: Load) -> list[Diagram]:
    """All of them; empty if no request was answered."""
    sums = [scene for scene in service_sums(load) if scene.requests]
    if not sums:
        return []
    curves, ranks = _curves(sums), results.ranks
    largest = [scene for scene in sums if scene.bytes == max(s.bytes for s in sums)]
    heaviest = [scene for scene in largest if scene.point == max(s.point for s in largest)]
    at = f"at {size_text(heaviest[0].bytes)}, {heaviest[0].point} in flight"
    return [
        _bandwidth(curves),
        _latency(curves),
        _ends(f"when each client had its last reply, {at}", heaviest, ranks),
        _fairness(curves),
        _servers(f"latency with each server, mean, {at}", heaviest, ranks),
        _clients(f"bandwidth of each client, {at}", heaviest, ranks),
    ]


def _curves(sums: Sequence[ServiceSums]) -> list[Curve]:
    """The scenes of each direction and number of requests in flight, sorted by size."""
    found: list[Curve] = []
    for point in sorted({scene.point for scene in sums}):
        for variant in dict.fromkeys(scene.variant for scene in sums):
            those = [scene for scene in sums if (scene.point, scene.variant) == (point, variant)]
            if those:
                found.append((f"{variant}, {point} in flight", sorted(those, key=lambda scene: scene.bytes)))
    return found


def _over_size(
    curves: Sequence[Curve],
    value: Callable[[ServiceSums], float],
    text: Callable[[float], str],
    mark: Mark = Mark.LINE,
    what: str = "",
) -> list[Series]:
    return [
        Series(
            name + what,
            known_points(
                Point(s.bytes, value(s), size_text(s.bytes), text(value(s)) + failed_text(s.failed, s.flows))
                for s in scenes
                if s.bytes
            ),
            mark,
            hue,
        )
        for hue, (name, scenes) in enumerate(curves)
    ]


def _sizes(curves: Sequence[Curve]) -> list[int]:
    return sorted({scene.bytes for _, scenes in curves for scene in scenes})


def _bandwidth(curves: Sequence[Curve]) -> Diagram:
    series = _over_size(curves, lambda scene: scene.rate, bandwidth_text)
    y = log_rate_axis("bytes of all clients / time of the last", values_of(series))
    return Diagram("bandwidth of all clients", size_axis(_sizes(curves)), y, tuple(series))


def _latency(curves: Sequence[Curve]) -> Diagram:
    series = _over_size(curves, lambda scene: scene.waiting.mean, time_text, what=", mean")
    series += _over_size(curves, lambda scene: scene.waiting.p99, time_text, Mark.DOTTED, ", p99")
    y = log_time_axis("latency", values_of(series))
    return Diagram("latency, request to reply: mean, and p99 dotted", size_axis(_sizes(curves)), y, tuple(series))


def _fairness(curves: Sequence[Curve]) -> Diagram:
    series = _over_size(curves, lambda scene: scene.jain, number_text)
    y = part_axis("1: all have the same")
    return Diagram("fairness: Jain's index over the clients", size_axis(_sizes(curves)), y, tuple(series))


def _ends(title: str, scenes: Sequence[ServiceSums], ranks: Ranks) -> Diagram:
    """The clients in the order in which they ended; flat if shares are fair."""
    series = []
    for hue, scene in enumerate(scenes):
        clients = [one for one in reversed(scene.finishers) if math.isfinite(one.seconds)]
        points = [
            Point(x, one.seconds, f"client {x} to end", f"{ranks.name(one.rank)} after {time_text(one.seconds)}")
            for x, one in enumerate(clients, 1)
        ]
        series.append(Series(f"{scene.variant}, Jain's index {scene.jain:.3f}", tuple(points), hue=hue))
    last = max(len(one.points) for one in series)
    y = time_axis("time of its last reply", max(values_of(series), default=0.0))
    return Diagram(title, place_axis("clients, the first to end first", 1, max(last, 1)), y, tuple(series))


def _servers(title: str, scenes: Sequence[ServiceSums], ranks: Ranks) -> Diagram:
    """Latencies: clients wait for a slow server, so the bandwidths of all servers equal that of the slowest."""
    members, series = _parties(
        [(scene.variant, scene.servers) for scene in scenes], lambda one: one.waiting.mean, time_text, Mark.DOT, ranks
    )
    y = log_time_axis("latency", values_of(series))
    return Diagram(title, names_axis("server", members), y, tuple(series))


def _clients(title: str, scenes: Sequence[ServiceSums], ranks: Ranks) -> Diagram:
    members, series = _parties(
        [(scene.variant, scene.clients) for scene in scenes], lambda one: one.rate, bandwidth_text, Mark.BAR, ranks
    )
    y = rate_axis("bandwidth", max(values_of(series), default=0.0), ROOM_OVER_BARS)
    return Diagram(title, names_axis("client", members), y, tuple(series))


def _parties(
    those: Sequence[tuple[str, Sequence[Party]]],
    value: Callable[[Party], float],
    text: Callable[[float], str],
    mark: Mark,
    ranks: Ranks,
) -> tuple[list[str], list[Series]]:
    """Names of all ranks, and a mark for each rank and direction, beside each other."""
    members = sorted({one.rank for _, parties in those for one in parties})
    hosts, width = short_hosts(ranks), BAR / len(those)
    places = {rank: i for i, rank in enumerate(members)}
    series = []
    for hue, (variant, parties) in enumerate(those):
        shift = width * (hue - (len(those) - 1) / 2)
        points = [
            Point(places[one.rank] + shift, value(one), ranks.name(one.rank), _party_text(text(value(one)), one))
            for one in parties
        ]
        shown = _from_zero(points) if mark is Mark.BAR else known_points(points)
        series.append(Series(variant, shown, mark, hue, width=width))
    return [f"{hosts[rank]}:{ranks.ends[rank]}" for rank in members], series


def _from_zero(points: Sequence[Point]) -> tuple[Point, ...]:
    """Those without a value as bars of no height."""
    return tuple(point if math.isfinite(point.y) else replace(point, y=0.0) for point in points)


def _party_text(value: str, one: Party) -> str:
    return f"{value}; {plural(one.failed, 'flow')} failed" if one.failed else value
