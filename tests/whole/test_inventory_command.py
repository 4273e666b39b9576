"""`everylink inventory` of runs of the real core: recorded trees of every kind of host, with and without a fault."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Measure
from host_trees import KINDS, HostTree, config_space, save_hosts

HOSTS, ODD = 5, 3
Change = Callable[[HostTree], None]
Deviations = list[tuple[list[str], list[str], str]]


@pytest.fixture
def inventory(measure: Measure, tmp_path: Path) -> Callable[[list[HostTree]], dict[str, Any]]:
    """What the command says of a simulated run over hosts with these trees."""

    def call(trees: list[HostTree]) -> dict[str, Any]:
        root = save_hosts(tmp_path / "hosts", trees)
        mode = f"sim:hosts={len(trees)}"
        arguments = ("-s", 1024, "-n", 2, "--num-slowest", 0)
        measure("--np", len(trees), "--mode", mode, *arguments, environment={"EVERYLINK_SYSFS": str(root)})
        command = [sys.executable, "-m", "everylink", "inventory", tmp_path / "x.h5", "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode == 3) == any(one["severity"] == "critical" for one in found["deviations"])
        return found

    return call


def deviations(found: dict[str, Any]) -> Deviations:
    return [(one["hosts"], one["parts"], one["name"]) for one in found["deviations"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.one_in(6)
def test_healthy_hosts_of_every_kind_deviate_in_nothing(kind: str, inventory: Any) -> None:
    found = inventory([KINDS[kind](number) for number in range(HOSTS)])
    assert deviations(found) == []
    assert found["hosts"] == [f"n{number}" for number in range(HOSTS)]
    assert {one["value"] for one in found["kinds"][0]["facts"] if one["name"] == "kernel"} != set()


def function_of(tree: HostTree, device: str, height: int) -> str:
    return "pci/" + tree.path(device)[height].rsplit("/", 1)[1]


def on(path: Callable[[HostTree], str], text: object) -> Change:
    return lambda tree: tree.set(path(tree), text)


def port(name: str) -> Callable[[HostTree], str]:
    return lambda tree: f"{tree.port('mlx5_1')}/{name}"


def pci(height: int, name: str) -> Callable[[HostTree], str]:
    return lambda tree: f"{tree.path('mlx5_1')[height]}/{name}"


FAULTS: dict[str, tuple[str, Change, str, str]] = {
    "half rate": ("h100", on(port("rate"), "200 Gb/sec (2X NDR)"), "ib/mlx5_1/1", "rate"),
    "port down": ("h100", on(port("state"), "1: DOWN"), "ib/mlx5_1/1", "state"),
    "another partition": ("h100", on(port("pkeys/0"), "0x8001"), "ib/mlx5_1/1", "pkey"),
    "another subnet manager": ("h100", on(port("sm_lid"), "0x9"), "ib/mlx5_1/1", "sm_lid"),
    "old firmware": ("h100", on(lambda tree: f"{tree.adapter('mlx5_1')}/fw_ver", "28.37.1"), "ib/mlx5_1", "fw_ver"),
    "half the PCIe lanes at the second bridge": (
        "h100", on(pci(2, "current_link_width"), "8"), "height 2", "current_link_width"
    ),
    "PCIe 4.0": ("h100", on(pci(0, "current_link_speed"), "16.0 GT/s PCIe"), "height 0", "current_link_speed"),
    "MaxReadReq": ("h100", on(pci(0, "config"), config_space(max_read_request=512)), "height 0", "max_read_request"),
    "governor": (
        "h100",
        lambda tree: [tree.set(path, "powersave") for path in list(tree.files) if path.endswith("scaling_governor")],  # type: ignore[arg-type,return-value]
        "host", "governor",
    ),
    "an older kernel": ("cloud", on(lambda tree: "proc/sys/kernel/osrelease", "5.4.0"), "host", "kernel"),
    "wrong MTU": ("roce", on(lambda tree: f"{tree.net('eth1')}/mtu", 1500), "net/eth1", "mtu"),
    "half rate of an interface": (
        "slingshot", on(lambda tree: "sys/class/cxi/cxi1/device/port/speed", "BS_100G"), "cxi/cxi1", "port/speed"
    ),
    "an older driver": ("efa", on(lambda tree: "sys/module/efa/version", "2.1.0"), "host", "driver/efa"),
}  # fmt: skip


USUAL = ("half rate", "half the PCIe lanes at the second bridge", "governor", "wrong MTU")  # the others: make test-long


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=[] if fault in USUAL else pytest.mark.long) for fault in FAULTS]
)
@pytest.mark.one_in(4)
def test_a_fault_in_the_files_of_one_host_is_named_on_its_part(fault: str, inventory: Any) -> None:
    kind, change, part, name = FAULTS[fault]
    trees = [KINDS[kind](number) for number in range(HOSTS)]
    change(trees[ODD])
    wanted = function_of(trees[ODD], "mlx5_1", int(part.split()[1])) if part.startswith("height") else part
    assert deviations(inventory(trees)) == [([f"n{ODD}"], [wanted], name)]


def test_hosts_are_read_by_ssh_and_those_that_cannot_be_are_left_out(ssh_folder: Path) -> None:
    command = [sys.executable, "-m", "everylink", "inventory", "a1,a2,gone1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ssh_folder)
    assert done.returncode == 0, done.stderr
    assert "everylink: gone1: left out: ssh: Could not resolve hostname" in done.stderr
    assert "2 hosts: a[1-2]\n" in done.stdout
    alone = subprocess.run([*command[:-1], "a1"], capture_output=True, text=True, check=True, cwd=ssh_folder)
    assert "1 host: a1\n" in alone.stdout
    none = subprocess.run([*command[:-1], "gone1"], capture_output=True, text=True, check=False, cwd=ssh_folder)
    assert (none.returncode, none.stdout) == (2, "")


@pytest.mark.quick
def test_this_machine_is_read_in_a_run_of_seconds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "everylink", "inventory", "-o", tmp_path / "x.h5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode in (0, 3), done.stderr
    assert f"kernel: {os.uname().release}" in done.stdout
    again = [sys.executable, "-m", "everylink", "inventory", tmp_path / "x.h5", tmp_path / "x.h5", "--quiet"]
    assert subprocess.run(again, capture_output=True, text=True, check=True).stdout.endswith("nothing changed\n")
