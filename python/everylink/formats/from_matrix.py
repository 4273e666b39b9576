"""Turns the columns of a matrix into results, a row a link for each size."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.formats.bare import bare_facts, bare_ranks, bare_steps, counted_hosts
from everylink.formats.csv_matrix import Matrix, attempts
from everylink.links import MAIN, Outcome, Rows
from everylink.results import UNKNOWN, Facts, Results, Size

TRANSPORT = "csv"  # who carried the messages is not in such a file


@dataclass(frozen=True)
class Source:
    """Where a matrix comes from; `kernel` says whether a time is that of one direction."""

    path: Path
    created: str
    command: str
    kernel: str


def results_of(matrix: Matrix, source: Source, path: Path) -> Results:
    """Results to be written to `path`. Raises UserMistake where a link is there twice, or missing in a size."""
    sizes = np.unique(matrix.columns["bytes"])
    ranks = len(matrix.hosts)
    rows = {int(size): _rows(matrix, _ordered(matrix, int(size), source.path)) for size in sizes}
    _refuse_unequal(rows, source.path)
    count = 1 + max(int(part.step.max()) for part in rows.values())
    steps = bare_steps(count)
    made = tuple(Size(size, 0, ranks, part) for size, part in rows.items())
    return Results(path, _facts(matrix, source), bare_ranks(*counted_hosts(matrix.hosts)), steps, made)


def _ordered(matrix: Matrix, size: int, source: Path) -> NDArray[np.intp]:
    """The rows of a size by attempt, from, to; so all sizes have their links in one order."""
    columns, attempt = matrix.columns, attempts(matrix)
    chosen = np.flatnonzero(columns["bytes"] == size)
    order = chosen[np.lexsort((columns["to"][chosen], columns["from"][chosen], attempt[chosen]))]
    main = order[attempt[order] == MAIN]
    frm, to = columns["from"][main], columns["to"][main]
    twice = np.flatnonzero((np.diff(frm) == 0) & (np.diff(to) == 0))
    if len(twice):
        first, second = sorted(matrix.line[main[twice[0] : twice[0] + 2]].tolist())
        link = f"{frm[twice[0]]} -> {to[twice[0]]} with {size} bytes"
        raise UserMistake(
            f"{source}, line {second}: link {link} is in line {first} too; later times have attempt 1 to 3"
        )
    return order


def _rows(matrix: Matrix, index: NDArray[np.intp]) -> Rows:
    columns, attempt = matrix.columns, attempts(matrix)[index]
    frm, to = columns["from"][index].astype(np.uint32), columns["to"][index].astype(np.uint32)
    count = len(index)
    ok = columns["outcome"][index] == Outcome.OK

    def times(name: str) -> NDArray[np.float32]:
        return columns[name][index] if name in columns else np.full(count, np.nan, np.float32)

    def counts(name: str, otherwise: int) -> NDArray[np.uint32]:
        given = columns[name][index] if name in columns else np.full(count, otherwise)
        return np.where(ok, given, 0).astype(np.uint32)

    return Rows(
        frm=frm, to=to, step=_turn(attempt, frm, to), attempt=attempt, outcome=columns["outcome"][index],
        arrived=np.full(count, -1, np.int32), setup=np.full(count, np.nan, np.float32), n=counts("n", 1),
        min=times("min"), median=times("seconds"), mean=times("mean"), p99=times("p99"), max=times("max"),
        late=counts("late", 0), all_to_all=np.full(count, np.nan, np.float32),
    )  # fmt: skip


def _turn(*columns: NDArray[Any]) -> NDArray[np.uint32]:
    """How often the same stands before each row; equal rows stand together. In no step is a link measured twice."""
    changes = np.any([np.diff(column.astype(np.int64)) != 0 for column in columns], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    place = np.arange(len(columns[0]))
    return np.asarray(place - np.repeat(starts, np.diff(starts, append=len(place))), np.uint32)


def _refuse_unequal(rows: dict[int, Rows], source: Path) -> None:
    """In a results file row i is the same link in every size."""
    first, *others = rows
    for size in others:
        a, b = (np.stack([r.attempt.astype(np.int64), r.frm, r.to]) for r in (rows[first], rows[size]))
        if np.array_equal(a, b):
            continue
        counts = [Counter(zip(*columns.tolist(), strict=True)) for columns in (a, b)]
        more, less = (first, size) if counts[0] - counts[1] else (size, first)
        _, frm, to = min(counts[0] - counts[1] or counts[1] - counts[0])
        what = f"link {frm} -> {to} has more lines with {more} bytes than with {less}"
        raise UserMistake(f"{source}: {what}; add what is missing (with its outcome), or make a file of each size")


def _facts(matrix: Matrix, source: Source) -> Facts:
    messages = int(matrix.columns["n"].max()) if "n" in matrix.columns else 1
    return bare_facts(
        source.kernel, created=source.created, command=source.command, transport=TRANSPORT, bootstrap=UNKNOWN,
        memory=UNKNOWN, schedule=UNKNOWN, ranks=len(matrix.hosts), hosts=len(set(matrix.hosts)), messages=messages,
    )  # fmt: skip
