"""Draws a matrix with its labels, and a legend of the colours that are not on a scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from everylink.deviation.colours import INK as HATCH_INK
from everylink.deviation.colours import PAPER, rgb
from everylink.figure.canvas import HEIGHT, INK, LEFT, RIGHT, WIDTH, axes_at, shortened, write
from everylink.figure.colours import UNKNOWN
from everylink.links.hosts import DrawnOrder
from everylink.links.shading import Shading

Style = Mapping[str, Any]  # of a patch
LARGEST = 512  # pixels of 100 dpi; with more ranks, several share a cell
LARGEST_CELL = 140
LABEL_PITCH = 10.5
LABEL_LENGTH = 15
LABEL_CHARACTER = 6.2  # pixels
HEADING = 18
HATCH, LINE = 5, 2  # pixels from one line to the next, and of a line
SMALLEST = 4  # pixels of a cell that shows a hatch
HATCHED = {"facecolor": PAPER, "edgecolor": HATCH_INK, "hatch": "//////", "linewidth": 0.5}


@dataclass(frozen=True)
class Labels:
    """Texts along both sides of a matrix, at places counted in cells; `upright`: the upper texts are rotated."""

    what: str
    places: list[float]
    texts: list[str]
    upright: bool

    @property
    def width(self) -> int:
        """Pixels for the longest text."""
        return round(LABEL_CHARACTER * max(map(len, self.texts))) + 6

    @property
    def height(self) -> int:
        """Pixels for the upper texts."""
        return self.width if self.upright else 14


@dataclass(frozen=True)
class Place:
    """The position of a matrix on its page, and the side of a cell: whole pixels of 100 dpi."""

    left: int
    top: int
    side: int
    cell: int


def matrix_labels(order: DrawnOrder, edges: NDArray[np.integer], largest: int = LARGEST) -> Labels:
    """Label as many hosts as fit, each at the middle of its ranks; with a single host, ranks.

    `edges` [cells + 1]: the places in `order` where rows and columns begin, and where the last one ends.
    """
    hosts = [(shortened(block.name, LABEL_LENGTH), block.begin, block.end) for block in order.blocks]
    what = "host"
    if len(hosts) == 1:
        what = f"rank on {shortened(order.blocks[0].name, 40)}"
        hosts = [(end, i, i + 1) for i, end in enumerate(order.ends)]
    begins, ends = (np.interp([host[k] for host in hosts], edges, np.arange(len(edges))) for k in (1, 2))
    pitch = _cell(len(edges) - 1, largest) * float((ends - begins).min())
    every = max(1, int(np.ceil(LABEL_PITCH / pitch)))
    texts = [host[0] for host in hosts[::every]]
    upright = LABEL_CHARACTER * max(map(len, texts)) > 0.9 * pitch * every
    return Labels(what, ((begins + ends) / 2)[::every].tolist(), texts, upright)


def even_edges(ranks: int, fold: int) -> NDArray[np.int64]:
    """Those of cells that have `fold` ranks each, the last one perhaps fewer."""
    return np.append(np.arange(0, ranks, fold), ranks)


def place(blocks: int, labels: Labels, top: int, bottom: int, largest: int = LARGEST) -> Place:
    """Centre a matrix with its labels between two heights."""
    cell = _cell(blocks, largest)
    side = cell * blocks
    spare_height = bottom - top - HEADING - labels.height - side
    spare_width = RIGHT - LEFT - HEADING - labels.width - side
    left = LEFT + HEADING + labels.width + max(0, spare_width) / 2
    return Place(round(left), round(top + HEADING + labels.height + max(0, spare_height) / 2), side, cell)


def enlarged(image: NDArray[Any], cell: int) -> NDArray[Any]:
    """Each of these colours [cells, cells, 3] as a square of pixels."""
    return np.repeat(np.repeat(image, cell, axis=0), cell, axis=1)


def hatch(pixels: NDArray[np.uint8], failed: NDArray[np.bool_], cell: int) -> None:
    """Hatch these cells in pixels [side, side, 3]; small ones become as dark as the lines of a hatch."""
    inside = enlarged(failed[..., None], cell)[..., 0]
    across = np.arange(len(pixels))
    lines = (across[:, None] + across) % HATCH < LINE
    pixels[inside & (lines | (cell < SMALLEST))] = rgb(HATCH_INK)


def draw_matrix(figure: Figure, where: Place, pixels: NDArray[np.uint8], labels: Labels) -> None:
    """Draw the pixels of a matrix, [side, side, 3], with labels to the left and above."""
    axes, cells = axes_at(figure, where.left, where.top, where.side, where.side), where.side // where.cell
    # "none" embeds the pixels unchanged; any other value would resample them
    axes.imshow(pixels, interpolation="none", extent=(0, cells, cells, 0), aspect="auto")
    _draw_labels(axes, labels)
    middle = where.side / 2
    top = where.top - labels.height - 8
    write(figure, where.left + middle, top, f"to {labels.what}", ha="center", weight="bold")
    left = where.left - labels.width - 8
    write(figure, left, where.top + middle, f"from {labels.what}", rotation=90, va="center", ha="right", weight="bold")


def _cell(blocks: int, largest: int) -> int:
    return min(largest // blocks, LARGEST_CELL)


def _draw_labels(axes: Axes, labels: Labels) -> None:
    axes.xaxis.tick_top()
    axes.set_xticks(labels.places, labels.texts, rotation=90 if labels.upright else 0, fontsize=7, parse_math=False)
    axes.set_yticks(labels.places, labels.texts, fontsize=7, parse_math=False)
    axes.tick_params(length=2, width=0.5, pad=2, colors=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_legend(figure: Figure, where: Place, shading: Shading) -> None:
    """Names how failed links and links without a time are drawn, if there are any."""
    untimed = ~shading.failed & ~np.isfinite(shading.position)
    if shading.fold == 1:
        np.fill_diagonal(untimed, False)
    found = (("failed", HATCHED, shading.failed), ("no time", plain(UNKNOWN), untimed))
    draw_key(figure, where, found, f"the worst of\n{shading.fold} x {shading.fold} links" if shading.fold > 1 else "")


def plain(colour: str) -> Style:
    """How a box of one colour is drawn."""
    return {"facecolor": colour, "edgecolor": "none"}


def draw_key(
    figure: Figure, where: Place, found: Iterable[tuple[str, Style, NDArray[np.bool_]]], folded: str = ""
) -> None:
    """Names what occurs in some cells beside a box drawn in its style. `folded`: what a cell of several links shows."""
    left, y = where.left + where.side + 8, where.top + 10
    for name, style, cells in found:
        if cells.any():
            figure.add_artist(Rectangle((left / WIDTH, 1 - y / HEIGHT), 10 / WIDTH, 10 / HEIGHT, **style))
            write(figure, left + 14, y - 1, name, fontsize=7)
            y += 18
    if folded:
        write(figure, left, y, f"each cell:\n{folded}", fontsize=6.5, va="top")
