"""`everylink show --host-pairs`: the best and the worst path of pairs of hosts, and the rail that differs."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.io.read import read
from everylink.links.host_pairs import SlowRail, have_several_paths, host_pairs
from everylink.links.rails import rails
from everylink.model.results import Results
from make_loads import make_all_to_all
from make_results import Link, columns_of, failed_row, make_results, row, steady

HOSTS, RAILS = 4, 4
NAMES = tuple(f"h{host}" for host in range(HOSTS) for _ in range(RAILS))
Time = Callable[[Link, int], float]


def slow_rail(host: int, rail: int, between: tuple[int, int] = (0, HOSTS)) -> Time:
    """Paths over a rail of a host take twice as long, if both ends are among the hosts of `between`."""

    def takes(link: Link, size: int) -> float:
        hosts = {rank // RAILS for rank in link}
        slow = host * RAILS + rail in link and all(between[0] <= one < between[1] for one in hosts)
        return steady(link, size) * (2 if slow and len(hosts) == 2 else 1)

    return takes


def with_rails(path: Path, devices: Sequence[str], lanes: Sequence[str] = ()) -> Path:
    """Ranks use these devices in turn."""
    with h5py.File(path, "r+") as file:
        for name, texts in (("device", devices), ("lanes", lanes)):
            if texts:
                of_ranks = [texts[rank % len(texts)].encode() for rank in range(len(file["ranks/host"]))]
                del file[f"ranks/{name}"]
                file[f"ranks/{name}"] = np.array(of_ranks, "S128")
    return path


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of four hosts with four rails, one for each rank."""

    def make(takes: Time = steady, **options: object) -> Path:
        path = make_results(tmp_path / "x.h5", hosts=NAMES, time=takes, **options)  # type: ignore[arg-type]
        return with_rails(path, [f"mlx5_{rail}" for rail in range(RAILS)])

    return make


def pairs(path: Path, count: int = 100) -> dict[tuple[int, int], tuple[SlowRail, ...]]:
    results = read(path)
    return {pair.hosts: pair.slow_rails for pair in host_pairs(results, results.sizes[-1], count)}


@pytest.mark.parametrize("host", range(HOSTS))
@pytest.mark.parametrize("rail", range(RAILS))
@pytest.mark.one_in(2)
def test_a_slow_rail_is_named_in_every_pair_of_its_host(host: int, rail: int, made: Callable[..., Path]) -> None:
    found = pairs(made(slow_rail(host, rail)))
    assert len(found) == HOSTS * (HOSTS - 1) / 2
    for both, slow in found.items():
        named = [(one.host, one.rail, round(one.times, 1)) for one in slow]
        assert named == ([(host, f"mlx5_{rail}", 2.0)] if host in both else [])


def test_the_worst_pair_of_hosts_comes_first_and_its_paths_are_those_of_the_links(made: Callable[..., Path]) -> None:
    results = read(made(slow_rail(1, 2, between=(1, 3))))
    first, second = host_pairs(results, results.sizes[-1], 2)
    assert first.hosts == (1, 2)
    assert first.ratio > 1.9 > second.ratio
    times = results.sizes[-1].links.matrix("median", len(results.ranks))
    between = [(a, b) for a in range(4, 8) for b in range(8, 12)]
    every = [times[a, b] for a, b in between] + [times[b, a] for a, b in between]
    assert first.best.seconds == pytest.approx(min(every))
    assert first.worst.seconds == pytest.approx(max(every))
    assert first.worst.seconds == pytest.approx(times[first.worst.frm, first.worst.to])
    assert first.paths == len(every) == 2 * RAILS**2


def test_without_a_slow_rail_none_is_named(made: Callable[..., Path]) -> None:
    assert not any(pairs(made()).values())


def test_a_single_slow_path_is_no_slow_rail(made: Callable[..., Path]) -> None:
    found = pairs(made(lambda link, size: steady(link, size) * (3 if link == (0, 4) else 1)))
    assert next(iter(found)) == (0, 1)
    assert not any(found.values())


def test_a_path_that_was_fast_when_measured_again_is_not_the_worst(tmp_path: Path) -> None:
    def again(size: int) -> list[dict[str, object]]:
        return [row((0, 2), 1e-5, attempt=1)]

    first = {(0, 2): 9e-5, (1, 3): 8e-5}
    results = read(make_results(tmp_path / "x.h5", time=lambda link, size: first.get(link, 1e-5), extra=again))
    (pair,) = host_pairs(results, results.sizes[-1], 10)
    assert (pair.worst.frm, pair.worst.to) == (1, 3)


def test_failed_paths_are_counted_and_have_no_time(made: Callable[..., Path]) -> None:
    results = read(made(outcomes={(0, 5): 1, (5, 0): 1, (0, 9): 2}))
    failed = {pair.hosts: (pair.failed, pair.paths) for pair in host_pairs(results, results.sizes[-1], 100)}
    assert failed[0, 1] == (2, 30)
    assert failed[0, 2] == (1, 31)
    assert failed[2, 3] == (0, 32)


