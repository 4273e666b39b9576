"""Damaged SION files, by recipe and at random: one line that names the damage, quickly and in little memory."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from everylink.io.linktest import write_linktest
from everylink.io.read import read
from hostile import EXAMPLES, MEMORY, assert_refused, damaged_by, shown, spoiled
from make_sion import random_run, sion, streams
from sion_damage import GOOD, REFUSED, Recipe

SAMPLES = sorted((Path(__file__).parent.parent / "data" / "linktest").glob("*.sion"))
ADDRESS_SPACE = 1536 * 2**20  # Python with NumPy and h5py reserves about 1 GiB, most of it never touched


def test_the_undamaged_file_is_valid(tmp_path: Path) -> None:
    (tmp_path / "x.sion").write_bytes(GOOD)
    assert shown("show", tmp_path / "x.sion")[:2] == (0, "")
    assert len(REFUSED) >= 40


@pytest.mark.parametrize("recipe", damaged_by(REFUSED))
@pytest.mark.one_in(2)
def test_a_damaged_sion_file_is_refused_in_one_line(recipe: Recipe, tmp_path: Path) -> None:
    damaged = recipe(GOOD)
    assert damaged != GOOD
    (tmp_path / "x.sion").write_bytes(damaged)
    assert_refused(tmp_path / "x.sion")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a time that is not a number", "the time 1 of rank 0 at byte 4513 is nan; expected a time in seconds"),
        ("as many ranks as there are numbers", "the number of tasks at byte 24, 2147483647, is wrong"),
        ("a chunk below zero", "the chunk size of task 0 at byte 1108 is -1"),
        ("several files", "is one of 16 files that belong together (byte 28)"),
        ("never closed", "was never closed"),
        ("a slow link from a rank that does not exist", "the slow link's from 0 of rank 0 at byte"),
        ("a host without end", "the host of rank 0 at byte 4113 has no end"),
    ],
)
def test_the_message_names_the_field_and_its_offset(name: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "x.sion").write_bytes(REFUSED[name](GOOD))
    assert what in assert_refused(tmp_path / "x.sion")


@pytest.mark.thorough
def test_the_command_refuses_within_a_memory_limit(tmp_path: Path) -> None:
    (tmp_path / "x.sion").write_bytes(REFUSED["twenty thousand ranks and nothing else"](GOOD))
    limited = f"ulimit -v {ADDRESS_SPACE // 1024}; exec {sys.executable} -P -m everylink diagnose {tmp_path}/x.sion"
    ended = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr


def test_a_large_sparse_file_is_refused_before_memory_is_allocated(tmp_path: Path) -> None:
    ranks = 2000
    head = sion(streams(random_run(1, 2, False)))[:24] + ranks.to_bytes(4, "little")
    with (tmp_path / "x.sion").open("wb") as file:
        file.write(head)
        file.truncate(2**36)
    assert_refused(tmp_path / "x.sion")


@settings(max_examples=EXAMPLES // 2)
@given(which=st.integers(0, len(SAMPLES)), seed=st.integers(0, 2**32), changes=st.sampled_from([1, 1, 1, 2, 4, 16]))
@example(which=0, seed=922, changes=1)  # one link takes 1e-44 s
def test_a_randomly_damaged_sion_file_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, which: int, seed: int, changes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "spoiled.sion"
    path.write_bytes(spoiled([GOOD, *(sample.read_bytes() for sample in SAMPLES)][which], seed, changes))
    code, said, memory = shown("show", path)
    assert memory < MEMORY
    assert (code == 0 and said == "") or (code == 2 and said.count("\n") == 1), said


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32), changes=st.integers(1, 30))
@example(seed=801, changes=1)  # a signalling NaN
def test_a_randomly_damaged_file_of_ours_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, seed: int, changes: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "spoiled-ours.sion"
    if not path.with_suffix(".good").exists():
        write_linktest(replace(read(SAMPLES[0]), path=path))
        path.rename(path.with_suffix(".good"))
    path.write_bytes(spoiled(path.with_suffix(".good").read_bytes(), seed, changes))
    code, said, memory = shown("show", path)
    assert code in (0, 2), said
    assert said.count("\n") == (code == 2), said
    assert memory < MEMORY


def test_data_after_the_second_head_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "x.sion").write_bytes(GOOD + bytes(512))
    assert len(read(tmp_path / "x.sion").sizes[0].links) == 12
