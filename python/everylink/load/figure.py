"""The page of a load pattern: facts, conclusions, its diagrams, a matrix."""

from collections.abc import Callable, Mapping
from functools import partial
from textwrap import wrap
from typing import Any

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from everylink.figure.canvas import ALARM, HEIGHT, INK, LEFT, PALE_INK, RIGHT, axes_at, blank_page, shortened, write
from everylink.figure.deviation import deviation_pixels, draw_legend, draw_scale
from everylink.figure.matrix import LARGEST, draw_matrix, matrix_labels, place
from everylink.judge.verdict import JudgedRun
from everylink.load.axes import Axis
from everylink.load.conclusions import all_conclusions
from everylink.load.diagram import Diagram, Mark, Rule, Series
from everylink.load.diagrams import diagrams_of
from everylink.load.matrix import Matrix, matrix_of
from everylink.load.words import load_lines, load_warnings
from everylink.model.loads import Load
from everylink.text.run import remarks, tool_text
from everylink.text.verdicts import verdict_lines

LINE, LINE_LENGTH = 11, 135
MOST_LINES = 16
PANEL_HEIGHT, GAP_BELOW, INDENT = 205, 62, 62
COLUMN = (RIGHT - LEFT) / 2
LABELS = 110  # pixels for the labels of a matrix
BARS_BOTTOM = 40
MANY_NAMES, NAME_LENGTH = 6, 12
COLOURS = colormaps["tab10"].colors  # type: ignore[attr-defined]
WIDEST, THINNER, THINNEST = 2.7, 0.6, 0.9  # first lines are wider, so that later ones do not hide them
STYLES = {Mark.LINE: "-", Mark.DOTTED: ":", Mark.DOT: "None"}


def load_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """Functions that draw each page, one per pattern."""
    return [partial(load_page, run, load) for load in run.results.loads]


def load_page(run: JudgedRun, load: Load) -> Figure:
    """Draw one pattern of a run."""
    figure = blank_page()
    top = _draw_head(figure, run, load) + 34
    drawn = diagrams_of(run.results, load)
    for number, diagram in enumerate(drawn):
        left = LEFT + COLUMN * (number % 2)
        upper = top + (PANEL_HEIGHT + GAP_BELOW) * (number // 2)
        write(figure, left, upper - 8, diagram.title, weight="bold", fontsize=7.5)
        _draw(axes_at(figure, left + INDENT, upper, COLUMN - INDENT - 18, PANEL_HEIGHT), diagram)
    top += (PANEL_HEIGHT + GAP_BELOW) * -(-len(drawn) // 2)
    side = min(LARGEST, int(HEIGHT - BARS_BOTTOM - 60 - top) - LABELS)
    if drawn and (matrix := matrix_of(run, load, side)):
        _draw_matrix(figure, matrix, top, side)
    return figure


def _draw(axes: Axes, diagram: Diagram) -> None:
    """Draw a diagram, with a pale grid, and a legend if anything has a name."""
    for rule in diagram.rules:
        _draw_rule(axes, rule)
    for one in diagram.series:
        _draw_series(axes, one)
    _set_axis(axes.set_xscale, axes.set_xlim, axes.set_xticks, diagram.x)
    _set_axis(axes.set_yscale, axes.set_ylim, axes.set_yticks, diagram.y)
    if any(one.mark is Mark.BAR or one.mark is Mark.DOT for one in diagram.series):
        axes.tick_params(axis="x", rotation=90 if len(diagram.x.ticks) > MANY_NAMES else 0)
    axes.set_xlabel(diagram.x.label, fontsize=7)
    axes.set_ylabel(diagram.y.label, fontsize=7)
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=6.5, length=2.5, width=0.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        drawn = axes.legend(handles, labels, fontsize=6.5, frameon=False, borderpad=0, handlelength=1.6, loc="best")
        for text in drawn.get_texts():
            text.set_parse_math(False)


def _draw_series(axes: Axes, series: Series) -> None:
    hue, shade, points = series.hue, COLOURS[series.hue % len(COLOURS)], series.points
    xs, ys = [point.x for point in points], [point.y for point in points]
    lows, highs = [point.low for point in points], [point.high for point in points]
    if series.mark is Mark.BAR:
        whiskers: Mapping[str, Any] = {}
        if series.interval:
            ends = [[y - low for y, low in zip(ys, lows, strict=True)], [h - y for y, h in zip(ys, highs, strict=True)]]
            whiskers = {"yerr": ends, "error_kw": {"elinewidth": 0.8, "ecolor": PALE_INK, "capsize": 2}}
        axes.bar(xs, ys, width=series.width, color=shade, alpha=0.8, label=series.name or None, **whiskers)
    else:
        if series.interval:
            axes.fill_between(xs, lows, highs, color=shade, alpha=0.2, linewidth=0, label=series.interval)
        width = max(THINNEST, WIDEST - THINNER * hue) if series.mark is Mark.LINE else 1.2
        style = {"marker": ".", "markersize": 5, "color": shade, "linewidth": width}
        axes.plot(xs, ys, STYLES[series.mark], label=series.name or None, **style)
    for point in points:
        if point.note:
            axes.annotate(point.note, (point.x, point.y), (0, 4), textcoords="offset points", ha="center", fontsize=7)


def _draw_rule(axes: Axes, rule: Rule) -> None:
    shade = ALARM if rule.is_limit else PALE_INK if rule.hue < 0 else COLOURS[rule.hue]
    if rule.low < rule.high:
        span = axes.axvspan if rule.axis == "x" else axes.axhspan
        span(rule.low, rule.high, color=shade, alpha=0.25, linewidth=0, label=rule.name)
    else:
        line = axes.axvline if rule.axis == "x" else axes.axhline
        line(rule.low, color=shade, linestyle="--" if rule.is_limit else ":", linewidth=1.2, label=rule.name)


def _set_axis(scale: Callable[..., Any], limits: Callable[..., Any], ticks: Callable[..., Any], axis: Axis) -> None:
    scale("log" if axis.is_log else "linear")
    limits(axis.low, axis.high)
    ticks(
        [value for value, _ in axis.ticks], [shortened(text, NAME_LENGTH) for _, text in axis.ticks], parse_math=False
    )


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


def _draw_matrix(figure: Figure, matrix: Matrix, top: float, side: int) -> None:
    """Draw the matrix of connections as the pages of links do."""
    found, bottom = matrix.found, HEIGHT - BARS_BOTTOM - 60
    labels = matrix_labels(found.blocks.order, found.blocks.edges, side)
    where = place(len(found.blocks), labels, round(top), bottom, side)
    write(figure, LEFT, top - 8, matrix.title, weight="bold", fontsize=7.5)
    draw_matrix(figure, where, deviation_pixels(found, where.cell), labels)
    draw_legend(figure, where, found)
    draw_scale(figure, HEIGHT - BARS_BOTTOM - 14)
