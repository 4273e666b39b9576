"""The check for ReFrame: on this machine by its local scheduler, and in Slurm."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import PATIENCE, Run, measure_program

FOLDER = Path(__file__).parents[2] / "integrations" / "reframe"
REFRAME = shutil.which("reframe", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
ReFrame = Callable[..., subprocess.CompletedProcess[str]]
SITE = """site_configuration = {
    "systems": [{
        "name": "bed", "hostnames": [".*"], "partitions": [{
            "name": "compute", "scheduler": "squeue", "launcher": "srun", "environs": ["builtin"],
        }],
    }],
}
"""

pytestmark = [
    pytest.mark.long("ReFrame"),
    pytest.mark.skipif(REFRAME is None, reason="no ReFrame here (PyPI's ReFrame-HPC)"),
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The programs of this tree are on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "everylink-measure").symlink_to(measure_program())
    paths = ":".join(sys.path)
    (folder / "everylink").write_text(f'#!/bin/sh\nPYTHONPATH={paths} exec {sys.executable} -P -m everylink "$@"\n')
    (folder / "everylink").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": "", "HOME": str(tmp_path)}


def command(folder: Path, *words: object) -> list[str]:
    check = str(FOLDER / "everylink_check.py")
    return [str(REFRAME), "--nocolor", "-c", check, "-r", f"--prefix={folder / 'out'}", *map(str, words)]


@pytest.fixture
def reframe(environment: dict[str, str], tmp_path: Path) -> ReFrame:
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(tmp_path, *words), cwd=tmp_path, env=os.environ | environment, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip

    return run


def test_a_healthy_cluster_passes_and_its_numbers_meet_the_references(reframe: ReFrame, tmp_path: Path) -> None:
    references = tmp_path / "r.json"
    expected = {"latency": [1e-6, -0.2, 0.2], "bandwidth": [12.4e9, -0.2, 0.2], "failed_links": [0, None, 0]}
    references.write_text(json.dumps({"*": expected}))
    done = reframe("-S", "nodes=4", "-S", "mode=sim:hosts=4", "-S", f"references={references}")
    assert done.returncode == 0, done.stdout
    assert "failed_links: 0 links (r:0" in done.stdout


def test_a_slow_host_fails_the_check_by_name(reframe: ReFrame) -> None:
    done = reframe("-S", "nodes=8", "-S", "mode=sim:hosts=8,slow-host=4*0.5")
    assert done.returncode == 1
    assert "sanity error: faults: host n4: slow" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mode=no-such"], "nothing was measured: everylink-measure: --mode: unknown mode 'no-such'"),
        (["references=none.json"], "references none.json: [Errno 2] No such file or directory"),
        (["references={bad}"], "unknown variable 'speed'; use latency, bandwidth, failed_links"),
    ],
)
def test_what_is_wrong_is_said(words: list[str], said: str, reframe: ReFrame, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"*": {"speed": [1, null, null]}}')
    done = reframe(*(word for one in words for word in ("-S", one.format(bad=bad))))
    assert done.returncode == 1
    assert said in done.stdout


def test_the_nodes_of_a_slurm_job_are_measured(slurm: Run, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text(SITE)
    done = slurm(*command(tmp_path, "-C", tmp_path / "site.py", "-S", "nodes=3", "-S", "sizes=8"), **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK ] (1/1) EverylinkCheck" in done.stdout
