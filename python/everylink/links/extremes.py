"""The slowest links, links outside limits, and the times of each sender and receiver."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links.classes import LinkClass, classes, spreads
from everylink.links.stream import link_blocks
from everylink.model.links import keys
from everylink.model.results import Results, Size
from everylink.units import bandwidth

TINIEST = float(np.finfo(np.float32).smallest_subnormal)  # a time of 0 is not valid


@dataclass(frozen=True)
class SlowLink:
    """A link with its first time in seconds, and the time and outcome of its retest; None if it was not re-measured."""

    frm: int
    to: int
    first: float
    second: float | None
    second_outcome: int | None


def slowest(results: Results, size: Size, count: int = 10) -> tuple[SlowLink, ...]:
    """The `count` slowest links with a known, positive time, slowest first; among equals, re-measured ones first."""
    again, ranks = size.retests, len(results.ranks)
    again_keys = keys(again, ranks)
    frm, to = np.zeros((2, 0), np.int64)
    values, least = np.zeros(0), 0.0
    for block in link_blocks(size):
        some = np.flatnonzero((block.seconds > 0) & (block.seconds >= least) & np.isfinite(block.seconds))
        frm, to = np.append(frm, block.frm[some]), np.append(to, block.to[some])
        values = np.append(values, block.seconds[some])
        link = frm * ranks + to
        kept = _largest(values, np.isin(link, again_keys), link, count)
        frm, to, values = frm[kept], to[kept], values[kept]
        least = float(values[-1]) if len(values) == count > 0 else 0.0
    at = {(int(f), int(t)): i for i, (f, t) in enumerate(zip(again.frm, again.to, strict=True))}
    found = []
    for one, other, value in zip(frm.tolist(), to.tolist(), values.tolist(), strict=True):
        j = at.get((one, other))
        second = None if j is None else float(again.median[j])
        outcome = None if j is None else int(again.outcome[j])
        found.append(SlowLink(one, other, value, second, outcome))
    return tuple(found)


def times_typical(results: Results, size: Size, links: Sequence[SlowLink]) -> list[float]:
    """Their first times / the median of the links of their class."""
    host = results.ranks.host_index
    typical = [spread.median for spread in spreads(results, size, TINIEST)]
    return [link.first / typical[int(host[link.frm] == host[link.to])] for link in links]


def _largest(
    values: NDArray[np.floating], preferred: NDArray[np.bool_], link: NDArray[np.int64], count: int
) -> NDArray[np.intp]:
    """Indices of the largest values, largest first; among equals, preferred ones come first, then by `link`."""
    known = np.arange(len(values))
    if len(known) > count > 0:
        known = known[values >= np.partition(values, -count)[-count]]
    return known[np.lexsort((link[known], ~preferred[known], -values[known]))][:count]


@dataclass(frozen=True)
class Outside:
    """Indices into the links of a size: `slow` with the slowest first, `fast` with the fastest first.

    `untimed` links have no bandwidth.
    """

    slow: NDArray[np.intp]
    fast: NDArray[np.intp]
    untimed: int


def outside(results: Results, size: Size, below: float | None, above: float | None) -> Outside:
    """Compare the links' median bandwidths with limits in bytes per second; None is no limit."""
    rates = bandwidth(size.bytes, size.links.median, results.directions)
    known = np.isfinite(rates)
    order = np.argsort(rates, kind="stable")[: np.count_nonzero(known)]  # NaN sorts last
    slow = order[rates[order] < below] if below is not None else order[:0]
    fast = order[::-1][rates[order[::-1]] > above] if above is not None else order[:0]
    return Outside(slow, fast, int(np.count_nonzero(~known)))


@dataclass(frozen=True)
class EndTimes:
    """Statistics of the links from, or to, each host or rank; shape [hosts] or [ranks] each.

    `mean` and `worst` are in seconds over links with a time, NaN if there is none. `worst_link` is the index of the
    slowest link among the links of the size, -1 if there is none.
    """

    links: NDArray[np.intp]
    failed: NDArray[np.intp]
    mean: NDArray[np.float64]
    worst: NDArray[np.float64]
    worst_link: NDArray[np.intp]


@dataclass(frozen=True)
class BothEnds:
    """The links of one class, by sender and by receiver."""

    link_class: LinkClass
    sending: EndTimes
    receiving: EndTimes


def both_ends(results: Results, size: Size, group: NDArray[np.integer]) -> tuple[BothEnds, ...]:
    """Group the links of a size by `group`, shape [ranks]: the host of each rank, or the rank itself."""
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
