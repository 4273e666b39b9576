"""The readings of a screening: a list of pairs, never a matrix of hosts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.readings import ONE_WAY, TO_FROM
from everylink.model.results import UNKNOWN, Results, Size
from everylink.model.rows import FEW, MAIN, ORDER, QUARTER, Outcome

Index = NDArray[np.int64]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
USED = np.isin(np.arange(256), (MAIN, ORDER, QUARTER, FEW))  # by the number of the attempt
FEWEST_HOSTS = 4
LOADS = 3
FULL, QUARTER_BUSY, FEW_BUSY = range(LOADS)  # how many ranks were busy: all, a quarter, few


def is_screened(results: Results) -> bool:
    """Whether a run is a screening, in which hosts met few others: in one that met all, more can be told."""
    name, _, steps = results.facts.schedule.partition(":")
    hosts = results.facts.hosts
    return name == "screen" and steps.isdecimal() and hosts > max(int(steps) + 1, FEWEST_HOSTS) and not results.loads


@dataclass(frozen=True, eq=False)
class ScreenReadings:
    """Readings between different hosts, one entry each.

    `one`, `other`: the hosts; those of a symmetric kernel tell of both directions, otherwise `one` sends. `time`: log
    seconds. `place`: a number for the places of the two ranks on their hosts. `load`: FULL, or, of what `--confirm`
    measured again, QUARTER_BUSY and FEW_BUSY. `steps`: how many there were. `symmetric`: as in Readings.
    """

    hosts: int
    one: Index
    other: Index
    time: Values
    place: Index
    load: Index
    steps: int
    symmetric: bool

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def is_full(self) -> Mask:
        """Measured while all ranks were busy."""
        return np.asarray(self.load == FULL)

    @cached_property
    def is_fresh(self) -> Mask:
        """Measured again with a quarter of the ranks busy."""
        return np.asarray(self.load == QUARTER_BUSY)

    @cached_property
    def is_few(self) -> Mask:
        """Measured again with few ranks busy."""
        return np.asarray(self.load == FEW_BUSY)

    @cached_property
    def ends(self) -> tuple[Index, Index]:
        """A number for each end: the host; of a kernel that tells directions, hosts + host where it receives."""
        return self.one, self.other if self.symmetric else self.other + self.hosts

    @property
    def count_of_ends(self) -> int:
        return self.hosts if self.symmetric else 2 * self.hosts


def screen_readings(results: Results, size: Size, place_of: Index) -> ScreenReadings:
    """`place_of` [ranks]: the place of each rank on its host, -1: not known.

    Of the two readings of a pair in a step the shorter one counts: a disturbance makes a reading longer, never shorter.
    """
    host_of = results.ranks.host_index.astype(np.int64)
    symmetric = results.facts.kernel not in ONE_WAY or results.facts.kernel == UNKNOWN
    parts: list[tuple[NDArray[np.generic], ...]] = []
    for frm, to, step, attempt, outcome, median in size.rows.blocks(
        "frm", "to", "step", "attempt", "outcome", "median"
    ):
        good = (outcome == Outcome.OK) & (median > 0) & USED[attempt]
        good &= host_of[frm] != host_of[to]
        parts.append(tuple(column[good] for column in (frm, to, step, attempt, median)))
    if not parts:
        parts.append((np.zeros(0, np.uint32),) * 3 + (np.zeros(0, np.uint8), np.zeros(0, np.float32)))
    frm, to, step, attempt, median = (np.concatenate(column) for column in zip(*parts, strict=True))
    a, b = frm.astype(np.int64), to.astype(np.int64)
    time = np.log(median.astype(np.float64))
    if symmetric:
        a, b = np.minimum(a, b), np.maximum(a, b)
        pair = step.astype(np.int64) * len(host_of) + a  # a rank has one partner in a step
        order = np.lexsort((time, pair))
        a, b, step, time, attempt = a[order], b[order], step[order], time[order], attempt[order]
        is_first = np.diff(pair[order], prepend=-1) != 0
        a, b, time, attempt = a[is_first], b[is_first], time[is_first], attempt[is_first]
    elif results.facts.kernel in TO_FROM:
        a, b = b, a
    places = int(place_of.max(initial=-1)) + 2
    low, high = place_of[a] + 1, place_of[b] + 1
    if symmetric:
        low, high = np.minimum(low, high), np.maximum(low, high)
    return ScreenReadings(
        int(host_of.max(initial=-1)) + 1, host_of[a], host_of[b], time, low * places + high,
        np.select([attempt == QUARTER, attempt == FEW], [QUARTER_BUSY, FEW_BUSY], FULL), len(np.unique(step)),
        symmetric,
    )  # fmt: skip
