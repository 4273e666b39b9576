"""The HTML page of load patterns: its diagrams and matrices as a browser draws them."""

import json
import math
import re
from importlib import resources
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from browser import done_in
from conftest import PATTERNS, Command
from everylink.deviation.colours import PALETTE
from everylink.deviation.scale import NOT_MEASURED, code_of
from make_loads import GB, SIZE, flow, make_all_to_all, make_load, make_pattern, make_service, served

pytestmark = pytest.mark.thorough  # not in make quick

DRAWN = """
  const numbers = (one, ...names) => names.map((name) => Number(one.getAttribute(name)));
  return [...document.querySelectorAll("svg.diagram")].map((drawing) => ({
    dots: [...drawing.querySelectorAll("circle.point")].map((one) => numbers(one, "cx", "cy")),
    bars: [...drawing.querySelectorAll("rect.bar")].map((one) => numbers(one, "x", "y", "width", "height")),
    grid: [...drawing.querySelectorAll("path.grid")].map((one) => one.getAttribute("d").match(/,([\\d.]+)H/)[1]),
    texts: [...drawing.querySelectorAll("text")].map((one) => one.textContent),
  }));
"""


def report(everylink: Command, *files: Path) -> Path:
    page = files[0].with_suffix(".html")
    assert everylink("report", *files, "-o", page)[0] == 0
    return page


def shown(everylink: Command, file: Path) -> Any:
    """The first pattern of `show --format json --hosts`."""
    return json.loads(everylink("show", file, "--format", "json", "--hosts")[1])["patterns"][0]


def page_data(page: Path) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found
    return json.loads(found.group(1))


def values(drawn: Any, axis: Any) -> list[float]:
    """The values of all dots, or else of the tops of all bars, by the lines of the grid and the texts beside them."""
    (first, *_, last), (low, *_, high) = map(float, drawn["grid"]), (value for value, _ in axis["ticks"])
    ends = np.log([low, high]) if axis["is_log"] else np.array([low, high])
    heights = [y for _, y in drawn["dots"]] or [y for _, y, _, _ in drawn["bars"]]
    read = [ends[0] + (ends[1] - ends[0]) * (y - first) / (last - first) for y in heights]
    return [math.exp(value) if axis["is_log"] else float(value) for value in read]


