"""Layers of imports and includes: `scripts/check imports` fails on one that points upwards."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("importlinter", reason="needs import-linter (pip install .[dev])")
ROOT = Path(__file__).parents[2]


def linted(root: Path) -> subprocess.CompletedProcess[str]:
    lint = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    return subprocess.run([*lint, "--no-cache"], cwd=root, capture_output=True, text=True, timeout=120)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "python" / "everylink", tmp_path / "everylink", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "planted", "broken"),
    [
        ("model/rows.py", "everylink.io.read", "everylink.model is not allowed to import everylink.io"),
        ("judge/verdict.py", "everylink.load.sums", "everylink.judge is not allowed to import everylink.load"),
        ("figure/page.py", "everylink.terminal.tables", "everylink.figure is not allowed to import everylink.terminal"),
        ("units.py", "everylink.cli.kinds", "everylink.units is not allowed to import everylink.cli"),
        ("judge/times.py", "everylink.judge.judge", "No cycles are allowed in everylink.judge"),
    ],
)
@pytest.mark.one_in(3)
def test_a_planted_wrong_import_fails(module: str, planted: str, broken: str, tree: Path) -> None:
    path = tree / "everylink" / module
    path.write_text(f"{path.read_text()}\nimport {planted}\n")
    found = linted(tree)
    assert found.returncode == 1
    assert broken in found.stdout


def test_the_tree_as_it_is_passes(tree: Path) -> None:
    assert linted(tree).returncode == 0


def test_a_planted_wrong_include_fails(tmp_path: Path) -> None:
    core = shutil.copytree(ROOT / "core", tmp_path / "core")
    command = [ROOT / "scripts" / "check_includes", core]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    header = core / "base" / "errors.hpp"
    header.write_text('#include "coordinator/console.hpp"\n' + header.read_text())
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 1
    assert "base/errors.hpp:1: base must not include coordinator/console.hpp" in found.stdout
