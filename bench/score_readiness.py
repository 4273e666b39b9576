"""All pairs of 232 hosts, of which three are slow, and a pair and a trunk: what is found, and how long it takes.

    PYTHONPATH=python python bench/score_readiness.py --seeds 40 --jobs 2 --save readiness.jsonl
    PYTHONPATH=python python bench/score_readiness.py --tables readiness.jsonl

Each structure is a cluster of bench/worlds, with other faults for each seed. All pairs are measured once, both ways,
and then what the judge wants to have confirmed. Seconds of measuring are virtual: of each step those of its longest
pair, with the messages and warm-ups of both directions and all sizes; `--round` adds the control traffic of a step.
Seconds of judging are processor time on this machine: all plans to confirm, and the last judgement.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from worlds.faults import Fault, planted
from worlds.saving import scored, share
from worlds.scoring import grouping_of, is_about, is_found
from worlds.structures import ALL, Structure
from worlds.world import World

from everylink.judge.judge import judge
from everylink.model.plan import Plan
from everylink.model.results import Results
from everylink.model.rows import Rows
from everylink.simulate.results import confirmed

HOSTS = 232
STRUCTURES = ("fat tree 1:1 static", "fat tree 1:1 adaptive", "fat tree 2:1 static", "fat tree 4:1 adaptive")
KINDS = ("host", "host", "host", "link", "trunk")
SIZES = (8, 1 << 16, 1 << 20)
MESSAGES, WARMUPS = 20, 2  # of each direction and size
ROUND = 2e-3  # seconds


@dataclass(frozen=True)
class Case:
    """`topology`: whether the judge is told the groups of hosts."""

    structure: str
    seed: int
    hosts: int = HOSTS
    topology: bool = False


@dataclass(frozen=True)
class Part:
    """A planted part: whether an observer who knows the structure could see it (`counts`), and whether it was found."""

    kind: str
    name: str
    counts: bool
    found: bool


@dataclass(frozen=True)
class Said:
    kind: str
    right: bool
    text: str


@dataclass(frozen=True)
class Score:
    """`steps` and virtual `seconds` of messages: of all pairs, and of what was confirmed. `judging`: seconds."""

    case: Case
    parts: tuple[Part, ...]
    said: tuple[Said, ...]
    steps: tuple[int, int]
    seconds: tuple[float, float]
    judging: float


class Timed:
    """A world that counts the processor time that it takes to answer."""

    def __init__(self, world: World) -> None:
        self.world, self.took = world, 0.0

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        began = time.process_time()
        rows = self.world.answer(plan, size, turn)
        self.took += time.process_time() - began
        return rows


def score(case: Case) -> Score:
    random = np.random.default_rng([case.seed, 17])
    built = ALL[case.structure](case.hosts, random)
    faults = planted_apart(built, random)
    noise = float(random.uniform(0.005, 0.02))
    world = World(built, faults, case.seed, SIZES, iterations=1, noise=noise, messages=MESSAGES)
    grouping = grouping_of(built) if case.topology else None
    timed, measured = Timed(world), world.results
    began = time.process_time()
    again = confirmed(timed, measured, grouping)
    verdicts = judge(again, grouping).verdicts
    judging = time.process_time() - began - timed.took
    parts = tuple(
        Part(
            fault.kind, " ".join(fault.parts[:2]), world.visible(fault).counts(fault, built),
            is_found([verdict for verdict in verdicts if is_about(verdict, fault)], fault),
        )
        for fault in faults
    )  # fmt: skip
    said = tuple(
        Said(
            verdict.kind, any(is_about(verdict, fault) for fault in faults),
            f"{verdict.kind} {' '.join(verdict.subject)}: {verdict.evidence}",
        )
        for verdict in verdicts
    )  # fmt: skip
    first, spent = len(measured.steps.began), seconds_of_steps(again)
    return Score(
        case,
        parts,
        said,
        (first, len(spent) - first),
        (float(spent[:first].sum()), float(spent[first:].sum())),
        judging,
    )


def planted_apart(built: Structure, random: np.random.Generator) -> tuple[Fault, ...]:
    """Three hosts, a link between two others, and a trunk that this link does not cross."""
    while True:
        faults = tuple(planted(kind, built, random) for kind in KINDS)
        *hosts, link, trunk = (set(fault.hosts) for fault in faults)
        if len(set().union(*hosts)) == len(hosts) and not link & set().union(*hosts) and not link <= trunk:
            return faults


def seconds_of_steps(results: Results) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of each step those of its longest pair: a message there and one back, in each direction and size."""
    rows = [size.rows.held() for size in results.sizes]
    first, count = rows[0], results.facts.ranks
    seconds = sum(2 * (MESSAGES + WARMUPS) * of_size.mean.astype(np.float64) for of_size in rows)
    a, b = np.minimum(first.frm, first.to).astype(np.int64), np.maximum(first.frm, first.to).astype(np.int64)
    pair, of = np.unique((first.step * count + a) * count + b, return_inverse=True)
    longest = np.zeros(len(results.steps.began))
    np.maximum.at(longest, pair // count**2, np.bincount(of, seconds))
    return longest


def saved(path: Path) -> list[Score]:
    scores = []
    for line in path.read_text().splitlines():
        one = json.loads(line)
        said = tuple(Said(**one_said) for one_said in one["said"])
        parts, steps, seconds = tuple(Part(**part) for part in one["parts"]), tuple(one["steps"]), tuple(one["seconds"])
        scores.append(Score(Case(**one["case"]), parts, said, steps, seconds, one["judging"]))
    return scores


def range_of(values: Iterable[float]) -> str:
    """Median and largest."""
    every = list(values)
    return f"{np.median(every):.1f}, {max(every):.1f}"


def print_tables(scores: Sequence[Score], seconds_of_round: float) -> None:
    """One row for each structure, and one for all; then what was missed, and what was wrong."""
    names = list(dict.fromkeys(one.case.structure for one in scores))
    kinds = list(dict.fromkeys(KINDS))
    heads = [
        "structure", "clusters", *(f"{kind}s found" for kind in kinds), "verdicts right", "steps", "of messages, s",
        "with rounds, s", "judging, s",
    ]  # fmt: skip
    for cells in (heads, ["---"] * len(heads)):
        print(f"| {' | '.join(cells)} |")
    for name in [*names, "all"] if len(names) > 1 else names:
        own = [one for one in scores if name in (one.case.structure, "all")]
        parts, said = [part for one in own for part in one.parts], [said for one in own for said in one.said]
        found = ([part.found for part in parts if part.kind == kind] for kind in kinds)
        cells = [
            name, str(len(own)), *(share(sum(of), len(of)) for of in found),
            share(sum(one.right for one in said), len(said)), range_of(sum(one.steps) for one in own).replace(".0", ""),
            range_of(sum(one.seconds) for one in own),
            range_of(sum(one.seconds) + sum(one.steps) * seconds_of_round for one in own),
            range_of(one.judging for one in own),
        ]  # fmt: skip
        print(f"| {' | '.join(cells)} |")
    print("\nSteps and seconds: median, largest. Missed, and wrong:")
    for one in scores:
        where = f"- {one.case.structure}, seed {one.case.seed}: "
        for part in one.parts:
            if not part.found:
                print(f"{where}missed {part.kind} {part.name}{'' if part.counts else ', which hardly shows'}")
        for verdict in one.said:
            if not verdict.right:
                print(f"{where}wrong {verdict.text[:160]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--structures", nargs="*", choices=list(ALL), default=STRUCTURES)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--topology", action="store_true", help="tell the judge the groups of hosts")
    parser.add_argument("--round", type=float, default=ROUND, help="seconds of control traffic of a step")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--save", type=Path, help="append the scores to this file, one line of JSON for each cluster")
    parser.add_argument("--tables", type=Path, nargs="+", help="print the tables of saved scores; measure nothing")
    chosen = parser.parse_args()
    if chosen.tables:
        scores = [one for path in chosen.tables for one in saved(path)]
    else:
        seeds = range(chosen.first_seed, chosen.first_seed + chosen.seeds)
        cases = [Case(name, seed, chosen.hosts, chosen.topology) for seed in seeds for name in chosen.structures]
        scores = list(scored(score, cases, chosen.jobs, chosen.save))
    print_tables(scores, chosen.round)


if __name__ == "__main__":
    main()
