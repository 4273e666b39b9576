"""Starts the ranks by a command of the user's that starts whatever stands behind it: `srun --mpi=pmix`, a script."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake


def command(core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """The words of --launcher-args, then the core with its options; how many ranks that are is the command's matter."""
    if not launcher_args:
        raise UserMistake('--launcher command: --launcher-args says which: --launcher-args "srun --mpi=pmix -n 64"')
    if ranks is not None:
        raise UserMistake("--np: --launcher command starts as many ranks as the command itself says")
    if shutil.which(launcher_args[0]) is None:
        raise UserMistake(f"--launcher-args: there is no program {launcher_args[0]}")
    return [*launcher_args, str(core), *core_options]
