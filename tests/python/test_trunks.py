"""Slow paths between switches in runs of very many hosts, and where few links of each host were measured."""

from pathlib import Path

import numpy as np
import pytest

from everylink import robust
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.simulate.fabric import Fabric, all_links, sampled_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import measured


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
