"""Compares client-server and all-to-all with Network Sanitizer's, where its numbers are right.

The same mpirun and MPI library start both: a server and a client over shared memory and over Open MPI's TCP, with the
same number of requests in flight; and a pair of ranks with one sender. The value is the time per request or message.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median

from compare import compare
from side_by_side import arguments, need, output_of, print_heading, print_row

# Network Sanitizer's memory comes from MPI, ours from the application; MPI over shared memory would treat them
# differently.
WAYS = {
    "sm": ["--mca", "btl", "self,vader", "--mca", "osc", "pt2pt"],
    "tcp": ["--mca", "btl", "self,tcp", "--mca", "osc", "pt2pt"],
}
REQUESTS = {1: 20_000, 65536: 5_000, 1 << 20: 1_000, 4 << 20: 300}  # by size
IN_FLIGHT = (1, 12)
BED = Path(__file__).resolve().parents[1] / "testbed" / "netns" / "bed"


def theirs(command: Sequence[str], direction: str, size: int) -> float:
    """Seconds per request, from the SUM columns, which with one client are that client's."""
    for line in output_of(command).splitlines():
        words = line.split()
        if words[:2] == [direction, str(size)]:
            rates = [float(word) for word in words[2:]]
            return 1 / (rates[3] if direction != "Und" else rates[7])  # Und: SUM counts both ends, MIN one
    sys.exit(f"no line {direction} {size} in what this said: {' '.join(command)}")


def served(command: Sequence[str], size: int) -> float:
    for line in output_of(command).splitlines():
        words = line.split()
        if words[:2] == ["Put", str(size)]:
            return 1 / float(words[9])
    sys.exit(f"no line of Put {size} in what this said: {' '.join(command)}")


def sent(command: Sequence[str], size: int) -> float:
    """Seconds per message from rank 1 to rank 0: Network Sanitizer also sends from the higher rank of a pair."""
    for line in output_of(command).splitlines():
        if "1 -> 0:" in line and line.endswith("per message"):
            value, unit = line.split(", ")[-1].split()[:2]
            return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
    sys.exit(f"no line of 1 -> 0 in what this said: {' '.join(command)}")


class Hosts:
    """A test bed of hosts with shaped interfaces, torn down at the end."""

    def __init__(self, count: int) -> None:
        self.count, self.bed = count, [str(BED), "--name", f"bench-{os.getpid()}"]

    def __enter__(self) -> Hosts:
        output_of([*self.bed, "up", str(self.count), "--no-offload", "--congestion", "cubic"])
        output_of([*self.bed, "fault", "shape", "100mbit"])
        return self

    def __exit__(self, *_: object) -> None:
        output_of([*self.bed, "down"])

    def mpirun(self, folder: str) -> list[str]:
        names = Path(folder, "hosts")
        names.write_text("".join(f"h{host}\n" for host in range(self.count)))
        settings = {
            "plm_rsh_agent": BED.with_name("rsh"), "btl": "tcp,self", "pml": "ob1", "osc": "pt2pt",
            "btl_tcp_if_include": "eth0", "oob_tcp_if_include": "eth0", "mpi_yield_when_idle": 1, "rmaps": "seq",
        }  # fmt: skip
        mca = [str(word) for name, value in settings.items() for word in ("--mca", name, value)]
        where = ["--hostfile", str(names), "--bind-to", "none", "-np", str(self.count)]
        return [*self.bed, "exec", "h0", "mpirun", "--allow-run-as-root", *mca, *where]


def rates(command: Sequence[str], size: int, column: int) -> tuple[float, float]:
    """MiB/s of puts and of gets, from this column of requests per second; their MiB/s columns are whole numbers."""
    said = [line.split() for line in output_of(command).splitlines()]
    put, get = (float(w[column]) for way in ("Put", "Get") for w in said if w[:2] == [way, str(size)])
    return put * size / 2**20, get * size / 2**20


def in_bed(ours: str, peer: str, rounds: int) -> None:
    print("network            size  flight  way   everylink    net_sanitizer   (MiB/s, medians)")
    with tempfile.TemporaryDirectory() as folder, Hosts(3) as hosts:
        mpirun = hosts.mpirun(folder)
        for network in ("100 Mbit/s", "10 to clients"):
            if network != "100 Mbit/s":
                for client in (1, 2):
                    output_of([*hosts.bed, "fault", "slow-pair", f"h0>h{client}", "10mbit"])
            for size, requests in {65536: 200, 1 << 20: 20}.items():
                for in_flight in IN_FLIGHT[: 2 if network == "100 Mbit/s" else 1]:
                    asked = ["--niters", str(requests), "--bsize", str(size), "--nflight", str(in_flight)]
                    a = [*mpirun, ours, "client-server", "--mode", "mpi", "--no-output", *asked]
                    b = [*mpirun, peer, "--nservers", "1", *asked]
                    seen = [(rates(a, size, 9), rates(b, size, 5)) for _ in range(rounds)]
                    for way, name in enumerate(("put", "get")):
                        us, them = (median(one[tool][way] for one in seen) for tool in (0, 1))
                        print(f"{network:14} {size:8} {in_flight:7}  {name} {us:11.2f} {them:12.2f}", flush=True)


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--bed", action="store_true")
    parser.add_argument("--peer", default="net_sanitizer", metavar="PATH")
    chosen = parser.parse_args()
    peer = need(chosen.peer, "build it from github.com/DDNStorage/net_sanitizer and say --peer PATH")
    ours = need(chosen.measure, "build it: make")
    if chosen.bed:
        in_bed(ours, peer, chosen.rounds)
        return 0
    print_heading("net_sanitizer")
    for way, options in WAYS.items():
        mpirun = ["mpirun", "--oversubscribe", *options, "-n", "2"]
        for size, requests in REQUESTS.items():
            how = ["--niters", str(requests), "--bsize", str(size)]
            for in_flight in IN_FLIGHT:
                asked = [*how, "--nflight", str(in_flight)]
                a = [*mpirun, ours, "client-server", "--mode", "mpi", "--no-output", *asked]
                b = [*mpirun, peer, "--nservers", "1", *asked]
                seen = compare(partial(served, a, size), partial(theirs, b, "Put", size), chosen.rounds, chosen.goal)
                print_row(f"{way} put x{in_flight}", size, seen)
            paired = [*how, "--nflight", "12"]
            a = [*mpirun, ours, "all-to-all", "--mode", "mpi", "--no-output", "--sequential", "--verbose", *paired]
            b = [*mpirun, peer, *paired]
            seen = compare(partial(sent, a, size), partial(theirs, b, "Und", size), chosen.rounds, chosen.goal)
            print_row(f"{way} pair x12", size, seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
