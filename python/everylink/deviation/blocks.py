"""The ranks in drawn order, and the blocks of them that share a row and a column of a picture."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from everylink.links.hosts import DrawnOrder, drawn_order
from everylink.model.results import Ranks

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Block k has the ranks at the places `edges[k]` up to, but excluding, `edges[k + 1]` of the drawn order: whole
    hosts, or a part of one host. `hosts`: likewise, one for each host."""

    order: DrawnOrder
    edges: Index
    hosts: Index

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def largest(self) -> int:
        """The number of ranks in the largest block."""
        return int(np.diff(self.edges).max())

    @property
    def have_pairs_of_hosts(self) -> bool:
        """Whether blocks have whole hosts, and hosts several ranks."""
        return len(self.hosts) - 1 < self.hosts[-1] and bool(np.isin(self.edges, self.hosts).all())

    @cached_property
    def places(self) -> Index:
        """The place of each rank in the drawn order, [ranks]."""
        place = np.empty(len(self.order.ranks), np.int64)
        place[self.order.ranks] = np.arange(len(place))
        return place


def blocks_of(ranks: Ranks, most: int) -> Blocks:
    """At most `most` blocks: of one rank each if that is enough, of parts of hosts if there are no more hosts than
    that, else of as many hosts as it takes."""
    order = drawn_order(ranks)
    hosts = np.array([*(block.begin for block in order.blocks), len(order.ranks)], np.int64)
    together = -(-(len(hosts) - 1) // most)
    if together == 1:
        return Blocks(order, _parts(hosts, most), hosts)
    edges = hosts[::together]
    return Blocks(order, edges if edges[-1] == hosts[-1] else np.append(edges, hosts[-1]), hosts)


def _parts(hosts: Index, most: int) -> Index:
    """The edges of equal parts of hosts, of as few ranks as `most` parts allow."""
    sizes, each = np.diff(hosts), -(-int(hosts[-1]) // most)
    while (-(-sizes // each)).sum() > most:
        each += 1
    parts = [np.arange(begin, end, each) for begin, end in pairwise(hosts.tolist())]
    return np.append(np.concatenate(parts), hosts[-1])
