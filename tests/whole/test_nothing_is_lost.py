"""Measured data is not lost: signals, a killed rank 0, a full disk, a removed folder; and runs that are resumed."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import chaos
import h5py
import numpy as np
import pytest

from conftest import PATIENCE, Outcome, Run, Table, measure_program, mpi_launcher, read_plainly
from everylink.errors import FileDamaged
from everylink.io.checksums import batches_in
from everylink.io.hdf5 import Node, open_hdf5
from everylink.io.read import read
from everylink.io.unsaved import HEAD, ROW

RANKS = 5
ENDLESS = ["-n", 3, "-w", 0, "--num-slowest", 0, "-s", "1,64", "--min-runtime", "100h"]
TCP = ["--mode", "tcp", "--time-limit", 10 * chaos.PATIENCE, *ENDLESS]
needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")


@pytest.fixture(autouse=True)
def no_leftover_processes() -> Iterator[None]:
    """Each test adopts the orphans of its runs, and none may remain."""
    before = set(chaos.descendants_of(os.getpid()))
    chaos.adopt_orphans(True)
    yield
    left = chaos.wait_for_descendants(before, PATIENCE)
    chaos.adopt_orphans(False)
    assert not left


class Running:
    """A run that continues until the test intervenes."""

    def __init__(
        self, folder: Path, *arguments: object, launcher: list[str] | None = None, place: Path | None = None
    ) -> None:
        self.path = place or folder / "x.h5"
        output = [] if "--resume" in arguments else ["-o", self.path]
        command = [*(launcher or ["env"]), measure_program(), *(str(a) for a in [*arguments, *output])]
        if not launcher:
            command = command[1:]
        self.out, self.err = folder / "out", folder / "err"
        with self.out.open("w") as out, self.err.open("w") as err:
            self.process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=err, start_new_session=True)

    def committed(self) -> int:
        try:
            with h5py.File(self.path, "r", swmr=True) as file:
                return int(file.attrs["rows"])
        except OSError:
            return -1

    def wait_for_rows(self, more_than: int = 0) -> int:
        until = time.monotonic() + PATIENCE
        while (rows := self.committed()) <= more_than:
            assert time.monotonic() < until, "no rows were committed"
            assert self.process.poll() is None, self.err.read_text()
            time.sleep(0.02)
        return rows

    def wait_for_the_end_of_the_file(self) -> None:
        until = time.monotonic() + PATIENCE
        while not read(self.path).facts.interrupted:
            assert time.monotonic() < until, "the file was not closed"
            time.sleep(0.1)

    def wait_for_text(self, text: str) -> None:
        until = time.monotonic() + PATIENCE
        while text not in self.out.read_text():
            assert time.monotonic() < until, f"'{text}' was not said"
            time.sleep(0.02)

    def rank(self, number: int) -> int:
        """A pidfd of a rank's process."""
        return os.pidfd_open(chaos.children_of(self.process.pid)[number])

    def signal_rank(self, number: int, sent: int) -> None:
        handle = self.rank(number)
        signal.pidfd_send_signal(handle, sent)
        os.close(handle)

    def end(self) -> int:
        return self.process.wait(PATIENCE)

    def left(self) -> Outcome:
        """The content of the file, read with h5py only; it must open normally."""
        return read_plainly(self.path, self.process.returncode, self.out.read_text(), self.err.read_text())


def assert_closed_properly(left: Outcome, rows: int) -> None:
    assert left.code == 1, left.err
    assert "a signal ends the run" in left.err
    assert (left.attributes["complete"], left.attributes["interrupted"]) == (0, 1)
    for table in left.sizes.values():
        assert len(table["from"]) >= rows
        assert (table["outcome"] == 0).all(), "a link is accused of what a signal did"
        assert (table["median"] > 0).all()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda sent: sent.name)
@pytest.mark.one_in(2)
def test_a_signal_closes_the_file(tmp_path: Path, sent: signal.Signals) -> None:
    run = Running(tmp_path, "--np", RANKS, *TCP)
    rows = run.wait_for_rows()
    run.process.send_signal(sent)
    run.end()
    assert_closed_properly(run.left(), rows)
    assert not (tmp_path / "x.h5.parts").exists()


