"""Starts the ranks by any command that runs the program given after it, such as `srun --mpi=pmix` or a script."""

import shutil
from collections.abc import Sequence

from everylink.errors import UserMistake
from everylink.launch.launcher import ByNumber, register


@register
class Command(ByNumber):
    """The words of --launcher-args, then the core with its options. The command itself sets the number of ranks."""

    name = "command"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        if not self.args:
            raise UserMistake('--launcher command requires --launcher-args, such as "srun --mpi=pmix -n 64"')
        if ranks is not None:
            raise UserMistake("--np: with --launcher command, the command itself sets the number of ranks")
        if shutil.which(self.args[0]) is None:
            raise UserMistake(f"--launcher-args: program {self.args[0]} was not found")
        return [*self.args, str(self.core), *core_options]
