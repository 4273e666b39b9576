"""Draws how far links are from what is expected: the colours of the matrix, and the scale that explains them."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from everylink.deviation.colours import PALETTE, PAPER, UNKNOWN, rgb
from everylink.deviation.model import Deviations
from everylink.deviation.scale import NOT_MEASURED, PER_LOG, STEPS, has_time
from everylink.figure.canvas import INK, LEFT, PALE_INK, RIGHT, axes_at, write
from everylink.figure.colours import BAR
from everylink.figure.matrix import HATCHED, Place, draw_key, enlarged, hatch, plain

SHADES = 400


def deviation_pixels(found: Deviations, cell: int) -> NDArray[np.uint8]:
    """The matrix in pixels of 100 dpi, [side, side, 3]: what is usual in each cell, hatched where any link failed."""
    image = PALETTE[found.usual.astype(np.int64) - NOT_MEASURED]
    itself = np.diag(np.diff(found.blocks.edges) == 1)
    image[~has_time(found.usual) & (itself | (found.failed > 0))] = rgb(PAPER)
    pixels = enlarged(image, cell)
    hatch(pixels, found.failed > 0, cell)
    return pixels


def draw_scale(figure: Figure, top: float) -> None:
    """The scale of all reports, its steps at equal distances."""
    factors = [*(1 / step for step in reversed(STEPS)), 1.0, *STEPS]
    texts = [*(f"1/{step:g}" for step in reversed(STEPS)), "1", *(f"{step:g}" for step in STEPS)]
    logs = np.interp(np.linspace(0, len(factors) - 1, SHADES), np.arange(len(factors)), np.log(factors))
    axes = axes_at(figure, LEFT, top, RIGHT - LEFT, BAR)
    codes = np.rint(logs * PER_LOG).astype(np.int64)
    axes.imshow(
        PALETTE[codes - NOT_MEASURED][None], interpolation="none", extent=(0, len(factors) - 1, 0, 1), aspect="auto"
    )
    axes.set_xticks(range(len(factors)), texts, fontsize=7)
    axes.set_yticks([])
    axes.tick_params(length=2.5, width=0.5, pad=1.5, colors=INK)
    for spine in axes.spines.values():
        spine.set_linewidth(0.4)
    write(figure, LEFT, top - 6, "time of a link / what is expected of it", weight="bold", fontsize=7.5)
    write(figure, RIGHT, top - 6, "the same scale in all reports", fontsize=6.5, color=PALE_INK, ha="right")


def draw_legend(figure: Figure, where: Place, found: Deviations) -> None:
    """Names what is not on the scale, where it occurs, and says what a cell of several ranks shows."""
    failed = found.failed > 0
    untimed = ~has_time(found.usual) & ~failed & ~np.eye(len(failed), dtype=bool)
    key = (("failed", HATCHED, failed), ("no time", plain(UNKNOWN), untimed))
    most = found.blocks.largest
    draw_key(figure, where, key, f"up to\n{most} ranks;\nwhat most\nof a row or\ncolumn take" if most > 1 else "")
