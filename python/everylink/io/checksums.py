"""Checksums of the rows of a table, /checksums/TABLE in a results file: one entry for each batch of rows."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from everylink.io.hdf5 import Damage, Node

CHECKSUMS = "checksums"
LONGEST_BATCH = 2**12  # rows; none crosses a multiple of it, so a block of a multiple of it has whole batches
ENTRIES_PER_CHUNK = 64
COLUMNS = "columns"  # attribute: the columns in the order of their checksums


@dataclass(frozen=True)
class Batches:
    """`crc32` has a row for each batch and a column for each of `columns`; `odd` entries are damaged themselves."""

    columns: tuple[str, ...]
    first: NDArray[np.int64]
    rows: NDArray[np.int64]
    crc32: NDArray[np.uint32]
    odd: int = 0

    def damaged(self, name: str, begin: int, stored: NDArray[Any]) -> Iterator[tuple[int, int]]:
        """The batches whose column does not fit, first row and end, of the rows of it from `begin` on, as stored."""
        if name not in self.columns:
            return
        column = self.columns.index(name)
        bytes_of = _bytes_of(stored)
        width, end = stored.dtype.itemsize, begin + len(stored)
        inside = np.flatnonzero((self.first >= begin) & (self.first + self.rows <= end))
        for i in inside.tolist():
            first, rows = int(self.first[i]), int(self.rows[i])
            at = (first - begin) * width
            if zlib.crc32(bytes_of[at : at + rows * width]) != int(self.crc32[i, column]):
                yield first, first + rows


def batches_in(file: Node, table: str, rows: int) -> Batches | None:
    """The checksums of the first `rows` rows of a table; None in a file without them. Raises Damage."""
    if not file.has(CHECKSUMS) or not _has(file.group(CHECKSUMS), table):
        return None
    group = file.group(CHECKSUMS)
    *parents, name = table.split("/")
    for parent in parents:
        group = group.group(parent)
    columns = tuple(group.text_of(name, COLUMNS).split(","))
    entries = group.records(name, entry_type(len(columns)))
    fits = np.array([zlib.crc32(entry.tobytes()[:-4]) == entry["own"] for entry in entries], bool)
    first, count = entries["first"].astype(np.uint64), entries["rows"].astype(np.uint64)
    fits &= (count > 0) & (first % LONGEST_BATCH + count <= LONGEST_BATCH)
    # entries beyond the committed rows are those of a batch that is being written, or never was committed
    used = fits & (first < rows) & (first + count <= rows)
    # behind those of all committed rows may be some that were only begun
    odd = int(np.count_nonzero(~fits)) if int(count[used].sum()) < rows else 0
    return Batches(columns, first[used].astype(np.int64), count[used].astype(np.int64), entries["crc32"][used], odd)


class Columns(Protocol):
    """A group of a file of any format."""

    def extent(self, name: str) -> int: ...


def rows_of(file: object, table: str, group: Columns, names: Sequence[str], complete: bool) -> int | None:
    """The rows of a table of which no attribute says how many are committed. `names`: its columns. Raises Damage.

    None: some do not fit their checksums, in a file of a complete run. Until then a run may be about to write rows, or
    may have failed to: those before the first one that does not fit are there.
    """
    length = min(group.extent(name) for name in names)
    if not isinstance(file, Node) or not isinstance(group, Node):  # other formats have no checksums
        return length
    batches = batches_in(file, table, length)
    if batches is None:
        return length
    damaged = [first for name in names for first, _ in batches.damaged(name, 0, group.stored(name, length))]
    if complete:
        return None if batches.odd or damaged else length
    return min([int((batches.first + batches.rows).max(initial=0)), *damaged])


def _bytes_of(column: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(column).view(np.uint8).data


def _has(group: Node, table: str) -> bool:
    name, _, rest = table.partition("/")
    return group.has(name) and (not rest or _has(group.group(name), rest))


def entry_type(columns: int) -> np.dtype[np.void]:
    """The entry of a batch; `own` is the checksum of what precedes it."""
    return np.dtype([("first", "<u8"), ("rows", "<u4"), ("crc32", "<u4", (columns,)), ("own", "<u4")])


def add_checksums(file: Any, table: str, columns: Mapping[str, NDArray[Any]], first: int = 0) -> None:
    """Add the checksums of more rows of a table: those from row `first` on, as they are stored."""
    path, kind = f"{CHECKSUMS}/{table}", entry_type(len(columns))
    rows = len(next(iter(columns.values())))
    if path not in file:
        made = file.create_dataset(path, (0,), kind, maxshape=(None,), chunks=(ENTRIES_PER_CHUNK,))
        made.attrs[COLUMNS] = np.bytes_(",".join(columns).encode())
    stored = [_bytes_of(column) for column in columns.values()]
    widths = [column.dtype.itemsize for column in columns.values()]
    entries = []
    begin = first
    while begin < first + rows:
        end = min(first + rows, (begin // LONGEST_BATCH + 1) * LONGEST_BATCH)
        sums = [
            zlib.crc32(part[(begin - first) * width : (end - first) * width])
            for part, width in zip(stored, widths, strict=True)
        ]
        entry = np.array((begin, end - begin, sums, 0), kind)
        entry["own"] = zlib.crc32(entry.tobytes()[:-4])
        entries.append(entry)
        begin = end
    there = file[path]
    if tuple(there.attrs[COLUMNS].decode().split(",")) != tuple(columns):
        raise Damage(f"{path} is of other columns")
    known = len(there)
    there.resize((known + len(entries),))
    if entries:
        there[known:] = np.stack(entries)
