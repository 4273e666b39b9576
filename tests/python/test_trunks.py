"""Slow paths between switches in runs of very many hosts, and where few links of each host were measured."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from everylink import robust
from everylink.explain.actions import with_actions
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import MAIN
from everylink.simulate.fabric import Fabric, all_links, sampled_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import measured
from pair_rows import rows_of_pairs, run_of


def _judged(
    *faults: str, hosts: int, group: int, sample: int = 0, both: bool = True, named: bool = True, seed: int = 1
) -> Judgement:
    """Judge all links, or those of a sample of partners; `named`: whether the groups are known."""
    planted = tuple(map(parse_fault, faults))
    fabric = Fabric(hosts, group_size=group, faults=planted, seed=seed, both_directions=both)
    links = sampled_links(hosts, sample, seed) if sample else all_links(hosts)
    names = tuple(f"g{number}" for number in range(fabric.groups))
    grouping = Grouping(np.arange(hosts) // group, names) if named else None
    return judge(measured(fabric, links, [1 << 20], Path("run.h5"), "simulated"), grouping)


def _said(judgement: Judgement) -> set[tuple[str, tuple[str, ...], str]]:
    return {(verdict.kind, verdict.subject, verdict.direction) for verdict in judgement.verdicts}


@pytest.fixture
def few_partners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of more than 200 hosts count as very large."""
    monkeypatch.setattr(robust, "MOST_WHOLE", 200)
    monkeypatch.setattr(robust, "SAMPLED", 190)


@pytest.mark.long
@pytest.mark.parametrize(("both", "direction"), [(True, "both"), (False, "send")])
@pytest.mark.parametrize("named", [True, False])
def test_a_slow_trunk_is_named_among_very_many_hosts(
    both: bool, direction: str, named: bool, few_partners: None
) -> None:
    seen = _judged("slow-trunk:g3>g9*0.6", "slow-host:n7*0.7", hosts=240, group=20, both=both, named=named)
    ends = ("g3", "g9") if named else ("n[60-79]", "n[180-199]")
    assert _said(seen) == {("trunk", ends, direction), ("host", ("n7",), "both")}
    trunk = next(verdict for verdict in seen.verdicts if verdict.kind == "trunk")
    assert trunk.links == 20 * 20 * (2 if both else 1)
    assert not seen.not_looked_for
    assert not _judged(hosts=240, group=20, both=both, named=named).verdicts


@pytest.mark.parametrize(("both", "direction"), [(True, "both"), (False, "send")])
@pytest.mark.parametrize("hosts", [180, 240])
def test_a_slow_trunk_is_named_by_few_links_of_each_host_and_no_host_for_it(
    both: bool, direction: str, hosts: int, few_partners: None
) -> None:
    seen = _judged("slow-trunk:g0>g2*0.5", hosts=hosts, group=hosts // 3, sample=4, both=both)
    assert _said(seen) == {("trunk", ("g0", "g2"), direction)}
    assert not seen.not_looked_for


def test_trunks_are_looked_for_only_between_groups_with_enough_measured_links() -> None:
    seen = _judged("slow-trunk:g0>g2*0.5", hosts=200, group=10, sample=14)
    assert not seen.verdicts
    (left_out,) = seen.not_looked_for
    count, of_all = (int(word) for word in left_out.split() if word.isdigit())
    assert left_out == (
        f"slow trunks between {count} of {of_all} pairs of groups (too few links between them were measured)"
    )
    assert 0 < count < of_all == 20 * 19 // 2


def test_trunks_between_very_many_groups_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everylink.judge.trunks.MOST_PATHS", 8 * 64 - 1)
    seen = _judged("slow-trunk:g0>g2*0.5", hosts=64, group=8)
    assert seen.not_looked_for == ("slow trunks (8 groups of 64 hosts are too many)",)
    assert all(verdict.kind != "trunk" for verdict in seen.verdicts)


def test_a_host_is_slow_only_if_all_its_links_say_so_not_just_those_of_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(robust, "MOST_WHOLE", 200)
    monkeypatch.setattr(robust, "SAMPLED", 70)
    faults = "slow-trunk:g1>g4*0.5", "slow-host:n5*0.6"
    seen = _judged(*faults, hosts=240, group=20, sample=12, named=False, seed=3)
    assert _said(seen) == {("host", ("n5",), "both")}


def _of_cores(further: int, hosts: int) -> Results:
    """32 ranks in groups of 8, 8 and 16 cores, the first of which is further from the last cores of the last one."""
    random, pairs = np.random.default_rng(3), np.array(list(itertools.combinations(range(32), 2)))
    one, other = np.minimum(pairs.T // 8, 2)
    seconds = np.where(one == other, 3e-7, 4e-7)
    seconds[(one == 0) & (pairs[:, 1] >= 32 - further)] = 6e-7
    rows = [rows_of_pairs(pairs, seconds, step, MAIN, 0.01, random) for step in range(3)]
    return run_of(np.arange(32) % hosts, 3, {1: rows})


def test_on_one_host_a_group_that_is_further_from_a_part_of_another_is_no_trunk() -> None:
    assert "trunk" in {one.kind for one in judge(_of_cores(5, 32)).suspects}  # between hosts it may be
    one_host = judge(_of_cores(5, 1))
    assert not one_host.verdicts
    assert "trunk" not in {one.kind for one in one_host.suspects}


def test_a_slow_way_between_two_groups_of_cores_is_looked_for_inside_the_host() -> None:
    results = _of_cores(16, 1)
    (trunk,) = with_actions(results, judge(results)).verdicts
    assert (trunk.kind, len(trunk.subject)) == ("trunk", 2)
    assert "switches" not in trunk.evidence
    assert trunk.action.startswith("Look at what joins ")
    assert "inside n0" in trunk.action
