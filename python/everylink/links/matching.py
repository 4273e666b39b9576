"""Matches two runs for comparison: gives common ranks the same numbers, and refuses runs that are not comparable."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.model.inventory import NO_INVENTORY
from everylink.model.links import keys
from everylink.model.results import UNKNOWN, LocalFaults, Ranks, Results, Size, entries_of
from everylink.model.rows import MAIN, Outcome, chosen
from everylink.units import size_text

ESSENTIAL = {
    "transport": "--mode", "memory": "--memory", "kernel": "the kernel", "window": "--window",
    "serial": "--serial-tests",
}  # fmt: skip
WORTH_SAYING = {
    "tool_version": "version", "transport_options": "options of --mode", "schedule": "schedule", "messages": "messages",
    "buffers": "--num-multi-buf", "check": "--check", "all_to_all": "--all-to-all", "pinned": "pinned ranks",
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """A different setting that does not prevent a comparison."""

    what: str
    base: str
    new: str


@dataclass(frozen=True)
class Matched:
    """Both runs, reduced to their common ranks (with the same numbers) and sizes; and what only one of them has."""

    base: Results
    new: Results
    differences: tuple[Difference, ...]
    ranks_only_base: tuple[str, ...]
    ranks_only_new: tuple[str, ...]
    sizes_only_base: tuple[int, ...]
    sizes_only_new: tuple[int, ...]


def match(base: Results, new: Results) -> Matched:
    """Match ranks by host and local rank. Raises UserMistake with the reason if the runs are not comparable."""
    refused = f"{new.path}: cannot be compared with {base.path}"
    for name, option in ESSENTIAL.items():
        theirs, ours = _said(base, name), _said(new, name)
        if theirs != ours and UNKNOWN not in (theirs, ours):
            raise UserMistake(f"{refused}: {option} is {ours} here, {theirs} there")
    sizes = [{size.bytes for size in run.sizes} for run in (base, new)]
    if not sizes[0] & sizes[1]:
        texts = [", ".join(map(size_text, sorted(known))) or "none" for known in sizes]
        raise UserMistake(f"{refused}: no size in both; {texts[1]} here, {texts[0]} there")
    known = [{place: rank for rank, place in enumerate(_places(run.ranks))} for run in (base, new)]
    both = [place for place in known[0] if place in known[1]]
    if len(both) < 2:
        raise UserMistake(f"{refused}: no two ranks in both; {_hosts(new.ranks)} here, {_hosts(base.ranks)} there")
    runs = [
        _restricted(run, np.array([ranks[place] for place in both]), sizes[0] & sizes[1])
        for run, ranks in zip((base, new), known, strict=True)
    ]
    differences = (
        Difference(text, _said(base, name), _said(new, name)) for name, text in (ESSENTIAL | WORTH_SAYING).items()
    )
    return Matched(
        base=runs[0],
        new=runs[1],
        differences=tuple(d for d in differences if d.base != d.new),
        ranks_only_base=tuple(base.ranks.name(rank) for place, rank in known[0].items() if place not in known[1]),
        ranks_only_new=tuple(new.ranks.name(rank) for place, rank in known[1].items() if place not in known[0]),
        sizes_only_base=tuple(sorted(sizes[0] - sizes[1])),
        sizes_only_new=tuple(sorted(sizes[1] - sizes[0])),
    )


def _said(run: Results, name: str) -> str:
    return value_text(getattr(run.facts, name))


def value_text(value: Any) -> str:
    """A setting as text for messages."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value) or "none"


def _hosts(ranks: Ranks) -> str:
    names = list(dict.fromkeys(ranks.host))
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _places(ranks: Ranks) -> list[tuple[str, int, int]]:
    """For each rank: host, the number of the host among those with its name, and local rank."""
    of_name: Counter[str] = Counter()
    number: dict[int, int] = {}
    places = []
    for host, index, local in zip(ranks.host, ranks.host_index.tolist(), ranks.local_rank.tolist(), strict=True):
        if index not in number:
            number[index] = of_name[host]
            of_name[host] += 1
        places.append((host, number[index], local))
    return places


