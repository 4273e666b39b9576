"""A shell on each of many hosts, reached by a command such as ssh: what it is told, and what it says, line by line."""

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import IO

from everylink.errors import CoreError
from everylink.launch.process import LAST_PATIENCE, LAST_WORDS, signal_group

LONGEST_LINE = 1 << 20
FILES_EACH = 4  # three pipes, and one that is open for a moment


class Shell:
    """`command` starts a shell on the host that reads what it is to do from its standard input."""

    def __init__(self, host: str, command: Sequence[str]) -> None:
        self.host = host
        self.open_pipes = 2
        self.input_is_open = True
        self._unsaid = b""
        self._ended_at = 0.0
        try:
            # a process group of its own: Ctrl-C reaches the ranks once, through us
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0,
                bufsize=0,
            )  # fmt: skip
        except OSError as error:
            raise CoreError(f"{command[0]} cannot be started: {error.strerror}") from None
        assert self.process.stdin
        os.set_blocking(self.process.stdin.fileno(), False)

    def say(self, *lines: str) -> None:
        """What a shell that is gone does not hear shows as its end."""
        self._unsaid += "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
        self.go_on_saying()

    def go_on_saying(self) -> None:
        """As much as the pipe takes now."""
        assert self.process.stdin
        if self.input_is_open and self._unsaid:
            with suppress(OSError):
                self._unsaid = self._unsaid[self.process.stdin.write(self._unsaid) or 0 :]

    def hear_no_more(self) -> None:
        """The end of its input, at which it ends."""
        assert self.process.stdin
        if self.input_is_open:
            self.input_is_open = False
            self.process.stdin.close()

    @property
    def has_ended(self) -> bool:
        """And has said all; a stray process that keeps its pipes open does not hold us."""
        if self.process.poll() is None:
            return False
        self._ended_at = self._ended_at or time.monotonic()
        return self.open_pipes == 0 or time.monotonic() - self._ended_at > LAST_WORDS


class Shells:
    """All of them. None outlives the `with` that it is used by."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._rest: dict[int, bytes] = {}
        self.all: list[Shell] = []

    def __enter__(self) -> "Shells":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for shell in self.all:
            shell.hear_no_more()
        self._end()
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
        self._selector.close()
        for shell in self.all:
            for pipe in (shell.process.stdout, shell.process.stderr):
                if pipe:
                    pipe.close()

    def open(self, host: str, command: Sequence[str]) -> Shell:
        """One more."""
        with _interrupted_later():
            shell = Shell(host, command)
            self.all.append(shell)
        for pipe, is_error in ((shell.process.stdout, False), (shell.process.stderr, True)):
            assert pipe
            self._rest[pipe.fileno()] = b""
            self._selector.register(pipe, selectors.EVENT_READ, (shell, is_error))
        return shell

    def lines(self, seconds: float) -> Iterator[tuple[Shell, bool, str]]:
        """What shells say, and whether on standard error; waits for at most so long."""
        for shell in self.all:
            shell.go_on_saying()
        for key, _ in self._selector.select(seconds):
            shell, is_error = key.data
            for line in self._read(shell, key.fileobj):  # type: ignore[arg-type]
                yield shell, is_error, line.decode(errors="replace")

    def _read(self, shell: Shell, pipe: IO[bytes]) -> list[bytes]:
        number = pipe.fileno()
        piece = os.read(number, 65536)
        *whole, rest = (self._rest[number] + piece).split(b"\n")
        if not piece:
            self._selector.unregister(pipe)
            shell.open_pipes -= 1
        if (not piece or len(rest) > LONGEST_LINE) and rest:
            whole, rest = [*whole, rest], b""
        self._rest[number] = rest
        return whole

    def kill(self) -> None:
        """All that are left, at once."""
        for shell in self.all:
            signal_group(shell.process, signal.SIGKILL)

    def _end(self) -> None:
        """Who does not end with its input is ended."""
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + LAST_PATIENCE
            for shell in self.all:
                if number is not None:
                    signal_group(shell.process, number)
                with suppress(subprocess.TimeoutExpired):
                    shell.process.wait(max(0.0, until - time.monotonic()))
            if all(shell.process.poll() is not None for shell in self.all):
                return


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Ctrl-C in here is heard at the end: who is being started must be known, to be ended too."""
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def make_room(shells: int) -> None:
    """For the open files of so many. Raises CoreError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = shells * FILES_EACH + 256
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise CoreError(
            f"connections to {shells} hosts take {wanted} open files, and ulimit -Hn allows {hard}: raise it, or take "
            "--launcher srun or mpiexec"
        )
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
