"""Load patterns among shaped hosts: the shares follow from what was planted."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from netns import Bed, a_bed
from netns_runs import Job

from everylink.io.read import read
from everylink.load.sums import rate_matrix, scene_sums
from everylink.model.loads import Load

pytestmark = pytest.mark.alone  # compares times

MBIT = 1e6 / 8
SIZE = 64 << 10
long = pytest.mark.long("seconds of load each")

Play = Callable[..., Load]


@pytest.fixture(scope="module")
def five(possible: None) -> Iterator[Bed]:
    yield from a_bed(5)


@pytest.fixture
def play(five: Bed, tmp_path: Path) -> Iterator[Play]:
    """Runs a pattern over tcp, one rank per host; all of its flows arrive."""

    def begin(*options: object) -> Load:
        job = Job(five, "tcp", ["-s", SIZE, "--window", 1, *options], tmp_path)
        try:
            job.finish(expect=0)
        finally:
            job.stop()
        (load,) = read(tmp_path / "x.h5").loads
        assert load.flows.ok.all()
        return load

    yield begin
    five.heal()


@long
def test_k_senders_to_a_shaped_host_share_its_bandwidth(five: Bed, play: Play) -> None:
    five.fault("shape 100mbit")
    sums = scene_sums(play("incast", "--duration", 2))
    assert [scene.point for scene in sums] == [1, 2, 4]
    for scene in sums:  # headers of Ethernet, IP and TCP count against the shaped rate
        assert 0.8 * 100 * MBIT < scene.rate.total < 1.02 * 100 * MBIT, sums
        assert scene.rate.mean == pytest.approx(scene.rate.total / scene.point)


@long
def test_a_shift_measures_exactly_the_host_at_a_quarter_as_slow(five: Bed, play: Play) -> None:
    five.fault("shape 80mbit")
    five.fault("slow h2 20mbit")
    rate = rate_matrix(play("shift", "--duration", 1), SIZE, 5)
    slow = np.zeros((5, 5), bool)
    slow[2, :] = slow[:, 2] = True
    np.fill_diagonal(slow, False)
    others = ~slow & ~np.eye(5, dtype=bool)
    assert rate[slow].max() < 1.1 * 20 * MBIT, rate
    assert np.median(rate[others]) > 2 * 20 * MBIT, rate
