"""Reads a communication pattern of comma-separated values: from,to,bytes, a message a line."""

import csv
import stat
from array import array
from pathlib import Path
from typing import IO

import numpy as np

from everylink.analysis.patterns import Pattern, listed_pattern
from everylink.errors import UserMistake
from everylink.formats.lines import Damaged, quoted

HEADER = ["from", "to", "bytes"]
MOST_BYTES, MOST_MESSAGES = 2**53, 4_000_000
LONGEST_LINE = 256


def read_pattern(path: Path, ranks: int) -> Pattern:
    """Read a file whose ranks are those of a run. Raises UserMistake, one line that says where."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise UserMistake(f"--pattern {path}: is a folder, a pipe or a device, not a file")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = _rows(file, ranks)
    except Damaged as damage:
        raise UserMistake(f"--pattern {path}, line {damage.line}: {damage}") from None
    except UnicodeError:
        raise UserMistake(f"--pattern {path}: is not text in UTF-8; wanted are lines of {','.join(HEADER)}") from None
    except OSError as error:
        raise UserMistake(f"--pattern {path}: cannot be read: {error.strerror}") from None
    return listed_pattern(path.name, ranks, *np.array(rows).reshape(-1, len(HEADER)).T.copy())


def _rows(file: IO[str], ranks: int) -> "array[int]":
    """All messages, one behind the other: from, to, bytes."""
    names = [name.strip().lower() for name in file.readline(LONGEST_LINE).split(",")]
    if names != HEADER:
        raise Damaged(1, f"is {quoted(','.join(names))}; wanted is {','.join(HEADER)}")
    reader = csv.reader(iter(lambda: file.readline(LONGEST_LINE), ""), strict=True)
    rows = array("q")
    try:
        for row in reader:
            if row:
                rows.extend(_row(row, reader.line_num + 1, ranks))
            if len(rows) > len(HEADER) * MOST_MESSAGES:
                raise Damaged(reader.line_num + 1, f"is one message more than the {MOST_MESSAGES} that are taken")
    except csv.Error as error:
        raise Damaged(reader.line_num + 1, f"is damaged: {error}") from None
    if not rows:
        raise Damaged(2, "has no message: the file ends behind its header")
    return rows


def _row(row: list[str], line: int, ranks: int) -> tuple[int, int, int]:
    if len(row) != len(HEADER):
        raise Damaged(line, f"has {len(row)} values, and the header {len(HEADER)}")
    frm, to = (_number(name, text, line, 2**31) for name, text in zip(HEADER, row[:2], strict=False))
    for rank in (frm, to):
        if rank >= ranks:
            raise Damaged(line, f"there is no rank {rank}: the run has ranks 0 to {ranks - 1}")
    if frm == to:
        raise Damaged(line, f"rank {frm} sends to itself; leave such lines out")
    return frm, to, _number("bytes", row[2], line, MOST_BYTES)


def _number(name: str, text: str, line: int, most: int) -> int:
    word = text.strip()
    if not (word.isascii() and word.isdigit() and len(word) < 20 and int(word) <= most):
        raise Damaged(line, f"{name} is {quoted(text)}, wanted is a whole number up to {most}")
    return int(word)
