"""The command line itself: abbreviations, exit codes, and one line per error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import everylink as package
from conftest import Command
from everylink.cli import COMMANDS

ROOT = Path(__file__).parents[2]


def one_line(answer: tuple[int, str, str]) -> str:
    code, out, err = answer
    assert (code, out) == (2, "")
    assert err.startswith("everylink: ")
    assert err.count("\n") == 1
    return err


def test_the_version_is_that_of_the_package(everylink: Command) -> None:
    assert everylink("--version") == (0, f"everylink {package.__version__}\n", "")


def test_help_names_every_command(everylink: Command) -> None:
    code, out, _ = everylink("--help")
    assert code == 0
    assert all(f"  {command} " in out for command in COMMANDS)


def test_a_command_may_be_abbreviated_while_unambiguous(file: Path, everylink: Command) -> None:
    assert everylink("sh", file)[0] == 0
    assert "ambiguous command; it may be run or report" in one_line(everylink("r", file))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "a command is missing"),
        (("frobnicate",), "frobnicate: unknown command; use check, run, show, report"),
        (("show",), "FILE"),
        (("show", "x.h5", "--frobnicate"), "--frobnicate"),
        (("show", "nothing.h5"), "nothing.h5: there is no such file"),
        (("report", "x.h5"), "-o/--output"),
        (("report", "x.h5", "-o"), "-o"),
        (("report", "nothing.h5", "-o", "x.png"), "nothing.h5: there is no such file"),
        (("report", "nothing.h5", "-o", "x.gif"), "-o x.gif: the name must end in .html, .pdf, .ps, .png"),
        (("report", "nothing.h5", "-o", "nowhere/x.pdf"), "folder nowhere does not exist"),
        (("run", "--launcher", "pdsh"), "pdsh"),
        (("run", "--np", "two"), "--np"),
        (("run", "--np", "1"), "--np 1: a single rank has nothing to measure; start at least 2"),
        (("run", "--report", "x.doc"), "--report x.doc"),
        (("run", "--report", "x.pdf", "--no-output"), "--report and --no-output exclude each other"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], expected: str, everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert expected in one_line(everylink(*arguments))


@pytest.mark.parametrize("start", [[sys.executable, "-m", "everylink"], [ROOT / "scripts/everylink"]])
@pytest.mark.one_in(2)
def test_nothing_is_imported_from_the_current_folder(start: list[object], file: Path) -> None:
    for module in ("numpy", "json", "rich", "h5py"):
        (file.parent / f"{module}.py").write_text("raise SystemExit('hostile')")
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    command = [str(word) for word in (*start, "show", file.name)]
    done = subprocess.run(command, cwd=file.parent, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 ranks on 2 hosts" in done.stdout


def test_a_thread_that_has_no_memory_to_begin_holds_up_no_command(
    file: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """threading.Thread.start would wait for it."""
    monkeypatch.setattr("_thread.start_new_thread", lambda *_: 1)
    assert everylink("show", file)[0] == 0


def test_what_a_library_cannot_raise_is_not_printed() -> None:
    """Such as h5py without memory to give something back."""
    ends = "from everylink.cli import main\nmain(['-V'])\nclass A:\n def __del__(self): raise MemoryError\nA()"
    done = subprocess.run([sys.executable, "-c", ends], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
