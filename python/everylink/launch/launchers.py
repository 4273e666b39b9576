"""The launchers that can start the core, by name."""

from collections.abc import Callable, Sequence
from pathlib import Path

from everylink.launch import command, local, mpiexec

# (core, ranks or None, arguments of the launcher, options of the core) -> command line
Launcher = Callable[[Path, int | None, Sequence[str], Sequence[str]], list[str]]
LAUNCHERS: dict[str, Launcher] = {"local": local.command, "mpiexec": mpiexec.command, "command": command.command}
