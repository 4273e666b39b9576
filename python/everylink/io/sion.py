"""SION, the container of LinkTest's results (docs/sion.md): in one file a stream of bytes for each task.

Nothing is checksummed, so what a header claims is believed only as far as the file has bytes for it.
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from everylink.io.hdf5 import Damage

MAGIC = b"sion"
Order = Literal["<", ">"]
ORDERS: tuple[Order, Order] = ("<", ">")  # by the bytes of the endianness word
LIBRARY, FORMAT = (1007, 6), 5  # version and patch level of the SIONlib whose files ours are like
FIRST_FORMAT, FIRST_WITH_FILE_NUMBER, FIRST_PACKED, FIRST_WITH_KEYS = 2, 3, 4, 5
KEYS, NO_KEYS = 32, (0, 50)  # where in the first flag the kind of keys stands
PREFIX = 1024
RUN_ID = 16  # bytes at the end of the name's field, where everylink-measure leaves the run's id
HEAD, TASK = 1088, 16  # bytes of the head, and for each task in it
BLOCK = 4096
MOST = 2**31 - 1


@dataclass(frozen=True)
class Container:
    """Where the stream of each rank lies in the file, the byte order in them, and the end of the name's field."""

    order: Order
    behind_name: bytes
    at: NDArray[np.int64]
    length: NDArray[np.int64]

    def stream(self, file: IO[bytes], rank: int) -> bytes:
        """The bytes of a rank."""
        file.seek(int(self.at[rank]))
        return file.read(int(self.length[rank]))


class _Fields:
    """Takes numbers out of the file, one behind the other; a complaint names the field and its place."""

    def __init__(self, file: IO[bytes], size: int, order: Order, at: int) -> None:
        self._file, self._size, self._order, self.at = file, size, order, at

    def number(self, name: str, kind: str, low: int, high: int) -> int:
        """A number from `low` to `high`."""
        at, value = self.at, int(self.column(name, kind, 1)[0])
        if not low <= value <= high:
            raise Damage(f"{name} at byte {at} is {value}, {low} to {high} wanted")
        return value

    def column(self, name: str, kind: str, count: int) -> NDArray[Any]:
        """So many numbers, which take no memory before the file is known to have them."""
        dtype = np.dtype(self._order + kind)
        if self.at + count * dtype.itemsize > self._size:
            raise Damage(f"is cut: {name} at byte {self.at} goes on behind the end, byte {self._size}")
        self._file.seek(self.at)
        self.at += count * dtype.itemsize
        return np.frombuffer(self._file.read(count * dtype.itemsize), dtype)

    def per_task(self, name: str, count: int, low: int, high: int) -> NDArray[np.int64]:
        """A number of each task."""
        at = self.at
        values = self.column(name, "i8", count)
        bad = np.flatnonzero((values < low) | (values > high))
        if len(bad):
            where = f"{name} of task {bad[0]} at byte {at + 8 * bad[0]}"
            raise Damage(f"{where} is {values[bad[0]]}, {low} to {high} wanted")
        return values.astype(np.int64)


