"""Kinds that only the times tell go by group, or they do not."""

import numpy as np
import pytest

from everylink.judge.kinds import Kinds

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
