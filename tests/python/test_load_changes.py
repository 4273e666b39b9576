"""Comparing two runs of a load pattern."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.load.compare import LoadComparison, compare_loads
from make_loads import SIZE, flow, make_all_to_all, make_load, make_service, ping
from make_results import make_results

GB = 1e9


def shift(
    path: Path, factor: float = 1.0, slow: int = -1, noise: float = 0.03, seed: int = 1, **others: object
) -> Path:
    """Seven distances of eight ranks at 1 GB/s; the flows of one rank at half of it."""
    draw = np.random.default_rng(seed)
    flows = [
        flow(d - 1, i, (i + d) % 8, factor * (0.5 if i == slow else 1) * GB * math.exp(noise * draw.normal()))
        for d in range(1, 8)
        for i in range(8)
    ]
    return make_load(path, "shift", flows, range(1, 8), point="distance", **others)  # type: ignore[arg-type]


def draws(path: Path, rate: float, count: int = 10, noise: float = 0.05, seed: int = 1) -> Path:
    draw = np.random.default_rng(seed)
    flows = [flow(i, j, j + 4, rate * math.exp(noise * draw.normal())) for i in range(count) for j in range(4)]
    return make_load(path, "random-bisection", flows, range(count), point="draw")


def victim(path: Path, loaded: float) -> Path:
    flows = [ping(i, 2, 3, loaded if i % 2 else 2e-6, 8e-6) for i in range(8)]
    points = [i // 2 for i in range(8)]
    return make_load(
        path, "victim", flows, points, variant=[i % 2 for i in range(8)], variants="alone,loaded", point="repeat"
    )


def compared(base: Path, new: Path) -> LoadComparison:
    return compare_loads(read(base), read(new))


def whats(found: LoadComparison) -> set[str]:
    return {change.subject.what for change in found.slower}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.one_in(3)
def test_two_runs_that_differ_only_by_noise_have_no_findings(seed: int, tmp_path: Path, everylink: Command) -> None:
    a, b = tmp_path / "a.h5", tmp_path / "b.h5"
    shift(a, seed=seed), shift(b, seed=100 + seed)
    found = compared(a, b)
    assert not found.slower + found.faster
    assert found.compared == 14
    code, out, _ = everylink("compare", a, b)
    assert code == 0
    assert "Nothing changed" in out
    draws(a, GB, seed=seed), draws(b, GB, seed=100 + seed)
    assert not compared(a, b).slower
    (
        make_service(a, lambda *_: 1e-4, noise=0.05, seed=seed),
        make_service(b, lambda *_: 1e-4, noise=0.05, seed=50 + seed),
    )
    assert not compared(a, b).slower


def test_a_slowdown_at_all_points_is_one_line_and_exit_code_3(tmp_path: Path, everylink: Command) -> None:
    a, b = shift(tmp_path / "a.h5"), shift(tmp_path / "b.h5", factor=0.6, seed=2)
    found = compared(a, b)
    change = next(change for change in found.slower if change.subject.what == "bandwidth of a flow")
    assert change.factor == pytest.approx(1 / 0.6, rel=0.1)
    assert len(change.also) == 6
    code, out, _ = everylink("compare", a, b)
    assert code == 3
    assert "SLOWER   bandwidth of a flow at 1 MiB, distance" in out
    assert "also at 6 other points" in out
    assert everylink("compare", b, a)[0] == 0


def test_one_slow_rank_shows_in_the_slowest_flow(tmp_path: Path) -> None:
    found = compared(shift(tmp_path / "a.h5"), shift(tmp_path / "b.h5", slow=3, seed=2))
    assert whats(found) == {"bandwidth of the slowest flow"}


def test_draws_count_as_repetitions(tmp_path: Path) -> None:
    found = compared(draws(tmp_path / "a.h5", GB), draws(tmp_path / "b.h5", 0.85 * GB, seed=2))
    assert "bandwidth of a flow" in whats(found)
    assert all(change.subject.point is None for change in found.slower)
    few = compared(draws(tmp_path / "a.h5", GB, count=1), draws(tmp_path / "b.h5", 0.85 * GB, count=1, seed=2))
    assert not few.slower


def test_a_larger_impact_counts_as_slower(tmp_path: Path, everylink: Command) -> None:
    a, b = victim(tmp_path / "a.h5", 3e-6), victim(tmp_path / "b.h5", 6e-6)
    assert "impact" in whats(compared(a, b))
    assert "impact at 1 MiB: 2.00 times (1.500 -> 3.000)" in everylink("compare", a, b)[1]


def test_shares_that_became_uneven_count_as_slower(tmp_path: Path) -> None:
    a = make_service(tmp_path / "a.h5", lambda *_: 1e-4, noise=0.02)
    b = make_service(tmp_path / "b.h5", lambda kind, client, server: (4 if client % 2 else 1) * 1e-4, noise=0.02)
    found = compared(a, b)
    assert {"bandwidth", "latency", "Jain's index"} <= whats(found)
    assert {change.subject.variant for change in found.slower} == {"put", "get"}


def test_a_longer_all_to_all_counts_as_slower(tmp_path: Path) -> None:
    a = make_all_to_all(tmp_path / "a.h5", lambda i, j: GB)
    assert "time from each to each" in whats(compared(a, make_all_to_all(tmp_path / "b.h5", lambda i, j: GB / 2)))


def test_a_flow_that_failed_only_in_the_new_run_is_named(tmp_path: Path, everylink: Command) -> None:
    a = make_service(tmp_path / "a.h5", lambda *_: 1e-4)
    b = make_service(tmp_path / "b.h5", lambda *_: 1e-4, failed=lambda client, server: client == 4)
    code, out, _ = everylink("compare", a, b)
    assert code == 3
    assert "FAILED   host n4" in out
    code, out, _ = everylink("compare", b, a)
    assert code == 0
    assert "OK NOW   host n4" in out


def test_the_json_contains_what_the_text_says(tmp_path: Path, everylink: Command) -> None:
    code, out, _ = everylink(
        "compare", "--format", "json", shift(tmp_path / "a.h5"), shift(tmp_path / "b.h5", factor=0.5, seed=2)
    )
    told = json.loads(out)
    assert code == 3
    assert (told["schema"], told["pattern"], told["regression"]) == ("everylink-load-comparison/1", "shift", True)
    assert told["slower"][0]["bytes"] == SIZE
    assert told["slower"][0]["factor"] > 1.5


@pytest.mark.long
def test_runs_that_cannot_be_compared_are_refused_in_one_line(tmp_path: Path, everylink: Command) -> None:
    a = shift(tmp_path / "a.h5")
    others = {
        "it holds random-bisection": draws(tmp_path / "b.h5", GB),
        "it holds links, no load pattern": make_results(tmp_path / "c.h5"),
        "--window is 8 here, 0 there": shift(tmp_path / "d.h5", attributes={"window": 8}),
        "no size and distance in both": shift(tmp_path / "e.h5", sizes=[64] * 7),
    }
    for said, other in others.items():
        with pytest.raises(UserMistake, match=said):
            compared(a, other)
        code, _, err = everylink("compare", a, other)
        assert (code, err.count("\n")) == (2, 1)


def test_runs_on_other_hosts_are_compared_as_a_whole(tmp_path: Path, everylink: Command) -> None:
    a, b = shift(tmp_path / "a.h5"), shift(tmp_path / "b.h5", seed=2, hosts=[f"m{i}" for i in range(8)])
    code, out, _ = everylink("compare", a, b)
    assert code == 0
    assert "on other hosts" in out