def _restricted(run: Results, kept: NDArray[np.int64], sizes: set[int]) -> Results:
    """The run reduced to these ranks, renumbered 0, 1, ... in this order, and to these sizes.

    It has no inventory, whose hosts have their old numbers.
    """
    if np.array_equal(kept, np.arange(len(run.ranks))):
        return replace(run, sizes=tuple(size for size in run.sizes if size.bytes in sizes))
    renumbered = np.full(len(run.ranks), -1, np.int64)
    renumbered[kept] = np.arange(len(kept))
    chosen = [_renumbered(size, renumbered, len(kept)) for size in run.sizes if size.bytes in sizes]
    ranks = _chosen_ranks(run.ranks, kept)
    facts = replace(run.facts, ranks=len(kept), hosts=int(ranks.host_index.max()) + 1)
    faults = _renumbered_faults(run.local_faults, renumbered)
    return replace(
        run, facts=facts, ranks=ranks, sizes=tuple(chosen), local_faults=faults, read_inventory=lambda: NO_INVENTORY
    )


def _renumbered_faults(faults: LocalFaults, number: NDArray[np.int64]) -> LocalFaults:
    rank = number[faults.rank]
    causes = tuple(cause for cause, is_kept in zip(faults.cause, (rank >= 0).tolist(), strict=True) if is_kept)
    return LocalFaults(rank[rank >= 0].astype(np.uint32), causes)


def _chosen_ranks(ranks: Ranks, kept: NDArray[np.int64]) -> Ranks:
    columns: dict[str, Any] = {
        name: tuple(column[rank] for rank in kept.tolist()) if isinstance(column, tuple) else column[kept]
        for name, column in entries_of(ranks).items()
    }
    _, first, index = np.unique(columns["host_index"], return_index=True, return_inverse=True)
    order = np.empty(len(first), np.uint32)
    order[np.argsort(first)] = np.arange(len(first))
    return Ranks(**columns | {"host_index": order[index]})


def _renumbered(size: Size, number: NDArray[np.int64], ranks: int) -> Size:
    frm, to = number[size.rows.frm], number[size.rows.to]
    mask = (frm >= 0) & (to >= 0)
    rows = chosen(size.rows, mask)
    renumbered = replace(rows, frm=frm[mask].astype(np.uint32), to=to[mask].astype(np.uint32))
    return replace(size, ranks=ranks, rows=renumbered)


def only_links(size: Size, wanted: NDArray[np.int64]) -> Size:
    """A size with only the rows of these links, given by their keys in ascending order."""
    mine = keys(size.rows, size.ranks)
    at = np.minimum(np.searchsorted(wanted, mine), max(len(wanted) - 1, 0))
    mask = wanted[at] == mine if len(wanted) else np.zeros(len(mine), bool)
    return _of_rows(size, mask)


def _of_rows(size: Size, mask: NDArray[np.bool_]) -> Size:
    """The size with these rows. If nothing is left out, the same object, which has its links cached."""
    return size if mask.all() else replace(size, rows=chosen(size.rows, mask))


def measured_in_both(base: Size, new: Size) -> NDArray[np.int64]:
    """The keys of links that were measured in both, whatever their outcome."""
    return _common(keys(base.links, base.ranks), keys(new.links, new.ranks))


def timed_in_both(base: Size, new: Size) -> NDArray[np.int64]:
    """The keys of links that have a time in the main run of both and failed in neither."""
    good = [keys(size.links, size.ranks)[~size.links.failed & (size.links.median > 0)] for size in (base, new)]
    return _common(good[0], good[1])


def _common(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    both: NDArray[np.int64] = np.intersect1d(a, b, assume_unique=True)
    return both


def every_reading(size: Size) -> Size:
    """A size in which repeated measurements count as the main run does."""
    rows = size.rows
    return replace(size, rows=replace(rows, attempt=np.zeros_like(rows.attempt)))


def main_only(size: Size) -> Size:
    """A size with only the ok rows of the main run: a link measured again has no competing traffic."""
    return _of_rows(size, (size.rows.attempt == MAIN) & (size.rows.outcome == Outcome.OK))
