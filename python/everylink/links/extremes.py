"""The slowest links, the links outside of limits, and how each end does with its links."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links.classes import LinkClass, classes
from everylink.model.links import keys
from everylink.model.results import Results, Size
from everylink.units import bandwidth


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


@dataclass(frozen=True)
class EndTimes:
    """Of the links that begin, or end, at each host or rank; shape [hosts] or [ranks] each.

    Times in seconds over the links that have one, NaN where none has; `worst_link` is the place of the slowest among
    the links of the size, -1 where there is none.
    """

    links: NDArray[np.intp]
    failed: NDArray[np.intp]
    mean: NDArray[np.float64]
    worst: NDArray[np.float64]
    worst_link: NDArray[np.intp]


@dataclass(frozen=True)
class BothEnds:
    """The links of one class by their sender and by their receiver."""

    link_class: LinkClass
    sending: EndTimes
    receiving: EndTimes


def both_ends(results: Results, size: Size, group: NDArray[np.integer]) -> tuple[BothEnds, ...]:
    """Group the links of a size by the `group` of their ranks, shape [ranks]: a host, or the rank itself."""
    links, count = size.links, int(group.max()) + 1

    def end(ranks: NDArray[np.uint32], mask: NDArray[np.bool_]) -> EndTimes:
        return _end(links.median.astype(np.float64), links.failed, group.astype(np.intp)[ranks], count, mask)

    return tuple(
        BothEnds(c.link_class, end(links.frm, c.mask), end(links.to, c.mask)) for c in classes(links, results.ranks)
    )


def _end(
    times: NDArray[np.float64],
    failed: NDArray[np.bool_],
    group: NDArray[np.intp],
    count: int,
    mask: NDArray[np.bool_],
) -> EndTimes:
    timed = np.flatnonzero(mask & (times > 0))
    of, seconds = group[timed], times[timed]
    n = np.bincount(of, minlength=count)
    total = np.bincount(of, seconds, minlength=count)
    mean = np.divide(total, n, out=np.full(count, np.nan), where=n > 0)
    order = np.lexsort((seconds, of))
    last = order[np.diff(of[order], append=-1) != 0]  # the slowest of each group
    worst, worst_link = np.full(count, np.nan), np.full(count, -1, np.intp)
    worst[of[last]], worst_link[of[last]] = seconds[last], timed[last]
    return EndTimes(
        np.bincount(group[mask], minlength=count), np.bincount(group[mask & failed], minlength=count), mean, worst,
        worst_link,
    )  # fmt: skip
