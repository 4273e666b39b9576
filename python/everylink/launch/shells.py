"""Shells on many hosts, opened by a command such as ssh: lines sent to them, and lines of their output."""

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
from everylink.launch.process import DRAIN_LIMIT, LAST_PATIENCE, signal_group

LONGEST_LINE = 1 << 20
FILES_EACH = 4  # three pipes, and one open only while the process starts


class Shell:
    """A shell on `host`, started by `command`; it reads commands from its standard input. Raises CoreError."""

    def __init__(self, host: str, command: Sequence[str]) -> None:
        self.host = host
        self.open_pipes = 2
        self.input_is_open = True
        self._unsent = b""
        self._ended_at = 0.0
        try:
            # its own process group: Ctrl-C reaches the ranks once, through us
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0,
                bufsize=0,
            )  # fmt: skip
        except OSError as error:
            raise CoreError(f"{command[0]} cannot be started: {error.strerror}") from None
        assert self.process.stdin
        os.set_blocking(self.process.stdin.fileno(), False)

    def send(self, *lines: str) -> None:
        """Send lines. A closed pipe is no error here: `has_ended` reports the end of the shell."""
        self._unsent += "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
        self.flush()

    def flush(self) -> None:
        """Write as much as the pipe accepts without blocking."""
        assert self.process.stdin
        if self.input_is_open and self._unsent:
            with suppress(OSError):
                self._unsent = self._unsent[self.process.stdin.write(self._unsent) or 0 :]

    def close_input(self) -> None:
        """Close the shell's input, which ends the shell."""
        assert self.process.stdin
        if self.input_is_open:
            self.input_is_open = False
            self.process.stdin.close()

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended and all output was read, or DRAIN_LIMIT passed (stray processes hold pipes)."""
        if self.process.poll() is None:
            return False
        self._ended_at = self._ended_at or time.monotonic()
        return self.open_pipes == 0 or time.monotonic() - self._ended_at > DRAIN_LIMIT


class Shells:
    """All shells of a run; leaving the context ends every one."""

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
            shell.close_input()
        self._end()
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
        self._selector.close()
        for shell in self.all:
            for pipe in (shell.process.stdout, shell.process.stderr):
                if pipe:
                    pipe.close()

    def open(self, host: str, command: Sequence[str]) -> Shell:
        """Open another shell. Raises CoreError."""
        with _deferred_interrupt():
            shell = Shell(host, command)
            self.all.append(shell)
        for pipe, is_error in ((shell.process.stdout, False), (shell.process.stderr, True)):
            assert pipe
            self._rest[pipe.fileno()] = b""
            self._selector.register(pipe, selectors.EVENT_READ, (shell, is_error))
        return shell

    def lines(self, seconds: float) -> Iterator[tuple[Shell, bool, str]]:
        """Output of the shells as (shell, is it standard error, line); waits for at most `seconds`."""
        for shell in self.all:
            shell.flush()
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
        """Kill all shells that still run."""
        for shell in self.all:
            signal_group(shell.process, signal.SIGKILL)

    def _end(self) -> None:
        """Wait for the shells; terminate, then kill those that do not end at the end of their input."""
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
def _deferred_interrupt() -> Iterator[None]:
    """Defers Ctrl-C to the end of the context, so that a process being started is recorded and can be ended."""
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if received:
        raise KeyboardInterrupt


def raise_file_limit(shells: int) -> None:
    """Raise the limit of open files to what this many shells need. Raises CoreError if the hard limit is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = shells * FILES_EACH + 256
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise CoreError(
            f"connections to {shells} hosts need {wanted} open files, but ulimit -Hn allows only {hard}; raise it, or "
            "use --launcher srun or mpiexec"
        )
    if soft != resource.RLIM_INFINITY and wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
