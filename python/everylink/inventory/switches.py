"""The links of each switch and of each cable: their typical times, how many failed, and how many verdicts they have."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import expanded
from everylink.inventory.cables import Belongs, Cable, Wiring
from everylink.links.hosts import host_names
from everylink.model.results import Ranks, Results, Size

Subjects = Sequence[Collection[str]]


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


@dataclass(frozen=True)
class _Links:
    """The links between hosts, the fastest first; arrays of one length."""

    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    seconds: NDArray[np.float64]
    failed: NDArray[np.bool_]


def switch_rows(results: Results, size: Size, wiring: Wiring, subjects: Subjects) -> list[SwitchRow]:
    """One row per switch, in the order of the hosts; `subjects`: the names in each verdict."""
    links, on = _between_hosts(results, size), wiring.on_switches
    known = np.bincount(on.rank, minlength=on.ranks) > 0
    at, switch = on.expanded(links.frm)
    inside = on.matrix[links.to[at], switch]
    away = ~inside & known[links.to[at]]
    within, there = (_typical(links, at[chosen], switch[chosen], on.things) for chosen in (inside, away))
    at, switch = on.expanded(links.to)
    coming = ~on.matrix[links.frm[at], switch] & known[links.frm[at]]
    back = _typical(links, at[coming], switch[coming], on.things)
    verdicts = _verdicts(results.ranks, on, subjects, wiring.switches)
    return [
        SwitchRow(
            name,
            tuple(dict.fromkeys(results.ranks.host_index[on.matrix[:, number]].tolist())),
            int(on.matrix[:, number].sum()),
            within[number],
            there[number],
            back[number],
            int(verdicts[number]),
        )
        for number, name in enumerate(wiring.switches)
    ]


def cable_rows(results: Results, size: Size, wiring: Wiring, subjects: Subjects) -> list[CableRow]:
    """One row per cable that ranks of the run use, the slowest first."""
    links, on = _between_hosts(results, size), wiring.on_cables
    sends, receives = (_typical(links, *on.expanded(end), on.things) for end in (links.frm, links.to))
    worst = np.array([np.fmax(a.seconds, b.seconds) for a, b in zip(sends, receives, strict=True)])
    usual = float(np.median(worst[np.isfinite(worst)])) if np.isfinite(worst).any() else float("nan")
    verdicts = _verdicts(results.ranks, on, subjects, ())
    used = np.unique(on.thing)
    order = used[np.argsort(-np.nan_to_num(worst[used]), kind="stable")]
    return [
        CableRow(wiring.cables[i], sends[i], receives[i], float(worst[i] / usual), int(verdicts[i]))
        for i in order.tolist()
    ]


def _between_hosts(results: Results, size: Size) -> _Links:
    links, host = size.links, results.ranks.host_index
    chosen = np.flatnonzero(host[links.frm] != host[links.to])
    chosen = chosen[np.argsort(links.median[chosen])]
    return _Links(links.frm[chosen], links.to[chosen], links.median[chosen].astype(np.float64), links.failed[chosen])


def _typical(links: _Links, at: NDArray[np.intp], thing: NDArray[np.int64], things: int) -> list[Typical]:
    """The links with the ascending indices `at`, each counted for its thing."""
    count = np.bincount(thing, minlength=things)
    failed = np.bincount(thing[links.failed[at]], minlength=things)
    timed = links.seconds[at] > 0
    of, seconds = thing[timed], links.seconds[at[timed]]
    order = np.argsort(of.astype(np.min_scalar_type(things)), kind="stable")  # small numbers are sorted fastest
    seconds, known = seconds[order], np.bincount(of, minlength=things)
    begins = np.cumsum(known) - known
    medians = np.full(things, np.nan)
    there = known > 0
    low, high = (begins + (known - 1) // 2)[there], (begins + known // 2)[there]
    medians[there] = (seconds[low] + seconds[high]) / 2
    columns = (count.tolist(), failed.tolist(), medians.tolist())
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
