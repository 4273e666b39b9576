"""The log times that hosts are judged by: each host's links with all others, or with a sample of very many."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.readings import Readings
from everylink.robust import Matrix, sampled

SETTLED_READINGS = 7  # of a pair before it is judged; about 2 % of readings are disturbed
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Times:
    """Log times of each host's links, [host, partner]: as sender, and as receiver; NaN: not measured.

    `settled_...`: masks of connections with enough readings to be less noisy. `partners`: host number per column, all
    hosts or a sample. With a symmetric kernel sending and receiving are the same.
    """

    sending: Matrix
    receiving: Matrix
    settled_sending: Mask
    settled_receiving: Mask
    partners: Index


def whole(median: Matrix, settled: Mask | None = None) -> Times:
    """Times of all hosts with all hosts from a matrix [from, to]."""
    known = np.zeros(median.shape, bool) if settled is None else settled
    return Times(median, median.T, known, known.T, np.arange(len(median)))


def times(readings: Readings) -> Times:
    """The times that the fit needs."""
    every, partners = np.arange(readings.hosts), sampled(readings.hosts)
    if len(partners) == readings.hosts:
        cells = readings.between_hosts
        return whole(cells.median, cells.count >= SETTLED_READINGS)
    sent = readings.cells(every, partners)
    settled = sent.count >= SETTLED_READINGS
    if readings.symmetric:
        return Times(sent.median, sent.median, settled, settled, partners)
    received = readings.cells(partners, every)
    return Times(sent.median, received.median.T, settled, received.count.T >= SETTLED_READINGS, partners)
