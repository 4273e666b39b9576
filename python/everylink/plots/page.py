"""One A4 page for one size of one run: facts, the matrix, its colour bars, a histogram and the worst links."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from everylink.analysis.histogram import histogram
from everylink.analysis.order import drawn_order
from everylink.analysis.shading import Shading, shade
from everylink.plots.canvas import HEIGHT, LEFT, PALE_INK, RIGHT, WIDTH, axes_at, blank_page, write
from everylink.plots.colour_bar import draw_colour_bar
from everylink.plots.colours import FAILED, UNKNOWN, paint
from everylink.plots.facts_box import draw_head
from everylink.plots.histogram import draw_histogram
from everylink.plots.matrix import LARGEST, Place, draw_matrix, matrix_labels, place
from everylink.plots.worst import draw_worst
from everylink.results import Results, Size

MATRIX_TOP, MATRIX_BOTTOM = 172, 862
BARS_TOP = 902
BOTTOM_TOP = 972
GAP = 30


def page(results: Results, size: Size) -> Figure:
    """Draw one size of one run."""
    figure = blank_page()
    draw_head(figure, results, size)
    order = drawn_order(results.ranks)
    shading = shade(results, size, order, LARGEST)
    labels = matrix_labels(order, shading.fold)
    where = place(len(shading.position), labels, MATRIX_TOP, MATRIX_BOTTOM)
    draw_matrix(figure, where, paint(shading), labels, shading.fold)
    _draw_legend(figure, where, shading)
    width = (RIGHT - LEFT - GAP * (len(shading.scales) - 1)) / max(1, len(shading.scales))
    for i, (link_class, scale) in enumerate(shading.scales.items()):
        left = LEFT + i * (width + GAP)
        draw_colour_bar(figure, left, BARS_TOP, width, link_class, scale, (size.bytes, results.directions))
    if counted := histogram(results, size):
        write(figure, LEFT, BOTTOM_TOP - 6, "links by one-way time", weight="bold", fontsize=7.5)
        draw_histogram(axes_at(figure, LEFT + 36, BOTTOM_TOP, 290, 150), counted)
    draw_worst(figure, results, size, left=388, top=BOTTOM_TOP - 6)
    if not order.natural:
        write(figure, LEFT, HEIGHT - 14, "Ranks are drawn host by host.", fontsize=6.5, color=PALE_INK)
    return figure


def _draw_legend(figure: Figure, where: Place, shading: Shading) -> None:
    """Name the colours that are on no scale, to the right of the matrix."""
    left, y = where.left + where.side + 8, where.top + 10
    untimed = ~shading.failed & ~np.isfinite(shading.position)
    if shading.fold == 1:
        np.fill_diagonal(untimed, False)
    for name, colour, found in (("failed", FAILED, shading.failed), ("no time", UNKNOWN, untimed)):
        if found.any():
            box = (left / WIDTH, 1 - y / HEIGHT)
            figure.add_artist(Rectangle(box, 10 / WIDTH, 10 / HEIGHT, facecolor=colour, edgecolor="none"))
            write(figure, left + 14, y - 1, name, fontsize=7)
            y += 18
    if shading.fold > 1:
        text = f"each cell:\nthe worst of\n{shading.fold} x {shading.fold} links"
        write(figure, left, y, text, fontsize=6.5, va="top")
