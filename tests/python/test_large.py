"""Files too large for memory, in miniature: rows read from the file on demand, and sampled hosts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import Command
from everylink import memory
from everylink import robust as sample
from everylink.errors import NotEnoughMemory
from everylink.io import results_file, stored
from everylink.io.read import read
from everylink.io.stored import StoredRows
from everylink.judge import findings as ranks
from everylink.judge import readings
from everylink.judge.judge import judge
from everylink.judge.verdict import describe
from everylink.model import links, rows
from everylink.model.results import Size
from everylink.model.rows import MAIN, ORDER, columns
from everylink.simulate import results as large
from fabric_runs import SIZE, fabric_run

FAULTS = (
    "slow-host:n3*0.7",
    "slow-link:n9>n12*0.6",
    "jitter-host:n7",
    "dark:n5>n6",
    "dark-host:n20",
    "slow-rank:n15:1*0.6",
)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as large and is processed in many blocks."""
    monkeypatch.setattr(results_file, "IN_MEMORY", 100)
    monkeypatch.setattr(large, "IN_MEMORY", 100)
    for module in (rows, stored, large):
        monkeypatch.setattr(module, "BLOCK", 997)
    monkeypatch.setattr(readings, "HOST_BLOCK", 5)
    monkeypatch.setattr(ranks, "BLOCK", 7)
    monkeypatch.setattr(sample, "BLOCK_VALUES", 50)


def _file(path: Path, everylink: Command, *options: object) -> Path:
    planted = [word for fault in FAULTS for word in ("--fault", fault)]
    code, *_ = everylink("simulate", "--hosts", 24, "--ranks-per-host", 2, *planted, *options, "-o", path)
    assert code == 0
    return path


