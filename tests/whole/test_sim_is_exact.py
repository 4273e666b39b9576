"""Faults planted on the simulated network give exactly the values of these formulas, for all kernels."""

import h5py
import numpy as np
import pytest

from conftest import Measure

pytestmark = pytest.mark.quick

LATENCY, BANDWIDTH = 1e-6, 12.5e9
SIZES = (1, 64 * 1024, 1 << 20)
PLANTED = "sim:slow-host=5*0.5,slow-link=3>7*0.2,delay-link=1>2+10us,delay-host=6+3us"
ARGUMENTS = ["--np", 8, "-s", ",".join(map(str, SIZES)), "-n", 20, "-w", 3, "--num-slowest", 0, "--progress", "none"]


def way(source: int, target: int) -> tuple[float, float]:
    """Latency and bandwidth of one direction, including faults."""
    latency, bandwidth = LATENCY, BANDWIDTH
    if 5 in (source, target):
        latency, bandwidth = latency / 0.5, bandwidth * 0.5
    if (source, target) == (3, 7):
        latency, bandwidth = latency / 0.2, bandwidth * 0.2
    if (source, target) == (1, 2):
        latency += 10e-6
    if 6 in (source, target):
        latency += 3e-6
    return latency, bandwidth


def message(source: int, target: int, size: int) -> float:
    latency, bandwidth = way(source, target)
    return size / bandwidth + latency


def semidirectional(a: int, b: int, size: int) -> float:
    return (message(a, b, size) + message(b, a, size)) / 2


def unidirectional(a: int, b: int, size: int, window: int = 20) -> float:
    latency, bandwidth = way(a, b)
    return (window * size / bandwidth + latency + way(b, a)[0]) / window


def put(a: int, b: int, size: int) -> float:
    """The last byte of the last put travels back, like a receipt."""
    return unidirectional(a, b, size)


def get(a: int, b: int, size: int, window: int = 20) -> float:
    """The request travels there; the bytes leave one after the other on the way back."""
    latency, bandwidth = way(b, a)
    return (way(a, b)[0] + window * size / bandwidth + latency) / window


def bidirectional(a: int, b: int, size: int, laps: int = 20, warmups: int = 3) -> float:
    """Mean of a's laps, halved: an end sends its next message after its own, once the other's last one has arrived."""
    ends = {a: b, b: a}
    free, begin = dict.fromkeys(ends, 0.0), dict.fromkeys(ends, 0.0)
    # Both ends begin when their tokens have met.
    begin = {end: way(peer, end)[0] for end, peer in ends.items()}
    times = []
    for _ in range(laps + warmups):
        at = dict(begin)
        for _exchange in range(2):
            for end in ends:
                free[end] = max(free[end], at[end]) + size / way(end, ends[end])[1]
            at = {end: max(at[end], free[ends[end]] + way(ends[end], end)[0]) for end in ends}
        after = {end: max(at[end], free[end]) for end in ends}
        times.append((after[a] - begin[a]) / 2)
        begin = after
    return float(np.mean(times[warmups:]))


@pytest.mark.parametrize("kernel", [semidirectional, bidirectional, unidirectional, put, get], ids=lambda k: k.__name__)
@pytest.mark.one_in(2)
def test_every_link_has_the_time_of_its_formula(measure: Measure, kernel: object) -> None:
    result = measure("--mode", PLANTED, f"--{kernel.__name__}", *ARGUMENTS)  # type: ignore[attr-defined]
    for size, table in result.sizes.items():
        for a, b in table.links():
            expected = kernel(a, b, size)  # type: ignore[operator]
            assert table.row(a, b)["mean"] == pytest.approx(expected, rel=2e-6), f"{a} -> {b} at {size}"


def test_only_the_unidirectional_kernel_sees_the_direction_of_a_slow_link(measure: Measure) -> None:
    both = measure("--mode", PLANTED, *ARGUMENTS).sizes[1 << 20]
    assert both.row(3, 7)["median"] == both.row(7, 3)["median"] > 2 * both.row(2, 4)["median"]
    one = measure("--mode", PLANTED, "--unidirectional", *ARGUMENTS).sizes[1 << 20]
    assert one.row(3, 7)["median"] > 4 * one.row(7, 3)["median"]


def test_puts_show_a_slow_direction_from_its_sender_and_gets_from_its_receiver(measure: Measure) -> None:
    put = measure("--mode", PLANTED, "--put", *ARGUMENTS).sizes[1 << 20]
    assert put.row(3, 7)["median"] > 4 * put.row(7, 3)["median"]
    result = measure("--mode", PLANTED, "--get", *ARGUMENTS)
    get = result.sizes[1 << 20]
    assert get.row(7, 3)["median"] > 4 * get.row(3, 7)["median"]
    assert get.row(7, 3)["median"] == pytest.approx(put.row(3, 7)["median"], rel=1e-3)
    assert (get["arrived"] == 23).all()
    assert (result.attributes["kernel"], result.attributes["one_sided"]) == ("get", "messages")


