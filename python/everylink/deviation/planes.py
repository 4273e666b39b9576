"""Reduces strips of the matrix of all links to blocks."""

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.model import Deviations, Index, Lines, Outliers, Shares
from everylink.deviation.scale import FAILED, LEAST_KNOWN, MOST, NOT_MEASURED, Codes, code_of, has_time

SLOW = code_of(1.25)
MOST_OUTLIERS = 200_000
CODES = 256  # from NOT_MEASURED on


class Planes:
    """Takes strips from the first place to the last one, each of whole blocks."""

    def __init__(self, blocks: Blocks) -> None:
        count, ranks = len(blocks), int(blocks.edges[-1])
        self._blocks = blocks
        self._usual, self._worst = np.full((2, count, count), NOT_MEASURED, np.int8)
        self._slow, self._failed, self._timed = np.zeros((3, count, count), np.uint8)
        self._columns = _gathered(blocks.edges)
        self._host_columns = _gathered(blocks.hosts)
        self._host_edges = np.searchsorted(blocks.hosts, blocks.edges)  # of blocks, counted in hosts
        self._of_rows, self._of_columns = np.zeros((2, ranks, CODES), np.uint32)
        self._outliers, self._failures = _Kept(MOST_OUTLIERS), _Kept(MOST_OUTLIERS)

    def add(self, strip: Codes, begin: int) -> None:
        """The links from the places that follow `begin`, [places, ranks]."""
        blocks = self._blocks
        first, last = np.searchsorted(blocks.edges, (begin, begin + len(strip)))
        for block in range(int(first), int(last)):
            top, bottom = blocks.edges[block : block + 2] - begin
            rows = strip[top:bottom]
            self._count(rows, int(blocks.edges[block]))
            self._add_block(rows, block)
            self._keep(rows, int(blocks.edges[block]))

    def done(self, size: int, links: Codes | None) -> Deviations:
        return Deviations(
            size, self._blocks, self._usual, self._worst, self._slow, self._failed, self._timed,
            _lines(self._of_rows), _lines(self._of_columns), self._outliers.done(), self._failures.done(), links,
        )  # fmt: skip

    def _count(self, rows: Codes, begin: int) -> None:
        """How often each code occurs in each row and column."""
        places = rows.astype(np.int64) - NOT_MEASURED
        for number, row in enumerate(places):
            self._of_rows[begin + number] = np.bincount(row, minlength=CODES)
            self._of_columns[np.arange(len(row)), row] += 1

    def _add_block(self, rows: Codes, block: int) -> None:
        """All blocks of one row of them; `rows` [places of the block, ranks]."""
        begins = self._blocks.edges[:-1]
        cells = len(rows) * np.diff(self._blocks.edges)
        worst = np.maximum.reduceat(rows.max(axis=0), begins)
        self._worst[block] = np.where(has_time(worst), worst, NOT_MEASURED)
        for plane, mask in (
            (self._slow, rows >= SLOW),
            (self._failed, rows == FAILED),
            (self._timed, has_time(rows)),
        ):
            plane[block] = _shares(np.add.reduceat(mask.sum(axis=0), begins), cells)
        across = lower_medians(_padded(rows)[:, self._columns])  # [rows, blocks]
        down = lower_medians(np.ascontiguousarray(rows.T))  # [ranks]
        pairs = self._of_hosts(rows, block)
        candidates = [*across, *_extremes(down, begins), *pairs]
        self._usual[block] = _most_deviating(np.stack(candidates))

    def _of_hosts(self, rows: Codes, block: int) -> list[Codes]:
        """The extremes over the hosts of each block of the medians between two hosts; nothing where hosts have one
        rank each, whose single links may be transients, or are cut: then their lines tell as much."""
        if not self._blocks.have_pairs_of_hosts:
            return []
        hosts = self._blocks.hosts
        begin = self._blocks.edges[block]
        found: list[Codes] = []
        for host in range(int(self._host_edges[block]), int(self._host_edges[block + 1])):
            own = rows[hosts[host] - begin : hosts[host + 1] - begin]
            between = _padded(own)[:, self._host_columns].transpose(1, 0, 2).reshape(len(hosts) - 1, -1)
            found += _extremes(lower_medians(np.ascontiguousarray(between)), self._host_edges[:-1])
        return found

    def _keep(self, rows: Codes, begin: int) -> None:
        self._outliers.add(rows, begin, rows >= max(SLOW, self._outliers.least))
        self._failures.add(rows, begin, rows == FAILED)


