"""Runs commands on damaged files under limits of time and memory, and damages files at random."""

import os
import random
import signal
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import everylink.cli.report
import everylink.cli.show
import everylink.io.linktest
import everylink.io.npz
import everylink.io.results_file  # noqa: F401  all imported here, or each child would do it anew
from everylink.cli import main

SECONDS = int(60 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1")))
MEMORY = 200 * 2**20  # bytes above the resident memory of this process
LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))
EXAMPLES = 5000 if LONG else 12
EVERY = 1 if LONG else 8  # of damaged files
TRACE = 98


def damaged_by(recipes: Mapping[str, object]) -> list[Any]:
    """Recipes as parameters of a test: all in `make test-long`, else an eighth."""
    return [pytest.param(recipe, id=name) for name, recipe in list(recipes.items())[::EVERY]]


def shown(*command: object) -> tuple[int, str, int]:
    """Exit code, standard error and peak memory of a command in its own process, killed after SECONDS."""
    reading, writing = os.pipe()
    before = resident()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(writing, 2)
        sys.stdout, sys.stderr = (os.fdopen(number, "w") for number in (1, 2))
        code = TRACE
        try:
            code = main([str(word) for word in command])
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    _, status, used = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), said, used.ru_maxrss * 1024 - before


def resident() -> int:
    """Resident memory of this process in bytes, which a child inherits."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def assert_refused(path: Path) -> str:
    code, said, memory = shown("show", path)
    assert code == 2, said
    assert said.count("\n") == 1, said
    assert said.startswith(f"everylink: {path}: ")
    assert memory < MEMORY
    return said


def spoiled(whole: bytes, seed: int, changes: int) -> bytes:
    """Make this many random changes to a file, most of them to non-zero bytes."""
    draw, data = random.Random(seed), bytearray(whole)
    busy = np.flatnonzero(np.frombuffer(whole, np.uint8))
    for _ in range(changes):
        places = [
            int(busy[draw.randrange(len(busy))]) if draw.random() < 0.9 else draw.randrange(len(whole)) for _ in "ab"
        ]
        at, other = (min(place, len(data) - 9) for place in places)
        length = draw.choice([8, 64, 512])
        match draw.randrange(6):
            case 0:
                data[at] ^= 1 << draw.randrange(8)
            case 1:
                data[at] = draw.choice([0, 1, 127, 128, 255])
            case 2:
                data[at : at + 8] = draw.choice([0, 2**40, len(whole), 2**64 - 1]).to_bytes(8, "little")
            case 3:
                data[at : at + length], data[other : other + length] = (
                    data[other : other + length],
                    data[at : at + length],
                )
            case 4:
                data[at : at + length] = draw.randbytes(length)
            case _:
                del data[max(9, draw.randrange(len(data))) :]
    return bytes(data)
