"""Thirty nights of a simulated cluster of 200 hosts, kept in a store, and whether `everylink history` tells what was
planted: a host that degrades slowly, a cable that flaps, new firmware on a rack, a repair, a false start.

    python3 bench/nights.py STORE        makes the store, prints the story, and fails if it is not that of what happened
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from everylink.cli.kinds import judged
from everylink.model.inventory import NO_INVENTORY, Facts, Inventory, Moment, Readings
from everylink.model.results import Results
from everylink.simulate.fabric import Fabric, all_links
from everylink.simulate.faults import Fault
from everylink.simulate.results import measured
from everylink.store.keep import add
from everylink.store.layout import opened_or_new

HOSTS, NIGHTS, SIZES = 200, 30, (8, 2**20)
DEGRADES, FLAPS, REPAIRED, FALSE_START = "n17", "n88", "n150", "n77"
RACK = [f"n{host}" for host in range(40, 60)]
DEGRADES_FROM, PER_NIGHT = 8, 0.01
FLAP_NIGHTS = (3, 4, 9, 13, 14, 15, 21, 27)
SLOW_FROM, REPAIR, FIRMWARE, FALSE_NIGHT = 5, 15, 20, 12
EXPECTED = (  # each line once, and no host beyond them
    r"KNOWN +host n17: degrades slowly since about 11-(0[789]): 1\.0 % a night, now 1\.2\dx the time; "
    r"found since 11-1\d: slow, 1\.2\dx the time, at 1 MiB",
    r"KNOWN +hosts n\[40-59\]: found since 11-20: slow, 1\.\d\dx the time, at 1 MiB; "
    r"since the firmware change of 11-20 \(ib/mlx5_0 28\.39\.1002 -> 28\.43\.2566\)",
    r"FLAPPING +host n88: flaps: found in 8 of 30 nights, came 5 times, last on 11-27: slow, .*",
    r"CURED +host n150: found from 11-05 to 11-14 \(10 nights\): slow, .*; cured on 11-15; "
    r"with the node GUID change of 11-15 \(ib/mlx5_0 MT00150A -> MT00150B\)",
    r"ONCE +host n77: on 11-12 only: slow, .*",
)


def faults_of(night: int) -> Iterator[Fault]:
    """What is planted in a night, which count from 1."""
    if night >= DEGRADES_FROM:
        yield Fault("slow-host", (DEGRADES,), (1 + PER_NIGHT) ** -(night - DEGRADES_FROM + 1))
    if night in FLAP_NIGHTS:
        yield Fault("slow-host", (FLAPS,), 0.5)
    if SLOW_FROM <= night < REPAIR:
        yield Fault("slow-host", (REPAIRED,), 0.75)
    if night == FALSE_NIGHT:
        yield Fault("slow-host", (FALSE_START,), 0.6)
    if night >= FIRMWARE:
        yield from (Fault("slow-host", (host,), 0.92) for host in RACK)


def inventory_of(night: int, hosts: int) -> Inventory:
    """An adapter in each host, with its GUID and firmware."""
    texts = {"": 0}
    rows = []
    for host in range(hosts):
        name = f"n{host}"
        again = name == REPAIRED and night >= REPAIR
        firmware = "28.43.2566" if name in RACK and night >= FIRMWARE else "28.39.1002"
        for fact, value in (("fw_ver", firmware), ("node_guid", f"MT{host:05}{'B' if again else 'A'}")):
            rows.append([host, *(texts.setdefault(text, len(texts)) for text in ("ib/mlx5_0", fact, value))])
    host, part, name, value = np.array(rows, np.uint32).T
    every, none = np.arange(hosts, dtype=np.uint32), np.zeros(hosts, np.uint32)
    moment = np.full(hosts, Moment.BEFORE, np.uint8)
    readings = Readings(every, none, moment, every, np.zeros(hosts), np.zeros(hosts, np.float32), none)
    facts = Facts(host, np.zeros_like(host), part, name, value)
    return replace(NO_INVENTORY, texts=tuple(texts), facts=facts, readings=readings)


def measured_in(night: int, hosts: int = HOSTS, sizes: tuple[int, ...] = SIZES) -> Results:
    """What a check of all pairs measures in a night of November 2026."""
    fabric = Fabric(
        hosts=hosts, ranks_per_host=1, group_size=20, noise=0.02, transient=0.005, messages=100, seed=night,
        faults=tuple(faults_of(night)), both_directions=True,
    )  # fmt: skip
    results = measured(fabric, all_links(hosts), list(sizes), Path(f"night-{night}.h5"), "everylink simulate")
    facts = replace(results.facts, created=f"2026-11-{night:02}T02:00:00Z")
    return replace(results, facts=facts, read_inventory=lambda: inventory_of(night, hosts))


def make(folder: Path, nights: int = NIGHTS) -> None:
    """Keep each night in the store."""
    store = opened_or_new(folder)
    for night in range(1, nights + 1):
        add(store, judged(measured_in(night)), f"{HOSTS} hosts", "simulate")


def main() -> int:
    """Returns 1 if the story is not the one that happened."""
    folder = Path(sys.argv[1])
    make(folder)
    command = [sys.executable, "-m", "everylink", "history", "--store", str(folder)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ).stdout
    print(said, end="")
    told = [line for line in said.splitlines() if re.match(r"[A-Z]+ +(host|hosts|pair|rank|trunk|group) ", line)]
    wrong = [line for line in told if not any(re.fullmatch(one, line) for one in EXPECTED)]
    missing = [one for one in EXPECTED if sum(bool(re.fullmatch(one, line)) for line in told) != 1]
    for line in (*(f"not planted: {one}" for one in wrong), *(f"not told: {one}" for one in missing)):
        print(line)
    print("the story is right" if not wrong and not missing else "the story is wrong")
    return bool(wrong or missing)


if __name__ == "__main__":
    sys.exit(main())
