"""A file of every link of one or more matrices, in tiles that a page reads one at a time.

The file begins with MAGIC, the number of bytes of a JSON object as 4 bytes, and this object: `tile` is TILE, `key` is
the key of the page that the file belongs to, `matrices` has for each the `run`, the message size in `bytes`, the number
of `ranks`, and `at`, where its tiles begin. A matrix has whole tiles of TILE x TILE links, row by row, padded at its
ends; a tile has the codes of its links, 1 byte each, then their times. All numbers are little-endian.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Index
from everylink.deviation.scale import FAILED, NOT_MEASURED, Codes
from everylink.deviation.strips import SECONDS, Values, readings_of_a_link, strip
from everylink.deviation.usual import Reference
from everylink.errors import EverylinkError
from everylink.memory import available
from everylink.model.results import Size
from everylink.model.rows import Outcome
from everylink.units import about_bytes_text

MAGIC = b"EVLTILE1"
TILE = 128
LINK_BYTES = 5
STRIP_BYTES = 512 * 2**20  # of links held at the same time, or a quarter of the memory that is free


@dataclass(frozen=True)
class Matrix:
    """The links of a run at one message size, to be written in the order of `places`, [ranks]."""

    run: int
    size: Size
    usual: Reference
    places: Index

    @property
    def tiles(self) -> int:
        """Rows of tiles, and tiles in each row."""
        return -(-len(self.places) // TILE)


def write_tiles(matrices: Sequence[Matrix], key: str, path: Path) -> None:
    """Times are the medians of a link's readings in seconds, -outcome where it failed, and -infinity where there are
    none; codes are as in `scale`. Raises FileDamaged, NotEnoughMemory, EverylinkError if the disk has no room, OSError.
    """
    needed, room = len(_head(matrices, key)) + sum(map(_bytes, matrices)), disk_usage(path.parent).free
    if needed > room:
        raise EverylinkError(
            f"{path}: single links take {about_bytes_text(needed)}, but only {about_bytes_text(room)} are free there"
        )
    with path.open("wb") as file:
        file.write(_head(matrices, key))
        for matrix in matrices:
            _write(matrix, file)


def _head(matrices: Sequence[Matrix], key: str) -> bytes:
    """As long as it is however large the numbers in it are."""
    described = [
        {"run": one.run, "bytes": one.size.bytes, "ranks": len(one.places), "at": f"{0:20}"} for one in matrices
    ]
    head = {"tile": TILE, "key": key, "matrices": described}
    at = len(MAGIC) + 4 + len(json.dumps(head))
    for matrix, one in zip(matrices, described, strict=True):
        one["at"] = f"{at:20}"
        at += _bytes(matrix)
    text = json.dumps(head).encode()
    return MAGIC + struct.pack("<I", len(text)) + text


def _bytes(matrix: Matrix) -> int:
    return matrix.tiles**2 * TILE**2 * LINK_BYTES


def _write(matrix: Matrix, file: BinaryIO) -> None:
    ranks, size = len(matrix.places), matrix.size
    room = max(STRIP_BYTES, (available() or 0) // 4)
    together = max(room // (4 * ranks * readings_of_a_link(size)) // TILE, 1) * TILE
    for begin in range(0, ranks, together):
        end = min(begin + together, ranks)
        seconds = strip(size, matrix.places, begin, end, SECONDS, _seconds)
        for row in range(0, end - begin, TILE):
            _write_row(matrix, seconds[row : row + TILE], begin + row, file)
        del seconds  # before the next ones are read


def _seconds(
    frm: NDArray[np.uint32],
    to: NDArray[np.uint32],
    outcome: NDArray[np.uint8],
    median: NDArray[np.float32],
) -> Values:
    times = np.where(median > 0, median, np.float32(SECONDS.none))
    return np.where(outcome == Outcome.OK, times, -outcome.astype(np.float32))


def _write_row(matrix: Matrix, seconds: NDArray[np.float32], begin: int, file: BinaryIO) -> None:
    """One row of tiles; `seconds` [up to TILE, ranks] from the place `begin` on."""
    codes = _codes(matrix, seconds, begin)
    down, right = TILE - len(seconds), -len(matrix.places) % TILE
    edge = ((0, down), (0, right))
    seconds = np.pad(seconds.astype("<f4"), edge, constant_values=SECONDS.none)
    codes = np.pad(codes, edge, constant_values=NOT_MEASURED)
    for column in range(0, seconds.shape[1], TILE):
        for values in (codes, seconds):
            file.write(values[:, column : column + TILE].tobytes())


def _codes(matrix: Matrix, seconds: NDArray[np.float32], begin: int) -> Codes:
    ranks = np.argsort(matrix.places).astype(np.uint32)  # by place
    rows = np.repeat(ranks[begin : begin + len(seconds)], len(ranks))
    codes = matrix.usual.codes(rows, np.tile(ranks, len(seconds)), seconds.ravel())
    failed = (seconds.ravel() < 0) & np.isfinite(seconds.ravel())
    return np.where(failed, np.int8(FAILED), codes).reshape(seconds.shape)
