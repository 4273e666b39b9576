"""Clients request bulk data from servers: with every transport that supports put and get, all of it arrives once."""

import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from netns_runs import skip_unless_usable
from test_nothing_is_lost import Running

from conftest import PATIENCE, Run, mpi_launcher

PUT, GET = 2, 3
OK, ABSENT = 0, 4
BANDWIDTH = 12.5e9  # of a port of the simulated network
needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")

Table = dict[str, Any]
Ask = Callable[..., Table]


def flows_of(path: Path, pattern: str = "client-server") -> Table:
    with h5py.File(path, "r", swmr=True) as file:
        group = file[f"patterns/{pattern}"]
        rows, scenes = int(group.attrs["rows"]), int(group.attrs["scenes"])
        table = {name: column[:rows] for name, column in group["flows"].items()}
        of_scene = {name: column[:scenes] for name, column in group["scenes"].items()}
    return table | {name: column[table["scene"]] for name, column in of_scene.items() if name in ("bytes", "point")}


@pytest.fixture
def ask(run: Run, tmp_path: Path) -> Ask:
    """Runs client-server and reads its flows; `expect` is the exit code."""

    def call(*arguments: object, expect: int = 0, **options: object) -> Table:
        done = run("client-server", *arguments, "-o", tmp_path / "x.h5", "--force", **options)
        assert done.returncode == expect, done.stdout + done.stderr
        return flows_of(tmp_path / "x.h5") | {"said": done.stdout}

    return call


def is_client(flows: Table, servers: int) -> None:
    client = np.where(flows["kind"] == PUT, flows["to"], flows["from"])
    server = np.where(flows["kind"] == PUT, flows["from"], flows["to"])
    assert (server < servers).all()
    assert (client >= servers).all()


def all_answered(flows: Table, servers: int, requests: int) -> None:
    is_client(flows, servers)
    assert (flows["outcome"] == OK).all()
    assert (flows["messages"] == requests).all()
    assert (flows["sent_messages"] == requests).all()
    assert (flows["seconds"] > 0).all()
    assert (flows["sent_seconds"] <= flows["seconds"]).mean() > 0.5  # clocks start nearly together
    assert (flows["n"] > 0).all()
    assert (flows["service_mean"] > 0).all()
    assert (flows["service_mean"] < flows["mean"]).mean() > 0.5


@pytest.mark.parametrize(
    "mode", ["tcp", "ucp", "sim", *(pytest.param(mode, marks=pytest.mark.long) for mode in ("tcp:sockets=3", "ofi"))]
)
@pytest.mark.one_in(3)
def test_every_byte_of_every_answer_arrives(ask: Ask, mode: str) -> None:
    if mode in ("ucp", "ofi"):
        skip_unless_usable(mode)
    sizes = ["-s", "1,4KiB,200000", "--nflight", "1,7"]
    flows = ask("--np", 5, "--servers", 2, "--mode", mode, "--niters", 20, "--check", *sizes)
    assert len(flows["from"]) == 3 * 2 * 2 * (2 * 3)
    all_answered(flows, 2, 20)


@needs_mpi
def test_every_byte_of_every_answer_arrives_over_mpi_too(ask: Ask) -> None:
    arguments = ["--mode", "mpi", "--niters", 20, "--check", "-s", "1,200000", "--nflight", "1,7"]
    all_answered(ask("--servers", 1, *arguments, launcher=mpi_launcher(4)), 1, 20)


def test_wrong_bytes_are_found_by_check_both_ways(ask: Ask) -> None:
    where = ["--np", 3, "--mode", "sim:corrupt=0>2@4", "--niters", 10, "-s", "64KiB"]
    flows = ask("--check", *where, expect=3)
    wrong = flows["outcome"] == 3
    assert wrong.any()
    assert {(a, b) for a, b in zip(flows["from"][wrong], flows["to"][wrong], strict=True)} == {(0, 2)}


def test_requests_beyond_the_servers_slots_wait_and_none_is_lost(ask: Ask) -> None:
    all_answered(ask("--np", 5, "--slots", 1, "--niters", 30, "--nflight", 6, "-s", "8KiB", "--check"), 1, 30)


def test_a_server_on_the_simulated_network_shares_its_port_among_its_clients(ask: Ask) -> None:
    flows = ask("--np", 5, "--mode", "sim", "--niters", 50, "-s", "1MiB")
    rate = flows["messages"] * flows["bytes"] / flows["seconds"]
    np.testing.assert_allclose(rate, BANDWIDTH / 4, rtol=0.02)


def test_a_slow_server_and_a_slow_client_are_slow_in_their_own_connections(ask: Ask) -> None:
    flows = ask("--np", 8, "--servers", 2, "--mode", "sim:slow-host=1*0.125;7*0.125", "--niters", 20, "-s", "1MiB")
    rate = flows["messages"] * flows["bytes"] / flows["seconds"]
    slow = np.isin(flows["from"], (1, 7)) | np.isin(flows["to"], (1, 7))
    assert rate[slow].max() < 0.8 * rate[~slow].min()


