"""Starts the ranks of each host in a shell opened by ssh, which never prompts and gives up in bounded time."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from everylink.launch.core import on_path
from everylink.launch.core_line import table_of
from everylink.launch.job import Job
from everylink.launch.launcher import OnHosts, OnLine, Start, register
from everylink.launch.remote import READ_AND_RUN, ShellCommand, run_by_shells

OPTIONS = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=4")
OUTPUTS = ("--output", "--resume")


@register
class Ssh(OnHosts):
    """Options of --launcher-args come first, so they take precedence."""

    name = "ssh"

    def shell_command(self) -> ShellCommand:
        """The command that opens a shell on a host. Raises UserMistake without ssh."""
        ssh = on_path("ssh")
        ours = [word for option in OPTIONS for word in ("-o", option)]
        there = shlex.join(["exec", "/bin/sh", "-c", READ_AND_RUN])  # csh and fish understand this, too
        return lambda host: [ssh, "-T", *self.args, *ours, host, there]

    def start_job(self, job: Job) -> Start:
        command = self.shell_command()

        def start(core_options: Sequence[str], on_line: OnLine, errors: TextIO | None) -> int:
            shared = _folder_of_output(self.core, core_options)
            there = job.with_options(core_options)
            return run_by_shells(there, self.core, command, on_line, errors, shared, one_machine=False)

        return start


def _folder_of_output(core: Path, core_options: Sequence[str]) -> Path | None:
    """The folder that rank 0 writes to and this machine reads from; None if no results file is written."""
    values = table_of(core).line(core_options).values
    if "--no-output" in values:
        return None
    return next((Path(values[name]).absolute().parent for name in OUTPUTS if name in values), Path.cwd())
