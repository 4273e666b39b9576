"""Unsaved rows: files that ranks wrote beside a results file because they lost rank 0. Reads and merges them."""

import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import ALONE, SMALL_TABLE, SPARSE, Index, Outcome, Rows
from everylink.units import plural

MAGIC, WITHOUT_CHECKS = b"everylp2", b"everylp1"
HEAD = np.dtype([("magic", "S8"), ("run_id", "V16"), ("rank", "<u4"), ("reserved", "<u4")])
ROW = np.dtype([
    ("bytes", "<u8"), ("frm", "<u4"), ("to", "<u4"), ("step", "<u4"), ("attempt", "u1"), ("outcome", "u1"),
    ("check", "<u2"), ("arrived", "<i4"), ("setup", "<f4"), ("n", "<u4"), ("min", "<f4"), ("median", "<f4"),
    ("mean", "<f4"), ("p99", "<f4"), ("max", "<f4"), ("late", "<u4"), ("all_to_all", "<f4"),
])  # fmt: skip
LARGEST = 256 * 2**20  # bytes of all parts of a results file
LAST_ATTEMPT = ALONE
TIMES = ("min", "median", "mean", "max")


class LinkSet:
    """A set of links by number, from * ranks + to, with fast membership tests for many rows."""

    def __init__(self, numbers: Index, ranks: int, rows: int) -> None:
        self._ranks = ranks
        self._numbers = np.unique(numbers)
        self._table: NDArray[np.bool_] | None = None
        if len(self._numbers) and ranks**2 <= max(SMALL_TABLE, SPARSE * rows):
            self._table = np.zeros(ranks**2, bool)
            self._table[self._numbers] = True

    def of(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each link from `frm` to `to` is in the set; shape of `frm`."""
        number = frm.astype(np.int64) * self._ranks + to
        if self._table is not None:
            return np.asarray(self._table[number])
        if not len(self._numbers):
            return np.zeros(number.shape, bool)
        at = np.minimum(np.searchsorted(self._numbers, number), len(self._numbers) - 1)
        return np.asarray(self._numbers[at] == number)


def settled(rows: Rows, ranks: int) -> Rows:
    """Leave out failed rows for which an ok row also exists: the rank was late, and counted as absent until then."""
    if not any((outcome != Outcome.OK).any() for (outcome,) in rows.blocks("outcome")):
        return rows
    failed = _turns(rows, ranks, lambda outcome: outcome != Outcome.OK)
    links = LinkSet(failed["link"], ranks, len(rows))
    ok = _turns(rows, ranks, lambda outcome: outcome == Outcome.OK, links)
    turn = ["link", "step", "attempt"]
    late = failed["row"][np.isin(failed[turn], ok[turn])] if len(ok) else failed["row"][:0]
    return rows.without(late) if len(late) else rows


def _turns(
    rows: Rows, ranks: int, wanted: Callable[[NDArray[np.uint8]], NDArray[np.bool_]], links: LinkSet | None = None
) -> NDArray[Any]:
    """The rows with a wanted outcome, among `links` if given: their row numbers, links, steps and attempts."""
    kind = np.dtype([("row", np.int64), ("link", np.int64), ("step", np.uint32), ("attempt", np.uint8)])
    found, begin = [np.zeros(0, kind)], 0
    for frm, to, step, attempt, outcome in rows.blocks("frm", "to", "step", "attempt", "outcome"):
        mask = wanted(outcome)
        if links is not None:
            mask &= links.of(frm, to)
        at = np.flatnonzero(mask)
        turns = np.zeros(len(at), kind)
        turns["row"], turns["link"] = begin + at, frm[at].astype(np.int64) * ranks + to[at]
        turns["step"], turns["attempt"] = step[at], attempt[at]
        found.append(turns)
        begin += len(frm)
    return np.concatenate(found)


@dataclass(frozen=True)
class Run:
    """What a part must match: the run's id, its ranks and sizes, and its number of steps (None if unknown)."""

    run_id: str
    ranks: int
    sizes: frozenset[int]
    steps: int | None


@dataclass(frozen=True)
class Parts:
    """The rows of all valid parts, and one line for each part that was left out."""

    rows: NDArray[Any]
    warnings: tuple[str, ...]


NO_PARTS = Parts(np.empty(0, ROW), ())


def folder_of(results: Path) -> Path:
    """The folder with the parts of a results file."""
    return results.with_name(results.name + ".parts")


def read_parts(results: Path, run: Run) -> Parts:
    """Read all parts of a results file. A run without an id has none."""
    folder = folder_of(results)
    if not run.run_id or not folder.is_dir():
        return NO_PARTS
    found, warnings, left = [], [], LARGEST
    try:
        paths = list(_parts_in(folder, run.ranks))
    except OSError as error:
        return Parts(NO_PARTS.rows, (f"{folder} cannot be read: {error.strerror}; the unsaved rows in it are missing",))
    for rank, path in paths:
        try:
            rows, damaged = _read(path, rank, run, left)
            found.append(rows)
            left -= rows.nbytes
            if damaged:
                warnings.append(f"{path}: {plural(damaged, 'row')} of {len(rows) + damaged} damaged: left out")
        except OSError as error:
            warnings.append(f"{path} is left out: {error.strerror}")
        except ValueError as error:
            warnings.append(f"{path} is left out: {error}")
    return Parts(np.concatenate([NO_PARTS.rows, *found]), tuple(warnings))


def count_rows(results: Path) -> int:
    """The rows of all parts of a results file that cannot be read, by the sizes of the parts."""
    try:
        sizes = [path.stat().st_size for _, path in _parts_in(folder_of(results), 2**31)]
    except OSError:
        return 0
    return sum(max(size - HEAD.itemsize, 0) // ROW.itemsize for size in sizes)


def _parts_in(folder: Path, ranks: int) -> Iterator[tuple[int, Path]]:
    """The files named after a rank of the run, in the order of ranks."""
    names = [p.name for p in folder.iterdir() if p.name.isascii() and p.name.isdecimal() and len(p.name) < 10]
    for name in sorted(names, key=int):
        if str(int(name)) == name and int(name) < ranks:
            yield int(name), folder / name


def _read(path: Path, rank: int, run: Run, most: int) -> tuple[NDArray[Any], int]:
    """The rows of a part that are as they were written, and the number of the others."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # opening a pipe must not block
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("it is not a file")
        if about.st_size > most:
            raise ValueError(f"with it, the parts would be larger than {LARGEST} bytes")
        data = file.read(most)
    if len(data) < HEAD.itemsize or not data.startswith((MAGIC, WITHOUT_CHECKS)):
        raise ValueError("it has no valid head")
    head = np.frombuffer(data, HEAD, 1)[0]
    if head["run_id"].tobytes().hex() != run.run_id.lower():
        raise ValueError(f"it belongs to another run, {head['run_id'].tobytes().hex()}")
    if head["rank"] != rank:
        raise ValueError(f"it belongs to rank {head['rank']}")
    rows = np.frombuffer(data, ROW, (len(data) - HEAD.itemsize) // ROW.itemsize, HEAD.itemsize)
    kept = rows[_fits(rows)] if data.startswith(MAGIC) else rows
    _check(kept, run)
    return kept, len(rows) - len(kept)


def _fits(rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each row has its checksum: the lower half of its CRC-32, computed with 0 in that place."""
    unchecked = rows.copy()
    unchecked["check"] = 0
    data, width = unchecked.tobytes(), ROW.itemsize
    sums = (zlib.crc32(data[at : at + width]) & 0xFFFF for at in range(0, len(data), width))
    return np.asarray(rows["check"] == np.fromiter(sums, np.uint16, len(rows)))


def _check(rows: NDArray[Any], run: Run) -> None:
    """Raise ValueError for a row that no rank of this run writes."""
    timed = (rows["outcome"] == Outcome.OK) & (rows["n"] > 0)
    times = np.stack([rows[name] for name in TIMES])
    impossible = (
        ("a size that was not measured", ~np.isin(rows["bytes"], np.array(sorted(run.sizes), np.uint64))),
        (f"a rank that is not one of {run.ranks}", (rows["frm"] >= run.ranks) | (rows["to"] >= run.ranks)),
        ("a link from a rank to itself", rows["frm"] == rows["to"]),
        (f"an attempt above {LAST_ATTEMPT}", rows["attempt"] > LAST_ATTEMPT),
        ("an unknown outcome", ~np.isin(rows["outcome"], list(Outcome))),
        ("a step beyond the last", rows["step"] >= np.uint32(2**32 - 1 if run.steps is None else run.steps)),
        ("an invalid time", timed & ~(np.isfinite(times) & (times >= 0)).all(axis=0)),
    )
    for what, where in impossible:
        if where.any():
            raise ValueError(f"its row {int(where.argmax())} has {what}")


def merge(rows: Rows, parts: NDArray[Any], ranks: int) -> tuple[Rows, int]:
    """Merge the rows of parts of one size into those of the file. Returns the rows, and the number of rows used.

    A part's row replaces a row of the same link, step and attempt that is not ok, or is added if there is none.
    """
    chosen = _chosen(rows, parts, ranks)
    if not chosen:
        return rows, 0
    added = [i for i, at in chosen.items() if at is None]
    placed = {at: i for i, at in chosen.items() if at is not None}
    others = _rows(parts[list(placed.values())])
    return rows.with_others(list(placed), others, _rows(parts[added])), len(chosen)


def _rows(parts: NDArray[Any]) -> Rows:
    return Rows(*(np.ascontiguousarray(parts[field.name]) for field in fields(Rows)))


def _chosen(rows: Rows, parts: NDArray[Any], ranks: int) -> dict[int, int | None]:
    """The rows of parts to use, each with the row of the file that it replaces, or None if it is added."""
    links = LinkSet(parts["frm"].astype(np.int64) * ranks + parts["to"], ranks, len(rows))
    places: dict[tuple[int, ...], int | None] = {}
    ok, begin = set(), 0
    for frm, to, step, attempt, outcome in rows.blocks("frm", "to", "step", "attempt", "outcome"):
        near = np.flatnonzero(links.of(frm, to))
        keys = zip(*(column[near].tolist() for column in (frm, to, step, attempt)), strict=True)
        for key, place, ended in zip(keys, (begin + near).tolist(), outcome[near].tolist(), strict=True):
            places[key] = place
            if ended == Outcome.OK:
                ok.add(key)
        begin += len(frm)
    newest: dict[tuple[int, ...], int] = {}
    columns = (parts[name].tolist() for name in ("frm", "to", "step", "attempt"))
    for i, (key, outcome) in enumerate(zip(zip(*columns, strict=True), parts["outcome"].tolist(), strict=True)):
        if key not in ok:
            newest[key] = i
            if outcome == Outcome.OK:
                ok.add(key)
    return {i: places.get(key) for key, i in newest.items()}
