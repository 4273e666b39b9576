"""How memory, descriptors, times and sizes grow with the number of ranks: a table, and exponents below it.

    python bench/growth.py --build build/release --ranks 64 256 1024 4096 10000

Three sources, each up to a number of ranks of its own:
- real ranks over `sim` on this machine (`--real`): memory of a rank, its descriptors, and time of a step;
- bench/control_scale, a real rank 0 and one process that speaks for all others (`--spoken`): memory of rank 0, its
  descriptors, and time of a round;
- `everylink simulate`, one rank per host and one size (`--simulated`): the results file with all links, and processor
  time and memory of `diagnose` and of `report` after it.
An exponent is the slope of a straight line through the logarithms (least squares).
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

STEPS = 20
SHORT = ["--mode", "sim", "-s", "1", "-n", "1", "-w", "0", "--num-slowest", "0", "--progress", "none"]
COLUMNS = {
    "memory of a rank, MiB": 2**20, "its descriptors": 1, "memory of rank 0, MiB": 2**20, "its descriptors, most": 1,
    "a round, ms": 1e-3, "a step of real ranks, ms": 1e-3, "file, MB": 1e6, "diagnose, s": 1, "its memory, MiB": 2**20,
    "report, s": 1, "its memory (report), MiB": 2**20, "page, MB": 1e6,
}  # fmt: skip
Row = dict[str, float]


def real(build: Path, ranks: int, folder: Path) -> Row:
    """Of real ranks: peak memory and descriptors of the last of them; seconds of a step, from two runs."""
    program = build / "core/everylink-measure"
    took, row = [], Row()
    for steps in (1, 1 + STEPS):
        command = [str(program), "--np", str(ranks), *SHORT, "--schedule", "sample:1", "--min-iterations", str(steps)]
        began = time.monotonic()
        run = subprocess.Popen([*command, "--force", "-o", str(folder / "real.h5")], stdout=subprocess.DEVNULL)
        while run.poll() is None:
            with suppress(OSError, IndexError, StopIteration):  # not yet started, or just ended
                last = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()[ranks - 1]
                lines = Path(f"/proc/{last}/status").read_text().splitlines()
                peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024
                row["memory of a rank, MiB"] = max(row.get("memory of a rank, MiB", 0), peak)
                held = len(list(Path(f"/proc/{last}/fd").iterdir()))
                row["its descriptors"] = max(row.get("its descriptors", 0), held)
            time.sleep(0.05)
        if run.returncode:
            raise SystemExit(f"{ranks} real ranks: exit code {run.returncode}")
        took.append(time.monotonic() - began)
    row["a step of real ranks, ms"] = (took[1] - took[0]) / STEPS
    return row


def spoken(build: Path, ranks: int) -> Row:
    """Of a real rank 0 for which one process speaks all others."""
    rounds = "100" if ranks <= 10_000 else "10"
    done = subprocess.run(
        [build / "bench/control_scale", str(ranks), rounds], capture_output=True, text=True, check=True
    )
    found = re.search(r"median ([\d.]+) ms.*peak memory (\d+) MiB, at most (\d+) descriptors", done.stdout)
    if not found:
        raise SystemExit(f"control_scale printed: {done.stdout}")
    return {
        "a round, ms": float(found[1]) * 1e-3, "memory of rank 0, MiB": int(found[2]) * 2**20,
        "its descriptors, most": int(found[3]),
    }  # fmt: skip


def simulated(hosts: int, folder: Path) -> Row:
    """Of a results file with all links, of a cluster in groups of 64 with a slow host."""
    file, page = folder / "simulated.h5", folder / "page.html"
    everylink = [sys.executable, "-m", "everylink"]
    cluster = ["--hosts", str(hosts), "--group-size", "64", "--fault", f"slow-host:n{hosts // 3}*0.7"]
    subprocess.run([*everylink, "simulate", *cluster, "-o", file], check=True, stdout=subprocess.DEVNULL)
    row = {"file, MB": float(file.stat().st_size)}
    row["diagnose, s"], row["its memory, MiB"] = used([*everylink, "diagnose", str(file)], (0, 3))
    row["report, s"], row["its memory (report), MiB"] = used([*everylink, "report", str(file), "-o", str(page)], (0,))
    row["page, MB"] = float(page.stat().st_size)
    for made in folder.iterdir():
        made.unlink()
    return row


def used(command: list[str], codes: tuple[int, ...]) -> tuple[float, float]:
    """Processor seconds, and the most memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise SystemExit(f"exit code {process.returncode} of: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def exponent(ranks: list[int], values: list[float]) -> str:
    """The slope between logarithms; nothing for fewer than three values."""
    if len(values) < 3:
        return ""
    return f"{np.polyfit(np.log(ranks), np.log(values), 1)[0]:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--ranks", type=int, nargs="+", default=[64, 256, 1024, 4096, 10_000, 28_000, 100_000])
    parser.add_argument("--real", type=int, default=1024, help="the most real ranks")
    parser.add_argument("--spoken", type=int, default=100_000)
    parser.add_argument("--simulated", type=int, default=4096, help="the most hosts of which a file is made")
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    rows: dict[int, Row] = {}
    print(f"| ranks | {' | '.join(COLUMNS)} | load |\n|{' --- |' * (len(COLUMNS) + 2)}")
    for ranks in chosen.ranks:
        row = rows[ranks] = {}
        with tempfile.TemporaryDirectory() as folder:
            if ranks <= chosen.real:
                row |= real(chosen.build, ranks, Path(folder))
            if ranks <= chosen.spoken:
                row |= spoken(chosen.build, ranks)
            if ranks <= chosen.simulated:
                row |= simulated(ranks, Path(folder))
        cells = [f"{row[name] / unit:.3g}" if name in row else "" for name, unit in COLUMNS.items()]
        print(f"| {ranks:,} | {' | '.join(cells)} | {os.getloadavg()[0]:.0f} |", flush=True)
    known = {name: [ranks for ranks, row in rows.items() if name in row] for name in COLUMNS}
    cells = [exponent(own, [rows[ranks][name] for ranks in own]) for name, own in known.items()]
    print(f"| exponent | {' | '.join(cells)} | |")


if __name__ == "__main__":
    main()
