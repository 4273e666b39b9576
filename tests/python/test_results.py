"""Reading a results file: its contents, and one line for each possible defect."""

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everylink.errors import (
    FileDamaged,
    FileMissing,
    FileOfAnotherKind,
    FileOfNewerVersion,
    FileUnreadable,
    ResultsError,
)
from everylink.io.read import read
from make_results import __file__ as make_results_script
from make_results import as_left_by_a_kill, make_results, steady


def test_the_matrix_is_from_by_to_and_its_diagonal_is_empty(file: Path) -> None:
    size = read(file).sizes[0]
    matrix = size.links.matrix("median", 4)
    assert matrix[1, 2] == np.float32(steady((1, 2), 65536))
    assert matrix[2, 1] == np.float32(steady((2, 1), 65536))
    assert np.isnan(np.diag(matrix)).all()
    assert np.isfinite(matrix).sum() == 12


def test_the_recorded_file_of_format_version_1_is_read_as_it_was_measured() -> None:
    recorded = Path(__file__).parent.parent / "data" / "results-v1.h5"  # simulated: host 0 > 3 slow, 1 > 2 dead
    results = read(recorded)
    assert results.facts.transport == "sim"
    assert results.ranks.host == ("n0", "n0", "n1", "n1")
    assert [size.bytes for size in results.sizes] == [1, 1024]
    matrix = results.sizes[1].links.matrix("median", 4)
    assert matrix[0, 2] == pytest.approx(1e-6 + 1024 / 12.5e9, rel=1e-6)
    assert matrix[0, 3] == matrix[3, 0] == pytest.approx(1.5 * (1e-6 + 1024 / 12.5e9), rel=1e-6)
    assert np.isnan([matrix[1, 2], matrix[2, 1]]).all()


def test_facts_ranks_and_steps_are_as_written(file: Path) -> None:
    results = read(file)
    assert (results.facts.transport, results.facts.messages, results.facts.serial) == ("tcp", 100, False)
    assert results.ranks.host == ("n0", "n0", "n1", "n1")
    assert results.ranks.name(2) == "n1:2"
    assert results.overlap == pytest.approx(0.95)


def test_sizes_are_in_ascending_order_of_bytes_not_of_names(tmp_path: Path) -> None:
    results = read(make_results(tmp_path / "x.h5", sizes=(1048576, 1, 65536)))
    assert [size.bytes for size in results.sizes] == [1, 65536, 1048576]


def test_data_after_the_committed_rows_is_not_read(tmp_path: Path) -> None:
    results = read(make_results(tmp_path / "x.h5", uncommitted=5))
    assert len(results.sizes[0].links) == 7


def test_the_file_of_a_killed_run_is_read(file: Path, tmp_path: Path) -> None:
    killed = as_left_by_a_kill(file, tmp_path / "killed.h5")
    with pytest.raises(OSError, match="open"):
        h5py.File(killed, "r", locking=False)
    results = read(killed)
    assert not results.facts.complete
    assert len(results.sizes[0].links) == 12


