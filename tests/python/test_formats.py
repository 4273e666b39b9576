"""Results survive conversion between formats: what a format can hold comes back, what it cannot hold is reported."""

import io
import random
import re
import shlex
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Command
from everylink.cli import main
from everylink.errors import ResultsError
from everylink.io.linktest import payload
from everylink.io.npz import write_npz
from everylink.io.read import read
from everylink.model.results import Results
from hostile import EXAMPLES, LONG, MEMORY, assert_refused, shown, spoiled
from make_results import columns_of, make_results, row
from make_sion import random_run, write_sion

SAMPLES = sorted((Path(__file__).parent.parent / "data" / "linktest").glob("*.sion"))
RECORDED = Path(__file__).parent.parent / "data" / "results-v1.h5"
NEVER_SET = 5 + 12 + 255


def assert_same(a: Results, b: Results, but: tuple[str, ...] = ()) -> None:
    """Assert that ranks and rows are equal in every column."""
    assert a.ranks.host == b.ranks.host
    assert [size.bytes for size in a.sizes] == [size.bytes for size in b.sizes]
    for ours, theirs in zip(a.sizes, b.sizes, strict=True):
        for column in fields(ours.rows):
            if column.name not in but:
                np.testing.assert_array_equal(
                    getattr(ours.rows, column.name), getattr(theirs.rows, column.name), column.name
                )


