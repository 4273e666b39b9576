"""The command `everylink compare`: its text, its JSON, its exit codes and its error messages."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Command
from damage import READ, Recipe
from everylink.io.results_file import write_results
from everylink.version import VERSION
from fabric_runs import SIZE, fabric_run
from hostile import damaged_by
from make_results import make_results


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A healthy run, and one with a slow host and a dark link."""
    runs = (
        fabric_run(hosts=16, sizes=(8, SIZE)),
        fabric_run("slow-host:n3*0.6", "dark:n1>n2", hosts=16, seed=2, sizes=(8, SIZE)),
    )
    paths = tmp_path / "base.h5", tmp_path / "new.h5"
    for run, path in zip(runs, paths, strict=True):
        write_results(replace(run, path=path))
    return paths


def test_the_text_has_a_line_for_each_finding(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, err = everylink("compare", *files)
    assert (code, err) == (3, "")
    head, _, findings = out.partition("\n\n")
    assert head == f"{files[0]} -> {files[1]}\n  16 ranks on 16 hosts, 238 links, 8 B, 1 MiB"
    lines = findings.splitlines()
    assert lines[0] == "FAILED   pair n1:1 <-> n2:2: both links timed out at 8 B and 1 MiB"
    assert lines[1].startswith("SLOWER   host n3: 1.6")
    assert " times as long at 1 MiB (" in lines[1]
    assert lines[1].endswith(", 30 links)")
    assert lines[2:] == ["Nothing else changed by 5 % or more."]


def test_in_reverse_the_changes_are_improvements(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", *reversed(files))
    assert code == 0
    assert "OK NOW   pair n1:1 <-> n2:2: both links timed out at 8 B and 1 MiB in the base" in out
    assert "FASTER   host n3: 1.6" in out
    assert "times as fast at 1 MiB" in out


def test_equal_runs_give_no_finding(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", files[0], files[0], "--at-least", "10%")
    assert code == 0
    expected = "links between hosts 1.000 times as long at 8 B, links between hosts 1.000 times as long at 1 MiB"
    assert out.endswith(f"Nothing changed by 10 % or more. ({expected})\n")


def test_the_smallest_reported_change_can_be_chosen(files: tuple[Path, Path], everylink: Command) -> None:
    _, out, _ = everylink("compare", *files, "--at-least", "90%")
    assert "SLOWER" not in out
    assert "Nothing else changed by 90 % or more." in out


def test_the_json_is_one_versioned_object(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", *files, "--format", "json")
    assert code == 3
    found = json.loads(out)
    assert list(found) == [
        "schema", "base", "new", "regression", "at_least", "ranks", "sizes", "failed", "slower", "healthy_again",
        "faster", "suspects", "differences", "hosts_changed", "only_base", "only_new",
    ]  # fmt: skip
    assert found["schema"] == "everylink-comparison/1"
    assert (found["base"], found["new"]) == tuple(map(str, files))
    assert (found["regression"], found["at_least"], found["ranks"]) == (True, 0.05, 16)
    assert [(size["bytes"], size["links"]) for size in found["sizes"]] == [(8, 238), (SIZE, 238)]
    assert found["sizes"][1]["factor_of_all"]["other host"] == pytest.approx(1, abs=0.02)
    (slower,) = found["slower"]
    assert (slower["kind"], slower["subject"], slower["direction"]) == ("host", ["n3"], "both")
    assert (slower["bytes"], slower["also_bytes"], slower["links"]) == (SIZE, [], 30)
    assert slower["factor"] == pytest.approx(1 / 0.6, rel=0.05)
    assert 0.999 < slower["confidence"] <= 1
    assert slower["base_seconds"] < slower["new_seconds"]
    failed = {"name": "pair n1:1 <-> n2:2", "bytes": 8, "also_bytes": [SIZE], "failed": 2, "links": 2}
    assert found["failed"] == [failed | {"outcomes": {"timeout": 2}}]
    assert found["healthy_again"] == found["faster"] == found["suspects"] == found["differences"] == []
    assert found["only_base"] == found["only_new"] == {"ranks": [], "sizes": []}


def test_many_hosts_with_the_same_change_are_one_line(tmp_path: Path, everylink: Command) -> None:
    runs = fabric_run(hosts=128), fabric_run("slow-group:g2*0.7", hosts=128, seed=2)
    for run, name in zip(runs, ("a.h5", "b.h5"), strict=True):
        write_results(replace(run, path=tmp_path / name))
    _, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert "SLOWER   32 hosts n[64-95]: 1.4" in out
    assert out.count("SLOWER") == 1


def test_different_settings_are_reported(tmp_path: Path, everylink: Command) -> None:
    run = fabric_run(hosts=17, sizes=(8, SIZE))
    other = fabric_run(hosts=16, sizes=(SIZE, 64), seed=2)
    facts = replace(other.facts, tool_version="9.8.7", transport_options="sockets=4", check=True, complete=False)
    write_results(replace(run, path=tmp_path / "a.h5"))
    write_results(replace(other, path=tmp_path / "b.h5", facts=facts))
    code, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert code == 0
    for line in (
        "The new run is incomplete: it was interrupted, or is still running; these are its links so far",
        f"version: {VERSION} -> 9.8.7", "options of --mode: none -> sockets=4", "--check: off -> on",
        "only in the base: 1 rank: n16:16", "only in the base: 8 B", "only in the new run: 64 B",
    ):  # fmt: skip
        assert f"\n  {line}\n" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("base.h5",), "NEW"),
        (("base.h5", "no.h5"), "no.h5: there is no such file"),
        (("base.h5", "new.h5", "--format", "xml"), "--format"),
        (("base.h5", "new.h5", "--at-least", "5"), "--at-least 5: must be a percentage such as 5%"),
        (("base.h5", "new.h5", "--at-least", "0%"), "--at-least 0%: must be a percentage such as 5%"),
        (("base.h5", "new.h5", "--at-least", "-1%"), "--at-least"),
        (("base.h5", "new.h5", "--at-least", "1e9%"), "--at-least 1e9%: must be"),
    ],
)
@pytest.mark.one_in(2)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...],
    expected: str,
    files: tuple[Path, Path],
    everylink: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files[0].parent)
    code, out, err = everylink("compare", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


@pytest.mark.long
@pytest.mark.parametrize("recipe", damaged_by(READ))
def test_an_unusual_file_is_compared_and_merged_or_refused_in_one_line(
    recipe: Recipe, tmp_path: Path, everylink: Command
) -> None:
    good, odd = (make_results(tmp_path / name, sizes=(1, 65536)) for name in ("good.h5", "odd.h5"))
    recipe(odd)
    commands: list[tuple[object, ...]] = [
        ("compare", *pair, "--format", form) for pair in ((good, odd), (odd, good)) for form in ("text", "json")
    ]
    commands += [("merge", good, odd, "--by", by, "-o", tmp_path / f"{by}.h5") for by in ("median", "min")]
    for command in commands:
        code, out, err = everylink(*command)
        assert code in (0, 2, 3), command
        assert err.count("\n") == (1 if code == 2 else 0), err
        assert bool(out) == (code != 2)
        if command[0] == "merge" and code == 0:
            assert everylink("compare", good, command[-1])[0] in (0, 2, 3)
