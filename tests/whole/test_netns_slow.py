"""Among 8 hosts, exactly what was planted is measured as slow. Every host is shaped, so that the network is the limit
and not the processor, and messages are far larger than what a shaper passes at once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from netns import Bed, a_bed
from netns_runs import Job, skip_without_mpi

from conftest import Measure, Outcome

pytestmark = pytest.mark.alone  # compares times

QUIET = ["--num-slowest", 0, "--retest-budget", 0, "-w", 1]
Start = Callable[..., Outcome]
Links = dict[tuple[int, int], float]

long = pytest.mark.long


@pytest.fixture(scope="module")
def eight(possible: None) -> Iterator[Bed]:
    """TCP as over cables: how long BBR and packets of 64 KiB take at a shaper differs from run to run."""
    yield from a_bed(8, 1, "--no-offload", "--congestion", "cubic")


@pytest.fixture
def measured(eight: Bed, tmp_path: Path) -> Iterator[Start]:
    """Runs on all hosts; all links of each run are ok."""

    def begin(mode: str, *options: object) -> Outcome:
        skip_without_mpi(mode)
        job = Job(eight, mode, [*QUIET, *options], tmp_path)
        try:
            return job.finish(expect=0)
        finally:
            job.stop()

    yield begin
    eight.heal()
    assert eight.is_whole()


def by_link(result: Outcome, size: int, column: str) -> Links:
    table = result.sizes[size].main()
    assert len(table["from"]) == 56
    assert (table["outcome"] == 0).all()
    return dict(zip(table.links(), table[column].astype(float).tolist(), strict=True))


def usual_beside(times: Links, bad: set[tuple[int, int]]) -> float:
    return float(np.median([time for link, time in times.items() if link not in bad]))


def of_host(host: int) -> set[tuple[int, int]]:
    return {link for other in range(8) if other != host for link in ((host, other), (other, host))}


# A single link is judged by its fastest lap: noise only adds.
def assert_found(result: Outcome, size: int, bad: set[tuple[int, int]], factor: float) -> None:
    medians, fastest = by_link(result, size, "median"), by_link(result, size, "min")
    usual = usual_beside(medians, bad)
    assert np.median([medians[link] for link in bad]) >= 0.7 * factor * usual, medians
    half_way = (1 + factor) / 2 * usual
    assert [link for link, time in fastest.items() if link not in bad and time > half_way] == [], fastest


# Under MPI, more ranks than cores share these by turns, so times must be long compared with a turn.
@pytest.mark.parametrize(
    ("mode", "healthy", "slow", "size", "messages"),
    [
        pytest.param("tcp", "200mbit", "50mbit", "256KiB", 4, marks=long),
        ("tcp", "200mbit", "100mbit", "256KiB", 6),
        pytest.param("mpi", "20mbit", "10mbit", "64KiB", 6, marks=long),
    ],
)
def test_exactly_the_host_with_less_bandwidth_is_slow_by_that_factor(
    eight: Bed, measured: Start, mode: str, healthy: str, slow: str, size: str, messages: int
) -> None:
    eight.fault(f"shape {healthy}")
    eight.fault(f"slow h4 {slow}")
    result = measured(mode, "-s", size, "-n", messages)
    factor = int(healthy.removesuffix("mbit")) / int(slow.removesuffix("mbit"))
    assert_found(result, int(size.removesuffix("KiB")) * 1024, of_host(4), factor)


@pytest.mark.parametrize("mode", ["tcp", pytest.param("mpi", marks=long)])
@pytest.mark.long
def test_exactly_the_host_delayed_by_a_millisecond_has_that_latency(eight: Bed, measured: Start, mode: str) -> None:
    eight.fault("shape 200mbit")
    eight.fault("delay h4 1000")
    result = measured(mode, "-s", 1, "-n", 60)
    usual = usual_beside(by_link(result, 1, "median"), of_host(4))
    assert_found(result, 1, of_host(4), 1 + 1e-3 / usual)


# --- the case of LinkTest's wiki: one direction of one pair has half the rate, for messages above 1 KiB -----------
# Semidirectional: one of the two messages of a lap takes twice as long, and both links are measured by that lap.
# Bidirectional: in a lap two messages go each way at the same time. Those in the slow direction follow each other and
# determine the lap, which takes twice as long for both links.
WIKI = {"unidirectional": (2, 1), "semidirectional": (1.5, 1.5), "bidirectional": (2, 2)}
IN_BED = [pytest.param(kernel, marks=[] if kernel == "semidirectional" else long) for kernel in WIKI]


@pytest.mark.parametrize("kernel", IN_BED)
def test_a_slow_direction_of_one_pair_shows_as_each_kernel_measures_it(
    eight: Bed, measured: Start, kernel: str
) -> None:
    eight.fault("shape 50mbit")
    eight.fault("slow-pair h1>h2 25mbit above 1024")
    result = measured("tcp", f"--{kernel}", "-s", "1,64KiB", "-n", 10)
    expected = dict(zip(((1, 2), (2, 1)), WIKI[kernel], strict=True))
    large = by_link(result, 64 * 1024, "min")
    usual = usual_beside(large, set(expected))
    for link, ratio in expected.items():
        assert large[link] / usual == pytest.approx(ratio, rel=0.15), large
    slow = {link for link, ratio in expected.items() if ratio > 1}
    assert_found(result, 64 * 1024, slow, max(WIKI[kernel]))
    # The rate hardly matters for 1 B.
    small = by_link(result, 1, "min")
    assert max(small[link] for link in expected) < 3 * max(t for link, t in small.items() if link not in expected)


@pytest.mark.parametrize("kernel", WIKI)
def test_on_the_simulated_network_a_slow_direction_gives_exact_times(measure: Measure, kernel: str) -> None:
    arguments = ["--np", 8, "-s", "16MiB", "-n", 12, "--progress", "none", "--num-slowest", 0]
    table = measure("--mode", "sim:slow-link=1>2*0.5", f"--{kernel}", *arguments).only
    usual = table.row(3, 4)["median"]
    expected = np.ones((8, 8))
    expected[1, 2], expected[2, 1] = WIKI[kernel]
    for a, b in table.links():
        assert table.row(a, b)["median"] / usual == pytest.approx(expected[a, b], rel=2e-3), f"{a} -> {b}"