def lower_medians(codes: Codes) -> Codes:
    """The lower median of the times along the last axis, NOT_MEASURED where there is none."""
    ordered = np.sort(codes, axis=-1, kind="stable")  # of bytes the fastest, a radix sort
    known = has_time(codes).sum(axis=-1)
    at = codes.shape[-1] - known + np.maximum(known - 1, 0) // 2
    middle = np.take_along_axis(ordered, np.minimum(at, codes.shape[-1] - 1)[..., None], axis=-1)[..., 0]
    return np.where(known > 0, middle, np.int8(NOT_MEASURED))


def _gathered(edges: Index) -> Index:
    """[blocks, widest]: the columns of each block, and for what it is narrower the one behind the last."""
    width = int(np.diff(edges).max())
    columns = edges[:-1, None] + np.arange(width)
    return np.where(columns < edges[1:, None], columns, edges[-1])


def _padded(rows: Codes) -> Codes:
    """With one more column, in which nothing was measured."""
    return np.pad(rows, ((0, 0), (0, 1)), constant_values=NOT_MEASURED)


def _extremes(codes: Codes, begins: Index) -> list[Codes]:
    """The slowest and the fastest of each part that begins there."""
    most = np.maximum.reduceat(codes, begins)
    least = np.minimum.reduceat(np.where(has_time(codes), codes, MOST), begins)
    return [most, np.where(has_time(most), least, np.int8(NOT_MEASURED))]


def _most_deviating(codes: Codes) -> Codes:
    """Along the first axis the code furthest from 0; of two as far the slower one."""
    most = codes.max(axis=0)
    least = np.where(has_time(codes), codes, MOST).min(axis=0)
    furthest = np.where(most.astype(np.int16) >= -least.astype(np.int16), most, least)
    return np.where(has_time(most), furthest, np.int8(NOT_MEASURED))


def _shares(count: NDArray[np.integer], of: Index) -> Shares:
    rounded = np.rint(255 * count / np.maximum(of, 1))
    return np.where(count > 0, np.maximum(rounded, 1), 0).astype(np.uint8)


def _lines(counts: NDArray[np.uint32]) -> Lines:
    """Of how often each code occurs, [ranks, codes]."""
    median, timed = medians_of_counts(counts)
    slow = counts[:, SLOW - NOT_MEASURED :].sum(axis=1, dtype=np.int64)
    return Lines(median, timed, slow, counts[:, FAILED - NOT_MEASURED].astype(np.int64))


def medians_of_counts(counts: NDArray[np.integer]) -> tuple[Codes, Index]:
    """Of how often each code occurs, [lines, codes]: the lower medians of the times, and how many times there are."""
    known = counts[:, LEAST_KNOWN - NOT_MEASURED :]
    timed = known.sum(axis=1, dtype=np.int64)
    at = (np.cumsum(known, axis=1) <= (np.maximum(timed - 1, 0) // 2)[:, None]).sum(axis=1)
    return np.where(timed > 0, at + LEAST_KNOWN, NOT_MEASURED).astype(np.int8), timed


class _Kept:
    """The slowest links; of those that are equal the first ones."""

    def __init__(self, most: int) -> None:
        self._most, self.least = most, NOT_MEASURED
        self._kept = Outliers(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int8))
        self._more: list[Outliers] = []

    def add(self, rows: Codes, begin: int, which: NDArray[np.bool_]) -> None:
        frm, to = np.nonzero(which)
        self._more.append(Outliers(frm + begin, to, rows[frm, to]))
        if sum(map(len, self._more)) > 3 * self._most:
            self.done()

    def done(self) -> Outliers:
        every = [self._kept, *self._more]
        code = np.concatenate([one.code for one in every])
        order = np.argsort(-code.astype(np.int16), kind="stable")[: self._most]
        frm, to = (np.concatenate([getattr(one, end) for one in every])[order] for end in ("frm", "to"))
        self._kept, self._more = Outliers(frm, to, code[order]), []
        if len(order) == self._most:
            self.least = int(code[order[-1]])
        return self._kept
