"""Starts the ranks of each host in a shell reached by ssh, which asks nothing and gives up in bounded time."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from everylink.launch.core import on_path
from everylink.launch.job import Job
from everylink.launch.launcher import OnHosts, OnLine, Start, register
from everylink.launch.reach import READ_AND_DO, Reach, run_by_shells

OPTIONS = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=4")
OUTPUTS = ("-o", "--output", "--resume")


@register
class Ssh(OnHosts):
    """Options of --launcher-args come first, so they prevail."""

    name = "ssh"

    def reach(self) -> Reach:
        """How a host is reached. Raises UserMistake without ssh."""
        ssh = on_path("ssh")
        ours = [word for option in OPTIONS for word in ("-o", option)]
        there = shlex.join(["exec", "/bin/sh", "-c", READ_AND_DO])  # which csh and fish understand too
        return lambda host: [ssh, "-T", *self.args, *ours, host, there]

    def start_job(self, job: Job) -> Start:
        reach = self.reach()

        def start(core_options: Sequence[str], on_line: OnLine) -> int:
            shared = _folder_of_output(core_options)
            return run_by_shells(job.with_options(core_options), self.core, reach, on_line, shared, one_machine=False)

        return start


def _folder_of_output(core_options: Sequence[str]) -> Path | None:
    """Where rank 0 writes and this machine reads; None where nothing is written."""
    if "--no-output" in core_options:
        return None
    folder = Path.cwd()
    for option, value in zip(core_options, [*core_options[1:], ""], strict=True):
        name, equals, joined = option.partition("=")
        if name in OUTPUTS:
            folder = Path(joined if equals else value).absolute().parent
    return folder
