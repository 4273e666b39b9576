"""Faults of hosts in network namespaces are named by what the hosts themselves say, over real sockets."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import pytest
from netns import PATIENCE, Bed, a_bed, address
from netns_runs import Job

from everylink.explain.because import NONE_SEEN

pytestmark = pytest.mark.xdist_group("netns-inventory")  # shares one bed

HOSTS = 8
Deviations = list[dict[str, Any]]
Begin = Callable[..., Job]


@pytest.fixture(scope="module")
def bed(possible: None) -> Iterator[Bed]:
    yield from a_bed(HOSTS)


@pytest.fixture
def begin(bed: Bed, tmp_path: Path) -> Iterator[Begin]:
    """Starts a run on all hosts."""
    jobs: list[Job] = []

    def start(*options: object) -> Job:
        jobs.append(Job(bed, "tcp", ["--num-slowest", 0, "--retest-budget", 0, *options], tmp_path))
        return jobs[0]

    yield start
    for job in jobs:
        job.stop()
    bed.heal()


def said(command: str, job: Job) -> dict[str, Any]:
    """What a command says of the results, as JSON."""
    words = [sys.executable, "-m", "everylink", command, job.file, "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def deviations(job: Job, expect: int = 0) -> Deviations:
    """What deviates after the run has ended."""
    job.finish(expect)
    found: Deviations = said("inventory", job)["deviations"]
    return found


def test_nothing_deviates_among_well_hosts(begin: Begin) -> None:
    assert deviations(begin("-s", "64KiB", "-n", 10)) == []


def test_another_mtu_is_named(bed: Bed, begin: Begin) -> None:
    bed.do("exec", "h3", "ip", "link", "set", "eth0", "mtu", "1400")
    try:
        (found,) = deviations(begin("-s", "1KiB", "-n", 10))
    finally:
        bed.do("exec", "h3", "ip", "link", "set", "eth0", "mtu", "1500")
    assert (found["hosts"], found["parts"], found["name"]) == (["h3"], ["net/eth0"], "mtu")
    assert (found["value"], found["usual"], found["equals"]) == ("1400", "1500", HOSTS - 1)


@pytest.mark.alone  # counts what is lost while nothing else runs
@pytest.mark.long
def test_tcp_sends_most_again_on_the_links_of_the_host_whose_packets_are_lost(bed: Bed, begin: Begin) -> None:
    bed.fault("drop h4 2")
    job = begin("-s", "64KiB", "-n", 30)
    job.finish(None)
    with h5py.File(job.file) as file:
        rank, to, segments = (file[f"inventory/retransmits/{name}"][:] for name in ("rank", "to", "segments"))
    own = (rank == 4) | (to == 4)
    assert segments[own].sum() > 2 * segments[~own].sum(), dict(zip(zip(rank, to, strict=True), segments, strict=True))


@pytest.mark.long
def test_a_port_that_went_down_and_came_up_during_the_run_is_named(bed: Bed, begin: Begin) -> None:
    job = begin("-s", "1KiB", "-n", 10, "--min-iterations", 2)
    with job.between_steps(3):
        bed.fault("link-down h2")
        bed.heal("link-down h2")
    found = [one for one in deviations(job) if one["severity"] == "critical"]
    assert [(one["hosts"], one["parts"], one["name"]) for one in found] == [(["h2"], ["net/eth0"], "carrier_changes")]


@pytest.mark.long
def test_an_address_that_a_second_host_takes_during_the_run_is_named_on_both(bed: Bed, begin: Begin) -> None:
    job = begin("-s", 1, "-n", 10, "--time-limit", PATIENCE)
    with job.between_steps(1):
        bed.fault("duplicate-ip h4 h5 h1")
    (found,) = [one for one in deviations(job, expect=3) if one["value"] == address(4)]
    assert (found["hosts"], found["parts"], found["name"]) == (["h4", "h5"], ["net/eth0"], "ip")
    assert found["severity"] == "critical"


@pytest.mark.alone  # compares times
@pytest.mark.long
def test_nothing_that_a_host_says_explains_a_shaped_interface_and_its_verdict_says_so(bed: Bed, begin: Begin) -> None:
    bed.fault("shape 200mbit")
    bed.fault("slow h4 50mbit")
    job = begin("-s", "64KiB", "-n", 6, "-w", 2)
    job.finish(0)
    (verdict,) = said("diagnose", job)["verdicts"]
    assert (verdict["kind"], verdict["subject"]) == ("host", ["h4"])
    assert verdict["because"] == NONE_SEEN


@pytest.fixture
def two_rails(possible: None) -> Iterator[Bed]:
    yield from a_bed(4, 2)


@pytest.mark.long
def test_a_rail_that_carries_nothing_is_named(two_rails: Bed, tmp_path: Path) -> None:
    """The ranks of h2 all take eth0, those of the others eth0 and eth1 in turn."""
    rails = {host: ["--rails", "eth0" if host == 2 else "eth0,eth1"] for host in range(4)}
    options = ["-s", "64KiB", "-n", 10, "--num-slowest", 0, "--retest-budget", 0]
    found = deviations(Job(two_rails, "tcp", options, tmp_path, ranks_a_host=2, own=rails))
    assert [(one["hosts"], one["parts"]) for one in found if one["name"] == "traffic"] == [(["h2"], ["net/eth1"])]
