"""Runs a command on a terminal of its own."""

import os
import pty
import subprocess


def run_on_terminal(command: list[str], **environment: str) -> tuple[int, str]:
    """The exit code of a command and what it prints to its terminal; NO_COLOR is unset unless given."""
    ours, theirs = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | environment
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env=settings | {"TERM": "xterm"})
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 65536):
            said += piece
    except OSError:  # the terminal closes with its last user
        pass
    os.close(ours)
    return process.wait(timeout=60), said.decode()
