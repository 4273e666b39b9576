"""Makes one entry a link from measured rows: the main rows pooled, or the newest row of a later attempt."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

STATISTICS = ("min", "median", "mean", "p99", "max")
MAIN, RETEST, ALONE, CONFIRM, DIRECTION = 0, 1, 2, 3, 4
MISSING = "missing"  # metadata of a column that not every file has: what stands in for it
Index = NDArray[np.int64]
SPARSE, SMALL_TABLE = 64, 2**20  # a table of all links is made where it has no more cells than this for each row
BLOCK = 2**20  # rows that are looked at together: more need more memory, and are no faster


class Outcome(IntEnum):
    """How measuring a link ended, numbered as in the file."""

    OK = 0
    TIMEOUT = 1
    BROKEN = 2
    CORRUPT = 3
    ABSENT = 4
    PRESUMED = 5


OUTCOME_TEXTS = {
    Outcome.OK: "ok",
    Outcome.TIMEOUT: "timed out",
    Outcome.BROKEN: "broke",
    Outcome.CORRUPT: "delivered wrong bytes",
    Outcome.ABSENT: "found the peer gone",
    Outcome.PRESUMED: "not tried, the rank is dark",
}


def outcome_text(outcome: int) -> str:
    """What an outcome says of a link, in the words of everylink-measure; also one that this version does not know."""
    return OUTCOME_TEXTS.get(Outcome(outcome), "") if outcome in set(Outcome) else f"outcome {outcome}"


@dataclass(frozen=True)
class Rows:
    """One entry for each time that a link was measured; times in seconds, NaN where not known."""

    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    step: NDArray[np.uint32]
    attempt: NDArray[np.uint8]
    outcome: NDArray[np.uint8]
    arrived: NDArray[np.int32]
    setup: NDArray[np.float32]
    n: NDArray[np.uint32]
    min: NDArray[np.float32]
    median: NDArray[np.float32]
    mean: NDArray[np.float32]
    p99: NDArray[np.float32]
    max: NDArray[np.float32]
    late: NDArray[np.uint32]
    all_to_all: NDArray[np.float32] = field(metadata={MISSING: np.nan})

    def __len__(self) -> int:
        return len(self.frm)

    def blocks(self, *names: str) -> Iterator[tuple[NDArray[Any], ...]]:
        """These columns, some rows at a time, in order."""
        for begin in range(0, len(self), BLOCK):
            yield tuple(getattr(self, name)[begin : begin + BLOCK] for name in names)

    def held(self) -> "Rows":
        """The same with all columns in memory."""
        return self

    def without(self, numbers: Index) -> "Rows":
        """Less the rows of these numbers."""
        return Rows(**{name: np.delete(column, numbers) for name, column in columns(self).items()})

    def with_others(self, numbers: Sequence[int], others: "Rows", added: "Rows") -> "Rows":
        """With other rows in the place of those of these numbers, and more of them at the end."""
        placed = {name: column.copy() for name, column in columns(self).items()}
        for name, column in placed.items():
            column[list(numbers)] = getattr(others, name)
        return joined([Rows(**placed), added])

    def with_more(self, more: Sequence["Rows"]) -> "Rows":
        """With more rows at the end."""
        return joined([self, *more])

    def of_attempt(self, attempt: int) -> "Rows":
        """The rows of one attempt, in their order."""
        return chosen(self, self.attempt == attempt)


@dataclass(frozen=True)
class Links:
    """One entry a link, ordered by (from, to), all arrays of one length.

    Times in seconds come from the rows that ended ok, NaN where there is none. A link has failed if any of its rows
    did; `outcome` is that of its first failed row.
    """

    frm: NDArray[np.uint32]
    to: NDArray[np.uint32]
    outcome: NDArray[np.uint8]
    n: NDArray[np.int64]
    late: NDArray[np.int64]
    min: NDArray[np.float32]
    median: NDArray[np.float32]
    mean: NDArray[np.float32]
    p99: NDArray[np.float32]
    max: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.frm)

    @property
    def failed(self) -> NDArray[np.bool_]:
        return np.not_equal(self.outcome, Outcome.OK)

    def statistic(self, name: str) -> NDArray[np.float32]:
        """One of STATISTICS by its name, shape [links], seconds."""
        values: NDArray[np.float32] = getattr(self, name)
        return values

    def matrix(self, name: str, ranks: int) -> NDArray[np.float32]:
        """A statistic as [from, to], shape [ranks, ranks], seconds; NaN where no row says otherwise."""
        matrix = np.full((ranks, ranks), np.nan, np.float32)
        matrix[self.frm, self.to] = self.statistic(name)
        return matrix

    def outcome_matrix(self, ranks: int) -> NDArray[np.int16]:
        """The outcome as [from, to], shape [ranks, ranks]; -1 where the link was not measured."""
        matrix = np.full((ranks, ranks), -1, np.int16)
        matrix[self.frm, self.to] = self.outcome
        return matrix


def keys(links: Rows | Links, ranks: int) -> NDArray[np.int64]:
    """A number for each link, the same for the same one, ascending by (from, to)."""
    return np.asarray(links.frm.astype(np.int64) * ranks + links.to)


def columns(rows: Rows) -> dict[str, NDArray[Any]]:
    """All columns by their names here."""
    return {field.name: getattr(rows, field.name) for field in fields(Rows)}


def chosen(rows: Rows, which: NDArray[np.bool_ | np.integer]) -> Rows:
    """The rows of a mask, or of these numbers."""
    return Rows(**{name: column[which] for name, column in columns(rows).items()})


def joined(parts: Iterable[Rows]) -> Rows:
    """Rows one behind the other."""
    kept = list(parts)
    return Rows(**{name: np.concatenate([getattr(part, name) for part in kept]) for name in columns(kept[0])})


def pool(rows: Rows, ranks: int) -> Links:
    """Pool the main rows of each link.

    min of min, max of max, mean weighted by n, median of medians, median of p99; n and late are summed.
    """
    main = np.flatnonzero(rows.attempt == MAIN)
    key = keys(rows, ranks)[main]
    order = np.argsort(key, kind="stable")
    index, key = main[order], key[order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    first = index[starts]
    ok = rows.outcome[index] == Outcome.OK
    n = np.where(ok, rows.n[index], 0).astype(np.int64)
    values = {name: np.where(ok, getattr(rows, name)[index], np.float32(np.nan)) for name in STATISTICS}
    if len(starts) == len(index):
        late = np.where(ok, rows.late[index], 0).astype(np.int64)
        return Links(rows.frm[index], rows.to[index], rows.outcome[index], n, late, **values)
    return Links(
        rows.frm[first],
        rows.to[first],
        _first_failure(rows.outcome[index], starts),
        np.add.reduceat(n, starts),
        np.add.reduceat(np.where(ok, rows.late[index], 0).astype(np.int64), starts),
        np.fmin.reduceat(values["min"], starts),
        _group_median(values["median"], key, starts),
        _weighted_mean(values["mean"], n, starts),
        _group_median(values["p99"], key, starts),
        np.fmax.reduceat(values["max"], starts),
    )


def newest(rows: Rows, ranks: int, attempt: int) -> Links:
    """The last row of each link that was measured in this attempt; times are kept as they are, of failed rows too."""
    those = rows.of_attempt(attempt)
    key = keys(those, ranks)
    order = np.argsort(key, kind="stable")
    is_last = np.diff(key[order], append=-1) != 0
    last = chosen(those, order[is_last])
    counts = (last.n.astype(np.int64), last.late.astype(np.int64))
    return Links(last.frm, last.to, last.outcome, *counts, **{name: getattr(last, name) for name in STATISTICS})


def _first_failure(outcome: NDArray[np.uint8], starts: NDArray[np.intp]) -> NDArray[np.uint8]:
    none = len(outcome)
    where = np.minimum.reduceat(np.where(outcome != Outcome.OK, np.arange(none), none), starts)
    return np.where(where < none, outcome[np.minimum(where, none - 1)], np.uint8(Outcome.OK))


def _group_median(values: NDArray[np.float32], key: NDArray[np.int64], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The median of each group's known values; a group begins at each of `starts`."""
    ordered = values[np.lexsort((values, key))]  # NaN sorts behind every number
    known = np.add.reduceat(np.isfinite(values).astype(np.intp), starts)
    low = ordered[starts + np.maximum(known - 1, 0) // 2]
    high = ordered[starts + np.minimum(known // 2, np.maximum(known - 1, 0))]
    return np.asarray((low.astype(np.float64) + high) / 2, np.float32)


def _weighted_mean(values: NDArray[np.float32], n: NDArray[np.int64], starts: NDArray[np.intp]) -> NDArray[np.float32]:
    weight = np.where(np.isfinite(values), n, 0).astype(np.float64)
    total = np.add.reduceat(np.nan_to_num(values.astype(np.float64)) * weight, starts)
    count = np.add.reduceat(weight, starts)
    mean = np.divide(total, count, out=np.full(len(starts), np.nan), where=count > 0)
    return np.asarray(mean, np.float32)
