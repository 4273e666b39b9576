"""Fits latency, asymptotic bandwidth and n_1/2 of each kind of link: one-way time = latency + bytes / bandwidth.

This is Hockney's model (Parallel Computing 20, 1994); at n_1/2 = latency x bandwidth bytes, half of the bandwidth is
reached. The fit uses the median link of each size, so bad links do not count. It uses the logarithm of time, so all
sizes weigh the same, and a loss that grows only linearly (SciPy's soft_l1), so a size where the library changes its
protocol weighs little.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.groups import Grouping
from everylink.model.results import Results, Size
from everylink.predict.times import LinkKinds, link_kinds

FEWEST_SIZES = 2
OFF = 0.05  # log of time; beyond this residual a size counts less and less
SEEN = 0.1  # a term of the model is known if it makes up at least this part of a time
SMALLEST = 1e-4  # of a time, lower bound of a term in the search


@dataclass(frozen=True)
class LineFit:
    """Seconds, bytes per second (both directions together with the bidirectional kernel) and bytes.

    NaN if the measured sizes cannot tell. `farthest`: measured / fitted time at the size `farthest_bytes`, where they
    differ most.
    """

    kind: str
    links: int
    sizes: int
    latency: float
    bandwidth: float
    half_size: float
    farthest: float
    farthest_bytes: int


def line_fits(results: Results, grouping: Grouping | None = None) -> tuple[LineFit, ...]:
    """One fit for each kind of link with times at two sizes or more."""
    if not results.sizes:
        return ()
    kinds = link_kinds(results, grouping)
    fits = (_fit(results, kinds, number) for number in range(len(kinds.names)))
    return tuple(fit for fit in fits if fit is not None)


def _fit(results: Results, kinds: LinkKinds, number: int) -> LineFit | None:
    times = [(size.bytes, *_median(size, kinds, number)) for size in results.sizes]
    known = [(size_bytes, seconds) for size_bytes, seconds, _ in times if np.isfinite(seconds)]
    if len(known) < FEWEST_SIZES:
        return None
    size_bytes, seconds = (np.array(column, np.float64) for column in zip(*known, strict=True))
    latency, each_byte = fitted_line(size_bytes, seconds)
    off = seconds / (latency + size_bytes * each_byte)
    farthest = int(np.abs(np.log(off)).argmax())
    if latency < SEEN * seconds[0]:
        latency = float("nan")
    if each_byte * size_bytes[-1] < SEEN * seconds[-1]:
        each_byte = float("nan")
    return LineFit(
        kinds.names[number], max(count for _, _, count in times), len(known), latency,
        results.directions / each_byte, latency / each_byte, float(off[farthest]), int(size_bytes[farthest]),
    )  # fmt: skip


def _median(size: Size, kinds: LinkKinds, number: int) -> tuple[float, int]:
    """The median time in seconds of the links of a kind, and their number."""
    links = size.links
    chosen = (kinds.of(links.frm, links.to) == number) & np.isfinite(links.median) & (links.median > 0)
    return float(np.median(links.median[chosen].astype(np.float64))) if chosen.any() else np.nan, int(chosen.sum())


def fitted_line(size_bytes: NDArray[np.float64], seconds: NDArray[np.float64]) -> tuple[float, float]:
    """Seconds of an empty message, and per byte; sizes ascending, both arrays [sizes]."""
    from scipy.optimize import least_squares  # slow to import

    scale = np.array([seconds[0], seconds[-1] / max(size_bytes[-1], 1.0)])

    def off(parts: NDArray[np.float64]) -> NDArray[np.float64]:
        latency, each_byte = scale * np.exp(parts)
        return np.asarray(np.log((latency + size_bytes * each_byte) / seconds))

    bounds = (np.log(SMALLEST), np.log(1 / SMALLEST))
    found = least_squares(off, np.zeros(2), bounds=bounds, loss="soft_l1", f_scale=OFF)
    latency, each_byte = scale * np.exp(found.x)
    return float(latency), float(each_byte)
