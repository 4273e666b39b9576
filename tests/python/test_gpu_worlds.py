"""Hosts with eight GPUs, joined as those that are sold: healthy ones are not accused, and what is slow is named."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.judge.verdict import Judgement
from gpu_runs import on_gpus
from hostile import LONG
from make_results import all_links, columns_of, row

GPUS = 8
SIZES = (8, 65536, 1 << 24)
# Seconds of a small message, and bytes per second, between two GPUs of a host, and between hosts: orders of magnitude.
WAYS = {
    "NV18": (1.8e-6, 380e9), "NV12": (1.9e-6, 240e9), "NV4": (2e-6, 90e9), "NV2": (2e-6, 46e9), "NV1": (2e-6, 23e9),
    "PIX": (2.6e-6, 24e9), "PXB": (2.9e-6, 22e9), "PHB": (3.3e-6, 18e9), "NODE": (3.8e-6, 16e9), "SYS": (5e-6, 9e9),
    "network": (4e-6, 40e9),
}  # fmt: skip
TWO_LINKS = {(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)}
ONE_LINK = {(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)}
SLOW_PAIR, SLOW_GPU = (2, 5), 3


def _cube_mesh(a: int, b: int) -> str:
    pair = (min(a, b), max(a, b))
    return "NV2" if pair in TWO_LINKS else "NV1" if pair in ONE_LINK else "NODE" if a // 4 == b // 4 else "SYS"


TOPOLOGIES: dict[str, Callable[[int, int], str]] = {
    "cube mesh": _cube_mesh,
    "bridges": lambda a, b: "NV4" if a // 2 == b // 2 else "PXB" if a // 4 == b // 4 else "SYS",
    "quads": lambda a, b: "NV12" if a // 4 == b // 4 else "SYS",
    "NVSwitch": lambda a, b: "NV18",
    "PCIe switches": lambda a, b: "PIX" if a // 2 == b // 2 else "NODE" if a // 4 == b // 4 else "SYS",
    "host bridges": lambda a, b: "PHB" if a // 4 == b // 4 else "SYS",
}
EVERY = pytest.mark.parametrize("topology", TOPOLOGIES)
OF_HOSTS = pytest.mark.parametrize("hosts", [1, 4])


def _judged(
    path: Path, topology: str, hosts: int, seed: int, noise: float, slower: Callable[[int, int], float], turns: int = 4
) -> Judgement:
    """A run of `turns` passes; `slower`: how many times as long the link of two ranks takes in a pass."""
    random, links = np.random.default_rng(seed), all_links(hosts * GPUS)
    ways = [TOPOLOGIES[topology](a % GPUS, b % GPUS) if a // GPUS == b // GPUS else "network" for a, b in links]
    columns = {}
    for size in SIZES:
        usual = [WAYS[way][0] + size / WAYS[way][1] for way in ways]
        factors = [[slower(*link) for link in links] for _ in range(turns)]
        times = np.exp(noise * random.standard_normal((turns, len(links)))) * usual * factors
        columns[size] = columns_of(
            row(link, time, step=turn) for turn in range(turns) for link, time in zip(links, times[turn], strict=True)
        )
    named = [f"n{host}" for host in range(hosts) for _ in range(GPUS)]
    made = on_gpus(path, list(range(GPUS)) * hosts, hosts=named, sizes=SIZES, columns=columns, steps=turns)
    return judged(read(made)).judgement


@pytest.mark.thorough
@EVERY
@OF_HOSTS
@pytest.mark.one_in(12)
def test_healthy_gpus_have_no_verdict(topology: str, hosts: int, tmp_path: Path) -> None:
    for seed, noise in itertools.product(range(12 if LONG else 1), (0.005, 0.03)):
        found = _judged(tmp_path / "x.h5", topology, hosts, seed, noise, lambda a, b: 1.0)
        assert not found.verdicts, (seed, noise)


@pytest.mark.thorough
@EVERY
@pytest.mark.one_in(6)
def test_a_link_in_a_hundred_that_is_slow_for_a_moment_is_no_fault(topology: str, tmp_path: Path) -> None:
    for seed in range(40 if LONG else 2):
        drawn = np.random.default_rng(9000 + seed)
        slower = lambda a, b, drawn=drawn: 3.0 if drawn.random() < 0.01 else 1.0  # noqa: E731
        found = _judged(tmp_path / "x.h5", topology, 4, seed, 0.03, slower, turns=1 + seed % 4)
        assert not found.verdicts, seed


@pytest.mark.thorough
@EVERY
@OF_HOSTS
@pytest.mark.one_in(10)
def test_a_slow_pair_and_a_slow_gpu_are_named(topology: str, hosts: int, tmp_path: Path) -> None:
    own = GPUS * (hosts // 2)  # the first rank of the host with the fault

    def pair(a: int, b: int) -> float:
        return 2.0 if {a - own, b - own} == set(SLOW_PAIR) else 1.0

    def gpu(a: int, b: int) -> float:
        return 1.4 if own + SLOW_GPU in (a, b) and a // GPUS == b // GPUS else 1.0

    host = f"n{hosts // 2}"
    expected = [("pair", {f"{host}:gpu{end}" for end in SLOW_PAIR}), ("rank", {f"{host}:gpu{SLOW_GPU}"})]
    for seed, (slower, (kind, subject)) in itertools.product(
        range(3 if LONG else 1), zip((pair, gpu), expected, strict=True)
    ):
        (one,) = _judged(tmp_path / "x.h5", topology, hosts, seed, 0.01, slower).verdicts
        assert (one.kind, set(one.subject)) == (kind, subject)
