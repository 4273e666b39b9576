"""The interface of launchers. Each is a small class that registers itself under its name for --launcher."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TextIO, TypeVar

from everylink.launch.job import Job
from everylink.launch.process import run_core

OnLine = Callable[[str], None]
# Options of the core, callback for each output line, file for standard error (None: ours) -> exit code
Start = Callable[[Sequence[str], OnLine, TextIO | None], int]


class Launcher(ABC):
    """Starts `core` with `args`, the user's --launcher-args."""

    name: ClassVar[str]

    def __init__(self, core: Path, args: Sequence[str] = ()) -> None:
        self.core = core
        self.args = args


class ByNumber(Launcher):
    """A launcher that can start a number of ranks without a list of hosts."""

    @abstractmethod
    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """The command that starts `ranks` ranks; with None, the launcher chooses the number. Raises UserMistake."""

    def start(self, ranks: int | None) -> Start:
        """A function that starts `ranks` ranks."""
        return lambda core_options, on_line, errors: run_core(self.command(ranks, core_options), on_line, errors=errors)


class OnHosts(Launcher):
    """A launcher that can start ranks on named hosts."""

    @abstractmethod
    def start_job(self, job: Job) -> Start:
        """A function that starts the ranks of a job. Raises UserMistake, which names every host that is unusable."""


class ByOneCommand(OnHosts):
    """A launcher that starts the ranks of all hosts by one command."""

    @abstractmethod
    def check(self, job: Job) -> None:
        """Raise UserMistake, which names every host that is unusable."""

    @abstractmethod
    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """The command that starts all ranks of a job. Raises UserMistake."""

    @abstractmethod
    def environment(self, job: Job) -> dict[str, str]:
        """Variables to add to the environment of the command."""

    def start_job(self, job: Job) -> Start:
        self.check(job)
        return lambda core_options, on_line, errors: run_core(
            self.command_on_hosts(job, core_options), on_line, self.environment(job), errors
        )


L = TypeVar("L", bound=Launcher)
LAUNCHERS: dict[str, type[Launcher]] = {}


def register(launcher: type[L]) -> type[L]:
    """Register a launcher under its name."""
    LAUNCHERS[launcher.name] = launcher
    return launcher
