"""Reports: pictures with exact cells, and a self-contained HTML page."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.patches import StepPatch
from numpy.typing import NDArray

from conftest import Command
from everylink.cli.kinds import judged
from everylink.deviation.blocks import blocks_of
from everylink.deviation.colours import PALETTE
from everylink.deviation.reduce import deviations
from everylink.deviation.usual import usual_of
from everylink.figure.canvas import HEIGHT, WIDTH
from everylink.figure.deviation import deviation_pixels
from everylink.figure.files import Part, write_pdf, write_png
from everylink.figure.matrix import LARGEST, matrix_labels, place
from everylink.figure.page import MATRIX_BOTTOM, MATRIX_TOP, link_pages, page
from everylink.figure.verdicts import verdict_pages
from everylink.io.read import read
from everylink.model.results import Results
from everylink.text.verdicts import title
from everylink.units import bandwidth_text, duration_text
from make_results import Link, all_links, make_results, steady

Make = Callable[..., Results]


def scattered(link: Link, size: int) -> float:
    """Times over a factor of 50, so that all shades occur, and one outlier."""
    if link == (1, 0):
        return 10.0
    place = ((link[0] * 37 + link[1] * 101) % 97) / 96
    return float(1e-6 * 50.0**place)


def cell_centres(image: NDArray[Any], results: Results, scale: int = 1) -> NDArray[np.uint8]:
    """The colours at the centres of all cells of a rendered page, shape [N, N, 3]; `scale` is dpi / 100."""
    blocks = blocks_of(results.ranks, LARGEST)
    where = place(len(blocks), matrix_labels(blocks.order, blocks.edges), MATRIX_TOP, MATRIX_BOTTOM)
    centres = (np.arange(len(blocks)) + 0.5) * where.cell * scale
    down, across = (where.top * scale + centres).astype(int), (where.left * scale + centres).astype(int)
    return np.asarray(np.round(image[..., :3] * 255).astype(np.uint8)[np.ix_(down, across)])


def expected_colours(results: Results) -> NDArray[np.uint8]:
    """Computed link by link from the definition: log of time / expected in steps of 1/80, white diagonal."""
    run, size, ranks = judged(results), results.sizes[0], len(results.ranks)
    seconds = size.links.matrix("median", ranks).astype(float)
    frm, to = np.indices((ranks, ranks)).reshape(2, -1).astype(np.uint32)
    expected = np.exp(usual_of(run, size).log_seconds(frm, to)).reshape(ranks, ranks)
    code = np.clip(np.round(80 * np.log(np.nan_to_num(seconds, nan=1.0) / expected)), -126, 127)
    colours = np.array(PALETTE[np.where(np.isfinite(code), code, -128).astype(int) + 128], np.uint8)
    np.einsum("iic->ic", colours)[:] = 255
    return colours


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils)")
@pytest.mark.parametrize("ranks", [2, 3, 7, 33, 64, 99, 127, 128])
def test_rendered_at_100_dpi_every_cell_centre_has_the_colour_of_the_palette(
    ranks: int, made: Make, tmp_path: Path
) -> None:
    names = [f"node{rank // 4:03d}" for rank in range(ranks)]
    results = made(hosts=names, time=scattered)
    write_pdf([Part("", link_pages(judged(results)))], tmp_path / "x.pdf")
    command = ["pdftoppm", "-r", "100", "-png", "-singlefile", str(tmp_path / "x.pdf"), str(tmp_path / "x")]
    subprocess.run(command, check=True, timeout=60)
    image = imread(tmp_path / "x.png")
    assert image.shape[:2] == (HEIGHT, WIDTH)
    np.testing.assert_array_equal(cell_centres(image, results), expected_colours(results))


@pytest.mark.long
def test_a_png_has_the_same_colours(made: Make, tmp_path: Path) -> None:
    results = made(hosts=[f"n{i}" for i in range(41)], time=scattered)
    (written,) = write_png([Part("", link_pages(judged(results)))], tmp_path / "x.png")
    np.testing.assert_array_equal(cell_centres(imread(written), results, 2), expected_colours(results))


def test_one_link_among_thousands_has_a_visible_bar(made: Make) -> None:
    results = made(hosts=[f"n{i}" for i in range(60)], time=lambda k, s: 1e-2 if k == (7, 3) else steady(k, s))
    figure = page(judged(results), results.sizes[0])
    (axes,) = (a for a in figure.axes if a.get_ylabel() == "links")
    (bars,) = axes.patches
    assert isinstance(bars, StepPatch)
    heights, *_ = bars.get_data()
    assert heights[-1] == 1
    low = axes.get_ylim()[0]
    assert axes.get_yscale() == "log"
    share = np.log(1 / low) / np.log(axes.get_ylim()[1] / low)
    assert share > 0.03


@pytest.mark.long
def test_a_page_for_each_run_and_size(tmp_path: Path, everylink: Command) -> None:
    a = make_results(tmp_path / "a.h5", sizes=(1, 65536))
    b = make_results(tmp_path / "b.h5", hosts=("x", "y", "z"))
    assert everylink("report", a, b, "-o", tmp_path / "all.pdf")[0] == 0
    if shutil.which("pdfinfo"):
        info = subprocess.run(["pdfinfo", tmp_path / "all.pdf"], capture_output=True, text=True, check=True).stdout
        assert re.search(r"Pages:\s+4\n", info)  # one more for the verdicts and the structure of a
        assert "A4" in info
    code, out, _ = everylink("report", a, b, "-o", tmp_path / "all.png")
    assert code == 0
    assert out.split() == [str(tmp_path / f"all-{i}.png") for i in (1, 2, 3, "verdicts")]
    assert everylink("report", b, "-o", tmp_path / "one.png")[1] == f"{tmp_path / 'one.png'}\n"


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["html", "png", pytest.param("pdf", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "options",
    [
        {"outcomes": dict.fromkeys(all_links(4), 1)},
        {"uncommitted": 12, "steps": 0},
        {"time": lambda link, size: float("nan")},
        {"time": lambda link, size: 0.0},
        {"hosts": ("a", "b")},
        {"hosts": ["a-very-long-host-name-that-never-ends.example.org"] * 2 + ["$weird_{name}$<script>"] * 2},
        {"attributes": {"kernel": "bidirectional", "serial": 1, "complete": 0}},
        {"sizes": (0, 1)},
    ],
    ids=["all failed", "no rows yet", "all unknown", "all zero", "two ranks", "odd names", "bidirectional", "no bytes"],
)
@pytest.mark.one_in(12)
def test_odd_runs_are_drawn_too(options: dict[str, Any], ending: str, tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", **options)
    code, _, err = everylink("report", path, "-o", tmp_path / f"x.{ending}")
    assert (code, err) == (0, "")
    assert everylink("show", path)[0] == 0


@pytest.mark.long
def test_more_ranks_than_pixels_share_cells(made: Make) -> None:
    results = made(hosts=[f"n{i}" for i in range(600)], time=lambda k, s: 2e-6 if 7 in k else 1e-6)
    figure = page(judged(results), results.sizes[0])
    pixels = np.asarray(next(axes.images[0].get_array() for axes in figure.axes if axes.images))
    assert pixels.shape == (300, 300, 3)
    assert (pixels[3, 10] == PALETTE[128 + 55]).all()


@pytest.mark.parametrize("cell", [1, 3, 7])
def test_failed_cells_are_hatched_not_coloured(cell: int, made: Make) -> None:
    lost = {(0, 1): 1, (2, 0): 2}
    results = made(hosts=[f"n{i}" for i in range(4)], outcomes=lost)
    run, size = judged(results), results.sizes[0]
    pixels = deviation_pixels(deviations(size, usual_of(run, size), blocks_of(results.ranks, 9)), cell)
    for i in range(4):
        for j in range(4):
            own = pixels[i * cell : (i + 1) * cell, j * cell : (j + 1) * cell].reshape(-1, 3)
            inked = (own == 0x11).all(axis=1)
            assert inked.all() == ((i, j) in lost and cell < 4)
            assert inked.any() == ((i, j) in lost)


def test_a_page_states_the_same_times_as_show(made: Make, everylink: Command) -> None:
    """Regression: the page averaged where `show` takes the median."""
    results = made(hosts=[f"n{i}" for i in range(4)], time=lambda k, s: 1e-3 if k == (0, 1) else 1e-5 + 1e-7 * k[0])
    texts = " ".join(text.get_text() for text in page(judged(results), results.sizes[0]).texts)
    lines = everylink("show", results.path)[1].splitlines()
    (row,) = [line.split() for line in lines if " 12 " in line and " us " in line]
    for name, column in (("min", 6), ("median", 8), ("p99", 10), ("max", 12)):
        assert f"{name} {row[column]} {row[column + 1]} (" in texts


def texts_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def test_a_page_has_the_command_the_time_and_the_numbers_that_the_run_printed(made: Make, everylink: Command) -> None:
    """What JUPITER's report asks for. Of a step: its pairs times the mean bandwidth of its links."""
    facts = {"schedule": "bisection", "kernel": "bidirectional", "command": "everylink-measure --preset jupiter"}
    results = made(hosts="abcd", sizes=(1000,), attributes=facts, time=lambda k, s: 1e-6 * (1 + k[0]))
    (size,) = results.sizes
    rows = size.rows
    of_steps = [
        sum(2 * 1000 / float(mean) for mean in rows.mean[rows.step == step]) / 2 for step in np.unique(rows.step)
    ]
    texts = texts_of(page(judged(results), size))
    bisection = [
        f"{name} {bandwidth_text(rate)}"
        for name, rate in (("min", min(of_steps)), ("avg", float(np.mean(of_steps))), ("max", max(of_steps)))
    ]
    assert set(bisection) < set(texts)
    assert "everylink-measure --preset jupiter" in texts
    last = results.steps.began.max()
    assert f"{results.facts.created}; its last step began {duration_text(last)} later" in texts
    ended = replace(results, facts=replace(results.facts, ended="2026-11-25T09:30:23Z"))
    assert f"{results.facts.created} to 2026-11-25T09:30:23Z" in texts_of(page(judged(ended), size))
    out = everylink("show", results.path)[1]
    assert f"Bisection bandwidth of a step at 1000 B, both directions: {', '.join(bisection)}\n" in out
    (means,) = (line for line in out.splitlines() if line.startswith("Mean of each turn"))
    for mean in means.partition(": ")[2].replace(" both directions", "").split(", "):
        assert mean in texts
    fields = json.loads(everylink("show", results.path, "--format", "json")[1])["sizes"][0]
    assert fields["bisection_bytes_per_second"]["mean"] == pytest.approx(np.mean(of_steps))


