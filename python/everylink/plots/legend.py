"""Names the colours of a matrix that are on no scale, and what a cell stands for, to the right of the matrix."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from everylink.analysis.shading import Shading
from everylink.plots.canvas import HEIGHT, WIDTH, write
from everylink.plots.colours import FAILED, UNKNOWN
from everylink.plots.matrix import Place


def draw_legend(figure: Figure, where: Place, shading: Shading) -> None:
    """Name failed links and those without a time, where there are any."""
    untimed = ~shading.failed & ~np.isfinite(shading.position)
    if shading.fold == 1:
        np.fill_diagonal(untimed, False)
    found = (("failed", FAILED, shading.failed), ("no time", UNKNOWN, untimed))
    draw_colour_names(figure, where, found, f"the worst of\n{shading.fold} x {shading.fold} links", shading.fold)


def draw_colour_names(
    figure: Figure, where: Place, found: tuple[tuple[str, str, NDArray[np.bool_]], ...], folded: str, fold: int
) -> None:
    """Name each colour that any cell has; `folded` is what a cell of several links stands for."""
    left, y = where.left + where.side + 8, where.top + 10
    for name, colour, cells in found:
        if cells.any():
            box = (left / WIDTH, 1 - y / HEIGHT)
            figure.add_artist(Rectangle(box, 10 / WIDTH, 10 / HEIGHT, facecolor=colour, edgecolor="none"))
            write(figure, left + 14, y - 1, name, fontsize=7)
            y += 18
    if fold > 1:
        write(figure, left, y, f"each cell:\n{folded}", fontsize=6.5, va="top")
