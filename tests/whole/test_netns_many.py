"""Many ranks: 64 on this machine, and 64 hosts of one rank each, start, measure everything, and end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from netns import Bed, a_bed
from netns_runs import Job

from conftest import Measure, Outcome

QUIET = ["-s", 1, "-n", 1, "-w", 0, "--num-slowest", 0]


@pytest.fixture
def sixty_four(possible: None) -> Iterator[Bed]:
    yield from a_bed(64)


def assert_all_ok(result: Outcome) -> None:
    table = result.only
    assert sorted(table.links()) == [(a, b) for a in range(64) for b in range(64) if a != b]
    assert set(table["outcome"]) == {0}


@pytest.mark.long
def test_64_ranks_of_this_machine(measure: Measure) -> None:
    assert_all_ok(measure("--np", 64, "--mode", "tcp", *QUIET, "--progress", "none"))


@pytest.mark.long("a bed of 64 hosts")
def test_64_hosts(sixty_four: Bed, tmp_path: Path) -> None:
    job = Job(sixty_four, "tcp", QUIET, tmp_path)
    try:
        assert_all_ok(job.finish(expect=0))
    finally:
        job.stop()
