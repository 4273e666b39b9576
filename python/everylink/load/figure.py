"""The page of a load pattern: facts, conclusions, panels over the points of the sweep, a matrix."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from everylink.figure.canvas import ALARM, HEIGHT, INK, LEFT, PALE_INK, RIGHT, axes_at, blank_page, shortened, write
from everylink.figure.colours import draw_colour_bars, paint
from everylink.figure.matrix import LARGEST, draw_legend, draw_matrix, enlarged, even_edges, matrix_labels, place
from everylink.judge.verdict import JudgedRun
from everylink.links.hosts import drawn_order
from everylink.links.shading import shade
from everylink.load.axes import colour, count_axis, finish, log_rate_axis, log_time_axis, rate_axis, size_axis
from everylink.load.conclusions import all_conclusions
from everylink.load.links import MATRICES, as_links
from everylink.load.service_figure import service_panels
from everylink.load.sums import SceneSums, effective_bisection, impact, knee, mean_flow, round_sums, scene_sums, victims
from everylink.load.words import load_lines, load_warnings
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.text.run import remarks, tool_text
from everylink.text.verdicts import verdict_lines
from everylink.units import bandwidth_text, size_text

BINS = 12
NARROWEST = 0.01  # half width of the distribution / mean, at least; otherwise noise would fill it
TIMES = ("mean", "median", "p99")
LINE, LINE_LENGTH = 11, 135
MOST_LINES = 16
PANEL_HEIGHT, GAP_BELOW, INDENT = 205, 62, 62
COLUMN = (RIGHT - LEFT) / 2
LABELS = 110  # pixels for the labels of a matrix
BARS_BOTTOM = 40


@dataclass(frozen=True)
class Panel:
    """A diagram with its heading."""

    title: str
    draw: Callable[[Axes], None]


def panels(results: Results, load: Load) -> list[Panel]:
    """The panels of a pattern, at its largest size and over its sizes; empty if nothing was measured."""
    if load.name == "client-server":
        return [Panel(title, draw) for title, draw in service_panels(results, load)]
    every = scene_sums(load)
    sums = [scene for scene in every if load.sizes and scene.bytes == load.sizes[-1]]
    if not any(math.isfinite(scene.rate.total) or math.isfinite(scene.latency.mean) for scene in sums):
        return []
    at = f" at {size_text(sums[0].bytes)}"
    found = [Panel(title.format(at=at), partial(draw, load=load, sums=sums)) for title, draw in _OF.get(load.name, [])]
    if len(load.sizes) > 1:
        over = _rounds_over_size if load.name == "all-to-all" else _rate_over_size
        found.append(
            Panel(
                "flows of the load over message size" if load.name == "victim" else "over message size",
                lambda axes: over(axes, load, every),
            )
        )
    return found


def _spread(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    """The slowest, mean and fastest flow of each scene."""
    known = sorted((s for s in sums if math.isfinite(s.rate.mean)), key=lambda scene: scene.point)
    if known:
        points = [scene.point for scene in known]
        low, mean, high = ([getattr(s.rate, name) for s in known] for name in ("min", "mean", "max"))
        axes.fill_between(points, low, high, color=colour(0), alpha=0.2, linewidth=0, label="slowest to fastest flow")
        axes.plot(points, mean, marker=".", markersize=5, linewidth=1.2, color=colour(0), label="mean of the flows")
        count_axis(axes, points)
        rate_axis(axes, max(high))
    finish(axes, load.point, "bandwidth of a flow")


def _quarter(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    """As _spread, with a quarter of a lone flow's bandwidth, and the point from which flows get less."""
    alone = sums[0].rate.mean
    if sums[0].point == 1 and math.isfinite(alone):
        axes.axhline(alone / 4, color=PALE_INK, linestyle=":", linewidth=1.2, label="a quarter of one alone")
        if (count := knee(sums)) is not None:
            label = f"below it from {count} {load.point} on"
            axes.axvline(count, color=ALARM, linestyle="--", linewidth=1, label=label)
    _spread(axes, load, sums)


