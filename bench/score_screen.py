"""Screens simulated clusters of thousands of hosts, and counts what was planted, found and accused wrongly.

    PYTHONPATH=python OPENBLAS_NUM_THREADS=1 python bench/score_screen.py --hosts 10000 --seeds 3

Leaves have 40 hosts; leaves form groups, of 240 hosts, or of 1,000 from 50,000 hosts on. The steps of the schedule
`screen` and what is measured again are simulated pair by pair, at three sizes. Planted are 30 hosts, the ways between 5
pairs of groups, and 3 leaves, which keep 40 to 80 % of their rate; then nothing. Parts count that show by six standard
errors to an observer who knows all but the noise, and which messages meet; the others stand in brackets.
With `--no-topology` the judge is not told the
switches, and only hosts and leaves are planted.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from worlds.orders import Order, screening

from everylink.host_lists import expanded
from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement, Verdict
from everylink.model.groups import Grouping
from everylink.model.plan import Plan
from everylink.model.results import Results, Size
from everylink.model.rows import MAIN, Outcome, Rows, joined
from everylink.robust import spread
from everylink.simulate.follow_up import passes_of
from everylink.simulate.results import confirmed

Index = NDArray[np.int64]
Values = NDArray[np.float64]
LEAF = 40
SIZES = (8, 1 << 16, 1 << 20)
RATE = 12.5e9  # bytes per second of an adapter
LATENCY, FURTHER = 1.5e-6, (0.4e-6, 0.8e-6)  # seconds inside a leaf, and more to other leaves and other groups
STEPS = 18
CLEAR = 6.0  # standard errors
GOALS = {"host": 0.99, "leaf": 0.95, "trunk": 0.95, "precision": 0.98}
STRUCTURES = ("plain", "two generations", "static routes", "detours", "hosts vary")


@dataclass(frozen=True)
class Planted:
    """The part of its rate that each bad host, leaf and pair of groups keeps."""

    hosts: Mapping[int, float] = field(default_factory=dict)
    leaves: Mapping[int, float] = field(default_factory=dict)
    trunks: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @classmethod
    def drawn(cls, hosts: int, group: int, trunks: int, random: np.random.Generator) -> Planted:
        def rates(count: int) -> list[float]:
            return [float(rate) for rate in random.uniform(0.4, 0.8, count)]

        leaves = random.choice(hosts // LEAF, 3, replace=False).tolist()
        elsewhere = np.flatnonzero(~np.isin(np.arange(hosts) // LEAF, leaves))
        bad = random.choice(elsewhere, 30, replace=False).tolist()
        ways: list[tuple[int, int]] = []
        while len(ways) < trunks:
            one, other = sorted(random.choice(hosts // group, 2, replace=False).tolist())
            if (one, other) not in ways:
                ways.append((one, other))
        of_hosts, of_leaves, of_ways = rates(30), rates(3), rates(trunks)
        return cls(
            dict(zip(bad, of_hosts, strict=True)), dict(zip(leaves, of_leaves, strict=True)),
            dict(zip(ways, of_ways, strict=True)),
        )  # fmt: skip


@dataclass(frozen=True)
class Cluster:
    """Answers plans as a cluster would. `noise`: standard deviation of a row; 1 of 200 readings is disturbed."""

    hosts: int
    structure: str
    planted: Planted
    seed: int
    told: bool = True
    noise: float = 0.01

    @property
    def group(self) -> int:
        return 1000 if self.hosts >= 50_000 else 240

    @property
    def leaf_of(self) -> Index:
        return np.arange(self.hosts) // LEAF

    @property
    def group_of(self) -> Index:
        return np.arange(self.hosts) // self.group

    @cached_property
    def rates(self) -> Values:
        """Of each adapter."""
        random = np.random.default_rng([self.seed, 8])
        rate = np.full(self.hosts, RATE)
        if self.structure == "two generations":
            rate *= np.where(random.random(self.hosts) < 0.5, 2.0, 1.0)
        if self.structure == "hosts vary":
            rate *= np.exp(-0.01 * np.abs(random.standard_normal(self.hosts)))
        for host, kept in self.planted.hosts.items():
            rate[host] *= kept
        return rate

    def seconds(self, one: Index, other: Index, step: Index, size: int, salt: int) -> Values:
        """One-way, without noise; `step`: which pairs run together."""
        leaf, group = self.leaf_of, self.group_of
        rate = np.minimum(self.rates[one], self.rates[other])
        leaves = leaf[one] != leaf[other]
        for number, kept in self.planted.leaves.items():
            rate = np.where(
                leaves & ((leaf[one] == number) | (leaf[other] == number)), np.minimum(rate, RATE * kept), rate
            )
        low, high = np.minimum(group[one], group[other]), np.maximum(group[one], group[other])
        for (a, b), kept in self.planted.trunks.items():
            rate = np.where((low == a) & (high == b), np.minimum(rate, RATE * kept), rate)
        if (
            self.structure == "static routes"
        ):  # each pair takes one of the 20 uplinks, of twice the rate, of each of its leaves
            for end in (one, other):
                link = np.random.default_rng([self.seed, salt, 9]).integers(LEAF // 2, size=len(one))
                at = (step * (self.hosts // LEAF + 1) + leaf[end]) * (LEAF // 2) + link
                load = np.bincount(at[leaves], minlength=int(at.max(initial=0)) + 1)[at]
                rate = np.where(leaves, np.minimum(rate, 2 * RATE / np.maximum(load, 1)), rate)
        latency = LATENCY + np.where(low != high, FURTHER[1], np.where(leaves, FURTHER[0], 0.0))
        if self.structure == "detours":
            far = np.random.default_rng([self.seed, salt, 10]).random(len(one)) < 0.3
            latency = latency + np.where(far, 0.6e-6, 0.0)
        return np.asarray(latency + size / rate)

    def rows(self, one: Index, other: Index, step: Index, size: int, attempt: int, salt: int) -> Rows:
        """Both links of each pair."""
        random = np.random.default_rng([self.seed, salt, size, 11])
        time = np.tile(self.seconds(one, other, step, size, salt), 2)
        disturbed = np.tile(random.random(len(one)) < 0.005, 2)
        median = time * np.exp(self.noise * random.standard_normal(len(time)))
        median = median * np.where(disturbed, 1 + 2 * random.random(len(time)), 1.0)
        count = len(time)
        messages, nan = np.full(count, 50), np.full(count, np.nan, np.float32)
        return Rows(
            np.concatenate([one, other]).astype(np.uint32), np.concatenate([other, one]).astype(np.uint32),
            np.tile(step, 2).astype(np.uint32), np.full(count, attempt, np.uint8), np.full(count, Outcome.OK, np.uint8),
            messages.astype(np.int32), np.full(count, 1e-4, np.float32), messages.astype(np.uint32),
            median.astype(np.float32), median.astype(np.float32), median.astype(np.float32), nan,
            median.astype(np.float32), np.zeros(count, np.uint32), nan,
        )  # fmt: skip

    @cached_property
    def order(self) -> Order:
        """The pairs of the screening, with true steps."""
        groups = self.leaf_of if self.told else np.arange(self.hosts)
        return screening(groups, self.told, STEPS, np.random.default_rng([self.seed, 5]))

    @cached_property
    def results(self) -> Results:
        """The screening itself."""
        order = self.order
        sizes = tuple(
            Size(size, 1, self.hosts, self.rows(order.a, order.b, order.step, size, MAIN, 0)) for size in SIZES
        )
        facts = bare_facts(
            "semidirectional", transport="simulated", ranks=self.hosts, hosts=self.hosts, messages=50,
            schedule=f"screen:{STEPS}", seed=self.seed,
        )  # fmt: skip
        names = [f"n{host}" for host in range(self.hosts)]
        every = np.arange(self.hosts)
        steps = replace(bare_steps(STEPS), overlap=np.ones(STEPS, np.float32))
        return Results(Path("screen.h5"), facts, bare_ranks(names, every, np.zeros(self.hosts, np.int64)), steps, sizes)

    @property
    def grouping(self) -> Grouping | None:
        if not self.told:
            return None
        leaves = -(-self.hosts // LEAF)
        groups = -(-self.hosts // self.group)
        above = np.arange(leaves) * LEAF // self.group
        names = tuple(f"leaf{number}" for number in range(leaves))
        return Grouping(self.leaf_of, names, above=((above, tuple(f"group{number}" for number in range(groups))),))

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        parts = []
        for number, one in enumerate(passes_of(plan, self.hosts, self.seed, turn)):
            parts.append(self.rows(one.a, one.b, one.step, size, one.phase.attempt, 1 + 100 * turn + number))
        return joined(parts)

    def visible(self) -> Planted:
        """The planted parts that count; what other messages do on shared ways is noise, too."""
        one, other, step = self.order.a, self.order.b, self.order.step
        healthy = replace(self, planted=Planted())
        usual = np.log(healthy.seconds(one, other, step, SIZES[-1], 0))
        beyond = np.log(self.seconds(one, other, step, SIZES[-1], 0)) - usual
        collisions = spread(usual) if self.structure == "static routes" else 0.0
        apart = float(np.hypot(self.noise, collisions))

        def counts(touched: NDArray[np.bool_]) -> bool:
            own = beyond[touched]
            return len(own) >= 3 and float(np.median(own)) > max(CLEAR * apart * 1.25 / np.sqrt(len(own)), 0.05)

        leaf, group = self.leaf_of, self.group_of
        leaves = leaf[one] != leaf[other]
        low, high = np.minimum(group[one], group[other]), np.maximum(group[one], group[other])
        near = {n: (leaf[one] == n) | (leaf[other] == n) for n in self.planted.leaves}
        return Planted(
            {
                h: k for h, k in self.planted.hosts.items()
                if counts((one == h) | (other == h)) and not self._looks_like_another_kind(h)
            },
            {n: k for n, k in self.planted.leaves.items() if counts(leaves & near[n])},
            {w: k for w, k in self.planted.trunks.items() if counts((low == w[0]) & (high == w[1]))},
        )  # fmt: skip

    def _looks_like_another_kind(self, host: int) -> bool:
        """Whether a fast host keeps the rate of the slow kind: only what it says of its adapter tells."""
        kinds = {"two generations": (RATE, 2 * RATE)}.get(self.structure, ())
        return any(abs(np.log(self.rates[host] / rate)) < 0.1 for rate in kinds)


@dataclass(frozen=True)
class Score:
    """Parts found, by kind: of those that count, and of the others; verdicts that are right, and all; steps in all;
    seconds of one judgement."""

    found: Mapping[str, int]
    counted: Mapping[str, int]
    found_of_rest: Mapping[str, int]
    rest: Mapping[str, int]
    right: int
    verdicts: int
    steps: int
    seconds: float
    wrong: Sequence[str]
    suspects: int


def _by_kind(planted: Planted) -> dict[str, set[Any]]:
    """A host is a number, as is a leaf; a way is two groups."""
    return {"host": set(planted.hosts), "leaf": set(planted.leaves), "trunk": set(planted.trunks)}


def score(cluster: Cluster) -> Score:
    results = confirmed(cluster, cluster.results, cluster.grouping)
    began = time.process_time()
    judgement = judge(results, cluster.grouping)
    seconds = time.process_time() - began
    named, right, wrong = _named(judgement, cluster)
    seen = cluster.visible()
    counted, planted = _by_kind(seen), _by_kind(cluster.planted)
    rest = {kind: planted[kind] - counted[kind] for kind in planted}
    said = sum(right) + len(wrong)
    return Score(
        {kind: len(parts & named[kind]) for kind, parts in counted.items()},
        {kind: len(parts) for kind, parts in counted.items()},
        {kind: len(parts & named[kind]) for kind, parts in rest.items()},
        {kind: len(parts) for kind, parts in rest.items()},
        sum(right), said, len(results.steps.began), seconds, wrong, len(judgement.suspects),
    )  # fmt: skip


def _named(judgement: Judgement, cluster: Cluster) -> tuple[dict[str, set[object]], list[int], list[str]]:
    """What verdicts name of the planted parts; 1 for each right verdict; those that are wrong."""
    planted = cluster.planted
    named: dict[str, set[object]] = {"host": set(), "leaf": set(), "trunk": set()}
    hosts_of_leaves = {leaf: set(range(leaf * LEAF, (leaf + 1) * LEAF)) for leaf in planted.leaves}
    of_leaves: set[int] = set()
    right, wrong = [], []
    for verdict in judgement.verdicts:
        own = _hosts(verdict, cluster)
        if verdict.kind == "trunk":
            ways = tuple(
                sorted(int(name.removeprefix("group")) for name in verdict.subject if name.startswith("group"))
            )
            is_right = ways in planted.trunks
            named["trunk"] |= {ways} & set(planted.trunks)
        else:
            in_leaves = {host for leaf in planted.leaves for host in hosts_of_leaves[leaf] & own}
            is_right = verdict.kind in ("host", "group") and own <= in_leaves | set(planted.hosts)
            named["host"] |= own & set(planted.hosts)
            of_leaves |= in_leaves
        if is_right:
            right.append(1)
        else:
            wrong.append(f"{verdict.kind} {' '.join(verdict.subject)[:60]}: {verdict.evidence}")
    named["leaf"] = {leaf for leaf, hosts in hosts_of_leaves.items() if len(hosts & of_leaves) >= 0.9 * LEAF}
    return named, right, wrong


def _hosts(verdict: Verdict, cluster: Cluster) -> set[int]:
    hosts: set[int] = set()
    for name in verdict.subject:
        if name.startswith("leaf"):
            hosts |= set(np.flatnonzero(cluster.leaf_of == int(name.removeprefix("leaf"))).tolist())
        elif name.startswith("n"):
            hosts |= {int(one.removeprefix("n")) for one in expanded(name)}
        else:
            hosts.add(-1)
    return hosts


def clusters(chosen: argparse.Namespace) -> Iterator[Cluster]:
    for structure in chosen.structures:
        for seed in range(1, chosen.seeds + 1):
            random = np.random.default_rng([seed, 12])
            noise = float(random.uniform(0.005, 0.02))
            group = 1000 if chosen.hosts >= 50_000 else 240
            planted = Planted.drawn(chosen.hosts, group, 0 if chosen.no_topology else 5, random)
            for of in (planted, Planted()):
                yield Cluster(chosen.hosts, structure, of, seed, not chosen.no_topology, noise)


def share(found: int, of: int) -> str:
    return f"{found} of {of}" + (f" ({found / of:.1%})" if of else "")


def parsed(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--structures", nargs="*", choices=STRUCTURES, default=STRUCTURES)
    parser.add_argument("--no-topology", action="store_true")
    return parser.parse_args(words)


def main() -> None:
    chosen = parsed()
    print("| structure | hosts | leaves | ways between groups | verdicts right | healthy: verdicts | steps | judging |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    wrong: list[str] = []
    by_structure: dict[str, list[tuple[Cluster, Score]]] = {}
    for one in clusters(chosen):
        made = score(one)
        by_structure.setdefault(one.structure, []).append((one, made))
        wrong += [f"{one.structure}, seed {one.seed}: {text}" for text in made.wrong]
        if len(by_structure[one.structure]) == 2 * chosen.seeds:
            print(_line(one.structure, by_structure[one.structure]), flush=True)
    print(_line("all", [pair for pairs in by_structure.values() for pair in pairs]))
    print(f"\n{chosen.hosts} hosts, peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    for text in wrong[:40]:
        print(f"- {text}")


def _line(name: str, pairs: Sequence[tuple[Cluster, Score]]) -> str:
    bad = [made for cluster, made in pairs if cluster.planted.hosts]
    healthy = [made for cluster, made in pairs if not cluster.planted.hosts]
    cells = []
    for kind in ("host", "leaf", "trunk"):
        found, counted, more, rest = (
            sum(getattr(one, what)[kind] for one in bad) for what in ("found", "counted", "found_of_rest", "rest")
        )
        cells.append(share(found, counted) + (f" ({more}/{rest})" if rest else ""))
    right = share(sum(one.right for one in bad), sum(one.verdicts for one in bad))
    said = f"{sum(one.verdicts for one in healthy)} in {len(healthy)}"
    steps = max(one.steps for one in (*bad, *healthy))
    seconds = max(one.seconds for one in (*bad, *healthy))
    return f"| {name} | {' | '.join(cells)} | {right} | {said} | {steps} | {seconds:.1f} s |"


if __name__ == "__main__":
    main()
