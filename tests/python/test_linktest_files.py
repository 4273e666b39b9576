"""LinkTest's files give the numbers that LinkTest printed, in every layout of a SION file."""

import json
import re
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Command
from everylink.errors import FileDamaged, FileOfAnotherKind
from everylink.io.linktest import payload, write_linktest
from everylink.io.linktest_payload import Payload, read_payload, streams
from everylink.io.read import read
from everylink.io.sion import read_container
from everylink.model.results import Results
from everylink.model.rows import RETEST, Outcome, columns
from make_results import make_results, row, write_part
from make_sion import Run, partner_steps, random_run, sion, write_sion
from make_sion import streams as bytes_of

SAMPLES = sorted((Path(__file__).parent.parent / "data" / "linktest").glob("*.sion"))
NEVER_SET = 5 + 12 + 255  # byte of each rank's data
RESULTS_AT = 1052  # where the header says where the results file begins
runs = st.builds(random_run, st.integers(0, 2**32), st.integers(1, 6).map(lambda half: 2 * half), st.booleans())
layouts = st.fixed_dictionaries({
    "order": st.sampled_from("<>"), "data_order": st.sampled_from(["<", ">", None]),
    "block": st.sampled_from([1, 512, 4096, 65536]), "version": st.integers(2, 5), "more": st.integers(0, 5000),
})  # fmt: skip


def payload_in(path: Path) -> Payload:
    with path.open("rb") as file:
        return read_payload(file, read_container(file, path.stat().st_size))


def streams_in(path: Path) -> list[bytes]:
    with path.open("rb") as file:
        container = read_container(file, path.stat().st_size)
        return [container.stream(file, rank) for rank in range(len(container.at))]


def said(path: Path, what: str) -> list[float]:
    """The numbers after a text in LinkTest's output."""
    text = path.with_suffix(".txt").read_text()
    return [float(number) for number in re.findall(re.escape(what) + r"\s*=?\s*([\d.]+)\s*(?:us|Bytes)?", text)]


def written(results: Results) -> list[bytes]:
    return list(streams(payload(results, results.sizes[0])))


def without_garbage(parts: list[bytes]) -> list[bytes]:
    return [part[:NEVER_SET] + b"\0" + part[NEVER_SET + 1 :] for part in parts]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_file_of_linktest_has_the_numbers_that_linktest_printed(path: Path) -> None:
    results = read(path)
    (size,) = results.sizes
    assert [size.bytes] == said(path, "Message length:")[:1]
    assert len(results.ranks) == said(path, "Number of MPI-Task:")[0]
    assert results.facts.messages == said(path, "Number of Iteration:")[0]
    for links, name in ((size.links, "Time:"), (size.retests, "Time Stest:")):
        mean = links.mean.astype(float)
        for which, value in (("Min", np.nanmin(mean)), ("Max", np.nanmax(mean)), ("Avg", np.nanmean(mean))):
            assert 1e6 * value == pytest.approx(said(path, f"RESULT: {which} {name}")[0], abs=1e-7)
    serial = bool(said(path, "serial test:")[0])
    assert (results.facts.serial, bool(results.facts.randomize)) == (serial, bool(said(path, "mixing pe order:")[0]))
    rows = size.rows
    steps = [rows.mean[(rows.step == step) & (rows.attempt == 0)] for step in range(len(results.ranks) - 1)]
    printed = said(path, "  avg=" if serial else ":   avg=")
    assert [round(1e6 * float(values.astype(float).mean()), 3) for values in steps] == printed


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_slowest_links_of_linktest_are_in_its_order_with_both_times(path: Path) -> None:
    (size,) = read(path).sizes
    pattern = r"PINGPONG\s+(\d+)\s+<->\s+(\d+):\s+1st:\s+([\d.]+)us.*?2nd:\s+([\d.]+)us"
    printed = re.findall(pattern, path.with_suffix(".txt").read_text())
    again = np.flatnonzero(size.rows.attempt == RETEST)
    assert len(again) == len(printed) > 0
    for at, (frm, to, first, second) in zip(again, printed, strict=True):
        assert (size.rows.frm[at], size.rows.to[at]) == (int(frm), int(to))
        assert f"{1e6 * float(size.links.matrix('mean', size.ranks)[int(frm), int(to)]):.4f}" == first
        assert f"{1e6 * float(size.rows.mean[at]):.4f}" == second


