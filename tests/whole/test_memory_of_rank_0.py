"""Rank 0's memory does not grow with the steps of a run."""

import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from conftest import measure_program

MOST = 2 * 2**10  # KiB; the rows of the longer run are more


def peak(folder: Path, steps: int) -> int:
    """The most memory of a rank in KiB; each step has 2 rows of 55 bytes for each of 8 sizes."""
    command = [measure_program(), "--np", "2", "--mode", "sim", "-n", "1", "-w", "0", "--num-slowest", "0"]
    command += ["-s", "1,2,4,8,16,32,64,128", "--min-iterations", str(steps), "--progress", "none"]
    run = subprocess.Popen([*command, "-o", str(folder / f"{steps}.h5")], stdout=subprocess.DEVNULL)
    most = 0
    while run.poll() is None:
        with suppress(OSError, StopIteration):  # it has just ended
            for rank in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
                lines = Path(f"/proc/{rank}/status").read_text().splitlines()
                most = max(most, next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")))
        time.sleep(0.02)
    assert run.returncode == 0
    return most


@pytest.mark.long("half a minute")
def test_a_longer_run_takes_no_more_memory(tmp_path: Path) -> None:
    assert peak(tmp_path, 4_000) - peak(tmp_path, 400) < MOST
