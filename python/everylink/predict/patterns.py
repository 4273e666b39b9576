"""Traffic patterns: built by name, or read from a file of from,to,bytes."""

import csv
import math
import stat
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.files import Damaged, quoted
from everylink.units import plural

Index = NDArray[np.int64]
NAMES = ("ring", "stencil2d", "stencil3d", "all-to-all", "tree", "shift")
HEADER = ["from", "to", "bytes"]
MOST_BYTES, MOST_MESSAGES = 2**53, 4_000_000
LONGEST_LINE = 256


@dataclass(frozen=True)
class Messages:
    """Messages that may be in flight at the same time: ranks from and to, bytes; shape [messages] each."""

    frm: Index
    to: Index
    bytes: Index

    def __len__(self) -> int:
        return len(self.frm)


@dataclass(frozen=True)
class Pattern:
    """`phase(k)`: the messages of phase k < `phases`. A rank begins a phase when it has finished the previous one.

    `uniform`: every rank sends the same to every other one, so placement does not matter.
    """

    name: str
    text: str
    ranks: int
    phases: int
    phase: Callable[[int], Messages]
    uniform: bool = False


def made_pattern(text: str, ranks: int, size_bytes: int) -> Pattern:
    """Build a pattern by name: `ring`, `shift:3`, `stencil2d:4x8`. Raises UserMistake if it does not fit the ranks."""
    name, _, rest = text.partition(":")
    if name not in NAMES:
        raise UserMistake(f"--pattern {text}: unknown pattern; use {', '.join(NAMES)} or FILE.csv")
    if rest and name not in ("shift", "stencil2d", "stencil3d"):
        raise UserMistake(f"--pattern {text}: {name} takes no value after a colon")
    return _MAKERS[name](text, ranks, size_bytes)


def listed_pattern(name: str, ranks: int, frm: Index, to: Index, size_bytes: Index) -> Pattern:
    """A pattern of listed messages, all sent at the same time."""
    return Pattern(name, "all messages of the file at the same time", ranks, 1, lambda _: Messages(frm, to, size_bytes))


def _ring(_: str, ranks: int, size_bytes: int) -> Pattern:
    return _shifted("ring", "each rank sends to the next one and receives from the one before", ranks, 1, size_bytes)


