"""The best and the worst path of each pair of hosts, and the rail that makes the difference."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from everylink.links.rails import rails
from everylink.links.stream import link_blocks
from everylink.memory import require_memory
from everylink.model.links import keys
from everylink.model.results import Ranks, Results, Size
from everylink.model.rows import Outcome

DIFFERS = 1.2  # a rail whose paths take this many times as long as the others between the same two hosts


@dataclass(frozen=True)
class Path:
    """The link of two ranks, with its time in seconds."""

    frm: int
    to: int
    seconds: float


@dataclass(frozen=True)
class SlowRail:
    """A rail of a host whose paths take `times` as long as the others between the same two hosts."""

    host: int
    rail: str
    times: float


@dataclass(frozen=True)
class HostPair:
    """Two hosts, with their `paths`, links in both directions that have a time, and the number of failed ones."""

    hosts: tuple[int, int]
    paths: int
    failed: int
    best: Path
    worst: Path
    slow_rails: tuple[SlowRail, ...]

    @property
    def ratio(self) -> float:
        return self.worst.seconds / self.best.seconds


def have_several_paths(ranks: Ranks) -> bool:
    """Whether any two hosts have more than one pair of ranks."""
    per_host = np.sort(np.bincount(ranks.host_index))
    per_host = per_host[per_host > 0]
    return len(per_host) > 1 and bool(per_host[-1] > 1)


def host_pairs(results: Results, size: Size, count: int | None) -> tuple[HostPair, ...]:
    """The `count` pairs of hosts whose worst path differs most from their best one; None: all. Pairs with one path are
    left out.

    The time of a path is the median of its link, or that of measuring it again, if it was shorter. Goes through the
    links in parts.
    """
    best, worst = _extremes(results, size)
    found = np.flatnonzero(best < np.inf)
    ratio = worst[found].astype(np.float64) / best[found]
    chosen = found[np.argsort(-ratio, kind="stable")[:count]]
    paths = _paths_of(results, size, chosen, len(best))
    begins = np.searchsorted(paths.pair, chosen)
    ends = np.searchsorted(paths.pair, chosen, "right")
    rail, host = np.array(rails(results.ranks)), results.ranks.host_index.astype(np.int64)
    return tuple(
        _host_pair(paths, slice(begin, end), host, rail)
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
    )


def how_many_pairs(results: Results, size: Size) -> int:
    """How many pairs of hosts `host_pairs` can tell of."""
    return int(np.count_nonzero(_extremes(results, size)[0] < np.inf))


@dataclass(frozen=True)
class _Paths:
    """Links between hosts that have several, by their pair of hosts and then by time; NaN: failed, the last ones."""

    pair: NDArray[np.int64]
    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    seconds: NDArray[np.float32]
    failed: NDArray[np.bool_]


def _host_pair(paths: _Paths, own: slice, host: NDArray[np.int64], rail: NDArray[np.str_]) -> HostPair:
    timed = np.flatnonzero(paths.seconds[own] > 0) + own.start
    frm, to, seconds = paths.frm[timed], paths.to[timed], paths.seconds[timed].astype(np.float64)
    best, worst = (Path(int(frm[i]), int(to[i]), float(seconds[i])) for i in (0, -1))
    a, b = sorted((int(host[best.frm]), int(host[best.to])))
    slow = [_slow_rail(one, np.where(host[frm] == one, frm, to), rail, seconds) for one in (a, b)]
    lost = int(np.count_nonzero(paths.failed[own]))
    return HostPair((a, b), len(timed), lost, best, worst, tuple(one for one in slow if one is not None))


def _blocks(results: Results, size: Size) -> Iterator[_Paths]:
    """The links between hosts that have several, some at a time, in their order."""
    ranks = results.ranks
    host = ranks.host_index.astype(np.int64)
    per_host, again = np.bincount(host), size.retests
    wanted = keys(again, len(ranks))
    for block in link_blocks(size):
        a, b = host[block.frm], host[block.to]
        several = np.flatnonzero((a != b) & (per_host[a] * per_host[b] > 1))
        frm, to = block.frm[several], block.to[several]
        seconds = block.seconds[several]
        # a link that was measured again and was faster then was only disturbed
        key = frm.astype(np.int64) * len(ranks) + to
        place = np.minimum(np.searchsorted(wanted, key), max(len(wanted) - 1, 0))
        if len(wanted):
            known = (wanted[place] == key) & (again.outcome[place] == Outcome.OK)
            seconds = np.where(known, np.fmin(seconds, again.median[place]), seconds)
        low, high = np.minimum(a, b)[several], np.maximum(a, b)[several]
        yield _Paths(high * (high - 1) // 2 + low, frm, to, seconds, block.failed[several])


def _extremes(results: Results, size: Size) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The best and the worst time of each pair of hosts; infinity and 0 of pairs without a time."""
    hosts = int(results.ranks.host_index.max()) + 1
    pairs = hosts * (hosts - 1) // 2
    require_memory(8 * pairs, f"for the paths between {hosts:,} hosts")
    best, worst = np.full(pairs, np.inf, np.float32), np.zeros(pairs, np.float32)
    for block in _blocks(results, size):
        timed = block.seconds > 0
        np.minimum.at(best, block.pair[timed], block.seconds[timed])
        np.maximum.at(worst, block.pair[timed], block.seconds[timed])
    return best, worst


def _paths_of(results: Results, size: Size, chosen: NDArray[np.int64], pairs: int) -> _Paths:
    """All links of these pairs of hosts."""
    wanted = np.zeros(pairs, bool)
    wanted[chosen] = True
    names = [field.name for field in fields(_Paths)]
    parts = [[getattr(block, name)[wanted[block.pair]] for name in names] for block in _blocks(results, size)]
    pair, frm, to, seconds, failed = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((seconds, pair))
    return _Paths(*(column[order] for column in (pair, frm, to, seconds, failed)))


def _slow_rail(
    host: int, own: NDArray[np.uint32], rail: NDArray[np.str_], seconds: NDArray[np.float64]
) -> SlowRail | None:
    """The rail of the slowest path at one of two hosts, if its paths are slow; `own`: the rank there of each path."""
    used = rail[own]
    over = used == used[-1]
    if over.all():
        return None
    times = float(np.median(seconds[over]) / np.median(seconds[~over]))
    return SlowRail(host, str(used[-1]), times) if times >= DIFFERS else None
