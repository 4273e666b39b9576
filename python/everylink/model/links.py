"""One entry for each link: the main rows pooled, or the newest row of a later attempt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import MAIN, STATISTICS, Outcome, Rows, chosen


@dataclass(frozen=True)
class Links:
    """One entry per link, ordered by (from, to). All arrays have the same length.

    Times in seconds come from the rows that ended ok, NaN where there is none. A link has failed if any of its rows
    did; `outcome` is that of its first failed row. A link that no host could measure is not among them.
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


def pool(rows: Rows, ranks: int) -> Links:
    """Pool the main rows of each link.

    min of min, max of max, mean weighted by n, median of medians, median of p99; n and late are summed.
    """
    main = np.flatnonzero((rows.attempt == MAIN) & (rows.outcome != Outcome.LOCAL))
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