def test_a_signal_to_all_processes_at_once_closes_the_file_too(tmp_path: Path) -> None:
    run = Running(tmp_path, "--np", RANKS, *TCP)
    rows = run.wait_for_rows()
    os.killpg(run.process.pid, signal.SIGINT)
    run.end()
    assert_closed_properly(run.left(), rows)


@needs_mpi
@pytest.mark.parametrize("mode", ["tcp", "mpi"])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
@pytest.mark.one_in(4)
def test_a_signal_to_mpirun_closes_the_file(tmp_path: Path, sent: signal.Signals, mode: str) -> None:
    run = Running(tmp_path, "--bootstrap", "mpi", *TCP, "--mode", mode, launcher=mpi_launcher(4))
    rows = run.wait_for_rows()
    run.process.send_signal(sent)
    run.end()
    left = read_plainly(run.path)
    assert (left.attributes["complete"], left.attributes["interrupted"]) == (0, 1)
    assert len(left.sizes[64]["from"]) >= rows
    assert (left.sizes[64]["outcome"] == 0).all()


def test_a_signal_works_while_a_rank_is_stopped(tmp_path: Path) -> None:
    run = Running(tmp_path, "--np", RANKS, "--mode", "tcp", "--time-limit", 1, *ENDLESS)
    rows = run.wait_for_rows()
    handle = run.rank(2)
    signal.pidfd_send_signal(handle, signal.SIGSTOP)
    run.process.send_signal(signal.SIGTERM)
    run.wait_for_the_end_of_the_file()
    signal.pidfd_send_signal(handle, signal.SIGCONT)  # otherwise the supervisor waits for it
    os.close(handle)
    run.end()
    left = run.left()
    assert (left.attributes["complete"], left.attributes["interrupted"]) == (0, 1)
    table = left.sizes[64]
    assert len(table["from"]) >= rows
    assert set(table["outcome"][(table["from"] != 2) & (table["to"] != 2)].tolist()) == {0}


def test_an_interim_summary_is_printed_and_the_run_continues(tmp_path: Path) -> None:
    run = Running(tmp_path, "--np", RANKS, *TCP, "--progress", "none")
    run.wait_for_rows()
    run.process.send_signal(signal.SIGUSR1)
    run.wait_for_text("So far:")
    run.wait_for_text("RESULT: Min Time:")
    rows = run.wait_for_rows(run.committed())
    run.process.send_signal(signal.SIGTERM)
    run.end()
    assert_closed_properly(run.left(), rows)


@needs_mpi
@pytest.mark.long
def test_an_interim_summary_is_printed_under_mpirun(tmp_path: Path) -> None:
    run = Running(tmp_path, "--bootstrap", "mpi", *TCP, "--progress", "none", launcher=mpi_launcher(4))
    run.wait_for_rows()
    run.process.send_signal(signal.SIGUSR1)
    run.wait_for_text("So far:")
    run.wait_for_rows(run.committed())
    run.process.send_signal(signal.SIGTERM)
    run.end()


# Loss of rank 0.


def test_after_rank_0_is_killed_unsaved_rows_of_the_others_are_found(tmp_path: Path) -> None:
    run = Running(tmp_path, "--np", RANKS, *TCP)
    rows = run.wait_for_rows()
    time.sleep(0.4)  # for rows that were reported but not committed
    run.signal_rank(0, signal.SIGKILL)
    assert run.end() == 1
    assert "rank 0 was ended by signal 9" in run.err.read_text()
    raw = read_plainly(run.path, swmr=True)
    assert (raw.attributes["complete"], raw.attributes["interrupted"]) == (0, 0)
    results = read(run.path)
    assert results.parts_left_out == ()
    assert results.rows_from_parts > 0
    for size in results.sizes:
        assert len(size.rows.frm) > len(raw.sizes[size.bytes]["from"]) >= rows
        lost = (size.rows.frm == 0) | (size.rows.to == 0)
        assert (size.rows.outcome[~lost] == 0).all(), "a link is accused that had nothing to do with rank 0"
        assert (size.rows.median[size.rows.outcome == 0] > 0).all()


