"""Names of hosts, and the order of ranks in drawings."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Ranks


def host_names(ranks: Ranks) -> list[str]:
    """The name of each host by its index; hosts with the same name get their index appended."""
    names = ranks.names_of_hosts()
    often = Counter(names)
    return [name if often[name] == 1 else f"{name} (host {index})" for index, name in enumerate(names)]


def short_hosts(ranks: Ranks) -> tuple[str, ...]:
    """The host of each rank without its domain, unless that is ambiguous or names are addresses."""
    short = tuple(name.partition(".")[0] for name in ranks.host)
    clear = len(set(short)) == len(set(ranks.host)) and not any(name == "" or name.isdigit() for name in short)
    return short if clear else ranks.host


@dataclass(frozen=True)
class HostBlock:
    """A host's ranks in a drawn matrix: rows and columns from `begin` up to, but excluding, `end`."""

    name: str
    begin: int
    end: int


@dataclass(frozen=True)
class DrawnOrder:
    """`ranks[i]`, which `ends[i]` names on its host, is drawn at position i; `natural`: whether this is the order of
    the ranks."""

    ranks: NDArray[np.intp]
    ends: tuple[str, ...]
    blocks: tuple[HostBlock, ...]
    natural: bool


def drawn_order(ranks: Ranks) -> DrawnOrder:
    """Order ranks by host index, and ranks of a host by number."""
    order = np.argsort(ranks.host_index, kind="stable")
    hosts = ranks.host_index[order]
    begins = np.flatnonzero(np.diff(hosts.astype(np.int64), prepend=-1))
    ends = [*begins[1:].tolist(), len(ranks)]
    names = short_hosts(ranks)
    blocks = (HostBlock(names[order[b]], int(b), int(e)) for b, e in zip(begins, ends, strict=True))
    named = tuple(ranks.ends[rank] for rank in order.tolist())
    return DrawnOrder(order, named, tuple(blocks), bool((order == np.arange(len(ranks))).all()))
