"""Reads an HDF5 file that may be truncated, damaged or malicious; sizes that it claims are checked before use.

Every problem is a Damage, with a message of one line. No read takes much more memory than the file has bytes.
"""

import ctypes
import math
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from everylink.files import printable
from everylink.model.rows import quiet

SIGNATURE = b"\x89HDF\r\n\x1a\n"
METADATA_ATTEMPTS = 25  # of HDF5 itself, for one piece of metadata: waits of 1 ns, 2 ns, 4 ns, ..., 30 ms in total
SUPERBLOCK_VERSION, OPEN_FLAGS = 8, 11  # offsets in the head of an HDF5 file
FIRST_USER_BLOCK = 512  # the shortest thing in front of an HDF5 file; longer ones are this times a power of two
CRC32 = "crc32"  # attribute of a column that is written once: the CRC-32 of its bytes as stored
MOST_CHUNKS = 2**17  # of one column
# HDF5 allocates the claimed length of such a string before it checks whether the file has that many bytes.
VARIABLE = "is of variable length, but all strings of a results file are of fixed length"
SMALL, SQUEEZED = 64 * 2**20, 20  # memory for all columns: this many bytes plus this many times the file's size
# What h5py raises for damaged files; each of these has been observed.
FAULTS = (OSError, KeyError, ValueError, RuntimeError, TypeError, OverflowError, MemoryError)


# What sees the numbers of a column as they are stored: its name, the first row, and the numbers.
Look = Callable[[str, int, NDArray[Any]], None]


class Damage(ValueError):
    """A defect of a file. The message is one line."""


def checked_limit(value: float, attribute: str, of: str) -> float:
    if not 0 <= value < math.inf:
        raise Damage(f"attribute {attribute} of {of} is {value}; expected a number of 0 or more")
    return value


def open_hdf5(path: Path) -> Any:
    """Open a file for reading, even if its writer still holds it open or never closed it."""
    head = _head(path)
    # only if the writer never closed the file: a truncated file opened this way would read as zeros
    if len(head) > OPEN_FLAGS and head[SUPERBLOCK_VERSION] >= 3 and head[OPEN_FLAGS]:
        return _open_while_written(path)
    return h5py.File(path, "r", locking=False)


def is_hdf5(path: Path) -> bool:
    """Whether the file is HDF5, perhaps with something else in front."""
    return _head(path).startswith(SIGNATURE)


def _head(path: Path) -> bytes:
    """The beginning of the HDF5 file, which something else may precede; empty if there is none."""
    with path.open("rb") as file:
        at = 0
        while (head := file.read(OPEN_FLAGS + 1)) and not head.startswith(SIGNATURE):
            at = max(FIRST_USER_BLOCK, 2 * at)
            file.seek(at)
        return head


