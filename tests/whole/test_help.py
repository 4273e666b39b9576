"""The core's own documentation: help, the table of options, the man page, completion in three shells."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import PATIENCE, measure_program

ROOT = Path(__file__).parents[2]
NAMES = ("everylink-measure", "linktest", "linktest.ucp", "mpilinktest")
PATTERNS = ("incast", "outcast", "shift", "ring", "random-bisection", "victim", "client-server", "all-to-all")


def said(*arguments: str, name: str = "everylink-measure") -> str:
    program = Path(measure_program()).parent / name
    done = subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["-h", "--help"])
def test_help_outside_a_terminal_is_at_most_80_columns_wide(name: str, form: str) -> None:
    lines = said(form, name=name).splitlines()
    examples = [line for line in lines if len(line) > 80]
    assert not [line for line in lines if len(line) > 100]
    assert all(line.startswith("      ") for line in examples), examples
    assert any(line == f"Usage: {name} [OPTIONS]" or line.startswith(f"Usage: {name} ") for line in lines)


def test_help_gives_three_examples_that_parse(tmp_path: Path) -> None:
    examples = json.loads(said("--help=json"))["examples"]
    assert len(examples) == 3
    for example in examples:
        words = example["line"].split()
        words = words[words.index("everylink-measure") + 1 :]
        summary = "Measure every" if words[0].startswith("-") else "An increasing number of senders"
        assert said(*words, "-h").startswith(summary), example


def table() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(said("--help=json"))
    return read


def test_the_table_has_every_field_of_every_option() -> None:
    fields = {
        "names", "value", "unit", "list", "optional", "range", "choices", "group", "brief", "more", "default",
        "applies_to", "in_patterns", "kernels", "modes", "linktest2", "linktest1",
    }  # fmt: skip
    core = table()
    assert set(core) == {
        "program", "version", "summary", "usage", "options", "exclusions", "patterns", "examples", "notes",
    }  # fmt: skip
    assert [pattern["name"] for pattern in core["patterns"]] == list(PATTERNS)
    assert all(set(option) == fields for option in core["options"])
    sizes = next(option for option in core["options"] if "-s" in option["names"])
    assert sizes["names"] == ["-s", "--size-messages"]
    assert (sizes["unit"], sizes["list"], sizes["default"]) == ("bytes", True, "1")
    assert sizes["in_patterns"]["client-server"]["more_names"] == ["--bsize"]
    assert sizes["in_patterns"]["incast"]["default"] == "256KiB"
    assert (sizes["linktest2"], sizes["linktest1"]) == (["size-messages"], "sk")


@pytest.mark.parametrize("name", NAMES)
def test_every_name_prints_its_own_table(name: str) -> None:
    core = json.loads(said("--help=json", name=name))
    assert core["program"] == name
    assert len(core["options"]) > 30


def test_the_pages_of_options_and_commands_are_current() -> None:
    environment = os.environ | {"EVERYLINK_MEASURE": measure_program()}
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/make_docs", "--check"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here")
def test_the_man_page_is_set_without_a_warning() -> None:
    page = said("--help=man")
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=100n"],
        input=page,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    text = "".join(done.stdout.split())
    for words in ("NAME", "SYNOPSIS", "--size-messagesSIZES", "EXAMPLES", "--congestorPATTERN"):
        assert words in text


# --- completion --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("completion") / "everylink-measure"
    file.write_text(said("--help=bash"))
    return file


def completed(file: Path, line: str, function: str = "_everylink_measure", cwd: Path | None = None) -> list[str]:
    """What bash offers for the last word of the line, split as readline splits it."""
    words = line.replace("=", " = ").split()
    if line.endswith((" ", "=")):
        words.append("")
    if line.endswith("="):
        words = words[:-1]
    script = f"""
        source {file}
        COMP_WORDS=("$@"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); {function}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True, cwd=cwd)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("everylink-measure --num-m", ["--num-messages", "--num-multi-buf"]),
        ("everylink-measure --mode s", ["sim"]),
        ("everylink-measure --mode=t", ["tcp"]),
        ("everylink-measure --progress=", ["auto", "json", "none", "plain"]),
        ("everylink-measure -m u", ["ucp"]),
        ("everylink-measure --schedule sam", ["sample:"]),
        ("everylink-measure in", ["incast"]),
        ("everylink-measure incast --roo", ["--root"]),
        ("everylink-measure incast --sched", []),
        ("everylink-measure --roo", []),
        ("everylink-measure --np 4 client-server --bs", ["--bsize"]),
        ("everylink-measure victim --congestor sh", ["shift"]),
        ("everylink-measure victim --congestor incast --vic", ["--victims"]),
        ("everylink-measure -o incast --sched", ["--schedule"]),
        ("everylink-measure --np ", []),
    ],
)
def test_bash_offers_valid_words(bash: Path, line: str, offered: list[str]) -> None:
    assert sorted(completed(bash, line)) == sorted(offered)


def test_bash_offers_file_names_for_file_options(bash: Path, tmp_path: Path) -> None:
    (tmp_path / "old run.h5").touch()
    (tmp_path / "old.h5").touch()
    assert completed(bash, "everylink-measure --resume old.", cwd=tmp_path) == ["old.h5"]


def test_bash_completes_the_names_of_linktest(tmp_path: Path) -> None:
    file = tmp_path / "linktest"
    file.write_text(said("--help=bash", name="linktest"))
    assert completed(file, "linktest --no-s", "_linktest") == ["--no-sion-file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("name", ["everylink-measure", "linktest", "mpilinktest"])
def test_each_shell_accepts_its_completion_script(shell: str, name: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    file = tmp_path / name
    file.write_text(said(f"--help={shell}", name=name))
    done = subprocess.run([shell, "-n", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [("everylink-measure --num-me", ["--num-messages"]), ("everylink-measure incast --roo", ["--root"])],
)
def test_fish_offers_valid_words(line: str, offered: list[str], tmp_path: Path) -> None:
    file = tmp_path / "everylink-measure.fish"
    file.write_text(said("--help=fish"))
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {file}; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    assert [offer.split("\t")[0] for offer in done.stdout.splitlines()] == offered


def test_the_tests_of_the_python_half_use_the_same_table() -> None:
    recorded = json.loads((ROOT / "tests/python/core_table.json").read_text())
    current = json.loads(said("--help=json"))
    read = [{field: option[field] for field in recorded["options"][0]} for option in current["options"]]
    assert recorded["options"] == read
    assert recorded["patterns"] == [{"name": pattern["name"]} for pattern in current["patterns"]]
