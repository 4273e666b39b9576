"""Writes the failed links, folded, and the slowest ones with their retest."""

import math
from textwrap import wrap

from matplotlib.figure import Figure

from everylink.analysis.failed import fold_failures
from everylink.analysis.names import short_hosts
from everylink.analysis.slowest import SlowLink, slowest
from everylink.links import outcome_text
from everylink.plots.canvas import ALARM, PALE_INK, RIGHT, shortened, write
from everylink.results import Results, Size
from everylink.units import bandwidth, bandwidth_text, time_text

MOST_FAILED = 4
LINE_LENGTH, MOST_LINES = 84, 11  # characters, and lines of them
LINE = 12
FIRST_RIGHT, BANDWIDTH_RIGHT = 622, 700
BOTTOM = 1146


def draw_worst(figure: Figure, results: Results, size: Size, left: float, top: float) -> None:
    """Write both lists below each other."""
    y = top
    failed = fold_failures(results, size)
    if failed.failed:
        heading, _, again = failed.heading().partition("; ")
        write(figure, left, y, f"failed: {heading}", weight="bold", fontsize=7.5, color=ALARM)
        texts = [again, *failed.lines(MOST_FAILED)]
        for line in [part for text in texts for part in wrap(text, LINE_LENGTH)][:MOST_LINES]:
            y += LINE
            write(figure, left, y, line, fontsize=6.5, color=ALARM)
        y += 18
    links = slowest(results, size, count=max(0, int((BOTTOM - y) / LINE)))
    if not links:
        return
    write(figure, left, y, "slowest links, measured again", weight="bold", fontsize=7.5)
    rate_heading = "both directions" if results.directions == 2 else "bandwidth"
    for right, heading in ((FIRST_RIGHT, "one-way"), (BANDWIDTH_RIGHT, rate_heading), (RIGHT, "again")):
        write(figure, right, y, heading, fontsize=6.5, color=PALE_INK, ha="right")
    for i, link in enumerate(links):
        _draw_link(figure, results, size, link, left, y + LINE * (i + 1))


def _draw_link(figure: Figure, results: Results, size: Size, link: SlowLink, left: float, y: float) -> None:
    hosts = short_hosts(results.ranks)
    first, last = (shortened(f"{hosts[rank]}:{rank}", 16) for rank in (link.frm, link.to))
    rate = bandwidth_text(bandwidth(size.bytes, link.first, results.directions))
    again = ""
    if link.second is not None and link.second_outcome is not None:
        again = outcome_text(link.second_outcome) if math.isnan(link.second) else time_text(link.second)
    write(figure, left, y, f"{first} -> {last}", fontsize=6.5)
    for right, text in ((FIRST_RIGHT, time_text(link.first)), (BANDWIDTH_RIGHT, rate), (RIGHT, again)):
        write(figure, right, y, text, fontsize=6.5, ha="right")
