"""Whether a run notices that --live follows it: the same run without, with, and without --live, several times in turn.

    python bench/live_cost.py [--rounds N] [--np N] [--seconds S]

Prints how the medians of all links compare, with and without (A/B) and without and without (A/A), and what part of a
core the programs around the core used. A browser is imitated by a reader of the events.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np

from everylink.io.read import read

WORDS = ("-m", "tcp", "-s", "8", "-n", "200", "--min-iterations", "1")


def measured(path: Path, ranks: int, seconds: float, live: bool) -> tuple[float, float]:
    """The median time of all links, and the part of a core that `everylink run` itself used."""
    words = ["run", "--np", str(ranks), *WORDS, "--min-runtime", str(seconds), "-o", str(path), "--force"]
    command = [sys.executable, "-P", "-m", "everylink", *words, *(["--live"] if live else [])]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        if live:
            address = running.stderr.readline().split()[1]
            threading.Thread(target=_read_events, args=(address,), daemon=True).start()
        used = 0.0
        while running.poll() is None:
            used = _seconds(running.pid) or used
            time.sleep(0.2)
    links = read(path).sizes[0].links
    return float(np.median(links.median)), used / (time.monotonic() - began)


def _read_events(address: str) -> None:
    with urllib.request.urlopen(address + "events", timeout=600) as answer:
        for _ in answer:
            pass


def _seconds(pid: int) -> float | None:
    """Processor time of a process without its children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--np", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    same, different, plain, followed = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.h5"
        for _ in range(options.rounds):
            first, with_live, again = (
                measured(path, options.np, options.seconds, live) for live in (False, True, False)
            )
            same.append(again[0] / first[0])
            different.append(2 * with_live[0] / (first[0] + again[0]))
            plain += [first[1], again[1]]
            followed.append(with_live[1])
    for name, ratios in (("without / without", same), ("with / without", different)):
        print(f"{name}: {statistics.median(ratios):.4f} ({min(ratios):.4f} to {max(ratios):.4f})")
    print(f"of a core: {100 * statistics.median(followed):.2f} %, without {100 * statistics.median(plain):.2f} %")


if __name__ == "__main__":
    main()
