"""All readings of one size, laid out for judging: a matrix of ranks, and any part of the matrix of hosts.

A reading is the median of one row that ended ok, as log seconds, so that factors become differences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.judge.positions import Places
from everylink.memory import require_memory
from everylink.model.results import Results, Size
from everylink.model.rows import MAIN, ORDER, Outcome
from everylink.robust import Values, is_whole, sampled, sorted_within

Counts = NDArray[np.uint32]
UNDER_LOAD = (MAIN, ORDER)  # without other traffic a link has the fabric to itself, which is another quantity
IS_UNDER_LOAD, IS_MAIN = (np.isin(np.arange(256), ones) for ones in (UNDER_LOAD, MAIN))  # by the number of the attempt
ONE_WAY = ("unidirectional", "put", "get")  # kernels that read one direction at a time
TO_FROM = ("get",)  # those whose messages go to the leading rank
CELL_BYTES, PARTNER_BYTES = 5, 76  # of memory, per pair of ranks, and per host and sampled partner
KEPT_BYTES = 2**30  # of memory, for the readings of several sizes
HOST_BLOCK = 256  # rows of the matrix of hosts processed together
Matrix = NDArray[np.float32]
Index = NDArray[np.int64]
UNKNOWN = np.float32(np.nan)
MOST_LINKS = 2 / 3  # of those between hosts: more than a sample of partners
MOST_LOST = 1e12  # usual times, of a row: a damaged file may say anything


@dataclass(frozen=True)
class Lateness:
    """Messages and late messages, both directions together: [host, partner], and per host over all others.

    `lost`: the time lost to late messages, in usual times of a message. Partners are all hosts, or a sample of very
    many.
    """

    late: Counts
    messages: Counts
    lost: Matrix
    all_late: NDArray[np.float64]
    all_messages: NDArray[np.float64]


class LatenessSums:
    """Accumulates a Lateness."""

    def __init__(self, hosts: int) -> None:
        partners = sampled(hosts)
        self._hosts, self._width = hosts, len(partners)
        self._place = np.full(hosts, -1, np.int64)
        self._place[partners] = np.arange(len(partners))
        self._late, self._messages = np.zeros((2, hosts * len(partners)), np.uint32)
        self._lost = np.zeros(hosts * len(partners), np.float32)
        self._all_late, self._all_messages = np.zeros((2, hosts))

    def add(self, frm: Index, to: Index, late: Counts, messages: Counts, beyond: Matrix) -> None:
        """Add rows between different hosts; `beyond`: mean / median - 1 of each, NaN if unknown."""
        self._add(self._messages, frm, to, messages)
        self._add_totals(self._all_messages, frm, to, messages)
        some = late > 0  # in most rows no message is late
        frm, to, late = frm[some], to[some], late[some]
        self._add(self._late, frm, to, late)
        self._add_totals(self._all_late, frm, to, late)
        # A late message takes a usual time longer at least.
        lost = np.fmin(np.fmax(messages[some] * beyond[some], late), MOST_LOST)
        self._add(self._lost, frm, to, lost.astype(np.float32))

    def _add(self, cells: Counts | Matrix, frm: Index, to: Index, value: Counts | Matrix) -> None:
        for own, other in ((frm, to), (to, frm)):
            place = self._place[other]
            seen = place >= 0
            cell = own * self._width + place
            np.add.at(cells, cell if seen.all() else cell[seen], value if seen.all() else value[seen])

    def _add_totals(self, of_hosts: NDArray[np.float64], frm: Index, to: Index, count: Counts) -> None:
        for own in (frm, to):
            of_hosts += np.bincount(own, count, self._hosts)

    def done(self) -> Lateness:
        shape = (self._hosts, self._width)
        late, messages = self._late.reshape(shape), self._messages.reshape(shape)
        return Lateness(late, messages, self._lost.reshape(shape), self._all_late, self._all_messages)


@dataclass(frozen=True)
class Cells:
    """Of each pair of hosts, [from, to]: the lower median and lower quartile of the readings, and their number.

    NaN without a reading. The lower of two middle readings is used because a disturbance makes a reading longer, never
    shorter.
    """

    median: Matrix
    quartile: Matrix
    count: NDArray[np.int32]


@dataclass(frozen=True)
class Further:
    """Readings of a link after its first one, one entry each: ranks and log seconds."""

    frm: Index
    to: Index
    time: Matrix


def with_further(first: Matrix, cell: Index, time: Matrix) -> tuple[Index, Cells]:
    """The cells that have further readings, ascending, and what all readings of each give; [cells].

    `first` [reading, row, column]: the first readings. `cell`, `time` [n]: the further ones, numbered row by row.
    """
    used = np.unique(cell)
    of_used = first.reshape(len(first), -1)[:, used]
    known = np.isfinite(of_used)
    place = np.concatenate([np.tile(np.arange(len(used)), (len(first), 1))[known], np.searchsorted(used, cell)])
    ordered = sorted_within(place, np.concatenate([of_used[known], time]))
    count = np.bincount(place)
    starts = np.cumsum(count) - count
    median, quartile = (ordered[starts + (count - 1) // part] for part in (2, 4))
    return used, Cells(median, quartile, count.astype(np.int32))


@dataclass(frozen=True)
class Readings:
    """Readings of the links between different hosts, from the host that sends to the one that receives.

    `count`: how many; `first` [from rank, to rank]: log seconds of the first, NaN if there is none; `further`: all
    others; `late`: messages behind each host's readings, and how many were late; `late_again`: those that `--confirm`
    added, if it did. `symmetric`: a reading is half a round
    trip, so both directions of a pair measure the same quantity. `turned`: messages go to the leading rank. `places`:
    what the matrix of hosts is without; `first` and `each` have it.
    """

    hosts: int
    ranks: int
    host_of: Index
    count: int
    first: Matrix
    further: Further
    late: Lateness
    late_again: Lateness | None
    symmetric: bool
    turned: bool
    places: Places | None = None

    def levelled(self, places: Places | None) -> "Readings":
        """The same without what the places of ranks on their hosts add."""
        return self if places is None else replace(self, places=places)

    def added_by_places(self, frm: Index, to: Index) -> Matrix | np.float32:
        """Log of the factor of links between ranks; two arrays broadcast as in an index."""
        return np.float32(0) if self.places is None else self.places.added_at(frm, to)

    def first_at(self, frm: Index, to: Index) -> Matrix:
        """Log seconds of the first readings from some ranks to others, [from, to], without what their places add."""
        return np.asarray(self.first[np.ix_(frm, to)] - self.added_by_places(frm[:, None], to[None, :]))

    @cached_property
    def has_most_links(self) -> bool:
        """Whether MOST_LINKS of ranks on different hosts were measured, rather than a sample of partners."""
        known = np.isfinite(self.first)
        known |= known.T
        possible = self.ranks**2 - int((np.bincount(self.host_of) ** 2).sum())
        return int(known.sum()) >= MOST_LINKS * possible

    @cached_property
    def further_times(self) -> Matrix:
        """Log seconds of `further`, without what the places of ranks add."""
        return np.asarray(self.further.time - self.added_by_places(self.further.frm, self.further.to))

    def rows(
        self, size: Size, *names: str, attempts: NDArray[np.bool_] = IS_UNDER_LOAD
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        """The rows behind the readings, some at a time: ranks from and to, the median, then these columns."""
        return rows_under_load(size, self.host_of, self.turned, *names, attempts=attempts)

    def main_rows(self, size: Size, *names: str) -> Iterator[tuple[NDArray[Any], ...]]:
        """Those of the main run, likewise."""
        return self.rows(size, *names, attempts=IS_MAIN)

    def each(self) -> tuple[Index, Index, Matrix]:
        """Ranks from and to, and log seconds, of every reading; [count] each."""
        further = self.further
        frm, to = np.nonzero(np.isfinite(self.first))
        time = np.concatenate([self.first[frm, to], further.time])
        return np.concatenate([frm, further.frm]), np.concatenate([to, further.to]), time

    @cached_property
    def between_hosts(self) -> Cells:
        """All readings between two hosts combined; a symmetric kernel combines both directions, too."""
        return self.cells(np.arange(self.hosts), np.arange(self.hosts))

    def with_each(self, host: int) -> Matrix:
        """Log seconds between a host and each of them, [hosts], as between_hosts, in the slower direction."""
        one, every = np.array([host]), np.arange(self.hosts)
        if is_whole(self.hosts):
            there, back = self.between_hosts.median[host], self.between_hosts.median[:, host]
        else:
            there, back = self.cells(one, every).median[0], self.cells(every, one).median[:, 0]
        return np.asarray(np.fmax(there, back))

    def between_equals(self, number: Index) -> Matrix:
        """[from, to]: log seconds between ranks of one number, such as that of their adapter, the lower median over
        these; NaN: not known. `number` [ranks]: each at most once on a host; -1: none."""
        values = []
        for one in range(int(number.max(initial=-1)) + 1):
            of_host = np.full(self.hosts, -1, np.int64)
            own = np.flatnonzero(number == one)
            of_host[self.host_of[own]] = own
            values.append(self._known_at(of_host, of_host))
        return _lower(np.stack(values), np.isfinite(values).sum(axis=0), (2,))[0]

    def _known_at(self, frm: Index, to: Index) -> Matrix:
        """As _medians_at; NaN where there is no such rank, -1."""
        times = self._medians_at(frm, to)
        times[(frm < 0)[:, None] | (to < 0)[None, :]] = UNKNOWN
        return times

    def links_of_hosts(self) -> NDArray[np.int64]:
        """The number of links of ranks that were measured between each two hosts, [from host, to host]."""
        order = np.argsort(self.host_of, kind="stable")
        starts = np.searchsorted(self.host_of[order], np.arange(self.hosts))
        to_hosts = [np.add.reduceat(np.isfinite(row[order]), starts, dtype=np.int64) for row in self.first]
        return np.asarray(np.add.reduceat(np.array(to_hosts)[order], starts, axis=0))

    def forget_cells(self) -> None:
        """Free the memory of `between_hosts` until it is needed again."""
        self.__dict__.pop("between_hosts", None)

    @property
    def held_bytes(self) -> int:
        """Bytes of memory, but for what is computed from them."""
        further = vars(self.further).values()
        late = [array for of in (self.late, self.late_again) if of is not None for array in vars(of).values()]
        return sum(int(array.nbytes) for array in (self.first, *further, *late))

    def blocks(self) -> Iterator[tuple[int, Cells]]:
        """The same in blocks of rows, each with the number of its first row."""
        whole = self.between_hosts if is_whole(self.hosts) else None
        for begin in range(0, self.hosts, HOST_BLOCK):
            rows = slice(begin, begin + HOST_BLOCK)
            if whole is not None:
                yield begin, Cells(whole.median[rows], whole.quartile[rows], whole.count[rows])
            else:
                yield begin, self.cells(np.arange(self.hosts)[rows], np.arange(self.hosts))

    def cells(self, rows: Index, columns: Index) -> Cells:
        """Some rows and columns of the matrix of hosts."""
        shape = len(rows), len(columns)
        made = Cells(np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.int32))
        for begin in range(0, len(rows), HOST_BLOCK):
            part = slice(begin, begin + HOST_BLOCK)
            cells = self._cells(rows[part], columns)
            made.median[part], made.quartile[part], made.count[part] = cells.median, cells.quartile, cells.count
        return made

    def _cells(self, rows: Index, columns: Index) -> Cells:
        values = self._values(rows, columns)
        count = sum((np.isfinite(part) for part in values), start=np.zeros(values.shape[1:], np.int32))
        if len(values) <= 2:  # the lower median of one or two readings is the smallest
            median = np.fmin(values[0], values[-1])
            quartile = median.copy() if len(self.further.time) else median
        else:
            median, quartile = _lower(values, count, (2, 4))
        cells = Cells(median, quartile, count)
        if self._shares_hosts:
            return self._with_counts(rows, columns, cells)
        return self._with_further(rows, columns, values, cells) if len(self.further.time) else cells

    @property
    def _shares_hosts(self) -> bool:
        """Whether hosts have several ranks. Each link of ranks counts once then, however often it was measured again.

        Otherwise a slow rank that was measured more often than others of its host would be taken for the host.
        """
        return self.ranks > self.hosts

    @cached_property
    def _repeated(self) -> tuple[Index, Matrix]:
        """The links of ranks with further readings, from * ranks + to in ascending order, and their lower medians."""
        key = self.further.frm * self.ranks + self.further.to
        used, of_used = with_further(self.first[None], key, self.further.time)
        return used, of_used.median

    def _medians_at(self, frm: Index, to: Index) -> Matrix:
        """As first_at, with the lower medians of links that have several readings."""
        block = self.first[np.ix_(frm, to)]
        used, median = self._repeated
        begin, end = (np.searchsorted(used, frm * self.ranks + edge) for edge in (0, self.ranks))
        row, at = _of_slices(begin, end)
        place = np.full(self.ranks, -1, np.int64)
        place[to[to >= 0]] = np.flatnonzero(to >= 0)
        column = place[used[at] % self.ranks]
        row, at, column = (part[column >= 0] for part in (row, at, column))
        block[row, column] = median[at]
        return np.asarray(block - self.added_by_places(frm[:, None], to[None, :]))

    def _with_counts(self, rows: Index, columns: Index, cells: Cells) -> Cells:
        """Count the further readings, too."""
        cell, _ = self._further_among(rows, columns)
        cells.count[:] += np.bincount(cell, minlength=cells.count.size).reshape(cells.count.shape)
        return cells

    @cached_property
    def _slots(self) -> Index:
        """[host, place]: the ranks of each host, padded with -1."""
        order = np.argsort(self.host_of, kind="stable")
        count = np.bincount(self.host_of, minlength=self.hosts)
        slots = np.full((self.hosts, int(count.max())), -1, np.int64)
        place = np.arange(self.ranks) - np.repeat(np.cumsum(count) - count, count)
        slots[self.host_of[order], place] = order
        return slots

    def _values(self, rows: Index, columns: Index) -> Matrix:
        """[reading, row, column]: the first readings between all ranks of two sets of hosts, or their medians."""
        parts = []
        of_links = self._medians_at if self._shares_hosts else self.first_at
        for a in self._slots[rows].T:
            for b in self._slots[columns].T:
                known = (a >= 0)[:, None] & (b >= 0)[None, :]
                parts.append(of_links(a, b))
                if self.symmetric:
                    parts.append(of_links(b, a).T)
                for part in () if known.all() else parts[-1 - self.symmetric :]:
                    part[~known] = UNKNOWN
        return np.stack(parts)

    @cached_property
    def _further_by_host(self) -> tuple[Index, Index, Matrix]:
        """Hosts from and to, and log seconds, sorted by (from, to); a symmetric kernel's in both directions."""
        frm, to, time = self.host_of[self.further.frm], self.host_of[self.further.to], self.further_times
        if self.symmetric:
            frm, to, time = np.concatenate([frm, to]), np.concatenate([to, frm]), np.tile(time, 2)
        order = np.argsort(frm * self.hosts + to, kind="stable")
        return frm[order], to[order], time[order]

    def _further_among(self, rows: Index, columns: Index) -> tuple[Index, Matrix]:
        """Of the further readings between two sets of hosts the cell, numbered row by row, and log seconds."""
        frm, to, time = self._further_by_host
        row, at = _of_slices(*(np.searchsorted(frm, rows, side) for side in ("left", "right")))
        place = np.full(self.hosts, -1, np.int64)
        place[columns] = np.arange(len(columns))
        column = place[to[at]]
        known = column >= 0
        return row[known] * len(columns) + column[known], time[at[known]]

    def _with_further(self, rows: Index, columns: Index, values: Matrix, cells: Cells) -> Cells:
        """Recompute the cells that have further readings."""
        used, of_used = with_further(values, *self._further_among(rows, columns))
        for matrix, of_cells in zip(vars(cells).values(), vars(of_used).values(), strict=True):
            matrix.flat[used] = of_cells
        return cells


