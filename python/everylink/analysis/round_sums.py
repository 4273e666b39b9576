"""What the rounds of an all-to-all amount to: how long one message from each rank to each other one takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everylink.analysis.load_sums import SceneSums


@dataclass(frozen=True)
class RoundSums:
    """All rounds of one size: `seconds` for a message from each to each, round after round.

    A round takes as long as its slowest flow. `rate` is what all flows of a round have together, bytes a second, the
    mean over the rounds; `message` how long one takes at a round's mean rate, `messages_a_second` of all of a round.
    `without` counts the rounds in which no flow ended well: they are in none of these.
    """

    bytes: int
    rounds: int
    without: int
    flows: int
    failed: int
    seconds: float
    rate: float
    message: float

    @property
    def messages_a_second(self) -> float:
        return self.rate / self.bytes if self.bytes else math.nan


def round_sums(sums: Sequence[SceneSums]) -> tuple[RoundSums, ...]:
    """One entry a size, ascending."""
    return tuple(_of_size([s for s in sums if s.bytes == size]) for size in sorted({s.bytes for s in sums}))


def _of_size(rounds: Sequence[SceneSums]) -> RoundSums:
    known = [one for one in rounds if one.rate.min > 0]
    size = rounds[0].bytes
    return RoundSums(
        size,
        len(rounds),
        len(rounds) - len(known),
        sum(one.flows for one in rounds),
        sum(one.failed for one in rounds),
        sum(size / one.rate.min for one in known) if known else math.nan,
        float(np.mean([one.rate.total for one in known])) if known else math.nan,
        float(np.mean([size / one.rate.mean for one in known])) if known else math.nan,
    )