def _shift(text: str, ranks: int, size_bytes: int) -> Pattern:
    word = text.partition(":")[2]
    distance = int(word) if word.isascii() and word.isdigit() else 0 if word else max(ranks // 2, 1)
    if not 0 < distance < ranks:
        raise UserMistake(f"--pattern {text}: with {ranks} ranks, the distance of a shift is 1 to {ranks - 1}")
    description = f"rank r sends to rank (r + {distance}) modulo {ranks}"
    return _shifted(f"shift:{distance}", description, ranks, distance, size_bytes)


def _shifted(name: str, description: str, ranks: int, distance: int, size_bytes: int) -> Pattern:
    return Pattern(name, description, ranks, 1, lambda _: _round(ranks, distance, size_bytes))


def _all_to_all(_: str, ranks: int, size_bytes: int) -> Pattern:
    description = f"in round k = 1 .. {ranks - 1} rank r sends to rank r + k and receives from rank r - k"
    return Pattern(
        "all-to-all", description, ranks, ranks - 1, lambda k: _round(ranks, k + 1, size_bytes), uniform=True
    )


def _round(ranks: int, distance: int, size_bytes: int) -> Messages:
    frm = np.arange(ranks, dtype=np.int64)
    return Messages(frm, (frm + distance) % ranks, np.full(ranks, size_bytes, np.int64))


def _tree(_: str, ranks: int, size_bytes: int) -> Pattern:
    """A broadcast from rank 0: in phase k the 2^k ranks that have the message pass it on."""

    def phase(k: int) -> Messages:
        frm = np.arange(min(2**k, ranks - 2**k), dtype=np.int64)
        return Messages(frm, frm + 2**k, np.full(len(frm), size_bytes, np.int64))

    description = "a binomial tree from rank 0: in phase k rank r < 2^k sends to rank r + 2^k"
    return Pattern("tree", description, ranks, math.ceil(math.log2(ranks)), phase)


def _stencil2d(text: str, ranks: int, size_bytes: int) -> Pattern:
    return _stencil(text, ranks, size_bytes, 2)


def _stencil3d(text: str, ranks: int, size_bytes: int) -> Pattern:
    return _stencil(text, ranks, size_bytes, 3)


def _stencil(text: str, ranks: int, size_bytes: int, dimensions: int) -> Pattern:
    """A grid with open ends; ranks count along its last dimension first, as in MPI_Cart_create."""
    word = text.partition(":")[2]
    balanced = _balanced(ranks, dimensions)
    if min(balanced) < 2:
        sides = " x ".join(map(str, balanced))
        raise UserMistake(
            f"--pattern {text}: {ranks} ranks do not form a grid of {dimensions} dimensions, only {sides}; "
            "ring, shift, tree and all-to-all take any number"
        )
    shape = _given_shape(text, word, balanced, ranks) if word else balanced
    number = np.arange(ranks, dtype=np.int64).reshape(shape)
    pairs = []
    for axis in range(dimensions):
        low, high = (np.take(number, range(*ends), axis).ravel() for ends in _neighbours(shape[axis]))
        pairs += [(low, high), (high, low)]
    frm, to = (np.concatenate([pair[end] for pair in pairs]) for end in (0, 1))
    messages = Messages(frm, to, np.full(len(frm), size_bytes, np.int64))
    grid = "x".join(map(str, shape))
    description = f"a grid of {grid} ranks with open ends, each sends to its neighbours"
    return Pattern(f"stencil{dimensions}d:{grid}", description, ranks, 1, lambda _: messages)


def _neighbours(side: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (0, side - 1), (1, side)


def _given_shape(text: str, word: str, balanced: tuple[int, ...], ranks: int) -> tuple[int, ...]:
    sides = word.split("x")
    dimensions = len(balanced)
    valid = len(sides) == dimensions and all(side.isascii() and side.isdigit() and len(side) < 10 for side in sides)
    shape = tuple(map(int, sides)) if valid else ()
    if not shape or min(shape) < 2 or math.prod(shape) != ranks:
        raise UserMistake(
            f"--pattern {text}: give {dimensions} sides of at least 2 whose product is the number of ranks, {ranks}, "
            f"such as stencil{dimensions}d:{'x'.join(map(str, balanced))}"
        )
    return shape


def _balanced(count: int, dimensions: int) -> tuple[int, ...]:
    """Sides as equal as possible, longest first, as in MPI_Dims_create."""
    if dimensions == 1:
        return (count,)
    grids: Sequence[tuple[int, ...]] = [
        (side, *_balanced(count // side, dimensions - 1)) for side in range(1, count + 1) if count % side == 0
    ]
    best = min((sorted(grid, reverse=True) for grid in grids), key=lambda grid: (grid[0] - grid[-1], grid))
    return tuple(best)


_MAKERS: Mapping[str, Callable[[str, int, int], Pattern]] = {
    "ring": _ring, "stencil2d": _stencil2d, "stencil3d": _stencil3d, "all-to-all": _all_to_all, "tree": _tree,
    "shift": _shift,
}  # fmt: skip


def read_pattern(path: Path, ranks: int) -> Pattern:
    """Read a file with the ranks of a run. Raises UserMistake with the line at fault."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would block
            raise UserMistake(f"--pattern {path}: is a folder, a pipe or a device, not a file")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _csv_rows(file, ranks)
    except Damaged as damage:
        raise UserMistake(f"--pattern {path}, line {damage.line}: {damage}") from None
    except UnicodeError:
        raise UserMistake(f"--pattern {path}: is not UTF-8 text; expected lines of {','.join(HEADER)}") from None
    except OSError as error:
        raise UserMistake(f"--pattern {path}: cannot be read: {error.strerror}") from None
    return listed_pattern(path.name, ranks, *np.array(rows).reshape(-1, len(HEADER)).T.copy())


def _csv_rows(file: IO[str], ranks: int) -> "array[int]":
    """All messages, flat: from, to, bytes, from, to, bytes, ..."""
    names = [name.strip().lower() for name in file.readline(LONGEST_LINE).split(",")]
    if names != HEADER:
        raise Damaged(1, f"is {quoted(','.join(names))}; expected {','.join(HEADER)}")
    reader = csv.reader(iter(lambda: file.readline(LONGEST_LINE), ""), strict=True)
    rows = array("q")
    try:
        for row in reader:
            if row:
                rows.extend(_csv_row(row, reader.line_num + 1, ranks))
            if len(rows) > len(HEADER) * MOST_MESSAGES:
                raise Damaged(reader.line_num + 1, f"has more than {MOST_MESSAGES} messages, the limit")
    except csv.Error as error:
        raise Damaged(reader.line_num + 1, f"is damaged: {error}") from None
    if not rows:
        raise Damaged(2, "has no message: the file ends after its header")
    return rows


def _csv_row(row: list[str], line: int, ranks: int) -> tuple[int, int, int]:
    if len(row) != len(HEADER):
        raise Damaged(line, f"has {plural(len(row), 'value')}; the header has {len(HEADER)}")
    frm, to = (_csv_number(name, text, line, 2**31) for name, text in zip(HEADER, row[:2], strict=False))
    for rank in (frm, to):
        if rank >= ranks:
            raise Damaged(line, f"there is no rank {rank}: the run has ranks 0 to {ranks - 1}")
    if frm == to:
        raise Damaged(line, f"rank {frm} sends to itself; leave such lines out")
    return frm, to, _csv_number("bytes", row[2], line, MOST_BYTES)


def _csv_number(name: str, text: str, line: int, most: int) -> int:
    word = text.strip()
    if not (word.isascii() and word.isdigit() and len(word) < 20 and int(word) <= most):
        raise Damaged(line, f"{name} is {quoted(text)}; expected a whole number up to {most}")
    return int(word)
