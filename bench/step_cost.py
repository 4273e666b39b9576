"""Measures what a step costs besides its messages, for 2 to 256 real ranks on one machine (messages of sim are free).

Compares runs of 201 steps and of 1 step, the fastest of several each; processor time is the sum over all ranks.
"""

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

STEPS = 201
SHORT = ["--mode", "sim", "-n", "1", "-w", "0", "--num-slowest", "0", "--schedule", "sample:1", "--progress", "none"]


def used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def run(measure: Path, ranks: int, steps: int, folder: Path) -> tuple[float, float]:
    """Wall-clock seconds and processor seconds."""
    output = folder / "steps.h5"
    command = [str(measure), "--np", str(ranks), *SHORT, "--min-iterations", str(steps), "--force", "-o", str(output)]
    began, used_before = time.monotonic(), used()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=600)
    return time.monotonic() - began, used() - used_before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=Path, default=Path("build/release/core/everylink-measure"))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print("ranks  start and end  per step  processor time per rank and step")
    with tempfile.TemporaryDirectory() as name:
        for ranks in (2, 4, 8, 16, 32, 64, 128, 256):
            best = [
                [
                    min(each)
                    for each in zip(
                        *(run(arguments.measure, ranks, steps, Path(name)) for _ in range(arguments.rounds)),
                        strict=True,
                    )
                ]
                for steps in (1, STEPS)
            ]
            wall, cpu = ((long - short) / (STEPS - 1) for short, long in zip(*best, strict=True))
            print(f"{ranks:5}  {best[0][0]:11.2f} s  {wall * 1e3:6.1f} ms  {cpu / ranks * 1e3:6.2f} ms", flush=True)


if __name__ == "__main__":
    main()
