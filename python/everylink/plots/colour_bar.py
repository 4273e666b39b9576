"""Draws a colour bar for each class of links, labelled in time below and in bandwidth above."""

from matplotlib.figure import Figure

from everylink.analysis.classes import LinkClass
from everylink.analysis.scale import Scale
from everylink.analysis.shading import Shading
from everylink.plots.canvas import INK, LEFT, PALE_INK, RIGHT, axes_at, write
from everylink.plots.colours import SHADES, palette
from everylink.plots.ticks import bandwidth_ticks, time_ticks
from everylink.results import Results, Size
from everylink.units import bandwidth, bandwidth_text, tick_text, time_text

BAR = 13
GAP = 30
TICK_PIXELS = 78


def draw_colour_bars(
    figure: Figure, results: Results, size: Size, shading: Shading, top: float, what: str = "one-way time"
) -> None:
    """Draw the bars of all classes beside each other; `what` is the time."""
    width = (RIGHT - LEFT - GAP * (len(shading.scales) - 1)) / max(1, len(shading.scales))
    for i, (link_class, scale) in enumerate(shading.scales.items()):
        left, both = LEFT + i * (width + GAP), ", both directions" if results.directions == 2 else ""
        write(figure, left, top - 24, f"{link_class}: {what}, bandwidth{both}", weight="bold", fontsize=7.5)
        _draw_bar(figure, left, top, width, link_class, scale, (size.bytes, results.directions))


def _draw_bar(
    figure: Figure, left: float, top: float, width: float, link_class: LinkClass, scale: Scale, rate: tuple[int, int]
) -> None:
    """Draw a bar with its two axes; `rate` is the bytes of a message and the number of directions."""
    axes = axes_at(figure, left, top, width, BAR)
    axes.imshow(palette(link_class)[None], interpolation="none", extent=(0, SHADES, 0, 1), aspect="auto")
    most = max(2, int(width / TICK_PIXELS))
    times = time_ticks(scale.low, scale.high, most)
    axes.set_xticks(scale.position(times) * SHADES, [tick_text(time_text(t)) for t in times], fontsize=7)
    axes.set_yticks([])
    slow, fast = (bandwidth(rate[0], t, rate[1]) for t in (scale.high, scale.low))
    upper = axes.secondary_xaxis("top")
    if slow > 0:
        rates = bandwidth_ticks(slow, fast, most)
        places = scale.position(rate[0] * rate[1] / rates) * SHADES
        upper.set_xticks(places, [tick_text(bandwidth_text(r)) for r in rates], fontsize=7)
    for drawn in (axes, upper):
        drawn.tick_params(length=2.5, width=0.5, pad=1.5, colors=INK)
    for spine in (*axes.spines.values(), *upper.spines.values()):
        spine.set_linewidth(0.4)
    write(figure, left, top + BAR + 28, _beyond(scale), fontsize=6.5, color=PALE_INK)


def _beyond(scale: Scale) -> str:
    """What the ends of the scale leave out."""
    faster = scale.min < scale.low * (1 - 1e-6)
    slower = scale.max > scale.high * (1 + 1e-6)
    ends = [f"fastest {time_text(scale.min)}"] if faster else []
    ends += [f"slowest {time_text(scale.max)}"] if slower else []
    return f"beyond the scale, in its last colour: {' and '.join(ends)}" if ends else ""
