"""`everylink inventory`: what it prints of a file, of two files and of hosts."""

import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.inventory.changes import changes_of
from everylink.inventory.cluster import kinds_of_hosts, smallest_class
from everylink.inventory.drift import drift_of
from everylink.inventory.equals import networks, rule_of, subnet_prefix
from everylink.inventory.folding import parts_text
from everylink.inventory.meanings import COUNTERS, FACTS, Family, counter, kind_of_part
from everylink.io.read import read
from inventories import GB, OLDER, Machine, Model, cluster, machine, make_inventory


def make(path: Path, machines: list[Machine]) -> Path:
    return make_inventory(path, machines)


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    return make(tmp_path / "healthy.h5", cluster(8))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    machines = cluster(8)
    for one in (2, 5):
        machines[one].facts |= {(f"ib/mlx5_{rail}/1", "rate"): "200 Gb/sec (2X NDR)" for rail in (0, 1)}
    machines[6].facts["host", "kernel"] = "5.14.0-1"
    return make(tmp_path / "slow.h5", machines)


def test_a_healthy_cluster_is_shown_with_what_most_hosts_have(healthy: Path, everylink: Command) -> None:
    code, said, _ = everylink("inventory", healthy)
    assert code == 0
    assert "8 hosts: n[00-07]\n  kernel: 5.14.0-503.el9.x86_64\n" in said
    assert "ib/mlx5_[0-1]: MT4129, MT_0000000838, driver mlx5_core, firmware 28.43.2566" in said
    assert "PCIe 32.0 GT/s x16" in said
    assert "net/eno1: driver igb" in said
    assert said.splitlines()[-1] == "8 hosts: nothing deviates"


def test_equal_deviations_of_several_hosts_and_parts_are_one_line_worst_first(slow: Path, everylink: Command) -> None:
    code, said, _ = everylink("inventory", slow)
    assert code == 3
    rate = "rate 200 Gb/sec (2X NDR) of ib/mlx5_[0-1]/1; the other 6 have 400 Gb/sec (4X NDR)"
    assert said.splitlines()[-3:] == [
        f"critical: n[02,05]: {rate}",
        "warning: n06: kernel 5.14.0-1; the other 7 have 5.14.0-503.el9.x86_64",
        "8 hosts: 2 deviations (1 critical, 1 warning)",
    ]
    assert everylink("inventory", slow, "--quiet")[1] == "8 hosts: 2 deviations (1 critical, 1 warning)\n"


def test_json_has_kinds_deviations_and_traffic(slow: Path, everylink: Command) -> None:
    code, said, _ = everylink("inventory", slow, "--format", "json")
    found = json.loads(said)
    assert code == 3
    assert found["hosts"] == [f"n{number:02d}" for number in range(8)]
    assert [kind["hosts"] for kind in found["kinds"]] == [found["hosts"]]
    governor = {"part": "host", "name": "governor", "value": "performance", "hosts": 8, "of": 8}
    assert governor in found["kinds"][0]["facts"]
    rate = found["deviations"][0]
    assert (rate["hosts"], rate["parts"]) == (["n02", "n05"], ["ib/mlx5_0/1", "ib/mlx5_1/1"])
    assert (rate["value"], rate["usual"]) == ("200 Gb/sec (2X NDR)", "400 Gb/sec (4X NDR)")
    assert (rate["equals"], rate["severity"]) == (6, "critical")
    assert found["traffic"][0]["sent"] == {"min": GB / 2, "median": GB / 2, "max": GB / 2}


@pytest.mark.parametrize(
    ("part", "name", "told"),
    [("ib/mlx5_1/1", "rate", True), ("ib/mlx5_0/1", "rate", False), ("ib/mlx5_1/1", "pkey", False)],
)
def test_the_switch_port_of_a_bad_cable_is_named(part: str, name: str, told: bool, tmp_path: Path) -> None:
    machines = cluster(8, fabric="roce")
    machines[2].facts["net/eth1", "neighbour"] = "leaf07 Ethernet1/9"
    machines[2].facts[part, name] = {"rate": "200 Gb/sec (2X NDR)", "pkey": "0x8009"}[name]
    (found,) = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert found.sentence.endswith("; its cable ends at leaf07 Ethernet1/9") == told


