"""What a host lacks (descriptors, memory) is said of that host, never of the network."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest
from hosts_runs import wait_until
from netns_runs import skip_unless_usable

from conftest import PATIENCE, Everylink, Outcome, Run, free_port, measure_program, read_plainly

OK, ABSENT, LOCAL = 0, 4, 6
RANKS = 4
QUICK = ["-n", 3, "-w", 0, "--num-slowest", 0, "--progress", "none", "--time-limit", 1]


@dataclass
class Ended:
    """The exit codes of the ranks, what rank 0 said, and the results file."""

    codes: list[int]
    out: str
    err: str
    path: Path

    @property
    def results(self) -> Outcome:
        return read_plainly(self.path)


def run_with(folder: Path, limits: dict[int, str], options: Sequence[object], key: str = "of all ranks") -> Ended:
    """Run ranks by the three variables, each with its own limits, as shells set them."""
    path = folder / "x.h5"
    variables = {"EVERYLINK_SIZE": str(RANKS), "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{free_port()}"}
    variables |= {"EVERYLINK_KEY": key} if key else {}
    words = [measure_program(), *map(str, options), "--join-limit", "5", "--force", "-o", str(path)]
    ranks = [
        subprocess.Popen(
            ["sh", "-c", f'{limits.get(rank, ":")}; exec "$@"', "sh", *words],
            env=os.environ | variables | {"EVERYLINK_RANK": str(rank)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(RANKS)
    ]  # fmt: skip
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    return Ended([rank.returncode for rank in ranks], *said[0], path)


def assert_only_local(result: Outcome, rank: int) -> None:
    """The links of this rank were measured or not, for its own reasons; all others are ok."""
    links = result.only.main()
    of_rank = (links["from"] == rank) | (links["to"] == rank)
    assert sorted(links.links()) == [(a, b) for a in range(RANKS) for b in range(RANKS) if a != b]
    assert set(links["outcome"][of_rank].tolist()) <= {OK, LOCAL}
    assert LOCAL in links["outcome"][of_rank]
    assert set(links["outcome"][~of_rank].tolist()) == {OK}
    for link_from, link_to in links.links():
        there, back = (links.row(*link)["outcome"] for link in ((link_from, link_to), (link_to, link_from)))
        assert there == back, "what one end lacks is the outcome of both links of a pair"
    assert result.attributes["format_version"] == 2, "an older reader would take these links for broken"


def diagnosed(path: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "everylink", "diagnose", str(path)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("mode", "files"), [("tcp", 6), ("ofi:provider=tcp", 12), ("ucp:tls=tcp", 12)], ids=["tcp", "ofi", "ucp"]
)
@pytest.mark.one_in(3)
def test_a_rank_that_may_open_too_few_files_is_named_and_no_link_is_broken(
    tmp_path: Path, mode: str, files: int
) -> None:
    if mode != "tcp":
        skip_unless_usable(mode)
    ended = run_with(tmp_path, {2: f"ulimit -n {files}"}, ["-m", mode, "-s", "1KiB", *QUICK])
    assert ended.codes == [4, 4, 4, 4], ended.err
    assert_only_local(ended.results, 2)
    (line,) = (line for line in ended.out.splitlines() if "could not be measured: " in line)
    assert line.endswith(f"too many open files on host {ended.results.ranks['host'][2].decode()} (rank 2)")
    assert "FAILED" not in ended.out
    with h5py.File(ended.path) as file:
        assert set(zip(file["local_faults/rank"][:].tolist(), file["local_faults/cause"][:].tolist(), strict=True)) == {
            (2, b"too many open files")
        }


def test_without_a_key_a_rank_needs_a_descriptor_to_see_whose_process_rank_0_is(tmp_path: Path) -> None:
    ended = run_with(tmp_path, {2: "ulimit -n 6"}, ["-s", 1, *QUICK], key="")
    assert ended.codes == [4, 4, 4, 4], ended.err
    assert_only_local(ended.results, 2)


def test_diagnose_does_not_vouch_for_links_that_a_host_could_not_measure(tmp_path: Path) -> None:
    """Of links that take microseconds on a busy machine, some may be called slow; these never are."""
    ended = run_with(tmp_path, {2: "ulimit -n 6"}, ["-s", 1, *QUICK])
    done = subprocess.run(
        [sys.executable, "-m", "everylink", "diagnose", str(ended.path)], capture_output=True, text=True, check=False
    )
    assert done.returncode in (3, 4)
    assert "could not be measured: too many open files on host" in "".join(done.stdout.splitlines()[:2])
    assert "broken" not in done.stdout
    assert "timeout" not in done.stdout
    assert "absent" not in done.stdout


@pytest.mark.parametrize("files", [4, 5])
def test_a_rank_that_can_open_one_connection_joins_and_tells_what_its_host_lacks(tmp_path: Path, files: int) -> None:
    ended = run_with(tmp_path, {2: f"ulimit -n {files}"}, ["-s", 1, *QUICK])
    assert ended.codes == [4, 4, 4, 4], ended.err
    assert_only_local(ended.results, 2)
    assert f"{6 if files == 4 else 4} of 12 links could not be measured: too many open files on host" in ended.out
    assert "did not join" not in ended.err


@pytest.mark.parametrize("files", [8, 10])
def test_a_rank_joins_and_measures_with_few_files(tmp_path: Path, files: int) -> None:
    ended = run_with(tmp_path, {2: f"ulimit -n {files}"}, ["-s", 1, *QUICK])
    assert ended.codes == [0, 0, 0, 0], ended.err
    assert set(ended.results.only["outcome"]) == {OK}


@contextmanager
def three_ranks(path: Path, *options: object) -> Iterator[tuple[list[subprocess.Popen[str]], list[tuple[str, str]]]]:
    """Ranks that measure, and, once the block has ended, what they said; they have ended well by then."""
    variables = {"EVERYLINK_SIZE": "3", "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{free_port()}"}
    words = [measure_program(), *map(str, [*QUICK, *options]), "-o", str(path)]
    ranks = [
        subprocess.Popen(
            words, env=os.environ | variables | {"EVERYLINK_RANK": str(rank)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(3)
    ]  # fmt: skip
    said: list[tuple[str, str]] = []
    wait_until(path.exists, "the run does not begin")
    time.sleep(0.5)
    try:
        yield ranks, said
    finally:
        said.extend(rank.communicate(timeout=PATIENCE) for rank in ranks)
    assert [rank.returncode for rank in ranks] == [0, 0, 0], said


def unmeasured(said: list[tuple[str, str]]) -> str:
    """What hosts lacked. On a slow machine some links may not have been measured once before that."""
    (what,) = re.findall(r"(?:Some measurements could not be made|links could not be measured): (.*)", said[0][0])
    return str(what)


def test_a_rank_that_runs_out_of_files_in_the_middle_of_a_run_breaks_no_link(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with three_ranks(path, "-s", 1, "--min-runtime", 3) as (ranks, said):
        resource.prlimit(ranks[1].pid, resource.RLIMIT_NOFILE, (3, 3))
    assert set(read_plainly(path).only["outcome"].tolist()) == {OK, LOCAL}
    assert unmeasured(said).startswith("too many open files on host")


def test_a_rank_that_others_keep_from_the_processor_breaks_no_link(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    core = max(os.sched_getaffinity(0))
    with three_ranks(path, "-s", "256KiB", "-n", 20, "--min-runtime", 5) as (ranks, said):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
        try:
            for process in (ranks[1], *busy):
                os.sched_setaffinity(process.pid, {core})
            os.sched_setscheduler(ranks[1].pid, os.SCHED_IDLE, os.sched_param(0))
            time.sleep(4)
        finally:
            for process in busy:
                process.kill()
                process.wait()
    assert set(read_plainly(path).only["outcome"].tolist()) == {OK, LOCAL}
    assert "hardly any processor time on host" in unmeasured(said)
    assert "FAILED" not in said[0][0]


def test_a_rank_that_is_stopped_for_a_while_breaks_no_link(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with three_ranks(path, "-s", "256KiB", "-n", 100, "--min-runtime", 6) as (ranks, said):
        for _ in range(3):
            ranks[1].send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            ranks[1].send_signal(signal.SIGCONT)
            time.sleep(0.3)
    assert set(read_plainly(path).only["outcome"].tolist()) == {OK, LOCAL}
    assert "stopped by a signal for a while on host" in unmeasured(said)


def test_a_rank_without_memory_for_its_messages_goes_on_and_is_named(tmp_path: Path) -> None:
    ended = run_with(tmp_path, {1: "ulimit -v 120000"}, ["-s", "64MiB", *QUICK, "--time-limit", 20])
    assert ended.codes == [4, 4, 4, 4], ended.err
    assert_only_local(ended.results, 1)
    assert "6 of 12 links could not be measured: not enough memory on host" in ended.out


def test_without_memory_on_every_rank_nothing_is_measured_and_the_hosts_are_named(tmp_path: Path) -> None:
    ended = run_with(tmp_path, dict.fromkeys(range(RANKS), "ulimit -v 120000"), ["-s", "64MiB", *QUICK])
    assert ended.codes == [1, 1, 1, 1]
    assert ended.err.startswith("everylink-measure: no link can be measured: not enough memory on host")
    assert not ended.path.exists()


def test_a_load_pattern_goes_on_without_a_rank_that_has_no_memory_for_its_messages(tmp_path: Path) -> None:
    options = ["shift", "-s", "32MiB", "--window", 1, "--duration", 0.02, "--progress", "none", "--time-limit", 20]
    ended = run_with(tmp_path, {1: "ulimit -v 120000"}, options)
    assert ended.codes == [4, 4, 4, 4], ended.err
    with h5py.File(ended.path) as file:
        flows = file["patterns/shift/flows"]
        of_rank = (flows["from"][:] == 1) | (flows["to"][:] == 1)
        assert set(flows["outcome"][:][of_rank].tolist()) == {LOCAL}
        assert set(flows["outcome"][:][~of_rank].tolist()) == {OK}
    assert "6 of 12 links could not be measured: not enough memory on host" in ended.out


@pytest.mark.long("half a minute")
def test_flows_of_a_load_pattern_are_not_broken_by_a_rank_that_may_open_too_few_files(tmp_path: Path) -> None:
    options = ["shift", "-s", "1KiB", "--duration", 0.02, "--progress", "none"]
    ended = run_with(tmp_path, {2: "ulimit -n 6"}, options)
    assert ended.codes == [4, 4, 4, 4], ended.err
    with h5py.File(ended.path) as file:
        flows = file["patterns/shift/flows"]
        of_rank = (flows["from"][:] == 2) | (flows["to"][:] == 2)
        assert set(flows["outcome"][:][of_rank].tolist()) <= {OK, LOCAL}
        assert LOCAL in flows["outcome"][:]
        assert set(flows["outcome"][:][~of_rank].tolist()) == {OK}
    assert "could not be measured: too many open files on host" in ended.out
    assert "FAILED" not in ended.out
    assert diagnosed(ended.path)[0] == 4


def test_a_run_on_one_machine_says_at_once_how_many_files_it_needs(run: Run) -> None:
    done = run("--np", 4, "-s", 1, launcher=["sh", "-c", 'ulimit -n 10; exec "$@"', "sh"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "everylink-measure: only 10 files may be open at once, but this run needs 68; ulimit -n 68 allows them\n"
    )


def test_everylink_run_names_the_host_and_ends_undecided(everylink: Everylink, ssh_folder: Path) -> None:
    skip_unless_usable("ofi")
    options = ["-s", 1, "-n", 3, "-w", 0, "--num-slowest", 0, "--time-limit", 1]
    code, out, err = everylink("--hosts", "n1,n2,few12", "-m", "ofi:provider=tcp", *options)
    assert code in (3, 4), err  # of three ranks on a busy machine, one may look slow
    links = read_plainly(ssh_folder / "everylink.h5").only.main()
    assert sorted(links["outcome"].tolist()) == [OK, OK, LOCAL, LOCAL, LOCAL, LOCAL]
    assert "4 of 6 links could not be measured: too many open files on host few12 (rank 0)" in out
