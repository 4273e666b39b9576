"""The panels of client-server: bandwidth, latency and fairness over size; each client; each server."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes

from everylink.figure.canvas import shortened
from everylink.links.hosts import short_hosts
from everylink.load.axes import colour, finish, log_rate_axis, log_time_axis, rate_axis, size_axis, time_axis, width_of
from everylink.load.service import ServiceSums, service_sums
from everylink.model.loads import Load
from everylink.model.results import Ranks, Results
from everylink.units import size_text

MOST_NAMED = 24  # clients or servers on an axis
NAME_LENGTH = 12
Curve = tuple[str, list[ServiceSums]]


def service_panels(results: Results, load: Load) -> list[tuple[str, Callable[[Axes], None]]]:
    """Titles and functions that draw the panels; empty if no request was answered."""
    sums = [scene for scene in service_sums(load) if scene.requests]
    if not sums:
        return []
    curves = _curves(sums)
    largest = [scene for scene in sums if scene.bytes == max(s.bytes for s in sums)]
    heaviest = [scene for scene in largest if scene.point == max(s.point for s in largest)]
    at = f"at {size_text(heaviest[0].bytes)}, {heaviest[0].point} in flight"
    return [
        ("bandwidth of all clients", lambda axes: _bandwidth(axes, curves)),
        ("latency, request to reply: mean, and p99 dotted", lambda axes: _latency(axes, curves)),
        (f"when each client had its last reply, {at}", lambda axes: _ends(axes, heaviest)),
        ("fairness: Jain's index over the clients", lambda axes: _fairness(axes, curves)),
        (f"latency with each server, mean, {at}", lambda axes: _servers(axes, heaviest, results.ranks)),
        (f"bandwidth of each client, {at}", lambda axes: _clients(axes, heaviest, results.ranks)),
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


def _plot(
    axes: Axes, curves: Sequence[Curve], value: Callable[[ServiceSums], float], style: str, named: bool
) -> list[float]:
    drawn: list[float] = []
    for number, (label, scenes) in enumerate(curves):
        values = [value(scene) for scene in scenes]
        sizes = [scene.bytes for scene in scenes]
        axes.plot(
            sizes, values, style, marker=".", markersize=4, color=colour(number), linewidth=width_of(number),
            label=label if named else None,
        )  # fmt: skip
        drawn += values
    size_axis(axes, sorted({scene.bytes for _, scenes in curves for scene in scenes if scene.bytes}) or [1])
    return drawn


def _bandwidth(axes: Axes, curves: Sequence[Curve]) -> None:
    log_rate_axis(axes, _plot(axes, curves, lambda scene: scene.rate, "-", named=True))
    finish(axes, "message size", "bytes of all clients / time of the last")


def _latency(axes: Axes, curves: Sequence[Curve]) -> None:
    times = _plot(axes, curves, lambda scene: scene.waiting.mean, "-", named=True)
    times += _plot(axes, curves, lambda scene: scene.waiting.p99, ":", named=False)
    log_time_axis(axes, times)
    finish(axes, "message size", "latency")


def _fairness(axes: Axes, curves: Sequence[Curve]) -> None:
    _plot(axes, curves, lambda scene: scene.jain, "-", named=True)
    axes.set_ylim(0, 1.05)
    finish(axes, "message size", "1: all have the same")


def _ends(axes: Axes, scenes: Sequence[ServiceSums]) -> None:
    """The clients in the order in which they ended; flat if shares are fair."""
    highest = 0.0
    for number, scene in enumerate(scenes):
        times = [one.seconds for one in reversed(scene.finishers)]
        label = f"{scene.variant}, Jain's index {scene.jain:.3f}"
        axes.plot(
            range(1, len(times) + 1), times, marker=".", linewidth=width_of(number), color=colour(number), label=label
        )
        highest = max([highest, *times])
    time_axis(axes, highest)
    finish(axes, "clients, the first to end first", "time of its last reply")


def _servers(axes: Axes, scenes: Sequence[ServiceSums], ranks: Ranks) -> None:
    """Show latencies: clients wait for a slow server, so the bandwidths of all servers equal that of the slowest."""
    series = [(scene.variant, {one.rank: one.waiting.mean for one in scene.servers}) for scene in scenes]
    _bars(axes, series, ranks)
    log_time_axis(axes, [value for _, values in series for value in values.values()])
    finish(axes, "server", "latency")


def _clients(axes: Axes, scenes: Sequence[ServiceSums], ranks: Ranks) -> None:
    series = [(scene.variant, {one.rank: one.rate for one in scene.clients}) for scene in scenes]
    _bars(axes, series, ranks)
    rate_axis(axes, 1.25 * max((v for _, values in series for v in values.values() if v == v), default=0.0))
    finish(axes, "client", "bandwidth")


def _bars(axes: Axes, series: Sequence[tuple[str, dict[int, float]]], ranks: Ranks) -> None:
    """A group of bars per rank, with a bar per direction."""
    members = sorted({rank for _, values in series for rank in values})
    hosts, width = short_hosts(ranks), 0.8 / len(series)
    for number, (variant, values) in enumerate(series):
        heights = np.nan_to_num([values.get(rank, 0.0) for rank in members])
        places = np.arange(len(members)) + width * (number - (len(series) - 1) / 2)
        axes.bar(places, heights, width=width, color=colour(number), alpha=0.8, label=variant or None)
    step = -(-len(members) // MOST_NAMED)
    shown = range(0, len(members), step)
    names = [shortened(f"{hosts[members[i]]}:{members[i]}", NAME_LENGTH) for i in shown]
    many = len(names) > 6
    axes.set_xticks(list(shown), names, rotation=90 if many else 0, parse_math=False)
