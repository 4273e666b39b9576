"""Reaches every host of a job by a shell, makes sure that the core can start there, and runs all ranks so."""

import secrets
import shlex
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.host_lists import folded
from everylink.launch.core import NAME
from everylink.launch.job import HostRanks, Job
from everylink.launch.process import signals_passed_on
from everylink.launch.shells import Shell, Shells, make_room
from everylink.version import VERSION

Reach = Callable[[str], Sequence[str]]  # host -> a command that starts a shell there, which does SHELL
AT_ONCE = 64  # connections that are being made
ANSWER_LIMIT = 30.0  # seconds, for a host
READ_AND_DO = 'IFS= read -r line && eval "$line"'  # all else comes over the standard input, which ps does not show
HERE = "everylink-here"
MEETS = "everylink-meets "
START_LIMIT = 60.0  # seconds for rank 0 to listen
SIGN_OF_LIFE = 10.0  # seconds between two; the core waits for sixty of them
END_LIMIT = 35.0  # for the other hosts, once rank 0 has ended; the core itself kills after 25 s
LOST = 255  # of ssh, where not even an exit code came
ENDS = (0, 1, 2, 3)  # exit codes of the core


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
    if said.strip() != f"{NAME} {VERSION}":
        problem = said.rpartition(": ")[2].strip() or "it says nothing"
        return f"{core} --version says '{problem}'; it must be the {NAME} {VERSION} that is here"
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


def run_by_shells(
    job: Job, core: Path, reach: Reach, on_line: Callable[[str], None], shared: Path | None, one_machine: bool
) -> int:
    """Give each line of rank 0's host to `on_line`, and return rank 0's exit code; other words go to standard error.

    Raises UserMistake where a host is not as it must be, CoreError where rank 0's host is lost.
    """
    make_room(len(job.hosts))
    with Shells() as shells:
        try:
            members = reached(shells, job, reach, core, shared)
        except KeyboardInterrupt:
            shells.kill()
            raise
        run = _Run(job, core, shells, members, on_line, one_machine)
        with signals_passed_on(lambda number: run.tell_all(f"signal {number.value}"), shells.kill):
            return run.follow()


class _Run:
    def __init__(
        self, job: Job, core: Path, shells: Shells, members: list[Shell], on_line: Callable[[str], None],
        one_machine: bool,
    ) -> None:  # fmt: skip
        self.job, self.core, self.shells, self.members = job, core, shells, members
        self.first = members[0]
        self.on_line = on_line
        self.one_machine = one_machine
        self.key = secrets.token_hex(32)
        self.met = False
        self.lost: set[Shell] = set()

    def follow(self) -> int:
        began = signed = time.monotonic()
        self._start(self.first, self.job.hosts[0], "loopback" if self.one_machine else "any")
        while not self.first.has_ended:
            self._listen()
            now = time.monotonic()
            if not self.met and now - began > START_LIMIT:
                raise CoreError(f"{self.first.host}: rank 0 does not listen within {START_LIMIT:.0f} s")
            if now - signed > SIGN_OF_LIFE:
                signed = now
                self.tell_all("alive")
        self._end_others()
        return self._exit_code()

    def tell_all(self, line: str) -> None:
        for shell in self.members:
            shell.say(line)

    def _listen(self) -> None:
        for shell, is_error, line in self.shells.lines(1.0):
            if is_error or shell is not self.first:
                print(f"{shell.host}: {line}", file=sys.stderr, flush=True)
            elif not self.met and line.startswith(MEETS):
                self.met = True
                for other, ranks in zip(self.members[1:], self.job.hosts[1:], strict=True):
                    self._start(other, ranks, line.removeprefix(MEETS).strip())
            else:
                self.on_line(line)
        for shell in self.members:
            if shell not in self.lost and shell.process.poll() == LOST:
                self.lost.add(shell)
                print(f"everylink: {shell.host}: the connection is lost, and its ranks with it", file=sys.stderr)

    def _start(self, shell: Shell, ranks: HostRanks, meet: str) -> None:
        variables = "".join(f"export {name}={shlex.quote(value)}; " for name, value in ranks.environment.items())
        command = shlex.join([str(self.core), *ranks.options, "--bootstrap", "stdin"])
        cores = f"{ranks.first} {self.job.size}" if self.one_machine else f"0 {ranks.count}"
        shell.say(
            f"{variables}exec {command}",
            f"ranks {ranks.first} {ranks.count} {self.job.size}", f"cores {cores}", f"key {self.key}",
            f"meet {meet}", "go",
        )  # fmt: skip

    def _end_others(self) -> None:
        until = time.monotonic() + END_LIMIT
        for shell in self.members[1:]:
            if self.met:
                shell.say("end")
            else:
                shell.hear_no_more()  # it was never told what to do
        while time.monotonic() < until and not all(shell.has_ended for shell in self.members):
            self._listen()

    def _exit_code(self) -> int:
        code = self.first.process.returncode
        if code in ENDS:
            return code
        what = "the connection is lost" if code == LOST else f"everylink-measure ended with exit code {code}"
        raise CoreError(f"{self.first.host}, where rank 0 was: {what}")
