"""Reads and writes a results file (docs/results-file.md).

Reading returns the committed part, merged with the unsaved rows beside the file. Writing is for results that the core
did not record: converted, merged and simulated ones."""

import dataclasses
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind, FileOfNewerVersion, RowsDamaged
from everylink.files import atomic_write
from everylink.io.checksums import CHECKSUMS, add_checksums, batches_in, rows_of
from everylink.io.foreign import counted_hosts
from everylink.io.formats import Format, register
from everylink.io.hdf5 import CRC32, FAULTS, SIGNATURE, Damage, Look, Node, is_hdf5, open_hdf5
from everylink.io.hdf5_output import opened_for_writing
from everylink.io.inventory import INVENTORY, inventory_columns, inventory_in
from everylink.io.sound import DAMAGE, Mask, Region, impossible, impossible_flows, regions_of, told_apart
from everylink.io.stored import DAMAGED, NAMES, Doubts, Source, StoredRows
from everylink.io.unsaved import Parts, Run, count_rows, folder_of, merge, read_parts, settled
from everylink.model.inventory import NO_INVENTORY, Inventory
from everylink.model.loads import Flows, Load, Scenes
from everylink.model.results import (
    NO_LOCAL_FAULTS,
    UNKNOWN_COUNT,
    Facts,
    LocalFaults,
    Ranks,
    Results,
    Size,
    Steps,
    entries_of,
)
from everylink.model.rows import MISSING, Outcome, Rows, columns
from everylink.units import plural, size_text

FORMAT = "everylink"
FORMAT_VERSION = 2  # 1: first version; 2: links that a host could not measure, and what it lacked
WITHOUT_LOCAL_FAULTS = 1  # older readers would take such links for broken, and read all others
READ_ATTEMPTS = 3  # a read fails if it meets the writer in the middle of a batch
MOST = 2**62  # limit of counts and sizes
MOST_RANKS = 2**31
IN_MEMORY = 2**22  # rows of a size; above this, rows are read on demand
T = TypeVar("T")
SHORTEST_TEXT, SMALLEST_CHUNK, LARGEST_CHUNK = 64, 1024, 65536


class Tree(Protocol):
    """A group with attributes, groups and columns by name, in a file of any format. Methods raise Damage."""

    @property
    def name(self) -> str: ...
    def has(self, name: str) -> bool: ...
    def extent(self, name: str) -> int: ...
    def group(self, name: str) -> "Tree": ...
    def groups(self) -> Sequence["Tree"]: ...
    def has_attribute(self, name: str) -> bool: ...
    def integer(self, name: str, low: int, high: int) -> int: ...
    def limit(self, name: str) -> float: ...
    def text(self, name: str) -> str: ...
    def strings(self, name: str, length: int) -> tuple[str, ...]: ...
    def numbers(self, name: str, kind: type[np.generic], length: int, look: Look | None = None) -> NDArray[Any]: ...


def read_results(path: Path) -> Results:
    """Read the committed part of a results file, even while it is being written, and the unsaved rows beside it.

    Raises FileDamaged, FileOfAnotherKind or FileOfNewerVersion.
    """

    def read() -> Results:
        with open_hdf5(path) as file:
            results = results_in(path, Node(file))
        # an interrupted run may have steps that were not committed
        return with_parts(results, len(results.steps.began) if results.facts.complete else None)

    try:
        return _whole(path, read)
    except RowsDamaged:
        return _whole(path, read)  # now without them
    except FileDamaged as error:
        if rows := count_rows(path):
            beside = f"{plural(rows, 'row')} that it lacks are in {folder_of(path)}"
            raise FileDamaged(path, f"{error.reason}; {beside}") from None
        raise


def stored_rows(path: Path) -> dict[int, StoredRows]:
    """The committed rows by message size, of a file that may still be written; none of them is read.

    Raises FileDamaged.
    """

    def found() -> dict[int, StoredRows]:
        with open_hdf5(path) as file:
            root = Node(file)
            ranks, rows = root.integer("ranks", 2, MOST_RANKS), root.integer("rows", 0, MOST)
            groups = root.group("sizes").groups()
            anything = Doubts(None, None)
            return {group.integer("bytes", 0, MOST): _stored(path, group, ranks, rows, anything) for group in groups}

    return _whole(path, found)


