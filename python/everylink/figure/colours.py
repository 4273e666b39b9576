"""The colours of matrix cells, and the colour bars that explain them."""

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from numpy.typing import NDArray

from everylink.deviation.colours import INK as HATCH_INK
from everylink.deviation.colours import PAPER, rgb
from everylink.figure.canvas import INK, LEFT, PALE_INK, RIGHT, axes_at, bandwidth_ticks, time_ticks, write
from everylink.links.classes import LinkClass
from everylink.links.shading import Scale, Shading
from everylink.model.results import Results, Size
from everylink.units import bandwidth, bandwidth_text, tick_text, time_text

SHADES = 120
DIAGONAL, FAILED, UNKNOWN = PAPER, HATCH_INK, "#dcdcdc"  # no hues: those are of times
_MAPS = {LinkClass.OTHER_HOST: ("YlGnBu", 0.08, 0.92), LinkClass.SAME_HOST: ("YlOrBr", 0.04, 0.85)}
BAR = 13
GAP = 30
TICK_PIXELS = 78


def palette(link_class: LinkClass) -> NDArray[np.uint8]:
    """Colours from fast to slow, shape [SHADES, 3]."""
    name, low, high = _MAPS[link_class]
    return np.asarray(np.round(255 * colormaps[name](np.linspace(low, high, SHADES))[:, :3]), np.uint8)


def paint(shading: Shading) -> NDArray[np.uint8]:
    """The matrix as colours, shape [blocks, blocks, 3]; the diagonal is white unless ranks are folded."""
    known = np.isfinite(shading.position)
    shade = np.round(np.where(known, shading.position, 0) * (SHADES - 1)).astype(np.intp)
    same, other = palette(LinkClass.SAME_HOST), palette(LinkClass.OTHER_HOST)
    same_drawn = shading.same_host | (LinkClass.OTHER_HOST not in shading.scales)
    image = np.where(same_drawn[..., None], same[shade], other[shade])
    image[~known] = rgb(UNKNOWN)
    image[shading.failed] = rgb(FAILED)
    if shading.fold == 1:
        np.einsum("iic->ic", image)[:] = rgb(DIAGONAL)
    return image


def draw_colour_bars(figure: Figure, results: Results, size: Size, shading: Shading, top: float) -> None:
    """Draw the bars of all classes side by side."""
    width = (RIGHT - LEFT - GAP * (len(shading.scales) - 1)) / max(1, len(shading.scales))
    for i, (link_class, scale) in enumerate(shading.scales.items()):
        left = LEFT + i * (width + GAP)
        title = f"{link_class}: one-way time, {results.single_bandwidth_label}"
        write(figure, left, top - 24, title, weight="bold", fontsize=7.5)
        _draw_bar(figure, left, top, width, link_class, scale, (size.bytes, results.directions))


def _draw_bar(
    figure: Figure, left: float, top: float, width: float, link_class: LinkClass, scale: Scale, rate: tuple[int, int]
) -> None:
    """Draw a bar with its two axes; `rate`: bytes of a message, number of directions."""
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
    """The extremes beyond the ends of the scale."""
    faster = scale.min < scale.low * (1 - 1e-6)
    slower = scale.max > scale.high * (1 + 1e-6)
    ends = [f"fastest {time_text(scale.min)}"] if faster else []
    ends += [f"slowest {time_text(scale.max)}"] if slower else []
    return f"beyond the scale, in its last colour: {' and '.join(ends)}" if ends else ""
