"""Starts the ranks by the first mpiexec on PATH, of Open MPI or hydra (MPICH, Intel MPI)."""

import os
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from everylink.errors import UserMistake
from everylink.launch.core import on_path
from everylink.launch.job import HostRanks, Job, UnusableHosts, warn_of_one_machine
from everylink.launch.launcher import ByNumber, ByOneCommand, register

AT_ONCE = 32
ANSWER_LIMIT = 20.0  # seconds, for all hosts together
VERSION_LIMIT = 10.0  # seconds
OPEN_MPI_NAMES = ("Open MPI", "OpenRTE", "open-mpi")
HERE = "this machine"  # in place of any of its addresses
LONGEST_WORD = 100_000  # the kernel's limit is 128 KiB


@dataclass(frozen=True)
class Resolved:
    """The first address of each host, and the reason for each host without one."""

    addresses: dict[str, str]
    unresolved: dict[str, str]


@dataclass(frozen=True)
class _Answer:
    host: str
    address: str = ""
    reason: str = ""


def resolved(hosts: Sequence[str]) -> Resolved:
    """Ask the name service for all hosts, in bounded time. All addresses of this machine are HERE."""
    wanted: queue.SimpleQueue[str] = queue.SimpleQueue()
    found: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
    for host in hosts:
        wanted.put(host)
    for _ in range(min(AT_ONCE, len(hosts))):  # daemons, because a thread inside the resolver cannot be interrupted
        threading.Thread(target=_resolve, args=(wanted, found), daemon=True).start()
    left = dict.fromkeys(hosts, f"the name service did not answer within {ANSWER_LIMIT:.0f} s")
    until = time.monotonic() + ANSWER_LIMIT
    addresses, wrong = {}, {}
    while left:
        try:
            answer = found.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        del left[answer.host]
        if answer.reason:
            wrong[answer.host] = answer.reason
        else:
            addresses[answer.host] = answer.address
    return Resolved(addresses, wrong | left)


def _resolve(wanted: "queue.SimpleQueue[str]", found: "queue.SimpleQueue[_Answer]") -> None:
    while True:
        try:
            host = wanted.get_nowait()
        except queue.Empty:
            return
        try:
            address = str(socket.getaddrinfo(host, None)[0][4][0])
            found.put(_Answer(host, HERE if _is_here(address) else address))
        except (OSError, UnicodeError) as error:
            found.put(_Answer(host, reason=getattr(error, "strerror", None) or str(error)))


def _is_here(address: str) -> bool:
    """Whether an address is one of this machine: only such can be bound to."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.bind((address, 0))
        except OSError:
            return False
    return True


@register
class Mpiexec(ByNumber, ByOneCommand):
    """The first mpiexec on PATH."""

    name = "mpiexec"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """Without `ranks`, mpiexec chooses the number of ranks. The core has its absolute path."""
        mpiexec = _mpiexec()
        count = [] if ranks is None else ["-n", str(ranks)]
        crowded = ranks is not None and ranks > (os.cpu_count() or 1)
        oversubscribe = ["--oversubscribe"] if crowded and _is_open_mpi(mpiexec) else []
        return [mpiexec, *count, *oversubscribe, *self.args, str(self.core), *core_options]

    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """The ranks host by host; parts with different settings are separated by ':'."""
        mpiexec = _mpiexec()
        open_mpi = _is_open_mpi(mpiexec)
        words = [mpiexec]
        for part in job.parts:
            is_first = part[0].first == 0
            own = job.own_environment(part)
            words += [] if is_first else [":"]
            words += ["-n", str(sum(one.count for one in part))]
            if open_mpi:
                words += _hosts_for_open_mpi(part) + [word for name in job.environment for word in ("-x", name)]
                words += [word for name, value in own.items() for word in ("-x", f"{name}={value}")]
            else:  # hydra, which passes on the whole environment
                words += _hosts_for_hydra(job) if is_first else []
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
                f"{job.named_by}: {len(job.hosts)} hosts do not fit into a command line; --launcher srun folds --hosts"
            )
        return words

    def check(self, job: Job) -> None:
        """Raise UserMistake that names every host without an address. mpiexec itself finds those that do not answer.

        Warns of two names with one address.
        """
        _mpiexec()
        found = resolved([one.host for one in job.hosts])
        if found.unresolved:
            raise UnusableHosts(found.unresolved, job)
        warn_of_one_machine({one.host: found.addresses[one.host] for one in job.hosts})

    def environment(self, job: Job) -> dict[str, str]:
        """Open MPI's mpiexec passes on the variables of -x, hydra's its whole environment."""
        return job.environment


def _hosts_for_open_mpi(part: Sequence[HostRanks]) -> list[str]:
    """One host per rank, mapped in sequence; mapping by slots would begin with the host that mpiexec runs on."""
    return ["--host", ",".join(one.host for one in part for _ in range(one.count)), "--map-by", "seq"]


def _hosts_for_hydra(job: Job) -> list[str]:
    """One list of hosts, which hydra uses for all parts."""
    if len({one.count for one in job.hosts}) == 1:
        return ["-hosts", ",".join(one.host for one in job.hosts), "-ppn", str(job.hosts[0].count)]
    return ["-hosts", ",".join(f"{one.host}:{one.count}" for one in job.hosts)]


def _mpiexec() -> str:
    return on_path("mpiexec", "; load an MPI module, or leave the option out")


def _is_open_mpi(mpiexec: str) -> bool:
    try:
        said = subprocess.run(
            [mpiexec, "--version"], capture_output=True, text=True, timeout=VERSION_LIMIT, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(name in said.stdout + said.stderr for name in OPEN_MPI_NAMES)
