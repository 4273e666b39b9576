"""Draws bandwidth over message size: a figure per kernel, a curve per run and class of links, marks where it falls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from everylink.errors import UserMistake
from everylink.figure.canvas import DPI, HEIGHT, INK, PALE_INK, WIDTH, rate_steps, shortened
from everylink.links.classes import LinkClass
from everylink.links.curves import Curve, Line, curves
from everylink.model.results import Results
from everylink.text.run import mode_text
from everylink.units import bandwidth_text, parsed_rate, size_text, tick_text

MOST_SIZES = 14  # labels of sizes on the axis
LABEL_LENGTH = 70
ROOM = 1.08  # limit of the axis / highest curve
ROW, MOST_LEGEND = 0.022, 0.35  # parts of the page's height: a row of the legend; the whole legend at most
FALLS = "bandwidth falls as the size grows"
CURVE_ENDINGS = (".html", ".pdf", ".png")


@dataclass(frozen=True)
class Labelled:
    """A curve with its name; `run`: number of its run in the figure, which selects the colour."""

    run: int
    label: str
    curve: Curve


@dataclass(frozen=True)
class Curves:
    """A figure of the runs of one kernel, what it shows, and a sentence for each fall."""

    title: str
    files: tuple[str, ...]
    figure: Figure
    drawn: Sequence[Labelled]
    falls: Sequence[str]


def draw_curves(title: str, rate_label: str, drawn: Sequence[Labelled], lines: Sequence[Line]) -> Figure:
    """An A4 landscape page: bandwidths on a linear axis above, on a logarithmic axis below."""
    figure = Figure(figsize=(HEIGHT / DPI, WIDTH / DPI), dpi=DPI)
    figure.text(0.06, 0.95, title, fontsize=13, weight="bold", color=INK, parse_math=False)
    rows = -(-(len(drawn) + 1) // 2)
    row = min(ROW, MOST_LEGEND / rows)
    top = 0.93 - row * rows
    upper = figure.add_axes((0.08, 0.32, 0.89, top - 0.34))
    lower = figure.add_axes((0.08, 0.08, 0.89, 0.20))
    for axes in (upper, lower):
        _draw(axes, drawn)
        _draw_falls(axes, drawn)
        for line in lines:
            axes.axhline(line.rate, color=PALE_INK, linestyle=":", linewidth=1.2)
        _label_sizes(axes, drawn, named=axes is lower)
        axes.set_ylabel(rate_label, fontsize=8)
    _set_rates(upper, lower, drawn, lines)
    for line in lines:
        where = upper.get_yaxis_transform()
        upper.text(
            0.005, line.rate, line.label, transform=where, fontsize=7.5, color=PALE_INK, va="bottom", parse_math=False
        )
    lower.set_xlabel("message size", fontsize=8)
    handles, labels = upper.get_legend_handles_labels()
    style = {"fontsize": 7.5 * row / ROW, "frameon": False, "borderpad": 0, "handlelength": 2.2, "labelspacing": 0.4}
    legend = figure.legend(handles, labels, loc="upper left", bbox_to_anchor=(0.055, 0.935), ncols=2, **style)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw(axes: Axes, drawn: Sequence[Labelled]) -> None:
    """Links within hosts are dashed if links between hosts are shown, too."""
    colours = colormaps["tab10"].colors  # type: ignore[attr-defined]
    both = len({one.curve.link_class for one in drawn}) > 1
    for one in drawn:
        curve, colour = one.curve, colours[one.run % len(colours)]
        label = shortened(one.label, LABEL_LENGTH)
        style = "--" if both and curve.link_class == LinkClass.SAME_HOST else "-"
        axes.fill_between(curve.bytes, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(curve.bytes, curve.median, style, color=colour, marker=".", markersize=4, linewidth=1.3, label=label)


def _draw_falls(axes: Axes, drawn: Sequence[Labelled]) -> None:
    label: str | None = FALLS
    for one in drawn:
        at = np.isin(one.curve.bytes, [fall.next_bytes for fall in one.curve.falls])
        if at.any():
            axes.plot(
                one.curve.bytes[at], one.curve.median[at], linestyle="none", marker="v", markersize=8,
                markerfacecolor="none", markeredgecolor=INK, label=label,
            )  # fmt: skip
            label = None


def _label_sizes(axes: Axes, drawn: Sequence[Labelled], named: bool) -> None:
    sizes = sorted({int(size) for one in drawn for size in one.curve.bytes})
    axes.set_xscale("log", base=2)
    shown = sizes[:: -(-len(sizes) // MOST_SIZES)]
    axes.set_xticks(shown, [size_text(size) if named else "" for size in shown])
    axes.set_xlim(sizes[0] / 1.3, sizes[-1] * 1.3)
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.5)
    axes.tick_params(labelsize=7, length=2.5, width=0.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)


def _set_rates(upper: Axes, lower: Axes, drawn: Sequence[Labelled], lines: Sequence[Line]) -> None:
    highest = max([float(one.curve.high.max()) for one in drawn] + [line.rate for line in lines])
    lowest = min(float(one.curve.low.min()) for one in drawn)
    upper.set_ylim(0, ROOM * highest)
    step = next(s for s in rate_steps(highest) if highest / s <= 8)
    ticks = np.arange(0, ROOM * highest, step)
    upper.set_yticks(ticks, [tick_text(bandwidth_text(tick)) if tick else "0" for tick in ticks])
    lower.set_yscale("log")
    lower.set_ylim(lowest / 1.5, 1.5 * highest)
    marks = [2.0**power for power in range(0, 60, 5) if lowest / 1.5 <= 2.0**power <= 1.5 * highest]
    lower.set_yticks(marks, [tick_text(bandwidth_text(mark)) for mark in marks])
    lower.minorticks_off()


def parsed_line(text: str) -> Line:
    """Parse a --line, `11.64GiB/s` or `HDR=200Gb/s`. Raises UserMistake."""
    label, _, rate = text.rpartition("=")
    try:
        found = parsed_rate(rate)
    except ValueError as error:
        raise UserMistake(f"--line {text}: {error}; a label may precede it: HDR=200Gb/s") from None
    return Line(found, f"{label.strip()}, {bandwidth_text(found)}" if label.strip() else bandwidth_text(found))


def run_label(run: Results, curve: Curve, one_class: bool) -> str:
    """Transport, library and file; and the class of links if there are two."""
    libraries = list(dict.fromkeys(filter(None, run.ranks.libraries)))
    library = f" ({libraries[0]})" if len(libraries) == 1 else ""
    where = "" if one_class and curve.link_class == LinkClass.OTHER_HOST else f", {curve.link_class}"
    return f"{mode_text(run)}{library}{where}, {run.path.name}"


def curve_figures(runs: Sequence[Results], lines: Sequence[Line]) -> list[Curves]:
    """One figure per kernel. Raises UserMistake without a curve."""
    kernels = dict.fromkeys(run.facts.kernel for run in runs)
    return [_figure([run for run in runs if run.facts.kernel == kernel], lines) for kernel in kernels]


def write_curves(figures: Sequence[Curves], path: Path) -> list[Path]:
    """Write all figures as .pdf or .png; return the paths."""
    from everylink.figure.files import Part, write_pdf, write_png

    drawn = [Part("", [partial(_given, one.figure) for one in figures])]
    if path.suffix.lower() == ".pdf":
        return write_pdf(drawn, path, "Everylink curves")
    return write_png(drawn, path)


def _given(figure: Figure) -> Figure:
    return figure


def _figure(runs: Sequence[Results], lines: Sequence[Line]) -> Curves:
    drawn: list[Labelled] = []
    falls: list[str] = []
    for i, run in enumerate(runs):
        found = curves(run)
        if not found:
            raise UserMistake(f"{run.path}: no link has a time at a message size above 0, so there is no curve")
        for curve in found:
            label = run_label(run, curve, len(found) == 1)
            drawn.append(Labelled(i, label, curve))
            falls += _falls(label, curve)
    title = f"{runs[0].facts.kernel} kernel: bandwidth over message size; median link, and 5 % to 95 % of the links"
    figure = draw_curves(title, runs[0].single_bandwidth_label, drawn, lines)
    return Curves(title, tuple(run.path.name for run in runs), figure, drawn, falls)


def _falls(label: str, curve: Curve) -> Iterator[str]:
    for fall in curve.falls:
        at = list(curve.bytes).index(fall.next_bytes)
        rates = f"{bandwidth_text(float(curve.median[at - 1]))} -> {bandwidth_text(float(curve.median[at]))}"
        sizes = f"from {size_text(fall.bytes)} to {size_text(fall.next_bytes)}"
        yield f"{label}: bandwidth falls by {1 - fall.part:.0%} {sizes} ({rates})"
