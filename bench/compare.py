"""Compares two programs by a time that each of them reports, and tells noise from a difference.

A is ours, B the other. A round runs A, A again, and B in random order, each when the machine is idle. The result is the
ratio median(A) / median(B) over all rounds, with a 95 % bootstrap interval that resamples whole rounds. The same ratio
for A against A shows the noise of this machine. The verdict against a goal is

    met           the interval of A/B ends at or below the goal
    missed        it begins above the goal and above the interval of A/A
    inconclusive  neither: also where A/A is so wide that A/B, whatever it is, lies inside it

Standalone use, for any two commands that print a number as their last word:
    python3 bench/compare.py --rounds 30 --goal 1.03 'command A' 'command B'
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RESAMPLES = 10_000
Measurement = Callable[[], float]


@dataclass(frozen=True)
class Ratio:
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Comparison:
    a: float  # median
    b: float
    a_to_b: Ratio
    a_to_a: Ratio
    rounds: int
    goal: float

    @property
    def verdict(self) -> str:
        if self.a_to_b.high <= self.goal:
            return "met"
        if self.a_to_b.low > max(self.goal, self.a_to_a.high):
            return "missed"
        return "inconclusive"


def wait_for_calm(patience: float = 60.0) -> None:
    """Wait until processors are idle for nine tenths of an interval of 0.2 s, at most `patience` seconds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        before = processor_times()
        time.sleep(0.2)
        busy, idle = (after - then for after, then in zip(processor_times(), before, strict=True))
        if idle >= 9 * busy:
            return


def processor_times() -> tuple[int, int]:
    """Clock ticks of all processors since boot: busy, idle."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    idle = ticks[3] + ticks[4]
    return sum(ticks[:8]) - idle, idle


def interleave(a: Measurement, b: Measurement, rounds: int, calm: Callable[[], None]) -> dict[str, list[float]]:
    """The values of `rounds` rounds, in columns a, again, b."""
    order = np.random.default_rng(1)
    measurements = {"a": a, "again": a, "b": b}
    values: dict[str, list[float]] = {name: [] for name in measurements}
    for number in range(rounds):
        for name in order.permutation(list(measurements)):
            calm()
            values[name].append(measurements[name]())
        if sys.stderr.isatty():
            print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    return values


def ratio_of_medians(a: Sequence[float], b: Sequence[float]) -> Ratio:
    pairs = np.array([a, b])
    drawn = np.random.default_rng(1).integers(pairs.shape[1], size=(RESAMPLES, pairs.shape[1]))
    medians = np.median(pairs[:, drawn], axis=2)
    low, high = np.percentile(medians[0] / medians[1], [2.5, 97.5])
    return Ratio(float(np.median(a) / np.median(b)), float(low), float(high))


def compare(
    a: Measurement, b: Measurement, rounds: int, goal: float, calm: Callable[[], None] = wait_for_calm
) -> Comparison:
    values = interleave(a, b, rounds, calm)
    return Comparison(
        a=float(np.median(values["a"])),
        b=float(np.median(values["b"])),
        a_to_b=ratio_of_medians(values["a"], values["b"]),
        a_to_a=ratio_of_medians(values["a"], values["again"]),
        rounds=rounds,
        goal=goal,
    )


def last_number(command: str) -> Measurement:
    def run() -> float:
        done = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
        return float(done.stdout.split()[-1])

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", help="shell command that prints a number as its last word")
    parser.add_argument("b", help="the command to compare with")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--goal", type=float, default=1.03)
    chosen = parser.parse_args()
    seen = compare(last_number(chosen.a), last_number(chosen.b), chosen.rounds, chosen.goal)
    print(f"A {seen.a:.6g}  B {seen.b:.6g}  A/B {seen.a_to_b}  A/A {seen.a_to_a}  goal {seen.goal}: {seen.verdict}")


if __name__ == "__main__":
    main()
