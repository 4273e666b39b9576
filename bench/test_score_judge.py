"""What score_judge counts."""

import pytest
from score_judge import World, score

LAST_GROUP_SHORT_OF_A_HOST = 23087  # seed: the last of 14 groups is slow, and one of its 8 hosts has no rank


@pytest.mark.long
def test_a_group_is_found_if_the_hosts_that_have_ranks_are_named() -> None:
    world = World(LAST_GROUP_SHORT_OF_A_HOST)
    assert len(world.group) - len(world.measured_group) == 1
    found = score(False, False, LAST_GROUP_SHORT_OF_A_HOST)
    assert found.groups == ({"g13"}, {"g13"})
