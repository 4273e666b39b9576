"""The console, its tables, and the matrix of one size drawn with characters."""

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from everylink.links.hosts import DrawnOrder, drawn_order
from everylink.links.shading import Shading, shade
from everylink.model.results import Results, Size
from everylink.units import size_text, time_text

MOST_ROWS = 32
LABEL_WIDTH = 16
GLYPHS = {"utf-8": "·░▒▓█", "ascii": ".:+*#"}
STYLES = ("green", "green", "yellow", "bright_red", "bright_red")
FAILED, UNKNOWN, DIAGONAL = "X", " ", "\\"
ROOMY = 100  # columns
WIDEST = 1000  # columns of a table: rich cuts wider ones
UNKEPT_WIDTH = 160  # columns for pipes and files, where lines must not be truncated


def heat_map(results: Results, size: Size, console: Console) -> Text | None:
    """The matrix, rows `from`, columns `to`; None if nothing was measured."""
    order = drawn_order(results.ranks)
    most = max(2, min(MOST_ROWS, (console.width - LABEL_WIDTH - 1) // 2))
    shading = shade(results, size, order, most)
    if not (shading.failed.any() or np.isfinite(shading.position).any()):
        return None
    glyphs = GLYPHS["utf-8" if "utf" in console.encoding else "ascii"]
    text = Text(no_wrap=True)
    text.append(f"From (rows) to (columns) at {size_text(size.bytes)}", style="bold")
    text.append(_legend(shading, glyphs))
    labels = _labels(order, shading.fold, len(shading.position))
    if len(order.blocks) == 1 and shading.fold == 1:
        labels = [f"rank {rank}" for rank in order.ranks]
    for i, label in enumerate(labels):
        text.append(f"\n{label:>{LABEL_WIDTH}} ")
        for j in range(len(labels)):
            _append_cell(text, shading, i, j, glyphs)
    return text


def _legend(shading: Shading, glyphs: str) -> str:
    folded = f", each cell the worst of {shading.fold} x {shading.fold} links" if shading.fold > 1 else ""
    scales = "; ".join(
        f"{name}: {glyphs[0]} {time_text(scale.low, 3)} .. {glyphs[-1]} {time_text(scale.high, 3)}"
        for name, scale in shading.scales.items()
    )
    failed = f"; {FAILED} failed" if shading.failed.any() else ""
    return f"{folded}\n{scales}{failed}"


def _labels(order: DrawnOrder, fold: int, rows: int) -> list[str]:
    """For each row, the host that begins there; otherwise empty."""
    labels = [""] * rows
    for block in reversed(order.blocks):
        name = block.name
        labels[block.begin // fold] = name if len(name) <= LABEL_WIDTH else "~" + name[1 - LABEL_WIDTH :]
    return labels


def _append_cell(text: Text, shading: Shading, i: int, j: int, glyphs: str) -> None:
    place = shading.position[i, j]
    if shading.failed[i, j]:
        text.append(FAILED * 2, style="bold magenta")
    elif np.isfinite(place):
        level = min(int(place * len(glyphs)), len(glyphs) - 1)
        text.append(glyphs[level] * 2, style=STYLES[level])
    else:
        text.append((DIAGONAL if i == j and shading.fold == 1 else UNKNOWN) * 2, style="dim")


def terminal() -> Console:
    """Standard output; coloured only on a terminal without NO_COLOR."""
    console = Console(highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else Console(width=UNKEPT_WIDTH, highlight=False, markup=False, emoji=False)


def print_wide(part: RenderableType, console: Console) -> None:
    """Print a table in full: a wrapped line is better than a truncated number."""
    before = console.width
    console.width = max(before, console.measure(part, options=console.options.update_width(WIDEST)).maximum)
    console.print(part, crop=False)
    console.width = before


def empty_table(console: Console) -> Table:
    """An empty table in the common style."""
    gap = 2 if console.width >= ROOMY else 1
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
