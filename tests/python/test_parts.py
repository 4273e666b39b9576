"""Unsaved rows are merged when a results file is read; those that do not fit are reported and left out."""

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Command
from everylink.io.read import read
from everylink.io.unsaved import ROW
from everylink.model.results import Results
from everylink.model.rows import Outcome
from hostile import LONG
from make_results import PART_ROW, columns_of, failed_row, make_results, part_bytes, row, write_part

RUN = "00112233445566778899aabbccddeeff"
OTHER_RUN = "f" * 32
SIZE = 65536
KEY = ("from", "to", "step", "attempt")
OK, TIMEOUT, ABSENT = Outcome.OK, Outcome.TIMEOUT, Outcome.ABSENT


def made(path: Path, rows: list[dict[str, Any]], **others: Any) -> Path:
    """A file of four ranks on two hosts that holds exactly these rows."""
    attributes = {"run_id": RUN, "complete": 0} | others.pop("attributes", {})
    return make_results(path, columns={SIZE: columns_of(rows)}, attributes=attributes, **others)


def sized(row: dict[str, Any], size: int = SIZE) -> dict[str, Any]:
    return row | {"bytes": size}


def rows_of(results: Results) -> list[tuple[int, ...]]:
    rows = results.sizes[0].rows
    return list(
        zip(*(c.tolist() for c in (rows.frm, rows.to, rows.step, rows.attempt, rows.outcome, rows.n)), strict=True)
    )


def test_the_reader_and_the_page_agree_on_64_bytes_per_row() -> None:
    assert ROW.itemsize == struct.calcsize("<" + "".join(PART_ROW.values())) == 64
    assert [name.replace("frm", "from") for name in ROW.names or ()] == list(PART_ROW)


def test_unsaved_rows_of_a_rank_are_merged(tmp_path: Path, everylink: Command) -> None:
    path = made(tmp_path / "x.h5", [row((0, 1), 1e-6), failed_row((1, 0), ABSENT)])
    write_part(path, RUN, 1, [sized(row((1, 0), 2e-6)), sized(row((1, 2), 3e-6, step=1))])
    results = read(path)
    assert results.rows_from_parts == 2
    assert results.sizes[0].links.outcome_matrix(4)[1].tolist() == [OK, -1, OK, -1]
    assert results.sizes[0].links.matrix("median", 4)[1, 2] == np.float32(3e-6)
    code, out, err = everylink("show", path)
    assert (code, err) == (0, "")
    assert f"2 rows merged in from {path}.parts" in out


def test_a_link_that_was_ok_is_unchanged(tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [row((1, 0), 1e-6)])
    write_part(path, RUN, 1, [sized(row((1, 0), 9e-6)), sized(failed_row((1, 0), TIMEOUT))])
    results = read(path)
    assert results.rows_from_parts == 0
    assert results.sizes[0].rows.median.tolist() == [np.float32(1e-6)]


def test_another_step_attempt_or_size_is_another_row(tmp_path: Path) -> None:
    columns = {size: columns_of([row((1, 0), 1e-6)]) for size in (1, SIZE)}
    path = make_results(tmp_path / "x.h5", columns=columns, sizes=(1, SIZE), attributes={"run_id": RUN})
    more = [row((1, 0), 2e-6, step=1), row((1, 0), 3e-6, attempt=2), row((1, 0), 4e-6)]
    write_part(path, RUN, 1, [sized(more[0]), sized(more[1]), sized(more[2], 1), sized(row((1, 2), 5e-6), 1)])
    small, large = read(path).sizes
    assert small.rows.median.tolist() == [np.float32(1e-6), np.float32(5e-6)]
    assert sorted(large.rows.median.tolist()) == [np.float32(t) for t in (1e-6, 2e-6, 3e-6)]