@pytest.mark.parametrize("name", ["incast", "shift", "ring", "random-bisection", "all-to-all"])
@pytest.mark.one_in(5)
def test_marks_are_where_the_numbers_of_show_are(name: str, tmp_path: Path, everylink: Command) -> None:
    file = make_pattern(tmp_path / "x.h5", name)
    page = report(everylink, file)
    scenes = shown(everylink, file)["scenes"]
    for drawn, diagram in zip(done_in(page, DRAWN), page_data(page)["loads"][0]["diagrams"], strict=True):
        assert [text for _, text in diagram["y"]["ticks"]] == drawn["texts"][: len(drawn["grid"])]
        which = "mean" if "of a flow" in diagram["y"]["label"] else "total"
        expected = [scene["rate"][which] for scene in scenes]
        assert values(drawn, diagram["y"]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.long
def test_bars_of_clients_are_as_high_as_their_bandwidths(tmp_path: Path, everylink: Command) -> None:
    file = make_pattern(tmp_path / "x.h5", "client-server")
    page = report(everylink, file)
    drawn, axis = done_in(page, DRAWN)[-1], page_data(page)["loads"][0]["diagrams"][-1]["y"]
    largest = [scene for scene in shown(everylink, file)["scenes"] if scene["bytes"] == SIZE]
    assert values(drawn, axis) == pytest.approx(
        [one["rate"] for scene in largest for one in scene["clients"]], rel=1e-3
    )
    assert len({round(y + height) for _, y, _, height in drawn["bars"]}) == 1


@pytest.mark.long
def test_the_numbers_of_a_place_are_shown_under_the_mouse_and_by_arrow_keys(tmp_path: Path, everylink: Command) -> None:
    page = report(everylink, make_pattern(tmp_path / "x.h5", "incast"))
    script = """
      const drawing = document.querySelector("svg.diagram"), box = drawing.getBoundingClientRect();
      const [, , third] = drawing.querySelectorAll("circle.point");
      const place = {clientX: box.left + Number(third.getAttribute("cx")) + 5, clientY: box.top + 9};
      drawing.dispatchEvent(new PointerEvent("pointermove", place));
      const hovered = $("tip").textContent, rings = drawing.querySelectorAll(".cursor circle").length;
      drawing.dispatchEvent(new PointerEvent("pointerleave"));
      const left = $("tip").hidden, reachable = drawing.tabIndex;
      const press = (key) => {
        drawing.dispatchEvent(new KeyboardEvent("keydown", {key}));
        return $("said").textContent;
      };
      const said = ["ArrowRight", "ArrowRight", "End", "ArrowRight", "Home", "ArrowLeft"].map(press);
      press("Escape");
      return {hovered, rings, left, reachable, said: said.map((text) => text.split("\\n")[0]), after: $("tip").hidden};
    """
    found = done_in(page, script)
    assert found["hovered"] == "4 senders\nmean of the flows: 1.863 GiB/s"
    assert (found["rings"], found["left"], found["reachable"], found["after"]) == (1, True, 0, True)
    assert found["said"] == ["1 sender", "2 senders", "7 senders", "7 senders", "1 sender", "1 sender"]


@pytest.mark.long
def test_what_failed_and_the_impact_are_said_beside_the_marks(tmp_path: Path, everylink: Command) -> None:
    flows = [flow(i, k, 0, GB * k, outcome=int(k == 2 and i == 1)) for i in range(2) for k in range(1, i + 2)]
    incast = make_load(tmp_path / "i.h5", "incast", flows, [1, 2])
    victim = make_pattern(tmp_path / "v.h5", "victim")
    tips = """
      return [...document.querySelectorAll("svg.diagram")].map((drawing) => {
        drawing.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}));
        return $("tip").textContent;
      });
    """
    assert done_in(report(everylink, incast), tips)[0] == (
        "2 senders\nmean of the flows: 953.7 MiB/s; 1 of 2 flows failed"
    )
    page = report(everylink, victim)
    assert done_in(page, tips)[0] == "p99\nalone: 4.000 us\nloaded: 40.00 us x 10.00"
    assert [text for text in done_in(page, DRAWN)[0]["texts"] if text.startswith("x ")] == [
        "x 2.50",
        "x 2.50",
        "x 10.00",
    ]


@pytest.mark.long
def test_the_matrix_names_each_connection_with_its_bandwidth(tmp_path: Path, everylink: Command) -> None:
    file = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * (0.5 if i == 3 else 1), ranks=8)
    with h5py.File(file, "r+") as stored:
        flows = stored["patterns/all-to-all/flows"]
        flows["outcome"][...] = (flows["from"][...] == 6) & (flows["to"][...] == 1)
    page = report(everylink, file)
    script = """
      const canvas = document.querySelector(".matrix canvas"), {names} = data.loads[0].matrix;
      const box = canvas.getBoundingClientRect(), paper = canvas.getContext("2d"), found = [];
      let text = "";
      for (let y = 1; y < box.height; y += 6) for (let x = 1; x < box.width; x += 6) {
        canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + x, clientY: box.top + y}));
        if ($("tip").hidden) continue;
        text = $("tip").textContent;
        canvas.dispatchEvent(new PointerEvent("pointerleave"));
        found.push([text, [...paper.getImageData(x, y, 1, 1).data.slice(0, 3)].join()]);
      }
      const press = (key) => {
        canvas.dispatchEvent(new KeyboardEvent("keydown", {key}));
        return $("said").textContent;
      };
      return [found, ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"].map(press), names];
    """
    found, said, names = done_in(page, script)
    by_text: dict[str, set[str]] = {}
    for text, colour in found:
        by_text.setdefault(text, set()).add(colour)
    assert names == [f"n{i}:{i}" for i in range(8)]
    assert len(by_text) == 64
    twice = ",".join(map(str, PALETTE[code_of(2.0) - NOT_MEASURED]))
    assert by_text["n3:3 -> n5:5\n1.99x expected\n476.8 MiB/s, 2.097 ms for a message"] == {twice}
    assert by_text["n5:5 -> n3:3\n1.00x expected\n953.7 MiB/s, 1.049 ms for a message"] == {"255,255,255"}
    assert by_text["n6:6 -> n1:1\nfailed"] >= {"17,17,17", "255,255,255"}
    ends = [text.split("\n")[0] for text in said]
    assert ends == ["n0:0", "n1:1 -> n0:0", "n1:1", "n1:1 -> n2:2", "n0:0 -> n2:2"]


