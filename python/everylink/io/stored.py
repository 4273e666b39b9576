"""Rows of files too large for memory, read from the file in blocks on demand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, RowsDamaged
from everylink.io.checksums import Batches
from everylink.io.hdf5 import FAULTS, Look, Node, open_hdf5
from everylink.io.sound import DAMAGE, impossible, regions_of, told_apart
from everylink.memory import require_memory
from everylink.model.rows import BLOCK, MISSING, Rows, chosen, columns, joined

Index = NDArray[np.int64]
KINDS: Mapping[str, type[np.generic]] = {f.name: get_args(get_args(f.type)[1])[0] for f in fields(Rows)}
MAY_MISS = {f.name: f.metadata[MISSING] for f in fields(Rows) if MISSING in f.metadata}
NAMES = {"frm": "from", "all_to_all": "alltoall"}  # names of columns in the file, where they differ from ours
ROW_BYTES = sum(np.dtype(kind).itemsize for kind in KINDS.values())
NONE: Index = np.zeros(0, np.int64)
NO_ROWS = Rows(*(np.zeros(0, kind) for kind in KINDS.values()))


@dataclass(frozen=True)
class Doubts:
    """What rows are held against while they are read: the file's checksums, if it has them, and its steps, if known."""

    batches: Batches | None
    steps: int | None


# Files of which damaged rows were found while they were read.
DAMAGED: set[Path] = set()


@dataclass(frozen=True)
class Source:
    """The first `length` rows of a group of /sizes: some left out, then some replaced, then more appended."""

    path: Path
    group: str
    ranks: int
    length: int
    left_out: Index = field(default_factory=lambda: NONE)
    replaced: Index = field(default_factory=lambda: NONE)
    replacing: Rows | None = None
    added: Rows = field(default_factory=lambda: NO_ROWS)
    doubts: Doubts | None = None  # None: damaged rows are left out already