some_rows = st.lists(
    st.builds(
        lambda link, step, attempt, outcome, n: (
            row(link, 1e-6, step=step, attempt=attempt, n=n)
            if outcome == OK
            else failed_row(link, outcome, step=step, attempt=attempt)
        ),
        st.sampled_from([(0, 1), (1, 0), (3, 2)]),
        st.integers(0, 1),
        st.sampled_from([0, 2]),
        st.sampled_from([OK, OK, TIMEOUT, ABSENT, Outcome.PRESUMED]),
        st.integers(1, 1000),
    ),
    max_size=10,
)


@pytest.mark.long
@settings(max_examples=80 if LONG else 40)
@given(st.dictionaries(st.integers(0, 3), some_rows), some_rows, st.integers(0, 63))
def test_merging_agrees_with_a_reference_implementation(
    tmp_path_factory: pytest.TempPathFactory,
    parts: dict[int, list[dict[str, Any]]],
    rows: list[dict[str, Any]],
    cut: int,
) -> None:
    rows = list({tuple(r[k] for k in KEY): r for r in rows}.values())
    path = made(tmp_path_factory.mktemp("parts") / "x.h5", rows)
    for rank, mine in parts.items():
        part = write_part(path, RUN, rank, [sized(r) for r in mine])
        if mine and cut:  # by a full disk or the end of the process: the last row is incomplete
            part.write_bytes(part.read_bytes()[:-cut])
    expected = {tuple(r[k] for k in KEY): r for r in rows}
    for rank in sorted(parts):
        for r in parts[rank][: -1 if cut else None]:
            key = tuple(r[k] for k in KEY)
            if key not in expected or expected[key]["outcome"] != OK:
                expected[key] = r
    results = read(path)
    assert results.parts_left_out == ()
    assert sorted(rows_of(results)) == sorted((*key, r["outcome"], r["n"]) for key, r in expected.items())


GOOD = sized(row((1, 0), 1e-6))
BAD_ROWS: dict[str, dict[str, Any]] = {
    "a size that was not measured": {"bytes": 1},
    "a size beyond all": {"bytes": 2**64 - 1},
    "from no rank": {"from": 4},
    "to no rank": {"to": 2**32 - 1},
    "to itself": {"to": 1},
    "an attempt that does not exist": {"attempt": 7},
    "an outcome that does not exist": {"outcome": 7},
    "a step beyond the last": {"step": 2**32 - 1},
    "no time though ok": {"median": float("nan")},
    "an endless time": {"max": float("inf")},
    "a time below zero": {"min": -1.0},
}


@pytest.mark.parametrize("change", BAD_ROWS.values(), ids=BAD_ROWS.keys())
@pytest.mark.one_in(3)
def test_a_part_with_an_impossible_row_is_left_out_and_named(
    change: dict[str, Any], tmp_path: Path, everylink: Command
) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT), row((2, 0), 1e-6)])
    bad = write_part(path, RUN, 1, [GOOD, GOOD | change])
    write_part(path, RUN, 2, [sized(row((2, 1), 7e-6))])
    results = read(path)
    (line,) = results.parts_left_out
    assert line.startswith(f"{bad} is left out: its row 1 has ")
    assert rows_of(results)[0][4] == ABSENT
    assert results.rows_from_parts == 1
    code, out, _ = everylink("show", path)
    assert code == 0
    assert line in out


def test_in_a_complete_run_a_step_beyond_the_last_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [row((0, 1), 1e-6)], attributes={"complete": 1}, steps=3)
    write_part(path, RUN, 1, [GOOD | {"step": 3}])
    assert "a step beyond the last" in read(path).parts_left_out[0]
    write_part(path, RUN, 1, [GOOD | {"step": 2}])
    assert read(path).rows_from_parts == 1


BAD_PARTS = {
    "empty": b"",
    "cut in its head": part_bytes(RUN, 1, [])[:-1],
    "of another program": b"#!/bin/sh\nexit 0\n" * 10,
    "of another version": part_bytes(RUN, 1, [GOOD]).replace(b"everylp2", b"everylp3"),
    "of another run": part_bytes(OTHER_RUN, 1, [GOOD]),
    "of another rank": part_bytes(RUN, 2, [GOOD]),
    "nothing but zeros": bytes(4096),
    "noise": np.random.default_rng(1).bytes(4096),
}


