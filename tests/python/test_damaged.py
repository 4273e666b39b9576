"""Damaged files, by recipe and by chance: a proper result or one line, never a trace, a hang or much memory."""

import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damage import READ, REFUSED, Recipe
from everylink.cli import main
from make_results import as_left_by_a_kill, make_results

DATA = Path(__file__).parent.parent / "data"
SECONDS = int(60 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1")))
MEMORY = 200 * 2**20  # bytes more than this process has
LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))
EXAMPLES = 5000 if LONG else 60
TRACE = 98


def shown(*command: object) -> tuple[int, str, int]:
    """Exit code, standard error and peak memory of a command in a process of its own, ended after SECONDS."""
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
    """Bytes that this process has had at once so far, as far as a child inherits them."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def assert_refused(path: Path) -> str:
    code, said, memory = shown("show", path)
    assert code == 2, said
    assert said.count("\n") == 1, said
    assert said.startswith(f"everylink: {path}: ")
    assert memory < MEMORY
    return said


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return make_results(tmp_path / "x.h5", sizes=(1, 65536), attributes={"run_id": "0" * 32, "interrupted": 0})


def test_the_recipes_are_made_from_a_file_that_is_good(good: Path) -> None:
    assert shown("show", good)[:2] == (0, "")
    assert len(REFUSED) + len(READ) >= 40


@pytest.mark.parametrize("recipe", REFUSED.values(), ids=REFUSED.keys())
def test_a_damaged_file_is_refused_in_one_line(recipe: Recipe, good: Path) -> None:
    recipe(good)
    assert_refused(good)


@pytest.mark.parametrize("recipe", READ.values(), ids=READ.keys())
def test_an_odd_file_is_shown_and_drawn(recipe: Recipe, good: Path, tmp_path: Path) -> None:
    recipe(good)
    for command in (("show", good), ("report", good, "-o", tmp_path / ("x.pdf" if LONG else "x.html"))):
        code, said, _ = shown(*command)
        assert (code, said) == (0, ""), command


@pytest.mark.parametrize("path", sorted((DATA / "damaged").glob("*.h5")), ids=lambda path: path.stem)
def test_the_recorded_damaged_files_are_refused(path: Path) -> None:
    assert_refused(path)


def test_a_pipe_and_a_device_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h5")
    assert "pipe or a device" in assert_refused(tmp_path / "pipe.h5")
    assert "pipe or a device" in assert_refused(Path("/dev/zero"))


@pytest.fixture(scope="module")
def whole_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """A file that was closed, one that a kill left, and one that was recorded."""
    folder = tmp_path_factory.mktemp("whole")
    closed = make_results(folder / "closed.h5", sizes=(1, 1024), remarks=["a remark"], attributes={"run_id": "0" * 32})
    shutil.copy(closed, folder / "later.h5")
    killed = as_left_by_a_kill(folder / "later.h5", folder / "killed.h5")
    yield [closed, killed, DATA / "results-v1.h5"]
    shutil.rmtree(folder)


def spoiled(whole: bytes, seed: int, changes: int) -> bytes:
    """A file with so many changes; most of them where the file is not empty."""
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


@settings(max_examples=EXAMPLES, deadline=None)
@given(which=st.integers(0, 2), seed=st.integers(0, 2**32), changes=st.sampled_from([1, 1, 1, 2, 4, 16]))
def test_a_file_spoiled_by_chance_is_read_or_refused_in_one_line(
    whole_files: list[Path], tmp_path_factory: pytest.TempPathFactory, which: int, seed: int, changes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "spoiled.h5"
    path.write_bytes(spoiled(whole_files[which].read_bytes(), seed, changes))
    code, said, memory = shown("show", path)
    assert memory < MEMORY
    assert (code == 0 and said == "") or (code == 2 and said.count("\n") == 1), said
