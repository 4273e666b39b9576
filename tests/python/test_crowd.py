"""More ranks than cores: said of the hosts, and of how sure a verdict about times there can be."""

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.judge.confidence import DOUBTFUL
from everylink.judge.crowd import less_certain
from everylink.judge.verdict import Judgement, Verdict
from everylink.model.rows import Outcome
from everylink.text.verdicts import verdict_text
from fabric_runs import fabric_run
from make_results import Link, all_links, make_results, steady

HOSTS = [f"n{host}" for host in range(16)]
REMARK = (
    "More ranks than cores on n[3,5]: times there include waiting for a core. So a verdict on times there has a "
    "confidence of 70 % at most"
)


def judgement_of(
    path: Path,
    slow_host: int,
    crowded: tuple[int, ...],
    outcomes: dict[Link, int] | None = None,
    factor: float = 3,
) -> Judgement:
    def time(link: Link, size: int) -> float:
        return steady(link, size) * (factor if slow_host in link else 1)

    make_results(path, hosts=HOSTS, sizes=(8, 1 << 20), time=time, outcomes=outcomes)
    with h5py.File(path, "r+") as file:
        file["ranks/crowded"] = np.array([host in crowded for host in range(16)], "u1")
    return judged(read(path)).judgement


@pytest.mark.parametrize("crowded", [(), (3, 5)])
def test_a_slow_host_with_more_ranks_than_cores_is_less_certain(crowded: tuple[int, ...], tmp_path: Path) -> None:
    (verdict,) = judgement_of(tmp_path / "x.h5", 3, crowded).verdicts
    assert verdict.subject == ("n3",)
    assert verdict.confidence == (0.7 if crowded else DOUBTFUL)
    assert verdict.evidence.endswith("; there are more ranks than cores") == bool(crowded)


def test_within_a_host_what_waiting_for_a_core_explains_is_a_suspect(tmp_path: Path) -> None:
    def slow_ranks(path: Path, crowded: int, factor: float) -> Judgement:
        make_results(path, hosts=["vm"] * 12, time=lambda link, size: steady(link, size) * (factor if 3 in link else 1))
        with h5py.File(path, "r+") as file:
            file["ranks/crowded"] = np.full(12, crowded, "u1")
        return judged(read(path)).judgement

    found = slow_ranks(tmp_path / "x.h5", 1, 1.5)
    assert not found.verdicts
    assert [suspect.subject for suspect in found.suspects] == [("vm:3",)]
    assert [verdict.subject for verdict in slow_ranks(tmp_path / "y.h5", 0, 1.5).verdicts] == [("vm:3",)]
    assert [verdict.subject for verdict in slow_ranks(tmp_path / "z.h5", 1, 3).verdicts] == [("vm:3",)]


def test_hosts_are_compared_with_each_other_because_all_of_them_wait(tmp_path: Path) -> None:
    (verdict,) = judgement_of(tmp_path / "x.h5", 3, tuple(range(16)), factor=1.5).verdicts
    assert verdict.subject == ("n3",)


def test_a_rank_of_several_on_its_host_that_waiting_explains_is_a_suspect(tmp_path: Path) -> None:
    def slow_rank(path: Path, crowded: int, factor: float) -> Judgement:
        hosts = [f"n{rank // 2}" for rank in range(16)]
        make_results(path, hosts=hosts, time=lambda link, size: steady(link, size) * (factor if 7 in link else 1))
        with h5py.File(path, "r+") as file:
            file["ranks/crowded"] = np.full(16, crowded, "u1")
        return judged(read(path)).judgement

    subjects = {
        (crowded, factor): [
            one.subject for one in slow_rank(tmp_path / f"{crowded}{factor}.h5", crowded, factor).verdicts
        ]
        for crowded, factor in ((0, 1.5), (1, 1.5), (1, 3))
    }
    assert subjects == {(0, 1.5): [("n3:7",)], (1, 1.5): [], (1, 3): [("n3:7",)]}


@pytest.mark.parametrize("crowded", [0, 1])
def test_a_host_that_is_slow_between_its_own_ranks_is_a_suspect_if_these_wait(crowded: int) -> None:
    results = fabric_run("slow-within:n3*0.3", hosts=8, ranks_per_host=4)
    ranks = replace(results.ranks, crowded=np.full(32, crowded, np.uint8))
    judgement = judged(replace(results, ranks=ranks)).judgement
    of_host = [one for one in (judgement.suspects if crowded else judgement.verdicts) if one.subject == ("n3",)]
    assert [one.scope for one in of_host] == ["within"]
    assert bool(judgement.verdicts) != bool(crowded)


@pytest.mark.parametrize(("factor", "is_suspect"), [(1.3, True), (2.5, False)])
def test_a_rail_that_is_slow_on_hosts_whose_ranks_wait_is_a_suspect_if_hardly_slow(
    factor: float, is_suspect: bool
) -> None:
    results = fabric_run(hosts=8, ranks_per_host=2)
    results = replace(results, ranks=replace(results.ranks, crowded=np.ones(16, np.uint8)))
    rail = Verdict("group", ("n[0-7] on eth1",), "both", "slow", 8, factor, 0.8, 0, "evidence")
    _, suspects = less_certain(results, [rail])
    assert [one.subject for one in suspects] == ([rail.subject] if is_suspect else [])


def test_other_hosts_and_failures_are_as_certain_as_ever(tmp_path: Path) -> None:
    dead: dict[Link, int] = {link: Outcome.TIMEOUT for link in all_links(16) if 3 in link}
    judgement = judgement_of(tmp_path / "x.h5", 7, (3, 5), dead)
    by_host = {verdict.subject[0]: verdict for verdict in judgement.verdicts}
    assert by_host["n7"].confidence == DOUBTFUL
    assert "cores" not in by_host["n3"].evidence + by_host["n7"].evidence


def test_the_hosts_are_named_once(tmp_path: Path) -> None:
    text = verdict_text(judgement_of(tmp_path / "x.h5", 3, (3, 5))).plain
    assert text.count(REMARK) == 1
    assert "More ranks" not in verdict_text(judgement_of(tmp_path / "y.h5", 3, ())).plain
