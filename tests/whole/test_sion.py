"""Results in LinkTest's format (-o x.sion), read as docs/sion.md describes, and the .h5 file of the same run."""

import os
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import pytest

from conftest import PATIENCE, Measure, Run, measure_program, mpi_launcher
from everylink.io.read import read as read_results

Column = np.ndarray[Any, Any]
HEAD, TOTALS = 289, 120  # bytes before the times: of every rank, and the additional ones of rank 0


@dataclass(frozen=True)
class Sion:
    """The payload of all ranks."""

    chunks: list[bytes]
    hosts: list[str]
    settings: tuple[int, ...]
    totals: tuple[float, ...]
    times: Column
    steps: Column
    all_to_all: Column
    retests: SimpleNamespace


def read(path: Path) -> Sion:
    data = path.read_bytes()
    assert data[:4] == b"sion"
    (ranks,) = struct.unpack_from("<i", data, 24)
    sizes = np.frombuffer(data, "<i8", ranks, 1076 + 8 * ranks)
    blocks, tail = struct.unpack_from("<iq", data, 1076 + 16 * ranks)
    assert blocks == 1
    (results_at,) = struct.unpack_from("<q", data, 1052)
    assert len(data) > results_at >= tail + 16 * ranks
    assert data[results_at:].startswith(b"\x89HDF")
    used = np.frombuffer(data, "<i8", 2 * ranks, tail)
    assert used[:ranks].tolist() == [1] * ranks
    first = -(-(1088 + 16 * ranks) // 4096) * 4096
    chunks = [data[first + sizes[:rank].sum() :][: int(used[ranks + rank])] for rank in range(ranks)]
    assert first + sizes.sum() == tail
    assert {chunk[:17] for chunk in chunks} == {b"LKTST" + struct.pack("<3i", 1, 2, 1)}
    assert [struct.unpack_from("<4i", chunk, 273) for chunk in chunks] == [(rank, 0, 0, 0) for rank in range(ranks)]
    settings, totals = struct.unpack_from("<10i", chunks[0], HEAD), struct.unpack_from("<10d", chunks[0], HEAD + 40)

    def column(kind: str, at: int) -> Column:
        behind = [HEAD + TOTALS, *[HEAD] * (ranks - 1)]
        return np.stack([np.frombuffer(c, kind, ranks, b + at) for c, b in zip(chunks, behind, strict=True)])

    at = HEAD + TOTALS + (20 if settings[2] else 12) * ranks
    assert len(chunks[0]) == at + 24 * ranks
    again, before = np.frombuffer(chunks[0], "<f8", 2 * ranks, at).reshape(2, ranks)
    frm, to = np.frombuffer(chunks[0], "<i4", 2 * ranks, at + 16 * ranks).reshape(2, ranks)
    return Sion(
        chunks,
        [chunk[17:273].split(b"\0")[0].decode() for chunk in chunks],
        settings,
        totals,
        column("<f8", 0),
        column("<i4", 8 * ranks),
        column("<f8", 12 * ranks) if settings[2] else np.zeros((0, 0)),
        SimpleNamespace(again=again, before=before, frm=frm, to=to),
    )


def measured(run: Run, tmp_path: Path, *arguments: object, expect: int = 0, **options: Any) -> Sion:
    done = run(*arguments, "-o", tmp_path / "x.sion", **options)
    assert done.returncode == expect, done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.glob("x.sion*")) == ["x.sion"]
    return read(tmp_path / "x.sion")


def matrix(table: Any, ranks: int, column: str) -> Column:
    """Values of the main run, [from, to]; 0 if a link has no row."""
    values = np.zeros((ranks, ranks))
    main = table.main()
    values[main["from"], main["to"]] = main[column]
    return values


