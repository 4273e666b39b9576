"""--preset jupiter: the table to submit agrees with the file and LinkTest's lines, and doubts are recorded."""

import re
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Measure, Run, mpi_launcher, read_plainly

pytestmark = pytest.mark.quick

SIXTEEN_MIB = 16 << 20
NUMBER = r"(\d+\.\d+) (\S+)"


def rows(text: str) -> dict[str, list[float]]:
    """Minimum, average and maximum in each row of the table, bytes per second (times: seconds)."""
    factor = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "MiB/s": 2.0**20, "GiB/s": 2.0**30}
    lines = text.split("JUPITER Benchmark Suite, LinkTest: ", 1)[1].splitlines()[2:4]
    bisection, link = ([float(n) * factor[unit.rstrip(")")] for n, unit in re.findall(NUMBER, line)] for line in lines)
    return {"bisection": bisection, "time": link[::2], "bandwidth": link[1::2]}


def test_the_table_agrees_with_the_file_and_linktests_lines(measure: Measure) -> None:
    result = measure("--preset", "jupiter", "--mode", "sim:hosts=4,slow-link=0>4*0.5", "--np", 8)
    found, table = rows(result.out), result.only.main()
    steps = [table.where(table["step"] == step) for step in range(4)]
    bandwidths = [4 * np.mean(2 * SIXTEEN_MIB / step["mean"].astype(float)) for step in steps]
    expected = [min(bandwidths), float(np.mean(bandwidths)), max(bandwidths)]
    assert found["bisection"] == pytest.approx(expected, rel=1e-4)
    times = table["mean"].astype(float)
    expected = [times.min(), times.mean(), times.max()]
    assert found["time"] == pytest.approx(expected, rel=1e-4)
    assert found["bandwidth"] == pytest.approx([2 * SIXTEEN_MIB / time for time in expected], rel=1e-4)
    said = re.findall(r"^Parallel Results for step .* bisection bw:\s+(\S+) GiB/s$", result.out, re.MULTILINE)
    last = re.findall(r"^Aggregated Results: .* bisection bw:\s+(\S+) GiB/s$", result.out, re.MULTILINE)[-1]
    line = result.out.split("Bisection bandwidth")[1].splitlines()[0]
    assert line.split() == [min(said, key=float), "GiB/s", last, "GiB/s", max(said, key=float), "GiB/s"]
    assert len(set(said)) > 1
    settings = ("messages", "warmups", "kernel", "schedule")
    assert [result.attributes[name] for name in settings] == [25, 3, "bidirectional", "bisection"]
    assert list(result.sizes) == [SIXTEEN_MIB]


def test_deviations_from_the_rules_are_reported_before_the_run_and_recorded(measure: Measure, tmp_path: Path) -> None:
    result = measure("--preset", "jupiter", "--mode", "sim:hosts=1", "--np", 2)
    warned = [line.split("warning: ")[1] for line in result.err.splitlines() if "warning: --preset jupiter: " in line]
    parts = ("no host has an InfiniBand", "n0 has ranks in both halves", "mode sim")
    assert [any(part in line for line in warned) for part in parts] == [True, True, True]
    with h5py.File(tmp_path / "x.h5") as file:
        assert [remark.decode() for remark in file["remarks"]] == warned


def test_a_table_with_failed_links_says_not_to_submit_it(run: Run) -> None:
    done = run("--preset", "jupiter", "--mode", "sim:hosts=4,dead=0>2", "--np", 4, "--no-output", "--retest-budget", 0)
    assert done.returncode == 3
    assert done.stdout.rstrip().endswith("Do not submit this table: not every link is ok")


def test_without_mpi_it_says_how_to_start(run: Run) -> None:
    done = run("--preset", "jupiter", "--np", 2)
    assert done.returncode == 2
    assert "for --preset jupiter start them with mpirun -n N everylink-measure --preset jupiter" in done.stderr


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")
def test_it_measures_over_mpi(run: Run, tmp_path: Path) -> None:
    done = run("--preset", "jupiter", "--num-slowest", 0, "-o", tmp_path / "x.h5", launcher=mpi_launcher(2))
    assert done.returncode == 0, done.stderr
    assert "25 messages of 16 MiB, 3 warm-ups, bidirectional, bisection, mode mpi, 2 ranks on 1 host" in done.stdout
    assert read_plainly(tmp_path / "x.h5").attributes["transport"] == "mpi"
    least, mean, greatest = rows(done.stdout)["bisection"]
    assert 0 < least == mean == greatest
