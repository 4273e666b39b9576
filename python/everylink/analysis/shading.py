"""How slow each link is within its class, as a matrix to draw; folded so that a block is as bad as its worst link."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass, classes
from everylink.analysis.order import DrawnOrder
from everylink.analysis.scale import Scale, robust_scale
from everylink.links import Links
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
    fold = -(-ranks // most)
    scales = {}
    position = np.full((-(-ranks // fold),) * 2, np.nan, np.float32)
    every = np.ones(len(links), bool)
    for c in classes(links, results.ranks):
        slowest = fold_links(links, values, order, fold, c.mask)
        if scale := robust_scale(slowest):
            scales[c.link_class] = scale
            position = np.fmax(position, scale.position(slowest))
    failed = fold_links(links, np.where(links.failed, 1.0, np.nan), order, fold, every) > 0
    same = _same_host(results.ranks.host_index[order.ranks], fold)
    return Shading(fold, scales, position.astype(np.float32), failed, same)


def fold_links(
    links: Links, values: NDArray[np.floating], order: DrawnOrder, fold: int, mask: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """The largest value of each block of fold x fold links in drawn order, NaN where none is known.

    The whole matrix, which for 100,000 ranks is larger than any memory, is never made.
    """
    place = np.empty(len(order.ranks), np.intp)
    place[order.ranks] = np.arange(len(order.ranks)) // fold
    blocks = np.full((-(-len(place) // fold),) * 2, np.nan, np.float32)
    np.fmax.at(blocks, (place[links.frm[mask]], place[links.to[mask]]), values[mask].astype(np.float32))
    return blocks


def _same_host(hosts: NDArray[np.uint32], fold: int) -> NDArray[np.bool_]:
    """For each block whether all its links stay on one host; `hosts` in drawn order."""
    starts = np.arange(0, len(hosts), fold)
    first, last = np.minimum.reduceat(hosts, starts), np.maximum.reduceat(hosts, starts)
    return np.asarray((first[:, None] == last[None, :]) & (last[:, None] == first[None, :]) & (first == last)[:, None])
