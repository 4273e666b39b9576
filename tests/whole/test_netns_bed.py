"""The test bed itself: its faults do what they are named for, heal undoes them, and nothing is left behind."""

import itertools
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import netns
import pytest
from netns import Bed

pytestmark = pytest.mark.alone  # compares times, or waits only briefly for packets


def everything() -> dict[str, Any]:
    """Everything that a bed could leave on the machine."""

    def said(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    limits = [Path(f"/proc/sys/net/ipv4/neigh/default/gc_thresh{i}").read_text() for i in (1, 2, 3)]
    states = Path("/run/everylink-bed")
    return {
        "namespaces": sorted(n for n in said("ip", "netns", "list").splitlines() if n.startswith("test-")),
        "mounts": sorted(m for m in Path("/proc/mounts").read_text().splitlines() if "test-" in m),
        "links": said("ip", "-o", "link", "show"),
        "limits": limits,
        "states": sorted(p.name for p in states.iterdir() if p.name.startswith("test-")) if states.exists() else [],
        "host name": os.uname().nodename,
    }


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture(scope="module")
def four(possible: None) -> Iterator[Bed]:
    yield from netns.a_bed(4)


@pytest.fixture
def bed(four: Bed) -> Iterator[Bed]:
    """Healthy before and after each test, which proves that heal works."""
    assert four.is_whole()
    yield four
    four.heal()
    assert four.is_whole(1400)


# --- creation and removal --------------------------------------------------------------------------------------
def test_hosts_have_names_and_addresses_of_their_own_and_reach_each_other_by_name(bed: Bed) -> None:
    assert bed.do("run", "hostname").split() == [word for i in range(4) for word in (f"h{i}:", f"h{i}")] or sorted(
        bed.do("run", "hostname").splitlines()
    ) == [f"h{i}: h{i}" for i in range(4)]
    for host in range(4):
        found = bed.do("exec", f"h{host}", "sh", "-c", "hostname; getent hosts h3; ls /sys/class/net")
        assert found.split() == [f"h{host}", "10.77.0.4", "h3", "eth0", "lo"]
    assert f"{bed.name}: 4 hosts, h0 (10.77.0.1) to h3 (10.77.0.4)" in bed.do("list")


def sleeper_on(bed: Bed, host: str) -> "subprocess.Popen[bytes]":
    """A process on that host."""
    process = subprocess.Popen([str(netns.PROGRAM), "--name", bed.name, "exec", host, "sleep", "1000"])
    deadline = time.monotonic() + 30 * netns.PATIENCE
    while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


def test_measure_passes_options_to_the_core_with_and_without_its_own(bed: Bed) -> None:
    core = {"EVERYLINK_MEASURE": "/bin/echo"}
    for words in (["-s", "1,64KiB", "-o", "x.h5"], ["client-server", "--servers", "2"]):
        for ours in ([], ["-r", "2"]):
            done = netns.call("measure", *ours, *words, name=bed.name, environment=core)
            assert done.returncode == 0, done.stderr
            assert done.stdout.splitlines() == [" ".join(words)] * (8 if ours else 4)
    done = netns.call("down", "--now", name=bed.name)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "bed: error: unrecognized arguments: --now")


def test_exec_is_the_command_itself(bed: Bed) -> None:
    done = netns.call("exec", "h1", "sh", "-c", "exit 42", name=bed.name)
    assert done.returncode == 42
    process = sleeper_on(bed, "h1")
    process.kill()
    assert process.wait() == -signal.SIGKILL


def test_a_bed_leaves_nothing_behind(possible: None) -> None:
    before = everything()
    bed = Bed(netns.new_name(), 70)  # enough hosts that the kernel's neighbour table must grow
    bed.do("up", 70)
    assert everything() != before
    bed.fault("delay h1 100")
    sleeper = sleeper_on(bed, "h69")
    relay = int(Path(f"/run/everylink-bed/{bed.name}/relay1.pid").read_text())
    assert not ended(relay)
    bed.do("down")
    assert sleeper.wait(10) != 0
    assert ended(relay)
    assert everything() == before
    bed.do("down")
    assert everything() == before


