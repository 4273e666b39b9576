"""Starts all ranks on this machine: the core itself does it, no launcher and no MPI are needed."""

import os
from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake


def command(core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """One rank for each core of this machine, at least two, unless `ranks` says otherwise."""
    if launcher_args:
        raise UserMistake("--launcher-args: there is no launcher to give them to; add --launcher mpiexec")
    count = max(2, len(os.sched_getaffinity(0))) if ranks is None else ranks
    return [str(core), "--np", str(count), *core_options]
