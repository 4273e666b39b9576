"""What the links of a size are compared with: what is expected of them, or an earlier run."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.scale import Codes, coded
from everylink.judge.expected import Expected
from everylink.judge.verdict import JudgedRun
from everylink.links.extremes import SlowLink
from everylink.memory import require_memory
from everylink.model.results import Ranks, Size
from everylink.model.rows import MAIN, Outcome

Index = NDArray[np.int64]


class Reference(ABC):
    """What links are compared with."""

    @abstractmethod
    def log_seconds(self, frm: NDArray[np.uint32], to: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Of these links, [links]; NaN where it is not known."""

    def codes(self, frm: NDArray[np.uint32], to: NDArray[np.uint32], seconds: NDArray[np.float32]) -> Codes:
        """The deviations of these links, [links]; NOT_MEASURED without a time above 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return coded(np.where(seconds > 0, np.log(seconds), np.nan) - self.log_seconds(frm, to))

    def times_expected(self, links: Sequence[SlowLink]) -> list[float]:
        """Their first times / what they are compared with; NaN where that is not known."""
        ends = (np.array([getattr(link, end) for link in links], np.uint32) for end in ("frm", "to"))
        first = np.array([link.first for link in links])
        return list(map(float, first / np.exp(self.log_seconds(*ends))))


@dataclass(frozen=True, eq=False)
class Earlier(Reference):
    """`log`: what links took in another run of the same ranks, log seconds, [from, to]; NaN if they have no time."""

    log: NDArray[np.float32]

    @classmethod
    def of(cls, size: Size) -> "Earlier":
        """Raises NotEnoughMemory."""
        require_memory(4 * size.ranks**2, f"to compare the links of {size.ranks:,} ranks")
        links, log = size.links, np.full((size.ranks, size.ranks), np.nan, np.float32)
        timed = ~links.failed & (links.median > 0)
        log[links.frm[timed], links.to[timed]] = np.log(links.median[timed])
        return cls(log)

    def log_seconds(self, frm: NDArray[np.uint32], to: NDArray[np.uint32]) -> NDArray[np.float64]:
        return self.log[frm, to].astype(np.float64)


@dataclass(frozen=True)
class Usual(Reference):
    """What is expected of links, log seconds: by the judge, else what they take at the median; and of those within a
    host what these take at the median, on one NUMA node and on several."""

    expected: Expected | None
    between: float
    host_of: Index
    numa: Index
    within: NDArray[np.float64]

    @classmethod
    def of(cls, ranks: Ranks, size: Size, expected: Expected | None) -> "Usual":
        host, numa = ranks.host_index.astype(np.int64), ranks.numa.astype(np.int64)
        several = np.bincount(host).max() > 1
        between, near, far = [], [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
        if (several and host.any()) or expected is None:
            for frm, to, log in _readings(size):
                same = (host[frm] == host[to]) & host.any()
                one = numa[frm[same]] == numa[to[same]]
                near.append(log[same][one])
                far.append(log[same][~one])
                if expected is None:
                    between.append(_middle(log[~same]))
        within = np.array([_middle(np.concatenate(far)), _middle(np.concatenate(near))])
        return cls(expected, _middle(np.array(between, np.float32)), host, numa, within)

    def log_seconds(self, frm: NDArray[np.uint32], to: NDArray[np.uint32]) -> NDArray[np.float64]:
        log = np.full(len(frm), self.between) if self.expected is None else self.expected.log_seconds(frm, to)
        same = np.flatnonzero(self.host_of[frm] == self.host_of[to])
        if len(same) and np.isfinite(self.within).any():
            one = self.numa[frm[same]] == self.numa[to[same]]
            log[same] = self.within[one.astype(np.int64)]
        return log


def usual_of(run: JudgedRun, size: Size) -> Usual:
    """By the judgement of a run."""
    expected = next((one for one in run.judgement.expected if one.bytes == size.bytes), None)
    return Usual.of(run.results.ranks, size, expected)


def _middle(values: NDArray[np.floating]) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else np.nan


def _readings(size: Size) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]]:
    """Of the main run: from, to, log seconds."""
    for frm, to, attempt, outcome, median in size.rows.blocks("frm", "to", "attempt", "outcome", "median"):
        ok = (attempt == MAIN) & (outcome == Outcome.OK) & (median > 0)
        yield frm[ok], to[ok], np.log(median[ok])
