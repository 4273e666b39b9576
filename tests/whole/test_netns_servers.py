"""Clients and servers on shaped hosts: exactly what was planted shows as slow, unfair or gone."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from netns import Bed, a_bed
from netns_runs import Job, skip_unless_usable, skip_without_mpi
from test_client_server import ABSENT, GET, OK, PUT, flows_of

from everylink.cli import main
from test_inventory import inventory_of

pytestmark = pytest.mark.alone  # compares times

OVER_TCP = ["tcp", "ucp:tls=tcp", "ofi:provider=tcp;ofi_rxm", "mpi"]
MIB = 1 << 20
long = pytest.mark.long("seconds of load each")

Table = dict[str, Any]
Start = Callable[..., Job]
Judge = Callable[[Job], dict[str, Any]]


@pytest.fixture(scope="module")
def four(possible: None) -> Iterator[Bed]:
    yield from a_bed(4)


@pytest.fixture(scope="module")
def six(possible: None) -> Iterator[Bed]:
    """h0 and h1 are servers, on one leaf with h2."""
    yield from a_bed(6, 1, "--leaves", "2")


@pytest.fixture(scope="module")
def railed(possible: None) -> Iterator[Bed]:
    yield from a_bed(4, 2)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts clients and servers on the hosts of a bed, and heals the bed afterwards."""
    jobs: list[Job] = []

    def begin(bed: Bed, mode: str, *options: object, ranks_a_host: int = 1) -> Job:
        skip_without_mpi(mode)
        if mode.split(":")[0] in ("ucp", "ofi"):
            skip_unless_usable(mode)
        jobs.append(Job(bed, mode, ["client-server", *options], tmp_path, ranks_a_host))
        return jobs[-1]

    yield begin
    for job in jobs:
        job.stop()
        job.bed.heal()


@pytest.fixture
def verdict(capfd: pytest.CaptureFixture[str]) -> Judge:
    """The only verdict on a run."""

    def judge(job: Job) -> dict[str, Any]:
        capfd.readouterr()
        main(["diagnose", str(job.file), "--format", "json"])
        said = json.loads(capfd.readouterr().out)
        assert len(said["verdicts"]) == 1, said
        found: dict[str, Any] = said["verdicts"][0]
        return found

    return judge


def all_arrive(job: Job) -> Table:
    job.finish(expect=0)
    flows = flows_of(job.file)
    assert (flows["outcome"] == OK).all()
    return flows


def ends(flows: Table, kind: int) -> dict[int, float]:
    """When each client finished."""
    of_kind = flows["kind"] == kind
    clients, seconds = flows["to" if kind == PUT else "from"][of_kind], flows["seconds"][of_kind]
    return {int(client): float(seconds[clients == client].max()) for client in np.unique(clients)}


def last_ones(job: Job, word: str) -> list[str]:
    """The clients that the table names as last, of puts or of gets."""
    (line,) = (event["text"] for event in job.events("text") if f": {word} least fair" in event["text"])
    return line.partition("(last: ")[2].partition(")")[0].split(", ")


# --- put and get differ ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mode", "slow"),
    [("tcp", PUT), pytest.param("tcp", GET, marks=long)]
    + [pytest.param(mode, slow, marks=long) for mode in OVER_TCP[1:] for slow in (PUT, GET)],
    ids=lambda value: {PUT: "put", GET: "get"}.get(value, value),
)
@pytest.mark.long
def test_throttling_one_direction_slows_either_put_or_get(four: Bed, start: Start, mode: str, slow: int) -> None:
    four.fault("shape 400mbit")
    for client in (1, 2, 3):
        four.fault(f"slow h{client} 60mbit")
        four.fault(f"slow-pair h0>h{client} 10mbit" if slow == PUT else f"slow-pair h{client}>h0 10mbit")
    flows = all_arrive(start(four, mode, "-s", "256KiB", "--niters", 6))
    time = {kind: float(np.median(flows["min"][flows["kind"] == kind])) for kind in (PUT, GET)}
    assert 0.5 * 60 / 10 < time[slow] / time[PUT + GET - slow] < 1.6 * 60 / 10, flows


# --- counters of the interfaces --------------------------------------------------------------------------------
def counted(bed: Bed, which: str) -> np.ndarray:
    file = f"/sys/class/net/eth0/statistics/{which}_bytes"
    return np.array([int(bed.do("exec", f"h{host}", "cat", file)) for host in range(bed.hosts)])


@long
@pytest.mark.parametrize("mode", OVER_TCP)
def test_the_interfaces_count_the_bytes_of_all_transfers(six: Bed, start: Start, mode: str) -> None:
    six.fault("shape 400mbit")
    before = [counted(six, which) for which in ("tx", "rx")]
    job = start(six, mode, "--servers", 2, "-s", MIB, "--niters", 8, "--nflight", 2)
    flows = all_arrive(job)
    counts = [counted(six, which) - was for which, was in zip(("tx", "rx"), before, strict=True)]
    moved = flows["messages"] * flows["bytes"]
    carried = inventory_of(job.file).carried
    last = max(reading for reading, _ in carried)
    by_pairs = set()  # before the first scene, while PCIe is read; the rest is requests
    for count, end, way in zip(counts, ("from", "to"), (0, 1), strict=True):
        told = np.array([carried[last, rank][way] for rank in range(six.hosts)])
        np.testing.assert_allclose(count, told, rtol=0.05)
        by_pairs.update((told - np.bincount(flows[end], moved, six.hosts)).tolist())
    assert max(by_pairs) - min(by_pairs) < 0.01 * MIB, by_pairs


