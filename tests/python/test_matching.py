"""Which runs may be compared, how their ranks are matched, and the confidence and severity of findings."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everylink.compare.comparison import compare, worst_first
from everylink.errors import UserMistake
from everylink.links.matching import match
from everylink.model.changes import Change
from everylink.robust import normal_score
from fabric_runs import SIZE, fabric_run


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


@given(st.floats(0, 40), st.integers(1, 10**6))
def test_a_score_from_few_values_is_never_raised(z: float, count: int) -> None:
    score = float(normal_score(np.array([z]), count)[0])
    assert 0 <= score <= z + 1e-6
    assert score <= float(normal_score(np.array([z]), 10 * count)[0]) + 1e-9


def test_the_most_severe_finding_comes_first() -> None:
    def change(kind: str, links: int, factor: float, size: int = 8) -> Change:
        return Change(kind, (kind,), "both", size, factor, 1.0, links, 1e-6, factor * 1e-6)

    found = worst_first(
        [change("pair", 2, 3.0), change("host", 60, 1.5), change("class", 900, 0.9), change("host", 60, 2.0, 64)]
    )
    assert [(c.kind, c.bytes, c.also) for c in found] == [("class", 8, ()), ("host", 64, (8,)), ("pair", 8, ())]
    assert found[0].weight == pytest.approx(900 * math.log(1 / 0.9))
