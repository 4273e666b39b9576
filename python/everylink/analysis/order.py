"""In which order ranks are drawn: host by host, so that what concerns a host is one band."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.names import short_hosts
from everylink.results import Ranks


@dataclass(frozen=True)
class HostBlock:
    """A host's ranks in a drawn matrix: rows and columns `begin` to `end`, the end not included."""

    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class DrawnOrder:
    """`ranks[i]` is drawn at place i; `natural` says that this is the order of the ranks themselves."""

    ranks: NDArray[np.intp]
    blocks: tuple[HostBlock, ...]
    natural: bool


def drawn_order(ranks: Ranks) -> DrawnOrder:
    """Order ranks by host, hosts by their first rank, ranks of a host by number."""
    order = np.argsort(ranks.host_index, kind="stable")
    hosts = ranks.host_index[order]
    begins = np.flatnonzero(np.diff(hosts.astype(np.int64), prepend=-1))
    ends = [*begins[1:].tolist(), len(ranks)]
    names = short_hosts(ranks)
    blocks = (HostBlock(names[order[b]], int(b), int(e)) for b, e in zip(begins, ends, strict=True))
    return DrawnOrder(order, tuple(blocks), bool((order == np.arange(len(ranks))).all()))
