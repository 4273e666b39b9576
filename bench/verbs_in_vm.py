"""Compares everylink-measure --mode ibverbs with perftest's ib_send_lat and ib_write_bw in the machine of testbed/vm.

Two ranks, each with its own soft-RoCE device, on one processor whose virtual time counts instructions. So the work per
message is compared, free of the noise of this machine.

    latency    semidirectional (send), mean of half a round trip; both sleep until   ib_send_lat -e, t_avg
               the adapter signals a completion (completion=event)
    bandwidth  unidirectional (RDMA write with immediate, --window 64), mean time    ib_write_bw --tx-depth 64, size /
               of a message; it polls and cannot sleep, but its server does          average bandwidth
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
from compare import Comparison, ratio_of_medians
from side_by_side import arguments, need, print_heading, print_row
from verbs_guest import RUNS, Run

ROOT = Path(__file__).resolve().parent.parent
MINUTE = 60.0
WHERE = "Debian's package perftest has it"
NEAR = ("/usr/bin/python3", "/etc/libibverbs.d", "/usr/lib/x86_64-linux-gnu/libibverbs")


def our_mean(file: Path, run: Run) -> float:
    """Mean one-way seconds while rank 0 leads."""
    with h5py.File(file) as results:
        rows = results[f"sizes/{run.size}"]
        (row,) = (i for i, leader in enumerate(rows["from"][: results.attrs["rows"]]) if leader == 0)
        return float(rows["mean"][row])


def their_mean(said: str, run: Run) -> float:
    lines = [line.split() for line in said.splitlines() if re.match(rf"^\s*{run.size}\s", line)]
    if len(lines) != 1:
        raise SystemExit(f"no result in what perftest said:\n{said}")
    if run.what == "latency":  # bytes, iterations, min, max, typical, average, ...
        return float(lines[0][5]) * 1e-6
    return run.size / (float(lines[0][3]) * 2**20)  # bytes, iterations, peak, average MiB/s


def compared(folder: Path, run: Run, rounds: int, goal: float) -> Comparison:
    ours = [our_mean(folder / f"{run.name}-a-{i}.h5", run) for i in range(rounds)]
    again = [our_mean(folder / f"{run.name}-again-{i}.h5", run) for i in range(rounds)]
    theirs = [their_mean((folder / f"{run.name}-b-{i}.txt").read_text(), run) for i in range(rounds)]
    middle = rounds // 2
    return Comparison(
        a=sorted(ours)[middle],
        b=sorted(theirs)[middle],
        a_to_b=ratio_of_medians(ours, theirs),
        a_to_a=ratio_of_medians(ours, again),
        rounds=rounds,
        goal=goal,
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--limit", type=float, default=60 * MINUTE, help="wall-clock limit of the machine, seconds")
    chosen = parser.parse_args()
    measure = Path(need(chosen.measure, "name it with --measure")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        machine = [sys.executable, str(ROOT / "testbed/vm/vm"), "run", "--icount", "--awake", "--devices", "2"]
        for file in (
            measure,
            measure.parent / "modules/ibverbs.so",
            *NEAR,
            need("ib_send_lat", WHERE),
            need("ib_write_bw", WHERE),
        ):
            machine += ["--near", str(file)]
        machine += ["--limit", str(chosen.limit), "--writable", folder, "--"]
        guest = ["/usr/bin/python3", str(ROOT / "bench/verbs_guest.py"), folder, str(measure), str(chosen.rounds)]
        done = subprocess.run([*machine, *guest], check=False)
        if done.returncode:
            sys.exit(done.returncode)
        print_heading("perftest")
        for run in RUNS:
            print_row(f"verbs {run.what}", run.size, compared(Path(folder), run, chosen.rounds, chosen.goal))


if __name__ == "__main__":
    main()
