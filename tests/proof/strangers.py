"""How much longer three ranks take, from the first start to the last end, beside strangers that say nothing."""

import argparse
import resource
import statistics
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from started_by_hand import ended, silent_strangers, start, wait_for_listener

from conftest import free_port

COUNTS = (0, 500, 2000, 5000)


def seconds_beside(strangers: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        port, folder = free_port(), Path(name)
        rank_0 = start(0, port, folder)
        wait_for_listener(port, rank_0)
        with silent_strangers(port, strangers) if strangers else nullcontext():
            began = time.monotonic()
            ranks = [rank_0, *(start(rank, port, folder) for rank in (1, 2))]
            codes = [ended(rank)[0] for rank in ranks]
            took = time.monotonic() - began
    if codes != [0, 0, 0]:
        raise SystemExit(f"beside {strangers} strangers the ranks ended with {codes}")
    return took


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=strangers WORDS=")
    parser.add_argument("--rounds", type=int, default=10, help="runs beside each number of strangers (default 10)")
    rounds = parser.parse_args(words).rounds
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    times = [[seconds_beside(count) for count in COUNTS] for _ in range(rounds)]  # alternating
    print("| strangers | runs | median | longest | longer than alone, median | most |\n|---|---|---|---|---|---|")
    for i, count in enumerate(COUNTS):
        taken = [one[i] for one in times]
        longer = [one[i] - one[0] for one in times]
        print(
            f"| {count:,} | {rounds} | {statistics.median(taken):.1f} s | {max(taken):.1f} s "
            f"| {statistics.median(longer):.1f} s | {max(longer):.1f} s |"
        )
    return 0
