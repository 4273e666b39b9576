"""A change between two runs, as a value."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """`kind`: class, host, within (a host), rank, pair or link; `subject` names it, `pair` and `link` by two names.

    `factor` is the time in the new run by that in the base, so above 1 is slower; `bytes` is the size at which it
    changed most, `also` are others; the two times are medians over its `links`.
    """

    kind: str
    subject: tuple[str, ...]
    direction: str
    bytes: int
    factor: float
    confidence: float
    links: int
    base_seconds: float
    new_seconds: float
    also: tuple[int, ...] = ()

    @property
    def slower(self) -> bool:
        return self.factor > 1

    @property
    def weight(self) -> float:
        """By how much all its links together changed."""
        return self.links * abs(math.log(self.factor))