@pytest.mark.long
def test_findings_stand_below_the_conclusion_and_mark_the_matrix(tmp_path: Path, everylink: Command) -> None:
    hosts = [f"n{i}" for i in range(8)]
    file = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * (0.3 if 3 in (i, j) else 1 + 0.01 * (i + j)), ranks=8)
    page = report(everylink, file)
    (verdict,) = json.loads(everylink("diagnose", file, "--format", "json")[1])["verdicts"]
    assert verdict["subject"] == ["n3"]
    script = """
      const list = document.querySelector(".findings"), about = list.querySelector("details");
      const [headline] = document.querySelectorAll("h2");
      return {headline: headline.textContent, alarm: headline.classList.contains("alarm"),
        summaries: [...list.querySelectorAll("summary")].map((one) => one.textContent), open: about.open,
        text: about.textContent, after: Boolean(headline.compareDocumentPosition(list) & 4)};
    """
    found = done_in(page, script)
    assert (found["headline"], found["alarm"], found["open"], found["after"]) == ("FAULTS: 1 host", True, False, True)
    (summary,) = found["summaries"]
    assert summary.startswith("host n3: slow")
    assert verdict["evidence"] in found["text"]
    matrix = page_data(page)["loads"][0]["matrix"]
    assert matrix["marked"] == [[[hosts.index("n3"), hosts.index("n3") + 1]]]


@pytest.mark.long
def test_matrices_of_more_ranks_than_cells_show_hosts_together(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everylink.load.page.MOST_CELLS", 4)
    file = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * (0.5 if i == 3 else 1), ranks=8)
    page = report(everylink, file)
    matrix = page_data(page)["loads"][0]["matrix"]
    assert matrix["names"] == ["n0 .. n1", "n2 .. n3", "n4 .. n5", "n6 .. n7"]
    assert matrix["seconds"] is None
    script = """
      const canvas = document.querySelector(".matrix canvas");
      ["Home", "ArrowDown"].forEach((key) => canvas.dispatchEvent(new KeyboardEvent("keydown", {key})));
      return $("tip").textContent;
    """
    said = done_in(page, script)
    assert said.startswith("n2 .. n3 -> n0 .. n1\n1.99x expected, the median")


EVIL = (
    "<script>window.evil = 1</script>" + 32 * "x",
    "</script><b>",
    "名前-Ω",
    "&amp;\"'\x00",
    "a" * 64,
    "  ",
    "-1",
    "b",
)


@pytest.mark.long
def test_hostile_names_are_only_text(tmp_path: Path, everylink: Command) -> None:
    hosts = [name.replace("\x00", "") for name in EVIL]
    rounds = make_load(
        tmp_path / "x.h5", "all-to-all",
        [flow(d - 1, i, (i + d) % 8, GB * (1 + i)) for d in range(1, 8) for i in range(8)], range(1, 8),
        point="<img src=x onerror='window.evil=1'>", hosts=hosts,
    )  # fmt: skip
    served = make_service(tmp_path / "s.h5", lambda kind, client, server: 1e-4 * client, hosts=hosts)
    script = """
      const tips = [...document.querySelectorAll("svg.diagram, .matrix canvas")].map((drawing) => {
        ["Home", "ArrowRight"].forEach((key) => drawing.dispatchEvent(new KeyboardEvent("keydown", {key})));
        return $("tip").textContent;
      });
      return [window.evil ?? null, document.querySelectorAll("img, main b").length, tips, data.loads[0].matrix.names];
    """
    evil, tags, tips, names = done_in(report(everylink, rounds, served), script)
    assert (evil, tags) == (None, 0)
    assert names[0] == f"{hosts[0]}:0"
    assert any("<img src=x" in tip for tip in tips)
    assert any(f"{hosts[0]}:0 -> {hosts[1]}:1" in tip for tip in tips)
    assert [tip.split("\n")[0] for tip in tips[-2:]] == [f"{hosts[1]}:1", f"{hosts[3]}:3"]  # a server and a client


