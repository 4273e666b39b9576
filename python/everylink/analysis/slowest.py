"""The slowest links of a size, each with its second measurement where there is one."""

from dataclasses import dataclass

import numpy as np

from everylink.analysis.classes import classes
from everylink.links import Outcome
from everylink.results import Results, Size


@dataclass(frozen=True)
class SlowLink:
    """A link by its first time in seconds; `second` is that of its retest, None where it was not measured again.

    `ratio` is the first time by the median of the link's class. `second_outcome` is of the retest.
    """

    frm: int
    to: int
    first: float
    ratio: float
    second: float | None
    second_outcome: Outcome | int | None


def slowest(results: Results, size: Size, count: int = 10, statistic: str = "median") -> tuple[SlowLink, ...]:
    """The `count` slowest links with a known time, the slowest first."""
    links = size.links
    values = links.statistic(statistic)
    typical = np.full(len(links), np.nan)
    for c in classes(links, results.ranks):
        known = values[c.mask & np.isfinite(values)]
        typical[c.mask] = np.median(known) if len(known) else np.nan
    again = size.retests
    seconds = {(int(f), int(t)): i for i, (f, t) in enumerate(zip(again.frm, again.to, strict=True))}
    found = []
    for i in _largest(values, count):
        link = int(links.frm[i]), int(links.to[i])
        j = seconds.get(link)
        second = None if j is None else float(again.statistic(statistic)[j])
        outcome = None if j is None else int(again.outcome[j])
        found.append(SlowLink(*link, float(values[i]), float(values[i] / typical[i]), second, outcome))
    return tuple(found)


def _largest(values: np.ndarray, count: int) -> list[int]:
    """Where the largest known values lie, the largest first."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) > count:
        known = known[np.argpartition(values[known], -count)[-count:]]
    return [int(i) for i in known[np.argsort(-values[known], kind="stable")]]
