"""Reports of load patterns: the pages and their contents."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from conftest import PATTERNS, Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.load.figure import load_page
from make_loads import GB, flow, make_load, make_pattern, make_service
from make_results import make_results

pytestmark = pytest.mark.thorough  # not in make quick


def page(path: Path) -> Figure:
    results = read(path)
    return load_page(judged(results), results.loads[0])


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.texts)


def axes_of(figure: Figure, label: str) -> Axes:
    return next(axes for axes in figure.axes if axes.get_xlabel() == label)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.one_in(2)
def test_every_pattern_has_a_page_with_its_name_and_diagrams(name: str, tmp_path: Path) -> None:
    figure = page(make_pattern(tmp_path / "x.h5", name))
    assert f"pattern {name}" in texts(figure)
    assert len(figure.axes) >= 1
    figure.canvas.draw()  # ticks and legends are created here


def test_the_page_of_an_incast_marks_a_quarter_of_one_flow_and_the_point_below_it(tmp_path: Path) -> None:
    axes = axes_of(page(make_pattern(tmp_path / "x.h5", "incast")), "senders")
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    assert lines["a quarter of one alone"].get_ydata()[0] == pytest.approx(2 * GB, rel=1e-3)  # type: ignore[index]
    assert lines["below it from 7 senders on"].get_xdata()[0] == 7  # type: ignore[index]
    assert list(lines["mean of the flows"].get_xdata()) == [1, 2, 4, 7]  # type: ignore[arg-type]


def test_the_page_of_a_victim_states_the_impact_on_mean_median_and_p99(tmp_path: Path) -> None:
    figure = page(make_pattern(tmp_path / "x.h5", "victim"))
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert said == ["x 2.50", "x 2.50", "x 10.00"]


def test_the_page_of_client_server_shows_the_order_in_which_clients_ended(tmp_path: Path) -> None:
    axes = axes_of(page(make_pattern(tmp_path / "x.h5", "client-server")), "clients, the first to end first")
    put, get = axes.get_lines()
    assert list(put.get_ydata()) == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6, 0.7])  # type: ignore[arg-type]
    assert str(get.get_label()).startswith("get, Jain's index 0.8")


def test_the_page_of_random_halves_shows_the_draws_in_order_with_the_interval_of_their_mean(tmp_path: Path) -> None:
    axes = axes_of(page(make_pattern(tmp_path / "x.h5", "random-bisection")), "draws, the slowest first")
    lines = {str(line.get_label()): line for line in axes.get_lines()}
    (drawn,) = (line for label, line in lines.items() if label.startswith("_"))
    totals = [8 * (8 + i) * GB for i in range(7)]
    assert list(drawn.get_ydata()) == pytest.approx(totals, rel=1e-3)  # type: ignore[arg-type]
    half = 2.4469 * np.std(totals, ddof=1) / np.sqrt(7)  # Student's t, 97.5 %, 6 degrees of freedom
    (band,) = axes.patches
    ends = band.get_window_extent().transformed(axes.transData.inverted())
    assert (ends.y0, ends.y1) == pytest.approx((88 * GB - half, 88 * GB + half), rel=1e-3)


def test_a_matrix_is_drawn_for_patterns_in_which_all_ranks_meet(tmp_path: Path) -> None:
    figure = page(make_pattern(tmp_path / "x.h5", "all-to-all"))
    assert any(axes.images and len(axes.images[0].get_array()) > 100 for axes in figure.axes)  # type: ignore[arg-type]
    assert "time of a link / what is expected of it" in texts(figure)


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.one_in(2)
def test_a_page_with_only_failures_is_drawn(name: str, tmp_path: Path) -> None:
    flows = [flow(0, 1, 0, GB, outcome=1, messages=0, seconds=0.0)]
    path = make_load(tmp_path / "x.h5", name, flows, [1], variants="put,get" if name == "client-server" else "\0")
    assert "timeout" in texts(page(path))
    assert texts(page(make_load(path, name, [], [])))


@pytest.mark.long
def test_a_report_is_written_in_each_format(tmp_path: Path, everylink: Command) -> None:
    paths = [make_pattern(tmp_path / f"{name}.h5", name) for name in ("client-server", "shift")]
    for ending in ("html", "pdf", "ps"):
        assert everylink("report", *paths, "-o", tmp_path / f"x.{ending}")[0] == 0
    html = (tmp_path / "x.html").read_text()
    assert "data:image" not in html
    for said in ("bandwidth (MiB/s)", "unfair shares", "shift, messages of 1 MiB", "n7:7"):
        assert said in html
    code, out, _ = everylink("report", *paths, "-o", tmp_path / "x.png")
    names = ("x-1.png", "x-2.png", "x-verdicts.png")
    assert (code, out.split()) == (0, [str(tmp_path / name) for name in names])


def test_names_from_a_file_cannot_become_html(tmp_path: Path, everylink: Command) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda *_: 1e-4, servers=1, clients=2, hosts=["<b>s", "<script>alert(1)", "c"]
    )
    everylink("report", path, "-o", tmp_path / "x.html")
    html = (tmp_path / "x.html").read_text()
    assert "<script>alert" not in html
    assert "<b>s" not in html
    assert "&lt;b&gt;s:0" in html


@pytest.mark.long
def test_links_and_patterns_do_not_share_an_html_page(tmp_path: Path, everylink: Command) -> None:
    paths = [make_pattern(tmp_path / "x.h5", "shift"), make_results(tmp_path / "links.h5")]
    code, _, err = everylink("report", *paths, "-o", tmp_path / "x.html")
    assert (code, err.count("\n")) == (2, 1)
    assert "links.h5" in err
    assert everylink("report", *paths, "-o", tmp_path / "x.pdf")[0] == 0


def test_curves_refuse_load_patterns(tmp_path: Path, everylink: Command) -> None:
    code, _, err = everylink("report", make_pattern(tmp_path / "x.h5", "shift"), "--curves", "-o", tmp_path / "x.pdf")
    assert code == 2
    assert "load pattern shift" in err