def test_all_verdicts_are_in_readable_size_on_as_many_pages_as_they_take(tmp_path: Path, everylink: Command) -> None:
    assert everylink("simulate", "--hosts", 16, "--fault", "slow-host:n3*0.5", "-o", tmp_path / "x.h5")[0] == 0
    run = judged(read(tmp_path / "x.h5"))
    (verdict,) = run.judgement.verdicts
    many = tuple(replace(verdict, subject=(f"host-{'x' * 50}-{i:03d}",)) for i in range(60))
    run = replace(run, judgement=replace(run.judgement, verdicts=many))
    run = replace(run, judgement=replace(run.judgement, suspects=many))
    pages = [draw() for draw in verdict_pages(run)]
    assert len(pages) > 1
    words = " ".join(" ".join(texts_of(figure)[2:]) for figure in pages)
    assert "50 more; everylink diagnose FILE --all lists them" in words
    for verdict in many:
        assert title(verdict) in " ".join(words.split())
    for figure in pages:
        assert all(float(text.get_fontsize()) >= 8 for text in figure.texts)
        assert_within_the_page(figure)


def assert_within_the_page(figure: Figure) -> None:
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    for text in figure.texts:
        box = text.get_window_extent(renderer)
        ends = (box.x0, box.y0, WIDTH - box.x1, HEIGHT - box.y1)
        assert min(ends) >= 0, text.get_text()


