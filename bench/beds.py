#!/usr/bin/env python3
"""Measures hosts in network namespaces with one planted fault each, and counts how often it is named right.

    sudo PYTHONPATH=python python bench/beds.py --runs 3 --healthy 10

8 hosts, all shaped to one rate; each is measured by `everylink run --confirm`, and judged without further options. A
run is right if what was planted is named, and nothing else. Prints a Markdown table. The healthy runs are those of the
bed, and as many over loopback. Requires root, and what testbed/netns/bed requires.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parents[1] / "testbed/netns/bed"
HOSTS = 8
RATE = "200mbit"
OPTIONS = ("-m", "tcp", "-s", "4KiB,64KiB", "-w", "1", "--time-limit", "3")
LONGER = ("--min-iterations", "20")
JUDGED = (0, 3, 4)  # exit codes of runs that measured and judged
SWITCHED = 0.4  # seconds on, and off
LIMIT = 300  # seconds per run
FAILED = ("absent", "timeout", "broken")
Said = dict[str, Any]  # the object that `everylink run --format json` prints, or a verdict or structure in it


@dataclass(frozen=True)
class Part:
    """What names a planted part: a verdict of one of these kinds and symptoms, on exactly these hosts, or this rank.

    `directions`: those that are right with `names` in this order.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    symptoms: tuple[str, ...] = ("slow",)
    directions: tuple[str, ...] = ("both",)

    def is_named_by(self, verdict: Said) -> bool:
        names = tuple(verdict["subject"])
        if verdict["kind"] != "rank":
            names = tuple(name.partition(":")[0] for name in names)
        turned = {"send": "receive", "receive": "send", "both": "both"}
        direction = verdict["direction"] if names == self.names else turned[verdict["direction"]]
        return (
            verdict["kind"] in self.kinds
            and verdict["symptom"] in self.symptoms
            and set(names) == set(self.names)
            and direction in self.directions
        )


@dataclass(frozen=True)
class Case:
    """`faults` are planted before the run, `during` once it has begun, `switched` is planted and healed in turns.

    `everywhere`: planted on every host, so that they stay equal. `parts`: what verdicts must name. `leaves`: groups of
    hosts that the structure must name. `up`, `measure` and `options`: of `bed up`, `bed measure` and `everylink run`.
    """

    name: str
    faults: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    during: str = ""
    switched: str = ""
    everywhere: str = ""
    leaves: tuple[str, ...] = ()
    up: tuple[str, ...] = ()
    measure: str = ""
    messages: int = 6
    options: tuple[str, ...] = ()

    @property
    def planted(self) -> str:
        faults = (*self.faults, self.during, self.switched)
        return "; ".join(f"`{fault}`" for fault in faults if fault)


def host(name: str, *symptoms: str) -> Part:
    return Part(("host",), (name,), symptoms or ("slow",), ("both", "send", "receive"))


def pair(one: str, other: str, *symptoms: str) -> Part:
    return Part(("pair",), (one, other), symptoms or ("slow",))


def way(frm: str, to: str, *directions: str) -> Part:
    return Part(("pair", "link"), (frm, to), ("slow",), directions or ("send",))


CASES = (
    Case("slow host", ("slow h4 50mbit",), (host("h4"),)),
    Case("slow pair", ("slow-pair h1>h6 50mbit", "slow-pair h6>h1 50mbit"), (pair("h1", "h6"),)),
    Case("one slow direction", ("slow-pair h1>h6 50mbit",), (way("h1", "h6"),)),
    Case(
        "delay one way", ("delay-pair h1>h6 3000",), (way("h1", "h6", "send", "both"),),
        everywhere="delay {} 1",  # the relay that delays costs each packet of its host 20 microseconds
    ),
    Case("2 % loss", ("drop h3 2",), (host("h3", "loss"),), messages=10),
    Case("mtu hole", ("mtu-hole h3",), (host("h3", *FAILED),)),
    Case(
        "slow rail", ("slow-rail h3 1 50mbit",), (Part(("rank",), ("h3:7",)),), up=("--rails", "2"), measure="-r 2",
        options=("--rails", "eth0,eth1"),
    ),
    Case("trunk of two leaves", (f"trunk {RATE}",), leaves=("h[0-3]", "h[4-7]"), up=("--leaves", "2")),
    Case("dark pair", ("dark-pair h1 h6",), (pair("h1", "h6", *FAILED),)),
    Case("dark host", (), (host("h3", *FAILED),), during="dark h3", options=(*LONGER, "--join-limit", "5")),
    Case("slow host and slow direction", ("slow h4 50mbit", "slow-pair h1>h6 50mbit"), (host("h4"), way("h1", "h6"))),
    Case(
        "switched on and off", switched="slow h4 50mbit", parts=(host("h4", "slow", "flapping", "intermittent"),),
        options=LONGER,
    ),
)  # fmt: skip
HEALTHY, HEALTHY_LOOPBACK = Case("healthy"), Case("healthy, over loopback")


