"""The links of each switch and of each cable: their typical times, how many failed, and how many verdicts they have."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import expanded
from everylink.inventory.cables import Belongs, Cable, Wiring
from everylink.links.hosts import host_names
from everylink.links.stream import LinkBlock, Values, link_blocks, medians
from everylink.model.results import Ranks, Results, Size

Subjects = Sequence[Collection[str]]
Counted = tuple[NDArray[np.intp], NDArray[np.int64]]  # numbers of links, and the thing that each is counted for


@dataclass(frozen=True)
class Typical:
    """Some links between hosts: how many, how many of them failed, and their median time in seconds; NaN: none."""

    links: int
    failed: int
    seconds: float


@dataclass(frozen=True)
class SwitchRow:
    """A switch with the hosts on it, by host index: links among its ranks, to other switches, and from them.

    `verdicts`: how many name a host or rank on it, or the switch itself.
    """

    switch: str
    hosts: tuple[int, ...]
    ranks: int
    within: Typical
    to_others: Typical
    from_others: Typical
    verdicts: int


@dataclass(frozen=True)
class CableRow:
    """A cable of this run with the links from and to its ranks.

    `ratio`: the median time of its links, sent or received, whichever is longer, divided by that of the median cable.
    """

    cable: Cable
    sends: Typical
    receives: Typical
    ratio: float
    verdicts: int


def switch_rows(results: Results, size: Size, wiring: Wiring, subjects: Subjects) -> list[SwitchRow]:
    """One row per switch, in the order of the hosts; `subjects`: the names in each verdict."""
    on, switches = wiring.on_switches, wiring.on_switches.things
    known = np.bincount(on.rank, minlength=on.ranks) > 0

    def things(block: LinkBlock) -> Iterator[Counted]:
        at, switch = on.expanded(block.frm)
        inside, far = on.matrix[block.to[at], switch], known[block.to[at]]
        yield at[inside], switch[inside]
        yield at[~inside & far], switch[~inside & far] + switches
        at, switch = on.expanded(block.to)
        coming = ~on.matrix[block.frm[at], switch] & known[block.frm[at]]
        yield at[coming], switch[coming] + 2 * switches

    typical = _typical(results, size, things, 3 * switches)
    verdicts = _verdicts(results.ranks, on, subjects, wiring.switches)
    return [
        SwitchRow(
            name,
            tuple(dict.fromkeys(results.ranks.host_index[on.matrix[:, number]].tolist())),
            int(on.matrix[:, number].sum()),
            typical[number],
            typical[number + switches],
            typical[number + 2 * switches],
            int(verdicts[number]),
        )
        for number, name in enumerate(wiring.switches)
    ]


def cable_rows(results: Results, size: Size, wiring: Wiring, subjects: Subjects) -> list[CableRow]:
    """One row per cable that ranks of the run use, the slowest first."""
    on, cables = wiring.on_cables, wiring.on_cables.things

    def things(block: LinkBlock) -> Iterator[Counted]:
        yield on.expanded(block.frm)
        at, cable = on.expanded(block.to)
        yield at, cable + cables

    typical = _typical(results, size, things, 2 * cables)
    sends, receives = typical[:cables], typical[cables:]
    worst = np.array([np.fmax(a.seconds, b.seconds) for a, b in zip(sends, receives, strict=True)])
    usual = float(np.median(worst[np.isfinite(worst)])) if np.isfinite(worst).any() else float("nan")
    verdicts = _verdicts(results.ranks, on, subjects, ())
    used = np.unique(on.thing)
    order = used[np.argsort(-np.nan_to_num(worst[used]), kind="stable")]
    return [
        CableRow(wiring.cables[i], sends[i], receives[i], float(worst[i] / usual), int(verdicts[i]))
        for i in order.tolist()
    ]


def _typical(
    results: Results, size: Size, things: Callable[[LinkBlock], Iterator[Counted]], count: int
) -> list[Typical]:
    """Of the links between hosts, each counted for the things that it belongs to. Goes through the rows in parts."""
    host = results.ranks.host_index
    links, failed = np.zeros((2, count), np.int64)

    def blocks() -> Iterator[LinkBlock]:
        for block in link_blocks(size):
            far = host[block.frm] != host[block.to]
            yield block if far.all() else LinkBlock(*(getattr(block, field.name)[far] for field in fields(LinkBlock)))

    def timed() -> Iterator[tuple[NDArray[np.int64], Values]]:
        for block in blocks():
            for at, thing in things(block):
                known = block.seconds[at] > 0
                yield thing[known], block.seconds[at[known]]

    for block in blocks():
        for at, thing in things(block):
            links += np.bincount(thing, minlength=count)
            failed += np.bincount(thing[block.failed[at]], minlength=count)
    columns = (links.tolist(), failed.tolist(), medians(timed, count).tolist())
    return [Typical(*values) for values in zip(*columns, strict=True)]


def _verdicts(ranks: Ranks, on: Belongs, subjects: Subjects, things: Sequence[str]) -> NDArray[np.int64]:
    """How many verdicts name each thing, or a host or rank that belongs to it."""
    hosts = {name: number for number, name in enumerate(host_names(ranks))}
    number_of = {name: number for number, name in enumerate(things)}
    of_rank = {ranks.name(rank): rank for rank in range(len(ranks))}
    counts = np.zeros(on.things, np.int64)
    for names in subjects:
        named = np.zeros(on.things, bool)
        for name in chain.from_iterable(map(_expanded, names)):
            if name in number_of:
                named[number_of[name]] = True
            elif name in hosts:
                named |= on.matrix[ranks.host_index == hosts[name]].any(axis=0)
            elif name in of_rank:
                named |= on.matrix[of_rank[name]]
        counts += named
    return counts


def _expanded(name: str) -> list[str]:
    """The hosts of a group that has no name, `n[0-15]`; any other name as it is."""
    try:
        return expanded(name) if "[" in name else [name]
    except ValueError:
        return [name]
