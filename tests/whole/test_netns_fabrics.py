"""Layered libraries among 4 hosts of 2 ranks: slow and dark hosts are found as over tcp."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from netns import PATIENCE, Bed, a_bed
from netns_runs import Start, jobs_on, matrix, skip_unless_usable

from conftest import Measure

pytestmark = pytest.mark.xdist_group("fabrics")  # one at a time: these libraries poll all the time

MODES = ["ucp:tls=tcp", "ofi:provider=tcp;ofi_rxm"]
in_the_long_form = pytest.mark.long("faults over layered libraries")


@pytest.fixture(scope="module")
def four(possible: None) -> Iterator[Bed]:
    yield from a_bed(4)


@pytest.fixture
def start(four: Bed, tmp_path: Path) -> Iterator[Start]:
    yield from jobs_on(four, tmp_path, ranks_a_host=2)


# Hosts are shaped, so that the network is the limit. The shaper covers both ranks of a host together. A link is judged
# by its fastest lap; links within hosts and between hosts are compared separately.
@in_the_long_form
@pytest.mark.alone  # compares times
@pytest.mark.parametrize("mode", MODES)
def test_exactly_the_links_of_a_slow_host_are_slow(four: Bed, start: Start, mode: str) -> None:
    four.fault("shape 200mbit")
    four.fault("slow h2 50mbit")
    skip_unless_usable(mode)
    slow = ["-s", "256KiB", "-n", 4, "-w", 1, "--num-slowest", 0, "--serial-tests", "--retest-budget", 0]
    result = start(mode, slow).finish(expect=0)
    table = result.only.main()
    assert len(table["from"]) == 56
    times = dict(zip(table.links(), table["min"].astype(float).tolist(), strict=True))
    between = {link: time for link, time in times.items() if link[0] // 2 != link[1] // 2}
    bad = {link for link in between if 2 in (link[0] // 2, link[1] // 2)}
    usual = float(np.median([time for link, time in between.items() if link not in bad]))
    assert {link for link, time in times.items() if time > 2.5 * usual} == bad, times
    assert np.median([times[link] for link in bad]) == pytest.approx(4 * usual, rel=0.3), times


# Ranks 4 and 5 met 3 and 2 in the first step, and each other in the second.
@in_the_long_form
@pytest.mark.parametrize("mode", MODES)
def test_a_host_that_goes_dark_keeps_what_it_measured_and_is_absent_from_then_on(start: Start, mode: str) -> None:
    skip_unless_usable(mode)
    job = start(mode, ["-s", 1, "-n", 10, "-w", 2, "--num-slowest", 0, "--time-limit", PATIENCE])
    with job.between_steps(2):
        job.bed.fault("dark h2")
    expected = """
        . o o o a a o o
        o . o o a a o o
        o o . o a o o o
        o o o . o a o o
        a a a o . o a a
        a a o a o . a a
        o o o o a a . o
        o o o o a a o .
    """
    assert matrix(job.finish()) == "\n".join(line.strip() for line in expected.strip().splitlines())


KERNELS = ["semidirectional", "bidirectional", "unidirectional", "put", "get"]
LIBRARIES = ["ucp", "ofi", "ofi:provider=shm"]
QUICKLY = [("unidirectional", "ucp"), ("put", "ucp"), ("get", "ofi")]


@pytest.mark.parametrize(
    ("kernel", "mode"),
    [
        pytest.param(kernel, mode, marks=[] if (kernel, mode) in QUICKLY else pytest.mark.long)
        for kernel in KERNELS
        for mode in LIBRARIES
    ],
)
@pytest.mark.one_in(3)
def test_every_kernel_works_with_check_and_several_buffers(measure: Measure, mode: str, kernel: str) -> None:
    skip_unless_usable(mode)
    window = ["--window", 16] if kernel in ("unidirectional", "put", "get") else []
    sizes = ["-s", "1,64KiB,1MiB", "-n", 40, "--num-slowest", 2]
    result = measure(
        "--np", 3, "--mode", mode, f"--{kernel}", "--check", "--num-multi-buf", 3, *window, *sizes, "--progress", "none"
    )
    for table in result.sizes.values():
        assert sorted(table.main().links()) == [(a, b) for a in range(3) for b in range(3) if a != b]
        assert set(table["outcome"]) == {0}
        assert (table.main()["arrived"] >= 50).all()
    library = "UCX" if mode == "ucp" else "libfabric"
    assert result.attributes["one_sided"] == (library if kernel in ("put", "get") else "")


# libfabric's shm names its memory by process and user. A killed process leaves its memory behind, and pids are reused.
@pytest.mark.alone  # uses the names of the next processes
def test_shared_memory_left_by_killed_processes_does_not_prevent_a_start(measure: Measure) -> None:
    skip_unless_usable("ofi:provider=shm")
    last = int(Path("/proc/sys/kernel/ns_last_pid").read_text())
    names = [Path(f"/dev/shm/{pid}:{os.getuid()}:0") for pid in range(last + 1, last + 400)]
    left = [name for name in names if not name.exists()]
    try:
        for name in left:
            name.write_bytes(bytes(4096))
        result = measure("--np", 2, "--mode", "ofi:provider=shm", "-n", 5, "--progress", "none")
        assert set(result.only["outcome"]) == {0}
        assert not all(name.exists() for name in left)  # at least one of them was in the way
    finally:
        for name in left:
            name.unlink(missing_ok=True)


# With error handling, UCX uses TCP although shared memory is available.
@pytest.mark.parametrize(("mode", "lanes"), [("ucp:tls=posix", "posix/memory"), ("ucp:errors=peer", "tcp/lo")])
def test_the_lanes_that_ucx_used_are_recorded(measure: Measure, mode: str, lanes: str) -> None:
    skip_unless_usable(mode)
    result = measure("--np", 3, "--mode", mode, "-n", 5, "--progress", "none")
    assert [text.decode().split("+")[0] for text in result.ranks["lanes"]] == 3 * [lanes]
    assert all(text.startswith(b"UCX ") for text in result.ranks["libraries"])


def test_ucx_may_log_more_than_warnings(measure: Measure) -> None:
    skip_unless_usable("ucp")
    result = measure("--np", 2, "--mode", "ucp:tls=tcp", "-n", 5, environment={"UCX_LOG_LEVEL": "info"})
    assert set(result.only["outcome"]) == {0}


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ucp:tls=pigeon", "pigeon"),
        ("ucp:net_devices=pigeon0", "pigeon0"),
        ("ucp:errors=maybe", "auto, peer or none"),
        ("ofi:provider=pigeon", "No data available; available: "),
        ("ofi:domain=pigeon0", "pigeon0"),
    ],
)
@pytest.mark.one_in(2)
def test_features_that_a_library_lacks_are_refused_with_exit_code_2(
    run: Callable[..., object], mode: str, said: str
) -> None:
    skip_unless_usable(mode)
    done = run("--np", 2, "--mode", mode, "--no-output")
    assert done.returncode == 2  # type: ignore[attr-defined]
    (line,) = done.stderr.splitlines()  # type: ignore[attr-defined]
    assert f"--mode {mode.split(':')[0]}" in line
    assert said in line
