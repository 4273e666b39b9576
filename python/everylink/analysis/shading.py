"""How slow each link is within its class, as a matrix to draw; folded so that a block is as bad as its worst link."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass, classes
from everylink.analysis.order import DrawnOrder
from everylink.analysis.scale import Scale, robust_scale
from everylink.links import Outcome
from everylink.results import Results, Size


@dataclass(frozen=True)
class Shading:
    """Blocks as [from, to] in drawn order, shape [blocks, blocks]; `fold` ranks fall into one row or column.

    `position` is 0 for fast and 1 for slow on the scale of the link's class, NaN where no time is known; `failed`
    where any link of the block failed; `same_host` where all links of the block stay on their host.
    """

    fold: int
    scales: dict[LinkClass, Scale]
    position: NDArray[np.float32]
    failed: NDArray[np.bool_]
    same_host: NDArray[np.bool_]


def shade(results: Results, size: Size, order: DrawnOrder, most: int, statistic: str = "median") -> Shading:
    """Shade one size with at most `most` rows and columns; the scale is that of what is drawn, blocks or links."""
    links, ranks = size.links, len(results.ranks)
    values = links.statistic(statistic)
    drawn = np.ix_(order.ranks, order.ranks)
    fold = -(-ranks // most)
    scales = {}
    position = np.full((-(-ranks // fold),) * 2, np.nan, np.float32)
    for c in classes(links, results.ranks):
        seconds = np.full((ranks, ranks), np.nan, np.float32)
        seconds[links.frm[c.mask], links.to[c.mask]] = values[c.mask]
        slowest = fold_matrix(seconds[drawn], fold, np.fmax)
        if scale := robust_scale(slowest):
            scales[c.link_class] = scale
            position = np.fmax(position, scale.position(slowest))
    hosts = results.ranks.host_index[order.ranks]
    same = fold_matrix(hosts[:, None] == hosts[None, :], fold, np.logical_and)
    failed = fold_matrix(links.outcome_matrix(ranks)[drawn] > Outcome.OK, fold, np.logical_or)
    return Shading(fold, scales, position.astype(np.float32), failed, same)


def fold_matrix(matrix: NDArray[Any], fold: int, worst: np.ufunc) -> NDArray[Any]:
    """Blocks of fold x fold entries, each reduced by `worst`; the last row and column may hold fewer."""
    if fold == 1:
        return matrix
    starts = np.arange(0, len(matrix), fold)
    return np.asarray(worst.reduceat(worst.reduceat(matrix, starts, axis=0), starts, axis=1))
