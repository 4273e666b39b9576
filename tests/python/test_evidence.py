"""What a page shows of a finding that is chosen: its links against all others, its retests, its hosts."""

import math
from pathlib import Path

import numpy as np
import pytest

from browser import done_in
from conftest import Command
from everylink.cli.kinds import judged
from everylink.deviation.scale import code_of
from everylink.io.read import read
from everylink.links.phases import Phases
from everylink.model.rows import ATTEMPT_NAMES
from everylink.page.html import view
from make_results import failed_row, make_results, row, steady

ALONE, ORDER = ATTEMPT_NAMES.index("alone"), ATTEMPT_NAMES.index("order")
SAID = """
  const said = (number) => [...document.querySelectorAll("#findings .evidence")][number];
"""


def test_phases_have_the_links_of_one_end_between_two_or_in_one_direction(tmp_path: Path) -> None:
    again = [
        row((0, 1), 4.0, attempt=ORDER), row((1, 0), 2.0, attempt=ORDER), row((2, 3), 1.0, attempt=ORDER),
        row((0, 2), 8.0, attempt=ALONE), failed_row((0, 3), 1, attempt=ALONE),
    ]  # fmt: skip
    path = make_results(tmp_path / "x.h5", extra=lambda size: again)
    (size,) = read(path).sizes
    phases = Phases(size)
    both, sent = phases.of([[0]], "both"), phases.of([[0]], "send")
    between, none = phases.of([[0], [1]], "receive"), phases.of([[2], [1]], "both")
    assert [(one.name, one.readings, one.failed, one.seconds) for one in both] == [
        ("order", 2, 0, 3.0), ("alone", 2, 1, 8.0),
    ]  # fmt: skip
    assert both[0].others_seconds == 1.0
    assert math.isnan(both[1].others_seconds)
    assert [(one.name, one.readings) for one in sent] == [("order", 1), ("alone", 2)]
    assert [(one.name, one.seconds) for one in between] == [("order", 2.0)]
    assert none == []


def _page(everylink: Command, folder: Path, hosts: int, *more: str) -> Path:
    file, page = folder / "run.h5", folder / "run.html"
    faults = ("--fault", "slow-host:n5*0.5", "--fault", "slow-link:n20>n50*0.5")
    assert everylink("simulate", "--hosts", hosts, *faults, *more, "-o", file)[0] == 0
    assert everylink("report", file, "-o", page)[0] == 0
    return page


def test_a_finding_is_shown_against_all_other_links_and_with_its_retests(tmp_path: Path, everylink: Command) -> None:
    page = _page(everylink, tmp_path, 64, "--confirm", "--transient", "0")
    script = f"""{SAID}
      const titles = state.run.findings.map(({{title}}) => title), told = [];
      for (const [number] of titles.entries()) {{
        await chooseFinding(number);
        const box = said(number), {{own, others}} = countsOf(state.run.findings[number]);
        const rows = [...box.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
        const label = box.querySelector("svg").getAttribute("aria-label");
        told.push([titles[number], [...own], [...others], label, rows]);
      }}
      return told;
    """
    told = done_in(page, script)
    own, others, label, rows = next(rest for title, *rest in told if title.startswith("host n5:"))
    assert sum(own[1:]) == 2 * 63
    assert sum(own[1:]) + sum(others[1:]) == 64 * 63
    assert min(np.flatnonzero(own[2:])) + 2 - 128 >= code_of(1.5)
    assert label.startswith("its 126 links: median 1.9")
    assert "all other 3,906 links: median 1.0" in label
    measured = {how: cells for how, *cells in rows}
    readings, failed, median, _, times = measured["again, all ranks busy"]
    assert int(readings) > 0
    assert failed == "0"
    assert median.endswith(" us")
    assert 1.6 < float(times) < 2.2
    own = next(rest for title, *rest in told if "n20:20" in title)[0]
    assert sum(own) in (1, 2)


def test_without_single_links_ranks_and_cells_of_the_matrix_are_compared(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everylink.page.html.LINKS_BUDGET", 0)
    monkeypatch.setattr("everylink.page.html.MOST_BLOCKS", 16)
    page = _page(everylink, tmp_path, 64, "--confirm", "--transient", "0")
    script = f"""{SAID}
      const host = state.run.findings.findIndex(({{title}}) => title.startsWith("host n5:"));
      await chooseFinding(host);
      const {{own, others, what}} = countsOf(state.run.findings[host]);
      const sum = (counts) => counts.reduce((a, b) => a + b, 0);
      const pair = countsOf({{kind: "pair", direction: "both", ends: [[[20, 21]], [[50, 51]]]}});
      return [what, sum(own), sum(others), said(host).textContent, pair.what, sum(pair.own), sum(pair.others)];
    """
    what, own, others, text, cells, of_pair, rest = done_in(page, script)
    assert (what, own, others) == ("medians of ranks", 2, 126)
    assert "its 2 medians of ranks: median 1.9" in text
    assert (cells, of_pair, rest) == ("cells of the matrix", 2, 16 * 16 - 2)


def test_hosts_of_a_finding_are_told_and_no_name_is_markup(tmp_path: Path, everylink: Command) -> None:
    evil = "<img src=x onerror=alert(1)>" + "ü" * 40
    hosts = (evil, *(f"h{i}" for i in range(7)))
    path = make_results(
        tmp_path / "x.h5",
        hosts=hosts,
        sizes=(2**20,),
        time=lambda link, size: (3 if 0 in link else 1) * steady(link, size),
    )
    (run,) = view([judged(read(path))])["runs"]
    assert len(run["evidence"]) == len(run["findings"]) + len(run["suspects"]) > 0
    assert any(evil in line for one in run["evidence"] for line in one["hosts"])
    page = tmp_path / "x.html"
    assert everylink("report", path, "-o", page)[0] == 0
    script = "await chooseFinding(0); return [document.images.length, said(0).textContent];"
    images, text = done_in(page, SAID + script)
    assert images == 0
    assert evil in text


def test_a_run_without_findings_or_links_has_no_evidence(tmp_path: Path) -> None:
    for hosts, outcomes in ((("a", "b"), {}), (("a", "b"), {(0, 1): 1, (1, 0): 1})):
        path = make_results(tmp_path / f"{len(outcomes)}.h5", hosts=hosts, outcomes=outcomes)
        (run,) = view([judged(read(path))])["runs"]
        assert len(run["evidence"]) == len(run["findings"]) + len(run["suspects"])
