"""Reaches hosts by ssh, which asks nothing and gives up in bounded time."""

import shlex
from collections.abc import Sequence

from everylink.launch.programs import on_path
from everylink.launch.reach import READ_AND_DO, Reach

OPTIONS = ("BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15", "ServerAliveCountMax=4")


def by_ssh(launcher_args: Sequence[str]) -> Reach:
    """Options of --launcher-args come first, so they prevail."""
    ssh = on_path("ssh")
    ours = [word for option in OPTIONS for word in ("-o", option)]
    there = shlex.join(["exec", "/bin/sh", "-c", READ_AND_DO])  # which csh and fish understand too
    return lambda host: [ssh, "-T", *launcher_args, *ours, host, there]


def on_this_machine(host: str) -> Sequence[str]:
    """A shell here, whatever the name of the host."""
    return ["/bin/sh", "-c", READ_AND_DO]
