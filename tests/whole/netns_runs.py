"""Whole runs in a bed: one rank per host, rank i on host i; faults planted between two steps; outcomes of links."""

import contextlib
import fcntl
import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from netns import FOLDER, NETNS, PATIENCE, PROGRAM, Bed, address, kernel

from conftest import Outcome, measure_program, read_plainly

LETTERS = "otbcapl"  # ok, timeout, broken, corrupt, absent, presumed, local
LIMIT = 120 * PATIENCE  # seconds per run; most take a few
RANK = "${OMPI_COMM_WORLD_RANK:-$EVERYLINK_RANK}"
# Rank 0 writes to a pipe that holds one line. While nobody reads, it blocks between two steps, and all ranks with it.
SPEAK = f"""[ "{RANK}" = 0 ] || exec "$@" >/dev/null
exec '{sys.executable}' -ESsc 'import fcntl, os, sys
pipe = os.open(sys.argv[1], os.O_WRONLY)
fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_DIRECT)
os.dup2(pipe, 1)
os.execv(sys.argv[2], sys.argv[2:])' "$PIPE" "$@"
"""


def matrix(result: Outcome, size: int = 0) -> str:
    """One row per sender, one column per receiver; a letter is the final outcome of the link in the main run."""
    table = (result.sizes[size] if size else result.only).main()
    ranks = int(result.attributes["ranks"])
    letters = [["." if a == b else "-" for b in range(ranks)] for a in range(ranks)]
    for a, b, outcome in zip(table["from"], table["to"], table["outcome"], strict=True):
        letters[a][b] = LETTERS[outcome]
    return "\n".join(" ".join(row) for row in letters)


def skip_without_mpi(mode: str) -> None:
    if mode == "mpi" and not shutil.which("mpirun"):
        pytest.skip("no mpirun here")


def skip_unless_usable(mode: str) -> None:
    """Skip if the library of a mode is missing."""
    name = mode.split(":")[0]
    listed = subprocess.run([measure_program(), "--list"], capture_output=True, text=True, check=True).stdout
    (line,) = (line for line in listed.splitlines() if line.split()[:1] == [name])
    if not line.endswith("can run here"):
        pytest.skip(line.strip())


def patient(options: list[object]) -> list[object]:
    """Options with a longer limit per pair: ranks of MPI poll, and on few cores they hold up each other."""
    if "--time-limit" not in options:
        return options
    at = options.index("--time-limit") + 1
    return [*options[:at], 3 * float(str(options[at])), *options[at + 1 :]]


