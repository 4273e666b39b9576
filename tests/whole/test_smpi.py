"""The core on simulated clusters (testbed/smpi): what each fault does to every link is a formula here."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import PATIENCE
from numpy.typing import NDArray

from everylink.results import Results, read

SMPI = Path(__file__).resolve().parents[2] / "testbed" / "smpi" / "smpi"
LATENCY, BANDWIDTH = 0.5e-6, 12.5e9  # of a cable
SMALL, LARGE = 8, 1 << 20
ONE_BY_ONE = ["--serial-tests", "-s", f"{SMALL},{LARGE}", "-n", "1", "-w", "0", "--num-slowest", "0"]
long = pytest.mark.skipif(not os.environ.get("EVERYLINK_TEST_LONG"), reason="256 simulated ranks: make test-long")

Way = Callable[[int, int, int], float]  # the time from a to b of so many bytes


def smpi(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SMPI), *map(str, words)], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@pytest.fixture(scope="session")
def simulator() -> None:
    check = smpi("check")
    if check.returncode == 77:
        pytest.skip(check.stderr.strip().removeprefix("smpi: "))
    assert check.returncode == 0, check.stderr


@pytest.fixture
def simulate(simulator: None, tmp_path: Path) -> Callable[..., Results]:
    """Measures a fabric with the faults and the options that are given."""

    def call(topology: str, *options: object, faults: tuple[str, ...] = (), ranks: int = 64) -> Results:
        planted = [word for fault in faults for word in ("--fault", fault)]
        where = ["-o", tmp_path / "x.h5", "--force", "--progress", "none"]
        done = smpi("run", "--topology", topology, "--ranks", ranks, *planted, "--", *options, *where)
        assert done.returncode == 0, done.stdout + done.stderr
        return read(tmp_path / "x.h5")

    return call


def measured(results: Results, size: int) -> NDArray[np.float32]:
    """[from, to], each link once and none failed."""
    (table,) = (s for s in results.sizes if s.bytes == size)
    ranks = len(results.ranks)
    assert len(table.links) == ranks * (ranks - 1)
    assert not table.links.failed.any()
    return table.links.matrix("median", ranks)


def expected(ranks: int, size: int, way: Way) -> NDArray[np.float64]:
    """Of the semidirectional kernel: half the time there and back."""
    matrix = np.full((ranks, ranks), np.nan)
    for a in range(ranks):
        for b in range(ranks):
            if a != b:
                matrix[a, b] = (way(a, b, size) + way(b, a, size)) / 2
    return matrix


def assert_every_link(results: Results, way: Way) -> None:
    for size in (SMALL, LARGE):
        np.testing.assert_allclose(measured(results, size), expected(len(results.ranks), size, way), rtol=1e-5)


def slower(results: Results, healthy: Way, size: int) -> dict[tuple[int, int], float]:
    """The links that take longer than without the fault, and how many times as long."""
    ratio = measured(results, size) / expected(len(results.ranks), size, healthy)
    assert not (ratio < 1 - 1e-5).any()
    return {(a, b): float(ratio[a, b]) for a, b in np.argwhere(ratio > 1 + 1e-5).tolist()}


def links(chosen: Callable[[int, int], bool], ranks: int = 64) -> set[tuple[int, int]]:
    """All between two ranks that are chosen in the one order or in the other."""
    return {(a, b) for a in range(ranks) for b in range(ranks) if a != b and (chosen(a, b) or chosen(b, a))}


def over(cables: int, size: int) -> float:
    return cables * LATENCY + size / BANDWIDTH


def fat_tree(a: int, b: int, size: int) -> float:
    return over(2 if a // 8 == b // 8 else 4, size)


def torus(a: int, b: int, size: int) -> float:
    apart = [abs(a // axis % 4 - b // axis % 4) for axis in (1, 4, 16)]
    return over(2 + sum(min(d, 4 - d) for d in apart), size)


def dragonfly(a: int, b: int, size: int) -> float:
    (group_a, router_a), (group_b, router_b) = divmod(a // 4, 4), divmod(b // 4, 4)
    if group_a == group_b:
        return over(2 + (router_a != router_b), size)
    return over(3 + (router_a != group_b) + (router_b != group_a), size)


@pytest.mark.parametrize(("topology", "way"), [("fattree", fat_tree), ("torus", torus), ("dragonfly", dragonfly)])
def test_every_link_takes_the_time_of_its_cables(simulate: Callable[..., Results], topology: str, way: Way) -> None:
    results = simulate(topology, *ONE_BY_ONE)
    assert_every_link(results, way)
    assert results.ranks.host == tuple(f"n{i}" for i in range(64))
    assert (results.facts.transport, results.facts.hosts, results.facts.complete) == ("mpi", 64, True)


def test_the_links_of_a_host_with_half_the_bandwidth_are_slow_and_no_others(simulate: Callable[..., Results]) -> None:
    results = simulate("fattree", *ONE_BY_ONE, faults=("host-bandwidth:17*0.5",))
    slow = slower(results, fat_tree, LARGE)
    assert slow.keys() == links(lambda a, _: a == 17)
    for (a, b), factor in slow.items():
        assert factor == pytest.approx((fat_tree(a, b, LARGE) + LARGE / BANDWIDTH) / fat_tree(a, b, LARGE), rel=1e-5)


def test_the_links_of_a_host_with_ten_times_the_latency_are_slow_and_no_others(
    simulate: Callable[..., Results],
) -> None:
    results = simulate("fattree", *ONE_BY_ONE, faults=("host-latency:42*10",))
    slow = slower(results, fat_tree, SMALL)
    assert slow.keys() == links(lambda a, _: a == 42)
    for (a, b), factor in slow.items():
        assert factor == pytest.approx((fat_tree(a, b, SMALL) + 9 * LATENCY) / fat_tree(a, b, SMALL), rel=1e-5)


def test_a_slow_trunk_slows_the_links_over_it_and_no_others(simulate: Callable[..., Results]) -> None:
    """Up from leaf 7 over top 2 goes what is for hosts 2, 10, 18, ...; down from it to leaf 7 what is for host 58."""

    def is_over_it(a: int, b: int) -> bool:
        return a // 8 != b // 8 and ((a // 8 == 7 and b % 8 == 2) or b == 58)

    def way(a: int, b: int, size: int) -> float:
        return fat_tree(a, b, size) + (3 * size / BANDWIDTH if is_over_it(a, b) else 0)

    results = simulate("fattree", *ONE_BY_ONE, faults=("trunk-bandwidth:leaf7-top2*0.25",))
    assert_every_link(results, way)
    assert slower(results, fat_tree, LARGE).keys() == links(is_over_it)
    assert len(links(is_over_it)) == 2 * (8 * 7 + 7 * 7)


def test_a_torus_shows_a_slow_host_and_a_cable_between_routers(simulate: Callable[..., Results]) -> None:
    """The cable from (1,1,1) to (2,1,1): x goes first, the shorter way round, upwards where both are equal."""

    def is_over_it(a: int, b: int) -> bool:
        return a // 4 % 4 == a // 16 == 1 and (a % 4, b % 4) in {(1, 2), (2, 1), (0, 2), (1, 3)}

    def way(a: int, b: int, size: int) -> float:
        slowest = min(0.5 if 40 in (a, b) else 1, 0.25 if is_over_it(a, b) else 1)
        return torus(a, b, size) + (1 / slowest - 1) * size / BANDWIDTH

    results = simulate("torus", *ONE_BY_ONE, faults=("host-bandwidth:40*0.5", "trunk-bandwidth:r21-r22*0.25"))
    assert_every_link(results, way)
    assert slower(results, torus, LARGE).keys() == links(lambda a, b: a == 40 or is_over_it(a, b))


def test_a_dragonfly_shows_a_late_host_and_the_cable_between_two_groups(simulate: Callable[..., Results]) -> None:
    def is_over_it(a: int, b: int) -> bool:
        return (a // 16, b // 16) in {(0, 1), (1, 0)}

    def way(a: int, b: int, size: int) -> float:
        late = 9 * LATENCY if 50 in (a, b) else 0
        return dragonfly(a, b, size) + late + (3 * size / BANDWIDTH if is_over_it(a, b) else 0)

    results = simulate("dragonfly", *ONE_BY_ONE, faults=("host-latency:50*10", "trunk-bandwidth:r0.1-r1.0*0.25"))
    assert_every_link(results, way)
    assert slower(results, dragonfly, SMALL).keys() >= links(lambda a, _: a == 50)


def contents(path: Path) -> dict[str, bytes]:
    """All that a results file holds, but for what is drawn or is the time of day."""
    everything: dict[str, bytes] = {}

    def take(name: str, item: h5py.Dataset | h5py.Group) -> None:
        everything.update({f"{name}@{key}": np.asarray(value).tobytes() for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            everything[name] = b"\0".join(item[:].tolist()) if item.dtype.kind == "O" else item[:].tobytes()

    with h5py.File(path) as file:
        take("", file)
        file.visititems(take)
    return {name: value for name, value in everything.items() if name not in ("@created", "@run_id")}
