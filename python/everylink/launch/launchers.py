"""The launchers that can start the core, by name, and what each needs."""

import os
import shlex
import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from everylink.errors import UserMistake
from everylink.launch import mpiexec, sides, srun
from everylink.launch.core import on_path
from everylink.launch.job import Job, Side, environment_of, hosts_of, job_of
from everylink.launch.process import run_core
from everylink.launch.reach import READ_AND_DO, Reach, run_by_shells
from everylink.launch.sides import words_of

OPTIONS = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=4")
OnLine = Callable[[str], None]
Start = Callable[[Sequence[str], OnLine], int]  # options of the core, what to do with each line -> exit code
LAUNCHERS = ("local", "mpiexec", "srun", "ssh", "command")
_OUTPUTS = ("-o", "--output", "--resume")


def local_command(
    core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]
) -> list[str]:
    """One rank for each core of this machine, at least two, unless `ranks` says otherwise."""
    if launcher_args:
        raise UserMistake("--launcher-args: there is no launcher to give them to; add --launcher mpiexec")
    count = max(2, len(os.sched_getaffinity(0))) if ranks is None else ranks
    return [str(core), "--np", str(count), *core_options]


def users_command(
    core: Path, ranks: int | None, launcher_args: Sequence[str], core_options: Sequence[str]
) -> list[str]:
    """The words of --launcher-args, then the core with its options; how many ranks that are is the command's matter."""
    if not launcher_args:
        raise UserMistake('--launcher command: --launcher-args says which: --launcher-args "srun --mpi=pmix -n 64"')
    if ranks is not None:
        raise UserMistake("--np: --launcher command starts as many ranks as the command itself says")
    if shutil.which(launcher_args[0]) is None:
        raise UserMistake(f"--launcher-args: there is no program {launcher_args[0]}")
    return [*launcher_args, str(core), *core_options]


def by_ssh(launcher_args: Sequence[str]) -> Reach:
    """Options of --launcher-args come first, so they prevail."""
    ssh = on_path("ssh")
    ours = [word for option in OPTIONS for word in ("-o", option)]
    there = shlex.join(["exec", "/bin/sh", "-c", READ_AND_DO])  # which csh and fish understand too
    return lambda host: [ssh, "-T", *launcher_args, *ours, host, there]


def on_this_machine(host: str) -> Sequence[str]:
    """A shell here, whatever the name of the host."""
    return ["/bin/sh", "-c", READ_AND_DO]


def starter(core: Path, options: Namespace, core_options: Sequence[str]) -> Start:
    """What starts the core as `everylink run`'s options say. Raises UserMistake, also for a host that is not there."""
    launcher_args = words_of(options.launcher_args, "--launcher-args")
    if options.hosts is None and not sides.are_named(options):
        return _without_hosts(core, options, launcher_args)
    _check_alone(options)
    name = options.launcher or ("srun" if "SLURM_JOB_ID" in os.environ and shutil.which("srun") else "ssh")
    if options.hosts is None:
        found = sides.sides_of(options, name, os.environ)
        sides.check_options(core, found, core_options)
        job = sides.job_of_sides(found)
    else:
        environment = environment_of(options.env, os.environ)
        job = job_of([Side(hosts_of(options.hosts, "--hosts"), options.nranks or 1, environment)])
    return {"local": _local, "ssh": _ssh, "mpiexec": _mpiexec, "srun": _srun}[name](core, job, launcher_args)


def _check_alone(options: Namespace) -> None:
    """Raise UserMistake where hosts, or how many ranks they have, are named in two ways."""
    by_sides = sides.are_named(options)
    if by_sides and options.hosts is not None:
        raise UserMistake("--hosts: names hosts beside --servers and --clients, which do; leave one of them out")
    named_by, counted_by = ("--clients", "--clients-nranks") if by_sides else ("--hosts", "--nranks")
    if options.np is not None:
        raise UserMistake(f"--np and {named_by} exclude each other: {counted_by} says how many ranks a host has")
    if by_sides and options.nranks:
        raise UserMistake("--nranks: belongs to --hosts; servers have --servers-nranks, clients --clients-nranks")
    if options.launcher == "command":
        raise UserMistake(f"--launcher command: the command itself says on which hosts; leave {named_by} out")


def _without_hosts(core: Path, options: Namespace, launcher_args: Sequence[str]) -> Start:
    for option in ("nranks", "env"):
        if getattr(options, option):
            raise UserMistake(
                f"--{option}: belongs to --hosts; --np N is the number of ranks, and `export` sets variables"
            )
    name = options.launcher or "local"
    if name not in _COMMANDS:
        raise UserMistake(f"--launcher {name}: --hosts says on which: --hosts 'n[8-11]' --nranks 2")
    return lambda core_options, on_line: run_core(
        _COMMANDS[name](core, options.np, launcher_args, core_options), on_line
    )


def _mpiexec(core: Path, job: Job, launcher_args: Sequence[str]) -> Start:
    mpiexec.check(job)
    return lambda core_options, on_line: run_core(
        mpiexec.command_on_hosts(core, job, launcher_args, core_options), on_line, job.environment
    )


def _srun(core: Path, job: Job, launcher_args: Sequence[str]) -> Start:
    srun.check(job)
    return lambda core_options, on_line: run_core(
        srun.command(core, job, launcher_args, core_options), on_line, srun.environment(job)
    )


def _ssh(core: Path, job: Job, launcher_args: Sequence[str]) -> Start:
    reach = by_ssh(launcher_args)

    def start(core_options: Sequence[str], on_line: OnLine) -> int:
        shared = _folder_of_output(core_options)
        return run_by_shells(_with_options(job, core_options), core, reach, on_line, shared, one_machine=False)

    return start


def _local(core: Path, job: Job, launcher_args: Sequence[str]) -> Start:
    if launcher_args:
        raise UserMistake("--launcher-args: there is no launcher to give them to; --launcher ssh takes some")
    print(
        f"everylink: --launcher local: all {job.size} ranks run on this machine, under the names of {len(job.hosts)} "
        "host(s); nothing leaves it",
        file=sys.stderr,
    )

    def start(core_options: Sequence[str], on_line: OnLine) -> int:
        named = [replace(one, options=[*one.options, "--node-name", one.host]) for one in job.hosts]
        job_here = _with_options(replace(job, hosts=named), core_options)
        return run_by_shells(job_here, core, on_this_machine, on_line, shared=None, one_machine=True)

    return start


def _with_options(job: Job, core_options: Sequence[str]) -> Job:
    """Those of its own last, for the later word counts."""
    return replace(job, hosts=[replace(one, options=[*core_options, *one.options]) for one in job.hosts])


def _folder_of_output(core_options: Sequence[str]) -> Path | None:
    """Where rank 0 writes and this machine reads; None where nothing is written."""
    if "--no-output" in core_options:
        return None
    folder = Path.cwd()
    for option, value in zip(core_options, [*core_options[1:], ""], strict=True):
        name, equals, joined = option.partition("=")
        if name in _OUTPUTS:
            folder = Path(joined if equals else value).absolute().parent
    return folder


_COMMANDS = {"local": local_command, "mpiexec": mpiexec.command, "command": users_command}
