"""A host that is slow inside its group while all measure is named, though it is well alone and ways hide it."""

import itertools

import numpy as np
import pytest

from everylink.judge.confidence import LESS
from everylink.judge.judge import judge
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
