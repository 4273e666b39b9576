"""Ranks that never join: everything else is measured, and the links of these ranks are recorded as absent."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hosts_runs import wait_until

from conftest import PATIENCE, Outcome, Run, free_port, measure_program, read_plainly

QUICK = ["-n", 3, "-w", 0, "--num-slowest", 0, "--progress", "none"]

ABSENT = 4
AT_ONCE = PATIENCE / 12  # seconds; without the knowledge of the supervisor, each wait is 25 or 60 s


def assert_absent(result: Outcome, rank: int) -> None:
    """All links of this rank are absent, and all others were measured."""
    links = result.only.main()
    of_rank = (links["from"] == rank) | (links["to"] == rank)
    assert sorted(links.links()) == [(a, b) for a in range(4) for b in range(4) if a != b]
    assert set(links["outcome"][of_rank].tolist()) == {ABSENT}
    assert set(links["outcome"][~of_rank].tolist()) == {0}
    assert (links["median"][~of_rank] > 0).all()
    assert result.attributes["complete"] == 1


def by_hand(folder: Path, numbers: list[int], *options: object) -> tuple[list[int], list[tuple[str, str]]]:
    """The exit codes of these ranks of 4, and what they said on standard output and error."""
    variables = {"EVERYLINK_SIZE": "4", "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{free_port()}"}
    command = [measure_program(), *map(str, QUICK), "--join-limit", "2", "-o", str(folder / "x.h5"), *map(str, options)]
    ranks = [
        subprocess.Popen(
            command, env=os.environ | variables | {"EVERYLINK_RANK": str(rank)}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        for rank in numbers
    ]  # fmt: skip
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    return [rank.returncode for rank in ranks], said


@pytest.mark.parametrize("missing", [1, 3])
def test_a_rank_that_does_not_join_is_absent_and_the_others_are_measured(tmp_path: Path, missing: int) -> None:
    codes, said = by_hand(tmp_path, [rank for rank in range(4) if rank != missing])
    assert codes == [3, 3, 3], said
    sentence = f"rank {missing} did not join; its links are recorded as absent"
    assert said[0][1] == f"everylink-measure: warning: {sentence}\n"
    assert f"Note: {sentence}" in said[0][0]
    result = read_plainly(tmp_path / "x.h5")
    assert_absent(result, missing)
    assert result.ranks["host"][missing].decode() == f"rank {missing}"


def test_confirm_goes_on_without_a_rank_that_has_gone_since_the_run(tmp_path: Path) -> None:
    codes, said = by_hand(tmp_path, [0, 1, 2, 3])
    assert codes == [0, 0, 0, 0], said
    (tmp_path / "plan").write_text("0 1 order\n2 3 order\n")
    codes, said = by_hand(tmp_path, [0, 1, 2], "--confirm", tmp_path / "plan")
    assert set(codes) <= {0, 3}, said
    result = read_plainly(tmp_path / "x.h5")
    again = result.only.where(result.only["attempt"] == 3)
    outcomes = dict(zip(again.links(), again["outcome"].tolist(), strict=True))
    assert (outcomes[0, 1], outcomes[2, 3]) == (0, ABSENT)
    assert result.ranks["host"][3] == result.ranks["host"][0]  # as it was


def test_if_no_rank_joins_there_is_no_results_file(run: Run, tmp_path: Path) -> None:
    variables = {"EVERYLINK_SIZE": "3", "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{free_port()}", "EVERYLINK_RANK": "0"}
    done = run(*QUICK, "--join-limit", 0.2, "-o", "x.h5", environment=variables)
    assert done.returncode == 1
    assert done.stderr == "everylink-measure: rank 0: no other rank joined; missing: 1, 2\n"
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_is_lost_before_its_ranks_join_is_absent_by_its_name(run: Run, tmp_path: Path) -> None:
    lines = ["ranks 0 3 4", "cores 0 4", "key 0123456789abcdef", "meet loopback", "host 0 3 n06", "host 3 1 n07", "go"]
    read, write = os.pipe()
    os.write(write, "".join(f"{line}\n" for line in [*lines, "lost 3 1"]).encode())
    began = time.monotonic()
    done = run("--bootstrap", "stdin", *QUICK, "-o", "x.h5", stdin=read)
    os.close(write)
    os.close(read)
    assert time.monotonic() - began < AT_ONCE
    assert done.returncode == 3, done.stderr
    assert done.stderr == ("everylink-measure: warning: rank 3 (n07) did not join; its links are recorded as absent\n")
    assert "host n07: 6 of 6 links found the peer gone" in done.stdout
    result = read_plainly(tmp_path / "x.h5")
    assert_absent(result, 3)
    assert result.ranks["host"][3] == b"n07"


# The first call of each rank that a supervisor starts is prctl.
STOP_AT_BIRTH = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int prctl(int option, ...) {
  va_list rest;
  va_start(rest, option);
  const long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long);
  va_end(rest);
  if (option == PR_SET_PDEATHSIG) raise(SIGSTOP);
  return syscall(SYS_prctl, option, a, b, c, d);
}
"""


