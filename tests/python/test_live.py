"""A run in a browser while it goes on."""

import json
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from browser import FLAGS, LIMIT, Reported, chromium, done_when_served
from conftest import Command
from everylink.cli import live as live_module
from everylink.cli.live import Live
from everylink.deviation.blocks import blocks_of
from everylink.deviation.following import Following
from everylink.deviation.scale import FAILED, NOT_MEASURED, code_of
from everylink.io.read import read
from everylink.judge.verdict import NOT_JUDGED, JudgedRun
from everylink.model.results import Results
from everylink.page.html import live_page, live_planes
from everylink.page.server import Events, Page, Request, Server
from everylink.terminal.progress import failure_lines, progress_text
from make_results import Link, make_results, steady

HOSTS = tuple(f"n{i}" for i in range(8) for _ in range(2))


def _slow(link: Link, size: int) -> float:
    """Host n3 is slow."""
    return steady(link, size) * (1.5 if 3 in (link[0] // 2, link[1] // 2) and link[0] // 2 != link[1] // 2 else 1)


@pytest.fixture
def following(tmp_path: Path) -> Following:
    path = make_results(tmp_path / "a.h5", hosts=HOSTS, sizes=(8, 1 << 20), time=_slow, outcomes={(0, 5): 1})
    ranks = read(path).ranks
    return Following(path, ranks, blocks_of(ranks, 512))


def test_each_row_is_read_once(following: Following) -> None:
    assert following.read()
    assert not following.read()


def test_hosts_that_are_slower_so_far_are_named(following: Following) -> None:
    following.read()
    (slower,) = following.slower()
    assert (slower.host, slower.links) == ("n3", 2 * 2 * 14)
    assert slower.factor == pytest.approx(1.5, rel=0.03)


def test_a_third_of_the_hosts_is_structure_until_the_run_is_judged(tmp_path: Path) -> None:
    def halves(link: Link, size: int) -> float:
        return steady(link, size) * (1.5 if max(link) >= 8 else 1)

    path = make_results(tmp_path / "a.h5", hosts=HOSTS, time=halves)
    ranks = read(path).ranks
    found = Following(path, ranks, blocks_of(ranks, 512))
    found.read()
    assert found.slower() == []


def test_failed_links_are_named_once_with_their_size(following: Following) -> None:
    following.read()
    assert following.failures == ["n0:0 -> n2:5: timed out at 1 MiB", "n0:0 -> n2:5: timed out at 8 B"]


def test_the_matrix_is_against_the_median_of_each_class(following: Following) -> None:
    following.read()
    for found in following.deviations():
        codes = found.usual
        assert (np.diag(codes) == NOT_MEASURED).all()
        assert found.failed[0, 5] == 255
        assert codes[0, 5] == NOT_MEASURED
        assert abs(int(codes[6, 10]) - code_of(1.5)) <= 1
        assert abs(int(codes[6, 7])) <= 1  # within the slow host
        assert abs(int(codes[1, 15])) <= 1
    assert FAILED not in codes


def test_a_matrix_that_takes_too_much_memory_is_left_out(following: Following, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everylink.deviation.following.MOST_CELLS", 300)
    following.read()
    assert [found.bytes for found in following.deviations()] == [1 << 20]
    assert [str(one).partition(" ")[0] for one in following.slower()] == ["n3"]


def test_the_terminal_names_what_failed_once_and_who_is_slower(
    following: Following, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "EVERY", 0.01)
    step = {"event": "step", "step": 1, "steps": 2, "links_done": 3, "links_failed": 2}
    shown: list[dict[str, object]] = []
    with Live(None) as live:
        live.take({"event": "plan", "output": str(tmp_path / "a.h5")})
        until = time.monotonic() + LIMIT
        while not (shown and "slower" in shown[-1]) and time.monotonic() < until:
            time.sleep(0.02)
            shown.append(live.take(step))
        shown.append(live.take(step))
    said = [line for event in shown for line in failure_lines(event)]
    assert said == [f"FAILED n0:0 -> n2:5: timed out at {size}" for size in ("1 MiB", "8 B")]
    assert "slower so far: n3 1." in progress_text(shown[-1])


def test_the_page_shows_what_is_sent_until_the_run_ends(following: Following, tmp_path: Path) -> None:
    following.read()
    results = read(tmp_path / "a.h5")
    events, begun = Events(), Reported()
    script = """
      const until = async (is) => { while (!is()) await new Promise((done) => setTimeout(done, 20)); };
      await until(() => $("headline").textContent === "step 3 of 9" && state.levels.length && state.size.loaded);
      await until(() => state.size.loaded.usual[6 * 16 + 10] > 0);
      const said = [$("warnings").textContent, $("failures").textContent, state.size.loaded.failed[5]];
      $("size").value = 0;
      $("size").dispatchEvent(new Event("change"));
      await until(() => state.size.bytes === 8 && state.size.loaded?.usual[6 * 16 + 10] > 0);
      fetch("begun");
      await until(() => $("headline").textContent.startsWith("FAULTS"));
      return [...said, $("tested").textContent];
    """
    slower = ["<b>n3</b> 1.5x"]
    fields = {"headline": "step 3 of 9", "tested": [], "failed": 2, "slower": slower, "failures": ["n0 -> n2"]}
    fields["file"] = "a.h5"
    events.send("said", json.dumps(fields, indent=1))
    for found in following.deviations():
        events.send(f"size-{found.bytes}", live_planes(found))

    def end_once_begun() -> None:
        if begun.there.wait(LIMIT):
            events.send("end", json.dumps({"headline": "FAULTS: 1 host", "alarm": True, "lines": ["host n3"]}))

    ending = threading.Thread(target=end_once_begun)
    ending.start()
    page = live_page(JudgedRun(results, NOT_JUDGED))
    said = done_when_served(page, script, tmp_path, events=events, begun=begun)
    ending.join()
    events.end()
    assert said == [
        "Slower so far, not a verdict: <b>n3</b> 1.5x", "2 links failed; the last ones:\n  n0 -> n2", 255, "host n3",
    ]  # fmt: skip


def test_events_reach_readers_that_come_late_and_let_them_go() -> None:
    events = Events()
    events.send("said", "old")
    events.send("said", "new\nlines")
    events.end()
    with Server({"events": events}, None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(server.address + "events", timeout=LIMIT) as answer:
            assert answer.read() == b"event: said\ndata: new\ndata: lines\n\n"
        server.shutdown()
    assert not events.has_readers


def test_a_file_that_cannot_be_followed_ends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.h5").write_text("no results")
    tries = threading.Semaphore(0)

    def tried(path: Path) -> Results:
        tries.release()
        return read(path)

    monkeypatch.setattr(live_module, "EVERY", 0.01)
    monkeypatch.setattr(live_module, "read", tried)
    with Live(None) as live:
        live.take({"event": "plan", "output": str(tmp_path / "a.h5")})
        step = {"event": "step", "step": 1, "steps": 2, "links_done": 3, "links_failed": 0}
        assert live.take(step) == step
        assert tries.acquire(timeout=LIMIT)
        assert tries.acquire(timeout=LIMIT)  # the first one has not ended the thread
    assert "Live: http://127.0.0.1:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--live", "shift"), "--live applies only to links; the pattern shift measures none"),
        (("--live", "--no-output"), "--live and --no-output exclude each other"),
        (("--live", "-o", "x.sion"), "a .sion file cannot be read while it is written, so --live requires .h5"),
        (("--live=80",), "--live 80: "),
        (("--live=x",), "--live x: not a whole number"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("fake_core")
def test_what_cannot_be_shown_live_is_one_line(words: tuple[str, ...], said: str, everylink: Command) -> None:
    code, _, error = everylink("run", "--np", "2", *words)
    assert code == 2
    assert said in error


@pytest.mark.long
def test_a_second_results_file_of_a_command_is_another_page(following: Following, tmp_path: Path) -> None:
    """As `everylink check` has one: whoever comes then gets nothing of the first one, and whoever is there reloads."""
    events, results = Events(), read(tmp_path / "a.h5")
    events.send("size-8", "of the first file")
    events.forget()
    events.send("said", json.dumps({"file": "b.h5", "headline": "", "tested": [], "slower": [], "failures": []}))
    pages = iter([live_page(JudgedRun(results, NOT_JUDGED))])
    again = Reported()

    class Pages:
        def answer(self, request: Request) -> None:
            if (text := next(pages, None)) is not None:
                Page(lambda: text).answer(request)
            else:
                again.answer(request)

    with Server({"": Pages(), "events": events}, None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [chromium(), *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", server.address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                assert again.there.wait(LIMIT)
            finally:
                browser.kill()
        events.end()
        server.shutdown()