@pytest.mark.parametrize("ranks", [2, 4, 5])
def test_times_and_steps_are_those_of_the_results_file(run: Run, measure: Measure, tmp_path: Path, ranks: int) -> None:
    faults = "sim:hosts=2,slow-host=1*0.5,jitter-host=0*3" + (",dead=0>3" if ranks > 2 else "")
    options = ["--np", ranks, "--mode", faults, "-s", "64KiB", "-n", 20, "--num-slowest", 3]
    code = 3 if ranks > 2 else 0
    ours, theirs = measured(run, tmp_path, *options, expect=code), measure(*options, expect=code)
    table, ok = theirs.only, matrix(theirs.only, ranks, "outcome") == 0
    means = np.where(ok, matrix(table, ranks, "mean"), 0)
    assert (ours.times == means).all()
    assert (ours.steps == np.where(np.eye(ranks), 0, matrix(table, ranks, "step") + 1)).all()
    assert ours.hosts == [host.decode() for host in theirs.ranks["host"]]
    assert ours.settings == (20, 65536, 0, 1, 0, 0, 0, 0, 0, 1)
    known = means[means > 0]
    assert ours.totals[:2] == (known.min(), known.max())
    assert ours.totals[2] == pytest.approx(known.mean())
    assert ours.totals[3:] == (0,) * 7
    again = table.where((table["attempt"] == 1) & (table["outcome"] == 0))
    seconds = dict(zip(again.links(), again["mean"], strict=True))
    found = list(zip(ours.retests.frm, ours.retests.to, ours.retests.before, ours.retests.again, strict=True))
    listed = [(means[frm, to], seconds[frm, to]) for frm, to, first, _ in found if first > 0]
    assert [row[2:] for row in found] == listed + [(0, 0)] * (ranks - len(listed))
    assert len({row[:2] for row in found[: len(listed)]}) == len(listed) == min(ranks, len(seconds))
    assert listed == sorted(listed, key=lambda pair: -pair[0])


# For a .h5 file an order may carry several steps. One that a fault ends is measured again, later and with other jitter.
@pytest.mark.parametrize(("faults", "code"), [("jitter-host=0*3", 0), ("dead=0>3", 3)])
@pytest.mark.parametrize("kernel", ["unidirectional", "bidirectional"])
@pytest.mark.one_in(3)
def test_everything_that_a_results_file_has_is_in_it(
    run: Run, measure: Measure, tmp_path: Path, kernel: str, faults: str, code: int
) -> None:
    options = ["--np", 5, "--mode", f"sim:hosts=3,slow-host=1*0.5,{faults}", "-s", "64KiB", "-n", 20]
    options += [f"--{kernel}", "--num-randomize-tasks", 2, "--seed", 5, "--keep-laps"]
    measured(run, tmp_path, *options, expect=code)
    measure(*options, expect=code)
    ours, theirs = read_results(tmp_path / "x.sion"), read_results(tmp_path / "x.h5")
    for facts in ("command", "created", "ended", "run_id"):
        assert getattr(ours.facts, facts)
    same = dict.fromkeys(("command", "created", "ended", "run_id"), "")
    assert replace(ours.facts, **same) == replace(theirs.facts, **same)
    assert (ours.facts.kernel, ours.remarks) == (kernel, theirs.remarks)
    for mine, other in (
        (ours.ranks, theirs.ranks),
        (ours.steps, theirs.steps),
        (ours.sizes[0].rows, theirs.sizes[0].rows),
    ):
        for name, column in vars(mine).items():
            if code == 0 or name != "began":
                np.testing.assert_array_equal(column, vars(other)[name], name)
    with h5py.File(tmp_path / "x.sion") as a, h5py.File(tmp_path / "x.h5") as b:
        assert (a["sizes/65536/laps"][:] == b["sizes/65536/laps"][:]).all()


