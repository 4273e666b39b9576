"""Finds hosts whose ranks are slow among themselves, through shared memory or a cable between their GPUs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.findings import FALSE_RATE, SUSPECT_Z
from everylink.judge.pairs import SMALLEST
from everylink.judge.polish import with_spread
from everylink.judge.readings import UNDER_LOAD
from everylink.judge.times import SETTLED_READINGS
from everylink.model.results import Ranks, Results, Size
from everylink.model.rows import Outcome
from everylink.robust import LOW_ERROR, Values, discoveries, healthy_spread, low_index, medians_of, moderated

FEWEST_HOSTS = 4  # needed for comparison
SUSPECT_PART = 2.0  # times SUSPECT_Z, because many hosts are tested


@dataclass(frozen=True)
class SlowWithin:
    """A host and the time of its inner links, log of the factor and seconds; `usual`: seconds on other hosts."""

    host: int
    effect: float
    z: float
    readings: int
    seconds: float
    tested: int
    sure: bool

    @property
    def usual(self) -> float:
        return self.seconds / float(np.exp(self.effect))


def find_within(results: Results, size: Size) -> list[SlowWithin]:
    """Hosts whose inner links are slower than those of most hosts; `sure` from SETTLED_READINGS readings on.

    Links within a NUMA node are compared with each other, links between NUMA nodes too, and of these those between the
    same two places on their hosts: some cores are further from each other than others. A low quantile of a host's links
    counts, so one slow rank does not make its host slow.
    """
    host_of = results.ranks.host_index.astype(np.int64)
    frm, to, time = _inside(size, host_of)
    host = host_of[frm]
    usual = _of_classes(time, _classes(results.ranks, frm, to), host)
    known = np.isfinite(usual)
    host, time, rest = host[known], time[known], time[known] - usual[known]
    if len(np.unique(host)) < FEWEST_HOSTS:
        return []
    hosts, low, count, middle = _low_of_hosts(host, rest, time)
    noise = moderated(healthy_spread(rest), len(rest) // 2)
    effect = low - np.median(low)
    error = LOW_ERROR * noise / np.sqrt(count)
    z = effect / with_spread(error, healthy_spread(effect))
    sure = discoveries(z, FALSE_RATE) & (effect > SMALLEST) & (count >= SETTLED_READINGS)
    suspect = (z > SUSPECT_PART * SUSPECT_Z) & (effect > SMALLEST) & (count < SETTLED_READINGS)
    return [
        SlowWithin(
            int(hosts[i]), float(effect[i]), float(z[i]), int(count[i]), float(np.exp(middle[i])), len(hosts),
            bool(sure[i]),
        )
        for i in np.flatnonzero(sure | suspect)
    ]  # fmt: skip


def _inside(size: Size, host_of: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], Values]:
    """Ranks from and to, and log seconds, of all readings that stay on their host."""
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    several = len(np.unique(host_of)) < len(host_of)
    blocks = size.rows.blocks("frm", "to", "attempt", "outcome", "median") if several else ()
    for frm, to, attempt, outcome, median in blocks:
        good = (outcome == Outcome.OK) & (median > 0) & np.isin(attempt, UNDER_LOAD) & (host_of[frm] == host_of[to])
        ends = frm[good].astype(np.int64), to[good].astype(np.int64)
        found.append((*ends, np.log(median[good].astype(np.float64))))
    frm, to, time = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return frm, to, time


def _classes(ranks: Ranks, frm: NDArray[np.int64], to: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for the class of each link: on one NUMA node, on two, or unknown, and its two places."""
    a, b = ranks.numa[frm], ranks.numa[to]
    nodes = np.where((a < 0) | (b < 0), 2, np.where(a == b, 0, 1))
    places = int(ranks.local_rank.max(initial=0)) + 1
    return np.asarray((nodes * places + ranks.local_rank[frm]) * places + ranks.local_rank[to])


def _of_classes(time: Values, kind: NDArray[np.int64], host: NDArray[np.int64]) -> Values:
    """What links of the class of each take, log seconds; NaN of classes that fewer than FEWEST_HOSTS hosts have."""
    kinds, middle = medians_of(time, kind)
    of = np.searchsorted(kinds, kind)
    hosts = np.bincount(np.unique(np.stack([of, host]), axis=1)[0], minlength=len(kinds))
    return np.asarray(np.where(hosts >= FEWEST_HOSTS, middle, np.nan)[of])


def _low_of_hosts(
    host: NDArray[np.int64], rest: Values, time: Values
) -> tuple[NDArray[np.int64], Values, NDArray[np.int64], Values]:
    """Hosts, a low quantile of the residuals of each, the number of links, and the median of the log times."""
    order = np.lexsort((rest, host))
    hosts, starts, count = np.unique(host[order], return_index=True, return_counts=True)
    low = rest[order][starts + low_index(count)]
    middle = np.array([np.median(part) for part in np.split(time[order], starts[1:])])
    return hosts.astype(np.int64), low, count.astype(np.int64), middle
