"""Faults planted among 8 hosts: the run ends, and every link has the outcome written here."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest
from netns import PATIENCE, Bed, a_bed
from netns_runs import LETTERS, Start, jobs_on, matrix

from conftest import LONG, Outcome

pytestmark = pytest.mark.xdist_group("outcomes")  # one at a time: late packets count as lost

SHORT = ["-n", 10, "-w", 2, "--time-limit", PATIENCE, "--num-slowest", 0]
SMALL = [*SHORT, "-s", 1]
BOTH = [*SHORT, "-s", "64,64KiB"]
ONCE = ["--retest-budget", 0]  # failed links are not retried

WHOLE = """
    . o o o o o o o
    o . o o o o o o
    o o . o o o o o
    o o o . o o o o
    o o o o . o o o
    o o o o o . o o
    o o o o o o . o
    o o o o o o o .
"""


def written(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def tried_again(result: Outcome) -> dict[tuple[int, int], str]:
    again = result.only.where(result.only["attempt"] == 2)
    return dict(zip(again.links(), [LETTERS[outcome] for outcome in again["outcome"]], strict=True))


@pytest.fixture(scope="module")
def eight(possible: None) -> Iterator[Bed]:
    yield from a_bed(8)


def takes_long_over_mpi(mode: str) -> None:
    if mode == "mpi" and not LONG:
        pytest.skip("make test-long: over mpi too")


@pytest.fixture(params=["tcp", "mpi"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def start(eight: Bed, tmp_path: Path) -> Iterator[Start]:
    yield from jobs_on(eight, tmp_path)


@pytest.mark.one_in(2)
def test_one_dark_direction_costs_both_links_of_its_pair_and_no_other(eight: Bed, start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    eight.fault("dark h2>h5")
    result = start(mode, SMALL).finish()
    # Over TCP, the reverse direction is needed as much as the forward one.
    assert matrix(result) == written("""
        . o o o o o o o
        o . o o o o o o
        o o . o o t o o
        o o o . o o o o
        o o o o . o o o
        o o t o o . o o
        o o o o o o . o
        o o o o o o o .
    """)
    assert tried_again(result) == {(2, 5): "t", (5, 2): "t"}


@pytest.mark.one_in(2)
def test_a_dark_pair_costs_only_its_own_links(eight: Bed, start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    eight.fault("dark-pair h1 h6")
    result = start(mode, [*SMALL, *ONCE]).finish()
    assert matrix(result) == written("""
        . o o o o o o o
        o . o o o o t o
        o o . o o o o o
        o o o . o o o o
        o o o o . o o o
        o o o o o . o o
        o t o o o o . o
        o o o o o o o .
    """)


# Rank 5 takes some seconds to notice that its path is dark and to reach rank 0 another way. Until then it does not know
# that it is to meet 4, which waits a second; both meet alone at the end. It meets 0 in the last step.
@pytest.mark.one_in(2)
def test_a_rank_that_rank_0_cannot_reach_is_measured_by_all_others(start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    job = start(mode, SMALL)
    with job.between_steps(1):
        job.bed.fault("dark-pair h0 h5")
    result = job.finish()
    assert matrix(result) == written("""
        . o o o o t o o
        o . o o o o o o
        o o . o o o o o
        o o o . o o o o
        o o o o . t o o
        t o o o t . o o
        o o o o o o . o
        o o o o o o o .
    """)
    assert tried_again(result) == {(0, 5): "t", (5, 0): "t", (4, 5): "o", (5, 4): "o"}


# Host 3 meets 4 and 6 in the first two steps.
@pytest.mark.one_in(2)
def test_a_host_that_goes_dark_keeps_what_it_measured_and_is_absent_from_then_on(start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    job = start(mode, SMALL)
    with job.between_steps(2):
        job.bed.fault("dark h3")
    assert matrix(job.finish()) == written("""
        . o o a o o o o
        o . o a o o o o
        o o . a o o o o
        a a a . o a o a
        o o o o . o o o
        o o o a o . o o
        o o o o o o . o
        o o o a o o o .
    """)


# Rank 5 is stopped for three steps, in which it would have met 4, 6 and 1; it meets the others before and after.
@pytest.mark.long
def test_a_rank_that_is_stopped_and_continued_misses_the_steps_between(start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    job = start(mode, SMALL)
    with job.between_steps(1):
        os.kill(job.pid(5), signal.SIGSTOP)
    with job.between_steps(3):
        os.kill(job.pid(5), signal.SIGCONT)
        job.wait_for_word_of(5)
    result = job.finish()
    assert matrix(result) == written("""
        . o o o o o o o
        o . o o o a o o
        o o . o o o o o
        o o o . o o o o
        o o o o . a o o
        o a o o a . a o
        o o o o o a . o
        o o o o o o o .
    """)
    assert tried_again(result) == dict.fromkeys([(1, 5), (5, 1), (4, 5), (5, 4), (5, 6), (6, 5)], "o")


# In the second step 5 meets 4, which waits for a second.
@pytest.mark.long
def test_a_port_that_goes_down_and_comes_up_again_costs_that_step(start: Start, mode: str) -> None:
    takes_long_over_mpi(mode)
    job = start(mode, SMALL)
    with job.between_steps(1):
        job.bed.fault("link-down h5")
    job.go_on_for(2.5 * PATIENCE)
    job.bed.heal("link-down")
    result = job.finish()
    assert matrix(result) == written("""
        . o o o o o o o
        o . o o o o o o
        o o . o o o o o
        o o o . o o o o
        o o o o . t o o
        o o o o t . o o
        o o o o o o . o
        o o o o o o o .
    """)
    assert tried_again(result) == {(4, 5): "o", (5, 4): "o"}


# MPI does not survive a dead process. Rank 5 meets 2 in the first step.
def test_a_rank_that_is_killed_is_absent_from_then_on(start: Start) -> None:
    job = start("tcp", SMALL)
    with job.between_steps(1):
        os.kill(job.pid(5), signal.SIGKILL)
        job.processes[5].wait()
    assert matrix(job.finish()) == written("""
        . o o o o a o o
        o . o o o a o o
        o o . o o o o o
        o o o . o a o o
        o o o o . a o o
        a a o a a . a a
        o o o o o a . o
        o o o o o a o .
    """)


# From the fifth step on, in which host 2 meets 6; then it meets 1 and 3. A step takes too long to be ordered together
# with the next.
@pytest.mark.one_in(2)
def test_small_messages_pass_an_mtu_hole_and_large_ones_time_out(start: Start, eight: Bed, mode: str) -> None:
    takes_long_over_mpi(mode)
    eight.fault("shape 100mbit")
    job = start(mode, [*BOTH, *ONCE])
    with job.between_steps(4):
        job.bed.fault("mtu-hole h2")
    result = job.finish()
    assert matrix(result, 64) == written(WHOLE)
    assert matrix(result, 65536) == written("""
        . o o o o o o o
        o . t o o o o o
        o t . t o o t o
        o o t . o o o o
        o o o o . o o o
        o o o o o . o o
        o o t o o o . o
        o o o o o o o .
    """)


# A pair takes more than half a second, and its limit is 20 times that: enough for any number of retransmissions.
@pytest.mark.one_in(2)
def test_loss_of_one_in_twenty_packets_fails_no_link(start: Start, eight: Bed, mode: str) -> None:
    takes_long_over_mpi(mode)
    eight.fault("shape 10mbit")
    options = ["-s", "32KiB", "-n", 8, "-w", 1, "--time-limit", 15 * PATIENCE, "--num-slowest", 0]
    job = start(mode, options)
    with job.between_steps(1):
        job.bed.fault("drop h4 5")
    assert matrix(job.finish(expect=0)) == written(WHOLE)


# Hosts 1 and 6 take 5 for 4. Connections from 1 are refused by 5; replies to connections of 4 go to 5, as do those of
# 5.
@pytest.mark.parametrize(("mode", "called"), [("tcp", "b"), ("mpi", "t")])
@pytest.mark.one_in(2)
def test_a_duplicate_address_costs_the_links_of_the_misled_hosts(start: Start, mode: str, called: str) -> None:
    takes_long_over_mpi(mode)
    job = start(mode, [*SMALL, *ONCE])
    with job.between_steps(1):
        job.bed.fault("duplicate-ip h4 h5 h1 h6")
    assert matrix(job.finish()) == written(f"""
        . o o o o o o o
        o . o o {called} o o o
        o o . o o o o o
        o o o . o o o o
        o {called} o o . t t o
        o o o o t . o o
        o o o o t o . o
        o o o o o o o .
    """)


@pytest.mark.one_in(2)
def test_two_hosts_of_one_name_are_distinguished_with_a_warning(start: Start, eight: Bed, mode: str) -> None:
    eight.fault("duplicate-name h1 h2")
    job = start(mode, SMALL)
    result = job.finish(expect=0)
    assert matrix(result) == written(WHOLE)
    assert list(result.ranks["host_index"]) == list(range(8))
    warning = "2 different hosts are named h1 (hosts 1, 2)"
    assert f"warning: {warning}" in result.err
    with h5py.File(job.file) as file:
        assert [text.decode() for text in file["remarks"][:]] == [warning]
