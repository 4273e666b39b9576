"""What each fact and each counter means: the one table of them (docs/causes.md). It names no product and no limit.

Parts and names are those of /inventory: the kernel's own, wherever there is a file.
"""

import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Severity(IntEnum):
    """By what it costs."""

    INFO = 0
    WARNING = 1  # a setting or version that equals do not have
    CRITICAL = 2  # a part that carries messages is down, or at a part of its rate

    def __str__(self) -> str:
        return self.name.lower()


class Compare(StrEnum):
    """How equals are compared."""

    EQUAL = "equal"  # a value that equals do not have deviates
    LESS = "less"  # a number below that of equals deviates
    UP = "up"  # a state that is not up, where that of equals is
    UNIQUE = "unique"  # no two hosts have the same
    OWN = "own"  # differs by nature


@dataclass(frozen=True)
class Fact:
    """`title` names it in a sentence.

    `explained_by`: facts of the same part or of the host that, if they deviate, explain this one; NAME/ is any such.

    `absent`: what it means that a host which was read does not have it; empty: not known.
    """

    compare: Compare
    title: str
    severity: Severity = Severity.WARNING
    explained_by: tuple[str, ...] = ()
    absent: str = ""


class Family(StrEnum):
    """What the growth of a counter says."""

    ERRORS = "errors"  # the port, its cable or its slot damages what it carries
    RECOVERY = "recovery"  # the link went down, or was trained again
    LOSS = "loss"  # messages were lost and sent again
    CONGESTION = "congestion"  # others were in the way: no fault of its own
    TRAFFIC = "traffic"  # what was carried


PROVING = (Family.RECOVERY, Family.ERRORS, Family.LOSS)  # whose growth proves something, the most telling first


@dataclass(frozen=True)
class Counter:
    """`proves`: what its growth says. It stays at its largest value of `bits` bits; one unit is `factor` bytes."""

    family: Family
    proves: str
    bits: int = 64
    factor: int = 1


# Kinds of parts; device: ib/NAME, cxi/NAME; port: ib/NAME/1, and the NVLinks of a GPU, nvlink/0/3.
HOST, NET, DEVICE, PORT, PCI, GPU = "host", "net", "device", "port", "pci", "gpu"
PORT_PART = re.compile(r"(ib|nvlink)/[^/]+/\d+")


def kind_of_part(part: str) -> str:
    """Which of the kinds a part is."""
    if PORT_PART.fullmatch(part):
        return PORT
    first = part.partition("/")[0]
    return {"host": HOST, "net": NET, "ib": DEVICE, "cxi": DEVICE, "pci": PCI, "gpu": GPU}.get(first, "")


def device_of(port: str) -> str:
    """The device of a port: `ib/mlx5_0` of `ib/mlx5_0/1`, `gpu/0` of `nvlink/0/3`; any other part is its own."""
    return port.rpartition("/")[0].replace("nvlink", "gpu", 1) if PORT_PART.fullmatch(port) else port


E, L, O = Compare.EQUAL, Compare.LESS, Compare.OWN  # noqa: E741
INFO, WARNING, CRITICAL = Severity
CPU = ("cpu_model", "packages")
PROCESSORS = (*CPU, "smt", "processors")

