"""Opens a shell on every host of a job, checks that the core can start there, and runs all ranks through the shells."""

import secrets
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from everylink.errors import CoreError, UserMistake
from everylink.launch.core import AS_RANK_0, NAME
from everylink.launch.job import HostRanks, Job, UnusableHosts, warn_of_one_machine
from everylink.launch.process import forwarded_signals
from everylink.launch.shells import Shell, Shells, raise_file_limit
from everylink.version import VERSION

ShellCommand = Callable[[str], Sequence[str]]  # host -> the command that opens a shell there, which runs READ_AND_RUN
AT_ONCE = 64  # connections being opened at the same time
RANK_0 = " ".join(f"{name}={value}" for name, value in AS_RANK_0.items())
ANSWER_LIMIT = 30.0  # seconds per host
READ_AND_RUN = 'IFS= read -r line && eval "$line"'  # commands come over standard input, which ps does not show
HERE = "everylink-here"
MACHINE = "$(cat /proc/sys/kernel/random/boot_id)$(readlink /proc/self/ns/net)"  # a container may have its own network
MEETS = "everylink-meets "
LOST_RANK = "everylink-lost "
START_LIMIT = 60.0  # seconds for rank 0 to listen
KEEPALIVE = 10.0  # seconds; the core gives up after sixty missing ones
END_LIMIT = 35.0  # seconds for the other hosts after rank 0 has ended; the core itself kills ranks after 25 s
LOST = 255  # exit code of ssh when the connection is lost
ENDS = (0, 1, 2, 3, 4)  # exit codes of the core


@dataclass
class _Opening:
    shell: Shell
    until: float
    errors: list[str] = field(default_factory=list)


def connected(
    shells: Shells, job: Job, command: ShellCommand, core: Path, shared: Path | None, one_machine: bool
) -> list[Shell]:
    """One shell per host, each waiting for a command. Warns of two names of one machine, unless all are meant to be.

    `shared`: a folder that the first host must share with this machine. Raises UnusableHosts, which names every host
    that cannot be reached or cannot start the core.
    """
    hosts = [one.host for one in job.hosts]
    with _marker_file(shared) as marker:
        waiting, opening = list(reversed(hosts)), dict[Shell, _Opening]()
        ready, machines, wrong = dict[str, Shell](), dict[str, str](), dict[str, str]()
        while waiting or opening:
            while waiting and len(opening) < AT_ONCE:
                host = waiting.pop()
                shell = shells.open(host, command(host))
                shell.send(_check_script(core, marker if host == hosts[0] else None))
                opening[shell] = _Opening(shell, time.monotonic() + ANSWER_LIMIT)
            for shell, is_error, line in shells.lines(0.5):
                if shell not in opening:
                    continue
                if is_error:
                    opening[shell].errors += [line.strip()] if line.strip() else []
                elif line.startswith(f"{HERE} "):
                    del opening[shell]
                    _, seen, machines[shell.host], said = [*line.split(" ", 3), "", "", ""][:4]
                    if reason := _problem(seen, said, core, shared):
                        wrong[shell.host] = reason
                    else:
                        ready[shell.host] = shell
            for failed in [one for one in opening.values() if one.shell.has_ended or time.monotonic() > one.until]:
                wrong[failed.shell.host] = _why(failed)
                failed.shell.close_input()
                del opening[failed.shell]
    if wrong:
        shells.kill()  # they only wait for a command
        raise UnusableHosts(wrong, job)
    if not one_machine:
        warn_of_one_machine({host: machines[host] for host in hosts})
    return [ready[host] for host in hosts]


@contextmanager
def _marker_file(shared: Path | None) -> Iterator[Path | None]:
    """A temporary file in a folder. Another machine that shares the folder sees it. Raises UserMistake."""
    if shared is None:
        yield None
        return
    marker = shared / f".everylink-{secrets.token_hex(8)}"
    try:
        marker.touch()
    except OSError as error:
        raise UserMistake(f"{shared}: cannot be written: {error.strerror}") from None
    try:
        yield marker
    finally:
        marker.unlink(missing_ok=True)


def _check_script(core: Path, marker: Path | None) -> str:
    seen = f"test -e {shlex.quote(str(marker))} && seen=yes || seen=no" if marker else "seen=yes"
    return (
        f"cd {shlex.quote(str(Path.cwd()))} 2>/dev/null || cd; {seen}; "
        f"said=$({RANK_0} {shlex.quote(str(core))} --version 2>&1 </dev/null | head -n 1); "
        f'echo {HERE} "$seen" "{MACHINE}" "$said"; {READ_AND_RUN}'
    )


def _problem(seen: str, said: str, core: Path, shared: Path | None) -> str:
    """Why the core cannot start on the host that gave this answer; empty if it can."""
    if said.strip() != f"{NAME} {VERSION}":
        found = said.rpartition(": ")[2].strip()
        return f"{core} --version says '{found}', but {NAME} {VERSION} is required"
    if seen != "yes":
        return (
            f"{shared} is not shared with this machine, so the results file would be missing here; start in a shared "
            "folder or on that host, or add --no-output"
        )
    return ""


