"""How each link of a size ended. One bit per link is enough to count links and to fold failures, at any size."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import MAIN, SMALL_TABLE, SPARSE, Outcome, Rows

UNKNOWN = np.uint8(255)  # not measured
TOGETHER = 2**20  # links whose bits are made together; a multiple of 8
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Outcomes:
    """The main rows of all links, each link once; of several rows of a link the first failure counts.

    `frm`, `to`, `outcome` are those of the failed links, ordered by (from, to). `sent` and `received` count the
    measured links of each rank. Measured are those whose bit is set in `_bits`, [ranks * ranks] packed, or, where few
    were measured, those whose number, from * ranks + to, is in `_keys`, which is in order. `unmeasured` are the links
    that a host could not measure, and that no other row tells of; they count nowhere else.
    """

    links: int
    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    outcome: NDArray[np.uint8]
    sent: Index
    received: Index
    unmeasured: int
    _bits: NDArray[np.uint8] | None
    _keys: Index

    @property
    def failed(self) -> int:
        return len(self.frm)

    def measured(self, frm: Index, to: Index) -> NDArray[np.bool_]:
        """Of each link from `frm` to `to` whether it was measured."""
        key = frm * len(self.sent) + to
        if self._bits is not None:
            return np.asarray(self._bits[key >> 3] >> (key & 7) & 1, bool)
        if not len(self._keys):
            return np.zeros(key.shape, bool)
        return np.asarray(self._keys[np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)] == key)


def outcomes(rows: Rows, ranks: int) -> Outcomes:
    """Go through the rows once."""
    if ranks**2 <= max(SMALL_TABLE, SPARSE * len(rows)):
        return _of_table(_table(rows, ranks), ranks)
    return _of_few(rows, ranks)


def _table(rows: Rows, ranks: int) -> NDArray[np.uint8]:
    table = np.full(ranks * ranks, UNKNOWN)
    for frm, to, attempt, outcome in rows.blocks("frm", "to", "attempt", "outcome"):
        key = frm.astype(np.int64) * ranks + to
        if (attempt != MAIN).any():
            key, outcome = key[attempt == MAIN], outcome[attempt == MAIN]
        if (local := outcome == Outcome.LOCAL).any():
            here = key[local]
            table[here] = np.where(table[here] == UNKNOWN, np.uint8(Outcome.LOCAL), table[here])
            key, outcome = key[~local], outcome[~local]
        bad = np.flatnonzero(outcome != Outcome.OK)[::-1]  # of equal places the last one written counts
        before = table[key[bad]]
        table[key] = np.where(_none(table[key]), np.uint8(Outcome.OK), table[key])
        table[key[bad]] = np.where(_none(before), outcome[bad], before)
    return table


def _none(outcome: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Not measured, or not failed."""
    return np.asarray((outcome == UNKNOWN) | (outcome == Outcome.OK) | (outcome == Outcome.LOCAL))


def _of_table(table: NDArray[np.uint8], ranks: int) -> Outcomes:
    unmeasured = 0
    sent, received, failed = np.zeros(ranks, np.int64), np.zeros(ranks, np.int64), [np.zeros(0, np.int64)]
    for rank in range(ranks):
        row = table[rank * ranks : (rank + 1) * ranks]
        local = row == Outcome.LOCAL
        unmeasured += int(np.count_nonzero(local))
        row[local] = UNKNOWN
        known = row != UNKNOWN
        sent[rank] = np.count_nonzero(known)
        received += known
        failed.append(rank * ranks + np.flatnonzero(~_none(row)))
    key = np.concatenate(failed)
    bits = np.empty(-(-len(table) // 8), np.uint8)
    for at in range(0, len(table), TOGETHER):
        part = np.packbits(table[at : at + TOGETHER] != UNKNOWN, bitorder="little")
        bits[at // 8 : at // 8 + len(part)] = part
    return _counted(int(sent.sum()), key, table[key], sent, received, unmeasured, bits, key[:0])


def _of_few(rows: Rows, ranks: int) -> Outcomes:
    parts: list[tuple[Index, NDArray[np.uint8]]] = []
    for frm, to, attempt, outcome in rows.blocks("frm", "to", "attempt", "outcome"):
        main = attempt == MAIN
        parts.append((frm[main].astype(np.int64) * ranks + to[main], outcome[main]))
    key, outcome = (_joined(part) for part in zip(*parts, strict=True)) if parts else (np.zeros(0, np.int64),) * 2
    local = outcome == Outcome.LOCAL
    unmeasured = len(np.setdiff1d(key[local], key[~local])) if local.any() else 0
    key, outcome = key[~local], outcome[~local]
    bad = outcome != Outcome.OK
    known = np.sort(key)
    known = known[np.diff(known, prepend=-1) != 0]
    failed, first = np.unique(key[bad], return_index=True)
    sent, received = (np.bincount(end, minlength=ranks) for end in (known // ranks, known % ranks))
    codes = outcome[bad][first].astype(np.uint8)
    return _counted(len(known), failed, codes, sent, received, unmeasured, None, known)


def _joined(parts: Iterable[NDArray[np.generic]]) -> NDArray[np.generic]:
    return np.concatenate(list(parts))


def _counted(
    links: int,
    failed: Index,
    outcome: NDArray[np.uint8],
    sent: Index,
    received: Index,
    unmeasured: int,
    bits: NDArray[np.uint8] | None,
    known: Index,
) -> Outcomes:
    ranks = len(sent)
    frm, to = (failed // ranks).astype(np.uint32), (failed % ranks).astype(np.uint32)
    return Outcomes(links, frm, to, outcome, sent, received, unmeasured, bits, known)


def links_between(links: Outcomes, unit_of: Index, frm: Index, to: Index) -> Index:
    """How many links were measured from each unit of `frm` to the unit of `to` beside it.

    `unit_of` has the unit of each rank, such as its host.
    """
    order = np.argsort(unit_of, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(unit_of))[:-1])
    size = np.array([len(ranks) for ranks in members])
    begin = np.cumsum(size) - size
    counts = np.zeros(len(frm), np.int64)
    largest = int(size.max(initial=0))
    if len(frm) < largest**2:  # few units with many ranks
        for i, (a, b) in enumerate(zip(frm.tolist(), to.tolist(), strict=True)):
            counts[i] = links.measured(members[a][:, None], members[b][None, :]).sum()
        return counts
    for i in range(largest):
        for j in range(largest):
            there = np.flatnonzero((size[frm] > i) & (size[to] > j))
            counts[there] += links.measured(order[begin[frm[there]] + i], order[begin[to[there]] + j])
    return counts
