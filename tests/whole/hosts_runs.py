"""Runs of `everylink run --hosts`: an empty folder with a fake ssh, and the ranks that run there."""

import time
from collections.abc import Callable
from pathlib import Path

from conftest import PATIENCE, Outcome, read_plainly

MEASURED = (0, 3, 4)  # exit codes of a run whose links all work; other programs may make some look slow
QUICK = ["-s", 1, "-n", 3, "-w", 0, "--num-slowest", 0]
ENDLESS = ["-m", "tcp", "-s", 1, "-n", 3, "-w", 0, "--min-runtime", "100h", "--num-slowest", 0, "--progress", "json"]


def measured(folder: Path, ranks: int) -> Outcome:
    result = read_plainly(folder / "everylink.h5")
    assert sorted(result.only.main().links()) == [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    assert set(result.only["outcome"]) == {0}
    return result


def host_names(result: Outcome) -> list[str]:
    return [name.decode() for name in result.ranks["host"]]


def ranks_of(folder: Path) -> list[int]:
    """The processes of the core that run in this folder: ranks and their supervisors."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (entry / "comm").read_text() == "everylink-measu\n" and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)
