"""The two classes of links, within a host and between hosts, and the quantiles and histogram of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from everylink.links.stream import link_blocks, order_statistics
from everylink.model.links import Links
from everylink.model.results import Ranks, Results, Size

NARROWEST = 1.02  # factor that the bins span at least, so that equal times do not give bins of zero width
FEWEST_BINS, MOST_BINS = 10, 80


class LinkClass(StrEnum):
    """Whether the two ends of a link are on one host."""

    SAME_HOST = "same host"
    OTHER_HOST = "other host"


CLASSES = (LinkClass.OTHER_HOST, LinkClass.SAME_HOST)


@dataclass(frozen=True)
class ClassMask:
    """The links of one class: `mask` has shape [links]."""

    link_class: LinkClass
    mask: NDArray[np.bool_]


def classes(links: Links, ranks: Ranks) -> tuple[ClassMask, ...]:
    """The classes that occur among these links, links between hosts first."""
    same = ranks.host_index[links.frm] == ranks.host_index[links.to]
    both = (ClassMask(c, mask) for c, mask in zip(CLASSES, (~same, same), strict=True))
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


def summarise(results: Results, size: Size) -> SizeSummary:
    """Summarise one size by the median of each link."""
    host = results.ranks.host_index
    links, failed = np.zeros((2, len(CLASSES)), np.int64)
    for block in link_blocks(size):
        same = host[block.frm] == host[block.to]
        links += [np.count_nonzero(~same), np.count_nonzero(same)]
        failed += [np.count_nonzero(block.failed & ~same), np.count_nonzero(block.failed & same)]
    found = zip(CLASSES, links.tolist(), failed.tolist(), spreads(results, size), strict=True)
    return SizeSummary(size.bytes, tuple(ClassSummary(c, n, bad, time) for c, n, bad, time in found if n))


def spreads(results: Results, size: Size, least: float = 0.0) -> list[Spread]:
    """The spread of the known values of each of CLASSES, of those of `least` or more; 99 % do not exceed p99."""

    def stream() -> Iterator[tuple[int, NDArray[np.float32]]]:
        host = results.ranks.host_index
        for block in link_blocks(size):
            known = np.isfinite(block.seconds) & (block.seconds >= least)
            same = host[block.frm] == host[block.to]
            yield 0, block.seconds[known & ~same]
            yield 1, block.seconds[known & same]

    def wanted(count: int) -> list[int]:
        return [0, (count - 1) // 2, count // 2, -(-99 * count // 100) - 1, count - 1]

    found = []
    for values in order_statistics(stream, len(CLASSES), wanted):
        least_one, low, high, p99, most = values or [float("nan")] * 5
        found.append(Spread(least_one, (low + high) / 2, p99, most))
    return found


@dataclass(frozen=True)
class Histogram:
    """`edges` in seconds, shape [bins + 1]; `counts` of links per class, shape [bins] each."""

    edges: NDArray[np.float64]
    counts: dict[LinkClass, NDArray[np.intp]]


def histogram(results: Results, size: Size) -> Histogram | None:
    """Histogram of the known, positive times of one size; None if there are none. Each such link is in one bin."""
    known, low, high = 0, np.inf, 0.0
    for block in link_blocks(size):
        values = block.seconds[np.isfinite(block.seconds) & (block.seconds > 0)]
        if len(values):
            known, low, high = known + len(values), min(low, float(values.min())), max(high, float(values.max()))
    if not known:
        return None
    middle, half = np.sqrt(low * high), max(np.sqrt(high / low), np.sqrt(NARROWEST))
    bins = int(np.clip(2 * np.sqrt(known), FEWEST_BINS, MOST_BINS))
    edges = np.geomspace(middle / half, middle * half, bins + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    counts, links = np.zeros((len(CLASSES), bins), np.int64), np.zeros(len(CLASSES), np.int64)
    host = results.ranks.host_index
    for block in link_blocks(size):
        seconds, same = block.seconds.astype(np.float64), host[block.frm] == host[block.to]
        for number, mask in enumerate((~same, same)):
            counts[number] += np.histogram(seconds[mask & np.isfinite(seconds) & (seconds > 0)], edges)[0]
            links[number] += np.count_nonzero(mask)
    return Histogram(edges, {c: counts[number] for number, c in enumerate(CLASSES) if links[number]})
