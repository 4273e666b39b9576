"""What was measured: one entry for each time that a link was measured, and how it ended."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

STATISTICS = ("min", "median", "mean", "p99", "max")
MAIN, RETEST, FAILED_AGAIN, ORDER, ONE_WAY, QUARTER, ALONE, FEW = range(8)
ATTEMPT_NAMES = ("main", "retest", "failed-again", "order", "one-way", "quarter", "alone", "few")
MISSING = "missing"  # metadata of a column that older files lack: the value used in its place
Index = NDArray[np.int64]
SPARSE, SMALL_TABLE = 64, 2**20  # a table of all links is made where it has no more cells than this for each row
BLOCK = 2**18  # rows that are looked at together: more need more memory, and are no faster


class Outcome(IntEnum):
    """How measuring a link ended, numbered as in the file."""

    OK = 0
    TIMEOUT = 1
    BROKEN = 2
    CORRUPT = 3
    ABSENT = 4
    PRESUMED = 5
    LOCAL = 6  # a host lacked what measuring takes: says nothing of the link


OUTCOME_TEXTS = {
    Outcome.OK: "ok",
    Outcome.TIMEOUT: "timed out",
    Outcome.BROKEN: "broke",
    Outcome.CORRUPT: "delivered wrong bytes",
    Outcome.ABSENT: "found the peer gone",
    Outcome.PRESUMED: "not tried, the rank is dark",
    Outcome.LOCAL: "could not be measured",
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


def quiet(values: NDArray[Any]) -> NDArray[Any]:
    """The same with plain NaNs: numbers from a damaged file may be others, of which arithmetic warns."""
    if values.dtype.kind == "f" and (unknown := np.isnan(values)).any():
        values = np.where(unknown, np.array(np.nan, values.dtype), values)
    return values


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
