"""What adapters can carry at most, by their ports and the PCIe links above them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from everylink.inventory.ceilings import GIGABIT, Ceiling, ceiling_of
from everylink.inventory.cluster import cluster_of
from everylink.io.read import read
from inventories import OLDER, Machine, Model, cluster, make_inventory


def ceiling(folder: Path, machines: list[Machine]) -> Ceiling | None:
    return ceiling_of(cluster_of(read(make_inventory(folder / "x.h5", machines))))


@pytest.mark.parametrize(
    ("model", "gigabits", "limit"),
    [
        (Model(), 400, "400 Gbit/s"),
        (replace(Model(), width=8), 32 * 8 * 128 / 130, "PCIe 5.0 x8"),
        (replace(Model(), width=4, gts="8.0 GT/s PCIe"), 8 * 4 * 128 / 130, "PCIe 3.0 x4"),
        (replace(Model(), width=16, gts="5.0 GT/s PCIe"), 64, "PCIe 2.0 x16"),
        (OLDER, 200, "200 Gbit/s"),
    ],
)
@pytest.mark.parametrize("fabric", ["ib", "roce", "ethernet"])
@pytest.mark.one_in(3)
def test_the_port_or_the_narrowest_pcie_link_limits(
    fabric: str, model: Model, gigabits: float, limit: str, tmp_path: Path
) -> None:
    found = ceiling(tmp_path, cluster(4, fabric=fabric, rails=1, model=model))
    assert found is not None
    assert found.limit == limit
    assert found.rate == pytest.approx(gigabits * GIGABIT)


def test_the_rails_of_a_host_add_up(tmp_path: Path) -> None:
    found = ceiling(tmp_path, cluster(4, rails=4))
    assert found == Ceiling(4 * 400 * GIGABIT, "400 Gbit/s on each of 4 rails")


def test_rails_with_different_limits_are_named_each(tmp_path: Path) -> None:
    machines = cluster(4, rails=3)
    for one in machines:
        one.facts["pci/0000:10:00.0", "current_link_width"] = "8"
    found = ceiling(tmp_path, machines)
    assert found is not None
    assert found.limit == "400 Gbit/s on each of 2 rails and PCIe 5.0 x8 on one rail"
    assert found.rate == pytest.approx((2 * 400 + 32 * 8 * 128 / 130) * GIGABIT)


def test_a_link_that_sleeps_before_the_run_counts_as_it_is_under_load(tmp_path: Path) -> None:
    machines = cluster(4, rails=1)
    assert machines[0].facts["pci/0000:10:00.0", "current_link_speed"] == "2.5 GT/s PCIe"
    assert ceiling(tmp_path, machines) == Ceiling(400 * GIGABIT, "400 Gbit/s")


@pytest.mark.parametrize(
    "change",
    [
        lambda machine: machine.facts.pop(("ib/mlx5_0/1", "rate")),
        lambda machine: machine.facts.update({("ib/mlx5_0/1", "rate"): "unknown"}),
        lambda machine: machine.drop("ib/mlx5_0"),
    ],
    ids=["no rate", "a rate that is no number", "no adapter"],
)
def test_what_no_host_tells_is_not_known(change: Callable[[Machine], object], tmp_path: Path) -> None:
    machines = cluster(4, rails=1)
    for one in machines:
        change(one)
        one.drop("net/eth0")
    assert ceiling(tmp_path, machines) is None
