"""What got slower or faster between two runs: planted changes are found, and nothing else."""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Command
from damage import READ, Recipe
from everylink.analysis.changes import Change, sure, worst_first
from everylink.analysis.comparison import Comparison, compare
from everylink.analysis.matching import match
from everylink.errors import UserMistake
from everylink.formats.write import write_results
from everylink.results import Results
from made_up import SIZE, fabric_run, renumbered
from make_results import make_results

LINK = 2 / (1 + 1 / 0.5)  # what a link at half its rate in one direction leaves of a round trip's speed


def named(changes: tuple[Change, ...]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(change.kind, change.subject, change.direction) for change in changes]


def only(found: Comparison, *, slower: int = 0, faster: int = 0) -> None:
    """Assert that there are so many findings and no other."""
    assert (len(found.slower), len(found.faster)) == (slower, faster), named(found.slower + found.faster)
    assert not found.failed
    assert not found.healed


@pytest.mark.parametrize(
    "shape", [(2, 1, True), (4, 2, True), (8, 1, False), (16, 4, True), (32, 1, True), (48, 1, False)]
)
def test_a_healthy_fabric_is_unchanged_whatever_its_noise(shape: tuple[int, int, bool]) -> None:
    hosts, ranks_per_host, both = shape
    for seed in range(20):
        options = {
            "hosts": hosts,
            "ranks_per_host": ranks_per_host,
            "both_directions": both,
            "noise": (0.01, 0.03)[seed % 2],
        }
        found = compare(fabric_run(seed=2 * seed, **options), fabric_run(seed=2 * seed + 1, **options))  # type: ignore[arg-type]
        only(found)
        assert not found.regression


@pytest.mark.parametrize("hosts", [4, 16, 64])
@pytest.mark.parametrize("ranks_per_host", [1, 3])
def test_a_host_that_got_slow_is_the_only_finding(hosts: int, ranks_per_host: int) -> None:
    for seed in range(3):
        base = fabric_run(hosts=hosts, seed=seed, ranks_per_host=ranks_per_host)
        new = fabric_run("slow-host:n3*0.6", hosts=hosts, seed=seed + 100, ranks_per_host=ranks_per_host)
        found = compare(base, new)
        only(found, slower=1)
        change = found.slower[0]
        assert named(found.slower) == [("host", ("n3",), "both")]
        assert change.factor == pytest.approx(1 / 0.6, rel=0.05)
        assert change.links == 2 * (hosts - 1) * ranks_per_host**2
        assert change.new_seconds / change.base_seconds == pytest.approx(1 / 0.6, rel=0.1)
        assert change.confidence > 0.999
        back = compare(new, base)
        only(back, faster=1)
        assert named(back.faster) == [("host", ("n3",), "both")]
        assert back.faster[0].factor == pytest.approx(0.6, rel=0.05)
        assert not back.regression


def test_ranks_are_matched_by_host_and_local_rank_when_their_numbers_moved() -> None:
    base = fabric_run(hosts=16, ranks_per_host=2)
    new = renumbered(fabric_run("slow-host:n3*0.6", hosts=16, ranks_per_host=2, seed=2), seed=8)
    assert new.ranks.host != base.ranks.host
    found = compare(base, new)
    only(found, slower=1)
    assert named(found.slower) == [("host", ("n3",), "both")]
    only(compare(base, renumbered(base, seed=9)))


def test_what_the_runs_do_not_share_is_named_and_the_rest_compared() -> None:
    base = fabric_run(hosts=16, sizes=(8, SIZE))
    new = fabric_run("slow-host:n3*0.6", hosts=20, seed=2, sizes=(64, SIZE))
    found = compare(base, new)
    only(found, slower=1)
    assert found.matched.ranks_only_base == ()
    assert found.matched.ranks_only_new == ("n16:16", "n17:17", "n18:18", "n19:19")
    assert (found.matched.sizes_only_base, found.matched.sizes_only_new) == ((8,), (64,))
    assert compare(new, base).matched.ranks_only_base == found.matched.ranks_only_new


