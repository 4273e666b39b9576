"""Opens a results file as one frozen dataclass of arrays; the only Python file that knows docs/results-file.md."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileMissing, FileOfAnotherKind, FileOfNewerVersion, FileUnreadable
from everylink.links import RETEST, Links, Rows, newest, pool

FORMAT = "everylink"
FORMAT_VERSION = 1  # 1: first version
SIGNATURE = b"\x89HDF\r\n\x1a\n"
READ_ATTEMPTS = 3  # a reader that meets the writer in the middle of a batch tries again
METADATA_ATTEMPTS = 25  # of HDF5 itself for one piece of metadata: 1 ns, 2 ns, 4 ns, ... 30 ms in all
SUPERBLOCK_VERSION, OPEN_FLAGS = 8, 11  # places of bytes in the head of an HDF5 file
T = TypeVar("T")


@dataclass(frozen=True)
class Facts:
    """What was chosen for the run, named as in the file; times in seconds."""

    created: str
    tool_version: str
    command: str
    transport: str
    transport_options: str
    bootstrap: str
    memory: str
    kernel: str
    schedule: str
    serial: bool
    seed: int
    ranks: int
    hosts: int
    messages: int
    warmups: int
    window: int
    buffers: int
    check: bool
    randomize: int
    min_iterations: int
    min_runtime: float
    time_limit: float
    num_slowest: int
    all_to_all: bool
    pinned: bool
    complete: bool


@dataclass(frozen=True)
class Ranks:
    """One entry a rank, so all have length N."""

    host: tuple[str, ...]
    host_index: NDArray[np.uint32]
    local_rank: NDArray[np.uint32]
    cores: tuple[str, ...]
    numa: NDArray[np.int32]
    device: tuple[str, ...]
    address: tuple[str, ...]
    lanes: tuple[str, ...]
    libraries: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.host)

    def name(self, rank: int) -> str:
        """`host:rank`, the rank counted over the whole run."""
        return f"{self.host[rank]}:{rank}"


@dataclass(frozen=True)
class Steps:
    """One entry a step; `began` in seconds, `overlap` 1 where all pairs of the step ran at the same time."""

    iteration: NDArray[np.uint32]
    seed: NDArray[np.uint64]
    began: NDArray[np.float64]
    overlap: NDArray[np.float32]
    gone: NDArray[np.uint32]


@dataclass(frozen=True)
class Size:
    """All that was measured with messages of one size."""

    bytes: int
    rounds_per_lap: int
    ranks: int
    rows: Rows

    @cached_property
    def links(self) -> Links:
        """Each link once, its main rows pooled."""
        return pool(self.rows, self.ranks)

    @cached_property
    def retests(self) -> Links:
        """Each link that was measured a second time once: its newest retest."""
        return newest(self.rows, self.ranks, RETEST)


@dataclass(frozen=True)
class Results:
    """A whole results file in memory; `sizes` in ascending order."""

    path: Path
    facts: Facts
    ranks: Ranks
    steps: Steps
    sizes: tuple[Size, ...]

    @property
    def directions(self) -> int:
        """How many messages share a one-way time: 2 with the bidirectional kernel."""
        return 2 if self.facts.kernel == "bidirectional" else 1

    @property
    def bandwidth_label(self) -> str:
        """How a bandwidth of this run must be called."""
        return "bandwidth, both directions" if self.directions == 2 else "bandwidth"

    @property
    def overlap(self) -> float:
        """The median step's overlap; NaN before the first step."""
        known = self.steps.overlap[np.isfinite(self.steps.overlap)]
        return float(np.median(known)) if len(known) else float("nan")


def read(path: Path | str) -> Results:
    """Read the committed part of a results file, also while it is being written.

    Raises FileMissing, FileUnreadable, FileOfAnotherKind, FileOfNewerVersion or FileDamaged, each one line.
    """
    path = Path(path)
    _refuse_what_is_not_hdf5(path)
    reason = ""
    for _ in range(READ_ATTEMPTS):
        try:
            with _open(path) as file:
                return _read(path, file)
        except (OSError, KeyError, ValueError, RuntimeError, TypeError) as error:
            reason = " ".join(str(error).split())
    raise FileDamaged(path, f"is cut or damaged: {reason}")


