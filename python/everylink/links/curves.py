"""Bandwidth over message size for each class of links: the curve, its spread, and the sizes at which it falls."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everylink.links.classes import LinkClass, classes
from everylink.model.links import keys
from everylink.model.results import Results, Size
from everylink.units import bandwidth

LOW, HIGH = 0.05, 0.95  # quantiles over the links
LEAST_FALL = 0.05  # of the median link's bandwidth


@dataclass(frozen=True)
class Fall:
    """A drop of bandwidth from one size to the next: the median link keeps the fraction `part`."""

    bytes: int
    next_bytes: int
    part: float


@dataclass(frozen=True)
class Line:
    """A reference bandwidth, `rate` in bytes per second."""

    rate: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Bandwidths of the links of a class in bytes per second, shape [sizes]; 90 % of links are from `low` to `high`.

    `bytes` is ascending; sizes without times and messages of 0 bytes are left out.
    """

    link_class: LinkClass
    bytes: NDArray[np.int64]
    median: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    falls: tuple[Fall, ...]


def curves(results: Results) -> tuple[Curve, ...]:
    """A curve for each class of links that has times, links between hosts first."""
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
    """Keys and bandwidths (bytes per second) of the links of a class that have a time; shape [links] each."""
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
    """The fall between two sizes, over links with times at both, so that missing links do not look like a fall."""
    _, at, after = np.intersect1d(here[1], further[1], assume_unique=True, return_indices=True)
    if not len(at):
        return None
    part = float(np.median(further[2][after] / here[2][at]))
    return Fall(here[0], further[0], part) if part < 1 - LEAST_FALL else None
