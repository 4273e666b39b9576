"""The two classes of links, within a host and between hosts, and the quantiles and histogram of each."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from everylink.model.links import Links
from everylink.model.results import Ranks, Results, Size

NARROWEST = 1.02  # factor that the bins span at least, so that equal times do not give bins of zero width
FEWEST_BINS, MOST_BINS = 10, 80


class LinkClass(StrEnum):
    """Whether the two ends of a link are on one host."""

    SAME_HOST = "same host"
    OTHER_HOST = "other host"


@dataclass(frozen=True)
class ClassMask:
    """The links of one class: `mask` has shape [links]."""

    link_class: LinkClass
    mask: NDArray[np.bool_]


def classes(links: Links, ranks: Ranks) -> tuple[ClassMask, ...]:
    """The classes that occur among these links, links between hosts first."""
    same = ranks.host_index[links.frm] == ranks.host_index[links.to]
    both = (ClassMask(LinkClass.OTHER_HOST, ~same), ClassMask(LinkClass.SAME_HOST, same))
    return tuple(c for c in both if c.mask.any())


@dataclass(frozen=True)
class Spread:
    """Statistics over links in seconds; NaN if no link has a value."""

    min: float
    median: float
    p99: float
    max: float


@dataclass(frozen=True)
class ClassSummary:
    """The links of one class: numbers of measured and failed links, and the spread of their times in seconds."""

    link_class: LinkClass
    links: int
    failed: int
    time: Spread


@dataclass(frozen=True)
class SizeSummary:
    """The classes of one size; none before the first row."""

    size_bytes: int
    classes: tuple[ClassSummary, ...]


def summarise(results: Results, size: Size, statistic: str = "median") -> SizeSummary:
    """Summarise one size by the given statistic of each link."""
    links = size.links
    values = links.statistic(statistic)
    found = (
        ClassSummary(c.link_class, int(c.mask.sum()), int(links.failed[c.mask].sum()), spread(values[c.mask]))
        for c in classes(links, results.ranks)
    )
    return SizeSummary(size.bytes, tuple(found))


def spread(values: NDArray[np.floating]) -> Spread:
    """The spread of the known values, any shape; 99 % of them do not exceed p99."""
    known = values[np.isfinite(values)].astype(np.float64)
    if not len(known):
        return Spread(*[float("nan")] * 4)
    p99 = np.quantile(known, 0.99, method="inverted_cdf")
    return Spread(*map(float, (known.min(), np.median(known), p99, known.max())))


@dataclass(frozen=True)
class Histogram:
    """`edges` in seconds, shape [bins + 1]; `counts` of links per class, shape [bins] each."""

    edges: NDArray[np.float64]
    counts: dict[LinkClass, NDArray[np.intp]]


def histogram(results: Results, size: Size, statistic: str = "median") -> Histogram | None:
    """Histogram of the known, positive times of one size; None if there are none. Each such link is in one bin."""
    values = size.links.statistic(statistic).astype(np.float64)
    known = np.isfinite(values) & (values > 0)
    if not known.any():
        return None
    low, high = values[known].min(), values[known].max()
    middle, half = np.sqrt(low * high), max(np.sqrt(high / low), np.sqrt(NARROWEST))
    bins = int(np.clip(2 * np.sqrt(known.sum()), FEWEST_BINS, MOST_BINS))
    edges = np.geomspace(middle / half, middle * half, bins + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    masks = classes(size.links, results.ranks)
    return Histogram(edges, {c.link_class: np.histogram(values[known & c.mask], edges)[0] for c in masks})
