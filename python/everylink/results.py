"""Opens a results file as one frozen dataclass of arrays; the only Python file that knows docs/results-file.md."""

from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind, FileOfNewerVersion
from everylink.hdf5 import FAULTS, Damage, Node, open_hdf5, refuse_what_is_not_hdf5
from everylink.links import ALONE, RETEST, Links, Rows, newest, pool, settled
from everylink.parts import Parts, Run, merge, read_parts

FORMAT = "everylink"
FORMAT_VERSION = 1  # 1: first version
READ_ATTEMPTS = 3  # a reader that meets the writer in the middle of a batch tries again
MOST = 2**62  # no count and no size is larger
MOST_RANKS = 2**31
MISSING_IS_UNKNOWN = {"missing": -1}  # a column that files of the first months do not have
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
    run_id: str = ""  # these three are missing in files of the first months
    interrupted: bool = False
    failed_not_retried: int = 0


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
    numa_distance: NDArray[np.int32] = field(metadata=MISSING_IS_UNKNOWN)

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

    @cached_property
    def alone(self) -> Links:
        """Each link that was tried once more alone because it had failed."""
        return newest(self.rows, self.ranks, ALONE)


@dataclass(frozen=True)
class Results:
    """A whole results file in memory; `sizes` in ascending order.

    `remarks` are sentences of the run itself; `rows_from_parts` were written beside the file by single ranks, and
    `parts_left_out` has a sentence for each of their files that does not fit.
    """

    path: Path
    facts: Facts
    ranks: Ranks
    steps: Steps
    sizes: tuple[Size, ...]
    remarks: tuple[str, ...] = ()
    rows_from_parts: int = 0
    parts_left_out: tuple[str, ...] = ()

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
    """Read the committed part of a results file, also while it is being written, and the parts beside it.

    Raises FileMissing, FileUnreadable, FileOfAnotherKind, FileOfNewerVersion or FileDamaged, each one line.
    """
    path = Path(path)
    refuse_what_is_not_hdf5(path)
    reason = ""
    for _ in range(READ_ATTEMPTS):
        try:
            with open_hdf5(path) as file:
                results = _read(path, Node(file))
            return _with_parts(results)
        except FAULTS as error:
            reason = " ".join(str(error).split()) or type(error).__name__
    raise FileDamaged(path, f"is cut or damaged: {reason}")


def _read(path: Path, file: Node) -> Results:
    if not file.has_attribute("format") or file.text("format") != FORMAT:
        raise FileOfAnotherKind(path, "is HDF5, but not a results file of Everylink")
    version = file.integer("format_version", 1, MOST)
    if version > FORMAT_VERSION:
        raise FileOfNewerVersion(path, f"has format version {version}; this Everylink reads up to {FORMAT_VERSION}")
    facts = _facts(file)
    if not 2 <= facts.ranks < MOST_RANKS:
        raise Damage(f"attribute ranks of / is {facts.ranks}")
    ranks = _columns(file.group("ranks"), Ranks, facts.ranks)
    if ranks.host_index.max() >= facts.ranks:
        raise Damage(f"{facts.ranks} ranks, host_index up to {ranks.host_index.max()}")
    rows = file.integer("rows", 0, MOST)
    steps = _columns(file.group("steps"), Steps, file.integer("steps", 0, MOST))
    groups = {group.integer("bytes", 0, MOST): group for group in file.group("sizes").groups()}
    if len(groups) < len(file.group("sizes").groups()):
        raise Damage("/sizes has a size twice")
    sizes = tuple(_size(size, groups[size], facts.ranks, rows) for size in sorted(groups))
    remarks = file.strings("remarks") if file.has("remarks") else ()
    return Results(path, facts, ranks, steps, sizes, remarks)


def _facts(file: Node) -> Facts:
    values: dict[str, Any] = {}
    for fact in fields(Facts):
        if fact.default is not MISSING and not file.has_attribute(fact.name):
            continue
        if fact.type is str:
            values[fact.name] = file.text(fact.name)
        elif fact.type is float:
            values[fact.name] = file.number(fact.name)
        else:
            low, high = (0, 1) if fact.type is bool else (0, 2**64 - 1)
            values[fact.name] = fact.type(file.integer(fact.name, low, high))  # type: ignore[operator]
    return Facts(**values)


def _size(size_bytes: int, group: Node, ranks: int, rows: int) -> Size:
    columns = _columns(group, Rows, rows)
    for name, values in (("from", columns.frm), ("to", columns.to)):
        if rows and values.max() >= ranks:
            raise Damage(f"{group.name}/{name} names rank {values.max()} of {ranks}")
    if (columns.frm == columns.to).any():
        raise Damage(f"{group.name} links a rank with itself")
    return Size(size_bytes, group.integer("rounds_per_lap", 0, MOST), ranks, settled(columns, ranks))


def _columns(group: Node, kind: type[T], length: int) -> T:
    """Fill a dataclass of columns, each cut at the committed length."""
    values: dict[str, Any] = {}
    for column in fields(kind):  # type: ignore[arg-type]
        name = "from" if column.name == "frm" else column.name
        if column.type == tuple[str, ...]:
            values[column.name] = group.strings(name, length)
            continue
        number = get_args(get_args(column.type)[1])[0]
        if "missing" in column.metadata and not group.has(name):
            values[column.name] = np.full(length, column.metadata["missing"], number)
        else:
            values[column.name] = group.numbers(name, number, length)
    return kind(**values)


def _with_parts(results: Results) -> Results:
    facts, sizes = results.facts, {size.bytes: size for size in results.sizes}
    steps = len(results.steps.began) if facts.complete else None  # else some were not committed
    parts: Parts = read_parts(results.path, Run(facts.run_id, facts.ranks, frozenset(sizes), steps))
    count = 0
    for size in results.sizes if len(parts.rows) else ():
        rows, used = merge(size.rows, parts.rows[parts.rows["bytes"] == size.bytes], facts.ranks)
        sizes[size.bytes] = replace(size, rows=rows)
        count += used
    return replace(results, sizes=tuple(sizes.values()), rows_from_parts=count, parts_left_out=parts.warnings)