def _why(failed: _Opening) -> str:
    if not failed.shell.has_ended:
        return f"no answer within {ANSWER_LIMIT:.0f} s"
    return failed.errors[-1] if failed.errors else f"exit code {failed.shell.process.returncode} without a message"


def run_by_shells(
    job: Job,
    core: Path,
    command: ShellCommand,
    on_line: Callable[[str], None],
    errors: TextIO | None,
    shared: Path | None,
    one_machine: bool,
) -> int:
    """Run a job: pass the output lines of rank 0's host to `on_line`, all other output to `errors`, or standard error.

    Returns rank 0's exit code. Raises UserMistake if a host is unusable, CoreError if rank 0's host is lost.
    """
    raise_file_limit(len(job.hosts))
    with Shells() as shells:
        try:
            members = connected(shells, job, command, core, shared, one_machine)
        except KeyboardInterrupt:
            shells.kill()
            raise
        run = _Run(job, core, shells, members, on_line, errors, one_machine)
        with forwarded_signals(lambda number: run.send_all(f"signal {number.value}"), shells.kill):
            return run.follow()


class _Run:
    def __init__(
        self, job: Job, core: Path, shells: Shells, members: list[Shell], on_line: Callable[[str], None],
        errors: TextIO | None, one_machine: bool,
    ) -> None:  # fmt: skip
        self.job, self.core, self.shells, self.members = job, core, shells, members
        self.first = members[0]
        self.on_line = on_line
        self.errors = errors or sys.stderr
        self.one_machine = one_machine
        self.key = secrets.token_hex(32)
        self.is_listening = False  # rank 0, for the other ranks
        self.lost: set[Shell] = set()

    def follow(self) -> int:
        began = last_sent = time.monotonic()
        self._start(self.first, self.job.hosts[0], "loopback" if self.one_machine else "any")
        while not self.first.has_ended:
            self._read_output()
            now = time.monotonic()
            if not self.is_listening and now - began > START_LIMIT:
                raise CoreError(f"{self.first.host}: rank 0 is not listening after {START_LIMIT:.0f} s")
            if now - last_sent > KEEPALIVE:
                last_sent = now
                self.send_all("alive")
        self._end_others()
        return self._exit_code()

    def send_all(self, line: str) -> None:
        for shell in self.members:
            shell.send(line)

    def _read_output(self) -> None:
        for shell, is_error, line in self.shells.lines(1.0):
            if not is_error and line.startswith(LOST_RANK):
                self.first.send(f"lost {line.removeprefix(LOST_RANK).strip()} 1")
            elif is_error or shell is not self.first:
                print(f"{shell.host}: {line}", file=self.errors, flush=True)
            elif not self.is_listening and line.startswith(MEETS):
                self.is_listening = True
                for other, ranks in zip(self.members[1:], self.job.hosts[1:], strict=True):
                    self._start(other, ranks, line.removeprefix(MEETS).strip())
            else:
                self.on_line(line)
        for shell, ranks in zip(self.members, self.job.hosts, strict=True):
            if shell not in self.lost and shell.process.poll() is not None:
                self.lost.add(shell)
                self.first.send(f"lost {ranks.first} {ranks.count}")  # rank 0 does not wait for them to join
                if shell.process.returncode == LOST:
                    print(f"everylink: {shell.host}: connection lost; its ranks are lost, too", file=self.errors)

    def _start(self, shell: Shell, ranks: HostRanks, meet: str) -> None:
        variables = "".join(f"export {name}={shlex.quote(value)}; " for name, value in ranks.environment.items())
        command = shlex.join([str(self.core), *ranks.options, "--bootstrap", "stdin"])
        cores = f"{ranks.first} {self.job.size}" if self.one_machine else f"0 {ranks.count}"
        hosts = [f"host {one.first} {one.count} {one.host}" for one in self.job.hosts] if shell is self.first else []
        shell.send(
            f"{variables}exec {command}",
            f"ranks {ranks.first} {ranks.count} {self.job.size}", f"cores {cores}", f"key {self.key}",
            f"meet {meet}", *hosts, "go",
        )  # fmt: skip

    def _end_others(self) -> None:
        until = time.monotonic() + END_LIMIT
        for shell in self.members[1:]:
            if self.is_listening:
                shell.send("end")
            else:
                shell.close_input()  # it never got a command
        while time.monotonic() < until and not all(shell.has_ended for shell in self.members):
            self._read_output()

    def _exit_code(self) -> int:
        code = self.first.process.returncode
        if code in ENDS:
            return code
        what = "connection lost" if code == LOST else f"everylink-measure ended with exit code {code}"
        raise CoreError(f"{self.first.host}, the host of rank 0: {what}")
