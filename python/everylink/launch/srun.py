"""Starts the ranks by srun on chosen nodes, inside an allocation or in one that srun requests."""

import os
import re
import secrets
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from everylink.errors import CoreError, UserMistake
from everylink.exit_codes import MEASURED
from everylink.host_lists import expanded, folded
from everylink.launch.core import on_path
from everylink.launch.job import Job, UnusableHosts
from everylink.launch.launcher import ByOneCommand, OnLine, Start, register
from everylink.launch.process import DRAIN_LIMIT

ANSWER_LIMIT = 20.0  # seconds, for Slurm's controller
LONGEST_WORD = 100_000  # the kernel's limit is 128 KiB
LAUNCH_FAILED = re.compile(r"Task launch for .* failed on node ([^\s:]+): (.*)")
USABLE = ("idle", "alloc", "mix", "comp", "resv")  # prefixes of sinfo's short states


@register
class Srun(ByOneCommand):
    """srun on the nodes that the user names."""

    name = "srun"

    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """The srun command. An even job has Slurm's order of nodes; any other keeps its own order."""
        srun = on_path("srun")
        count = [f"--nodes={len(job.hosts)}", f"--ntasks={job.size}"]
        if _is_even(job):
            place = [f"--nodelist={folded(one.host for one in job.hosts)}", *count]
            place += [f"--ntasks-per-node={job.hosts[0].count}", "--distribution=block"]
            return [srun, *place, *self.args, str(self.core), *core_options, *job.hosts[0].options]
        tasks = ",".join(one.host for one in job.hosts for _ in range(one.count))
        if len(tasks) > LONGEST_WORD:
            raise UserMistake(f"{job.named_by}: {job.size} ranks do not fit into a command line; use fewer per host")
        place = [f"--nodelist={tasks}", *count, "--distribution=arbitrary"]
        return [srun, *place, *self.args, "/bin/sh", "-c", _script(job), "sh", str(self.core), *core_options]

    def start_job(self, job: Job) -> Start:
        """As the other launchers do, but a host on which srun cannot start a task is unusable, not a failure."""
        start = super().start_job(job)

        def started(core_options: Sequence[str], on_line: OnLine, errors: TextIO | None) -> int:
            with _launch_failures(errors or sys.stderr) as (pipe, reasons):
                code = start(core_options, on_line, pipe)
            if reasons and code not in MEASURED:
                raise UnusableHosts({host: f"srun: {reason}" for host, reason in reasons.items()}, job)
            return code

        return started

    def environment(self, job: Job, ours: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The variables that srun passes to all tasks, with a key of the run for --mpi=none."""
        known = ours.get("EVERYLINK_KEY") or ours.get("EVERYLINK_KEY_FILE")
        passed_on = {} if known else {"EVERYLINK_KEY": secrets.token_hex(32)}
        for number, part in enumerate(job.parts):
            passed_on |= {_part_variable(number, name): value for name, value in job.own_environment(part).items()}
        return passed_on | job.environment

    def check(self, job: Job) -> None:
        """Raise UserMistake that names every host on which srun cannot start a task."""
        on_path("srun")
        allocated = os.environ.get("SLURM_JOB_NODELIST")
        if allocated:
            try:
                nodes = set(expanded(allocated))
            except ValueError as error:
                raise UserMistake(f"SLURM_JOB_NODELIST={allocated}: {error}") from None
            reasons = {one.host: f"not in this allocation ({allocated})" for one in job.hosts}
            wrong = {host: reason for host, reason in reasons.items() if host not in nodes}
        else:
            states = _states()
            wrong = {
                one.host: f"Slurm reports state {state}" if state else "unknown to Slurm"
                for one in job.hosts
                if not (state := states.get(one.host, "")).startswith(USABLE) or state.endswith("*")
            }
        if wrong:
            raise UnusableHosts(wrong, job)


@contextmanager
def _launch_failures(target: TextIO) -> Iterator[tuple[TextIO, dict[str, str]]]:
    """A pipe that passes its lines on to `target`, and the reasons by host of srun's failures to start a task."""
    reasons: dict[str, str] = {}
    incoming, outgoing = os.pipe()

    def pass_on() -> None:
        with os.fdopen(incoming, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if failure := LAUNCH_FAILED.search(line):
                    reasons[failure[1]] = failure[2].strip()
                with suppress(OSError, ValueError):  # nobody reads the target any more
                    target.write(line)
                    target.flush()

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        with os.fdopen(outgoing, "w", encoding="utf-8") as pipe:
            yield pipe, reasons
    finally:
        reader.join(DRAIN_LIMIT)  # a process that srun left behind may keep the pipe open


def _is_even(job: Job) -> bool:
    return not job.in_order and len(job.parts) == 1 and len({one.count for one in job.hosts}) == 1


def _script(job: Job) -> str:
    """The script of each task: it sets the variables and options of its part, then executes the core.

    Without PMI, the core expects rank 0 on the first node of the step. Slurm lists nodes in its own order, so the
    script sets that variable to rank 0's node.
    """
    script = f"export SLURM_STEP_NODELIST={job.hosts[0].host}"
    for number, part in enumerate(job.parts):
        first, end = part[0].first, part[-1].first + part[-1].count
        script += f'; if [ "$SLURM_PROCID" -ge {first} ] && [ "$SLURM_PROCID" -lt {end} ]; then '
        script += "".join(f'export {name}="${_part_variable(number, name)}"; ' for name in job.own_environment(part))
        script += f'set -- "$@" {shlex.join(part[0].options)}; fi'
    return script + '; exec "$@"'


def _part_variable(part: int, name: str) -> str:
    """The name under which srun passes a variable of one part, since all tasks get the same environment."""
    return f"EVERYLINK_PART{part}_{name}"


def _states() -> dict[str, str]:
    """The state of every node as sinfo prints it: idle, alloc, mix, down, drain, ...; with * if it does not respond."""
    try:
        said = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True, timeout=ANSWER_LIMIT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CoreError(f"sinfo did not answer within {ANSWER_LIMIT:.0f} s") from None
    except OSError as error:
        raise CoreError(f"sinfo cannot be started: {error.strerror}") from None
    if said.returncode != 0:
        raise CoreError((said.stderr.strip() or "sinfo failed without a message").splitlines()[-1])
    return dict(line.split(None, 1) for line in said.stdout.splitlines() if " " in line.strip())
