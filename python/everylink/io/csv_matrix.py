"""Comma-separated values with a header: reads what other programs measured, and writes results for them."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.files import Damaged, atomic_write, quoted
from everylink.io.foreign import bare_facts, bare_ranks, bare_steps, counted_hosts, has_details, run_losses
from everylink.io.formats import Format, register
from everylink.model.links import Links
from everylink.model.results import UNKNOWN, Facts, Results, Size
from everylink.model.rows import ATTEMPT_NAMES, MAIN, Outcome, Rows, chosen
from everylink.units import plural

REQUIRED = ("from", "to", "host_from", "host_to", "bytes", "seconds")
OPTIONAL = ("min", "p99", "max", "mean", "outcome", "late", "n", "step", "attempt")
HOSTS, TIMES = ("host_from", "host_to"), ("seconds", "min", "p99", "max", "mean")
MOST_STEPS = 2**24  # the results file has a table of them
COUNTS = {"from": 2**31 - 2, "to": 2**31 - 2, "bytes": 2**53, "late": 2**32 - 1, "n": 2**32 - 1, "step": MOST_STEPS - 1}
ATTEMPTS = {name: i for i, name in enumerate(ATTEMPT_NAMES)} | {str(i): i for i in range(len(ATTEMPT_NAMES))}
OUTCOME_NAMES = [outcome.name.lower() for outcome in Outcome]
OUTCOMES = {name: i for i, name in enumerate(OUTCOME_NAMES)} | {str(i): i for i in range(len(OUTCOME_NAMES))}
ROWS_AT_A_TIME = 65536
LONGEST_NAME, LONGEST_HEADER = 255, 4096
Column = NDArray[Any]
COLUMNS = REQUIRED + OPTIONAL


@dataclass(frozen=True)
class Matrix:
    """Columns by their names in the file, shape [rows] each, and the host of each rank.

    Optional columns are absent if the file lacks them. `line` is the line number of each row.
    """

    columns: Mapping[str, Column]
    hosts: tuple[str, ...]
    line: NDArray[np.int64]


@dataclass
class _Hosts:
    """The host of each rank seen so far, and the first line that names it."""

    name_of: dict[int, str] = field(default_factory=dict)
    line_of: dict[int, int] = field(default_factory=dict)


def read_matrix(path: Path) -> Matrix:
    """Read the whole file. Raises UserMistake with the line number and the expected form."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return _read(file)
    except Damaged as damage:
        raise UserMistake(f"{path}, line {damage.line}: {damage}") from None
    except UnicodeError:
        raise UserMistake(f"{path}: is not text in UTF-8; expected comma-separated values") from None
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None


def _read(file: IO[str]) -> Matrix:
    names = _header(file.readline(LONGEST_HEADER))
    hosts = _Hosts()
    parts = [_columns(names, rows, lines, hosts) for rows, lines in _rows(file, len(names))]
    if not parts:
        raise Damaged(2, "has no link: the file ends after its header")
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Matrix(columns, _all_ranks(hosts), columns.pop("line"))


def _header(line: str) -> list[str]:
    if "\0" in line:
        raise Damaged(1, "is not text; expected comma-separated values")
    names = [name.strip().strip('"').lower() for name in line.split(",")]
    wanted = f"expected {','.join(REQUIRED)} and, where known, {','.join(OPTIONAL)}"
    for name in names:
        if name not in REQUIRED + OPTIONAL:
            for separator in (";", "\t", "|", " "):
                if len(name.split(separator)) >= len(REQUIRED):
                    raise Damaged(1, f"columns are separated by {separator!r}; separate them by commas")
            raise Damaged(1, f"column {quoted(name)} is unknown; {wanted}")
        if names.count(name) > 1:
            raise Damaged(1, f"column {name} occurs twice")
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise Damaged(1, f"column {missing[0]} is missing; {wanted}")
    return names


