"""Every command answers as text, as one line (--quiet) and as one JSON object, by the same options."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Command
from everylink.cli.options.table import EVERYLINK
from inventories import cluster, make_inventory
from make_loads import make_all_to_all, make_service
from make_results import make_results
from stores import nights
from terminals import run_on_terminal

pytestmark = pytest.mark.thorough  # not in make quick

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("json.md", "verdicts.md", "results.md", "predict.md", "results-file.md", "history.md")
NAMED_BY_DATA = ("outcomes", "factor_of_all")  # their keys are names
ANSWERS = (  # words, the schema, what --quiet prints
    ("run --force", "everylink-verdicts/2", r"no fault found in bandwidth; .*"),
    ("show a.h5", "everylink-summary/1", r"healthy: latency and bandwidth of 12 links"),
    ("show a.h5 --hosts --below 1000GB/s --above 1MB/s", "everylink-summary/1", r"healthy: .*"),
    ("show a.h5 --host-pairs", "everylink-summary/1", r"healthy: .*"),
    ("show a.h5 --switches --topology leaves", "everylink-summary/1", r"healthy: .*"),
    ("show dead.h5", "everylink-summary/1", r"FAULTS: .*"),
    ("show service.h5 --hosts", "everylink-load-summary/1", r".*links\)"),
    ("show all.h5 --hosts", "everylink-load-summary/1", r".*links\)"),
    ("diagnose dead.h5", "everylink-verdicts/2", r"FAULTS: .*"),
    ("compare a.h5 dead.h5", "everylink-comparison/1", r"1 failed"),
    ("compare a.h5 a.h5", "everylink-comparison/1", r"nothing changed by 5 % or more"),
    ("compare all.h5 all.h5", "everylink-load-comparison/1", r"nothing changed by 5 % or more"),
    ("predict a.h5 --pattern ring --place p", "everylink-prediction/1", r"exchange \S+ us, without faults \S+ us"),
    ("inventory i.h5", "everylink-inventory/1", r"4 hosts: 1 deviation \(1 warning\)"),
    ("inventory i.h5 i.h5", "everylink-inventory-changes/1", r"4 hosts in both files: nothing changed"),
    ("bundle n1 a.h5 -o x.tgz", "everylink-files/1", ""),
    ("metrics a.h5 -o x.prom", "everylink-files/1", ""),
    ("store --store s", "everylink-store-runs/1", r"s: 2 runs, 2026-11-01 to 2026-11-02"),
    ("history --store s", "everylink-history/1", "4 hosts steady"),
    ("history n1 --store s", "everylink-history-of/1", "host n1: steady"),
    ("ack n1 --until 14d --reason cable --store s", "everylink-acks/1", "1 acknowledgement"),
    ("history --store s -o x.html", "everylink-files/1", ""),
    ("report a.h5 -o x.html", "everylink-files/1", ""),
    ("report a.h5 -o x.png --curves", "everylink-files/1", ""),
    ("convert a.h5 x.sion", "everylink-files/1", ""),
    ("merge a.h5 b.h5 --by min -o x.h5", "everylink-files/1", ""),
    ("simulate --hosts 4 -o x.h5 --truth x.json --topology x.conf", "everylink-files/1", ""),
    ("export a.h5 --what hosts -o x.dat", "everylink-files/1", ""),
)
words = pytest.mark.parametrize("words", [words for words, _, _ in ANSWERS])


@pytest.fixture(autouse=True)
def files(fake_core: None, tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        make_results(tmp_path / name, sizes=(8, 65536))
    make_results(tmp_path / "dead.h5", sizes=(8, 65536), outcomes={(0, 3): 1})
    make_service(tmp_path / "service.h5", lambda kind, client, server: 1e-3)
    make_all_to_all(tmp_path / "all.h5", lambda frm, to: 1e9)
    (tmp_path / "leaves").write_text("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n")
    machines = cluster(4)
    machines[1].facts["host", "governor"] = "powersave"
    make_inventory(tmp_path / "i.h5", machines)
    nights(tmp_path / "s", [[], []], hosts=4)


def keys(value: object) -> Iterator[str]:
    """Every name of a field, at any depth."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            if name not in NAMED_BY_DATA:
                yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


