"""Wrong environments: full disks, closed files, broken settings. One line, exit code 1, nothing half-written left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everylink import cli
from make_results import make_results

ROOT = Path(__file__).parents[2]
SIMULATE = "simulate --hosts 64 -o x.h5"


def in_shell(folder: Path, command: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
    """Runs `everylink COMMAND`, where COMMAND may redirect files, in an environment that differs by `variables`."""
    changed = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sys.path])} | variables
    environment = {name: value for name, value in changed.items() if value is not None}
    script = command.replace("everylink ", f"'{sys.executable}' -P -m everylink ")
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("command", ["show", "diagnose", "diagnose --format json", "export --what slowest", "--help"])
def test_a_full_standard_output_is_one_line(command: str, file: Path) -> None:
    said = in_shell(file.parent, f"everylink {command} {'' if command == '--help' else file.name} > /dev/full")
    assert (said.returncode, said.stderr) == (1, "everylink: output: No space left on device\n")


def test_a_closed_standard_output_is_one_line(file: Path) -> None:
    said = in_shell(file.parent, f"everylink show {file.name} >&-")
    assert (said.returncode, said.stderr) == (1, "everylink: standard output is closed\n")


def test_a_reader_that_leaves_gets_no_traceback(file: Path) -> None:
    said = in_shell(file.parent, f"everylink show {file.name} | true; exit ${{PIPESTATUS[0]}}")
    assert (said.returncode, said.stderr) == (1, "")


def test_closed_input_and_errors_change_nothing(file: Path) -> None:
    whole = in_shell(file.parent, f"everylink show {file.name}")
    for closed in ("<&-", "2>&-"):
        said = in_shell(file.parent, f"everylink show {file.name} {closed}")
        assert (said.returncode, said.stdout) == (0, whole.stdout)
    for lost in ("2>&-", "2>/dev/full"):
        assert in_shell(file.parent, f"everylink show none.h5 {lost}").returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        SIMULATE,
        "convert a.h5 x.npz",
        "convert a.h5 x.sion",
        "merge a.h5 b.h5 --by min -o x.h5",
        "report a.h5 -o x.html",
        "report a.h5 -o x.pdf",
        "report a.h5 -o x.png",
    ],
)
def test_a_full_disk_is_one_line_and_leaves_nothing(command: str, tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        make_results(tmp_path / name)
    before = names(tmp_path)
    said = in_shell(tmp_path, f"ulimit -f 1; everylink {command}", PYTHONDONTWRITEBYTECODE="1")
    assert said.returncode == 1, said.stderr
    assert said.stderr.startswith("everylink: x.")
    assert said.stderr.endswith(": cannot be written: File too large\n")
    assert said.stderr.count("\n") == 1
    assert names(tmp_path) == before


@pytest.mark.parametrize("limit", [2, 40, 290])
def test_simulate_notices_a_full_disk_at_any_byte(limit: int, tmp_path: Path) -> None:
    said = in_shell(tmp_path, f"ulimit -f {limit}; everylink {SIMULATE}", PYTHONDONTWRITEBYTECODE="1")
    assert (said.returncode, said.stderr) == (1, "everylink: x.h5: cannot be written: File too large\n")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "variables",
    [
        {"MPLBACKEND": "no-such-backend"},
        {"HOME": None},
        {"HOME": "/dev/null"},
        {"MPLCONFIGDIR": "/dev/null"},
        {"TERM": None},
    ],
)
def test_a_report_is_drawn_whatever_the_variables(variables: dict[str, str | None], file: Path) -> None:
    said = in_shell(file.parent, f"everylink report {file.name} -o x.pdf", **variables)
    assert (said.returncode, said.stdout, said.stderr) == (0, "x.pdf\n", "")


def test_an_exception_of_a_library_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: object) -> int:
        raise ValueError("two\nlines")

    monkeypatch.delenv(cli.TRACEBACK, raising=False)
    assert cli.guarded("everylink", broken, []) == 1
    assert capsys.readouterr().err == "everylink: ValueError: two lines (EVERYLINK_TRACEBACK=1 shows where)\n"
    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(ValueError, match="two"):
        cli.guarded("everylink", broken, [])
