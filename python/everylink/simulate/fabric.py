"""A simulated cluster: the time of each link, and how planted faults change it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.model.plan import Plan
from everylink.model.rows import Outcome, Rows
from everylink.simulate.faults import Fault
from everylink.simulate.follow_up import answered, passes_of
from everylink.units import plural

LATENCY = np.array([0.5e-6, 1.5e-6, 2.0e-6])  # seconds, of links within a host, within a group, between groups
BANDWIDTH = np.array([20e9, 12e9, 10.6e9])  # bytes per second, of the same
LATE, LATE_JITTER, LATE_LOSS = 0.0005, 0.08, 0.02  # fraction of late messages, normally, with jitter-host, loss-host
LOSS_LATENESS = 100.0  # times the usual time, until a lost packet is sent again
MOST_RANKS = 32768
SLOW_PARTS = (
    "slow-host", "slow-send", "slow-receive", "slow-rank", "slow-link", "slow-group", "slow-trunk", "slow-within",
)  # fmt: skip
Index = NDArray[np.int64]
Times = NDArray[np.float64]


@dataclass(frozen=True)
class Fabric:
    """Host `nK` has `ranks_per_host` consecutive ranks and is in group `gJ`, J = K // group_size.

    `noise` is the spread of a link's time as a fraction, `transient` the fraction of links disturbed at random. Raises
    UserMistake for an invalid number of ranks and for faults of hosts or ranks that do not exist.
    """

    hosts: int
    ranks_per_host: int = 1
    group_size: int = 32
    noise: float = 0.02
    transient: float = 0.005
    faults: tuple[Fault, ...] = ()
    seed: int = 1
    messages: int = 100
    both_directions: bool = True  # each reading is a round trip: the semidirectional kernel
    _parts: dict[str, list[tuple[Index, Index, float]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 2 <= self.hosts * self.ranks_per_host <= MOST_RANKS:
            raise UserMistake(f"--hosts x --ranks-per-host: {plural(self.ranks, 'rank')}; use 2 to {MOST_RANKS}")
        for fault in self.faults:
            self._parts.setdefault(fault.kind, []).append(self._resolved(fault))

    @property
    def ranks(self) -> int:
        return self.hosts * self.ranks_per_host

    @property
    def groups(self) -> int:
        return -(-self.hosts // self.group_size)

    def one_way(self) -> "Fabric":
        """The same fabric, but each reading is one direction."""
        return replace(self, both_directions=False)

    def host_of(self, ranks: Index) -> Index:
        return np.asarray(ranks // self.ranks_per_host)

    def group_of(self, ranks: Index) -> Index:
        return np.asarray(ranks // (self.ranks_per_host * self.group_size))

    def _resolved(self, fault: Fault) -> tuple[Index, Index, float]:
        """The indices of the first and last component that a fault names, and its factor."""
        of_groups = fault.kind in ("slow-group", "slow-trunk")
        prefix, limit = ("g", self.groups) if of_groups else ("n", self.hosts)
        numbers = []
        for name in fault.subject:
            host, _, local = name.partition(":")
            if not (host[:1] == prefix and host[1:].isdigit() and int(host[1:]) < limit):
                raise UserMistake(f"--fault {fault}: there is no {name}; there are {prefix}0 to {prefix}{limit - 1}")
            number = int(host[1:])
            if fault.kind == "slow-rank":
                if not (local.isdigit() and int(local) < self.ranks_per_host):
                    raise UserMistake(f"--fault {fault}: the ranks of a host are 0 to {self.ranks_per_host - 1}")
                number = number * self.ranks_per_host + int(local)
            numbers.append(number)
        return np.int64(numbers[0]), np.int64(numbers[-1]), fault.factor  # type: ignore[return-value]

    def true_times(self, frm: Index, to: Index, size: int) -> Times:
        """One-way seconds of each link, without noise, for messages of `size` bytes; shape [links]."""
        there = self._one_way(frm, to, size)
        return (there + self._one_way(to, frm, size)) / 2 if self.both_directions else there

    def measure(self, frm: Index, to: Index, size: int, attempt: int = 0, draw: int = 0) -> Rows:
        """Measure these links, shape [links], once. Each `draw` has its own noise."""
        random = np.random.default_rng([self.seed, size, attempt, draw])
        count = len(frm)
        base = self.true_times(frm, to, size)
        disturbed = random.random(count) < self.transient
        stretch = np.exp(self.noise * random.standard_normal(count)) * np.where(
            disturbed, 1 + 2 * random.random(count), 1
        )
        loses = self._touches("loss-host", frm, to)
        late_share = np.where(loses, LATE_LOSS, np.where(self._touches("jitter-host", frm, to), LATE_JITTER, LATE))
        late = random.binomial(self.messages, late_share).astype(np.uint32)
        median = base * stretch
        outcome = self._outcomes(frm, to)
        ok = outcome == Outcome.OK
        lateness = np.where(loses, LOSS_LATENESS, 2 + random.exponential(2, count))

        def seconds(values: Times) -> NDArray[np.float32]:
            return np.where(ok, values, np.nan).astype(np.float32)

        zeros = np.zeros(count)
        return Rows(
            frm.astype(np.uint32), to.astype(np.uint32), zeros.astype(np.uint32),
            np.full(count, attempt, np.uint8), outcome,
            np.where(ok, self.messages, 0).astype(np.int32), np.full(count, 1e-4, np.float32),
            np.where(ok, self.messages, 0).astype(np.uint32),
            seconds(median * (1 - self.noise * random.random(count))), seconds(median),
            seconds(median * (1 + self.noise / 2 + late / self.messages * lateness)), seconds(zeros + np.nan),
            seconds(median * np.where(late > 0, lateness, 1 + 3 * self.noise)), np.where(ok, late, 0).astype(np.uint32),
            seconds(zeros + np.nan),
        )  # fmt: skip

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        """The rows of a plan and of the pairs that filled up, with true steps from 0. `turn` counts the plans."""
        return answered(self, passes_of(plan, self.ranks, self.seed, turn), size)

    def _one_way(self, frm: Index, to: Index, size: int) -> Times:
        near = self.host_of(frm) == self.host_of(to)
        link_class = np.where(near, 0, np.where(self.group_of(frm) == self.group_of(to), 1, 2))
        rate = np.ones(len(frm))
        for kind in SLOW_PARTS:
            for part in self._parts.get(kind, ()):
                hit = self._hit(kind, part, frm, to) & (near if kind == "slow-within" else ~near)
                rate[hit] = np.minimum(rate[hit], part[2])
        latency = LATENCY[link_class]
        for part in self._parts.get("delay-host", ()):
            latency = np.where(self._hit("slow-host", part, frm, to) & ~near, latency * part[2], latency)
        return np.asarray(latency + size / (BANDWIDTH[link_class] * rate))

    def _hit(self, kind: str, part: tuple[Index, Index, float], frm: Index, to: Index) -> NDArray[np.bool_]:
        first, second, _ = part
        host_from, host_to = self.host_of(frm), self.host_of(to)
        match kind:
            case "slow-link" | "dark" | "corrupt":
                return np.asarray((host_from == first) & (host_to == second))
            case "slow-send":
                return np.asarray(host_from == first)
            case "slow-receive":
                return np.asarray(host_to == first)
            case "slow-rank":
                return np.asarray((frm == first) | (to == first))
            case "slow-trunk":
                return np.asarray((self.group_of(frm) == first) & (self.group_of(to) == second))
            case "slow-group":
                return np.asarray((self.group_of(frm) == first) != (self.group_of(to) == first))
            case _:
                return np.asarray((host_from == first) | (host_to == first))

    def _touches(self, kind: str, frm: Index, to: Index) -> NDArray[np.bool_]:
        hit = np.zeros(len(frm), bool)
        for part in self._parts.get(kind, ()):
            hit |= self._hit(kind, part, frm, to) & (self.host_of(frm) != self.host_of(to))
        return hit

    def _outcomes(self, frm: Index, to: Index) -> NDArray[np.uint8]:
        outcome = np.zeros(len(frm), np.uint8)
        for kind, what in (("dark", Outcome.TIMEOUT), ("dark-host", Outcome.TIMEOUT), ("corrupt", Outcome.CORRUPT)):
            hit = self._touches(kind, frm, to)
            if self.both_directions:
                hit |= self._touches(kind, to, frm)
            outcome[hit] = what
        return outcome


def all_links(ranks: int) -> tuple[Index, Index]:
    """From and to of every ordered pair, sorted; shape [links] each."""
    frm = np.repeat(np.arange(ranks, dtype=np.int64), ranks - 1)
    to = np.tile(np.arange(ranks - 1, dtype=np.int64), ranks)
    return frm, to + (to >= frm)


def sampled_links(ranks: int, steps: int, seed: int) -> tuple[Index, Index]:
    """The links of `steps` random matchings, both directions, as with --schedule sample:K; shape [links] each."""
    random = np.random.default_rng([seed, steps])
    chosen: list[NDArray[np.int64]] = []
    for _ in range(steps):
        order = random.permutation(ranks)[: ranks // 2 * 2].reshape(-1, 2)
        chosen.append(np.concatenate([order, order[:, ::-1]]))
    pairs = np.unique(np.concatenate(chosen), axis=0)
    return pairs[:, 0], pairs[:, 1]


def host_names(hosts: int) -> Sequence[str]:
    return [f"n{host}" for host in range(hosts)]