@pytest.mark.long
def test_runs_in_which_everything_failed_or_nothing_ran_are_pages(tmp_path: Path, everylink: Command) -> None:
    files = []
    for name in PATTERNS:
        flows = [flow(0, 1, 0, GB, outcome=1, messages=0, seconds=0.0)]
        variants = "put,get" if name == "client-server" else "\0"
        files.append(make_load(tmp_path / f"{name}.h5", name, flows, [1], variants=variants, ranks=2))
        files.append(make_load(tmp_path / f"{name}-empty.h5", name, [], [], ranks=2))
        files.append(make_load(tmp_path / f"{name}-alone.h5", name, [flow(0, 1, 0, GB)], [1], ranks=2))
    endless = [served(0, 2, client, 0, 1e-4, seconds=math.inf) for client in (1, 2)]
    files.append(make_load(tmp_path / "endless.h5", "client-server", endless, [1], variants="put,get", ranks=3))
    script = "return [...document.querySelectorAll('h2.headline')].map((one) => one.textContent);"
    headlines = done_in(report(everylink, *files), script)
    assert len(headlines) == len(files)
    for file, headline in zip(files, headlines, strict=True):
        assert headline.startswith(f"{file.name}: ")
        assert ("FAULTS" in headline) == (file.stem in PATTERNS)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_by_the_rules_of_axe_core(scheme: str, tmp_path: Path, everylink: Command) -> None:
    files = [make_pattern(tmp_path / f"{name}.h5", name) for name in PATTERNS]
    slow = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * (0.3 if 3 in (i, j) else 1 + 0.01 * (i + j)), ranks=8)
    page = report(everylink, slow, *files)
    rules = resources.files("axe_core_python").joinpath("axe.min.js").read_text()
    page.write_text(page.read_text().replace("</body>", f"<script>{rules}</script></body>"))
    script = """
      for (const one of document.querySelectorAll("details")) one.open = true;
      const found = await axe.run(document);
      return [found.passes.length, found.violations.map((one) => [one.id, one.nodes.map((node) => node.html)])];
    """
    passed, violations = done_in(page, script, f"--blink-settings=preferredColorScheme={int(scheme == 'light')}")
    assert passed > 20
    assert not violations


@pytest.mark.long
def test_a_page_fits_a_phone(tmp_path: Path, everylink: Command) -> None:
    files = [make_pattern(tmp_path / f"{name}.h5", name) for name in PATTERNS]
    script = """
      document.body.style.width = "390px";
      dispatchEvent(new Event("resize"));
      const drawn = [...document.querySelectorAll("svg.diagram, .matrix canvas, h2, summary")];
      const labels = [...document.querySelectorAll("svg.diagram text")];
      return [drawn, labels].map((ones) => Math.max(...ones.map((one) => one.getBoundingClientRect().right)));
    """
    for right in done_in(report(everylink, *files), script):
        assert 300 < right <= 391


def test_the_page_refers_to_nothing_outside_itself(tmp_path: Path, everylink: Command) -> None:
    text = report(everylink, make_pattern(tmp_path / "x.h5", "all-to-all")).read_text()
    assert not re.search(r"\b(src|href|action)\s*=", text)
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\"" in text


@pytest.mark.long("6 s")
def test_an_all_to_all_of_512_ranks_is_a_page_of_two_megabytes(tmp_path: Path, everylink: Command) -> None:
    file = make_all_to_all(tmp_path / "x.h5", lambda i, j: GB * (1 + (7919 * i + 104729 * j) % 997 / 5000), ranks=512)
    page = report(everylink, file)
    assert page.stat().st_size < 2.2e6
    assert len(page_data(page)["loads"][0]["matrix"]["names"]) == 512
