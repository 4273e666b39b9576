"""What single ranks add to the times of their host's links: a NIC of several, a rank on the wrong core."""

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.effects import Effects
from everylink.analysis.judge.polish import LEAST_SPREAD, Ends
from everylink.analysis.judge.readings import Readings
from everylink.analysis.judge.robust import LOW_ERROR, Values, healthy_spread, low_place

BLOCK = 256  # ranks that are looked at together


def rank_ends(readings: Readings, effects: Effects) -> Ends:
    """Each rank against the better half of its host's ranks; 0 of ranks that are alone on their host.

    As with hosts, what lies low in a rank's links is its own.
    """
    ranks, host_of = readings.ranks, readings.host_of
    per_host = np.bincount(host_of, minlength=readings.hosts)
    if not (per_host > 1).any():
        return Ends(np.zeros(ranks), np.ones(ranks), np.zeros(ranks, np.intp))
    low, links = _low(readings, effects)
    typical = _lower_median_of_hosts(low, host_of, readings.hosts)
    effect = np.where(per_host[host_of] > 1, np.nan_to_num(low - typical[host_of]), 0.0)
    others = effect[(per_host[host_of] > 1) & (effect != 0)]
    spread = healthy_spread(others) if len(others) else 0.0
    error = np.sqrt(2 * (LOW_ERROR * effects.noise) ** 2 / np.maximum(links, 1) + spread**2 + LEAST_SPREAD**2)
    return Ends(effect, error, links)


def _low(readings: Readings, effects: Effects) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of what is left of each rank's links, both directions, and how many there are."""
    host_of, further = readings.host_of, readings.further
    low, links = np.full(readings.ranks, np.nan), np.zeros(readings.ranks, np.intp)
    more = further.time - effects.expected_at(host_of[further.frm], host_of[further.to])
    for begin in range(0, readings.ranks, BLOCK):
        own = slice(begin, begin + BLOCK)
        there = readings.first[own] - effects.expected_at(host_of[own, None], host_of[None, :])
        back = readings.first[:, own] - effects.expected_at(host_of[:, None], host_of[None, own])
        best = np.fmin(there, back.T)
        for ends, others in ((further.frm, further.to), (further.to, further.frm)):
            inside = (ends >= begin) & (ends < begin + BLOCK)
            np.fmin.at(best, (ends[inside] - begin, others[inside]), more[inside])
        known = np.isfinite(best).sum(axis=1)
        best.sort(axis=1)
        low[own], links[own] = best[np.arange(len(best)), low_place(known)], known
    return low, links


def _lower_median_of_hosts(low: Values, host_of: NDArray[np.int64], hosts: int) -> Values:
    order = np.lexsort((low, host_of))  # NaN sorts behind every number
    known = np.bincount(host_of[np.isfinite(low)], minlength=hosts)
    starts = np.concatenate([[0], np.cumsum(np.bincount(host_of, minlength=hosts))[:-1]])
    return np.where(known > 0, low[order][starts + np.maximum(known - 1, 0) // 2], np.nan)
