"""Reaches every host of a job by a shell, and finds out whether the core can start there, before anything does."""

import secrets
import shlex
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from everylink import __version__
from everylink.errors import UserMistake
from everylink.host_lists import folded
from everylink.launch.core import NAME
from everylink.launch.job import Job
from everylink.launch.shells import Shell, Shells

Reach = Callable[[str], Sequence[str]]  # host -> a command that starts a shell there, which does SHELL
AT_ONCE = 64  # connections that are being made
ANSWER_LIMIT = 30.0  # seconds, for a host
READ_AND_DO = 'IFS= read -r line && eval "$line"'  # all else comes over the standard input, which ps does not show
HERE = "everylink-here"


@dataclass
class _Tried:
    shell: Shell
    until: float
    complaints: list[str] = field(default_factory=list)


def reached(shells: Shells, job: Job, reach: Reach, core: Path, shared: Path | None) -> list[Shell]:
    """A shell on each host, which waits for what it is to do.

    `shared`: a folder that the first host must see as this machine does. Raises UserMistake that names every host that
    cannot be reached, or where the core cannot start.
    """
    hosts = [one.host for one in job.hosts]
    with _mark(shared) as mark:
        waiting, trying = list(reversed(hosts)), dict[Shell, _Tried]()
        ready, wrong = dict[str, Shell](), dict[str, str]()
        while waiting or trying:
            while waiting and len(trying) < AT_ONCE:
                host = waiting.pop()
                shell = shells.open(host, reach(host))
                shell.say(_question(core, mark if host == hosts[0] else None))
                trying[shell] = _Tried(shell, time.monotonic() + ANSWER_LIMIT)
            for shell, is_error, line in shells.lines(0.5):
                if shell not in trying:
                    continue
                if is_error:
                    trying[shell].complaints += [line.strip()] if line.strip() else []
                elif line.startswith(f"{HERE} "):
                    del trying[shell]
                    if reason := _objection(line, core, shared):
                        wrong[shell.host] = reason
                    else:
                        ready[shell.host] = shell
            for tried in [one for one in trying.values() if one.shell.has_ended or time.monotonic() > one.until]:
                wrong[tried.shell.host] = _why(tried)
                tried.shell.hear_no_more()
                del trying[tried.shell]
    if wrong:
        shells.kill()  # nobody of them does more than wait
        raise UserMistake(named(wrong, job))
    return [ready[host] for host in hosts]


def named(wrong: dict[str, str], job: Job) -> str:
    """All hosts with the reason of each, in one line; nothing has been started."""
    by_reason = defaultdict(list)
    for host, reason in wrong.items():
        by_reason[reason.replace(f" {host} ", " ").replace(f" {host}:", ":").removeprefix(f"{host}: ")].append(host)
    said = "; ".join(f"{folded(hosts)}: {reason}" for reason, hosts in by_reason.items())
    return f"{job.named_by}: nothing was started, because of {said}"


@contextmanager
def _mark(shared: Path | None) -> Iterator[Path | None]:
    """A file in that folder, which another machine sees if the folder is the same there."""
    if shared is None:
        yield None
        return
    mark = shared / f".everylink-{secrets.token_hex(8)}"
    try:
        mark.touch()
    except OSError as error:
        raise UserMistake(f"{shared}: cannot be written: {error.strerror}") from None
    try:
        yield mark
    finally:
        mark.unlink(missing_ok=True)


def _question(core: Path, mark: Path | None) -> str:
    seen = f"test -e {shlex.quote(str(mark))} && seen=yes || seen=no" if mark else "seen=yes"
    return (
        f"cd {shlex.quote(str(Path.cwd()))} 2>/dev/null || cd; {seen}; "
        f"said=$({shlex.quote(str(core))} --version 2>&1 </dev/null | head -n 1); "
        f'echo {HERE} "$seen" "$said"; {READ_AND_DO}'
    )


def _objection(answer: str, core: Path, shared: Path | None) -> str:
    """Why the core cannot start there; nothing: it can."""
    _, seen, said = [*answer.split(" ", 2), ""][:3]
    if said.strip() != f"{NAME} {__version__}":
        problem = said.rpartition(": ")[2].strip() or "it says nothing"
        return f"{core} --version says '{problem}'; it must be the {NAME} {__version__} that is here"
    if seen != "yes":
        return (
            f"{shared} is another folder there, so the results would not be here; start in a folder that is shared, "
            "or on that host, or add --no-output"
        )
    return ""


def _why(tried: _Tried) -> str:
    if not tried.shell.has_ended:
        return f"no answer within {ANSWER_LIMIT:.0f} s"
    return tried.complaints[-1] if tried.complaints else f"exit code {tried.shell.process.returncode}, and no word"