def converted(everylink: Command, *path: Path, options: tuple[str, ...] = ()) -> list[str]:
    """Convert through a chain of files. Returns all lines about losses."""
    lost: list[str] = []
    for source, target in pairwise(path):
        extra = options if source.suffix == ".csv" else ()
        code, out, err = everylink("convert", source, target, "--force", *extra)
        assert (code, err) == (0, ""), err
        lost += out.splitlines()[1:]
    return lost


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("between", ["x.h5", "x.npz"])
@pytest.mark.one_in(5)
def test_nothing_is_lost_from_linktest_and_back(sample: Path, between: str, tmp_path: Path, everylink: Command) -> None:
    back = tmp_path / "pingpong_results_bin.sion"
    assert converted(everylink, sample, tmp_path / between, back) == []
    assert_same(read(sample), read(tmp_path / between))
    assert_same(read(sample), read(back))
    assert replace(read(back).facts, command="") == read(sample).facts
    assert shlex.split(read(back).facts.command)[:2] == ["everylink", "convert"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_matrix_keeps_every_time_of_linktest(sample: Path, tmp_path: Path, everylink: Command) -> None:
    way = (sample, tmp_path / "x.csv", tmp_path / "y.sion", tmp_path / "y.csv")
    lost = converted(everylink, *way, options=("--kernel", "semidirectional"))
    assert ("  .csv does not hold the times of the all-to-all" in lost) == ("a2a" in sample.stem)
    (given,), (made,) = read(sample).sizes, read(tmp_path / "y.sion").sizes
    for ours, theirs in ((given.links, made.links), (given.retests, made.retests)):
        for name in ("frm", "to", "outcome", "n", "mean", "median"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    lines = [(tmp_path / name).read_text().splitlines() for name in ("x.csv", "y.csv")]
    assert sorted(lines[0]) == sorted(lines[1])


def test_everything_that_a_matrix_can_hold_comes_back(tmp_path: Path, everylink: Command) -> None:
    again = [row((0, 1), 5e-5, attempt=1), row((0, 1), 6e-5, attempt=3), row((0, 1), 7e-5, attempt=3)]
    source = make_results(
        tmp_path / "a.h5", hosts=("n, 1", 'the "other"', "n2"), sizes=(1, 65536), outcomes={(0, 2): 1, (1, 2): 3},
        extra=lambda size: again,
    )  # fmt: skip
    lost = converted(everylink, source, tmp_path / "b.csv", tmp_path / "c.h5", options=("--kernel", "semidirectional"))
    assert_same(read(source), read(tmp_path / "c.h5"), but=("step", "arrived", "setup"))
    assert read(tmp_path / "c.h5").facts.kernel == "semidirectional"
    assert "  .csv does not hold the times of connecting and the numbers of messages that arrived" in lost
    assert "  .csv does not hold the kernel, semidirectional (--kernel semidirectional reads it back)" in lost


def test_a_sion_file_holds_everything_of_one_size(tmp_path: Path, everylink: Command) -> None:
    source = make_results(
        tmp_path / "a.h5", hosts=("n0", "n0", "n1", "n1"), sizes=(1, 65536), outcomes={(0, 2): 1}, remarks=["so it is"],
        extra=lambda size: [row((0, 1), 5e-5, attempt=1, step=4), row((0, 1), 6e-5, attempt=2, step=5)],
        host_index=[0, 1, 2, 2], attributes={"kernel": "bidirectional"},
    )  # fmt: skip
    code, out, err = everylink("convert", source, tmp_path / "b.sion")
    assert (code, err) == (0, "")
    first, *lost = out.splitlines()
    assert first == f"{tmp_path / 'b.sion'}: 12 links of 4 ranks on 2 hosts, 1 size"
    assert [line.removeprefix("  .sion does not hold ") for line in lost] == [
        "1 B: the format holds a single size; select it with --size",
    ]
    made, given = read(tmp_path / "b.sion"), read(source)
    assert_same(made, replace(given, sizes=given.sizes[1:]))
    assert (made.facts, made.remarks) == (given.facts, given.remarks)
    assert made.ranks.host_index.tolist() == [0, 1, 2, 2]
    assert everylink("convert", source, tmp_path / "c.sion", "--size", "1")[0] == 0
    assert read(tmp_path / "c.sion").sizes[0].bytes == 1


def test_passes_become_one_mean_weighted_by_their_readings(tmp_path: Path, everylink: Command) -> None:
    extra = [row((0, 1), 4e-5, n=3000, mean=4e-5, step=3), row((1, 0), 4e-5, n=1000, mean=4e-5, step=3)]
    source = make_results(
        tmp_path / "a.h5", hosts=("a", "b"), time=lambda link, size: 1e-5, extra=lambda size: extra, steps=4
    )
    assert everylink("convert", source, tmp_path / "b.csv")[0] == 0
    assert [line.split(",")[:2] for line in (tmp_path / "b.csv").read_text().splitlines()].count(["0", "1"]) == 2
    given = read(source)
    times = payload(given, given.sizes[0]).times
    np.testing.assert_allclose(times, [[0, (1.1e-5 + 3 * 4e-5) / 4], [(1.1e-5 + 4e-5) / 2, 0]], rtol=1e-6)


def test_left_out_single_readings_are_reported(tmp_path: Path, everylink: Command) -> None:
    source = make_results(tmp_path / "a.h5")
    with h5py.File(source, "a", libver=("v110", "v110")) as file:
        file["sizes/65536/laps"] = np.zeros(4, "f4")
    assert "  .npz does not hold single readings (--keep-laps)" in converted(everylink, source, tmp_path / "b.npz")


def test_a_numpy_archive_has_everything_under_the_names_of_the_results_file(tmp_path: Path) -> None:
    given = read(RECORDED)
    write_npz(Results(**vars(given) | {"path": tmp_path / "x.npz"}))
    assert_same(given, read(tmp_path / "x.npz"))
    assert read(tmp_path / "x.npz").facts == given.facts
    assert read(tmp_path / "x.npz").ranks.cores == given.ranks.cores
    with np.load(tmp_path / "x.npz") as arrays, h5py.File(RECORDED) as file:
        assert arrays["attributes/ranks"] == file.attrs["ranks"]
        for size in file["sizes"]:
            rows = file.attrs["rows"]
            np.testing.assert_array_equal(arrays[f"sizes/{size}/mean"], file[f"sizes/{size}/mean"][:rows])


MISTAKES = [
    (("x.sion", "y.xlsx"), "y.xlsx: the suffix selects the format; use .h5, .sion, .csv, .npz"),
    (("x.sion", "y.sion"), "x.sion: is already .sion; there is nothing to convert"),
    (("known.h5", "y.sion", "--kernel", "bidirectional"), "known.h5 records its kernel, semidirectional"),
    (("x.sion", "y.h5", "--size", "7"), "--size 7: was not measured; "),
    (("large.csv", "y.sion"), "the message size is 4294967296, but SION files of LinkTest hold at most 2147483647"),
    (("empty.h5", "y.sion"), "there is no link to write"),
    (("empty.h5", "y.csv"), "there is no link to write"),
]


@pytest.mark.parametrize(("arguments", "what"), MISTAKES)
def test_an_impossible_conversion_is_refused_and_nothing_is_written(
    arguments: tuple[str, ...], what: str, tmp_path: Path, everylink: Command
) -> None:
    write_sion(tmp_path / "x.sion", random_run(1, 4, False))
    make_results(tmp_path / "known.h5")
    make_results(tmp_path / "empty.h5", sizes=(8,), columns={8: columns_of([])})
    (tmp_path / "large.csv").write_text("from,to,host_from,host_to,bytes,seconds\n0,1,a,b,4294967296,1\n")
    before = sorted(tmp_path.iterdir())
    places = [str(tmp_path / word) if "." in word else word for word in arguments]
    code, out, err = everylink("convert", *places)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert what in err
    assert sorted(tmp_path.iterdir()) == before


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), half=st.integers(1, 5), together=st.booleans(), way=st.permutations(["h5", "npz"]))
@pytest.mark.long
def test_every_run_of_linktest_survives_every_conversion(
    tmp_path_factory: pytest.TempPathFactory, seed: int, half: int, together: bool, way: list[str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    path = [write_sion(folder / "a.sion", random_run(seed, 2 * half, together))]
    path += [folder / f"{i}.{suffix}" for i, suffix in enumerate(way)] + [folder / "b.sion"]
    for source, target in pairwise(path):
        assert main(["convert", str(source), str(target), "--force"]) == 0
    assert_same(read(path[0]), read(path[-1]))


def archive_with(path: Path, **others: Any) -> Path:
    """A valid archive in which some arrays, by name, are replaced, or missing (None)."""
    given = read(RECORDED)
    write_npz(Results(**vars(given) | {"path": path}))
    with np.load(path) as arrays:
        kept = dict(arrays) | {name.replace("__", "/"): value for name, value in others.items()}
    path.unlink()
    with path.open("wb") as file:
        np.savez(file, **{name: value for name, value in kept.items() if value is not None})
    return path


def lies(path: Path) -> None:
    """An array that claims more than its bytes."""
    data = io.BytesIO()
    np.lib.format.write_array_header_1_0(data, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("attributes/format.npy", data.getvalue())


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("steps/began.npy", bytes(2**27), compresslevel=1)
        archive.writestr("attributes/format.npy", b"")


def squeezed(method: int) -> Callable[[Path], None]:
    """Makes an array that is compressed, with damage in the middle of its stream."""

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr("attributes/format.npy", random.Random(1).randbytes(4096))
        data = bytearray(path.read_bytes())
        for at in range(60, 1000):
            data[at] ^= 0xA5
        path.write_bytes(data)

    return make


def older_header(path: Path) -> None:
    """As Python 2 wrote numbers, of which NumPy warns."""
    archive_with(path)
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            older = re.sub(rb"\((\d+),\), } ", rb"(\1L,), }", data, count=1)
            archive.writestr(name, older if "median" in name else data)


DAMAGED_ARCHIVES = {
    "squeezed by deflate": squeezed(zipfile.ZIP_DEFLATED),
    "squeezed by bzip2": squeezed(zipfile.ZIP_BZIP2),
    "squeezed by LZMA": squeezed(zipfile.ZIP_LZMA),
    "another archive": lambda path: zipfile.ZipFile(path, "w").writestr("a.txt", "text"),
    "an array that lies": lies,
    "a bomb": bomb,
    "no ranks": lambda path: archive_with(path, attributes__ranks=None),
    "many ranks": lambda path: archive_with(path, attributes__ranks=np.int64(10**9)),
    "endless ranks": lambda path: archive_with(path, attributes__ranks=np.float64("inf")),
    "ranks that are text": lambda path: archive_with(path, attributes__ranks=np.array("four")),
    "a newer version": lambda path: archive_with(path, attributes__format_version=np.int64(9)),
    "another format": lambda path: archive_with(path, attributes__format=np.array("linktest")),
    "a kernel that is a number": lambda path: archive_with(path, attributes__kernel=np.int64(3)),
    "hosts that are numbers": lambda path: archive_with(path, ranks__host=np.arange(4)),
    "hosts in no encoding": lambda path: archive_with(path, ranks__host=np.full(99, 2**31 - 1, "u4").view("U1")),
    "too few hosts": lambda path: archive_with(path, ranks__host=np.array(["a"])),
    "a table": lambda path: archive_with(path, ranks__numa=np.zeros((4, 4), "i4")),
    "objects": lambda path: archive_with(path, ranks__numa=np.array([{}] * 4, object)),
    "rows without end": lambda path: archive_with(path, attributes__rows=np.uint64(2**40)),
}


@pytest.mark.parametrize("make", DAMAGED_ARCHIVES.values(), ids=DAMAGED_ARCHIVES.keys())
@pytest.mark.one_in(4)
def test_a_damaged_archive_is_refused_in_one_line(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "x.npz")
    assert_refused(tmp_path / "x.npz")


def test_an_archive_of_python_2_is_read_without_a_warning(tmp_path: Path) -> None:
    older_header(tmp_path / "x.npz")
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert any(b"L,), }" in archive.read(name) for name in archive.namelist())
    assert shown("show", tmp_path / "x.npz")[:2] == (0, "")


HEADER = 128  # bytes of an array, which np.savez aligns to 64


@settings(max_examples=EXAMPLES * (20 if LONG else 2))
@given(data=st.data(), value=st.one_of(st.integers(0, 255), st.sampled_from(list(b"0123456789(){}[]<>|,'OUSVbfiue-L"))))
def test_a_byte_of_an_arrays_header_that_is_another_is_read_or_refused(
    archive: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, value: int
) -> None:
    """With the checksum of the archive as it should be: nothing but the reader notices."""
    victim = data.draw(st.sampled_from(sorted(archive)))
    at = data.draw(st.integers(0, min(HEADER, len(archive[victim])) - 1))
    path = tmp_path_factory.getbasetemp() / "header.npz"
    with zipfile.ZipFile(path, "w") as made:
        for name, content in archive.items():
            made.writestr(name, content if name != victim else content[:at] + bytes([value]) + content[at + 1 :])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with suppress(ResultsError):
            read(path)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The contents of an archive by name."""
    with zipfile.ZipFile(archive_with(tmp_path_factory.mktemp("archive") / "x.npz")) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


@settings(max_examples=EXAMPLES // 2)
@given(seed=st.integers(0, 2**32), changes=st.sampled_from([1, 1, 2, 4]))
def test_a_randomly_damaged_archive_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, seed: int, changes: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = (folder / "good.npz" if (folder / "good.npz").exists() else archive_with(folder / "good.npz")).read_bytes()
    (folder / "spoiled.npz").write_bytes(spoiled(whole, seed, changes))
    code, said, memory = shown("show", folder / "spoiled.npz")
    assert memory < MEMORY
    assert (code == 0 and said == "") or (code == 2 and said.count("\n") == 1), said
