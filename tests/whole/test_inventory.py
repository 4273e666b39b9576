"""Every host is read before, during and after a run: its facts, its counters, what its ranks carried."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from netns import Bed, a_bed
from netns_runs import Job

from conftest import PATIENCE, Measure, Run, free_port, measure_program
from host_trees import KINDS, HostTree, cloud_node, h100_node, save_hosts

BEFORE, UNDER_LOAD, AFTER, AGAIN = range(4)


@dataclass(frozen=True)
class Inventory:
    """The group /inventory, by the words of docs/results-file.md."""

    facts: dict[tuple[int, int, str, str], str]  # (host, reading, part, name) -> value
    counters: dict[tuple[int, int, str, str], int]
    readings: list[dict[str, Any]]
    carried: dict[tuple[int, int], tuple[int, int]]  # (reading, rank) -> sent, received

    def fact(self, host: int, part: str, name: str) -> str | None:
        """The value that the last reading left."""
        values = [value for (h, _, p, n), value in sorted(self.facts.items()) if (h, p, n) == (host, part, name)]
        return values[-1] if values else None

    def parts(self, host: int) -> set[str]:
        return {part for h, _, part, _ in [*self.facts, *self.counters] if h == host}

    def moments(self, host: int) -> list[int]:
        return [int(row["moment"]) for row in self.readings if row["host"] == host]


def inventory_of(path: Path) -> Inventory:
    with h5py.File(path) as file:
        group = file["inventory"]
        texts = [text.decode() for text in group["texts/text"][:]]
        tables = {name: {column: data[:] for column, data in group[name].items()} for name in group if name != "texts"}
    f, c, k = tables["facts"], tables["counters"], tables["carried"]
    readings = tables["readings"]
    return Inventory(
        {(h, r, texts[p], texts[n]): texts[v] for h, r, p, n, v in rows(f, "host reading part name value")},
        {(h, r, texts[p], texts[n]): int(v) for h, r, p, n, v in rows(c, "host reading part name value")},
        [{name: column[i] for name, column in readings.items()} for i in range(len(readings["host"]))],
        {(r, rank): (int(s), int(v)) for r, rank, s, v in rows(k, "reading rank sent received")},
    )


def rows(table: dict[str, np.ndarray], columns: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name].tolist() for name in columns.split()), strict=True)


@pytest.fixture
def measured(measure: Measure, tmp_path: Path) -> Any:
    """Measure with the trees of these hosts, over the simulated network unless arguments name another mode."""

    def call(trees: list[HostTree], *arguments: object) -> Inventory:
        root = save_hosts(tmp_path / "hosts", trees)
        mode = () if "--mode" in arguments else ("--np", 2 * len(trees), "--mode", f"sim:hosts={len(trees)}")
        measure(*mode, *arguments, environment={"EVERYLINK_SYSFS": str(root)})
        return inventory_of(tmp_path / "x.h5")

    return call


@pytest.mark.quick
def test_a_run_records_what_its_host_is_and_counts(measure: Measure, tmp_path: Path) -> None:
    measure("--np", 2, "--mode", "tcp", "-s", 1024)
    inventory = inventory_of(tmp_path / "x.h5")
    assert inventory.fact(0, "host", "kernel") == os.uname().release
    assert "127.0.0.1/8" in str(inventory.fact(0, "net/lo", "ip"))
    moments = inventory.moments(0)
    assert moments == sorted(moments)
    assert moments[0] == BEFORE
    assert moments[-2:] == [AFTER, AGAIN]  # the slowest link is measured again
    sent = [value for (_, _, part, name), value in inventory.counters.items() if name == "statistics/tx_bytes"]
    assert len(sent) > 1
    began = [float(row["began"]) for row in inventory.readings]
    assert began == sorted(began)
    assert began[0] < 0 < began[-1]


@pytest.mark.quick
def test_each_host_is_read_by_one_of_its_ranks(measured: Any) -> None:
    inventory = measured([h100_node(i) for i in range(3)])
    for host in range(3):
        assert inventory.fact(host, "host", "name") == f"n{host}"
        assert inventory.fact(host, "ib/mlx5_3/1", "rate") == "400 Gb/sec (4X NDR)"
        assert inventory.fact(host, "pci/0000:13:00.0", "parent") == "0000:12:00.0"
        assert inventory.fact(host, "pci/0000:10:01.0", "max_link_width") == "16"
        assert inventory.moments(host) == [BEFORE, UNDER_LOAD, AFTER, AGAIN]
    counters = [key for key in inventory.counters if key[:3] == (1, 0, "ib/mlx5_7/1")]
    assert len(counters) == 46  # 47 files, one of which is the age of the counters
    assert {int(row["rank"]) for row in inventory.readings} == {0, 2, 4}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.one_in(4)
def test_hosts_of_every_kind_are_read_without_a_file_that_does_not_answer(measured: Any, kind: str) -> None:
    inventory = measured([KINDS[kind](i) for i in range(2)], "--num-slowest", 0)
    parts = {"mixed": "ib/hfi1_0/1", "efa": "ib/rdmap16s27/1", "slingshot": "cxi/cxi3", "cloud": "net/eth0"}
    for host in range(2):
        assert parts.get(kind, "ib/mlx5_0/1") in inventory.parts(host)
    assert all(row["unread"] == 0 for row in inventory.readings)


def test_simulated_hosts_are_not_read_unless_files_describe_them(
    measure: Measure, measured: Any, tmp_path: Path
) -> None:
    plain = measure("--np", 4, "--mode", "sim:hosts=2")
    with h5py.File(tmp_path / "x.h5") as file:
        assert "inventory" not in file
    measured([cloud_node(0), cloud_node(1)])
    with h5py.File(tmp_path / "x.h5") as file:
        for size, table in plain.sizes.items():
            for name, column in table.columns.items():
                np.testing.assert_array_equal(file[f"sizes/{size}/{name}"][:], column)


def test_nothing_is_read_if_the_user_wants_nothing_read(measure: Measure, tmp_path: Path) -> None:
    measure("--np", 2, "--mode", "tcp", "-s", 1, environment={"EVERYLINK_SYSFS": "none"})
    with h5py.File(tmp_path / "x.h5") as file:
        assert "inventory" not in file


@pytest.mark.long
def test_a_file_that_never_answers_holds_no_run_up(measured: Any, tmp_path: Path) -> None:
    trees = [h100_node(0), h100_node(1)]
    save_hosts(tmp_path / "hosts", trees)
    hanging = tmp_path / "hosts/n1/sys/class/infiniband/mlx5_2/ports/1/counters/link_downed"
    hanging.unlink()
    os.mkfifo(hanging)  # nobody writes to it: opening it blocks
    inventory = measured(trees)
    counters = {(host, part, name) for host, _, part, name in inventory.counters}
    assert (0, "ib/mlx5_2/1", "counters/link_downed") in counters
    assert (1, "ib/mlx5_2/1", "counters/link_downed") not in counters
    assert (1, "ib/mlx5_2/1", "hw_counters/out_of_sequence") in counters
    assert (1, "ib/mlx5_3/1", "counters/link_downed") in counters
    of_all = [row for row in inventory.readings if row["moment"] != UNDER_LOAD]
    assert all((row["unread"] > 0) == (row["host"] == 1) for row in of_all)


def test_later_readings_have_what_changed_since(measured: Any, tmp_path: Path) -> None:
    tree = cloud_node(0)
    root = tree.save(tmp_path / "own")
    with subprocess.Popen(
        [measure_program(), "--np", "2", "--mode", "tcp", "-s", "1", "--min-runtime", "2", "-o", "x.h5"],
        cwd=tmp_path,
        env=os.environ | {"EVERYLINK_SYSFS": str(root)},
        stdout=subprocess.DEVNULL,
    ) as process:
        wait_for_rows(tmp_path / "x.h5")
        tree.grow(tree.net("eth0") + "/statistics/rx_crc_errors", 5)
        tree.set(tree.net("eth0") + "/mtu", 9000)
        tree.remove(tree.net("eth0") + "/duplex")
        (root / tree.net("eth0") / "duplex").unlink()
        tree.save(root)
        assert process.wait(PATIENCE) == 0
    inventory = inventory_of(tmp_path / "x.h5")
    last = min(reading for _, reading, _, name in inventory.facts if reading > 0 and name == "mtu")
    assert inventory.facts[0, last, "net/eth0", "mtu"] == "9000"
    assert inventory.facts[0, last, "net/eth0", "duplex"] == ""  # no longer known
    assert inventory.counters[0, last, "net/eth0", "statistics/rx_crc_errors"] == 5
    assert (0, last, "host", "kernel") not in inventory.facts


def interrupted_once_it_measures(folder: Path, options: Iterable[object], sysfs: str) -> None:
    with subprocess.Popen(
        [measure_program(), *map(str, options), "-o", "x.h5"],
        cwd=folder,
        env=os.environ | {"EVERYLINK_SYSFS": sysfs},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_for_rows(folder / "x.h5")
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)


def wait_for_rows(path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while not _has_rows(path):
        assert time.monotonic() < until, "nothing was measured"
        time.sleep(0.05)


def _has_rows(path: Path) -> bool:
    try:
        with h5py.File(path, "r", swmr=True) as file:
            return int(file.attrs["rows"]) > 0
    except OSError:
        return False


def test_a_load_pattern_reads_hosts_too(measured: Any) -> None:
    inventory = measured([cloud_node(i) for i in range(4)], "incast", "--np", 4, "--mode", "sim:hosts=4")
    assert inventory.moments(3) == [BEFORE, AFTER]
    assert inventory.carried[2, 0][1] > 0


@pytest.mark.parametrize("pattern", ["all-to-all", "client-server"])
@pytest.mark.one_in(2)
def test_a_load_pattern_reads_pcie_while_pairs_load_it(measured: Any, pattern: str) -> None:
    options = ("--np", 2, "--mode", "sim:hosts=2", "-s", 1024)
    inventory = measured([h100_node(i) for i in range(2)], pattern, *options)
    for host in range(2):
        assert inventory.moments(host) == [BEFORE, UNDER_LOAD, AFTER]
    load = next(row for row in inventory.readings if row["moment"] == UNDER_LOAD)
    assert float(load["began"]) < 0  # before the first scene


def test_what_ranks_carried_is_what_the_kernel_sends(measure: Measure, tmp_path: Path) -> None:
    size, messages, warmups = 1000, 7, 3
    measure("--np", 2, "--mode", "sim:hosts=2", "-s", size, "-n", messages, "-w", warmups, "--num-slowest", 0,
            "--unidirectional", environment={"EVERYLINK_SYSFS": str(tmp_path)})  # fmt: skip
    inventory = inventory_of(tmp_path / "x.h5")
    (first, second) = (inventory.carried[2, rank] for rank in (0, 1))
    assert first == second[::-1]
    assert min(first) >= size * (messages + warmups)
    assert inventory.carried[0, 0] == (0, 0)


def test_a_run_that_confirms_reads_the_hosts_as_it_begins_and_ends(run: Run, tmp_path: Path) -> None:
    root = save_hosts(tmp_path / "hosts", [cloud_node(i) for i in range(3)])
    options = ("--np", 3, "--mode", "sim:hosts=3", "-s", 64, "--num-slowest", 0, "-o", "x.h5")
    (tmp_path / "pairs").write_text("1 2\n")
    for more in ((), ("--confirm", "pairs")):
        done = run(*options, *more, environment={"EVERYLINK_SYSFS": str(root)})
        assert done.returncode == 0, done.stderr
    inventory = inventory_of(tmp_path / "x.h5")
    assert inventory.moments(2) == [BEFORE, AFTER, BEFORE, AGAIN]  # no adapter that says how PCIe is
    assert len({int(row["reading"]) for row in inventory.readings}) == 4


def test_a_sion_file_has_the_readings_too(run: Run, tmp_path: Path) -> None:
    root = save_hosts(tmp_path / "hosts", [cloud_node(i) for i in range(2)])
    options = ("--np", 2, "--mode", "sim:hosts=2", "-s", 64, "--num-slowest", 0)
    assert run(*options, "-o", "x.sion", environment={"EVERYLINK_SYSFS": str(root)}).returncode == 0
    assert inventory_of(tmp_path / "x.sion").fact(1, "net/eth0", "mtu") == "1460"


def test_another_rank_of_the_host_reads_once_the_first_one_is_gone(tmp_path: Path) -> None:
    tree = cloud_node(0).save(tmp_path / "tree")
    common = {"EVERYLINK_SIZE": "3", "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{free_port()}", "EVERYLINK_SYSFS": str(tree)}
    options = ("--mode", "tcp", "-s", "1", "--min-runtime", "3", "--num-slowest", "0", "--retest-budget", "0")
    ranks = [
        subprocess.Popen(
            [measure_program(), *options, "--node-name", "first" if rank == 0 else "second", "-o", "x.h5"],
            cwd=tmp_path,
            env=os.environ | common | {"EVERYLINK_RANK": str(rank)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for rank in range(3)
    ]
    wait_for_rows(tmp_path / "x.h5")
    ranks[1].kill()
    for process in ranks:
        process.wait(PATIENCE)
    inventory = inventory_of(tmp_path / "x.h5")
    of_second = [(int(row["moment"]), int(row["rank"])) for row in inventory.readings if row["host"] == 1]
    assert of_second[0] == (BEFORE, 1)
    assert of_second[-1] == (AFTER, 2)
    last = int(inventory.readings[-1]["reading"])
    assert inventory.facts[1, last, "net/eth0", "mtu"] == "1460"  # this rank has told nothing before


@pytest.fixture
def three(possible: None) -> Iterator[Bed]:
    yield from a_bed(3)


def test_a_host_of_a_network_counts_on_its_interface_what_its_rank_carried(three: Bed, tmp_path: Path) -> None:
    options = ["-s", "1MiB", "-n", 20, "-w", 0, "--num-slowest", 0, "--retest-budget", 0]
    job = Job(three, "tcp", options, tmp_path)
    try:
        job.finish(expect=0)
    finally:
        job.stop()
    inventory = inventory_of(tmp_path / "x.h5")
    with h5py.File(tmp_path / "x.h5") as file:
        addresses = [address.decode() for address in file["ranks/address"][:]]
    (last,) = {int(row["reading"]) for row in inventory.readings if row["moment"] == AFTER}
    for host in range(3):
        assert addresses[host] in str(inventory.fact(host, "net/eth0", "ip"))
        sent = inventory.carried[last, host][0] - inventory.carried[0, host][0]
        counter = "net/eth0", "statistics/tx_bytes"
        counted = inventory.counters[host, last, *counter] - inventory.counters[host, 0, *counter]
        assert sent <= counted < 1.1 * sent  # headers and acknowledgements


def test_a_resumed_run_goes_on_with_the_numbers_of_readings(run: Run, tmp_path: Path) -> None:
    tree = cloud_node(0).save(tmp_path / "tree")
    options = ("--np", "2", "--mode", "tcp", "-s", "1", "--min-runtime", "60")
    interrupted_once_it_measures(tmp_path, options, str(tree))
    before = inventory_of(tmp_path / "x.h5")
    done = run(*options[:-1], "0", "--resume", "x.h5", environment={"EVERYLINK_SYSFS": str(tree)})
    assert done.returncode == 0, done.stderr
    after = inventory_of(tmp_path / "x.h5")
    assert before.moments(0)[0] == BEFORE
    assert AFTER not in before.moments(0)
    numbers = [int(row["reading"]) for row in after.readings]
    assert numbers == sorted(set(numbers))
    assert after.moments(0).count(BEFORE) == 2
    again = numbers[after.moments(0).index(BEFORE, 1)]
    assert after.facts[0, again, "host", "name"] == "n0"  # a new process reads everything


def test_a_file_without_a_place_for_readings_can_be_resumed(run: Run, tmp_path: Path) -> None:
    options = ("--np", 2, "--mode", "tcp", "-s", 1, "--num-slowest", 0)
    interrupted_once_it_measures(tmp_path, (*options, "--min-runtime", 60), "none")
    done = run(*options, "--min-runtime", 0, "--resume", "x.h5")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "x.h5") as file:
        assert file.attrs["complete"] == 1
        assert "inventory" not in file


@pytest.mark.long
def test_hostile_files_are_not_known_and_end_nothing(measured: Any, tmp_path: Path) -> None:
    tree = h100_node(0)
    port = tree.port("mlx5_0")
    tree.set(port + "/counters/symbol_error", "N/A (no PMA)")
    tree.set(port + "/counters/link_downed", "18446744073709551616")
    tree.set(port + "/counters/VL15_dropped", "18446744073709551615")
    tree.set(port + "/rate", b"\x00\x01\xff" * 100)
    tree.set(tree.adapter("mlx5_0") + "/node_desc", "x" * 5_000_000)
    tree.set(tree.adapter("mlx5_1") + "/fw_ver", "")
    root = save_hosts(tmp_path / "hosts", [tree]).with_name("n0")
    for i in range(10_000):
        (root / tree.port("mlx5_3") / f"counters/made_up_{i}").touch()
    shutil.rmtree(root / "sys/class/infiniband/mlx5_2/ports")
    (root / "sys/class/infiniband/mlx5_2/ports").symlink_to("ports")
    (root / "sys/class/infiniband/mlx5_9").symlink_to("/")
    inventory = measured([], "--np", 2, "--mode", "sim:hosts=1")
    counters = {part_name[2:]: value for part_name, value in inventory.counters.items()}
    assert ("ib/mlx5_0/1", "counters/symbol_error") not in counters
    assert ("ib/mlx5_0/1", "counters/link_downed") not in counters
    assert counters["ib/mlx5_0/1", "counters/VL15_dropped"] == 2**64 - 1
    assert inventory.fact(0, "ib/mlx5_0/1", "rate") is None
    assert len(str(inventory.fact(0, "ib/mlx5_0", "node_desc"))) == 256
    assert inventory.fact(0, "ib/mlx5_1", "fw_ver") is None
    assert inventory.fact(0, "ib/mlx5_7/1", "state") == "4: ACTIVE"
