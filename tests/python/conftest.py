"""Fixtures shared by all tests of the Python half."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from everylink.cli import main
from everylink.io.read import read
from everylink.model.results import Results
from make_results import make_results

Command = Callable[..., tuple[int, str, str]]
HERE = Path(__file__).parent
CORE_TABLE = HERE / "core_table.json"  # what `run` reads of the core's --help=json
PATTERNS: list[str] = [pattern["name"] for pattern in json.loads(CORE_TABLE.read_text())["patterns"]]

# No time limits, because the test machine may be busy. In CI every run draws the same examples.
settings.register_profile(
    "everylink", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("everylink")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A results file of four ranks on two hosts at one size."""
    return make_results(tmp_path / "everylink.h5")


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Results]:
    """Writes a results file and reads it."""

    def make(**options: object) -> Results:
        return read(make_results(tmp_path / "made.h5", **options))  # type: ignore[arg-type]

    return make


@pytest.fixture
def everylink(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command. Returns exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([str(a) for a in arguments])
        said = capfd.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def fake_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core is fake_core.py, and the current folder is empty."""
    script = tmp_path / "everylink-measure"
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{HERE / 'fake_core.py'}' \"$@\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EVERYLINK_MEASURE", str(script))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
    monkeypatch.chdir(tmp_path)
