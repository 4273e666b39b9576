"""How fast the links are: quantiles over the links of one size, for each class of links."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass, classes
from everylink.results import Results, Size
from everylink.units import bandwidth


@dataclass(frozen=True)
class Spread:
    """Over many links: seconds, or bytes per second; NaN where no link has a value."""

    min: float
    median: float
    mean: float
    p99: float
    max: float

    def bandwidth(self, size_bytes: int, directions: int) -> "Spread":
        """The same spread as bandwidths: each is made from the time beside it, so `min` is the fastest link's."""
        return Spread(*(bandwidth(size_bytes, t, directions) for t in vars(self).values()))


@dataclass(frozen=True)
class ClassSummary:
    """The links of one class: how many were measured, how many failed, and the spread of their times."""

    link_class: LinkClass
    links: int
    failed: int
    time: Spread


@dataclass(frozen=True)
class SizeSummary:
    """One size, a class each; no class before the first row."""

    size_bytes: int
    classes: tuple[ClassSummary, ...]


def summarise(results: Results, size: Size, statistic: str = "median") -> SizeSummary:
    """Summarise one size by one statistic of each link."""
    links = size.links
    values = links.statistic(statistic)
    found = (
        ClassSummary(c.link_class, int(c.mask.sum()), int(links.failed[c.mask].sum()), spread(values[c.mask]))
        for c in classes(links, results.ranks)
    )
    return SizeSummary(size.bytes, tuple(found))


def spread(values: NDArray[np.floating]) -> Spread:
    """The spread of the known values, any shape; p99 is the value that 99 % of them do not exceed."""
    known = values[np.isfinite(values)].astype(np.float64)
    if not len(known):
        return Spread(*[float("nan")] * 5)
    p99 = np.quantile(known, 0.99, method="inverted_cdf")
    return Spread(*map(float, (known.min(), np.median(known), known.mean(), p99, known.max())))
