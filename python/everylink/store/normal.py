"""What is normal for each link, learnt from the runs of a store: a reference for the next check.

It is the median over the newest comparable runs, without those in which a host of the link, or the link, was found
faulty. A change counts only if it is larger than any that the runs show among themselves.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.compare.comparison import compare
from everylink.deviation.scale import FAILED, PER_LOG
from everylink.errors import UserMistake
from everylink.judge.judge import Earlier
from everylink.links.hosts import host_names
from everylink.memory import require_memory
from everylink.model.changes import Change
from everylink.model.inventory import NO_INVENTORY
from everylink.model.results import NO_LOCAL_FAULTS, Results, Size
from everylink.model.rows import MAIN, Outcome, Rows
from everylink.store.folder import OfLinks, read_links
from everylink.store.index import Index, Night
from everylink.store.summary import OF_TWO, Damaged, Seen, settings_of
from everylink.store.trends import of_link, trends_of

MOST, FEWEST = 14, 5  # runs
MOST_RANKS = 4096  # of a run whose links are compared
BEYOND = 1.5  # times the largest change among the runs
LARGEST_PART = 2**24  # links whose medians are taken together
Values = NDArray[np.float64]
Log = NDArray[np.float32]
OfNight = tuple[Night, OfLinks, NDArray[np.int64], Sequence[Seen]]  # with the number there of each rank of this run


@dataclass(frozen=True, eq=False)
class Normal:
    """`results`: as if a run had measured what is normal; `nights`: what it was learnt from."""

    results: Results
    nights: tuple[Night, ...]
    findings: tuple[tuple[Seen, ...], ...]


def slower_than_normal(index: Index, results: Results) -> Earlier | None:
    """What is slower than normal, as a reference for the judge; None without a normal, or where nothing is slower.

    Raises NotEnoughMemory.
    """
    normal = normal_of(index, results)
    if normal is None:
        return None
    try:
        changes = compare(normal.results, results).slower
    except UserMistake:  # no link of this run has a normal time
        return None
    slower = [one for one in changes if _is_beyond(one, normal)]
    return Earlier(normal.results.path, slower) if slower else None


def normal_of(index: Index, results: Results) -> Normal | None:
    """What is normal for the links of a run; None with fewer than FEWEST comparable runs that have single links.

    On a single host there is none: its times depend on what else runs there.
    """
    ranks = len(results.ranks)
    if results.facts.hosts < 2 or ranks > MOST_RANKS or not results.sizes:
        return None
    nights, links = list[Night](), list[OfLinks]()
    for night in reversed(index.nights(3 * MOST)):
        if len(nights) < MOST and night.summary.settings == settings_of(results):
            with suppress(Damaged):
                there = read_links(night.folder, len(night.summary.sizes), len(night.summary.hosts))
                if there is not None:
                    nights.append(night)
                    links.append(there)
    if len(nights) < FEWEST:
        return None
    require_memory(2 * len(nights) * ranks**2, f"to learn what is normal for the links of {ranks:,} ranks")
    findings = tuple(map(tuple, index.findings(nights)))
    places = [_places(results, *one) for one in zip(nights, links, strict=True)]
    sizes = [_size(size, results, list(zip(nights, links, places, findings, strict=True))) for size in results.sizes]
    kept = tuple(size for size in sizes if len(size.rows))
    if not kept:
        return None
    path = Path(f"the normal of {len(nights)} runs")
    made = replace(
        results, path=path, sizes=kept, local_faults=NO_LOCAL_FAULTS, read_inventory=lambda: NO_INVENTORY, remarks=()
    )
    return Normal(made, tuple(nights), findings)


def _size(size: Size, results: Results, nights: Sequence[OfNight]) -> Size:
    """The normal times of one size, as rows."""
    ranks = len(results.ranks)
    parts = [_of_night(size.bytes, results, *one) for one in nights if size.bytes in one[0].summary.sizes]
    medians = np.full((ranks, ranks), np.nan, np.float32)
    together = max(LARGEST_PART // max(ranks * len(parts), 1), 1)
    for begin in range(0, ranks, together) if len(parts) >= FEWEST else ():
        rows = slice(begin, begin + together)
        stacked = np.sort(np.stack([part[rows] for part in parts]), axis=0)  # NaN last
        known = np.isfinite(stacked).sum(axis=0)
        low, high = (
            np.take_along_axis(stacked, np.minimum(at, len(parts) - 1)[None], axis=0)[0]
            for at in (np.maximum(known - 1, 0) // 2, known // 2)
        )
        medians[rows] = np.where(known >= FEWEST, (low + np.where(known > 0, high, 0)) / 2, np.nan)
    return replace(size, rows=_rows(medians))


def _of_night(
    bytes: int, results: Results, night: Night, links: OfLinks, places: NDArray[np.int64], findings: Sequence[Seen]
) -> Log:
    """Log seconds of the links of this run in a night, [ranks, ranks]; NaN without a time, and of what was found."""
    own = night.summary.sizes.index(bytes)
    ranks = np.flatnonzero(places >= 0)
    codes = links.codes(own, slice(None))[np.ix_(places[ranks], places[ranks])]
    frm, to = (ends.ravel().astype(np.uint32) for ends in np.meshgrid(places[ranks], places[ranks], indexing="ij"))
    seconds = links.reference(own).log_seconds(frm, to).reshape(codes.shape) + codes / PER_LOG
    log_seconds = np.full((len(places), len(places)), np.nan, np.float32)
    log_seconds[np.ix_(ranks, ranks)] = np.where(codes > FAILED, seconds, np.nan)
    names = host_names(results.ranks)
    host = results.ranks.host_index
    for one in findings:
        found = [np.flatnonzero(host == names.index(name)) for name in one.hosts if name in names]
        if one.kind in OF_TWO and len(found) == 2:
            log_seconds[np.ix_(*found)] = log_seconds[np.ix_(*found[::-1])] = np.nan
        else:
            for those in found:
                log_seconds[those] = log_seconds[:, those] = np.nan
    return log_seconds


def _places(results: Results, night: Night, links: OfLinks) -> NDArray[np.int64]:
    """The number that each rank of this run has in a night, -1 if it was not there."""
    names = night.summary.hosts
    known = {(names[host], local): rank for rank, (host, local) in enumerate(zip(links.host, links.local, strict=True))}
    own = host_names(results.ranks)
    columns = zip(results.ranks.host_index.tolist(), results.ranks.local_rank.tolist(), strict=True)
    return np.array([known.get((own[host], local), -1) for host, local in columns], np.int64)


def _rows(medians: Log) -> Rows:
    """A row for each link that has a time, as of one that was measured once."""
    np.fill_diagonal(medians, np.nan)
    frm, to = np.nonzero(np.isfinite(medians))
    count = len(frm)
    seconds = np.exp(medians[frm, to])
    zeros, none = np.zeros(count, np.uint32), np.full(count, np.nan, np.float32)
    ones = np.ones(count, np.uint32)
    return Rows(
        frm=frm.astype(np.uint32), to=to.astype(np.uint32), step=zeros, attempt=np.full(count, MAIN, np.uint8),
        outcome=np.full(count, Outcome.OK, np.uint8), arrived=ones.astype(np.int32), setup=none, n=ones, min=seconds,
        median=seconds, mean=seconds, p99=seconds, max=seconds, late=zeros, all_to_all=none,
    )  # fmt: skip


def _is_beyond(change: Change, normal: Normal) -> bool:
    """Whether a change is larger than any that the runs show among themselves."""
    values = _values(change, normal)
    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return False
    return log(change.factor) > BEYOND * float(np.abs(known - np.median(known)).max())


def _values(change: Change, normal: Normal) -> Values:
    """Logs of the times of what changed, in each of the runs in which nothing was found of it."""
    nights = [
        night
        for night, found in zip(normal.nights, normal.findings, strict=True)
        if change.bytes in night.summary.sizes
        and not any(set(one.hosts) & set(change.subject) for one in found if one.kind not in OF_TWO)
    ]
    if not nights:
        return np.zeros(0)
    hosts = tuple(name.partition(":")[0] for name in change.subject)
    trends = trends_of(nights, hosts)
    size = trends.sizes.index(change.bytes)
    values = trends.levels[size]
    if change.kind == "class":
        return np.asarray(values)
    if len(set(hosts)) == 2:
        return np.asarray(values + of_link(nights, [change.bytes], (hosts[0], hosts[1]))[0])
    return np.asarray(values + trends.worse[size, 0]) if len(trends.hosts) else np.zeros(0)