def test_a_direction_is_seen_by_a_kernel_that_can_see_it() -> None:
    options = {"hosts": 16, "both_directions": False}
    found = compare(fabric_run(**options), fabric_run("slow-send:n9*0.6", seed=2, **options))  # type: ignore[arg-type]
    only(found, slower=1)
    assert named(found.slower) == [("host", ("n9",), "send")]
    assert found.slower[0].links == 15
    found = compare(fabric_run(**options), fabric_run("slow-receive:n9*0.6", seed=2, **options))  # type: ignore[arg-type]
    assert named(found.slower) == [("host", ("n9",), "receive")]


def test_a_rank_is_told_from_its_host() -> None:
    options = {"hosts": 16, "ranks_per_host": 4}
    found = compare(fabric_run(**options), fabric_run("slow-rank:n9:2*0.6", seed=2, **options))  # type: ignore[arg-type]
    only(found, slower=1)
    assert named(found.slower) == [("rank", ("n9:38",), "both")]
    assert found.slower[0].links == 2 * 15 * 4


def test_a_slow_link_between_hosts_of_many_ranks_is_one_finding() -> None:
    options = {"hosts": 16, "ranks_per_host": 3}
    found = compare(fabric_run(**options), fabric_run("slow-link:n3>n9*0.5", seed=2, **options))  # type: ignore[arg-type]
    only(found, slower=1)
    assert named(found.slower) == [("hosts", ("n3", "n9"), "both")]
    assert found.slower[0].factor == pytest.approx(1 / LINK, rel=0.05)
    assert found.slower[0].links == 18


def test_a_link_is_sure_only_where_it_was_slow_more_often_than_chance() -> None:
    for seed in range(5):
        base = fabric_run(hosts=32, seed=seed)
        once = compare(base, fabric_run("slow-link:n3>n9*0.5", hosts=32, seed=seed + 100))
        only(once)
        assert ("n3:3", "n9:9") in [change.subject for change in once.suspects]
        again = compare(base, fabric_run("slow-link:n3>n9*0.5", hosts=32, seed=seed + 100, retested=20))
        only(again, slower=1)
        assert named(again.slower) == [("pair", ("n3:3", "n9:9"), "both")]


def test_a_slow_direction_of_a_link_is_named_by_its_ranks() -> None:
    options = {"hosts": 16, "both_directions": False, "transient": 0.0, "retested": 20}
    found = compare(fabric_run(**options), fabric_run("slow-link:n3>n9*0.5", seed=2, **options))  # type: ignore[arg-type]
    only(found, slower=1)
    assert named(found.slower) == [("link", ("n3:3", "n9:9"), "send")]
    assert found.slower[0].factor == pytest.approx(2, rel=0.06)
    del options["retested"]
    found = compare(fabric_run(**options), fabric_run("slow-link:n3>n9*0.5", seed=2, **options))  # type: ignore[arg-type]
    only(found)
    assert [change.subject for change in found.suspects] == [("n3:3", "n9:9")], "a single reading may be disturbed"


def test_a_fabric_that_got_slower_as_a_whole_is_one_finding() -> None:
    base = fabric_run(hosts=16, ranks_per_host=2)
    found = compare(base, slowed(fabric_run(hosts=16, ranks_per_host=2, seed=2), 1.1))
    assert sorted(named(found.slower)) == [("class", ("other host",), "both"), ("class", ("same host",), "both")]
    assert [change.factor for change in found.slower] == pytest.approx([1.1, 1.1], rel=0.02)
    only(compare(base, slowed(fabric_run(hosts=16, ranks_per_host=2, seed=2), 1.03)))
    only(compare(base, slowed(fabric_run(hosts=16, ranks_per_host=2, seed=2), 1 / 1.1)), faster=2)


