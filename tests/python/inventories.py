"""Hosts with facts and counters as the core reads them, and the group /inventory of a results file made of them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from make_results import make_results

Pair = tuple[str, str]
BEFORE, LOADED, AFTER = 0, 1, 2
GB = 10**9


@dataclass
class Machine:
    """A host: what is read of it before the run, what differs under load and after it, and what it carries."""

    name: str
    facts: dict[Pair, str] = field(default_factory=dict)
    counters: dict[Pair, int] = field(default_factory=dict)
    loaded: dict[Pair, str] = field(default_factory=dict)  # facts that differ under load
    later: dict[Pair, int] = field(default_factory=dict)  # counters that differ after the run
    device: str = "lo"
    carried: int = GB  # bytes sent, and as many received
    resent: dict[int, int] = field(default_factory=dict)  # segments that TCP sent again, by the rank they go to

    def grow(self, part: str, name: str, more: int) -> None:
        self.counters.setdefault((part, name), 0)
        now = self.later.get((part, name), self.counters[part, name])
        self.later[part, name] = now + more

    def drop(self, part: str) -> None:
        """Remove a part and what is below it."""
        for values in (self.facts, self.counters, self.loaded, self.later):
            for pair in [pair for pair in values if pair[0] == part or pair[0].startswith(part + "/")]:
                del values[pair]


def make_inventory(path: Path, machines: Sequence[Machine], **options: Any) -> Path:
    """A results file with a rank on each host (two on a single one), which its device carries, and their inventory."""
    of_ranks = [machine for machine in machines for _ in range(1 if len(machines) > 1 else 2)]
    make_results(path, hosts=[machine.name for machine in of_ranks], **options)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        del file["ranks/device"]
        file["ranks/device"] = np.array([machine.device.encode() for machine in of_ranks], "S64")
        write_inventory(file, machines)
    return path


def write_inventory(file: Any, machines: Sequence[Machine]) -> None:
    """Write /inventory with a reading before, under load and after the run."""
    texts: dict[str, int] = {"": 0}
    facts: list[tuple[int, ...]] = []
    counters: list[tuple[int, ...]] = []
    readings, carried, retransmits = [], [], []

    def row(text: str) -> int:
        return texts.setdefault(text, len(texts))

    for reading, moment in enumerate((BEFORE, LOADED, AFTER)):
        for host, machine in enumerate(machines):
            of_facts = (machine.facts, machine.loaded, _back(machine))[moment]
            of_counters = (machine.counters, {}, machine.later)[moment]
            facts += [(host, reading, row(part), row(name), row(text)) for (part, name), text in of_facts.items()]
            counters += [(host, reading, row(part), row(name), value) for (part, name), value in of_counters.items()]
            readings.append((host, reading, moment, host, float(reading), 0.01, 0))
            bytes_now = machine.carried if moment == AFTER else 0
            carried.append((reading, host, bytes_now, bytes_now))
    for rank, machine in enumerate(machines):
        retransmits += [
            (rank, to, segments, machine.carried // len(machines)) for to, segments in machine.resent.items()
        ]
    group = file.create_group("inventory")
    group["texts/text"] = np.array([text.encode() for text in texts], "S256")
    entry = {"host": "u4", "reading": "u4", "part": "u4", "name": "u4"}
    of_readings = {"host": "u4", "reading": "u4", "moment": "u1", "rank": "u4", "began": "f8", "took": "f4"}
    for name, kinds, rows in (
        ("facts", entry | {"value": "u4"}, facts),
        ("counters", entry | {"value": "u8"}, counters),
        ("readings", of_readings | {"unread": "u4"}, readings),
        ("carried", {"reading": "u4", "rank": "u4", "sent": "u8", "received": "u8"}, carried),
        ("retransmits", {"rank": "u4", "to": "u4", "segments": "u8", "bytes": "u8"}, retransmits),
    ):
        columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
        for (column, kind), values in zip(kinds.items(), columns, strict=True):
            group.create_dataset(f"{name}/{column}", data=np.array(values, kind), maxshape=(None,), chunks=(1024,))


def _back(machine: Machine) -> dict[Pair, str]:
    """Facts that were different under load are as before after the run."""
    return {pair: machine.facts.get(pair, "") for pair in machine.loaded}


@dataclass(frozen=True)
class Model:
    """What hosts of one generation have in common."""

    cpu: str = "AMD EPYC 9654 96-Core Processor"
    processors: int = 192
    kernel: str = "5.14.0-503.el9.x86_64"
    chip: str = "MT4129"
    board: str = "MT_0000000838"
    firmware: str = "28.43.2566"
    lanes: int = 4
    rate: str = "400 Gb/sec (4X NDR)"
    speed: int = 400000
    width: int = 16
    gts: str = "32.0 GT/s PCIe"
    device_id: str = "0x1021"


OLDER = Model(
    cpu="AMD EPYC 7763 64-Core Processor", processors=128, kernel="5.14.0-427.el9.x86_64", chip="MT4123",
    board="MT_0000000223", firmware="20.39.1002", rate="200 Gb/sec (4X HDR)", speed=200000, gts="16.0 GT/s PCIe",
    device_id="0x101b",
)  # fmt: skip
FABRICS = ("ib", "roce", "ethernet", "efa")


def machine(number: int, *, fabric: str = "ib", rails: int = 2, model: Model = Model(), name: str = "") -> Machine:
    """Host `number` of a cluster; what is its own (names, addresses, GUIDs) comes from the number."""
    made = Machine(name or f"n{number:02d}")
    facts = made.facts
    facts |= {
        ("host", key): text
        for key, text in {
            "kernel": model.kernel, "distribution": "Rocky Linux 9.5", "cpu_model": model.cpu,
            "processors": str(model.processors), "packages": "2", "smt": "on", "governor": "performance",
            "hugepages": "2048kB:512, 1048576kB:0", "load": f"{0.1 * (number % 7):.2f}", "name": made.name,
            "boot_id": f"{number:08x}-0000-4000-8000-000000000000", "numa_distances": "10 32; 32 10",
            "last_level_caches": f"0-{model.processors // 2 - 1}; {model.processors // 2}-{model.processors - 1}",
            "cgroup_cpus": f"0-{model.processors - 1}", "library/ucx": "1.18.0", "library/mpi": "Open MPI 5.0.7",
            "everylink": "0.1.0", "driver/mlx5_core": "24.10-2.1.8", "iommu": "iommu=pt",
        }.items()
    }  # fmt: skip
    made.counters |= {
        ("host", "Tcp.RetransSegs"): 900 + number,
        ("host", "Tcp.OutSegs"): 10**6,
        ("host", "cpu_steal"): 0,
    }
    made.grow("host", "Tcp.OutSegs", 1000 + number)
    _management(made, number)
    for rail in range(rails):
        _rail(made, number, rail, fabric, model, rails)
    made.device = {"ethernet": "eth0", "efa": "rdmap0"}.get(fabric, "mlx5_0")
    if rails > 1 and fabric != "ethernet":
        made.device = " ".join(_device(fabric, rail) for rail in range(rails))
    elif rails > 1:
        made.device = " ".join(f"eth{rail}" for rail in range(rails))
    return made


def _device(fabric: str, rail: int) -> str:
    return f"rdmap{rail}" if fabric == "efa" else f"mlx5_{rail}"


def _management(made: Machine, number: int) -> None:
    """An interface of another chip, in a network of its own."""
    made.facts |= {
        ("net/eno1", key): text
        for key, text in {
            "address": f"0c:42:a1:00:{number >> 8:02x}:{number & 255:02x}", "mtu": "1500", "operstate": "up",
            "carrier": "1", "speed": "1000", "duplex": "full", "driver": "igb", "pci": "0000:01:00.0",
            "ip": f"192.168.{number >> 8}.{number & 255}/16", "fw_version": "1.70",
        }.items()
    }  # fmt: skip
    made.facts |= _function("0000:01:00.0", "", Model(width=1, gts="5.0 GT/s PCIe", device_id="0x1533"))
    made.facts |= {("net/docker0", "address"): "02:42:00:00:00:01", ("net/docker0", "ip"): "172.17.0.1/16"}
    made.counters |= {("net/eno1", "carrier_changes"): 3, ("net/eno1", "statistics/rx_bytes"): 10**9}


def _rail(made: Machine, number: int, rail: int, fabric: str, model: Model, rails: int) -> None:
    """An adapter behind two bridges, its port and its interface."""
    facts, counters = made.facts, made.counters
    own, switch, upstream, root = (f"0000:{16 * (rail + 1) + at:02x}:00.0" for at in range(4))
    function = {"efa": Model(device_id="0xefa1")}.get(fabric, model)
    for address, parent in ((own, switch), (switch, upstream), (upstream, root), (root, "")):
        facts |= _function(address, parent, function)
    made.counters |= {(f"pci/{address}", "aer_correctable"): number % 3 for address in (own, switch, upstream, root)}
    made.loaded |= {(f"pci/{address}", "current_link_speed"): model.gts for address in (own, switch, upstream, root)}
    share = 2 * made.carried // (2 * rails)
    if fabric == "ethernet":
        _interface(made, f"net/eth{rail}", number, rail, own, model, "mlx5_core")
        made.grow(f"net/eth{rail}", "statistics/tx_bytes", share)
        made.grow(f"net/eth{rail}", "statistics/rx_bytes", share)
        return
    device = f"ib/{_device(fabric, rail)}"
    guid = f"{number:04x}:{rail:04x}:0300:5b8c"
    driver = "efa" if fabric == "efa" else "mlx5_core"
    facts |= {
        (device, "hca_type"): "efa" if fabric == "efa" else model.chip, (device, "fw_ver"): model.firmware,
        (device, "node_guid"): guid, (device, "sys_image_guid"): guid, (device, "pci"): own,
        (device, "numa_node"): str(rail % 2), (device, "driver"): driver, (device, "node_desc"): f"{made.name} HCA",
    }  # fmt: skip
    port = f"{device}/1"
    layer = {"ib": "InfiniBand", "roce": "Ethernet", "efa": "Unspecified"}[fabric]
    facts |= {
        (port, "state"): "4: ACTIVE", (port, "phys_state"): "5: LinkUp", (port, "rate"): model.rate,
        (port, "link_layer"): layer, (port, "gid"): f"fe80:0000:0000:0000:{guid}",
    }  # fmt: skip
    if fabric == "efa":
        counters |= {(port, "hw_counters/rx_drops"): 0}
        made.grow(port, "hw_counters/tx_bytes", share)
        made.grow(port, "hw_counters/rx_bytes", share)
        return
    facts[device, "board_id"] = model.board
    facts[port, "pkey"] = "0xffff, 0x8001"
    for name in ("symbol_error", "link_downed", "port_rcv_errors", "port_xmit_wait"):
        counters[port, f"counters/{name}"] = (number + rail) % 5 if name != "port_xmit_wait" else 10**6
    counters[port, "hw_counters/out_of_sequence"] = number
    made.grow(port, "counters/port_xmit_data", share // 4)
    made.grow(port, "counters/port_rcv_data", share // 4)
    if fabric == "ib":
        facts |= {(port, "lid"): str(1 + number * rails + rail), (port, "sm_lid"): "1"}
    else:
        facts[port, "netdev"] = f"eth{rail}"
        _interface(made, f"net/eth{rail}", number, rail, own, model, driver)


def add_gpus(made: Machine, number: int = 0, gpus: int = 4, links: int = 6) -> None:
    """GPUs with NVLinks, which carry none of the messages."""
    made.facts["host", "driver/nvidia"] = "550.54.15"
    for gpu in range(gpus):
        part, pci = f"gpu/{gpu}", f"0000:{0xA0 + gpu:02x}:00.0"
        made.facts |= _function(pci, "", Model(device_id="0x2330"))
        del made.facts[f"pci/{pci}", "current_link_speed"]
        made.facts |= {
            (part, "name"): "NVIDIA H100 80GB HBM3", (part, "uuid"): f"GPU-{number:04x}-{gpu}", (part, "pci"): pci,
            (part, "driver"): "nvidia", (part, "driver_version"): "550.54.15", (part, "ecc_mode"): "enabled",
            (part, "throttle_reasons"): "gpu_idle",
        }  # fmt: skip
        made.counters |= {(part, f"errors/ecc_{since}_uncorrected"): 0 for since in ("volatile", "aggregate")}
        for link in range(links):
            one = f"nvlink/{gpu}/{link}"
            texts = {"state": "active", "version": "4.0", "speed": "26562", "remote_pci": f"0000:c{link:x}:00.0"}
            made.facts |= {(one, name): text for name, text in texts.items()}
            made.counters |= {(one, f"errors/{name}"): 0 for name in ("replay", "recovery", "crc_flit", "crc_data")}


def _interface(made: Machine, part: str, number: int, rail: int, pci: str, model: Model, driver: str) -> None:
    made.facts |= {
        (part, key): text
        for key, text in {
            "address": f"a0:88:c2:{rail:02x}:{number >> 8:02x}:{number & 255:02x}", "mtu": "9000", "operstate": "up",
            "carrier": "1", "speed": str(model.speed), "duplex": "full", "driver": driver, "pci": pci,
            "driver_version": "24.10-2.1.8", "fw_version": model.firmware, "numa_node": str(rail % 2),
            "ip": f"10.{rail}.{number >> 8}.{number & 255}/16",
        }.items()
    }  # fmt: skip
    made.counters |= {(part, "carrier_changes"): 2 + number % 3, (part, "statistics/rx_crc_errors"): number % 2}


def _function(address: str, parent: str, model: Model) -> dict[Pair, str]:
    part = f"pci/{address}"
    return {
        (part, key): text
        for key, text in {
            "parent": parent, "current_link_width": str(model.width), "max_link_width": str(model.width),
            "current_link_speed": "2.5 GT/s PCIe", "max_link_speed": model.gts, "vendor": "0x15b3",
            "device": model.device_id, "max_read_request": "4096", "acs": "off",
        }.items()
    }  # fmt: skip


def cluster(hosts: int = 8, **options: Any) -> list[Machine]:
    """Equal hosts."""
    return [machine(number, **options) for number in range(hosts)]


def clean_variation(seed: int) -> list[Machine]:
    """A cluster without a fault; what differs between its hosts is what differs between hosts of real clusters."""
    draw = random.Random(seed)
    fabric, rails = draw.choice(FABRICS), draw.choice((1, 1, 2, 4, 8))
    count = draw.choice((1, 2, 3, 5, 8, 16, 40))
    old = draw.choice((0, 0, count // 2)) if count >= 8 else 0
    prefix, first = draw.choice(("n", "node-", "gpu", "r1c2n")), draw.choice((0, 100))
    machines = [
        machine(
            number, fabric=fabric, rails=rails, model=OLDER if number < old else Model(),
            name=f"{prefix}{first + number:03d}",
        )
        for number in range(count)
    ]  # fmt: skip
    if draw.random() < 0.3:  # a run over sockets of the management interface
        for one in machines:
            one.device = "eno1"
            for pair in [pair for pair in one.later if pair[0] != "host"]:
                one.later.pop(pair)
    for one in machines:
        _vary(one, draw)
    _vary_gpus(machines, draw)
    return machines


def _vary_gpus(machines: Sequence[Machine], draw: random.Random) -> None:
    """GPUs with a link that no host uses, some of which work more than others."""
    gpus, unused = draw.choice((0, 0, 1, 4)), draw.randrange(6)
    if not gpus:
        return
    for number, one in enumerate(machines):
        add_gpus(one, number, gpus)
        for gpu in range(gpus):
            one.facts[f"nvlink/{gpu}/{unused}", "state"] = "inactive"
            del one.facts[f"nvlink/{gpu}/{unused}", "speed"]
            one.facts[f"gpu/{gpu}", "throttle_reasons"] = draw.choice(("none", "gpu_idle", "sw_power_cap"))


def _vary(one: Machine, draw: random.Random) -> None:
    """What no two hosts have alike."""
    facts = one.facts
    facts["host", "load"] = f"{draw.expovariate(0.2):.2f}"
    for pair in one.counters:
        if draw.random() < 0.3:
            more = draw.randrange(10)
            one.counters[pair] += more
            if pair in one.later:
                one.later[pair] += more
    one.grow("host", "Tcp.RetransSegs", draw.randrange(8))
    managing = one.device != "eno1"
    if managing and draw.random() < 0.3:
        facts["net/eno1", "speed"] = draw.choice(("100", "1000", "10000"))
    if managing and draw.random() < 0.2:
        facts |= {("net/eno1", "operstate"): "down", ("net/eno1", "carrier"): "0"}
        facts.pop(("net/eno1", "speed"), None)
    for part in [part for part, name in facts if name == "node_desc"]:
        facts[part, "node_desc"] = f"{one.name} {draw.randrange(100)}"
    for extra in range(draw.randrange(4)):
        facts |= {(f"net/veth{draw.randrange(16**7):07x}", "address"): f"02:00:00:00:00:{extra:02x}"}
    for part, name in [pair for pair in one.counters if pair[1].endswith("port_xmit_wait")]:
        one.grow(part, name, draw.randrange(10**6))
    for part, name in [pair for pair in one.counters if pair[1].endswith("out_of_sequence")]:
        one.grow(part, name, draw.randrange(12))