def test_the_all_to_all_of_linktest_is_in_the_rows() -> None:
    path = next(path for path in SAMPLES if "a2a" in path.stem)
    rows = read(path).sizes[0].rows
    summary = payload_in(path).summary[3:6]
    known = rows.all_to_all[rows.attempt == 0].astype(float)
    np.testing.assert_allclose([known.min(), known.max(), known.mean()], summary, rtol=1e-12)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_written_payload_equals_linktests(path: Path) -> None:
    theirs = without_garbage(streams_in(path))
    assert list(streams(payload_in(path))) == theirs
    assert written(read(path)) == theirs


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_written_container_equals_sionlibs(path: Path, tmp_path: Path) -> None:
    if "n16" in path.stem:
        pytest.skip("SIONlib put gaps between the chunks of several groups of ranks, and ours has none")
    results = read(path)
    write_linktest(Results(**vars(results) | {"path": tmp_path / "pingpong_results_bin.sion"}))
    ours, theirs = (bytearray(p.read_bytes()) for p in (tmp_path / "pingpong_results_bin.sion", path))
    for at in re.finditer(b"LKTST", bytes(theirs)):
        theirs[at.start() + NEVER_SET] = 0
    (results_at,) = struct.unpack_from("<q", ours, RESULTS_AT)
    assert results_at >= len(theirs)
    assert ours[results_at:].startswith(b"\x89HDF")
    ours[RESULTS_AT : RESULTS_AT + 8] = bytes(8)
    assert ours[:results_at] == theirs.ljust(results_at, b"\0")


def test_a_file_of_ours_is_read_with_everything_that_linktest_has_no_place_for(tmp_path: Path) -> None:
    given = read(make_results(tmp_path / "a.h5", sizes=(8,), attributes={"kernel": "bidirectional", "warmups": 7}))
    write_linktest(replace(given, path=tmp_path / "b.sion"))
    found = read(tmp_path / "b.sion")
    assert found.facts == given.facts
    for name, column in columns(given.sizes[0].rows).items():
        np.testing.assert_array_equal(columns(found.sizes[0].rows)[name], column, name)
    with h5py.File(tmp_path / "b.sion") as file:
        assert file.attrs["kernel"] == b"bidirectional"


