"""Host lists on the command line: the hosts that each form names, and what is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from ClusterShell.NodeSet import set_std_group_resolver
from ClusterShell.NodeUtils import GroupResolverConfig

from everylink.errors import UserMistake
from everylink.host_lists import expanded, folded
from everylink.launch.job import hosts_in_file, hosts_of

GROUPS = """[Main]
default: site
[site]
map: case $GROUP in compute) echo 'n[8-11]';; rack1) echo n1;; rack2) echo n2;; esac
list: echo compute rack1 rack2
"""


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[None]:
    """A site's groups: compute, rack1, rack2."""
    config = tmp_path / "groups.conf"
    config.write_text(GROUPS)
    set_std_group_resolver(GroupResolverConfig(str(config)))
    yield
    set_std_group_resolver(None)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n8", "n8"),
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[01-03,7]", "n7 n01 n02 n03"),
        ("n[1-2]-ib", "n1-ib n2-ib"),
        ("n1[8-11]", "n18 n19 n110 n111"),
        ("n0[9-10/1]", "n09 n010"),
        ("a1[1-2]b2[9-10]", "a11b29 a11b210 a12b29 a12b210"),
        ("r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"),
        ("n3, n1 ,n2,n1", "n1 n2 n3"),
        ("n[1-9/4]", "n1 n5 n9"),
        ("10.77.0.[1-2]", "10.77.0.1 10.77.0.2"),
        ("n8.cluster.org,login", "login n8.cluster.org"),
        ("n[1-4]!n[2-3]", "n1 n4"),
        ("n[1-4]&n[3-6]", "n3 n4"),
        ("n[1-2]^n[2-3]", "n1 n3"),
        ("n[1-9]!n[2-9],n5", "n1 n5"),
        ("@compute", "n8 n9 n10 n11"),
        ("@rack[1-2]", "n1 n2"),
        ("@site:rack1,@compute!n9", "n1 n8 n10 n11"),
    ],
)
def test_a_node_set_names_its_hosts(text: str, hosts: str, groups: None) -> None:
    assert hosts_of(text, "--hosts") == hosts.split()


def test_a_list_names_what_is_in_brackets_behind_a_digit_too() -> None:
    assert expanded("n1[8-11],n0[9-10]") == ["n18", "n19", "n110", "n111", "n09", "n010"]


@pytest.mark.parametrize("name", ["n" + 20 * "1234567890", f"n{39 * '1'}[1-2]{39 * '2'}[1-2]{39 * '3'}"])
def test_a_number_of_a_hundred_digits_is_no_host(name: str, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(name)
    with pytest.raises(UserMistake, match="is not a list of names"):
        hosts_in_file(tmp_path / "hosts", "--hosts-file")
    assert folded([name]) == name


def test_a_file_holds_names_and_lists_on_any_number_of_lines(tmp_path: Path, groups: None) -> None:
    file = tmp_path / "hosts"
    file.write_text("# ours\nn1, n[3-4]\n\nn10 n2   # and these\n")
    assert hosts_of(f"@{file}", "--hosts") == ["n1", "n2", "n3", "n4", "n10"]
    assert hosts_of(f"@{file}!n[1-3],@rack1", "--hosts") == ["n1", "n4", "n10"]


def test_a_file_in_this_folder_needs_no_slash_unless_a_group_has_its_name(
    tmp_path: Path, groups: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("n5")
    Path("compute").write_text("n6")
    assert hosts_of("@mine", "--hosts") == ["n5"]
    assert hosts_of("@./compute", "--hosts") == ["n6"]
    with pytest.raises(UserMistake, match="is both a group and a file"):
        hosts_of("@compute", "--hosts")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no host"),
        ("n1!n1", "names no host"),
        ("n[1-", "unbalanced brackets"),
        ("n[3-1]", "is not a node set"),
        ("n[a-b]", "is not a node set"),
        ("n[1-99999999]", "more than 1000000 hosts"),
        ("r[1-2000]n[1-2000]", "more than 1000000 hosts"),
        ("n[1-99999999999]m[9-8]", "is not a node set"),
        ("n[1-2]0000000000", "is not a node set"),
        ("-oProxyCommand=x", "is not a host name"),
        ("n1;reboot", "is not a host name"),
        ("n1 n2", "is not a host name"),
        ("@nothing", "nothing is neither a file nor a group"),
        ("@./nothing", "there is no such file"),
        ("@nowhere:rack1", "nowhere"),
        ("@/", "is a folder"),
    ],
)
def test_an_invalid_node_set_is_refused_in_one_line(text: str, said: str, groups: None) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        hosts_of(text, "--hosts")
    assert "\n" not in str(caught.value)
    assert "--hosts" in str(caught.value)


@pytest.mark.parametrize("line", ["n8 slots=2", "@compute", "n[1-", "n[1-99999999]", "-oProxyCommand=x", "\0"])
def test_an_invalid_line_of_a_file_is_named_and_never_read_as_a_group(line: str, tmp_path: Path, groups: None) -> None:
    file = tmp_path / "hosts"
    file.write_text(f"n1\n{line}\n")
    with pytest.raises(UserMistake, match=r"line 2|not a host name|is not text"):
        hosts_of(f"@{file}", "--hosts")
