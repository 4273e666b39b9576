"""What `everylink history` tells of many nights, and that it tells nothing else (docs/history.md)."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.page.history import write_history
from everylink.store.drift import Event, events_of
from everylink.store.folder import read_summary
from everylink.store.index import index_of
from everylink.store.layout import Store
from everylink.store.story import History, State, history_of
from everylink.store.summary import Seen, text_of_summary
from everylink.terminal.history import sparkline
from stores import kept, night, nights

BENCH = Path(__file__).parents[2] / "bench"
SLOW = "slow-host:n3*0.7"


def noise(series: int, count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.003, (series, count))


# --- changes ---------------------------------------------------------------------------------------------------
def test_a_step_is_found_at_its_night_and_a_slow_change_where_it_begins_and_ends() -> None:
    values = noise(200, 30)
    values[0, 20:] += 0.07
    values[1, 8:] += 0.009 * np.arange(1, 23)
    values[2, :14] += 0.01 * np.arange(14)
    found = events_of(values)
    assert [(one.slow, one.begin, round(one.change, 2)) for one in found[0]] == [(False, 20, 0.07)]
    (slow,) = found[1]
    assert slow.slow
    assert (7 <= slow.begin <= 10, slow.end) == (True, 29)
    assert abs(slow.rate - 0.009) < 0.001
    assert [(one.slow, one.end if one.slow else one.begin) for one in found[2]] == [(True, 13), (False, 14)]
    assert [one for one in found[3:] if one] == []


def test_a_night_or_two_that_stand_out_are_no_change_and_neither_is_a_small_one() -> None:
    values = noise(100, 30)
    values[0, 12] += 0.5
    values[1, 7:9] += 0.5
    values[2, 29] += 0.5
    values[3, 15:] += 0.02
    assert events_of(values) == [[]] * 100


def test_nights_that_were_not_measured_do_not_matter() -> None:
    values = noise(50, 40)
    values[0, 25:] += 0.1
    values[0, [3, 4, 5, 24, 30]] = np.nan
    values[1] = np.nan
    found = events_of(values)
    assert [one.begin for one in found[0]] == [25]
    assert found[1] == []


def test_noise_is_seldom_called_a_change() -> None:
    assert sum(bool(one) for seed in range(20) for one in events_of(noise(200, 30, seed))) <= 2


def test_too_few_nights_show_no_change() -> None:
    values = noise(5, 7)
    values[0, 4:] += 1
    assert events_of(values) == [[]] * 5


def test_of_very_many_nights_several_are_taken_together() -> None:
    values = noise(600, 900)
    values[:300, 450:] += 0.1
    found = events_of(values)
    assert all(len(one) == 1 and abs(one[0].begin - 450) < 20 for one in found[:300])
    assert found[300:] == [[]] * 300


# --- stories ---------------------------------------------------------------------------------------------------
def told(store: Store, most: int = 30) -> History:
    return history_of(index_of(store), most)


def story(faults: list[list[str]], path: Path) -> list[tuple[State, str]]:
    store, _ = nights(path, faults)
    return [(one.state, one.text) for one in told(store).stories]


def test_what_was_found_for_the_first_time_is_new(tmp_path: Path) -> None:
    (one,) = story([[], [], [SLOW]], tmp_path / "s")
    assert one[0] is State.NEW
    assert one[1].startswith("host n3: new on 11-03: slow, 1.4")


def test_what_was_found_before_is_known_since_then(tmp_path: Path) -> None:
    (one,) = story([[], [SLOW], [SLOW], [SLOW]], tmp_path / "s")
    assert (one[0], one[1].partition(": slow")[0]) == (State.KNOWN, "host n3: found since 11-02")


def test_what_is_gone_is_cured_and_what_was_there_once_is_not_more_than_that(tmp_path: Path) -> None:
    faults = [[SLOW], [SLOW], [SLOW], [], ["slow-host:n5*0.6"], [], []]
    found = story(faults, tmp_path / "s")
    assert [state for state, _ in found] == [State.CURED, State.ONCE]
    assert found[0][1].startswith("host n3: found from 11-01 to 11-03 (3 nights): slow")
    assert found[0][1].endswith("; cured on 11-04")
    assert found[1][1].startswith("host n5: on 11-05 only: slow, 1.6")


def test_what_comes_and_goes_flaps_hosts_and_links(tmp_path: Path) -> None:
    both = ["slow-host:n3*0.5", "dark:n1>n2"]
    found = story([both, [], both, both, [], both, []], tmp_path / "s")
    assert [(state, text.partition(": found")[0]) for state, text in found] == [
        (State.FLAPPING, "host n3: flaps"),
        (State.FLAPPING, "pair n1:1 <-> n2:2: flaps"),
    ]
    assert all("found in 4 of 7 nights, came 3 times, last on 11-06" in text for _, text in found)


def test_a_link_that_was_as_slow_on_a_night_without_a_verdict_did_not_flap(tmp_path: Path) -> None:
    faults = ["slow-link:n1>n2*0.5", "slow-link:n2>n1*0.5"]
    store, _ = nights(tmp_path / "s", [faults] * 7)
    seen = Seen("pair", "pair n1 n2", ("n1", "n2"), "slow", 2**20, 1.9, "pair n1:1 <-> n2:2: slow, 1.90x the time")
    for number, path in enumerate(sorted(store.path.glob("runs/*/*"))):
        summary, files = read_summary(path)
        found = replace(summary, findings=(seen,) if number % 2 == 0 else ())
        (path / "run.json").write_text(text_of_summary(found, files))
    (one,) = history_of(index_of(store, anew=True), 30).stories
    assert (one.state, one.text.partition(": slow")[0]) == (State.KNOWN, "pair n1:1 <-> n2:2: found all the time")


def test_a_host_that_was_away_is_not_cured_meanwhile(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [["slow-host:n11*0.7"]] * 2)
    for day in (3, 4):
        kept(store, night(day, hosts=11))
    kept(store, night(5, ["slow-host:n11*0.7"]))
    (one,) = told(store).stories
    assert (one.state, one.text.partition(": slow")[0]) == (State.KNOWN, "host n11: found all the time")


@pytest.mark.long
def test_hosts_that_change_alike_are_one_story(tmp_path: Path) -> None:
    rack = [f"slow-host:n{host}*0.9" for host in (4, 5, 6)]
    store, _ = nights(tmp_path / "s", [*[[]] * 8, *[rack] * 8], hosts=16)
    (one,) = told(store).stories
    assert one.subject == "hosts n[4-6]"
    assert one.hosts == ("n4", "n5", "n6")
    assert "11-09" in one.text
    assert one.curve is not None
    assert np.abs(one.curve - np.repeat([1, 1.105], 8)).max() < 0.03


def test_a_change_of_all_hosts_is_told_once(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[]] * 5)
    for day in range(6, 13):
        results = night(day)
        (size,) = results.sizes
        slower = replace(size, rows=replace(size.rows, median=size.rows.median * np.float32(1.2)))
        kept(store, replace(results, sizes=(slower,)))
    found = told(store)
    assert found.stories == ()
    assert found.levels == ("all hosts at 1 MiB: 1.20x the time since 11-06",)


def test_runs_with_other_settings_are_left_out(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[], []])
    other = night(3)
    kept(store, replace(other, facts=replace(other.facts, transport="ucp")))
    assert (len(told(store).trends.nights), told(store).left_out) == (1, 2)


# --- the command -----------------------------------------------------------------------------------------------
def test_the_command_tells_the_story_of_a_cluster_a_host_and_a_link(tmp_path: Path, everylink: Command) -> None:
    nights(tmp_path / "s", [[], [SLOW], [SLOW]])
    code, out, _ = everylink("history", "--store", tmp_path / "s")
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "3 nights, 2026-11-01 to 2026-11-03: 12 hosts")
    assert lines[1].startswith("KNOWN     host n3: found since 11-02: slow, 1.4")
    assert lines[2].split()[0] == "▁██"
    assert lines[-1] == "1 known; 11 hosts steady"
    out = everylink("history", "n3", "--store", tmp_path / "s")[1]
    assert "1 MiB  sends     " in out
    assert "KNOWN     host n3" in out
    out = everylink("history", "n1>n3", "--store", tmp_path / "s")[1]
    assert "1 MiB  n1 -> n3  ▁██  " in out
    said = json.loads(everylink("history", "n1", "n3", "--store", tmp_path / "s", "--format", "json")[1])
    assert [line["way"] for line in said["lines"]] == ["n1 -> n3", "n3 -> n1"]
    for words, message in (
        (("n99",), "n99: was not measured in the newest 3 runs"),
        (("n1", "n2", "n3"), "n1 n2 n3: must be a host, as in n3, or two, as in n3 n9 or 'n3>n9'"),
        (("n1", "n1"), "n1 n1: must be a host"),
    ):
        code, _, err = everylink("history", *words, "--store", tmp_path / "s")
        assert (code, err.startswith(f"everylink: {message}")) == (2, True), err


def test_the_page_shows_what_the_terminal_tells_without_scripts(tmp_path: Path, everylink: Command) -> None:
    store, _ = nights(tmp_path / "s", [[], [SLOW], [SLOW], ["dark-host:n3"]])
    page = tmp_path / "history.html"
    assert everylink("history", "--store", store.path, "-o", page) == (0, f"{page}: 1 known; 11 hosts steady\n", "")
    text = page.read_text()
    assert "host n3: found since 11-02" in text
    assert text.count('<svg viewBox="0 0 640 96" class="nights">') == 2, "of n3, and of all"
    assert text.count('class="fails"') == 1
    assert "<script" not in text
    assert "default-src 'none'" in text
    assert everylink("history", "--store", store.path, "-o", page)[2].endswith("exists; --force overwrites it\n")
    assert everylink("history", "n3", "--store", store.path, "-o", page, "--force")[0] == 0
    assert page.read_text().count('class="nights"') == 3, "sends, receives, and its story"
    for words, said in (
        (("-o", "x.pdf"), "-o x.pdf: the name must end in .html"),
        (("--force",), "applies only to -o"),
    ):
        code, _, err = everylink("history", "--store", store.path, *words)
        assert (code, said in err) == (2, True)


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [])
    results = night(1, ["slow-host:n3*0.5"])
    names = tuple(name.replace("n3", "<b>n3") for name in results.ranks.host)
    kept(store, replace(results, ranks=replace(results.ranks, host=names)))
    write_history(told(store), ["<i>"], tmp_path / "x.html")
    assert "<b>" not in (tmp_path / "x.html").read_text()
    assert "<i>" not in (tmp_path / "x.html").read_text()


def test_an_empty_store_has_no_history(tmp_path: Path, everylink: Command) -> None:
    store, _ = nights(tmp_path / "s", [])
    assert everylink("history", "--store", store.path)[2] == (
        f"everylink: {store.path}: has no run yet; everylink check --store {store.path} adds one\n"
    )


def test_a_curve_is_a_character_a_night_and_marks_failures() -> None:
    assert sparkline(np.array([1, 1, np.nan, 2, np.inf]), False) == "▁▁ █x"
    assert sparkline(np.array([1, 1.01]), True) == "__", "a percent is no peak"
    assert len(sparkline(np.ones(1000), False)) <= 90


def test_an_event_grows_by_its_rate_each_night() -> None:
    assert Event(True, 10, 20, 0.0, 0.1).rate == pytest.approx(0.01)


@pytest.mark.long("half a minute")
def test_the_story_of_thirty_nights_of_200_hosts_is_the_one_that_happened(tmp_path: Path) -> None:
    words = [sys.executable, str(BENCH / "nights.py"), str(tmp_path / "s")]
    said = subprocess.run(words, env=os.environ, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
