"""The option table, and what is generated from it: parsing, help, the man page, completion."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from conftest import Command
from everylink.cli.options import table
from everylink.cli.options.completion import bash, fish, zsh
from everylink.cli.options.help import help_of, help_of_program
from everylink.cli.options.man import man_page
from everylink.cli.options.option import Command as Entry
from everylink.cli.options.table import EVERYLINK, LINKTEST_REPORT, NETWORK_SANITIZER, PINGPONGANALYSIS
from everylink.io.csv_matrix import OPTIONAL, REQUIRED
from everylink.launch.launcher import LAUNCHERS
from everylink.links.merging import WAYS
from everylink.predict.patterns import NAMES
from everylink.terminal.tables import TABLES

ALL = (*EVERYLINK.commands, PINGPONGANALYSIS, LINKTEST_REPORT, NETWORK_SANITIZER)
SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def choices(command: Entry, name: str) -> list[str]:
    (option,) = [option for option in command.options if name in option.names]
    return list(option.choices or option.suggestions)


def test_choices_match_the_code() -> None:
    import_module("everylink.launch.launchers")  # registers them
    assert sorted(choices(table.RUN, "--launcher")) == sorted(LAUNCHERS)
    assert choices(table.MERGE, "--by") == list(WAYS)
    assert choices(table.EXPORT, "--what") == list(TABLES)
    assert choices(table.PREDICT, "--pattern") == list(NAMES)
    assert (table.CSV_REQUIRED, table.CSV_OPTIONAL) == (REQUIRED, OPTIONAL)


def test_the_table_needs_only_the_standard_library() -> None:
    script = """
import sys
from everylink.cli import main
main(["--help=man"])
print(sorted({name.partition(".")[0] for name in sys.modules} & {"numpy", "h5py", "rich", "scipy", "ClusterShell"}))
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.program)
def test_entries_are_complete(entry: Entry) -> None:
    names = [name for option in entry.options for name in option.names]
    assert len(names) == len(set(names))
    for option in entry.options:
        assert option.brief
        assert not option.brief.endswith(".")
        assert bool(option.value) == (option.unit != "none" and not option.refused)
        assert not option.more or option.more.endswith(".")


# --- help ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.program)
@pytest.mark.parametrize("detailed", [False, True])
def test_help_has_every_option_within_its_width(entry: Entry, detailed: bool) -> None:
    text = help_of(entry, detailed, 80)
    for option in entry.listed:
        assert option.names[-1] in text or option.positional
    for line in text.splitlines():
        assert len(line) <= (100 if line.startswith("      everylink") else 80), line
    assert "%%" not in text
    assert "(s)" not in text.replace("time (s)", "")