def test_two_generations_are_two_kinds_and_no_deviation(tmp_path: Path, everylink: Command) -> None:
    machines = [machine(number, model=OLDER if number < 8 else Model()) for number in range(24)]
    code, said, _ = everylink("inventory", make(tmp_path / "x.h5", machines))
    assert code == 0
    assert said.index("16 hosts: n[08-23]\n") < said.index("8 hosts: n[00-07]\n")
    assert "24 hosts: nothing deviates" in said


def test_a_version_on_half_of_equal_hosts_is_structure(tmp_path: Path, everylink: Command) -> None:
    machines = cluster(16)
    for one in machines[:6]:
        one.facts["host", "kernel"] = "6.1.0"
    code, said, _ = everylink("inventory", make(tmp_path / "x.h5", machines), "--format", "json")
    found = json.loads(said)
    assert (code, found["deviations"]) == (0, [])
    (split,) = found["classes"]
    assert split["part"] == "host"
    assert [(one["value"], len(one["hosts"])) for one in split["classes"]] == [
        ("5.14.0-503.el9.x86_64", 10), ("6.1.0", 6)
    ]  # fmt: skip
    assert (
        "kernel: 10 have 5.14.0-503.el9.x86_64 (n[06-15]), 6 have 6.1.0 (n[00-05])"
        in everylink("inventory", tmp_path / "x.h5")[1]
    )


def test_two_hosts_that_differ_cannot_tell_which_is_wrong(tmp_path: Path) -> None:
    machines = cluster(2)
    machines[1].facts |= {("host", "kernel"): "6.1.0", ("ib/mlx5_0/1", "rate"): "200 Gb/sec (2X NDR)"}
    assert drift_of(read(make(tmp_path / "x.h5", machines))).deviations == ()


def test_of_two_hosts_a_link_below_what_both_its_ends_can_do_is_named(tmp_path: Path) -> None:
    machines = cluster(2)
    for part in ("pci/0000:10:00.0", "pci/0000:11:00.0"):
        machines[1].facts[part, "current_link_width"] = "8"
    (found,) = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert found.sentence == "n01: PCIe lanes 8 of pci/0000:10:00.0, of 16 that both ends can do"


def test_a_slot_that_has_fewer_lanes_by_design_is_no_deviation_of_a_single_host(tmp_path: Path) -> None:
    machines = cluster(2)
    for one in machines:
        for part in ("pci/0000:10:00.0", "pci/0000:11:00.0"):
            one.facts[part, "current_link_width"] = "8"
        one.facts["pci/0000:11:00.0", "max_link_width"] = "8"
    assert drift_of(read(make(tmp_path / "x.h5", machines))).deviations == ()


def test_of_a_single_host_a_port_that_is_down_among_its_siblings_is_named(tmp_path: Path) -> None:
    machines = cluster(1, rails=8)
    machines[0].facts |= {("ib/mlx5_4/1", "state"): "1: DOWN", ("ib/mlx5_4/1", "rate"): "10 Gb/sec (4X SDR)"}
    (found,) = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert found.sentence == "n00: state 1: DOWN of ib/mlx5_4/1; its siblings: 4: ACTIVE"


def test_adapters_that_did_not_carry_the_run_are_compared_if_they_are_the_fastest(tmp_path: Path) -> None:
    machines = cluster(8)
    for one in machines:
        one.device = "eno1"
    machines[3].facts["ib/mlx5_1/1", "rate"] = "200 Gb/sec (2X NDR)"
    machines[3].facts["net/eno1", "mtu"] = "9000"
    found = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert [(one.parts, one.name) for one in found] == [(("ib/mlx5_1/1",), "rate"), (("net/eno1",), "mtu")]