def test_hosts_and_switches_have_their_own_times(measure: Measure) -> None:
    mode = (
        "sim:hosts=4,leaf=2,local-latency=100ns,local-bandwidth=50GB/s,latency=2us,spine-latency=700ns,bandwidth=10GB/s"
    )
    table = measure("--np", 8, "--mode", mode, "-s", 1000, *ARGUMENTS[4:]).only
    for (a, b), expected in {(0, 1): 1e-7 + 2e-8, (0, 2): 2e-6 + 1e-7, (0, 7): 2.7e-6 + 1e-7}.items():
        assert table.row(a, b)["median"] == pytest.approx(expected, rel=2e-6)


def test_the_same_run_gives_the_same_file_twice(measure: Measure, tmp_path: object) -> None:
    arguments = ["--mode", PLANTED + ",noise=0.1,seed=4,jitter-host=2*5", *ARGUMENTS, "--num-slowest", 3]
    contents = []
    for _ in range(2):
        result = measure(*arguments, environment={"SOURCE_DATE_EPOCH": "1700000000"})
        with h5py.File(tmp_path / "x.h5") as file:  # type: ignore[operator]
            everything = {}
            file.visititems(
                lambda name, item, into=everything: into.update(
                    {name: item[:].tobytes() if isinstance(item, h5py.Dataset) else b""}
                    | {f"{name}@{k}": str(v) for k, v in item.attrs.items()}
                )
            )
            everything |= {k: str(v) for k, v in file.attrs.items()}
        contents.append(everything)
        assert result.attributes["created"] == "2023-11-14T22:13:20Z"
    assert contents[0] == contents[1]
    assert len(contents[0]) > 60


def test_noise_spreads_readings_and_jitter_makes_late_ones(measure: Measure) -> None:
    arguments = ["--np", 6, "-n", 400, "--num-slowest", 0, "--progress", "none"]
    noisy = measure("--mode", "sim:noise=0.2", *arguments).only
    assert (noisy["max"] <= 1.2 * 1.0001e-6).all()
    assert (noisy["min"] >= 0.9999e-6).all()
    assert (noisy["min"] < noisy["median"]).all()
    jittery = measure("--mode", "sim:jitter-host=3*10", *arguments).only
    of_host_3 = (jittery["from"] == 3) | (jittery["to"] == 3)
    assert (jittery["late"][of_host_3] > 10).all()
    assert (jittery["late"][~of_host_3] == 0).all()


def test_a_dead_direction_times_out_in_virtual_time_only(measure: Measure) -> None:
    result = measure("--np", 6, "--mode", "sim:dead=1>4", "--time-limit", "1h", "-s", "1,4KiB", "-n", 5, expect=3)
    for table in result.sizes.values():
        failed = {
            link: outcome
            for link, outcome in zip(table.main().links(), table.main()["outcome"].tolist(), strict=True)
            if outcome
        }
        assert failed == {(1, 4): 1, (4, 1): 1}
        assert np.isnan(table.row(1, 4)["median"])
    assert "2 of 30 links FAILED" in result.out
    assert "pair n1:1 <-> n4:4: both links timed out" in result.out


def test_a_dead_host_is_named_in_one_line(measure: Measure) -> None:
    result = measure("--np", 8, "--mode", "sim:dead-host=6", "-n", 5, expect=3)
    assert "host n6: 14 of 14 links timed out" in result.out
    assert result.out.count("timed out") == 1
    outcomes = dict(zip(result.only.links(), result.only["outcome"].tolist(), strict=True))
    assert {link for link, outcome in outcomes.items() if outcome} == {
        (a, b) for a in range(8) for b in range(8) if a != b and 6 in (a, b)
    }


@pytest.mark.parametrize("kernel", ["--semidirectional", "--bidirectional", "--unidirectional", "--put", "--get"])
@pytest.mark.one_in(3)
def test_one_wrong_byte_in_the_seventh_of_a_hundred_messages_is_found(measure: Measure, kernel: str) -> None:
    arguments = ["--np", 4, "-n", 100, "-w", 0, "-s", "1,5000", kernel, "--num-slowest", 0]
    wrong = measure("--mode", "sim:corrupt=2>3@7", "--check", *arguments, expect=3)
    # Messages are counted from the start of the step, so the wrong byte is in the first size.
    outcomes = {
        size: {link: o for link, o in zip(t.links(), t["outcome"].tolist(), strict=True) if o}
        for size, t in wrong.sizes.items()
    }
    link = (3, 2) if kernel == "--get" else (2, 3)
    assert outcomes == {1: {link: 3}, 5000: {}}
    assert measure("--mode", "sim:corrupt=2>3@7", *arguments).code == 0, "without --check nobody looks"
    assert measure("--mode", "sim", "--check", "--num-multi-buf", 3, *arguments).code == 0


def test_exactly_the_link_with_wrong_bytes_is_corrupt(measure: Measure) -> None:
    result = measure("--np", 4, "--mode", "sim:corrupt=2>3", "--check", "-s", "8,1MiB", "-n", 3, expect=3)
    for table in result.sizes.values():
        assert [link for link, o in zip(table.main().links(), table.main()["outcome"], strict=True) if o == 3] == [
            (2, 3)
        ]


def test_setup_times_and_arrivals_are_recorded(measure: Measure) -> None:
    table = measure("--np", 4, "--mode", "sim", "-n", 20, "-w", 3, "--num-slowest", 0).only
    assert (table["arrived"] >= 23).all()
    assert (table["setup"] >= np.float32(2e-6)).all()
