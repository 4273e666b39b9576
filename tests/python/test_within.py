"""Links between the ranks of a host are compared with those between the same places of other hosts."""

from pathlib import Path

import numpy as np
import pytest

from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.judge.within import find_within
from everylink.model.results import Results, Size
from everylink.model.rows import MAIN, joined
from pair_rows import rows_of_pairs

HOSTS, EACH = 10, 4
USUAL, FAR = 1e-6, 1.5  # seconds between neighbours; times as long to the last rank of a host


def _run(measured: dict[int, list[tuple[int, int]]], slow: int = -1) -> Results:
    """`measured`: by host the places whose links were measured, 8 times each; all of the `slow` host take twice."""
    random, parts = np.random.default_rng(2), []
    for host, places in measured.items():
        pairs = np.array(places) + host * EACH
        times = USUAL * np.where((np.array(places) == EACH - 1).any(axis=1), FAR, 1.0) * (2 if host == slow else 1)
        parts += [rows_of_pairs(pairs, times, turn, MAIN, 0.01, random) for turn in range(8)]
    ranks = HOSTS * EACH
    facts = bare_facts("semidirectional", ranks=ranks, hosts=HOSTS, messages=100)
    of_host = np.repeat(np.arange(HOSTS), EACH)
    made = bare_ranks([f"n{host}" for host in of_host], of_host, np.tile(np.arange(EACH), HOSTS))
    return Results(Path("run.h5"), facts, made, bare_steps(8), (Size(1 << 20, 1, ranks, joined(parts)),))


@pytest.mark.parametrize("slow", [-1, 3, 8])
def test_hosts_of_which_only_distant_cores_were_measured_are_not_slow(slow: int) -> None:
    near, far = [(0, 1), (1, 2), (0, 2)], [(0, 3), (1, 3), (2, 3)]
    run = _run({host: far if host >= 6 else near for host in range(HOSTS)}, slow)
    assert [one.host for one in find_within(run, run.sizes[0]) if one.sure] == ([slow] if slow >= 0 else [])


def test_a_place_that_few_hosts_have_tells_nothing() -> None:
    run = _run({host: [(0, 3)] if host < 3 else [(0, 1)] for host in range(HOSTS)}, slow=1)
    assert not find_within(run, run.sizes[0])
    every = _run({host: [(0, 3)] for host in range(HOSTS)}, slow=1)
    assert [one.host for one in find_within(every, every.sizes[0])] == [1]
