"""Runs inside the virtual machine, for test_vm.py: vm_guest.py contract|measure FOLDER PROGRAM. Writes to FOLDER."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

RANKS = 4
PART, RESULTS, PROGRAM = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
FOLDER = Path("/dev/shm/results")  # in memory, because writing to a file of the host blocks
VERBS = "ibverbs:completion=event"


def contract(name: str, mode: str, chosen: str) -> None:
    """Run the suite on one mode; write its output, and its exit code as the last line."""
    done = subprocess.run([PROGRAM, mode, f"--gtest_filter={chosen}"], capture_output=True, text=True)
    (FOLDER / f"{name}.txt").write_text(f"{done.stdout}{done.stderr}\n{done.returncode}\n")


def ranks(name: str, *options: str, mode: str = VERBS) -> list[subprocess.Popen[bytes]]:
    """Four ranks, each a host with its own device."""
    started = []
    of_pairs = ["--num-slowest", "0"] if options[0].startswith("-") else []
    for rank in range(RANKS):
        place = {"EVERYLINK_RANK": rank, "EVERYLINK_SIZE": RANKS, "EVERYLINK_RENDEZVOUS": "127.0.0.1:7700"}
        where = ["--mode", f"{mode},device=rxe{rank}", "--node-name", f"n{rank}", "-o", str(FOLDER / f"{name}.h5")]
        with (FOLDER / f"{name}.{rank}.txt").open("wb") as said:
            started.append(
                subprocess.Popen(
                    [PROGRAM, *where, *of_pairs, "--progress", "plain", *options],
                    env=os.environ | {key: str(value) for key, value in place.items()},
                    stdout=said,
                    stderr=said,
                )
            )
    return started


def end(name: str, started: list[subprocess.Popen[bytes]]) -> None:
    codes = [process.wait() for process in started]
    (FOLDER / f"{name}.code").write_text(" ".join(map(str, codes)))


def measure(name: str, *options: str, mode: str = VERBS) -> None:
    end(name, ranks(name, *options, mode=mode))


def fault(interface: str, *words: str) -> None:
    subprocess.run(["tc", "qdisc", "replace", "dev", interface, "root", "netem", *words], check=True)


def heal(interface: str) -> None:
    subprocess.run(["tc", "qdisc", "del", "dev", interface, "root"], check=True)


def kill_one() -> None:
    """Kill a rank during the first step; the network is slow, so that a step takes 1.6 s."""
    for rank in range(RANKS):
        fault(f"rdma{rank}", "delay", "2ms")
    started = ranks("killed", "-s", "8", "-n", "200", "-w", "1")
    while "Time limit" not in (FOLDER / "killed.0.txt").read_text():
        time.sleep(0.1)
    time.sleep(0.7)
    started[2].kill()
    end("killed", started)
    for rank in range(RANKS):
        heal(f"rdma{rank}")


def patterns() -> None:
    measure(
        "served", "client-server", "--servers", "2", "--niters", "5", "--nflight", "1,4", "-s", "8,64KiB", "--check"
    )
    measure("all-to-all", "all-to-all", "-s", "8,64KiB", "--niters", "20")
    fault("rdma0", "rate", "20mbit", "limit", "10000")
    measure("served-slowly", "client-server", "--niters", "5", "-s", "64KiB")
    heal("rdma0")


def contracts() -> None:
    contract("contract", "ibverbs", "-*two_gibibytes*")
    left_out = "-*two_gibibytes*:*Faults.*:*hundred*"
    contract("contract-write", "ibverbs:verb=write,completion=event,qps=3", left_out)


def measurements() -> None:
    by_turns = ["--np", str(RANKS), "--mode", VERBS, "-s", "8", "-n", "5", "-w", "1", "--num-slowest", "0"]
    subprocess.run([PROGRAM, *by_turns, "-o", str(FOLDER / "by-turns.h5")], check=True)
    for kernel in ("semidirectional", "bidirectional", "unidirectional", "put", "get"):
        measure(kernel, f"--{kernel}", "--check", "-s", "8,64KiB", "-n", "10", "-w", "2")
    measure("counted", "-s", "64KiB", "-n", "80", "-w", "2")
    fault("rdma2", "delay", "5ms")
    measure("delayed", "-s", "8", "-n", "10", "-w", "2")
    heal("rdma2")
    fault("rdma1", "rate", "20mbit", "limit", "10000")
    for kernel in ("unidirectional", "put", "get"):
        measure(f"throttled-{kernel}", f"--{kernel}", "-s", "64KiB", "-n", "10", "-w", "2")
    heal("rdma1")
    patterns()
    kill_one()


if __name__ == "__main__":
    FOLDER.mkdir()
    try:
        contracts() if PART == "contract" else measurements()
    finally:
        shutil.copytree(FOLDER, RESULTS, dirs_exist_ok=True)
