"""The best and the worst path of each pair of hosts, and the rail that makes the difference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links.rails import rails
from everylink.model.links import Links, keys
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

    The time of a path is the median of its link, or that of measuring it again, if it was shorter.
    """
    links, host = size.links, results.ranks.host_index.astype(np.int64)
    hosts = int(host.max()) + 1
    several, key = _pairs_of(results.ranks, links)
    times = _settled(size, len(results.ranks))
    timed = np.flatnonzero(several & (times > 0))
    order = timed[np.lexsort((times[timed], key[timed]))]
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    ends = np.append(begins, len(order))[1:]
    ratio = times[order[ends - 1]] / times[order[begins]]
    failed, rail = key[several & links.failed], np.array(rails(results.ranks))
    found = []
    for pair in np.argsort(-ratio, kind="stable")[:count].tolist():
        paths = order[begins[pair] : ends[pair]]
        both = divmod(int(key[paths[0]]), hosts)
        best, worst = (Path(int(links.frm[i]), int(links.to[i]), float(times[i])) for i in (paths[0], paths[-1]))
        frm, to, seconds = links.frm[paths], links.to[paths], times[paths]
        slow = [_slow_rail(one, np.where(host[frm] == one, frm, to), rail, seconds) for one in both]
        lost = int(np.count_nonzero(failed == key[paths[0]]))
        found.append(HostPair(both, len(paths), lost, best, worst, tuple(one for one in slow if one is not None)))
    return tuple(found)


def how_many_pairs(results: Results, size: Size) -> int:
    """How many pairs of hosts `host_pairs` can tell of."""
    several, key = _pairs_of(results.ranks, size.links)
    return len(np.unique(key[several & (_settled(size, len(results.ranks)) > 0)]))


def _pairs_of(ranks: Ranks, links: Links) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Of each link whether its two hosts have several paths, and a number for this pair of hosts."""
    host = ranks.host_index.astype(np.int64)
    per_host = np.bincount(host)
    a, b = host[links.frm], host[links.to]
    return (a != b) & (per_host[a] * per_host[b] > 1), np.minimum(a, b) * len(per_host) + np.maximum(a, b)


def _settled(size: Size, ranks: int) -> NDArray[np.float64]:
    """The time of each link in seconds: a link that was measured again and was faster then was only disturbed."""
    links, again = size.links, size.retests
    times = links.median.astype(np.float64)
    place = np.searchsorted(every := keys(links, ranks), wanted := keys(again, ranks))
    known = (again.outcome == Outcome.OK) & np.isin(wanted, every)
    np.fmin.at(times, place[known], again.median[known].astype(np.float64))
    return times


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
