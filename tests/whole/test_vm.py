"""ibverbs on real queue pairs: a virtual machine with software RDMA devices (testbed/vm) that runs vm_guest.py."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_client_server import GET, PUT, flows_of

from conftest import Outcome, measure_program, read_plainly
from everylink.inventory.changes import changes_of
from everylink.io.read import read

pytestmark = pytest.mark.alone  # emulates processors, which takes several times as long beside other work

ROOT = Path(__file__).resolve().parents[2]
VM = ROOT / "testbed" / "vm" / "vm"
NEAR = ("/etc/libibverbs.d", "/usr/lib/x86_64-linux-gnu/libibverbs")
RANKS = 4
LIMIT = 450 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))
ABSENT = 4
MTU, MESSAGE = 4096, 65536
HEADERS = 14 + 20 + 8 + 12 + 4  # of Ethernet, IP, UDP and InfiniBand (BTH), and its checksum (ICRC)
ACKNOWLEDGEMENT = 4  # its own header (AETH)

long = pytest.mark.long("minutes of emulation")


def vm(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(VM), *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=LIMIT + 400, env=environment or dict(os.environ)
    )


def in_machine(part: str, program: Path, folder: Path, *options: str) -> Path:
    """The files that vm_guest.py leaves in the folder."""
    if not (Path(measure_program()).parent / "modules" / "ibverbs.so").exists():
        pytest.skip("ibverbs is not built here: libibverbs-dev is missing")
    check = vm("check")
    if check.returncode == 77:
        pytest.skip(check.stderr.strip().removeprefix("vm: "))
    guest = ROOT / "tests" / "whole" / "vm_guest.py"
    environment = os.environ | {"EVERYLINK_TRANSPORT_PATH": str(Path(measure_program()).parent / "modules")}
    near = (program, Path(measure_program()).parent / "modules" / "ibverbs.so", *NEAR)
    words = [
        "run",
        *options,
        *(word for file in near for word in ("--near", file)),
        "--limit",
        LIMIT,
        "--writable",
        folder,
        "--",
    ]
    done = vm(*words, "/usr/bin/python3", guest, part, folder, program, environment=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = Path(measure_program()).parents[1] / "tests" / "core" / "transport_contract_test"
    return in_machine("contract", program, tmp_path_factory.mktemp("contract"))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return in_machine("measure", Path(measure_program()), tmp_path_factory.mktemp("measured"), "--icount")


def outcome(folder: Path, name: str) -> Outcome:
    return read_plainly(folder / f"{name}.h5")


def means(seen: Outcome) -> np.ndarray:
    """Means of the largest size, [from, to]."""
    rows = seen.sizes[max(seen.sizes)].main()
    matrix = np.full((RANKS, RANKS), np.nan)
    matrix[rows["from"], rows["to"]] = rows["mean"]
    return matrix


def exit_codes(folder: Path, name: str) -> str:
    return (folder / f"{name}.code").read_text()


def test_a_missing_emulator_is_reported_in_one_line() -> None:
    done = vm("check", environment={"PATH": "/nonexistent"})
    assert done.returncode == 77
    assert done.stderr == "vm: qemu-system-x86_64 is missing: install Debian's package qemu-system-x86\n"


@long
@pytest.mark.parametrize("name", ["contract", "contract-write"])
def test_the_contract_of_a_transport_holds_over_queue_pairs(contract: Path, name: str) -> None:
    said = (contract / f"{name}.txt").read_text()
    assert said.splitlines()[-1] == "0", said


@long
def test_exactly_three_contract_tests_cannot_run_over_queue_pairs(contract: Path) -> None:
    assert "32 tests of the contract run, 32 passed; 3 cannot run" in (contract / "contract.txt").read_text()


@long
@pytest.mark.parametrize("kernel", ["semidirectional", "bidirectional", "unidirectional", "put", "get"])
def test_every_link_is_measured_by_every_kernel_with_bytes_verified(measured: Path, kernel: str) -> None:
    assert exit_codes(measured, kernel) == "0 0 0 0"
    seen = outcome(measured, kernel)
    assert set(seen.sizes) == {8, 65536}
    for table in seen.sizes.values():
        assert sorted(table.main().links()) == [(a, b) for a in range(RANKS) for b in range(RANKS) if a != b]
        assert (table.main()["outcome"] == 0).all()
        assert (table.main()["mean"] > 0).all()


@long
@pytest.mark.parametrize("rank", range(RANKS))
def test_what_a_device_and_its_interface_counted_is_what_its_rank_carried(measured: Path, rank: int) -> None:
    """Messages of 64 KiB go in packets of the MTU, and each is acknowledged with one packet."""
    results = read(measured / "counted.h5")
    inventory, changes = results.inventory, changes_of(results.inventory)
    assert (inventory.value_of(rank, f"ib/rxe{rank}/1", "netdev"), results.facts.hosts) == (f"rdma{rank}", RANKS)

    def grew(part: str, name: str) -> int:
        here = np.array([rank], np.int64)
        return int(changes.grew.at(inventory.row(part), inventory.row(name), here, missing=-1)[0])

    carried = inventory.carried
    sent, received = (int(np.ptp(column[carried.rank == rank])) for column in (carried.sent, carried.received))
    assert sent >= (RANKS - 1) * 80 * MESSAGE
    for there, back, packets, octets in (
        (sent, received, "sent_pkts", "tx_bytes"),
        (received, sent, "rcvd_pkts", "rx_bytes"),
    ):
        data, answers = there / MTU, back / MESSAGE
        assert grew(f"ib/rxe{rank}/1", f"hw_counters/{packets}") == pytest.approx(data + answers, rel=0.02)
        expected = there + data * HEADERS + answers * (HEADERS + ACKNOWLEDGEMENT)
        assert grew(f"net/rdma{rank}", f"statistics/{octets}") == pytest.approx(expected, rel=0.02)


@long
def test_ranks_take_equally_near_devices_in_turn(measured: Path) -> None:
    ranks = outcome(measured, "by-turns").ranks
    assert [text.decode() for text in ranks["device"]] == [f"rxe{rank} port 1" for rank in range(RANKS)]
    assert [text.decode() for text in ranks["address"]] == [f"::ffff:10.78.0.{rank + 1}" for rank in range(RANKS)]
    assert {text.decode() for text in ranks["lanes"]} == {"Ethernet, active, 10 Gbit/s, MTU 4096, send"}


@long
def test_one_way_kernels_write_and_the_others_send(measured: Path) -> None:
    assert b"RDMA write with immediate" in outcome(measured, "unidirectional").ranks["lanes"][0]
    assert b"send" in outcome(measured, "bidirectional").ranks["lanes"][0]


@long
def test_a_delayed_device_slows_exactly_its_own_links(measured: Path) -> None:
    """A delay of 5 ms on sending from device 2 adds 2.5 ms to half a round trip."""
    assert exit_codes(measured, "delayed") == "0 0 0 0"
    matrix = means(outcome(measured, "delayed"))
    touched = np.zeros_like(matrix, dtype=bool)
    touched[2, :] = touched[:, 2] = True
    healthy = np.nanmedian(matrix[~touched])
    assert matrix[touched & ~np.isnan(matrix)] == pytest.approx(0.0025 + healthy, rel=0.1)
    assert np.nanmax(matrix[~touched]) < 0.001


@long
@pytest.mark.parametrize("kernel", ["unidirectional", "put", "get"])
def test_a_throttled_device_slows_exactly_the_links_it_sends_on(measured: Path, kernel: str) -> None:
    """20 Mbit/s out of device 1. These kernels show the direction; gets show it from the other end."""
    assert exit_codes(measured, f"throttled-{kernel}") == "0 0 0 0"
    matrix = means(outcome(measured, f"throttled-{kernel}"))
    matrix = matrix.T if kernel == "get" else matrix
    slow = 65536 * 8 / 20e6
    assert matrix[1, [0, 2, 3]] == pytest.approx(slow, rel=0.1)
    matrix[1, :] = np.nan
    assert np.nanmax(matrix) < slow / 2


@long
@pytest.mark.parametrize("name", ["client-server", "all-to-all"])
def test_all_requested_bytes_and_all_flows_arrive(measured: Path, name: str) -> None:
    run = "served" if name == "client-server" else name
    assert exit_codes(measured, run) == "0 0 0 0", (measured / f"{run}.0.txt").read_text()
    flows = flows_of(measured / f"{run}.h5", name)
    assert (flows["outcome"] == 0).all()
    assert (flows["messages"] >= (5 if run == "served" else 20)).all()
    assert len(flows["from"]) == (2 * 2 * 2 * 4 if run == "served" else 2 * 12)


@long
def test_a_server_that_sends_slowly_slows_puts_but_not_gets(measured: Path) -> None:
    flows = flows_of(measured / "served-slowly.h5")
    put, get = (flows["seconds"][flows["kind"] == kind].max() for kind in (PUT, GET))
    assert put > 3 * 5 * 65536 * 8 / 20e6
    assert get < put / 4


@long
def test_a_killed_rank_costs_its_own_links_and_the_run_ends(measured: Path) -> None:
    assert exit_codes(measured, "killed") == "3 3 -9 3"
    rows = outcome(measured, "killed").only.main()
    dead = (rows["from"] == 2) | (rows["to"] == 2)
    assert dead.sum() == 2 * (RANKS - 1)
    assert (rows["outcome"][dead] == ABSENT).all()
    assert (rows["outcome"][~dead] == 0).all()
