"""Files for --topology: the hosts behind each switch, in the formats of Slurm and ibnetdiscover."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everylink.errors import UserMistake
from everylink.host_lists import expanded, folded
from everylink.io.read import read
from everylink.io.topology import Topology, group_of, grouping_of, leaf_of_address, read_topology
from everylink.model.results import Ranks
from everylink.simulate.fabric import Fabric
from everylink.simulate.results import ranks as fabric_ranks
from everylink.simulate.results import topology as fabric_topology
from make_results import add_slurm_addresses, make_results

Reader = Callable[[str | bytes], Topology]
IBNETDISCOVER = """\
#
# Topology file: generated on Sun Nov 22 07:00:00 2026
#
# Initiated from node 0002c90300000001 port 0002c90300000002

vendid=0x2c9
devid=0xd2f0
sysimgguid=0x9c05910300000100
switchguid=0x9c05910300000100(9c05910300000100)
Switch\t36 "S-9c05910300000100"\t\t# "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 6 lmc 0
[1]\t"H-0002c90300000011"[1](2c90300000012) \t\t# "n1 mlx5_0" lid 4 4xHDR
[2]\t"H-0002c90300000021"[1](2c90300000022) \t\t# "n2 mlx5_10" lid 5 4xHDR
[40]\t"H-0002c90300000091"[1](2c90300000092) \t\t# "Mellanox Technologies Aggregation Node" lid 9 4xHDR
[36]\t"S-9c05910300000200"[36]\t\t# "MF0;leaf2:MQM8700/U1" lid 7 4xHDR

switchguid=0x9c05910300000200(9c05910300000200)
Switch\t36 "S-9c05910300000200"\t\t# "MF0;leaf2:MQM8700/U1" enhanced port 0 lid 7 lmc 0
[1]\t"H-0002c90300000011"[2](2c90300000013) \t\t# "n1 mlx5_0" lid 10 4xHDR
[3]\t"H-0002c90300000031"[1](2c90300000032) \t\t# "n2 mlx5_2" lid 11 4xHDR
[4]\t"H-0002c90300000041"[1](2c90300000042) \t\t# "n4 HCA-1" lid 12 4xHDR
[36]\t"S-9c05910300000100"[36]\t\t# "MF0;leaf1:MQM8700/U1" lid 6 4xHDR

caguid=0x2c90300000011
Ca\t2 "H-0002c90300000011"\t\t# "n1 mlx5_0"
[1](2c90300000012) \t"S-9c05910300000100"[1]\t\t# lid 4 lmc 0 "MF0;leaf1:MQM8700/U1" lid 6 4xHDR
[2](2c90300000013) \t"S-9c05910300000200"[1]\t\t# lid 10 lmc 0 "MF0;leaf2:MQM8700/U1" lid 7 4xHDR

Ca\t1 "H-0002c90300000021"\t\t# "n2 mlx5_10"
[1](2c90300000022) \t"S-9c05910300000100"[2]\t\t# lid 5 lmc 0 "MF0;leaf1:MQM8700/U1" lid 6 4xHDR

Ca\t1 "H-0002c90300000031"\t\t# "n2 mlx5_2"
[1](2c90300000032) \t"S-9c05910300000200"[3]\t\t# lid 11 lmc 0 "MF0;leaf2:MQM8700/U1" lid 7 4xHDR

Ca\t1 "H-0002c90300000041"\t\t# "n4 HCA-1"
[1](2c90300000042) \t"S-9c05910300000200"[4]\t\t# lid 12 lmc 0 "MF0;leaf2:MQM8700/U1" lid 7 4xHDR

