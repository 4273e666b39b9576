"""Finds hosts with late messages: hosts that have more of them than others, or such that cost far more time.

A message is late above twice the median of its link. A link delays messages if either end does, so a host is rated by a
low quantile over its links: a healthy host is late with few partners only. Two tests:

- Its rate of late messages, against chance (binomial, with the rate of the links that do not touch the host) and
  against how far the rates of hosts scatter (on arcsines of square roots); the less clear one counts.
- The number of its links on which late messages cost far more time than usual. This shows lost packets where many
  messages are late for other reasons.

Late messages come in bursts, and of many hosts the one that had most of them is noticed. So where `--confirm` measured
a host again often enough, that alone counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, normal_quantile, normal_tail
from everylink.judge.readings import Lateness, Readings
from everylink.robust import Values, blocks_of_rows, lower_quantiles, sampled, spread

FEWEST_READINGS = 200  # per host
SMALLEST_RATE = 0.005  # one message in 200
LEAST_RATE = 5e-4  # lower bound of the rate assumed for chance
TIMES_TYPICAL = 4.0  # times the value of the median host
SMALLEST_COST = 0.1  # time lost to late messages / usual time of all messages: less hurts nobody
COSTLY, LEAST_COSTLY = 0.5, 0.05  # cost on links that count in the second test; lower bound of their part by chance
MOSTLY = 0.6  # of the links of a host are costly
FAR = 20.0  # usual times by which a message is late whose packets were lost, and sent again after a timeout
FALSE_RATE = 0.001
LIKELY, FEWEST_LATE, MOST_SUSPECTS = 0.5, 3, 16  # chance makes half a suspect per run and test
MOST_CERTAIN = 1e-300


@dataclass(frozen=True)
class Late:
    """A host with late messages: their `rate`, by how many usual times they are late, and what this costs.

    `cost`: time lost to them / usual time of all messages. `usual_rate`, `usual_cost`: of the median host;
    `usual_lateness`: of the links between hosts that are not late. `z`: normal score.
    """

    host: int
    rate: float
    usual_rate: float
    lateness: float
    usual_lateness: float
    cost: float
    usual_cost: float
    z: float
    links: int

    @property
    def is_loss(self) -> bool:
        """Whether they are as late as messages of which packets were lost, and sent again after a timeout."""
        return self.lateness >= max(FAR, TIMES_TYPICAL * self.usual_lateness)

    @property
    def factor(self) -> float:
        """Of loss, the mean time of a message / the usual mean; else the rate / the usual rate."""
        if self.is_loss:
            return (1 + self.cost) / (1 + self.usual_cost)
        return self.rate / max(self.usual_rate, 1e-4)


def late_hosts(readings: Readings) -> list[Late]:
    """The hosts that are late by more than chance explains."""
    first = _Rated(readings.late)
    fresh = first if readings.late_again is None else _Rated(readings.late_again)
    of_first, of_fresh = (np.fmax(rated.by_rate(), rated.by_cost()) for rated in (first, fresh))
    again = _measured_again(readings)
    z = np.where(again, of_fresh, of_first)
    sure = 2 * readings.hosts * normal_tail(z) < FALSE_RATE
    return fresh.late(sure & again, z) + first.late(sure & ~again, z)


def late_suspects(readings: Readings) -> list[Late]:
    """The hosts that look late, the clearest first, and were not measured again often enough to tell."""
    rated = _Rated(readings.late)
    z = np.where(_measured_again(readings), 0.0, np.fmax(rated.in_total(), rated.by_cost(mostly=0.0)))
    likely = rated.late(2 * readings.hosts * normal_tail(z) < LIKELY, z)
    return sorted(likely, key=lambda late: -late.z)[:MOST_SUSPECTS]


def _measured_again(readings: Readings) -> NDArray[np.bool_]:
    """Mask of the hosts of which `--confirm` measured enough, [hosts]."""
    again = readings.late_again
    return np.zeros(readings.hosts, bool) if again is None else again.all_messages >= FEWEST_READINGS


class _Rated:
    """What each host's messages are late by, [hosts] each as in Late, and the normal scores of the tests, likewise."""

    def __init__(self, summed: Lateness) -> None:
        self._summed = summed
        self.total, self.seen = summed.all_late, summed.all_messages
        hosts = len(self.total)
        self.rate, self.cost, self.lateness = np.zeros((3, hosts))
        self.links = np.zeros(hosts, np.intp)
        for rows in blocks_of_rows(summed.messages.shape):
            late, messages, lost = summed.late[rows], summed.messages[rows], summed.lost[rows]
            self.rate[rows], self.links[rows] = lower_quantiles(_ratio(late, messages))
            self.cost[rows], _ = lower_quantiles(_ratio(lost, messages))
            self.lateness[rows], _ = lower_quantiles(_ratio(lost, late), 0.5)
        self._costly = self._number_of_costly()

    def late(self, which: NDArray[np.bool_], z: Values) -> list[Late]:
        """These hosts; both arguments [hosts]."""
        usual_rate, usual_cost, usual_lateness = _usual(self.rate), _usual(self.cost), self._lateness_without(which)
        return [
            Late(
                host, _known(self.rate[host]), usual_rate, _known(self.lateness[host]), usual_lateness,
                _known(self.cost[host]), usual_cost, float(z[host]), int(self.links[host]),
            )
            for host in np.flatnonzero(which).tolist()
        ]  # fmt: skip

    def by_rate(self) -> Values:
        """Of the rate of late messages; 0 where it is small, or too few messages are known."""
        typical = _usual(self.rate)
        least = np.minimum(self.total, np.nan_to_num(np.ceil(self.rate * self.seen)))
        by_chance = self._z_of(least)
        arc = np.arcsin(np.sqrt(np.clip(np.nan_to_num(self.rate), 0, 1)))
        known = arc[self.links > 0]
        floor = float(np.median(0.5 / np.sqrt(np.maximum(self.seen, 1))))
        scatter = max(spread(known) if len(known) else 0.0, floor)
        by_scatter = (arc - (np.median(known) if len(known) else 0.0)) / scatter
        wanted = (self.seen >= FEWEST_READINGS) & (self.rate > SMALLEST_RATE) & (self.rate > TIMES_TYPICAL * typical)
        wanted &= self.cost - _usual(self.cost) > SMALLEST_COST
        return np.where(wanted, np.fmin(by_chance, by_scatter), 0.0)

    def by_cost(self, mostly: float = MOSTLY) -> Values:
        """Of the number of links with costly late messages; 0 where fewer than this part of the links have such."""
        others = (self._costly.sum() - 2 * self._costly) / np.maximum(self.links.sum() - 2 * self.links, 1)
        chance = binomial_tail(self._costly, np.maximum(self.links, 1), np.clip(others, LEAST_COSTLY, 0.5))
        return np.where(self._costly > mostly * self.links, _score(chance), 0.0)

    def in_total(self) -> Values:
        """Of the rate of late messages over all links, whether one of them has most or not."""
        return np.where(self.total >= FEWEST_LATE, self._z_of(self.total), 0.0)

    def _z_of(self, late: Values) -> Values:
        """Of so many late messages, with the rate of the links that do not touch the host."""
        others = (self.total.sum() / 2 - self.total) / np.maximum(self.seen.sum() / 2 - self.seen, 1)
        trials = np.maximum(self.seen, 1).astype(int)
        return _score(binomial_tail(late, trials, np.clip(others, LEAST_RATE, 0.5)))

    def _lateness_without(self, which: NDArray[np.bool_]) -> float:
        """By how many usual times late messages are late on links between the other hosts; 0 without such."""
        if not which.any():
            return 0.0
        columns = ~which[sampled(len(which))]
        parts = []
        for rows in blocks_of_rows(self._summed.late.shape):
            late = self._summed.late[rows] * (~which[rows, None] & columns)
            parts.append(self._summed.lost[rows][late > 0] / late[late > 0])
        return _usual(np.concatenate(parts))

    def _number_of_costly(self) -> NDArray[np.int64]:
        """Of each host the links on which late messages cost far more than usual, [hosts]."""
        least = max(COSTLY, TIMES_TYPICAL * _usual(self.cost))
        costly = np.zeros(len(self.cost), np.int64)
        for rows in blocks_of_rows(self._summed.messages.shape):
            costly[rows] = (self._summed.lost[rows] > least * self._summed.messages[rows]).sum(axis=1)
        return costly


def _ratio(part: NDArray[np.generic], whole: NDArray[np.uint32]) -> NDArray[np.float32]:
    """NaN where nothing is known."""
    ratio = np.full(whole.shape, np.nan, np.float32)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def _known(value: float) -> float:
    """0 for NaN."""
    return float(np.nan_to_num(value))


def _usual(values: Values) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else 0.0


def _score(chance: Values) -> Values:
    return -normal_quantile(np.clip(chance, MOST_CERTAIN, 1 - 1e-9))