def read_container(file: IO[bytes], size: int) -> Container:
    """What an opened file of this size says of its streams. Raises Damage."""
    file.seek(0)
    word = file.read(8)[4:]
    if len(word) < 4:
        raise Damage(f"is cut: it ends at byte {size}, in its head")
    if word[0] != word[3] or word[1] != word[2] or max(word) > 1:
        raise Damage(f"the endianness word at byte 4 is {word.hex(' ')}: its bytes contradict each other")
    fields = _Fields(file, size, ORDERS[word[0]], 8)
    fields.column("the library's version", "i4", 2)
    version = fields.number("the format's version", "i4", FIRST_FORMAT, FORMAT)
    block = fields.number("the block size", "i4", 1, MOST)
    tasks = _tasks(fields, size)
    _refuse_several_files(fields, version)
    name = fields.column("the name", "S1", PREFIX).tobytes()
    ranks = fields.per_task("the rank", tasks, 0, tasks - 1)
    if len(np.unique(ranks)) < tasks:
        raise Damage(f"the ranks of tasks at byte {fields.at - 8 * tasks} are not {tasks} different ones")
    chunks = fields.per_task("the chunk size", tasks, 0, size)
    if version < FIRST_PACKED:
        chunks = -(-chunks // block) * block
    begin, written = _end(fields, size, tasks)
    # SIONlib reckons with the longest head in files of every version
    first = -(-(HEAD + TASK * tasks) // block) * block
    at = _places(chunks, written, first, min(size, begin), begin + 8 * tasks)
    task = np.argsort(ranks)
    return Container(ORDERS[word[1]], name[-RUN_ID:], at[task], written[task])


def _tasks(fields: _Fields, size: int) -> int:
    at, tasks = fields.at, fields.number("the number of tasks", "i4", 1, MOST)
    most = max(0, size - HEAD) // (2 * TASK)
    if tasks > most:
        raise Damage(
            f"is cut, or the number of tasks at byte {at}, {tasks}, is wrong: its {size} bytes hold {most} at most"
        )
    return tasks


def _refuse_several_files(fields: _Fields, version: int) -> None:
    at, files = fields.at, fields.number("the number of files", "i4", 1, MOST)
    if files > 1:
        raise Damage(
            f"is one of {files} files that belong together (byte {at}); siondefrag of SIONlib makes one of them"
        )
    if version < FIRST_WITH_FILE_NUMBER:
        return
    fields.number("the number of this file", "i4", 0, 0)
    at, flag = fields.at, int(fields.column("the first flag", "i8", 1)[0])
    if version >= FIRST_WITH_KEYS and flag >> KEYS not in NO_KEYS:
        raise Damage(f"has keys among its values (the flag at byte {at} is {flag >> KEYS}), and LinkTest writes none")
    fields.column("the second flag", "i8", 1)


def _end(fields: _Fields, size: int, tasks: int) -> tuple[int, NDArray[np.int64]]:
    """Where the second head begins, and how many bytes it says that each task has written."""
    at = fields.at
    chunks, begin = int(fields.column("the number of chunks", "i4", 1)[0]), int(fields.column("the end", "i8", 1)[0])
    if chunks == 0 or begin == 0:
        raise Damage(f"was never closed: bytes {at} to {at + 11} do not say where its second head is")
    if chunks != 1:
        raise Damage(f"the number of chunks at byte {at} is {chunks}, and LinkTest writes 1")
    if not fields.at <= begin <= size:
        raise Damage(f"is cut, or byte {at + 4} is wrong: there a second head at byte {begin} of {size} is claimed")
    fields.at = begin
    fields.per_task("the chunks used", tasks, 1, 1)
    return begin, fields.per_task("the bytes written", tasks, 0, size)


def _places(
    chunks: NDArray[np.int64], written: NDArray[np.int64], first: int, end: int, claimed_at: int
) -> NDArray[np.int64]:
    """Where the stream of each task begins."""
    before = np.cumsum(chunks.astype(np.float64)) - chunks  # exact below 2^53, and no sum is too large for it
    beyond = np.flatnonzero((written > chunks) | (first + before + written > end))
    if len(beyond):
        task = int(beyond[0])
        claim = f"{written[task]} bytes (byte {claimed_at + 8 * task}) in a chunk of {chunks[task]}"
        raise Damage(f"is cut or damaged: task {task} is said to have {claim} from byte {first + before[task]:.0f} on")
    return np.asarray(first + before, np.int64)


def write_container(path: Path, name: str, tasks: int, streams: Iterable[bytes]) -> None:
    """Write a little-endian file with a stream for each task, as SIONlib does, into one chunk each."""
    first = -(-(HEAD + TASK * tasks) // BLOCK) * BLOCK
    with path.open("wb") as file:
        file.seek(first)
        written = np.array([file.write(stream) for stream in streams], "<i8")
        chunks = written.copy()
        chunks[-1] += -int(chunks.sum()) % BLOCK  # so that what is behind begins with a block
        end = first + int(chunks.sum())
        file.seek(end)
        file.write(np.ones(tasks, "<i8").tobytes() + written.tobytes())
        file.seek(0)
        file.write(MAGIC + bytes(4))
        file.write(struct.pack("<7i2q", *LIBRARY, FORMAT, BLOCK, tasks, 1, 0, NO_KEYS[-1] << KEYS, 0))
        file.write(name.encode()[: PREFIX - 1].ljust(PREFIX, b"\0"))
        file.write(np.arange(tasks, dtype="<i8").tobytes() + chunks.tobytes() + struct.pack("<iq", 1, end))