Ca\t1 "H-0002c90300000091"\t\t# "Mellanox Technologies Aggregation Node"
[1](2c90300000092) \t"S-9c05910300000100"[40]\t\t# lid 9 lmc 0 "MF0;leaf1:MQM8700/U1" lid 6 4xHDR
"""


@pytest.fixture
def topology(tmp_path: Path) -> Reader:
    """Writes a file and reads it."""

    def make(text: str | bytes) -> Topology:
        path = tmp_path / "topology"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_topology(path)

    return make


def hosts(*names: str) -> Ranks:
    """One rank on each of these hosts."""
    ranks = fabric_ranks(Fabric(max(len(names), 2)))
    return replace(ranks, host=names, host_index=np.arange(len(names), dtype=np.uint32))


def test_slurms_file_names_the_leaf_of_each_node(topology: Reader) -> None:
    text = """\
        SwitchName=s1 Nodes=n[1-3,7]   LinkSpeed=900 # rack 1
        switchname=s2 NODES=n[08-10],login-[1-2]-ib,big \\
            LinkSpeed=1
        SwitchName=top Switches=s[1-2]
    """
    found = topology(text).leaf_of
    assert found == {
        **dict.fromkeys(("n1", "n2", "n3", "n7"), "s1"),
        **dict.fromkeys(("n08", "n09", "n10", "login-1-ib", "login-2-ib", "big"), "s2"),
    }


def test_slurms_blocks_are_also_groups(topology: Reader) -> None:
    found = topology("BlockName=b1 Nodes=r[1-2]n[8-9]\nBlockSizes=4\n").leaf_of
    assert found == dict.fromkeys(("r1n8", "r1n9", "r2n8", "r2n9"), "b1")


def test_a_node_with_several_switches_counts_for_the_first(topology: Reader) -> None:
    assert topology("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1,n2\n").leaf_of == {"n1": "a", "n2": "b"}


def test_the_switch_of_every_adapter_comes_from_ibnetdiscover(topology: Reader) -> None:
    found = topology(IBNETDISCOVER)
    assert found.leaf_of_nic == {
        ("n1", "mlx5_0"): "leaf1",
        ("n1", "mlx5_0:2"): "leaf2",
        ("n2", "mlx5_2"): "leaf2",
        ("n2", "mlx5_10"): "leaf1",
        ("n4", "HCA-1"): "leaf2",
    }
    assert found.leaf_of == {"n1": "leaf1", "n2": "leaf2", "n4": "leaf2"}, "by the first adapter: mlx5_2, not mlx5_10"


def test_the_switch_port_of_every_adapter_port_comes_from_ibnetdiscover(topology: Reader) -> None:
    ports = {(port.host, port.nic, port.port): port for port in topology(IBNETDISCOVER).ports}
    ends = {key: (port.port_guid, port.switch, port.switch_port) for key, port in ports.items()}
    assert ends["n1", "mlx5_0", 1] == ("0002c90300000012", "leaf1", 1)
    assert ends["n1", "mlx5_0", 2] == ("0002c90300000013", "leaf2", 1)
    assert ends["n4", "HCA-1", 1] == ("0002c90300000042", "leaf2", 4)
    assert {port.node_guid for port in ports.values() if port.host == "n1"} == {"0002c90300000011"}


def test_switches_with_equal_descriptions_are_distinguished_by_guid(topology: Reader) -> None:
    found = topology(IBNETDISCOVER.replace("MF0;leaf1:MQM8700/U1", "X").replace("MF0;leaf2:MQM8700/U1", "X"))
    assert found.leaf_of == {
        "n1": "X S-9c05910300000100", "n2": "X S-9c05910300000200", "n4": "X S-9c05910300000200"
    }  # fmt: skip


def test_an_adapter_name_shared_by_many_hosts_identifies_none(topology: Reader) -> None:
    text = IBNETDISCOVER.replace("n2 mlx5_10", "localhost mlx5_0").replace("n4 HCA-1", "localhost mlx5_0")
    assert topology(text).leaf_of == {"n1": "leaf1", "n2": "leaf2"}


def test_windows_line_ends_and_a_byte_order_mark_are_accepted(topology: Reader) -> None:
    for text in ("SwitchName=s1 Nodes=n1\n", IBNETDISCOVER):
        marked = "\N{ZERO WIDTH NO-BREAK SPACE}" + text.replace("\n", "\r\n")
        assert topology(marked) == topology(text)


DAMAGED = [
    (b"", "is empty"),
    (b" \n\n", "is empty"),
    (b"# nothing\n", "names no host on a switch"),
    (b"SwitchName=top Switches=s[1-2]\n", "names no host on a switch"),
    (b"\0\1\2SwitchName=", "is not text"),
    (b"- topology: default\n", "line 1: has an unknown format; expected Slurm's topology.conf"),
    (b"SwitchName=a Nodes=n[1-\n", "line 1: 'n[1-' is not a list of names such as n[1-4,7]"),
    (b"\nSwitchName=a Nodes=n[4-1]\n", "line 2: 'n[4-1]' is not a list"),
    (b"SwitchName=a Nodes=@all\n", "line 1: '@all' is not a list"),
    (b"SwitchName=a Nodes=n[1-99999999999]\n", "line 1: 'n[1-99999999999]' has more than 1000000 names"),
    (b"SwitchName=a Nodes=n[1-999999999],m[999999999-1]\n", "line 1: 'n[1-999999999],m[999999999-1]' is not a list"),
    (b"SwitchName=a Nodes=n[1-9999]m[1-9999]\n", "has more than 1000000 names"),
    (b"SwitchName=a\n", "line 1: 'a' has neither Nodes= nor Switches="),
    (b"SwitchName=a Nodes=n1\nNodes=n2\n", "line 2: has children, but no SwitchName="),
    (b"SwitchName=a Nodes=n1 Color=red\n", "line 1: 'Color' is not a key of topology.conf"),
    (b"SwitchName=a Nodes=n1 red\n", "line 1: 'red' is not of the form Key=value"),
    (b"SwitchName=a Nodes=n1 Nodes=n2\n", "line 1: Nodes occurs twice"),
    (b"CA    4  1 0x0002c903 4x QDR - SW 1 1 0x0 ( 'n1 HCA-1' - 'S' )\n", "line 1: is output of ibnetdiscover with"),
    (b'Ca\t1 "H-01"\t# "n1 mlx', 'line 1: \'Ca 1 "H-01" # "n1 mlx\' is truncated or damaged'),
    (b'Ca\t1 "H-01"\t# "n1 mlx5_0"\n[1](02) \t"S-03"[1]\t# lid 1\n', "line 2: names 'S-03', which has no entry"),
    (b'[1](02) "S-03"[1]\nSwitch 1 "S-03" # "s" base port 0\n', "line 1: has a port, but no switch"),
    (
        b'Switch 1 "S-03" # "s" base port 0\nSwitch 1 "S-0x03" # "s" base port 0\n',
        "line 2: repeats node 'S-03' of line 1",
    ),
    (
        b'Switch 1 "S-03" # "s" base port 0\nrubbish\n',
        "line 2: 'rubbish' is truncated, damaged or not from ibnetdiscover",
    ),
]


@pytest.mark.parametrize(("text", "expected"), DAMAGED)
def test_a_damaged_or_foreign_file_is_refused_in_one_line_with_the_line_number(
    text: bytes, expected: str, topology: Reader
) -> None:
    with pytest.raises(UserMistake) as caught:
        topology(text)
    assert expected in str(caught.value).replace("\N{REPLACEMENT CHARACTER}", " ")
    assert "\n" not in str(caught.value)


def test_truncated_output_of_ibnetdiscover_is_refused(topology: Reader) -> None:
    lines = IBNETDISCOVER.splitlines(keepends=True)
    first_ca = next(i for i, line in enumerate(lines) if line.startswith("Ca"))
    for end in range(9, first_ca):
        with pytest.raises(UserMistake):
            topology("".join(lines[: end + 1]))


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="cannot be read: No such file"):
        read_topology(tmp_path / "nothing")
    with pytest.raises(UserMistake, match="is a folder, a pipe or a device"):
        read_topology(tmp_path)
    with pytest.raises(UserMistake, match="is a folder, a pipe or a device"):
        read_topology("/dev/zero")


@given(st.binary(max_size=200) | st.text(alphabet='SwitchNameods=[]-,19 \n#\\"(:)Ca\t', max_size=200).map(str.encode))
def test_any_input_gives_at_most_one_line_of_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("topology") / "t"
    path.write_bytes(data)
    found, said = False, ""
    try:
        topology = read_topology(path)
        found = bool(topology.leaf_of or topology.ports)
    except UserMistake as mistake:
        said = str(mistake)
    assert found or said.startswith(f"{path}")
    assert "\n" not in said


@given(st.integers(2, 60), st.integers(1, 20), st.integers(1, 3))
def test_the_groups_of_a_simulated_fabric_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, count: int, group_size: int, ranks_per_host: int
) -> None:
    fabric = Fabric(count, ranks_per_host, group_size)
    path = tmp_path_factory.mktemp("topology") / "t"
    path.write_text(fabric_topology(fabric))
    expected = np.arange(count) // group_size
    assert group_of(read_topology(path), fabric_ranks(fabric)).tolist() == expected.tolist()


def test_names_match_with_and_without_their_domain() -> None:
    known = Topology({"n1": "a", "n2.cluster": "b", "n3.east": "c", "n3.west": "d", "n4": "e", "10.0.0.1": "f"})
    cases = {
        "n1.cluster": True, "n2": True, "n3": False, "n3.east": True, "n4.x": False, "n4.y": False, "n9": False,
        "10.1.1.1": False,
    }  # fmt: skip
    found = group_of(known, hosts(*cases))
    assert dict(zip(cases, (found >= 0).tolist(), strict=True)) == cases
    assert found.dtype == np.int64


def test_groups_are_counted_in_the_order_of_the_hosts() -> None:
    assert group_of(Topology({"a": "z", "b": "y", "c": "z"}), hosts("b", "x", "a", "c")).tolist() == [0, -1, 1, 1]


@pytest.mark.parametrize(
    ("address", "pattern", "leaf"),
    [
        ("s0.s1.n17", "switch.switch.node", "s1"),
        ("top.leaf3.n17.cluster", "switch.switch.node", "leaf3"),
        ("b1.n17", "block.node", "b1"),
        ("n17", "node", None),
        ("n17", "switch.node", None),
        ("s0..n17", "switch.switch.node", None),
        ("s0.s1.n17", "", None),
        ("", "", None),
    ],
)
def test_slurms_address_names_the_leaf(address: str, pattern: str, leaf: str | None) -> None:
    assert leaf_of_address(address, pattern) == leaf


def test_hosts_are_grouped_by_the_addresses_of_their_ranks(tmp_path: Path) -> None:
    path = make_results(tmp_path / "x.h5", hosts=("n0", "n0", "n1", "n2", "n3"))
    add_slurm_addresses(path, ["t.s1.n0", "t.s1.n0", "t.s0.n1", "n2", "t.s1.n3"])
    grouping = grouping_of(read(path))
    assert grouping is not None
    assert (grouping.group_of.tolist(), grouping.names) == ([0, 1, -1, 0], ("s1", "s0"))


@pytest.mark.parametrize(
    ("addresses", "pattern"),
    [
        (["t.s0.n0", "t.s0.n0", "t.s0.n1", "t.s0.n1"], "switch.switch.node"),  # all behind one switch
        (["n0", "n0", "n1", "n1"], "node"),  # from a plug-in without switches
        (["t.s0.n0", "t.s0.n0", "t.s1.n1", "t.s1.n1"], ""),
        ([".s0.n0", "..", "s1", "x" * 1000], "switch.switch.node"),
    ],
)
def test_addresses_without_two_switches_give_no_groups(addresses: list[str], pattern: str, tmp_path: Path) -> None:
    path = make_results(tmp_path / "x.h5")
    assert grouping_of(read(path)) is None  # the file lacks the columns
    add_slurm_addresses(path, addresses, pattern)
    assert grouping_of(read(path)) is None


@given(st.lists(st.tuples(st.sampled_from(["n", "rack-", "a.b"]), st.integers(0, 300)), min_size=1, unique=True))
def test_a_folded_list_of_hosts_expands_to_the_same_hosts(pairs: list[tuple[str, int]]) -> None:
    names = [f"{prefix}{number}" for prefix, number in pairs]
    assert sorted(expanded(folded(names))) == sorted(names)


def test_names_that_do_not_fold_are_listed_unchanged() -> None:
    assert folded(["n1 (host 2)", "[x]", "a", "b", "c", "d"]) == "n1 (host 2), [x], a, b, c and 1 more"
