"""Text tables for gnuplot, awk and NumPy, and pictures with one pixel per cell."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

SCHEMA = "everylink-table/1"
GAP = "  "
WIDTHS = {"d": 8, ".8e": 15, ".8g": 15, "s": 0}  # s is text, which follows all numbers
AT_ONCE = 2**16


@dataclass(frozen=True)
class Column:
    """`name` includes the unit, `time (s)`; `kind` is the format of its values, a key of WIDTHS."""

    name: str
    kind: str


@dataclass(frozen=True)
class Table:
    """Rows in blocks, each a sequence of columns of equal length. A blank line separates blocks."""

    heading: tuple[str, ...]
    columns: tuple[Column, ...]
    blocks: Iterable[Sequence[Any]]


def write_table(table: Table, file: IO[str]) -> None:
    """Write the heading, the names of the columns and all rows. Unknown numbers are NaN, unknown texts are -."""
    for line in table.heading:
        file.write(f"# {line}\n")
    widths = [max(WIDTHS[c.kind], len(c.name) + 1) for c in table.columns]
    file.write("#" + GAP.join(_aligned(c.name, c.kind, w) for c, w in zip(table.columns, widths, strict=True))[1:])
    file.write("\n")
    first = True
    for block in table.blocks:
        file.write("" if first else "\n")
        first = False
        for begin in range(0, len(block[0]), AT_ONCE):
            cells = [
                [_aligned(_text(v, c.kind), c.kind, w) for v in _listed(values[begin : begin + AT_ONCE])]
                for c, values, w in zip(table.columns, block, widths, strict=True)
            ]
            file.writelines(f"{GAP.join(row)}\n" for row in zip(*cells, strict=True))


def write_table_json(table: Table, file: IO[str]) -> None:
    """Write the table as one JSON object, a row per line. Unknown numbers are null."""
    head = {"schema": SCHEMA, "heading": table.heading, "columns": [column.name for column in table.columns]}
    file.write(f'{json.dumps(head)[:-1]}, "rows": [')
    before = "\n"
    for block in table.blocks:
        for row in zip(*map(_listed, block), strict=True):
            file.write(before + json.dumps([None if value != value else value for value in row]))
            before = ",\n"
    file.write("\n]}\n")


def _listed(values: Any) -> Sequence[Any]:
    return list(values.tolist() if isinstance(values, np.ndarray) else values)


def _aligned(text: str, kind: str, width: int) -> str:
    return text if kind == "s" else f"{text:>{width}}"


def _text(value: Any, kind: str) -> str:
    if kind == "s":
        return " ".join(value.split()) or "-"
    return "NaN" if value != value else f"{value:{kind}}"


def write_ppm(path: Path, image: NDArray[np.uint8], remarks: Sequence[str]) -> None:
    """Write a PPM file of colours, shape [height, width, 3], with the remarks as comments in its header."""
    height, width, _ = image.shape
    said = "".join(f"# {remark}\n" for remark in remarks).encode("ascii", "replace")
    path.write_bytes(b"P6\n" + said + f"{width} {height}\n255\n".encode() + image.tobytes())
