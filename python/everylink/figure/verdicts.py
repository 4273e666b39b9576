"""Draws A4 pages with all that a report says of faults, of what to do, and of structure, as text."""

from collections.abc import Callable, Sequence
from functools import partial
from textwrap import wrap

from matplotlib.figure import Figure

from everylink.figure.canvas import ALARM, INK, LEFT, PALE_INK, RIGHT, blank_page, shortened, write
from everylink.judge.verdict import JudgedRun, Judgement
from everylink.text.verdicts import verdict_text

SECTION = "Verdicts and structure"
TOP, BOTTOM, LINE = 84, 1130, 14
LETTER, LINE_LENGTH = 9, 108
MOST_PAGES = 20
Line = tuple[str, str]  # a text and its colour


def verdict_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """Functions that draw as many pages as the text takes; none where the conclusion, on every page, says it all."""
    judgement = run.judgement
    if not any((judgement.verdicts, judgement.suspects, judgement.findings, judgement.structure)):
        return []
    lines, most = _lines(judgement), (BOTTOM - TOP) // LINE + 1
    if (left := len(lines) - MOST_PAGES * most + 1) > 1:
        lines = [*lines[:-left], (f"and {left} more lines: everylink diagnose FILE --all", PALE_INK)]
    parts = [lines[begin : begin + most] for begin in range(0, len(lines), most)]
    numbers = [f"{i} of {len(parts)}" for i in range(1, len(parts) + 1)] if len(parts) > 1 else [""]
    return [partial(_page, run, part, number) for part, number in zip(parts, numbers, strict=True)]


def _page(run: JudgedRun, lines: Sequence[Line], number: str) -> Figure:
    figure = blank_page()
    write(figure, LEFT, 52, f"{shortened(run.results.path.name, 50)}: {SECTION}", fontsize=14, weight="bold")
    write(figure, RIGHT, 52, number, ha="right", color=PALE_INK)
    for i, (line, colour) in enumerate(lines):
        write(figure, LEFT, TOP + LINE * i, line, fontsize=LETTER, color=colour)
    return figure


def _lines(judgement: Judgement) -> list[Line]:
    """What `everylink diagnose` prints, with all verdicts, wrapped; what it prints in red is red here."""
    wrapped: list[Line] = []
    for part in verdict_text(judgement, everything=True, all_suspects=False).split():
        line = part.plain
        indent = line[: len(line) - len(line.lstrip())]
        colour = ALARM if any("red" in str(span.style) for span in part.spans) else INK
        wrapped += [(text, colour) for text in wrap(line, LINE_LENGTH, subsequent_indent=indent)]
    return wrapped
