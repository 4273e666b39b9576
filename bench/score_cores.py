"""Judges measured latencies between the cores of real processors, and the same with one core at 1.3 times its time.

    PYTHONPATH=python python bench/score_cores.py FOLDER

Each *.csv file of the folder is a square matrix of nanoseconds without a header; what is above the diagonal may be
missing. Prints a line for each: verdicts without a planted core, structure, cores found, and worlds in which another
core was named.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.io.foreign import bare_facts, bare_ranks
from everylink.judge.judge import judge
from everylink.model.results import Results, Size, Steps
from everylink.model.rows import MAIN, ORDER, Outcome, Rows, joined

FACTOR, PLANTED = 1.3, 8  # of a planted core; cores tried per processor
AGAIN, NOISE = 6, 0.01  # readings by --confirm, and how much they differ
Matrix = NDArray[np.float64]


def matrix_of(path: Path) -> Matrix:
    """Seconds between cores, symmetric; NaN on the diagonal. Raises ValueError where a cell is no number."""
    with path.open(newline="") as file:
        lines = [[float(cell or "nan") for cell in line] for line in csv.reader(file) if line]
    count = len(lines)
    seconds = np.full((count, count), np.nan)
    for number, line in enumerate(lines):
        seconds[number, : len(line[:count])] = line[:count]
    lower = np.tril(np.where(seconds > 0, seconds, 0.0), -1) * 1e-9
    both = lower + lower.T
    return np.where(both > 0, both, np.nan)


def rows_of(seconds: Matrix, attempt: int, noise: float, random: np.random.Generator) -> Rows:
    frm, to = np.nonzero(np.isfinite(seconds))
    count = len(frm)
    time = (seconds[frm, to] * np.exp(noise * random.standard_normal(count))).astype(np.float32)
    none = np.full(count, np.nan, np.float32)
    return Rows(
        frm=frm.astype(np.uint32), to=to.astype(np.uint32), step=np.zeros(count, np.uint32),
        attempt=np.full(count, attempt, np.uint8), outcome=np.full(count, Outcome.OK, np.uint8),
        arrived=np.full(count, 100, np.int32), setup=none, n=np.full(count, 100, np.uint32), min=time, median=time,
        mean=time, p99=time, max=time, late=np.zeros(count, np.uint32), all_to_all=none,
    )  # fmt: skip


def results_of(seconds: Matrix, random: np.random.Generator) -> Results:
    count = len(seconds)
    again = [rows_of(seconds, ORDER, NOISE, random) for _ in range(AGAIN)]
    rows = joined([rows_of(seconds, MAIN, 0.0, random), *again])
    none = np.zeros(1, np.uint32)
    facts = bare_facts("semidirectional", transport="cores", ranks=count, hosts=1, messages=100)
    ranks = bare_ranks(["h"] * count, np.zeros(count, np.int64), np.arange(count))
    steps = Steps(none, none.astype(np.uint64), np.zeros(1), np.ones(1, np.float32), none)
    return Results(Path("cores"), facts, ranks, steps, (Size(1, 1, count, rows),))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    random = np.random.default_rng(1)
    print("| processor | cores | verdicts | structure | planted core found | another one named |")
    print("|---|---|---|---|---|---|")
    for path in sorted(parser.parse_args().folder.glob("*.csv")):
        try:
            seconds = matrix_of(path)
        except ValueError as error:
            print(f"{path.name}: not a matrix of nanoseconds ({error})", file=sys.stderr)
            continue
        healthy = judge(results_of(seconds, random))
        cores = random.choice(len(seconds), min(PLANTED, len(seconds)), replace=False).tolist()
        found = others = 0
        for core in cores:
            slow = seconds.copy()
            slow[core] *= FACTOR
            slow[:, core] *= FACTOR
            named = {verdict.subject for verdict in judge(results_of(slow, random)).verdicts}
            found += (f"h:{core}",) in named
            others += bool(named - {(f"h:{core}",)})
        told = "; ".join(one.text for one in healthy.structure)
        counts = f"{found} of {len(cores)} | {others}"
        print(f"| {path.stem} | {len(seconds)} | {len(healthy.verdicts)} | {told} | {counts} |", flush=True)


if __name__ == "__main__":
    main()