FACTS: dict[tuple[str, str], Fact] = {
    (HOST, "kernel"): Fact(E, "kernel"),
    (HOST, "distribution"): Fact(E, "distribution"),
    (HOST, "cpu_model"): Fact(E, "processor model"),
    (HOST, "packages"): Fact(E, "processor packages"),
    (HOST, "smt"): Fact(E, "SMT", explained_by=CPU),
    (HOST, "processors"): Fact(E, "processors", explained_by=(*CPU, "smt")),
    (HOST, "governor"): Fact(E, "frequency governor", explained_by=CPU),
    (HOST, "hugepages"): Fact(E, "huge pages"),
    (HOST, "iommu"): Fact(E, "IOMMU setting of the kernel's command line", absent="none"),
    (HOST, "cgroup_cpus"): Fact(E, "processors of the cgroup", INFO, PROCESSORS),
    (HOST, "cgroup_memory"): Fact(E, "memory limit of the cgroup", INFO),
    (HOST, "last_level_caches"): Fact(E, "last-level caches", INFO, PROCESSORS),
    (HOST, "smt_siblings"): Fact(E, "SMT siblings", INFO, PROCESSORS),
    (HOST, "packages_of"): Fact(E, "processors of the packages", INFO, PROCESSORS),
    (HOST, "numa_cpus"): Fact(E, "processors of the NUMA nodes", INFO, PROCESSORS),
    (HOST, "numa_distances"): Fact(E, "NUMA distances", INFO, CPU),
    (HOST, "everylink"): Fact(E, "Everylink"),
    (HOST, "nvml"): Fact(E, "fault of NVML", absent="none"),
    (HOST, "load"): Fact(O, "load"),
    (HOST, "boot_id"): Fact(O, "boot id"),
    (HOST, "name"): Fact(Compare.UNIQUE, "host name"),
    (NET, "address"): Fact(Compare.UNIQUE, "MAC address"),
    (NET, "ip"): Fact(Compare.UNIQUE, "IP address"),
    (NET, "mtu"): Fact(E, "MTU"),
    (NET, "operstate"): Fact(Compare.UP, "state", CRITICAL),
    (NET, "carrier"): Fact(Compare.UP, "carrier", CRITICAL, ("operstate",)),
    (NET, "speed"): Fact(L, "rate in Mbit/s", CRITICAL),
    (NET, "duplex"): Fact(E, "duplex"),
    (NET, "type"): Fact(E, "type of interface", INFO),
    (NET, "driver"): Fact(E, "driver"),
    (NET, "driver_version"): Fact(E, "driver version", WARNING, ("kernel", "driver/")),
    (NET, "fw_version"): Fact(E, "firmware"),
    (NET, "numa_node"): Fact(E, "NUMA node", INFO, CPU),
    (NET, "neighbour"): Fact(O, "end of the cable"),
    (DEVICE, "hca_type"): Fact(E, "model"),
    (DEVICE, "board_id"): Fact(E, "board"),
    (DEVICE, "fw_ver"): Fact(E, "firmware", explained_by=("board_id",)),
    (DEVICE, "driver"): Fact(E, "driver"),
    (DEVICE, "numa_node"): Fact(E, "NUMA node", INFO, CPU),
    (DEVICE, "node_guid"): Fact(Compare.UNIQUE, "node GUID"),
    (DEVICE, "sys_image_guid"): Fact(Compare.UNIQUE, "system image GUID", explained_by=("node_guid",)),
    (DEVICE, "uc/version"): Fact(E, "firmware"),
    (DEVICE, "port/link"): Fact(Compare.UP, "link", CRITICAL),
    (DEVICE, "port/speed"): Fact(E, "rate", CRITICAL),
    (PORT, "state"): Fact(Compare.UP, "state", CRITICAL),
    (PORT, "phys_state"): Fact(Compare.UP, "physical state", CRITICAL, ("state",)),
    (PORT, "rate"): Fact(L, "rate", CRITICAL),
    (PORT, "link_layer"): Fact(E, "link layer"),
    (PORT, "sm_lid"): Fact(E, "LID of the subnet manager", WARNING, ("gid",)),
    (PORT, "gid"): Fact(Compare.UNIQUE, "GID"),
    (PORT, "pkey"): Fact(E, "partition keys"),
    (PORT, "speed"): Fact(L, "rate in MB/s", CRITICAL),
    (PORT, "version"): Fact(E, "version"),
    (GPU, "name"): Fact(E, "model"),
    (GPU, "driver"): Fact(E, "driver"),
    (GPU, "driver_version"): Fact(E, "driver version", WARNING, ("driver/",)),
    (GPU, "ecc_mode"): Fact(E, "ECC"),
    (GPU, "throttle_reasons"): Fact(E, "slowdown by the hardware"),
    (GPU, "numa_node"): Fact(E, "NUMA node", INFO, CPU),
    (GPU, "fault"): Fact(E, "fault", CRITICAL, absent="none"),
    (PCI, "current_link_width"): Fact(L, "PCIe lanes", CRITICAL),
    (PCI, "current_link_speed"): Fact(L, "PCIe speed", CRITICAL),
    (PCI, "max_read_request"): Fact(E, "PCIe MaxReadReq"),
    (PCI, "acs"): Fact(E, "PCIe ACS"),
}
TITLES_OF_PARTS = {(NET, "ip"): "IP network", (PORT, "gid"): "subnet prefix"}  # of what equals have in common
FAMILIES_OF_NAMES = (  # facts whose names the hosts make up
    (HOST, "library/", Fact(E, "library")),
    (HOST, "driver/", Fact(E, "driver", explained_by=("kernel",))),
)

