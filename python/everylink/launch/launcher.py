"""What a launcher is: a small class that registers itself under the name by which --launcher calls it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

from everylink.launch.job import Job
from everylink.launch.process import run_core

OnLine = Callable[[str], None]
Start = Callable[[Sequence[str], OnLine], int]  # options of the core, what to do with each line -> exit code


class Launcher(ABC):
    """Starts `core` with `args`, the user's --launcher-args."""

    name: ClassVar[str]

    def __init__(self, core: Path, args: Sequence[str] = ()) -> None:
        self.core = core
        self.args = args


class ByNumber(Launcher):
    """A launcher that can start ranks where no hosts are named."""

    @abstractmethod
    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """The command that starts so many ranks; None: as many as the launcher chooses. Raises UserMistake."""

    def start(self, ranks: int | None) -> Start:
        """What starts so many ranks."""
        return lambda core_options, on_line: run_core(self.command(ranks, core_options), on_line)


class OnHosts(Launcher):
    """A launcher that can start ranks on hosts that are named."""

    @abstractmethod
    def start_job(self, job: Job) -> Start:
        """What starts the ranks of a job. Raises UserMistake, which names every host that cannot be used."""


class ByOneCommand(OnHosts):
    """A launcher that is one command for all hosts."""

    @abstractmethod
    def check(self, job: Job) -> None:
        """Raise UserMistake, which names every host that cannot be used."""

    @abstractmethod
    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """The command that starts all ranks of a job."""

    @abstractmethod
    def environment(self, job: Job) -> dict[str, str]:
        """What the command needs in its environment."""

    def start_job(self, job: Job) -> Start:
        self.check(job)
        return lambda core_options, on_line: run_core(
            self.command_on_hosts(job, core_options), on_line, self.environment(job)
        )


L = TypeVar("L", bound=Launcher)
LAUNCHERS: dict[str, type[Launcher]] = {}


def register(launcher: type[L]) -> type[L]:
    """Make a launcher known by its name."""
    LAUNCHERS[launcher.name] = launcher
    return launcher
