"""Networks with only IPv6 or with both families, and hosts whose loopback has another family than the network."""

import itertools
import os
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hosts_runs import MEASURED, QUICK, host_names, measured
from netns import PROGRAM, Bed, a_bed, reach_by_ssh

from conftest import PATIENCE, Everylink, Outcome, measure_program, read_plainly

pytestmark = [pytest.mark.usefixtures("possible"), pytest.mark.xdist_group("netns")]
OK, LOCAL = 0, 6
HOSTS = 3
BEDS = {  # families of the network, and of loopback
    "IPv6 only": ("6", "6"),
    "IPv6, loopback of both": ("6", "46"),
    "IPv6, loopback IPv4": ("6", "4"),
    "both": ("46", "46"),
    "both, loopback IPv6": ("46", "6"),
    "IPv4, loopback IPv6": ("4", "6"),
}


@pytest.fixture(params=BEDS)
def bed(request: pytest.FixtureRequest) -> Iterator[Bed]:
    families, loopback = BEDS[request.param]
    yield from a_bed(HOSTS, 1, "--families", families, "--loopback", loopback)


@pytest.fixture
def both() -> Iterator[Bed]:
    yield from a_bed(HOSTS, 1, "--families", "46")


def on_hosts(bed: Bed, folder: Path, options: Sequence[object], ranks_a_host: int = 1, meet: str = "h0") -> Outcome:
    """Ranks that find each other by the three variables, on every host of the bed."""
    size = bed.hosts * ranks_a_host
    common = {"EVERYLINK_SIZE": str(size), "EVERYLINK_RENDEZVOUS": f"{meet}:7700"}
    common["EVERYLINK_KEY"] = secrets.token_hex(16)
    words = [measure_program(), "-m", "tcp", *map(str, QUICK), *map(str, options), "-o", str(folder / "x.h5")]
    ranks = [
        subprocess.Popen(
            [str(PROGRAM), "--name", bed.name, "exec", f"h{rank // ranks_a_host}", *words, "--force"],
            env=os.environ | common | {"EVERYLINK_RANK": str(rank)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(size)
    ]  # fmt: skip
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    return read_plainly(folder / "x.h5", ranks[0].returncode, said[0][0], "".join(err for _, err in said))


def assert_all_ok(result: Outcome, ranks: int) -> None:
    assert sorted(result.only.main().links()) == list(itertools.permutations(range(ranks), 2)), result.err
    assert set(result.only["outcome"].tolist()) == {OK}


@pytest.mark.one_in(6)
def test_every_link_is_measured_whatever_the_families(bed: Bed, tmp_path: Path) -> None:
    assert_all_ok(on_hosts(bed, tmp_path, []), HOSTS)


@pytest.mark.one_in(6)
def test_two_ranks_on_each_host_meet_over_the_network_or_loopback(bed: Bed, tmp_path: Path) -> None:
    assert_all_ok(on_hosts(bed, tmp_path, [], ranks_a_host=2), 2 * HOSTS)


@pytest.mark.one_in(6)
def test_a_tree_of_control_connections_grows_over_any_family(bed: Bed, tmp_path: Path) -> None:
    before = os.environ.get("EVERYLINK_TREE_ABOVE")
    os.environ["EVERYLINK_TREE_ABOVE"] = "2"
    try:
        assert_all_ok(on_hosts(bed, tmp_path, [], ranks_a_host=2), 2 * HOSTS)
    finally:
        os.environ.pop("EVERYLINK_TREE_ABOVE")
        os.environ.update({} if before is None else {"EVERYLINK_TREE_ABOVE": before})


@pytest.mark.one_in(4)
def test_ranks_start_without_a_launcher_on_a_host(bed: Bed, tmp_path: Path) -> None:
    words = [measure_program(), "--np", "3", "-m", "tcp", *map(str, QUICK), "-o", str(tmp_path / "x.h5")]
    done = subprocess.run(
        [str(PROGRAM), "--name", bed.name, "exec", "h1", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert_all_ok(read_plainly(tmp_path / "x.h5"), 3)


@pytest.mark.one_in(6)
def test_ssh_starts_ranks_whatever_the_families(
    bed: Bed, everylink: Everylink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_by_ssh(bed, tmp_path, monkeypatch)
    code, out, err = everylink("--hosts", "h[0-2]", "-m", "tcp", *QUICK)
    assert code in MEASURED, out + err
    assert host_names(measured(tmp_path, HOSTS)) == ["h0", "h1", "h2"]


@pytest.mark.parametrize("meet", ["10.77.0.1", "[fd77::1]", "h0"])
@pytest.mark.one_in(3)
def test_ranks_meet_at_an_address_of_either_family(both: Bed, meet: str, tmp_path: Path) -> None:
    assert_all_ok(on_hosts(both, tmp_path, [], meet=meet), HOSTS)


def test_hosts_of_one_family_each_are_measured_as_far_as_they_share_one(both: Bed, tmp_path: Path) -> None:
    """h1 has lost IPv6, and h2 IPv4: both reach h0, but not each other, which is no fault of the network."""
    both.do("exec", "h1", "ip", "-6", "addr", "del", "fd77::2/64", "dev", "eth0")
    both.do("exec", "h2", "ip", "-4", "addr", "del", "10.77.0.3/16", "dev", "eth0")
    result = on_hosts(both, tmp_path, [])
    assert result.code == 4, result.out + result.err
    outcomes = {link: result.only.row(*link)["outcome"] for link in itertools.permutations(range(HOSTS), 2)}
    assert outcomes == {
        (0, 1): OK, (1, 0): OK, (0, 2): OK, (2, 0): OK, (1, 2): LOCAL, (2, 1): LOCAL,
    }  # fmt: skip
    (line,) = (line for line in result.out.splitlines() if "could not be measured" in line)
    assert line == (
        "2 of 6 links could not be measured: no address family in common with the peer: IPv4 here, IPv6 there on host "
        "h1 (rank 1); no address family in common with the peer: IPv6 here, IPv4 there on host h2 (rank 2)"
    )
    assert "FAILED" not in result.out


@pytest.mark.long("half a minute")
def test_a_host_without_a_route_to_its_peers_is_named_itself(both: Bed, tmp_path: Path) -> None:
    """h1 calls h2, has both families, and routes for neither: rank 0 still reaches it, by the address of h0 alone."""
    for family, network, peer in (("-4", "10.77.0.0/16", "10.77.0.1"), ("-6", "fd77::/64", "fd77::1")):
        both.do("exec", "h1", "ip", family, "route", "del", network, "dev", "eth0")
        both.do("exec", "h1", "ip", family, "route", "add", peer, "dev", "eth0")
    result = on_hosts(both, tmp_path, [])
    assert result.code == 4, result.out + result.err
    assert "2 of 6 links could not be measured: no route to the peer's network on host h1 (rank 1)" in result.out
