"""`everylink predict` against the same exchange measured: ring, shift and all-to-all.

Here: everylink-measure and bench/exchange.c by the same mpirun, turn by turn; a line has the medians of all turns. Or,
with --smpi, on a simulated fat tree of 16 hosts (testbed/smpi) whose links are measured one pair at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from side_by_side import arguments, need, output_of

ROOT = Path(__file__).resolve().parents[1]
SMPI, SIMULATED = ROOT / "testbed" / "smpi" / "smpi", 16
MEASURED_SIZES = "8,1KiB,16KiB,64KiB,256KiB,1MiB,4MiB"
SIZES = {8: 2000, 65536: 500, 200_000: 200, 1 << 20: 60}  # bytes, and rounds of exchange
PATTERNS = ("ring", "shift", "all-to-all")


def predicted(results: Path, pattern: str, size: int) -> float:
    words = [sys.executable, "-m", "everylink", "predict", str(results), "--pattern", pattern, "--bytes", str(size)]
    paths = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    return float(json.loads(output_of([*words, "--format", "json"], os.environ | {"PYTHONPATH": paths}))["seconds"])


def with_distance(pattern: str, ranks: int) -> str:
    return f"shift:{max(ranks // 2, 1)}" if pattern == "shift" else pattern


def built(compiler: str, folder: Path) -> Path:
    program = folder / f"exchange.{Path(compiler).name}"
    output_of([compiler, "-O2", "-o", str(program), str(ROOT / "bench" / "exchange.c")])
    return program


def print_line(ranks: int, pattern: str, size: int, said: list[float], seen: list[float]) -> None:
    a, b = statistics.median(said), statistics.median(seen)
    spread = f"{min(seen) * 1e6:9.1f} .. {max(seen) * 1e6:.1f}" if len(seen) > 1 else ""
    print(
        f"{ranks:5} {pattern:11}{size:9} B {a * 1e6:10.2f} us {b * 1e6:10.2f} us {a / b - 1:+8.1%} {spread}", flush=True
    )


def here(chosen: argparse.Namespace, folder: Path) -> None:
    measure, program = need(chosen.measure, "name it with --measure"), built(need("mpicc", "install it"), folder)
    for ranks in chosen.ranks:
        launcher = [*chosen.mpirun.split(), "-n", str(ranks)]
        said: dict[tuple[str, int], list[float]] = {}
        seen: dict[tuple[str, int], list[float]] = {}
        for turn in range(chosen.rounds):
            file = folder / f"{ranks}-{turn}.h5"
            words = ["--mode", "mpi", "--bidirectional", "-s", MEASURED_SIZES, "-n", "100", "--num-slowest", "0"]
            output_of([*launcher, measure, *words, "-o", str(file), "--progress", "none"])
            for pattern in PATTERNS:
                for size, rounds in SIZES.items():
                    command = [*launcher, str(program), with_distance(pattern, ranks), str(size), str(rounds)]
                    seen.setdefault((pattern, size), []).append(float(output_of(command)))
                    said.setdefault((pattern, size), []).append(predicted(file, pattern, size))
        for pattern, size in seen:
            print_line(ranks, pattern, size, said[pattern, size], seen[pattern, size])


def simulated(folder: Path) -> None:
    program = built(need("smpicc", "install libsimgrid-dev"), folder)
    file = folder / "simulated.h5"
    fabric = [str(SMPI), "run", "--topology", "fattree", "--ranks", str(SIMULATED)]
    words = ["--serial-tests", "-s", MEASURED_SIZES, "-n", "1", "-w", "0", "--num-slowest", "0", "-o", str(file)]
    output_of([*fabric, "--", *words, "--progress", "none"])
    for pattern in PATTERNS:
        for size in SIZES:
            command = [*fabric, "--program", str(program), "--", with_distance(pattern, SIMULATED), str(size), "100"]
            print_line(SIMULATED, pattern, size, [predicted(file, pattern, size)], [float(output_of(command))])


def main() -> None:
    parser = arguments(__doc__)
    parser.set_defaults(rounds=10)
    parser.add_argument("--mpirun", default="mpirun --allow-run-as-root --oversubscribe", metavar="COMMAND")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4], metavar="N")
    parser.add_argument("--smpi", action="store_true", help="on a simulated fat tree in place of this machine")
    chosen = parser.parse_args()
    print("ranks pattern        size      predicted     measured          measured, smallest .. largest us")
    folder = Path(tempfile.mkdtemp(prefix="everylink-predict-"))
    try:
        if chosen.smpi:
            simulated(folder)
        else:
            here(chosen, folder)
    except subprocess.TimeoutExpired as error:
        sys.exit(f"did not end in time: {error}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
