"""Starts the ranks by srun on chosen nodes, inside of an allocation or in one that srun asks for."""

import os
import secrets
import shlex
import subprocess
from collections.abc import Mapping, Sequence

from everylink.errors import CoreError, UserMistake
from everylink.host_lists import expanded, folded
from everylink.launch.core import on_path
from everylink.launch.job import Job
from everylink.launch.launcher import ByOneCommand, register
from everylink.launch.reach import named

ANSWER_LIMIT = 20.0  # seconds, for Slurm's controller
LONGEST_WORD = 100_000  # the kernel takes 128 KiB
USABLE = ("idle", "alloc", "mix", "comp", "resv")  # how sinfo's short states begin


@register
class Srun(ByOneCommand):
    """On nodes that the user names."""

    name = "srun"

    def command_on_hosts(self, job: Job, core_options: Sequence[str]) -> list[str]:
        """As many tasks on each node as the job says: alike in Slurm's own order of nodes, else in that of the job."""
        srun = on_path("srun")
        count = [f"--nodes={len(job.hosts)}", f"--ntasks={job.size}"]
        if _is_even(job):
            place = [f"--nodelist={folded(one.host for one in job.hosts)}", *count]
            place += [f"--ntasks-per-node={job.hosts[0].count}", "--distribution=block"]
            return [srun, *place, *self.args, str(self.core), *core_options, *job.hosts[0].options]
        tasks = ",".join(one.host for one in job.hosts for _ in range(one.count))
        if len(tasks) > LONGEST_WORD:
            raise UserMistake(f"{job.named_by}: so many ranks do not fit into a command line; fewer a host may")
        place = [f"--nodelist={tasks}", *count, "--distribution=arbitrary"]
        return [srun, *place, *self.args, "/bin/sh", "-c", _script(job), "sh", str(self.core), *core_options]

    def environment(self, job: Job, ours: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What srun hands on to the ranks: with --mpi=none they share a key."""
        known = ours.get("EVERYLINK_KEY") or ours.get("EVERYLINK_KEY_FILE")
        handed_on = {} if known else {"EVERYLINK_KEY": secrets.token_hex(32)}
        for number, part in enumerate(job.alike):
            handed_on |= {_carrier(number, name): value for name, value in job.own_environment(part).items()}
        return handed_on | job.environment

    def check(self, job: Job) -> None:
        """Raise UserMistake that names every host on which srun could start nothing."""
        on_path("srun")
        allocated = os.environ.get("SLURM_JOB_NODELIST")
        if allocated:
            try:
                nodes = set(expanded(allocated))
            except ValueError as error:
                raise UserMistake(f"SLURM_JOB_NODELIST={allocated}: {error}") from None
            reasons = {one.host: f"not in this allocation, which is {allocated}" for one in job.hosts}
            wrong = {host: reason for host, reason in reasons.items() if host not in nodes}
        else:
            states = _states()
            wrong = {
                one.host: f"Slurm says that it is {state}" if state else "Slurm knows no such node"
                for one in job.hosts
                if not (state := states.get(one.host, "")).startswith(USABLE) or state.endswith("*")
            }
        if wrong:
            raise UserMistake(named(wrong, job))


def _is_even(job: Job) -> bool:
    return not job.in_order and len(job.alike) == 1 and len({one.count for one in job.hosts}) == 1


def _script(job: Job) -> str:
    """What each task does: it takes the variables and options of its part, and becomes the core.

    Slurm lists the nodes of a step in its own order, and the core without PMI looks for rank 0 on the first of them.
    """
    script = f"export SLURM_STEP_NODELIST={job.hosts[0].host}"
    for number, part in enumerate(job.alike):
        first, end = part[0].first, part[-1].first + part[-1].count
        script += f'; if [ "$SLURM_PROCID" -ge {first} ] && [ "$SLURM_PROCID" -lt {end} ]; then '
        script += "".join(f'export {name}="${_carrier(number, name)}"; ' for name in job.own_environment(part))
        script += f'set -- "$@" {shlex.join(part[0].options)}; fi'
    return script + '; exec "$@"'


def _carrier(part: int, name: str) -> str:
    """The name by which a variable of one part travels, because srun hands the same to all tasks."""
    return f"EVERYLINK_PART{part}_{name}"


def _states() -> dict[str, str]:
    """Of every node, as sinfo says it: idle, alloc, mix, down, drain; behind it * where the node does not answer."""
    try:
        said = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True, timeout=ANSWER_LIMIT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CoreError(f"sinfo gave no answer within {ANSWER_LIMIT:.0f} s") from None
    except OSError as error:
        raise CoreError(f"sinfo cannot be started: {error.strerror}") from None
    if said.returncode != 0:
        raise CoreError((said.stderr.strip() or "sinfo gives no nodes").splitlines()[-1])
    return dict(line.split(None, 1) for line in said.stdout.splitlines() if " " in line.strip())
