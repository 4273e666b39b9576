"""The slowness of each link within its class, as a matrix for drawing, and its colour scale."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links.classes import LinkClass, classes
from everylink.links.hosts import DrawnOrder
from everylink.model.links import Links
from everylink.model.results import Results, Size

REACH = 3.0  # interquartile ranges beyond the quartiles that the scale covers
NARROWEST = 1.25  # factor that the scale spans at least, so that noise does not fill it


@dataclass(frozen=True)
class Scale:
    """A logarithmic scale from `low` to `high` seconds; `min` and `max` are the extremes of the data."""

    low: float
    high: float
    min: float
    max: float

    def position(self, seconds: NDArray[np.floating]) -> NDArray[np.float64]:
        """The positions of times on the scale, from 0 (low) to 1 (high), clipped; NaN stays NaN. Any shape."""
        with np.errstate(divide="ignore", invalid="ignore"):
            place = np.log(np.asarray(seconds, np.float64) / self.low) / np.log(self.high / self.low)
        return np.asarray(np.clip(place, 0.0, 1.0))


def robust_scale(seconds: NDArray[np.floating]) -> Scale | None:
    """The scale for the known, positive times in `seconds`, any shape; None if there are none."""
    known = seconds[np.isfinite(seconds) & (seconds > 0)].astype(np.float64)
    if not len(known):
        return None
    q1, middle, q3 = np.quantile(np.log(known), (0.25, 0.5, 0.75))
    reach = REACH * (q3 - q1)
    low = max(np.exp(q1 - reach), known.min())
    high = min(np.exp(q3 + reach), known.max())
    if high < low * NARROWEST:
        slack = np.sqrt(NARROWEST)
        low, high = np.exp(middle) / slack, np.exp(middle) * slack
    return Scale(float(low), float(high), float(known.min()), float(known.max()))


@dataclass(frozen=True)
class Shading:
    """Matrices [from, to] in drawn order, shape [blocks, blocks]; each row or column is a block of `fold` ranks.

    `position` is from 0 (fast) to 1 (slow) on the scale of the link's class, NaN if no time is known. `failed`: any
    link of the block failed. `same_host`: all links of the block are within a host.
    """

    fold: int
    scales: dict[LinkClass, Scale]
    position: NDArray[np.float32]
    failed: NDArray[np.bool_]
    same_host: NDArray[np.bool_]


def shade(results: Results, size: Size, order: DrawnOrder, most: int) -> Shading:
    """Shade one size with at most `most` rows and columns. The scale covers the values that are drawn."""
    links, ranks = size.links, len(results.ranks)
    fold = -(-ranks // most)
    scales = {}
    position = np.full((-(-ranks // fold),) * 2, np.nan, np.float32)
    every = np.ones(len(links), bool)
    for c in classes(links, results.ranks):
        slowest = fold_links(links, links.median, order, fold, c.mask)
        if scale := robust_scale(slowest):
            scales[c.link_class] = scale
            position = np.fmax(position, scale.position(slowest))
    failed = fold_links(links, np.where(links.failed, 1.0, np.nan), order, fold, every) > 0
    same = _same_host(results.ranks.host_index[order.ranks], fold)
    return Shading(fold, scales, position.astype(np.float32), failed, same)


def fold_links(
    links: Links, values: NDArray[np.floating], order: DrawnOrder, fold: int, mask: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """The largest value of each block of fold x fold links in drawn order, NaN if unknown; shape [blocks, blocks].

    The full matrix is never allocated; for 100,000 ranks it would not fit into memory.
    """
    place = np.empty(len(order.ranks), np.intp)
    place[order.ranks] = np.arange(len(order.ranks)) // fold
    blocks = np.full((-(-len(place) // fold),) * 2, np.nan, np.float32)
    np.fmax.at(blocks, (place[links.frm[mask]], place[links.to[mask]]), values[mask].astype(np.float32))
    return blocks


def _same_host(hosts: NDArray[np.uint32], fold: int) -> NDArray[np.bool_]:
    """Whether all links of each block are within one host, shape [blocks, blocks]; `hosts` in drawn order."""
    starts = np.arange(0, len(hosts), fold)
    first, last = np.minimum.reduceat(hosts, starts), np.maximum.reduceat(hosts, starts)
    return np.asarray((first[:, None] == last[None, :]) & (last[:, None] == first[None, :]) & (first == last)[:, None])
