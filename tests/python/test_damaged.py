"""Damaged files, by recipe and at random: a valid result or one line, never a traceback, a hang or excessive memory."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damage import READ, REFUSED, Recipe
from hostile import EXAMPLES, LONG, MEMORY, assert_refused, damaged_by, shown, spoiled
from make_results import as_left_by_a_kill, make_results

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return make_results(tmp_path / "x.h5", sizes=(1, 65536), attributes={"run_id": "0" * 32, "interrupted": 0})


def test_the_undamaged_file_is_valid(good: Path) -> None:
    assert shown("show", good)[:2] == (0, "")
    assert len(REFUSED) + len(READ) >= 40


@pytest.mark.parametrize("recipe", damaged_by(REFUSED))
@pytest.mark.one_in(5)
def test_a_damaged_file_is_refused_in_one_line(recipe: Recipe, good: Path) -> None:
    recipe(good)
    assert_refused(good)


@pytest.mark.parametrize("recipe", damaged_by(READ))
@pytest.mark.one_in(5)
def test_an_unusual_file_is_shown_and_drawn(recipe: Recipe, good: Path, tmp_path: Path) -> None:
    recipe(good)
    for command in (("show", good), ("report", good, "-o", tmp_path / ("x.pdf" if LONG else "x.html"))):
        code, said, _ = shown(*command)
        assert (code, said) == (0, ""), command


@pytest.mark.parametrize("path", sorted((DATA / "damaged").glob("*.h5")), ids=lambda path: path.stem)
def test_the_recorded_damaged_files_are_refused(path: Path) -> None:
    assert_refused(path)


def test_a_pipe_and_a_device_are_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h5")
    assert "pipe or a device" in assert_refused(tmp_path / "pipe.h5")
    assert "pipe or a device" in assert_refused(Path("/dev/zero"))


@pytest.fixture(scope="module")
def whole_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """A file that was closed, one left behind by SIGKILL, and one recorded by the core."""
    folder = tmp_path_factory.mktemp("whole")
    closed = make_results(folder / "closed.h5", sizes=(1, 1024), remarks=["a remark"], attributes={"run_id": "0" * 32})
    shutil.copy(closed, folder / "later.h5")
    killed = as_left_by_a_kill(folder / "later.h5", folder / "killed.h5")
    yield [closed, killed, DATA / "results-v1.h5"]
    shutil.rmtree(folder)


@settings(max_examples=EXAMPLES)
@given(which=st.integers(0, 2), seed=st.integers(0, 2**32), changes=st.sampled_from([1, 1, 1, 2, 4, 16]))
def test_a_randomly_damaged_file_is_read_or_refused_in_one_line(
    whole_files: list[Path], tmp_path_factory: pytest.TempPathFactory, which: int, seed: int, changes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "spoiled.h5"
    path.write_bytes(spoiled(whole_files[which].read_bytes(), seed, changes))
    code, said, memory = shown("show", path)
    assert memory < MEMORY
    assert (code == 0 and said == "") or (code == 2 and said.count("\n") == 1), said