def _open_while_written(path: Path) -> Any:
    """Open a file as h5py does with swmr=True, but give up quickly if it is truncated."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_file_locking(False, True)
    # h5py leaves this at 100 attempts with doubling waits, so a truncated file would block forever
    hdf5 = ctypes.CDLL(h5py.h5p.__file__)
    hdf5.H5Pset_metadata_read_attempts.argtypes = (ctypes.c_int64, ctypes.c_uint)
    hdf5.H5Pset_metadata_read_attempts(access.id, METADATA_ATTEMPTS)
    return h5py.File(h5py.h5f.open(bytes(path), h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ, access))


class Node:
    """A group of a file: its attributes, groups and columns by name."""

    def __init__(self, group: Any, budget: "_Budget | None" = None, trusted: "set[str] | None" = None) -> None:
        """`trusted` are the names of columns already checked; newly checked ones are added."""
        self._group = group
        self._budget = budget or _Budget(group.file)
        self._trusted = set() if trusted is None else trusted

    @property
    def name(self) -> str:
        return printable(str(self._group.name))

    def has(self, name: str) -> bool:
        return name in self._group

    def group(self, name: str) -> "Node":
        found = self._child(name)
        if not isinstance(found, h5py.Group):
            raise Damage(f"{self._path(name)} is not a group")
        return Node(found, self._budget, self._trusted)

    def groups(self) -> list["Node"]:
        return [self.group(name) for name in self._group]

    def integer(self, name: str, low: int, high: int) -> int:
        """An integer attribute, checked to be from `low` to `high`."""
        value = self._number(name)
        if value != value or value != int(value) or not low <= value <= high:
            raise Damage(f"attribute {name} of {self.name} is {value}; expected {low} to {high}")
        return int(value)

    def number(self, name: str) -> float:
        return float(self._number(name))

    def limit(self, name: str) -> float:
        """A number of seconds or the like: finite, 0 or more."""
        return checked_limit(self.number(name), name, self.name)

    def text(self, name: str) -> str:
        value = self._attribute(name)
        if not isinstance(value, str | bytes):
            raise Damage(f"attribute {name} of {self.name} is not text")
        return printable(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)

    def text_of(self, column: str, name: str) -> str:
        """An attribute of a column."""
        return Node(self._stored(column), self._budget, self._trusted).text(name)

    def has_attribute(self, name: str) -> bool:
        return name in self._group.attrs

    def extent(self, name: str) -> int:
        """The number of entries of a column that are stored. It may be longer, if a write has failed."""
        column = self._stored(name)
        if column.shape is None or len(column.shape) != 1:
            raise Damage(f"{self._path(name)} is not a column of one dimension")
        filtered = column.id.get_create_plist().get_nfilters() > 0
        stored = column.id.get_storage_size() // column.dtype.itemsize
        return int(column.shape[0] if filtered else min(column.shape[0], stored))

    def strings(self, name: str, length: int) -> tuple[str, ...]:
        """The first `length` strings of a column."""
        column = self._column(name, length)
        if column.dtype.hasobject:
            raise Damage(f"{self._path(name)} {VARIABLE}")
        if h5py.check_string_dtype(column.dtype) is None:
            raise Damage(f"{self._path(name)} holds {column.dtype}; expected strings")
        return tuple(printable(text.decode("utf-8", "replace")) for text in column[:length])

    def numbers(self, name: str, kind: type[np.generic], length: int, look: Look | None = None) -> NDArray[Any]:
        """The first `length` numbers of a column, as type `kind`. `look` sees them as they are stored."""
        stored = self._numbers(name, kind, length)[:length]
        if look is not None:
            look(name, 0, stored)
        return quiet(np.asarray(stored, kind))

    def stored(self, name: str, length: int) -> NDArray[Any]:
        """The first `length` entries of a column as they are stored, of numbers or strings of fixed length."""
        return np.asarray(self._column(name, length)[:length])

    def slices(
        self,
        kinds: Mapping[str, type[np.generic]],
        length: int,
        begins: Sequence[int],
        most: int,
        look: Look | None = None,
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        """Blocks of columns of numbers: `most` rows from each of `begins`, up to the committed `length`. `look` sees
        them as they are stored."""
        columns = [(name, self._numbers(name, kind, length), kind) for name, kind in kinds.items()]
        for begin in begins:
            block = []
            for name, column, kind in columns:
                stored = column[begin : min(begin + most, length)]
                if look is not None:
                    look(name, begin, stored)
                block.append(quiet(np.asarray(stored, kind)))
            yield tuple(block)

    def records(self, name: str, kind: "np.dtype[np.void]") -> NDArray[np.void]:
        """A whole column of records of this type."""
        length = self.extent(name)
        column = self._column(name, length)
        if column.dtype != kind:
            raise Damage(f"{self._path(name)} holds {column.dtype}; expected {kind}")
        return np.asarray(column[:length])

    def is_whole(self, name: str, length: int) -> bool:
        """Whether the first `length` entries of a column fit its attribute crc32; True of a column without one."""
        column = self._column(name, length)
        if CRC32 not in column.attrs:
            return True
        said = column.attrs[CRC32]
        return np.ndim(said) == 0 and said == zlib.crc32(np.ascontiguousarray(column[:length]).tobytes())

    def _numbers(self, name: str, kind: type[np.generic], length: int) -> Any:
        column = self._column(name, length)
        if column.dtype.kind not in "uif" or not np.can_cast(column.dtype, kind):
            raise Damage(f"{self._path(name)} holds {column.dtype}; expected {np.dtype(kind)}")
        return column

    def _column(self, name: str, length: int) -> Any:
        column = self._stored(name)
        if column.shape is None or len(column.shape) != 1 or column.shape[0] < length:
            entries = " x ".join(map(str, column.shape or (0,)))
            raise Damage(f"{self._path(name)} has {entries} entries; expected {length} or more")
        if self._path(name) not in self._trusted:
            self._budget.check(column, length, self._path(name))
            self._trusted.add(self._path(name))
        return column

    def _stored(self, name: str) -> Any:
        if not self.has(name):
            raise Damage(f"{self._path(name)} is missing")
        column = self._child(name)
        if not isinstance(column, h5py.Dataset) or column.is_virtual or column.external:
            raise Damage(f"{self._path(name)} is not a column of this file")
        return column

    def _path(self, name: str) -> str:
        return f"{self.name.rstrip('/')}/{printable(name)}"

    def _child(self, name: str) -> Any:
        """A child stored in this file. Soft and external links are refused, since they may point anywhere."""
        if not isinstance(self._group.get(name, getlink=True), h5py.HardLink):
            raise Damage(f"{self._path(name)} is missing, or a link to elsewhere")
        return self._group[name]

    def _attribute(self, name: str) -> Any:
        if name not in self._group.attrs:
            raise Damage(f"attribute {name} of {self.name} is missing")
        if self._group.attrs.get_id(name).dtype.hasobject:
            raise Damage(f"attribute {name} of {self.name} {VARIABLE}")
        return self._group.attrs[name]

    def _number(self, name: str) -> Any:
        value = self._attribute(name)
        if not isinstance(value, np.number | np.bool_) or isinstance(value, np.complexfloating):
            raise Damage(f"attribute {name} of {self.name} is not a number")
        return value.item()


class _Budget:
    """The memory that columns of a file may still take."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._left = SMALL + SQUEEZED * self._size()

    def _size(self) -> int:
        return os.fstat(self._file.id.get_vfd_handle()).st_size

    def take(self, size: int, name: str) -> None:
        self._left -= size
        if self._left < 0:
            raise Damage(f"{name} would take far more memory than the file has bytes")

    def check(self, column: Any, length: int, name: str) -> None:
        """Refuse a column if its committed part is not in the file, before allocating memory for it."""
        wanted = length * column.dtype.itemsize
        self.take(wanted, name)
        stored, filtered = column.id.get_storage_size(), column.id.get_create_plist().get_nfilters() > 0
        chunks = -(-length // column.chunks[0]) if column.chunks else 0
        if (stored < wanted and not filtered) or chunks > MOST_CHUNKS:
            raise Damage(f"{name} has {stored} bytes and {chunks} chunks for {wanted} bytes")
        if column.chunks and column.chunks[0] * column.dtype.itemsize > SMALL:
            raise Damage(f"{name} is in chunks of {column.chunks[0]}")
        if length and (_end_of_chunks if column.chunks else _end_of_block)(column, length) > self._size():
            raise Damage(f"{name} is truncated: it extends beyond the end of the file")


def _end_of_block(column: Any, length: int) -> int:
    begin = column.id.get_offset()
    return 0 if begin is None else int(begin) + length * int(column.dtype.itemsize)


def _end_of_chunks(column: Any, length: int) -> int:
    """The offset of the end of the last committed byte; for filtered columns, of the last chunk."""
    (chunk,) = column.chunks
    filtered = column.id.get_create_plist().get_nfilters() > 0
    ends = [0]

    def look(info: Any) -> None:
        at = info.chunk_offset[0]
        if at < length and info.byte_offset:
            size = info.size if filtered else min(chunk, length - at) * column.dtype.itemsize
            ends.append(info.byte_offset + size)

    if hasattr(column.id, "chunk_iter"):
        column.id.chunk_iter(look)
    else:  # an older HDF5, which searches all chunks in each call
        for at in range(0, length, chunk):
            look(column.id.get_chunk_info_by_coord((at,)))
    return max(ends)
