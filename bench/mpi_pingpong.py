"""Compares everylink-measure --mode mpi with IMB-MPI1 PingPong or osu_latency: two processes on this machine.

The same mpirun starts both with the same options, over Open MPI's default (shared memory) and over its TCP. The value
is the mean of half a round trip. The peer must be built with the same MPI library.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from side_by_side import arguments, need, output_of, print_heading, print_rows

OVER_TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]
CARRIERS: list[tuple[str, list[str], dict[int, int]]] = [  # name, options of mpirun, messages per size
    ("mpi", [], {1: 100_000, 65_536: 10_000, 1_048_576: 1_000}),
    ("mpi over tcp", OVER_TCP, {1: 20_000, 65_536: 3_000, 1_048_576: 300}),
]


def imb_mean(command: list[str], size: int, messages: int) -> float:
    rounds = ["-iter", str(messages), "-iter_policy", "off", "-time", "60"]
    said = output_of([*command, "PingPong", "-msgsize", str(size), *rounds])
    found = re.search(rf"^ +{size} +{messages} +([\d.]+) +([\d.]+) *$", said, re.MULTILINE)
    if not found:
        raise SystemExit(f"IMB-MPI1 printed no line for {size} bytes:\n{said}")
    microseconds, megabytes_per_second = float(found[1]), float(found[2])
    # Both have two decimals: 0.15 us would be 7 % coarse, so take the larger number.
    if microseconds > megabytes_per_second:
        return microseconds * 1e-6
    return size / (megabytes_per_second * 1e6)


def osu_mean(command: list[str], size: int, messages: int) -> float:
    said = output_of([*command, "-m", f"{size}:{size}", "-i", str(messages), "-x", str(messages // 10)])
    found = re.search(rf"^{size} +([\d.]+)", said, re.MULTILINE)
    if not found:
        raise SystemExit(f"osu_latency printed no line for {size} bytes:\n{said}")
    return float(found[1]) * 1e-6


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--peer", default="IMB-MPI1", metavar="PATH", help="IMB-MPI1 (default) or osu_latency")
    parser.add_argument("--mpirun", default="mpirun --allow-run-as-root -n 2 --bind-to core", metavar="COMMAND")
    chosen = parser.parse_args()
    peer = need(chosen.peer, "build it with this machine's MPI, then name it with --peer")
    peer_mean = osu_mean if Path(peer).name.startswith("osu") else imb_mean
    measure = need(chosen.measure, "name it with --measure")
    print_heading(Path(peer).name)
    for carrier, options, messages_of in CARRIERS:
        launcher = [*chosen.mpirun.split(), *options]
        ours = [*launcher, measure, "--mode", "mpi"]
        print_rows(carrier, ours, partial(peer_mean, [*launcher, peer]), messages_of, chosen)


if __name__ == "__main__":
    main()
