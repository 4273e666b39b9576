"""Load patterns: on the simulated network every flow follows a formula; with other transports everything arrives."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import chaos
import h5py
import numpy as np
import pytest
from netns_runs import skip_unless_usable
from test_nothing_is_lost import Running

import everylink
from conftest import PATIENCE, Run, measure_program, mpi_launcher, read_plainly
from everylink.io.read import read
from everylink.load.sums import effective_bisection, impact, knee, rate_matrix, scene_sums
from everylink.model.loads import Load

SIZE, BANDWIDTH, LATENCY = 256 << 10, 12.5e9, 1e-6
BLOCK = 4 * SIZE / (4 * SIZE + 8)  # messages, and the header before them
OK, TIMEOUT, ABSENT, PRESUMED = 0, 1, 4, 5
SHORT = ["--duration", "5ms"]
needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")

Play = Callable[..., Load]


@pytest.fixture
def play(run: Run, tmp_path: Path) -> Play:
    """Runs a pattern and reads the results; `expect` is the exit code."""

    def call(*arguments: object, expect: int = 0, **options: object) -> Load:
        done = run(*arguments, "-o", tmp_path / "x.h5", "--force", **options)
        assert done.returncode == expect, done.stdout + done.stderr
        results = read(tmp_path / "x.h5")
        assert results.facts.complete
        (load,) = results.loads
        return load

    return call


def outcomes(load: Load, scene: int) -> dict[tuple[int, int], int]:
    of = load.flows.scene == scene
    links = zip(load.flows.frm[of].tolist(), load.flows.to[of].tolist(), strict=True)
    return dict(zip(links, load.flows.outcome[of].tolist(), strict=True))


@pytest.mark.parametrize("pattern", ["incast", "outcast"])
def test_k_flows_share_the_port_of_their_common_end(play: Play, pattern: str) -> None:
    load = play(pattern, "--np", 10, "--mode", "sim", *SHORT)
    sums = scene_sums(load)
    assert [scene.point for scene in sums] == [1, 2, 4, 8, 9]
    for scene in sums:
        assert scene.rate.min == pytest.approx(BLOCK * BANDWIDTH / scene.point, rel=2e-3)
        assert scene.rate.max == pytest.approx(BLOCK * BANDWIDTH / scene.point, rel=2e-3)
    assert knee(sums) == 8
    assert set(zip(load.flows.frm, load.flows.to, strict=True)) == {
        (k, 0) if pattern == "incast" else (0, k) for k in range(1, 10)
    }


def test_both_ends_of_a_flow_measure_the_same_rate(play: Play) -> None:
    flows = play("incast", "--np", 5, "--mode", "sim", *SHORT).flows
    assert (flows.sent_messages > 0).all()
    np.testing.assert_allclose(flows.sent_messages / flows.sent_seconds, flows.messages / flows.seconds, rtol=1e-2)


def test_a_shift_shows_a_slow_host_and_a_slow_link_only_in_their_own_flows(play: Play) -> None:
    load = play("shift", "--np", 8, "--mode", "sim:slow-host=5*0.5,slow-link=3>7*0.2", *SHORT)
    rate = rate_matrix(load, SIZE, 8)
    for a in range(8):
        for b in range(8):
            part = np.nan if a == b else 0.2 if (a, b) == (3, 7) else 0.5 if 5 in (a, b) else 1
            assert rate[a, b] == pytest.approx(part * BLOCK * BANDWIDTH, rel=2e-3, nan_ok=True), (a, b)


def test_random_rings_depend_only_on_the_seed(play: Play) -> None:
    arguments = ["ring", "--np", 8, "--mode", "sim", "--draws", 5, "--duration", "500us", "--seed"]
    first, again, other = play(*arguments, 3), play(*arguments, 3), play(*arguments, 4)
    np.testing.assert_array_equal(first.flows.to, again.flows.to)
    np.testing.assert_array_equal(first.rate, again.rate)
    assert (first.flows.to != other.flows.to).any()


def test_the_effective_bisection_bandwidth_is_the_mean_over_the_halves_drawn(play: Play) -> None:
    load = play("random-bisection", "--np", 8, "--mode", "sim:slow-host=5*0.5", "--draws", 6, *SHORT)
    mean, low, high = effective_bisection(scene_sums(load))
    assert mean == pytest.approx(3.5 * BLOCK * BANDWIDTH, rel=2e-3)  # three flows, and one of host 5
    assert low <= mean <= high <= 1.001 * mean


def test_a_victim_without_shared_cables_has_no_impact(play: Play) -> None:
    sums = scene_sums(play("victim", "--np", 10, "--mode", "sim", "--repeats", 2, *SHORT))
    assert [scene.variant for scene in sums] == ["alone", "loaded", "alone", "loaded"]
    assert sums[0].latency.median == pytest.approx(LATENCY + 8 / BANDWIDTH, rel=1e-5)
    found = impact(sums)
    assert (found.mean, found.median, found.p99) == pytest.approx((1, 1, 1), rel=1e-6)


@pytest.mark.parametrize("size", [8, SIZE])
@pytest.mark.one_in(2)
def test_a_simulated_scene_costs_no_more_than_its_messages_however_long_it_is(tmp_path: Path, size: int) -> None:
    # 100 s of virtual time hold 50 million pings, and 150 billion messages of 8 bytes.
    words = ["victim", "--np", "8", "--mode", "sim", "-s", str(size), "--repeats", "1", "--duration", "100s"]
    process = subprocess.Popen([measure_program(), *words, "-o", "x.h5"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_maxrss < 200 * 1024, "KiB, of the rank that took most"
    (load,) = read(tmp_path / "x.h5").loads
    window = 16
    assert load.flows.ok.all()
    assert load.flows.messages.max() <= 10_000 + 2 * window
    assert load.flows.messages.min() >= 1000
    assert [scene.latency.median for scene in scene_sums(load)] == pytest.approx([LATENCY + 8 / BANDWIDTH] * 2)


def test_several_sizes_are_swept_one_after_the_other(play: Play) -> None:
    load = play("incast", "--np", 3, "--mode", "sim", "-s", "1,64KiB", "--duration", "100us")
    assert load.scenes.bytes.tolist() == [1, 1, 65536, 65536]
    assert load.scenes.point.tolist() == [1, 2, 1, 2]
    assert load.flows.ok.all()


def test_a_dead_link_is_named_and_not_retried_and_the_others_continue(play: Play, run: Run, tmp_path: Path) -> None:
    load = play("incast", "--np", 6, "--mode", "sim:dead=1>0", *SHORT, expect=3)
    assert [outcomes(load, scene)[1, 0] for scene in range(4)] == [TIMEOUT, PRESUMED, PRESUMED, PRESUMED]
    assert sorted(outcomes(load, 3).values()) == [OK] * 4 + [PRESUMED]
    assert scene_sums(load)[3].rate.mean == pytest.approx(BLOCK * BANDWIDTH / 4, rel=2e-3)
    said = run("incast", "--np", 6, "--mode", "sim:dead=1>0", *SHORT, "--no-output").stdout
    assert "n1:1 -> n0:0" in said


def test_a_dead_host_is_left_out_after_failures_with_two_peers(play: Play) -> None:
    load = play("shift", "--np", 7, "--mode", "sim:dead-host=3", *SHORT, expect=3)
    for scene in range(6):
        found = outcomes(load, scene)
        assert {link for link, outcome in found.items() if outcome != OK} == {link for link in found if 3 in link}
    assert set(outcomes(load, 0).values()) == {OK, TIMEOUT}
    assert set(outcomes(load, 1).values()) == {OK, PRESUMED}


@pytest.mark.parametrize("pattern", ["incast", "outcast", "shift", "ring", "random-bisection", "victim"])
@pytest.mark.one_in(3)
def test_every_flow_of_every_pattern_arrives_over_tcp(play: Play, pattern: str) -> None:
    draws = ["--draws", 2] if pattern in ("ring", "random-bisection") else []
    load = play(pattern, "--np", 5, "--mode", "tcp", "-s", "16KiB", "--duration", "20ms", *draws)
    assert load.flows.ok.all()
    assert (load.flows.messages > 0).all()
    assert (load.flows.seconds > 0).all()


@pytest.mark.parametrize("mode", ["ucp", "ofi"])
@pytest.mark.one_in(2)
def test_every_flow_arrives_over_a_library_too(play: Play, mode: str) -> None:
    skip_unless_usable(mode)
    load = play("shift", "--np", 3, "--mode", mode, "-s", "1,64KiB", "--duration", "20ms")
    assert load.flows.ok.all()
    assert (load.flows.messages > 0).all()


@needs_mpi
def test_every_flow_arrives_over_mpi_too(play: Play) -> None:
    load = play("shift", "--mode", "mpi", "-s", "1,64KiB", "--duration", "20ms", launcher=mpi_launcher(3))
    assert load.flows.ok.all()
    assert (load.flows.messages > 0).all()


def scenes_kept(path: Path) -> int:
    try:
        with h5py.File(path, "r", swmr=True) as file:
            return int(file["patterns/shift"].attrs["scenes"])
    except OSError:
        return -1


def begun(folder: Path, *options: object) -> Running:
    """A run with its first scene in the file, and many more to come."""
    distances = ",".join(str(1 + i % 4) for i in range(1000))
    where = ["--np", 5, "--mode", "tcp", "-s", "16KiB", "--duration", "0.3"]
    run = Running(folder, "shift", "--distances", distances, *where, *options)
    until = time.monotonic() + PATIENCE
    while scenes_kept(run.path) < 1:
        assert time.monotonic() < until
        assert run.process.poll() is None, run.err.read_text()
        time.sleep(0.02)
    return run


def test_a_killed_rank_is_named_and_flows_of_other_ranks_continue(tmp_path: Path) -> None:
    run = begun(tmp_path, "--time-limit", 2 * chaos.PATIENCE)
    run.signal_rank(2, signal.SIGKILL)
    kept = scenes_kept(run.path)
    until = time.monotonic() + PATIENCE
    while scenes_kept(run.path) < kept + 4:
        assert time.monotonic() < until
        time.sleep(0.05)
    run.process.send_signal(signal.SIGINT)
    run.end()
    (load,) = read(run.path).loads
    last = int(load.flows.scene.max())
    found = outcomes(load, last)
    assert {outcome for link, outcome in found.items() if 2 in link} == {ABSENT}
    assert {outcome for link, outcome in found.items() if 2 not in link} == {OK}
    assert set(outcomes(load, 0).values()) == {OK}


def test_a_signal_ends_a_pattern_and_keeps_what_was_measured(tmp_path: Path) -> None:
    run = begun(tmp_path)
    kept = scenes_kept(run.path)
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 1
    left = run.left()
    assert (left.attributes["complete"], left.attributes["interrupted"]) == (0, 1)
    (load,) = read(run.path).loads
    assert len(load.scenes.point) >= kept
    assert load.flows.ok.all()


def test_the_file_can_be_read_with_h5py_as_documented(run: Run, tmp_path: Path) -> None:
    assert run("incast", "--np", 3, "--mode", "sim", *SHORT, "-o", tmp_path / "x.h5").returncode == 0
    assert read_plainly(tmp_path / "x.h5").attributes["schedule"] == "incast"
    with h5py.File(tmp_path / "x.h5") as file:
        group = file["patterns/incast"]
        assert group.attrs["point"] == b"senders"
        rows = int(group.attrs["rows"])
        flows = {name: column[:rows] for name, column in group["flows"].items()}
        size = group["scenes/bytes"][:][flows["scene"]]
    assert rows == 3
    rate = flows["messages"] * size / flows["seconds"]
    np.testing.assert_allclose(rate, np.array([1, 0.5, 0.5]) * BLOCK * BANDWIDTH, rtol=2e-3)


WRONG = {
    "a root that is none": (["incast", "--root", 4], ["--root", "0 to 3"]),
    "more senders than there are": (["incast", "--counts", "1,4"], ["--counts", "1 to 3"]),
    "a distance that is none": (["shift", "--distances", 4], ["--distances", "1 to 3"]),
    "a congestor that is none": (["victim", "--congestor", "jam"], ["--congestor jam"]),
    "a ping longer than a message": (["victim", "--ping-size", "1MiB"], ["--ping-size", "-s"]),
    "an option of pairs": (["incast", "--schedule", "all"], ["--schedule", "--help"]),
    "an option of another pattern": (["incast", "--draws", 3], ["--draws", "--help"]),
    "no time": (["incast", "--duration", 0], ["--duration"]),
    "too long a window": (["incast", "--window", 32], ["--window", "1 to 31"]),
    "no bytes": (["incast", "-s", 0], ["-s", "1 or more"]),
    "LinkTest's format": (["incast", "-o", "x.sion"], [".sion", "pattern"]),
    "a word too many": (["incast", "outcast"], ["outcast"]),
    "a word that is no pattern": (["client-sever"], ["client-sever", "client-server", "random-bisection"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_invalid_option_is_refused_in_one_line_that_names_it(run: Run, case: str) -> None:
    arguments, named = WRONG[case]
    done = run(*arguments, "--np", 4, "--mode", "sim")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for word in named:
        assert word in done.stderr


def test_everylink_run_runs_a_pattern_and_shows_it(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "everylink",
        "run",
        "--np",
        "5",
        "incast",
        "--mode",
        "sim",
        *SHORT,
        "-o",
        "x.h5",
    ]
    environment = os.environ | {"EVERYLINK_MEASURE": measure_program()}
    environment["PYTHONPATH"] = str(Path(everylink.__file__).parents[1])
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("stays at a quarter of that of one alone, or above, up to 4 senders") == 2
    assert "senders  flows  failed" in done.stdout
