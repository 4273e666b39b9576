"""All readings of one size, laid out for judging: a matrix of hosts, and what single ranks add to it.

A reading is the median of one row that ended ok, as a logarithm of seconds, so that factors are differences.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from everylink.links import CONFIRM, MAIN, Outcome, Rows
from everylink.results import Results, Size

UNDER_LOAD = (MAIN, CONFIRM)  # alone a link has the fabric for itself, and is another thing
ONE_WAY = ("unidirectional",)  # kernels whose readings are of one direction
Matrix = NDArray[np.float32]
FEW = 2
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Cells:
    """[from host, to host]: the lower median of the readings (of two in the middle the smaller one, because a disturbed
    reading is longer, never shorter), their lower quartile, both NaN without a reading; and how many there are."""

    median: Matrix
    quartile: Matrix
    count: NDArray[np.int32]


@dataclass(frozen=True)
class Readings:
    """Readings of the links between different hosts, each row one: ranks, hosts, log seconds; and of all links, `late`.

    `symmetric`: a reading is half a round trip, so both directions of a pair measure the same thing.
    """

    hosts: int
    ranks: int
    host_of: NDArray[np.int64]
    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float32]
    late: NDArray[np.int64]
    n: NDArray[np.int64]
    symmetric: bool

    @cached_property
    def between_hosts(self) -> Cells:
        """All readings between two hosts as one; with a symmetric kernel of both directions, so both ways the same."""
        frm, to = self.host_of[self.frm], self.host_of[self.to]
        if self.symmetric:
            frm, to = np.minimum(frm, to), np.maximum(frm, to)
        cell = frm * self.hosts + to
        count = np.bincount(cell, minlength=self.hosts**2).astype(np.int32)
        # Of one or two readings both are the smallest; only where there are more they need to be in order.
        smallest = np.full(self.hosts**2, np.inf, np.float32)
        np.minimum.at(smallest, cell, self.time)
        smallest[count == 0] = np.nan
        many = count[cell] > FEW
        order = np.lexsort((self.time[many], cell[many]))
        used = np.flatnonzero(count > FEW)
        ordered = self.time[many][order]
        starts = np.concatenate([[0], np.cumsum(count[used])[:-1]]).astype(np.intp)

        def part(of: int) -> Matrix:
            matrix = smallest.copy()
            matrix[used] = ordered[starts + (count[used] - 1) // of]
            return self._mirrored(matrix)

        return Cells(part(2), part(4), self._mirrored(count))

    def _mirrored(self, flat: NDArray[T]) -> NDArray[T]:
        matrix = flat.reshape(self.hosts, self.hosts)
        if self.symmetric:
            lower = np.tril_indices(self.hosts, -1)
            matrix[lower] = matrix.T[lower]
        return matrix


def readings(results: Results, size: Size) -> Readings:
    """The readings of one size between hosts; in a run on one host, between its ranks, each as a host of its own."""
    rows: Rows = size.rows
    ranks = len(results.ranks)
    host_of = results.ranks.host_index.astype(np.int64)
    if results.facts.hosts < 2 or host_of.max() == 0:
        host_of = np.arange(ranks, dtype=np.int64)
    frm, to = rows.frm.astype(np.int64), rows.to.astype(np.int64)
    good = (rows.outcome == Outcome.OK) & (rows.median > 0) & np.isin(rows.attempt, UNDER_LOAD)
    good &= host_of[frm] != host_of[to]
    return Readings(
        hosts=int(host_of.max()) + 1,
        ranks=ranks,
        host_of=host_of,
        frm=frm[good],
        to=to[good],
        time=np.log(rows.median[good].astype(np.float64)).astype(np.float32),
        late=rows.late[good].astype(np.int64),
        n=rows.n[good].astype(np.int64),
        symmetric=results.facts.kernel not in ONE_WAY,
    )