def test_without_any_rate_all_interfaces_with_a_device_are_compared(tmp_path: Path) -> None:
    machines = [Machine(f"v{number}") for number in range(4)]
    for number, one in enumerate(machines):
        one.facts |= {("host", "boot_id"): str(number), ("net/eth0", "driver"): "virtio_net"}
        one.facts |= {("net/eth0", "pci"): "0000:00:03.0", ("net/eth0", "mtu"): "1500" if number == 2 else "9000"}
    (found,) = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert (found.hosts, found.name) == (("v2",), "mtu")


def test_an_interface_is_known_by_the_address_that_carries_messages(tmp_path: Path) -> None:
    machines = cluster(4, fabric="ethernet", rails=1)
    for number, one in enumerate(machines):
        one.device = ""
        one.facts["net/eth0", "ip"] = f"127.0.0.1/8, 10.0.0.{number}/16"
    machines[2].facts["net/eth0", "mtu"] = "1500"
    (found,) = drift_of(read(make(tmp_path / "x.h5", machines))).deviations
    assert (found.hosts, found.parts, found.name) == (("n02",), ("net/eth0",), "mtu")


def test_two_names_of_one_machine_share_their_addresses(tmp_path: Path) -> None:
    machines = cluster(3)
    machines[1].facts |= {
        pair: machines[0].facts[pair]
        for pair in [("host", "boot_id"), ("host", "name"), ("net/eno1", "address"), ("net/eno1", "ip")]
    }
    for name in ("node_guid", "sys_image_guid"):
        for rail in (0, 1):
            machines[1].facts[f"ib/mlx5_{rail}", name] = machines[0].facts[f"ib/mlx5_{rail}", name]
    assert drift_of(read(make(tmp_path / "x.h5", machines))).deviations == ()


def test_what_happened_between_the_processes_of_a_run_is_left_out(tmp_path: Path, everylink: Command) -> None:
    one, two = cluster(4), cluster(4)
    two[1].counters["ib/mlx5_0/1", "counters/symbol_error"] += 500
    make(tmp_path / "one.h5", one)
    make(tmp_path / "two.h5", two)
    both = tmp_path / "both.h5"
    everylink("merge", tmp_path / "one.h5", tmp_path / "two.h5", "--by", "min", "-o", both)
    assert everylink("inventory", both)[1].splitlines()[-1] == "4 hosts: nothing deviates"


def test_a_statistic_of_a_driver_that_was_0_at_first_has_grown_from_0(tmp_path: Path) -> None:
    machines = cluster(4)
    machines[1].later["net/eth0", "ethtool/rx_symbol_err_phy"] = 12  # the core leaves it out while it is 0
    machines[2].later["net/eth0", "statistics/rx_errors"] = 12  # not read before
    inventory = read(make(tmp_path / "x.h5", machines)).inventory
    assert inventory is not None
    grew = changes_of(inventory).grew
    for name, growth in (("ethtool/rx_symbol_err_phy", 12), ("statistics/rx_errors", 0)):
        hosts, found = grew.column(inventory.row("net/eth0"), inventory.row(name))
        assert dict(zip(hosts.tolist(), found.tolist(), strict=True)).popitem()[1] == growth


def test_two_files_show_what_changed(healthy: Path, slow: Path, everylink: Command) -> None:
    code, said, _ = everylink("inventory", healthy, slow)
    assert code == 0
    assert said.splitlines() == [
        "n[02,05]: rate of ib/mlx5_[0-1]/1: 400 Gb/sec (4X NDR) -> 200 Gb/sec (2X NDR)",
        "n06: kernel: 5.14.0-503.el9.x86_64 -> 5.14.0-1",
        "8 hosts in both files: 2 changes",
    ]
    found = json.loads(everylink("inventory", healthy, slow, "--format", "json")[1])
    assert (found["hosts"], found["gone"], found["added"]) == (8, [], [])
    assert found["changes"][1] == {
        "hosts": ["n06"], "parts": ["host"], "name": "kernel", "before": "5.14.0-503.el9.x86_64", "after": "5.14.0-1",
        "severity": "warning",
    }  # fmt: skip
    assert everylink("inventory", healthy, healthy, "--quiet")[1] == "8 hosts in both files: nothing changed\n"


