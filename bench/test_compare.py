"""Tests the comparison on simulated programs with a known difference."""

from collections.abc import Iterator

import numpy as np
from compare import Comparison, Ratio, compare, interleave


def noisy(mean: float, seed: int) -> Iterator[float]:
    noise = np.random.default_rng(seed)
    while True:
        yield mean * float(noise.lognormal(0, 0.02))


def compared(ours: float, theirs: float) -> Comparison:
    a, b = noisy(ours, seed=1), noisy(theirs, seed=2)
    return compare(lambda: next(a), lambda: next(b), rounds=30, goal=1.03, calm=lambda: None)


def verdict(a_to_b: tuple[float, float], a_to_a: tuple[float, float]) -> str:
    return Comparison(1, 1, Ratio(1, *a_to_b), Ratio(1, *a_to_a), rounds=30, goal=1.03).verdict


def test_a_program_that_is_twice_as_slow_misses_the_goal() -> None:
    seen = compared(2e-6, 1e-6)
    assert seen.verdict == "missed"
    assert seen.a_to_b.low < 2 < seen.a_to_b.high
    assert seen.a_to_a.low < 1 < seen.a_to_a.high


def test_a_program_that_is_faster_meets_the_goal() -> None:
    assert compared(0.9e-6, 1e-6).verdict == "met"


def test_what_a_machine_is_too_noisy_to_show_is_neither_met_nor_missed() -> None:
    assert verdict(a_to_b=(0.95, 1.10), a_to_a=(0.90, 1.12)) == "inconclusive"
    assert verdict(a_to_b=(0.63, 1.94), a_to_a=(0.33, 2.92)) == "inconclusive"
    assert verdict(a_to_b=(1.20, 1.40), a_to_a=(0.70, 1.50)) == "inconclusive"


def test_an_interval_across_the_goal_decides_nothing() -> None:
    assert verdict(a_to_b=(1.01, 1.06), a_to_a=(0.99, 1.01)) == "inconclusive"
    assert verdict(a_to_b=(1.04, 1.06), a_to_a=(0.90, 1.05)) == "inconclusive"


def test_every_round_runs_ours_twice_and_the_other_once() -> None:
    calls = {"a": 0, "b": 0}

    def called(name: str) -> float:
        calls[name] += 1
        return 1.0

    values = interleave(lambda: called("a"), lambda: called("b"), rounds=7, calm=lambda: None)
    assert calls == {"a": 14, "b": 7}
    assert {name: len(column) for name, column in values.items()} == {"a": 7, "again": 7, "b": 7}
