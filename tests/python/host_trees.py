"""Trees of files that describe a host, as Linux and its drivers lay them out, for EVERYLINK_SYSFS.

    tree = h100_node(3)                             # or any of KINDS: name -> function of the host's number
    tree.set(tree.port("mlx5_1") + "/rate", "200 Gb/sec (2X NDR)")
    tree.grow(tree.port("mlx5_1") + "/counters/symbol_error", 12)
    tree.set(tree.path("mlx5_1")[1] + "/current_link_width", "8")    # the bridge above the adapter
    tree.save(folder)                               # later saves write what changed since, also during a run

`save_hosts(folder, trees)` saves each tree under the name of its host, so that `EVERYLINK_SYSFS=folder/%h` with
`--mode sim:hosts=N` (whose hosts are `host_names(N)`) reads them all. Names and formats are those of the kernel's
documentation (Documentation/ABI), of leptonai/gpud and prometheus/node_exporter's fixtures, and of HPE's driver.

Paths are those below sys/class and sys/bus/pci/devices; links lead from there to sys/devices, as on a host.
What a host is asked by system calls is in files of our own: everylink/net/NAME/{ip,ethtool,fw_version,...}.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


IB_COUNTERS = words(
    "VL15_dropped excessive_buffer_overrun_errors link_downed link_error_recovery local_link_integrity_errors "
    "multicast_rcv_packets multicast_xmit_packets port_rcv_constraint_errors port_rcv_data port_rcv_errors "
    "port_rcv_packets port_rcv_remote_physical_errors port_rcv_switch_relay_errors port_xmit_constraint_errors "
    "port_xmit_data port_xmit_discards port_xmit_packets port_xmit_wait symbol_error unicast_rcv_packets "
    "unicast_xmit_packets"
)
MLX5_HW_COUNTERS = words(
    "duplicate_request implied_nak_seq_err local_ack_timeout_err out_of_buffer out_of_sequence packet_seq_err "
    "req_cqe_error req_cqe_flush_error req_remote_access_errors req_remote_invalid_request resp_cqe_error "
    "resp_cqe_flush_error resp_local_length_error resp_remote_access_errors rnr_nak_retry_err roce_adp_retrans "
    "roce_adp_retrans_to roce_slow_restart roce_slow_restart_cnps roce_slow_restart_trans rx_atomic_requests "
    "rx_dct_connect rx_icrc_encapsulated rx_read_requests rx_write_requests"
)
TRAFFIC = {"port_rcv_data", "port_xmit_data", "port_rcv_packets", "port_xmit_packets", "port_xmit_wait"} | {
    f"{cast}cast_{way}_packets" for cast in ("uni", "multi") for way in ("rcv", "xmit")
}
EFA_HW_COUNTERS = words(
    "alloc_pd_err alloc_ucontext_err cmds_err completed_cmds create_ah_err create_cq_err create_qp_err "
    "keep_alive_rcvd mmap_err no_completion_cmds reg_mr_err submitted_cmds"
)
EFA_PORT_COUNTERS = words(
    "impaired_remote_conn_events rdma_read_bytes rdma_read_resp_bytes rdma_read_wr_err rdma_read_wrs "
    "rdma_write_bytes rdma_write_recv_bytes rdma_write_wr_err rdma_write_wrs recv_bytes recv_wrs retrans_bytes "
    "retrans_pkts retrans_timeout_events rx_bytes rx_drops rx_pkts send_bytes send_wrs tx_bytes tx_pkts "
    "unresponsive_remote_events"
)
NET_STATISTICS = words(
    "collisions multicast rx_bytes rx_compressed rx_crc_errors rx_dropped rx_errors rx_fifo_errors rx_frame_errors "
    "rx_length_errors rx_missed_errors rx_nohandler rx_over_errors rx_packets tx_aborted_errors tx_bytes "
    "tx_carrier_errors tx_compressed tx_dropped tx_errors tx_fifo_errors tx_heartbeat_errors tx_packets "
    "tx_window_errors"
)
SPEEDS = {3: "8.0 GT/s PCIe", 4: "16.0 GT/s PCIe", 5: "32.0 GT/s PCIe"}
ZERO_GID = ":".join(["0000"] * 8)


@dataclass
class HostTree:
    """The files of one host. `set` and `grow` change them; `save` writes those that are new."""

    name: str
    number: int
    files: dict[str, str | bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)  # from -> to, both below the root
    functions: dict[str, list[str]] = field(default_factory=dict)  # adapter or interface -> itself, bridges ... root
    unsaved: set[str] = field(default_factory=set)

    def set(self, path: str, text: object) -> None:
        """Change a file, or add it."""
        self.files[path] = text if isinstance(text, bytes) else f"{text}\n"
        self.unsaved.add(path)

    def set_all(self, folder: str, texts: dict[str, object]) -> None:
        """Change or add several files of a folder."""
        for name, text in texts.items():
            self.set(f"{folder}/{name}", text)

    def remove(self, prefix: str) -> None:
        """Leave out a file, or all below a folder."""
        for path in [p for p in self.files if p == prefix or p.startswith(prefix + "/")]:
            del self.files[path]
            self.unsaved.discard(path)

    def text(self, path: str) -> str:
        """The contents of a file."""
        contents = self.files[path]
        assert isinstance(contents, str)
        return contents.strip()

    def grow(self, path: str, by: int) -> None:
        """Add to a counter."""
        self.set(path, int(self.text(path)) + by)

    def adapter(self, device: str) -> str:
        """The folder of an RDMA device."""
        return f"sys/class/infiniband/{device}"

    def port(self, device: str, number: int = 1) -> str:
        """The folder of a port."""
        return f"{self.adapter(device)}/ports/{number}"

    def net(self, interface: str) -> str:
        """The folder of a network interface."""
        return f"sys/class/net/{interface}"

    def path(self, device: str) -> list[str]:
        """The folders of the PCI functions from an adapter or interface up to the root port."""
        return [f"sys/bus/pci/devices/{address}" for address in self.functions[device]]

    def adapters(self) -> list[str]:
        """The names of the RDMA devices."""
        return sorted({path.split("/")[3] for path in self.files if path.startswith("sys/class/infiniband/")})

    def save(self, root: Path) -> Path:
        """Write what is not written yet below `root`."""
        folders: set[Path] = set()

        def make(folder: Path) -> None:
            if folder not in folders:
                folder.mkdir(parents=True, exist_ok=True)
                folders.add(folder)

        for link, target in self.links.items():
            place = root / link
            if not place.is_symlink():
                make(place.parent)
                if not target.startswith("sys/bus/pci/drivers/"):
                    make(root / target)
                place.symlink_to(os.path.relpath(root / target, place.parent.resolve()))
        for path in sorted(self.unsaved):
            place, contents = root / path, self.files[path]
            make(place.parent)
            place.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        self.unsaved.clear()
        return root


def save_hosts(folder: Path, trees: Iterable[HostTree]) -> Path:
    """Save each tree below its host's name; return what EVERYLINK_SYSFS is to be."""
    for tree in trees:
        tree.save(folder / tree.name)
    return folder / "%h"


