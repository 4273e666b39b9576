"""Draws how the links' times are distributed; counts are logarithmic, so that one link among a million is visible."""

import numpy as np
from matplotlib.axes import Axes

from everylink.analysis.histogram import Histogram
from everylink.plots.canvas import INK
from everylink.plots.colours import palette
from everylink.plots.ticks import time_ticks
from everylink.units import tick_text, time_text

MANY = 1000
FLOOR = 0.6  # a bar of one link must have a height


def draw_histogram(axes: Axes, counted: Histogram) -> None:
    """Draw the counts of each class over a logarithmic time axis."""
    low, high = counted.edges[0], counted.edges[-1]
    for link_class, counts in counted.counts.items():
        colour = palette(link_class)[int(0.7 * len(palette(link_class)))] / 255
        heights = np.where(counts > 0, counts, FLOOR)
        axes.stairs(heights, counted.edges, baseline=FLOOR, color=colour, label=str(link_class), fill=True, alpha=0.8)
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
