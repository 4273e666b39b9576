"""Shared by the comparisons in this folder: our one-way time from a results file, and the table."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import h5py
from compare import Comparison, compare


def arguments(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", default=os.environ.get("EVERYLINK_MEASURE", "everylink-measure"), metavar="PATH")
    parser.add_argument("--rounds", type=int, default=30, help="pairs of runs, each with a second run of ours")
    parser.add_argument("--goal", type=float, default=1.03)
    return parser


def need(program: str, how: str) -> str:
    found = shutil.which(program)
    if found is None:
        sys.exit(f"{program}: not found; {how}")
    return found


def output_of(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, env=environment
    )
    if done.returncode:
        sys.exit(f"exit code {done.returncode} of: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def client_output(server: Sequence[str], client: Sequence[str], more: dict[str, str]) -> str:
    """The client's output, with client and server on one processor each."""
    environment = os.environ | more
    waiting = subprocess.Popen(
        ["taskset", "-c", "1", *server], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    try:
        for patience in (0.3, 1.0):  # the server prints nothing to wait for
            time.sleep(patience)
            asked = ["taskset", "-c", "0", *client]
            done = subprocess.run(asked, capture_output=True, text=True, timeout=120, env=environment)
            if done.returncode == 0:
                return done.stdout
        sys.exit(f"exit code {done.returncode} of: {' '.join(asked)}\n{done.stdout}{done.stderr}")
    finally:
        waiting.kill()
        waiting.wait()


def our_mean(command: Sequence[str], size: int, messages: int) -> float:
    """One run of everylink-measure over ranks 0 and 1: mean one-way seconds while rank 0 leads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pair.h5")
        sizes = ["-s", str(size), "-n", str(messages), "-w", str(max(10, messages // 10)), "--num-slowest", "0"]
        output_of([*command, *sizes, "-o", str(file), "--progress", "none"])
        with h5py.File(file) as results:
            rows = results[f"sizes/{size}"]
            (row,) = (i for i, leader in enumerate(rows["from"][: results.attrs["rows"]]) if leader == 0)
            return float(rows["mean"][row])


def print_heading(peer: str) -> None:
    print(f"one-way time       size   everylink  {peer:>11}   ratio                  A/A                    verdict")


def print_row(what: str, size: int, seen: Comparison) -> None:
    print(
        f"{what:13} {size:9} B {seen.a * 1e6:8.3f} us {seen.b * 1e6:8.3f} us   {seen.a_to_b!s:22} {seen.a_to_a!s:22} "
        f"{seen.verdict}",
        flush=True,
    )


def print_rows(
    what: str,
    ours: Sequence[str],
    theirs: Callable[[int, int], float],
    messages_of: dict[int, int],
    chosen: argparse.Namespace,
) -> None:
    """Compare our command with `theirs`(size, messages), one row per size; both return mean one-way seconds."""
    for size, messages in messages_of.items():
        seen = compare(
            partial(our_mean, ours, size, messages), partial(theirs, size, messages), chosen.rounds, chosen.goal
        )
        print_row(what, size, seen)
