"""SION, the container of LinkTest's results (docs/sion.md): one file with a stream of bytes per task.

Our own files have the results file in HDF5 behind it. It has no checksums, so the sizes in its headers are checked
against the size of the file.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from everylink.io.hdf5 import Damage
from everylink.model.rows import quiet

MAGIC = b"sion"
Order = Literal["<", ">"]
ORDERS: tuple[Order, Order] = ("<", ">")  # by the bytes of the endianness word
LIBRARY, FORMAT = (1007, 6), 5  # version and patch level of the SIONlib that our files imitate
FIRST_FORMAT, FIRST_WITH_FILE_NUMBER, FIRST_PACKED, FIRST_WITH_KEYS = 2, 3, 4, 5
KEYS, NO_KEYS = 32, (0, 50)  # bit offset of the key type in the first flag, and its values for files without keys
PREFIX = 1024
RUN_ID = 16  # bytes at the end of the name field, where everylink-measure stores the run's id
RESULTS_AT = 8  # bytes before it: where the results file in HDF5 begins, in files of Everylink
HEAD, TASK = 1088, 16  # bytes of the head, plus bytes per task
BLOCK = 4096
MOST = 2**31 - 1
Bytes = TypeVar("Bytes", int, NDArray[np.int64])


def _in_blocks(size: Bytes, block: int) -> Bytes:
    """The size of as many whole blocks as it takes."""
    return -(-size // block) * block


def _first_chunk(tasks: int, block: int) -> int:
    """Where the first task's chunk begins. SIONlib assumes the longest head for every version of the format."""
    return _in_blocks(HEAD + TASK * tasks, block)


@dataclass(frozen=True)
class Container:
    """Offset and length of each rank's stream, their byte order, the run's id, and where the results file begins.

    `run_id` is zeros and `results_at` is 0 where the file has none.
    """

    order: Order
    run_id: bytes
    results_at: int
    at: NDArray[np.int64]
    length: NDArray[np.int64]

    def stream(self, file: IO[bytes], rank: int) -> bytes:
        """The data of a rank."""
        file.seek(int(self.at[rank]))
        return file.read(int(self.length[rank]))


class _Fields:
    """Reads consecutive numbers from the file. Errors name the field and its offset."""

    def __init__(self, file: IO[bytes], size: int, order: Order, at: int) -> None:
        self._file, self._size, self._order, self.at = file, size, order, at

    def number(self, name: str, kind: str, low: int, high: int) -> int:
        """A number, checked to be from `low` to `high`."""
        at, value = self.at, int(self.column(name, kind, 1)[0])
        if not low <= value <= high:
            raise Damage(f"{name} at byte {at} is {value}; expected {low} to {high}")
        return value

    def column(self, name: str, kind: str, count: int) -> NDArray[Any]:
        """`count` numbers; no memory is allocated before the file is known to have them."""
        dtype = np.dtype(self._order + kind)
        if self.at + count * dtype.itemsize > self._size:
            raise Damage(f"is truncated: {name} at byte {self.at} extends beyond the end at byte {self._size}")
        self._file.seek(self.at)
        self.at += count * dtype.itemsize
        return quiet(np.frombuffer(self._file.read(count * dtype.itemsize), dtype))

    def per_task(self, name: str, count: int, low: int, high: int) -> NDArray[np.int64]:
        """One number per task, checked to be from `low` to `high`."""
        at = self.at
        values = self.column(name, "i8", count)
        bad = np.flatnonzero((values < low) | (values > high))
        if len(bad):
            where = f"{name} of task {bad[0]} at byte {at + 8 * bad[0]}"
            raise Damage(f"{where} is {values[bad[0]]}; expected {low} to {high}")
        return values.astype(np.int64)


def read_container(file: IO[bytes], size: int) -> Container:
    """Locate the streams of an opened file of `size` bytes. Raises Damage."""
    file.seek(0)
    word = file.read(8)[4:]
    if len(word) < 4:
        raise Damage(f"is truncated: it ends at byte {size}, in its head")
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
        chunks = _in_blocks(chunks, block)
    begin, written = _end(fields, size, tasks)
    at = _places(chunks, written, _first_chunk(tasks, block), min(size, begin), begin + 8 * tasks)
    task = np.argsort(ranks)
    results_at = _results_at(name, ORDERS[word[0]], fields.at, size)
    return Container(ORDERS[word[1]], name[-RUN_ID:], results_at, at[task], written[task])


