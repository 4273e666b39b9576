"""Which ranks are measured alone since what they share hides under load what one of them lacks."""

from collections import Counter
from dataclasses import replace
from itertools import chain

import numpy as np

from everylink.io.foreign import bare_ranks
from everylink.judge.ranks_alone import MOST_RANKS, pairs_of_each, sharing
from everylink.model.results import Ranks


def ranks_of(hosts: int, devices: list[str]) -> Ranks:
    each = len(devices)
    host_of = np.repeat(np.arange(hosts), each)
    ranks = bare_ranks([f"n{host}" for host in host_of], host_of, np.tile(np.arange(each), hosts))
    return replace(ranks, device=tuple(devices * hosts))


def test_each_rank_that_shares_its_adapter_meets_two_of_its_number() -> None:
    pairs = pairs_of_each(sharing(ranks_of(5, ["mlx5_0", "mlx5_0", "mlx5_1"])))
    assert all(one % 3 == other % 3 and one < other for one, other in pairs)
    assert Counter(chain.from_iterable(pairs)) == {rank: 2 for rank in range(15) if rank % 3 < 2}


def test_ranks_with_an_adapter_of_their_own_few_hosts_and_very_many_ranks_are_left_out() -> None:
    assert not sharing(ranks_of(8, ["mlx5_0", "mlx5_1"]))
    assert not sharing(ranks_of(8, ["mlx5_0"]))
    assert not sharing(ranks_of(3, ["mlx5_0"] * 4))
    assert len(sharing(ranks_of(MOST_RANKS // 2, ["mlx5_0"] * 2))) == 2
    assert not sharing(ranks_of(MOST_RANKS // 2 + 1, ["mlx5_0"] * 2))


def test_ranks_of_which_no_adapter_is_known_may_share_one() -> None:
    assert len(pairs_of_each(sharing(ranks_of(4, ["", ""])))) == 8