@pytest.mark.long
def test_comparing_two_runs_names_what_changed_on_their_hosts(healthy: Path, slow: Path, everylink: Command) -> None:
    code, said, _ = everylink("compare", healthy, slow)
    assert code == 0
    assert "CHANGED  n06: kernel: 5.14.0-503.el9.x86_64 -> 5.14.0-1\n" in said
    changed = json.loads(everylink("compare", healthy, slow, "--format", "json")[1])["hosts_changed"]
    assert changed == json.loads(everylink("inventory", healthy, slow, "--format", "json")[1])["changes"]
    assert "CHANGED" not in everylink("compare", healthy, healthy)[1]


@pytest.mark.parametrize(
    ("part", "name", "after", "title"),
    [
        ("net/eth1", "neighbour", "leaf2 Ethernet1/9", "end of the cable"),
        ("net/eth1", "neighbour", "", "end of the cable"),
        ("ib/mlx5_1", "fw_ver", "28.1", "firmware"),
        ("ib/mlx5_1/1", "rate", "200 Gb/sec (2X NDR)", "rate"),
    ],
    ids=["another cable", "no cable", "firmware", "rate"],
)
@pytest.mark.one_in(3)
def test_comparing_two_runs_names_another_cable_firmware_or_rate(
    part: str, name: str, after: str, title: str, tmp_path: Path, everylink: Command
) -> None:
    machines = cluster(8, fabric="roce")
    machines[3].facts["net/eth1", "neighbour"] = "leaf1 Ethernet1/9"
    before, base = machines[3].facts[part, name], make(tmp_path / "base.h5", machines)
    machines[3].facts[part, name] = after
    new = make(tmp_path / "new.h5", machines)
    assert [said for said in everylink("compare", base, new)[1].splitlines() if said.startswith("CHANGED")] == [
        f"CHANGED  n03: {title} of {part}: {before} -> {after or 'gone'}"
    ]
    (changed,) = json.loads(everylink("compare", base, new, "--format", "json")[1])["hosts_changed"]
    assert changed | {"severity": ""} == {
        "hosts": ["n03"], "parts": [part], "name": name, "before": before, "after": after or None, "severity": "",
    }  # fmt: skip


def test_comparing_runs_without_inventory_says_nothing_of_hosts(file: Path, everylink: Command) -> None:
    assert json.loads(everylink("compare", file, file, "--format", "json")[1])["hosts_changed"] is None


def test_hosts_and_adapters_of_one_file_only_are_named(healthy: Path, tmp_path: Path, everylink: Command) -> None:
    machines = [*cluster(7), machine(40)]
    machines[2].drop("ib/mlx5_1")
    said = everylink("inventory", healthy, make(tmp_path / "x.h5", machines))[1]
    assert "n07: only in the first file\nn40: only in the second file\n" in said
    assert "n02: model of ib/mlx5_1: MT4129 -> gone" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.h5", "n[1-4]"), "give files or hosts, not both"),
        (("a.h5", "a.h5", "a.h5"), "3 files; give one, or two to compare"),
        (("a.h5", "-o", "b.h5"), "--output applies only to hosts"),
        (("a.h5", "--launcher", "ssh"), "--launcher applies only to hosts"),
        (("--force",), "--force applies only to -o"),
        (("missing.h5",), "there is no such file"),
        (("n[1-",), "unbalanced brackets"),
    ],
)
def test_mistakes_are_one_line(words: tuple[str, ...], said: str, fake_core: None, everylink: Command) -> None:
    make(Path("a.h5"), cluster(2))
    code, out, error = everylink("inventory", *words)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert said in error


