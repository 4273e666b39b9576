"""Segments that TCP sent again on the links of an accused part, against those on all other links of the run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.changes import CounterFindings
from everylink.units import number_text

FEWEST, MORE = 20, 3  # fewer segments, or fewer than this many times those of the other links, prove nothing
MB = 1e6


@dataclass(frozen=True)
class Loss:
    """Segments sent again per MB of messages: on the accused links, and on all others."""

    own: float
    others: float

    def __str__(self) -> str:
        others = f"{number_text(self.others, 2)} on other links" if self.others else "none on other links"
        return f"TCP sent {number_text(self.own, 2)} segments per MB again on its links, {others}"


def loss_of_host(counters: CounterFindings, host: int) -> Loss | None:
    """The loss on all links of a host, both ways; none if it is not more than elsewhere."""
    rows, host_of = counters.inventory.retransmits, counters.cluster.ranks.host_index
    touches = (host_of[rows.rank] == host) | (host_of[rows.to] == host)
    own = float(counters.carried[host])
    return _loss(rows.segments, touches, own, _all_bytes(counters) - own)


def loss_of_ranks(counters: CounterFindings, pairs: Sequence[tuple[int, int]]) -> Loss | None:
    """The loss on the links from the first to the second rank of each of `pairs`; none if it is not more."""
    rows = counters.inventory.retransmits
    touches = np.zeros(len(rows.rank), bool)
    for frm, to in pairs:
        touches |= (rows.rank == frm) & (rows.to == to)
    own = float(rows.bytes[touches].sum())
    return _loss(rows.segments, touches, own, _all_bytes(counters) - own)


def _all_bytes(counters: CounterFindings) -> float:
    """The bytes of all messages: each counts at its sender and at its receiver."""
    return float(counters.carried.sum()) / 2


def _loss(segments: NDArray[np.uint64], own: NDArray[np.bool_], own_bytes: float, other_bytes: float) -> Loss | None:
    count, others = float(segments[own].sum()), float(segments[~own].sum())
    if count < FEWEST or own_bytes <= 0 or other_bytes <= 0:
        return None
    loss = Loss(count / (own_bytes / MB), others / (other_bytes / MB))
    return loss if loss.own >= MORE * loss.others else None
