"""Runs the core as a child process: reads its standard output line by line, forwards signals, and waits for its end."""

import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from everylink.errors import CoreError

PATIENCE = 30.0  # seconds that the core has to end after a signal, before it is killed
LAST_PATIENCE = 5.0  # seconds that it has to end after its output is closed
DRAIN_LIMIT = 1.0  # seconds that a pipe may stay open after the core has ended
ON_OUR_END = 'read -r line; kill -TERM "-$1"'  # its input ends with us, even where we are killed
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # the last only requests a summary


def run_core(
    command: Sequence[str],
    on_line: Callable[[str], None],
    environment: Mapping[str, str] | None = None,
    errors: TextIO | None = None,
) -> int:
    """Run a command to its end, pass each line of its output to `on_line`, and return its exit code.

    `environment` is added to ours. Its standard error goes to `errors`, or to ours. Raises CoreError if the command
    cannot be started or is killed by a signal.
    """
    try:
        # its own process group: Ctrl-C reaches the core once, through us
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, process_group=0, bufsize=0,
            env=os.environ | (environment or {}),
        )  # fmt: skip
    except OSError as error:
        raise CoreError(f"{command[0]} cannot be started: {error.strerror}") from None
    try:
        with (
            _ended_with_us(child),
            forwarded_signals(lambda number: signal_group(child, number), lambda: signal_group(child, signal.SIGKILL)),
        ):
            for line in _lines(child):
                on_line(line)
            code = child.wait()
    finally:
        _end(child)
        if child.stdout:
            child.stdout.close()
    if code < 0:
        raise CoreError(f"{command[0]} was killed by {signal.Signals(-code).name}")
    return code


@contextmanager
def _ended_with_us(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """A context in which a child and its group are terminated when this process is killed, which no handler notices."""
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", ON_OUR_END, "everylink", str(child.pid)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0,
    )  # fmt: skip
    try:
        yield
    finally:
        watcher.kill()
        watcher.communicate()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child that still runs because of an error here, such as a closed pipe."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        signal_group(child, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(LAST_PATIENCE)


def _lines(child: subprocess.Popen[bytes]) -> Iterator[str]:
    """Lines until the end of the output. A stray process that keeps the pipe open delays us by at most DRAIN_LIMIT."""
    assert child.stdout is not None
    descriptor, rest = child.stdout.fileno(), b""
    while True:
        ended = child.poll() is not None
        if not select.select([descriptor], [], [], DRAIN_LIMIT)[0]:
            if ended:
                break
            continue
        if not (piece := os.read(descriptor, 65536)):
            break
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.decode(errors="replace") for line in whole)
    if rest:
        yield rest.decode(errors="replace")


@contextmanager
def forwarded_signals(forward: Callable[[signal.Signals], None], kill: Callable[[], None]) -> Iterator[None]:
    """A context in which signals are forwarded. PATIENCE after a signal to end, `kill` is called."""

    def handle(number: int, frame: FrameType | None) -> None:
        forward(signal.Signals(number))
        if number != signal.SIGUSR1 and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    before = {number: signal.signal(number, handle) for number in FORWARDED}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, lambda number, frame: kill())
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a child and to all processes in its group."""
    if child.poll() is None:
        os.killpg(child.pid, number)
