"""Reports: pictures with exact cells, and a self-contained HTML page."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from matplotlib.patches import StepPatch
from numpy.typing import NDArray

from conftest import Command
from everylink.cli.kinds import judged
from everylink.figure.canvas import HEIGHT, WIDTH
from everylink.figure.colours import palette
from everylink.figure.files import write_pdf, write_png
from everylink.figure.matrix import matrix_labels, place
from everylink.figure.page import MATRIX_BOTTOM, MATRIX_TOP, link_pages, page
from everylink.links.classes import LinkClass
from everylink.links.hosts import drawn_order
from everylink.links.shading import shade
from everylink.model.results import Results
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
    order = drawn_order(results.ranks)
    where = place(len(order.ranks), matrix_labels(order, 1), MATRIX_TOP, MATRIX_BOTTOM)
    centres = (np.arange(len(order.ranks)) + 0.5) * where.cell * scale
    down, across = (where.top * scale + centres).astype(int), (where.left * scale + centres).astype(int)
    return np.asarray(np.round(image[..., :3] * 255).astype(np.uint8)[np.ix_(down, across)])


def expected_colours(results: Results) -> NDArray[np.uint8]:
    """Computed link by link from the definition: position on the class's scale, black diagonal, pink if failed."""
    size, ranks = results.sizes[0], len(results.ranks)
    scales = shade(results, size, drawn_order(results.ranks), ranks).scales
    seconds, outcome = size.links.matrix("median", ranks), size.links.outcome_matrix(ranks)
    host = results.ranks.host_index
    same = host[:, None] == host[None, :]
    colours = np.zeros((ranks, ranks, 3), np.uint8)
    for link_class, scale in scales.items():
        shades = np.round(scale.position(np.nan_to_num(seconds, nan=1.0)) * 119).astype(int)
        of_class = same if link_class is LinkClass.SAME_HOST else ~same
        colours[of_class] = palette(link_class)[shades][of_class]
    colours[outcome > 0] = (255, 0, 160)
    np.einsum("iic->ic", colours)[:] = 0
    return colours


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils)")
@pytest.mark.parametrize("ranks", [2, 3, 7, 33, 64, 99, 127, 128])
def test_rendered_at_100_dpi_every_cell_centre_has_the_colour_of_the_palette(
    ranks: int, made: Make, tmp_path: Path
) -> None:
    names = [f"node{rank // 4:03d}" for rank in range(ranks)]
    results = made(hosts=names, time=scattered, outcomes={(0, 1): 1} if ranks > 2 else {})
    write_pdf(link_pages(judged(results)), tmp_path / "x.pdf")
    command = ["pdftoppm", "-r", "100", "-png", "-singlefile", str(tmp_path / "x.pdf"), str(tmp_path / "x")]
    subprocess.run(command, check=True, timeout=60)
    image = imread(tmp_path / "x.png")
    assert image.shape[:2] == (HEIGHT, WIDTH)
    np.testing.assert_array_equal(cell_centres(image, results), expected_colours(results))


@pytest.mark.thorough
def test_a_png_has_the_same_colours(made: Make, tmp_path: Path) -> None:
    results = made(hosts=[f"n{i}" for i in range(41)], time=scattered)
    (written,) = write_png(link_pages(judged(results)), tmp_path / "x.png")
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


@pytest.mark.thorough
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
    assert out.split() == [str(tmp_path / f"all-{i}.png") for i in (1, 2, 3)]
    assert everylink("report", b, "-o", tmp_path / "one.png")[1] == f"{tmp_path / 'one.png'}\n"


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["html", "pdf", "png"])
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
def test_odd_runs_are_drawn_too(options: dict[str, Any], ending: str, tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", **options)
    code, _, err = everylink("report", path, "-o", tmp_path / f"x.{ending}")
    assert (code, err) == (0, "")
    assert everylink("show", path)[0] == 0


@pytest.mark.thorough
def test_more_ranks_than_pixels_share_cells_that_show_the_worst(made: Make) -> None:
    results = made(hosts=[f"n{i}" for i in range(600)], time=lambda k, s: 1e-6)
    shading = shade(results, results.sizes[0], drawn_order(results.ranks), 560)
    assert shading.fold == 2
    page(judged(results), results.sizes[0])


def test_a_page_states_the_same_times_as_show(made: Make, everylink: Command) -> None:
    """Regression: the page averaged where `show` takes the median."""
    results = made(hosts=[f"n{i}" for i in range(4)], time=lambda k, s: 1e-3 if k == (0, 1) else 1e-5 + 1e-7 * k[0])
    texts = " ".join(text.get_text() for text in page(judged(results), results.sizes[0]).texts)
    lines = everylink("show", results.path)[1].splitlines()
    (row,) = [line.split() for line in lines if " 12 " in line and " us " in line]
    for name, column in (("min", 6), ("median", 8), ("max", 12)):
        assert f"{name} {row[column]} {row[column + 1]} (" in texts


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".ps", ".png"])
def test_an_existing_report_is_kept_without_force(suffix: str, file: Path, everylink: Command) -> None:
    report = file.with_name("x" + suffix)
    report.write_text("mine")
    code, out, err = everylink("report", file, "-o", report)
    assert (code, out, err) == (2, "", f"everylink: -o {report}: exists; --force overwrites it\n")
    assert report.read_text() == "mine"
    assert everylink("report", file, "-o", report, "--force") == (0, f"{report}\n", "")
    assert report.stat().st_size > 1000
    assert sorted(entry.name for entry in file.parent.iterdir()) == [file.name, report.name]


def test_an_existing_page_of_several_is_kept_without_force(tmp_path: Path, everylink: Command) -> None:
    file = make_results(tmp_path / "a.h5", sizes=(8, 65536))
    (tmp_path / "x-2.png").write_text("mine")
    code, _, err = everylink("report", file, "-o", tmp_path / "x.png")
    assert (code, err.count("\n"), "x-2.png: exists" in err) == (2, 1, True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.h5", "x-2.png"]
    assert (tmp_path / "x-2.png").read_text() == "mine"