SAME_ELSEWHERE = {  # facts of an interface that the RDMA device of the same PCI function tells, too
    "fw_version": "fw_ver", "operstate": "state", "carrier": "state", "speed": "rate", "driver": "driver",
    "numa_node": "numa_node",
}  # fmt: skip
# What a port that is down no longer tells.
NEEDS_A_LINK = frozenset(
    {"rate", "speed", "duplex", "sm_lid", "gid", "ip", "carrier", "phys_state", "pkey", "mtu", "port/speed"}
)


def fact(kind: str, name: str) -> Fact:
    """The meaning of a fact; one that is not known here is nobody's equal."""
    if found := FACTS.get((kind, name)):
        return found
    for of_kind, begin, meaning in FAMILIES_OF_NAMES:
        if kind == of_kind and name.startswith(begin):
            return Fact(
                meaning.compare, f"{meaning.title} {name.removeprefix(begin)}", meaning.severity, meaning.explained_by
            )
    return Fact(O, name)


CABLE = "a bad cable, connector or transceiver"
LOST = "packets were lost or reordered"
BETWEEN_GPUS = "a bad NVLink: connector, bridge or cable"
_ERRORS, _RECOVERY, _LOSS = Family.ERRORS, Family.RECOVERY, Family.LOSS
_BUSY, _TRAFFIC = Family.CONGESTION, Family.TRAFFIC
COUNTERS: dict[str, Counter] = {
    # InfiniBand, counters/ (widths: PortCounters of the InfiniBand specification)
    "counters/symbol_error": Counter(_ERRORS, CABLE, 16),
    "counters/link_error_recovery": Counter(_RECOVERY, "the link was trained again", 8),
    "counters/link_downed": Counter(_RECOVERY, "the link went down", 8),
    "counters/port_rcv_errors": Counter(_ERRORS, f"damaged packets arrived: {CABLE}, or the port at the other end", 16),
    "counters/port_rcv_remote_physical_errors": Counter(_ERRORS, "packets were damaged on a link before this one", 16),
    "counters/port_rcv_switch_relay_errors": Counter(_BUSY, "packets that could not be forwarded", 16),
    "counters/port_xmit_discards": Counter(_LOSS, "packets were discarded: the port was down or congested", 16),
    "counters/port_xmit_constraint_errors": Counter(_ERRORS, "packets of a partition that is not allowed", 8),
    "counters/port_rcv_constraint_errors": Counter(_ERRORS, "packets of a partition that is not allowed", 8),
    "counters/local_link_integrity_errors": Counter(_ERRORS, CABLE, 4),
    "counters/excessive_buffer_overrun_errors": Counter(_ERRORS, "the port's buffers overflowed", 4),
    "counters/VL15_dropped": Counter(_LOSS, "management packets were dropped", 16),
    "counters/port_xmit_wait": Counter(_BUSY, "the port waited for credits", 32),
    "counters/port_xmit_data": Counter(_TRAFFIC, "bytes sent", 64, 4),
    "counters/port_rcv_data": Counter(_TRAFFIC, "bytes received", 64, 4),
    "counters_ext/port_xmit_data_64": Counter(_TRAFFIC, "bytes sent", 64, 4),
    "counters_ext/port_rcv_data_64": Counter(_TRAFFIC, "bytes received", 64, 4),
    # RDMA, hw_counters/
    "hw_counters/out_of_sequence": Counter(_LOSS, LOST),
    "hw_counters/packet_seq_err": Counter(_LOSS, LOST),
    "hw_counters/implied_nak_seq_err": Counter(_LOSS, LOST),
    "hw_counters/local_ack_timeout_err": Counter(_LOSS, "packets were lost, or the peer did not answer"),
    "hw_counters/rnr_nak_retry_err": Counter(_ERRORS, "the peer was not ready until the queue pair gave up"),
    "hw_counters/req_transport_retries_exceeded": Counter(_ERRORS, "a queue pair gave up: the path was dead"),
    "hw_counters/roce_adp_retrans": Counter(_LOSS, "packets were sent again: loss, or PFC and ECN are not set up"),
    "hw_counters/roce_adp_retrans_to": Counter(_LOSS, "packets were sent again: loss, or PFC and ECN are not set up"),
    "hw_counters/roce_slow_restart": Counter(_LOSS, "senders were slowed down after loss"),
    "hw_counters/rx_icrc_encapsulated": Counter(_ERRORS, f"damaged packets arrived: {CABLE}, or a switch's memory"),
    "hw_counters/out_of_buffer": Counter(_LOSS, "the receiver had no buffer: the host was too slow"),
    "hw_counters/np_cnp_sent": Counter(_BUSY, "the receiver saw congestion"),
    "hw_counters/np_ecn_marked_roce_packets": Counter(_BUSY, "switches marked congestion"),
    "hw_counters/rp_cnp_handled": Counter(_BUSY, "the sender was slowed down by congestion"),
    # EFA, hw_counters/
    "hw_counters/rx_drops": Counter(_LOSS, "packets were dropped"),
    "hw_counters/no_completion_cmds": Counter(_ERRORS, "the device did not answer a command"),
    "hw_counters/cmds_err": Counter(_ERRORS, "the device refused a command"),
    "hw_counters/unresponsive_remote_events": Counter(_LOSS, "a peer did not answer"),
    "hw_counters/impaired_remote_conn_events": Counter(_LOSS, "a path to a peer was impaired"),
    "hw_counters/retrans_pkts": Counter(_LOSS, "packets were sent again"),
    "hw_counters/rdma_read_wr_err": Counter(_ERRORS, "a read failed"),
    "hw_counters/rdma_write_wr_err": Counter(_ERRORS, "a write failed"),
    "hw_counters/tx_bytes": Counter(_TRAFFIC, "bytes sent"),
    "hw_counters/rx_bytes": Counter(_TRAFFIC, "bytes received"),
    # Slingshot
    "pcie_corr_err": Counter(_ERRORS, "the PCIe link damages what it carries: slot, riser or retimer"),
    "pcie_uncorr_err": Counter(_ERRORS, "the PCIe link damages what it carries: slot, riser or retimer"),
    "telemetry/hni_pcs_uncorrected_cw": Counter(_ERRORS, CABLE),
    # Ethernet
    "carrier_changes": Counter(_RECOVERY, "the link went down or came up"),
    "statistics/rx_bytes": Counter(_TRAFFIC, "bytes received"),
    "statistics/tx_bytes": Counter(_TRAFFIC, "bytes sent"),
    "statistics/rx_crc_errors": Counter(_ERRORS, CABLE),
    "statistics/rx_frame_errors": Counter(_ERRORS, CABLE),
    "statistics/rx_errors": Counter(_ERRORS, f"damaged packets arrived: {CABLE}"),
    "statistics/tx_errors": Counter(_ERRORS, "packets could not be sent"),
    "statistics/tx_carrier_errors": Counter(_RECOVERY, "the carrier was lost while sending"),
    "statistics/rx_missed_errors": Counter(_LOSS, "the host was too slow for what arrived"),
    "statistics/rx_dropped": Counter(_BUSY, "packets that nobody wanted, or no room for them"),
    "statistics/tx_dropped": Counter(_LOSS, "packets were dropped before sending"),
    "ethtool/rx_symbol_err_phy": Counter(_ERRORS, CABLE),
    "ethtool/rx_crc_errors_phy": Counter(_ERRORS, CABLE),
    "ethtool/link_down_events_phy": Counter(_RECOVERY, "the link went down"),
    "ethtool/rx_pcie_signal_integrity": Counter(_ERRORS, "the PCIe link damages what it carries"),
    "ethtool/tx_pause_storm_warning_events": Counter(_BUSY, "the host was too slow and paused its senders"),
    "ethtool/tx_pause_storm_error_events": Counter(_LOSS, "the host was too slow, and pausing was given up"),
    "ethtool/outbound_pci_stalled_rd": Counter(_BUSY, "PCIe was too slow for the adapter"),
    "ethtool/outbound_pci_stalled_wr": Counter(_BUSY, "PCIe was too slow for the adapter"),
    "ethtool/outbound_pci_buffer_overflow": Counter(_LOSS, "PCIe was too slow for the adapter"),
    # NVLink and GPU memory
    "errors/recovery": Counter(_RECOVERY, "the link went down and was trained again"),
    "errors/replay": Counter(_ERRORS, f"data was sent again: {BETWEEN_GPUS}"),
    "errors/crc_flit": Counter(_ERRORS, f"damaged data arrived: {BETWEEN_GPUS}"),
    "errors/crc_data": Counter(_ERRORS, f"damaged data arrived: {BETWEEN_GPUS}"),
    "errors/ecc_data": Counter(_ERRORS, f"damaged data arrived: {BETWEEN_GPUS}"),
    "errors/ecc_volatile_uncorrected": Counter(_ERRORS, "the memory of the GPU lost data"),
    "errors/ecc_aggregate_uncorrected": Counter(_ERRORS, "the memory of the GPU lost data"),
    # PCIe
    "aer_correctable": Counter(_ERRORS, "the PCIe link damages what it carries: slot, riser or retimer"),
    "aer_nonfatal": Counter(_ERRORS, "the PCIe link damages what it carries: slot, riser or retimer"),
    "aer_fatal": Counter(_ERRORS, "the PCIe link failed: slot, riser or retimer"),
    # The whole host
    "cpu_steal": Counter(_LOSS, "another virtual machine had the processor (in ticks)"),
    "Tcp.RetransSegs": Counter(_LOSS, "TCP sent segments again"),
    "Tcp.InErrs": Counter(_ERRORS, "damaged TCP segments arrived"),
    "TcpExt.ListenOverflows": Counter(_LOSS, "the host did not accept connections in time"),
    "TcpExt.TCPTimeouts": Counter(_LOSS, "TCP waited for segments that were lost"),
    "TcpExt.TCPOFOQueue": Counter(_BUSY, "TCP segments arrived out of order"),
    "TcpExt.TCPLostRetransmit": Counter(_LOSS, "TCP segments that were sent again were lost, too"),
}
PRIORITY_DISCARDS = re.compile(r"ethtool/rx_prio\d+_discards")
UNKNOWN_COUNTER = Counter(Family.TRAFFIC, "")  # nothing is concluded from its growth
LEFT_OUT_AT_ZERO = ("ethtool/", "telemetry/")  # the core leaves such counters out as long as they are 0
SENT = ("counters_ext/port_xmit_data_64", "counters/port_xmit_data", "hw_counters/tx_bytes", "statistics/tx_bytes")
RECEIVED = ("counters_ext/port_rcv_data_64", "counters/port_rcv_data", "hw_counters/rx_bytes", "statistics/rx_bytes")


def counter(name: str) -> Counter:
    """The meaning of a counter."""
    if PRIORITY_DISCARDS.fullmatch(name):
        return Counter(_LOSS, "packets were discarded for lack of buffers")
    return COUNTERS.get(name, UNKNOWN_COUNTER)
