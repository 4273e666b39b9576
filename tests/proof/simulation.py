"""The control plane in simulated time: a million seeds, over all cores.

Each seed is a run of 2 to 64 ranks in one process (tests/core/simulated_run.cpp). A seed that breaks a promise is
printed with its plan and its last events, and is replayed by `build/release/tests/core/simulation_seeds SEED`.
"""

import argparse
import json
import os
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/tests/core/simulation_seeds"
AT_ONCE = 1000  # seeds per process
MOST_PRINTED = 10  # failures
SECONDS_PER_HOUR = 3600


def simulate(first: int, count: int) -> tuple[str, Counter[str], Counter[str]]:
    """What the seeds that failed print, the sums over all of these seeds, and the faults of each kind."""
    command = [str(PROGRAM), str(first), str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    *failures, last = done.stdout.splitlines() or [""]
    if not last.startswith("{"):
        crashed = Counter(seeds=count, failed=count)
        return f"seeds {first} to {first + count - 1}: exit code {done.returncode}", crashed, Counter()
    sums = json.loads(last)
    faults = Counter(sums.pop("faults"))
    return "\n".join(failures), Counter(sums), faults


def table(sums: Counter[str], faults: Counter[str], took: float) -> str:
    hours = sums["seconds"] / SECONDS_PER_HOUR
    rows = {
        "seeds": f"{sums['seeds']:,}, of which {sums['trees']:,} are trees and {sums['supervised']:,} have supervisors",
        "ranks": f"{sums['ranks']:,}",
        "rounds": f"{sums['rounds']:,}",
        "rows reported": f"{sums['rows']:,}",
        "events on the network": f"{sums['events']:,}",
        "virtual time": f"{hours:,.0f} hours",
        **{f"fault: {kind}": f"{count:,}" for kind, count in faults.items()},
        "wall time": f"{took / 60:,.0f} min on {os.cpu_count()} cores",
        "seeds that failed": f"**{sums['failed']:,}**",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1_000_000, metavar="N", help="how many (default: 1,000,000)")
    parser.add_argument("--first", type=int, default=1, metavar="SEED", help="the first one (default: 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: all cores)")
    options = parser.parse_args(words)

    subprocess.run(["cmake", "--build", "--preset", "release", "--target", PROGRAM.name], cwd=ROOT, check=True)
    end = options.first + options.seeds
    began = time.monotonic()
    sums: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        parts = pool.map(lambda first: simulate(first, min(AT_ONCE, end - first)), range(options.first, end, AT_ONCE))
        for failures, of_part, faults_of_part in parts:
            if failures and sums["failed"] < MOST_PRINTED:
                print(failures, flush=True)
            sums += of_part
            faults += faults_of_part
    print(table(sums, faults, time.monotonic() - began))
    return int(sums["failed"] > 0)
