"""Command lines of the core, read by its table of options."""

from pathlib import Path

import pytest

from conftest import CORE_TABLE
from everylink.errors import CoreError
from everylink.launch.core_line import CoreTable, table_of


@pytest.fixture
def table(tmp_path: Path) -> CoreTable:
    return table_of(program(tmp_path / "core", f"cat '{CORE_TABLE}'"))


def program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("-s 1 -m sim", {"--size-messages": "1", "--mode": "sim"}),
        ("--mode=sim:hosts=2 --mo ucp", {"--mode": "ucp"}),
        ("-mucp -m sim", {"--mode": "sim"}),
        ("-o --force", {"--output": "--force"}),
        ("--no-out --forc", {"--no-output": "", "--force": ""}),
        ("--help -w0", {"--help": "", "--num-warmup-messages": "0"}),
        ("--num 5 -z 7 - --", {}),
        ("-o", {"--output": ""}),
    ],
)
def test_options_are_read_as_the_core_reads_them(words: str, values: dict[str, str], table: CoreTable) -> None:
    line = table.line(words.split())
    assert line.pattern is None
    assert line.values == values


@pytest.mark.parametrize(
    ("words", "pattern", "values"),
    [
        ("incast --root 3", "incast", {"--root": "3"}),
        ("-vo victim ring --bs 4", "ring", {"--verbose": "", "--output": "victim"}),
        ("--bsize 4 --seq all-to-all", "all-to-all", {"--size-messages": "4", "--sequential": ""}),
        ("--duration=1 shift incast", "shift", {"--duration": "1"}),
    ],
)
def test_a_pattern_is_a_word_that_is_no_value(
    words: str, pattern: str, values: dict[str, str], table: CoreTable
) -> None:
    line = table.line(words.split())
    assert line.pattern == pattern
    assert line.values == values


def test_an_option_is_left_out_with_its_value_and_all_else_stays(table: CoreTable) -> None:
    words = ["incast", "-o", "x", "--forc", "--time-limit", "3", "-vo=y", "--force"]
    assert table.without("--force", words) == ["incast", "-o", "x", "--time-limit", "3", "-v", "-o=y"]
    assert table.without("--output", words) == ["incast", "--forc", "--time-limit", "3", "-v", "--force"]


@pytest.mark.parametrize("script", ["echo '{}'", "echo no", "exit 1", 'echo \'{"patterns": [1], "options": []}\''])
def test_a_core_without_a_table_is_named(script: str, tmp_path: Path) -> None:
    core = program(tmp_path / "core", script)
    with pytest.raises(CoreError, match=f"{core} --help=json printed no table of options"):
        table_of(core)
