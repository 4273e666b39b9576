"""A host that is slow inside its group while all measure is named, though it is well alone and ways hide it."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.confidence import LESS
from everylink.judge.full_load import FullLoad
from everylink.judge.inside import slow_inside
from everylink.judge.judge import judge
from everylink.judge.kinds import Equals
from everylink.judge.verdict import Verdict
from everylink.model.groups import Grouping
from everylink.model.rows import MAIN, ONE_WAY, QUARTER
from pair_rows import rows_of_pairs, run_of

HOSTS, SIZE, NOISE = 16, 1 << 20, 0.01
LEAF = np.arange(HOSTS) // 4
LEAVES = Grouping(LEAF, ("leaf0", "leaf1", "leaf2", "leaf3"))
ATTEMPTS = (MAIN, MAIN, MAIN, QUARTER, QUARTER, QUARTER, ONE_WAY, ONE_WAY, ONE_WAY)


def _verdicts(*slow: int, ranks: int = 2, differ: float = 0.0) -> list[Verdict]:
    """While all measure, links inside leaves take 1.5 times as long at `slow` hosts, and those between leaves 4 times
    as long at all; other loads hide nothing, and show nothing. `differ`: of other links inside leaves, log."""
    host_of = np.arange(HOSTS * ranks) // ranks
    pairs = np.array(list(itertools.combinations(range(len(host_of)), 2)))
    ends = host_of[pairs]
    pairs, ends = (of[ends[:, 0] != ends[:, 1]] for of in (pairs, ends))
    inside, at_slow = LEAF[ends[:, 0]] == LEAF[ends[:, 1]], np.isin(ends, slow).any(axis=1)
    link = np.minimum(ends[:, 0], ends[:, 1]) * HOSTS + np.maximum(ends[:, 0], ends[:, 1])
    others = np.exp(differ * np.random.default_rng(3).standard_normal(HOSTS * HOSTS))[link]
    loaded = np.where(inside, np.where(at_slow, 1.5, others), 4.0)
    random, rows = np.random.default_rng(5), []
    for turn, attempt in enumerate(ATTEMPTS):
        times = 1e-4 * (loaded if attempt == MAIN else np.ones(len(pairs)))
        rows.append(rows_of_pairs(pairs, times, turn * HOSTS + pairs.sum(axis=1) % HOSTS, attempt, NOISE, random))
    return list(judge(run_of(host_of, len(ATTEMPTS) * HOSTS, {SIZE: rows}), LEAVES).verdicts)


def test_a_host_that_is_slow_inside_its_leaf_while_all_measure_is_named() -> None:
    (verdict,) = _verdicts(5)
    assert (verdict.kind, verdict.subject, verdict.direction, verdict.confidence) == ("host", ("n5",), "both", LESS)
    assert verdict.factor == pytest.approx(1.5, rel=0.03)
    assert verdict.evidence.startswith("while all measure, its connections with 3 others of its group take 1.5")


def test_half_of_a_leaf_may_be_built_otherwise() -> None:
    assert not _verdicts(4, 5)


def test_hosts_of_three_leaves_are_too_many() -> None:
    assert not _verdicts(1, 5, 9)


def test_a_host_of_one_rank_would_be_slow_alone() -> None:
    assert not _verdicts(5, ranks=1)


def test_where_links_inside_leaves_differ_as_much_none_is_named() -> None:
    assert not _verdicts(5, differ=0.2)


def _load(times: NDArray[np.float64]) -> FullLoad:
    """Six steps in which each two hosts exchange a message between their first ranks; `times` [host, host], seconds."""
    hosts, steps = len(times), 6
    frm, to = np.triu_indices(hosts, 1)
    step = np.repeat(np.arange(steps), len(frm))
    frm, to = np.tile(frm, steps), np.tile(to, steps)
    return FullLoad(frm, to, np.zeros((2, len(frm)), np.int64), step, times[frm, to], np.ones((steps, hosts), bool))


@pytest.mark.parametrize(("with_the_others", "found"), [(2.0, [(8,)]), (1.0, [])])
def test_a_host_that_is_near_to_those_of_another_kind_is_not_slow(
    with_the_others: float, found: list[tuple[int]]
) -> None:
    kind_of = np.repeat([0, 1], 8)
    times = np.where(kind_of[:, None] == kind_of, 1.0, 2.0)
    times[8, 8:] = times[8:, 8] = 2.0
    times[8, :8] = times[:8, 8] = with_the_others
    equals = Equals(np.zeros(16, np.int64), kind_of)
    assert [one.found.subject for one in slow_inside(_load(times), equals, frozenset())] == found


@pytest.mark.parametrize(("with_each_other", "found"), [(2.0, [(0,), (1,)]), (1.0, [])])
def test_hosts_that_are_well_with_each_other_are_a_group_by_themselves(
    with_each_other: float, found: list[tuple[int]]
) -> None:
    times = np.ones((16, 16))
    times[:2] = times[:, :2] = 2.0
    times[0, 1] = times[1, 0] = with_each_other
    equals = Equals.of_groups(np.zeros(16, np.int64))
    assert [one.found.subject for one in slow_inside(_load(times), equals, frozenset())] == found


def test_a_host_that_is_near_to_a_slow_one_is_compared_with_no_other_group() -> None:
    times = np.ones((16, 16))
    times[:2] = times[:, :2] = 2.0
    times[0, 1] = times[1, 0] = 1.0
    equals = Equals.of_groups(np.zeros(16, np.int64))
    assert not slow_inside(_load(times), equals, frozenset({0}))
    times[0, 1] = times[1, 0] = 2.0
    assert [one.found.subject for one in slow_inside(_load(times), equals, frozenset({0}))] == [(1,)]


@pytest.mark.parametrize(("elsewhere", "found"), [(4, [(0,)]), (2, [])])
def test_a_host_may_be_behind_another_switch_than_the_three_others_if_no_other_group_tells(
    elsewhere: int, found: list[tuple[int]]
) -> None:
    """Of 16 hosts of a newer kind `elsewhere` are in another group, and the others but these four by themselves."""
    group_of = np.concatenate([np.zeros(4, int), np.ones(elsewhere, int), np.arange(2, 14 - elsewhere)])
    times = np.ones((16, 16))
    times[0] = times[:, 0] = 2.0
    assert [one.found.subject for one in slow_inside(_load(times), Equals.of_groups(group_of), frozenset())] == found
