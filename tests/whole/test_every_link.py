"""Each ordered pair is measured exactly once, over every kernel, schedule and transport."""

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

from conftest import Measure, Run, mpi_launcher, read_plainly

KERNELS = ["--semidirectional", "--bidirectional", "--unidirectional", "--put", "--get"]
QUICK = ["-n", 4, "-w", 1, "--num-slowest", 0, "--progress", "none"]
needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")


def every_link(ranks: int) -> set[tuple[int, int]]:
    return {(a, b) for a, b in itertools.product(range(ranks), repeat=2) if a != b}


def across(ranks: int) -> set[tuple[int, int]]:
    return {(a, b) for a, b in every_link(ranks) if (a < ranks // 2) != (b < ranks // 2)}


def assert_measured_once(result: object, links: set[tuple[int, int]]) -> None:
    for table in result.sizes.values():  # type: ignore[attr-defined]
        assert sorted(table.links()) == sorted(links)
        assert (table["outcome"] == 0).all()
        assert (table["median"] > 0).all()
        for step in range(table["step"].max() + 1):
            busy = [rank for link in table.where(table["step"] == step).links() for rank in link]
            assert max(busy.count(rank) for rank in busy) == 2, "a rank had two peers in one step"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ranks", [2, 3, 8])
@pytest.mark.parametrize("mode", ["tcp", "sim"])
@pytest.mark.one_in(5)
def test_np_measures_each_ordered_pair_once(measure: Measure, mode: str, ranks: int, kernel: str) -> None:
    result = measure("--np", ranks, "--mode", mode, kernel, "-s", "1,4KiB", *QUICK)
    assert_measured_once(result, every_link(ranks))
    assert result.attributes["complete"] == 1
    assert len(result.ranks["host"]) == ranks


@needs_mpi
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "ranks", [2, 3, pytest.param(5, marks=pytest.mark.long), pytest.param(8, marks=pytest.mark.long)]
)
@pytest.mark.one_in(5)
def test_mpi_measures_each_ordered_pair_once(measure: Measure, ranks: int, kernel: str) -> None:
    result = measure("--mode", "mpi", kernel, "-s", "1,64KiB", *QUICK, launcher=mpi_launcher(ranks))
    assert_measured_once(result, every_link(ranks))
    assert result.attributes["bootstrap"] == "mpi"
    assert "MPI" in result.ranks["libraries"][0].decode()


@needs_mpi
@pytest.mark.parametrize("kernel", ["--put", "--get"])
@pytest.mark.one_in(2)
def test_mpi_puts_and_gets_arrive_whole_and_are_recorded_as_mpis(measure: Measure, kernel: str) -> None:
    options = [kernel, "--check", "--num-multi-buf", 2, "-s", "1,64KiB,1MiB", "--window", 8, *QUICK]
    result = measure("--mode", "mpi", *options, launcher=mpi_launcher(3))
    assert_measured_once(result, every_link(3))
    assert result.attributes["one_sided"] == "MPI"
    assert all((table["arrived"] >= 5).all() for table in result.sizes.values())


@needs_mpi
def test_an_mpi_without_windows_is_reported(measure: Measure, run: Run) -> None:
    """Open MPI 4 over sockets creates none; an MPI that creates one measures."""
    environment = {"OMPI_MCA_btl": "tcp,self"}
    arguments = ["--mode", "mpi", "--put", *QUICK]
    done = run(*arguments, "--no-output", launcher=mpi_launcher(2), environment=environment)
    assert done.returncode == 0 or "--mca osc pt2pt" in done.stderr
    environment |= {"OMPI_MCA_osc": "pt2pt"}
    result = measure(*arguments, "--check", launcher=mpi_launcher(2), environment=environment)
    assert_measured_once(result, every_link(2))


SCHEDULES = {
    "all": every_link,
    "bisection": across,
    "inter-host": lambda n: {(a, b) for a, b in every_link(n) if a * 4 // n != b * 4 // n},
}


@pytest.mark.parametrize(
    "options",
    [[], ["--serial-tests"], ["--num-randomize-tasks", "1", "--seed", "5"]],
    ids=["parallel", "serial", "random"],
)
@pytest.mark.parametrize("ranks", [5, 8])
@pytest.mark.parametrize("schedule", sorted(SCHEDULES))
@pytest.mark.one_in(3)
def test_schedules_in_any_order_measure_their_links_once(
    measure: Measure, schedule: str, ranks: int, options: list[str]
) -> None:
    hosts = "hosts=4"
    result = measure("--np", ranks, "--mode", f"sim:{hosts}", "--schedule", schedule, *options, *QUICK)
    assert_measured_once(result, SCHEDULES[schedule](ranks))
    if "--serial-tests" in options:
        assert len(result.steps["seed"]) == len(result.only.links()) / 2
        assert (np.bincount(result.only["step"]) == 2).all()


@needs_mpi
@pytest.mark.parametrize("schedule", ["bisection", "sample:2", "all"])
@pytest.mark.one_in(2)
def test_mpi_runs_other_schedules_and_one_pair_at_a_time(measure: Measure, schedule: str) -> None:
    result = measure("--mode", "mpi", "--schedule", schedule, "--serial-tests", *QUICK, launcher=mpi_launcher(5))
    links = {"bisection": 12, "sample:2": 8, "all": 20}[schedule]
    assert len(set(result.only.links())) == len(result.only.links()) == links


@needs_mpi
@pytest.mark.parametrize("schedule", ["inter-host", "rail"])
@pytest.mark.one_in(2)
def test_mpi_knows_hosts_by_their_names(measure: Measure, schedule: str) -> None:
    named = ["sh", "-c", 'exec "$0" --node-name host$((OMPI_COMM_WORLD_RANK / 2)) "$@"']
    result = measure("--mode", "mpi", "--schedule", schedule, *QUICK, launcher=[*mpi_launcher(6), *named])
    other_host = {(a, b) for a, b in every_link(6) if a // 2 != b // 2}
    rails = {(a, b) for a, b in other_host if a % 2 == b % 2}
    assert_measured_once(result, rails if schedule == "rail" else other_host)
    assert result.ranks["local_rank"].tolist() == [0, 1] * 3


@needs_mpi
def test_each_rank_records_the_switches_that_slurm_gives_for_its_host(measure: Measure) -> None:
    address = "SLURM_TOPOLOGY_ADDR=top.leaf$((OMPI_COMM_WORLD_RANK / 2)).n$OMPI_COMM_WORLD_RANK"
    told = ["sh", "-c", f'exec env {address} SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node "$0" "$@"']
    result = measure("--mode", "tcp", *QUICK, launcher=[*mpi_launcher(4), *told])
    leaves = [b"top.leaf0.n0", b"top.leaf0.n1", b"top.leaf1.n2", b"top.leaf1.n3"]
    assert result.ranks["topology_address"].tolist() == leaves
    assert result.ranks["topology_pattern"].tolist() == [b"switch.switch.node"] * 4


@pytest.mark.parametrize(
    ("mode", "said", "recorded"),
    [
        ("tcp", "s0.s4.n17", b"s0.s4.n17"),
        ("tcp", "s0.\x1b[31m\n.n17", b"s0.?[31m?.n17"),
        ("tcp", "s" * 5000, b""),
        ("sim", "s0.s4.n17", b""),  # its hosts are simulated
    ],
    ids=["an-address", "control-characters", "too-long", "of-no-host-here"],
)
def test_only_a_valid_topology_address_is_recorded(measure: Measure, mode: str, said: str, recorded: bytes) -> None:
    result = measure("--np", 2, "--mode", mode, *QUICK, environment={"SLURM_TOPOLOGY_ADDR": said})
    assert result.ranks["topology_address"].tolist() == [recorded] * 2
    assert result.ranks["topology_pattern"].tolist() == [b""] * 2


def test_rail_measures_equal_local_ranks_of_different_hosts(measure: Measure) -> None:
    result = measure("--np", 8, "--mode", "sim:hosts=4", "--schedule", "rail", *QUICK)
    assert_measured_once(result, {(a, b) for a, b in every_link(8) if a % 2 == b % 2})


def test_a_sample_measures_k_matchings_that_depend_on_the_seed(measure: Measure) -> None:
    samples = [
        measure("--np", 8, "--mode", "sim", "--schedule", "sample:3", "--seed", seed, *QUICK).only for seed in (1, 2, 1)
    ]
    for table in samples:
        assert len(set(table.links())) == len(table.links()) == 3 * 8
    assert samples[0].links() == samples[2].links()
    assert samples[0].links() != samples[1].links()


def test_exactly_the_pairs_of_a_file_are_measured(measure: Measure, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("# two steps\n0 1\n2 3\n1 2   # shares ranks with both\n")
    result = measure("--np", 4, "--mode", "sim", "--schedule", f"file:{tmp_path / 'pairs'}", *QUICK)
    assert_measured_once(result, {(0, 1), (1, 0), (2, 3), (3, 2), (1, 2), (2, 1)})
    assert result.only["step"].max() == 1


def test_random_orders_are_recorded_and_differ_between_iterations(measure: Measure) -> None:
    result = measure("--np", 6, "--mode", "sim", "--num-randomize-tasks", 3, "--seed", 9, *QUICK)
    links = result.only.links()
    assert sorted(links) == sorted(list(every_link(6)) * 3)
    first, second = (dict(zip(links[i : i + 30], result.only["step"][i : i + 30] % 5, strict=True)) for i in (0, 30))
    assert first != second
    assert len(set(result.steps["seed"].tolist())) == 3
    assert result.attributes["seed"] == 9


def test_min_iterations_and_min_runtime_repeat_the_schedule(measure: Measure) -> None:
    result = measure("--np", 4, "--mode", "sim", "--min-iterations", 3, *QUICK)
    assert result.steps["iteration"].tolist() == [0] * 3 + [1] * 3 + [2] * 3
    long = measure("--np", 2, "--mode", "sim:latency=1ms", "--min-runtime", "50ms", *QUICK)
    assert long.steps["iteration"].max() > 0
    assert long.steps["began"].max() >= 0.02  # an iteration takes some 25 ms


def test_three_variables_start_ranks_without_a_launcher(run: Run, tmp_path: Path) -> None:
    import os
    import socket
    import subprocess
    import time

    from conftest import PATIENCE, measure_program

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = []
    for rank in (2, 1, 0):
        if rank == 0:
            time.sleep(1.5)  # rank 0's host is often the last; until then the others are refused
        environment = os.environ | {
            "EVERYLINK_RANK": str(rank),
            "EVERYLINK_SIZE": "3",
            "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{port}",
        }
        command = [
            measure_program(),
            "--node-name",
            f"host{rank}",
            "-o",
            str(tmp_path / "x.h5"),
            *(str(q) for q in QUICK),
        ]
        ranks.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    assert [rank.wait(PATIENCE) for rank in ranks] == [0, 0, 0]
    assert [rank.communicate()[0] == "" for rank in ranks] == [True, True, False], "only rank 0 speaks"
    result = read_plainly(tmp_path / "x.h5")
    assert_measured_once(result, every_link(3))
    assert result.ranks["host"].tolist() == [b"host0", b"host1", b"host2"]
    assert result.attributes["hosts"] == 3


def test_parallel_streams_and_several_buffers_work(measure: Measure) -> None:
    result = measure(
        "--np", 3, "--mode", "tcp:sockets=4,interface=lo", "--num-multi-buf", 3, "--check", "-s", "1,100000", *QUICK
    )
    assert_measured_once(result, every_link(3))
    assert result.attributes["transport_options"] == "sockets=4,interface=lo"


@needs_mpi
def test_all_to_all_is_timed_before_each_step(measure: Measure) -> None:
    result = measure("--mode", "mpi", "--all-to-all", "-s", "1,1KiB", *QUICK, launcher=mpi_launcher(4))
    for table in result.sizes.values():
        assert (table["alltoall"] > 0).all()


def test_retests_are_recorded_besides_the_first_measurement(measure: Measure) -> None:
    arguments = [a for a in QUICK if a not in ("--num-slowest", 0)]
    result = measure(
        "--np", 6, "--mode", "sim:slow-link=3>1*0.25,slow-link=0>5*0.5", "-s", "1,1MiB", *arguments, "--num-slowest", 2
    )
    for table in result.sizes.values():
        again = table.where(table["attempt"] == 1)
        assert set(again.links()) == {(1, 3), (3, 1), (0, 5), (5, 0)}
        assert np.array_equal(again["median"][0:2], [table.row(1, 3)["median"]] * 2), "sim reads the same again"
    assert len(result.steps["gone"]) == 5 + 2


def test_statistics_are_computed_from_the_recorded_laps(measure: Measure) -> None:
    result = measure("--np", 3, "--mode", "sim:noise=0.3", "-n", 1001, "-w", 0, "--keep-laps", "--num-slowest", 0)
    table = result.only
    for i in range(6):
        laps = table["laps"][table["first"][i] : table["first"][i] + table["count"][i]]
        assert len(laps) == table["n"][i] == 1001
        assert laps.min() == table["min"][i]
        assert laps.max() == table["max"][i]
        assert np.median(laps) == table["median"][i]
        assert np.isclose(laps.astype(float).mean(), table["mean"][i], rtol=1e-6)
        assert np.sort(laps)[990] == table["p99"][i]
        assert (laps > 2 * table["median"][i]).sum() == table["late"][i]
