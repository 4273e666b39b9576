"""Slow ranks that share an adapter, or a rail of a group, are one verdict."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.names import Names
from everylink.judge.slow_adapters import one_per_adapter
from everylink.judge.verdict import Scope, Verdict
from everylink.model.results import Ranks
from fabric_runs import fabric_run

HOSTS, EACH = 12, 4  # four ranks of each host share two adapters
GROUPS = np.arange(HOSTS) // 4
RUN = fabric_run(hosts=HOSTS, ranks_per_host=EACH)
RANKS = replace(RUN.ranks, device=tuple(f"mlx5_{rank % EACH // 2}" for rank in range(len(RUN.ranks))))


def merged(
    *verdicts: Verdict, ranks: Ranks = RANKS, groups: NDArray[np.int64] = GROUPS
) -> tuple[list[Verdict], set[Verdict]]:
    names = Names(replace(RUN, ranks=ranks), None, groups)
    return one_per_adapter(verdicts, names, ranks)


def of_rank(host: int, own: int, factor: float = 1.5) -> Verdict:
    name = RANKS.name(host * EACH + own)
    return Verdict("rank", (name,), "both", "slow", 1 << 20, factor, 0.97, 40, f"rank {own} of n{host}")


def of_rail(subject: str, factor: float) -> Verdict:
    return Verdict("group", (subject,), "both", "slow", 1 << 20, factor, 0.97, 40, "rail")


def subjects(*verdicts: Verdict) -> list[tuple[str, ...]]:
    return [one.subject for one in merged(*verdicts)[0]]


def test_the_ranks_that_share_an_adapter_are_one_verdict_and_the_rest_is_left() -> None:
    own, other = [of_rank(3, 2), of_rank(3, 3, 1.6)], of_rank(7, 0)
    (kept, found), told = merged(*own, other)
    assert kept == other
    assert (found.kind, found.subject, found.scope) == ("rank", ("n3:14", "n3:15"), Scope.EACH)
    assert found.evidence == "2 ranks share mlx5_1; of n3:15: rank 3 of n3"
    assert told == set(own)


def test_the_ranks_of_an_adapter_are_not_joined_if_one_is_well_or_another_of_the_host_is_slow() -> None:
    for verdicts in ([of_rank(3, 2)], [of_rank(3, 1), of_rank(3, 2), of_rank(3, 3)]):
        assert merged(*verdicts) == (verdicts, set())


def test_a_rail_that_is_slow_on_all_hosts_of_a_group_is_one_verdict() -> None:
    slow = [of_rank(host, own) for host in range(4, 8) for own in (0, 1)]
    (found,), told = merged(*slow)
    assert (found.kind, found.subject, found.scope) == ("group", ("n[4-7] on mlx5_0",), Scope.ALL)
    assert found.evidence.startswith("slow on 4 of 4 hosts of this group, and on no others; of n4:16: ")
    assert told == set(slow)


def test_a_rail_that_is_slow_on_hosts_of_other_groups_too_or_not_on_all_of_its_own_is_none() -> None:
    one, other = ([of_rank(host, own) for own in (0, 1)] for host in (4, 9))
    rail = [of_rank(host, own) for host in range(4, 8) for own in (0, 1)]
    assert len(subjects(*rail, *other)) == 5
    assert subjects(*one, of_rank(5, 0), of_rank(5, 1)) == [("n4:16", "n4:17"), ("n5:20", "n5:21")]


def test_a_rail_that_is_named_explains_its_ranks_but_one_that_is_far_slower() -> None:
    rail, slow = of_rail("n[4-7] on mlx5_0", 1.3), [of_rank(4, 0, 1.6), of_rank(4, 1, 1.6)]
    assert subjects(rail, *slow) == [rail.subject]
    far = [of_rank(4, 0, 3.0), of_rank(4, 1, 3.0)]
    assert subjects(rail, *far) == [rail.subject, ("n4:16", "n4:17")]
    assert subjects(rail, *(of_rank(8, own) for own in (0, 1))) == [rail.subject, ("n8:32", "n8:33")]


def test_a_slow_rail_of_one_group_explains_that_its_device_is_less_slow_on_all_hosts() -> None:
    rail, plane = of_rail("n[4-7] on mlx5_0", 1.3), of_rail("n[0-11] on mlx5_0", 1.1)
    assert subjects(rail, plane) == [rail.subject]
    for others in ([replace(plane, factor=1.4)], [of_rail("n[0-11] on mlx5_1", 1.1)]):
        assert subjects(rail, *others) == [rail.subject, *(one.subject for one in others)]
    two = [rail, of_rail("n[8-11] on mlx5_0", 1.3), plane]
    assert subjects(*two) == [one.subject for one in two]


def test_nothing_is_joined_where_hosts_have_one_adapter_or_on_one_host() -> None:
    slow = [of_rank(3, own) for own in range(EACH)]
    assert merged(*slow, ranks=replace(RANKS, device=("mlx5_0",) * len(RANKS))) == (slow, set())
    one = fabric_run(hosts=1, ranks_per_host=EACH)
    names = Names(replace(one, ranks=replace(one.ranks, device=RANKS.device[:EACH])), None, np.zeros(EACH, np.int64))
    verdict = Verdict("rank", (names.units[0],), "both", "slow", 1 << 20, 1.5, 0.97, 3, "")
    assert one_per_adapter([verdict], names, one.ranks) == ([verdict], set())


def test_a_rail_of_two_hosts_is_one_verdict_if_both_are_slow_alike() -> None:
    groups = np.arange(HOSTS) // 2
    for factor, count in ((1.55, 1), (2.5, 2)):
        slow = [of_rank(host, own, 1.5 if host == 4 else factor) for host in (4, 5) for own in (0, 1)]
        found = merged(*slow, groups=groups)[0]
        assert [one.kind for one in found] == (["group"] if count == 1 else ["rank", "rank"])
    assert [one.kind for one in merged(of_rank(4, 0), of_rank(4, 1), groups=groups)[0]] == ["rank"]
