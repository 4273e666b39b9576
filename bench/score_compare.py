"""Scores `everylink compare` on simulated fabrics: false alarms on healthy pairs of runs, and planted changes found.

PYTHONPATH=python:tests/python python bench/score_compare.py [TRIALS]
"""

import sys
from typing import Any

from everylink.compare.comparison import Comparison, compare
from everylink.links.merging import merged
from everylink.model.results import Results
from fabric_runs import fabric_run

HEALTHY = [  # hosts, noise, part of disturbed readings, both directions in a reading, factor on TRIALS
    (2, 0.05, 0.005, True, 6), (4, 0.05, 0.005, True, 13), (4, 0.02, 0.005, True, 10), (8, 0.05, 0.02, True, 6),
    (16, 0.05, 0.02, True, 5), (16, 0.02, 0.005, False, 5), (64, 0.05, 0.02, True, 2), (128, 0.02, 0.02, False, 1),
]  # fmt: skip


def runs_of(count: int, seed: int, faults: tuple[str, ...], options: dict[str, Any]) -> Results:
    """One run, or several merged by median."""
    made = [fabric_run(*faults, seed=seed + i, **options) for i in range(count)]
    return made[0] if count == 1 else merged(made, "median")


def score_healthy(trials: int) -> None:
    alarms = total = 0
    for hosts, noise, transient, both, times in HEALTHY:
        options = {"hosts": hosts, "noise": noise, "transient": transient, "both_directions": both}
        for seed in range(trials * times):
            found = compare(runs_of(1, 2 * seed, (), options), runs_of(1, 2 * seed + 1, (), options))
            alarms += bool(found.slower or found.faster)
        total += trials * times
    print(f"healthy: {alarms} of {total} comparisons named anything")


def score_planted(trials: int, what: str, subject: tuple[str, ...], hosts: int, **how: Any) -> None:
    """Plant one change at several sizes and noises; print the trials that found it, and those that found more."""
    count = how.pop("runs", 1)
    for noise in (0.01, 0.02, 0.05):
        row = []
        for rate in (0.9, 0.8, 0.6, 0.5):
            options = {"hosts": hosts, "noise": noise} | how
            fault = (f"{what}*{rate}",)
            found = [
                compare(runs_of(count, 100 * seed, (), options), runs_of(count, 100 * seed + 50, fault, options))
                for seed in range(trials)
            ]
            named, more = (sum(is_so(one, subject) for one in found) for is_so in (_names, _more))
            row.append(f"{rate}: {named}/{trials}, extra {more}/{trials}")
        print(f"{what} {hosts} hosts, {count} runs {how}, noise {noise}: " + "; ".join(row), flush=True)


def _names(found: Comparison, subject: tuple[str, ...]) -> bool:
    return subject in [change.subject for change in found.slower]


def _more(found: Comparison, subject: tuple[str, ...]) -> bool:
    return bool(found.faster or {change.subject for change in found.slower} - {subject})


if __name__ == "__main__":
    each = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    score_healthy(each)
    for size in (4, 16, 64):
        score_planted(each, "slow-host:n1", ("n1",), size)
    for size in (16, 64):
        score_planted(each, "slow-link:n1>n2", ("n1:1", "n2:2"), size, retested=20)
        score_planted(each, "slow-link:n1>n2", ("n1:1", "n2:2"), size, runs=3)