@pytest.mark.parametrize("kept", ["container", "half of the results"])
def test_a_file_of_ours_that_was_cut_is_refused(tmp_path: Path, kept: str) -> None:
    results = read(SAMPLES[0])
    write_linktest(Results(**vars(results) | {"path": tmp_path / "x.sion"}))
    data = (tmp_path / "x.sion").read_bytes()
    (results_at,) = struct.unpack_from("<q", data, RESULTS_AT)
    (tmp_path / "x.sion").write_bytes(data[: results_at if kept == "container" else (results_at + len(data)) // 2])
    with pytest.raises(FileDamaged, match="truncated"):
        read(tmp_path / "x.sion")


def test_a_file_without_its_kernel_shows_both_readings_of_a_bandwidth(tmp_path: Path, everylink: Command) -> None:
    run = random_run(1, 4, False)
    run.size, run.slow = 2**20, []
    run.times[:] = 1e-3
    path = write_sion(tmp_path / "x.sion", run)
    _, out, _ = everylink("show", path)
    assert "kernel unknown" in out
    assert "1000 MiB/s or 1.953 GiB/s" in out
    assert "does not name its kernel: its bandwidths are twice as high if it was bidirectional" in out
    fields = json.loads(everylink("show", path, "--format", "json")[1])
    assert (fields["run"]["kernel"], fields["directions"]) == ("unknown", None)
    link = fields["slowest"][0]
    assert link["bytes_per_second_if_bidirectional"] == 2 * link["bytes_per_second"] == pytest.approx(2000 * 2**20)
    assert "(MiB/s, twice that if bidirectional)" in everylink("export", path, "--what", "slowest")[1]
    everylink("report", path, "-o", tmp_path / "x.html")
    assert '"directions":[1,2]' in (tmp_path / "x.html").read_text()
    assert "a link slow one way only does not show" in everylink("diagnose", path)[1]
    code, _, err = everylink("diagnose", path, "--expect", "bandwidth=1GB/s")
    assert (code, "does not name its kernel" in err) == (2, True)


def test_convert_takes_the_kernel_that_a_file_does_not_name(tmp_path: Path, everylink: Command) -> None:
    assert everylink("convert", SAMPLES[0], tmp_path / "x.h5", "--kernel", "bidirectional")[0] == 0
    made = read(tmp_path / "x.h5")
    assert (made.facts.kernel, made.directions) == ("bidirectional", 2)
    assert not any("kernel" in remark for remark in made.remarks)
    code, _, err = everylink("convert", tmp_path / "x.h5", tmp_path / "y.sion", "--kernel", "unidirectional")
    assert (code, "records its kernel, bidirectional" in err) == (2, True)


@settings(max_examples=60)
@given(runs, layouts)
def test_every_layout_of_a_file_gives_the_same_results(
    tmp_path_factory: pytest.TempPathFactory, run: Run, layout: dict[str, Any]
) -> None:
    path, ranks = tmp_path_factory.getbasetemp() / "laid-out.sion", len(run.hosts)
    draw = np.random.default_rng(layout["more"])
    spare = draw.integers(0, int(layout.pop("more")) + 1, ranks).tolist()
    write_sion(path, run, spare=spare, ranks=draw.permutation(ranks).tolist(), **layout)
    results = read(path)
    (size,) = results.sizes
    assert (size.bytes, results.facts.messages, results.ranks.host) == (run.size, run.messages, tuple(run.hosts))
    others = ~np.eye(ranks, dtype=bool)
    np.testing.assert_array_equal(size.links.matrix("mean", ranks)[others], run.times[others])
    again = size.rows.attempt == RETEST
    found = zip(*(c[again].tolist() for c in (size.rows.frm, size.rows.to, size.rows.mean)), strict=True)
    assert list(found) == list(run.slow)
    assert written(results) == without_garbage(bytes_of(run))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_pairs_meet_in_the_documented_steps(path: Path) -> None:
    steps = payload_in(path).steps
    if "mix" in path.stem:
        assert np.array_equal(np.sort(steps), np.tile(np.arange(len(steps)), (len(steps), 1)))
    else:
        assert np.array_equal(steps, partner_steps(len(steps)))


def test_facts_missing_from_the_file_are_unknown(tmp_path: Path) -> None:
    results = read(write_sion(tmp_path / "x.sion", random_run(1, 4, False)))
    assert (results.facts.created, results.facts.transport, results.facts.memory) == ("", "unknown", "unknown")
    assert (results.facts.warmups, results.facts.tool_version) == (-1, "LinkTest 1.2p1")
    rows = results.sizes[0].rows
    for column in (rows.min, rows.p99, rows.max, rows.setup, rows.all_to_all):
        assert np.isnan(column).all()
    assert "the mean of its messages, which is also used as the median" in results.remarks[0]


def test_a_link_that_was_tried_but_has_no_time_counts_as_failed(tmp_path: Path) -> None:
    run = random_run(1, 4, False)
    run.times[1, 2] = run.times[2, 3] = 0
    run.steps[2, 3] = 0  # this one was not tried
    run.slow = []
    results = read(write_sion(tmp_path / "x.sion", run))
    links = results.sizes[0].links
    assert len(links) == 11
    assert [(int(f), int(t), int(o)) for f, t, o in zip(links.frm, links.to, links.outcome, strict=True) if o] == [
        (1, 2, Outcome.BROKEN)
    ]
    assert any("1 of the links were tried" in remark for remark in results.remarks)
    assert written(results) == without_garbage(bytes_of(run))


def test_unsaved_rows_beside_the_file_are_read(tmp_path: Path) -> None:
    run, run_id = random_run(1, 4, False), "00112233445566778899aabbccddeeff"
    run.times[1, 2] = run.times[2, 3] = run.steps[2, 3] = 0
    data = bytearray(sion(bytes_of(run)))
    data[1060:1076] = bytes.fromhex(run_id)
    (tmp_path / "x.sion").write_bytes(data)
    beside = [row((1, 2), 2e-6, step=run.steps[1, 2] - 1), row((2, 3), 3e-6, step=9)]
    write_part(tmp_path / "x.sion", run_id, 1, [r | {"bytes": run.size} for r in beside])
    results = read(tmp_path / "x.sion")
    assert (results.facts.run_id, results.rows_from_parts) == (run_id, 2)
    times = results.sizes[0].links.matrix("median", 4)
    assert (times[1, 2], times[2, 3]) == (np.float32(2e-6), np.float32(3e-6))
    assert not results.sizes[0].links.failed.any()


def test_torus_coordinates_and_a_wrong_summary_give_remarks(tmp_path: Path) -> None:
    run = random_run(1, 4, False)
    run.coordinates = np.arange(16).reshape(4, 4)
    data = bytearray(sion(bytes_of(run)))
    place = 4096 + 5 + 12 + 256 + 16 + 40
    data[place : place + 8] = np.float64(1e-9).tobytes()
    (tmp_path / "x.sion").write_bytes(data)
    remarks = read(tmp_path / "x.sion").remarks
    assert any("such as 0,1,2,3 of rank 0" in remark for remark in remarks)
    assert any("gives 1e-09 s as the least time" in remark for remark in remarks)


def test_a_later_version_of_linktest_1_has_six_coordinates(tmp_path: Path) -> None:
    run = random_run(1, 4, True)
    run.version, run.coordinates = (1, 4, 0), np.zeros((4, 6), int)
    assert read(write_sion(tmp_path / "x.sion", run)).facts.tool_version == "LinkTest 1.4p0"


def of_linktest_2(version: tuple[int, int, int], order: str = "<") -> bytes:
    """The beginning of rank 0's data, as LinkTest's wiki describes it for 2.1.16 and for 2.1.17."""
    name, commit = (b"LKTST", b"0123456789abcdef" * 2 + b"01234567\0")
    if version >= (2, 1, 17):
        name, commit = b"LinkTest", commit[:-1] + b"8"
    flags = bytes(100)
    return name + struct.pack(f"{order}3I", *version) + commit + struct.pack(f"{order}I", 4) + b"mpi\0" + flags


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("version", [(2, 1, 16), (2, 1, 17)])
def test_a_file_of_linktest_2_is_refused_with_its_version_ranks_mode_and_what_would_work(
    tmp_path: Path, version: tuple[int, int, int], order: str
) -> None:
    data = sion([of_linktest_2(version, order), *[b"LKTST" + bytes(300)] * 7], order)
    (tmp_path / "two.sion").write_bytes(data)
    with pytest.raises(FileOfAnotherKind) as refused:
        read(tmp_path / "two.sion")
    program = "LinkTest {}.{}.{} (8 ranks, mode mpi, commit 0123456789ab)".format(*version)
    assert f"is a results file of {program}, whose layout is not LinkTest 1's" in str(refused.value)
    assert "measuring again with Everylink's linktest" in str(refused.value)


def test_a_file_of_linktest_2_is_recognised_even_if_it_was_never_closed(tmp_path: Path) -> None:
    whole = sion([of_linktest_2((2, 1, 17))] * 4)
    (tmp_path / "cut.sion").write_bytes(whole[: 4096 + 100])
    with pytest.raises(FileOfAnotherKind, match=r"LinkTest 2\.1\.17 \(4 ranks, mode mpi"):
        read(tmp_path / "cut.sion")


def test_of_another_linktest_2_only_what_is_certain_is_told(tmp_path: Path) -> None:
    run = random_run(1, 4, False)
    run.version = (2, 1, 0)
    with pytest.raises(FileOfAnotherKind, match=r"of LinkTest 2\.1\.0 \(4 ranks\), whose layout"):
        read(write_sion(tmp_path / "two.sion", run))


def test_a_sion_file_of_another_program_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "other.sion").write_bytes(sion([b"anything else"] * 4))
    what = "is a SION file, but not one of LinkTest 1 or 2: the id of rank 0 at byte 4096 is 'anyth'"
    with pytest.raises(FileOfAnotherKind, match=what):
        read(tmp_path / "other.sion")


def test_every_command_accepts_such_a_file_whatever_its_name(tmp_path: Path, everylink: Command) -> None:
    file, again = tmp_path / "misnamed.h5", tmp_path / "again.h5"
    for copy in (file, again):
        copy.write_bytes(next(path for path in SAMPLES if "n8-ser" in path.stem).read_bytes())
    code, out, err = everylink("show", file)
    assert (code, err) == (0, "")
    assert "8 ranks on 1 host, LinkTest 1.2p1\n" in out
    assert "3 messages per turn, sizes 128 KiB" in out
    assert "17.45 us" in out  # LinkTest's minimum, and its maximum
    assert "161.2 us" in out
    for command in (
        ("report", file, "-o", tmp_path / "x.html"), ("compare", file, file),
        ("merge", file, again, "--by", "min", "-o", tmp_path / "m.h5"),
        ("predict", file, "--pattern", "ring"),
    ):  # fmt: skip
        assert everylink(*command)[0] == 0, command
    assert everylink("diagnose", file)[0] in (0, 3, 4)


def test_an_old_file_of_linktest_is_compared_with_a_new_run(tmp_path: Path, everylink: Command, file: Path) -> None:
    results = read(file)
    (size,) = results.sizes[-1:]
    (tmp_path / "old.sion").write_bytes(sion(list(streams(payload(results, size)))))
    code, out, _ = everylink("compare", tmp_path / "old.sion", file)
    assert code == 0
    assert "unknown" in out
