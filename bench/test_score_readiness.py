"""The readiness of a cluster: every planted part is found among a few hosts, and its steps take the time they must."""

import numpy as np
import pytest
from score_readiness import MESSAGES, SIZES, WARMUPS, Case, print_tables, score, seconds_of_steps
from worlds.structures import ALL
from worlds.world import World


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.long
def test_slow_hosts_a_pair_and_a_trunk_are_all_found_at_once(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """In these clusters slow hosts were taken for contention: links of the trunk were among those compared with."""
    found = score(Case("fat tree 1:1 adaptive", seed, 64))
    assert [part.name for part in found.parts if not part.found] == []
    assert [said.text for said in found.said if not said.right] == []
    print_tables([found], seconds_of_round=0.0)
    assert (
        "| fat tree 1:1 adaptive | 1 | 3 of 3 (100.0%) | 1 of 1 (100.0%) | 1 of 1 (100.0%) |" in capsys.readouterr().out
    )


def test_a_step_takes_as_long_as_its_longest_pair() -> None:
    hosts = 8
    built = ALL["one switch"](hosts, np.random.default_rng(1))
    results = World(built, seed=1, sizes=SIZES, iterations=1, noise=1e-6, messages=MESSAGES).results
    one_way = [float(np.median(size.rows.mean)) for size in results.sizes]
    longest = 2 * 2 * (MESSAGES + WARMUPS) * sum(one_way)
    assert seconds_of_steps(results) == pytest.approx([longest] * (hosts - 1), rel=0.1)  # some messages come late