def host_names(count: int) -> list[str]:
    """The names of the hosts of `--mode sim:hosts=COUNT`."""
    return [f"n{number:0{len(str(count - 1))}}" for number in range(count)]


def config_space(max_read_request: int = 4096, acs: int | None = None) -> bytes:
    """PCI configuration space with the capability PCI Express and, for a bridge, Access Control Services."""
    space = bytearray(4096)
    space[0x34] = 0x60
    code = {128: 0, 256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}[max_read_request]
    space[0x60:0x62] = bytes((0x10, 0))
    struct.pack_into("<H", space, 0x68, code << 12)
    if acs is not None:
        struct.pack_into("<IHH", space, 0x100, 0x0001000D, 0x5F, acs)
    return bytes(space)


def _start(name: str, number: int, cpus: int = 128, model: str = "Intel(R) Xeon(R) Platinum 8480C") -> HostTree:
    """What every host has: a system, processors in two packages with two threads a core, memory."""
    tree = HostTree(name, number)
    boot = f"{number:08x}-0000-4000-8000-0123456789ab"
    tree.set_all(
        "proc/sys/kernel",
        {"osrelease": "5.15.0-1053-generic", "hostname": name, "random/boot_id": boot},
    )
    tree.set("etc/os-release", 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 22.04.4 LTS"')
    tree.set("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/nvme0n1p2 ro intel_iommu=on iommu=pt")
    tree.set("proc/cpuinfo", f"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: {model}\n")
    tree.set("proc/loadavg", "0.08 0.03 0.01 1/1893 4711")
    tree.set("proc/stat", f"cpu  {1000 + number} 0 2000 900000 30 0 40 0 0 0\ncpu0 8 0 16 7000 0 0 0 0 0 0")
    tcp = {"RtoAlgorithm": 1, "ActiveOpens": 100, "PassiveOpens": 90, "AttemptFails": 3, "EstabResets": 1}
    tcp |= {"InSegs": 500000 + number, "OutSegs": 600000 + number, "RetransSegs": 7, "InErrs": 0, "OutRsts": 4}
    ext = {"ListenOverflows": 0, "ListenDrops": 0, "TCPTimeouts": 2, "TCPOFOQueue": 11, "TCPLostRetransmit": 0}
    tree.set("proc/net/snmp", _table("Ip", {"Forwarding": 1}) + _table("Tcp", tcp))
    tree.set("proc/net/netstat", _table("TcpExt", ext))
    _processors(tree, cpus)
    tree.set_all(
        "sys/kernel/mm/hugepages",
        {"hugepages-1048576kB/nr_hugepages": 0, "hugepages-2048kB/nr_hugepages": 512},
    )
    tree.set_all("sys/fs/cgroup", {"cpu.max": "max 100000", "memory.max": "max"})
    return tree


def _table(protocol: str, numbers: dict[str, int]) -> str:
    return f"{protocol}: {' '.join(numbers)}\n{protocol}: {' '.join(map(str, numbers.values()))}\n"


def _processors(tree: HostTree, cpus: int) -> None:
    folder, half, quarter = "sys/devices/system/cpu", cpus // 2, cpus // 4
    tree.set(f"{folder}/online", f"0-{cpus - 1}")
    tree.set(f"{folder}/smt/control", "on")
    packages = [f"0-{quarter - 1},{half}-{half + quarter - 1}", f"{quarter}-{half - 1},{half + quarter}-{cpus - 1}"]
    for cpu in range(cpus):
        core, package = cpu % half, packages[(cpu % half) // quarter]
        tree.set_all(
            f"{folder}/cpu{cpu}",
            {
                "topology/thread_siblings_list": f"{core},{core + half}",
                "topology/package_cpus_list": package,
                "cache/index0/level": 1,
                "cache/index0/shared_cpu_list": f"{core},{core + half}",
                "cache/index3/level": 3,
                "cache/index3/shared_cpu_list": package,
            },
        )
        tree.set(f"{folder}/cpufreq/policy{cpu}/scaling_governor", "performance")
    tree.set("sys/devices/system/node/online", "0-1")
    for node, (package, distance) in enumerate(zip(packages, ("10 21", "21 10"), strict=True)):
        tree.set_all(f"sys/devices/system/node/node{node}", {"cpulist": package, "distance": distance})


def _device(
    tree: HostTree, names: list[str], bus: int, driver: str, *, generation: int, width: int, bridges: int = 2
) -> str:
    """A PCI function below a root port and further bridges; returns its folder in sys/devices."""
    addresses = [f"0000:{bus:02x}:01.0"] + [f"0000:{bus + 1 + i:02x}:00.0" for i in range(bridges)]
    folder = f"sys/devices/pci0000:{bus:02x}"
    for address in addresses:
        folder += f"/{address}"
        is_bridge = address != addresses[-1]
        own = f"sys/bus/pci/devices/{address}"
        tree.links[own] = folder
        tree.links[f"{folder}/driver"] = f"sys/bus/pci/drivers/{'pcieport' if is_bridge else driver}"
        tree.set_all(
            own,
            {
                "current_link_speed": SPEEDS[generation],
                "max_link_speed": SPEEDS[generation],
                "current_link_width": width,
                "max_link_width": width,
                "numa_node": 0 if bus < 0x80 else 1,
                "vendor": "0x1000" if is_bridge else "0x15b3",
                "device": "0xc030" if is_bridge else "0x1021",
                "aer_dev_correctable": "RxErr 0\nBadTLP 0\nTOTAL_ERR_COR 0",
                "aer_dev_nonfatal": "Undefined 0\nTOTAL_ERR_NONFATAL 0",
                "aer_dev_fatal": "Undefined 0\nTOTAL_ERR_FATAL 0",
                "config": config_space(512 if is_bridge else 4096, 0 if is_bridge else None),
            },
        )
    for name in names:
        tree.functions[name] = addresses[::-1]
    return folder


def _class(tree: HostTree, kind: str, name: str, device: str) -> str:
    """sys/class/KIND/NAME, a link into the device, which it names in turn."""
    below = f"{device}/{kind}/{name}"
    tree.links[f"sys/class/{kind}/{name}"] = below
    tree.links[f"{below}/device"] = device
    return f"sys/class/{kind}/{name}"


def _interface(
    tree: HostTree, name: str, device: str | None, *, mac: str, speed: int, mtu: int, ip: str = "", kind: int = 1
) -> None:
    if device is None:
        tree.links[f"sys/class/net/{name}"] = f"sys/devices/virtual/net/{name}"
        folder = f"sys/class/net/{name}"
    else:
        folder = _class(tree, "net", name, device)
    texts: dict[str, object] = {"address": mac, "mtu": mtu, "operstate": "up", "carrier": 1, "speed": speed}
    texts |= {"duplex": "full", "type": kind, "carrier_changes": 2, "ifindex": 2 + len(tree.functions)}
    tree.set_all(folder, texts)
    for statistic in NET_STATISTICS:
        base = 10_000_000 if statistic.endswith("_bytes") else 10_000 if statistic.endswith("_packets") else 0
        tree.set(f"{folder}/statistics/{statistic}", base and base + tree.number)
    if ip:
        tree.set(f"everylink/net/{name}/ip", ip)


def _mlx5(tree: HostTree, device: str, folder: str, *, rail: int, ethernet: bool = False) -> None:
    own = _class(tree, "infiniband", device, folder)
    guid = f"a088:c203:{tree.number:04x}:{rail:04x}"
    tree.set_all(
        own,
        {
            "hca_type": "MT4129",
            "board_id": "MT_0000000838",
            "fw_ver": "28.39.1002",
            "node_guid": guid,
            "sys_image_guid": guid,
            "node_desc": f"{tree.name} {device}",
            "node_type": "1: CA",
        },
    )
    port = tree.port(device)
    lid = 0 if ethernet else 64 * rail + tree.number + 1
    gids = [f"fe80:0000:0000:0000:{guid}"]
    if ethernet:
        gids.append(f"0000:0000:0000:0000:0000:ffff:0a{rail:02x}:{tree.number + 1:04x}")
    tree.set_all(
        port,
        {
            "state": "4: ACTIVE",
            "phys_state": "5: LinkUp",
            "rate": "400 Gb/sec (4X NDR)",
            "link_layer": "Ethernet" if ethernet else "InfiniBand",
            "lid": f"{lid:#x}",
            "sm_lid": "0x0" if ethernet else "0x1",
        },
    )
    for i in range(16):
        tree.set(f"{port}/gids/{i}", gids[i] if i < len(gids) else ZERO_GID)
        tree.set(f"{port}/pkeys/{i}", "0xffff" if i == 0 else "0x0000")
    for name in IB_COUNTERS:
        tree.set(f"{port}/counters/{name}", 230_539_874 + tree.number if name in TRAFFIC else 0)
    for name in MLX5_HW_COUNTERS:
        tree.set(f"{port}/hw_counters/{name}", 0)
    tree.set(f"{port}/hw_counters/lifespan", 12)


def h100_node(number: int, name: str = "", *, ethernet: bool = False) -> HostTree:
    """Eight mlx5 adapters, each below a root port and a switch's port, and a card for management."""
    tree = _start(name or f"n{number}", number)
    for rail in range(8):
        interface = f"{'eth' if ethernet else 'ib'}{rail}"
        folder = _device(
            tree, [f"mlx5_{rail}", interface], 0x10 + 0x18 * rail, "mlx5_core", generation=5, width=16, bridges=3
        )
        _mlx5(tree, f"mlx5_{rail}", folder, rail=rail, ethernet=ethernet)
        mac = f"a0:88:c2:{rail:02x}:{tree.number >> 8:02x}:{tree.number & 255:02x}"
        _interface(
            tree,
            interface,
            folder,
            mac=mac,
            speed=400_000,
            mtu=9000 if ethernet else 4092,
            ip=f"10.{rail}.{tree.number // 250}.{tree.number % 250 + 1}/16",
            kind=1 if ethernet else 32,
        )
        tree.set(f"everylink/net/{interface}/fw_version", "28.39.1002 (MT_0000000838)")
        tree.set(f"everylink/net/{interface}/driver_version", "23.10-1.1.9")
        tree.set(
            f"everylink/net/{interface}/ethtool",
            "     rx_symbol_err_phy: 0\n     rx_corrected_bits_phy: 0\n     link_down_events_phy: 1\n"
            "     outbound_pci_stalled_wr: 0\n     rx3_packets: 99",
        )
        tree.set(f"everylink/net/{interface}/neighbour", f"leaf{rail} Ethernet{tree.number + 1}/1")
    tree.set("sys/module/mlx5_core/version", "23.10-1.1.9")
    _management(tree)
    return tree


def _management(tree: HostTree, driver: str = "igb") -> None:
    folder = _device(tree, ["eno1"], 0xE0, driver, generation=3, width=4, bridges=1)
    mac = f"3c:ec:ef:00:{tree.number >> 8:02x}:{tree.number & 255:02x}"
    ip = f"192.168.{tree.number // 250}.{tree.number % 250 + 1}/16"
    _interface(tree, "eno1", folder, mac=mac, speed=1000, mtu=1500, ip=ip)


def roce_node(number: int, name: str = "") -> HostTree:
    """The same adapters with Ethernet ports."""
    return h100_node(number, name, ethernet=True)


def mixed_node(number: int, name: str = "") -> HostTree:
    """mlx4, hfi1 (Omni-Path) and i40iw, with the oddities that these drivers are known for."""
    tree = _start(name or f"n{number}", number, cpus=32, model="Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz")
    kinds = (("mlx4_0", "mlx4_core", "SM_1141000001000", "2.31.5050", "40 Gb/sec (4X QDR)", 2),
             ("hfi1_0", "hfi1", "HPE 100Gb 1-port OP101 QSFP28 x16 PCIe Gen3 with Intel Omni-Path Adapter", "1.27.0",
              "100 Gb/sec (4X EDR)", 1),
             ("i40iw0", "i40iw", "I40IW Board ID", "0.2", "10 Gb/sec (4X)", 1))  # fmt: skip
    for i, (device, driver, board, firmware, rate, ports) in enumerate(kinds):
        folder = _device(tree, [device], 0x10 + 0x20 * i, driver, generation=3, width=8, bridges=1)
        guid = f"0011:7501:{tree.number:04x}:{i:04x}"
        _class(tree, "infiniband", device, folder)
        texts = {"board_id": board, "fw_ver": firmware, "node_guid": guid, "sys_image_guid": guid}
        texts["hca_type"] = "MT4099" if i == 0 else "I40IW" if i == 2 else ""
        tree.set_all(tree.adapter(device), dict(texts))
        for number_of_port in range(1, ports + 1):
            port = tree.port(device, number_of_port)
            layer = "Ethernet" if i == 2 else "InfiniBand"
            texts = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": rate, "link_layer": layer}
            tree.set_all(port, dict(texts))
            for counter in IB_COUNTERS:
                tree.set(f"{port}/counters/{counter}", "N/A (no PMA)" if i == 2 else int(counter in TRAFFIC) * 4711)
        if i == 0:
            tree.set(f"{tree.port(device)}/counters_ext/port_xmit_data_64", 4711)
        if i == 1:
            tree.set(f"{tree.adapter(device)}/hw_counters/DcRecErr", 0)
    _management(tree, "ixgbe")
    return tree


def efa_node(number: int, name: str = "") -> HostTree:
    """Four Elastic Fabric Adapters, whose ports claim to be active whatever happens, and an ENA interface."""
    tree = _start(name or f"n{number}", number, cpus=96, model="Intel(R) Xeon(R) Platinum 8275CL CPU @ 3.00GHz")
    for rail in range(4):
        device = f"rdmap{16 + rail}s27"
        folder = _device(tree, [device], 0x10 + 0x20 * rail, "efa", generation=4, width=16, bridges=1)
        _class(tree, "infiniband", device, folder)
        guid = f"0000:0000:{tree.number:04x}:{rail:04x}"
        tree.set_all(tree.adapter(device), {"fw_ver": "0.0.0.0", "node_guid": guid, "sys_image_guid": guid})
        port = tree.port(device)
        layer: dict[str, object] = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "link_layer": "Unspecified"}
        tree.set_all(port, layer | {"rate": "100 Gb/sec (4X EDR)", "lid": "0x0"})
        tree.set(f"{port}/gids/0", f"fe80:0000:0000:0000:{guid}")
        tree.set(f"{port}/pkeys/0", "0xffff")
        for counter in EFA_HW_COUNTERS:
            tree.set(f"{tree.adapter(device)}/hw_counters/{counter}", 40 if counter.endswith("ted_cmds") else 0)
        for counter in EFA_PORT_COUNTERS:
            tree.set(f"{port}/hw_counters/{counter}", 5_000_000 if counter.endswith("_bytes") else 0)
        tree.set(f"{port}/hw_counters/lifespan", 12)
    tree.set("sys/module/efa/version", "2.6.0g")
    folder = _device(tree, ["ens5"], 0xE0, "ena", generation=3, width=8, bridges=1)
    _interface(tree, "ens5", folder, mac=f"0a:00:00:00:00:{tree.number:02x}", speed=-1, mtu=9001, ip="172.31.1.9/20")
    tree.set("everylink/net/ens5/ethtool", "queue_0_tx_cnt: 77\nbw_in_allowance_exceeded: 3\ntx_timeout: 0")
    return tree


def slingshot_node(number: int, name: str = "") -> HostTree:
    """Four Cassini adapters with HPE's driver."""
    tree = _start(name or f"n{number}", number, model="AMD EPYC 7A53 64-Core Processor")
    for rail in range(4):
        device, interface = f"cxi{rail}", f"hsn{rail}"
        folder = _device(tree, [device, interface], 0x20 + 0x20 * rail, "cxi_core", generation=4, width=16)
        own = _class(tree, "cxi", device, folder)
        tree.set_all(
            f"{own}/device",
            {
                "uc/version": "1.5.41",
                "port/link": "up",
                "port/speed": "BS_200G",
                "port/media": "electrical",
                "fru/part_number": "P43012-001",
                "fru/serial_number": f"GR{tree.number:04d}{rail}",
                "link_restarts/time_0": 0,
                "properties/pcie_corr_err": 0,
                "properties/pcie_uncorr_err": 0,
                "telemetry/hni_sts_tx_ok_octets_1024_to_2047": "4711@1700000000.000000001",
                "telemetry/hni_pcs_corrected_cw": "12@1700000000.000000001",
                "telemetry/hni_pcs_uncorrected_cw": "0@1700000000.000000001",
                "telemetry/pct_no_tct_nacks": "0@1700000000.000000001",
            },
        )
        mac = f"02:00:00:{rail:02x}:00:{tree.number:02x}"
        ip = f"10.{rail}.0.{tree.number + 1}/16"
        _interface(tree, interface, folder, mac=mac, speed=200_000, mtu=9000, ip=ip)
    _management(tree)
    return tree


def cloud_node(number: int, name: str = "") -> HostTree:
    """A virtual machine: one virtio interface, no PCI Express to see."""
    tree = _start(name or f"n{number}", number, cpus=8, model="AMD EPYC 7B12")
    tree.remove("sys/devices/system/cpu/cpufreq")
    folder = "sys/devices/pci0000:00/0000:00:03.0"
    tree.links["sys/bus/pci/devices/0000:00:03.0"] = folder
    tree.links[f"{folder}/driver"] = "sys/bus/pci/drivers/virtio-pci"
    tree.functions["eth0"] = ["0000:00:03.0"]
    tree.set("sys/bus/pci/devices/0000:00:03.0/vendor", "0x1af4")
    mac = f"42:01:0a:80:00:{tree.number:02x}"
    _interface(tree, "eth0", f"{folder}/virtio1", mac=mac, speed=-1, mtu=1460, ip=f"10.128.0.{tree.number + 2}/32")
    return tree


KINDS: dict[str, Callable[[int], HostTree]] = {
    "h100": h100_node,
    "roce": roce_node,
    "mixed": mixed_node,
    "efa": efa_node,
    "slingshot": slingshot_node,
    "cloud": cloud_node,
}