def slowed(run: Results, factor: float, within: str = "") -> Results:
    """The run with every time longer, or those of links within one host."""

    def longer(rows: Any) -> Any:
        on_host = np.array([host == within for host in run.ranks.host])
        hit = on_host[rows.frm] & on_host[rows.to] if within else np.ones(len(rows.frm), bool)
        times = {name: np.where(hit, getattr(rows, name) * np.float32(factor), getattr(rows, name)) for name in TIMES}
        return replace(rows, **times)

    return replace(run, sizes=tuple(replace(size, rows=longer(size.rows)) for size in run.sizes))


TIMES = ("min", "median", "mean", "p99", "max")


def test_a_host_whose_own_links_got_slower_is_named() -> None:
    options: dict[str, Any] = {"hosts": 16, "ranks_per_host": 4, "transient": 0.0}
    found = compare(fabric_run(**options), slowed(fabric_run(seed=2, **options), 1.5, within="n5"))
    only(found, slower=1)
    assert named(found.slower) == [("within", ("n5",), "both")]
    assert found.slower[0].links == 12


def test_on_a_single_host_ranks_stand_for_hosts() -> None:
    options: dict[str, Any] = {"hosts": 1, "ranks_per_host": 12, "transient": 0.0}
    base, new = fabric_run(**options), fabric_run(seed=2, **options)
    only(compare(base, new))
    (size,) = new.sizes
    times = np.where((size.rows.frm == 5) | (size.rows.to == 5), 2 * size.rows.median, size.rows.median)
    bad = replace(new, sizes=(replace(size, rows=replace(size.rows, median=times)),))
    found = compare(base, bad)
    only(found, slower=1)
    assert named(found.slower) == [("rank", ("n0:5",), "both")]
    found = compare(base, slowed(new, 1.5))
    only(found, slower=1)
    assert named(found.slower) == [("class", ("same host",), "both")]


def test_a_third_of_all_hosts_is_not_mistaken_for_the_whole_fabric() -> None:
    bad = [f"slow-host:n{i}*0.6" for i in range(0, 48, 3)]
    found = compare(fabric_run(hosts=48), fabric_run(*bad, hosts=48, seed=2))
    only(found, slower=16)
    assert {change.subject[0] for change in found.slower} == {f"n{i}" for i in range(0, 48, 3)}
    only(compare(fabric_run(*bad, hosts=48), fabric_run(hosts=48, seed=2)), faster=16)


def test_one_host_mended_and_another_broken_are_two_findings() -> None:
    found = compare(fabric_run("slow-host:n5*0.7", hosts=32), fabric_run("slow-host:n9*0.6", hosts=32, seed=2))
    only(found, slower=1, faster=1)
    assert (found.slower[0].subject, found.faster[0].subject) == (("n9",), ("n5",))


def test_a_fault_that_was_there_before_is_no_change() -> None:
    faults = ("slow-host:n5*0.7", "dark:n1>n2", "slow-group:g1*0.8")
    only(compare(fabric_run(*faults, hosts=64), fabric_run(*faults, hosts=64, seed=2)))


def test_what_changed_at_several_sizes_is_one_finding_at_the_worst() -> None:
    sizes = (8, 65536, SIZE)
    found = compare(fabric_run(sizes=sizes), fabric_run("delay-host:n9*3", sizes=sizes, seed=2))
    only(found, slower=1)
    assert (found.slower[0].bytes, found.slower[0].also) == (8, (65536,))


def test_links_that_failed_in_one_run_only_are_named() -> None:
    base = fabric_run("dark-host:n5", "dark:n1>n2", hosts=16)
    new = fabric_run("dark-host:n7", "dark:n1>n2", hosts=16, seed=2)
    found = compare(base, new)
    assert [(failure.group.name, failure.group.failed) for failure in found.failed] == [("host n7", 28)]
    assert [(failure.group.name, failure.group.failed) for failure in found.healed] == [("host n5", 28)]
    assert not found.slower + found.faster
    assert found.regression
    assert compare(new, replace(new, path=Path("again"))).regression is False