def test_a_dead_server_is_named_and_the_other_one_continues(run: Run, tmp_path: Path) -> None:
    where = ["--np", 6, "--servers", 2, "--mode", "sim:dead-host=1", "--niters", 10, "-s", "1,4KiB"]
    done = run("client-server", *where, "-o", tmp_path / "x.h5")
    assert done.returncode == 3
    assert "n1" in done.stdout
    flows = flows_of(tmp_path / "x.h5")
    dead = (flows["from"] == 1) | (flows["to"] == 1)
    assert (flows["outcome"][~dead] == OK).all()
    assert (flows["messages"][~dead] == 10).all()
    assert (flows["outcome"][dead] != OK).all()


@pytest.mark.parametrize("rank", [pytest.param(0, id="server"), pytest.param(3, id="client", marks=pytest.mark.long)])
def test_a_killed_rank_is_named_and_the_others_continue(tmp_path: Path, rank: int) -> None:
    sizes = ",".join(["1KiB"] + [str(1024 + i) for i in range(1, 400)])
    where = ["--np", 5, "--servers", 2, "--mode", "tcp", "-s", sizes, "--niters", 200, "--time-limit", 2]
    run = Running(tmp_path, "client-server", *where)
    until = time.monotonic() + PATIENCE

    def scenes() -> int:
        try:
            return int(flows_of(run.path)["scene"].astype(int).max(initial=-1))
        except OSError:
            return -1

    def wait_for(count: int) -> None:
        while scenes() < count:
            assert time.monotonic() < until
            assert run.process.poll() is None, run.err.read_text()
            time.sleep(0.05)

    wait_for(1)
    run.signal_rank(rank if rank else 1, signal.SIGKILL)
    killed = rank if rank else 1
    wait_for(scenes() + 6)
    run.process.send_signal(signal.SIGINT)
    run.end()
    flows = flows_of(run.path)
    last = flows["scene"] == flows["scene"].max()
    of_killed = (flows["from"] == killed) | (flows["to"] == killed)
    assert set(flows["outcome"][last & of_killed]) == {ABSENT}
    assert set(flows["outcome"][last & ~of_killed]) == {OK}


def test_the_table_and_its_lines_agree_with_the_file(run: Run, tmp_path: Path) -> None:
    where = ["--np", 4, "--mode", "sim", "--niters", 10, "--bsize", "64KiB", "--verbose", "--hostnames"]
    said = run("client-server", *where, "-o", tmp_path / "x.h5").stdout
    flows = flows_of(tmp_path / "x.h5")
    (put,) = (line.split() for line in said.splitlines() if line.startswith("Put "))
    slowest = flows["seconds"][flows["kind"] == PUT].max()
    assert [put[1], put[2]] == ["65536", "1"]
    assert float(put[4]) == pytest.approx(3 * 10 * 65536 / slowest / 2**20, rel=1e-3)
    assert float(put[10]) == pytest.approx(1)
    assert said.count("client n3:3: 10 requests") == 2
    assert said.count("server n0:0: 30 requests") == 2


@pytest.mark.parametrize("size", [4, 5])
def test_all_to_all_uses_every_connection_in_both_directions(run: Run, tmp_path: Path, size: int) -> None:
    where = ["--np", size, "--mode", "tcp", "-s", "1,64KiB", "--duration", "10ms"]
    assert run("all-to-all", *where, "-o", tmp_path / "x.h5").returncode == 0
    flows = flows_of(tmp_path / "x.h5", "all-to-all")
    for size_bytes in (1, 65536):
        of = flows["bytes"] == size_bytes
        links = sorted(zip(flows["from"][of].tolist(), flows["to"][of].tolist(), strict=True))
        assert links == [(a, b) for a in range(size) for b in range(size) if a != b]
    assert (flows["outcome"] == OK).all()


def test_sequential_all_to_all_sends_the_requested_number_of_messages(run: Run, tmp_path: Path) -> None:
    where = ["--np", 4, "--mode", "sim", "-s", "64KiB", "--niters", 37, "--nflight", 5, "--sequential"]
    done = run("all-to-all", *where, "-o", tmp_path / "x.h5")
    assert done.returncode == 0, done.stderr
    flows = flows_of(tmp_path / "x.h5", "all-to-all")
    assert flows["scene"].tolist() == list(range(12))
    assert (flows["messages"] >= 37).all()
    assert (flows["messages"] < 37 + 5).all()
    np.testing.assert_allclose(flows["messages"] * 65536 / flows["seconds"], BANDWIDTH, rtol=0.05)


WRONG = {
    "as many servers as ranks": (["--servers", 4], ["--servers", "1 to 3"]),
    "no requests": (["--niters", 0], ["--niters: 0 is too small; use 1 or more"]),
    "none in flight": (["--nflight", "1,0"], ["--nflight: 0 is too small; use 1 or more"]),
    "no slot": (["--slots", 0], ["--slots"]),
    "a duration": (["--duration", 1], ["--duration"]),
    "no bytes": (["--bsize", 0], ["1 or more"]),
    "more than can be verified": (["--check", "-s", "256MiB", "--nflight", 8], ["--check", "256 MiB"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_invalid_option_is_refused_in_one_line_that_names_it(run: Run, case: str) -> None:
    arguments, named = WRONG[case]
    done = run("client-server", *arguments, "--np", 4, "--mode", "sim")
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    for word in named:
        assert word in done.stderr