def _results_at(name: bytes, order: Order, end: int, size: int) -> int:
    """Where the results file begins, behind the container's `end`; 0 if there is none."""
    (at,) = struct.unpack_from(f"{order}q", name, PREFIX - RUN_ID - RESULTS_AT)
    if at < end or at & (at - 1):
        return 0
    if at >= size:
        raise Damage(f"is truncated: its results begin at byte {at}, but it ends at byte {size}")
    return int(at)


def _tasks(fields: _Fields, size: int) -> int:
    at, tasks = fields.at, fields.number("the number of tasks", "i4", 1, MOST)
    most = max(0, size - HEAD) // (2 * TASK)
    if tasks > most:
        raise Damage(
            f"is truncated, or the number of tasks at byte {at}, {tasks}, is wrong: {size} bytes hold at most {most}"
        )
    return tasks


def _refuse_several_files(fields: _Fields, version: int) -> None:
    at, files = fields.at, fields.number("the number of files", "i4", 1, MOST)
    if files > 1:
        raise Damage(
            f"is one of {files} files that belong together (byte {at}); combine them with SIONlib's siondefrag"
        )
    if version < FIRST_WITH_FILE_NUMBER:
        return
    fields.number("the number of this file", "i4", 0, 0)
    at, flag = fields.at, int(fields.column("the first flag", "i8", 1)[0])
    if version >= FIRST_WITH_KEYS and flag >> KEYS not in NO_KEYS:
        raise Damage(f"has keys among its values (the flag at byte {at} is {flag >> KEYS}); LinkTest writes none")
    fields.column("the second flag", "i8", 1)


def _end(fields: _Fields, size: int, tasks: int) -> tuple[int, NDArray[np.int64]]:
    """The offset of the second head, and the number of bytes that each task has written according to it."""
    at = fields.at
    chunks, begin = int(fields.column("the number of chunks", "i4", 1)[0]), int(fields.column("the end", "i8", 1)[0])
    if chunks == 0 or begin == 0:
        raise Damage(f"was never closed: bytes {at} to {at + 11} do not locate its second head")
    if chunks != 1:
        raise Damage(f"the number of chunks at byte {at} is {chunks}; LinkTest writes 1")
    if not fields.at <= begin <= size:
        raise Damage(f"is truncated, or byte {at + 4} is wrong: it puts the second head at byte {begin} of {size}")
    fields.at = begin
    fields.per_task("the chunks used", tasks, 1, 1)
    return begin, fields.per_task("the bytes written", tasks, 0, size)


def _places(
    chunks: NDArray[np.int64], written: NDArray[np.int64], first: int, end: int, claimed_at: int
) -> NDArray[np.int64]:
    """The offset of each task's stream."""
    before = np.cumsum(chunks.astype(np.float64)) - chunks  # exact below 2^53; sums cannot overflow
    beyond = np.flatnonzero((written > chunks) | (first + before + written > end))
    if len(beyond):
        task = int(beyond[0])
        claim = f"{written[task]} bytes (byte {claimed_at + 8 * task}) in a chunk of {chunks[task]}"
        raise Damage(f"is truncated or damaged: task {task} claims {claim} at byte {first + before[task]:.0f}")
    return np.asarray(first + before, np.int64)


def results_behind(tasks: int, lengths: int) -> int:
    """Where the results file begins behind a container whose streams have this many bytes: at a power of two."""
    end = _first_chunk(tasks, BLOCK) + _in_blocks(lengths, BLOCK) + TASK * tasks
    return int(2 ** (end - 1).bit_length())


def write_container(path: Path, name: str, streams: Sequence[bytes], results_at: int) -> None:
    """Write a little-endian container with one stream per task in one chunk each, as SIONlib does.

    It goes in front of the results file, which begins at `results_at` of an existing file.
    """
    tasks = len(streams)
    first = _first_chunk(tasks, BLOCK)
    with path.open("r+b") as file:
        file.seek(first)
        written = np.array([file.write(stream) for stream in streams], "<i8")
        chunks = written.copy()
        end = first + _in_blocks(int(written.sum()), BLOCK)
        chunks[-1] += end - first - int(written.sum())  # so that the second head begins at a block
        file.seek(end)
        file.write(np.ones(tasks, "<i8").tobytes() + written.tobytes())
        file.seek(0)
        file.write(MAGIC + bytes(4))
        file.write(struct.pack("<7i2q", *LIBRARY, FORMAT, BLOCK, tasks, 1, 0, NO_KEYS[-1] << KEYS, 0))
        room = PREFIX - RUN_ID - RESULTS_AT
        file.write(name.encode()[: room - 1].ljust(room, b"\0") + struct.pack("<q", results_at) + bytes(RUN_ID))
        file.write(np.arange(tasks, dtype="<i8").tobytes() + chunks.tobytes() + struct.pack("<iq", 1, end))
