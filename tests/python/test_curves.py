"""Bandwidth over message size, and lines fitted to times: computed by formula on links with known times."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from browser import shown
from conftest import Command
from everylink.figure.curves import parsed_line
from everylink.io.read import read
from everylink.links.classes import LinkClass
from everylink.links.curves import curves
from everylink.model.results import Results
from everylink.predict.fit import fitted_line, line_fits
from everylink.units import bandwidth_text, size_text
from fabric_runs import fabric_run
from make_results import Link, columns_of, make_results, row

pytestmark = pytest.mark.thorough  # not in make quick

Make = Callable[..., Results]
SIZES = (8, 1024, 65536, 1 << 20)
LATENCY, RATE = 2e-6, 10e9


def line(_: Link, size: int) -> float:
    return LATENCY + size / RATE


def test_a_curve_is_the_median_link_with_a_band_of_most_links(made: Make) -> None:
    hosts = [f"n{i}" for i in range(5)]
    run = made(hosts=hosts, sizes=SIZES, time=lambda link, size: line(link, size) * (1 + link[0] / 10))
    (curve,) = curves(run)
    assert curve.link_class == LinkClass.OTHER_HOST
    assert curve.bytes.tolist() == list(SIZES)
    factors = np.repeat(1 + np.arange(5) / 10, 4)
    for i, size in enumerate(SIZES):
        rates = size / (line((0, 1), size) * factors)
        assert curve.median[i] == pytest.approx(np.median(rates), rel=1e-6)
        assert curve.low[i] == pytest.approx(np.quantile(rates, 0.05), rel=1e-6)
        assert curve.high[i] == pytest.approx(np.quantile(rates, 0.95), rel=1e-6)
    assert curve.falls == ()


def test_both_directions_count_and_messages_of_zero_bytes_do_not(made: Make) -> None:
    run = made(hosts=("a", "b"), sizes=(0, 1 << 20), time=line, attributes={"kernel": "bidirectional"})
    (curve,) = curves(run)
    assert curve.bytes.tolist() == [1 << 20]
    assert curve.median[0] == pytest.approx(2 * (1 << 20) / line((0, 1), 1 << 20), rel=1e-6)


def test_links_within_a_host_have_a_curve_of_their_own(made: Make) -> None:
    first, second = curves(made(sizes=SIZES))
    assert (first.link_class, second.link_class) == (LinkClass.OTHER_HOST, LinkClass.SAME_HOST)


def test_a_size_at_which_bandwidth_falls_is_named_with_the_remaining_fraction(made: Make) -> None:
    rates = {8: 1e7, 1024: 1e9, 65536: 9.7e8, 1 << 20: 4.85e8}
    (curve,) = curves(made(hosts=("a", "b", "c"), sizes=SIZES, time=lambda _, size: size / rates[size]))
    (fall,) = curve.falls  # 3 % less does not count as a fall
    assert (fall.bytes, fall.next_bytes) == (65536, 1 << 20)
    assert fall.part == pytest.approx(0.5, rel=1e-6)


def test_links_that_fail_at_a_size_do_not_count_as_a_fall(tmp_path: Path) -> None:
    """The fast link failed with long messages; the speed of all others is unchanged."""

    def rows(size: int) -> list[dict[str, object]]:
        links = [(0, 1), (1, 0), (2, 3), (3, 2)]
        times = {link: size / (9e9 if link[0] < 2 else 1e9) for link in links}
        gone = {"median": float("nan"), "outcome": 1, "n": 0} if size == 65536 else {}
        return [row(link, times[link]) | (gone if link[0] < 2 else {}) for link in links]

    sizes = (1024, 65536)
    columns = {size: columns_of(rows(size)) for size in sizes}
    (curve,) = curves(read(make_results(tmp_path / "x.h5", hosts="abcd", sizes=sizes, columns=columns)))
    assert curve.median[1] < 0.5 * curve.median[0]
    assert curve.falls == ()


@pytest.mark.long
@pytest.mark.parametrize("ending", ["pdf", "png"])
def test_each_kernel_has_a_figure_and_falls_are_reported(tmp_path: Path, everylink: Command, ending: str) -> None:
    rates = {8: 1e7, 1024: 1e9, 65536: 5e8}
    a = make_results(tmp_path / "a.h5", sizes=tuple(rates), time=lambda _, size: size / rates[size])
    b = make_results(tmp_path / "b.h5", sizes=SIZES, attributes={"kernel": "bidirectional", "transport": "mpi"})
    c = make_results(tmp_path / "$c_1$.h5", sizes=SIZES, hosts=("x", "y"))
    lines = ["--line", "11.64GiB/s", "--line", "$HDR$=200Gb/s"]
    code, out, err = everylink("report", a, b, c, "--curves", "-o", tmp_path / f"x.{ending}", *lines)
    assert (code, err) == (0, "")
    said = [text for text in out.splitlines() if "falls" in text]
    assert said[0] == (
        "tcp, other host, a.h5: bandwidth falls by 50% from 1 KiB to 64 KiB (953.7 MiB/s -> 476.8 MiB/s)"
    )
    assert len(said) == 2
    written = [Path(text) for text in out.splitlines()[2:]]
    assert written == [tmp_path / name for name in (["x.pdf"] if ending == "pdf" else ["x-1.png", "x-2.png"])]
    if ending == "png":
        assert imread(written[0]).std() > 0.01


@pytest.mark.long
def test_a_page_of_curves_stands_alone_and_names_cannot_become_html(tmp_path: Path, everylink: Command) -> None:
    a = make_results(tmp_path / "<script>alert(1)<x>.h5", sizes=SIZES)
    b = make_results(tmp_path / "b.h5", sizes=SIZES, attributes={"kernel": "bidirectional"})
    code, _, err = everylink("report", a, b, "--curves", "-o", tmp_path / "x.html", "--line", "<b>=200Gb/s")
    assert (code, err) == (0, "")
    text = (tmp_path / "x.html").read_text()
    assert "default-src 'none'; style-src 'unsafe-inline'" in text
    assert "<script" not in text
    assert "<b>" not in text
    outside = re.findall(r'(?:href|src)="(?!#)[^"]*"|url\((?!#)[^)]*\)|@import', text)
    assert outside == []
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    dom = shown(tmp_path / "x.html")
    assert dom.count("<svg") == 2
    for curve in curves(read(b)):
        for size, rate in zip(curve.bytes.tolist(), curve.median.tolist(), strict=True):
            assert re.search(rf"<td>{size_text(size)}</td><td>[^<]*</td><td>{bandwidth_text(rate)}</td>", dom)


@pytest.mark.parametrize(
    "options",
    [{"sizes": (65536,)}, {"hosts": ("a", "b"), "sizes": (1,)}, {"time": lambda link, size: 1e-6, "sizes": (1, 2)}],
    ids=["one size", "one byte", "two sizes of one time"],
)
@pytest.mark.one_in(2)
def test_few_sizes_are_drawn_too(tmp_path: Path, everylink: Command, options: dict[str, object]) -> None:
    path = make_results(tmp_path / "x.h5", **options)  # type: ignore[arg-type]
    assert everylink("report", path, "--curves", "-o", tmp_path / "x.png")[0] == 0


@pytest.mark.long("5 s")
def test_forty_runs_fit_in_a_legend(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", sizes=(1, 1024))
    assert everylink("report", *[path] * 40, "--curves", "-o", tmp_path / "x.png")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--curves", "-o", "x.ps"], "-o x.ps: the name must end in .html, .pdf, .png"),
        (["--line", "1GB/s", "-o", "x.pdf"], "applies only to --curves"),
        (["--curves", "--line", "fast", "-o", "x.pdf"], "--line fast: 'fast' is not a bandwidth above 0"),
        (["--curves", "--line", "HDR=0Gb/s", "-o", "x.pdf"], "not a bandwidth above 0"),
    ],
)
def test_a_wrong_line_or_ending_is_named(words: list[str], said: str, file: Path, everylink: Command) -> None:
    code, _, err = everylink("report", file, *words)
    assert code == 2
    assert said in err


def test_a_run_without_times_has_no_curve(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", time=lambda link, size: float("nan"))
    code, _, err = everylink("report", path, "--curves", "-o", tmp_path / "x.pdf")
    assert code == 2
    assert "so there is no curve" in err


def test_a_line_may_have_a_label() -> None:
    assert (parsed_line("HDR=200Gb/s").rate, parsed_line("HDR=200Gb/s").label) == (25e9, "HDR, 23.28 GiB/s")
    assert parsed_line("1GiB/s").label == "1.000 GiB/s"


def test_an_exact_line_is_recovered() -> None:
    sizes = np.array([1.0, 64, 4096, 262144, 1 << 24])
    latency, each_byte = fitted_line(sizes, LATENCY + sizes / RATE)
    assert latency == pytest.approx(LATENCY, rel=1e-4)
    assert each_byte == pytest.approx(1 / RATE, rel=1e-4)


@pytest.mark.parametrize("disturbed", range(2, 9))
def test_one_outlying_size_hardly_changes_the_fit(disturbed: int) -> None:
    sizes = np.array([4.0**power for power in range(11)])
    seconds = LATENCY + sizes / RATE
    seconds[disturbed] *= 3
    latency, each_byte = fitted_line(sizes, seconds)
    assert latency == pytest.approx(LATENCY, rel=0.05)
    assert each_byte == pytest.approx(1 / RATE, rel=0.05)


def test_each_kind_of_links_has_its_latency_bandwidth_and_half_size() -> None:
    run = fabric_run("slow-host:n5*0.5", hosts=16, ranks_per_host=2, group_size=4, sizes=(8, 65536, 1 << 20))
    fits = {fit.kind: fit for fit in line_fits(run)}
    assert list(fits) == ["same host", "same group", "other group"]
    for kind, latency, rate in (
        ("same host", 0.5e-6, 20e9),
        ("same group", 1.5e-6, 12e9),
        ("other group", 2e-6, 10.6e9),
    ):
        fit = fits[kind]
        assert fit.latency == pytest.approx(latency, rel=0.03)
        assert fit.bandwidth == pytest.approx(rate, rel=0.03)
        assert fit.half_size == pytest.approx(fit.latency * fit.bandwidth)
        assert fit.sizes == 3


def test_parameters_that_the_sizes_cannot_determine_are_unknown(made: Make, tmp_path: Path, everylink: Command) -> None:
    (short,) = line_fits(made(hosts=("a", "b"), sizes=(1, 8), time=line))
    assert short.latency == pytest.approx(LATENCY, rel=0.01)
    assert np.isnan(short.bandwidth)
    (long,) = line_fits(made(hosts=("a", "b"), sizes=(1 << 22, 1 << 24), time=line))
    assert np.isnan(long.latency)
    assert long.bandwidth == pytest.approx(RATE, rel=0.05)
    path = make_results(tmp_path / "x.h5", hosts=("a", "b"), sizes=(1, 8), time=line)
    assert "-: unknown from the sizes measured" in everylink("show", path, "--fit")[1]


def test_show_fit_prints_a_line_for_each_kind(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", sizes=SIZES, time=line, attributes={"kernel": "bidirectional"})
    code, out, _ = everylink("show", path, "--fit")
    assert code == 0
    for kind in ("same host", "other host"):
        (said,) = (text for text in out.splitlines() if text.startswith(kind))
        for expected in ("2.000 us", "18.63 GiB/s", "19.5 KiB"):
            assert expected in said
    assert "bandwidth, both directions" in out


def test_a_single_size_cannot_be_fitted(file: Path, everylink: Command) -> None:
    code, _, err = everylink("show", file, "--fit")
    assert code == 2
    assert "has no times at two sizes or more" in err
    assert err.count("\n") == 1
