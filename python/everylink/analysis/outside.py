"""Links below a least or above a highest bandwidth: the slow and the fast ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.results import Results, Size
from everylink.units import bandwidth


@dataclass(frozen=True)
class Outside:
    """Places among the links of a size: the slowest first, and the fastest first. `untimed` links have no bandwidth."""

    slow: NDArray[np.intp]
    fast: NDArray[np.intp]
    untimed: int


def outside(results: Results, size: Size, below: float | None, above: float | None) -> Outside:
    """Compare each link's median bandwidth with limits in bytes per second; a limit that is None holds nobody."""
    rates = bandwidth(size.bytes, size.links.median, results.directions)
    known = np.isfinite(rates)
    order = np.argsort(rates, kind="stable")[: np.count_nonzero(known)]  # NaN sorts behind every number
    slow = order[rates[order] < below] if below is not None else order[:0]
    fast = order[::-1][rates[order[::-1]] > above] if above is not None else order[:0]
    return Outside(slow, fast, int(np.count_nonzero(~known)))
