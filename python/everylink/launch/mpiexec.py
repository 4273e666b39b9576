"""Starts the ranks by mpiexec, of whichever MPI library is first on PATH."""

import os
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Sequence

from everylink.errors import UserMistake
from everylink.launch.core import on_path
from everylink.launch.job import HostRanks, Job
from everylink.launch.launcher import ByNumber, ByOneCommand, register
from everylink.launch.reach import named

AT_ONCE = 32
ANSWER_LIMIT = 20.0  # seconds, for all
VERSION_LIMIT = 10.0  # seconds
OPEN_MPI_NAMES = ("Open MPI", "OpenRTE", "open-mpi")
LONGEST_WORD = 100_000  # the kernel takes 128 KiB


def unknown(hosts: Sequence[str]) -> dict[str, str]:
    """The hosts that have no address, and why."""
    wanted: queue.SimpleQueue[str] = queue.SimpleQueue()
    found: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    for host in hosts:
        wanted.put(host)
    for _ in range(min(AT_ONCE, len(hosts))):  # a resolver cannot be interrupted, so nobody waits for these threads
        threading.Thread(target=_ask, args=(wanted, found), daemon=True).start()
    left = dict.fromkeys(hosts, f"the name service gives no answer within {ANSWER_LIMIT:.0f} s")
    until = time.monotonic() + ANSWER_LIMIT
    wrong = {}
    while left:
        try:
            host, reason = found.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        del left[host]
        if reason:
            wrong[host] = reason
    return wrong | left


def _ask(wanted: "queue.SimpleQueue[str]", found: "queue.SimpleQueue[tuple[str, str]]") -> None:
    while True:
        try:
            host = wanted.get_nowait()
        except queue.Empty:
            return
        try:
            socket.getaddrinfo(host, None)
            found.put((host, ""))
        except (OSError, UnicodeError) as error:
            found.put((host, getattr(error, "strerror", None) or str(error)))


@register
class Mpiexec(ByNumber, ByOneCommand):
    """Of whichever MPI library is first on PATH."""

    name = "mpiexec"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """As many ranks as `ranks`, else as many as mpiexec itself chooses; the core by its absolute path."""
        mpiexec = _mpiexec()
        count = [] if ranks is None else ["-n", str(ranks)]
        crowded = ranks is not None and ranks > (os.cpu_count() or 1)
        oversubscribe = ["--oversubscribe"] if crowded and _is_open_mpi(mpiexec) else []
        return [mpiexec, *count, *oversubscribe, *self.args, str(self.core), *core_options]

    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """The ranks of each host one after the other, host by host; parts that differ have a ':' between them."""
        mpiexec = _mpiexec()
        open_mpi = _is_open_mpi(mpiexec)
        words = [mpiexec]
        for part in job.alike:
            is_first = part[0].first == 0
            own = job.own_environment(part)
            words += [] if is_first else [":"]
            words += ["-n", str(sum(one.count for one in part))]
            if open_mpi:
                words += _place(part) + [word for name in job.environment for word in ("-x", name)]
                words += [word for name, value in own.items() for word in ("-x", f"{name}={value}")]
            else:  # hydra and its kin, which hand on all of the environment
                words += _place_of_hydra(job) if is_first else []
                words += [word for name, value in own.items() for word in ("-env", name, value)]
            words += [
                *(self.args if is_first else ()),
                *part[0].arguments,
                str(self.core),
                *core_options,
                *part[0].options,
            ]
        if max(map(len, words)) > LONGEST_WORD:
            raise UserMistake(
                f"{job.named_by}: so many hosts do not fit into a command line; srun takes those of --hosts folded"
            )
        return words

    def check(self, job: Job) -> None:
        """Raise UserMistake that names every host without an address; whether the others answer is mpiexec's to say."""
        _mpiexec()
        if wrong := unknown([one.host for one in job.hosts]):
            raise UserMistake(named(wrong, job))

    def environment(self, job: Job) -> dict[str, str]:
        """Of Open MPI mpiexec hands on what is named, of hydra all that it has itself."""
        return job.environment


def _place(part: Sequence[HostRanks]) -> list[str]:
    """For Open MPI: one after the other as they stand there, because by slots it begins with the host it runs on."""
    return ["--host", ",".join(one.host for one in part for _ in range(one.count)), "--map-by", "seq"]


def _place_of_hydra(job: Job) -> list[str]:
    """It goes through one list of hosts with all parts."""
    if len({one.count for one in job.hosts}) == 1:
        return ["-hosts", ",".join(one.host for one in job.hosts), "-ppn", str(job.hosts[0].count)]
    return ["-hosts", ",".join(f"{one.host}:{one.count}" for one in job.hosts)]


def _mpiexec() -> str:
    return on_path("mpiexec", "; load an MPI module, or leave it out")


def _is_open_mpi(mpiexec: str) -> bool:
    try:
        said = subprocess.run(
            [mpiexec, "--version"], capture_output=True, text=True, timeout=VERSION_LIMIT, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(name in said.stdout + said.stderr for name in OPEN_MPI_NAMES)
