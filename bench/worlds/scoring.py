"""Judges worlds with planted parts: was each part found, and is each verdict right?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everylink.host_lists import expanded, folded
from everylink.judge.judge import judge
from everylink.judge.verdict import Scope, Verdict
from everylink.model.groups import Grouping
from everylink.simulate.results import confirmed
from worlds.faults import Fault, planted, possible
from worlds.structures import ALL, Structure
from worlds.world import BOTH_WAYS, World

NEARLY_ALL = 0.9  # of the hosts of a part
ON_WAY = 0.05  # log of the factor by which a pair takes longer alone
SETS = ("rail", "rail plane", "leaf", "uplink", "trunk", "quarter of a leaf", "chassis")


@dataclass(frozen=True)
class Case:
    """A world to be scored: `kinds` of planted parts, none in a healthy one; `partners` of a sample, 0: all.

    `topology`: whether the judge is told the groups of hosts. `screening`: the steps of one; 0: all pairs.
    """

    structure: str
    kinds: tuple[str, ...]
    seed: int
    hosts: int = 32
    kernel: str = BOTH_WAYS
    partners: int = 0
    topology: bool = False
    screening: int = 0


@dataclass(frozen=True)
class Part:
    """A planted part: whether it `counts` (an observer who knows the structure could see it) and was found, and the
    number of verdicts about it."""

    kind: str
    name: str
    counts: bool
    found: bool
    verdicts: int


@dataclass(frozen=True)
class Said:
    """A verdict, and whether it is right. `sided`: whether it claims a direction; `side_right`: and the right one.

    `on_way`: not right, but on a pair of hosts between which messages do take longer alone, since they pass a planted
    part: another cable, or a switch.
    """

    kind: str
    symptom: str
    confidence: float
    right: bool
    sided: bool
    side_right: bool
    text: str
    on_way: bool = False


@dataclass(frozen=True)
class Score:
    """What was planted in a world, and what was said of it."""

    case: Case
    parts: tuple[Part, ...]
    said: tuple[Said, ...]

    @property
    def wrong(self) -> int:
        """Verdicts on anything but planted parts."""
        return sum(not one.right for one in self.said)

    @property
    def all_found(self) -> bool:
        return all(part.found for part in self.parts)


def score(case: Case) -> Score | None:
    """Generates, measures, confirms and judges one world; None where its structure has no such part."""
    random = np.random.default_rng([case.seed, 17])
    built = ALL[case.structure](case.hosts, random)
    if not all(possible(kind, built) for kind in case.kinds):
        return None
    faults = tuple(planted(kind, built, random) for kind in case.kinds)
    noise = float(random.uniform(0.005, 0.02))
    if case.screening and not case.screening + 1 < built.hosts:
        return None
    world = World(
        built, faults, case.seed, noise=noise, kernel=case.kernel, partners=case.partners, screening=case.screening
    )
    grouping = grouping_of(built) if case.topology else None
    verdicts = judge(confirmed(world, world.results, grouping), grouping).verdicts
    about = [[verdict for verdict in verdicts if is_about(verdict, fault)] for fault in faults]
    parts = tuple(
        Part(fault.kind, " ".join(fault.parts), world.visible(fault).counts(fault, built), is_found(of, fault), len(of))
        for fault, of in zip(faults, about, strict=True)
    )
    return Score(case, parts, tuple(_said(verdict, world) for verdict in verdicts))


def grouping_of(structure: Structure) -> Grouping | None:
    """The groups of a structure, each named by its hosts; None where all hosts are equally far from each other."""
    group = structure.group
    if not group.any():
        return None
    members = (np.flatnonzero(group == number).tolist() for number in range(int(group.max()) + 1))
    return Grouping(group, tuple(folded([f"n{host}" for host in own]) for own in members))


def _said(verdict: Verdict, world: World) -> Said:
    own = [fault for fault in world.faults if is_about(verdict, fault)]
    is_part = any(fault.kind in SETS for fault in own)  # single links of it may well be slow one way
    sided = verdict.direction != "both" and verdict.symptom == "slow" and not is_part
    return Said(
        verdict.kind, verdict.symptom, round(verdict.confidence, 4), bool(own), sided,
        sided and any(is_sided(verdict, fault) for fault in own),
        f"{verdict.kind} {' '.join(verdict.subject)}: {verdict.evidence}", not own and is_on_way(verdict, world),
    )  # fmt: skip


def is_on_way(verdict: Verdict, world: World) -> bool:
    """Whether a verdict names a pair between which messages take longer alone because of the planted parts."""
    hosts = sorted(int(name.removeprefix("n")) for name in hosts_of(verdict))
    is_pair = verdict.kind in ("pair", "link") and len(hosts) == 2
    return is_pair and world.longer_alone(hosts[0], hosts[1]) > ON_WAY


def hosts_of(verdict: Verdict) -> set[str]:
    """The hosts that a verdict names."""
    names: set[str] = set()
    for name in verdict.subject:
        names |= set(expanded(name.partition(" on ")[0].partition(":")[0]))
    return names


def _are(named: set[str], hosts: Sequence[int]) -> bool:
    """Whether the names are those of nearly all of these hosts, and of no others."""
    own = {f"n{host}" for host in hosts}
    return named <= own and len(named) >= NEARLY_ALL * len(own)


def is_alike(verdict: Verdict, fault: Fault) -> bool:
    """Whether a verdict names what is slow because of a part (Fault.between): both sets of a pair, or one of the only
    pair."""
    named = hosts_of(verdict)
    if verdict.kind == "trunk":
        return any(_are(named, (*one, *other)) for one, other in fault.between)
    only = verdict.kind == "group" and fault.kind != "trunk" and len(fault.between) == 1
    return only and any(_are(named, side) for side in fault.between[0])


def is_passing(verdict: Verdict, fault: Fault) -> bool:
    """Whether a verdict names what is slow because it passes a part (Fault.passing): two sets, or several joined to one
    where all that is between them passes it."""
    if verdict.kind != "trunk":
        return False
    known = (*fault.between, *fault.passing)
    if any(_are(hosts_of(verdict), (*one, *other)) for one, other in known):
        return True
    ends = [set(expanded(name)) for name in verdict.subject]
    both = {frozenset((one, other)) for one, other in known}
    sides = [{hosts for pair in both for hosts in pair if {f"n{host}" for host in hosts} <= end} for end in ends]
    whole = all(_are(end, [host for hosts in side for host in hosts]) for end, side in zip(ends, sides, strict=True))
    return len(ends) == 2 and whole and all(frozenset(pair) in both for pair in itertools.product(*sides))


def is_about(verdict: Verdict, fault: Fault) -> bool:
    """Whether a verdict names the planted part; of sets of hosts also one host of it.

    A bad one of bonded ports, or of adapters that share each message, cannot be told from a bad host by its name.
    """
    own = {f"n{host}" for host in fault.hosts}
    match fault.kind:
        case "link" | "one-way link":
            return verdict.kind in ("pair", "link") and hosts_of(verdict) == own
        case _ if len(fault.ranks):
            is_within = verdict.kind == "host" and verdict.scope is Scope.WITHIN and hosts_of(verdict) == own
            return verdict.subject == fault.parts or (fault.of_two and is_within)
        case "adapter" if "/port" not in fault.parts[0]:
            return verdict.kind == "rank" and hosts_of(verdict) == own
        case "rail plane":
            device = fault.parts[0].replace("rail", "mlx5_")
            return verdict.kind == "group" and f" on {device} " in verdict.subject[0]
        case _ if fault.kind in SETS:
            of_own = verdict.kind in ("group", "trunk", "host", "rank") and hosts_of(verdict) <= own
            return of_own or is_alike(verdict, fault) or is_passing(verdict, fault)
    return verdict.kind in ("host", "rank") and hosts_of(verdict) == own


def is_found(verdicts: Sequence[Verdict], fault: Fault) -> bool:
    """Whether the verdicts about a part name it; of a set of hosts nearly all."""
    if fault.kind not in SETS or fault.kind == "rail plane":
        return bool(verdicts)
    own = {f"n{host}" for host in fault.hosts}
    named = set().union(*map(hosts_of, verdicts)) & own
    return len(named) >= NEARLY_ALL * len(own) or any(is_alike(verdict, fault) for verdict in verdicts)


def is_sided(verdict: Verdict, fault: Fault) -> bool:
    """Whether the direction that a verdict claims is the one that was planted."""
    match fault.kind:
        case "direction":
            return verdict.direction == fault.parts[1]
        case "one-way link":
            ends = [name.partition(":")[0] for name in verdict.subject]
            return ends == list(fault.parts if verdict.direction == "send" else fault.parts[::-1])
    return False