def _rows(file: IO[str], width: int) -> Iterator[tuple[list[list[str]], NDArray[np.int64]]]:
    """Rows in portions of ROWS_AT_A_TIME, so that a large file is never in memory as text. Empty lines are skipped."""
    reader = csv.reader(file, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        for row in reader:
            if not row:
                continue
            if len(row) != width:
                raise Damaged(reader.line_num + 1, f"has {plural(len(row), 'value')}, but the header has {width}")
            rows.append(row)
            lines.append(reader.line_num + 1)  # the reader does not count the header
            if len(rows) == ROWS_AT_A_TIME:
                yield rows, np.array(lines)
                rows, lines = [], []
    except csv.Error as error:
        raise Damaged(reader.line_num + 1, f"is damaged: {error}") from None
    if rows:
        yield rows, np.array(lines)


def _columns(names: Sequence[str], rows: list[list[str]], lines: NDArray[np.int64], hosts: _Hosts) -> dict[str, Column]:
    """A portion as typed, checked columns."""
    text = dict(zip(names, zip(*rows, strict=True), strict=True))
    made: dict[str, Column] = {"line": lines}
    if "attempt" in text:
        made["attempt"] = _named("attempt", text["attempt"], lines, ATTEMPTS, "")
    known = "outcome" in text
    outcome = _named("outcome", text["outcome"], lines, OUTCOMES, "ok") if known else np.zeros(len(rows), np.uint8)
    made["outcome"] = outcome
    for name, most in COUNTS.items():
        if name in text:
            of_readings = outcome != Outcome.OK if name in ("late", "n") else np.zeros(len(rows), bool)
            made[name] = _counts(name, text[name], lines, most, of_readings)
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
                raise Damaged(int(line), f"{name} is {quoted(text)}; expected a number") from None
        raise


def _counts(
    name: str, texts: Sequence[str], lines: NDArray[np.int64], most: int, may_lack: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """`may_lack`: where an empty text means 0."""
    given = ["0" if lacks and not text.strip() else text for text, lacks in zip(texts, may_lack.tolist(), strict=True)]
    values = _numbers(name, given, lines, "x")
    bad = np.flatnonzero(~((values >= 0) & (values <= most) & (values == np.floor(values))))
    if len(bad):
        raise Damaged(int(lines[bad[0]]), f"{name} is {quoted(texts[bad[0]])}; expected a whole number up to {most}")
    return values.astype(np.int64)


def _times(name: str, texts: Sequence[str], lines: NDArray[np.int64], ok: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Seconds. Times of failed links and unknown statistics may be empty."""
    values = _numbers(name, texts, lines, "nan")
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    possible = np.isfinite(short) & (short > 0)
    unknown = np.isnan(values) & (~ok if name == "seconds" else True)
    bad = np.flatnonzero(~(possible | unknown))
    if len(bad):
        raise Damaged(int(lines[bad[0]]), f"{name} is {quoted(texts[bad[0]])}; expected a time above 0 in seconds")
    return np.where(ok, short, np.float32(np.nan))


def _named(
    name: str, texts: Sequence[str], lines: NDArray[np.int64], meant: Mapping[str, int], empty: str
) -> NDArray[np.uint8]:
    """A column of names or of their numbers; `empty`: what an empty text means."""
    known = {text: meant.get(text.strip().lower() or empty) for text in set(texts)}
    for line, text in zip(lines, texts, strict=True):
        if known[text] is None:
            names = ", ".join(one for one in meant if not one.isdigit())
            raise Damaged(
                int(line), f"{name} {quoted(text)} is unknown; use {names}, or their numbers 0 to {max(meant.values())}"
            )
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
        raise Damaged(line, f"{quoted(text)} is not a host name")


def _all_ranks(hosts: _Hosts) -> tuple[str, ...]:
    """The host of each rank. Every rank needs a line that names its host, so gaps are refused."""
    ranks = sorted(hosts.name_of)
    for expected, rank in enumerate(ranks):
        if rank != expected:
            what = f"has rank {rank}, but no line has rank {expected}; number the ranks 0, 1, 2, ..."
            raise Damaged(hosts.line_of[rank], what)
    return tuple(hosts.name_of[rank] for rank in ranks)


def attempts(matrix: Matrix) -> NDArray[np.uint8]:
    """The attempt of each row; MAIN if the file has no such column."""
    given = matrix.columns.get("attempt")
    return np.full(len(matrix.line), MAIN, np.uint8) if given is None else given


@dataclass(frozen=True)
class Source:
    """The origin of a matrix; `kernel` defines what its times mean."""

    path: Path
    created: str
    command: str
    kernel: str


def results_of(matrix: Matrix, source: Source, path: Path) -> Results:
    """Results to be written to `path`. Raises UserMistake if a link occurs twice, or is missing in a size."""
    sizes = np.unique(matrix.columns["bytes"])
    ranks = len(matrix.hosts)
    rows = {int(size): _rows_of(matrix, _ordered(matrix, int(size), source.path)) for size in sizes}
    _refuse_unequal(rows, source.path)
    count = 1 + max(int(part.step.max()) for part in rows.values())
    steps = bare_steps(count)
    made = tuple(Size(size, 0, ranks, part) for size, part in rows.items())
    return Results(path, _matrix_facts(matrix, source), bare_ranks(*counted_hosts(matrix.hosts)), steps, made)


def _ordered(matrix: Matrix, size: int, source: Path) -> NDArray[np.intp]:
    """Indices of the rows of a size, sorted by attempt, step, from, to, so that all sizes have the same order."""
    columns = matrix.columns
    chosen = np.flatnonzero(columns["bytes"] == size)
    keys = [attempts(matrix), *([columns["step"]] if "step" in columns else []), columns["from"], columns["to"]]
    order = chosen[np.lexsort([key[chosen] for key in reversed(keys)])]
    once = order if "step" in columns else order[keys[0][order] == MAIN]
    twice = np.flatnonzero(np.all([np.diff(key[once].astype(np.int64)) == 0 for key in keys], axis=0))
    if len(twice):
        first, second = sorted(matrix.line[once[twice[0] : twice[0] + 2]].tolist())
        link = f"{columns['from'][once[twice[0]]]} -> {columns['to'][once[twice[0]]]} with {size} bytes"
        advice = "another step" if "step" in columns else "a step, or another attempt"
        raise UserMistake(
            f"{source}, line {second}: link {link} is also in line {first}; give repeated measurements {advice}"
        )
    return order


def _rows_of(matrix: Matrix, index: NDArray[np.intp]) -> Rows:
    columns, attempt = matrix.columns, attempts(matrix)[index]
    frm, to = columns["from"][index].astype(np.uint32), columns["to"][index].astype(np.uint32)
    count = len(index)
    ok = columns["outcome"][index] == Outcome.OK

    step = columns["step"][index].astype(np.uint32) if "step" in columns else _turn(attempt, frm, to)

    def times(name: str) -> NDArray[np.float32]:
        return columns[name][index] if name in columns else np.full(count, np.nan, np.float32)

    def counts(name: str, otherwise: int) -> NDArray[np.uint32]:
        given = columns[name][index] if name in columns else np.full(count, otherwise)
        return np.where(ok, given, 0).astype(np.uint32)

    return Rows(
        frm=frm, to=to, step=step, attempt=attempt, outcome=columns["outcome"][index],
        arrived=np.full(count, -1, np.int32), setup=np.full(count, np.nan, np.float32), n=counts("n", 1),
        min=times("min"), median=times("seconds"), mean=times("mean"), p99=times("p99"), max=times("max"),
        late=counts("late", 0), all_to_all=np.full(count, np.nan, np.float32),
    )  # fmt: skip


def _turn(*columns: NDArray[Any]) -> NDArray[np.uint32]:
    """The number of equal rows before each row, in sorted rows. Used as step, since a step has a link only once."""
    changes = np.any([np.diff(column.astype(np.int64)) != 0 for column in columns], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    place = np.arange(len(columns[0]))
    return np.asarray(place - np.repeat(starts, np.diff(starts, append=len(place))), np.uint32)


def _refuse_unequal(rows: dict[int, Rows], source: Path) -> None:
    """Raise UserMistake unless row i is the same link in every size, as a results file requires."""
    first, *others = rows
    for size in others:
        a, b = (np.stack([r.attempt.astype(np.int64), r.step, r.frm, r.to]) for r in (rows[first], rows[size]))
        if np.array_equal(a, b):
            continue
        counts = [Counter(zip(*columns.tolist(), strict=True)) for columns in (a, b)]
        more, less = (first, size) if counts[0] - counts[1] else (size, first)
        *_, frm, to = min(counts[0] - counts[1] or counts[1] - counts[0])
        what = f"link {frm} -> {to} has more lines with {more} bytes than with {less}"
        raise UserMistake(f"{source}: {what}; add the missing lines (with outcome), or use one file per size")


def _matrix_facts(matrix: Matrix, source: Source) -> Facts:
    messages = int(matrix.columns["n"].max()) if "n" in matrix.columns else 1
    return bare_facts(
        source.kernel, created=source.created, command=source.command, transport=UNKNOWN, bootstrap=UNKNOWN,
        memory=UNKNOWN, schedule=UNKNOWN, ranks=len(matrix.hosts), hosts=len(set(matrix.hosts)), messages=messages,
    )  # fmt: skip


def write_csv(results: Results, force: bool = False) -> list[str]:
    """Write all sizes to the path of the results. Returns a line for each thing that the file cannot hold.

    Raises UserMistake if the file could not be read again, or cannot be written.
    """
    _refuse_unreadable(results)
    with atomic_write(results.path, force) as new, new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        with_steps = _steps_differ(results)
        writer.writerow([name for name in COLUMNS if with_steps or name != "step"])
        for size in results.sizes:
            for part in (size.rows,) if with_steps else (size.links, chosen(size.rows, size.rows.attempt != MAIN)):
                writer.writerows(_lines(part, results, size.bytes, with_steps))
    return list(_losses(results, with_steps))


def _steps_differ(results: Results) -> bool:
    """Whether steps tell the measurements of a link in one attempt apart. Older simulated files have one step."""
    for size in results.sizes:
        columns = (size.rows.frm, size.rows.to, size.rows.step, size.rows.attempt)
        order = np.lexsort(columns)
        if (
            len(order) > 1
            and np.all([np.diff(column[order].astype(np.int64)) == 0 for column in columns], axis=0).any()
        ):
            return False
    return True


def _lines(links: Links | Rows, results: Results, size_bytes: int, with_steps: bool) -> Iterator[tuple[Any, ...]]:
    hosts = results.ranks.host
    attempt = links.attempt.tolist() if isinstance(links, Rows) else repeat(MAIN, len(links.frm))
    step = [links.step.tolist()] if with_steps and isinstance(links, Rows) else []
    frm, to = links.frm.tolist(), links.to.tolist()
    ok = links.outcome == Outcome.OK
    times = (_texts(np.where(ok, getattr(links, name), np.float32(np.nan))) for name in ("min", "p99", "max", "mean"))
    # a link without a median has a mean
    seconds = _texts(np.where(np.isfinite(links.median), links.median, links.mean))
    outcomes = (OUTCOME_NAMES[outcome] for outcome in links.outcome.tolist())
    return zip(
        frm, to, (hosts[rank] for rank in frm), (hosts[rank] for rank in to), repeat(size_bytes, len(frm)), seconds,
        *times, outcomes, links.late.tolist(), links.n.tolist(), *step, attempt, strict=True,
    )  # fmt: skip


def _texts(values: NDArray[np.float32]) -> list[str]:
    """The shortest texts that read back as the same float32; empty without a time."""
    known = np.isfinite(values) & (values > 0)
    return [str(value) if there else "" for value, there in zip(values, known.tolist(), strict=True)]


def _refuse_unreadable(results: Results) -> None:
    if not any(len(size.rows.frm) for size in results.sizes):
        raise UserMistake(f"{results.path}: there is no link to write")
    for size in results.sizes:
        linked = np.zeros(len(results.ranks), bool)
        linked[size.rows.frm], linked[size.rows.to] = True, True
        missing = np.flatnonzero(~linked)
        if len(missing) and missing[0] < np.flatnonzero(linked).max():
            raise UserMistake(f"{results.path}: rank {missing[0]} has no link, so no line can name its host")
        if size.rows.outcome.max() >= len(OUTCOME_NAMES):
            raise UserMistake(f"{results.path}: outcome {size.rows.outcome.max()} has no name")
        ok = size.rows.outcome == Outcome.OK
        if not ((size.rows.median > 0) | (size.rows.mean > 0))[ok].all():
            raise UserMistake(f"{results.path}: a link that is ok has no time above 0, which its line requires")


def _losses(results: Results, with_steps: bool) -> Iterator[str]:
    rows = results.sizes[-1].rows
    if not with_steps and int(np.count_nonzero(rows.attempt == MAIN)) > len(results.sizes[-1].links):
        yield "the values of each pass, only those of all passes together"
    if np.isfinite(rows.all_to_all).any():
        yield "the times of the all-to-all"
    if has_details(rows):
        yield "the times of connecting and the numbers of messages that arrived"
    if without := len(results.ranks) - 1 - int(max(rows.frm.max(), rows.to.max())):
        yield f"{plural(without, 'rank')} without a link"
    yield from run_losses(results)


register(Format(".csv", "comma-separated values", write_csv))
