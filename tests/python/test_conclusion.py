"""What a run is called: every place that says or draws it follows one rule."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.judge.verdict import Conclusion, JudgedRun
from everylink.load.figure import load_pages
from everylink.load.page import write_load_html
from everylink.model.rows import Outcome
from everylink.text.check import Checked, check_headline, check_json, check_text
from everylink.text.verdicts import verdict_lines
from make_loads import make_service
from make_results import Link, all_links, make_results, steady

pytestmark = pytest.mark.thorough  # not in make quick

HOSTS = [f"n{host}" for host in range(16)]
BOTH = (8, 1 << 20)
SUSPECT = "UNDECIDED: 240 links measured; no fault is proven, but there are strong suspects: 1 pair"
LATENCY_ONLY = "no fault found in latency; bandwidth was not tested (240 links)"
BANDWIDTH_ONLY = "no fault found in bandwidth; latency was not tested (240 links)"
UNMEASURED = "UNDECIDED: 30 of 240 links could not be measured: too many open files on host n3 (rank 3)"
OF_N3: dict[Link, int] = {link: Outcome.LOCAL for link in all_links(16) if 3 in link}
NEITHER = "no fault found; latency and bandwidth were not tested (240 links)"


def one_slow_pair(link: Link, size: int) -> float:
    return steady(link, size) * (604 if set(link) == {3, 9} else 1)


def checked(run: JudgedRun) -> Checked:
    return Checked(run, "16 hosts", False, {}, "tcp", "you chose it", True, Path("folder"))


Case = tuple[Path, str, Conclusion]


@pytest.fixture(
    params=[
        (BOTH, steady, "healthy: latency and bandwidth of 240 links", Conclusion.HEALTHY),
        (BOTH, one_slow_pair, SUSPECT, Conclusion.UNDECIDED),
        ((8,), steady, LATENCY_ONLY, Conclusion.NO_FAULT),
        ((1 << 20,), steady, BANDWIDTH_ONLY, Conclusion.NO_FAULT),
        ((4096,), steady, NEITHER, Conclusion.NO_FAULT),
        (BOTH, steady, UNMEASURED, Conclusion.UNDECIDED),
    ],
    ids=["healthy", "suspect", "latency", "bandwidth", "neither", "unmeasured"],
)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    sizes, time, line, conclusion = request.param
    lacks = line == UNMEASURED
    path = make_results(
        tmp_path / "made.h5", hosts=HOSTS, sizes=sizes, time=time, outcomes=OF_N3 if lacks else None,
        local_faults=[(3, "too many open files")] if lacks else [],
    )  # fmt: skip
    return path, line, conclusion


def says(text: str, case: Case) -> bool:
    """Whether a text has the conclusion of the run, and calls it healthy only if it is."""
    return case[1] in text and ("healthy" in text) == (case[2] is Conclusion.HEALTHY)


@pytest.mark.usefixtures("fake_core")
@pytest.mark.parametrize("options", [(), ("--quiet",), ("--confirm",)])
@pytest.mark.one_in(18)
def test_run_says_it(options: tuple[str, ...], case: Case, everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", f"results={case[0]}")
    code, out, _ = everylink("run", *options)
    assert says(out, case), out
    assert code == case[2].exit_code


@pytest.mark.parametrize("command", ["show", "diagnose"])
@pytest.mark.one_in(3)
def test_show_and_diagnose_say_it(command: str, case: Case, everylink: Command) -> None:
    code, out, _ = everylink(command, case[0])
    assert says(out, case), out
    assert code == (case[2].exit_code if command == "diagnose" else 0)


def test_check_says_it(case: Case) -> None:
    answer = checked(judged(read(case[0])))
    for text in (check_text, check_headline):
        assert says(text(answer).plain, case)
    alone = check_headline(replace(answer, alone=True)).plain
    assert alone.startswith("this machine alone")
    assert says(alone, case)


@pytest.mark.one_in(2)
def test_json_says_it(case: Case, everylink: Command) -> None:
    for text in (everylink("diagnose", case[0], "--format", "json")[1], check_json(checked(judged(read(case[0]))))):
        said = json.loads(text)
        assert said["conclusion"] == case[2]
        assert said["healthy"] == (case[2] is Conclusion.HEALTHY)


def test_junit_says_it(case: Case, everylink: Command) -> None:
    suite = ElementTree.fromstring(everylink("diagnose", case[0], "--format", "junit")[1].split("\n", 1)[1])
    undecided = case[2] is Conclusion.UNDECIDED
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1" if undecided else "0")
    assert [error.get("message") for error in suite.iter("error")] == ([case[1]] if undecided else [])


def test_the_html_page_says_and_draws_it(case: Case, tmp_path: Path, everylink: Command) -> None:
    everylink("report", case[0], "-o", tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text()
    assert says(text, case)
    assert f'"alarm":{str(case[2].is_alarm).lower()}' in text


def test_printed_pages_name_what_is_open_and_never_say_healthy(case: Case) -> None:
    lines = verdict_lines(judged(read(case[0])).judgement)
    assert lines == ([case[1]] if case[2] is Conclusion.UNDECIDED else [])


@pytest.mark.one_in(3)
def test_pages_of_load_patterns_say_it(case: Case, tmp_path: Path) -> None:
    load = read(make_service(tmp_path / "load.h5", lambda kind, client, server: 1e-3))
    run = JudgedRun(load, judged(read(case[0])).judgement)
    (path,) = write_load_html([run], tmp_path / "x.html")
    assert says(path.read_text(), case)
    assert load_pages(run)


def test_a_failed_link_without_a_verdict_is_a_fault(case: Case) -> None:
    run = judged(read(case[0]))
    failed = replace(run, judgement=replace(run.judgement, links_failed=2, verdicts=()))
    assert check_headline(checked(failed)).plain == "FAULTS: 2 links failed"
    assert failed.judgement.conclusion.exit_code == 3


def test_a_healthy_run_says_what_was_tested_and_what_was_not_looked_for(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    sizes = ("--sizes", "8,4KiB,64KiB,1MiB")
    assert everylink("simulate", "--hosts", 24, "--group-size", 12, "--sample", 6, *sizes, "-o", path)[0] == 0
    judgement = judged(read(path)).judgement
    line = everylink("diagnose", path)[1].splitlines()[1]
    links = f"{judgement.links_measured} of 552 links between the ranks"
    assert line == f"tested: latency (8 B), bandwidth (64 KiB, 1 MiB), 4 KiB on {links}"
    said = json.loads(everylink("diagnose", path, "--format", "json")[1])
    assert (said["tested"], said["links_possible"]) == ({"latency": [8], "bandwidth": [65536, 1 << 20]}, 552)


@pytest.mark.parametrize(("groups", "not_looked_for"), [(1, 2), (2, 1), (3, 0)])
def test_groups_and_trunks_are_looked_for_only_where_there_are_enough(
    groups: int, not_looked_for: int, tmp_path: Path, everylink: Command
) -> None:
    path, topology = tmp_path / "x.h5", tmp_path / "topology.conf"
    options = ("--hosts", 6 * groups, "--group-size", 6, "--topology", topology)
    assert everylink("simulate", *options, "-o", path)[0] == 0
    out = everylink("diagnose", path, "--topology", topology)[1]
    named = [part for part in ("slow groups", "slow trunks") if f"{part} (that takes" in out]
    assert named == ["slow groups", "slow trunks"][:not_looked_for]
