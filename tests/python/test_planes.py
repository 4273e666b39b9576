"""A rail that is slow on all hosts is named where their adapters are alike, and by more than the hosts differ."""

from dataclasses import replace

import numpy as np
import pytest

from everylink.judge.kinds import Kinds, equals_for, levelled
from everylink.judge.phases import measured_in
from everylink.judge.planes import slow_planes
from everylink.judge.readings import readings
from everylink.model.results import Results
from everylink.model.rows import Rows, chosen
from fabric_runs import fabric_run

HOSTS = 8
ALIKE, UNLIKE = "200 + 200 Gbit/s", "100 + 200 Gbit/s"


def run_with(
    factor: float, slow_hosts: int = HOSTS, rail_of: tuple[int, ...] = (0, 1), quicker: float = 1.0
) -> Results:
    """Ranks of each host use mlx5_0 and mlx5_1; on the first hosts, links of mlx5_1 take `factor` times as long.

    `rail_of`: of each rank of a host. `quicker`: the part of the time that links between ranks of mlx5_2 take.
    """
    run = fabric_run(hosts=HOSTS, ranks_per_host=len(rail_of))
    rail = np.tile(rail_of, HOSTS)
    ranks = replace(run.ranks, device=tuple(f"mlx5_{number}" for number in rail.tolist()))
    (size,) = run.sizes
    of_rank = np.where((rail == 1) & (ranks.host_index < slow_hosts), factor, 1.0)
    longer = np.maximum(of_rank[size.rows.frm], of_rank[size.rows.to])
    longer = np.where((rail[size.rows.frm] == 2) & (rail[size.rows.to] == 2), quicker, longer)
    rows = replace(size.rows, median=(size.rows.median * longer).astype(np.float32))
    return replace(run, ranks=ranks, sizes=(replace(size, rows=rows),))


def named(
    run: Results, kind: str = ALIKE, told: bool = True, alone: Rows | None = None
) -> list[tuple[str, float, int]]:
    kinds = Kinds(np.zeros(HOSTS, np.int64), (kind,), told)
    seen = levelled(readings(run, run.sizes[0]), equals_for(run, np.zeros(HOSTS, np.int64), kinds))
    rows = run.sizes[0].rows
    measured = measured_in(chosen(rows, np.zeros(len(rows), bool)) if alone is None else alone, seen)
    found = slow_planes(run.ranks, seen, kinds, measured.of_ranks)
    return [(plane.device, float(np.exp(plane.effect)), len(plane.hosts)) for plane in found]


def test_a_rail_that_is_slow_on_all_hosts_is_named_with_its_factor() -> None:
    ((device, factor, hosts),) = named(run_with(1.5))
    assert (device, hosts) == ("mlx5_1", HOSTS)
    assert factor == pytest.approx(1.5, rel=0.03)


def test_rails_that_are_alike_or_differ_by_less_than_equal_adapters_do_are_not() -> None:
    assert named(run_with(1.0)) == named(run_with(1.05)) == []


def test_adapters_of_different_or_unknown_rates_are_not_compared() -> None:
    assert named(run_with(1.5), UNLIKE) == named(run_with(1.5), told=False) == []


def test_a_rail_that_is_slow_on_a_part_of_the_hosts_is_no_slow_rail() -> None:
    assert named(run_with(2.0, slow_hosts=5)) == []


def test_adapters_that_more_ranks_share_are_not_compared_with_others() -> None:
    assert named(run_with(1.5, rail_of=(0, 1, 1))) == []
    assert [device for device, _, _ in named(run_with(1.5, rail_of=(0, 0, 1, 1)))] == ["mlx5_1"]


def test_no_rail_is_slow_where_others_differ_alone_as_functions_with_limits_of_their_own_do() -> None:
    for quicker, devices in ((1.0, ["mlx5_1"]), (0.5, [])):
        run = run_with(1.5, rail_of=(0, 1, 2), quicker=quicker)
        assert [device for device, _, _ in named(run, alone=run.sizes[0].rows)] == devices