@pytest.mark.parametrize("more", [["--np", 5], ["--np", 6], ["--np", 5, "--serial-tests"]], ids=["5", "6", "serial"])
@pytest.mark.one_in(3)
def test_converting_the_results_file_gives_the_same(
    run: Run, measure: Measure, tmp_path: Path, more: list[object]
) -> None:
    options = [*more, "--mode", "sim:hosts=3,slow-host=2*0.5,jitter-host=0*3,dead=0>1", "-s", "1MiB", "-n", 9]
    ours = measured(run, tmp_path, *options, expect=3)
    measure(*options, expect=3)
    convert = [sys.executable, "-P", "-m", "everylink", "convert", "x.h5", "y.sion"]
    subprocess.run(convert, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    assert read(tmp_path / "y.sion").chunks == ours.chunks


def test_one_pair_at_a_time_keeps_the_steps_of_the_schedule(run: Run, tmp_path: Path) -> None:
    together = measured(run, tmp_path, "--np", 5, "--mode", "sim", "-n", 2)
    (tmp_path / "x.sion").unlink()
    alone = measured(run, tmp_path, "--np", 5, "--mode", "sim", "-n", 2, "--serial-tests")
    assert alone.settings[4] == 1
    assert (alone.steps == together.steps).all()
    assert set(alone.steps[~np.eye(5, dtype=bool)]) == {1, 2, 3, 4, 5}


def test_random_orders_are_marked_and_pooled(run: Run, measure: Measure, tmp_path: Path) -> None:
    options = ["--np", 4, "--mode", "sim:jitter-host=2*3", "-n", 20, "--num-randomize-tasks", 3, "--seed", 5]
    ours, theirs = measured(run, tmp_path, *options), measure(*options)
    main = theirs.only.main()
    for a in range(4):
        for b in range(4):
            rows = main["mean"][(main["from"] == a) & (main["to"] == b)].astype(float)
            assert ours.times[a, b] == pytest.approx(rows.mean() if a != b else 0)
    assert ours.settings[5] == 1


def test_a_link_that_delivered_wrong_bytes_has_no_time(run: Run, tmp_path: Path) -> None:
    ours = measured(run, tmp_path, "--np", 4, "--mode", "sim:corrupt=1>2@3", "--check", "-s", 100, expect=3)
    assert ours.times[1, 2] == 0
    assert ours.steps[1, 2] > 0
    assert (ours.times > 0).sum() == 11


def test_links_outside_the_schedule_have_neither_time_nor_step(run: Run, tmp_path: Path) -> None:
    ours = measured(run, tmp_path, "--np", 4, "--mode", "sim:hosts=2", "--schedule", "inter-host", "-n", 2)
    near = np.kron(np.eye(2), np.ones((2, 2))) > 0
    assert ((ours.times > 0) == ~near).all()
    assert ((ours.steps > 0) == ~near).all()


def test_every_rank_of_mpi_writes_its_own_part(run: Run, tmp_path: Path) -> None:
    ours = measured(run, tmp_path, "--mode", "mpi", "--all-to-all", "-n", 5, "-s", "4KiB", launcher=mpi_launcher(4))
    others = ~np.eye(4, dtype=bool)
    assert (ours.times[others] > 0).all()
    assert ours.settings[2] == 1
    assert (ours.all_to_all[:, 1:] > 0).all()
    assert not ours.all_to_all[:, 0].any()
    known = ours.all_to_all[:, 1:].astype(np.float32)
    assert ours.totals[3:5] == (known.min(), known.max())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-s", "1,2"], "one message size"),
        (["-s", "2GiB"], "below 2 GiB"),
        (["--confirm", "pairs"], "cannot be continued"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(run: Run, tmp_path: Path, options: list[str], said: str) -> None:
    done = run("--np", 2, "--mode", "sim", "-o", "x.sion", *options)
    assert done.returncode == 2
    assert "x.sion" in done.stderr
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_file_is_overwritten_with_force_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.sion").write_text("precious")
    done = run("--np", 2, "--mode", "sim", "-o", "x.sion")
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert (tmp_path / "x.sion").read_text() == "precious"
    assert run("--np", 2, "--mode", "sim", "-o", "x.sion", "--force").returncode == 0
    assert (read(tmp_path / "x.sion").times > 0).sum() == 2
    assert "x.sion" in run("--np", 2, "--mode", "sim", "--resume", "x.sion").stderr


def test_disk_space_is_reserved_before_measuring(tmp_path: Path) -> None:
    command = f"ulimit -f 8; exec {measure_program()} --np 4 --mode sim -o x.sion"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "x.sion: cannot be written: File too large" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seen", ["nothing", "another run's"])
def test_a_folder_that_hosts_do_not_share_is_refused_before_measuring(tmp_path: Path, seen: str) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    if seen != "nothing":
        (folders[1] / "x.sion").write_bytes(b"sion" + bytes(20000))
    with_port = subprocess.run(
        ["python3", "-c", "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    environment = os.environ | {
        "EVERYLINK_SIZE": "2",
        "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{with_port.stdout.strip()}",
        "EVERYLINK_KEY": "0123456789abcdef" * 4,
    }
    ranks = [
        subprocess.Popen(
            [measure_program(), "-o", "x.sion"], cwd=folder, env=environment | {"EVERYLINK_RANK": str(rank)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank, folder in enumerate(folders)
    ]  # fmt: skip
    said = [rank.communicate(timeout=PATIENCE)[1] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [2, 2]
    assert "rank 1 on" in said[0]
    assert "a file system that all hosts share" in said[0]
    assert not list(folders[0].iterdir())
    assert not list(folders[1].glob("x.sion.*"))


# Runs that end early.


def started(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A run without an end, once ranks have saved measurements; and the ranks."""
    command = [measure_program(), "--np", "4", "--mode", "sim", "-n", "3", "-w", "0", "--min-runtime", "100h"]
    process = subprocess.Popen(
        [*command, "-o", str(tmp_path / "x.sion"), "--num-slowest", "0", "--progress", "none"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    path = tmp_path / "x.sion"
    while not (path.exists() and (read(path).times > 0).sum() == len(read_results(path).sizes[0].links) == 12):
        assert time.monotonic() < until
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return process, [int(pid) for pid in children]


def test_a_signal_leaves_a_whole_file(tmp_path: Path) -> None:
    process, _ = started(tmp_path)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "holds what was measured so far" in said
    left = read(tmp_path / "x.sion")
    assert (left.times > 0).sum() == 12
    assert left.totals[0] == pytest.approx(left.times[left.times > 0].min())


def test_a_run_that_is_killed_leaves_what_was_saved(tmp_path: Path) -> None:
    process, ranks = started(tmp_path)
    for pid in [process.pid, *ranks]:
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert (read(tmp_path / "x.sion").times > 0).sum() == 12
    left = read_results(tmp_path / "x.sion")
    assert (len(left.sizes[0].links), left.facts.complete) == (12, False)


@pytest.mark.long
def test_a_file_is_readable_during_the_run(tmp_path: Path) -> None:
    process, _ = started(tmp_path)
    during = read_results(tmp_path / "x.sion")
    assert (len(during.sizes[0].links), during.facts.kernel, during.facts.complete) == (12, "semidirectional", False)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert read_results(tmp_path / "x.sion").facts.interrupted


@pytest.mark.long
def test_ranks_that_lose_rank_0_write_their_rows(tmp_path: Path) -> None:
    process, ranks = started(tmp_path)
    os.kill(ranks[0], signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    left = read(tmp_path / "x.sion")
    assert (left.times[1:, 1:] > 0).sum() == 6
    assert len(read_results(tmp_path / "x.sion").sizes[0].links) == 12


@pytest.mark.long
def test_a_run_whose_file_is_removed_goes_on(tmp_path: Path) -> None:
    process, _ = started(tmp_path)
    (tmp_path / "x.sion").unlink()
    parts = tmp_path / "x.sion.parts" / "0"
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "the file was removed or replaced during the run; the run goes on" in said or "No such file" in said
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert parts.stat().st_size > 0
    assert not (tmp_path / "x.sion").exists()


# LinkTest's own analyser, built from github.com/pramodk/LinkTest with the serial part of SIONlib.

ANALYSER = os.environ.get("EVERYLINK_PINGPONGANALYSIS", "")


@pytest.mark.long("LinkTest's pingponganalysis")
@pytest.mark.skipif(not ANALYSER, reason="EVERYLINK_PINGPONGANALYSIS names no pingponganalysis of LinkTest 1.2")
@pytest.mark.parametrize("writer", ["linktest", "convert"])
@pytest.mark.parametrize("ranks", [8, 16])
def test_linktests_own_analyser_reads_every_time(run: Run, tmp_path: Path, ranks: int, writer: str) -> None:
    faults = "sim:hosts=4,slow-host=1*0.5,jitter-host=0*3"
    ours = measured(run, tmp_path, "--np", ranks, "--mode", faults, "-s", "64KiB", "-n", 20, "--bidirectional")
    if writer == "convert":
        for names in (["x.sion", "y.h5"], ["y.h5", "x.sion", "--force"]):
            convert = [sys.executable, "-P", "-m", "everylink", "convert", *names]
            subprocess.run(convert, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    command = [ANALYSER, "-g", "-B", "-D", "-p", "x.sion"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    lines = [line.split() for line in (tmp_path / "gnuplotinput.dat").read_text().splitlines()]
    found = {(int(line[0]), int(line[1])): float(line[2]) for line in lines if len(line) == 4}
    links = [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    assert set(links) <= set(found)
    assert [found[link] for link in links] == pytest.approx([float(ours.times[link]) for link in links], abs=1e-8)
    assert (tmp_path / "report_fzjlinktest.ps").read_bytes()[:4] == b"%!PS"
