"""Compares everylink-measure --mode tcp with sockperf and netperf: two processes on this machine, over loopback.

Busy: sockperf's TCP ping-pong with --nonblocked on both sides, on processors 0 and 1; messages of 14 bytes, its
minimum, to 1,048,575, its maximum. Blocking: netperf's TCP_RR, all on processor 0; our ranks outnumber the processors
there and so sleep in poll(2). All disable Nagle's algorithm. The value is the mean of half a round trip.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from compare import compare
from side_by_side import arguments, need, our_mean, output_of, print_heading, print_row

BUSY = {14: 50_000, 65_536: 10_000, 1_048_575: 1_000}  # messages per size
BLOCKING = {1: 20_000, 65_536: 5_000, 1_048_576: 1_000}
ADDRESS = "127.0.0.1"


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind((ADDRESS, 0))
        return str(listener.getsockname()[1])


@contextmanager
def server(command: list[str]) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)  # servers print nothing to wait for, and a test connection would count as a client
    try:
        yield
    finally:
        process.kill()
        process.wait()


def microseconds(pattern: str, said: str) -> float:
    found = re.search(pattern, said, re.MULTILINE)
    if not found:
        raise SystemExit(f"no time in the other tool's output:\n{said}")
    return float(found[1]) * 1e-6


def sockperf_mean(sockperf: str, size: int) -> float:
    at = ["--tcp", "--nonblocked", "-i", ADDRESS, "-p", free_port()]
    with server(["taskset", "-c", "1", sockperf, "server", *at, "-m", "1048575"]):
        said = output_of(["taskset", "-c", "0", sockperf, "ping-pong", *at, "-m", str(size), "-t", "1"])
    return microseconds(r"Latency is ([\d.]+) usec", said)


def netperf_mean(netperf: str, netserver: str, size: int) -> float:
    port = free_port()
    with server(["taskset", "-c", "0", netserver, "-D", "-L", ADDRESS, "-p", port]):
        asked = ["-P", "0", "-l", "1", "--", "-r", f"{size},{size}", "-D", "-o", "RT_LATENCY"]
        said = output_of(["taskset", "-c", "0", netperf, "-H", ADDRESS, "-p", port, "-t", "TCP_RR", *asked])
    return microseconds(r"^([\d.]+)\s*$", said) / 2


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--sockperf", default="sockperf", metavar="PATH")
    parser.add_argument("--netperf", default="netperf", metavar="PATH")
    parser.add_argument("--netserver", default="netserver", metavar="PATH")
    chosen = parser.parse_args()
    ours = [need(chosen.measure, "name it with --measure"), "--np", "2", "--mode", "tcp"]

    sockperf = need(chosen.sockperf, "Debian's package sockperf has it, or name it with --sockperf")
    print_heading("sockperf")
    for size, messages in BUSY.items():
        a, b = partial(our_mean, ours, size, messages), partial(sockperf_mean, sockperf, size)
        print_row("tcp, busy", size, compare(a, b, chosen.rounds, chosen.goal))

    if not shutil.which(chosen.netperf) or not shutil.which(chosen.netserver):
        print("netperf or netserver not found: name them with --netperf and --netserver")
        return
    print_heading("netperf")
    for size, messages in BLOCKING.items():
        a = partial(our_mean, ["taskset", "-c", "0", *ours], size, messages)
        b = partial(netperf_mean, chosen.netperf, chosen.netserver, size)
        print_row("tcp, blocking", size, compare(a, b, chosen.rounds, chosen.goal))


if __name__ == "__main__":
    main()
