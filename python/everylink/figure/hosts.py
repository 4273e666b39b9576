"""Draws A4 pages with what a report says of GPUs, and of hosts, adapters and cables, as text."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from matplotlib.figure import Figure

from everylink.figure.canvas import LEFT, PALE_INK, RIGHT, beginning, blank_page, shortened, write
from everylink.judge.verdict import JudgedRun
from everylink.text.host_tables import GPUS, SECTION, HostTable, gpu_tables, link_tables

TOP, LINE, GAP = 76, 10, "  "
LARGEST, WIDE = 6.5, 0.836  # size of letters; pixels that a letter of size 1 is wide
MOST_LETTERS = 44


def host_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """A function that draws each page; none where there is nothing to list."""
    pages = {GPUS: gpu_tables(run.results), SECTION: link_tables(run)}
    return [partial(host_page, run, section, tables) for section, tables in pages.items() if tables]


def host_page(run: JudgedRun, section: str, tables: Sequence[HostTable]) -> Figure:
    """Draw the tables."""
    figure = blank_page()
    write(figure, LEFT, 52, f"{shortened(run.results.path.name, 50)}: {section}", fontsize=14, weight="bold")
    y = TOP
    for table in tables:
        y += 2 * LINE
        write(figure, LEFT, y, table.title, fontsize=7.5, weight="bold")
        lines = list(_lines(table))
        size = min(LARGEST, (RIGHT - LEFT) / (WIDE * max(map(len, lines))))
        for line in lines:
            y += LINE
            write(figure, LEFT, y, line, fontsize=size, family="monospace")
        for line in table.note.splitlines():
            y += LINE
            write(figure, LEFT, y, line, fontsize=LARGEST, color=PALE_INK)
    return figure


def _lines(table: HostTable) -> Iterator[str]:
    """The headings and all rows, with the columns below each other."""
    rows = [[beginning(" ".join(cell.split()), MOST_LETTERS) for cell in row] for row in (table.headings, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if heading in table.texts else cell.rjust(width)
            for heading, cell, width in zip(table.headings, row, widths, strict=True)
        )
        yield GAP.join(cells).rstrip()