def _stored(path: Path, group: Node, ranks: int, rows: int, doubts: Doubts) -> StoredRows:
    return StoredRows(Source(path, group.name.rsplit("/", 1)[1], ranks, rows, doubts=doubts))


def has_laps(path: Path) -> bool:
    """Whether a valid file holds single readings, which Results do not."""
    if not is_hdf5(path):
        return False
    with open_hdf5(path) as file:
        return any(group.has("laps") for group in Node(file).group("sizes").groups())


def results_in(path: Path, file: Tree) -> Results:
    """Build results from the attributes, groups and columns of a file. Raises ResultsError or Damage."""
    if not file.has_attribute("format") or file.text("format") != FORMAT:
        raise FileOfAnotherKind(path, "is HDF5, but not a results file of Everylink")
    version = file.integer("format_version", 1, MOST)
    if version > FORMAT_VERSION:
        raise FileOfNewerVersion(path, f"has format version {version}; this Everylink reads up to {FORMAT_VERSION}")
    facts = _facts(file)
    if not 2 <= facts.ranks < MOST_RANKS:
        raise Damage(f"attribute ranks of / is {facts.ranks}")
    ranks, told = _ranks(path, file.group("ranks"), facts.ranks)
    if ranks.host_index.max() >= facts.ranks:
        raise Damage(f"{facts.ranks} ranks, host_index up to {ranks.host_index.max()}")
    rows = file.integer("rows", 0, MOST)
    steps, said = _steps(path, file, file.integer("steps", 0, MOST))
    said = told + said
    groups = {group.integer("bytes", 0, MOST): group for group in file.group("sizes").groups()}
    if len(groups) < len(file.group("sizes").groups()):
        raise Damage("a size occurs twice in /sizes")
    last = len(steps.began) if facts.complete else None  # the steps of an unfinished run may be committed later
    sizes = tuple(_size(path, file, groups[size], facts.ranks, rows, last, said) for size in sorted(groups))
    remarks = _remarks(path, file, facts.complete, said)
    local_faults = _local_faults(path, file, facts, said)
    patterns = file.group("patterns").groups() if file.has("patterns") else ()
    loads = tuple(_load(path, file, group, facts.ranks, said) for group in patterns)
    return Results(
        path, facts, ranks, steps, sizes, remarks, parts_left_out=tuple(said), loads=loads,
        local_faults=local_faults,
        read_inventory=_inventory_reader(path, file, ranks, facts.complete),
    )  # fmt: skip


def _inventory_reader(path: Path, file: Tree, ranks: Ranks, complete: bool) -> Callable[[], Inventory]:
    """A function that reads the inventory: of an HDF5 file from the file, which it opens again."""
    if not file.has(INVENTORY):
        return lambda: NO_INVENTORY
    hosts = int(ranks.host_index.max()) + 1

    def read() -> Inventory:
        if not isinstance(file, Node):
            return inventory_in(file, len(ranks), hosts, complete)
        with open_hdf5(path) as opened:
            return inventory_in(Node(opened), len(ranks), hosts, complete)

    return partial(_whole, path, read)


def _whole(path: Path, read: Callable[[], T]) -> T:
    """What `read` gives, tried again where it meets the writer. Raises FileDamaged."""
    reason = ""
    for _ in range(READ_ATTEMPTS):
        try:
            return read()
        except FAULTS as error:
            reason = " ".join(str(error).split()) or type(error).__name__
    raise FileDamaged(path, f"is truncated or damaged: {reason}")


def _remarks(path: Path, file: Tree, complete: bool, said: list[str]) -> tuple[str, ...]:
    if not file.has("remarks"):
        return ()
    rows = rows_of(file, "remarks", file, ("remarks",), complete)
    if rows is None:
        said.append(f"{path}: the remarks: damaged, left out")
        return ()
    return file.strings("remarks", rows)


