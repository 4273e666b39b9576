"""Scores `everylink diagnose` on simulated fabrics: precision and recall for hosts, links, groups and trunks.

    python bench/score_judge.py --fabrics 300 --healthy 500 --seed 1 --jobs 2

The generator in this file shares nothing with `everylink simulate`, on which the judge was tuned: it has other classes,
gamma noise, transients of another shape, and ranks that share a NIC. A fabric has 16 to 1,024 hosts with 1 to 4 ranks
each, in 1 to 16 groups. Hosts (at most a quarter), links, a group and the trunk between two groups lose 10 to 50 % of
their bandwidth. All links are measured, or all but 5 %, or three random partners per rank, sometimes with an odd number
of ranks; groups are given or not. What the judge suspects is measured again, as --confirm does.
A slow link counts as missed only if it was measured and its log factor is at least 6 x noise; a slow host, only if it
makes some measured link 5 % longer, which it may not do behind a slower group.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import expanded
from everylink.io.foreign import bare_facts, bare_ranks
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.plan import Plan
from everylink.model.results import Results, Size, Steps
from everylink.model.rows import Rows
from everylink.simulate.follow_up import answered, passes_of
from everylink.simulate.results import confirmed

BYTES = 1 << 20
READINGS = 50
VISIBLE = 6.0  # times the noise
SHOWS = 1.05  # times as long; a slow host without such a measured link does not count
ALMOST_ALL = 0.9  # of a group's hosts, if groups were not given
Index = NDArray[np.int64]


@dataclass
class World:
    """A fabric with planted faults; `measure` returns rows."""

    seed: int
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = random = np.random.default_rng([self.seed, 7])
        self.hosts = int(np.exp(random.uniform(np.log(16), np.log(1024))))
        self.each = int(random.choice([1, 1, 1, 2, 3, 4])) if self.hosts <= 160 else 1
        self.shared_nic = self.each >= 2 and random.random() < 0.4
        self.size = self.hosts * self.each - int(random.random() < 0.2)  # one rank less: odd, or a host short of one
        wanted = int(random.integers(1, 17))
        self.group_size = -(-self.hosts // wanted)
        self.group = np.arange(self.hosts) // self.group_size
        self.groups = int(self.group.max()) + 1
        self.noise = float(random.uniform(0.01, 0.05))
        self.transient = float(random.uniform(0, 0.02))
        self.both = bool(random.random() < 0.7)
        self.far = float(random.uniform(1.05, 1.3))  # time of a link between groups / inside a group
        self.host_rate = np.ones(self.hosts)
        self.group_rate = np.ones(self.groups)
        self.link_rate: dict[tuple[int, int], float] = {}
        self.trunk_rate: dict[tuple[int, int], float] = {}

    @property
    def measured_group(self) -> Index:
        """The group of each host that has a rank."""
        return self.group[: -(-self.size // self.each)]

    def plant(self) -> None:
        random = self.random
        for _ in range(int(random.integers(0, 9))):
            kind, rate = random.choice(["host", "link", "group"], p=[0.5, 0.35, 0.15]), float(random.uniform(0.5, 0.9))
            if kind == "host":
                host = int(random.integers(self.hosts))
                if (self.host_rate < 1).sum() < self.hosts // 4:
                    self.host_rate[host] = min(self.host_rate[host], rate)
            elif kind == "link":
                a, b = (int(i) for i in random.choice(self.hosts, 2, replace=False))
                self.link_rate[a, b] = min(rate, self.link_rate.get((a, b), 1.0))
            else:
                last = np.bincount(self.group)[-1]
                if self.groups >= 4 and min(self.group_size, int(last)) >= 4 and (self.group_rate == 1).all():
                    self.group_rate[int(random.integers(self.groups))] = rate
        last = np.bincount(self.group)[-1]
        if self.groups >= 5 and min(self.group_size, int(last)) >= 4 and random.random() < 0.3:
            a, b = sorted(int(i) for i in random.choice(self.groups, 2, replace=False))
            self.trunk_rate[a, b] = float(random.uniform(0.5, 0.9))

    def seconds(self, frm: Index, to: Index, links: bool = True) -> NDArray[np.float64]:
        """One-way time from host to host without noise, seconds."""
        far = self.group[frm] != self.group[to]
        rate = np.minimum(self.host_rate[frm], self.host_rate[to])
        rate = np.where(
            far, np.minimum(rate, np.minimum(self.group_rate[self.group[frm]], self.group_rate[self.group[to]])), rate
        )
        for (a, b), left in self.trunk_rate.items():
            ends = self.group[frm], self.group[to]
            hit = ((ends[0] == a) & (ends[1] == b)) | ((ends[0] == b) & (ends[1] == a))
            rate[hit] = np.minimum(rate[hit], left)
        for (a, b), left in self.link_rate.items() if links else ():
            hit = (frm == a) & (to == b)
            rate[hit] = np.minimum(rate[hit], left)
        return np.asarray(3e-6 + 40e-6 * np.where(far, self.far, 1.0) / rate)

    def reading(self, frm: Index, to: Index, links: bool = True) -> NDArray[np.float64]:
        there = self.seconds(frm, to, links)
        return (there + self.seconds(to, frm, links)) / 2 if self.both else there

    def measure(self, frm: Index, to: Index, size: int, attempt: int = 0, draw: int = 0) -> Rows:
        random = np.random.default_rng([self.seed, size, attempt, draw, 11])
        count = len(frm)
        a, b = frm // self.each, to // self.each
        inside = a == b
        times = np.where(inside, 9e-6, self.reading(a, b))
        if self.shared_nic:  # ranks that share a NIC are mostly busy at the same time
            times = np.where(inside, times, times * random.normal(1.8, 0.02, count))
        shape = 1 / self.noise**2
        times = times * random.gamma(shape, 1 / shape, count)
        disturbed = random.random(count) < self.transient
        times = np.where(disturbed, times * (1.1 + random.exponential(0.7, count)), times)
        zeros, ones = np.zeros(count), np.ones(count)
        value = times.astype(np.float32)
        return Rows(
            frm.astype(np.uint32), to.astype(np.uint32), zeros.astype(np.uint32), np.full(count, attempt, np.uint8),
            zeros.astype(np.uint8), (READINGS * ones).astype(np.int32), zeros.astype(np.float32),
            (READINGS * ones).astype(np.uint32), value, value, value, value, value,
            random.binomial(READINGS, 0.001, count).astype(np.uint32), np.full(count, np.nan, np.float32),
        )  # fmt: skip

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        return answered(self, passes_of(plan, self.size, self.seed, turn), size)

    def one_way(self) -> World:
        other = copy(self)
        other.both = False
        return other

    def links(self) -> tuple[Index, Index]:
        """Every link, or 95 % of them, or three random partners per rank."""
        way = self.random.choice(["all", "all", "missing", "sample"])
        self.way = str(way)
        if way == "sample":
            pairs: set[tuple[int, int]] = set()
            for _ in range(3):
                order = self.random.permutation(self.size)[: self.size // 2 * 2].reshape(-1, 2)
                pairs |= {(min(x, y), max(x, y)) for x, y in order.tolist()}
            half = np.array(sorted(pairs), np.int64)
            both = np.concatenate([half, half[:, ::-1]])
            return both[:, 0], both[:, 1]
        frm, to = np.nonzero(~np.eye(self.size, dtype=bool))
        if way == "missing":
            kept = self.random.random(len(frm)) > 0.05
            frm, to = frm[kept], to[kept]
        return frm.astype(np.int64), to.astype(np.int64)

    def results(self, frm: Index, to: Index) -> Results:
        rank = np.arange(self.size)
        host = rank // self.each
        ranks = bare_ranks([f"n{h}" for h in host], host, rank % self.each)
        nothing = np.zeros(1)
        steps = Steps(nothing.astype("u4"), nothing.astype("u8"), nothing, nothing.astype("f4"), nothing.astype("u4"))
        kernel = "semidirectional" if self.both else "unidirectional"
        facts = bare_facts(kernel, transport="score", ranks=self.size, hosts=int(host.max()) + 1, messages=READINGS)
        size = Size(BYTES, 1, self.size, self.measure(frm, to, BYTES))
        return Results(Path("score"), facts, ranks, steps, (size,))


@dataclass(frozen=True)
class Score:
    """What was planted in one fabric, and what was found."""

    about: dict[str, object]
    hosts: tuple[set[str], set[str]]
    groups: tuple[set[str], set[str]]
    trunks: tuple[set[str], set[str]]
    planted_links: dict[tuple[str, ...], float]  # log factor
    must: set[tuple[str, ...]]
    links: set[tuple[str, ...]]
    host_rates: dict[str, float]
    seconds: float

    @property
    def wrong(self) -> list[str]:
        """Every mistake, as text."""
        parts = {"hosts": self.hosts, "groups": self.groups, "trunks": self.trunks}.items()
        said = [
            f"{what} +{sorted(found - true)} -{sorted(true - found)}" for what, (true, found) in parts if true != found
        ]
        false, missed = sorted(self.links - set(self.planted_links)), sorted(self.must - self.links)
        return said + ([f"links +{false} -{missed}"] if false or missed else [])


def score(labels: bool, healthy: bool, seed: int) -> Score:
    """Generates, measures and judges one fabric, and compares the verdicts with what was planted."""
    world = World(seed)
    if not healthy:
        world.plant()
    frm, to = world.links()
    results = world.results(frm, to)
    grouping = (
        Grouping(world.group[: results.facts.hosts], tuple(f"g{g}" for g in range(world.groups))) if labels else None
    )
    began = time.perf_counter()
    judgement = judge(confirmed(world, results, grouping), grouping)
    took = time.perf_counter() - began
    about = {
        "seed": seed, "hosts": world.hosts, "ranks": world.each, "groups": world.groups, "noise": round(world.noise, 3),
        "transient": round(world.transient, 3), "way": world.way, "both": world.both, "nic": world.shared_nic,
    }  # fmt: skip
    slow = {f"n{h}": float(world.host_rate[h]) for h in _visible_hosts(world, frm, to)}
    hidden = {f"n{h}" for h in np.flatnonzero(world.host_rate < 1)} - set(slow)
    groups = _group_names(world, judgement, labels)
    planted, must = _links(world, frm, to)
    found = {_pair(v.subject, world.both) for v in judgement.verdicts if v.kind in ("pair", "link")}
    found = {pair for pair in found if pair in planted or not _over_a_trunk(world, pair)}
    hosts = {v.subject[0] for v in judgement.verdicts if v.kind in ("host", "rank")} - hidden
    trunks = _trunk_names(world, judgement, labels)
    return Score(about, (set(slow), hosts), groups, trunks, planted, must, found, slow, took)


def _visible_hosts(world: World, frm: Index, to: Index) -> list[int]:
    """Slow hosts that make some measured link slower; behind a slower group there may be none."""
    visible = []
    for host in np.flatnonzero(world.host_rate < 1).tolist():
        a, b = frm // world.each, to // world.each
        own = (a != b) & ((a == host) | (b == host))
        without = copy(world)
        without.host_rate = world.host_rate.copy()
        without.host_rate[host] = 1.0
        if own.any() and (world.reading(a[own], b[own]) > SHOWS * without.reading(a[own], b[own])).any():
            visible.append(host)
    return visible


def _group_names(world: World, judgement: Judgement, labels: bool) -> tuple[set[str], set[str]]:
    true = {f"g{g}" for g in np.flatnonzero(world.group_rate < 1)}
    found = set()
    for verdict in judgement.verdicts:
        if verdict.kind == "group":
            if labels:
                found.add(verdict.subject[0])
                continue
            members = {world.group[int(name[1:])] for name in verdict.subject}
            (most, count), *_ = Counter(int(world.group[int(n[1:])]) for n in verdict.subject).most_common(1)
            whole = len(members) == 1 and count >= ALMOST_ALL * (world.measured_group == most).sum()
            found.add(f"g{most}" if whole else f"mixed {len(verdict.subject)}")
    return true, found


def _trunk_names(world: World, judgement: Judgement, labels: bool) -> tuple[set[str], set[str]]:
    """Planted trunks that are visible, and trunks found, named by the groups at their ends."""
    true = {
        f"g{a}-g{b}"
        for (a, b), rate in world.trunk_rate.items()
        if world.way != "sample" and rate < 0.97 * min(world.group_rate[[a, b]])
    }
    hidden = {f"g{a}-g{b}" for a, b in world.trunk_rate} - true
    found = set()
    for verdict in judgement.verdicts:
        if verdict.kind == "trunk":
            ends = [name if labels else _group_of_nodes(world, name) for name in verdict.subject]
            found.add("-".join(sorted(ends, key=lambda end: int(end[1:]) if end[1:].isdigit() else -1)))
    return true, found - hidden


def _group_of_nodes(world: World, nodes: str) -> str:
    numbers = [int(name[1:]) for name in expanded(nodes)]
    (group, count), *_ = Counter(world.group[numbers].tolist()).most_common(1)
    return f"g{group}" if count >= ALMOST_ALL * max((world.measured_group == group).sum(), len(numbers)) else "mixed"


def _links(world: World, frm: Index, to: Index) -> tuple[dict[tuple[str, ...], float], set[tuple[str, ...]]]:
    """Log factors of planted links by name, and the links that must be found."""
    planted: dict[tuple[str, ...], float] = {}
    must = set()
    host_from, host_to = frm // world.each, to // world.each
    for a, b in world.link_rate:
        ends = np.array([a]), np.array([b])
        effect = float(np.log(world.reading(*ends) / world.reading(*ends, links=False))[0])
        name = _pair((f"n{a}", f"n{b}"), world.both)
        planted[name] = max(effect, planted.get(name, 0.0))
        seen = ((host_from == a) & (host_to == b)).any() or (world.both and ((host_from == b) & (host_to == a)).any())
        if seen and planted[name] >= VISIBLE * world.noise:
            must.add(name)
    return planted, must


def _over_a_trunk(world: World, pair: tuple[str, ...]) -> bool:
    """Whether the link crosses a planted trunk: it is slow, but with few links measured the trunk may not show."""
    a, b = sorted(int(world.group[int(name[1:])]) for name in pair)
    return (a, b) in world.trunk_rate


def _pair(subject: tuple[str, ...], both: bool) -> tuple[str, ...]:
    hosts = tuple(name.partition(":")[0] for name in subject)
    return tuple(sorted(hosts)) if both else hosts


def rates(true: int, false: int, missed: int) -> str:
    """Counts, with precision and recall."""
    precision = true / (true + false) if true + false else 1.0
    recall = true / (true + missed) if true + missed else 1.0
    return f"{true} found, {false} false, {missed} missed: precision {precision:.4f}, recall {recall:.4f}"


def summarise(name: str, scores: list[Score]) -> None:
    """Print the mistakes, then the rates."""
    for one in scores:
        if one.wrong:
            print(f"  {one.about} {'; '.join(one.wrong)}")
    print(f"{name}: {len(scores)} fabrics, {sum(s.seconds for s in scores) / max(len(scores), 1):.2f} s each")
    for what in ("hosts", "groups", "trunks"):
        pairs = [getattr(s, what) for s in scores]
        counted = (
            sum(len(t & f) for t, f in pairs),
            sum(len(f - t) for t, f in pairs),
            sum(len(t - f) for t, f in pairs),
        )
        print(f"  {what:7} {rates(*counted)}")
    links = [len(s.links & set(s.planted_links)) for s in scores]
    false = sum(len(s.links - set(s.planted_links)) for s in scores)
    missed = sum(len(s.must - s.links) for s in scores)
    must_found = sum(len(s.must & s.links) for s in scores)
    print(f"  links   {rates(sum(links), false, 0)}; of those that must be found {rates(must_found, 0, missed)}")
    print(
        f"  fabrics with any verdict: {sum(bool(s.hosts[1] or s.groups[1] or s.trunks[1] or s.links) for s in scores)}",
        flush=True,
    )


def table(scores: list[Score]) -> None:
    """Print hosts found of hosts planted, by fault size and noise."""
    print("\n| bandwidth lost | " + " | ".join(f"noise {low}-{low + 1} %" for low in (1, 2, 3, 4)) + " |")
    print("|---|---|---|---|---|")
    for low in (10, 20, 30, 40):
        cells = []
        for noise in (1, 2, 3, 4):
            alike = [s for s in scores if noise <= 100 * float(str(s.about["noise"])) < noise + 1 + 1e-9]
            planted = [
                host in s.hosts[1]
                for s in alike
                for host, rate in s.host_rates.items()
                if low <= 100 * (1 - rate) < low + 10
            ]
            cells.append(f"{sum(planted)} of {len(planted)}")
        print(f"| {low}-{low + 10} % | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabrics", type=int, default=300, help="number with faults, half of them with groups given")
    parser.add_argument("--healthy", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first fabric")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write every mistake to this file")
    chosen = parser.parse_args()
    np.seterr(all="ignore")
    half = chosen.fabrics // 2
    parts = {
        "groups given": (True, False, range(chosen.seed, chosen.seed + half)),
        "groups not given": (False, False, range(chosen.seed + half, chosen.seed + chosen.fabrics)),
        "healthy, groups given": (True, True, range(chosen.seed, chosen.seed + chosen.healthy // 2)),
        "healthy, groups not given": (
            False,
            True,
            range(chosen.seed + chosen.healthy // 2, chosen.seed + chosen.healthy),
        ),
    }
    everything: list[Score] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for name, (labels, healthy, seeds) in parts.items():
            scores = list(pool.map(partial(score, labels, healthy), seeds))
            summarise(name, scores)
            if not labels:
                few = [one for one in scores if one.about["way"] == "sample"]
                summarise(f"of these, three partners a rank ({name})", few)
            if not healthy:
                everything += scores
    if everything:
        summarise("all with faults", everything)
        table(everything)
    if chosen.json:
        chosen.json.write_text(json.dumps([{**s.about, "wrong": s.wrong} for s in everything if s.wrong], indent=1))


if __name__ == "__main__":
    main()
