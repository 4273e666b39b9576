"""The latency of a round of control traffic between hosts that are far from each other: with all ranks connected to
rank 0, and in a tree of three levels. As root:

    python bench/tree_latency.py --build build/release

Real ranks in a bed of network namespaces (testbed/netns), one per host. In the tree, rank 0 reaches 32 leaders, and the
other hosts are below the first of these. Each packet from and to the host of this first leader takes 1 ms longer, and
so does each step of the longest way; a relay for every host would take the processors' time. All four combinations take
turns; printed is the median of the medians.
"""

import argparse
import os
import secrets
import subprocess
import time
from itertools import product
from pathlib import Path
from statistics import median

BED = Path(__file__).resolve().parents[1] / "testbed/netns/bed"
TREE_ABOVE = {"all connected to rank 0": 512, "tree of three levels": 2}  # ranks
FIRST = 1.0  # seconds before the other hosts come


def bed(name: str, *words: str) -> None:
    done = subprocess.run([BED, "--name", name, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bed {' '.join(words)}: {done.stdout}{done.stderr}")


def round_of(name: str, program: Path, hosts: int, rounds: int, tree_above: int) -> float:
    """Seconds of a round, the median; rank 1 joins first."""
    common = {
        "EVERYLINK_SIZE": str(hosts), "EVERYLINK_RENDEZVOUS": "10.77.0.1:7700", "EVERYLINK_KEY": secrets.token_hex(32),
        "EVERYLINK_TREE_ABOVE": str(tree_above),
    }  # fmt: skip
    ranks = []
    for rank in range(hosts):
        command = [str(BED), "--name", name, "exec", f"h{rank}", str(program), str(rounds)]
        environment = os.environ | common | {"EVERYLINK_RANK": str(rank)}
        ranks.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment))
        if rank == 1:
            time.sleep(FIRST)
    said = ranks[0].communicate(timeout=300)[0]
    if any(rank.wait(timeout=60) for rank in ranks):
        raise SystemExit("control_rounds failed")
    return float(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--hosts", type=int, default=40, help="34 or more, so that the tree has three levels")
    parser.add_argument("--delay", type=float, default=1.0, help="milliseconds, one way")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args()
    program = (chosen.build / "bench/control_rounds").resolve()
    took: dict[tuple[float, str], list[float]] = {key: [] for key in product((0.0, chosen.delay), TREE_ABOVE)}
    beds = {delay: f"tree-latency-{number}" for number, delay in enumerate((0.0, chosen.delay))}
    try:
        for name in beds.values():
            bed(name, "up", str(chosen.hosts))
        bed(beds[chosen.delay], "fault", "delay", "h1", str(round(chosen.delay * 1000)))
        for _ in range(chosen.repeats):
            for delay, shape in took:
                seconds = round_of(beds[delay], program, chosen.hosts, chosen.rounds, TREE_ABOVE[shape])
                took[delay, shape].append(seconds)
    finally:
        for name in beds.values():
            bed(name, "down")
    print(f"{chosen.hosts} hosts, load {os.getloadavg()[0]:.0f}\n\n| delay, one way | ranks | a round |")
    print("| --- | --- | --- |")
    for (delay, shape), seconds_of in took.items():
        print(f"| {delay:g} ms | {shape} | {median(seconds_of) * 1e3:.1f} ms |")


if __name__ == "__main__":
    main()
