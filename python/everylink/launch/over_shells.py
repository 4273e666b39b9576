"""Runs a job by a shell on each host: starts rank 0's first, tells the others where it listens, and follows all."""

import secrets
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from everylink.errors import CoreError
from everylink.launch.job import HostRanks, Job
from everylink.launch.process import signals_passed_on
from everylink.launch.reach import Reach, reached
from everylink.launch.shells import Shell, Shells, make_room

MEETS = "everylink-meets "
START_LIMIT = 60.0  # seconds for rank 0 to listen
SIGN_OF_LIFE = 10.0  # seconds between two; the core waits for sixty of them
END_LIMIT = 35.0  # for the other hosts, once rank 0 has ended; the core itself kills after 25 s
LOST = 255  # of ssh, where not even an exit code came
ENDS = (0, 1, 2, 3)  # exit codes of the core


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