def _local_faults(path: Path, file: Tree, facts: Facts, said: list[str]) -> LocalFaults:
    if not file.has("local_faults"):
        return NO_LOCAL_FAULTS
    group = file.group("local_faults")
    rows = rows_of(file, "local_faults", group, ("rank", "cause"), facts.complete)
    if rows is None:
        said.append(f"{path}: what hosts lacked: damaged, left out")
        return NO_LOCAL_FAULTS
    if facts.complete and rows < group.extent("cause"):
        raise Damage(f"{group.name} has {rows} ranks for {group.extent('cause')} causes")
    causes = group.strings("cause", rows)
    rank = group.numbers("rank", np.uint32, rows)
    if len(rank) and rank.max() >= facts.ranks:
        raise Damage(f"{group.name} names rank {rank.max()} of {facts.ranks}")
    return LocalFaults(rank, causes)


def _facts(file: Tree) -> Facts:
    values: dict[str, Any] = {}
    for fact in fields(Facts):
        if fact.default is not dataclasses.MISSING and not file.has_attribute(fact.name):
            continue
        if fact.type is str:
            values[fact.name] = file.text(fact.name)
        elif fact.type is float:
            values[fact.name] = file.limit(fact.name)
        else:
            low = UNKNOWN_COUNT if fact.name == "warmups" else 0
            high = 1 if fact.type is bool else 2**64 - 1
            values[fact.name] = fact.type(file.integer(fact.name, low, high))  # type: ignore[operator]
    return Facts(**values)


def _ranks(path: Path, group: Tree, count: int) -> tuple[Ranks, list[str]]:
    """The columns of /ranks, and a sentence about damaged ones: those are not known, or follow from others."""
    damaged = {
        column.name
        for column in fields(Ranks)
        if isinstance(group, Node) and group.has(column.name) and not group.is_whole(column.name, count)
    }
    if {"host", "host_index"} <= damaged:
        raise Damage(f"{group.name}/host and {group.name}/host_index are damaged: the hosts are not known")
    ranks = _columns(group, Ranks, count, left_out=damaged)
    if "numa" in damaged:
        ranks = replace(ranks, numa=np.full(count, -1, np.int32))
    if "host" in damaged:
        ranks = replace(ranks, host=tuple(f"unknown-{index}" for index in ranks.host_index.tolist()))
    if "host_index" in damaged:
        ranks = replace(ranks, host_index=counted_hosts(ranks.host)[1].astype(np.uint32))
    if "local_rank" in damaged:
        by_host = tuple(map(str, ranks.host_index.tolist()))
        ranks = replace(ranks, local_rank=counted_hosts(by_host)[2].astype(np.uint32))
    said = [f"{path}: {', '.join(sorted(damaged))} of the ranks: damaged, left out"] if damaged else []
    return ranks, said


def _steps(path: Path, file: Tree, length: int) -> tuple[Steps, list[str]]:
    """The steps, and a sentence about damaged ones: nothing is known of them."""
    look, found, said = _looked(file, "steps", length, "the steps")
    steps = _columns(file.group("steps"), Steps, length, look)
    bad, told = told_apart({DAMAGE: found}, path, "", length, "step")
    began, overlap = (np.where(bad, np.array(np.nan, values.dtype), values) for values in (steps.began, steps.overlap))
    return replace(steps, began=began, overlap=overlap), [*_named(path, said), *told]


def _looked(file: Tree, table: str, rows: int, of: str) -> tuple[Look | None, list[Region], list[str]]:
    """What holds the columns of a table against their checksums, the damaged regions that it will find, and what is
    wrong with the checksums themselves."""
    found: list[Region] = []
    batches = batches_in(file, table, rows) if isinstance(file, Node) else None
    if batches is None:
        return None, found, []
    what = "checksum is" if batches.odd == 1 else "checksums are"
    odd = [f"{batches.odd} {what} damaged, of {of}"] if batches.odd else []

    def look(name: str, begin: int, stored: NDArray[Any]) -> None:
        found.extend(batches.damaged(name, begin, stored))

    return look, found, odd


def _named(path: Path, said: Iterable[str]) -> list[str]:
    return [f"{path}: {sentence}: its rows are used as they are" for sentence in said]


