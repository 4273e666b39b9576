"""Starts the ranks by a command of the user's that starts whatever stands behind it: `srun --mpi=pmix`, a script."""

import shutil
from collections.abc import Sequence

from everylink.errors import UserMistake
from everylink.launch.launcher import ByNumber, register


@register
class Command(ByNumber):
    """The words of --launcher-args, then the core with its options; how many ranks that are is the command's matter."""

    name = "command"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        if not self.args:
            raise UserMistake('--launcher command: --launcher-args says which: --launcher-args "srun --mpi=pmix -n 64"')
        if ranks is not None:
            raise UserMistake("--np: --launcher command starts as many ranks as the command itself says")
        if shutil.which(self.args[0]) is None:
            raise UserMistake(f"--launcher-args: there is no program {self.args[0]}")
        return [*self.args, str(self.core), *core_options]