@pytest.mark.parametrize("command", EVERYLINK.commands, ids=lambda command: command.name)
@pytest.mark.one_in(5)
def test_every_command_has_format_and_quiet(command: object) -> None:
    options = {option.names[0]: option for option in command.options}  # type: ignore[attr-defined]
    assert options["--format"].choices[:2] == ("text", "json")
    assert options["--quiet"].unit == "none"


def test_every_command_is_tried_here() -> None:
    assert {words.split()[0] for words, _, _ in ANSWERS} == {c.name for c in EVERYLINK.commands} - {"check", "view"}


@pytest.mark.parametrize(("words", "schema"), [(words, schema) for words, schema, _ in ANSWERS])
@pytest.mark.one_in(13)
def test_json_is_one_documented_object_and_nothing_else(words: str, schema: str, everylink: Command) -> None:
    code, out, err = everylink(*words.split(), "--format", "json")
    assert code in (0, 3, 4)
    said = json.loads(out)
    assert next(iter(said)) == "schema"
    assert said["schema"] == schema
    assert err in ("", "a message of the core\n")
    documented = "".join((DOCS / page).read_text() for page in PAGES)
    assert [name for name in keys(said) if f"`{name}`" not in documented] == []


@pytest.mark.parametrize(("words", "line"), [(words, line) for words, _, line in ANSWERS])
@pytest.mark.one_in(17)
def test_quiet_prints_one_line_or_nothing(words: str, line: str, everylink: Command) -> None:
    code, out, _ = everylink(*words.split(), "--quiet")
    assert re.fullmatch(f"{line}\n" if line else "", out), out
    assert code == everylink(*words.split(), *([] if "run" in words else force(words)))[0]


def writes(words: str) -> bool:
    return " -o " in words or "convert" in words or "--place" in words


def force(words: str) -> list[str]:
    return ["--force"] if writes(words) and not words.startswith("metrics") else []  # which replaces its file


@words
@pytest.mark.one_in(13)
def test_files_named_by_json_exist(words: str, everylink: Command) -> None:
    said = json.loads(everylink(*words.split(), "--format", "json")[1])
    named = said.get("files", said.get("placement", {}).get("files", []))
    assert all(Path(name).stat().st_size > 0 for name in named)
    assert bool(named) == writes(words)


def test_what_a_format_does_not_hold_is_a_note(everylink: Command) -> None:
    said = json.loads(everylink("convert", "a.h5", "x.sion", "--format", "json")[1])
    assert said["files"] == ["x.sion"]
    assert any("8 B: the format holds a single size" in note for note in said["notes"])


def test_fits_and_tables_are_json_too(everylink: Command) -> None:
    fits = json.loads(everylink("show", "a.h5", "--fit", "--format", "json")[1])
    assert (fits["schema"], {fit["kind"] for fit in fits["fits"]}) == ("everylink-fits/1", {"other host", "same host"})
    table = json.loads(everylink("export", "a.h5", "--what", "slowest", "--format", "json")[1])
    assert table["schema"] == "everylink-table/1"
    assert len(table["rows"]) == 10
    assert all(len(row) == len(table["columns"]) for row in table["rows"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("export a.h5 --what slowest --quiet", "--quiet applies only to -o"),
        ("show a.h5 --fit --quiet", "--fit prints nothing else; leave out --quiet"),
    ],
)
def test_quiet_is_refused_where_it_would_leave_nothing(words: str, said: str, everylink: Command) -> None:
    code, out, err = everylink(*words.split())
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.long
@pytest.mark.parametrize("words", ["run --force", "show dead.h5", "diagnose dead.h5", "compare a.h5 dead.h5"])
def test_a_terminal_gets_colours_unless_no_color_is_set(words: str) -> None:
    command = [sys.executable, "-P", "-m", "everylink", *words.split()]
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert colour.search(run_on_terminal(command)[1])
    assert not colour.search(run_on_terminal(command, NO_COLOR="1")[1])