@pytest.fixture(scope="session")
def stops_ranks_at_birth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that, loaded before all others, stops each rank as soon as it is started."""
    library = tmp_path_factory.mktemp("stop") / "stop_at_birth.so"
    command = ["cc", "-shared", "-fPIC", "-x", "c", "-o", str(library), "-"]
    subprocess.run(command, input=STOP_AT_BIRTH, text=True, check=True)
    return library


class Starting:
    """Four ranks under --np that are stopped at birth."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.process = subprocess.Popen(
            [measure_program(), "--np", "4", *map(str, QUICK), "-o", str(folder / "x.h5")],
            env=os.environ | {"LD_PRELOAD": str(library)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.ranks: list[int] = []
        wait_until(self.are_stopped, "the ranks were not stopped at birth")

    def are_stopped(self) -> bool:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.ranks = [int(child) for child in children if _state_of(child) == "T"]
        return len(self.ranks) == 4

    def go_on(self, *ranks: int) -> None:
        for rank in ranks:
            os.kill(self.ranks[rank], signal.SIGCONT)

    def end(self) -> str:
        """Wait for the end, which comes at once; return standard error."""
        began = time.monotonic()
        _, said = self.process.communicate(timeout=PATIENCE)
        assert time.monotonic() - began < AT_ONCE
        return said


def _state_of(process: str) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_rank_that_is_killed_before_it_joins_ends_the_wait(tmp_path: Path, stops_ranks_at_birth: Path) -> None:
    start = Starting(tmp_path, stops_ranks_at_birth)
    os.kill(start.ranks[2], signal.SIGKILL)
    start.go_on(0, 1, 3)
    said = start.end()
    assert start.process.returncode == 3, said
    assert said.splitlines()[0] == "everylink-measure: rank 2 was ended by signal 9 (Killed)"
    assert "did not join; its links are recorded as absent" in said
    result = read_plainly(tmp_path / "x.h5")
    assert_absent(result, 2)
    assert len(set(result.ranks["host"].tolist())) == 1, "its host is known"


def test_if_rank_0_is_killed_before_the_run_begins_the_run_ends_at_once(
    tmp_path: Path, stops_ranks_at_birth: Path
) -> None:
    start = Starting(tmp_path, stops_ranks_at_birth)
    os.kill(start.ranks[0], signal.SIGKILL)
    start.go_on(1, 2)  # rank 3 stays stopped
    assert start.end() == "everylink-measure: rank 0 was ended by signal 9 (Killed)\n"
    assert start.process.returncode == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("running", [(0, 1, 2), (0,), ()])
def test_ctrl_c_before_all_ranks_have_joined_ends_the_run_at_once(
    tmp_path: Path, stops_ranks_at_birth: Path, running: tuple[int, ...]
) -> None:
    start = Starting(tmp_path, stops_ranks_at_birth)
    start.go_on(*running)
    time.sleep(0.5)
    start.process.send_signal(signal.SIGINT)
    said = start.end()
    assert start.process.returncode == 1, said
    assert said in ("", "everylink-measure: rank 0: interrupted before all ranks had joined\n")
    assert list(tmp_path.iterdir()) == []
