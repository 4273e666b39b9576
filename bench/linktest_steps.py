"""Runs over MPI against those of LinkTest 1.2, by turns (bench/README.md): the loop over the steps, and whole runs.

LinkTest says how long its loop took (`[work]`); of ours the results file has when each step began. A whole run is from
its start to its end, ours over tcp without MPI. Both measure all pairs in both directions with equal messages, and all
ranks share the cores of this machine.

python bench/linktest_steps.py --linktest PATH/mpilinktest
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import h5py
from compare import compare, wait_for_calm
from side_by_side import output_of

MPIRUN = ["mpirun", "--oversubscribe", "-n"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LOOP_GOAL, WHOLE_GOAL = 0.75, 0.35
WORK = re.compile(r"\[work\]\s+t=\s*([0-9.]+)s")


def linktest(program: str, ranks: int, size: int, messages: int) -> tuple[float, float]:
    """Seconds of its loop over the steps, and of the whole run."""
    words = ["-s", size, "-i", messages, "-I", 0, "-S", 0, "-Z", 0, "-W", 0]
    began = time.monotonic()
    said = output_of([*MPIRUN, str(ranks), program, *map(str, words)], os.environ | AS_ROOT)
    took = time.monotonic() - began
    found = WORK.search(said)
    if found is None:
        raise SystemExit(f"{program} printed no time of its loop:\n{said}")
    return float(found.group(1)), took


def everylink(start: list[str], size: int, messages: int) -> tuple[float, float]:
    """Seconds from the first step to the last one and a mean step for the last, and of the whole run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "steps.h5")
        words = ["-s", size, "-n", messages, "-w", 0, "--num-slowest", 0, "--progress", "none", "-o", file]
        started = time.monotonic()
        output_of([*start, *map(str, words)], os.environ | AS_ROOT)
        took = time.monotonic() - started
        with h5py.File(file) as results:
            began = results["steps/began"][:]
        return float(began[-1] - began[0]) * len(began) / (len(began) - 1), took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", default=os.environ.get("EVERYLINK_MEASURE", "everylink-measure"), metavar="PATH")
    parser.add_argument("--rounds", type=int, default=10, help="of LinkTest once and ours twice (10)")
    parser.add_argument("--linktest", required=True, metavar="PATH", help="mpilinktest, built with the same MPI")
    parser.add_argument("--ranks", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--size", type=int, default=131072, help="bytes (131072)")
    parser.add_argument("--messages", type=int, default=3, help="per direction (3)")
    parser.add_argument("--patience", type=float, default=60, help="seconds to wait for an idle machine (60)")
    chosen = parser.parse_args()
    print("ranks               everylink     LinkTest     ratio                  A/A                    verdict")
    for ranks in chosen.ranks:
        what = (chosen.size, chosen.messages)
        for name, goal, start, part in (
            ("mpi, loop", LOOP_GOAL, [*MPIRUN, str(ranks), chosen.measure, "-m", "mpi"], 0),
            ("tcp, whole", WHOLE_GOAL, [chosen.measure, "--np", str(ranks), "-m", "tcp"], 1),
        ):
            seen = compare(
                partial(part_of, part, everylink, start, *what),
                partial(part_of, part, linktest, chosen.linktest, ranks, *what),
                chosen.rounds,
                goal,
                partial(wait_for_calm, chosen.patience),
            )
            print(
                f"{ranks:5} {name:11} {seen.a * 1e3:8.1f} ms  {seen.b * 1e3:8.1f} ms   {seen.a_to_b!s:22} "
                f"{seen.a_to_a!s:22} {seen.verdict}: {goal}",
                flush=True,
            )


def part_of(part: int, run: Callable[..., tuple[float, float]], *words: object) -> float:
    return run(*words)[part]


if __name__ == "__main__":
    try:
        main()
    except subprocess.TimeoutExpired as error:
        raise SystemExit(f"no end within {error.timeout:.0f} s: {error.cmd}") from None
