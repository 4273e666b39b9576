"""The output of `everylink export` and of `show`'s options, compared with values computed here from the links."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from conftest import Command
from everylink.io.read import read
from everylink.model.results import Results
from everylink.terminal.tables import TABLES
from make_results import Link, all_links, make_results, row

SAMPLES = Path(__file__).parents[1] / "data" / "linktest"
MIB = 2**20
ORDERED = {link: 1e-5 * (i + 1) for i, link in enumerate(all_links(4))}


def ordered(link: Link, size: int) -> float:
    """Twelve links of four ranks, each 10 us slower than the one before."""
    return ORDERED[link]


def retests(size: int) -> list[dict[str, Any]]:
    return [row((3, 2), 3e-6, attempt=1), row((3, 1), 4e-6, attempt=1)]


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    return make_results(tmp_path / "ladder.h5", time=ordered, extra=retests)


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line and not line.startswith("#")]


def head_of(text: str) -> str:
    return [line for line in text.splitlines() if line.startswith("#")][-1]


def numbers(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.loadtxt(io.StringIO(text), ndmin=2)


def test_the_slowest_links_have_first_and_second_time_and_hosts(ladder: Path, everylink: Command) -> None:
    code, out, err = everylink("export", ladder, "--what", "slowest", "--count", 3)
    assert (code, err) == (0, "")
    found = rows_of(out)
    assert [r[:3] for r in found] == [["0", "3", "2"], ["1", "3", "1"], ["2", "3", "0"]]
    np.testing.assert_allclose([float(r[3]) for r in found], [12e-5, 11e-5, 10e-5], rtol=1e-6)
    np.testing.assert_allclose(
        [float(r[4]) for r in found], [65536 / t / MIB for t in (12e-5, 11e-5, 10e-5)], rtol=1e-6
    )
    np.testing.assert_allclose([float(r[5]) for r in found], [3e-6, 4e-6, np.nan], rtol=1e-6)
    assert [r[7:] for r in found] == [["n1", "->", "n1"], ["n1", "->", "n0"], ["n1", "->", "n0"]]
    assert head_of(out).count("(s)") == head_of(out).count("(MiB/s)") == 2


def test_without_a_count_the_slowest_are_the_links_measured_again(ladder: Path, everylink: Command) -> None:
    assert len(rows_of(everylink("export", ladder, "--what", "slowest")[1])) == 2


def test_links_below_are_slow_and_links_above_are_fast(ladder: Path, everylink: Command) -> None:
    limits = ("--below", f"{65536 / 10.5e-5 / MIB}MiB/s", "--above", f"{65536 / 1.5e-5 / MIB}MiB/s")
    found = rows_of(everylink("export", ladder, "--what", "outside", *limits)[1])
    assert [(r[1], r[2], r[5]) for r in found] == [("3", "2", "slow"), ("3", "1", "slow"), ("0", "1", "fast")]


def test_a_failed_link_is_neither_slow_nor_fast(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", outcomes={(0, 1): 1})
    code, out, _ = everylink("export", path, "--what", "outside", "--below", "1MiB/s", "--above", "1MiB/s")
    assert (code, len(rows_of(out))) == (0, 11)
    assert "# 1 link without a time, because they failed: not listed" in out


def test_a_bandwidth_of_both_directions_is_labelled(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", time=lambda k, s: 1e-3, attributes={"kernel": "bidirectional"})
    out = everylink("export", path, "--what", "slowest")[1]
    assert "(MiB/s, both directions)" in head_of(out)
    assert float(rows_of(out)[0][4]) == pytest.approx(2 * 65536 / 1e-3 / MIB)


@pytest.mark.parametrize("name", ["n4-par", "n8-a2a", "n8-ser", "n16-mix"])
def test_the_patterns_hold_every_pair_and_ranks_meet_in_the_same_step(name: str, everylink: Command) -> None:
    path = SAMPLES / f"{name}.sion"
    results = read(path)
    ranks, links = len(results.ranks), results.sizes[0].links
    steps = numbers(everylink("export", path, "--what", "step-pattern")[1])
    assert steps.shape == (ranks**2, 3)
    square = steps[:, 2].reshape(ranks, ranks)
    np.testing.assert_array_equal(square, square.T)
    for line in square:
        assert sorted(line) == list(range(ranks))
    bandwidths = numbers(everylink("export", path, "--what", "bandwidth-pattern")[1])
    np.testing.assert_allclose(bandwidths[:, 2].reshape(ranks, ranks), links.matrix("median", ranks), rtol=1e-7)
    np.testing.assert_allclose(bandwidths[:, 3], 131072 / bandwidths[:, 2] / MIB, rtol=1e-6)


@pytest.mark.parametrize("what", ["time-distribution", "bandwidth-distribution"])
def test_every_link_with_a_time_is_in_one_bin(what: str, tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", time=ordered, outcomes={(0, 1): 1})
    out = everylink("export", path, "--what", what)[1]
    bins = numbers(out)
    values = read(path).sizes[0].links.median.astype(np.float64)
    values = values if what == "time-distribution" else 65536 / values / MIB
    assert bins[:, 2].sum() == 11
    assert (bins[:, 4:].sum(axis=1) == bins[:, 2]).all()
    np.testing.assert_allclose(bins[1:, 1], bins[:-1, 3])
    for low, high, count in bins[:, [1, 3, 2]]:
        inside = (values >= low * (1 - 1e-6)) & (values <= high * (1 + 1e-6))
        assert inside.sum() >= count  # a value on an edge counts once


def test_each_host_and_rank_has_mean_and_worst_at_both_ends(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", time=ordered, outcomes={(0, 2): 1})
    found = rows_of(everylink("export", path, "--what", "ranks")[1])
    assert [(r[0], r[15], r[16]) for r in found] == [
        (str(rank), peers, f"n{rank // 2}") for peers in ("other-host", "same-host") for rank in range(4)
    ]
    sent, received = found[0][1:8], found[0][8:15]
    assert sent[:2] == ["2", "1"]  # 0 -> 2 failed, 0 -> 3 remains
    assert [float(sent[i]) for i in (2, 4, 6)] == pytest.approx([ORDERED[0, 3], ORDERED[0, 3], 3])
    mean, worst = (ORDERED[2, 0] + ORDERED[3, 0]) / 2, ORDERED[3, 0]
    assert [float(received[i]) for i in (2, 4, 6)] == pytest.approx([mean, worst, 3])
    assert float(received[3]) == pytest.approx(65536 / mean / MIB)
    hosts = rows_of(everylink("export", path, "--what", "hosts")[1])
    assert [(r[0], r[1], r[2], r[7], r[14], r[15], r[16]) for r in hosts] == [
        ("0", "4", "1", "3", "3", "other-host", "n0"),
        ("1", "4", "0", "1", "1", "other-host", "n1"),
        ("0", "2", "0", "0", "1", "same-host", "n0"),
        ("1", "2", "0", "2", "3", "same-host", "n1"),
    ]


def test_every_table_names_its_run_and_its_columns(everylink: Command) -> None:
    for what in TABLES:
        limits = ("--below", "1GiB/s") if what == "outside" else ()
        out = everylink("export", SAMPLES / "n8-a2a.sion", "--what", what, *limits)[1]
        assert "n8-a2a.sion" in out.splitlines()[0]
        assert len(head_of(out).split()) > 2


@pytest.mark.parametrize("what", ["step-pattern", "bandwidth-pattern"])
def test_a_ppm_file_has_one_pixel_per_link_and_explains_its_colours(
    what: str, tmp_path: Path, everylink: Command
) -> None:
    out = tmp_path / "x.ppm"
    assert everylink("export", SAMPLES / "n8-a2a.sion", "--what", what, "-o", out)[0] == 0
    data = out.read_bytes()
    comments = [line for line in data.split(b"\n") if line.startswith(b"# ")]
    assert b"rows: from, columns: to" in data
    assert (b"step 7" if what == "step-pattern" else b"108.5 MiB/s") in b"\n".join(comments)
    head = b"8 8\n255\n"
    pixels = np.frombuffer(data[data.index(head) + len(head) :], np.uint8).reshape(8, 8, 3)
    assert (np.einsum("iic->ic", pixels) == 255).all()
    if what == "step-pattern":
        np.testing.assert_array_equal(pixels, pixels.transpose(1, 0, 2))
        assert len(np.unique(pixels.reshape(-1, 3), axis=0)) == 8  # seven steps and the diagonal


def test_with_many_ranks_a_pixel_is_several_links(
    made: Callable[..., Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    from everylink.figure import pattern

    monkeypatch.setattr(pattern, "MOST_PIXELS", 3)
    results = made(hosts=[f"n{i}" for i in range(5)])
    for image, said in (
        pattern.bandwidth_pixels(results, results.sizes[0]),
        pattern.step_pixels(results, results.sizes[0], np.arange(1, 21)),
    ):
        assert image.shape == (3, 3, 3)
        assert "a pixel is the" in said[1]
        assert "of 2 x 2 links" in said[1]


@pytest.mark.long
def test_a_picture_of_the_steps_shows_their_colours(tmp_path: Path, everylink: Command) -> None:
    out = tmp_path / "x.png"
    assert everylink("export", SAMPLES / "n8-a2a.sion", "--what", "step-pattern", "-o", out)[0] == 0
    pixels = np.round(imread(out)[..., :3] * 255).astype(int)
    for colour in ((68, 1, 84), (253, 231, 37)):  # first and last step: at least two cells of 140 x 140
        assert (np.abs(pixels - colour).max(axis=-1) <= 1).sum() > 2 * 140 * 140


WRONG = [
    (("--what", "outside"), "requires --below RATE, --above RATE or both"),
    (("--what", "outside", "--below", "12"), "--below: '12' is not a bandwidth above 0"),
    (("--what", "slowest", "--below", "1GiB/s"), "--below and --above apply only to --what outside"),
    (("--what", "hosts", "--count", "3"), "--count applies only to --what slowest"),
    (("--what", "slowest", "--count", "0"), "--count 0: must be at least 1"),
    (("--what", "hosts", "-o", "x.ppm"), "hosts is a table"),
    (("--what", "hosts", "-o", "x.doc"), "the name must end in .dat, .png, .ppm"),
    (("--what", "hosts", "--force"), "--force applies only to -o"),
    (("--what", "hosts", "--size", "8"), "--size 8: was not measured"),
    (("--what", "step-pattern"), "does not record the step of each link"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_an_impossible_export_is_refused_in_one_line(
    arguments: tuple[str, ...], said: str, file: Path, everylink: Command
) -> None:
    code, out, err = everylink("export", file, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_an_existing_file_is_kept_without_force(file: Path, everylink: Command) -> None:
    out = file.with_suffix(".dat")
    out.write_text("precious")
    assert everylink("export", file, "--what", "hosts", "-o", out)[0] == 2
    assert out.read_text() == "precious"
    assert everylink("export", file, "--what", "hosts", "-o", out, "--force")[0] == 0
    assert out.read_text() == everylink("export", file, "--what", "hosts")[1]


def test_messages_of_zero_bytes_have_times_but_no_bandwidth(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", sizes=(0,))
    assert everylink("export", path, "--what", "time-distribution")[0] == 0
    for command in (
        ("export", path, "--what", "bandwidth-pattern"),
        ("export", path, "--what", "bandwidth-distribution"),
        ("show", path, "--below", "1GiB/s"),
    ):
        code, out, err = everylink(*command)
        assert (code, out) == (2, "")
        assert "messages of 0 bytes have no bandwidth" in err


def test_a_file_without_rows_gives_tables_without_rows(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", uncommitted=12)
    for what in ("slowest", "time-distribution", "bandwidth-distribution", "hosts", "ranks"):
        code, out, err = everylink("export", path, "--what", what)
        assert (code, err, rows_of(out)) == (0, "", [])


def test_show_lists_slow_and_fast_links_hosts_and_the_chosen_number_of_slowest(
    ladder: Path, everylink: Command
) -> None:
    limits = ("--below", f"{65536 / 10.5e-5 / MIB}MiB/s", "--above", f"{65536 / 1.5e-5 / MIB}MiB/s")
    code, out, err = everylink("show", ladder, *limits, "--hosts", "--slowest", 1)
    assert (code, err) == (0, "")
    slow, fast, hosts = (out.index(text) for text in ("SLOW: below", "FAST: above", "Hosts at 64 KiB, other host"))
    assert slow < out.index("n1:3 -> n1:2", slow) < out.index("n1:3 -> n0:1", slow) < fast
    assert fast < out.index("n0:0 -> n0:1", fast) < hosts
    assert "2 of 12 links" in out[slow:fast]
    assert out[:slow].count(" -> ") == 1
    assert "n0" in out[hosts:]


def test_show_fit_excludes_other_options(ladder: Path, everylink: Command) -> None:
    code, _, err = everylink("show", ladder, "--fit", "--hosts")
    assert (code, "--fit prints nothing else; leave out --hosts" in err) == (2, True)