class StoredRows(Rows):
    """Rows of a source. An attribute reads its whole column into memory; `blocks` reads little at a time."""

    _source: Source
    _checked: set[str]  # columns already checked to be in the file
    _sound: set[tuple[str, int]]  # blocks of columns already held against their checksums

    def __init__(self, source: Source) -> None:
        self.__dict__.update(_source=source, _checked=set(), _sound=set())

    def without(self, numbers: Index) -> "StoredRows":
        source, numbers = self._source, np.unique(numbers)
        stored = source.length - len(source.left_out)
        of_added = numbers[numbers >= stored] - stored
        numbers = numbers[numbers < stored]
        left_before = source.left_out - np.arange(len(source.left_out))  # rows that stay before each that does not
        in_file = numbers + np.searchsorted(left_before, numbers, "right")
        stays = ~np.isin(source.replaced, numbers)
        replaced = source.replaced[stays]
        return StoredRows(
            replace(
                source,
                left_out=np.sort(np.concatenate([source.left_out, in_file])),
                replaced=replaced - np.searchsorted(numbers, replaced),
                replacing=None if source.replacing is None else chosen(source.replacing, stays),
                added=source.added.without(of_added),
            )
        )

    def with_others(self, numbers: Sequence[int], others: Rows, added: Rows) -> "StoredRows":
        order = np.argsort(numbers)
        replaced = np.array(numbers, np.int64)[order]
        return StoredRows(replace(self._source, replaced=replaced, replacing=chosen(others, order), added=added))

    def with_more(self, more: Sequence[Rows]) -> "StoredRows":
        return StoredRows(replace(self._source, added=joined([self._source.added, *more])))

    @property
    def source(self) -> Source:
        """Where the rows are."""
        return self._source

    @property
    def added(self) -> Rows:
        """The rows that are not in the file."""
        return self._source.added

    def held(self) -> Rows:
        return Rows(**columns(self))

    def __len__(self) -> int:
        return self._source.length - len(self._source.left_out) + len(self._source.added)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name not in KINDS:
            raise AttributeError(name)
        require_memory(ROW_BYTES * len(self), f"{self._source.path}: to hold its {len(self):,} rows")
        column = np.empty(len(self), KINDS[name])
        at = 0
        for (block,) in self.blocks(name):
            column[at : at + len(block)] = block
            at += len(block)
        self.__dict__[name] = column
        return column

    def blocks(self, *names: str) -> Iterator[tuple[NDArray[Any], ...]]:
        """These columns in order, in blocks of rows. Raises FileDamaged."""
        if all(name in self.__dict__ for name in names):
            yield from super().blocks(*names)
            return
        yield from self._read(names, range(0, self._source.length, BLOCK))
        yield from self._source.added.blocks(*names)

    def since(self, begin: int, *names: str) -> Iterator[tuple[NDArray[Any], ...]]:
        """These columns of the rows in the file from `begin` on, in blocks. Raises FileDamaged."""
        yield from self._read(names, range(begin, self._source.length, BLOCK))

    def without_damaged(self, of: str) -> tuple["StoredRows", list[str]]:
        """Less the rows that are damaged, and sentences about those of table `of`. Reads all. Raises FileDamaged."""
        found: dict[str, list[tuple[int, int]]] = {}
        doubts, source = self._source.doubts, replace(self._source, doubts=None)
        if doubts is None:
            return self, []

        def look(name: str, begin: int, stored: NDArray[Any]) -> None:
            if doubts.batches is not None:
                found.setdefault(DAMAGE, []).extend(doubts.batches.damaged(name, begin, stored))

        begins = range(0, source.length, BLOCK)
        for begin, block in zip(begins, StoredRows(source)._read(tuple(KINDS), begins, look), strict=True):
            for why, mask in impossible(dict(zip(KINDS, block, strict=True)), source.ranks, doubts.steps):
                if mask.any():
                    found.setdefault(why, []).extend((begin + a, begin + b) for a, b in regions_of(mask))
        gone, said = told_apart(found, source.path, of, source.length)
        return StoredRows(replace(source, left_out=np.flatnonzero(gone))), said

    def of_attempt(self, attempt: int) -> Rows:
        """The rows of one attempt in order, in memory. Raises FileDamaged."""
        begins = [begin for begin, attempts in self._attempts.items() if attempt in attempts]
        blocks = [Rows(*block).of_attempt(attempt) for block in self._read(tuple(KINDS), begins)]
        return joined([*blocks, self._source.added.of_attempt(attempt)])

    @cached_property
    def _attempts(self) -> dict[int, set[int]]:
        """The attempts that occur in each block, by the block's first row in the file."""
        begins = range(0, self._source.length, BLOCK)
        blocks = self._read(("attempt",), begins)
        return {begin: set(np.unique(attempt).tolist()) for begin, (attempt,) in zip(begins, blocks, strict=True)}

    def _read(
        self, names: Sequence[str], begins: Sequence[int], look: Look | None = None
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        """The blocks that begin at these rows of the file; `look` sees them as they are stored. Raises FileDamaged."""
        try:
            with open_hdf5(self._source.path) as file:
                yield from self._blocks(Node(file, trusted=self._checked), names, begins, look or self._look)
        except FAULTS as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise FileDamaged(self._source.path, f"is truncated or damaged: {reason}") from None

    def _look(self, name: str, begin: int, stored: NDArray[Any]) -> None:
        """Hold a block of a column against its checksums. Raises RowsDamaged."""
        doubts = self._source.doubts
        if doubts is None or doubts.batches is None or (name, begin) in self._sound:
            return
        if any(True for _ in doubts.batches.damaged(name, begin, stored)):
            self._give_up()
        self._sound.add((name, begin))

    def _give_up(self) -> NoReturn:
        DAMAGED.add(self._source.path)
        raise RowsDamaged(self._source.path, "rows of it are damaged; read it again without them")

    def _blocks(
        self, file: Node, names: Sequence[str], begins: Sequence[int], look: Look
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        source, group = self._source, file.group("sizes").group(self._source.group)
        missing = {name: MAY_MISS[name] for name in names if name in MAY_MISS and not group.has(NAMES.get(name, name))}
        there = [name for name in names if name not in missing]
        kinds = {NAMES.get(name, name): KINDS[name] for name in there}
        for begin, block in zip(begins, group.slices(kinds, source.length, begins, BLOCK, look), strict=True):
            end = min(begin + BLOCK, source.length)
            read = dict(zip(there, block, strict=True))
            self._check(read)
            unknown = {name: np.full(end - begin, value, KINDS[name]) for name, value in missing.items()}
            kept = {name: read[name] if name in read else unknown[name] for name in names}
            first, last = np.searchsorted(source.left_out, np.array([begin, end]))
            if last > first:
                kept = {name: np.delete(c, source.left_out[first:last] - begin) for name, c in kept.items()}
            at = begin - first  # number of the block's first row after leaving rows out
            changed = slice(*np.searchsorted(source.replaced, np.array([at, end - last])))
            for name, column in kept.items() if changed.stop > changed.start else ():
                column[source.replaced[changed] - at] = getattr(source.replacing, name)[changed]
            yield tuple(kept.values())

    def _check(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raises RowsDamaged for rows that no run measures."""
        doubts, ranks = self._source.doubts, self._source.ranks
        if doubts is not None and any(mask.any() for _, mask in impossible(columns, ranks, doubts.steps)):
            self._give_up()
