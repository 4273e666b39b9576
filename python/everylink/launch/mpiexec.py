"""Starts the ranks by mpiexec, of whichever MPI library is first on PATH."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake

VERSION_LIMIT = 10.0  # seconds
OPEN_MPI_NAMES = ("Open MPI", "OpenRTE", "open-mpi")


def command(core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """As many ranks as `ranks`, else as many as mpiexec itself chooses; the core by its absolute path."""
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        raise UserMistake("--launcher mpiexec: there is no mpiexec on PATH; load an MPI module, or leave it out")
    count = [] if ranks is None else ["-n", str(ranks)]
    crowded = ranks is not None and ranks > (os.cpu_count() or 1)
    oversubscribe = ["--oversubscribe"] if crowded and _is_open_mpi(mpiexec) else []
    return [mpiexec, *count, *oversubscribe, *launcher_args, str(core), *core_options]


def _is_open_mpi(mpiexec: str) -> bool:
    try:
        said = subprocess.run(
            [mpiexec, "--version"], capture_output=True, text=True, timeout=VERSION_LIMIT, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return any(name in said.stdout + said.stderr for name in OPEN_MPI_NAMES)
