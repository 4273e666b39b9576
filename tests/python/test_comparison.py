"""Comparing two runs: planted changes are found, and nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everylink.compare.comparison import Comparison, compare
from everylink.model.changes import Change
from everylink.model.results import Results
from fabric_runs import SIZE, fabric_run, renumbered

LINK = 2 / (1 + 1 / 0.5)  # what remains of a round trip's speed if one direction has half its rate


def named(changes: tuple[Change, ...]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(change.kind, change.subject, change.direction) for change in changes]


def only(found: Comparison, *, slower: int = 0, faster: int = 0) -> None:
    """Assert exactly these numbers of findings."""
    assert (len(found.slower), len(found.faster)) == (slower, faster), named(found.slower + found.faster)
    assert not found.failed
    assert not found.healed


@pytest.mark.thorough
@pytest.mark.parametrize(
    "shape", [(2, 1, True), (4, 2, True), (8, 1, False), (16, 4, True), (32, 1, True), (40, 2, False)]
)
@pytest.mark.one_in(6)
def test_a_healthy_fabric_is_unchanged_whatever_its_noise(shape: tuple[int, int, bool]) -> None:
    hosts, ranks_per_host, both = shape
    for seed in range(20):
        options: dict[str, Any] = {"hosts": hosts, "ranks_per_host": ranks_per_host, "both_directions": both}
        options["noise"] = (0.01, 0.03)[seed % 2]
        found = compare(fabric_run(seed=2 * seed, **options), fabric_run(seed=2 * seed + 1, **options))
        only(found)
        assert not found.regression


@pytest.mark.parametrize("hosts", [4, 16, 64])
@pytest.mark.parametrize("ranks_per_host", [1, 3])
@pytest.mark.one_in(3)
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


def test_ranks_and_sizes_of_one_run_only_are_named_and_the_rest_compared() -> None:
    base = fabric_run(hosts=16, sizes=(8, SIZE))
    new = fabric_run("slow-host:n3*0.6", hosts=20, seed=2, sizes=(64, SIZE))
    found = compare(base, new)
    only(found, slower=1)
    assert found.matched.ranks_only_base == ()
    assert found.matched.ranks_only_new == ("n16:16", "n17:17", "n18:18", "n19:19")
    assert (found.matched.sizes_only_base, found.matched.sizes_only_new) == ((8,), (64,))
    assert compare(new, base).matched.ranks_only_base == found.matched.ranks_only_new


def test_the_unidirectional_kernel_shows_which_direction_changed() -> None:
    options = {"hosts": 16, "both_directions": False}
    found = compare(fabric_run(**options), fabric_run("slow-send:n9*0.6", seed=2, **options))  # type: ignore[arg-type]
    only(found, slower=1)
    assert named(found.slower) == [("host", ("n9",), "send")]
    assert found.slower[0].links == 15
    found = compare(fabric_run(**options), fabric_run("slow-receive:n9*0.6", seed=2, **options))  # type: ignore[arg-type]
    assert named(found.slower) == [("host", ("n9",), "receive")]


def test_a_slow_rank_is_distinguished_from_a_slow_host() -> None:
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


def test_a_link_is_sure_only_if_slow_more_often_than_chance_explains() -> None:
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
    """The run with all times multiplied, or only those of links within one host."""

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


def test_on_a_single_host_ranks_are_compared_like_hosts() -> None:
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


def test_one_host_repaired_and_another_broken_are_two_findings() -> None:
    found = compare(fabric_run("slow-host:n5*0.7", hosts=32), fabric_run("slow-host:n9*0.6", hosts=32, seed=2))
    only(found, slower=1, faster=1)
    assert (found.slower[0].subject, found.faster[0].subject) == (("n9",), ("n5",))


@pytest.mark.parametrize("seed", range(6))
def test_exactly_the_hosts_that_changed_are_found(seed: int) -> None:
    random = np.random.default_rng(seed)
    hosts = [24, 40, 64][seed % 3]
    chosen = random.choice(hosts, 6, replace=False)
    mended, broken = (
        [f"slow-host:n{host}*{random.uniform(0.5, 0.85):.3f}" for host in half] for half in (chosen[:3], chosen[3:])
    )
    options: dict[str, Any] = {
        "hosts": hosts,
        "ranks_per_host": 1 + seed % 2,
        "both_directions": seed > 2,
        "noise": 0.03,
    }
    found = compare(fabric_run(*mended, seed=seed, **options), fabric_run(*broken, seed=seed + 100, **options))
    only(found, slower=3, faster=3)
    assert {change.subject for change in found.slower} == {(f"n{host}",) for host in chosen[3:]}
    assert {change.subject for change in found.faster} == {(f"n{host}",) for host in chosen[:3]}


def test_a_fault_present_in_both_runs_is_no_change() -> None:
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


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 3))
@pytest.mark.long
def test_a_run_is_never_changed_against_itself_however_it_is_numbered(seed: int, hosts: int, ranks: int) -> None:
    run = fabric_run("slow-host:n0*0.5", "dark:n0>n1", hosts=hosts, ranks_per_host=ranks, seed=seed, transient=0.05)
    found = compare(run, renumbered(run, seed))
    only(found)
    assert not found.suspects
    for size in found.sizes:
        assert all(factor == pytest.approx(1, abs=1e-6) for factor in size.levels.values())
