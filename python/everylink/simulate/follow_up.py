"""The steps in which a simulated cluster answers a plan, as the core measures it: pairs that run at the same time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from everylink.model.plan import PHASES, Phase, Plan
from everylink.model.rows import Rows, joined

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Pass:
    """One reading of each pair of a phase, and of those that fill up its steps.

    `draw` numbers the passes of the phase over all turns. Pair i, ranks `a[i]` < `b[i]`, is measured in `step[i]`; the
    steps of an answer count on from pass to pass.
    """

    phase: Phase
    draw: int
    step: Index
    a: Index
    b: Index

    @property
    def links(self) -> tuple[Index, Index, Index]:
        """Ranks from and to and the step of both links of each pair: first all a -> b, then all b -> a."""
        return np.concatenate([self.a, self.b]), np.concatenate([self.b, self.a]), np.tile(self.step, 2)


def passes_of(plan: Plan, ranks: int, seed: int, turn: int) -> Iterator[Pass]:
    """All passes of a plan; in each the pairs are packed and filled up anew. `turn`: how many plans came before."""
    first = 0
    for phase in PHASES:
        pairs = plan.of(phase)
        for reading in range(phase.readings if len(pairs) else 0):
            draw = turn * phase.readings + reading
            random = np.random.default_rng([seed, phase.attempt, draw, 3])
            steps = _steps(random.permutation(pairs), ranks, phase.busy, random)
            number = np.repeat(np.arange(first, first + len(steps)), [len(step) for step in steps])
            yield Pass(phase, draw, number, *np.concatenate(steps).T)
            first += len(steps)


def _steps(pairs: Index, ranks: int, busy: float, random: np.random.Generator) -> list[Index]:
    """The pairs of each step, [n, 2], smaller rank first."""
    most = max(1, int(busy * ranks / 2))
    steps = []
    for places in _packed(pairs.tolist(), most):
        own = pairs[places]
        missing = most - len(own)
        idle = random.permutation(np.setdiff1d(np.arange(ranks), own))[: 2 * missing] if missing else own[:0]
        steps.append(np.sort(np.concatenate([own, idle.reshape(-1, 2)]), axis=1))
    return steps


class LinkByLink(Protocol):
    """A cluster in which the time of a link does not depend on what else runs."""

    def measure(self, frm: Index, to: Index, size: int, attempt: int, draw: int) -> Rows: ...
    def one_way(self) -> Self: ...


def answered(cluster: LinkByLink, passes: Iterable[Pass], size: int) -> Rows:
    """The rows of all passes, with true steps."""
    parts = []
    for one in passes:
        frm, to, step = one.links
        of = cluster.one_way() if one.phase.one_way else cluster
        rows = of.measure(frm, to, size, one.phase.attempt, one.draw)
        parts.append(replace(rows, step=step.astype(np.uint32)))
    return joined(parts)


def _packed(pairs: list[tuple[int, int]], most: int) -> list[list[int]]:
    """Put each pair into the first step where both ranks are idle and fewer than `most` pairs run."""
    steps: list[list[int]] = []
    taken: dict[int, int] = {}  # for each rank a bit for each of its steps
    full = 0
    for number, (a, b) in enumerate(pairs):
        busy = taken.get(a, 0) | taken.get(b, 0) | full
        first = (~busy & (busy + 1)).bit_length() - 1
        if first == len(steps):
            steps.append([])
        steps[first].append(number)
        for rank in (a, b):
            taken[rank] = taken.get(rank, 0) | 1 << first
        if len(steps[first]) == most:
            full |= 1 << first
    return steps
