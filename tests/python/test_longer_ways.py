"""Pairs that take longer in small messages and carry as much in large ones: their ways are longer by design."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.judge import judge
from everylink.judge.trunks import Trunk
from everylink.judge.uplinks import are_only_longer
from everylink.judge.verdict import Judgement, Side
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Rows
from pair_rows import rows_of_pairs, run_of

HOSTS = 24
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
PHASES = [MAIN] * 5 + [QUARTER] * 6 + [ONE_WAY] * 10
SMALL, LARGE = (1, 2e-6), (1 << 20, 100e-6)
FAR = [(0, 5), (0, 9), (0, 13), (0, 17)]


def _rows(times: NDArray[np.float64], random: np.random.Generator) -> list[Rows]:
    """Of all phases, each of which takes steps of its own."""
    return [
        rows_of_pairs(PAIRS, times, turn * HOSTS + PAIRS.sum(axis=1) % HOSTS, attempt, 0.005, random)
        for turn, attempt in enumerate(PHASES)
    ]


def _run(factors: dict[tuple[int, float], float], far: list[tuple[int, int]]) -> Results:
    """By size and usual seconds, how many times as long the messages of `far` pairs take."""
    random, rows = np.random.default_rng(5), {}
    is_far = np.isin(PAIRS @ [HOSTS, 1], [a * HOSTS + b for a, b in far])
    for (size, usual), factor in factors.items():
        times = usual * np.where(is_far, factor, 1.0)
        rows[size] = _rows(times, random)
    return run_of(np.arange(HOSTS), len(PHASES) * HOSTS, rows)


@pytest.mark.parametrize(("far", "kind"), [(FAR[:1], "pair"), (FAR, "host")])
@pytest.mark.one_in(2)
def test_pairs_that_are_slow_in_small_messages_only_are_structure(far: list[tuple[int, int]], kind: str) -> None:
    judged = judge(_run({SMALL: 1.6, LARGE: 1.01}, far))
    assert not judged.verdicts
    (structure,) = (one for one in judged.structure if one.kind == "class")
    assert "large ones are delayed no further" in structure.text
    assert structure.factor == pytest.approx(1.6, rel=0.03)
    for bad in ({SMALL: 1.6}, {SMALL: 1.6, LARGE: 1.6}, {SMALL: 2.3, LARGE: 1.01}):  # not known; bandwidth; far longer
        (verdict,) = judge(_run(bad, far)).verdicts
        assert verdict.kind == kind


def test_a_pair_that_takes_longer_alone_than_those_that_are_slow_alike_is_named() -> None:
    """Ways of half the width are structure, and so is a pair of them that others slow more, while all measure."""
    narrow = [(0, 5), (1, 9), (2, 13), (3, 17), (4, 21), (6, 11)]
    of_narrow = np.isin(PAIRS @ [HOSTS, 1], [a * HOSTS + b for a, b in narrow])
    bad = (PAIRS == (7, 19)).all(axis=1)
    for alone, named in ((1.5, 0), (3.0, 1)):
        random, rows = np.random.default_rng(7), []
        for turn, attempt in enumerate(PHASES):
            own = alone if attempt == ONE_WAY else 3.0
            times = LARGE[1] * np.where(of_narrow, 1.5, np.where(bad, own, 1.0))
            steps = turn * HOSTS + PAIRS.sum(axis=1) % HOSTS
            rows.append(rows_of_pairs(PAIRS, times, steps, attempt, 0.005, random))
        assert len(judge(run_of(np.arange(HOSTS), len(PHASES) * HOSTS, {LARGE[0]: rows})).verdicts) == named


LEAF = np.arange(HOSTS) // 4
WAY = LEAF[PAIRS]  # the leaves at the ends of each pair, the smaller number first


def _trunks(factor: float, large: float, *ways: tuple[int, int]) -> Judgement:
    """Of six leaves, whose links take 1.2 times as long between them; small messages of these ways take longer by a
    factor, large ones by another."""
    random, between, rows = np.random.default_rng(5), WAY[:, 0] != WAY[:, 1], {}
    is_long = np.isin(WAY @ [HOSTS, 1], [a * HOSTS + b for a, b in ways])
    for (size, usual), longer in ((SMALL, factor), (LARGE, large)):
        times = usual * np.where(between, 1.2, 1.0) * np.where(is_long, longer, 1.0)
        rows[size] = _rows(times, random)
    return judge(run_of(np.arange(HOSTS), len(PHASES) * HOSTS, rows))


def test_the_only_trunk_that_takes_longer_is_named_though_large_messages_are_delayed_no_further() -> None:
    (verdict,) = _trunks(1.2, 1.0, (1, 4)).verdicts
    assert (verdict.kind, set(verdict.subject)) == ("trunk", {"n[4-7]", "n[16-19]"})
    assert verdict.factor == pytest.approx(1.2, rel=0.03)
    assert not _trunks(1.2, 1.0, (1, 4), (0, 3)).verdicts  # more than one is how ways differ in length


@pytest.mark.parametrize(
    ("groups", "longer", "only"),
    [
        (4, {(0, 1): 0.3}, True),
        (4, {(0, 1): 0.3, (2, 3): -0.3}, False),  # the ends of 2 and 3 are nearer, or those of 0 and 1 further
        (6, {(0, 1): 0.3}, True),
        (6, {(0, 1): 0.3, (2, 1): 0.3}, True),  # all between two sets
        (6, {(0, 1): 0.3, (2, 3): 0.3}, False),
        (6, {(0, 1): 0.3, (2, 1): 0.3, (2, 3): 0.3}, False),  # not (0, 3)
        (6, {(0, 1): 0.3, (2, 3): 0.15}, False),  # another one is longer by a part
        (6, {(0, 1): 0.3, (2, 3): -0.2}, True),  # or nearer
        (6, {(0, 1): 0.3, **dict.fromkeys(itertools.combinations(range(2, 6), 2), -0.2)}, False),  # as many are
        (6, {(0, 1): 0.3, (0, 2): 0.3, (0, 3): 0.3}, False),  # of 15, too many
        (6, {(0, 1): 0.1}, False),  # not this one as a whole
    ],
)
def test_a_trunk_is_only_longer_if_all_other_ways_are_equally_long(
    groups: int, longer: dict[tuple[int, int], float], only: bool
) -> None:
    between = np.zeros((groups, groups), np.float32)
    np.fill_diagonal(between, np.nan)
    for (one, other), beyond in longer.items():
        between[one, other] = between[other, one] = beyond
    assert are_only_longer([Trunk(0, 1, (4, 5, 6, 7), (), Side.BOTH, 0.3, 20.0, 32)], between) == only


@pytest.mark.parametrize("large", [1.0, 1.5])
def test_all_trunks_between_two_sets_of_leaves_are_one_verdict(large: float) -> None:
    (verdict,) = _trunks(1.2, large, (0, 4), (1, 4)).verdicts
    assert (verdict.kind, set(verdict.subject)) == ("trunk", {"n[0-7]", "n[16-19]"})
    assert verdict.evidence.startswith("2 ways between groups of these, all slow; between n[")
    assert verdict.links == 64
    apart = _trunks(1.2, 1.5, (0, 4), (1, 5)).verdicts
    assert {frozenset(one.subject) for one in apart} == {
        frozenset({"n[0-3]", "n[16-19]"}),
        frozenset({"n[4-7]", "n[20-23]"}),
    }


def test_a_way_between_hosts_of_two_groups_is_named_if_no_other_pair_between_groups_takes_longer() -> None:
    """Of two groups that show, each of which is two leaves; one of four ways may be longer by design."""
    random, half = np.random.default_rng(5), np.arange(HOSTS) // 12
    between = half[PAIRS[:, 0]] != half[PAIRS[:, 1]]
    for each, named in ((4, True), (6, False)):
        slow = between & (PAIRS[:, 0] < each) & (PAIRS[:, 1] >= HOSTS - each)
        times = LARGE[1] * np.where(between, 1.3, 1.0) * np.where(slow, 1.5, 1.0)
        rows = _rows(times, random)
        judged = judge(run_of(np.arange(HOSTS), len(PHASES) * HOSTS, {LARGE[0]: rows}))
        (one,) = judged.verdicts if named else judged.suspects
        assert not (judged.suspects if named else judged.verdicts)
        assert (one.kind, set(one.subject)) == ("trunk", {f"n[0-{each - 1}]", f"n[{HOSTS - each}-23]"})
