"""Reads a matrix of comma-separated values with a header, so that what other programs measured can be judged."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.formats.lines import Damaged, quoted
from everylink.links import CONFIRM, MAIN, Outcome

REQUIRED = ("from", "to", "host_from", "host_to", "bytes", "seconds")
OPTIONAL = ("min", "p99", "max", "mean", "outcome", "late", "n", "attempt")
HOSTS, TIMES = ("host_from", "host_to"), ("seconds", "min", "p99", "max", "mean")
COUNTS = {"from": 2**31 - 2, "to": 2**31 - 2, "bytes": 2**53, "late": 2**32 - 1, "n": 2**32 - 1, "attempt": CONFIRM}
OUTCOME_NAMES = [outcome.name.lower() for outcome in Outcome]
OUTCOMES = {name: i for i, name in enumerate(OUTCOME_NAMES)} | {str(i): i for i in range(len(OUTCOME_NAMES))}
ROWS_AT_A_TIME = 65536
LONGEST_NAME, LONGEST_HEADER = 255, 4096
Column = NDArray[Any]


@dataclass(frozen=True)
class Matrix:
    """Columns of one length by their names in the file, and the host of each rank.

    Of the optional columns only those that the file has; `line` is where each row stands.
    """

    columns: Mapping[str, Column]
    hosts: tuple[str, ...]
    line: NDArray[np.int64]


@dataclass
class _Hosts:
    """What the lines so far say of the hosts of ranks, and the first line that says so."""

    name_of: dict[int, str] = field(default_factory=dict)
    line_of: dict[int, int] = field(default_factory=dict)


def read_matrix(path: Path) -> Matrix:
    """Read the whole file. Raises UserMistake, one line that says where and what would work."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(file)
    except Damaged as damage:
        raise UserMistake(f"{path}, line {damage.line}: {damage}") from None
    except UnicodeError:
        raise UserMistake(f"{path}: is not text in UTF-8; wanted are comma-separated values") from None
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None


def _read(file: IO[str]) -> Matrix:
    names = _header(file.readline(LONGEST_HEADER))
    hosts = _Hosts()
    parts = [_columns(names, rows, lines, hosts) for rows, lines in _rows(file, len(names))]
    if not parts:
        raise Damaged(2, "has no link: the file ends behind its header")
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Matrix(columns, _all_ranks(hosts), columns.pop("line"))


def _header(line: str) -> list[str]:
    if "\0" in line:
        raise Damaged(1, "is not text; wanted are comma-separated values")
    names = [name.strip().strip('"').lower() for name in line.split(",")]
    wanted = f"wanted is {','.join(REQUIRED)} and, where known, {','.join(OPTIONAL)}"
    for name in names:
        if name not in REQUIRED + OPTIONAL:
            for separator in (";", "\t", "|", " "):
                if len(name.split(separator)) >= len(REQUIRED):
                    raise Damaged(1, f"columns are separated by {separator!r}; separate them by commas")
            raise Damaged(1, f"column {quoted(name)} is unknown; {wanted}")
        if names.count(name) > 1:
            raise Damaged(1, f"column {name} is there twice")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise Damaged(1, f"column {missing[0]} is missing; {wanted}")
    return names


