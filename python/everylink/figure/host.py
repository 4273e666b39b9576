"""Draws the links of one host: what it sends and receives, beside the typical time of all links."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from everylink.figure.canvas import ALARM, DPI, HEIGHT, INK, PALE_INK, WIDTH, time_ticks
from everylink.model.results import Results, Size
from everylink.units import size_text, tick_text, time_text

MOST_SIZES, MOST_NAMES = 4, 48
COLOURS = ("#2060c0", "#c07000")


def host_page(results: Results, host: int, names: Sequence[str]) -> Figure:
    """A landscape page with a panel per message size, the largest last; `names` of the hosts, by index."""
    sizes = results.sizes[-MOST_SIZES:]
    figure = Figure(figsize=(HEIGHT / DPI, WIDTH / DPI), dpi=DPI)
    title = f"{names[host]}: one-way times of its links to other hosts"
    figure.text(0.06, 0.95, title, fontsize=13, weight="bold", color=INK, parse_math=False)
    for place, size in enumerate(sizes):
        height = 0.80 / len(sizes)
        axes = figure.add_axes((0.09, 0.14 + (len(sizes) - 1 - place) * height, 0.88, height * 0.84))
        _draw(axes, results, size, host, names, last=place == len(sizes) - 1)
    return figure


def _draw(axes: Axes, results: Results, size: Size, host: int, names: Sequence[str], last: bool) -> None:
    links, hosts = size.links, results.ranks.host_index
    frm, to = hosts[links.frm], hosts[links.to]
    times = links.median.astype(np.float64)
    between = (frm != to) & np.isfinite(times) & (times > 0)
    sides = ((frm == host, to, "sends"), (to == host, frm, "receives"))
    drawn = []
    for (mine, peer, label), colour, marker in zip(sides, COLOURS, "^v", strict=True):
        index = np.flatnonzero(mine & between)
        drawn.append(times[index])
        axes.plot(peer[index], times[index], marker, color=colour, markersize=5, linestyle="none", label=label)
        dead = np.flatnonzero(mine & links.failed & (frm != to))
        if len(dead):
            where = axes.get_xaxis_transform()
            axes.plot(peer[dead], [0.03] * len(dead), "x", color=ALARM, transform=where, label=f"failed ({label})")
    if between.any():
        typical = float(np.median(times[between]))
        axes.axhline(typical, color=PALE_INK, linestyle=":", linewidth=1.2, label="median of all links")
        known = np.concatenate([*drawn, [typical]])
        low, high = 0.8 * float(known.min()), 1.25 * float(known.max())
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        ticks = time_ticks(low, high, 5)
        axes.set_yticks(ticks, [tick_text(time_text(float(tick))) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylabel(size_text(size.bytes), fontsize=8)
    step = -(-len(names) // MOST_NAMES)
    shown = range(0, len(names), step)
    axes.set_xticks(list(shown), [names[i] if last else "" for i in shown], rotation=90, fontsize=7)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.tick_params(labelsize=7, length=2.5, width=0.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.5)
    axes.legend(fontsize=7, frameon=False, loc="upper right", ncols=4)