def _refuse_what_is_not_hdf5(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(len(SIGNATURE))
    except FileNotFoundError:
        raise FileMissing(path, "there is no such file") from None
    except IsADirectoryError:
        raise FileUnreadable(path, "is a folder, not a results file") from None
    except OSError as error:
        raise FileUnreadable(path, f"cannot be read: {error.strerror}") from None
    if not head:
        raise FileOfAnotherKind(path, "is empty")
    if head != SIGNATURE:
        damaged = SIGNATURE.startswith(head)
        raise (FileDamaged(path, "is cut") if damaged else FileOfAnotherKind(path, "is not an HDF5 file"))


def _open(path: Path) -> Any:
    with path.open("rb") as file:
        head = file.read(OPEN_FLAGS + 1)
    # only a file whose writer never closed it: opened so, a cut one would read as zeros
    if len(head) > OPEN_FLAGS and head[SUPERBLOCK_VERSION] >= 3 and head[OPEN_FLAGS]:
        return _open_while_written(path)
    return h5py.File(path, "r", locking=False)


def _open_while_written(path: Path) -> Any:
    """Open a file as h5py does with swmr=True, but give up soon where it is cut."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_file_locking(False, True)
    # h5py leaves this at 100, each wait twice as long as the last: a cut file would be waited for until doomsday
    hdf5 = ctypes.CDLL(h5py.h5p.__file__)
    hdf5.H5Pset_metadata_read_attempts.argtypes = (ctypes.c_int64, ctypes.c_uint)
    hdf5.H5Pset_metadata_read_attempts(access.id, METADATA_ATTEMPTS)
    return h5py.File(h5py.h5f.open(bytes(path), h5py.h5f.ACC_RDONLY | h5py.h5f.ACC_SWMR_READ, access))


def _read(path: Path, file: Any) -> Results:
    if _text(file.attrs.get("format", "")) != FORMAT:
        raise FileOfAnotherKind(path, "is HDF5, but not a results file of Everylink")
    version = int(_attribute(file, "format_version"))
    if version > FORMAT_VERSION:
        raise FileOfNewerVersion(path, f"has format version {version}; this Everylink reads up to {FORMAT_VERSION}")
    facts = _facts(file)
    ranks = _columns(path, file["ranks"], Ranks, facts.ranks)
    if facts.ranks < 2 or ranks.host_index.max() >= facts.ranks:
        raise FileDamaged(path, f"is damaged: {facts.ranks} ranks, host_index up to {ranks.host_index.max()}")
    rows = int(_attribute(file, "rows"))
    steps = _columns(path, file["steps"], Steps, int(_attribute(file, "steps")))
    groups = sorted(file["sizes"].values(), key=lambda group: int(_attribute(group, "bytes")))
    sizes = tuple(_size(path, group, facts.ranks, rows) for group in groups)
    return Results(path, facts, ranks, steps, sizes)


def _facts(file: Any) -> Facts:
    kinds: dict[Any, Callable[[Any], Any]] = {str: _text, int: int, float: float, bool: bool}
    return Facts(**{field.name: kinds[field.type](_attribute(file, field.name)) for field in fields(Facts)})


def _size(path: Path, group: Any, ranks: int, rows: int) -> Size:
    columns = _columns(path, group, Rows, rows)
    for name, values in (("from", columns.frm), ("to", columns.to)):
        if rows and values.max() >= ranks:
            raise FileDamaged(path, f"is damaged: {group.name}/{name} names rank {values.max()} of {ranks}")
    if (columns.frm == columns.to).any():
        raise FileDamaged(path, f"is damaged: {group.name} links a rank with itself")
    return Size(int(_attribute(group, "bytes")), int(_attribute(group, "rounds_per_lap")), ranks, columns)


def _columns(path: Path, group: Any, kind: type[T], length: int) -> T:
    """Fill a dataclass of columns, each cut at the committed length."""
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        name = "from" if field.name == "frm" else field.name
        if name not in group:
            raise FileDamaged(path, f"is damaged: {group.name}/{name} is missing")
        column = group[name]
        if len(column.shape) != 1 or column.shape[0] < length:
            raise FileDamaged(path, f"is damaged: {group.name}/{name} has shape {column.shape}, {length} wanted")
        if column.chunks and _end(column, length) > os.fstat(group.file.id.get_vfd_handle()).st_size:
            raise FileDamaged(path, f"is cut: {group.name}/{name} goes on behind the end of the file")
        strings = h5py.check_string_dtype(column.dtype) is not None
        values[field.name] = tuple(column.asstr()[:length]) if strings else column[:length]
    return kind(**values)


def _end(column: Any, length: int) -> int:
    """The place in the file behind the last committed byte of a column."""
    (chunk,) = column.chunks
    infos = ((at, column.id.get_chunk_info_by_coord((at,)).byte_offset) for at in range(0, length, chunk))
    return max((begin + min(chunk, length - at) * column.dtype.itemsize for at, begin in infos if begin), default=0)


def _attribute(node: Any, name: str) -> Any:
    if name not in node.attrs:
        raise ValueError(f"attribute {name} of {node.name} is missing")
    return node.attrs[name]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
