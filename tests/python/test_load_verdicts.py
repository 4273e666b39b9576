"""The verdicts of diagnose on load patterns."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Command
from everylink.io.read import read
from everylink.judge.verdict import Judgement, Verdict
from everylink.load.judge import judge_patterns
from everylink.load.service import service_sums
from everylink.load.shares import shared_device, slow_ones
from make_loads import SIZE, flow, make_all_to_all, make_load, make_service

GB = 1e9
CLIENTS, HOSTS = 6, 8
Latency = Callable[[int, int, int], float]


def judged(path: Path) -> Judgement:
    return judge_patterns(read(path))


def only(path: Path) -> Verdict:
    (verdict,) = judged(path).verdicts
    return verdict


def even(kind: int, client: int, server: int) -> float:
    return 1e-4


def bulk(path: Path, name: str, pairs: Sequence[Sequence[tuple[int, int]]], **others: Any) -> Path:
    """Scenes of these flows at 1 GB/s with slight noise; `rate` changes the rate of (from, to)."""
    rate, noise, seed = others.pop("rate", lambda i, j: GB), others.pop("noise", 0.05), others.pop("seed", 1)
    draw = np.random.default_rng(seed)
    flows = [
        flow(scene, i, j, rate(i, j) * math.exp(noise * draw.normal()))
        for scene, those in enumerate(pairs)
        for i, j in those
    ]
    return make_load(path, name, flows, range(1, len(pairs) + 1), **others)


def rings(count: int, seed: int = 1) -> list[list[tuple[int, int]]]:
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(HOSTS).tolist() for _ in range(count)]
    return [list(zip(order, order[1:] + order[:1], strict=True)) for order in orders]


def halves(count: int, seed: int = 1) -> list[list[tuple[int, int]]]:
    draw = np.random.default_rng(seed)
    orders = [draw.permutation(HOSTS).tolist() for _ in range(count)]
    return [list(zip(order[: HOSTS // 2], order[HOSTS // 2 :], strict=True)) for order in orders]


def growing(counts: Sequence[int]) -> list[list[tuple[int, int]]]:
    return [[(k, 0) for k in range(1, count + 1)] for count in counts]


def shares(slow: int) -> Callable[[int, int], float]:
    return lambda i, j: GB / 10 if slow in (i, j) else GB


@pytest.mark.parametrize("seed", range(4))
def test_healthy_clients_and_servers_have_no_verdicts(seed: int, tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", even, noise=0.1, seed=seed, sizes=(1024, 65536, SIZE))
    assert not judged(path).verdicts
    code, out, _ = everylink("diagnose", path)
    assert code == 0
    assert "healthy" in out


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.one_in(2)
def test_healthy_flows_have_no_verdicts(seed: int, tmp_path: Path) -> None:
    for name, scenes in (
        ("ring", rings(8, seed)),
        ("random-bisection", halves(12, seed)),
        ("incast", growing((1, 4, 7))),
    ):
        path = bulk(tmp_path / "x.h5", name, scenes, noise=0.1, seed=seed)
        assert not judged(path).verdicts, name
    draw = np.random.default_rng(seed)
    path = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * math.exp(0.1 * draw.normal()))
    assert not judged(path).verdicts


@pytest.mark.parametrize("kinds", [(2,), (3,), (2, 3)])
def test_a_slow_server_is_named_with_its_direction(kinds: tuple[int, ...], tmp_path: Path, everylink: Command) -> None:
    def latency(kind: int, client: int, server: int) -> float:
        return 2e-4 if server == 1 and kind in kinds else 1e-4

    path = make_service(tmp_path / "x.h5", latency, noise=0.05)
    verdict = only(path)
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("host", ("n1",), "slow")
    assert verdict.direction == {(2,): "send", (3,): "receive", (2, 3): "both"}[kinds]
    assert verdict.factor == pytest.approx(2, rel=0.1)
    assert "at the server" in verdict.evidence
    code, out, _ = everylink("diagnose", path, "--format", "json")
    assert code == 3
    assert json.loads(out)["verdicts"][0]["subject"] == ["n1"]
    assert "FAULTS: 1 host" in everylink("show", path)[1]


@pytest.mark.parametrize(("kind", "direction"), [(2, "receive"), (3, "send")])
def test_a_slow_client_is_named_and_no_server(kind: int, direction: str, tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda k, client, server: 2e-4 if client == 4 and k == kind else 1e-4, noise=0.05
    )
    verdict = only(path)
    assert (verdict.subject, verdict.direction) == (("n4",), direction)


def test_uneven_shares_without_a_faulty_client_are_unfair(tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", lambda kind, client, server: 3e-4 if client % 2 else 1e-4, noise=0.05)
    verdict = only(path)
    assert (verdict.kind, verdict.symptom, verdict.subject) == ("group", "unfair", ("all clients",))
    for name in ("n3:3", "n5:5", "n7:7", "no single client"):
        assert name in verdict.evidence
    assert "n2:2 after 0.3" not in verdict.evidence
    assert "unfair shares" in everylink("diagnose", path)[1]


def test_uneven_shares_caused_by_one_client_are_not_unfair(tmp_path: Path) -> None:
    path = make_service(tmp_path / "x.h5", lambda kind, client, server: 9e-4 if client == 4 else 1e-4, noise=0.05)
    assert only(path).subject == ("n4",)


def test_a_device_that_is_slow_on_many_hosts_is_one_verdict(tmp_path: Path) -> None:
    hosts = ["s0", "s1", "a", "a", "b", "b", "c", "c"]
    devices = ["eth0", "eth0"] + ["eth0", "eth1"] * 3
    path = make_service(
        tmp_path / "x.h5", lambda kind, client, server: 2e-4 if client % 2 else 1e-4, noise=0.05, hosts=hosts,
        devices=devices,
    )  # fmt: skip
    verdict = only(path)
    assert verdict.subject == ("clients on eth1",)
    assert "none of the others" in verdict.evidence


def test_a_slow_rail_of_one_server_is_named_by_its_device(tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda kind, client, server: 2e-4 if server == 1 else 1e-4, servers=4, clients=4,
        hosts=["s0", "s0", "s1", "s1", "a", "b", "c", "d"], devices=["eth0", "eth1"] * 2 + ["eth0"] * 4, noise=0.05,
    )  # fmt: skip
    verdict = only(path)
    assert (verdict.kind, verdict.subject) == ("rank", ("s0:1",))
    assert "just what is on eth1 is slow, and nothing on eth0" in verdict.evidence


def test_a_server_that_waits_for_a_much_slower_one_is_only_a_suspect(tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda kind, client, server: 1e-3 * {1: 4.4, 3: 1.8}.get(server, 1.0), servers=4, clients=4,
        hosts=["s0", "s0", "s1", "s1", "a", "b", "c", "d"], devices=["eth0", "eth1"] * 4, noise=0.05,
    )  # fmt: skip
    found = judged(path)
    assert [verdict.subject for verdict in found.verdicts] == [("s0:1",)]
    assert [suspect.subject for suspect in found.suspects] == [("s1:3",)]


def test_a_host_with_only_slow_ranks_is_one_verdict(tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda kind, client, server: 2e-4 if server < 2 else 1e-4, servers=8, clients=4,
        hosts=[f"s{i // 2}" for i in range(8)] + ["a", "b", "c", "d"], noise=0.05,
    )  # fmt: skip
    verdict = only(path)
    assert (verdict.kind, verdict.subject) == ("host", ("s0",))


@pytest.mark.parametrize(("name", "scenes"), [("ring", rings(8)), ("random-bisection", halves(16))])
def test_a_slow_host_is_named_by_its_flows(name: str, scenes: list[list[tuple[int, int]]], tmp_path: Path) -> None:
    path = bulk(tmp_path / "x.h5", name, scenes, rate=lambda i, j: GB / 2 if 3 in (i, j) else GB)
    verdict = only(path)
    assert (verdict.kind, verdict.subject, verdict.direction) == ("host", ("n3",), "both")
    path = bulk(tmp_path / "y.h5", name, scenes, rate=lambda i, j: GB / 2 if i == 3 else GB)
    assert only(path).direction == "send"


def test_a_slow_host_of_an_all_to_all_is_named(tmp_path: Path) -> None:
    path = make_all_to_all(
        tmp_path / "x.h5", lambda i, j: (0.5 if 3 in (i, j) else 1) * GB * (1 + 0.02 * math.sin(5 * i + j))
    )
    assert only(path).subject == ("n3",)


def test_slightly_slow_under_load_is_no_verdict(tmp_path: Path) -> None:
    path = make_all_to_all(
        tmp_path / "x.h5", lambda i, j: (0.88 if 3 in (i, j) else 1) * GB * (1 + 0.01 * math.sin(5 * i + j))
    )
    assert not judged(path).verdicts


@pytest.mark.parametrize(("name", "direction"), [("incast", "send"), ("outcast", "receive")])
def test_a_rank_with_a_far_smaller_share_than_its_equals_is_named(name: str, direction: str, tmp_path: Path) -> None:
    scenes = growing((1, 4, 7))
    if name == "outcast":
        scenes = [[(to, frm) for frm, to in those] for those in scenes]
    verdict = only(bulk(tmp_path / "x.h5", name, scenes, rate=shares(3)))
    assert (verdict.subject, verdict.direction) == (("n3",), direction)


def test_a_dark_rank_is_one_verdict(tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", even, failed=lambda client, server: client == 4)
    verdict = only(path)
    assert (verdict.kind, verdict.subject, verdict.symptom, verdict.factor) == ("host", ("n4",), "broken", None)
    assert everylink("diagnose", path)[0] == 3


def test_if_more_than_a_third_are_slow_they_are_only_suspects_and_a_remark_says_so(tmp_path: Path) -> None:
    path = bulk(tmp_path / "x.h5", "ring", rings(8), rate=lambda i, j: GB / 2 if i < 3 else GB)
    found = judged(path)
    assert not found.verdicts
    assert len(found.suspects) == 3
    assert any("more than a third" in line.lower() for line in found.remarks)


@pytest.mark.parametrize("option", ["--expect=latency=2us", "--baseline", "--alone"])
def test_options_for_links_are_refused(option: str, tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", even)
    more = [] if "=" in option else [path]
    code, _, err = everylink("diagnose", path, option, *more)
    assert (code, err.count("\n")) == (2, 1)
    assert option.partition("=")[0] in err


def test_a_single_reading_accuses_no_rank() -> None:
    unit, group = np.arange(4), np.zeros(4, np.int64)
    assert not slow_ones(unit, group, np.array([1.0, 1.0, 1.0, 9.0]), 1.25)
    twice = slow_ones(np.tile(unit, 2), np.repeat([0, 1], 4), np.tile([1.0, 1.01, 1.0, 9.0], 2), 1.25)
    assert [one.unit for one in twice] == [3]


def test_a_shared_device_is_named_only_if_no_healthy_rank_uses_it(tmp_path: Path) -> None:
    hosts, devices = ["a", "a", "b", "b", "c", "c", "d", "d"], ["eth0", "eth1"] * 4
    ranks = read(make_service(tmp_path / "x.h5", even, hosts=hosts, devices=devices)).ranks
    everyone = list(range(8))
    assert shared_device(ranks, everyone, [1, 3, 5, 7]) == "eth1"
    assert shared_device(ranks, everyone, [1, 3]) == ""
    assert shared_device(ranks, [0, 1], [1]) == ""
    assert shared_device(ranks, everyone, everyone) == ""


def test_flows_that_ran_one_at_a_time_are_compared_with_each_other(tmp_path: Path) -> None:
    pairs = [[(i, j)] for i in range(HOSTS) for j in range(HOSTS) if i != j]
    path = bulk(tmp_path / "x.h5", "all-to-all", pairs, rate=lambda i, j: GB / 2 if 3 in (i, j) else GB, point="round")
    assert only(path).subject == ("n3",)
    assert not judged(bulk(tmp_path / "y.h5", "all-to-all", pairs, point="round")).verdicts


@pytest.mark.parametrize("seed", range(3))
def test_shares_that_are_uneven_by_turns_are_not_unfair(seed: int, tmp_path: Path) -> None:
    path = make_service(tmp_path / "x.h5", even, servers=1, clients=8, noise=0.7, seed=seed)
    (load,) = read(path).loads
    assert min(scene.jain for scene in service_sums(load)) < 0.9
    assert not judged(path).verdicts
