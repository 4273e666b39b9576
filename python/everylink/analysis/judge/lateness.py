"""Messages and late ones of each host with the others, summed up while rows are read."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.sample import sampled

Counts = NDArray[np.uint32]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Lateness:
    """Messages and late ones, both directions together: [host, partner], and of each host with all others.

    Partners are all hosts, or of many a part.
    """

    late: Counts
    messages: Counts
    all_late: NDArray[np.float64]
    all_messages: NDArray[np.float64]


class LatenessSums:
    """Lateness in the making."""

    def __init__(self, hosts: int) -> None:
        partners = sampled(hosts)
        self._hosts, self._width = hosts, len(partners)
        self._place = np.full(hosts, -1, np.int64)
        self._place[partners] = np.arange(len(partners))
        self._late, self._messages = np.zeros((2, hosts * len(partners)), np.uint32)
        self._all_late, self._all_messages = np.zeros((2, hosts))

    def add(self, frm: Index, to: Index, late: Counts, messages: Counts) -> None:
        """Rows between different hosts."""
        for own, other in ((frm, to), (to, frm)):
            self._all_late += np.bincount(own, late, self._hosts)
            self._all_messages += np.bincount(own, messages, self._hosts)
            place = self._place[other]
            seen = place >= 0
            cell, counted = own * self._width + place, (late, messages)
            if not seen.all():
                cell, counted = cell[seen], (late[seen], messages[seen])
            np.add.at(self._late, cell, counted[0])
            np.add.at(self._messages, cell, counted[1])

    def done(self) -> Lateness:
        shape = (self._hosts, self._width)
        return Lateness(self._late.reshape(shape), self._messages.reshape(shape), self._all_late, self._all_messages)