def _size(path: Path, file: Tree, group: Tree, ranks: int, rows: int, steps: int | None, said: list[str]) -> Size:
    """What was measured with one size, less damaged rows, of which sentences are added to `said`."""
    size_bytes, table = group.integer("bytes", 0, MOST), group.name.strip("/")
    rounds = group.integer("rounds_per_lap", 0, MOST)
    messages = group.integer("messages", 0, MOST) if group.has_attribute("messages") else None
    of = size_text(size_bytes)
    if rows > IN_MEMORY and isinstance(group, Node) and isinstance(file, Node):
        stored = _stored(path, group, ranks, rows, Doubts(batches_in(file, table, rows), steps))
        if path in DAMAGED:
            stored, told = stored.without_damaged(of)
            said += told
        return Size(size_bytes, rounds, ranks, settled(stored, ranks), messages)
    look, damaged, odd = _looked(file, table, rows, of)
    columns = _columns(group, Rows, rows, look)
    found = {DAMAGE: damaged}
    for why, mask in impossible(vars(columns), ranks, steps):
        found.setdefault(why, []).extend(regions_of(mask))
    gone, told = told_apart(found, path, of, rows)
    said += [*_named(path, odd), *told]
    kept = columns.without(np.flatnonzero(gone)) if gone.any() else columns
    return Size(size_bytes, rounds, ranks, settled(kept, ranks), messages)


def _load(path: Path, file: Tree, group: Tree, ranks: int, said: list[str]) -> Load:
    """What a load pattern measured, less scenes of which anything is damaged: their sums would be too small."""
    name, table = group.name.rsplit("/", 1)[1], group.name.strip("/")
    scene_count, flow_count = group.integer("scenes", 0, MOST), group.integer("rows", 0, MOST)
    look, bad_scenes, odd = _looked(file, f"{table}/scenes", scene_count, f"the scenes of {name}")
    scenes = _columns(group.group("scenes"), Scenes, scene_count, look)
    look, bad_flows, odd_flows = _looked(file, f"{table}/flows", flow_count, f"the flows of {name}")
    flows = _columns(group.group("flows"), Flows, flow_count, look)
    found = {DAMAGE: bad_flows}
    for why, mask in impossible_flows(vars(flows), ranks, scene_count):
        found.setdefault(why, []).extend(regions_of(mask))
    gone, told = told_apart(found, path, f"the flows of {name}", flow_count, "row")
    lost, told_of_scenes = told_apart({DAMAGE: bad_scenes}, path, f"the scenes of {name}", scene_count)
    said += [*_named(path, odd + odd_flows), *told, *told_of_scenes]
    if gone.any() or lost.any():
        scenes, flows = _without_scenes(scenes, flows, gone, lost)
    return Load(
        name,
        group.text("point"),
        tuple(group.text("variants").split(",")),
        group.text("options"),
        group.limit("duration"),
        group.integer("window", 0, MOST),
        scenes,
        flows,
        group.integer("servers", 0, ranks) if group.has_attribute("servers") else 0,
    )


def _without_scenes(scenes: Scenes, flows: Flows, gone: Mask, lost: Mask) -> tuple[Scenes, Flows]:
    """Less these scenes, and those of these flows. The number of a damaged flow's scene may be damaged, too: flows
    follow each other scene by scene, so that it is one from the scene before the region to the one behind it."""
    lost, scene = lost.copy(), flows.scene.astype(np.int64)
    for begin, end in regions_of(gone):
        before = scene[begin - 1] if begin else 0
        behind = scene[end] if end < len(scene) else len(lost) - 1
        lost[before : behind + 1] = True
    kept = ~gone
    kept[kept] = ~lost[scene[kept]]
    numbers = np.cumsum(~lost) - 1
    left = {name: column[kept] for name, column in vars(flows).items()}
    left["scene"] = numbers[left["scene"].astype(np.int64)].astype(flows.scene.dtype)
    return Scenes(**{name: column[~lost] for name, column in vars(scenes).items()}), Flows(**left)


