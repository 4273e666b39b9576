"""One A4 page for a load pattern: what was run and what it says, diagrams, and the matrix of its connections."""

from textwrap import wrap

from matplotlib.figure import Figure

from everylink.analysis.load_conclusions import said
from everylink.analysis.load_links import MATRICES, as_links
from everylink.analysis.order import drawn_order
from everylink.analysis.shading import shade
from everylink.loads import Load
from everylink.plots.canvas import ALARM, HEIGHT, INK, LEFT, PALE_INK, RIGHT, axes_at, blank_page, shortened, write
from everylink.plots.colour_bar import draw_colour_bars
from everylink.plots.colours import paint
from everylink.plots.legend import draw_legend
from everylink.plots.load_panels import panels
from everylink.plots.matrix import LARGEST, draw_matrix, matrix_labels, place
from everylink.report.judged import judgement_of
from everylink.report.verdicts import verdict_lines
from everylink.report.words import remarks, run_lines, tool_text, warnings
from everylink.results import Results
from everylink.units import size_text

LINE, LINE_LENGTH = 11, 135
MOST_LINES = 16
PANEL_HEIGHT, GAP_BELOW, INDENT = 205, 62, 62
COLUMN = (RIGHT - LEFT) / 2
LABELS = 110  # pixels that those of a matrix need
BARS_BOTTOM = 40


def load_page(results: Results, load: Load, head: bool = True) -> Figure:
    """Draw one pattern of a run; without its head what was run and what it says must stand elsewhere."""
    figure = blank_page()
    top = _draw_head(figure, results, load) + 34 if head else 34
    drawn = panels(results, load)
    for number, panel in enumerate(drawn):
        left = LEFT + COLUMN * (number % 2)
        upper = top + (PANEL_HEIGHT + GAP_BELOW) * (number // 2)
        write(figure, left, upper - 8, panel.title, weight="bold", fontsize=7.5)
        panel.draw(axes_at(figure, left + INDENT, upper, COLUMN - INDENT - 18, PANEL_HEIGHT))
    top += (PANEL_HEIGHT + GAP_BELOW) * -(-len(drawn) // 2)
    if drawn and load.name in MATRICES:
        _draw_matrix(figure, results, load, top)
    return figure


def _draw_head(figure: Figure, results: Results, load: Load) -> float:
    """What was run, what is bad, what the pattern says; gives where the last line stands."""
    write(figure, LEFT, 52, shortened(results.path.name, 50), fontsize=14, weight="bold")
    created = ", ".join(filter(None, (tool_text(results), results.facts.created)))
    write(figure, RIGHT, 52, created, ha="right", color=PALE_INK)
    top = 70.0
    kinds = (
        (run_lines(results), PALE_INK, "normal"),
        (verdict_lines(judgement_of(results)) + warnings(results) + remarks(results), ALARM, "normal"),
        (said(load, results.ranks.name), INK, "bold"),
    )
    lines = [(part, c, w) for texts, c, w in kinds for text in texts for part in wrap(text, LINE_LENGTH)]
    for number, (line, shade_of, weight) in enumerate(lines[:MOST_LINES]):
        write(figure, LEFT, top + LINE * number, line, color=shade_of, weight=weight, fontsize=6.8)
    return top + LINE * min(len(lines), MOST_LINES)


def _draw_matrix(figure: Figure, results: Results, load: Load, top: float) -> None:
    """Which connection is how fast at the largest size, as `show` and the pages of links have it."""
    links = as_links(results, load)
    size, order = links.sizes[-1], drawn_order(results.ranks)
    bottom = HEIGHT - BARS_BOTTOM - 60
    side = min(LARGEST, int(bottom - top) - LABELS)
    shading = shade(links, size, order, side)
    labels = matrix_labels(order, shading.fold, side)
    where = place(len(shading.position), labels, round(top), bottom, side)
    title = f"connections at {size_text(size.bytes)}: time of a message at the rate of the flow, median of its scenes"
    write(figure, LEFT, top - 8, title, weight="bold", fontsize=7.5)
    draw_matrix(figure, where, paint(shading), labels, shading.fold)
    draw_legend(figure, where, shading)
    draw_colour_bars(figure, links, size, shading, HEIGHT - BARS_BOTTOM - 14, "time of a message")
