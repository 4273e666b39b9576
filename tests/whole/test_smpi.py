"""The core on simulated clusters (testbed/smpi): a formula gives the effect of each fault on every link."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import PATIENCE, measure_program
from everylink.io.read import read
from everylink.judge.crowd import crowded_hosts
from everylink.judge.judge import judge
from everylink.load.sums import effective_bisection, impact, knee, scene_sums
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.predict.patterns import made_pattern
from everylink.predict.prediction import predict
from everylink.predict.times import link_times

SMPI = Path(__file__).resolve().parents[2] / "testbed" / "smpi" / "smpi"
LATENCY, BANDWIDTH = 0.5e-6, 12.5e9  # of a cable
ENVELOPE = 16  # bytes that SimGrid's MPI adds to each message
SMALL, LARGE = 8, 1 << 18
ONE_BY_ONE = ["--serial-tests", "-s", f"{SMALL},{LARGE}", "-n", "1", "-w", "0", "--num-slowest", "0"]
pytestmark = pytest.mark.long("SimGrid")

Way = Callable[[int, int, int], float]  # seconds from a to b for a number of bytes
Simulate = Callable[..., Results]


def smpi(*words: object) -> subprocess.CompletedProcess[str]:
    built = Path(measure_program()).parents[1] / "testbed" / "smpi"
    return subprocess.run(
        [sys.executable, str(SMPI), *map(str, words)],
        env=os.environ | {"EVERYLINK_SMPI": str(built)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE + 60,
    )


@pytest.fixture(scope="session")
def simulator() -> None:
    check = smpi("check")
    if check.returncode == 77:
        pytest.skip(check.stderr.strip().removeprefix("smpi: "))
    assert check.returncode == 0, check.stderr


@pytest.fixture
def simulate(simulator: None, tmp_path: Path) -> Simulate:
    """Measures a fabric with these faults and options."""

    def call(topology: str, *options: object, faults: Sequence[str] = (), ranks: int = 64) -> Results:
        planted = [word for fault in faults for word in ("--fault", fault)]
        where = ["-o", tmp_path / "x.h5", "--force", "--progress", "none"]
        fabric = ["--topology", topology, "--ranks", ranks, *planted, "--limit", PATIENCE]
        done = smpi("run", *fabric, "--", *options, *where)
        assert done.returncode == 0, done.stdout + done.stderr
        return read(tmp_path / "x.h5")

    return call


def measured(results: Results, size: int) -> NDArray[np.float32]:
    """Times [from, to], with each link measured once and none failed."""
    (table,) = (s for s in results.sizes if s.bytes == size)
    ranks = len(results.ranks)
    assert len(table.links) == ranks * (ranks - 1)
    assert not table.links.failed.any()
    return table.links.matrix("median", ranks)


def expected(ranks: int, size: int, way: Way) -> NDArray[np.float64]:
    """The semidirectional kernel: half the round trip."""
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
    """The links that take longer than without the fault, and the factor."""
    ratio = measured(results, size) / expected(len(results.ranks), size, healthy)
    assert not (ratio < 1 - 1e-5).any()
    return {(a, b): float(ratio[a, b]) for a, b in np.argwhere(ratio > 1 + 1e-5).tolist()}


def named(results: Results) -> list[tuple[str, tuple[str, ...]]]:
    """What everylink diagnose calls slow."""
    assert {verdict.symptom for verdict in judge(results).verdicts} <= {"slow"}
    return [(verdict.kind, verdict.subject) for verdict in judge(results).verdicts]


def links(chosen: Callable[[int, int], bool], ranks: int = 64) -> set[tuple[int, int]]:
    """All links between two ranks that `chosen` accepts in either order."""
    return {(a, b) for a in range(ranks) for b in range(ranks) if a != b and (chosen(a, b) or chosen(b, a))}


def over(cables: int, size: int, bandwidth: float = BANDWIDTH) -> float:
    """The time of a single message."""
    return cables * LATENCY + (size + ENVELOPE) / bandwidth


def fat_tree(a: int, b: int, size: int, bandwidth: float = BANDWIDTH) -> float:
    return over(2 if a // 8 == b // 8 else 4, size, bandwidth)


def torus(a: int, b: int, size: int, bandwidth: float = BANDWIDTH) -> float:
    apart = [abs(a // axis % 4 - b // axis % 4) for axis in (1, 4, 16)]
    return over(2 + sum(min(d, 4 - d) for d in apart), size, bandwidth)


def dragonfly(a: int, b: int, size: int, bandwidth: float = BANDWIDTH) -> float:
    (group_a, router_a), (group_b, router_b) = divmod(a // 4, 4), divmod(b // 4, 4)
    if group_a == group_b:
        return over(2 + (router_a != router_b), size, bandwidth)
    return over(3 + (router_a != group_b) + (router_b != group_a), size, bandwidth)


def test_a_healthy_fat_tree_takes_the_time_of_its_cables(simulate: Simulate) -> None:
    results = simulate("fattree", *ONE_BY_ONE)
    assert_every_link(results, fat_tree)
    assert named(results) == []
    assert results.ranks.host == tuple(f"n{i}" for i in range(64))
    assert (results.facts.transport, results.facts.hosts, results.facts.complete) == ("mpi", 64, True)


def test_ranks_on_simulated_hosts_wait_for_no_core(simulator: None, tmp_path: Path) -> None:
    core = ["-s", SMALL, "-n", 1, "-w", 0, "-o", tmp_path / "x.h5"]
    done = smpi("run", "--topology", "fattree", "--ranks", 16, "--", *core)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "more ranks than cores" not in done.stdout.lower()
    assert crowded_hosts(read(tmp_path / "x.h5")) == []


def test_the_links_of_a_host_with_half_the_bandwidth_are_slow_and_no_others(simulate: Simulate) -> None:
    def way(a: int, b: int, size: int) -> float:
        return fat_tree(a, b, size, BANDWIDTH / 2 if 17 in (a, b) else BANDWIDTH)

    results = simulate("fattree", *ONE_BY_ONE, faults=["host-bandwidth:17*0.5"])
    assert_every_link(results, way)
    assert slower(results, fat_tree, LARGE).keys() == links(lambda a, _: a == 17)
    assert named(results) == [("host", ("n17",))]


def test_the_links_of_a_host_with_ten_times_the_latency_are_slow_and_no_others(simulate: Simulate) -> None:
    def way(a: int, b: int, size: int) -> float:
        return fat_tree(a, b, size) + (9 * LATENCY if 42 in (a, b) else 0)

    results = simulate("fattree", *ONE_BY_ONE, faults=["host-latency:42*10"])
    assert_every_link(results, way)
    slow = slower(results, fat_tree, SMALL)
    assert slow.keys() == links(lambda a, _: a == 42)
    assert slow[42, 43] == pytest.approx(5.5, rel=0.01)  # 1 us becomes 5.5 us
    assert named(results) == [("host", ("n42",))]


def test_a_slow_trunk_slows_the_links_over_it_and_no_others(simulate: Simulate) -> None:
    """Up from leaf 7, top 2 carries messages for hosts 2, 10, 18, ...; down to leaf 7 those for host 58."""

    def is_over_it(a: int, b: int) -> bool:
        return a // 8 != b // 8 and ((a // 8 == 7 and b % 8 == 2) or b == 58)

    def way(a: int, b: int, size: int) -> float:
        return fat_tree(a, b, size, BANDWIDTH / 4 if is_over_it(a, b) else BANDWIDTH)

    results = simulate("fattree", *ONE_BY_ONE, faults=["trunk-bandwidth:leaf7-top2*0.25"])
    assert_every_link(results, way)
    assert slower(results, fat_tree, LARGE).keys() == links(is_over_it)
    assert len(links(is_over_it)) == 2 * (8 * 7 + 7 * 7)
    assert named(results) == [("trunk", ("n[56-63]",))]  # leaf 7, and no host
    (verdict,) = judge(results).verdicts
    assert "n[2,10,18,26,34,42,50]" in verdict.evidence
    assert "n58" in verdict.evidence
    assert judge(results).suspects == ()


def test_a_torus_shows_a_slow_host_and_a_slow_cable_between_routers(simulate: Simulate) -> None:
    """The cable from (1,1,1) to (2,1,1): x is routed first, the shorter way round, upwards if both are equal."""

    def is_over_it(a: int, b: int) -> bool:
        return a // 4 % 4 == a // 16 == 1 and (a % 4, b % 4) in {(1, 2), (2, 1), (0, 2), (1, 3)}

    def way(a: int, b: int, size: int) -> float:
        slowest = min(1 / 2 if 40 in (a, b) else 1, 1 / 4 if is_over_it(a, b) else 1)
        return torus(a, b, size, BANDWIDTH * slowest)

    results = simulate("torus", *ONE_BY_ONE, faults=["host-bandwidth:40*0.5", "trunk-bandwidth:r21-r22*0.25"])
    assert_every_link(results, way)
    assert slower(results, torus, LARGE).keys() == links(lambda a, b: a == 40 or is_over_it(a, b))
    assert named(results) == [("host", ("n40",))]


def test_a_dragonfly_shows_a_late_host_and_a_slow_cable_between_two_groups(simulate: Simulate) -> None:
    def is_over_it(a: int, b: int) -> bool:
        return {a // 16, b // 16} == {0, 1}

    def way(a: int, b: int, size: int) -> float:
        late = 9 * LATENCY if 50 in (a, b) else 0
        return dragonfly(a, b, size, BANDWIDTH / 4 if is_over_it(a, b) else BANDWIDTH) + late

    results = simulate("dragonfly", *ONE_BY_ONE, faults=["host-latency:50*10", "trunk-bandwidth:r0.1-r1.0*0.25"])
    assert_every_link(results, way)
    assert slower(results, dragonfly, LARGE).keys() == links(lambda a, b: a == 50 or is_over_it(a, b))
    assert named(results) == [("trunk", ("n[0-15]", "n[16-31]")), ("host", ("n50",))]


@pytest.mark.parametrize("fault", ["host-bandwidth:17*0.5", "trunk-bandwidth:leaf7-top2*0.25"])
def test_a_bad_cable_is_slow_alone_too_unlike_oversubscription(simulate: Simulate, fault: str) -> None:
    options = ["-s", LARGE, "-n", 3, "-w", 0, "--num-slowest", 0]
    alone = simulate("fattree", *options, "--serial-tests", faults=[fault])
    results = simulate("fattree", *options, faults=[fault])
    worst = judge(results, alone=alone).verdicts[0]
    assert (worst.kind, worst.subject) == (("host", ("n17",)) if "host" in fault else ("trunk", ("n[56-63]",)))
    assert worst.evidence.endswith("it is slow alone too")


def test_oversubscription_slows_concurrent_pairs_but_no_pair_alone(simulate: Simulate, tmp_path: Path) -> None:
    """Step k pairs i with i xor k: from k = 8 on, the 8 hosts of each leaf share 2 trunks."""
    steps = tmp_path / "steps"
    steps.write_text("".join(f"{k} {i} {i ^ k}\n" for k in range(1, 64) for i in range(64) if i < i ^ k))

    def way(a: int, b: int, size: int) -> float:
        return fat_tree(a, b, size, BANDWIDTH if a // 8 == b // 8 else BANDWIDTH / 4)

    options = ["--schedule", f"file:{steps}", *ONE_BY_ONE[1:]]
    shortage = ["oversubscription:4"]
    assert_every_link(simulate("fattree", *options, faults=shortage), way)
    assert_every_link(simulate("fattree", *options), fat_tree)
    assert_every_link(simulate("fattree", *options, "--serial-tests", faults=shortage), fat_tree)


def test_oversubscription_shows_in_nearly_every_step_of_the_default_schedule(simulate: Simulate) -> None:
    options = ["-s", LARGE, "-n", 3, "-w", 0, "--num-slowest", 0]
    alone = simulate("fattree", *options, "--serial-tests", faults=["oversubscription:4"])
    results = simulate("fattree", *options, faults=["oversubscription:4"])
    slow = slower(results, fat_tree, LARGE)
    other_leaf = links(lambda a, b: a // 8 != b // 8)
    assert slow.keys() <= other_leaf
    assert len(slow) > 0.99 * len(other_leaf)  # a pair may have the trunks of its step to itself
    assert np.median(list(slow.values())) == pytest.approx(4, rel=0.1)
    assert named(results) == []  # no host or cable stands out; a serial run shows that all are slow
    judgement = judge(results, alone=alone)
    assert judgement.verdicts == ()
    (structure,) = (one for one in judgement.structure if one.kind == "oversubscription")
    assert len(structure.subject) == 8
    assert structure.factor == pytest.approx(4, rel=0.1)


@pytest.mark.skipif(shutil.which("smpicc") is None, reason="needs smpicc")
def test_a_ring_a_shift_and_an_all_to_all_take_as_long_as_predicted(simulate: Simulate, tmp_path: Path) -> None:
    sizes = [8, 1 << 16, 1 << 20]
    several = ["-s", ",".join(map(str, sizes)), *ONE_BY_ONE[3:]]
    results = simulate("fattree", "--serial-tests", *several, ranks=16, faults=["host-bandwidth:5*0.5"])
    program = tmp_path / "exchange"
    source = SMPI.parents[2] / "bench" / "exchange.c"
    subprocess.run(["smpicc", "-O1", "-o", program, source], check=True, timeout=PATIENCE)
    for pattern, size in (("ring", 200_000), ("shift:8", 8), ("all-to-all", 1 << 20)):
        fabric = ["--topology", "fattree", "--ranks", 16, "--fault", "host-bandwidth:5*0.5"]
        done = smpi("run", *fabric, "--program", program, "--", pattern, size, 20)
        assert done.returncode == 0, done.stderr
        found = predict(made_pattern(pattern, 16, size), link_times(results))
        assert found.seconds == pytest.approx(float(done.stdout), rel=0.1)


def played(results: Results) -> Load:
    (load,) = results.loads
    assert load.flows.ok.all()
    return load


def test_many_senders_to_one_share_its_cable(simulate: Simulate) -> None:
    sums = scene_sums(played(simulate("fattree", "incast", "--duration", "5ms", ranks=16)))
    assert [scene.point for scene in sums] == [1, 2, 4, 8, 15]
    for scene in sums:
        assert scene.rate.mean == pytest.approx(BANDWIDTH / scene.point, rel=0.05)
    assert knee(sums) == 8


def test_victims_have_an_impact_on_an_oversubscribed_fat_tree_only(simulate: Simulate) -> None:
    options = ["victim", "--congestor", "shift", "--victims", 8, "--ping-size", "64KiB", "--seed", 3]
    options += ["--repeats", 1, "--duration", "5ms"]
    idle = impact(scene_sums(played(simulate("fattree", *options, ranks=16))))
    assert (idle.mean, idle.median) == pytest.approx((1, 1), rel=1e-3)
    short = impact(scene_sums(played(simulate("fattree", *options, faults=["oversubscription:4"], ranks=16))))
    assert short.mean > 1.5
    assert short.median > 1.5


def test_random_bisection_shows_oversubscription(simulate: Simulate) -> None:
    options = ["random-bisection", "--draws", 8, "--seed", 3, "--duration", "5ms"]
    full, _, _ = effective_bisection(scene_sums(played(simulate("fattree", *options))))
    mean, low, high = effective_bisection(
        scene_sums(played(simulate("fattree", *options, faults=["oversubscription:4"])))
    )
    assert high < 0.7 * full
    assert low < mean < high
    assert full <= 32.01 * BANDWIDTH
    # About half of the 8 hosts of a leaf send, and those that send to other leaves share two trunks.
    assert mean > 0.9 * 8 * 2 * BANDWIDTH


def test_servers_on_one_leaf_are_limited_by_its_trunks(simulate: Simulate) -> None:
    options = ["client-server", "--servers", 4, "--niters", 5, "--nflight", 4, "-s", "1MiB"]

    def slowest(*faults: str) -> float:
        flows = played(simulate("fattree", *options, faults=faults, ranks=16)).flows
        assert flows.ok.all()
        return float(flows.seconds.max())

    # Four cables leave the leaf, or one.
    assert slowest("oversubscription:4") == pytest.approx(4 * slowest(), rel=0.05)


def contents(path: Path) -> dict[str, bytes]:
    """Everything in a results file except random choices and the time of day, which makes batches for checksums."""
    everything: dict[str, bytes] = {}

    def take(name: str, item: h5py.Dataset | h5py.Group) -> None:
        everything.update({f"{name}@{key}": np.asarray(value).tobytes() for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            everything[name] = b"\0".join(item[:].tolist()) if item.dtype.kind == "O" else item[:].tobytes()

    with h5py.File(path) as file:
        take("", file)
        file.visititems(take)
    random = ("@created", "@ended", "@run_id")
    return {n: value for n, value in everything.items() if n not in random and not n.startswith("checksums/")}


def test_the_same_simulation_gives_the_same_file_twice(simulate: Simulate) -> None:
    options = ["-s", f"{SMALL},{LARGE}", "-n", 20, "--keep-laps"]
    first, second = (
        contents(simulate("dragonfly", *options, faults=["host-latency:2*3"], ranks=16).path) for _ in range(2)
    )
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    assert len(first) > 60


@pytest.mark.parametrize(
    ("topology", "size", "fault"),
    [
        ("fattree", LARGE, "host-bandwidth:100*0.5"),
        ("torus", SMALL, "host-latency:100*10"),
        ("dragonfly", SMALL, "host-latency:100*10"),
    ],
)
def test_a_slow_host_among_256_is_found_with_concurrent_pairs(
    simulate: Simulate, topology: str, size: int, fault: str
) -> None:
    options = ["-s", size, "-n", 1, "-w", 0, "--num-slowest", 0]
    healthy = measured(simulate(topology, *options, ranks=256), size)
    faulty = measured(simulate(topology, *options, faults=[fault], ranks=256), size)
    slow = {(a, b) for a, b in np.argwhere(faulty > 1.3 * healthy).tolist()}
    assert slow == links(lambda a, _: a == 100, 256)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--ranks", 65], "--ranks 65: use 16, 64, 256"),
        (["--fault", "host-bandwidth:64*0.5"], "--fault host-bandwidth:64*0.5: host 64: out of range; use 0 to 63"),
        (["--fault", "host-bandwidth:3*-1"], "--fault host-bandwidth:3*-1: the factor must be above 0"),
        (["--fault", "trunk-latency:leaf1-leaf2*2"], "there is no trunk leaf1-leaf2"),
        (["--fault", "cable:3"], "--fault cable:3: use host-bandwidth:3*0.5"),
        (["--fault", "oversubscription:3"], "--fault oversubscription:3: it must divide 8"),
        (["--topology", "torus", "--fault", "oversubscription:2"], "a torus has no leaves"),
        (["--", "-o", "a b"], "'a b': smpirun accepts no option"),
    ],
)
def test_an_invalid_fabric_is_refused_with_a_valid_one(words: list[object], said: str) -> None:
    done = smpi("run", "--topology", "fattree", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_invalid_option_of_the_core_is_reported_once(simulator: None, tmp_path: Path) -> None:
    done = smpi("run", "--topology", "fattree", "--ranks", 16, "--", "-s", "1QiB", "-o", tmp_path / "x.h5")
    assert done.returncode == 2
    assert done.stderr.count("1QiB") == 1
    assert not (tmp_path / "x.h5").exists()
