"""Draws one A4 page with all that a report says of faults, of what to do, and of structure, as text."""

from collections.abc import Callable
from functools import partial
from textwrap import wrap

from matplotlib.figure import Figure

from everylink.figure.canvas import LEFT, blank_page, shortened, write
from everylink.judge.verdict import JudgedRun, Judgement
from everylink.text.verdicts import verdict_text

SECTION = "Verdicts and structure"
TOP, LINE, MOST_LINES = 76, 10, 105
LINE_LENGTH, LETTER = 150, 6.5


def verdict_pages(run: JudgedRun) -> list[Callable[[], Figure]]:
    """A function that draws the page; none where the conclusion, on every page, says it all."""
    judgement = run.judgement
    said = (judgement.verdicts, judgement.suspects, judgement.findings, judgement.structure)
    return [partial(verdict_page, run)] if any(said) else []


def verdict_page(run: JudgedRun) -> Figure:
    """Draw what `everylink diagnose` prints, as much as fits."""
    figure = blank_page()
    write(figure, LEFT, 52, f"{shortened(run.results.path.name, 50)}: {SECTION}", fontsize=14, weight="bold")
    lines = _wrapped(run.judgement)
    if (left := len(lines) - MOST_LINES) > 0:
        lines = [*lines[:MOST_LINES], f"and {left} more lines, which everylink diagnose prints"]
    for number, line in enumerate(lines):
        write(figure, LEFT, TOP + LINE * number, line, fontsize=LETTER)
    return figure


def _wrapped(judgement: Judgement) -> list[str]:
    wrapped = []
    for line in verdict_text(judgement).plain.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        wrapped += wrap(line, LINE_LENGTH, subsequent_indent=indent)
    return wrapped
