"""More ranks than cores: said under any launcher, and marked in the results file."""

import os
import shutil
import subprocess
from pathlib import Path

import h5py
import pytest

from conftest import PATIENCE, Measure, measure_program, mpi_launcher

ONE_CORE = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
QUICK = ["-s", 1, "-n", 3, "-w", 0, "--num-slowest", 0, "--progress", "none"]
LINE = "More ranks than cores on host "
needs_mpirun = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")


def crowded(folder: Path) -> list[int]:
    with h5py.File(folder / "x.h5") as file:
        return [int(one) for one in file["ranks/crowded"][:]]


@needs_mpirun
@pytest.mark.parametrize("mode", ["tcp", "mpi"])
def test_under_a_launcher_the_run_names_the_host_once(mode: str, measure: Measure, tmp_path: Path) -> None:
    result = measure("-m", mode, *QUICK, launcher=[*ONE_CORE, *mpi_launcher(3)])
    assert result.out.count(LINE) == 1
    assert LINE + result.ranks["host"][0].decode() + ": times there include waiting for a core" in result.out
    assert crowded(tmp_path) == [1, 1, 1]


@needs_mpirun
def test_linktests_lines_do_not_change(tmp_path: Path) -> None:
    (tmp_path / "linktest").symlink_to(measure_program())
    words = [*ONE_CORE, *mpi_launcher(3), str(tmp_path / "linktest"), "-m", "tcp", "-s", "1", "-n", "3", "-w", "0"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "RESULT: Min Time" in done.stdout
    assert LINE not in done.stdout


def test_np_says_it_in_its_own_words(measure: Measure, tmp_path: Path) -> None:
    result = measure("--np", 2, "-m", "tcp", *QUICK, launcher=ONE_CORE)
    assert "ranks are not bound to cores: there are more ranks than cores" in result.out
    assert LINE not in result.out
    assert crowded(tmp_path) == [1, 1]


def test_on_a_simulated_network_ranks_wait_for_no_core(measure: Measure, tmp_path: Path) -> None:
    result = measure("--np", 3, "-m", "sim", *QUICK, launcher=ONE_CORE)
    assert "more ranks than cores" not in result.out.lower()
    assert crowded(tmp_path) == [0, 0, 0]
