"""The console, its tables, and the matrix of one size drawn with characters."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from everylink.deviation.blocks import Blocks, blocks_of
from everylink.deviation.marks import Places, groups_of
from everylink.deviation.model import Deviations
from everylink.deviation.reduce import deviations
from everylink.deviation.scale import STEPS, code_of, has_time
from everylink.deviation.usual import Usual
from everylink.judge.verdict import JudgedRun
from everylink.model.results import Size
from everylink.units import size_text

T = TypeVar("T")
TABLE_ROWS = 15  # of any table, unless all are wanted
ALL = "--all lists them"
MOST_ROWS = 32  # of the map
LABEL_WIDTH = 16
GLYPHS = {"utf-8": "·░▒▓█", "ascii": ".:+*#"}
STYLES = ("green", "green", "yellow", "bright_red", "bright_red")
FAILED, UNKNOWN, DIAGONAL, FASTER = "X", " ", "\\", "-"
LEVELS = [code_of(step) for step in STEPS[:4]]  # from which the second glyph is drawn, and so on
AS_FAST = 1.25  # times as fast as expected
FAST = -code_of(AS_FAST)
ROOMY = 100  # columns
WIDEST = 1000  # columns of a table: rich cuts wider ones
UNKEPT_WIDTH = 160  # columns for pipes and files, where lines must not be truncated


def heat_map(run: JudgedRun, size: Size, usual: Usual, console: Console) -> Text | None:
    """How far links are from what is expected, rows `from`, columns `to`; `*` beside what verdicts name.

    None if nothing was measured.
    """
    results = run.results
    most = max(2, min(MOST_ROWS, (console.width - LABEL_WIDTH - 3) // 2))
    blocks = blocks_of(results.ranks, most)
    found = deviations(size, usual, blocks)
    if not (found.failed.any() or found.timed.any()):
        return None
    glyphs = GLYPHS["utf-8" if "utf" in console.encoding else "ascii"]
    text = Text(no_wrap=True)
    text.append(f"From (rows) to (columns) at {size_text(size.bytes)}: times the expected time", style="bold")
    text.append(_legend(found, glyphs))
    marked = _marked(run, blocks)
    if marked:
        text.append("\n" + " " * (LABEL_WIDTH + 2))
        text.append("".join("* " if k in marked else "  " for k in range(len(blocks))), style="bold red")
    for i, label in enumerate(_labels(blocks)):
        text.append(f"\n{label:>{LABEL_WIDTH}}", style="bold red" if i in marked else "")
        text.append("* " if i in marked else "  ")
        for j in range(len(blocks)):
            _append_cell(text, found, i, j, glyphs)
    return text


def _marked(run: JudgedRun, blocks: Blocks) -> set[int]:
    """The blocks with ends that verdicts name; none where these are most."""
    places = Places(run.results.ranks, blocks, groups_of(run))
    marked: set[int] = set()
    for verdict in run.judgement.verdicts:
        for begin, end in (span for spans in places.ends(verdict.kind, verdict.subject) for span in spans):
            first, last = np.searchsorted(blocks.edges, (begin, end - 1), "right") - 1
            marked |= set(range(int(first), int(last) + 1))
    return marked if 2 * len(marked) <= len(blocks) or len(blocks) <= 2 else set()


def _legend(found: Deviations, glyphs: str) -> str:
    blocks, ranks = len(found.blocks), int(found.blocks.edges[-1])
    folded = ""
    if blocks < ranks:
        folded = f"\neach cell has up to {found.blocks.largest} ranks: what most of a row, a column or two hosts take"
    steps = ", ".join(f"{glyph} {step:g}" for glyph, step in zip(glyphs[1:], STEPS, strict=False))
    is_any_fast = (has_time(found.usual) & (found.usual <= FAST)).any()
    faster = f", {FASTER} below 1/{AS_FAST:g}" if is_any_fast else ""
    failed = f"; {FAILED} failed" if found.failed.any() else ""
    return f"{folded}\n{glyphs[0]} as expected, {steps} or more{faster}{failed}"


def _labels(blocks: Blocks) -> list[str]:
    """For each row, the host that begins there, otherwise empty; in a run on one host, the rank or its GPU."""
    if len(blocks.order.blocks) == 1:
        ends = (blocks.order.ends[begin] for begin in blocks.edges[:-1].tolist())
        return [f"rank {end}" if end.isdigit() else end for end in ends]
    begins = {block.begin: block.name for block in blocks.order.blocks}
    names = [begins.get(begin, "") for begin in blocks.edges[:-1].tolist()]
    return [name if len(name) <= LABEL_WIDTH else "~" + name[1 - LABEL_WIDTH :] for name in names]


def _append_cell(text: Text, found: Deviations, i: int, j: int, glyphs: str) -> None:
    code = int(found.usual[i, j])
    if found.failed[i, j]:
        text.append(FAILED * 2, style="bold magenta")
    elif found.timed[i, j]:
        level = sum(code >= least for least in LEVELS)
        faster = code <= FAST
        text.append((FASTER if faster else glyphs[level]) * 2, style="cyan" if faster else STYLES[level])
    else:
        single = i == j and found.blocks.edges[i + 1] - found.blocks.edges[i] == 1
        text.append((DIAGONAL if single else UNKNOWN) * 2, style="dim")


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


def cut(rows: Sequence[T], everything: bool) -> Sequence[T]:
    """The rows that a table has without --all."""
    return rows if everything else rows[:TABLE_ROWS]


def print_left(left: int, console: Console) -> None:
    """Say how many rows of a table were cut, if any."""
    if left > 0:
        console.print(f"{left} more; {ALL}")


def empty_table(console: Console) -> Table:
    """An empty table in the common style."""
    gap = 2 if console.width >= ROOMY else 1
    return Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
