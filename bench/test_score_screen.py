"""Screenings of simulated clusters: what was planted is named within thirty steps, and nothing else."""

import numpy as np
import pytest
from score_screen import GOALS, LEAF, STEPS, STRUCTURES, Cluster, Planted, Score, clusters, parsed, score
from worlds.orders import screening

from everylink.judge.screening.plan import MOST_STEPS

SMALL, GROUP = 2400, 240


def planted(hosts: int, seed: int, trunks: int = 1) -> Planted:
    return Planted.drawn(hosts, GROUP, trunks, np.random.default_rng(seed))


def assert_all_found(made: Score) -> None:
    assert made.found == made.counted
    assert made.wrong == []
    assert made.steps <= MOST_STEPS


@pytest.mark.long
def test_what_is_planted_is_found_in_thirty_steps_and_nothing_else() -> None:
    assert_all_found(score(Cluster(SMALL, "plain", planted(SMALL, 1), seed=1)))


@pytest.mark.long
@pytest.mark.parametrize("structure", STRUCTURES)
def test_nothing_is_accused_in_a_healthy_cluster(structure: str) -> None:
    made = score(Cluster(SMALL, structure, Planted(), seed=2))
    assert made.verdicts == 0


@pytest.mark.long("a slow leaf without a topology")
def test_without_a_topology_hosts_and_leaves_are_found() -> None:
    assert_all_found(score(Cluster(SMALL, "plain", planted(SMALL, 3, trunks=0), seed=3, told=False)))


@pytest.mark.long("minutes, and 2 GiB")
@pytest.mark.parametrize("hosts", [10_000, 100_000])
def test_goals_are_met_at_the_size_of_large_clusters(hosts: int) -> None:
    chosen = parsed(["--hosts", str(hosts), "--seeds", "1", "--structures", "plain", "detours", "hosts vary"])
    for cluster in clusters(chosen):
        made = score(cluster)
        for kind in made.counted:
            assert made.found[kind] >= GOALS[kind] * made.counted[kind], (cluster.structure, kind)
        assert len(made.wrong) <= (1 - GOALS["precision"]) * made.verdicts
        assert made.steps <= MOST_STEPS
        assert made.seconds <= 60


@pytest.mark.parametrize("sizes", [[LEAF] * 60, [1, 2, 3, 40, 40, 41]])
def test_steps_are_those_of_the_schedule(sizes: list[int]) -> None:
    """As tests/core/schedule_test.cpp demands of the core's: disjoint, all busy, ways taken equally often."""
    group = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    order = screening(group, True, STEPS, np.random.default_rng(4))
    met = np.zeros((len(sizes), len(sizes)), np.int64)
    for step in range(STEPS):
        one, other = order.a[order.step == step], order.b[order.step == step]
        assert len(np.unique(np.concatenate([one, other]))) == len(group) // 2 * 2
        np.add.at(met, (group[one], group[other]), 1)
    both = met + met.T
    equal = np.array(sizes) == LEAF
    between = both[np.ix_(equal, equal)][np.triu_indices(int(equal.sum()), 1)]
    assert between.max() - between.min() <= 2


def test_without_switches_no_two_hosts_meet_twice() -> None:
    order = screening(np.arange(101), False, STEPS, np.random.default_rng(4))
    assert len(order) == STEPS * 50
    assert len(np.unique(order.a * 101 + order.b)) == len(order)
