"""scripts/run_tests runs a failed test once more, also one of a group of pytest-xdist."""

import importlib.util
import sys
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/run_tests"
TESTS = """
import pathlib, pytest

@pytest.mark.xdist_group("some-group")
@pytest.mark.parametrize("part", ["one"])
def test_of_a_group(part):
    was = pathlib.Path({was!r})
    again, _ = was.exists(), was.touch()
    assert again and {passes}

def test_of_none():
    was = pathlib.Path({was!r} + "-too")
    again, _ = was.exists(), was.touch()
    assert again

def test_well():
    pass
"""


@pytest.fixture
def run_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    loader = SourceFileLoader("run_tests", str(SCRIPT))
    spec = importlib.util.spec_from_loader("run_tests", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_tests", module)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "REPORTS", tmp_path)
    monkeypatch.setattr(module, "PYTHON", Path(sys.executable))
    return module


@pytest.mark.parametrize("passes", [True, False])
def test_a_failed_test_of_a_group_runs_again_and_counts(passes: bool, run_tests: ModuleType, tmp_path: Path) -> None:
    tests = tmp_path / "test_them.py"
    tests.write_text(TESTS.format(was=str(tmp_path / "was"), passes=passes))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = xdist_group\n")
    words = ["-n", "2", "--dist", "loadgroup", "-c", str(tmp_path / "pytest.ini")]
    step = run_tests.pytest("them", str(tests), "-o", f"cache_dir={tmp_path / 'them.cache'}", *words)
    result = run_tests.run(replace(step, repeats=True))
    assert (result.ok, result.counts["failed"]) == (passes, 0 if passes else 1)
    assert len(result.failed_once) == (2 if passes else 1)