# An `ip` that works like the real one until its nth call.
BROKEN_IP = """#!/bin/sh
echo call >>"$0.calls"
[ "$(wc -l <"$0.calls")" -lt {nth} ] && exec {ip} "$@"
{then}
"""


def broken_ip(folder: Path, nth: int, then: str) -> dict[str, str]:
    real = subprocess.run(["which", "ip"], capture_output=True, text=True, check=True).stdout.strip()
    (folder / "ip").write_text(BROKEN_IP.format(nth=nth, ip=real, then=then))
    (folder / "ip").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.parametrize("nth", [1, 2, 5])
def test_a_failed_up_leaves_nothing_behind(possible: None, tmp_path: Path, nth: int) -> None:
    before = everything()
    environment = broken_ip(tmp_path, nth, "echo 'no more' >&2; exit 1")
    done = netns.call("up", 6, name=netns.new_name(), environment=environment)
    assert done.returncode in (1, 77)
    assert "no more" in done.stderr
    assert done.stderr.count("\n") == 1
    assert everything() == before


@pytest.mark.parametrize("nth", [1, 2, 5])
def test_down_removes_what_a_killed_up_left_behind(possible: None, tmp_path: Path, nth: int) -> None:
    before = everything()
    name = netns.new_name()
    environment = os.environ | broken_ip(tmp_path, nth, 'touch "$0.here"; exec sleep 1000')
    up = subprocess.Popen([str(netns.PROGRAM), "--name", name, "up", "6"], env=environment, start_new_session=True)
    deadline = time.monotonic() + 30 * netns.PATIENCE
    while not (tmp_path / "ip.here").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(up.pid, signal.SIGKILL)
    up.wait()
    assert everything() != before
    assert netns.call("down", name=name).returncode == 0
    assert everything() == before


def test_a_second_bed_of_the_same_name_and_invalid_words_are_refused_in_one_line(bed: Bed) -> None:
    wrong = {
        "up 4": "already exists",
        "fault slow h9 1mbit": "'h9' is not a host of this bed; its hosts are h0 to h3",
        "fault slow h1 fast": "invalid rate 'fast'",
        "fault fly h1": "unknown fault 'fly'; use shape, slow,",
        "fault dark": "the usage is: dark A>B | HOST",
        "fault delay-pair h1 5": "'h1' is not a direction",
        "fault dark h1>h1": "are the same host",
        "fault drop h1 nan": "must be a number from",
        "fault trunk 1mbit": "trunk requires a bed of two leaves: bed up N --leaves 2",
        "heal slow": "there is no fault 'slow'",
        "exec h1": "exec requires a host and a command",
        "exec h1 no-such-program": "No such file or directory",
    }
    for words, sentence in wrong.items():
        done = netns.call(*words.split(), name=bed.name)
        assert done.returncode == 1, words
        assert sentence in done.stderr, words
        assert done.stderr.count("\n") == 1, words
    assert planted(bed) == [], "no fault was planted"
    assert "there is no bed" in netns.call("fault", "dark", "h1", name="test-none").stderr


# --- the faults ------------------------------------------------------------------------------------------------
def without(*links: tuple[int, int]) -> list[list[int]]:
    return [[int(a != b and (a, b) not in links) for b in range(4)] for a in range(4)]


def planted(bed: Bed) -> list[str]:
    """The faults of this bed in `bed list`, which shows all beds."""
    lines = itertools.dropwhile(lambda line: not line.startswith(f"{bed.name}: "), bed.do("list").splitlines())
    next(lines)
    return [line.strip() for line in itertools.takewhile(lambda line: line.startswith("  "), lines)]


def quickest(bed: Bed, a: int, b: int) -> float:
    """The shortest of three: noise only adds."""
    return min(bed.stream(a, b, 500_000) for _ in range(3))


def all_of(host: int) -> list[tuple[int, int]]:
    return [pair for pair in itertools.permutations(range(4), 2) if host in pair]


