"""Memory and open files of every process of long runs: what grows with each step."""

import argparse
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import chaos
import h5py
import numpy as np

from conftest import measure_program
from everylink.exit_codes import Exit

FIRST_PART = 0.25  # of a run, in which buffers and caches fill, is not looked at
LAST_PART = 0.75  # after this part, whatever is bounded should be full
LAST_WORDS = 2000  # characters of a run's output


@dataclass
class Process:
    """What was seen of one process: steps of the run, KiB of memory, open files."""

    name: str
    seen: list[tuple[int, int, int]]


def steps_of(file: Path) -> int:
    with h5py.File(file, "r", swmr=True) as results:
        return int(results.attrs["steps"])


def memory_of(pid: int) -> int:
    """What the process has written itself, in KiB: pages of files would count for it or not with who else maps them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def watch(words: list[str], every: float) -> tuple[int, list[Process]]:
    """The steps of the run, and what was seen of its ranks."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "x.h5"
        command = [measure_program(), *words, "--progress", "none", "-o", str(file)]
        out = Path(name) / "out"
        with out.open("w") as to_out:
            run = subprocess.Popen(command, cwd=name, stdout=to_out)
        ranks: dict[int, Process] = {}
        while run.poll() is None:
            time.sleep(every)
            try:
                steps = steps_of(file)
                for rank, pid in enumerate(chaos.children_of(run.pid)):
                    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
                    one = ranks.setdefault(pid, Process(f"rank {rank}", []))
                    one.seen.append((steps, memory_of(pid), files))
            except OSError:
                continue  # it begins or ends
        if run.returncode != 0:
            print(f"{' '.join(command)}: exit code {run.returncode}\n{out.read_text()[-LAST_WORDS:]}", flush=True)
        if run.returncode not in (Exit.FINE, Exit.FAULTS):  # what was seen of memory holds after failed links, too
            raise SystemExit(1)
        return steps_of(file), list(ranks.values())


def growth(steps: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope per step of the least-squares line, and its standard error."""
    if len(steps) < 4 or np.ptp(steps) == 0:
        return np.nan, np.nan
    (slope, _), covariance = np.polyfit(steps, values, 1, cov=True)
    return float(slope), float(np.sqrt(covariance[0, 0]))


def row(name: str, took: float, steps: int, process: Process) -> str:
    seen = np.array(process.seen, float)
    late = seen[seen[:, 0] >= FIRST_PART * steps]
    if not len(late):
        return f"| {name} | {took / 60:.0f} min | {steps:,} | {process.name} | too short to see it |"
    slopes = [growth(part[:, 0], part[:, 1] * 1024) for part in (late, seen[seen[:, 0] >= LAST_PART * steps])]
    of_late, of_last = (f"{slope:.3f} ± {error:.3f}" for slope, error in slopes)
    files_a_step, _ = growth(late[:, 0], late[:, 2])
    return (
        f"| {name} | {took / 60:.0f} min | {steps:,} | {process.name} | {late[0, 1] / 1024:.1f} to "
        f"{late[-1, 1] / 1024:.1f} MiB | {of_late} | {of_last} | {late[0, 2]:.0f} to {late[-1, 2]:.0f} "
        f"| {files_a_step:.1e} |"
    )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=soak WORDS=")
    parser.add_argument("--hours", type=float, default=2, help="of the run over tcp (default 2)")
    parser.add_argument("--steps", type=int, default=3_000_000, help="of the run over sim (default 3 million)")
    chosen = parser.parse_args(words)
    short = ["-s", "1", "-n", "1", "-w", "0", "--num-slowest", "0"]
    runs = {
        "tcp, 4 ranks": ["--np", "4", "--mode", "tcp", "--min-runtime", str(chosen.hours * 3600)],
        "sim, 2 ranks": ["--np", "2", "--mode", "sim", "--min-iterations", str(chosen.steps)],
    }
    head = (
        "run",
        "took",
        "steps",
        "process",
        "memory of its own",
        "bytes a step",
        "in the last quarter",
        "open files",
        "files a step",
    )
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name, options in runs.items():
        began = time.monotonic()
        steps, processes = watch([*options, *short], every=max(0.5, chosen.hours * 5))
        for process in processes:
            print(row(name, time.monotonic() - began, steps, process), flush=True)
    return 0