@pytest.mark.long
def test_readings_of_several_sizes_are_read_once_if_they_fit_into_memory_and_judged_alike_if_not(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _file(tmp_path / "x.h5", everylink, "--sizes", "1,4KiB,1MiB")
    read_sizes = []

    def counted(
        size: Size, host_of: NDArray[np.int64], turned: bool, *names: str, attempts: NDArray[np.bool_]
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        if attempts[MAIN] and "step" not in names:  # what single steps tell is not kept
            read_sizes.append(size.bytes)
        return rows_under_load(size, host_of, turned, *names, attempts=attempts)

    rows_under_load = readings.rows_under_load
    monkeypatch.setattr(readings, "rows_under_load", counted)
    whole = judge(read(path))
    assert read_sizes == [1, 4096, 2**20]
    monkeypatch.setattr(readings, "KEPT_BYTES", 0)
    assert judge(read(path)) == whole
    assert read_sizes == [1, 4096, 2**20] * 4  # for kinds of hosts, for groups, and for the verdicts


def test_rows_read_from_the_file_are_judged_like_rows_in_memory(
    tmp_path: Path, everylink: Command, request: pytest.FixtureRequest
) -> None:
    path = _file(tmp_path / "x.h5", everylink, "--confirm", "--unidirectional")
    whole = judge(read(path))
    held = read(path).sizes[0].rows
    request.getfixturevalue("small_blocks")
    results = read(path)
    rows = results.sizes[0].rows
    assert isinstance(rows, StoredRows)
    assert len(rows) == len(held)
    in_blocks = judge(results)
    for said, expected in ((in_blocks.verdicts, whole.verdicts), (in_blocks.suspects, whole.suspects)):
        assert [describe(verdict) for verdict in said] == [describe(verdict) for verdict in expected]
    assert (in_blocks.remarks, in_blocks.links_measured, in_blocks.links_failed) == (
        whole.remarks, whole.links_measured, whole.links_failed,
    )  # fmt: skip
    for name, column in columns(held).items():
        np.testing.assert_array_equal(column, getattr(rows, name), name)


def test_rows_are_left_out_replaced_and_added_as_in_memory(
    tmp_path: Path, everylink: Command, small_blocks: None
) -> None:
    kept = read(_file(tmp_path / "x.h5", everylink)).sizes[0].rows
    held, numbers = kept.held(), [2000, 3, 996, 994]
    left_out, gone = np.array([5, 995, 1990, 0]), np.array([996, 1, 4, 991, 1000, len(held), len(held) + 6])
    others, more = held.of_attempt(MAIN).without(np.arange(4, len(held))), held.without(np.arange(9, len(held)))
    changed = [
        rows.without(left_out).with_others(numbers, others, more).with_more([others]).without(gone)
        for rows in (kept, held)
    ]
    assert len(changed[0]) == len(changed[1]) == len(held) - 4 + 9 + 4 - len(gone)
    for name in columns(held):
        np.testing.assert_array_equal(getattr(changed[0], name), getattr(changed[1], name), name)


@pytest.mark.long
def test_a_file_written_in_blocks_has_every_link_once_and_all_repeated_measurements(
    tmp_path: Path, everylink: Command, small_blocks: None
) -> None:
    results = read(_file(tmp_path / "x.h5", everylink, "--confirm", "--unidirectional", "--sizes", "8,1048576"))
    for size in results.sizes:
        main = size.rows.of_attempt(MAIN)
        assert (links.keys(main, 48) == np.flatnonzero(~np.eye(48, dtype=bool).ravel())).all()
        assert len(size.rows.of_attempt(ORDER))
        assert int(size.rows.step.max()) == len(results.steps.began) - 1 > 0
    assert len(results.sizes[0].rows) == len(results.sizes[1].rows)
    found = {verdict.subject for verdict in judge(results).verdicts}
    assert found >= {("n3",), ("n9", "n12"), ("n7",), ("n20",)}


@pytest.mark.parametrize("both", [True, False])
def test_a_sample_represents_very_many_hosts(both: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = ("slow-host:n17*0.75", "slow-group:g4*0.7", "jitter-host:n40", "dark:n5>n6", "slow-send:n88*0.7")
    results = fabric_run(*faults, hosts=120, group_size=20, both_directions=both)

    links_of = dict[tuple[str, ...], int]()

    def said() -> set[tuple[str, tuple[str, ...], str]]:
        verdicts = judge(results).verdicts
        links_of.update((verdict.subject, verdict.links) for verdict in verdicts)
        return {(verdict.kind, verdict.subject, verdict.symptom) for verdict in verdicts}

    whole = said()
    assert len(whole) == 5
    monkeypatch.setattr(sample, "MOST_WHOLE", 100)
    monkeypatch.setattr(sample, "SAMPLED", 60)
    results.__dict__.pop("_readings")  # they were computed from all hosts
    assert said() == whole
    assert all(links_of[slow,] > 90 for slow in ("n17", "n88"))  # of all links, of which 60 are in the sample


def test_the_slowest_of_very_many_suspect_pairs_are_named_and_the_others_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = fabric_run(hosts=64, transient=0.05)
    every = judge(results)
    monkeypatch.setattr("everylink.judge.pairs.MOST_SUSPECTS", 2)
    some = judge(results)
    pairs = [verdict for verdict in some.suspects if verdict.kind == "pair"]
    slowest = sorted((v.factor or 0.0 for v in every.suspects if v.kind == "pair"), reverse=True)
    assert len(slowest) > 2
    assert sorted((v.factor or 0.0 for v in pairs), reverse=True) == slowest[:2]
    assert f"{len(slowest) - 2} more pairs to be measured again than the 2 slowest." in some.remarks


def test_requests_beyond_the_available_memory_are_refused(
    tmp_path: Path, everylink: Command, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _file(tmp_path / "x.h5", everylink)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    for command in (("diagnose",), ("show",), ("compare", path)):
        code, out, err = everylink(*command, path)
        assert (code, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert "KiB of memory, but only 1000 B are free" in err
    with pytest.raises(NotEnoughMemory, match="to hold its 2,256 rows"):
        _ = read(path).sizes[0].rows.mean


def test_the_available_memory_is_known_here() -> None:
    there = memory.available()
    assert there is not None
    assert 2**20 < there < 2**50


def test_a_row_of_a_large_file_with_an_invalid_rank_is_left_out(
    tmp_path: Path, everylink: Command, small_blocks: None
) -> None:
    import h5py

    path = _file(tmp_path / "x.h5", everylink)
    with h5py.File(path, "r+") as file:
        del file["checksums"]
        file[f"sizes/{SIZE}/to"][1500] = 48
    code, out, err = everylink("diagnose", path)
    assert (code, err) == (3, "")  # the faults that are simulated
    assert f"row 1500 of {path}" in out.replace("\n", " ")
    assert "has a rank that there is not: left out" in out.replace("\n", " ")