@pytest.mark.parametrize(
    ("fault", "lost"),
    [
        ("dark h1>h2", [(1, 2)]),
        ("dark h1", all_of(1)),
        ("dark-pair 1 2", [(1, 2), (2, 1)]),
        ("link-down h3", all_of(3)),
    ],
)
def test_dark_paths_deliver_nothing_and_others_are_unaffected(
    bed: Bed, fault: str, lost: list[tuple[int, int]]
) -> None:
    bed.fault(fault)
    assert bed.delivers() == without(*lost)
    bed.heal(fault.split()[0])
    assert bed.is_whole()


def test_faults_are_independent_and_healed_one_by_one(bed: Bed) -> None:
    bed.fault("dark h0>h1")
    bed.fault("dark h2>h3")
    bed.fault("delay h1 100")
    assert bed.delivers() == without((0, 1), (2, 3))
    bed.heal("dark h0>h1")
    assert bed.delivers() == without((2, 3))
    assert planted(bed) == ["dark h2>h3", "delay h1 100"]


def test_an_mtu_hole_passes_small_packets_and_drops_large_ones(bed: Bed) -> None:
    bed.fault("mtu-hole h2")
    assert bed.delivers(1300) == without()
    assert bed.delivers(1400) == without(*all_of(2))
    bed.heal()
    bed.fault("mtu-hole h2 500")
    assert bed.delivers(400) == without()
    assert bed.delivers(600) == without(*all_of(2))


def test_drop_loses_the_given_part_of_a_hosts_packets_in_both_directions(bed: Bed) -> None:
    bed.fault("drop h1 30")
    # 400 at 70 %: 280, with a standard deviation of 9.
    assert 200 < bed.delivered(1, 0, 400) < 350
    assert 200 < bed.delivered(2, 1, 400) < 350
    assert bed.delivered(2, 3, 400) == 400


def test_a_slow_host_is_slow_in_both_directions_among_shaped_hosts(bed: Bed) -> None:
    bed.fault("shape 200mbit")
    bed.fault("slow h1 10mbit")
    healthy = bed.stream(0, 2, 500_000)
    assert bed.stream(1, 2, 500_000) > 5 * healthy
    assert bed.stream(2, 1, 500_000) > 5 * healthy
    bed.heal("slow")
    assert bed.stream(2, 1, 500_000) < 5 * healthy
    # 20 ms at 200 Mbit/s; noise only adds.
    assert bed.stream(2, 1, 500_000) > 0.015


def packets_of_a_stream(bed: Bed, size: int) -> int:
    def sent() -> int:
        return int(bed.do("exec", "h0", "cat", "/sys/class/net/eth0/statistics/tx_packets"))

    before = sent()
    bed.stream(0, 1, size)
    return sent() - before


def test_without_offload_no_packet_is_longer_than_on_a_cable(bed: Bed) -> None:
    segments = 1_000_000 // 1448  # 1,500 bytes minus the headers of IP and TCP and a timestamp
    assert packets_of_a_stream(bed, 1_000_000) < segments / 2
    for as_on_a_cable in netns.a_bed(2, 1, "--no-offload"):
        assert packets_of_a_stream(as_on_a_cable, 1_000_000) >= segments


def test_both_ends_of_a_connection_use_the_congestion_control_of_the_bed(possible: None) -> None:
    for bed in netns.a_bed(2, 2, "--congestion", "reno"):
        for rail in range(2):
            with (
                bed.socket(0, socket.SOCK_STREAM) as one,
                bed.socket(1, socket.SOCK_STREAM, netns.TCP_PORT) as listener,
            ):
                listener.listen(1)
                one.connect((netns.address(1, rail), netns.TCP_PORT))
                other, _ = listener.accept()
                with other:
                    taken = [end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16) for end in (one, other)]
            assert {name.rstrip(b"\0") for name in taken} == {b"reno"}


def test_an_unknown_congestion_control_is_refused(possible: None) -> None:
    done = netns.call("up", 1, "--congestion", "none", name=netns.new_name())
    assert done.returncode == 77
    assert done.stderr.startswith("bed: this congestion control is not available here: ip ")
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def two_leaves(possible: None) -> Iterator[Bed]:
    yield from netns.a_bed(4, 1, "--leaves", "2")


