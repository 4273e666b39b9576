"""Finds a better placement of ranks, and writes it for Open MPI and Slurm."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import quadratic_assignment

from everylink.errors import UserMistake
from everylink.files import refuse_existing
from everylink.model.results import Ranks
from everylink.predict.patterns import Index, Messages, Pattern
from everylink.predict.prediction import exchange
from everylink.predict.times import FAILED, LinkTimes

LEAST_GAIN = 0.01  # relative gain in time; less is chance
SHUNNED = 10.0  # weight of a failed link, as a factor on its time, where times are summed
MOST_FAQ = 512  # ranks; with more, one step of FAQ takes minutes
FAQ_STEPS = 30
WORK, PHASE_WORK = 20_000_000, 2_000  # messages evaluated in a search; the cost of a phase, in messages
FEWEST_TRIES = 100
OPEN_MPI, SLURM = ".rankfile", ".hostfile"


@dataclass(frozen=True)
class Placement:
    """`place[i]`: rank of the run where rank i of the pattern goes, shape [ranks]; `before`: cost if each stays."""

    place: Index
    before: "Cost"
    after: "Cost"

    @property
    def better(self) -> bool:
        before, after = self.before, self.after
        sooner = after.seconds < (1 - LEAST_GAIN) * before.seconds
        easier = after.seconds < (1 + LEAST_GAIN) * before.seconds and after.mean < (1 - LEAST_GAIN) * before.mean
        return after.failed < before.failed or sooner or easier


@dataclass(frozen=True)
class Cost:
    """Messages over failed links, seconds of the exchange, mean seconds over ranks."""

    failed: int
    seconds: float
    mean: float

    def key(self) -> tuple[int, int, float]:
        """Sort key, best first; exchanges that differ only by chance are ordered by their means."""
        return self.failed, round(math.log(max(self.seconds, 1e-12)) / LEAST_GAIN), self.mean


def place(pattern: Pattern, times: LinkTimes) -> Placement:
    """The best placement found, or the present one if none is clearly better; avoiding failed links comes first.

    Starts from the present placement, from ranks sorted by group and host, and from FAQ (Vogelstein et al. 2015), and
    improves each by swapping ranks.
    """
    search = _Search(pattern, times)
    here = np.arange(pattern.ranks)
    before = search.cost(here)
    unchanged = Placement(here, before, before)
    if pattern.uniform:
        return unchanged
    starts = [here, _by_host(times), *_by_sum(pattern, times)]
    ends = [search.swapped(start, search.tries // len(starts)) for start in starts]
    costs = [search.cost(end) for end in ends]
    best = min(range(len(ends)), key=lambda i: costs[i].key())
    found = Placement(ends[best], before, costs[best])
    return found if found.better else unchanged


def placed(pattern: Pattern, order: Index) -> Pattern:
    """The pattern with its ranks moved: rank i goes to `order[i]`."""

    def phase(k: int) -> Messages:
        messages = pattern.phase(k)
        return Messages(order[messages.frm], order[messages.to], messages.bytes)

    return Pattern(pattern.name, pattern.text, pattern.ranks, pattern.phases, phase, pattern.uniform)


class _Search:
    """Searches placements that cost less."""

    def __init__(self, pattern: Pattern, times: LinkTimes) -> None:
        self._pattern, self._times = pattern, times
        phases = [pattern.phase(k) for k in range(pattern.phases)]
        self._frm = np.concatenate([messages.frm for messages in phases])
        self._to = np.concatenate([messages.to for messages in phases])
        self.tries = max(FEWEST_TRIES, WORK // (len(self._frm) + PHASE_WORK * pattern.phases))

    def _finish_times(self, order: Index) -> tuple[int, NDArray[np.float64]]:
        """The number of messages over failed links, and when each rank of the run finishes, seconds."""
        failed = 0

        def times(messages: Messages) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            nonlocal failed
            found = self._times.of(messages.frm, messages.to, messages.bytes)
            failed += int((found.state == FAILED).sum())
            return found.seconds, self._times.latency(messages.frm, messages.to)

        finished = exchange(placed(self._pattern, order), times)
        return failed, finished

    def cost(self, order: Index) -> Cost:
        failed, finished = self._finish_times(order)
        return Cost(failed, float(finished.max()), float(finished.mean()))

    def swapped(self, order: Index, left: int) -> Index:
        """Swap two ranks as long as that helps, with at most `left` attempts."""
        random = np.random.default_rng(len(order))
        best = self.cost(order).key()
        helped = True
        while helped and left > 0:
            helped = False
            for a in [*self._critical(order), *random.permutation(len(order)).tolist()]:
                for b in random.permutation(len(order)).tolist():
                    if left <= 0 or a == b:
                        continue
                    left -= 1
                    tried = order.copy()
                    tried[[a, b]] = order[[b, a]]
                    if (cost := self.cost(tried).key()) < best:
                        best, order, helped = cost, tried, True
                        break
                if helped:
                    break
        return order

    def _critical(self, order: Index) -> list[int]:
        """The slowest rank of the pattern, and its partners."""
        slowest = int(np.flatnonzero(order == self._finish_times(order)[1].argmax())[0])
        partners = np.unique(np.concatenate([self._to[self._frm == slowest], self._frm[self._to == slowest]]))
        return [slowest, *partners.tolist()]


def _by_host(times: LinkTimes) -> Index:
    """The ranks of the run, sorted by group, then by host."""
    return np.lexsort((times.kinds.host, times.kinds.group)).astype(np.int64)


def _by_sum(pattern: Pattern, times: LinkTimes) -> list[Index]:
    """A placement that minimises the sum of message times (FAQ); none if that would take too long."""
    ranks = pattern.ranks
    if ranks > MOST_FAQ or ranks < 3:
        return []
    flow, size_bytes = np.zeros((ranks, ranks)), _typical_bytes(pattern)
    for messages in map(pattern.phase, range(pattern.phases)):
        np.add.at(flow, (messages.frm, messages.to), np.maximum(messages.bytes, 1) / max(size_bytes, 1))
    frm, to = np.nonzero(~np.eye(ranks, dtype=bool))
    seconds = np.zeros((ranks, ranks))
    known = times.of(frm, to, np.full(len(frm), size_bytes))
    seconds[frm, to] = known.seconds / np.median(known.seconds) * np.where(known.state == FAILED, SHUNNED, 1)
    found = quadratic_assignment(
        flow, seconds, method="faq", options={"maxiter": FAQ_STEPS, "rng": np.random.default_rng(0)}
    )
    return [np.asarray(found.col_ind, np.int64)]


def _typical_bytes(pattern: Pattern) -> int:
    """The mean size of a message, bytes."""
    phases = [pattern.phase(k).bytes for k in range(pattern.phases)]
    return round(float(np.concatenate(phases).mean()))


def paths_of(prefix: Path) -> tuple[Path, Path]:
    """The files for a prefix: Open MPI's, Slurm's."""
    return prefix.with_name(prefix.name + OPEN_MPI), prefix.with_name(prefix.name + SLURM)


def check_paths(prefix: Path, ranks: Ranks, force: bool) -> None:
    """Raise UserMistake if the files cannot be written, or host names do not identify the hosts."""
    for path in paths_of(prefix):
        refuse_existing(path, force)
    index_of: dict[str, int] = {}
    for name, index in zip(ranks.host, ranks.host_index.tolist(), strict=True):
        if index_of.setdefault(name, index) != index:
            raise UserMistake(f"--place: two hosts are named {name}; a file of hosts cannot tell them apart")
        if not name or not name.isprintable() or any(c in " ,=#" for c in name):
            raise UserMistake(f"--place: the name of host '{name}' is not valid in a file of hosts")


def write_rank_files(prefix: Path, ranks: Ranks, place: Sequence[int]) -> tuple[Path, Path]:
    """Write both files; `place[i]`: rank of the run where rank i goes. Its slot is its number on its host."""
    open_mpi, slurm = paths_of(prefix)
    slots = [f"rank {i}={ranks.host[p]} slot={ranks.local_rank[p]}\n" for i, p in enumerate(place)]
    try:
        open_mpi.write_text("".join(slots))
        slurm.write_text("".join(f"{ranks.host[p]}\n" for p in place))
    except OSError as error:
        raise UserMistake(f"--place {prefix}: cannot be written: {error.strerror}") from None
    return open_mpi, slurm
