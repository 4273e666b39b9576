"""GPUs and NVLinks are read beside the network: of a stand-in for NVIDIA's library, and of recorded trees."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Measure, measure_program
from host_trees import cloud_node, save_hosts
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


def test_a_link_that_is_down_on_one_host_is_a_finding_of_a_run(measure: Measure, tmp_path: Path) -> None:
    trees = [cloud_node(number) for number in range(4)]
    for tree in trees:
        for gpu in range(2):
            states = ["inactive" if (tree.number, gpu, link) == (2, 1, 5) else "active" for link in range(6)]
            tree.set(f"everylink/gpu/{gpu}/gpu", "name: NVIDIA H100 80GB HBM3")
            tree.set(f"everylink/gpu/{gpu}/nvlink", "\n".join(f"{i}/state: {state}" for i, state in enumerate(states)))
    root = save_hosts(tmp_path / "hosts", trees)
    measure("--np", 4, "--mode", "sim:hosts=4", environment={"EVERYLINK_SYSFS": str(root)})
    done = subprocess.run(
        [sys.executable, "-m", "everylink", "diagnose", tmp_path / "x.h5"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stdout + done.stderr
    assert "n2: state inactive of nvlink/1/5; the other 3 have active" in done.stdout
