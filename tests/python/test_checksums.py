"""Flipped bits and impossible values in a results file: what they damage is named and left out, the rest is used."""

import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import everylink.io.results_file
from damage import flip
from everylink.cli import main
from everylink.errors import FileDamaged
from everylink.io import checksums
from everylink.io.read import read
from everylink.io.results_file import append_rows, write_results
from everylink.io.stored import DAMAGED, StoredRows
from inventories import Machine, write_inventory
from make_loads import make_pattern
from make_results import make_results

LINKS = 12  # of four ranks


def copied(path: Path, to: Path) -> Path:
    write_results(replace(read(path), path=to))
    return to


@pytest.fixture
def good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose batches have 4 rows."""
    monkeypatch.setattr(checksums, "LONGEST_BATCH", 4)
    path = copied(make_results(tmp_path / "made.h5", sizes=(1, 65536)), tmp_path / "x.h5")
    assert read(path).parts_left_out == ()
    return path


def medians(path: Path, size: int = 65536) -> Any:
    (found,) = (one for one in read(path).sizes if one.bytes == size)
    return found.rows.median


@pytest.mark.parametrize("column", ["from", "outcome", "median", "late"])
@pytest.mark.one_in(4)
def test_a_flipped_bit_is_named_and_costs_no_more_than_its_batch(column: str, good: Path) -> None:
    whole = medians(good)
    flip(good, f"sizes/65536/{column}", 5)
    assert read(good).parts_left_out == (f"rows 4-7 of {good}, 64 KiB, are damaged: left out",)
    assert np.array_equal(medians(good), np.delete(whole, range(4, 8)))
    assert len(medians(good, 1)) == LINKS


def test_damaged_batches_that_follow_each_other_are_one_region(good: Path) -> None:
    for entry in (1, 6):
        flip(good, "sizes/1/median", entry)
    assert read(good).parts_left_out == (f"rows 0-7 of {good}, 1 B, are damaged: left out",)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("host", ("unknown-0", "unknown-0", "unknown-1", "unknown-1")),
        ("host_index", (0, 0, 1, 1)),
        ("local_rank", (0, 1, 0, 1)),
        ("numa", (-1, -1, -1, -1)),
        ("device", ("", "", "", "")),
        ("adapters", (0, 0, 0, 0)),
    ],
)
@pytest.mark.one_in(4)
def test_a_damaged_column_of_the_ranks_is_named_and_not_used(
    column: str, expected: tuple[Any, ...], good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(good, f"ranks/{column}", 2)
    results = read(good)
    assert results.parts_left_out == (f"{good}: {column} of the ranks: damaged, left out",)
    assert tuple(getattr(results.ranks, column)) == expected
    assert main(["diagnose", str(good)]) in (0, 4)
    assert results.parts_left_out[0] in capsys.readouterr().out


def test_a_file_whose_hosts_are_not_known_is_refused(good: Path) -> None:
    for column in ("host", "host_index"):
        flip(good, f"ranks/{column}", 2)
    with pytest.raises(FileDamaged, match="the hosts are not known"):
        read(good)


def test_a_flipped_outcome_is_no_failed_link_but_one_that_was_not_measured(
    good: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flip(good, "sizes/65536/outcome", 5)
    for command in ("show", "diagnose"):
        main([command, str(good)])
        said = capsys.readouterr().out
        assert "timed out" not in said, command
        assert "4-7" in said, command
    (_, size) = read(good).sizes
    assert (size.outcomes.links, size.outcomes.failed) == (LINKS - 4, 0)


def test_the_report_names_the_region(good: Path, tmp_path: Path) -> None:
    flip(good, "sizes/65536/median", 5)
    assert main(["report", str(good), "-o", str(tmp_path / "x.html")]) == 0
    assert "rows 4-7 of" in (tmp_path / "x.html").read_text()


def test_of_damaged_steps_nothing_is_known(good: Path) -> None:
    flip(good, "steps/overlap", 1)
    results = read(good)
    assert results.parts_left_out == (f"steps 0-2 of {good} are damaged: left out",)
    assert np.isnan(results.steps.overlap).all()
    assert len(medians(good)) == LINKS


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("remarks", "the remarks: damaged, left out"),
        ("local_faults/rank", "what hosts lacked: damaged, left out"),
        ("local_faults/cause", "what hosts lacked: damaged, left out"),
    ],
)
@pytest.mark.one_in(2)
def test_damaged_remarks_and_local_faults_are_named_and_left_out(column: str, said: str, tmp_path: Path) -> None:
    made = make_results(
        tmp_path / "made.h5", remarks=["hosts 2 and 5 are both named n3"], local_faults=[(3, "no room")]
    )
    path = copied(made, tmp_path / "x.h5")
    assert read(path).parts_left_out == ()
    flip(path, column, 0)
    results = read(path)
    assert results.parts_left_out == (f"{path}: {said}",)
    assert len(results.remarks) == (column != "remarks")
    assert len(results.local_faults) == (column == "remarks")


def test_a_checksum_that_is_damaged_itself_costs_no_row(good: Path) -> None:
    flip(good, "checksums/sizes/65536", 1, bit=70)
    (said,) = read(good).parts_left_out
    assert said == f"{good}: 1 checksum is damaged, of 64 KiB: its rows are used as they are"
    assert len(medians(good)) == LINKS


def test_a_file_without_checksums_is_read_as_before(good: Path) -> None:
    with h5py.File(good, "a") as file:
        del file["checksums"]
    whole = medians(good)
    flip(good, "sizes/65536/late", 5)
    assert read(good).parts_left_out == ()
    assert np.array_equal(medians(good), whole)


@pytest.mark.long
def test_appended_rows_have_checksums_too(good: Path) -> None:
    more = read(good).sizes[1].rows
    append_rows(good, {1: [more], 65536: [more]})
    assert read(good).parts_left_out == ()
    flip(good, "sizes/65536/median", LINKS + 2)
    assert read(good).parts_left_out == (f"rows 12-15 of {good}, 64 KiB, are damaged: left out",)


IMPOSSIBLE: dict[str, tuple[str, Any]] = {
    "has an unknown outcome": ("outcome", 255),
    "has an unknown attempt": ("attempt", 7),
    "has a rank that there is not": ("to", 4),
    "has a link from a rank to itself": ("to", 0),
    "has a step that there is not": ("step", 3),
    "has an impossible time": ("median", -1.0),
    "has an impossible time ": ("mean", np.inf),
    "has an impossible time  ": ("max", 2e6),
    "has a median above its max": ("median", 1.0),
    "has a min above its median": ("min", 1.0),
}


@pytest.mark.parametrize("why", IMPOSSIBLE)
@pytest.mark.one_in(2)
def test_a_row_that_no_run_measures_is_named_and_left_out(why: str, tmp_path: Path) -> None:
    column, value = IMPOSSIBLE[why]

    def change(file: Any) -> None:
        file[f"sizes/65536/{column}"][0] = value
        if column == "min":
            file["sizes/65536/min"][0] = file["sizes/65536/median"][0] * 1.05
        if column == "median" and value == 1.0:
            file["sizes/65536/p99"][0] = np.nan

    path = changed(make_results(tmp_path / "x.h5"), change)
    assert f"row 0 of {path}, 64 KiB, {why.strip()}: left out" in read(path).parts_left_out
    assert len(medians(path)) == LINKS - 1


def changed(path: Path, change: Callable[[Any], None]) -> Path:
    with h5py.File(path, "a") as file:
        change(file)
    return path


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("attribute", ["time_limit", "min_runtime"])
def test_a_limit_that_is_none_refuses_the_file_by_its_name(
    attribute: str, value: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_results(tmp_path / "x.h5", attributes={attribute: value})
    assert main(["show", str(path)]) == 2
    said = capsys.readouterr().err
    assert f"attribute {attribute} of / is {value}; expected a number of 0 or more" in said


@pytest.mark.long
def test_of_a_file_too_large_for_memory_damage_is_found_while_it_is_read(
    good: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = medians(good)
    monkeypatch.setattr(everylink.io.results_file, "IN_MEMORY", 4)
    monkeypatch.setattr(everylink.io.stored, "BLOCK", 8)
    flip(good, "sizes/65536/median", 5)
    assert isinstance(read(good).sizes[1].rows, StoredRows)
    assert read(good).parts_left_out == ()  # nobody has read it yet
    assert main(["show", str(good)]) == 0
    assert "rows 4-7 of" in capsys.readouterr().out
    assert good in DAMAGED
    assert np.array_equal(medians(good), np.delete(whole, range(4, 8)))
    DAMAGED.remove(good)


def test_of_a_large_file_each_row_that_no_run_measures_is_found_while_it_is_read(
    good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everylink.io.results_file, "IN_MEMORY", 4)
    changed(good, lambda file: (file.__delitem__("checksums"), file["sizes/65536/outcome"].__setitem__(7, 99))[1])
    results = read(good)  # which looks for failed rows in each size
    assert results.parts_left_out == (f"row 7 of {good}, 64 KiB, has an unknown outcome: left out",)
    assert len(results.sizes[1].rows) == LINKS - 1
    DAMAGED.remove(good)


@pytest.mark.parametrize("column", ["flows/seconds", "flows/scene", "scenes/point"])
def test_a_scene_of_which_anything_is_damaged_is_left_out_as_a_whole(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_pattern(tmp_path / "x.h5", "incast")  # scenes of 1, 2, 4 and 7 senders
    whole = read(path).loads[0]
    table = column.split("/")[0]
    bad = 2 if table == "scenes" else 4  # the third scene, or a flow in it that is neither its first nor its last
    monkeypatch.setattr(checksums, "LONGEST_BATCH", 1)

    def change(file: Any) -> None:
        for name in ("scenes", "flows"):
            group = file[f"patterns/incast/{name}"]
            checksums.add_checksums(file, f"patterns/incast/{name}", {key: group[key][:] for key in group})
        file[f"patterns/incast/{column}"][bad] += 1

    changed(path, change)
    results = read(path)
    assert results.parts_left_out == (f"row {bad} of {path}, the {table} of incast, is damaged: left out",)
    (left,) = results.loads
    assert left.scenes.point.tolist() == [1, 2, 7]
    kept = whole.flows.scene != 2
    assert np.array_equal(left.flows.seconds, whole.flows.seconds[kept])
    assert np.array_equal(left.scenes.point[left.flows.scene], whole.scenes.point[whole.flows.scene[kept]])
    assert main(["show", str(path)]) == 0


def test_the_entries_are_as_the_documentation_says(good: Path) -> None:
    with h5py.File(good) as file:
        table = file["checksums/sizes/65536"]
        assert set(table.attrs["columns"].decode().split(",")) == set(file["sizes/65536"])
        for entry in table[:]:
            rows = slice(int(entry["first"]), int(entry["first"] + entry["rows"]))
            for name, crc in zip(table.attrs["columns"].decode().split(","), entry["crc32"], strict=True):
                assert zlib.crc32(file[f"sizes/65536/{name}"][rows].tobytes()) == crc
        assert int(table[-1]["first"] + table[-1]["rows"]) == LINKS


def test_a_copy_of_a_damaged_file_is_whole(good: Path, tmp_path: Path) -> None:
    flip(good, "sizes/65536/median", 5)
    assert main(["convert", str(good), str(tmp_path / "y.npz")]) == 0
    assert main(["convert", str(tmp_path / "y.npz"), str(tmp_path / "y.h5")]) == 0
    assert read(tmp_path / "y.h5").parts_left_out == ()


@pytest.mark.long
def test_rows_of_an_older_writer_between_checked_ones_are_used(good: Path) -> None:
    """A run that an older version resumed has rows without checksums in the middle."""
    more = read(good).sizes[1].rows
    with h5py.File(good, "a") as file:
        kept = {name: file[f"checksums/{name}"][:] for name in ("sizes/1", "sizes/65536")}
    append_rows(good, {1: [more], 65536: [more]})
    with h5py.File(good, "a") as file:
        for name, entries in kept.items():
            file[f"checksums/{name}"].resize((len(entries),))
    append_rows(good, {1: [more], 65536: [more]})
    assert read(good).parts_left_out == ()
    assert len(medians(good)) == 3 * LINKS
    flip(good, "sizes/65536/median", 2 * LINKS)
    assert read(good).parts_left_out == (f"rows 24-27 of {good}, 64 KiB, are damaged: left out",)


def fail_to_write(path: Path, stored: bool) -> None:
    """Make the columns of a run longer than what is stored, as a write that fails leaves them: by an entry, or all."""
    with h5py.File(path, "a") as file:
        file.attrs["complete"] = 0
        columns: list[str] = []
        file.visititems(lambda name, node: columns.append(name) if isinstance(node, h5py.Dataset) else None)
        for column in columns:
            if column.startswith("ranks/"):
                continue
            values, attributes = file[column][:] if stored else file[column][:0], dict(file[column].attrs)
            del file[column]
            made = file.create_dataset(column, data=values, maxshape=(None,), chunks=(64,))
            made.attrs.update(attributes)
            made.resize((len(values) + 1,))


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    made = make_results(
        tmp_path / "made.h5", hosts=("a", "b"), remarks=["clocks differ"], local_faults=[(1, "no memory")]
    )
    with h5py.File(made, "a") as file:
        write_inventory(file, [Machine(name, {("cpu", "model"): "x"}, {("cpu", "errors"): 3}) for name in "ab"])
    return copied(made, tmp_path / "x.h5")


def test_what_was_not_written_whole_is_not_there(whole: Path) -> None:
    before, known = read(whole), read(whole).inventory
    assert len(known.facts.value) > 0
    fail_to_write(whole, stored=True)
    after = read(whole)
    assert after.parts_left_out == ()
    assert after.remarks == before.remarks == ("clocks differ",)
    assert (after.local_faults.rank.tolist(), after.local_faults.cause) == ([1], ("no memory",))
    assert after.inventory.texts == known.texts
    for name in ("facts", "counters", "readings", "carried", "retransmits"):
        columns = [vars(getattr(inventory, name)) for inventory in (known, after.inventory)]
        assert all(np.array_equal(columns[0][one], columns[1][one]) for one in columns[0]), name
    assert np.array_equal(after.sizes[0].rows.median, before.sizes[0].rows.median)


@pytest.mark.long
def test_a_file_to_which_nothing_could_be_written_is_read(whole: Path) -> None:
    with h5py.File(whole, "a") as file:
        file.attrs.update({"rows": 0, "steps": 0})
    fail_to_write(whole, stored=False)
    after = read(whole)
    assert (after.parts_left_out, after.remarks, len(after.local_faults)) == ((), (), 0)
    assert (len(after.steps.began), len(after.sizes[0].rows), len(after.inventory)) == (0, 0, 0)


@pytest.mark.long
def test_a_complete_file_that_has_a_cause_without_a_rank_is_refused(whole: Path) -> None:
    with h5py.File(whole, "a") as file:
        del file["local_faults/rank"]
        file["local_faults/rank"] = np.zeros(0, "u4")
    with pytest.raises(FileDamaged, match="/local_faults has 0 ranks for 1 causes"):
        read(whole)
