"""Starts the ranks by mpiexec, of whichever MPI library is first on PATH."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake
from everylink.launch.job import Job
from everylink.launch.names import unknown
from everylink.launch.programs import on_path
from everylink.launch.reach import named

VERSION_LIMIT = 10.0  # seconds
OPEN_MPI_NAMES = ("Open MPI", "OpenRTE", "open-mpi")
LONGEST_WORD = 100_000  # the kernel takes 128 KiB


def command(core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """As many ranks as `ranks`, else as many as mpiexec itself chooses; the core by its absolute path."""
    mpiexec = _mpiexec()
    count = [] if ranks is None else ["-n", str(ranks)]
    crowded = ranks is not None and ranks > (os.cpu_count() or 1)
    oversubscribe = ["--oversubscribe"] if crowded and _is_open_mpi(mpiexec) else []
    return [mpiexec, *count, *oversubscribe, *launcher_args, str(core), *core_options]


def command_on_hosts(core: Path, job: Job, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """The ranks of each host one after the other, host by host."""
    mpiexec = _mpiexec()
    if _is_open_mpi(mpiexec):
        # one after the other as they stand there: by slots it begins with the host that it runs on
        slots = ",".join(one.host for one in job.hosts for _ in range(one.count))
        place = ["--host", slots, "--map-by", "seq"]
        place += [word for name in job.hosts[0].environment for word in ("-x", name)]
    else:  # hydra and its kin, which hand on all of the environment
        slots = ",".join(one.host for one in job.hosts)
        place = ["-hosts", slots, "-ppn", str(job.hosts[0].count)]
    if len(slots) > LONGEST_WORD:
        raise UserMistake("--hosts: so many hosts do not fit into a command line; --launcher srun takes them folded")
    return [mpiexec, "-n", str(job.size), *place, *launcher_args, str(core), *core_options]


def check(job: Job) -> None:
    """Raise UserMistake that names every host without an address; whether the others answer is mpiexec's to say."""
    _mpiexec()
    if wrong := unknown([one.host for one in job.hosts]):
        raise UserMistake(named(wrong))


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
