"""How the times of the links are distributed, in logarithmic bins, so that one outlier keeps a bin of its own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass, classes
from everylink.results import Results, Size

NARROWEST = 1.02  # the bins span at least this factor, so that equal times do not make bins of zero width
FEWEST_BINS, MOST_BINS = 10, 80


@dataclass(frozen=True)
class Histogram:
    """`edges` in seconds, shape [bins + 1]; `counts` of links for each class, each of shape [bins]."""

    edges: NDArray[np.float64]
    counts: dict[LinkClass, NDArray[np.intp]]


def histogram(results: Results, size: Size, statistic: str = "median") -> Histogram | None:
    """Count the known, positive times of one size; None where there is none. Every such link is in one bin."""
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
