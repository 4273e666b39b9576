"""Compares `everylink predict` with the same exchange measured: ring, shift and all-to-all.

With mpirun: everylink-measure and exchange.c alternate; a line has the medians over all turns. With --bed (as root),
over TCP between four hosts of testbed/netns, first all at one rate, then one at half of it: everylink-measure and
exchange_tcp.py, with Linux's usual congestion control and packets no longer than on a cable. With --smpi, on a
simulated fat tree of 16 hosts, with links measured one pair at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from side_by_side import arguments, need, output_of

Asked = tuple[str, int, int]  # pattern, bytes, rounds
ROOT = Path(__file__).resolve().parents[1]
SMPI, SIMULATED = ROOT / "testbed" / "smpi" / "smpi", 16
MEASURED_SIZES = "8,1KiB,16KiB,64KiB,256KiB,1MiB,4MiB"
SIZES = {8: 2000, 65536: 500, 200_000: 200, 1 << 20: 60}  # bytes: rounds of exchange
BED, BED_HOSTS, RATE, HALF = ROOT / "testbed" / "netns" / "bed", 4, "50mbit", "25mbit"
BED_SIZES = {65536: 15, 200_000: 9, 1 << 20: 5}
BED_PATTERNS = ("ring", "shift-1", "shift-2", "all-to-all")  # no colons: they separate words of exchange_tcp.py
PATTERNS = ("ring", "shift", "all-to-all")


def predicted(results: Path, pattern: str, size: int) -> float:
    words = [
        sys.executable,
        "-P",
        "-m",
        "everylink",
        "predict",
        str(results),
        "--pattern",
        pattern,
        "--bytes",
        str(size),
    ]
    paths = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    return float(json.loads(output_of([*words, "--format", "json"], os.environ | {"PYTHONPATH": paths}))["seconds"])


def with_distance(pattern: str, ranks: int) -> str:
    return f"shift:{max(ranks // 2, 1)}" if pattern == "shift" else pattern


def built(compiler: str, folder: Path) -> Path:
    program = folder / f"exchange.{Path(compiler).name}"
    output_of([compiler, "-O2", "-o", str(program), str(ROOT / "bench" / "exchange.c")])
    return program


def print_line(where: str, pattern: str, size: int, said: Sequence[float], seen: Sequence[float]) -> None:
    a, b = statistics.median(said), statistics.median(seen)
    spread = f"{min(seen) * 1e6:9.1f} .. {max(seen) * 1e6:.1f}" if len(seen) > 1 else ""
    print(
        f"{where:8}{pattern:11}{size:9} B {a * 1e6:10.2f} us {b * 1e6:10.2f} us {a / b - 1:+8.1%} {spread}", flush=True
    )


def by_mpirun(chosen: argparse.Namespace, folder: Path) -> None:
    measure, program = need(chosen.measure, "name it with --measure"), built(need("mpicc", "install it"), folder)
    for ranks in chosen.ranks:
        launcher = [*chosen.mpirun.split(), "-n", str(ranks)]
        words = ["--mode", "mpi", "--bidirectional", "-s", MEASURED_SIZES, "-n", "100", "--num-slowest", "0"]

        def measured(file: Path, launcher: list[str] = launcher, words: list[str] = words) -> None:
            output_of([*launcher, measure, *words, "-o", str(file), "--progress", "none"])

        def exchanged(asked: list[Asked], launcher: list[str] = launcher) -> list[float]:
            return [float(output_of([*launcher, str(program), *map(str, one)])) for one in asked]

        asked = [
            (with_distance(pattern, ranks), size, rounds) for pattern in PATTERNS for size, rounds in SIZES.items()
        ]
        in_turns(f"{ranks}", asked, measured, exchanged, chosen.rounds, folder)


def in_a_bed(chosen: argparse.Namespace, folder: Path) -> None:
    bed = [str(BED), "--name", f"predict{os.getpid()}"]
    words = ["--bidirectional", "-s", "8,1KiB,64KiB,256KiB,1MiB", "-n", "3", "-w", "1", "--num-slowest", "0"]
    environment = os.environ | {"EVERYLINK_MEASURE": need(chosen.measure, "name it with --measure")}

    def measured(file: Path) -> None:
        output_of([*bed, "measure", "--", *words, "-o", str(file), "--progress", "none"], environment)

    def exchanged(asked: list[Asked]) -> list[float]:
        said = [":".join(map(str, one)) for one in asked]
        program = [sys.executable, str(ROOT / "bench" / "exchange_tcp.py")]
        hosts = [[*bed, "exec", f"h{i}", *program, str(i), str(BED_HOSTS), *said] for i in range(BED_HOSTS)]
        others = [subprocess.Popen(host) for host in hosts[1:]]
        try:
            return [float(line) for line in output_of(hosts[0]).split()]
        finally:
            for other in others:
                other.kill()
                other.wait()

    asked = [(pattern, size, rounds) for size, rounds in BED_SIZES.items() for pattern in BED_PATTERNS]
    segments = [] if chosen.offload else ["--no-offload"]
    output_of([*bed, "up", str(BED_HOSTS), "--congestion", chosen.congestion, *segments])
    try:
        output_of([*bed, "fault", "shape", RATE])
        in_turns("alike", asked, measured, exchanged, chosen.rounds, folder)
        output_of([*bed, "fault", "slow", "h2", HALF])
        in_turns("h2 slow", asked, measured, exchanged, chosen.rounds, folder)
    finally:
        output_of([*bed, "down"])


def in_turns(
    where: str,
    asked: list[Asked],
    measured: Callable[[Path], None],
    exchanged: Callable[[list[Asked]], list[float]],
    turns: int,
    folder: Path,
) -> None:
    """Measure the links, then the exchanges, `turns` times."""
    said: list[list[float]] = []
    seen: list[list[float]] = []
    for turn in range(turns):
        file = folder / f"{where}-{turn}.h5"
        measured(file)
        seen.append(exchanged(asked))
        said.append([predicted(file, pattern.replace("shift-", "shift:"), size) for pattern, size, _ in asked])
    for (pattern, size, _), a, b in zip(asked, zip(*said, strict=True), zip(*seen, strict=True), strict=True):
        print_line(where, pattern, size, a, b)
    print(f"{where}: the load average is now {os.getloadavg()[0]:.1f}")


def simulated(folder: Path) -> None:
    program = built(need("smpicc", "install libsimgrid-dev"), folder)
    file = folder / "simulated.h5"
    fabric = [str(SMPI), "run", "--topology", "fattree", "--ranks", str(SIMULATED)]
    words = ["--serial-tests", "-s", MEASURED_SIZES, "-n", "1", "-w", "0", "--num-slowest", "0", "-o", str(file)]
    output_of([*fabric, "--", *words, "--progress", "none"])
    for pattern in PATTERNS:
        for size in SIZES:
            command = [*fabric, "--program", str(program), "--", with_distance(pattern, SIMULATED), str(size), "100"]
            print_line(str(SIMULATED), pattern, size, [predicted(file, pattern, size)], [float(output_of(command))])


def main() -> None:
    parser = arguments(__doc__)
    parser.set_defaults(rounds=5)
    parser.add_argument("--mpirun", default="mpirun --allow-run-as-root --oversubscribe", metavar="COMMAND")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2], metavar="N")
    parser.add_argument("--bed", action="store_true", help="between namespaces, as root")
    parser.add_argument("--offload", action="store_true", help="with --bed: packets of up to 64 KiB, shaped as one")
    parser.add_argument("--congestion", default="cubic", metavar="NAME", help="with --bed: TCP's congestion control")
    parser.add_argument("--smpi", action="store_true", help="on a simulated fat tree")
    chosen = parser.parse_args()
    print("        pattern         size       predicted      measured           smallest .. largest")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))  # otherwise the test bed would remain
    folder = Path(tempfile.mkdtemp(prefix="everylink-predict-"))
    try:
        if chosen.smpi:
            simulated(folder)
        elif chosen.bed:
            in_a_bed(chosen, folder)
        else:
            by_mpirun(chosen, folder)
    except subprocess.TimeoutExpired as error:
        sys.exit(f"did not end in time: {error}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
