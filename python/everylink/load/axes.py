"""Axes of sizes, bandwidths and times, and colours: shared by the panels of a load pattern's page."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from everylink.figure.canvas import INK, bandwidth_ticks, rate_steps, time_ticks
from everylink.units import bandwidth_text, size_text, tick_text, time_text

MOST_NAMED = 7  # labels of sizes on an axis
ROOM = 1.1  # limit of an axis / highest value
NARROWEST = 4.0  # a logarithmic axis spans at least this factor


def colour(number: int) -> tuple[float, float, float]:
    """The colour of one of several curves."""
    colours = colormaps["tab10"].colors  # type: ignore[attr-defined]
    found: tuple[float, float, float] = colours[number % len(colours)]
    return found


def width_of(number: int) -> float:
    """Line width of one of several curves; the first ones are wider, so that later ones do not hide them."""
    return max(0.9, 2.7 - 0.6 * number)


def finish(axes: Axes, x_label: str, y_label: str, legend: bool = True) -> None:
    """Add labels, a pale grid, and a legend if curves have names."""
    axes.set_xlabel(x_label, fontsize=7)
    axes.set_ylabel(y_label, fontsize=7)
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=6.5, length=2.5, width=0.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    if legend and handles:
        drawn = axes.legend(handles, labels, fontsize=6.5, frameon=False, borderpad=0, handlelength=1.6, loc="best")
        for text in drawn.get_texts():
            text.set_parse_math(False)


def size_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """A logarithmic axis of message sizes in bytes."""
    axes.set_xscale("log", base=2)
    shown = sizes[:: -(-len(sizes) // MOST_NAMED)]
    axes.set_xticks(shown, [size_text(size) for size in shown])
    axes.set_xlim(sizes[0] / 1.5, sizes[-1] * 1.5)


def count_axis(axes: Axes, counts: Sequence[int]) -> None:
    """An axis of whole numbers, logarithmic if the range is wide."""
    if counts[0] > 0 and counts[-1] >= 16 * counts[0]:
        axes.set_xscale("log", base=2)
        shown = [2**power for power in range(64) if counts[0] <= 2**power <= counts[-1]]
    else:
        step = max(1, -(-(counts[-1] - counts[0]) // 10))
        shown = list(range(counts[0], counts[-1] + 1, step))
    axes.set_xticks(shown, list(map(str, shown)))


def rate_axis(axes: Axes, highest: float) -> None:
    """An axis of bandwidths in bytes/s, from 0 up."""
    if not highest > 0:
        return
    axes.set_ylim(0, ROOM * highest)
    step = next(step for step in rate_steps(highest) if highest / step <= 6)
    ticks = np.arange(0, ROOM * highest, step)
    axes.set_yticks(ticks, [tick_text(bandwidth_text(tick)) if tick else "0" for tick in ticks])


def log_rate_axis(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis of bandwidths in bytes/s."""
    if (limits := _limits(values)) is not None:
        axes.set_yscale("log")
        axes.set_ylim(*limits)
        first, last = math.ceil(math.log2(limits[0])), math.floor(math.log2(limits[1]))
        ticks = [2.0**power for power in range(first, last + 1, 1 + (last - first) // 6)]
        ticks = ticks if len(ticks) > 1 else bandwidth_ticks(*limits, 6).tolist()
        axes.set_yticks(ticks, [tick_text(bandwidth_text(tick)) for tick in ticks])


def log_time_axis(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis of times in seconds."""
    if (limits := _limits(values)) is not None:
        axes.set_yscale("log")
        axes.set_ylim(*limits)
        ticks = time_ticks(*limits, 6)
        axes.set_yticks(ticks, [tick_text(time_text(tick)) for tick in ticks])


def time_axis(axes: Axes, highest: float) -> None:
    """An axis of times in seconds, from 0 up."""
    if highest > 0:
        axes.set_ylim(0, ROOM * highest)
        ticks = [tick for tick in axes.get_yticks() if 0 <= tick <= ROOM * highest]
        axes.set_yticks(ticks, [tick_text(time_text(tick)) if tick else "0" for tick in ticks])


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    known = [value for value in values if math.isfinite(value) and value > 0]
    if not known:
        return None
    low, high = min(known) / 1.4, max(known) * 1.4
    wider = max(1.0, math.sqrt(NARROWEST * low / high))
    return low / wider, high * wider
