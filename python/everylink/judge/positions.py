"""The places of ranks on their hosts, and what a place adds to the links of every host that has it.

A rank on the far socket, or behind the second adapter, is slower than its neighbours by design. So the links of ranks
are compared with those between ranks of the same two places, on all hosts.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.results import Ranks
from everylink.robust import LOW, Matrix, Values, lower_quantiles

FEWEST_ALIKE = 4  # hosts that have a rank at the same place
MOST_PLACES = 64  # of the hosts of one kind, before ranks of several numbers share a place
MOST_RANKS = 256  # of one place that are looked at: enough for a quantile
FEWEST_LINKS = 12  # between the ranks of two places
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Places:
    """`of_rank` [ranks]: the number of each rank's place, -1: not known; `group_of` [ranks]: the group of its host.

    `added` [2, places, places]: log of the factor of links between ranks of two places against those between others,
    of hosts of the same kinds; first between groups, then within one; NaN: not known.
    """

    of_rank: Index
    group_of: Index
    added: Matrix

    def added_at(self, frm: Index, to: Index) -> Matrix:
        """Log of the factor of links between ranks; two arrays broadcast as in an index."""
        near = (self.group_of[frm] == self.group_of[to]).astype(np.int64)
        one, other = self.of_rank[frm], self.of_rank[to]
        return np.where((one < 0) | (other < 0), np.float32(0), np.nan_to_num(self.added[near, one, other]))

    def beyond_quickest(self) -> Values:
        """What links between ranks of two places take longer than those between the quickest two, log of the factor:
        the larger one of those between groups and within one, one of which others may hide; where they are not known,
        what either place adds with any other at least, or 0; [places + 1 squared], the first place for ranks of which
        it is not known."""
        added = np.where(np.isnan(self.added), np.inf, self.added)
        quickest = added.min(axis=(1, 2), keepdims=True)
        above = added - np.where(np.isfinite(quickest), quickest, 0.0)
        least = np.minimum(above.min(axis=1), above.min(axis=2))
        known = np.where(np.isfinite(above), above, np.maximum(least[:, :, None], least[:, None, :]))
        beyond = np.zeros((len(added[0]) + 1,) * 2)
        beyond[1:, 1:] = np.where(np.isfinite(known), known, 0.0).max(axis=0)
        return beyond.ravel()

    @property
    def of_place(self) -> Values:
        """What each place adds at least to links with any other, log of the factor; NaN: not known; [places]."""
        return lower_quantiles(self.added.transpose(1, 0, 2).reshape(len(self.added[0]), -1), 0.5)[0]


def positions_of(ranks: Ranks, kind_of_host: Index) -> Index:
    """A number for the place of each rank on hosts of its kind, [ranks]; -1 where few hosts have such a rank.

    By its number on the host, its adapter, its NUMA node and the distance to the adapter; if few hosts have a rank like
    that, or a host has very many, without its number. If few have one even so: the place of most ranks as far from the
    same adapter, as where an adapter is on the other socket of some hosts.
    """
    host_of = ranks.host_index.astype(np.int64)
    if host_of.max(initial=0) == 0:
        return np.full(len(ranks), -1, np.int64)
    kind = kind_of_host[host_of].tolist()
    place = list(zip(kind, ranks.device, ranks.numa.tolist(), ranks.numa_distance.tolist(), strict=True))
    exact = list(zip(ranks.local_rank.tolist(), place, strict=True))
    hosts: dict[object, set[int]] = {}
    forms = (exact, place) if ranks.local_rank.max(initial=0) < MOST_PLACES else (place, place)
    for keys in forms:
        for key, host in zip(keys, host_of.tolist(), strict=True):
            hosts.setdefault(key, set()).add(host)
    numbers: dict[object, int] = {}
    found = np.full(len(ranks), -1, np.int64)
    for rank, keys_of_rank in enumerate(zip(*forms, strict=True)):
        for key in keys_of_rank:
            if len(hosts[key]) >= FEWEST_ALIKE:
                found[rank] = numbers.setdefault(key, len(numbers))
                break
    if (found < 0).any():
        _join_those_as_far(found, ranks, kind)
    return found


def _join_those_as_far(found: Index, ranks: Ranks, kind: list[int]) -> None:
    """Gives ranks without a place, if facts tell how far from their adapter they are, that of most as far from it."""
    distance = list(zip(kind, ranks.device, ranks.numa_distance.tolist(), strict=True))
    as_far: dict[object, Counter[int]] = {}
    for rank in np.flatnonzero((found >= 0) & (ranks.numa_distance >= 0)).tolist():
        as_far.setdefault(distance[rank], Counter())[int(found[rank])] += 1
    for rank in np.flatnonzero(found < 0).tolist():
        if distance[rank] in as_far:
            ((found[rank], _),) = as_far[distance[rank]].most_common(1)


def places_of(
    first: Matrix,
    of_rank: Index,
    host_of: Index,
    group_of_host: Index,
    kind_of_host: Index,
    usual: Matrix | None = None,
) -> Places | None:
    """What places add to the log times `first` [from rank, to rank].

    None where ranks have no different places, or between no two places enough links are known. A low quantile of the
    links between two places counts, because faults only lengthen times. `usual` [from host, to host]: log times that
    are taken off first, of hosts that may be near or far; NaN: such hosts do not count.
    """
    count = int(of_rank.max(initial=-1)) + 1
    if count < 2:
        return None
    members = [np.flatnonzero(of_rank == place) for place in range(count)]
    group_of = group_of_host[host_of]
    level = np.full((2, count, count), np.nan)
    for place, own in enumerate(members):
        own = own[:: len(own) // MOST_RANKS + 1]
        for other, far in enumerate(members):
            block = np.where(host_of[own, None] == host_of[None, far], np.float32(np.nan), first[np.ix_(own, far)])
            if usual is not None:
                block -= usual[np.ix_(host_of[own], host_of[far])]
            near = group_of[own, None] == group_of[None, far]
            for inside in (0, 1):
                level[inside, place, other] = _low(block[near == bool(inside)])
    if not np.isfinite(level).any():
        return None
    kind = kind_of_host[host_of[[own[0] for own in members]]]
    return Places(of_rank, group_of, _beyond_kinds(level, kind).astype(np.float32))


def _low(times: Matrix) -> float:
    known = times[np.isfinite(times)]
    if len(known) < FEWEST_LINKS:
        return np.nan
    at = int((len(known) - 1) * LOW)
    return float(np.partition(known, at)[at])


def _beyond_kinds(level: Values, kind: Index) -> Values:
    """Less the median over the places of hosts of the same two kinds."""
    beyond = np.full_like(level, np.nan)
    for one in np.unique(kind).tolist():
        for other in np.unique(kind).tolist():
            for inside in (0, 1):
                at = np.ix_(np.array([inside]), np.flatnonzero(kind == one), np.flatnonzero(kind == other))
                known = level[at][np.isfinite(level[at])]
                if len(known):
                    beyond[at] = level[at] - np.median(known)
    return beyond
