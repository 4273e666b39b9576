"""How links look from one of their ends: mean and worst time of each host, or rank, as sender and as receiver."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass, classes
from everylink.results import Results, Size


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
