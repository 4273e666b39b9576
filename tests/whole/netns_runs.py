"""Whole runs in a bed: ranks started on hosts, with a fault planted at a given step, and what became of each link."""

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netns import FOLDER, NETNS, PATIENCE, PROGRAM, Bed, address, kernel

from conftest import Outcome, measure_program, read_plainly

LETTERS = "otbcap"  # ok, timeout, broken, corrupt, absent, presumed
LIMIT = 150 * PATIENCE  # of a run; most take a few seconds, a rank that lost rank 0 gives up after 90


def matrix(result: Outcome, size: int = 0) -> str:
    """A row a sender, a column a receiver; a letter is the outcome in the main run, the last word on it if several."""
    table = (result.sizes[size] if size else result.only).main()
    ranks = int(result.attributes["ranks"])
    letters = [["." if a == b else "-" for b in range(ranks)] for a in range(ranks)]
    for a, b, outcome in zip(table["from"], table["to"], table["outcome"], strict=True):
        letters[a][b] = LETTERS[outcome]
    return drawn(letters)


def drawn(letters: list[list[str]]) -> str:
    return "\n".join(" ".join(row) for row in letters)


class Job:
    """Ranks on the hosts of a bed, one a host. Rank 0 tells its progress, so that a fault can follow a step."""

    def __init__(self, bed: Bed, mode: str, options: list[object], folder: Path) -> None:
        self.bed, self.mode = bed, mode
        self.file = folder / "x.h5"
        self.pids: list[int] = []
        self.events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.said: list[str] = []
        self.began = time.monotonic()
        program = [measure_program(), "--mode", mode, "-o", self.file, "--force", "--progress", "json", *options]
        command = [str(word) for word in program]
        self.errors = (folder / "errors").open("w+")
        self.processes = self._under_mpirun(command, folder) if mode == "mpi" else self._by_hand(command)
        self.voice = threading.Thread(target=self._listen, daemon=True)
        self.voice.start()

    def _by_hand(self, command: list[str]) -> list[subprocess.Popen[str]]:
        common = {"EVERYLINK_SIZE": str(self.bed.hosts), "EVERYLINK_RENDEZVOUS": f"{address(0)}:7700"}
        common["EVERYLINK_KEY"] = secrets.token_hex(32)
        return [self._start(rank, command, common | {"EVERYLINK_RANK": str(rank)}) for rank in range(self.bed.hosts)]

    # mpirun runs on the last host, so that rank 0 and others may lose each other without its noticing.
    def _under_mpirun(self, command: list[str], folder: Path) -> list[subprocess.Popen[str]]:
        hosts = folder / "hosts"
        hosts.write_text("".join(f"h{i} slots=1\n" for i in range(self.bed.hosts)))
        settings = {
            "plm_rsh_agent": FOLDER / "rsh",
            "btl": "tcp,self",
            "pml": "ob1",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": 1,
        }
        mca = [str(word) for name, value in settings.items() for word in ("--mca", name, value)]
        launcher = ["mpirun", "--allow-run-as-root", *mca, "--hostfile", str(hosts), "--map-by", "node"]
        return [self._start(self.bed.hosts - 1, [*launcher, "-np", str(self.bed.hosts), *command], {})]

    def _start(self, host: int, command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(PROGRAM), "--name", self.bed.name, "exec", f"h{host}", *command],
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if not environment or environment["EVERYLINK_RANK"] == "0" else subprocess.DEVNULL,
            stderr=self.errors,
            text=True,
        )

    def _listen(self) -> None:
        stream = self.processes[0].stdout
        assert stream
        for line in stream:
            self.said.append(line)
            if line.startswith('{"event"'):
                self.events.put(json.loads(line))
        self.events.put(None)

    def after_step(self, step: int) -> "Job":
        """Returns once this step of the main run is over; the first is 1."""
        while (event := self.events.get(timeout=LIMIT)) is not None:
            if event["event"] == "plan":
                self.pids = [self._pid(rank) for rank in range(self.bed.hosts)]
            if event["event"] == "step" and event["step"] >= step:
                return self
        raise AssertionError(f"the run ended before step {step}: {self.all_said()}")

    def all_said(self) -> str:
        self.errors.seek(0)
        return "".join(self.said) + self.errors.read()

    # Of the measuring process itself.
    def _pid(self, rank: int) -> int:
        if self.mode != "mpi":
            return self.processes[rank].pid
        (found,) = self._measuring([rank])
        return found

    def _measuring(self, hosts: list[int]) -> list[int]:
        spaces = [NETNS / f"{self.bed.name}-h{host}" for host in hosts]
        return [pid for pid in kernel.processes_in(spaces) if _name_of(pid) == "everylink-measu"]

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """All ranks stand still, so that what is done meanwhile happens at one moment of the run."""
        for sign in (signal.SIGSTOP, signal.SIGCONT):
            for pid in self.pids:
                os.kill(pid, sign)
            if sign == signal.SIGSTOP:
                yield

    def finish(self, expect: int = 3) -> Outcome:
        """All ranks end within the limit, rank 0 with the expected exit code, and the file is whole."""
        deadline = self.began + LIMIT
        try:
            for process in self.processes:
                process.wait(max(0.1, deadline - time.monotonic()))
        finally:
            left = self._measuring(list(range(self.bed.hosts)))
            self.stop()
        assert not left, f"{len(left)} ranks are left behind: {self.all_said()}"
        self.voice.join(10)
        said = self.all_said()
        assert self.processes[0].returncode == expect, said
        result = read_plainly(self.file, expect, "".join(self.said), said)
        assert result.attributes["complete"] == 1
        return result

    def stop(self) -> None:
        spaces = [NETNS / f"{self.bed.name}-h{host}" for host in range(self.bed.hosts)]
        ended = [kernel.kill(pid, spaces) for pid in kernel.processes_in(spaces)]
        kernel.wait_for([one for one in ended if one is not None], 10)
        for process in self.processes:
            process.wait(10)


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""