@pytest.mark.parametrize(
    "options",
    [
        {"hosts": [f"{'é' * 60}{i:04d}" for i in range(4)]},
        {"attributes": {"command": "everylink-measure " + "--hosts n[1-9999],$x_1$<script> " * 40}},
        {"attributes": {"kernel": "unknown"}},
        {"attributes": {"kernel": "bidirectional", "schedule": "bisection"}},
        {"outcomes": dict.fromkeys(all_links(4), 1)},
        {"hosts": ("a", "b")},
    ],
    ids=["long names", "a long command", "unknown kernel", "a bisection", "all failed", "two ranks"],
)
@pytest.mark.one_in(2)
def test_no_text_leaves_the_page(options: dict[str, Any], made: Make) -> None:
    results = made(**options)
    assert_within_the_page(page(judged(results), results.sizes[0]))


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".ps", ".png"])
@pytest.mark.one_in(4)
def test_an_existing_report_is_kept_without_force(suffix: str, file: Path, everylink: Command) -> None:
    report = file.with_name("x" + suffix)
    report.write_text("mine")
    code, out, err = everylink("report", file, "-o", report)
    assert (code, out, err) == (2, "", f"everylink: -o {report}: exists; --force overwrites it\n")
    assert report.read_text() == "mine"
    code, out, err = everylink("report", file, "-o", report, "--force")
    assert (code, out.splitlines()[0], err) == (0, str(report), "")
    assert report.stat().st_size > 1000
    beside = {"x-verdicts.png"} if suffix == ".png" else set()
    assert {entry.name for entry in file.parent.iterdir()} == {file.name, report.name} | beside


@pytest.mark.long
def test_an_existing_page_of_several_is_kept_without_force(tmp_path: Path, everylink: Command) -> None:
    file = make_results(tmp_path / "a.h5", sizes=(8, 65536))
    (tmp_path / "x-2.png").write_text("mine")
    code, _, err = everylink("report", file, "-o", tmp_path / "x.png")
    assert (code, err.count("\n"), "x-2.png: exists" in err) == (2, 1, True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.h5", "x-2.png"]
    assert (tmp_path / "x-2.png").read_text() == "mine"
