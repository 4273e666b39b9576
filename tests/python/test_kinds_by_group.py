"""Kinds that only the times tell: they go by group or not, and are none where hosts are quick with others."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.kinds import Kinds, kinds_of
from everylink.model.rows import MAIN
from pair_rows import rows_of_pairs, run_of

GROUPS = np.repeat(np.arange(6), 4)


@pytest.mark.parametrize(
    ("kinds", "others", "same"),
    [
        ([0, 1, 0, 1, 0, 1], {5: 0}, False),  # one host of another kind in a group
        ([0, 1, 0, 1, 0, 1], {5: 0, 17: 1}, True),  # two: kinds do not go by group
        ([0, 0, 0, 0, 0, 1], {1: 1}, True),  # one group of the other kind says little
    ],
)
def test_one_host_of_another_kind_is_of_that_of_its_group_where_kinds_go_by_group(
    kinds: list[int], others: dict[int, int], same: bool
) -> None:
    whole = np.repeat(kinds, 4)
    of_host = whole.copy()
    for host, kind in others.items():
        of_host[host] = kind
    found = Kinds(of_host, ("", ""), told=False).by_group(GROUPS)
    assert found.of_host.tolist() == (of_host if same else whole).tolist()


def test_kinds_that_the_hosts_tell_stay_as_they_are() -> None:
    of_host = np.repeat([0, 1, 0, 1, 0, 1], 4)
    of_host[5] = 0
    told = Kinds(of_host, ("100 Gbit/s", "200 Gbit/s"), told=True)
    assert told.by_group(GROUPS) is told


HOSTS = 16
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))


def _kinds(factors: NDArray[np.float64]) -> list[int]:
    """The kinds that show where each pair takes its factor times as long as usual."""
    step, random = PAIRS.sum(axis=1) % HOSTS, np.random.default_rng(4)
    rows = [rows_of_pairs(PAIRS, 2e-6 * factors, turn * HOSTS + step, MAIN, 0.005, random) for turn in range(3)]
    return list(kinds_of(run_of(np.arange(HOSTS), 3 * HOSTS, {1: rows})).of_host.tolist())


def test_hosts_that_are_near_to_fewer_others_are_no_slower_kind() -> None:
    leaf = np.repeat(np.arange(5), (5, 4, 3, 2, 2))
    between = leaf[PAIRS[:, 0]] != leaf[PAIRS[:, 1]]
    assert _kinds(np.where(between, 1.7, 1.0)) == [0] * HOSTS


def test_a_slower_kind_shows_though_each_of_its_hosts_is_near_to_one_of_the_other_kind() -> None:
    """Two virtual machines on each server."""
    slower = np.arange(HOSTS) % 2
    is_near = PAIRS[:, 0] // 2 == PAIRS[:, 1] // 2
    assert _kinds(np.where(is_near, 0.5, 1.0 + 0.15 * slower[PAIRS].sum(axis=1))) == slower.tolist()
