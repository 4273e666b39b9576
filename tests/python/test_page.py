"""The HTML page: what it holds, and what a browser makes of it."""

import base64
import json
import re
import shutil
import zlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from browser import done_in
from conftest import Command
from everylink.cli.kinds import judged
from everylink.deviation.colours import PALETTE
from everylink.deviation.scale import FAILED, NOT_MEASURED, STEPS, code_of
from everylink.io.read import read
from everylink.page.html import view
from make_results import make_results, steady


def page_data(path: Path) -> Any:
    text = path.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found.group(1))


def unpacked(text: str, kind: str, *shape: int) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS), kind).reshape(shape or (-1,))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return make_results(tmp_path / "a.h5")


def test_the_page_refers_to_nothing_outside_itself(file: Path, tmp_path: Path, everylink: Command) -> None:
    assert everylink("report", file, "-o", tmp_path / "x.html")[0] == 0
    text = (tmp_path / "x.html").read_text()
    assert not re.search(r"\b(src|href|action)\s*=", text)
    assert "@import" not in text
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text


def test_the_page_holds_every_link_and_statistic(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", hosts=("b", "a", "b", "a"), outcomes={(0, 3): 3})
    everylink("report", path, "-o", tmp_path / "x.html")
    (run,) = page_data(tmp_path / "x.html")["runs"]
    (size,) = run["sizes"]
    assert run["hosts"] == [["b", "b", 0, 2], ["a", "a", 2, 4]]
    assert run["ranks"] == [0, 2, 1, 3]
    assert set(size["statistics"]) == {"min", "median", "mean", "p99", "max"}
    median = unpacked(size["statistics"]["median"], "<f4", 4, 4)
    assert median[1, 2] == np.float32(steady((2, 1), 65536))
    assert np.isnan(median[0, 3])
    codes = unpacked(size["deviation"]["links"], "i1", 4, 4)
    assert codes[0, 3] == FAILED
    assert (np.diag(codes) == NOT_MEASURED).all()
    expected = unpacked(size["expected"], "<f4", 4, 4)
    known = codes > FAILED
    assert np.abs(codes[known] - 80 * np.log(median[known] / expected[known])).max() <= 0.51
    outcomes = unpacked(size["outcomes"], "u1", 4, 4)
    assert outcomes[0, 3] == 3
    assert (outcomes[known] == 0).all()
    assert (np.diag(outcomes) == 255).all()


def test_a_name_cannot_break_out_of_the_page(tmp_path: Path, everylink: Command) -> None:
    evil = "</script><script>alert(1)</script>"
    path = make_results(tmp_path / "x.h5", hosts=(evil, "b"))
    everylink("report", path, "-o", tmp_path / "x.html")
    assert evil not in (tmp_path / "x.html").read_text()
    assert page_data(tmp_path / "x.html")["runs"][0]["hosts"][0][1] == evil


def test_links_and_times_that_do_not_fit_into_the_page_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_results(tmp_path / "a.h5", sizes=(8, 65536))
    monkeypatch.setattr("everylink.page.html.STATISTICS_BUDGET", (8 + 8 + 4) * 4**2)
    small, large = view([judged(read(path))])["runs"][0]["sizes"]
    assert (set(small["statistics"]), set(large["statistics"])) == ({"median"}, {"median", "max"})
    assert set(large["leftOut"]) == {"min", "mean", "p99"}
    monkeypatch.setattr("everylink.page.html.STATISTICS_BUDGET", 4 * 4**2)
    for size in view([judged(read(path))])["runs"][0]["sizes"]:  # without medians nothing else is of use
        assert not size["statistics"]
        assert size["expected"] is None
    monkeypatch.setattr("everylink.page.html.LINKS_BUDGET", 4**2)
    small, large = view([judged(read(path))])["runs"][0]["sizes"]
    assert small["deviation"]["links"] is small["expected"] is None
    assert not small["statistics"]
    assert large["deviation"]["links"]
    monkeypatch.setattr("everylink.page.html.MOST_BLOCKS", 2)
    (size, _) = view([judged(read(path))])["runs"][0]["sizes"]
    assert size["deviation"]["edges"] == [0, 2, 4]
    assert unpacked(size["deviation"]["usual"], "i1").shape == (4,)


HOVER = """
  const at = (i, j) => {
    const box = canvas.getBoundingClientRect();
    const place = {clientX: box.left + placeX(j + 0.5), clientY: box.top + placeY(i + 0.5)};
    canvas.dispatchEvent(new PointerEvent("pointermove", place));
    return $("tip").textContent;
  };
"""


def test_a_browser_names_the_link_under_the_mouse(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", hosts=("a", "a", "b", "b"), outcomes={(0, 3): 1})
    everylink("report", path, "-o", tmp_path / "x.html")
    healthy, failed, itself = done_in(tmp_path / "x.html", f"{HOVER} return [at(1, 2), at(0, 3), at(2, 2)];")
    assert healthy.startswith("a:1 -> b:2\n")
    assert re.search(r"median (1\.0[01]|0\.99)x expected, which is 8\.\d+ us", healthy)
    assert "GiB/s" in healthy
    assert "ok, n 1000" in healthy
    assert failed == "a:0 -> b:3\ntimed out"
    assert itself == "b:2"


LIGHTNESS = """
  const {ratio, k} = state;
  const lightness = ([i, j]) => {
    const side = Math.max(1, Math.floor(k * ratio) - 2), half = k * ratio / 2 - side / 2;
    const place = [placeX(j) * ratio + half, placeY(i) * ratio + half].map(Math.round);
    const pixels = paper.getImageData(...place, side, side).data;
    return pixels.reduce((total, value, at) => total + (at % 4 < 3 ? value : 0), 0) / (3 * side * side);
  };
"""


def _simulated(
    everylink: Command, folder: Path, hosts: int, faults: Sequence[str], *more: object, told: bool = True
) -> tuple[Path, dict[str, Any]]:
    """The page of a simulated run, and its data. `told`: the page is told which hosts share a switch."""
    file, topology, page = folder / "run.h5", folder / "topology.conf", folder / "run.html"
    planted = [word for fault in faults for word in ("--fault", fault)]
    groups = () if "--group-size" in more else ("--group-size", hosts // 8)
    command = ("simulate", "--hosts", hosts, *groups, *planted, *more)
    assert everylink(*command, "--topology", topology, "-o", file)[0] == 0
    assert everylink("report", file, *(("--topology", topology) if told else ()), "-o", page)[0] == 0
    return page, page_data(page)["runs"][0]


FAULTS = (
    "slow-host:n3*0.9", "slow-host:n12*0.8", "slow-link:n20>n50*0.5", "slow-trunk:g1>g5*0.66", "slow-trunk:g5>g1*0.66",
    "slow-group:g7*0.71", "dark:n30>n33", "dark:n33>n30", "dark-host:n41",
)  # fmt: skip


@pytest.mark.parametrize("hosts", [64, pytest.param(512, marks=pytest.mark.thorough)])
@pytest.mark.long
def test_every_planted_fault_is_darker_than_all_healthy_blocks(hosts: int, tmp_path: Path, everylink: Command) -> None:
    """By the pixels of the first screen."""
    page, _ = _simulated(everylink, tmp_path, hosts, FAULTS, "--transient", "0")
    group = hosts // 8
    planted = {
        "host 1.1x": [(3, 55), (55, 3)], "host 1.25x": [(12, 55), (55, 12)], "link": [(20, 50)],
        "trunk": [(group + 5, 5 * group + 6), (5 * group + 6, group + 5)],
        "leaf": [(7 * group + 1, 9), (9, 7 * group + 2)], "dark pair": [(30, 33), (33, 30)],
        "dark host": [(41, 55), (55, 41)],
    }  # fmt: skip
    bad = {3, 12, 41, *range(7 * group, hosts)}
    pairs = [(20, 50), (50, 20), (30, 33), (33, 30)]
    healthy = [
        (i, j)
        for i, j in np.random.default_rng(1).integers(0, hosts, (4000, 2)).tolist()
        if not bad & {i, j}
        and i != j
        and {i // group, j // group} != {1, 5}  # none that marks or lines may touch
        and min(max(abs(i - a), abs(j - b)) for a, b in pairs) > hosts / 60
        and {i % group, j % group}.isdisjoint({0, group - 1})
        and (hosts == 64 or all(abs(place - edge * group) > 4 for place in (i, j) for edge in (1, 2, 5, 6)))
    ]
    script = f"""{LIGHTNESS}
      const planted = Object.entries({json.dumps(planted)}).map(([name, cells]) => [name, cells.map(lightness)]);
      return [{json.dumps(healthy)}.map(lightness), planted];
    """
    usual, found = done_in(page, script, "--window-size=1700,1200")
    darkest = healthy[int(np.argmin(usual))]
    for name, cells in found:
        for cell in cells:
            assert cell < min(usual) - 4, (name, cell, min(usual), darkest)


def enough_space(folder: Path, size: float) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        pytest.skip(f"{folder} has {free / 1e9:.0f} GB free of the {size / 1e9:.0f} GB that this takes: set TMPDIR")


@pytest.mark.parametrize(
    ("hosts", "each", "group", "told"),
    [
        pytest.param(1024, 4, 64, True, marks=pytest.mark.long("a minute")),
        pytest.param(3500, 8, 100, False, marks=pytest.mark.long("12 minutes, and 45 GB in TMPDIR")),
    ],
)
def test_faults_stand_out_where_several_hosts_share_a_cell(
    hosts: int, each: int, group: int, told: bool, tmp_path: Path, everylink: Command
) -> None:
    """By the darkest pixel of each cell of the first screen, at 4,096 and 28,000 ranks with transients."""
    enough_space(tmp_path, 58 * (hosts * each) ** 2)
    # each fault in the middle of a group of its own: lines are drawn between groups
    groups = [hosts // group // 16 * number for number in (0, 5, 10, 3, 11, 1, 13, 8, 6, 2, 9, 14)]
    slowest, slower, dark, here, there, one, other, healthy, also_healthy, *trunk, leaf = (
        group * number + group // 2 for number in groups
    )
    faults = (
        f"slow-host:n{slowest}*0.909", f"slow-host:n{slower}*0.8", f"slow-link:n{here}>n{there}*0.5",
        f"slow-trunk:g{groups[-3]}>g{groups[-2]}*0.667", f"slow-group:g{groups[-1]}*0.714", f"dark:n{one}>n{other}",
        f"dark-host:n{dark}",
    )  # fmt: skip
    sizes = ("--group-size", group, "--ranks-per-host", each)
    page, _ = _simulated(everylink, tmp_path, hosts, faults, *sizes, told=told)
    for large in tmp_path.glob("run.h5*"):
        large.unlink()
    planted = {
        "host 1.1x": (slowest, healthy), "host 1.25x": (slower, healthy), "pair": (here, there), "trunk": trunk,
        "leaf": (leaf, also_healthy), "dark pair": (one, other), "dark host": (dark, also_healthy),
    }  # fmt: skip
    places = {name: [(a, b), (b, a)] for name, (a, b) in planted.items()}
    marked = [place for name in ("pair", "dark pair", "trunk") for place in places[name]]
    cell = hosts / 512
    usual_places = [
        (i, j)
        for i, j in np.random.default_rng(1).integers(0, hosts, (12000, 2)).tolist()
        if all(abs(bad - end) > 3 * cell for bad in (slowest, slower, dark) for end in (i, j))
        and all(abs(leaf - end) > group / 2 + 3 * cell for end in (i, j))
        and all(4 * cell < end % group < group - 4 * cell for end in (i, j))
        and all(max(abs(i - a), abs(j - b)) > 25 * cell for a, b in marked)
        and abs(i - j) > 4 * cell
    ]
    script = f"""
      const {{ratio}} = state, level = levelAt(ratio);
      const darkest = ([i, j]) => {{
        const cells = [i, j].map((host) => cellsAlong(level, host * {each} + 1, 1, 1e-6)[0]);
        const [y0, y1, x0, x1] = [[placeY, cells[0]], [placeX, cells[1]]].flatMap(([place, cell]) =>
          [level.edges[cell], level.edges[cell + 1]].map((edge) => Math.round(place(edge) * ratio)));
        const {{data: pixels}} = paper.getImageData(x0, y0, Math.max(1, x1 - x0), Math.max(1, y1 - y0));
        return Math.min(...Array.from({{length: pixels.length / 4}}, (_, k) =>
          (pixels[4 * k] + pixels[4 * k + 1] + pixels[4 * k + 2]) / 3));
      }};
      return [{json.dumps(usual_places)}.map(darkest), Object.entries({json.dumps(places)}).map(([name, cells]) =>
        [name, cells.map(darkest)]), level.edges.length - 1];
    """
    usual, found, blocks = done_in(page, script, "--window-size=1700,1200")
    assert len(usual) > 1000
    assert 400 < blocks <= 512
    for name, cells in found:
        assert max(cells) < min(usual) - 4, (name, cells, min(usual), usual_places[int(np.argmin(usual))])


def test_clicking_a_finding_shows_its_place_and_its_evidence(tmp_path: Path, everylink: Command) -> None:
    page, run = _simulated(everylink, tmp_path, 64, FAULTS, "--sizes", "8,1MiB", "--confirm")
    titles = [finding["title"] for finding in run["findings"]]
    link = next(number for number, title in enumerate(titles) if "n20:20" in title)
    host = next(number for number, title in enumerate(titles) if title.startswith("host n12:"))
    assert run["findings"][host]["ends"] == [[[12, 13]]]
    assert run["findings"][link]["ends"] == [[[20, 21]], [[50, 51]]]
    script = f"""
      const buttons = [...document.querySelectorAll("#findings button")], whole = state.k;
      await chooseSize(0);
      const before = state.size.label;
      await buttons[{link}].onclick();
      const [middleX, middleY] = [state.x + state.side / state.k / 2, state.y + state.side / state.k / 2];
      const parts = () => [...document.querySelectorAll("#findings li > div")];
      const open = () => parts().filter((one) => !one.hidden).map((one) => one.textContent);
      const of_link = {{before, size: state.size.label, zoom: state.k / whole, middle: [middleX, middleY]}};
      of_link.open = open();
      await buttons[{host}].onclick();
      const of_host = {{zoom: state.k / whole, open: open()}};
      await buttons[{host}].onclick();
      return [of_link, of_host, document.querySelectorAll("#findings button[aria-expanded=true]").length];
    """
    of_link, of_host, opened = done_in(page, script)
    assert (of_link["before"], of_link["size"]) == ("8 B", "1 MiB")
    assert of_link["zoom"] > 4
    assert of_link["middle"] == pytest.approx([50.5, 20.5], abs=3)
    (text,) = of_link["open"]
    assert run["findings"][link]["evidence"] in text
    assert run["findings"][link]["action"] in text
    (text,) = of_host["open"]
    assert re.search(r"sending: median 1\.2\dx expected over \d+ links", text)
    assert opened == 0


@pytest.mark.long
def test_the_address_keeps_what_is_shown(tmp_path: Path, everylink: Command) -> None:
    page, run = _simulated(everylink, tmp_path, 64, FAULTS, "--sizes", "8,1MiB")
    script = """
      $("view").value = "worst"; $("view").onchange({target: $("view")});
      await chooseSize(0, true);
      zoomAt(100, 200, 3);
      const shown = [state.view, state.size.label, state.x, state.y, state.k / wholeScale()];
      await new Promise((done) => setTimeout(done, 400));
      const said = location.hash;
      showAll(); chooseView("usual"); await chooseSize(1);
      await recall();
      return [said, shown, [state.view, state.size.label, state.x, state.y, state.k / wholeScale()]];
    """
    said, shown, again = done_in(page, script)
    assert "view=worst" in said
    assert shown[:2] == again[:2] == ["worst", "8 B"]
    assert again[2:] == pytest.approx(shown[2:], abs=0.05)
    assert len(run["sizes"]) == 2


@pytest.mark.long
def test_wheel_drag_keys_and_search_move_the_matrix(tmp_path: Path, everylink: Command) -> None:
    page, _ = _simulated(everylink, tmp_path, 64, FAULTS)
    script = """
      const box = canvas.getBoundingClientRect(), log = [];
      const middle = {clientX: box.left + placeX(32), clientY: box.top + placeY(32)};
      const rounded = (value) => Math.round(value * 100) / 100;
      const note = () => log.push([state.x, state.y, state.k / wholeScale()].map(rounded));
      canvas.dispatchEvent(new WheelEvent("wheel", {...middle, deltaY: -600, cancelable: true})); note();
      const moved = {clientX: middle.clientX - 10 * state.k, clientY: middle.clientY - 5 * state.k, pointerId: 1};
      canvas.dispatchEvent(new PointerEvent("pointerdown", {...middle, pointerId: 1}));
      for (const what of ["pointermove", "pointerup"]) canvas.dispatchEvent(new PointerEvent(what, moved));
      note();
      const keys = (...names) => names.forEach((key) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key})));
      keys("Home"); note();
      keys("ArrowRight", "ArrowRight", "ArrowDown");
      const first = $("said").textContent;
      keys("ArrowRight");
      const second = $("said").textContent;
      keys("Enter"); note();
      keys("Home", "+", "+"); note();
      findHost("n41"); note();
      const found = $("said").textContent;
      findHost("nowhere");
      return [log, first, second, found, $("said").textContent];
    """
    (wheel, drag, home, enter, plus, host), first, second, found, nothing = done_in(page, script)
    assert wheel == pytest.approx([32 - 32 / wheel[2]] * 2 + [wheel[2]], abs=0.3)
    assert 2 < wheel[2] < 4
    assert drag == pytest.approx([wheel[0] + 10, wheel[1] + 5, wheel[2]], abs=0.3)
    assert home == [0, 0, 1]
    ends = [re.search(r"n(\d+):\d+ -> n(\d+):", text) for text in (first, second)]
    assert None not in ends
    (a, b), (c, d) = ([int(end) for end in match.groups()] for match in ends if match)
    assert (c, d) == (a, b + 1)
    assert enter[2] == pytest.approx(2.5, abs=0.01)
    assert plus[2] == pytest.approx(2.25, abs=0.01)
    assert host[0] <= 41 <= host[0] + 64 / host[2]
    assert found == "n41:41"
    assert nothing == "no host has nowhere in its name"


def test_page_terminal_json_and_picture_say_the_same_of_the_slowest_links(tmp_path: Path, everylink: Command) -> None:
    page, run = _simulated(everylink, tmp_path, 64, FAULTS, "--ranks-per-host", "2")
    file = page.with_suffix(".h5")
    said = json.loads(everylink("show", file, "--topology", tmp_path / "topology.conf", "--format", "json")[1])
    lines = everylink("show", file, "--topology", tmp_path / "topology.conf")[1].splitlines()
    (size,) = run["sizes"]
    codes = unpacked(size["deviation"]["links"], "i1", 128, 128)
    names = [f"{host[1]}:{rank}" for rank, host in zip(run["ranks"], _host_of_places(run), strict=True)]
    for link, row in zip(said["slowest"], size["slowest"], strict=False):
        frm, to, seconds, factor, *_ = row
        assert (names[frm], names[to]) == (link["from"], link["to"])
        assert seconds == pytest.approx(link["seconds"])
        assert factor == pytest.approx(link["x_expected"]) == pytest.approx(seconds / link["expected_seconds"])
        assert codes[frm, to] == code_of(factor)
        (line,) = (line for line in lines if line.startswith(f"{link['from']} -> {link['to']} "))
        assert f" {factor:.2f} " in f"{line} "


def _host_of_places(run: Any) -> list[Any]:
    return [host for host in run["hosts"] for _ in range(host[3] - host[2])]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_by_the_rules_of_axe_core(scheme: str, tmp_path: Path, everylink: Command) -> None:
    page, _ = _simulated(everylink, tmp_path, 64, FAULTS, "--sizes", "8,1MiB", "--confirm")
    rules = resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    audited = page.with_name("audited.html")
    audited.write_text(page.read_text().replace("</body>", f"<script>{rules}</script></body>"))
    script = """
      chooseFinding(0);
      const found = await axe.run(document);
      return [found.passes.length, found.violations.map((one) => [one.id, one.nodes.map((node) => node.html)])];
    """
    passed, violations = done_in(audited, script, f"--blink-settings=preferredColorScheme={int(scheme == 'light')}")
    assert passed > 20
    assert not violations


def test_one_scale_for_all_reports_is_lighter_the_nearer_to_what_is_expected() -> None:
    light = PALETTE.astype(float) @ [0.2126, 0.7152, 0.0722]
    slower, faster = light[128:], light[128:1:-1]
    assert PALETTE[128].tolist() == [255, 255, 255]
    for side in (slower, faster):
        assert (np.diff(side) <= 1e-9).all()
        steps = [side[min(code_of(step), len(side) - 1)] for step in (1.0, *STEPS)]
        assert (np.diff(steps) < -8).all()


@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
def test_steps_are_told_apart_by_colour_blind_readers(kind: str) -> None:
    """By simulating dichromats: Vienot, Brettel and Mollon 1999; for tritan sight Machado, Oliveira, Fernandes 2009."""
    matrices = {
        "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    }
    linear = np.where(PALETTE <= 10, PALETTE / 3294.6, ((PALETTE / 255 + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.array(matrices[kind]).T, 0, 1)
    lab = _lab(seen)
    places = [0, *(code_of(step) for step in STEPS[1:-1]), 126]
    colours = [lab[128 + code] for code in places] + [lab[128 - code] for code in places[1:]]
    for one, colour in enumerate(colours):
        for other in colours[:one]:
            assert np.linalg.norm(colour - other) > 8
    assert min(np.linalg.norm(lab[128] - lab[128 + sign * code_of(1.1)]) for sign in (1, -1)) > 5


def _lab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIE L*a*b* of linear sRGB, white D65; [colours, 3]."""
    xyz = linear @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]])
    xyz = xyz / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)
