"""GPUs and NVLinks: what deviates is named, is no cause of slow messages between hosts, and `inventory` shows them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.explain.because import NONE_SEEN
from everylink.inventory.drift import Drift, drift_of
from everylink.inventory.meanings import Severity
from everylink.io.read import read
from inventories import Machine, add_gpus, cluster, make_inventory
from make_results import Link, steady

BAD = 3  # the host that each fault is planted on
Plant = Callable[[Machine], object]


def hosts_with_gpus(hosts: int = 8) -> list[Machine]:
    machines = cluster(hosts)
    for number, one in enumerate(machines):
        add_gpus(one, number)
    return machines


def slow_host(link: Link, size: int) -> float:
    return steady(link, size) * (3 if BAD in link else 1)


def drift_in(path: Path, machines: list[Machine]) -> Drift:
    return drift_of(read(make_inventory(path / "x.h5", machines, time=lambda link, size: 1e-6)))


def told(part: str, name: str, value: str) -> Plant:
    return lambda one: one.facts.update({(part, name): value})


def link_down(one: Machine) -> None:
    one.facts["nvlink/2/5", "state"] = "inactive"
    del one.facts["nvlink/2/5", "speed"]


def lost(one: Machine) -> None:
    one.drop("gpu/1")
    one.drop("nvlink/1")
    one.facts["gpu/1", "fault"] = "GPU is lost"


def without_gpu(one: Machine) -> None:
    one.drop("gpu/3")
    one.drop("nvlink/3")


def without_library(one: Machine) -> None:
    for gpu in range(4):
        one.drop(f"gpu/{gpu}")
        one.drop(f"nvlink/{gpu}")
    one.facts["host", "nvml"] = "Driver/library version mismatch"


FAULTS: dict[str, tuple[Plant, Severity, str]] = {
    "link down": (link_down, Severity.CRITICAL, "state inactive of nvlink/2/5; the other 7 have active"),
    "link slower": (
        told("nvlink/0/1", "speed", "13281"), Severity.CRITICAL,
        "rate in MB/s 13281 of nvlink/0/1; the other 7 have 26562",
    ),
    "replays": (
        lambda one: one.grow("nvlink/0/2", "errors/replay", 14), Severity.WARNING,
        "errors/replay of nvlink/0/2 grew by 14: data was sent again: a bad NVLink: connector, bridge or cable; "
        "7 others did not",
    ),
    "trained again": (
        lambda one: one.grow("nvlink/0/2", "errors/recovery", 1), Severity.CRITICAL,
        "errors/recovery of nvlink/0/2 grew by 1: the link went down and was trained again; 7 others did not",
    ),
    "memory": (
        lambda one: one.grow("gpu/1", "errors/ecc_volatile_uncorrected", 2), Severity.WARNING,
        "errors/ecc_volatile_uncorrected of gpu/1 grew by 2: the memory of the GPU lost data; 7 others did not",
    ),
    "ECC off": (
        told("gpu/1", "ecc_mode", "disabled"), Severity.WARNING, "ECC disabled of gpu/1; the other 7 have enabled"
    ),
    "throttled": (
        told("gpu/1", "throttle_reasons", "sw_power_cap, hw_thermal_slowdown"), Severity.WARNING,
        "slowdown by the hardware hw_thermal_slowdown of gpu/1; the other 7 have none",
    ),
    "PCIe lanes": (
        told("pci/0000:a1:00.0", "current_link_width", "8"), Severity.CRITICAL,
        "PCIe lanes 8 of pci/0000:a1:00.0; the other 7 have 16",
    ),
    "lost": (lost, Severity.CRITICAL, "fault GPU is lost of gpu/1; the other 7 have none"),
    "missing": (without_gpu, Severity.CRITICAL, "gpu/3 is missing; the other 7 have it"),
    "another model": (
        told("gpu/0", "name", "NVIDIA H100 PCIe"), Severity.WARNING,
        "model NVIDIA H100 PCIe of gpu/0; the other 7 have NVIDIA H100 80GB HBM3",
    ),
    "no library": (
        without_library, Severity.WARNING, "fault of NVML Driver/library version mismatch; the other 7 have none"
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.one_in(3)
def test_a_fault_of_a_gpu_is_named_and_nothing_else_is(fault: tuple[Plant, Severity, str], tmp_path: Path) -> None:
    plant, severity, sentence = fault
    machines = hosts_with_gpus()
    plant(machines[BAD])
    (found,) = drift_in(tmp_path, machines).deviations
    assert found.sentence == f"n03: {sentence}"
    assert found.severity is severity


def test_what_gpus_have_alike_is_no_deviation(tmp_path: Path) -> None:
    machines = hosts_with_gpus()
    for one in machines:
        link_down(one)
        one.grow("nvlink/0/2", "errors/replay", 3)
    assert not drift_in(tmp_path, machines).deviations


def test_of_two_hosts_a_link_that_is_down_is_named_where_those_of_the_other_gpus_are_up(tmp_path: Path) -> None:
    machines = hosts_with_gpus(2)
    link_down(machines[1])
    for one in machines:
        for gpu in range(4):  # never used
            one.facts[f"nvlink/{gpu}/0", "state"] = "inactive"
    (found,) = drift_in(tmp_path, machines).deviations
    assert found.parts == ("nvlink/2/5",)


@pytest.mark.parametrize("fault", ["link down", "PCIe lanes", "replays"])
def test_a_gpu_is_no_cause_of_a_slow_host_but_a_finding_of_its_own(fault: str, tmp_path: Path) -> None:
    plant, severity, sentence = FAULTS[fault]
    machines = hosts_with_gpus()
    plant(machines[BAD])
    run = judged(read(make_inventory(tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow_host)))
    (verdict,) = run.judgement.verdicts
    assert (verdict.subject, verdict.because) == (("n03",), NONE_SEEN)
    (finding,) = run.judgement.findings
    assert finding.text == f"n03: {sentence}"
    assert finding.is_fault == (severity is Severity.CRITICAL)


def test_the_inventory_shows_gpus_and_their_links(tmp_path: Path, everylink: Command) -> None:
    path = make_inventory(tmp_path / "x.h5", hosts_with_gpus())
    code, said, _ = everylink("inventory", path)
    assert code == 0
    assert "gpu/[0-3]: NVIDIA H100 80GB HBM3, driver 550.54.15, ECC enabled, PCIe x16, 6 NVLinks active\n" in said