class Job:
    """Ranks on the hosts of a bed, one or more per host."""

    def __init__(
        self,
        bed: Bed,
        mode: str,
        options: list[object],
        folder: Path,
        ranks_a_host: int = 1,
        own: Mapping[int, list[object]] = {},
    ) -> None:
        """`own`: options of single hosts; not under MPI."""
        self.bed, self.mode, self.ranks_a_host, self.own = bed, mode, ranks_a_host, own
        self.file, self.pipe = folder / "x.h5", folder / "said"
        self.said: list[str] = []
        self.deadline = time.monotonic() + LIMIT
        os.mkfifo(self.pipe)
        self.ear = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.ear, fcntl.F_SETPIPE_SZ, 4096)
        options = patient(options) if mode == "mpi" else options
        program = [measure_program(), "--mode", mode, "-o", self.file, "--force", "--progress", "json", *options]
        command = ["sh", "-c", SPEAK, "sh", *(str(word) for word in program)]
        self.errors = (folder / "errors").open("w")
        self.processes = self._under_mpirun(command, folder) if mode == "mpi" else self._by_hand(command)

    def _by_hand(self, command: list[str]) -> list[subprocess.Popen[bytes]]:
        ranks = self.bed.hosts * self.ranks_a_host
        common = {"EVERYLINK_SIZE": str(ranks), "EVERYLINK_RENDEZVOUS": f"{address(0)}:7700"}
        common["EVERYLINK_KEY"] = secrets.token_hex(32)
        return [
            self._start(host, [*command, *map(str, self.own.get(host, []))], common | {"EVERYLINK_RANK": str(rank)})
            for rank in range(ranks)
            for host in [rank // self.ranks_a_host]
        ]

    # mpirun runs on the last host, so that rank 0 and others can lose each other unnoticed by it.
    def _under_mpirun(self, command: list[str], folder: Path) -> list[subprocess.Popen[bytes]]:
        hosts = folder / "hosts"
        hosts.write_text("".join(f"h{i}\n" for i in range(self.bed.hosts)))
        settings = {
            "plm_rsh_agent": FOLDER / "rsh",
            "btl": "tcp,self",
            "pml": "ob1",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": 1,
            "rmaps": "seq",
            "hwloc_base_binding_policy": "none",
            "btl_base_warn_component_unused": 0,
            "osc": "pt2pt",  # the component that creates windows over sockets
        }
        mca = [str(word) for name, value in settings.items() for word in ("--mca", name, value)]
        launcher = ["mpirun", "--allow-run-as-root", *mca, "--hostfile", str(hosts), "-x", "PIPE"]
        return [self._start(self.bed.hosts - 1, [*launcher, "-np", str(self.bed.hosts), *command], {})]

    def _start(self, host: int, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(PROGRAM), "--name", self.bed.name, "exec", f"h{host}", *command],
            env=os.environ | environment | {"PIPE": str(self.pipe)},
            stdin=subprocess.DEVNULL,
            stdout=self.errors,
            stderr=self.errors,
        )

    # A line; empty once rank 0 has ended.
    def _hear(self) -> str:
        left = max(0.0, self.deadline - time.monotonic())
        assert select.select([self.ear], [], [], left)[0], f"rank 0 has said nothing more in time: {self.all_said()}"
        line = os.read(self.ear, 65536).decode()
        self.said += [line] if line else []
        return line

    @contextlib.contextmanager
    def between_steps(self, step: int) -> Iterator[None]:
        """Inside the block, this step of the main run (from 1) is complete and saved, and the next has not begun."""
        while f"Parallel Results for step {step}:" not in (line := self._hear()):
            assert line, f"the run ended before step {step}: {self.all_said()}"
        yield

    def go_on_until(self, step: int) -> None:
        """Continue until this step or scene (from 1) is complete."""
        while not any(event["step"] == step for event in self.events("step")):
            assert self._hear(), f"the run ended before step {step}: {self.all_said()}"

    def go_on_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while select.select([self.ear], [], [], max(0.0, until - time.monotonic()))[0]:
            assert self._hear(), f"the run has ended: {self.all_said()}"

    def all_said(self) -> str:
        return "".join(self.said) + Path(self.errors.name).read_text()

    def events(self, name: str) -> list[dict[str, Any]]:
        return [event for line in self.said if (event := json.loads(line))["event"] == name]

    def pid(self, rank: int) -> int:
        """The pid of the measuring process itself."""
        (found,) = self._measuring([rank])
        return found

    def wait_for_word_of(self, rank: int) -> None:
        """Wait until rank 0's socket has data from this rank; rank 0 must be blocked between two steps."""
        there = f"{int.from_bytes(socket.inet_aton(address(rank)), sys.byteorder):08X}:"
        folder = Path(f"/proc/{self.pid(0)}/net")
        while time.monotonic() < self.deadline:
            lines = [line for name in ("tcp", "tcp6") for line in (folder / name).read_text().splitlines()[1:]]
            rows = [line.split() for line in lines]
            if any(there in row[2] and not row[4].endswith(":00000000") for row in rows):
                return
            time.sleep(0.01)
        raise AssertionError(f"nothing has come from rank {rank}: {self.all_said()}")

    def _measuring(self, hosts: list[int]) -> list[int]:
        spaces = [NETNS / f"{self.bed.name}-h{host}" for host in hosts]
        return [pid for pid in kernel.processes_in(spaces) if _name_of(pid) == "everylink-measu"]

    def finish(self, expect: int | None = 3) -> Outcome:
        """Wait for all ranks to end within the limit and the run with the expected exit code; read the file.

        None: 0, or 3 as a link may have failed.
        """
        try:
            while self._hear():
                pass
            while left := self._measuring(list(range(self.bed.hosts))):
                assert time.monotonic() < self.deadline, f"{len(left)} ranks are left: {self.all_said()}"
                time.sleep(0.02)
            # mpirun would wait for its daemon on a dark host for minutes, which we cannot change.
            self.bed.heal()
            for process in self.processes:
                process.wait(max(0.1, self.deadline - time.monotonic()))
        finally:
            self.stop()
        said = self.all_said()
        code = self.processes[0].returncode
        assert code in ((0, 3) if expect is None else (expect,)), said
        assert self.events("end")[0]["exit"] == code
        result = read_plainly(self.file, code, "".join(self.said), said)
        assert result.attributes["complete"] == 1
        return result

    def stop(self) -> None:
        spaces = [NETNS / f"{self.bed.name}-h{host}" for host in range(self.bed.hosts)]
        ended = [kernel.kill(pid, spaces) for pid in kernel.processes_in(spaces)]
        kernel.wait_for([one for one in ended if one is not None], 10)
        for process in self.processes:
            process.wait(10)
        self.errors.close()
        if self.ear >= 0:
            os.close(self.ear)
        self.ear = -1


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


Start = Callable[[str, list[object]], Job]


def jobs_on(bed: Bed, folder: Path, ranks_a_host: int = 1) -> Iterator[Start]:
    """The body of a fixture: starts runs on all hosts (mode, options) and removes every trace of them."""
    jobs: list[Job] = []

    def begin(mode: str, options: list[object]) -> Job:
        skip_without_mpi(mode)
        jobs.append(Job(bed, mode, options, folder, ranks_a_host))
        return jobs[-1]

    yield begin
    for job in jobs:
        job.stop()
    bed.heal()
    assert bed.is_whole()
