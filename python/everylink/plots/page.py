"""One A4 page for one size of one run: facts, the matrix, its colour bars, a histogram and the worst links."""

from matplotlib.figure import Figure

from everylink.analysis.histogram import histogram
from everylink.analysis.order import drawn_order
from everylink.analysis.shading import shade
from everylink.plots.canvas import HEIGHT, LEFT, PALE_INK, axes_at, blank_page, write
from everylink.plots.colour_bar import draw_colour_bars
from everylink.plots.colours import paint
from everylink.plots.facts_box import draw_head
from everylink.plots.histogram import draw_histogram
from everylink.plots.legend import draw_legend
from everylink.plots.matrix import LARGEST, draw_matrix, matrix_labels, place
from everylink.plots.worst import draw_worst
from everylink.results import Results, Size

MATRIX_TOP, MATRIX_BOTTOM = 172, 862
BARS_TOP = 902
BOTTOM_TOP = 972


def page(results: Results, size: Size) -> Figure:
    """Draw one size of one run."""
    figure = blank_page()
    draw_head(figure, results, size)
    order = drawn_order(results.ranks)
    shading = shade(results, size, order, LARGEST)
    labels = matrix_labels(order, shading.fold)
    where = place(len(shading.position), labels, MATRIX_TOP, MATRIX_BOTTOM)
    draw_matrix(figure, where, paint(shading), labels, shading.fold)
    draw_legend(figure, where, shading)
    draw_colour_bars(figure, results, size, shading, BARS_TOP)
    if counted := histogram(results, size):
        write(figure, LEFT, BOTTOM_TOP - 6, "links by one-way time", weight="bold", fontsize=7.5)
        draw_histogram(axes_at(figure, LEFT + 36, BOTTOM_TOP, 290, 150), counted)
    draw_worst(figure, results, size, left=388, top=BOTTOM_TOP - 6)
    if not order.natural:
        write(figure, LEFT, HEIGHT - 14, "Ranks are drawn host by host.", fontsize=6.5, color=PALE_INK)
    return figure