def test_a_slow_trunk_slows_only_traffic_between_leaves(two_leaves: Bed) -> None:
    bed = two_leaves
    assert bed.is_whole()
    bed.fault("shape 200mbit")
    bed.fault("trunk 10mbit")
    slow = min(bed.stream(a, b, 500_000) for a, b in ((0, 2), (3, 1)))
    assert slow > 0.3, "0.4 s at 10 Mbit/s"
    assert max(quickest(bed, 0, 1), quickest(bed, 3, 2)) < slow / 4
    bed.heal("trunk")
    assert quickest(bed, 0, 2) < slow / 4
    bed.heal()


def test_a_fault_of_a_pair_works_across_leaves(two_leaves: Bed) -> None:
    bed = two_leaves
    assert bed.is_whole()
    bed.fault("dark h1>h2")
    assert bed.delivers() == without((1, 2))
    bed.heal()
    bed.fault("shape 200mbit")
    bed.fault("slow-pair h0>h3 10mbit")
    bed.fault("delay h3 10")
    slow = bed.stream(0, 3, 500_000)
    assert slow > 0.3, "0.4 s at 10 Mbit/s"
    assert quickest(bed, 3, 0) < slow / 4
    bed.heal()
    assert bed.is_whole()


@pytest.mark.parametrize("more", ["", "delay h2 10"], ids=["", "with-a-relay"])
def test_a_slow_pair_is_slow_in_one_direction_only(bed: Bed, more: str) -> None:
    bed.fault("shape 200mbit")
    bed.fault("slow-pair h1>h2 10mbit")
    if more:
        bed.fault(more)
    slow = bed.stream(1, 2, 500_000)
    assert slow > 0.3, "0.4 s at 10 Mbit/s; noise only adds"
    for a, b in ((2, 1), (0, 2), (1, 3)):
        assert quickest(bed, a, b) < slow / 4


def test_a_slow_pair_can_be_limited_to_large_packets(bed: Bed) -> None:
    bed.fault("slow-pair h1>h2 100kbit above 1024")
    small = bed.round_trip(1, 2, times=20)
    # Ten such packets are 115 kbit one way; the shaper passes 48 of it at once.
    began = time.monotonic()
    bed.round_trip(1, 2, times=10, size=1400)
    assert time.monotonic() - began > 0.5
    assert small < 0.01 * netns.PATIENCE


def test_delays_are_at_least_as_long_as_given_and_affect_no_other_host(bed: Bed) -> None:
    bed.fault("delay h1 20000")
    assert bed.round_trip(1, 0) >= 0.040
    assert bed.round_trip(3, 1) >= 0.040
    assert bed.round_trip(0, 3) < 0.020
    bed.heal()
    bed.fault("delay-pair h1>h2 20000")
    for a, b in ((1, 2), (2, 1)):
        assert 0.020 <= bed.round_trip(a, b) < 0.040
    assert bed.round_trip(1, 3) < 0.020
    assert bed.round_trip(0, 2) < 0.020


def test_a_relay_carries_large_streams_unchanged(bed: Bed) -> None:
    bed.fault("delay h1 10")
    assert bed.stream(1, 0, 3_000_000) > 0
    assert bed.stream(0, 1, 3_000_000) > 0


def test_with_a_duplicate_address_the_misled_hosts_reach_the_second_host(bed: Bed) -> None:
    bed.fault("duplicate-ip h1 h2 h0")
    there = netns.address(1)
    assert bed.delivered(0, 2, to=there) == 5, "h0 is misled"
    assert bed.delivered(3, 1, to=there) == 5, "h3 is not"
    assert bed.delivered(3, 2, to=there) == 0
    bed.heal()
    assert bed.delivered(0, 1) == 5


def test_two_hosts_can_have_the_same_name(bed: Bed) -> None:
    bed.fault("duplicate-name h1 h2")
    assert [bed.do("exec", host, "hostname") for host in ("h1", "h2", "h3")] == ["h1\n", "h1\n", "h3\n"]
    bed.heal()
    assert bed.do("exec", "h2", "hostname") == "h2\n"