def test_after_the_supervisor_is_killed_the_file_is_whole(tmp_path: Path) -> None:
    run = Running(tmp_path, "--np", RANKS, *TCP)
    rows = run.wait_for_rows()
    run.process.kill()
    run.end()
    assert len(read_plainly(run.path, swmr=True).sizes[64]["from"]) >= rows


# Loss of the file's place.


GOES_ON = "the run goes on, its further rows go to"
STEPS_AT_ONCE = 16  # in an order


def assert_goes_on(run: Running, err: Path, why: str) -> None:
    """The run said once why it records nothing more, measures on, and ends with exit code 1 when a signal ends it."""
    until = time.monotonic() + PATIENCE
    while GOES_ON not in err.read_text():
        assert time.monotonic() < until, "the run did not say that it cannot write"
        assert run.process.poll() is None, err.read_text()
        time.sleep(0.02)
    assert why in err.read_text()
    for _ in range(2):  # a summary is printed between two steps
        printed = run.out.read_text().count("So far:") if run.out.exists() else 0
        os.killpg(run.process.pid, signal.SIGUSR1)
        while run.out.exists() and run.out.read_text().count("So far:") == printed:
            assert time.monotonic() < until, "the run measures no more"
            time.sleep(0.02)
    os.killpg(run.process.pid, signal.SIGTERM)
    assert run.end() == 1
    lines = err.read_text().splitlines()
    assert [GOES_ON in line for line in lines].count(True) == 1, lines
    assert sum(f"a signal ends the run early; {run.path}.parts holds what" in line for line in lines) == 1, lines


@pytest.mark.parametrize("mode", ["tcp", "sim"])
@pytest.mark.one_in(2)
def test_a_run_whose_file_is_truncated_goes_on_and_keeps_what_it_measures_beside_it(tmp_path: Path, mode: str) -> None:
    run = Running(tmp_path, "--np", 4, *TCP, "--mode", mode, "--progress", "none")
    rows = run.wait_for_rows()
    os.truncate(run.path, 2000)
    assert_goes_on(run, run.err, "the file was truncated during the run")
    assert run.path.stat().st_size == 2000  # it was left alone
    assert run.err.read_text().count("\n") == 2  # the other line tells of the signal
    with pytest.raises(FileDamaged, match=rf"; \d+ rows that it lacks are in {re.escape(str(tmp_path))}/x\.h5\.parts"):
        read(run.path)
    parts = (tmp_path / "x.h5.parts" / "0").read_bytes()
    left = np.frombuffer(parts, ROW, offset=HEAD.itemsize)
    assert left["step"].max() > rows // 12 + 2  # 12 links; at least the steps between the two summaries
    assert set(left["frm"].tolist()) == set(range(4))
    assert (left["outcome"] == 0).all()
    # Rank 0 has the rows of all, but may not wait for those of the order in which the signal came.
    known = set(left[["bytes", "frm", "to", "step"]].tolist())
    for path in (tmp_path / "x.h5.parts").iterdir():
        own = np.frombuffer(path.read_bytes(), ROW, offset=HEAD.itemsize)[["bytes", "frm", "to", "step"]].tolist()
        late = {row for row in own if row not in known}
        assert all(str(frm) == path.name and step > left["step"].max() - STEPS_AT_ONCE for _, frm, _, step in late)


@pytest.mark.parametrize("most", [48, 1024], ids=["all-rows", "later-rows"])
@pytest.mark.one_in(2)
def test_rows_that_the_file_does_not_take_are_merged_from_beside_it(most: int, tmp_path: Path) -> None:
    # A limit on file sizes, in KiB, replaces the full disk.
    limited = ["bash", "-c", f'ulimit -f {most}; exec "$@"', "bash"]
    run = Running(tmp_path, "--np", 4, *TCP, "--mode", "sim", "--progress", "none", launcher=limited)
    assert_goes_on(run, run.err, "File too large")
    results = read(run.path)
    assert results.parts_left_out == ()
    assert results.rows_from_parts > 0
    for size in results.sizes:
        turns = np.stack([size.rows.frm, size.rows.to, size.rows.step]).T
        assert len(np.unique(turns, axis=0)) == len(turns), "a row is there twice"
        assert (size.rows.outcome == 0).all()
        # A step has 4 links; the last of them may be in no file, because the signal ended it.
        steps = np.unique(size.rows.step)
        assert np.array_equal(steps, np.arange(len(steps))), "a step is missing"