def _columns(group: Tree, kind: type[T], length: int, look: Look | None = None, left_out: Collection[str] = ()) -> T:
    """Fill a dataclass of columns, each up to the committed length. Those to be left out are not known."""
    values: dict[str, Any] = {}
    for column in fields(kind):  # type: ignore[arg-type]
        name = NAMES.get(column.name, column.name)
        number = None if column.type == tuple[str, ...] else get_args(get_args(column.type)[1])[0]
        if column.name in left_out or (MISSING in column.metadata and not group.has(name)):
            missing = column.metadata.get(MISSING, "" if number is None else 0)
            values[column.name] = (missing,) * length if number is None else np.full(length, missing, number)
        else:
            values[column.name] = (
                group.strings(name, length) if number is None else group.numbers(name, number, length, look)
            )
    return kind(**values)


def with_parts(results: Results, steps: int | None) -> Results:
    """The results merged with the unsaved rows beside the file; `steps` is the number of steps, None if unknown."""
    facts, sizes = results.facts, {size.bytes: size for size in results.sizes}
    parts: Parts = read_parts(results.path, Run(facts.run_id, facts.ranks, frozenset(sizes), steps))
    count = 0
    for size in results.sizes if len(parts.rows) else ():
        rows, used = merge(size.rows, parts.rows[parts.rows["bytes"] == size.bytes], facts.ranks)
        sizes[size.bytes] = replace(size, rows=rows)
        count += used
    said = results.parts_left_out + parts.warnings
    return replace(results, sizes=tuple(sizes.values()), rows_from_parts=count, parts_left_out=said)


def write_results(results: Results, force: bool = False, room: int = 0) -> list[str]:
    """Write `results` atomically to its path. Returns no lines, since nothing is lost. Raises UserMistake.

    `room`: the number of rows that append_rows() will add.
    """
    with atomic_write(results.path, force) as new:
        write_to(new, results, room=room)
    return []


def write_to(path: Path, results: Results, behind: int = 0, room: int = 0) -> None:
    """Write `results` to a file of any name, after `behind` bytes that stay free: 0, or a power of two from 512 on."""
    with opened_for_writing(path, "w", behind) as file:
        _write(file, results, room)


def append_rows(path: Path, more: Mapping[int, Iterable[Rows]], steps: Steps | None = None) -> None:
    """Append rows to each size of a file of write_results(), the same number to every size.

    `steps`: all steps of the file, if there are more than before.
    """
    with opened_for_writing(path, "r+") as file:
        rows = int(file.attrs["rows"])
        for size, blocks in more.items():
            group, end = file[f"sizes/{size}"], rows
            for block in blocks:
                stored_as = {NAMES.get(name, name): column for name, column in columns(block).items()}
                there = {name: column for name, column in stored_as.items() if name in group}
                for name, column in there.items():
                    group[name].resize((end + len(block),))
                    group[name][end:] = column
                add_checksums(file, f"sizes/{size}", there, end)
                end += len(block)
            file.attrs["rows"] = np.uint64(end)
        if steps is not None:
            del file["steps"], file[f"{CHECKSUMS}/steps"]
            _write_checked(file, "steps", entries_of(steps))
            file.attrs["steps"] = np.uint64(len(steps.began))


def _write(file: Any, results: Results, room: int) -> None:
    for name, value in attributes_of(results).items():
        file.attrs[name] = _text(value) if isinstance(value, str) else value
    _write_columns(file.create_group("ranks"), entries_of(results.ranks))
    for column in file["ranks"].values():
        column.attrs[CRC32] = np.uint32(zlib.crc32(column[:].tobytes()))
    _write_checked(file, "steps", entries_of(results.steps))
    for size in results.sizes:
        _write_checked(file, f"sizes/{size.bytes}", columns_of(size.rows), room)
        file[f"sizes/{size.bytes}"].attrs.update(attributes_of_size(size))
    if results.remarks:
        file["remarks"] = _texts(results.remarks)
        add_checksums(file, "remarks", {"remarks": file["remarks"][:]})
    if len(results.local_faults):
        _write_checked(file, "local_faults", entries_of(results.local_faults))
    for name, entries in inventory_columns(results.inventory).items():
        _write_checked(file, f"{INVENTORY}/{name}", entries)


