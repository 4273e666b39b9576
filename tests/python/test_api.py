"""The Python API: `everylink` exports exactly what docs/python.md names, and the example there runs unchanged."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import everylink as package
from conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text()


def printed(script: str) -> list[str]:
    """The lines that a script prints in a process of its own, which finds the package from every folder."""
    environment = os.environ | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=True, timeout=60, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def test_the_page_names_exactly_what_is_exported() -> None:
    table = PAGE.partition("## Names")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `(\w+)(?:\(path\))?` \|", table, re.MULTILINE)
    assert sorted(named) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
    assert dir(package) == package.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'everylink' has no attribute 'judge_me'"):
        _ = package.judge_me


def test_importing_the_package_is_light() -> None:
    """Neither NumPy nor matplotlib is loaded before it is needed, and reading needs no matplotlib."""
    script = "import sys, everylink; print('numpy' in sys.modules); everylink.read; print('matplotlib' in sys.modules)"
    assert printed(script) == ["False", "False"]


def test_the_example_of_the_page_runs_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, everylink: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    command, *_ = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert everylink(*shlex.split(command)[1:])[0] == 0
    example, *_ = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    out = printed(example)
    assert out[0] == "16 ranks, simulate [8, 1048576]"
    assert f"`{out[-1]}`" in PAGE