@pytest.mark.skipif(not shutil.which("unshare") or os.geteuid() != 0, reason="a small disk requires root and unshare")
@pytest.mark.long("half a minute")
def test_on_a_full_disk_the_run_goes_on_and_leaves_what_was_committed(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    script = 'trap : TERM USR1; mount -t tmpfs -o size=3m none disk; "$@" & p=$!; while kill -0 $p 2>&-; do wait $p; '
    script += "code=$?; done; cp disk/x.h5 .; exit $code"
    small_disk = ["unshare", "--mount", "bash", "-c", script, "bash"]
    run = Running(tmp_path, "--np", RANKS, *TCP, place=tmp_path / "disk" / "x.h5", launcher=small_disk)
    assert_goes_on(run, run.err, "No space left on device")
    left = read_plainly(tmp_path / "x.h5", swmr=True)
    assert len(left.sizes[64]["from"]) > 0
    assert (left.sizes[64]["median"] > 0).all()
    assert len(read(tmp_path / "x.h5").sizes[1].links) == RANKS * (RANKS - 1)


def test_a_run_whose_folder_is_removed_goes_on_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    run = Running(tmp_path, "--np", RANKS, *TCP, "--progress", "none", place=tmp_path / "place" / "x.h5")
    run.wait_for_rows()
    shutil.rmtree(tmp_path / "place")
    assert_goes_on(run, run.err, "removed or replaced during the run")
    assert f"{run.path}.parts: cannot be written either" in run.err.read_text()
    assert not (tmp_path / "place").exists()


@pytest.mark.long
def test_a_load_pattern_whose_file_is_removed_goes_on_to_its_end(tmp_path: Path) -> None:
    run = Running(tmp_path, "all-to-all", "--np", 4, "--mode", "tcp", "--duration", 2, "-s", "64K")
    until = time.monotonic() + PATIENCE
    while not run.path.exists():
        assert time.monotonic() < until
    run.path.unlink()  # at once: the run has opened it by then
    assert run.end() == 1
    assert "the run goes on, and keeps nothing more of what it measures" in run.err.read_text()
    assert "all-to-all: furthest below its round" in run.out.read_text()  # which is the last line of a whole run


# Resumed runs.

FINITE = ["--mode", "tcp", "-n", 3, "-w", 0, "--num-slowest", 0, "-s", "1,64", "--time-limit", 10 * chaos.PATIENCE]
TURNS = 400


def assert_each_link_once_a_turn(table: Table, steps: Table, turns: int) -> None:
    main = table.main()
    turn = steps["iteration"][main["step"]].astype(int)
    keys = (turn * RANKS + main["from"]) * RANKS + main["to"]
    expected = [(t * RANKS + a) * RANKS + b for t in range(turns) for a in range(RANKS) for b in range(RANKS) if a != b]
    assert np.sort(keys).tolist() == expected


def left_by(tmp_path: Path, how: str) -> int:
    """A run that was ended early; returns the committed rows."""
    run = Running(tmp_path, "--np", RANKS, *FINITE, "--min-iterations", TURNS)
    run.wait_for_rows()
    if how == "rank 0 killed":
        run.signal_rank(0, signal.SIGKILL)
    else:
        run.process.send_signal(signal.SIGKILL if how == "all killed" else signal.SIGTERM)
    run.end()
    rows = len(read_plainly(run.path, swmr=how != "signal").sizes[64]["from"])
    assert rows < TURNS * RANKS * (RANKS - 1), "there is nothing to go on with"
    return rows


@pytest.mark.parametrize("how", ["signal", "all killed", "rank 0 killed"])
@pytest.mark.one_in(3)
def test_a_resumed_run_measures_what_is_missing(tmp_path: Path, how: str) -> None:
    rows = left_by(tmp_path, how)
    before = read_plainly(tmp_path / "x.h5", swmr=how != "signal").sizes
    run = Running(tmp_path, "--np", RANKS, *FINITE, "--min-iterations", TURNS, "--resume", tmp_path / "x.h5")
    assert run.end() == 0, run.err.read_text()
    after = run.left()
    assert (after.attributes["complete"], after.attributes["interrupted"]) == (1, 0)
    for size, table in after.sizes.items():
        assert_each_link_once_a_turn(table, after.steps, TURNS)
        for name, column in before[size].columns.items():
            np.testing.assert_array_equal(table[name][:rows], column[:rows], err_msg=name)
    assert read(run.path).facts.complete
    assert read(run.path).left_out == ()
    assert len(read(run.path).inventory) > 0
    with open_hdf5(run.path) as file:
        for name, count in (
            ("sizes/1", len(after.sizes[1]["from"])),
            ("steps", len(after.steps["began"])),
            ("inventory/facts", len(read(run.path).inventory.facts.host)),
        ):
            batches = batches_in(Node(file), name, count)
            assert batches is not None
            assert (batches.odd, int(batches.rows.sum())) == (0, count)  # each row has its checksum


@pytest.mark.parametrize("most", [64, 100, 180])  # KiB: after the columns, some of them, and what was read of the hosts
@pytest.mark.one_in(3)
def test_a_run_whose_file_took_no_more_is_resumed(most: int, tmp_path: Path) -> None:
    options = ["--np", RANKS, *FINITE, "--min-iterations", 50]
    run = Running(tmp_path, *options, launcher=["bash", "-c", f'ulimit -f {most}; exec "$@"', "bash"])
    assert run.end() == 1
    assert "File too large" in run.err.read_text()
    assert read(run.path).parts_left_out == ()
    resumed = Running(tmp_path, *options, "--resume", run.path)
    assert resumed.end() == 0, resumed.err.read_text()
    results = read(run.path)
    assert (results.facts.complete, results.parts_left_out, results.inventory.left_out) == (True, (), "")
    assert len(results.inventory) > 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["-n", 4], "messages is '3' in the file, but '4' now"),
        (["-s", "1,128"], "sizes are 1, 64 bytes"),
        (["--bidirectional"], "kernel is 'semidirectional' in the file, but 'bidirectional' now"),
        (["--schedule", "bisection"], "schedule is 'all' in the file, but 'bisection' now"),
        (["--np", RANKS + 1], "ranks is '5' in the file, but '6' now"),
        (["--mode", "tcp:sockets=2"], "transport_options is '' in the file, but 'sockets=2' now"),
        (["--keep-laps"], "--keep-laps"),
        (["--seed", 77], "seed is '0' in the file, but '77' now"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
@pytest.mark.one_in(3)
def test_a_run_with_other_options_is_not_resumed(
    tmp_path: Path, run: Run, options: list[object], named: str, ended_run: bytes
) -> None:
    (tmp_path / "x.h5").write_bytes(ended_run)
    done = run("--np", RANKS, *FINITE, *options, "--min-iterations", TURNS, "--resume", "x.h5")
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "--resume x.h5: " in done.stderr
    assert named in done.stderr
    assert (tmp_path / "x.h5").read_bytes() == ended_run


@pytest.fixture(scope="module")
def ended_run(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("ended")
    chaos.adopt_orphans(True)
    left_by(folder, "signal")
    return (folder / "x.h5").read_bytes()


def test_runs_that_cannot_be_resumed_are_refused(tmp_path: Path, run: Run) -> None:
    (tmp_path / "text.h5").write_text("no results\n")
    assert run("--np", 2, "--mode", "sim", "-o", "whole.h5").returncode == 0
    for name, why in (
        ("none.h5", "No such file"),
        ("text.h5", "not a results file"),
        ("whole.h5", "nothing to resume"),
    ):
        done = run("--np", 2, "--mode", "sim", "--resume", name)
        assert done.returncode == 2, done.stderr
        assert f"--resume {name}" in done.stderr
        assert why in done.stderr
