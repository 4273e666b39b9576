"""A group whose hosts are of another kind is not called slow."""

import itertools

import numpy as np
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
