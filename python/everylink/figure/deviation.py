"""Draws how far links are from what is expected: the colours of the matrix, and the scale that explains them."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from everylink.deviation.colours import INK as HATCH_INK
from everylink.deviation.colours import PALETTE, PAPER, UNKNOWN
from everylink.deviation.model import Deviations
from everylink.deviation.scale import NOT_MEASURED, PER_LOG, STEPS, known
from everylink.figure.canvas import HEIGHT, INK, LEFT, PALE_INK, RIGHT, WIDTH, axes_at, write
from everylink.figure.colours import BAR
from everylink.figure.matrix import Place, enlarged

HATCH, LINE = 5, 2  # pixels from one line to the next, and of a line
SMALLEST = 4  # pixels of a cell that shows a hatch; smaller ones are as dark as its lines
SHADES = 400


def deviation_pixels(found: Deviations, cell: int) -> NDArray[np.uint8]:
    """The matrix in pixels of 100 dpi, [side, side, 3]: what is usual in each cell, hatched where any link failed."""
    image = PALETTE[found.usual.astype(np.int64) - NOT_MEASURED]
    single = np.diff(found.blocks.edges) == 1
    itself = np.diag(single) & ~known(found.usual)
    image[itself] = _rgb(PAPER)
    untimed = (found.failed > 0) & ~known(found.usual)
    image[untimed] = _rgb(PAPER)
    pixels, failed = enlarged(image, cell), enlarged(found.failed[..., None], cell)[..., 0] > 0
    across = np.arange(len(pixels))
    lines = (across[:, None] + across) % HATCH < LINE
    pixels[failed & (lines | (cell < SMALLEST))] = _rgb(HATCH_INK)
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


def draw_key(figure: Figure, where: Place, found: Deviations) -> None:
    """Names what is not on the scale, where it occurs, and says what a cell of several ranks shows."""
    left, y = where.left + where.side + 8, where.top + 10
    apart = ~np.eye(len(found.usual), dtype=bool)
    if found.failed.any():
        box = (left / WIDTH, 1 - y / HEIGHT)
        sides = 10 / WIDTH, 10 / HEIGHT
        figure.add_artist(Rectangle(box, *sides, facecolor=PAPER, edgecolor=HATCH_INK, hatch="//////", linewidth=0.5))
        write(figure, left + 14, y - 1, "failed", fontsize=7)
        y += 18
    if (apart & ~known(found.usual) & (found.failed == 0)).any():
        box = (left / WIDTH, 1 - y / HEIGHT)
        figure.add_artist(Rectangle(box, 10 / WIDTH, 10 / HEIGHT, facecolor=UNKNOWN, edgecolor="none"))
        write(figure, left + 14, y - 1, "no time", fontsize=7)
        y += 18
    if found.blocks.largest > 1:
        text = f"each cell:\nup to\n{found.blocks.largest} ranks;\nwhat most\nof a row or\ncolumn take"
        write(figure, left, y, text, fontsize=6.5, va="top")


def _rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
