"""Starts all ranks on this machine: the core itself does it, no launcher and no MPI are needed."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from everylink.errors import UserMistake
from everylink.launch.job import Job
from everylink.launch.launcher import ByNumber, OnHosts, OnLine, Start, register
from everylink.launch.reach import READ_AND_DO, run_by_shells


@register
class Local(ByNumber, OnHosts):
    """Where hosts are named, ranks run under their names."""

    name = "local"

    def command(self, ranks: int | None, core_options: Sequence[str]) -> list[str]:
        """One rank for each core of this machine, at least two, unless `ranks` says otherwise."""
        if self.args:
            raise UserMistake("--launcher-args: there is no launcher to give them to; add --launcher mpiexec")
        count = max(2, len(os.sched_getaffinity(0))) if ranks is None else ranks
        return [str(self.core), "--np", str(count), *core_options]

    def start_job(self, job: Job) -> Start:
        if self.args:
            raise UserMistake("--launcher-args: there is no launcher to give them to; --launcher ssh takes some")
        print(
            f"everylink: --launcher local: all {job.size} ranks run on this machine, under the names of "
            f"{len(job.hosts)} host(s); nothing leaves it",
            file=sys.stderr,
        )

        def start(core_options: Sequence[str], on_line: OnLine) -> int:
            named = [replace(one, options=[*one.options, "--node-name", one.host]) for one in job.hosts]
            job_here = replace(job, hosts=named).with_options(core_options)
            return run_by_shells(job_here, self.core, _shell_here, on_line, shared=None, one_machine=True)

        return start


def _shell_here(host: str) -> Sequence[str]:
    """A shell here, whatever the name of the host."""
    return ["/bin/sh", "-c", READ_AND_DO]
