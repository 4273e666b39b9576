"""The plan of `--confirm`: which pairs of ranks are measured again, and in which phases."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.model.rows import ALONE, FEW, ONE_WAY, ORDER, QUARTER
from everylink.units import plural


@dataclass(frozen=True)
class Phase:
    """`readings` of each pair; `busy`: the part of all ranks that measure at the same time, 0: one pair alone."""

    name: str
    attempt: int
    readings: int
    busy: float

    @property
    def one_way(self) -> bool:
        """Whether the unidirectional kernel measures it, whichever kernel the run uses."""
        return self.attempt == ONE_WAY


PHASES = (  # in the order in which they are measured; of those alone three: some networks send a message a longer way
    Phase("order", ORDER, 6, 1.0),
    Phase("quarter", QUARTER, 6, 0.25),
    Phase("few", FEW, 3, 0.0625),
    Phase("alone", ALONE, 3, 0.0),
    Phase("one-way", ONE_WAY, 3, 0.0),
)


@dataclass(frozen=True)
class Plan:
    """Pairs of ranks by the name of the phase, [n, 2] each, each pair once and its smaller rank first.

    Raises ValueError for a name that is not a phase's.
    """

    pairs: Mapping[str, NDArray[np.int64]]

    def __post_init__(self) -> None:
        if unknown := set(self.pairs) - {phase.name for phase in PHASES}:
            raise ValueError(f"unknown phase {min(unknown)!r}")

    def __len__(self) -> int:
        """The number of pairs, counted in each phase."""
        return sum(map(len, self.pairs.values()))

    def of(self, phase: Phase) -> NDArray[np.int64]:
        return self.pairs.get(phase.name, np.zeros((0, 2), np.int64))

    def __str__(self) -> str:
        counts = (f"{phase.name} {plural(len(self.of(phase)), 'pair')}" for phase in PHASES if len(self.of(phase)))
        return ", ".join(counts) or "nothing to confirm"
