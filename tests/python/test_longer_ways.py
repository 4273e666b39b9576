"""Pairs that take longer in small messages and carry as much in large ones: their ways are longer by design."""

import itertools

import numpy as np
import pytest

from everylink.judge.judge import judge
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER
from pair_rows import rows_of_pairs, run_of

HOSTS = 24
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
PHASES = [MAIN] * 5 + [QUARTER] * 6 + [ONE_WAY] * 10
SMALL, LARGE = (1, 2e-6), (1 << 20, 100e-6)
FAR = [(0, 5), (0, 9), (0, 13), (0, 17)]


def _run(factors: dict[tuple[int, float], float], far: list[tuple[int, int]]) -> Results:
    """By size and usual seconds, how many times as long the messages of `far` pairs take."""
    random, rows = np.random.default_rng(5), {}
    is_far = np.isin(PAIRS @ [HOSTS, 1], [a * HOSTS + b for a, b in far])
    for (size, usual), factor in factors.items():
        times = usual * np.where(is_far, factor, 1.0)
        rows[size] = [
            rows_of_pairs(PAIRS, times, turn * HOSTS + PAIRS.sum(axis=1) % HOSTS, attempt, 0.005, random)
            for turn, attempt in enumerate(PHASES)
        ]
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
