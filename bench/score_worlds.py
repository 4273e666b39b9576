"""Judges the worlds of bench/worlds after --confirm, without a topology: alarms in healthy ones, planted parts found.

    PYTHONPATH=python python bench/score_worlds.py --hosts 32 --seeds 5 --jobs 2

For each structure: healthy worlds with a verdict, and the verdicts in them; then the same worlds with one planted part
of each kind: parts found of those that count as visible (issue 16), the others in brackets, and verdicts on what is not
part of it. `--held-out` uses the structures that the judge is not tuned on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from worlds.faults import KINDS, Fault, planted, possible
from worlds.structures import BUILDING, HELD_OUT, Make
from worlds.world import World

from everylink.host_lists import expanded
from everylink.judge.judge import judge
from everylink.judge.verdict import Verdict
from everylink.simulate.results import confirmed

NEARLY_ALL = 0.9  # of the hosts of a part
USUAL = ("host", "rank", "direction", "link", "leaf", "chassis", "intermittent 30 %", "loss")
SETS = ("rail", "rail plane", "leaf", "uplink", "trunk", "quarter of a leaf", "chassis")


@dataclass(frozen=True)
class Score:
    """Of one world: its planted part, if any, whether it counts and was found, and verdicts on anything else."""

    structure: str
    kind: str
    counts: bool
    found: bool
    wrong: int
    stated: tuple[tuple[str, float, bool], ...]  # of each verdict its kind and confidence, and whether it was right


def hosts_of(verdict: Verdict) -> set[str]:
    """The hosts that a verdict names."""
    names: set[str] = set()
    for name in verdict.subject:
        names |= set(expanded(name.partition(" on ")[0].partition(":")[0]))
    return names


def is_about(verdict: Verdict, fault: Fault) -> bool:
    """Whether a verdict names the planted part; of sets of hosts also one host of it."""
    own = {f"n{host}" for host in fault.hosts}
    match fault.kind:
        case "link" | "one-way link":
            return verdict.kind in ("pair", "link") and hosts_of(verdict) == own
        case "rank":
            return verdict.subject == fault.parts
        case "adapter":
            return verdict.kind == "rank" and hosts_of(verdict) == own
        case "rail plane":
            device = fault.parts[0].replace("rail", "mlx5_")
            return verdict.kind == "group" and f" on {device} " in verdict.subject[0]
        case _ if fault.kind in SETS:
            return verdict.kind in ("group", "trunk", "host", "rank") and hosts_of(verdict) <= own
    return verdict.kind in ("host", "rank") and hosts_of(verdict) == own


def is_found(verdicts: list[Verdict], fault: Fault) -> bool:
    """Whether the verdicts about a part name it; of a set of hosts nearly all."""
    if fault.kind not in SETS or fault.kind == "rail plane":
        return bool(verdicts)
    named = set().union(*map(hosts_of, verdicts))
    return len(named) >= NEARLY_ALL * len(fault.hosts)


def score(held_out: bool, hosts: int, case: tuple[str, str, int]) -> Score:
    """Generates, measures, confirms and judges one world; kind "": a healthy one."""
    structure, kind, seed = case
    make: Make = (HELD_OUT if held_out else BUILDING)[structure]
    random = np.random.default_rng([seed, 17])
    built = make(hosts, random)
    if kind and not possible(kind, built):
        return Score(structure, kind, False, False, -1, ())
    fault = planted(kind, built, random) if kind else None
    world = World(built, () if fault is None else (fault,), seed, noise=float(random.uniform(0.005, 0.02)))
    verdicts = judge(confirmed(world, world.results)).verdicts
    about = [verdict for verdict in verdicts if fault is not None and is_about(verdict, fault)]
    wrong = [verdict for verdict in verdicts if verdict not in about]
    counts = fault is not None and world.visible(fault).counts(fault, built)
    found = fault is not None and is_found(about, fault)
    stated = tuple((verdict.kind, verdict.confidence, verdict in about) for verdict in verdicts)
    return Score(structure, kind, counts, found, len(wrong), stated)


def healthy_cell(scores: list[Score]) -> str:
    alarms = [one for one in scores if one.wrong]
    return f"{len(alarms)} of {len(scores)}, {sum(one.wrong for one in alarms)} verdicts"


def planted_cell(scores: list[Score]) -> str:
    """Empty where the structure has no such part."""
    there = [one for one in scores if one.wrong >= 0]
    if not there:
        return ""
    counted, hidden = ([one for one in there if one.counts is counts] for counts in (True, False))
    found = f"{sum(one.found for one in counted)}/{len(counted)}"
    left_out = f" ({sum(one.found for one in hidden)}/{len(hidden)})" if hidden else ""
    return f"{found}{left_out}, {sum(one.wrong for one in there)} wrong"


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def print_reliability(scores: list[Score]) -> None:
    """How often verdicts of each kind and stated confidence were right."""
    counts: Counter[tuple[str, float, bool]] = Counter()
    for one in scores:
        counts.update((kind, round(confidence, 3), right) for kind, confidence, right in one.stated)
    print_row("verdict on", "stated", "verdicts", "right")
    print_row(*["---"] * 4)
    for kind, confidence in sorted({(kind, confidence) for kind, confidence, _ in counts}):
        right, wrong = counts[kind, confidence, True], counts[kind, confidence, False]
        print_row(kind, f"{confidence:.1%}", str(right + wrong), f"{right / (right + wrong):.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=USUAL, help="planted parts")
    parser.add_argument("--structures", nargs="*", help="default: all")
    chosen = parser.parse_args()
    names = chosen.structures or list(HELD_OUT if chosen.held_out else BUILDING)
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.seeds)
    print_row("structure", "healthy with a verdict", *chosen.kinds)
    print_row(*["---"] * (len(chosen.kinds) + 2))
    scores: list[Score] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for name in names:
            cases = [(name, kind, seed) for kind in ("", *chosen.kinds) for seed in seeds]
            of_name = list(pool.map(partial(score, chosen.held_out, chosen.hosts), cases))
            scores += of_name
            cells = [planted_cell([one for one in of_name if one.kind == kind]) for kind in chosen.kinds]
            healthy = healthy_cell([one for one in of_name if not one.kind])
            print_row(name, healthy, *cells)
    print()
    print_reliability(scores)


if __name__ == "__main__":
    main()
