"""What a page shows of a finding that is chosen: what its links took in each phase, and its hosts."""

import math
from pathlib import Path

import pytest

from browser import done_in
from conftest import Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.links.phases import Phases
from everylink.model.rows import ATTEMPT_NAMES
from everylink.page.html import view
from make_results import failed_row, make_results, row, steady

ALONE, ORDER = ATTEMPT_NAMES.index("alone"), ATTEMPT_NAMES.index("order")
SAID = """
  const said = (number) => [...document.querySelectorAll("#findings .again")][number];
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


@pytest.mark.long
def test_a_finding_shows_what_its_links_and_others_took_in_each_phase(tmp_path: Path, everylink: Command) -> None:
    file, page = tmp_path / "run.h5", tmp_path / "run.html"
    command = ("simulate", "--hosts", 64, "--fault", "slow-host:n5*0.5", "--confirm", "--transient", "0")
    assert everylink(*command, "-o", file)[0] == 0
    assert everylink("report", file, "-o", page)[0] == 0
    script = f"""{SAID}
      await chooseFinding(0);
      return [...said(0).querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
    """
    phases = {how: cells for how, *cells in done_in(page, script)}
    readings, failed, median, others, times = phases["again, all ranks busy"]
    assert int(readings) > 0
    assert failed == "0"
    assert median.endswith(" us")
    assert others.endswith(" us")
    assert float(median[:-3]) / float(others[:-3]) == pytest.approx(float(times), abs=0.01)
    assert 1.6 < float(times) < 2.2
    assert "again, one way" in phases


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
