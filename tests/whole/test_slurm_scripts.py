"""The job scripts of integrations/slurm, submitted to a Slurm of four hosts."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run, measure_program, read_plainly

FOLDER = Path(__file__).parents[2] / "integrations" / "slurm"
Submit = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.long("Slurm")


@pytest.fixture
def submit(slurm: Run, tmp_path: Path) -> Submit:
    """Submits a script and waits for the end of its jobs."""
    program = tmp_path / "bin/everylink"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m everylink "$@"\n')
    program.chmod(0o755)
    program.with_name("everylink-measure").symlink_to(measure_program())
    environment = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry),
        "RESULTS": str(tmp_path),
    }

    def run(options: list[object], script: str, *words: object) -> subprocess.CompletedProcess[str]:
        output = f"--output={tmp_path}/job-%A-%a.out"
        return slurm("sbatch", "--wait", output, *options, FOLDER / script, *words, **environment)

    return run


def said(folder: Path) -> str:
    return "".join(file.read_text() for file in folder.glob("job-*.out"))


def test_one_job_measures_all_its_nodes_and_reports(submit: Submit, tmp_path: Path) -> None:
    done = submit(["--nodes=3"], "run.sbatch", "-m", "tcp", "-s", "8", "-n", 5, "-w", 1)
    assert done.returncode in (0, 3, 4), done.stdout + done.stderr + said(tmp_path)
    (folder,) = tmp_path.glob("everylink-*")
    result = read_plainly(folder / "everylink.h5")
    assert result.attributes["complete"] == 1
    assert sorted(result.ranks["host"].tolist()) == [b"h0", b"h1", b"h2"]
    assert len(result.only.main().links()) == 6
    assert (folder / "everylink.html").stat().st_size > 10_000


def test_a_slow_host_is_the_exit_code_of_the_job(submit: Submit, tmp_path: Path) -> None:
    done = submit(["--nodes=4"], "run.sbatch", "--nranks", 2, "-m", "sim:hosts=8,slow-host=4*0.5")
    assert done.returncode == 3, done.stdout + done.stderr + said(tmp_path)
    assert "host n4" in said(tmp_path)


def test_each_job_of_the_array_checks_its_nodes_and_writes_metrics(submit: Submit, tmp_path: Path) -> None:
    done = submit(["--nodes=2", "--array=0-1"], "nightly.sbatch")
    assert done.returncode in (0, 3, 4), done.stdout + done.stderr + said(tmp_path)
    written = {file.name: file.read_text() for file in tmp_path.glob("everylink-*/*.prom")}
    assert sorted(written) == ["everylink-0.prom", "everylink-1.prom"], said(tmp_path)
    assert all("everylink_hosts 2" in text for text in written.values())
