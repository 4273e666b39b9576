"""Tests the link of every pair of hosts, a block of matrix rows at a time."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.readings import Readings
from everylink.judge.times import SETTLED_READINGS
from everylink.robust import Matrix

SMALLEST = 0.05  # log of the factor; smaller effects occur in healthy fabrics
SMALLEST_BAD = 0.077  # 8 %: on some networks single pairs differ by less, by their routes
CLEAR_OF_PAIR = 5.0  # times the noise by which a pair must be slow: pairs differ by more than noise in some networks
PAIR_Z = 3.5
BOTH_ENDS = 1.25  # times what both ends together may add
OF_ENDS = 0.25  # a link of a bad host is itself bad from this part of its host's effect
MOST_SUSPECTS = 20_000  # the slowest pairs are kept
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
End = TypeVar("End")


@dataclass(frozen=True)
class Pairs:
    """One entry per pair: hosts from and to, log of the factor, number of readings."""

    frm: Index
    to: Index
    effect: Matrix
    readings: Index

    def __len__(self) -> int:
        return len(self.frm)

    def slowest(self, most: int) -> "Pairs":
        """At most `most` pairs, the slowest, in their original order."""
        if len(self) <= most:
            return self
        kept = np.sort(np.argsort(-self.effect, kind="stable")[:most])
        return self.of(kept)

    def of(self, which: Index | Mask) -> "Pairs":
        """Some of them."""
        return Pairs(*(column[which] for column in vars(self).values()))


@dataclass(frozen=True)
class PairFindings:
    """`bad` have enough readings, `suspects` do not yet; `left_out`: suspects beyond MOST_SUSPECTS.

    `tested`: connections tested. Per host [hosts]: `settled`: partners with enough readings; `measured`: links (pairs,
    with a symmetric kernel); `far`: links to and from hosts of other groups.
    """

    bad: Pairs
    suspects: Pairs
    left_out: int
    tested: int
    settled: Index
    measured: Index
    far: Index


def examine_pairs(readings: Readings, effects: Effects) -> PairFindings:
    """A pair is bad if its own link is slow in most readings; suspect until it has enough readings."""
    hosts = readings.hosts
    every = np.arange(hosts)[None, :]
    settled, measured, far = (np.zeros(hosts, np.int64) for _ in range(3))
    bad = [_NO_PAIRS]
    suspects, left_out, tested = _NO_PAIRS, 0, 0
    for begin, cells in readings.blocks():
        rows = np.arange(begin, begin + len(cells.median))
        rest = cells.median - effects.expected_at(rows[:, None], every)
        known = np.isfinite(rest)
        tested += int(known.sum())
        enough = cells.count >= SETTLED_READINGS
        settled[rows] = enough.sum(axis=1)
        measured[rows] += known.sum(axis=1)
        if not readings.symmetric:
            measured += known.sum(axis=0)
        beyond = known & (effects.group_of[rows, None] != effects.group_of[None, :])
        far[rows] += beyond.sum(axis=1)
        far += beyond.sum(axis=0)
        frm, to = np.nonzero(rest > SMALLEST)  # few
        slow = Pairs(frm + begin, to, rest[frm, to], cells.count[frm, to].astype(np.int64))
        likely, surely = _likely(slow, cells.median[frm, to] - cells.quartile[frm, to], effects, readings.symmetric)
        bad.append(slow.of(likely & surely & enough[frm, to] & (slow.effect > SMALLEST_BAD)))
        more = _joined([suspects, slow.of(likely & ~enough[frm, to])])
        suspects = more.slowest(MOST_SUSPECTS)
        left_out += len(more) - len(suspects)
    return PairFindings(_joined(bad), suspects, left_out, tested, settled, measured, far)


_NO_PAIRS = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int64))


def _likely(pairs: Pairs, above: Matrix, effects: Effects, symmetric: bool) -> tuple[Mask, Mask]:
    """Which pairs noise and their ends do not explain, and in which most readings are slow, not just half; [pairs].

    `above`: how far the median of a pair is above the lower quartile.
    """
    frm, to, rest = pairs.frm, pairs.to, pairs.effect
    by_chance = PAIR_Z * effects.noise_at(frm, to)
    # What a bad end adds is known only roughly.
    of_ends = effects.expected_at(frm, to) - effects.class_at(frm, to)
    likely = rest > np.maximum(np.maximum(SMALLEST, by_chance), OF_ENDS * of_ends)
    if symmetric:
        likely &= (rest > BOTH_ENDS * effects.both_ends_at(frm, to)) & (to > frm)
    return likely, rest - above > by_chance


def _joined(parts: list[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True)))


def partners_of(pairs: Iterable[Collection[End]]) -> dict[End, set[End]]:
    """Of each end of these pairs the other ends."""
    partners: dict[End, set[End]] = {}
    for ends in pairs:
        for end in ends:
            partners.setdefault(end, set()).update(set(ends) - {end})
    return partners