def attributes_of(results: Results) -> dict[str, Any]:
    """The attributes of / by their names in the file."""
    rows = max((len(size.rows) for size in results.sizes), default=0)
    facts = {name: int(value) if isinstance(value, bool) else value for name, value in asdict(results.facts).items()}
    counts = {"rows": np.uint64(rows), "steps": np.uint64(len(results.steps.began)), "seed": np.uint64(facts["seed"])}
    version = FORMAT_VERSION if _has_local_faults(results) else WITHOUT_LOCAL_FAULTS
    return {"format": FORMAT, "format_version": version, **facts, **counts}


def _has_local_faults(results: Results) -> bool:
    outcomes = (outcome for size in results.sizes for (outcome,) in size.rows.blocks("outcome"))
    return len(results.local_faults) > 0 or any((outcome == Outcome.LOCAL).any() for outcome in outcomes)


def attributes_of_size(size: Size) -> dict[str, Any]:
    """The attributes of the group of a size."""
    known = {} if size.messages is None else {"messages": np.int32(size.messages)}
    return {"bytes": np.uint64(size.bytes), "rounds_per_lap": size.rounds_per_lap, "lead_in": 0, **known}


def columns_of(rows: Rows) -> dict[str, Any]:
    """The columns of rows by their names in the file, without optional columns that have no known value."""
    kept = columns(rows)
    for column in fields(rows):
        if MISSING in column.metadata and np.isnan(kept[column.name]).all():
            del kept[column.name]
    return {NAMES.get(name, name): column for name, column in kept.items()}


def _write_checked(file: Any, table: str, columns: dict[str, Any], room: int = 0) -> None:
    stored = {name: _texts(values) if isinstance(values, tuple) else values for name, values in columns.items()}
    _write_columns(file.create_group(table), stored, room)
    add_checksums(file, table, stored)


def _write_columns(group: Any, columns: dict[str, Any], room: int = 0) -> None:
    for name, values in columns.items():
        if isinstance(values, tuple):
            group[name] = _texts(values)
        else:
            chunk = min(max(len(values), room, SMALLEST_CHUNK), LARGEST_CHUNK)
            group.create_dataset(name, data=values, maxshape=(None,), chunks=(chunk,))


def _text(text: str) -> Any:
    return np.bytes_(text.encode() or b"\0")  # fixed length, which HDF5 requires to be above 0


def _texts(texts: tuple[str, ...]) -> Any:
    encoded = [text.encode() for text in texts]
    return np.array(encoded, f"S{max(SHORTEST_TEXT, *map(len, encoded))}")


def evened(run: Results) -> Results:
    """The run with the same link, step and attempt in row i of every size, as the file format requires.

    Unsaved rows may exist for some sizes only; the other sizes get rows without readings.
    """
    turns = [np.stack([s.rows.frm, s.rows.to, s.rows.step, s.rows.attempt]) for s in run.sizes]
    if all(np.array_equal(turn, turns[0]) for turn in turns):
        return run
    places: dict[tuple[int, ...], int] = {}
    at = []
    for turn in turns:
        seen: dict[tuple[int, ...], int] = {}
        rows = []
        for link in zip(*turn.tolist(), strict=True):
            seen[link] = seen.get(link, 0) + 1
            rows.append(places.setdefault((*link, seen[link]), len(places)))
        at.append(np.array(rows, np.intp))
    whole = np.array(list(places), np.int64)
    return replace(run, sizes=tuple(_spread_out(size, where, whole) for size, where in zip(run.sizes, at, strict=True)))


def _spread_out(size: Size, at: NDArray[np.intp], whole: NDArray[np.int64]) -> Size:
    spread = {}
    for name, column in columns(size.rows).items():
        empty = np.nan if column.dtype.kind == "f" else -1 if name == "arrived" else 0
        spread[name] = np.full(len(whole), empty, column.dtype)
        spread[name][at] = column
    for i, name in enumerate(("frm", "to", "step", "attempt")):
        spread[name] = whole[:, i].astype(spread[name].dtype)
    return replace(size, rows=Rows(**spread))


register(Format(".h5", "HDF5", write_results, SIGNATURE, read_results))