def test_fewer_than_two_shared_ranks_or_no_shared_link_is_refused() -> None:
    run = fabric_run(hosts=4)
    other = replace(run, ranks=replace(run.ranks, host=("a", "b", "c", "d")), path=Path("b.h5"))
    with pytest.raises(UserMistake, match=r"b.h5: .* run-1.h5: no two ranks in both; a, b, c, \.\.\. here, n0, n1, n2"):
        compare(run, other)
    (size,) = run.sizes
    halves = [
        replace(run, sizes=(replace(size, rows=type(size.rows)(**{n: c[part] for n, c in vars(size.rows).items()})),))
        for part in (size.rows.frm < size.rows.to, size.rows.frm > size.rows.to)
    ]
    with pytest.raises(UserMistake, match="no link was measured in both"):
        compare(halves[0], halves[1])


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"transport": "mpi"}, "--mode is mpi here, simulate there"),
        ({"memory": "huge"}, "--memory is huge here, host there"),
        ({"kernel": "bidirectional"}, "the kernel is bidirectional here, semidirectional there"),
        ({"window": 64}, "--window is 64 here, 0 there"),
        ({"serial": True}, "--serial-tests is on here, off there"),
    ],
)
def test_runs_of_another_kind_are_refused_by_name(facts: Mapping[str, Any], expected: str) -> None:
    run = fabric_run(hosts=4)
    other = replace(run, facts=replace(run.facts, **facts), path=Path("b.h5"))
    with pytest.raises(UserMistake, match=f"b.h5: cannot be compared with run-1.h5: {expected}"):
        compare(run, other)


def test_runs_without_a_common_size_are_refused() -> None:
    with pytest.raises(UserMistake, match="no size in both; 64 B here, 8 B, 1 MiB there"):
        compare(fabric_run(hosts=4, sizes=(8, SIZE)), fabric_run(hosts=4, sizes=(64,), seed=2))


def test_hosts_of_one_name_are_matched_in_their_order() -> None:
    run = fabric_run(hosts=4)
    twins = replace(run, ranks=replace(run.ranks, host=("n0", "x", "x", "n3")))
    three = replace(run, ranks=replace(run.ranks, host=("n0", "x", "x", "x")))
    matched = match(twins, three)
    assert matched.base.ranks.host == matched.new.ranks.host == ("n0", "x", "x")
    assert matched.new.ranks.host_index.tolist() == [0, 1, 2]
    assert (matched.ranks_only_base, matched.ranks_only_new) == (("n3:3",), ("x:3",))


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 3))
def test_a_run_is_never_changed_against_itself_however_it_is_numbered(seed: int, hosts: int, ranks: int) -> None:
    run = fabric_run("slow-host:n0*0.5", "dark:n0>n1", hosts=hosts, ranks_per_host=ranks, seed=seed, transient=0.05)
    found = compare(run, renumbered(run, seed))
    only(found)
    assert not found.suspects
    for size in found.sizes:
        assert all(factor == pytest.approx(1, abs=1e-6) for factor in size.levels.values())


@given(st.floats(0, 40), st.integers(1, 10**6))
def test_a_score_from_few_values_is_never_surer_than_it_is(z: float, count: int) -> None:
    score = float(sure(np.array([z]), count)[0])
    assert 0 <= score <= z + 1e-6
    assert score <= float(sure(np.array([z]), 10 * count)[0]) + 1e-9


def test_the_finding_that_weighs_most_comes_first() -> None:
    def change(kind: str, links: int, factor: float, size: int = 8) -> Change:
        return Change(kind, (kind,), "both", size, factor, 1.0, links, 1e-6, factor * 1e-6)

    found = worst_first(
        [change("pair", 2, 3.0), change("host", 60, 1.5), change("class", 900, 0.9), change("host", 60, 2.0, 64)]
    )
    assert [(c.kind, c.bytes, c.also) for c in found] == [("class", 8, ()), ("host", 64, (8,)), ("pair", 8, ())]
    assert found[0].weight == pytest.approx(900 * math.log(1 / 0.9))


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


