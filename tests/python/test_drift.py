"""What deviates in an inventory: each planted fault is named on its part, and nothing is said of healthy clusters."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from everylink.inventory.drift import Deviation, Drift, drift_of
from everylink.inventory.meanings import Severity
from everylink.io.read import read
from inventories import OLDER, Machine, clean_variation, cluster, machine, make_inventory

Plant = Callable[[list[Machine]], None]
BAD = 3  # the host that each fault is planted on
INFO, WARNING, CRITICAL = Severity


def drift_in(path: Path, machines: list[Machine]) -> Drift:
    return drift_of(read(make_inventory(path / "x.h5", machines, time=lambda link, size: 1e-6)))


@dataclass(frozen=True)
class Fault:
    """A fault of one host (or two, of a duplicate), planted on a cluster, and how it is named."""

    plant: Plant
    parts: tuple[str, ...]
    name: str
    severity: Severity
    hosts: tuple[str, ...] = ("n03",)
    fabric: str = "ib"


def facts(part: str, **values: str) -> Plant:
    def plant(machines: list[Machine]) -> None:
        machines[BAD].facts |= {(part, name.replace("__", "/")): value for name, value in values.items()}

    return plant


def grown(part: str, name: str, more: int) -> Plant:
    return lambda machines: machines[BAD].grow(part, name, more)


def both(*plants: Plant) -> Plant:
    def plant(machines: list[Machine]) -> None:
        for one in plants:
            one(machines)

    return plant


def copied(part: str, name: str) -> Plant:
    """Host n03 has what n05 has."""

    def plant(machines: list[Machine]) -> None:
        machines[BAD].facts[part, name] = machines[5].facts[part, name]

    return plant


def counter(part: str, name: str, before: int, after: int) -> Plant:
    def plant(machines: list[Machine]) -> None:
        machines[BAD].counters[part, name] = before
        machines[BAD].later[part, name] = after

    return plant


def port_down(machines: list[Machine]) -> None:
    down = {"state": "1: DOWN", "phys_state": "3: Disabled", "rate": "10 Gb/sec (4X SDR)", "lid": "65535"}
    machines[BAD].facts |= {("ib/mlx5_1/1", name): value for name, value in down.items()}


def flapping(machines: list[Machine]) -> None:
    machines[BAD].grow("ib/mlx5_0/1", "counters/link_downed", 2)
    machines[BAD].grow("net/eth0", "carrier_changes", 4)


def lost_adapter(machines: list[Machine]) -> None:
    machines[BAD].drop("ib/mlx5_1")


def idle_rail(machines: list[Machine]) -> None:
    for name in ("counters/port_xmit_data", "counters/port_rcv_data"):
        machines[BAD].later["ib/mlx5_1/1", name] = machines[BAD].counters["ib/mlx5_1/1", name]


PORT, DEVICE, NET = "ib/mlx5_0/1", "ib/mlx5_0", "net/eth0"
SECOND_BRIDGE = "pci/0000:12:00.0"
FAULTS = {
    "half rate": Fault(facts(PORT, rate="200 Gb/sec (2X NDR)"), (PORT,), "rate", CRITICAL),
    "half rate of an interface": Fault(facts(NET, speed="200000"), (NET,), "speed", CRITICAL, fabric="ethernet"),
    "half rate of RoCE": Fault(
        both(facts(PORT, rate="200 Gb/sec (4X HDR)"), facts(NET, speed="200000")), (PORT,), "rate", CRITICAL,
        fabric="roce",
    ),
    "half the PCIe lanes": Fault(
        both(facts("pci/0000:10:00.0", current_link_width="8"), facts("pci/0000:11:00.0", current_link_width="8")),
        ("pci/0000:10:00.0",), "current_link_width", CRITICAL,
    ),
    "PCIe x8 at the second bridge": Fault(
        facts(SECOND_BRIDGE, current_link_width="8"), (SECOND_BRIDGE,), "current_link_width", CRITICAL
    ),
    "PCIe 4.0 under load": Fault(
        lambda machines: machines[BAD].loaded.update({(SECOND_BRIDGE, "current_link_speed"): "16.0 GT/s PCIe"}),
        (SECOND_BRIDGE,), "current_link_speed", CRITICAL,
    ),
    "wrong MTU": Fault(facts(NET, mtu="1500"), (NET,), "mtu", WARNING, fabric="roce"),
    "old firmware": Fault(
        both(facts(DEVICE, fw_ver="28.39.1002"), facts(NET, fw_version="28.39.1002")), (DEVICE,), "fw_ver", WARNING,
        fabric="roce",
    ),
    "governor": Fault(facts("host", governor="powersave"), ("host",), "governor", WARNING),
    "port down": Fault(port_down, ("ib/mlx5_1/1",), "state", CRITICAL),
    "interface down": Fault(
        both(facts(NET, operstate="down", carrier="0"), lambda machines: machines[BAD].facts.pop((NET, "speed"))),  # type: ignore[arg-type]
        (NET,), "operstate", CRITICAL, fabric="ethernet",
    ),
    "flapping": Fault(flapping, (PORT,), "counters/link_downed", CRITICAL, fabric="roce"),
    "carrier flaps": Fault(grown(NET, "carrier_changes", 4), (NET,), "carrier_changes", CRITICAL, fabric="ethernet"),
    "symbol errors": Fault(grown(PORT, "counters/symbol_error", 40), (PORT,), "counters/symbol_error", WARNING),
    "symbol errors by ethtool, which leaves out what is 0": Fault(
        lambda machines: machines[BAD].later.update({(NET, "ethtool/rx_symbol_err_phy"): 7}),
        (NET,), "ethtool/rx_symbol_err_phy", WARNING, fabric="ethernet",
    ),
    "many retransmissions": Fault(
        grown("host", "Tcp.RetransSegs", 4000), ("host",), "Tcp.RetransSegs", WARNING, fabric="ethernet"
    ),
    "stolen time": Fault(grown("host", "cpu_steal", 500), ("host",), "cpu_steal", WARNING),
    "PCIe errors": Fault(grown(SECOND_BRIDGE, "aer_correctable", 7), (SECOND_BRIDGE,), "aer_correctable", WARNING),
    "a saturated counter": Fault(
        counter(PORT, "counters/symbol_error", 65535, 65535), (PORT,), "counters/symbol_error", INFO
    ),
    "a counter that goes backwards": Fault(
        counter(PORT, "counters/port_rcv_errors", 9, 0), (PORT,), "counters/port_rcv_errors", WARNING
    ),
    "duplicate IP address": Fault(copied(NET, "ip"), (NET,), "ip", CRITICAL, ("n03", "n05"), "roce"),
    "duplicate MAC address": Fault(copied(NET, "address"), (NET,), "address", CRITICAL, ("n03", "n05"), "ethernet"),
    "duplicate GUID": Fault(
        both(copied(DEVICE, "node_guid"), copied(DEVICE, "sys_image_guid")), (DEVICE,), "node_guid", CRITICAL,
        ("n03", "n05"),
    ),
    "duplicate host name": Fault(copied("host", "name"), ("host",), "name", WARNING, ("n03", "n05")),
    "another partition": Fault(facts(PORT, pkey="0xffff, 0x8002"), (PORT,), "pkey", WARNING),
    "another subnet": Fault(
        facts(PORT, gid="fec0:0000:0000:0001:0003:0000:0300:5b8c", sm_lid="7"), (PORT,), "gid", WARNING
    ),
    "another IP network": Fault(facts(NET, ip="10.9.0.3/16"), (NET,), "ip", WARNING, fabric="ethernet"),
    "IOMMU": Fault(facts("host", iommu="intel_iommu=on"), ("host",), "iommu", WARNING),
    "an older library": Fault(facts("host", library__ucx="1.15.0"), ("host",), "library/ucx", WARNING),
    "an older kernel": Fault(
        both(facts("host", kernel="5.14.0-362.el9.x86_64", driver__mlx5_core="23.10"),
             facts(NET, driver_version="23.10")),
        ("host",), "kernel", WARNING, fabric="roce",
    ),
    "huge pages": Fault(facts("host", hugepages="2048kB:0, 1048576kB:0"), ("host",), "hugepages", WARNING),
    "SMT off": Fault(
        facts("host", smt="off", processors="96", last_level_caches="0-47; 48-95", cgroup_cpus="0-95"), ("host",),
        "smt", WARNING,
    ),
    "another processor": Fault(
        facts("host", cpu_model="AMD EPYC 9554 64-Core Processor", processors="128", cgroup_cpus="0-127"), ("host",),
        "cpu_model", WARNING,
    ),
    "fewer processors": Fault(
        facts("host", processors="190", cgroup_cpus="0-189"), ("host",), "processors", WARNING
    ),
    "ACS": Fault(facts(SECOND_BRIDGE, acs="on"), (SECOND_BRIDGE,), "acs", WARNING),
    "MaxReadReq": Fault(facts("pci/0000:10:00.0", max_read_request="512"), ("pci/0000:10:00.0",), "max_read_request",
                        WARNING),
    "a lost adapter": Fault(lost_adapter, ("ib/mlx5_1",), "present", CRITICAL),
    "a rail that carries nothing": Fault(idle_rail, ("ib/mlx5_1/1",), "traffic", WARNING),
}  # fmt: skip


def the_one(found: Drift) -> Deviation:
    assert len(found.deviations) == 1, [one.sentence for one in found.deviations]
    return found.deviations[0]


@pytest.mark.parametrize("hosts", [8, pytest.param(64, marks=pytest.mark.long)])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.one_in(7)
def test_a_planted_fault_is_named_on_its_part_and_nothing_else_is(fault: Fault, hosts: int, tmp_path: Path) -> None:
    machines = cluster(hosts, fabric=fault.fabric)
    fault.plant(machines)
    found = the_one(drift_in(tmp_path, machines))
    assert (found.hosts, found.parts, found.name) == (fault.hosts, fault.parts, fault.name), found.sentence
    assert found.severity is fault.severity
    if found.usual and len(fault.hosts) == 1 and "ethtool" not in fault.name:
        assert found.equals_count == hosts - 1


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.one_in(8)
def test_a_fault_among_two_generations_is_named_among_its_own(fault: Fault, tmp_path: Path) -> None:
    machines = cluster(16, fabric=fault.fabric)
    machines += [machine(16 + number, fabric=fault.fabric, model=OLDER) for number in range(16)]
    fault.plant(machines)
    found = the_one(drift_in(tmp_path, machines))
    assert (found.hosts, found.parts, found.name) == (fault.hosts, fault.parts, fault.name), found.sentence


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_nothing_is_said_of_a_healthy_cluster(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        found = drift_in(tmp_path, clean_variation(seed))
        assert [(seed, one.sentence) for one in found.deviations] == []
