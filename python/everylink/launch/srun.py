"""Starts the ranks by srun on chosen nodes, inside of an allocation or in one that srun asks for."""

import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.host_lists import expanded, folded
from everylink.launch.job import Job
from everylink.launch.programs import on_path
from everylink.launch.reach import named

ANSWER_LIMIT = 20.0  # seconds, for Slurm's controller
USABLE = ("idle", "alloc", "mix", "comp", "resv")  # how sinfo's short states begin


def command(core: Path, job: Job, launcher_args: Sequence[str], core_options: Sequence[str]) -> list[str]:
    """As many tasks on each node as the job says; nodes are in Slurm's own order."""
    each = str(job.hosts[0].count)
    nodes = folded(one.host for one in job.hosts)
    place = [f"--nodelist={nodes}", f"--nodes={len(job.hosts)}", f"--ntasks={job.size}", f"--ntasks-per-node={each}"]
    return [on_path("srun"), *place, "--distribution=block", *launcher_args, str(core), *core_options]


def environment(job: Job, ours: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What srun hands on to the ranks: with --mpi=none they share a key."""
    known = ours.get("EVERYLINK_KEY") or ours.get("EVERYLINK_KEY_FILE")
    return ({} if known else {"EVERYLINK_KEY": secrets.token_hex(32)}) | dict(job.hosts[0].environment)


def check(job: Job) -> None:
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
        raise UserMistake(named(wrong))


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
