"""`everylink show --switches`: switches and cables, told by LLDP, by ibnetdiscover, or by Slurm."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.inventory.cables import GIVEN, LLDP, Wiring, wiring_of_run
from everylink.inventory.cluster import Cluster
from everylink.inventory.switches import cable_rows, switch_rows
from everylink.io.ibnetdiscover import AdapterPort, digits_of
from everylink.io.read import read
from everylink.io.topology import given_topology, grouping_of, read_topology
from inventories import Machine, cluster, make_inventory
from make_loads import make_all_to_all
from make_results import Link, add_slurm_addresses, make_results, steady

HOSTS, BEHIND = 8, 4  # hosts, and how many of them are behind each switch
NOBODY = "MT4129 ConnectX7 Mellanox Technologies"


def leaf(host: int) -> str:
    return f"leaf{host // BEHIND + 1}"


def lldp(machines: Sequence[Machine], interface: str = "eth0") -> list[Machine]:
    """The same, told by their switches: one for every BEHIND hosts."""
    for host, machine in enumerate(machines):
        machine.facts[f"net/{interface}", "neighbour"] = f"{leaf(host)} Ethernet1/{host % BEHIND + 1}"
    return list(machines)


def ibnetdiscover(hosts: int = HOSTS, rails: int = 1, described: str = NOBODY, guids: bool = True) -> str:
    """The fabric of the machines of inventories.py; `described`: of adapters, with {host} and {rail}."""

    def guid(host: int, rail: int) -> str:
        return f"{host:04x}{rail:04x}03005b8c" if guids else f"0bad{host:04x}{rail:04x}ffff"

    lines, adapters = [], []
    for number in range((hosts + BEHIND - 1) // BEHIND):
        name, switch = leaf(number * BEHIND), f"S-900{number}"
        lines.append(f'\nSwitch\t64 "{switch}"\t\t# "MF0;{name}:MQM9700/U1" enhanced port 0 lid {900 + number} lmc 0')
        for host in range(number * BEHIND, min(hosts, (number + 1) * BEHIND)):
            for rail in range(rails):
                at, own = 1 + (host % BEHIND) * rails + rail, guid(host, rail)
                text = described.format(host=host, rail=rail)
                lines.append(f'[{at}]\t"H-{own}"[1]({own}) \t\t# "{text}" lid {host} 4xNDR')
                adapters.append(f'\nCa\t1 "H-{own}"\t\t# "{text}"\n[1]({own}) \t"{switch}"[{at}]\t\t# lid {host} 4xNDR')
    return "\n".join((*lines, *adapters)) + "\n"


def slow(host: int, times: float = 2) -> Callable[[Link, int], float]:
    return lambda link, size: steady(link, size) * (times if host in link else 1)


def wired(path: Path, topology: Path | None = None) -> Wiring | None:
    return wiring_of_run(read(path), given_topology(topology))


def switches_of(wiring: Wiring | None) -> list[set[str]]:
    """The switches of each rank."""
    assert wiring is not None
    return [{wiring.switches[i] for i in np.flatnonzero(row).tolist()} for row in wiring.on_switches.matrix]


def ends_of(wiring: Wiring | None) -> list[set[tuple[str, str, str]]]:
    """The adapter, switch and switch port of each cable of each rank."""
    assert wiring is not None
    ends = [(cable.adapter, cable.switch, cable.switch_port) for cable in wiring.cables]
    return [{ends[i] for i in np.flatnonzero(row).tolist()} for row in wiring.on_cables.matrix]


@pytest.fixture
def topology(tmp_path: Path) -> Callable[[str], Path]:
    def make(text: str) -> Path:
        (tmp_path / "topology").write_text(text)
        return tmp_path / "topology"

    return make


@pytest.mark.parametrize(("fabric", "interface"), [("ethernet", "eth0"), ("roce", "eth0")])
def test_lldp_tells_the_cable_of_each_rank(fabric: str, interface: str, tmp_path: Path) -> None:
    machines = lldp(cluster(HOSTS, fabric=fabric, rails=1), interface)
    wiring = wired(make_inventory(tmp_path / "x.h5", machines))
    assert wiring is not None
    assert wiring.told_by == LLDP
    expected = [{(interface, leaf(host), f"Ethernet1/{host % BEHIND + 1}")} for host in range(HOSTS)]
    assert ends_of(wiring) == expected
    assert switches_of(wiring) == [{leaf(host)} for host in range(HOSTS)]


def test_a_management_interface_is_no_cable_of_the_run(tmp_path: Path, everylink: Command) -> None:
    path = make_inventory(tmp_path / "x.h5", lldp(cluster(HOSTS, rails=1), "eno1"))
    assert wired(path) is None
    assert "The switches are not known" in everylink("show", path, "--switches")[1]


def test_a_bond_hangs_on_the_cables_of_its_members(tmp_path: Path) -> None:
    machines = lldp(lldp(cluster(HOSTS, fabric="ethernet", rails=2), "eth0"), "eth1")
    for machine in machines:
        machine.facts |= {("net/bond0", "lower"): "eth0, eth1", ("net/bond0", "address"): "aa:bb"}
        machine.device = "bond0"
    assert {len(ends) for ends in ends_of(wired(make_inventory(tmp_path / "x.h5", machines)))} == {2}


def test_guids_find_the_ports_whatever_adapters_are_called(tmp_path: Path, topology: Callable[[str], Path]) -> None:
    path = make_inventory(tmp_path / "x.h5", cluster(HOSTS, rails=2))
    wiring = wired(path, topology(ibnetdiscover(rails=2)))
    assert wiring is not None
    assert wiring.told_by == GIVEN
    for host, ends in enumerate(ends_of(wiring)):
        first = 1 + 2 * (host % BEHIND)
        assert ends == {("mlx5_0/1", leaf(host), str(first)), ("mlx5_1/1", leaf(host), str(first + 1))}


def test_the_guid_of_the_adapter_tells_where_ports_have_none(tmp_path: Path, topology: Callable[[str], Path]) -> None:
    machines = cluster(HOSTS, rails=1)
    for machine in machines:
        del machine.facts["ib/mlx5_0/1", "gid"]
    wiring = wired(make_inventory(tmp_path / "x.h5", machines), topology(ibnetdiscover()))
    assert switches_of(wiring) == [{leaf(host)} for host in range(HOSTS)]


def test_names_tell_the_ports_of_a_run_without_an_inventory(tmp_path: Path, topology: Callable[[str], Path]) -> None:
    path = make_results(tmp_path / "x.h5", hosts=[f"n{host}.cluster" for host in range(HOSTS)])
    with h5py.File(path, "r+") as file:
        file["ranks/device"][:] = np.array([b"mlx5_1 port 1, NUMA node 0"] * HOSTS, "S64")
    wiring = wired(path, topology(ibnetdiscover(rails=2, described="n{host} mlx5_{rail}", guids=False)))
    assert ends_of(wiring)[5] == {("mlx5_1/1", "leaf2", "4")}
    assert switches_of(wiring) == [{leaf(host)} for host in range(HOSTS)]


def test_a_guid_that_two_hosts_have_tells_neither(tmp_path: Path, topology: Callable[[str], Path]) -> None:
    machines = cluster(HOSTS, rails=1)
    for name in ("gid", "node_guid"):
        part = "ib/mlx5_0/1" if name == "gid" else "ib/mlx5_0"
        machines[5].facts[part, name] = machines[1].facts[part, name]
    on = switches_of(wired(make_inventory(tmp_path / "x.h5", machines), topology(ibnetdiscover())))
    assert [bool(one) for one in on] == [host not in (1, 5) for host in range(HOSTS)]


def test_diagnose_finds_the_hosts_of_ibnetdiscover_by_guid(
    tmp_path: Path, topology: Callable[[str], Path], everylink: Command
) -> None:
    file, path = topology(ibnetdiscover()), make_inventory(tmp_path / "x.h5", cluster(HOSTS, rails=1))
    grouping = grouping_of(read(path), read_topology(file))
    assert grouping is not None
    assert grouping.group_of.tolist() == [host // BEHIND for host in range(HOSTS)]
    assert everylink("diagnose", path, "--topology", file)[0] == 0
    other = make_results(tmp_path / "y.h5")
    assert "names none of the hosts" in everylink("diagnose", other, "--topology", file)[2]


@pytest.mark.long
@pytest.mark.parametrize("command", [("diagnose",), ("show",), ("report", "-o")])
def test_the_cause_of_a_verdict_names_the_end_of_the_cable_that_ibnetdiscover_tells(
    command: tuple[str, ...], tmp_path: Path, topology: Callable[[str], Path], everylink: Command
) -> None:
    machines = cluster(HOSTS, rails=2)
    machines[5].facts["ib/mlx5_1/1", "rate"] = "200 Gb/sec (2X NDR)"
    path = make_inventory(tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow(5))
    file = topology(ibnetdiscover(rails=2))

    def said(*options: object) -> str:
        page = tmp_path / "x.html"
        words = (*command, page, "--force") if command[0] == "report" else command
        text = everylink(words[0], path, *words[1:], *options)[1]
        return page.read_text() if command[0] == "report" else text

    cause = "because: n05: rate 200 Gb/sec (2X NDR) of ib/mlx5_1/1; the other 7 have 400 Gb/sec (4X NDR)"
    assert f"{cause}; its cable ends at leaf2 4" in said("--topology", file)
    assert cause in said()
    assert "its cable ends" not in said()


def test_a_port_that_is_bad_though_its_links_are_well_ends_at_a_switch_port(
    tmp_path: Path, topology: Callable[[str], Path], everylink: Command
) -> None:
    machines = lldp(cluster(HOSTS, fabric="roce", rails=1))
    machines[6].grow("ib/mlx5_0/1", "counters/link_downed", 1)
    path = make_inventory(tmp_path / "x.h5", machines)
    words = ("diagnose", path, "--format", "json")
    (told,) = json.loads(everylink(*words)[1])["findings"]
    assert told["text"].endswith("; its cable ends at leaf2 Ethernet1/3")
    (given,) = json.loads(everylink(*words, "--topology", topology(ibnetdiscover()))[1])["findings"]
    assert given["text"].endswith("; its cable ends at leaf2 3")


def test_of_a_device_with_two_ports_on_cables_only_the_ports_have_an_end(tmp_path: Path) -> None:
    machines = cluster(2, rails=1)
    for machine in machines:
        machine.facts["ib/mlx5_0/2", "state"] = "4: ACTIVE"
    results = read(make_inventory(tmp_path / "x.h5", machines))
    ends = {(0, f"ib/mlx5_0/{port}"): AdapterPort("", port, "", "", "", "leaf1", port) for port in (1, 2)}
    told = Cluster(results.inventory, results.ranks, ends)
    assert [told.neighbour(0, part) for part in ("ib/mlx5_0/1", "ib/mlx5_0/2")] == ["leaf1 1", "leaf1 2"]
    assert told.neighbour(0, "ib/mlx5_0") == told.neighbour(1, "ib/mlx5_0/1") == ""


def test_slurm_tells_switches_but_no_cables(tmp_path: Path, topology: Callable[[str], Path]) -> None:
    path = make_results(tmp_path / "x.h5", hosts=[f"n{host}" for host in range(HOSTS)])
    text = "SwitchName=leaf1 Nodes=n[0-3]\nSwitchName=leaf2 Nodes=n[4-7]\n"
    given = wired(path, topology(text))
    add_slurm_addresses(path, [f"top.{leaf(host)}.n{host}" for host in range(HOSTS)])
    told = wired(path)
    for wiring, by in ((given, GIVEN), (told, "SLURM_TOPOLOGY_ADDR")):
        assert switches_of(wiring) == [{leaf(host)} for host in range(HOSTS)]
        assert wiring is not None
        assert (wiring.told_by, wiring.cables) == (by, ())


def test_the_sums_of_switches_and_cables_are_those_of_their_links(tmp_path: Path) -> None:
    machines = lldp(cluster(HOSTS, fabric="ethernet", rails=1))
    bad = {(0, 5): 1, (1, 2): 2, (6, 7): 1}
    path = make_inventory(tmp_path / "x.h5", machines, time=slow(6), outcomes=bad)
    results, wiring = read(path), wired(path)
    assert wiring is not None
    size = results.sizes[-1]
    times = size.links.matrix("median", HOSTS).astype(float)
    on = np.arange(HOSTS) // BEHIND
    for number, row in enumerate(switch_rows(results, size, wiring, [("n06",), ("n01", "n02"), ("leaf2",), ("x",)])):
        mine, others = np.flatnonzero(on == number), np.flatnonzero(on != number)
        for part, expected in (
            (row.within, times[np.ix_(mine, mine)]),
            (row.to_others, times[np.ix_(mine, others)]),
            (row.from_others, times[np.ix_(others, mine)]),
        ):
            assert part.seconds == pytest.approx(np.nanmedian(expected))
        assert (row.switch, row.hosts, row.ranks) == (f"leaf{number + 1}", tuple(mine.tolist()), BEHIND)
        assert (row.within.links, row.to_others.links, row.from_others.links) == (12, 16, 16)
        failed = (row.within.failed, row.to_others.failed, row.from_others.failed)
        assert failed == ((1, 1, 0) if number == 0 else (1, 0, 1))
        assert row.verdicts == (1, 2)[number]
    rows = cable_rows(results, size, wiring, [("n06",), ("n06:6",), ("n01", "n02")])
    assert len(rows) == HOSTS
    first = rows[0]
    assert (first.cable.host, first.cable.switch_port, first.verdicts) == (6, "Ethernet1/3", 2)
    assert first.sends.seconds == pytest.approx(np.nanmedian(times[6]))
    assert first.receives.seconds == pytest.approx(np.nanmedian(times[:, 6]))
    assert (first.sends.failed, first.receives.failed) == (1, 0)
    assert first.ratio == pytest.approx(2, rel=0.1)
    assert sorted(row.cable.host for row in rows if row.verdicts == 1) == [1, 2]


def test_a_rank_on_two_switches_counts_for_both(tmp_path: Path) -> None:
    machines = lldp(cluster(HOSTS, fabric="ethernet", rails=2))
    for host, machine in enumerate(machines):
        machine.facts["net/eth1", "neighbour"] = f"spare Ethernet1/{host + 1}"
    path = make_inventory(tmp_path / "x.h5", machines)
    results, wiring = read(path), wired(path)
    assert wiring is not None
    rows = {row.switch: row for row in switch_rows(results, results.sizes[-1], wiring, [])}
    assert {name: row.ranks for name, row in rows.items()} == {"leaf1": 4, "leaf2": 4, "spare": 8}
    assert (rows["spare"].within.links, rows["spare"].to_others.links) == (56, 0)
    assert (rows["leaf1"].within.links, rows["leaf1"].to_others.links) == (12, 16)
    assert len(cable_rows(results, results.sizes[-1], wiring, [])) == 2 * HOSTS


def test_text_and_json_show_switches_and_the_slowest_cables(
    tmp_path: Path, topology: Callable[[str], Path], everylink: Command
) -> None:
    machines = cluster(HOSTS, rails=2)
    for machine in machines:
        machine.device = "mlx5_0:1"
    path = make_inventory(tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow(6))
    words = ("show", path, "--switches", "--topology", topology(ibnetdiscover(rails=2)), "--slowest", 3)
    _, text, _ = everylink(*words)
    switches, _, cables = text.partition("Switches at 64 KiB, told by --topology")[2].partition("Slowest cables")
    assert [line.split()[0] for line in switches.splitlines() if line.startswith("leaf")] == ["leaf1", "leaf2"]
    assert "n[00-03]" in switches
    first = next(line.split()[:4] for line in cables.splitlines() if line.startswith("n0"))
    assert first == ["n06", "mlx5_0/1", "leaf2", "5"]
    assert sum(line.startswith("n0") for line in cables.splitlines()) == 3
    assert "8 more cables of these hosts carried no link of this run" in cables
    said = json.loads(everylink(*words, "--format", "json")[1])
    assert said["switches_told_by"] == "--topology"
    assert [one["hosts"] for one in said["switches"]] == [[f"n0{i}" for i in range(4)], [f"n0{i}" for i in range(4, 8)]]
    assert sum(one["verdicts"] for one in said["switches"]) == len(said["verdicts"]) == 1
    worst = said["cables"][0]
    assert {name: worst[name] for name in ("host", "part", "switch", "switch_port", "verdicts")} == {
        "host": "n06", "part": "ib/mlx5_0/1", "switch": "leaf2", "switch_port": "5", "verdicts": 1
    }  # fmt: skip
    rate = 65536 / worst["sends"]["seconds"]
    assert worst["sends"]["bytes_per_second"] == pytest.approx(rate)
    assert [one["sends"] is None for one in said["cables"]] == [False] * HOSTS + [True] * HOSTS


def test_where_nothing_tells_the_switches_json_has_null(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5")
    said = json.loads(everylink("show", path, "--switches", "--format", "json")[1])
    assert said["switches"] is said["cables"] is said["switches_told_by"] is None
    assert "Name a file by --topology: Slurm's topology.conf" in everylink("show", path, "--switches")[1]


def test_show_judges_by_the_given_switches(tmp_path: Path, everylink: Command) -> None:
    path, truth = tmp_path / "x.h5", tmp_path / "t.conf"
    words = ("--hosts", 32, "--group-size", 8, "--fault", "slow-group:g3*0.6", "--topology", truth)
    assert everylink("simulate", *words, "-o", path)[0] == 0
    said = json.loads(everylink("show", path, "--switches", "--topology", truth, "--format", "json")[1])
    assert [verdict["subject"] for verdict in said["verdicts"]] == [["g3"]]
    assert [one["verdicts"] for one in said["switches"]] == [0, 0, 0, 1]


def test_switches_are_of_links_only_and_exclude_fit(tmp_path: Path, everylink: Command) -> None:
    path = make_all_to_all(tmp_path / "x.h5", lambda frm, to: 1e9)
    assert "--switches: apply only to links" in everylink("show", path, "--switches")[2]
    said = everylink("show", path, "--switches", "--topology", tmp_path / "none", "--fit")[2]
    assert "--fit prints nothing else; leave out --switches and --topology" in said


@pytest.mark.parametrize(
    ("guid", "digits"),
    [
        ("0x2c90300000012", "0002c90300000012"),
        ("0002C90300000012", "0002c90300000012"),
        ("fe80:0000:0000:0000:0002:c903:0000:0012", "0002c90300000012"),
        ("0002:c903:0000:0012", "0002c90300000012"),
        ("0x0", ""),
        ("", ""),
        ("none", ""),
        ("9" * 5000, ""),
    ],
)
def test_guids_are_compared_by_their_last_64_bits(guid: str, digits: str) -> None:
    assert digits_of(guid) == digits


@pytest.mark.parametrize("form", ["ibnetdiscover", "Slurm"])
def test_names_of_switches_cannot_control_the_terminal(
    form: str, tmp_path: Path, topology: Callable[[str], Path], everylink: Command
) -> None:
    text = (
        ibnetdiscover() if form == "ibnetdiscover" else "SwitchName=leaf1 Nodes=n0[0-3]\nSwitchName=b Nodes=n0[4-7]\n"
    )
    file = topology(text.replace("leaf1", "leaf\x1b[31m1").replace("\n", "\r\n"))
    path = make_inventory(tmp_path / "x.h5", cluster(HOSTS, rails=1))
    said = everylink("show", path, "--switches", "--topology", file)[1]
    assert "leaf\N{REPLACEMENT CHARACTER}[31m1 " in said
    assert "\x1b" not in said + everylink("diagnose", path, "--topology", file)[1]


def test_port_numbers_no_switch_has_are_damage(topology: Callable[[str], Path]) -> None:
    text = ibnetdiscover().replace("[1](", f"[{'9' * 5000}](", 1)
    with pytest.raises(Exception, match="is truncated, damaged or not from ibnetdiscover"):
        read_topology(topology(text))
