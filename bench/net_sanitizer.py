"""client-server and all-to-all against Network Sanitizer's, where its number is right: requests and messages a second.

Both by the same mpirun with the same MPI: a server and a client over shared memory and over Open MPI's TCP, as many
requests under way; and a pair of ranks of which one sends. What is compared is the time a request, or a message, takes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from compare import compare
from side_by_side import arguments, need, output_of, print_heading, print_row

# Their memory comes from MPI, ours is the application's: over shared memory MPI would treat these differently.
WAYS = {
    "sm": ["--mca", "btl", "self,vader", "--mca", "osc", "pt2pt"],
    "tcp": ["--mca", "btl", "self,tcp", "--mca", "osc", "pt2pt"],
}
REQUESTS = {1: 20_000, 65536: 5_000, 1 << 20: 1_000, 4 << 20: 300}  # by size
IN_FLIGHT = (1, 12)


def theirs(command: Sequence[str], direction: str, size: int) -> float:
    """Seconds a request: the SUM columns, which with one client hold what that client saw."""
    for line in output_of(command).splitlines():
        words = line.split()
        if words[:2] == [direction, str(size)]:
            rates = [float(word) for word in words[2:]]
            return 1 / (rates[3] if direction != "Und" else rates[7])  # Und: SUM counts both ends; MIN is one
    sys.exit(f"no line {direction} {size} in what this said: {' '.join(command)}")


def served(command: Sequence[str], size: int) -> float:
    for line in output_of(command).splitlines():
        words = line.split()
        if words[:2] == ["Put", str(size)]:
            return 1 / float(words[9])
    sys.exit(f"no line of Put {size} in what this said: {' '.join(command)}")


def sent(command: Sequence[str], size: int) -> float:
    """Of rank 1 to rank 0, as theirs, where of each pair the higher rank sends."""
    for line in output_of(command).splitlines():
        if "1 -> 0:" in line and line.endswith("a message"):
            value, unit = line.split(", ")[-1].split()[:2]
            return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
    sys.exit(f"no line of 1 -> 0 in what this said: {' '.join(command)}")


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--peer", default="net_sanitizer", metavar="PATH")
    chosen = parser.parse_args()
    peer = need(chosen.peer, "build it from github.com/DDNStorage/net_sanitizer and say --peer PATH")
    ours = need(chosen.measure, "build it: make")
    print_heading("net_sanitizer")
    for way, options in WAYS.items():
        mpirun = ["mpirun", "--oversubscribe", *options, "-n", "2"]
        for size, requests in REQUESTS.items():
            how = ["--niters", str(requests), "--bsize", str(size)]
            for under_way in IN_FLIGHT:
                asked = [*how, "--nflight", str(under_way)]
                a = [*mpirun, ours, "client-server", "--mode", "mpi", "--no-output", *asked]
                b = [*mpirun, peer, "--nservers", "1", *asked]
                seen = compare(partial(served, a, size), partial(theirs, b, "Put", size), chosen.rounds, chosen.goal)
                print_row(f"{way} put x{under_way}", size, seen)
            paired = [*how, "--nflight", "12"]
            a = [*mpirun, ours, "all-to-all", "--mode", "mpi", "--no-output", "--sequential", "--verbose", *paired]
            b = [*mpirun, peer, *paired]
            seen = compare(partial(sent, a, size), partial(theirs, b, "Und", size), chosen.rounds, chosen.goal)
            print_row(f"{way} pair x12", size, seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
