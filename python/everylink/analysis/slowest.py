"""The slowest links of a size, each with its second measurement where there is one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import classes
from everylink.links import keys
from everylink.results import Results, Size


@dataclass(frozen=True)
class SlowLink:
    """A link by its first time in seconds; `second` is that of its retest, None where it was not measured again.

    `ratio` is the first time by the median of the link's class. `second_outcome` is of the retest.
    """

    frm: int
    to: int
    first: float
    ratio: float
    second: float | None
    second_outcome: int | None


def slowest(results: Results, size: Size, count: int = 10, statistic: str = "median") -> tuple[SlowLink, ...]:
    """The `count` slowest links with a known, positive time, the slowest first."""
    links = size.links
    values = links.statistic(statistic)
    values = np.where(values > 0, values, np.float32(np.nan))  # nothing takes no time
    typical = np.full(len(links), np.nan)
    for c in classes(links, results.ranks):
        known = values[c.mask & np.isfinite(values)]
        typical[c.mask] = np.median(known) if len(known) else np.nan
    again = size.retests
    seconds = {(int(f), int(t)): i for i, (f, t) in enumerate(zip(again.frm, again.to, strict=True))}
    measured_again = np.isin(keys(links, ranks := len(results.ranks)), keys(again, ranks))
    found = []
    for i in _largest(values, measured_again, count):
        link = int(links.frm[i]), int(links.to[i])
        j = seconds.get(link)
        second = None if j is None else float(again.statistic(statistic)[j])
        outcome = None if j is None else int(again.outcome[j])
        found.append(SlowLink(*link, float(values[i]), float(values[i] / typical[i]), second, outcome))
    return tuple(found)


def _largest(values: NDArray[np.floating], preferred: NDArray[np.bool_], count: int) -> list[int]:
    """Where the largest known values lie, the largest first, of equal ones the preferred first."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) > count:
        least = np.partition(values[known], -count)[-count]
        known = known[values[known] >= least]
    return [int(i) for i in known[np.lexsort((~preferred[known], -values[known]))][:count]]
