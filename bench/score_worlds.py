"""Judges the worlds of bench/worlds after --confirm: alarms in healthy ones, planted parts found.

    PYTHONPATH=python python bench/score_worlds.py --hosts 32 --seeds 5 --jobs 2 --save scores.jsonl
    PYTHONPATH=python python bench/score_worlds.py --tables scores.jsonl more.jsonl

For each structure: healthy worlds with a verdict; then the same worlds with one planted part of each kind (with
`--several N`: with 2 to N parts of these kinds): parts found of those that count as visible (issue 16), the others in
brackets, and wrong verdicts. Then precision and recall by class of parts, how often verdicts of each stated confidence
were right, and every wrong verdict. `--held-out` uses the structures that the judge is not tuned on; `--topology` tells
the judge which hosts are behind one switch, or in one group of a dragonfly.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from zlib import crc32

import numpy as np
from worlds.faults import KINDS
from worlds.saving import scored, share
from worlds.scoring import SETS, Case, Part, Said, Score, score
from worlds.structures import ALL, BUILDING, HELD_OUT
from worlds.world import AT_ONCE, BOTH_WAYS, ONE_WAY

USUAL = ("host", "rank", "direction", "link", "leaf", "chassis", "intermittent 30 %", "loss")
CLASSES: Mapping[str, tuple[set[str], set[str]]] = {  # kinds of parts, and kinds of verdicts about such parts
    "hosts, adapters, ranks": (
        {"host", "adapter", "direction", "rank", "quarter of a leaf", "chassis", "tiny", "latency only",
         "bandwidth only", "intermittent 10 %", "intermittent 30 %", "loss", "jitter", "dark host"},
        {"host", "rank"},
    ),
    "links": ({"link", "one-way link"}, {"link", "pair"}),
    "leaves, trunks, rails": ({"rail", "rail plane", "leaf", "uplink", "trunk"}, {"group", "trunk"}),
}  # fmt: skip
DRAWN = 2000  # of worlds, for an interval


def several(kinds: Sequence[str], most: int, structure: str, seed: int) -> tuple[str, ...]:
    """2 to `most` of these kinds, others in each structure."""
    random = np.random.default_rng([seed, 23, crc32(structure.encode())])
    return tuple(kinds[number] for number in random.choice(len(kinds), int(random.integers(2, most + 1))))


def cases(chosen: argparse.Namespace) -> Iterable[Case]:
    names = chosen.structures or list(HELD_OUT if chosen.held_out else BUILDING)
    for name in names:
        for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
            planted = (
                [several(chosen.kinds, chosen.several, name, seed)] if chosen.several else [(k,) for k in chosen.kinds]
            )
            for kinds in ((), *planted):
                yield Case(name, kinds, seed, chosen.hosts, chosen.kernel, chosen.partners, chosen.topology,
                           chosen.screening)  # fmt: skip


def saved(path: Path) -> Iterable[Score]:
    for line in path.read_text().splitlines():
        one = json.loads(line)
        case = Case(**{**one["case"], "kinds": tuple(one["case"]["kinds"])})
        yield Score(case, tuple(Part(**part) for part in one["parts"]), tuple(Said(**said) for said in one["said"]))


def healthy_cell(scores: Sequence[Score]) -> str:
    healthy = [one for one in scores if not one.parts]
    return f"{sum(one.wrong > 0 for one in healthy)} of {len(healthy)}"


def planted_cell(scores: Sequence[Score]) -> str:
    """Empty where the structure has no such part."""
    parts = [part for one in scores for part in one.parts]
    if not parts:
        return ""
    counted, hidden = ([part for part in parts if part.counts is counts] for counts in (True, False))
    left_out = f" ({sum(part.found for part in hidden)}/{len(hidden)})" if hidden else ""
    wrong = sum(one.wrong for one in scores)
    return f"{sum(part.found for part in counted)}/{len(counted)}{left_out}" + (f", {wrong} wrong" if wrong else "")


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def print_head(*cells: str) -> None:
    print()
    print_row(*cells)
    print_row(*["---"] * len(cells))


def print_structures(scores: Sequence[Score]) -> None:
    columns = list(dict.fromkeys(kind_of(one) for one in scores if one.parts))
    print_head("structure", "healthy with a verdict", *columns)
    for name in ALL:
        of_name = [one for one in scores if one.case.structure == name]
        if of_name:
            cells = [planted_cell([one for one in of_name if one.parts and kind_of(one) == kind]) for kind in columns]
            print_row(name, healthy_cell(of_name), *cells)


def kind_of(one: Score) -> str:
    return one.case.kinds[0] if len(one.case.kinds) == 1 else "several"


def print_classes(scores: Sequence[Score]) -> None:
    """Precision and recall; the parts that an observer could not see stand beside. The last column: not of sets."""
    print_head(
        "", "found of those that count", "found of the rest", "verdicts right", "of pairs whose way passes a part",
        "verdicts for each single part found",
    )  # fmt: skip
    parts, said = [p for one in scores for p in one.parts], [v for one in scores for v in one.said]
    for name, (kinds, verdicts) in CLASSES.items():
        own = [part for part in parts if part.kind in kinds]
        counted, rest = ([part.found for part in own if part.counts is counts] for counts in (True, False))
        own_said = [verdict for verdict in said if verdict.kind in verdicts]
        right, on_way = (sum(getattr(one, what) for one in own_said) for what in ("right", "on_way"))
        found = [part.verdicts for part in own if part.found and part.kind not in SETS]
        each = f"{np.mean(found):.2f}" if found else ""
        print_row(
            name, share(sum(counted), len(counted)), share(sum(rest), len(rest)), share(right, len(own_said)),
            str(on_way) if on_way else "", each,
        )  # fmt: skip
    sided = [verdict.side_right for verdict in said if verdict.sided and verdict.right]
    print(f"\nDirection right in {share(sum(sided), len(sided))} of those claimed.")


def print_reliability(scores: Sequence[Score]) -> None:
    """How often verdicts of each kind and stated confidence were right; intervals of 95 % by drawing worlds anew."""
    print_head("verdict on", "stated", "verdicts", "worlds", "right", "95 % interval")
    said = sorted((one.kind, one.confidence, number, one.right) for number, s in enumerate(scores) for one in s.said)
    for (kind, confidence), of_bin in groupby(said, key=lambda one: one[:2]):
        _, _, world, right = (np.array(column) for column in zip(*of_bin, strict=True))
        low, high = interval(world, right)
        print_row(
            kind, f"{confidence:.1%}", str(len(right)), str(len(np.unique(world))), f"{right.mean():.1%}",
            f"{low:.1%} to {high:.1%}",
        )  # fmt: skip


def interval(world: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """95 % interval of the share that is right, clustered by world; where all or none are, by the rule of three."""
    worlds, of = np.unique(world, return_inverse=True)
    good, count = np.bincount(of, right), np.bincount(of)
    if right.all() or not right.any():
        rest = min(1.0, 3 / len(worlds))
        return (1 - rest, 1.0) if right.all() else (0.0, rest)
    drawn = np.random.default_rng(1).integers(len(worlds), size=(DRAWN, len(worlds)))
    low, high = np.quantile(good[drawn].sum(axis=1) / count[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def print_wrong(scores: Sequence[Score]) -> None:
    print("\nWrong verdicts, and wrong directions of right ones:")
    for one in scores:
        for said in one.said:
            if not said.right or said.sided > said.side_right:
                planted = ", ".join(f"{part.kind} {part.name[:40]}" for part in one.parts) or "healthy"
                where = f"{one.case.structure}, {one.case.hosts} hosts, seed {one.case.seed}, {planted}"
                print(f"- {where}: {said.text[:160]}{' (direction)' * said.right}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=USUAL, help="planted parts")
    parser.add_argument("--several", type=int, default=0, help="plant 2 to this many parts at once")
    parser.add_argument("--kernel", choices=(BOTH_WAYS, ONE_WAY, AT_ONCE), default=BOTH_WAYS)
    parser.add_argument("--partners", type=int, default=0, help="of each rank, in a sample; 0: all others")
    parser.add_argument("--topology", action="store_true", help="tell the judge the groups of hosts")
    parser.add_argument("--screening", type=int, default=0, help="steps of a screening, measured instead of all pairs")
    parser.add_argument("--structures", nargs="*", choices=list(ALL), help="default: all for building")
    parser.add_argument("--save", type=Path, help="append the scores to this file, one line of JSON for each world")
    parser.add_argument("--tables", type=Path, nargs="+", help="print the tables of saved scores; measure nothing")
    chosen = parser.parse_args()
    if chosen.held_out and not HELD_OUT:
        parser.error("--held-out: no structure is held out: all have been looked at (HELD_OUT in worlds/structures.py)")
    if chosen.tables:
        scores = [one for path in chosen.tables for one in saved(path)]
    else:
        scores = list(scored(score, cases(chosen), chosen.jobs, chosen.save))
    print_structures(scores)
    print_classes(scores)
    print_reliability(scores)
    print_wrong(scores)


if __name__ == "__main__":
    main()
