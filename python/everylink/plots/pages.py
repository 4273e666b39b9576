"""All pages of a run: one for each message size, or one for each load pattern."""

from collections.abc import Callable, Sequence
from functools import partial

from matplotlib.figure import Figure

from everylink.plots.load_page import load_page
from everylink.plots.page import page
from everylink.results import Results


def pages(runs: Sequence[Results]) -> list[Callable[[], Figure]]:
    """What draws each page, because all of them at once would take much memory."""
    found: list[Callable[[], Figure]] = []
    for run in runs:
        found += [partial(page, run, size) for size in run.sizes]
        found += [partial(load_page, run, load) for load in run.loads]
    return found
