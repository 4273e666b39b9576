"""Runs of the same ranks and settings are combined into one file."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Command
from everylink.errors import UserMistake
from everylink.io.read import read
from everylink.io.results_file import evened, write_results
from everylink.links.merging import merged
from everylink.model.results import Results
from everylink.model.rows import FAILED_AGAIN, RETEST, Outcome
from fabric_runs import SIZE, fabric_run, renumbered
from make_results import Link, failed_row, make_results, row, write_part

pytestmark = pytest.mark.thorough  # not in make quick

HOSTS = ("n0", "n0", "n1", "n1")


def written(run: Results, path: Path) -> Results:
    """The merged results, written and read again."""
    write_results(replace(run, path=path))
    return read(path)


def run_of(folder: Path, name: str, factor: float, **given: Any) -> Results:
    """A run of four ranks in which every link takes `factor` times 1 us, 64 KiB twice as long as 8 B."""
    options: dict[str, Any] = {"hosts": HOSTS, "sizes": (8, 65536)}
    options["time"] = lambda link, size: factor * 1e-6 * (1 + (size > 8))
    return read(make_results(folder / name, **options | given))


def test_files_that_promise_another_format_are_refused(everylink: Command, tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        run_of(tmp_path, name, 1.0)
    for made in (tmp_path / "x.txt", tmp_path / "x.sion"):
        for words in (
            ("merge", tmp_path / "a.h5", tmp_path / "b.h5", "--by", "min", "-o", made),
            ("simulate", "--hosts", 4, "-o", made),
        ):
            code, _, err = everylink(*words)
            assert (code, err) == (
                2, f"everylink: {made}: a results file ends in .h5; everylink convert writes other formats\n",
            )  # fmt: skip
            assert not made.exists()


def test_by_median_each_link_has_the_median_of_its_runs(tmp_path: Path) -> None:
    runs = [run_of(tmp_path, f"{factor}.h5", factor) for factor in (3.0, 1.0, 1.5)]
    found = written(merged(runs, "median"), tmp_path / "all.h5")
    for size, expected in zip(found.sizes, (1.5e-6, 3e-6), strict=True):
        np.testing.assert_array_equal(size.links.median, np.full(12, expected, np.float32))
        np.testing.assert_array_equal(size.links.min, np.full(12, expected / 1.5 * 0.9, np.float32))
        np.testing.assert_array_equal(size.links.max, np.full(12, expected / 1.5 * 6, np.float32))
        assert set(size.links.n.tolist()) == {3000}
    assert len(found.steps.began) == 9
    assert sorted(set(found.sizes[0].rows.step.tolist())) == [0, 3, 6], "every run keeps its steps"


def test_by_min_each_link_has_the_times_of_its_fastest_run(tmp_path: Path) -> None:
    def time(which: int) -> Callable[[Link, int], float]:
        return lambda link, size: (1e-6 if (link[0] + which) % 2 else 5e-6) * (1 + (size > 8))

    runs = [run_of(tmp_path, f"{which}.h5", 1.0, time=time(which)) for which in (0, 1)]
    found = written(merged(runs, "min"), tmp_path / "all.h5")
    for size, expected in zip(found.sizes, (1e-6, 2e-6), strict=True):
        for name, times in (("min", 0.9), ("median", 1.0), ("mean", 1.1), ("p99", 1.5), ("max", 2.0)):
            np.testing.assert_allclose(size.links.statistic(name), expected * times, rtol=1e-6)
        assert set(size.links.n.tolist()) == {1000}, "the readings of one run, not of both"


@pytest.mark.parametrize("by", ["median", "min"])
def test_a_link_that_failed_in_any_run_has_failed_and_keeps_its_times(by: str, tmp_path: Path) -> None:
    bad = [{(0, 2): Outcome.TIMEOUT}, {}, {(0, 2): Outcome.BROKEN, (3, 1): Outcome.CORRUPT}]
    runs = [run_of(tmp_path, f"{i}.h5", 1.0 + i, outcomes=outcomes) for i, outcomes in enumerate(bad)]
    found = written(merged(runs, by), tmp_path / "all.h5")
    for i, size in enumerate(found.sizes):
        outcome = size.links.outcome_matrix(4)
        assert outcome[0, 2] == Outcome.TIMEOUT, "the first failure"
        assert outcome[3, 1] == Outcome.CORRUPT
        assert int(size.links.failed.sum()) == 2
        expected = {"median": (2.0, 1.5), "min": (2.0, 1.0)}[by]
        times = size.links.matrix("median", 4)
        np.testing.assert_allclose([times[0, 2], times[3, 1]], np.array(expected) * 1e-6 * (1 + i), rtol=1e-6)


@pytest.mark.parametrize("by", ["median", "min"])
def test_a_link_that_failed_in_every_run_has_no_time(by: str, tmp_path: Path) -> None:
    runs = [run_of(tmp_path, f"{i}.h5", 1.0, outcomes={(0, 1): 1}) for i in range(2)]
    links = written(merged(runs, by), tmp_path / "all.h5").sizes[0].links
    assert links.outcome_matrix(4)[0, 1] == Outcome.TIMEOUT
    assert np.isnan(links.matrix("median", 4)[0, 1])


@pytest.mark.parametrize("by", ["median", "min"])
def test_what_was_measured_again_is_kept_from_every_run(by: str, tmp_path: Path) -> None:
    again = [
        [row((0, 1), 7e-6, attempt=RETEST)],
        [failed_row((2, 3), 1, attempt=FAILED_AGAIN), row((0, 1), 8e-6, attempt=1)],
    ]
    runs = [run_of(tmp_path, f"{i}.h5", 1.0, extra=lambda size, i=i: again[i]) for i in range(2)]
    size = written(merged(runs, by), tmp_path / "all.h5").sizes[0]
    assert size.retests.median.tolist() == [np.float32(8e-6)], "the newest"
    assert int((size.rows.attempt == RETEST).sum()) == 2
    assert size.alone.outcome.tolist() == [Outcome.TIMEOUT]


def test_unsaved_rows_of_a_run_are_merged(tmp_path: Path) -> None:
    run_id = "0123456789abcdef" * 2
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, sizes=(8, 64), attributes={"run_id": run_id, "complete": 0})
    write_part(path, run_id, 1, [row((1, 0), 9e-6, step=2, bytes=8)])
    other = make_results(tmp_path / "b.h5", hosts=HOSTS, sizes=(8, 64))
    runs = [read(path), read(other)]
    assert len(runs[0].sizes[0].rows.frm) != len(runs[0].sizes[1].rows.frm)
    found = written(merged(runs, "median"), tmp_path / "all.h5")
    assert int((found.sizes[0].rows.median == np.float32(9e-6)).sum()) == 1
    assert not found.sizes[1].links.failed.any()
    assert np.isfinite(found.sizes[1].links.median).all()
    assert not found.facts.complete


def test_rows_of_equal_sizes_are_left_as_they_are() -> None:
    run = fabric_run(sizes=(8, SIZE), hosts=4)
    assert evened(run) is run


@pytest.mark.long
@given(st.lists(st.integers(0, 2**32), min_size=2, max_size=5))
def test_merging_is_the_median_and_the_minimum_of_the_medians(seeds: list[int]) -> None:
    runs = [fabric_run(hosts=3, seed=seed) for seed in seeds]
    medians = np.stack([run.sizes[0].links.median for run in runs]).astype(float)
    for by, expected in (("median", np.median(medians, axis=0)), ("min", medians.min(axis=0))):
        np.testing.assert_allclose(merged(runs, by).sizes[0].links.median, expected, rtol=1e-6)


REFUSED: list[tuple[Mapping[str, Any], str]] = [
    ({"attributes": {"transport": "mpi"}}, "--mode is mpi here, tcp there"),
    ({"attributes": {"transport_options": "sockets=4"}}, "options of --mode is sockets=4 here, none there"),
    ({"attributes": {"memory": "huge"}}, "--memory is huge here, host there"),
    ({"attributes": {"kernel": "bidirectional"}}, "the kernel is bidirectional here, semidirectional there"),
    ({"attributes": {"schedule": "rail"}}, "--schedule is rail here, all there"),
    ({"attributes": {"serial": 1}}, "--serial-tests is on here, off there"),
    ({"attributes": {"messages": 7}}, "--num-messages is 7 here, 100 there"),
    ({"attributes": {"warmups": 7}}, "--num-warmup-messages is 7 here, 10 there"),
    ({"attributes": {"window": 7}}, "--window is 7 here, 0 there"),
    ({"attributes": {"buffers": 7}}, "--num-multi-buf is 7 here, 1 there"),
    ({"attributes": {"check": 1}}, "--check is on here, off there"),
    ({"attributes": {"all_to_all": 1}}, "--all-to-all is on here, off there"),
    ({"sizes": (8, 64)}, "sizes are 8 B, 64 B here, 8 B, 64 KiB there"),
    ({"hosts": ("n0", "n0", "n1")}, "3 ranks here, 4 there"),
    ({"hosts": ("n0", "n0", "n1", "n2")}, "rank 3 is local rank 0 of n2 (host 2) here, local rank 1 of n1 (host 1)"),
    ({"attributes": {"run_id": "ab" * 16}}, "is the same run as"),
]


@pytest.mark.parametrize(("options", "expected"), REFUSED)
@pytest.mark.one_in(3)
def test_a_difference_is_refused_and_named(options: Mapping[str, Any], expected: str, tmp_path: Path) -> None:
    same = {"attributes": options["attributes"]} if "is the same run" in expected else {}
    runs = [run_of(tmp_path, "a.h5", 1.0, **same), run_of(tmp_path, "b.h5", 1.0, **options)]
    with pytest.raises(UserMistake) as caught:
        merged(runs, "median")
    assert str(caught.value).startswith(f"{tmp_path / 'b.h5'}: ")
    assert expected in str(caught.value)


def test_ranks_in_another_order_are_refused() -> None:
    run = fabric_run(hosts=4)
    with pytest.raises(UserMistake, match="rank 0 is local rank 0 of n"):
        merged([run, renumbered(run, 5)], "min")


def test_the_merged_file_records_its_command(tmp_path: Path, everylink: Command) -> None:
    paths = [run_of(tmp_path, f"{i}.h5", 1.0, outcomes={(0, 1): 1}).path for i in range(3)]
    code, out, err = everylink("merge", *paths, "--by", "min", "-o", tmp_path / "all.h5")
    assert (code, out, err) == (0, f"{tmp_path / 'all.h5'}: 3 runs, 12 links, 1 of them failed\n", "")
    _, out, _ = everylink("show", tmp_path / "all.h5")
    assert f"merged by min from 3 runs: {paths[0]}, {paths[1]}, {paths[2]}" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("a.h5", "-o", "c.h5", "--by", "min"), "a.h5 is the only file; give at least two"),
        (("a.h5", "a.h5", "-o", "c.h5"), "--by"),
        (("a.h5", "a.h5", "--by", "min"), "-o/--output"),
        (("a.h5", "a.h5", "-o", "c.h5", "--by", "mean"), "--by"),
        (("a.h5", "b.h5", "-o", "c.h5", "--by", "min"), "b.h5: there is no such file"),
        (("a.h5", "a.h5", "-o", "a.h5", "--by", "min"), "a.h5: exists; --force overwrites it"),
        (("a.h5", "a.h5", "-o", "c.h5", "--by", "min"), "a.h5 and a.h5 are the same file; give each run once"),
        (("a.h5", "./link", "-o", "c.h5", "--by", "min"), "a.h5 and link are the same file; give each run once"),
        (("a.h5", "a.h5", "-o", "no/c.h5", "--by", "min"), "folder no does not exist"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: tuple[str, ...], expected: str, tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_results(tmp_path / "a.h5")
    (tmp_path / "link").symlink_to("a.h5")
    code, out, err = everylink("merge", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
