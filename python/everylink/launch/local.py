"""Starts all ranks on this machine. The core does this itself, without launcher or MPI."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

from everylink.errors import UserMistake
from everylink.launch.job import Job
from everylink.launch.launcher import ByNumber, OnHosts, OnLine, Start, register
from everylink.launch.remote import READ_AND_RUN, run_by_shells
from everylink.units import plural


@register
class Local(ByNumber, OnHosts):
    """With --hosts, ranks run on this machine under the names of the hosts."""

    name = "local"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """Without `ranks`, one rank per processor of this machine, at least two."""
        if self.args:
            raise UserMistake("--launcher-args: --launcher local takes no arguments; add --launcher mpiexec")
        count = max(2, len(os.sched_getaffinity(0))) if ranks is None else ranks
        return [str(self.core), "--np", str(count), *core_options]

    def start_job(self, job: Job) -> Start:
        if self.args:
            raise UserMistake("--launcher-args: --launcher local takes no arguments; --launcher ssh does")
        print(
            f"everylink: --launcher local: all {job.size} ranks run on this machine, under the names of "
            f"{plural(len(job.hosts), 'host')}; no message leaves it",
            file=sys.stderr,
        )

        def start(core_options: Sequence[str], on_line: OnLine, errors: TextIO | None) -> int:
            named = [replace(one, options=[*one.options, "--node-name", one.host]) for one in job.hosts]
            job_here = replace(job, hosts=named).with_options(core_options)
            return run_by_shells(job_here, self.core, _shell_here, on_line, errors, shared=None, one_machine=True)

        return start


def _shell_here(host: str) -> Sequence[str]:
    """The command for a shell on this machine, whatever the host."""
    return ["/bin/sh", "-c", READ_AND_RUN]