class Bed:
    """Hosts in network namespaces, shaped to RATE; removed at the end of a `with`."""

    def __init__(self, up: Sequence[str]) -> None:
        self.name = f"beds-{os.getpid()}"
        self.do("up", str(HOSTS), *up)

    def __enter__(self) -> Bed:
        self.do("fault", "shape", RATE)
        return self

    def __exit__(self, *_: object) -> None:
        self.do("down")

    def do(self, *words: str) -> None:
        subprocess.run([str(PROGRAM), "--name", self.name, *words], check=True)

    def plant(self, fault: str) -> None:
        self.do("fault", *fault.split())

    @contextlib.contextmanager
    def meanwhile(self, act: Callable[[threading.Event], None]) -> Iterator[None]:
        """`act` runs beside the block; its argument is set when the block ends."""
        done = threading.Event()
        thread = threading.Thread(target=act, args=(done,))
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def switch(self, fault: str, done: threading.Event) -> None:
        """Plants the fault and heals it in turns."""
        while not done.wait(SWITCHED):
            self.plant(fault)
            done.wait(SWITCHED)
            self.do("heal", *fault.split())

    def plant_during(self, fault: str, output: Path, done: threading.Event) -> None:
        """Plants the fault once the run has begun: when its ranks have met, rank 0 makes the results file."""
        while not output.exists():
            if done.wait(0.01):
                return
        self.plant(fault)


def measured(starts: Sequence[str], options: Sequence[str], output: Path) -> Said:
    """What a run with `--confirm` says; raises RuntimeError if it did not judge."""
    command = [sys.executable, "-P", "-m", "everylink", "run", *starts, "--confirm", *OPTIONS, *options]
    command += ["-o", str(output), "--force", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    if done.returncode not in JUDGED:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    said: Said = json.loads(done.stdout)
    return said


def measured_in_bed(case: Case, output: Path) -> Said:
    with Bed(case.up) as bed, contextlib.ExitStack() as beside:
        for fault in case.faults:
            bed.plant(fault)
        for number in range(HOSTS if case.everywhere else 0):
            bed.plant(case.everywhere.format(f"h{number}"))
        if case.switched:
            beside.enter_context(bed.meanwhile(partial(bed.switch, case.switched)))
        if case.during:
            beside.enter_context(bed.meanwhile(partial(bed.plant_during, case.during, output)))
        starts = ["--launcher", "command", f"--launcher-args={PROGRAM} --name {bed.name} measure {case.measure}"]
        return measured(starts, ("-n", str(case.messages), *case.options), output)


def measured_over_loopback(output: Path) -> Said:
    return measured(["--np", str(HOSTS)], ("-n", str(HEALTHY_LOOPBACK.messages)), output)


def mistakes(said: Said, case: Case) -> list[str]:
    """What is not named though planted, and what is named though not planted; one sentence each."""
    verdicts = said["verdicts"]
    missed = [part for part in case.parts if not any(map(part.is_named_by, verdicts))]
    found = [f"no verdict on {' and '.join(part.names)}" for part in missed]
    found += [named(one) for one in verdicts if not any(part.is_named_by(one) for part in case.parts)]
    if case.leaves and not any(tells_leaves(one, case.leaves) for one in said["structure"]):
        found.append("no word of the two leaves")
    if said["conclusion"] == "undecided":
        found.append("undecided")
    return found


def tells_leaves(structure: Said, leaves: Sequence[str]) -> bool:
    return structure["kind"] in ("groups", "oversubscription") and set(structure["subject"]) == set(leaves)


def named(verdict: Said) -> str:
    way = "" if verdict["direction"] == "both" else f" ({verdict['direction']})"
    return f"{verdict['kind']} {', '.join(verdict['subject'])}{way}: {verdict['symptom']}"


def row(case: Case, runs: int, run: Callable[[Path], Said], files: Iterator[Path]) -> str:
    """A row of the table: what was planted, runs named right, and what was said otherwise."""
    others: Counter[str] = Counter()
    right = 0
    for output in itertools.islice(files, runs):
        wrong = mistakes(run(output), case)
        right += not wrong
        others.update(wrong)
    otherwise = "; ".join(f"{text} ({count})" if count > 1 else text for text, count in others.items())
    return f"| {case.name} | {case.planted} | {right} of {runs} | {otherwise} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="of each bed with a fault (3)")
    parser.add_argument("--healthy", type=int, default=10, help="of the healthy bed, and over loopback (10)")
    parser.add_argument("--only", metavar="TEXT", default="", help="beds whose name has this text")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the results files there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        where = given.keep or Path(folder)
        where.mkdir(exist_ok=True)
        files = (where / f"{number}.h5" for number in itertools.count())
        rows: list[tuple[Case, int, Callable[[Path], Said]]]
        rows = [(case, given.runs, partial(measured_in_bed, case)) for case in CASES]
        rows.append((HEALTHY, given.healthy, partial(measured_in_bed, HEALTHY)))
        rows.append((HEALTHY_LOOPBACK, given.healthy, measured_over_loopback))
        print("| bed | planted | right | said otherwise |\n|---|---|---|---|", flush=True)
        for case, runs, run in rows:
            if given.only in case.name:
                print(row(case, runs, run, files), flush=True)


if __name__ == "__main__":
    main()
