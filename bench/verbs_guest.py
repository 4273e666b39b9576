"""Runs inside the virtual machine, for verbs_in_vm.py: verbs_guest.py FOLDER MEASURE ROUNDS. Needs only Python."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/dev/shm/bench")  # in memory, because writing to a file of the host blocks
PORT = 18515


@dataclass(frozen=True)
class Run:
    what: str
    size: int
    messages: int

    @property
    def name(self) -> str:
        return f"{self.what}-{self.size}"


RUNS = [
    *(Run("latency", 8, 200), Run("latency", 65_536, 20), Run("latency", 1_048_576, 5)),
    *(Run("bandwidth", 8, 640), Run("bandwidth", 65_536, 64), Run("bandwidth", 1_048_576, 10)),
]


def gid_of(device: str) -> str:
    """The GID index of the device's IPv4 address."""
    for gid in Path(f"/sys/class/infiniband/{device}/ports/1/gids").iterdir():
        if ":ffff:" in gid.read_text():
            return gid.name
    raise SystemExit(f"{device} has no IPv4 address")


def wait_for_listener() -> None:
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    while not any(f":{PORT:04X} " in line and " 0A " in line for t in tables for line in t.read_text().splitlines()):
        time.sleep(0.05)


def ours(measure: str, run: Run, into: Path) -> None:
    kernel = ["--unidirectional", "--window", "64"] if run.what == "bandwidth" else ["--semidirectional"]
    if run.messages < 64 and run.what == "bandwidth":
        kernel[-1] = str(run.messages)
    count = ["-s", str(run.size), "-n", str(run.messages), "-w", str(max(2, run.messages // 10)), "--num-slowest", "0"]
    place = ["--np", "2", "--mode", "ibverbs:completion=event", "-o", str(into), "--progress", "none"]
    subprocess.run([measure, *place, *kernel, *count], check=True, stdout=subprocess.DEVNULL)


def theirs(run: Run, into: Path) -> None:
    program = ["ib_write_bw", "--tx-depth", "64"] if run.what == "bandwidth" else ["ib_send_lat", "-e"]
    common = ["-F", "-s", str(run.size), "-n", str(run.messages), "-p", str(PORT)]
    sides = [[*program, *common, "-d", f"rxe{i}", "-x", gid_of(f"rxe{i}")] for i in range(2)]
    with subprocess.Popen(sides[1], stdout=subprocess.DEVNULL) as server:
        wait_for_listener()
        done = subprocess.run([*sides[0], "127.0.0.1"], capture_output=True, text=True, check=False)
        into.write_text(done.stdout + done.stderr)
        if done.returncode:
            server.kill()
    if done.returncode:
        raise SystemExit(f"{' '.join(sides[0])}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> None:
    results, measure, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    os.environ["EVERYLINK_TRANSPORT_PATH"] = str(Path(measure).parent / "modules")
    FOLDER.mkdir()
    order = random.Random(1)
    for number in range(rounds):
        for run in RUNS:
            kinds = ["a", "again", "b"]
            order.shuffle(kinds)
            for kind in kinds:
                into = FOLDER / f"{run.name}-{kind}-{number}"
                if kind == "b":
                    theirs(run, into.with_name(into.name + ".txt"))
                else:
                    ours(measure, run, into.with_name(into.name + ".h5"))
        shutil.copytree(FOLDER, results, dirs_exist_ok=True)
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
