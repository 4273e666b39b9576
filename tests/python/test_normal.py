"""What is normal is learnt from the runs of a store, and what is slower than that is a verdict (docs/history.md)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from everylink.cli.kinds import Against, judged_against
from everylink.deviation.scale import PER_LOG
from everylink.model.results import Results
from everylink.store.index import Index, index_of
from everylink.store.layout import Store
from everylink.store.normal import FEWEST, normal_of, slower_than_normal
from stores import kept, night, nights


def scaled(results: Results, factor: float) -> Results:
    """All links at the largest size take `factor` times as long."""
    *others, size = results.sizes
    slower = replace(size, rows=replace(size.rows, median=size.rows.median * np.float32(factor)))
    return replace(results, sizes=(*others, slower))


@pytest.fixture
def learnt(tmp_path: Path) -> tuple[Store, Index]:
    """Six nights, in two of which n3 was slow."""
    return nights(tmp_path / "s", [[], ["slow-host:n3*0.7"], [], ["slow-host:n3*0.7"], [], [], []])


def subjects(index: Index, results: Results) -> list[tuple[str, ...]]:
    found = slower_than_normal(index, results)
    return [] if found is None else [one.subject for one in found.slower]


def test_what_is_normal_are_the_medians_of_nights_without_faults(learnt: tuple[Store, Index]) -> None:
    normal = normal_of(learnt[1], night(9))
    assert normal is not None
    (size,) = normal.results.sizes
    assert len(size.links) == 12 * 11
    true = night(1).sizes[0].links.median
    assert np.abs(np.log(size.links.median / np.median(true))).max() < 0.02 + 1 / PER_LOG
    assert normal.results.path == Path("the normal of 7 runs")


def test_a_night_like_the_others_is_not_slower(learnt: tuple[Store, Index]) -> None:
    assert subjects(learnt[1], night(9)) == []


def test_a_host_that_became_slower_is_a_verdict(learnt: tuple[Store, Index]) -> None:
    results = night(9, ["slow-host:n5*0.85"])
    found = slower_than_normal(learnt[1], results)
    assert found is not None
    assert [one.subject for one in found.slower] == [("n5",)]
    judgement = judged_against(results, Against(normal=found)).judgement
    assert [one.subject for one in judgement.verdicts] == [("n5",)]


def test_a_cluster_that_became_slower_as_a_whole_is_a_verdict(learnt: tuple[Store, Index]) -> None:
    results = scaled(night(9), 1.3)
    judgement = judged_against(results, Against(normal=slower_than_normal(learnt[1], results))).judgement
    (verdict,) = judgement.verdicts
    assert verdict.subject == ("all hosts",)
    assert "where the normal of 7 runs has" in verdict.evidence
    assert judged_against(results, Against()).judgement.verdicts == ()


def test_what_varies_from_night_to_night_is_normal(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[]])
    for day, factor in enumerate((1.0, 1.25, 0.95, 1.2, 1.05, 1.3), 2):
        kept(store, scaled(night(day), factor))
    assert subjects(index_of(store), scaled(night(9), 1.3)) == []


def test_few_nights_other_settings_and_single_hosts_have_no_normal(tmp_path: Path) -> None:
    _, index = nights(tmp_path / "s", [[]] * (FEWEST - 1))
    assert normal_of(index, night(9)) is None
    _, index = nights(tmp_path / "t", [[]] * FEWEST)
    assert normal_of(index, night(9)) is not None
    other = night(9)
    assert normal_of(index, replace(other, facts=replace(other.facts, transport="ucp"))) is None
    assert normal_of(index, replace(other, facts=replace(other.facts, hosts=1))) is None


def test_hosts_are_matched_by_name(learnt: tuple[Store, Index]) -> None:
    fewer = night(9, ["slow-host:n5*0.85"], hosts=9)
    assert subjects(learnt[1], fewer) == [("n5",)]
