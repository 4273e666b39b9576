"""The results file after its writer is killed before any one of its calls that write, truncate or rename."""

import os
import signal
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import PATIENCE, measure_program, read_plainly
from everylink.io.checksums import batches_in, rows_of
from everylink.io.hdf5 import Node, open_hdf5
from everylink.io.read import read

# Built with the tests of the core: links the recorder, and counts the calls.
PROGRAM = Path(measure_program()).parent.parent / "tests" / "core" / "recorder_to_be_killed"
SAMPLE = 20
LAST = 2800  # rows it writes

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason="the tests of the core are not built here (cmake -DEVERYLINK_TESTS=ON)"
)


def write(folder: Path, killed_at: int) -> tuple[int, list[int]]:
    """Return the exit code and the program's output: rows after each commit, and at the end the number of calls."""
    code, lines = record(folder, killed_at)
    return code, [line[0] for line in lines]


def record(folder: Path, killed_at: int, *batches: int) -> tuple[int, list[list[int]]]:
    """Return the exit code and the numbers in each line of the program's output."""
    folder.mkdir()
    command = [PROGRAM, folder / "k.h5", folder / "log", killed_at, *batches]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stderr == ""
    return done.returncode, [
        [int(number) for number in line.split()] for line in (folder / "log").read_text().splitlines()
    ]


def check(path: Path, committed: int) -> None:
    """Open it as docs/results-file.md describes: normally, or otherwise with swmr=True."""
    swmr = False
    try:
        left = read_plainly(path)
    except OSError:
        swmr = True
        left = read_plainly(path, swmr=True)
    rows = int(left.attributes["rows"])
    assert rows in range(committed, LAST + 1, 700)
    assert int(left.attributes["steps"]) == rows // 700
    if left.attributes["complete"]:
        assert rows == LAST
        assert left.attributes["failed_not_retried"] == 7
        with h5py.File(path, "r", swmr=swmr) as file:
            assert file["remarks"].asstr()[:].tolist() == ["a remark", "another"]
    for table in left.sizes.values():
        row = np.arange(rows)
        assert np.array_equal(table["n"], row)
        assert np.array_equal(table["median"], row + 1)
        assert np.array_equal(table["from"], row % 3)
        assert np.array_equal(table["step"], row // 700)
        assert np.array_equal(table["first"], 2 * row)
        assert (table["count"] == 2).all()
        laps = table["laps"][: 2 * rows].reshape(-1, 2)
        assert np.array_equal(laps, np.stack([row, row + 1], axis=1))
    results = read(path)
    assert results.left_out == ()
    assert [len(size.rows.median) for size in results.sizes] == [rows, rows]
    with open_hdf5(path) as file:
        for name, committed_rows in (
            ("sizes/1", rows), ("sizes/1024", rows), ("laps/1", 2 * rows), ("laps/1024", 2 * rows),
            ("steps", rows // 700),
        ):  # fmt: skip
            batches = batches_in(Node(file), name, committed_rows)
            assert batches is not None
            assert (batches.odd, int(batches.rows.sum())) == (0, committed_rows)  # every committed row is covered
        for size in ("1", "1024"):
            group = Node(file).group("sizes").group(size)
            assert (rows_of(Node(file), f"laps/{size}", group, ["laps"], complete=False) or 0) >= 2 * rows
        if left.attributes["complete"]:
            assert batches_in(Node(file), "remarks", 2).rows.tolist() == [2]
            assert rows_of(Node(file), "remarks", Node(file), ["remarks"], complete=True) == 2


def test_a_kill_between_any_two_flushes_loses_no_committed_row(tmp_path: Path) -> None:
    code, said = write(tmp_path / "whole", 0)
    calls = said.pop()
    assert (code, said) == (0, [700, 1400, 2100, 2800])
    check(tmp_path / "whole" / "k.h5", LAST)
    every = 1 if os.environ.get("EVERYLINK_TEST_LONG") else calls // SAMPLE
    renamed = False
    for n in sorted({*range(1, calls, every), *range(calls - 3, calls + 1)}):
        folder = tmp_path / str(n)
        code, said = write(folder, n)
        assert code == -signal.SIGKILL, n
        if (folder / "k.h5").exists():
            renamed = True
            assert not (folder / "k.h5.new").exists()
            check(folder / "k.h5", max(said, default=0))
        else:
            assert not renamed
            assert said == []
    assert renamed
    assert write(tmp_path / "one more", calls + 1) == (0, [700, 1400, 2100, 2800])


@pytest.mark.long
def test_a_row_leaves_less_than_a_byte_in_memory(tmp_path: Path) -> None:
    code, lines = record(tmp_path / "long", 0, 900)
    assert code == 0
    taken = dict(line for line in lines if len(line) == 2)
    middle, late = 700 * 300, 700 * 900  # before that buffers fill; HDF5's lists of chunks grow up to a limit
    assert taken[late] - taken[middle] < late - middle