def _lower(values: Matrix, count: NDArray[np.integer], parts: Sequence[int]) -> list[Matrix]:
    """Of [reading, row, column] the lower median (part 2) or quartile (4) of the known readings, [row, column] each.

    `count` [row, column]: how many are known.
    """
    ordered = np.sort(np.moveaxis(values, 0, -1), axis=-1)  # NaN sorts after every number
    last = np.maximum(count, 1) - 1
    return [np.take_along_axis(ordered, (last // part)[..., None], -1)[..., 0] for part in parts]


def _of_slices(begin: Index, end: Index) -> tuple[Index, Index]:
    """The numbers from `begin` to `end` of each slice, one after the other, and of which slice each is."""
    length = end - begin
    first = np.repeat(begin - np.cumsum(length) + length, length)
    return np.repeat(np.arange(len(begin)), length), first + np.arange(len(first))


class _RankMatrix:
    """Fills the matrix of ranks row by row."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.count = 0
        self.first = np.full(ranks * ranks, UNKNOWN)
        self.further: list[tuple[Index, Matrix]] = [(np.zeros(0, np.int64), np.zeros(0, np.float32))]

    def put(self, key: Index, time: Matrix) -> None:
        """Add readings of links numbered from * ranks + to."""
        self.count += len(key)
        taken = np.isfinite(self.first[key])
        if not (np.diff(key) > 0).all():
            # Of equal numbers the last one written remains. Written backwards, the first row finds its own place there.
            place = np.flatnonzero(~taken).astype(np.float32)
            self.first[key[~taken][::-1]] = place[::-1]
            taken[~taken] = self.first[key[~taken]] != place
        self.first[key[~taken]] = time[~taken]
        if taken.any():
            self.further.append((key[taken], time[taken]))

    def done(self) -> tuple[Matrix, Further]:
        key, time = (np.concatenate(parts) for parts in zip(*self.further, strict=True))
        return self.first.reshape(self.ranks, self.ranks), Further(key // self.ranks, key % self.ranks, time)


def readings(results: Results, size: Size) -> Readings:
    """The readings of one size between hosts; in a run on one host each rank counts as a host.

    Several steps of judging need those of all sizes, so they are kept: as many as fit into KEPT_BYTES, and the latest.
    Raises UserMistake if memory does not suffice.
    """
    kept: list[tuple[Size, Readings]] = results.__dict__.setdefault("_readings", [])
    found = next((seen for one, seen in kept if one is size), None)
    for _, seen in kept:
        if seen is not found:
            seen.forget_cells()
    if found is None:
        while kept and (len(kept) + 1) * kept[0][1].held_bytes > KEPT_BYTES:
            kept.pop()  # the latest: sizes are gone through in turns
        found = _readings(results, size, IS_UNDER_LOAD)
        kept.append((size, found))
    return found


def readings_in(results: Results, size: Size, attempt: int) -> Readings:
    """The readings of one size in one phase of `--confirm`, likewise. They are not kept."""
    return _readings(results, size, np.arange(256) == attempt)


def _readings(results: Results, size: Size, attempts: NDArray[np.bool_]) -> Readings:
    ranks = len(results.ranks)
    host_of = results.ranks.host_index.astype(np.int64)
    if results.facts.hosts < 2 or host_of.max() == 0:
        host_of = np.arange(ranks, dtype=np.int64)
    hosts = int(host_of.max()) + 1
    needed = CELL_BYTES * ranks**2 + PARTNER_BYTES * hosts * len(sampled(hosts))
    require_memory(needed, f"{results.path}: to judge {ranks:,} ranks on {hosts:,} hosts")
    matrix, late = _RankMatrix(ranks), LatenessSums(hosts)
    again: LatenessSums | None = None
    turned = results.facts.kernel in TO_FROM
    columns = ("late", "n", "mean", "attempt")
    for frm, to, median, late_ones, messages, mean, attempt in rows_under_load(
        size, host_of, turned, *columns, attempts=attempts
    ):
        matrix.put(frm.astype(np.int64) * ranks + to, np.log(median.astype(np.float64)).astype(np.float32))
        of_rows = (host_of[frm], host_of[to], late_ones, messages, mean.astype(np.float64) / median - 1)
        late.add(*of_rows)
        fresh = attempt == ORDER
        if fresh.any():
            again = again or LatenessSums(hosts)
            again.add(*(column[fresh] for column in of_rows))
    symmetric = results.facts.kernel not in ONE_WAY
    of_late = (late.done(), None if again is None else again.done())
    return Readings(hosts, ranks, host_of, matrix.count, *matrix.done(), *of_late, symmetric, turned)


def rows_under_load(
    size: Size, host_of: Index, turned: bool, *names: str, attempts: NDArray[np.bool_] = IS_UNDER_LOAD
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Rows between hosts that ended ok under load, some at a time: ranks from and to, the median, then these columns.

    `turned`: messages go to the leading rank, so the ranks change places. `attempts`: mask of those wanted.
    """
    columns = tuple(dict.fromkeys(("frm", "to", "attempt", "outcome", "median", *names)))  # each read once
    for values in size.rows.blocks(*columns):
        of = dict(zip(columns, values, strict=True))
        frm, to = of["frm"], of["to"]
        good = (of["outcome"] == Outcome.OK) & (of["median"] > 0) & attempts[of["attempt"]]
        good &= host_of[frm] != host_of[to]
        wanted = [of[name] for name in ("median", *names)]
        if not good.all():
            frm, to, *wanted = (column[good] for column in (frm, to, *wanted))
        yield (to, frm, *wanted) if turned else (frm, to, *wanted)


def rows_inside(size: Size, host_of: Index) -> tuple[Index, Index, Values]:
    """Ranks from and to, and log seconds, of all readings that stay on their host."""
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    several = len(np.unique(host_of)) < len(host_of)
    blocks = size.rows.blocks("frm", "to", "attempt", "outcome", "median") if several else ()
    for frm, to, attempt, outcome, median in blocks:
        good = (outcome == Outcome.OK) & (median > 0) & np.isin(attempt, UNDER_LOAD) & (host_of[frm] == host_of[to])
        ends = frm[good].astype(np.int64), to[good].astype(np.int64)
        found.append((*ends, np.log(median[good].astype(np.float64))))
    frm, to, time = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return frm, to, time