def test_only_pairs_of_hosts_with_a_measured_path_are_there(tmp_path: Path) -> None:
    rows = [row((0, 2), 1e-5), row((0, 1), 1e-6), failed_row((3, 4), 1)]
    columns = {8: columns_of(rows)}
    path = make_results(tmp_path / "x.h5", hosts=("a", "a", "b", "b", "c"), sizes=(8,), columns=columns)
    assert list(pairs(path)) == [(0, 1)]


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "a", "a")])
def test_without_several_paths_a_sentence_says_what_it_takes(
    names: tuple[str, ...], tmp_path: Path, everylink: Command
) -> None:
    path = make_results(tmp_path / "x.h5", hosts=names)
    assert not have_several_paths(read(path).ranks)
    assert (
        "No two hosts have several paths: that takes several ranks on a host"
        in everylink("show", path, "--host-pairs")[1]
    )
    assert json.loads(everylink("show", path, "--host-pairs", "--format", "json")[1])["host_pairs"] == []


def test_text_and_json_show_the_worst_pairs_with_their_rails(made: Callable[..., Path], everylink: Command) -> None:
    path = made(slow_rail(3, 1))
    _, text, _ = everylink("show", path, "--host-pairs", "--slowest", 2)
    listed = text.partition("Best and worst path of pairs of hosts at 64 KiB")[2].partition("\n\n")[0]
    assert listed.count("mlx5_1 of h3 2.0") == 2
    said = json.loads(everylink("show", path, "--host-pairs", "--slowest", 2, "--format", "json")[1])["host_pairs"]
    assert len(said) == 2
    for pair in said:
        assert pair["hosts"][1] == "h3"
        assert pair["x_best"] == pytest.approx(pair["worst"]["seconds"] / pair["best"]["seconds"])
        assert "mlx5_1" in (pair["worst"]["from_rail"], pair["worst"]["to_rail"])
        ((name, rail, times),) = [tuple(one.values()) for one in pair["slow_rails"]]
        assert (name, rail) == ("h3", "mlx5_1")
        assert times == pytest.approx(2, rel=0.05)
        assert f"{pair['worst']['from']} {pair['worst']['from_rail']} -> {pair['worst']['to']}" in listed


def test_rows_wider_than_the_terminal_are_whole(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"compute-{host}.rack-{host}.row-{host}.hall-1.cluster.example.org" for host in (1, 1, 2, 2)]
    path = with_rails(make_results(tmp_path / "x.h5", hosts=names), ["mlx5_0", "mlx5_1"])
    (pair,) = json.loads(everylink("show", path, "--host-pairs", "--format", "json")[1])["host_pairs"]
    out = everylink("show", path, "--host-pairs")[1]
    for link in (pair["best"], pair["worst"]):
        assert f"{link['from']} {link['from_rail']} -> {link['to']} {link['to_rail']}" in out


def test_ranks_on_unknown_devices_have_paths_but_no_rails(tmp_path: Path, everylink: Command) -> None:
    path = with_rails(make_results(tmp_path / "x.h5"), [""])
    (pair,) = json.loads(everylink("show", path, "--host-pairs", "--format", "json")[1])["host_pairs"]
    assert pair["best"]["from_rail"] is None
    assert pair["slow_rails"] == []


def test_a_load_pattern_has_no_pairs_of_hosts(tmp_path: Path, everylink: Command) -> None:
    path = make_all_to_all(tmp_path / "x.h5", lambda frm, to: 1e9)
    code, _, said = everylink("show", path, "--host-pairs")
    assert code != 0
    assert "--host-pairs and --switches: apply only to links" in said


@pytest.mark.parametrize(
    ("device", "lanes", "rail"),
    [
        ("mlx5_0 port 1, NUMA node 0", "InfiniBand, PORT_ACTIVE, 400 Gbit/s, MTU 4096, send", "mlx5_0:1"),
        ("mlx5_0:1, mlx5_1:1, eth0, lo", "rc_mlx5/mlx5_1:1+rc_mlx5/mlx5_0:1, posix/memory", "mlx5_0:1+mlx5_1:1"),
        ("cxi0", "cxi/cxi0", "cxi0"),
        ("lo", "posix/memory+cma/memory", "lo"),
        ("eth0", "", "eth0"),
        ("", "", ""),
    ],
)
def test_the_rail_of_a_rank_is_the_device_that_carried_its_messages(
    device: str, lanes: str, rail: str, tmp_path: Path
) -> None:
    results: Results = read(with_rails(make_results(tmp_path / "x.h5"), [device], [lanes] if lanes else []))
    assert set(rails(results.ranks)) == {rail}
