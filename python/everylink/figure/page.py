"""Draws one A4 page for one size of one run: facts and numbers, matrix, colour bar, histogram, worst links."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from everylink.deviation.blocks import blocks_of
from everylink.deviation.reduce import deviations
from everylink.deviation.usual import usual_of
from everylink.figure.canvas import (
    ALARM,
    HEIGHT,
    INK,
    LEFT,
    PALE_INK,
    RIGHT,
    WIDTH,
    axes_at,
    beginning,
    blank_page,
    shortened,
    time_ticks,
    write,
    write_within,
)
from everylink.figure.deviation import deviation_pixels, draw_legend, draw_scale
from everylink.figure.matrix import LARGEST, draw_matrix, matrix_labels, place
from everylink.judge.verdict import JudgedRun
from everylink.links.classes import Histogram, histogram, summarise
from everylink.links.extremes import SlowLink, slowest
from everylink.links.failed import fold_failures
from everylink.links.hosts import short_hosts
from everylink.links.turns import turn_means
from everylink.model.results import UNKNOWN, Results, Size
from everylink.model.rows import outcome_text
from everylink.text.run import (
    began_and_ended,
    bisection_texts,
    kernel_text,
    link_warnings,
    messages_of,
    mode_text,
    rate_text,
    remarks,
    tool_text,
)
from everylink.text.verdicts import verdict_lines
from everylink.units import bandwidth, bandwidth_text, size_text, tick_text, time_text

TOP, LINE, COLUMNS = 98, 14, 5
COLUMN_WIDTH, NAME_WIDTH = 146, 54
MOST_WARNINGS, WARNING_LENGTH, WARNING_LINE = 3, 150, 10
COMMAND_LENGTH, MOST_COMMAND = 125, 2  # characters of a line, and lines
TEXTS_LEFT, TEXTS_WIDTH = 154, 157
MANY = 1000
FLOOR = 0.6  # lower limit of the axis, so that a bar of one link has a height
MOST_FAILED = 4
LINE_LENGTH, MOST_LINES = 84, 11  # characters, and lines of them
WORST_LINE = 12
FIRST_RIGHT, BANDWIDTH_RIGHT = 622, 700
BOTTOM = 1146
MATRIX_TOP, MATRIX_BOTTOM = 240, 880
BARS_TOP = 902
BOTTOM_TOP = 972
BARS: dict[bool, dict[str, Any]] = {True: {"color": "#6b9ac4"}, False: {"color": "#8a3800", "linewidth": 1.1}}


def draw_head(figure: Figure, run: JudgedRun, size: Size) -> None:
    """Draw title, warnings and the box of facts and numbers."""
    results, facts = run.results, run.results.facts
    write(figure, LEFT, 52, shortened(results.path.name, 50), fontsize=14, weight="bold")
    write(figure, RIGHT, 52, ", ".join(filter(None, (tool_text(results), facts.created))), ha="right", color=PALE_INK)
    verdicts = verdict_lines(run.judgement)
    for i, line in enumerate(_few(verdicts + link_warnings(results) + remarks(results))):
        write(figure, LEFT, 66 + WARNING_LINE * i, line, color=ALARM, fontsize=7)
    facts_shown = _facts(results, size)
    rows = [*_command(facts.command), *_numbers(results, size)]
    lines = -(-len(facts_shown) // COLUMNS)
    _draw_box(figure, LINE * (lines + len(rows)) + 8)
    for i, (name, value) in enumerate(facts_shown):
        x, y = LEFT + 10 + i % COLUMNS * COLUMN_WIDTH, TOP + 10 + LINE * (i // COLUMNS)
        write(figure, x, y, name, color=PALE_INK, fontsize=7)
        write(figure, x + NAME_WIDTH, y, beginning(value, 15), fontsize=7)
    for i, (name, texts) in enumerate(rows):
        y = TOP + 10 + LINE * (lines + i)
        write(figure, LEFT + 10, y, name, color=PALE_INK, fontsize=7)
        width = TEXTS_WIDTH if len(texts) > 1 else RIGHT - TEXTS_LEFT
        for column, text in enumerate(texts):
            write_within(figure, TEXTS_LEFT + width * column, y, text, width - 6)


def _command(command: str) -> list[tuple[str, list[str]]]:
    """The command line, wrapped; of a long one its beginning."""
    lines = wrap(command, COMMAND_LENGTH)
    if len(lines) > MOST_COMMAND:
        lines = [*lines[: MOST_COMMAND - 1], beginning(" ".join(lines[MOST_COMMAND - 1 :]), COMMAND_LENGTH)]
    return [("" if i else "command", [line]) for i, line in enumerate(lines)]


def _numbers(results: Results, size: Size) -> list[tuple[str, list[str]]]:
    """When the run was, the times of each class of links as `show` has them, and what the run printed at its end."""

    def texts(times: Iterable[tuple[str, float]]) -> list[str]:
        known = [(name, time_text(t), rate_text(results, size, t)) for name, t in times if math.isfinite(t)]
        return [f"{name} {time} ({rate})" for name, time, rate in known] or ["no link has a time"]

    when = began_and_ended(results)
    rows = [("started", [when])] if when else []
    rows.append(("one-way time", [f"median of each link, and {results.bandwidth_label}"]))
    rows += [(str(one.link_class), texts(vars(one.time).items())) for one in summarise(results, size).classes]
    if means := turn_means(size):
        least, mean, most = texts((("min", means.min), ("avg", means.mean), ("max", means.max)))
        rows.append(("mean of each turn", [least, mean, "", most]))
    if rates := bisection_texts(results, size):
        rows.append(("bisection, a step", [rates[0], rates[1], "", rates[2]]))
    return rows


def _few(lines: list[str]) -> list[str]:
    """As many lines as fit, wrapped."""
    parts = [part for line in lines for part in wrap(line, WARNING_LENGTH)]
    if len(parts) <= MOST_WARNINGS:
        return parts
    left = len(parts) - MOST_WARNINGS + 1
    return [*parts[: MOST_WARNINGS - 1], f"and {left} more lines, which everylink show and everylink diagnose list"]


def _facts(results: Results, size: Size) -> list[tuple[str, str]]:
    facts = results.facts
    return [
        ("ranks", str(facts.ranks)),
        ("mode", mode_text(results)),
        ("kernel", kernel_text(results).removeprefix("kernel ")),
        ("size", size_text(size.bytes)),
        ("messages", str(messages_of(results, size))),
        ("hosts", str(facts.hosts)),
        ("memory", facts.memory),
        ("schedule", facts.schedule),
        ("pairs", "serial" if facts.serial else "parallel"),
        ("warm-ups", UNKNOWN if facts.warmups < 0 else str(facts.warmups)),
    ]


def _draw_box(figure: Figure, height: int) -> None:
    corner = (LEFT / WIDTH, 1 - (TOP - 4 + height) / HEIGHT)
    size = ((RIGHT - LEFT) / WIDTH, height / HEIGHT)
    figure.add_artist(Rectangle(corner, *size, facecolor="#f4f4f4", edgecolor="#bbbbbb", linewidth=0.5))


def draw_histogram(axes: Axes, counted: Histogram) -> None:
    """Draw the counts of each class over a logarithmic time axis."""
    low, high = counted.edges[0], counted.edges[-1]
    for filled, (link_class, counts) in zip((True, False), counted.counts.items(), strict=False):
        heights, style = np.where(counts > 0, counts, FLOOR), BARS[filled]  # an outline hides no bar behind it
        axes.stairs(heights, counted.edges, baseline=FLOOR, label=str(link_class), fill=filled, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    most = max(int(counts.max()) for counts in counted.counts.values())
    axes.set_ylim(FLOOR, 2.5 * most)
    ticks = time_ticks(low, high, 5)
    axes.set_xticks(ticks, [tick_text(time_text(t)) for t in ticks])
    marks = [step * 10**p for p in range(len(str(most))) for step in ((1, 2, 5) if most < MANY else (1,))]
    axes.set_yticks(marks, [str(c) if c < MANY else f"$10^{len(str(c)) - 1}$" for c in marks])
    axes.minorticks_off()
    axes.tick_params(labelsize=7, length=2.5, width=0.5, colors=INK)
    axes.set_ylabel("links", fontsize=7.5)
    axes.spines[["top", "right"]].set_visible(False)
    if len(counted.counts) > 1:
        style = {"fontsize": 6.5, "frameon": False, "borderpad": 0, "handlelength": 1, "columnspacing": 1}
        axes.legend(loc="lower right", bbox_to_anchor=(1, 0.99), ncols=2, **style)


def draw_worst(figure: Figure, results: Results, size: Size, left: float, top: float) -> None:
    """Write the failed links, and below them the slowest links."""
    y = top
    failed = fold_failures(results, size)
    if failed.failed:
        heading, _, again = failed.heading().partition("; ")
        write(figure, left, y, f"failed: {heading}", weight="bold", fontsize=7.5, color=ALARM)
        texts = [again, *failed.lines(MOST_FAILED)]
        for line in [part for text in texts for part in wrap(text, LINE_LENGTH)][:MOST_LINES]:
            y += WORST_LINE
            write(figure, left, y, line, fontsize=6.5, color=ALARM)
        y += 18
    links = slowest(results, size, count=max(0, int((BOTTOM - y) / WORST_LINE)))
    if not links:
        return
    write(figure, left, y, "slowest links, measured again", weight="bold", fontsize=7.5)
    both = "both directions" if results.directions == 2 else "bandwidth"
    rate_heading = both if len(results.possible_directions) == 1 else "one direction"
    for right, heading in ((FIRST_RIGHT, "one-way"), (BANDWIDTH_RIGHT, rate_heading), (RIGHT, "again")):
        write(figure, right, y, heading, fontsize=6.5, color=PALE_INK, ha="right")
    for i, link in enumerate(links):
        _draw_link(figure, results, size, link, left, y + WORST_LINE * (i + 1))


def _draw_link(figure: Figure, results: Results, size: Size, link: SlowLink, left: float, y: float) -> None:
    hosts = short_hosts(results.ranks)
    first, last = (shortened(f"{hosts[rank]}:{results.ranks.ends[rank]}", 16) for rank in (link.frm, link.to))
    rate = bandwidth_text(bandwidth(size.bytes, link.first, results.directions))
    again = ""
    if link.second is not None and link.second_outcome is not None:
        again = outcome_text(link.second_outcome) if math.isnan(link.second) else time_text(link.second)
    write(figure, left, y, f"{first} -> {last}", fontsize=6.5)
    for right, text in ((FIRST_RIGHT, time_text(link.first)), (BANDWIDTH_RIGHT, rate), (RIGHT, again)):
        write(figure, right, y, text, fontsize=6.5, ha="right")


def link_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """Functions that draw each page, one per message size."""
    return [partial(page, run, size) for size in run.results.sizes]


def page(run: JudgedRun, size: Size) -> Figure:
    """Draw one size of one run."""
    figure, results = blank_page(), run.results
    draw_head(figure, run, size)
    blocks = blocks_of(results.ranks, LARGEST)
    found, order = deviations(size, usual_of(run, size), blocks), blocks.order
    labels = matrix_labels(order, blocks.edges)
    where = place(len(blocks), labels, MATRIX_TOP, MATRIX_BOTTOM)
    draw_matrix(figure, where, deviation_pixels(found, where.cell), labels)
    draw_legend(figure, where, found)
    draw_scale(figure, BARS_TOP)
    if counted := histogram(results, size):
        write(figure, LEFT, BOTTOM_TOP - 6, "links by one-way time", weight="bold", fontsize=7.5)
        draw_histogram(axes_at(figure, LEFT + 36, BOTTOM_TOP, 290, 150), counted)
    draw_worst(figure, results, size, left=388, top=BOTTOM_TOP - 6)
    if not order.natural:
        write(figure, LEFT, HEIGHT - 14, "Ranks are drawn host by host.", fontsize=6.5, color=PALE_INK)
    return figure
