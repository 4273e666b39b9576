"""Bandwidth over message size, of each class of links of a run: a curve, its spread, and where it falls."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everylink.links.classes import LinkClass, classes
from everylink.model.links import keys
from everylink.model.results import Results, Size
from everylink.units import bandwidth

LOW, HIGH = 0.05, 0.95  # quantiles over the links
LEAST_FALL = 0.05  # of the bandwidth, of the median link


@dataclass(frozen=True)
class Fall:
    """Longer messages with less bandwidth: `part` of it is left from one size to the next, of the median link."""

    bytes: int
    next_bytes: int
    part: float


@dataclass(frozen=True)
class Line:
    """A bandwidth to compare with, bytes per second."""

    rate: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Over the links of a class, bytes per second, shape [sizes]: the median link; 90 % of them lie from low to high.

    `bytes` ascending; sizes without a time, and messages of 0 bytes, are left out.
    """

    link_class: LinkClass
    bytes: NDArray[np.int64]
    median: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    falls: tuple[Fall, ...]


def curves(results: Results) -> tuple[Curve, ...]:
    """A curve for each class of links that has times, other hosts first."""
    found = (_curve(results, link_class) for link_class in (LinkClass.OTHER_HOST, LinkClass.SAME_HOST))
    return tuple(curve for curve in found if len(curve.bytes))


def _curve(results: Results, link_class: LinkClass) -> Curve:
    kept: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = []
    for size in results.sizes:
        link, rate = _rates(results, size, link_class)
        if len(rate):
            kept.append((size.bytes, link, rate))
    median, low, high = np.array([np.quantile(rate, (0.5, LOW, HIGH)) for _, _, rate in kept]).reshape(-1, 3).T
    falls = (_fall(*pair) for pair in pairwise(kept))
    return Curve(
        link_class, np.array([size_bytes for size_bytes, _, _ in kept], np.int64), median, low, high,
        tuple(fall for fall in falls if fall is not None),
    )  # fmt: skip


def _rates(results: Results, size: Size, link_class: LinkClass) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The links of a class that have a time, and their bandwidths."""
    links = size.links
    chosen = np.zeros(len(links), bool)
    for found in classes(links, results.ranks):
        if found.link_class == link_class and size.bytes > 0:
            chosen = found.mask & np.isfinite(links.median) & (links.median > 0)
    rate = bandwidth(size.bytes, links.median[chosen], results.directions)
    return keys(links, len(results.ranks))[chosen], rate


def _fall(
    here: tuple[int, NDArray[np.int64], NDArray[np.float64]],
    further: tuple[int, NDArray[np.int64], NDArray[np.float64]],
) -> Fall | None:
    """Link by link, so that a size at which other links have times does not look like a fall."""
    _, at, after = np.intersect1d(here[1], further[1], assume_unique=True, return_indices=True)
    if not len(at):
        return None
    part = float(np.median(further[2][after] / here[2][at]))
    return Fall(here[0], further[0], part) if part < 1 - LEAST_FALL else None
