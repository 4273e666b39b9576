"""A run that still goes on: how far its links are from the median of those measured so far.

Nothing here is a verdict: what is structure and what is a fault is told when the run is judged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.model import Deviations, Index
from everylink.deviation.planes import CODES, Planes, medians_of_counts
from everylink.deviation.reduce import strips
from everylink.deviation.scale import FAILED, LEAST_KNOWN, MOST, NOT_MEASURED, Codes, code_of, coded, factors, has_time
from everylink.io.results_file import stored_rows
from everylink.links.hosts import host_names
from everylink.model.results import Ranks
from everylink.model.rows import MAIN, Outcome, outcome_text
from everylink.units import size_text

MOST_CELLS = 2**30  # bytes that all matrices take together
STRIP = 2**25  # links that are reduced together
SLOWER = code_of(1.25)
FEWEST = 6  # links of a host that is called slower
LISTED = 10
MOST_FAILURES = 200


@dataclass(frozen=True)
class Slower:
    """A host whose links take `factor` times the median so far, judged by `links` links at messages of `bytes`."""

    host: str
    factor: float
    links: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.host} {self.factor:.2f}x at {size_text(self.bytes)} ({self.links} links)"


class Following:
    """Reads each row of a results file once, while it is written. Only HDF5 files can be followed."""

    def __init__(self, path: Path, ranks: Ranks, blocks: Blocks) -> None:
        self.blocks, self.failures = blocks, list[str]()
        self.path, self._ranks, self._done = path, ranks, 0
        self._host = ranks.host_index.astype(np.int64)
        self._names = host_names(ranks)
        self._sizes: dict[int, _Size] = {}

    def read(self) -> bool:
        """Whether there was something new. Raises FileDamaged, also where the file is just being written."""
        sizes = stored_rows(self.path)
        rows = min((len(one) for one in sizes.values()), default=0)
        if rows <= self._done:
            return False
        cells = 0
        for size in sorted(sizes, reverse=True):
            cells += len(self._host) ** 2
            if size not in self._sizes:
                self._sizes[size] = _Size(self._host, self.blocks, cells <= MOST_CELLS)
            for block in sizes[size].since(self._done, "frm", "to", "attempt", "outcome", "median"):
                frm, to, attempt, outcome, median = block
                kept = (attempt == MAIN) & (outcome != Outcome.LOCAL)
                self._sizes[size].add(frm[kept], to[kept], outcome[kept], median[kept])
                self._add_failures(size, frm[kept], to[kept], outcome[kept])
        self._done = rows
        return True

    def _add_failures(
        self, size: int, frm: NDArray[np.uint32], to: NDArray[np.uint32], outcome: NDArray[np.uint8]
    ) -> None:
        for i in np.flatnonzero(outcome != Outcome.OK)[-MOST_FAILURES:]:
            ends = (f"{self._names[self._host[end[i]]]}:{end[i]}" for end in (frm, to))
            text = f"{' -> '.join(ends)}: {outcome_text(outcome[i])} at {size_text(size)}"
            if text not in self.failures:
                self.failures.append(text)
        del self.failures[:-MOST_FAILURES]

    def slower(self) -> list[Slower]:
        """The hosts that are slower so far, the slowest first; none if they are a third of all hosts or more."""
        worst: dict[str, Slower] = {}
        for size, one in self._sizes.items():
            for index, factor, links in one.slower():
                found = Slower(self._names[index], factor, links, size)
                if found.host not in worst or worst[found.host].factor < factor:
                    worst[found.host] = found
        ordered = sorted(worst.values(), key=lambda found: -found.factor)
        return ordered[:LISTED] if 3 * len(ordered) < len(self._names) else []

    def deviations(self) -> Iterator[Deviations]:
        """Of each size whose matrix is kept; what one link took last stands for it."""
        for size, one in self._sizes.items():
            if one.links is not None:
                yield one.reduced(size)


class _Size:
    """Codes are against the first median of their class, links within hosts or between them; what is shown is against
    the median of all since."""

    def __init__(self, host: Index, blocks: Blocks, with_links: bool) -> None:
        ranks = len(host)
        self.links: Codes | None = np.full((ranks, ranks), NOT_MEASURED, np.int8) if with_links else None
        self._host, self._blocks = host, blocks
        self._first: dict[bool, float] = {}
        self._of_class = np.zeros((2, CODES), np.int64)
        self._of_host = np.zeros((int(host.max()) + 1, CODES), np.int64)

    def add(
        self,
        frm: NDArray[np.uint32],
        to: NDArray[np.uint32],
        outcome: NDArray[np.uint8],
        median: NDArray[np.float32],
    ) -> None:
        same = self._host[frm] == self._host[to]
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.where((outcome == Outcome.OK) & (median > 0), np.log(median), np.nan)
        for within in (False, True):
            known = log[(same == within) & np.isfinite(log)]
            if within not in self._first and len(known):
                self._first[within] = float(np.median(known))
        codes = coded(log - np.where(same, self._first.get(True, np.nan), self._first.get(False, np.nan)))
        for within in (False, True):
            self._of_class[int(within)] += _counted(codes[same == within])
        for end in (frm, to):
            places = self._host[end[~same]] * CODES + codes[~same].astype(np.int64) - NOT_MEASURED
            self._of_host += np.bincount(places, minlength=self._of_host.size).reshape(self._of_host.shape)
        if self.links is not None:
            codes[outcome != Outcome.OK] = FAILED
            self.links[self._blocks.places[frm], self._blocks.places[to]] = codes

    def slower(self) -> list[tuple[int, float, int]]:
        """Hosts: index, factor, links."""
        medians, links = medians_of_counts(self._of_host)
        above = medians.astype(np.int64) - self._middle(False)
        found = np.flatnonzero((links >= FEWEST) & has_time(medians) & (above >= SLOWER))
        return [(int(host), float(factors(above[host])), int(links[host])) for host in found]

    def reduced(self, size: int) -> Deviations:
        assert self.links is not None
        planes, host = Planes(self._blocks), self._host[self._blocks.order.ranks]
        middle = np.array([self._middle(False), self._middle(True)])
        for begin, end in strips(self._blocks, STRIP):
            codes = self.links[begin:end]
            within = host[begin:end, None] == host
            above = np.clip(codes.astype(np.int16) - middle[within.astype(np.int64)], LEAST_KNOWN, MOST)
            planes.add(np.where(has_time(codes), above, codes).astype(np.int8), begin)
        return planes.done(size, None)

    def _middle(self, within: bool) -> int:
        """The median code of a class; 0 if there is none."""
        medians, links = medians_of_counts(self._of_class[int(within)][None])
        return int(medians[0]) if links[0] else 0


def _counted(codes: Codes) -> Index:
    return np.bincount(codes.astype(np.int64) - NOT_MEASURED, minlength=CODES)
