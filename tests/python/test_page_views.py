"""The page of links: two runs held beside each other, other orders of hosts, ranges of times, evidence of findings."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import done_in
from conftest import Command
from everylink.compare.comparison import compare
from everylink.deviation.scale import NOT_MEASURED
from everylink.io.read import read
from make_results import Link, make_results, steady
from test_page import page_data

HOSTS = tuple("abcdefgh")
PRESS = """
  const press = (id, key) => $(id).dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const change = (id, value, kind = "change") => { $(id).value = value; $(id).dispatchEvent(new Event(kind)); };
  const until = async (is) => { for (let i = 0; i < 300 && !is(); i++) await new Promise((r) => setTimeout(r, 10)); };
"""


def _with_slow(*slow: int) -> Callable[[Link, int], float]:
    def time(link: Link, size: int) -> float:
        ripple = 1 + 0.004 * math.sin(17 * link[0] + 5 * link[1])
        return steady(link, size) * ripple * (1.5 if set(slow) & set(link) else 1)

    return time


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """Host c is slow in both runs, f in the second one only, in which d -> g has failed."""
    base = make_results(tmp_path / "a.h5", hosts=HOSTS, time=_with_slow(2))
    new = make_results(tmp_path / "b.h5", hosts=HOSTS, time=_with_slow(2, 5), outcomes={(3, 6): 1})
    return base, new


@pytest.mark.long
def test_two_runs_are_held_against_each_other(both: tuple[Path, Path], tmp_path: Path, everylink: Command) -> None:
    assert everylink("report", *both, "-o", tmp_path / "x.html")[0] == 0
    *_, against = page_data(tmp_path / "x.html")["runs"]
    found = compare(read(both[0]), read(both[1]))
    assert against["name"] == "b.h5 against a.h5"
    assert against["alarm"]
    assert [finding["title"] for finding in against["findings"]] != []
    assert against["findings"][0]["ends"] == [[[5, 6]]]
    assert "1 failed" in against["headline"]
    assert found.slower[0].subject == ("f",)
    script = f"""{PRESS}
      change("run", 2);
      await until(() => state.number === 2 && state.size.loaded && state.levels.length);
      const said = [[5, 1], [2, 1], [3, 6]].map(([i, j]) => describe({{level: state.levels[0], i, j}}));
      return [...said, $("headline").textContent, $("heading").textContent, $("factorHead").textContent];
    """
    changed, same, failed, headline, heading, factor = done_in(tmp_path / "x.html", script)
    base, new = (read(path).sizes[0].links for path in both)
    ratio = new.median[(new.frm == 5) & (new.to == 1)] / base.median[(base.frm == 5) & (base.to == 1)]
    shown = re.search(r"median ([\d.]+)x of a\.h5, which is ", changed)
    assert shown
    assert float(shown[1]) == pytest.approx(ratio[0], rel=0.0126)
    assert "median 1.00x of a.h5" in same
    assert "timed out" in failed
    assert headline == against["headline"]
    assert "deviation from a.h5" in heading
    assert factor == "x a.h5"


def test_runs_that_cannot_be_compared_have_no_comparison(tmp_path: Path, everylink: Command) -> None:
    first = make_results(tmp_path / "a.h5", hosts=HOSTS)
    other = make_results(tmp_path / "b.h5", hosts=tuple("stuvwxyz"))
    assert everylink("report", first, other, "-o", tmp_path / "x.html")[0] == 0
    assert [run["name"] for run in page_data(tmp_path / "x.html")["runs"]] == ["a.h5", "b.h5"]


@pytest.mark.long
@pytest.mark.parametrize("hosts", [HOSTS, tuple("abcdefgh" * 2)])
def test_hosts_are_sorted_and_every_link_keeps_its_numbers(
    hosts: tuple[str, ...], tmp_path: Path, everylink: Command
) -> None:
    slow = tuple(rank for rank, host in enumerate(hosts) if host == "f")
    path = make_results(tmp_path / "a.h5", hosts=hosts, time=_with_slow(*slow), outcomes={(3, 6): 1})
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    script = f"""{PRESS}
      const every = () => {{
        const said = {{}};
        for (let i = 0; i < state.run.ranks.length; i++) for (let j = 0; j < state.run.ranks.length; j++) {{
          said[`${{nameAt(i)}} ${{nameAt(j)}}`] = describe({{level: state.levels[0], i, j}});
        }}
        return said;
      }};
      const names = () => state.run.hosts.map(([name]) => name).join("");
      const before = every(), orders = [];
      for (const order of ["slowest", "findings", "name", "drawn"]) {{
        change("order", order);
        await until(() => state.order === order && state.size.loaded && state.levels.length);
        await new Promise((done) => setTimeout(done, 50));
        const now = every();
        orders.push([names(), Object.keys(before).every((link) => before[link] === now[link]),
          state.run.findings.map(({{ends}}) => ends)]);
      }}
      change("order", "slowest");
      await new Promise((done) => setTimeout(done, 400));
      return [orders, location.hash];
    """
    orders, address = done_in(tmp_path / "x.html", script)
    each = len(hosts) // 8
    names = [order[0] for order in orders]
    assert names[0][0] == "f"
    assert sorted(names[0]) == list("abcdefgh")
    assert names[2:] == ["abcdefgh", "abcdefgh"]
    assert all(order[1] for order in orders)
    assert [[0, each]] in [ends for finding in orders[0][2] for ends in finding]
    assert "order=slowest" in address


@pytest.mark.long
def test_the_address_has_the_order(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, time=_with_slow(5))
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    script = """
      location.hash = "#run=0&order=slowest";
      await recall();
      return [state.order, $("order").value, state.run.hosts[0][0]];
    """
    assert done_in(tmp_path / "x.html", script) == ["slowest", "slowest", "f"]


@pytest.mark.long
def test_a_range_of_times_shows_its_links(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, time=_with_slow(5))
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    (run,) = page_data(tmp_path / "x.html")["runs"]
    edges = np.array(run["sizes"][0]["histogram"]["seconds"])
    links = read(path).sizes[0].links
    middle = int(np.searchsorted(edges, np.median(links.median) * 1.2))
    expected = int((links.median >= edges[middle] * (1 - 1e-6)).sum())
    script = f"""{PRESS}
      const pixel = (i, j) => {{
        const at = [placeX(j + 0.5), placeY(i + 0.5)].map((place) => Math.round(place * state.ratio));
        return [...paper.getImageData(...at, 1, 1).data].slice(0, 3).join();
      }};
      const before = [pixel(5, 1), pixel(0, 1)];
      change("brushFrom", {middle}, "input");
      const during = [pixel(5, 1), pixel(0, 1)], text = $("brushed").textContent;
      press("brushFrom", "Escape");
      const after = [pixel(5, 1), pixel(0, 1)];
      const box = $("histogram").getBoundingClientRect(), x = (bin) =>
        box.left + box.width * (HISTOGRAM.left + (state.size.histogram.places[bin] + 0.001)
          * (HISTOGRAM.right - HISTOGRAM.left)) / 640;
      const point = (kind, bin) => $("histogram").dispatchEvent(
        new PointerEvent(kind, {{clientX: x(bin), clientY: box.top + 20, pointerId: 1}}));
      point("pointerdown", {middle}); point("pointermove", {len(edges) - 2}); point("pointerup", {len(edges) - 2});
      return [before, during, after, text, $("brushed").textContent, state.brush];
    """
    before, during, after, text, dragged, brush = done_in(tmp_path / "x.html", script, "--window-size=1400,1000")
    assert text.startswith(f"{expected} links from ")
    assert during[0] == before[0]
    assert during[1] != before[1]
    assert after == before
    assert brush == [middle, len(edges) - 2]
    assert dragged == text


def _evidence(page: Path, number: int) -> Any:
    return done_in(
        page,
        f"""
        await chooseFinding({number});
        const shown = [...document.querySelectorAll("#findings .evidence")][{number}];
        const {{own, others}} = countsOf(drawnFindings()[{number}]);
        const sum = (counts) => counts.reduce((a, b) => a + b, 0);
        return [sum(own), sum(others), shown.ariaLabel, shown.querySelectorAll("rect.own").length,
          [...document.querySelectorAll("#findings .profile")][{number}].textContent];
        """,
    )


@pytest.mark.long
def test_a_finding_is_drawn_against_all_other_links(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, time=_with_slow(5))
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    (run,) = page_data(tmp_path / "x.html")["runs"]
    every = [*run["findings"], *run["suspects"]]
    number = next(n for n, finding in enumerate(every) if finding["ends"] == [[[5, 6]]])
    own, others, label, bars, _ = _evidence(tmp_path / "x.html", number)
    assert (own, others) == (14, 42)
    assert label == "deviations of its 14 links against those of all others"
    assert bars >= 1


@pytest.mark.long
def test_links_that_were_measured_again_are_counted_with_their_finding(tmp_path: Path, everylink: Command) -> None:
    faults = ["--fault", "slow-host:n3*0.7", "--fault", "dark:n7>n9"]
    assert everylink("simulate", "--hosts", "16", *faults, "--confirm", "-o", tmp_path / "a.h5")[0] == 0
    assert everylink("report", tmp_path / "a.h5", "-o", tmp_path / "x.html")[0] == 0
    (run,) = page_data(tmp_path / "x.html")["runs"]
    number = next(n for n, finding in enumerate(run["findings"]) if finding["title"].startswith("host n3"))
    own, others, *_ = _evidence(tmp_path / "x.html", number)
    assert own == 30
    assert others == 16 * 15 - 30 - 2  # two failed


@pytest.mark.long
def test_large_counts_of_the_histogram_fit(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS)
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    script = """
      const counts = Object.values(state.size.histogram.counts)[0];
      counts[counts.findIndex((count) => count)] = 784e6;
      drawHistogram();
      const labels = [...document.querySelectorAll("#histogram text")];
      return labels.map((label) => [label.textContent, label.getBBox().x]);
    """
    labels = done_in(tmp_path / "x.html", script)
    assert {"100 million", "10,000"} <= {text for text, _ in labels}
    assert min(x for _, x in labels) >= 0


@pytest.mark.long
def test_times_and_bandwidths_are_coloured_where_the_page_has_them(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, time=_with_slow(5), outcomes={(0, 3): 1})
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    script = f"""{PRESS}
      change("view", "time");
      const {{codes}} = shades();
      const texts = () => [...document.querySelectorAll("#scale text")].map((one) => one.textContent);
      const said = [codes[5 * 8 + 1], codes[1 * 8 + 2], codes[3], $("heading").textContent, texts()];
      change("view", "rate");
      const boxes = [...document.querySelectorAll("#scale text")].map((one) => one.getBBox());
      return [...said, texts(), boxes.map(({{x, width}}) => [x, x + width]), viewsNow()];
    """
    slow, fast, failed, heading, times, rates, ends, views = done_in(tmp_path / "x.html", script)
    assert slow > 100 > fast >= 0
    assert failed == NOT_MEASURED
    assert "64 KiB: time, median of each link" in heading
    assert all(re.fullmatch(r"[\d.]+ us", text) for text in times[:5])
    assert all(re.fullmatch(r"[\d.]+ GiB/s", text) for text in rates[:5])
    assert min(end[0] for end in ends) >= 0
    assert max(end[1] for end in ends) <= 420
    assert views == ["usual", "worst", "slow", "time", "rate"]
