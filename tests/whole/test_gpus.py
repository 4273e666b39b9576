"""GPUs and NVLinks are read beside the network: of a stand-in for NVIDIA's library, and of recorded trees."""

from pathlib import Path
from typing import Any

import pytest

from conftest import Measure, measure_program
from test_inventory import AGAIN, BEFORE, Inventory, inventory_of

STAND_IN = Path(measure_program()).parent.parent / "tests" / "core" / "nvml"


@pytest.fixture
def with_gpus(measure: Measure, tmp_path: Path) -> Any:
    """Measure on this machine, with the library of a driver that has a fault."""

    def call(fault: str = "") -> Inventory:
        environment = {"LD_LIBRARY_PATH": str(STAND_IN), "NVML_STAND_IN": fault}
        measure("--np", 2, "--mode", "tcp", "-s", 1024, environment=environment)
        return inventory_of(tmp_path / "x.h5")

    return call


def gpus_of(inventory: Inventory) -> set[str]:
    return {part for part in inventory.parts(0) if part.startswith(("gpu/", "nvlink/"))}


@pytest.mark.quick
def test_a_run_records_gpus_and_their_links_before_and_after(with_gpus: Any) -> None:
    inventory = with_gpus("replay")
    assert gpus_of(inventory) == {"gpu/0", "gpu/1"} | {f"nvlink/{gpu}/{link}" for gpu in (0, 1) for link in range(4)}
    assert inventory.fact(0, "gpu/1", "name") == "NVIDIA H100 80GB HBM3"
    assert inventory.fact(0, "nvlink/1/3", "remote_pci") == "0000:c3:00.0"
    replays = [inventory.counters[0, reading, "nvlink/0/2", "errors/replay"] for reading in (0, 2)]
    assert replays[1] > replays[0]
    assert inventory.moments(0)[0] == BEFORE
    assert inventory.moments(0)[-1] == AGAIN


def test_a_link_between_gpus_that_is_down_is_recorded(with_gpus: Any) -> None:
    inventory = with_gpus("down")
    states = {part: inventory.fact(0, part, "state") for part in gpus_of(inventory) if part.startswith("nvlink/")}
    assert [part for part, state in states.items() if state != "active"] == ["nvlink/1/3"]
    assert states["nvlink/1/3"] == "inactive"


@pytest.mark.parametrize("fault", ["hang", "no-driver"])
def test_a_library_for_gpus_that_hangs_or_fails_ends_no_run(with_gpus: Any, fault: str) -> None:
    inventory = with_gpus(fault)
    assert not gpus_of(inventory)
    assert inventory.fact(0, "host", "kernel")
    assert all(int(row["unread"]) == (fault == "hang") for row in inventory.readings)
