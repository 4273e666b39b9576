"""Draws a single matrix of a run, as a picture or as pixels: bandwidths, or the step that measured each link."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.typing import NDArray

from everylink.deviation.colours import PAPER, rgb
from everylink.figure.canvas import LEFT, PALE_INK, RIGHT, axes_at, blank_page, shortened, write
from everylink.figure.colours import BAR, DIAGONAL, FAILED, UNKNOWN, draw_colour_bars, paint, palette
from everylink.figure.matrix import (
    LARGEST,
    Place,
    draw_key,
    draw_legend,
    draw_matrix,
    enlarged,
    even_edges,
    hatch,
    matrix_labels,
    place,
    plain,
)
from everylink.links.hosts import DrawnOrder, drawn_order
from everylink.links.shading import fold_links, shade
from everylink.model.results import Results, Size
from everylink.units import bandwidth, bandwidth_text, plural, size_text, time_text

MATRIX_TOP, MATRIX_BOTTOM, BARS_TOP = 84, 774, 816
CUT = 872  # pixels of the page's height that a picture keeps
MOST_PIXELS = 4096  # per side; with more ranks, several share a pixel
STEPS = colormaps["viridis"]
TICKS = 8
Image = NDArray[np.uint8]
Steps = NDArray[np.int64]


def bandwidth_pixels(results: Results, size: Size) -> tuple[Image, Sequence[str]]:
    """One pixel per link, and sentences that explain the colours."""
    order = drawn_order(results.ranks)
    shading = shade(results, size, order, MOST_PIXELS)
    legend = [*_axes_lines(results, size, order, shading.fold, "the worst")]
    for link_class, scale in shading.scales.items():
        fast, slow = (
            f"{to_hex(palette(link_class)[i] / 255)} is {time_text(t)}, "
            f"{bandwidth_text(bandwidth(size.bytes, t, results.directions))}"
            for i, t in ((0, scale.low), (-1, scale.high))
        )
        legend.append(f"{link_class}, one-way time and {results.single_bandwidth_label}, logarithmic: {fast}; {slow}")
    return paint(shading), [*legend, f"{FAILED} failed, {UNKNOWN} no time, {DIAGONAL} the rank itself"]


def step_pixels(results: Results, size: Size, steps: Steps) -> tuple[Image, Sequence[str]]:
    """One pixel per link, and sentences that explain the colours; `steps`: step of each link, from 1."""
    order = drawn_order(results.ranks)
    fold = -(-len(results.ranks) // MOST_PIXELS)
    last = int(steps.max())
    first_colour, last_colour = (to_hex(STEPS(at)) for at in (0.0, 1.0))
    legend = f"{first_colour} is step 1, {last_colour} step {last}; {UNKNOWN} in no step, {DIAGONAL} the rank itself"
    image = _paint_steps(_folded_steps(size, steps, order, fold), last, fold)
    return image, [*_axes_lines(results, size, order, fold, "the last step"), legend]


def bandwidth_page(results: Results, size: Size) -> Figure:
    """The matrix of bandwidths with its colour bars: the upper CUT pixels of a page."""
    order = drawn_order(results.ranks)
    shading = shade(results, size, order, LARGEST)
    image = paint(shading)
    image[shading.failed] = rgb(PAPER)
    title = "Bandwidth of each link"
    figure, where = _page(results, size, order, image, shading.fold, title, shading.failed)
    draw_legend(figure, where, shading)
    draw_colour_bars(figure, results, size, shading, BARS_TOP)
    return figure


def step_page(results: Results, size: Size, steps: Steps) -> Figure:
    """The matrix of steps with its colour bar: the upper CUT pixels of a page."""
    order, last = drawn_order(results.ranks), int(steps.max())
    fold = -(-len(results.ranks) // LARGEST)
    blocks = _folded_steps(size, steps, order, fold)
    title, missing = "Step that measured each link", ~np.isfinite(blocks)
    image, none = _paint_steps(blocks, last, fold), np.zeros_like(missing)
    figure, where = _page(results, size, order, image, fold, title, none)
    if fold == 1:
        np.fill_diagonal(missing, False)
    folded = f"the last step\nof {fold} x {fold} links" if fold > 1 else ""
    draw_key(figure, where, [("in no step", plain(UNKNOWN), missing)], folded)
    axes = axes_at(figure, LEFT, BARS_TOP, RIGHT - LEFT, BAR)
    axes.imshow(STEPS(np.linspace(0, 1, 256))[None], extent=(0.5, last + 0.5, 0, 1), aspect="auto")
    axes.set_xticks(np.unique(np.linspace(1, last, min(last, TICKS)).round().astype(int)))
    axes.set_yticks([])
    axes.tick_params(labelsize=7, length=2.5, width=0.5)
    write(figure, LEFT, BARS_TOP - 6, "step, counted from 1", weight="bold", fontsize=7.5)
    return figure


def _page(
    results: Results, size: Size, order: DrawnOrder, image: Image, fold: int, title: str, failed: NDArray[np.bool_]
) -> tuple[Figure, Place]:
    """The page with its matrix, whose `failed` cells are hatched."""
    figure = blank_page()
    write(figure, LEFT, 38, f"{title}, {shortened(results.path.name, 50)}", fontsize=11, weight="bold")
    write(
        figure,
        LEFT,
        54,
        _run_text(results, size) + ("" if order.natural else ". Ranks are drawn host by host."),
        color=PALE_INK,
    )
    labels = matrix_labels(order, even_edges(len(order.ranks), fold))
    where = place(len(image), labels, MATRIX_TOP, MATRIX_BOTTOM)
    pixels = enlarged(image, where.cell)
    hatch(pixels, failed, where.cell)
    draw_matrix(figure, where, pixels, labels)
    return figure, where


def _folded_steps(size: Size, steps: Steps, order: DrawnOrder, fold: int) -> NDArray[np.float32]:
    return fold_links(size.links, steps.astype(np.float32), order, fold, np.ones(len(steps), bool))


def _paint_steps(blocks: NDArray[np.float32], last: int, fold: int) -> Image:
    known = np.isfinite(blocks)
    place_of = np.where(known, blocks - 1, 0) / max(1, last - 1)
    image = np.asarray(np.round(255 * STEPS(place_of)[..., :3]), np.uint8)
    image[~known] = rgb(UNKNOWN)
    if fold == 1:
        np.einsum("iic->ic", image)[:] = rgb(DIAGONAL)
    return image


def _run_text(results: Results, size: Size) -> str:
    ranks, hosts = plural(results.facts.ranks, "rank"), plural(results.facts.hosts, "host")
    return f"{ranks} on {hosts}, messages of {size_text(size.bytes)}"


def _axes_lines(results: Results, size: Size, order: DrawnOrder, fold: int, which: str) -> list[str]:
    ordered = "rank 0 first" if order.natural else "host by host, not by number"
    cell = f"; a pixel is {which} of {fold} x {fold} links" if fold > 1 else ""
    return [_run_text(results, size), f"rows: from, columns: to; ranks {ordered}{cell}"]
