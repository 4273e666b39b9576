"""Finds hosts whose ranks are slow among themselves, through shared memory or a cable between their GPUs; and these
GPUs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import FALSE_RATE, SUSPECT_Z
from everylink.judge.kinds import Kinds
from everylink.judge.pairs import SMALLEST
from everylink.judge.polish import with_spread
from everylink.judge.readings import rows_inside
from everylink.judge.times import SETTLED_READINGS
from everylink.model.results import Ranks, Results, Size
from everylink.robust import (
    LOW,
    LOW_ERROR,
    Values,
    apart_spread,
    discoveries,
    low_index,
    medians_of,
    moderated,
    spread,
    upper_spread,
)

FEWEST_HOSTS = 4  # needed for comparison
SETTLED_HOST = 12  # readings: among many hosts, the only inner link of one is slow a few times in a row by chance
SUSPECT_PART = 2.0  # times SUSPECT_Z, because many hosts are tested
FEWEST_PARTNERS = 3  # of a rank on its host; with fewer, one of them may be slow
MANY, ALIKE = 4, 0.1  # hosts that are slow alike by design; log of the factor by which these differ
QUICKEST = 0.5  # part of the effect of a host by which its quickest reading is longer, too
SMALLEST_OF_GPUS = 0.1  # log of the factor of a pair: one of eight NVLinks adds 0.13
Parts = tuple[NDArray[np.int64], Values, NDArray[np.int64], Values]  # numbers; a low quantile, readings, median of each


@dataclass(frozen=True)
class SlowWithin:
    """A host and the time of its inner links, log of the factor and seconds; `usual`: seconds on other hosts.

    `ranks`: none where it is the whole host, else the rank whose links to others of its host are slow, or the two
    ranks.
    """

    host: int
    ranks: tuple[int, ...]
    effect: float
    z: float
    readings: int
    seconds: float
    tested: int
    sure: bool

    @property
    def usual(self) -> float:
        return self.seconds / float(np.exp(self.effect))


def find_within(results: Results, size: Size, kinds: Kinds | None = None) -> list[SlowWithin]:
    """Hosts whose inner links are slower than those of most hosts; `sure` from SETTLED_HOST readings on. In runs in
    memory of GPUs their ranks and pairs of ranks, too.

    Links within a NUMA node are compared with each other, links between NUMA nodes too, and of these those between the
    same two places on hosts of one kind: some cores are further from each other than others. A low quantile of a host's
    links counts, so one slow rank does not make its host slow; each link once, however often it was measured again.
    """
    ranks, host_of = results.ranks, results.ranks.host_index.astype(np.int64)
    frm, to, every = rows_inside(size, host_of)
    of_link = frm * len(ranks) + to
    link, time, count, _ = _low_of(of_link, every, every, np.ones(len(every), np.int64))
    frm, to = np.divmod(link, len(ranks))
    host = host_of[frm]
    of_kind = np.zeros(len(host), np.int64) if kinds is None else kinds.of_host[host]
    usual = _of_classes(time, _classes(ranks, frm, to, of_kind), host)
    beyond = every - usual[np.searchsorted(link, of_link)]
    quickest = _quickest_of(host_of[np.divmod(of_link, len(ranks))[0]], beyond, len(host_of))
    known = np.isfinite(usual)
    frm, to, host, count = frm[known], to[known], host[known], count[known]
    time, rest = time[known], time[known] - usual[known]
    if len(np.unique(host)) < FEWEST_HOSTS:
        return []
    beyond = beyond[np.isfinite(beyond)]
    noise = moderated(max(spread(beyond), upper_spread(beyond)), len(beyond) // 2)  # a long tail lies above the median
    found = _slow_of(_low_of(host, rest, time, count), noise, lambda number: (number, ()), SETTLED_HOST)
    found = [one for one in found if quickest[one.host] > QUICKEST * one.effect]
    if not ranks.in_memory_of_gpus:
        return found

    def named(*of: int) -> tuple[int, tuple[int, ...]]:
        return int(host_of[of[0]]), of

    free = ~np.isin(host, [one.host for one in found])
    of_many = free & (_partners(frm, to, len(ranks))[[frm, to]] >= FEWEST_PARTNERS)
    at, end = np.nonzero(of_many.T)
    ends = np.stack([frm, to], axis=1)[at, end]
    of_ranks = _slow_of(_low_of(ends, rest[at], time[at], count[at]), noise, named)
    slow = [one.ranks[0] for one in of_ranks]
    free &= ~np.isin(frm, slow) & ~np.isin(to, slow)
    pair = np.minimum(frm, to) * len(ranks) + np.maximum(frm, to)
    low = _low_of(pair[free], rest[free], time[free], count[free], 0.5)
    of_pairs = _slow_of(low, noise, lambda number: named(*divmod(number, len(ranks))))
    return [*found, *of_ranks, *(one for one in of_pairs if one.effect > SMALLEST_OF_GPUS)]


def slow_by_design(found: Sequence[SlowWithin]) -> list[SlowWithin]:
    """Hosts that are equally slow, and too many to be faults: they are built that way, for example with fewer memory
    channels."""
    hosts = [one for one in found if not one.ranks]
    middle = float(np.median([one.effect for one in hosts])) if hosts else 0.0
    alike = [one for one in hosts if abs(one.effect - middle) < ALIKE]
    return alike if len(alike) >= MANY else []


def _slow_of(
    parts: Parts, noise: float, named: Callable[[int], tuple[int, tuple[int, ...]]], settled: int = SETTLED_READINGS
) -> list[SlowWithin]:
    """The parts that are slower than most; one with `settled` readings or more is sure. `named`: the host and the ranks
    of a part, by its number."""
    numbers, low, count, middle = parts
    if not len(low):
        return []
    effect = low - np.median(low)
    error = LOW_ERROR * noise / np.sqrt(count)
    z = effect / with_spread(error, apart_spread(effect))
    sure = discoveries(z, FALSE_RATE) & (effect > SMALLEST) & (count >= settled)
    suspect = (z > SUSPECT_PART * SUSPECT_Z) & (effect > SMALLEST) & (count < settled)
    return [
        SlowWithin(
            *named(int(numbers[i])), float(effect[i]), float(z[i]), int(count[i]), float(np.exp(middle[i])),
            len(numbers), bool(sure[i]),
        )
        for i in np.flatnonzero(sure | suspect)
    ]  # fmt: skip


def _quickest_of(host: NDArray[np.int64], beyond: Values, hosts: int) -> Values:
    """Of each host its quickest reading against that of most hosts, log of the factor, [hosts]. Readings are disturbed
    at random, and never shorter for that: a slow host has no quick ones."""
    quickest = np.full(hosts, np.inf)
    np.fmin.at(quickest, host, beyond)
    known = quickest[np.isfinite(quickest)]
    return quickest - float(np.median(known)) if len(known) else quickest


def _partners(frm: NDArray[np.int64], to: NDArray[np.int64], ranks: int) -> NDArray[np.intp]:
    """With how many others each rank has readings, [ranks]."""
    both = np.unique(np.concatenate([frm * ranks + to, to * ranks + frm]))
    return np.bincount(both // ranks, minlength=ranks)


def _classes(ranks: Ranks, frm: NDArray[np.int64], to: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for the class of each link: the kind of its host; on one NUMA node, on two, or unknown; and its two
    places, which are GPUs where these hold the messages."""
    place = ranks.gpu + 1 if ranks.in_memory_of_gpus else ranks.local_rank
    a, b = ranks.numa[frm], ranks.numa[to]
    nodes = np.where((a < 0) | (b < 0), 2, np.where(a == b, 0, 1))
    places = int(place.max(initial=0)) + 1
    return np.asarray(((kind * 3 + nodes) * places + place[frm]) * places + place[to], np.int64)


def _of_classes(time: Values, kind: NDArray[np.int64], host: NDArray[np.int64]) -> Values:
    """What links of the class of each take, log seconds; NaN of classes that fewer than FEWEST_HOSTS hosts have."""
    kinds, middle = medians_of(time, kind)
    of = np.searchsorted(kinds, kind)
    hosts = np.bincount(np.unique(np.stack([of, host]), axis=1)[0], minlength=len(kinds))
    return np.asarray(np.where(hosts >= FEWEST_HOSTS, middle, np.nan)[of])


def _low_of(of: NDArray[np.int64], rest: Values, time: Values, count: NDArray[np.int64], part: float = LOW) -> Parts:
    """By the part `of` each value: a low quantile of the residuals. `count`: the readings behind each."""
    order = np.lexsort((rest, of))
    numbers, starts, values = np.unique(of[order], return_index=True, return_counts=True)
    low = rest[order][starts + low_index(values, part)]
    _, middle = medians_of(time, of)
    readings = np.bincount(np.searchsorted(numbers, of), count).astype(np.int64)
    return numbers.astype(np.int64), low, readings, middle
