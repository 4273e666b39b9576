"""A group whose hosts are of another kind is not called slow, nor is one that is near to fewer others."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.rows import MAIN, ONE_WAY, QUARTER
from pair_rows import rows_of_pairs, run_of

HOSTS, RANKS, SIZE = 8, 2, 1 << 20
LEAF, HOST_OF = np.arange(HOSTS) // 2, np.arange(HOSTS * RANKS) // RANKS
GROUPING = Grouping(LEAF, ("leaf0", "leaf1", "leaf2", "leaf3"))
PAIRS = np.array(list(itertools.combinations(range(HOSTS * RANKS), 2)))
ENDS = HOST_OF[PAIRS]
OF_LAST = (LEAF[ENDS] == 3).any(axis=1) & (LEAF[ENDS[:, 0]] != LEAF[ENDS[:, 1]])


def _judged(slow_within: NDArray[np.int64]) -> Judgement:
    """The last leaf takes 1.3 times as long to others; the ranks within these hosts ten times as long."""
    random, rows = np.random.default_rng(5), []
    within = (ENDS[:, 0] == ENDS[:, 1]) & np.isin(ENDS[:, 0], slow_within)
    for turn, attempt in enumerate([MAIN, MAIN, MAIN, QUARTER, QUARTER, ONE_WAY, ONE_WAY, ONE_WAY]):
        times = 1e-4 * np.where(OF_LAST, 1.3, 1.0) * np.where(within, 10.0, 1.0)
        step = turn * HOSTS * RANKS + PAIRS.sum(axis=1) % (HOSTS * RANKS)
        rows.append(rows_of_pairs(PAIRS, times, step, attempt, 0.01, random))
    return judge(run_of(HOST_OF, 8 * HOSTS * RANKS, {SIZE: rows}), GROUPING)


def _groups(judgement: Judgement, which: str) -> list[tuple[str, ...]]:
    return [one.subject for one in getattr(judgement, which) if one.kind == "group"]


def test_a_slow_group_of_which_all_hosts_differ_within_is_a_suspect() -> None:
    judgement = _judged(slow_within=np.array([6, 7]))
    assert not _groups(judgement, "verdicts")
    assert _groups(judgement, "suspects") == [("leaf3",)]


def test_one_of_which_a_host_does_is_a_verdict() -> None:
    assert _groups(_judged(slow_within=np.array([7])), "verdicts") == [("leaf3",)]


ISLAND = np.array([0, 0, 0, 0, 0, 0, 1, 1])  # of leaves of three hosts
LEAVES = Grouping(np.arange(24) // 3, tuple(f"leaf{number}" for number in range(8)))


@pytest.mark.parametrize(("factor", "named"), [(1.0, []), (1.3, [("leaf4",)])])
def test_a_leaf_that_is_near_to_fewer_leaves_than_others_is_not_slow(factor: float, named: list[tuple[str]]) -> None:
    """What is slow makes all ways of a leaf slow, that to the nearest one, too."""
    pairs, random = np.array(list(itertools.combinations(range(24), 2))), np.random.default_rng(5)
    leaf = LEAVES.group_of[pairs]
    far, is_near = leaf[:, 0] != leaf[:, 1], ISLAND[leaf[:, 0]] == ISLAND[leaf[:, 1]]
    usual = np.where(far, np.where(is_near, 1.1, 1.3), 1.0)
    times = 1e-4 * usual * np.where(far & (leaf == 4).any(axis=1), factor, 1.0)
    steps = pairs.sum(axis=1) % 24
    attempts = [MAIN] * 3 + [QUARTER] * 2 + [ONE_WAY] * 3
    rows = [rows_of_pairs(pairs, times, 24 * turn + steps, one, 0.01, random) for turn, one in enumerate(attempts)]
    judgement = judge(run_of(np.arange(24), 24 * len(attempts), {SIZE: rows}), LEAVES)
    assert _groups(judgement, "verdicts") == named