@pytest.mark.long
def test_hosts_are_read_by_the_shortest_run(
    fake_core: None, healthy: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", f"results={healthy}")
    code, said, _ = everylink("inventory")
    assert (code, said.splitlines()[-1]) == (0, "8 hosts: nothing deviates")
    assert not list(Path().glob("*.h5*")) or list(Path().glob("*.h5")) == [Path("healthy.h5")]
    code, said, _ = everylink("inventory", "n[1-2]", "--launcher", "local", "-o", "kept.h5")
    assert code == 0
    assert everylink("inventory", "kept.h5", healthy, "--quiet")[1] == "8 hosts in both files: nothing changed\n"
    assert "exists; --force overwrites it" in everylink("inventory", "-o", "kept.h5")[2]


def test_a_core_that_reads_nothing_or_fails_is_named(
    fake_core: None, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, error = everylink("inventory")
    assert code == 1
    assert "read nothing of its hosts" in error
    monkeypatch.setenv("FAKE", "exit=1")
    assert "the hosts could not be read: everylink-measure ended with exit code 1" in everylink("inventory")[2]


def test_the_rule_needs_two_thirds_of_three_equals() -> None:
    def usual(*values: int) -> list[int] | None:
        rule = rule_of(np.array(values))
        return None if rule is None else rule.usual.tolist()

    assert usual(1, 1) is None
    assert usual(1, 1, 2) == [1]
    assert usual(1, 1, 2, 2) is None
    assert usual(1, 1, 1, 1, 2, 2, 2) is None
    assert usual(*[1] * 8, *[2] * 4) == [1, 2]
    assert usual(*[1] * 60, *[2] * 4) == [1]
    assert usual(*range(20)) is None
    assert [smallest_class(count) for count in (1, 30, 40, 41, 100)] == [4, 4, 4, 5, 10]


def test_a_host_that_differs_alone_is_of_the_kind_that_it_agrees_with_most() -> None:
    hosts = np.arange(12)
    model = np.array([1] * 6 + [2] * 6)
    processor = np.array([5] * 6 + [6] * 5 + [9])
    assert kinds_of_hosts(hosts, [model, processor], 13).tolist() == [0] * 6 + [1] * 6 + [-1]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.1/24, fe80::1/64", "10.0.0.0/24"),
        ("fd77::1/64, 10.0.0.1/24", "10.0.0.0/24, fd77::/64"),
        ("127.0.0.1/8", ""),
        ("10.1.2.3", "10.1.2.3/32"),
        ("fd77::105/120", "fd77::100/120"),
        ("10.0.0.1/33, 10.0.0.1/-1, 10.0.0.1/x", ""),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_networks_are_those_of_all_addresses_but_link_local_ones(text: str, found: str) -> None:
    assert networks(text) == found


def test_a_subnet_prefix_is_the_upper_half_of_the_first_gid() -> None:
    assert subnet_prefix("fec0:0000:0000:0001:0002:c903:0010:1234, fe80::1") == "fec0:0000:0000:0001"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["ib/mlx5_0"], "ib/mlx5_0"),
        (["ib/mlx5_0/1", "ib/mlx5_1/1", "ib/mlx5_3/1"], "ib/mlx5_[0-1,3]/1"),
        (["net/p1s01", "net/p1s02"], "net/p1s[01-02]"),
        (["host"], "host"),
        (["net/eth2", "net/eth10", "net/bond"], "net/eth[2,10], net/bond"),
    ],
)
def test_parts_are_folded_as_hosts_are(parts: list[str], text: str) -> None:
    assert parts_text(parts) == text


def test_the_table_of_meanings_is_complete() -> None:
    kinds = {kind for kind, _ in FACTS}
    assert kinds == {kind_of_part(part) for part in ("host", "net/e", "ib/m", "ib/m/1", "pci/0", "gpu/0")}
    for (kind, _), meaning in FACTS.items():
        names = {name for one, name in FACTS if one in (kind, "host", "ib")} | {"driver/"}
        assert set(meaning.explained_by) <= names | {name for one, name in FACTS if one == kind}
        assert meaning.title
    assert all(meaning.proves and meaning.bits in (4, 8, 16, 32, 64) for meaning in COUNTERS.values())
    assert counter("ethtool/rx_prio3_discards").family is Family.LOSS
    assert counter("counters/port_xmit_data").factor == 4
