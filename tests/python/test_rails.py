"""Adapters that reach each other on no two hosts: structure, unless what failed was no fault of the network."""

from dataclasses import replace

import numpy as np
import pytest

from everylink.judge.rails import without_unreachable
from everylink.model.results import Results
from everylink.model.rows import Outcome
from fabric_runs import fabric_run

HOSTS = 6


def run_with(outcome: Outcome) -> Results:
    """Two adapters on each host; every link between different ones ended with this outcome."""
    run = fabric_run(hosts=HOSTS, ranks_per_host=2)
    ranks = replace(run.ranks, device=tuple(f"mlx5_{rank % 2}" for rank in range(len(run.ranks))))
    (size,) = run.sizes
    between = size.rows.frm % 2 != size.rows.to % 2
    rows = replace(size.rows, outcome=np.where(between, np.uint8(outcome), size.rows.outcome))
    return replace(run, ranks=ranks, sizes=(replace(size, rows=rows),))


def test_links_that_failed_between_adapters_of_different_rails_are_left_out_as_structure() -> None:
    run = run_with(Outcome.TIMEOUT)
    kept, found = without_unreachable(run)
    assert [one.subject for one in found] == [("mlx5_0", "mlx5_1")]
    assert (kept.sizes[0].rows.outcome == Outcome.OK).all()
    assert len(kept.sizes[0].rows) < len(run.sizes[0].rows)


@pytest.mark.parametrize("outcome", [Outcome.LOCAL, Outcome.OK])
def test_links_that_hosts_could_not_measure_tell_nothing_of_rails(outcome: Outcome) -> None:
    run = run_with(outcome)
    kept, found = without_unreachable(run)
    assert found == []
    assert len(kept.sizes[0].rows) == len(run.sizes[0].rows)