def test_help_follows_the_width_of_the_terminal(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (60, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        code, out, err = everylink("--help")
        assert (code, err) == (0, "")
        assert out == help_of_program(EVERYLINK, True, width)
        assert width - 15 < max(map(len, out.splitlines())) <= width


def test_each_command_prints_its_help(capfd: pytest.CaptureFixture[str]) -> None:
    from everylink.cli import main

    for command in EVERYLINK.commands:
        for option in ("-h", "--help"):
            with pytest.raises(SystemExit) as ended:
                main([command.name, option])
            assert ended.value.code == 0
            assert f"Usage: {command.program} " in capfd.readouterr().out


def test_a_percent_sign_is_printed_once() -> None:
    assert "--at-least P%\n" in help_of(table.COMPARE, True, 80)


def test_the_table_is_printed_as_json(everylink: Command) -> None:
    code, out, err = everylink("--help=json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert [command["name"] for command in told["commands"]] == [command.name for command in EVERYLINK.commands]
    (compare,) = [command for command in told["commands"] if command["name"] == "compare"]
    (at_least,) = [option for option in compare["options"] if "--at-least" in option["names"]]
    assert (at_least["value"], at_least["default"]) == ("P%", "5%")


# --- abbreviated and mistyped words ----------------------------------------------------------------------------
def test_an_option_may_be_abbreviated_while_unambiguous(file: Path, everylink: Command) -> None:
    assert everylink("show", file, "--slow", "3") == everylink("show", file, "--slowest=3")
    code, out, err = everylink("simulate", "--t", "x")
    assert (code, out) == (2, "")
    assert err == "everylink: --t: ambiguous; it may be --transient or --truth or --topology\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shwo", "x.h5"], "shwo: unknown command (did you mean show?); use check, run, show"),
        (["--hlep"], "--hlep: unknown option (did you mean --help?)"),
        (["--help=mam"], "--help=mam: unknown form (did you mean man?); use text, json, man, bash, zsh, fish"),
        (
            ["show", "x.h5", "--belwo", "1GB/s"],
            "--belwo: unknown option (did you mean --below?); everylink show",
        ),
        (
            ["diagnose", "x.h5", "--format", "jsn"],
            "--format jsn: unknown (did you mean json?); use text",
        ),
        (["run", "--launcher", "srn"], "--launcher srn: unknown (did you mean srun?)"),
        (["show", "x.h5", "--slowest", "9" * 5000], "is too large"),
        (["show", "x.h5", "--slowest", "many"], "--slowest many: not a whole number"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(words: list[str], said: str, everylink: Command) -> None:
    code, out, err = everylink(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize("text", ["65536", "64K", "64k", "64KiB", "64kib", "64 KiB", "0.0625M"])
def test_sizes_have_the_notation_of_everylink_measure(text: str, file: Path, everylink: Command) -> None:
    assert everylink("export", file, "--what", "hosts", "--size", text) == everylink("export", file, "--what", "hosts")


def test_a_size_with_an_unknown_unit_lists_valid_forms(file: Path, everylink: Command) -> None:
    code, _, err = everylink("export", file, "--what", "hosts", "--size", "64KX")
    assert code == 2
    assert "--size: invalid size '64KX'; use 17, 64K, 64KiB (65536 bytes), 1MiB or 2GB" in err


# --- the man page ----------------------------------------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here")
def test_the_man_page_is_typeset_without_warnings() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-rLL=100n", "-P-cbou"],
        input=man_page(EVERYLINK), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EVERYLINK RUN", "EVERYLINK PREDICT", "EXIT STATUS", "EXAMPLES"):
        assert heading in lines
    assert "everylink - measure every point-to-point connection of a cluster, and judge the results" in lines
    assert any(line.startswith("--at-least P%") for line in lines)
    assert any(line.startswith("slow-host:NAME*RATE") for line in lines)
    text = re.sub(r"\s+", " ", done.stdout)
    for command in EVERYLINK.commands:
        assert all(option.names[0] in text for option in command.listed if not option.positional)


# --- completion ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts_have_valid_syntax(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    script = tmp_path / "completion"
    script.write_text(SHELLS[shell](EVERYLINK))
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def completed(line: str, folder: Path, before: str = "") -> list[str]:
    """What bash offers for the last word of a line, split into words as by readline."""
    words = line.replace("=", " = ").split()
    if line.endswith(" "):
        words.append("")
    script = folder / "completion"
    script.write_text(bash(EVERYLINK))
    ask = f"""
        {before}
        source {script}
        COMP_WORDS=("$@"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _everylink
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", ask, "bash", *words], capture_output=True, text=True, check=True, cwd=folder)
    assert done.stderr == ""
    return sorted(done.stdout.split())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("everylink di", ["diagnose"]),
        ("everylink --he", ["--help"]),
        ("everylink --help=m", ["man"]),
        ("everylink show --be", ["--below"]),
        ("everylink show --np", []),
        ("everylink diagnose x.h5 --format j", ["json", "junit"]),
        ("everylink diagnose x.h5 --format=te", ["text"]),
        ("everylink show --hosts old", ["old.h5"]),
        ("everylink simulate --fault dark", ["dark-host:", "dark:"]),
        ("everylink show --slowest ", []),
        ("everylink run --launch", ["--launcher", "--launcher-args"]),
    ],
)
def test_bash_offers_what_fits(line: str, offered: list[str], tmp_path: Path) -> None:
    (tmp_path / "old.h5").touch()
    assert completed(line, tmp_path) == offered


def test_after_run_bash_also_offers_options_of_the_core(tmp_path: Path) -> None:
    core = '_everylink_measure() { COMPREPLY=("${COMP_WORDS[*]}+$COMP_CWORD"); }'
    offered = completed("everylink run -s 1 --no", tmp_path, core)
    assert offered == sorted(["everylink-measure", "-s", "1", "--no+3"])


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
@pytest.mark.parametrize(
    ("line", "offered"),
    [("everylink di", ["diagnose"]), ("everylink show --be", ["--below"])],
)  # fmt: skip
def test_fish_offers_what_fits(line: str, offered: list[str], tmp_path: Path) -> None:
    script = tmp_path / "everylink.fish"
    script.write_text(fish(EVERYLINK))
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
        capture_output=True, text=True, check=True, env=os.environ | {"HOME": str(tmp_path)},
    )  # fmt: skip
    assert sorted(offer.split("\t")[0] for offer in done.stdout.splitlines()) == offered