@pytest.mark.parametrize("content", BAD_PARTS.values(), ids=BAD_PARTS.keys())
def test_an_invalid_part_is_left_out_and_named(content: bytes, tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT)])
    write_part(path, RUN, 1, []).write_bytes(content)
    results = read(path)
    assert results.rows_from_parts == 0
    assert len(results.parts_left_out) == 1
    assert str(tmp_path / "x.h5.parts" / "1") in results.parts_left_out[0]
    assert "\n" not in results.parts_left_out[0]


@pytest.mark.thorough
@settings(max_examples=150 if LONG else 15)
@given(st.binary(max_size=300), st.integers(0, 200), st.booleans())
def test_any_bytes_in_a_part_give_rows_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int, behind_a_head: bool
) -> None:
    path = made(tmp_path_factory.mktemp("noise") / "x.h5", [failed_row((1, 0), ABSENT)])
    content = part_bytes(RUN, 1, [GOOD, GOOD, GOOD])
    content = content[:at] + noise + content[at + len(noise) :] if behind_a_head else noise
    write_part(path, RUN, 1, []).write_bytes(content)
    results = read(path)
    assert len(results.parts_left_out) <= 1
    assert results.rows_from_parts == 0 or all("damaged" in line for line in results.parts_left_out)


@pytest.mark.parametrize("at", [0, 21, 22, 40, 63])
def test_a_row_that_is_damaged_is_left_out_and_the_others_are_used(at: int, tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT), failed_row((1, 2), ABSENT)])
    part = write_part(path, RUN, 1, [GOOD, sized(row((1, 2), 7e-6))])
    content = bytearray(part.read_bytes())
    content[32 + at] ^= 4  # of the first row
    part.write_bytes(content)
    results = read(path)
    assert results.parts_left_out == (f"{part}: 1 row of 2 damaged: left out",)
    assert results.rows_from_parts == 1
    assert [place[4] for place in rows_of(results)] == [ABSENT, OK]


def test_rows_of_an_older_version_have_no_checksum(tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT)])
    content = bytearray(part_bytes(RUN, 1, [GOOD]).replace(b"everylp2", b"everylp1"))
    content[32 + 22 : 32 + 24] = b"\0\0"
    write_part(path, RUN, 1, []).write_bytes(content)
    assert read(path).rows_from_parts == 1


def test_an_older_file_without_a_run_id_has_no_parts(tmp_path: Path) -> None:
    path = make_results(tmp_path / "x.h5")
    write_part(path, RUN, 1, [GOOD | {"step": 1}])
    assert (read(path).rows_from_parts, read(path).parts_left_out) == (0, ())


def test_only_files_named_after_ranks_are_opened(tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT)])
    folder = write_part(path, RUN, 1, [GOOD]).parent
    for name in ("4", "01", "-1", "1.tmp", "notes", "٣", "9" * 40):
        (folder / name).write_bytes(b"x")
    os.mkfifo(folder / "0")
    (folder / "2").mkdir()
    results = read(path)
    assert results.rows_from_parts == 1
    assert len(results.parts_left_out) == 2
    assert "0 is left out" in results.parts_left_out[0]
    assert "2 is left out" in results.parts_left_out[1]


def test_oversized_parts_are_left_out_unread(tmp_path: Path) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT)])
    part = write_part(path, RUN, 1, [GOOD])
    os.truncate(part, 2**42)
    assert "would be larger than" in read(path).parts_left_out[0]


def test_an_unreadable_folder_of_parts_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "x.h5", [failed_row((1, 0), ABSENT)])
    folder = write_part(path, RUN, 1, [GOOD]).parent

    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert read(path).parts_left_out == (
        f"{folder} cannot be read: Permission denied; the unsaved rows in it are missing",
    )
