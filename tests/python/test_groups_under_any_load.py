"""Groups show in what was measured with less load, too, where load or a slow group hides them."""

import itertools

import numpy as np
import pytest

from everylink.judge.findings import find
from everylink.judge.grouping import groups_for
from everylink.judge.groups import inferred_groups
from everylink.judge.kinds import Kinds, equals_for, kinds_of
from everylink.judge.readings import readings
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Rows
from pair_rows import rows_of_pairs, run_of

HOSTS, SIZES, NOISE = 8, (1 << 16, 1 << 20), 0.01
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
LEAF = np.arange(HOSTS) // 2
BETWEEN = LEAF[PAIRS[:, 0]] != LEAF[PAIRS[:, 1]]
OF_THIRD = BETWEEN & (LEAF[PAIRS] == 2).any(axis=1)


def _run(*attempts: int, sizes: tuple[int, ...] = SIZES) -> Results:
    """Four leaves of two hosts, of which the third one is slow with others: under load a little shows of the leaves,
    alone all."""
    random, rows = np.random.default_rng(5), dict[int, list[Rows]]()
    for size, (turn, attempt) in itertools.product(sizes, enumerate(attempts)):
        further = 1.004 if attempt == MAIN else 1.15
        times = 1e-4 * np.where(OF_THIRD, 1.7, np.where(BETWEEN, further, 1.0))
        step = turn * HOSTS + PAIRS.sum(axis=1) % HOSTS
        rows.setdefault(size, []).append(rows_of_pairs(PAIRS, times, step, attempt, NOISE, random))
    return run_of(np.arange(HOSTS), len(attempts) * HOSTS, rows)


def _shows_the_leaves(results: Results) -> bool:
    groups, known = groups_for(results, None, kinds_of(results))
    assert known
    return bool(((groups[:, None] == groups) == (LEAF[:, None] == LEAF)).all())


@pytest.mark.parametrize("less", [QUARTER, ONE_WAY])
def test_leaves_that_load_hides_show_alone_and_with_a_quarter_of_the_ranks_busy(less: int) -> None:
    assert not _shows_the_leaves(_run(MAIN, MAIN))
    assert _shows_the_leaves(_run(MAIN, MAIN, less, less))


def test_groups_that_show_in_one_reading_with_less_load_only_may_be_chance() -> None:
    random, attempts = np.random.default_rng(5), (MAIN, MAIN, QUARTER, QUARTER, ONE_WAY, ONE_WAY)
    for shown, known in (((QUARTER,), False), ((QUARTER, ONE_WAY), True)):
        rows = [
            rows_of_pairs(PAIRS, 1e-4 * (1 + 0.15 * BETWEEN * (one in shown)), 0, one, NOISE, random)
            for one in attempts
        ]
        assert _shows_the_leaves(run_of(np.arange(HOSTS), 1, {SIZES[0]: rows})) == known


@pytest.mark.parametrize(
    ("sizes", "fewest"),
    [((2, 2, 2, 2), 2), ((4, 2, 2), 2), ((2, 2, 2), 3), ((4, 4, 2), 3), ((3, 2, 2, 2), 3), ((4, 4, 4), 3)],
)
def test_two_hosts_are_a_group_where_most_groups_have_two_and_others_several_twos(
    sizes: tuple[int, ...], fewest: int
) -> None:
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    pairs = np.array(list(itertools.combinations(range(len(group_of)), 2)))
    rows = rows_of_pairs(pairs, np.full(len(pairs), 1e-4), 0, MAIN, NOISE, np.random.default_rng(1))
    results = run_of(np.arange(len(group_of)), 1, {SIZES[0]: [rows]})
    equals = equals_for(results, group_of, kinds_of(results))
    assert find(readings(results, results.sizes[0]), equals).effects.fewest_hosts == fewest


def test_a_leaf_of_hosts_of_two_kinds_is_one_group() -> None:
    """Its last two hosts are near to one host of their kind only, those of the next leaf to three."""
    leaf, kind_of = np.arange(16) // 4, (np.arange(16) >= 10).astype(np.int64)
    times = np.where(leaf[:, None] == leaf, 0.0, 0.2) + 0.005 * np.random.default_rng(2).standard_normal((16, 16))
    np.fill_diagonal(times, np.nan)
    assert inferred_groups(((times + times.T) / 2).astype(np.float32), kind_of)[0].tolist() == leaf.tolist()


@pytest.mark.parametrize("seed", [7, 8])
def test_leaves_show_beside_a_slow_one_though_hosts_are_of_any_of_three_kinds(seed: int) -> None:
    """All links of the slow leaf make the others look like one; they take as long with every kind."""
    leaf, kind_of = np.arange(32) // 8, np.random.default_rng(seed).integers(0, 3, 32)
    pairs = np.array(list(itertools.combinations(range(32), 2)))
    between = leaf[pairs[:, 0]] != leaf[pairs[:, 1]]
    usual = np.where(between, 1.07, 1.0) * (1 + 0.2 * kind_of[pairs].max(axis=1))
    times = 1e-4 * np.where(between & (leaf[pairs] == 3).any(axis=1), 2.0, usual)
    rows = rows_of_pairs(pairs, times, pairs.sum(axis=1) % 32, MAIN, 0.02, np.random.default_rng(3))
    kinds = Kinds(kind_of, ("one", "another", "a third"), told=True)
    groups, _ = groups_for(run_of(np.arange(32), 32, {SIZES[0]: [rows]}), None, kinds)
    assert groups.tolist() == leaf.tolist()


@pytest.mark.parametrize(("pairs", "shown"), [(2, True), (1, False)])
@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_hosts_that_are_far_from_each_other_and_all_the_rest_are_groups(
    seed: int, pairs: int, shown: bool
) -> None:
    """Both hosts of a single pair may as well be slow."""
    groups = np.zeros(16, np.int64)
    groups[[2, 13]] = 1
    groups[[3, 6]] = 2 if pairs == 2 else 0
    noise = 0.005 * np.random.default_rng(seed).standard_normal((16, 16))
    times = np.where(groups[:, None] == groups, 0.0, 0.68) + noise
    np.fill_diagonal(times, np.nan)
    found, gain = inferred_groups(((times + times.T) / 2).astype(np.float32))
    assert (gain > 0) == shown
    if shown:
        assert found.tolist() == groups.tolist()