def test_a_file_is_read_while_a_run_still_writes_it(file: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, make_results_script, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with writer:
        assert writer.stdin
        assert writer.stdout
        assert writer.stdout.readline() == b"extended\n"
        assert len(read(file).sizes[0].rows.frm) == 12
        writer.stdin.write(b"\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == b"committed\n"
        assert len(read(file).sizes[0].rows.frm) == 13
    assert writer.returncode == 0


def test_a_file_without_rows_is_no_error(tmp_path: Path) -> None:
    results = read(make_results(tmp_path / "x.h5", uncommitted=12, steps=0))
    assert len(results.sizes[0].links) == 0
    assert np.isnan(results.overlap)


def _refusal(path: Path, kind: type[ResultsError]) -> str:
    with pytest.raises(kind) as caught:
        read(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    assert caught.value.exit_code == 2
    return text


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "no such file" in _refusal(tmp_path / "nothing.h5", FileMissing)


def test_a_folder_is_named(tmp_path: Path) -> None:
    assert "folder" in _refusal(tmp_path, FileUnreadable)


def test_an_empty_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.h5").touch()
    assert "is empty" in _refusal(tmp_path / "empty.h5", FileOfAnotherKind)


def test_a_text_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("from,to,median\n")
    assert "neither HDF5, nor SION" in _refusal(tmp_path / "text.h5", FileOfAnotherKind)


def test_hdf5_of_another_program_is_named(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = 1
    assert "not a results file of Everylink" in _refusal(tmp_path / "other.h5", FileOfAnotherKind)


def test_a_newer_format_version_is_named_with_the_one_that_can_be_read(tmp_path: Path) -> None:
    path = make_results(tmp_path / "new.h5", attributes={"format_version": 3})
    assert "format version 3; this Everylink reads up to 2" in _refusal(path, FileOfNewerVersion)


def test_columns_shorter_than_the_committed_rows_are_named(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        damaged["sizes/65536/median"].resize((5,))
    assert "sizes/65536/median has 5 entries; expected 12 or more" in _refusal(file, FileDamaged)


def test_a_column_of_two_dimensions_is_named_with_its_entries(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        del damaged["sizes/65536/median"]
        damaged["sizes/65536/median"] = np.zeros((12, 3), "f4")
    assert "sizes/65536/median has 12 x 3 entries; expected 12 or more" in _refusal(file, FileDamaged)


def test_columns_of_different_lengths_are_read_up_to_the_committed_rows(file: Path) -> None:
    with h5py.File(file, "a") as uneven:
        uneven["sizes/65536/median"].resize((50,))
    assert len(read(file).sizes[0].rows.median) == 12


def test_a_missing_column_is_named(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        del damaged["sizes/65536/outcome"]
    assert "sizes/65536/outcome is missing" in _refusal(file, FileDamaged)


def test_a_missing_attribute_is_named(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        del damaged.attrs["kernel"]
    assert "kernel" in _refusal(file, FileDamaged)


def test_a_row_of_a_rank_that_does_not_exist_is_named_and_left_out(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        damaged["sizes/65536/to"][3] = 4
    results = read(file)
    assert results.parts_left_out == (f"row 3 of {file}, 64 KiB, has a rank that there is not: left out",)
    assert results.sizes[0].rows.to.max() == 3


def test_columns_this_version_does_not_know_are_ignored(file: Path) -> None:
    with h5py.File(file, "a") as newer:
        newer["sizes/65536/alltoall"] = np.zeros(12, "f4")
        newer["sizes/65536/laps"] = np.zeros(1200, "f4")
    assert len(read(file).sizes[0].links) == 12


@settings(max_examples=20)
@given(part=st.floats(0, 1, exclude_max=True))
def test_a_file_truncated_anywhere_is_refused_in_one_line(
    part: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = make_results(folder / "whole.h5")
    cut = folder / "cut.h5"
    shutil.copy(whole, cut)
    with cut.open("r+b") as file:
        file.truncate(int(part * whole.stat().st_size))
    _refusal(cut, ResultsError)


@settings(max_examples=40)
@given(part=st.floats(0, 1, exclude_max=True))
@pytest.mark.long
def test_a_truncated_file_of_a_killed_run_is_read_or_refused_without_blocking(
    part: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    whole = make_results(folder / "whole.h5")
    cut = as_left_by_a_kill(whole, folder / "killed.h5")
    with cut.open("r+b") as file:
        file.truncate(int(part * cut.stat().st_size))
    with contextlib.suppress(ResultsError):
        found = read(cut).sizes[0].rows
        for name, values in vars(read(whole).sizes[0].rows).items():
            np.testing.assert_array_equal(vars(found)[name], values)


def test_a_row_that_links_a_rank_with_itself_is_named_and_left_out(file: Path) -> None:
    with h5py.File(file, "a") as damaged:
        damaged["sizes/65536/to"][0] = 0
    results = read(file)
    assert results.parts_left_out == (f"row 0 of {file}, 64 KiB, has a link from a rank to itself: left out",)
    assert (results.sizes[0].rows.frm != results.sizes[0].rows.to).all()
