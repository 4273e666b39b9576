"""The matrix of the connections of a pattern in which every rank meets every other one."""

from dataclasses import dataclass

from everylink.deviation.blocks import blocks_of
from everylink.deviation.model import Deviations
from everylink.deviation.reduce import deviations
from everylink.deviation.usual import usual_of
from everylink.judge.verdict import JudgedRun
from everylink.load.links import MATRICES, as_links
from everylink.model.loads import Load
from everylink.model.results import Size
from everylink.units import size_text


@dataclass(frozen=True)
class Matrix:
    """The connections at the largest size as links, and how far they are from what is expected, by blocks of ranks."""

    title: str
    size: Size
    found: Deviations


def matrix_of(run: JudgedRun, load: Load, most: int) -> Matrix | None:
    """With at most `most` rows and columns; None for patterns without one, and where nothing was measured."""
    links = as_links(run.results, load)
    if load.name not in MATRICES or not links.sizes:
        return None
    size = links.sizes[-1]
    found = deviations(size, usual_of(JudgedRun(links, run.judgement), size), blocks_of(links.ranks, most))
    title = f"connections at {size_text(size.bytes)}: time of a message, median of its scenes / what is expected of it"
    return Matrix(title, size, found)
