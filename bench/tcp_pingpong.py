"""everylink-measure --mode tcp against sockperf's TCP ping-pong: two processes on this machine, over loopback.

Both poll busily (sockperf with --nonblocked on both sides), both without Nagel's delay, both on processors 0 and 1. The
value is the mean of half a round trip. sockperf's smallest message is 14 bytes, its largest 1,048,575.
"""

from __future__ import annotations

import re
import socket
import subprocess
import time
from functools import partial

from compare import compare
from side_by_side import arguments, need, our_mean, output_of, print_heading, print_row

MESSAGES = {14: 50_000, 65_536: 10_000, 1_048_575: 1_000}
ADDRESS = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((ADDRESS, 0))
        return int(listener.getsockname()[1])


def sockperf_mean(sockperf: str, size: int) -> float:
    at = ["--tcp", "--nonblocked", "-i", ADDRESS, "-p", str(free_port())]
    server = subprocess.Popen(
        ["taskset", "-c", "1", sockperf, "server", *at, "-m", "1048575"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(0.3)  # it says nothing that could be waited for, and a connection would count as its client
        said = output_of(["taskset", "-c", "0", sockperf, "ping-pong", *at, "-m", str(size), "-t", "1"])
    finally:
        server.kill()
        server.wait()
    found = re.search(r"Latency is ([\d.]+) usec", said)
    if not found:
        raise SystemExit(f"sockperf said no latency:\n{said}")
    return float(found[1]) * 1e-6


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--sockperf", default="sockperf", metavar="PATH")
    chosen = parser.parse_args()
    sockperf = need(chosen.sockperf, "Debian's package sockperf has it, or name it with --sockperf")
    ours = [need(chosen.measure, "name it with --measure"), "--np", "2", "--mode", "tcp"]
    print_heading("sockperf")
    for size, messages in MESSAGES.items():
        a, b = partial(our_mean, ours, size, messages), partial(sockperf_mean, sockperf, size)
        print_row("tcp, busy", size, compare(a, b, chosen.rounds, chosen.goal))


if __name__ == "__main__":
    main()