def _rows(file: IO[str], width: int) -> Iterator[tuple[list[list[str]], NDArray[np.int64]]]:
    """The lines in portions, so that a large file does not lie in memory as text; empty lines left out."""
    reader = csv.reader(file, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if not row:
                continue
            if len(row) != width:
                raise Damaged(reader.line_num + 1, f"has {len(row)} values, and the header {width}")
            rows.append(row)
            lines.append(reader.line_num + 1)  # the header was read before
            if len(rows) == ROWS_AT_A_TIME:
                yield rows, np.array(lines)
                rows, lines = [], []
    except csv.Error as error:
        raise Damaged(reader.line_num + 1, f"is damaged: {error}") from None
    if rows:
        yield rows, np.array(lines)


def _columns(names: Sequence[str], rows: list[list[str]], lines: NDArray[np.int64], hosts: _Hosts) -> dict[str, Column]:
    """A portion as typed columns, each value checked."""
    text = dict(zip(names, zip(*rows, strict=True), strict=True))
    made: dict[str, Column] = {"line": lines}
    outcome = _outcomes(text["outcome"], lines) if "outcome" in text else np.zeros(len(rows), np.uint8)
    made["outcome"] = outcome
    for name, most in COUNTS.items():
        if name in text:
            made[name] = _counts(name, text[name], lines, most)
    for name in TIMES:
        if name in text:
            made[name] = _times(name, text[name], lines, outcome == Outcome.OK)
    alone = np.flatnonzero(made["from"] == made["to"])
    if len(alone):
        raise Damaged(int(lines[alone[0]]), f"links rank {made['from'][alone[0]]} with itself; leave such lines out")
    for rank, host in (("from", "host_from"), ("to", "host_to")):
        _note_hosts(made[rank], text[host], lines, hosts)
    return made


def _numbers(name: str, texts: Sequence[str], lines: NDArray[np.int64], empty: str) -> NDArray[np.float64]:
    try:
        return np.array([text.strip() or empty for text in texts], np.float64)
    except ValueError:
        for line, text in zip(lines, texts, strict=True):
            try:
                float(text.strip() or empty)
            except ValueError:
                raise Damaged(int(line), f"{name} is {quoted(text)}, a number is wanted") from None
        raise


def _counts(name: str, texts: Sequence[str], lines: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    values = _numbers(name, texts, lines, "x")
    bad = np.flatnonzero(~((values >= 0) & (values <= most) & (values == np.floor(values))))
    if len(bad):
        raise Damaged(int(lines[bad[0]]), f"{name} is {quoted(texts[bad[0]])}, wanted is a whole number up to {most}")
    return values.astype(np.int64)


def _times(name: str, texts: Sequence[str], lines: NDArray[np.int64], ok: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Seconds; those of failed links, and statistics that are not known, may be empty."""
    values = _numbers(name, texts, lines, "nan")
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    possible = np.isfinite(short) & (short > 0)
    unknown = np.isnan(values) & (~ok if name == "seconds" else True)
    bad = np.flatnonzero(~(possible | unknown))
    if len(bad):
        raise Damaged(int(lines[bad[0]]), f"{name} is {quoted(texts[bad[0]])}, a time above 0 in seconds is wanted")
    return np.where(ok, short, np.float32(np.nan))


def _outcomes(texts: Sequence[str], lines: NDArray[np.int64]) -> NDArray[np.uint8]:
    known = {text: OUTCOMES.get(text.strip().lower() or "ok") for text in set(texts)}
    for line, text in zip(lines, texts, strict=True):
        if known[text] is None:
            raise Damaged(int(line), f"outcome {quoted(text)} is unknown; there are {', '.join(OUTCOME_NAMES)}")
    return np.array([known[text] for text in texts], np.uint8)


def _note_hosts(ranks: NDArray[np.int64], texts: Sequence[str], lines: NDArray[np.int64], hosts: _Hosts) -> None:
    for rank, text, line in zip(ranks.tolist(), texts, lines.tolist(), strict=True):
        known = hosts.name_of.get(rank)
        if known is None:
            _check_name(text, line)
            hosts.name_of[rank], hosts.line_of[rank] = text, line
        elif known != text:
            where = f"and on {quoted(known)} in line {hosts.line_of[rank]}"
            raise Damaged(line, f"rank {rank} is on host {quoted(text)}, {where}; a rank has one host")


def _check_name(text: str, line: int) -> None:
    if not text.strip() or len(text) > LONGEST_NAME or not text.isprintable():
        raise Damaged(line, f"{quoted(text)} is no name of a host")


def _all_ranks(hosts: _Hosts) -> tuple[str, ...]:
    """The host of each rank; ranks without a line have none, so there may be no gap."""
    ranks = sorted(hosts.name_of)
    for expected, rank in enumerate(ranks):
        if rank != expected:
            what = f"has rank {rank}, but rank {expected} is in no line; number the ranks 0, 1, 2, ..."
            raise Damaged(hosts.line_of[rank], what)
    return tuple(hosts.name_of[rank] for rank in ranks)


def attempts(matrix: Matrix) -> NDArray[np.uint8]:
    """The attempt of each row; the main run where the file does not say."""
    given = matrix.columns.get("attempt")
    return np.full(len(matrix.line), MAIN, np.uint8) if given is None else given.astype(np.uint8)
