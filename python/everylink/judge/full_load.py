"""Messages of steps in which all ranks of a host work with others: what these share is as busy then as it gets.

In other steps some of them work with each other, or wait, so that what they share hides less, or nothing.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.readings import Readings
from everylink.model.results import Size
from everylink.robust import Matrix, Values, medians_of, sorted_within

MOST_RANKS = 4096  # of more, too few messages of each two hosts would be in the steps that are read
MOST_ROWS = 4_000_000  # of more, those of some steps are held
FEWEST_MESSAGES = 4  # of two hosts in such steps
PART_OF_ALL = 1 / 8  # of the hosts, of which no more may be slow, or one
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Together:
    """What all ranks of a host reach together in a step, [n] each: the host, messages per second, the kind of the hosts
    at the other ends, -1 where these are of several, and which part of these are of its group."""

    host: Index
    rate: Values
    kind: Index
    near: Values


@dataclass(frozen=True)
class FullLoad:
    """Messages under load between hosts: the hosts `frm` and `to`, `step`, and `time` in seconds, [n] each.

    `slots`: the numbers of the two ranks on their hosts, [2, n]. `full` [steps, hosts]: whether as many ranks of a host
    as ever worked with others.
    """

    frm: Index
    to: Index
    slots: Index
    step: Index
    time: Values
    full: NDArray[np.bool_]

    @property
    def hosts(self) -> int:
        return int(self.full.shape[1])

    def are_few(self, slow: int) -> bool:
        """Whether this number of slow hosts is small enough for them to be faults."""
        return slow <= max(1, PART_OF_ALL * self.hosts)

    def partners(self, host: int) -> int:
        """With how many others it exchanged messages."""
        return len(np.unique(np.concatenate([self.to[self.frm == host], self.frm[self.to == host]])))

    def between_hosts(self, quantile: float) -> Matrix:
        """A quantile, one of them, of the times of messages of each two hosts, either way, in steps in which all ranks
        of both work with others; log seconds [host, host], NaN with fewer than FEWEST_MESSAGES."""
        both = self._both_full
        frm, to = self.frm[both], self.to[both]
        pair = np.minimum(frm, to) * self.hosts + np.maximum(frm, to)
        ordered = sorted_within(pair, np.log(self.time[both]))
        count = np.bincount(pair, minlength=self.hosts**2)
        known = np.flatnonzero(count >= FEWEST_MESSAGES)
        at = (np.cumsum(count) - count)[known] + ((count[known] - 1) * quantile).astype(np.int64)
        times = np.full((self.hosts, self.hosts), np.nan, np.float32)
        one, other = np.divmod(known, self.hosts)
        times[one, other] = times[other, one] = ordered[at]
        return times

    def of_ranks(self, are_near: NDArray[np.bool_]) -> Matrix:
        """The medians of the times of each rank in such steps, with other hosts that are near to its own; log seconds
        [host, number on its host], NaN with fewer than FEWEST_MESSAGES. `are_near` [host, host]."""
        kept = np.tile(self._both_full & are_near[self.frm, self.to], 2)
        host, slot = np.concatenate([self.frm, self.to])[kept], self.slots.ravel()[kept]
        slots = int(self.slots.max(initial=0)) + 1
        rank, median = medians_of(np.log(np.tile(self.time, 2)[kept]), host * slots + slot)
        times = np.full((self.hosts, slots), np.nan, np.float32)
        enough = np.bincount(host * slots + slot)[rank] >= FEWEST_MESSAGES
        times.flat[rank[enough]] = median[enough]
        return times

    @cached_property
    def _both_full(self) -> NDArray[np.bool_]:
        return np.asarray(self.full[self.step, self.frm] & self.full[self.step, self.to])

    def together(self, kind_of: Index, group_of: Index) -> Together:
        """Of each host all steps in which all of its ranks work with others; `kind_of`, `group_of` [hosts]."""
        host, partner = np.concatenate([self.frm, self.to]), np.concatenate([self.to, self.frm])
        step, rate = np.tile(self.step, 2), np.tile(1 / self.time, 2)
        full = self.full[step, host]
        number = step[full] * self.hosts + host[full]
        order = np.argsort(number, kind="stable")
        at, begins = np.unique(number[order], return_index=True)
        if not len(at):
            return Together(at, np.zeros(0), at, np.zeros(0))
        kind = kind_of[partner[full][order]]
        least, most = (of.reduceat(kind, begins) for of in (np.minimum, np.maximum))
        rates = np.add.reduceat(rate[full][order], begins)
        is_near = group_of[host[full][order]] == group_of[partner[full][order]]
        near = np.add.reduceat(is_near.astype(float), begins) / np.diff(begins, append=len(order))
        return Together(at % self.hosts, rates, np.where(least == most, least, -1), near)


def has_too_many(seen: Readings) -> bool:
    """Whether hosts have several ranks, and there are too many of these to compare what all of a host reach."""
    return seen.hosts < seen.ranks and seen.ranks > MOST_RANKS


def full_load(size: Size, seen: Readings) -> FullLoad | None:
    """None where hosts have one rank each, or there are too many; of very many rows those of every second step, say."""
    if seen.ranks == seen.hosts or has_too_many(seen):
        return None
    every = 1 + (len(size.rows) - 1) // MOST_ROWS
    parts = [(np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0, np.float32), np.zeros(0, np.uint32))]
    for columns in seen.rows(size, "step"):
        kept = columns[-1] % every == 0
        parts.append(tuple(column[kept] for column in columns))
    frm, to, time, number = (np.concatenate(column) for column in zip(*parts, strict=True))
    steps, step = np.unique(number, return_inverse=True)
    busy = np.zeros((len(steps), seen.ranks), bool)
    busy[step, frm] = busy[step, to] = True
    order = np.argsort(seen.host_of, kind="stable")
    begins = np.searchsorted(seen.host_of[order], np.arange(seen.hosts))
    count = np.add.reduceat(busy[:, order], begins, axis=1, dtype=np.int64)
    full = count == count.max(axis=0, initial=1)
    slot = np.empty(seen.ranks, np.int64)
    slot[order] = np.arange(seen.ranks) - begins[seen.host_of[order]]
    return FullLoad(seen.host_of[frm], seen.host_of[to], slot[np.stack([frm, to])], step, time, full)
