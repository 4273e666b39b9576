"""Finds hosts that delay messages: the part of readings above twice the median, pooled over each host's links."""

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import binomial_tail, normal_quantile
from everylink.judge.readings import Lateness, Readings
from everylink.robust import Values, blocks_of_rows, lower_quantiles

FEWEST_READINGS = 200  # per host
SMALLEST_RATE = 0.005  # one message in 200
LEAST_RATE = 5e-4  # lower bound of the rate assumed for chance
TIMES_TYPICAL = 4.0  # times the rate of the median host


def jitter(readings: Readings) -> tuple[Values, Values, NDArray[np.int64]]:
    """For each host [hosts]: its rate of late messages, the normal score of that rate, and its number of links.

    A link delays messages if either end does, so a host is rated by a low quantile over its links: a healthy host is
    late with few partners only. The typical rate is the median over hosts. Chance is binomial, with the rate of the
    links that do not touch the host.
    """
    summed = readings.late
    low, links = _low_rates(summed)
    total, seen = summed.all_late, summed.all_messages
    typical = float(np.nanmedian(low)) if (seen > 0).any() else 0.0
    others = (total.sum() / 2 - total) / np.maximum(seen.sum() / 2 - seen, 1)
    least = np.minimum(total, np.nan_to_num(np.ceil(low * seen)))
    chance = binomial_tail(least, np.maximum(seen, 1).astype(int), np.clip(others, LEAST_RATE, 0.5))
    z = np.where(links > 0, -normal_quantile(np.clip(chance, 1e-300, 1 - 1e-9)), 0.0)
    wanted = (seen >= FEWEST_READINGS) & (low > SMALLEST_RATE) & (low > TIMES_TYPICAL * typical)
    return np.nan_to_num(low), np.where(wanted, z, 0.0), links.astype(np.int64)


def _low_rates(summed: Lateness) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of each host's rates of late messages with its partners, and the number of these; [hosts] each."""
    low, links = np.full(len(summed.messages), np.nan), np.zeros(len(summed.messages), np.intp)
    for rows in blocks_of_rows(summed.messages.shape):
        late, messages = summed.late[rows], summed.messages[rows]
        rate = np.full(late.shape, np.nan)
        np.divide(late, messages, out=rate, where=messages > 0)
        low[rows], links[rows] = lower_quantiles(rate)
    return low, links
