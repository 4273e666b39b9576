"""Chooses the launcher and builds the job from the options of `everylink run`."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from everylink.errors import UserMistake

# isort: off
# Each module registers its launcher. Messages list launchers in this order.
from everylink.launch import local, mpiexec, srun, ssh, command  # noqa: F401

# isort: on
from everylink.launch import sides
from everylink.launch.cluster import cluster_of_job, launcher_in_slurm
from everylink.launch.job import Side, environment_of, hosts_of, job_of
from everylink.launch.launcher import LAUNCHERS, ByNumber, OnHosts, Start
from everylink.launch.sides import shell_words
from everylink.units import plural


def starter(core: Path, options: Namespace, core_options: Sequence[str]) -> Start:
    """A function that starts the core as `everylink run`'s options say. Raises UserMistake, also for unusable hosts."""
    launcher_args = shell_words(options.launcher_args, "--launcher-args")
    if options.hosts is None and not sides.are_named(options):
        return _without_hosts(core, options, launcher_args)
    _check_alone(options)
    name = options.launcher or usual_launcher()
    if options.hosts is None:
        found = sides.sides_of(options, name, os.environ)
        sides.check_options(core, found, core_options)
        job = sides.job_of_sides(found)
    else:
        environment = environment_of(options.env, os.environ)
        job = job_of([Side(hosts_of(options.hosts, "--hosts"), options.nranks or 1, environment)])
    launcher = LAUNCHERS[name](core, launcher_args)
    assert isinstance(launcher, OnHosts), "others were refused above"
    return launcher.start_job(job)


def usual_launcher() -> str:
    """The launcher that starts ranks on named hosts, unless the user chooses one."""
    return launcher_in_slurm() if "SLURM_JOB_ID" in os.environ else "ssh"


def take_hosts_of_job(options: Namespace) -> None:
    """Add the hosts of the batch job that this is, if there are several and no option says where the ranks run."""
    chosen = options.np is not None or options.hosts is not None or sides.are_named(options)
    if chosen or options.launcher not in (None, "srun", "ssh"):
        return
    cluster = cluster_of_job(os.environ)
    if cluster is None or len(cluster.hosts) < 2:
        return
    ranks = plural(options.nranks or 1, "rank")
    print(f"everylink: {cluster.text}, {ranks} on each (--nranks); --np N measures this machine alone", file=sys.stderr)
    options.hosts, options.launcher = ",".join(cluster.hosts), options.launcher or cluster.launcher


def _check_alone(options: Namespace) -> None:
    """Raise UserMistake if hosts, or their numbers of ranks, are given in two ways."""
    by_sides = sides.are_named(options)
    if by_sides and options.hosts is not None:
        raise UserMistake("--hosts cannot be combined with hosts of --servers and --clients")
    named_by, counted_by = ("--clients", "--clients-nranks") if by_sides else ("--hosts", "--nranks")
    if options.np is not None:
        raise UserMistake(f"--np and {named_by} exclude each other; {counted_by} sets the ranks per host")
    if by_sides and options.nranks:
        raise UserMistake("--nranks applies only to --hosts; use --servers-nranks and --clients-nranks")
    if options.launcher and not issubclass(LAUNCHERS[options.launcher], OnHosts):
        raise UserMistake(f"--launcher command: the command itself selects the hosts; leave {named_by} out")


def _without_hosts(core: Path, options: Namespace, launcher_args: Sequence[str]) -> Start:
    for option in ("nranks", "env"):
        if getattr(options, option):
            raise UserMistake(
                f"--{option} applies only to --hosts; --np N sets the number of ranks, and `export` sets variables"
            )
    name = options.launcher or "local"
    launcher = LAUNCHERS[name](core, launcher_args)
    if not isinstance(launcher, ByNumber):
        raise UserMistake(f"--launcher {name} requires hosts, such as --hosts 'n[8-11]' --nranks 2")
    return launcher.start(options.np)
