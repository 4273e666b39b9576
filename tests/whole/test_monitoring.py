"""The recipes of docs/monitoring.md: one node against good ones, for Node Health Check and node-problem-detector."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import PATIENCE, measure_program

RECIPES = Path(__file__).parents[2] / "integrations"
SLOW = "sim:hosts=8,slow-host=4*0.5"
Recipe = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """`everylink` on PATH, and what stands in for ssh."""
    program = tmp_path / "bin/everylink"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m everylink "$@"\n')
    program.chmod(0o755)
    program.with_name("ssh").symlink_to(Path(__file__).with_name("fake_ssh"))
    path = f"{program.parent}:{os.environ['PATH']}"
    return os.environ | {"PATH": path, "EVERYLINK_MEASURE": measure_program(), "TMPDIR": str(tmp_path)}


@pytest.fixture
def health_check(environment: dict[str, str]) -> Recipe:
    """check_everylink as NHC runs it: `die` takes an exit code and the reason."""

    def run(host: str, *words: str) -> subprocess.CompletedProcess[str]:
        script = 'die() { shift; printf "%s\\n" "$*"; }; . "$0"; check_everylink "$@"'
        command = ["bash", "-c", script, str(RECIPES / "nhc/everylink.nhc"), *words]
        return _done(command, environment | {"HOSTNAME": host})

    return run


@pytest.fixture
def plugin(environment: dict[str, str]) -> Recipe:
    def run(host: str, *words: str) -> subprocess.CompletedProcess[str]:
        return _done([str(RECIPES / "node-problem-detector/everylink"), *words], environment | {"NODE_NAME": host})

    return run


def _done(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=4 * PATIENCE, check=False
    )  # fmt: skip


@pytest.mark.long("a minute")
def test_a_slow_node_fails_its_health_check_and_no_other_does(health_check: Recipe, tmp_path: Path) -> None:
    slow = health_check("n4", "n[0-3,5-7]", "20s", "--mode", SLOW)
    assert slow.returncode == 1
    assert slow.stdout.startswith("check_everylink:  everylink: slow, 1.9")
    good = health_check("n1", "n[0,2-7]", "20s", "--mode", SLOW)
    assert (good.returncode, good.stdout) == (0, "")
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]  # and nothing is left


@pytest.mark.long("a check")
def test_what_cannot_be_measured_fails_no_health_check(health_check: Recipe) -> None:
    done = health_check("n1", "n[0,2-7]", "20s", "--mode", "no-such")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.long("three checks")
def test_node_problem_detector_gets_its_exit_codes_and_a_line(plugin: Recipe, tmp_path: Path) -> None:
    slow = plugin("n4", "n[0-3,5-7]", "20s", "--mode", SLOW)
    assert slow.returncode == 1
    assert slow.stdout.startswith("everylink: slow, 1.9")
    assert slow.stdout.count("\n") == 1
    good = plugin("n1", "n[0,2-7]", "20s", "--mode", SLOW)
    assert (good.returncode, good.stdout) == (0, "no fault of n1\n")
    unknown = plugin("n1", "n[0,2-7]", "20s", "--mode", "no-such")
    assert unknown.returncode == 2
    assert "unknown mode 'no-such'" in unknown.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.long("a check")
def test_the_answer_for_nagios_is_one_line(environment: dict[str, str], tmp_path: Path) -> None:
    command = ["everylink", "check", "n[0-7]", "--mode", SLOW, "--format", "nagios"]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=4 * PATIENCE, check=False
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("EVERYLINK CRITICAL - FAULTS: 1 fault; host n4: slow, ")
    assert done.stdout.count("\n") == 1