def _total(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    known = sorted((s for s in sums if math.isfinite(s.rate.total)), key=lambda scene: scene.point)
    if known:
        points, totals = [scene.point for scene in known], [scene.rate.total for scene in known]
        axes.plot(points, totals, marker=".", markersize=5, linewidth=1.2, color=colour(1))
        count_axis(axes, points)
        rate_axis(axes, max(totals))
    finish(axes, load.point, "bandwidth of all flows")


def _ring(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    """One bar per ring: its mean flow; the whisker spans slowest to fastest."""
    known = [scene for scene in sums if math.isfinite(scene.rate.mean)]
    for variant in dict.fromkeys(scene.variant for scene in known):
        places = [i for i, scene in enumerate(known) if scene.variant == variant]
        means = np.array([known[i].rate.mean for i in places])
        ends = [
            [known[i].rate.mean - known[i].rate.min for i in places],
            [known[i].rate.max - known[i].rate.mean for i in places],
        ]
        shade = colour(0 if variant == "natural" else 1)
        style = {"elinewidth": 0.8, "ecolor": PALE_INK, "capsize": 2}
        axes.bar(places, means, yerr=ends, color=shade, alpha=0.8, error_kw=style, label=variant or None)
    if known:
        axes.set_xticks(range(len(known)), [str(scene.point) for scene in known])
        rate_axis(axes, 1.15 * max(scene.rate.max for scene in known))
    finish(axes, "ring", "bandwidth of a flow")


def _distribution(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    totals = np.array([scene.rate.total for scene in sums if math.isfinite(scene.rate.total)])
    mean, low, high = effective_bisection(sums)
    unit = 2 ** (10 * int(math.log2(max(mean, 1)) // 10))
    name = bandwidth_text(float(unit)).split()[1]
    middle, half = (totals.max() + totals.min()) / 2, max((totals.max() - totals.min()) / 2, NARROWEST * mean)
    limits = ((middle - half) / unit, (middle + half) / unit)
    axes.hist(totals / unit, bins=min(BINS, max(4, len(totals) // 2)), range=limits, color=colour(0), alpha=0.6)
    axes.plot(totals / unit, np.full(len(totals), 0.05), "|", color=colour(0), markersize=9)
    if math.isfinite(low):
        axes.axvspan(
            low / unit, high / unit, color=colour(1), alpha=0.25, linewidth=0, label="95 % interval of the mean"
        )
    axes.axvline(mean / unit, color=colour(1), linewidth=1.4, label=f"mean {bandwidth_text(mean)}")
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    finish(axes, f"bandwidth between the halves ({name})", "draws")


def _impact(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    """Bars for alone and loaded, annotated with the factor between them."""
    found = impact(sums)
    heights: list[float] = []
    for number, variant in enumerate(("alone", "loaded")):
        values = [getattr(victims(sums, variant), name) for name in TIMES]
        places = np.arange(len(TIMES)) + 0.36 * number - 0.18
        axes.bar(places, values, width=0.34, color=colour(number), alpha=0.8, label=variant)
        heights += values
    log_time_axis(axes, heights)
    for at, name in enumerate(TIMES):
        factor = getattr(found, name)
        if math.isfinite(factor):
            axes.annotate(
                f"x {factor:.2f}", (at + 0.18, heights[len(TIMES) + at]), ha="center", va="bottom", fontsize=7
            )
    axes.set_xticks(range(len(TIMES)), TIMES)
    finish(axes, "", "one-way latency of the victims")


def _repeats(axes: Axes, load: Load, sums: Sequence[SceneSums]) -> None:
    for number, variant in enumerate(("alone", "loaded")):
        known = [scene for scene in sums if scene.variant == variant and math.isfinite(scene.latency.mean)]
        points = [scene.point for scene in known]
        for name, style in (("mean", "-"), ("p99", ":")):
            times = [getattr(scene.latency, name) for scene in known]
            axes.plot(points, times, style, marker=".", color=colour(number), label=f"{variant}, {name}")
    log_time_axis(axes, [getattr(scene.latency, name) for scene in sums for name in ("mean", "p99")])
    count_axis(axes, sorted({scene.point for scene in sums}))
    finish(axes, load.point, "one-way latency of the victims")


def _rate_over_size(axes: Axes, load: Load, every: Sequence[SceneSums]) -> None:
    """The mean flow at the first and last point, or over all points if these are repetitions."""
    points = sorted({scene.point for scene in every})
    chosen = [points[0], points[-1]] if load.point in ("senders", "receivers") else [None]
    drawn: list[float] = []
    for number, point in enumerate(dict.fromkeys(chosen)):
        rates = [
            mean_flow([scene for scene in every if scene.bytes == size and point in (None, scene.point)])
            for size in load.sizes
        ]
        label = "mean of all scenes" if point is None else f"{load.point}: {point}"
        axes.plot(load.sizes, rates, marker=".", markersize=5, linewidth=1.2, color=colour(number), label=label)
        drawn += rates
    size_axis(axes, load.sizes)
    log_rate_axis(axes, drawn)
    finish(axes, "message size", "bandwidth of a flow")


def _rounds_over_size(axes: Axes, load: Load, every: Sequence[SceneSums]) -> None:
    rates = [one.rate for one in round_sums(every)]
    axes.plot(load.sizes, rates, marker=".", markersize=5, linewidth=1.2, color=colour(1))
    size_axis(axes, load.sizes)
    log_rate_axis(axes, rates)
    finish(axes, "message size", "bandwidth of all flows, mean of the rounds")


Draw = Callable[..., None]  # called with axes, load and sums
_OF: dict[str, list[tuple[str, Draw]]] = {
    "incast": [("what each sender has{at}", _quarter), ("what all have together{at}", _total)],
    "outcast": [("what each receiver has{at}", _quarter), ("what all have together{at}", _total)],
    "shift": [("flows over the distance{at}", _spread), ("all flows over the distance{at}", _total)],
    "ring": [("each ring: mean flow, slowest to fastest{at}", _ring)],
    "random-bisection": [
        ("draws by what all flows have together{at}", _distribution),
        ("flows of each draw{at}", _spread),
    ],
    "victim": [("victims alone and under load, means of the repeats", _impact), ("each repeat", _repeats)],
    "all-to-all": [("flows of each round{at}", _spread), ("all flows of each round{at}", _total)],
}


def load_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """Functions that draw each page, one per pattern."""
    return [partial(load_page, run, load) for load in run.results.loads]


def load_page(run: JudgedRun, load: Load, head: bool = True) -> Figure:
    """Draw one pattern of a run; `head`: with the facts of the run, the verdicts and the conclusions."""
    figure, results = blank_page(), run.results
    top = _draw_head(figure, run, load) + 34 if head else 34
    drawn = panels(results, load)
    for number, panel in enumerate(drawn):
        left = LEFT + COLUMN * (number % 2)
        upper = top + (PANEL_HEIGHT + GAP_BELOW) * (number // 2)
        write(figure, left, upper - 8, panel.title, weight="bold", fontsize=7.5)
        panel.draw(axes_at(figure, left + INDENT, upper, COLUMN - INDENT - 18, PANEL_HEIGHT))
    top += (PANEL_HEIGHT + GAP_BELOW) * -(-len(drawn) // 2)
    if drawn and load.name in MATRICES:
        _draw_matrix(figure, results, load, top)
    return figure


def _draw_head(figure: Figure, run: JudgedRun, load: Load) -> float:
    """Write the facts of the run, the verdicts and the conclusions; return the position of the last line."""
    results = run.results
    write(figure, LEFT, 52, shortened(results.path.name, 50), fontsize=14, weight="bold")
    created = ", ".join(filter(None, (tool_text(results), results.facts.created)))
    write(figure, RIGHT, 52, created, ha="right", color=PALE_INK)
    top = 70.0
    kinds = (
        (load_lines(results), PALE_INK, "normal"),
        (verdict_lines(run.judgement) + load_warnings(results) + remarks(results), ALARM, "normal"),
        (all_conclusions(load, results.ranks.name), INK, "bold"),
    )
    lines = [(part, c, w) for texts, c, w in kinds for text in texts for part in wrap(text, LINE_LENGTH)]
    for number, (line, shade_of, weight) in enumerate(lines[:MOST_LINES]):
        write(figure, LEFT, top + LINE * number, line, color=shade_of, weight=weight, fontsize=6.8)
    return top + LINE * min(len(lines), MOST_LINES)


def _draw_matrix(figure: Figure, results: Results, load: Load, top: float) -> None:
    """Draw the matrix of connections at the largest size, as `show` and the pages of links do."""
    links = as_links(results, load)
    size, order = links.sizes[-1], drawn_order(results.ranks)
    bottom = HEIGHT - BARS_BOTTOM - 60
    side = min(LARGEST, int(bottom - top) - LABELS)
    shading = shade(links, size, order, side)
    labels = matrix_labels(order, even_edges(len(order.ranks), shading.fold), side)
    where = place(len(shading.position), labels, round(top), bottom, side)
    title = f"connections at {size_text(size.bytes)}: time of a message at the rate of the flow, median of its scenes"
    write(figure, LEFT, top - 8, title, weight="bold", fontsize=7.5)
    draw_matrix(figure, where, enlarged(paint(shading), where.cell), labels)
    draw_legend(figure, where, shading)
    draw_colour_bars(figure, links, size, shading, HEIGHT - BARS_BOTTOM - 14, "time of a message")