# --- slow clients, slow rails, slow trunks ---------------------------------------------------------------------
@long
def test_a_client_at_half_speed_takes_twice_as_long_and_is_named_as_last(
    six: Bed, start: Start, verdict: Judge
) -> None:
    six.fault("shape 400mbit")
    for client in (2, 3, 4, 5):
        six.fault(f"slow h{client} {20 if client == 4 else 40}mbit")
    job = start(six, "tcp", "--servers", 2, "-s", "256KiB", "--niters", 6, "--nflight", "3,4")
    flows = all_arrive(job)
    for kind, word in ((PUT, "Put"), (GET, "Get")):
        at = ends(flows, kind)
        slow = at.pop(4)
        assert 0.7 * 2 < slow / np.median(list(at.values())) < 1.5 * 2, flows
        assert max(at.values()) < slow
        assert last_ones(job, word)[0] == "h4:4"
    found = verdict(job)
    assert (found["kind"], found["subject"], found["symptom"]) == ("host", ["h4"], "slow")


@long
def test_a_server_rail_at_half_speed_slows_only_its_own_flows(railed: Bed, start: Start, verdict: Judge) -> None:
    railed.fault("shape 160mbit")
    railed.fault("slow-rail h0 1 80mbit")
    options = ["--servers", 4, "--rails", "eth0,eth1", "-s", "256KiB", "--niters", 16]
    job = start(railed, "tcp", *options, ranks_a_host=2)
    flows = all_arrive(job)
    server = np.where(flows["kind"] == PUT, flows["from"], flows["to"])
    # The fastest request found its server idle; the other clients queue behind the slow one.
    least = [
        [np.median(flows["min"][(flows["kind"] == kind) & (server == s)]) for s in range(4)] for kind in (PUT, GET)
    ]
    for of_slow, *others in np.array(least)[:, [1, 0, 2, 3]]:
        assert of_slow > 0.8 * 2 * np.median(others), flows
        assert max(others) < 0.75 * 2 * np.median(others), flows
    found = verdict(job)
    assert (found["kind"], found["subject"], found["symptom"]) == ("rank", ["h0:1"], "slow")
    assert "just what is on eth1 is slow, and nothing on eth0" in found["evidence"]


@long
def test_clients_behind_an_oversubscribed_trunk_are_slow_and_named(six: Bed, start: Start, verdict: Judge) -> None:
    six.fault("shape 100mbit")
    six.fault("trunk 30mbit")
    job = start(six, "tcp", "--servers", 2, "-s", "256KiB", "--niters", 4, "--nflight", "3,4")
    flows = all_arrive(job)
    for kind, word in ((PUT, "Put"), (GET, "Get")):
        at = ends(flows, kind)
        near = at.pop(2)
        assert near < 0.3 * min(at.values()), flows
        assert sorted(last_ones(job, word)) == ["h3:3", "h4:4", "h5:5"]
    found = verdict(job)
    assert (found["kind"], found["subject"], found["symptom"]) == ("group", ["all clients"], "unfair")
    assert "first was h2:2" in found["evidence"]


# --- lost clients and servers ----------------------------------------------------------------------------------
def kill_client(bed: Bed, job: Job) -> None:
    os.kill(job.pid(4), signal.SIGKILL)


@long
@pytest.mark.parametrize(
    ("gone", "fate"),
    [(4, kill_client), (4, lambda bed, job: bed.fault("dark h4")), (1, lambda bed, job: bed.fault("dark h1"))],
    ids=["client-killed", "client-dark", "server-dark"],
)
def test_a_rank_lost_during_the_run_is_named_and_the_others_continue(
    six: Bed, start: Start, verdict: Judge, gone: int, fate: Callable[[Bed, Job], None]
) -> None:
    six.fault("shape 100mbit")
    scenes = ["--nflight", "2,3,4,5", "--time-limit", 2]
    job = start(six, "tcp", "--servers", 2, "-s", "64KiB", "--niters", 32, *scenes)
    job.go_on_until(1)
    job.go_on_for(0.3)
    fate(six, job)
    job.finish(expect=3)
    flows = flows_of(job.file)
    of_gone = (flows["from"] == gone) | (flows["to"] == gone)
    assert (flows["outcome"][~of_gone] == OK).all()
    assert (flows["messages"][~of_gone] == 32).all()
    assert (flows["outcome"][of_gone & (flows["scene"] == 0)] == OK).all()
    assert (flows["outcome"][of_gone & (flows["scene"] == flows["scene"].max())] == ABSENT).all()
    assert verdict(job)["subject"] == [f"h{gone}"]
