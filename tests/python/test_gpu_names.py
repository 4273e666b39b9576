"""Ranks whose messages lie in memory of GPUs are named after these, everywhere."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from browser import done_in
from conftest import Command
from everylink.io.npz import write_npz
from everylink.io.read import read
from gpu_runs import on_gpus
from make_results import Link, steady
from test_page import HOVER, page_data

HOSTS = ("n0", "n0", "n1", "n1")
EIGHT = ("n0",) * 8


def slow_pair(link: Link, size: int) -> float:
    return steady(link, size) * (4 if set(link) == {1, 2} else 1)


@pytest.mark.parametrize(
    ("gpus", "names"),
    [
        ((0, 1, 0, 1), ["n0:gpu0", "n0:gpu1", "n1:gpu0", "n1:gpu1"]),
        ((0, 0, 2, 3), ["n0:gpu0/0", "n0:gpu0/1", "n1:gpu2", "n1:gpu3"]),
        ((-1, 1, 0, -1), ["n0:0", "n0:gpu1", "n1:gpu0", "n1:3"]),
        ((-1, -1, -1, -1), ["n0:0", "n0:1", "n1:2", "n1:3"]),
    ],
)
def test_a_rank_has_the_name_of_its_gpu(gpus: tuple[int, ...], names: list[str], tmp_path: Path) -> None:
    ranks = read(on_gpus(tmp_path / "x.h5", gpus, hosts=HOSTS)).ranks
    assert [ranks.name(rank) for rank in range(4)] == names
    assert ranks.numbers == {name: rank for rank, name in enumerate(names)}


def test_show_and_its_tables_name_gpus(tmp_path: Path, everylink: Command) -> None:
    path = on_gpus(tmp_path / "x.h5", (0, 1, 2, 3), hosts=HOSTS, time=slow_pair)
    code, said, _ = everylink("show", path)
    assert code == 0
    assert "n0:gpu1 -> n1:gpu2" in said
    assert "n0:1" not in said
    _, said, _ = everylink("export", path, "--what", "places")
    assert [line.split()[-3:] for line in said.splitlines()[-4:]] == [[str(gpu), "PIX", "direct"] for gpu in range(4)]


def test_verdicts_of_one_host_name_gpus(tmp_path: Path, everylink: Command) -> None:
    path = on_gpus(tmp_path / "x.h5", range(8), hosts=EIGHT, time=slow_pair, sizes=(8, 65536))
    said = json.loads(everylink("diagnose", path, "--format", "json")[1])
    found = [*said["verdicts"], *said["suspects"]]
    assert [(one["kind"], sorted(one["subject"])) for one in found] == [("pair", ["n0:gpu1", "n0:gpu2"])]


@pytest.mark.parametrize("hosts", [HOSTS, EIGHT[:4]])
@pytest.mark.one_in(2)
def test_a_page_names_gpus(hosts: tuple[str, ...], tmp_path: Path, everylink: Command) -> None:
    path = on_gpus(tmp_path / "x.h5", (0, 1, 2, 3), hosts=hosts)
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    (run,) = page_data(tmp_path / "x.html")["runs"]
    assert run["ends"] == ["gpu0", "gpu1", "gpu2", "gpu3"]
    (said,) = done_in(tmp_path / "x.html", f"{HOVER} return [at(1, 2)];")
    assert said.startswith(f"{hosts[1]}:gpu1 -> {hosts[2]}:gpu2\n")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_printed_pages_of_gpus_are_drawn(kind: str, tmp_path: Path, everylink: Command) -> None:
    path = on_gpus(tmp_path / "x.h5", range(8), hosts=EIGHT, time=slow_pair)
    assert everylink("report", path, "-o", tmp_path / f"x.{kind}")[0] == 0
    assert (tmp_path / f"x.{kind}").stat().st_size > 10_000


def test_an_archive_holds_the_gpus(tmp_path: Path, everylink: Command) -> None:
    path = on_gpus(tmp_path / "x.h5", (0, 0, 2, 3), hosts=HOSTS, time=slow_pair)
    assert everylink("convert", path, tmp_path / "x.npz")[0] == 0
    before, after = (everylink("show", tmp_path / name)[1].splitlines()[1:] for name in ("x.h5", "x.npz"))
    assert before == after


def test_names_are_no_columns(tmp_path: Path) -> None:
    results = read(on_gpus(tmp_path / "x.h5", (0, 1, 2, 3), hosts=HOSTS))
    assert results.ranks.numbers
    write_npz(replace(results, path=tmp_path / "x.npz"))
    assert read(tmp_path / "x.npz").ranks.name(3) == "n1:gpu3"