def test_backwards_the_same_is_good_news(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", *reversed(files))
    assert code == 0
    assert "HEALTHY  pair n1:1 <-> n2:2: both links timed out at 8 B and 1 MiB in the base, ok now" in out
    assert "FASTER   host n3: 1.6" in out
    assert "times as fast at 1 MiB" in out


def test_nothing_is_said_of_nothing(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", files[0], files[0], "--at-least", "10%")
    assert code == 0
    expected = "links between hosts 1.000 times as long at 8 B, links between hosts 1.000 times as long at 1 MiB"
    assert out.endswith(f"Nothing changed by 10 % or more. ({expected})\n")


def test_the_smallest_change_that_counts_can_be_chosen(files: tuple[Path, Path], everylink: Command) -> None:
    _, out, _ = everylink("compare", *files, "--at-least", "90%")
    assert "SLOWER" not in out
    assert "Nothing else changed by 90 % or more." in out


def test_the_json_is_one_versioned_object(files: tuple[Path, Path], everylink: Command) -> None:
    code, out, _ = everylink("compare", *files, "--format", "json")
    assert code == 3
    found = json.loads(out)
    assert list(found) == [
        "schema", "base", "new", "regression", "at_least", "ranks", "sizes", "failed", "slower", "healthy_again",
        "faster", "suspects", "differences", "only_base", "only_new",
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


def test_many_hosts_that_changed_alike_are_one_line(tmp_path: Path, everylink: Command) -> None:
    runs = fabric_run(hosts=128), fabric_run("slow-group:g2*0.7", hosts=128, seed=2)
    for run, name in zip(runs, ("a.h5", "b.h5"), strict=True):
        write_results(replace(run, path=tmp_path / name))
    _, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert "SLOWER   32 hosts n[64-95]: 1.4" in out
    assert out.count("SLOWER") == 1


def test_other_settings_are_said(tmp_path: Path, everylink: Command) -> None:
    run = fabric_run(hosts=17, sizes=(8, SIZE))
    other = fabric_run(hosts=16, sizes=(SIZE, 64), seed=2)
    facts = replace(other.facts, tool_version="0.2.0", transport_options="sockets=4", check=True, complete=False)
    write_results(replace(run, path=tmp_path / "a.h5"))
    write_results(replace(other, path=tmp_path / "b.h5", facts=facts))
    code, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert code == 0
    for line in (
        "The new run did not end by itself, or has not yet: these are its links so far",
        "version: 0.1.0 -> 0.2.0", "options of --mode: none -> sockets=4", "--check: off -> on",
        "only in the base: 1 rank: n16:16", "only in the base: 8 B", "only in the new run: 64 B",
    ):  # fmt: skip
        assert f"\n  {line}\n" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("base.h5",), "NEW"),
        (("base.h5", "no.h5"), "no.h5: there is no such file"),
        (("base.h5", "new.h5", "--format", "xml"), "--format"),
        (("base.h5", "new.h5", "--at-least", "5"), "--at-least 5: wanted is a part such as 5%"),
        (("base.h5", "new.h5", "--at-least", "0%"), "--at-least 0%: wanted is a part such as 5%"),
        (("base.h5", "new.h5", "--at-least", "-1%"), "--at-least"),
        (("base.h5", "new.h5", "--at-least", "1e9%"), "--at-least 1e9%: wanted"),
    ],
)
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


@pytest.mark.parametrize("recipe", READ.values(), ids=READ.keys())
def test_an_odd_file_is_compared_and_merged_or_refused_in_one_line(
    recipe: Recipe, tmp_path: Path, everylink: Command
) -> None:
    good, odd = (make_results(tmp_path / name, sizes=(1, 65536)) for name in ("good.h5", "odd.h5"))
    recipe(odd)
    commands = [
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
