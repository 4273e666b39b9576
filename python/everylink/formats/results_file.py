"""Reads a results file (docs/results-file.md), the committed part of it, with what single ranks wrote beside it."""

import dataclasses
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind, FileOfNewerVersion
from everylink.hdf5 import FAULTS, Damage, Node, open_hdf5
from everylink.late_rows import settled
from everylink.links import MISSING, Rows
from everylink.loads import Flows, Load, Scenes
from everylink.parts import Parts, Run, merge, read_parts
from everylink.results import UNKNOWN_COUNT, Facts, Ranks, Results, Size, Steps
from everylink.stored import NAMES, Source, StoredRows

FORMAT = "everylink"
FORMAT_VERSION = 1  # 1: first version
READ_ATTEMPTS = 3  # a reader that meets the writer in the middle of a batch tries again
MOST = 2**62  # no count and no size is larger
MOST_RANKS = 2**31
IN_MEMORY = 2**22  # rows of a size; of more, those that are wanted are read when they are
T = TypeVar("T")


class Tree(Protocol):
    """A group with its attributes, groups and columns by name, in whatever file; each raises Damage."""

    @property
    def name(self) -> str: ...
    def has(self, name: str) -> bool: ...
    def group(self, name: str) -> "Tree": ...
    def groups(self) -> Sequence["Tree"]: ...
    def has_attribute(self, name: str) -> bool: ...
    def integer(self, name: str, low: int, high: int) -> int: ...
    def number(self, name: str) -> float: ...
    def text(self, name: str) -> str: ...
    def strings(self, name: str, length: int | None = None) -> tuple[str, ...]: ...
    def numbers(self, name: str, kind: type[np.generic], length: int) -> NDArray[Any]: ...


def read_results(path: Path) -> Results:
    """Read the committed part of a results file, also while it is being written, and the parts beside it."""
    reason = ""
    for _ in range(READ_ATTEMPTS):
        try:
            with open_hdf5(path) as file:
                results = results_in(path, Node(file))
            # of a run that did not end by itself some steps were not committed
            return with_parts(results, len(results.steps.began) if results.facts.complete else None)
        except FAULTS as error:
            reason = " ".join(str(error).split()) or type(error).__name__
    raise FileDamaged(path, f"is cut or damaged: {reason}")


def has_laps(path: Path) -> bool:
    """Whether a file that was read holds single readings, which Results do not."""
    with open_hdf5(path) as file:
        return any(group.has("laps") for group in Node(file).group("sizes").groups())


def results_in(path: Path, file: Tree) -> Results:
    """Results from the attributes, groups and columns of a file. Raises ResultsError or Damage."""
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
    sizes = tuple(_size(path, size, groups[size], facts.ranks, rows) for size in sorted(groups))
    remarks = file.strings("remarks") if file.has("remarks") else ()
    loads = (
        tuple(_load(group, facts.ranks) for group in file.group("patterns").groups()) if file.has("patterns") else ()
    )
    return Results(path, facts, ranks, steps, sizes, remarks, loads=loads)


def _facts(file: Tree) -> Facts:
    values: dict[str, Any] = {}
    for fact in fields(Facts):
        if fact.default is not dataclasses.MISSING and not file.has_attribute(fact.name):
            continue
        if fact.type is str:
            values[fact.name] = file.text(fact.name)
        elif fact.type is float:
            values[fact.name] = file.number(fact.name)
        else:
            low = UNKNOWN_COUNT if fact.name == "warmups" else 0
            high = 1 if fact.type is bool else 2**64 - 1
            values[fact.name] = fact.type(file.integer(fact.name, low, high))  # type: ignore[operator]
    return Facts(**values)


def _size(path: Path, size_bytes: int, group: Tree, ranks: int, rows: int) -> Size:
    rounds = group.integer("rounds_per_lap", 0, MOST)
    if rows > IN_MEMORY and isinstance(group, Node):
        stored = StoredRows(Source(path, group.name.rsplit("/", 1)[1], ranks, rows))
        return Size(size_bytes, rounds, ranks, settled(stored, ranks))
    columns = _columns(group, Rows, rows)
    for name, values in (("from", columns.frm), ("to", columns.to)):
        if rows and values.max() >= ranks:
            raise Damage(f"{group.name}/{name} names rank {values.max()} of {ranks}")
    if (columns.frm == columns.to).any():
        raise Damage(f"{group.name} links a rank with itself")
    return Size(size_bytes, rounds, ranks, settled(columns, ranks))


def _load(group: Tree, ranks: int) -> Load:
    scenes = _columns(group.group("scenes"), Scenes, group.integer("scenes", 0, MOST))
    flows = _columns(group.group("flows"), Flows, group.integer("rows", 0, MOST))
    for column, most in ((flows.scene, len(scenes.point)), (flows.frm, ranks), (flows.to, ranks)):
        if len(column) and column.max() >= most:
            raise Damage(f"{group.name}/flows names {column.max()} where there are {most}")
    for times in (flows.seconds, flows.sent_seconds):
        if not (times >= 0).all():
            raise Damage(f"{group.name}/flows has a time below 0")
    return Load(
        group.name.rsplit("/", 1)[1],
        group.text("point"),
        tuple(group.text("variants").split(",")),
        group.text("options"),
        group.number("duration"),
        group.integer("window", 0, MOST),
        scenes,
        flows,
        group.integer("servers", 0, ranks) if group.has_attribute("servers") else 0,
    )


def _columns(group: Tree, kind: type[T], length: int) -> T:
    """Fill a dataclass of columns, each cut at the committed length."""
    values: dict[str, Any] = {}
    for column in fields(kind):  # type: ignore[arg-type]
        name = NAMES.get(column.name, column.name)
        number = None if column.type == tuple[str, ...] else get_args(get_args(column.type)[1])[0]
        if MISSING in column.metadata and not group.has(name):
            missing = column.metadata[MISSING]
            values[column.name] = (missing,) * length if number is None else np.full(length, missing, number)
        else:
            values[column.name] = group.strings(name, length) if number is None else group.numbers(name, number, length)
    return kind(**values)


def with_parts(results: Results, steps: int | None) -> Results:
    """The results with what single ranks wrote beside the file; `steps` is how many there were, where all are known."""
    facts, sizes = results.facts, {size.bytes: size for size in results.sizes}
    parts: Parts = read_parts(results.path, Run(facts.run_id, facts.ranks, frozenset(sizes), steps))
    count = 0
    for size in results.sizes if len(parts.rows) else ():
        rows, used = merge(size.rows, parts.rows[parts.rows["bytes"] == size.bytes], facts.ranks)
        sizes[size.bytes] = replace(size, rows=rows)
        count += used
    return replace(results, sizes=tuple(sizes.values()), rows_from_parts=count, parts_left_out=parts.warnings)
