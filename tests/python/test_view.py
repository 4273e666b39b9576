"""Single links beyond what a page holds: their file, the server, and what a browser shows."""

import http.client
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from browser import done_in, done_when_served
from conftest import Command
from everylink.cli.kinds import judged
from everylink.deviation import tiles
from everylink.deviation.blocks import blocks_of
from everylink.deviation.reduce import deviations
from everylink.deviation.tiles import Matrix, write_tiles
from everylink.deviation.usual import usual_of
from everylink.errors import EverylinkError
from everylink.io.read import read
from everylink.model.rows import Outcome
from everylink.page import html
from everylink.page.html import write_html
from everylink.page.server import File, Server
from make_loads import make_all_to_all
from make_results import make_results

RUN_WITH_SIGNALS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
LOOK = """
const until = async (is) => {
  while (!is()) await new Promise((done) => setTimeout(done, 10));
};
const look = async (from, to) => {
  Object.assign(state, { k: 64, x: to, y: from });
  draw();
  await until(() => nearLevel() && waiting === 0);
  state.cell = { level: nearLevel(), i: from, j: to };
  describe(state.cell);
  await until(() => waiting === 0);
  return describe(state.cell);
};"""


def read_tiles(path: Path) -> tuple[dict[str, Any], list[tuple[NDArray[np.int8], NDArray[np.float32]]]]:
    """The head, and of each matrix codes and seconds, [ranks, ranks] each."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content, 8)
    head, matrices = json.loads(content[12 : 12 + length]), []
    side = head["tile"]
    for one in head["matrices"]:
        across, links = -(-one["ranks"] // side), side * side
        codes = np.zeros((across * side, across * side), np.int8)
        seconds = np.zeros((across * side, across * side), np.float32)
        for number in range(across * across):
            at = int(one["at"]) + number * links * 5
            row, column = divmod(number, across)
            where = np.s_[row * side : (row + 1) * side, column * side : (column + 1) * side]
            codes[where] = np.frombuffer(content, np.int8, links, at).reshape(side, side)
            seconds[where] = np.frombuffer(content, "<f4", links, at + links).reshape(side, side)
        matrices.append((codes[: one["ranks"], : one["ranks"]], seconds[: one["ranks"], : one["ranks"]]))
    return head, matrices


def _matrices(path: Path) -> list[Matrix]:
    run = judged(read(path))
    places = blocks_of(run.results.ranks, 512).places
    return [Matrix(0, size, usual_of(run, size), places) for size in run.results.sizes]


@pytest.mark.parametrize("hosts", ["abba", "a" * 7, "".join(map(chr, range(97, 97 + 9)))])
def test_the_file_has_every_link_as_the_results_file_has_it(
    hosts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "TILE", 4)
    path = make_results(tmp_path / "a.h5", hosts=tuple(hosts), sizes=(8, 1 << 20), outcomes={(0, 3): 3})
    write_tiles(_matrices(path), "key", tmp_path / "a.tiles")
    head, read_back = read_tiles(tmp_path / "a.tiles")
    run = judged(read(path))
    blocks = blocks_of(run.results.ranks, 512)
    assert head["key"] == "key"
    for size, one, (codes, seconds) in zip(run.results.sizes, head["matrices"], read_back, strict=True):
        assert (one["bytes"], one["run"], one["ranks"]) == (size.bytes, 0, len(hosts))
        found = deviations(size, usual_of(run, size), blocks, with_links=True)
        np.testing.assert_array_equal(codes, found.links)
        expected = np.full(codes.shape, -np.inf, np.float32)
        frm, to = blocks.places[size.links.frm], blocks.places[size.links.to]
        expected[frm, to] = np.where(size.links.failed, -Outcome.CORRUPT, size.links.median)
        np.testing.assert_array_equal(seconds, expected)


def test_strips_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "TILE", 2)
    matrices = _matrices(make_results(tmp_path / "a.h5", hosts=tuple("abcdefg")))
    write_tiles(matrices, "key", tmp_path / "whole")
    monkeypatch.setattr(tiles, "STRIP_BYTES", 1)
    monkeypatch.setattr(tiles, "available", lambda: None)
    write_tiles(matrices, "key", tmp_path / "strips")
    assert (tmp_path / "strips").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_disk_without_room_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrices = _matrices(make_results(tmp_path / "a.h5"))
    full = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(tiles, "disk_usage", lambda _: full)
    with pytest.raises(EverylinkError, match=r"x\.tiles: single links take .* only 1000 B are free there"):
        write_tiles(matrices, "key", tmp_path / "x.tiles")
    assert not (tmp_path / "x.tiles").exists()


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages hold no single links."""
    monkeypatch.setattr(html, "LINKS_BUDGET", 0)
    monkeypatch.setattr(html, "STATISTICS_BUDGET", 0)


@contextmanager
def serving(page: Path, links: Path) -> Iterator[Server]:
    server = Server({"": File(page, "text/html"), "tiles": File(links, "application/octet-stream")}, None)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.usefixtures("small_pages")
@pytest.mark.long
def test_a_served_page_reads_single_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "TILE", 4)
    path = make_results(tmp_path / "a.h5", hosts=tuple("abcdefghij"), outcomes={(0, 9): 3})
    run = judged(read(path))
    write_html([run], tmp_path / "x.html", tmp_path / "x.tiles", served=True)
    script = LOOK + "return [await look(2, 7), await look(0, 9), state.size.loaded.near.width];"
    page, links_file = (tmp_path / "x.html").read_text(), File(tmp_path / "x.tiles", "application/octet-stream")
    timed, failed, width = done_when_served(page, script, tmp_path, tiles=links_file)
    links = run.results.sizes[0].links
    median = links.median[(links.frm == 2) & (links.to == 7)][0]
    assert re.search(rf"c:2 -> h:7\nmedian .*x expected\nmedian +{1e6 * median:.4g} us", timed)
    assert "a:0 -> j:9\ndelivered wrong bytes" in failed
    assert width <= 12


@pytest.mark.usefixtures("small_pages")
@pytest.mark.long
def test_a_page_takes_the_file_that_belongs_to_it(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "TILE", 4)
    for name, hosts in (("a", "abcdef"), ("b", "abcdeg")):
        path = make_results(tmp_path / f"{name}.h5", hosts=tuple(hosts))
        assert everylink("report", path, "-o", tmp_path / f"{name}.html", "--tiles")[0] == 0
    (tmp_path / "c.tiles").write_text("something else")
    contents = {one: (tmp_path / f"{one}.tiles").read_bytes().hex() for one in "abc"}
    script = f"""{LOOK}
        const contents = {json.dumps(contents)}, said = [];
        for (const name of ["c", "b", "a"]) {{
          const files = new DataTransfer(), pairs = contents[name].match(/../g);
          const bytes = Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
          files.items.add(new File([bytes], `${{name}}.tiles`));
          $("tiles").files = files.files;
          $("said").textContent = "";
          $("tiles").dispatchEvent(new Event("change"));
          await until(() => tiles || $("said").textContent);
          said.push($("said").textContent);
        }}
        return [...said, await look(1, 4), $("tilesPart").hidden];"""
    other, another, fine, link, hidden = done_when_served((tmp_path / "a.html").read_text(), script, tmp_path)
    assert (other, another, fine, hidden) == (
        "c.tiles is not a file of links", "b.tiles belongs to another report", "", True,
    )  # fmt: skip
    assert link.startswith("b:1 -> e:4\nmedian")


def test_a_page_without_such_a_file_asks_for_none(tmp_path: Path) -> None:
    run = judged(read(make_results(tmp_path / "a.h5")))
    write_html([run], tmp_path / "x.html")
    shown = done_in(tmp_path / "x.html", "return [$('tilesPart').hidden, document.querySelector('meta').outerHTML];")
    assert shown[0] is True
    assert "connect-src" not in (tmp_path / "x.html").read_text()


def _asked(server: Server, path: str, **headers: str) -> tuple[int, bytes, str | None]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.getheader("Content-Range")


def test_the_server_gives_two_files_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("the page")
    (tmp_path / "links").write_bytes(bytes(range(100)))
    (tmp_path / "secret").write_text("no")
    with serving(tmp_path / "page", tmp_path / "links") as server:
        base = f"/{server.token}/"
        assert _asked(server, base) == (200, b"the page", None)
        assert _asked(server, base + "tiles", Range="bytes=10-12") == (206, bytes([10, 11, 12]), "bytes 10-12/100")
        assert _asked(server, base + "tiles", Range="bytes=98-200")[1:] == (bytes([98, 99]), "bytes 98-99/100")
        assert len(_asked(server, base + "tiles")[1]) == 100
        too_long = f"bytes={'1' * 5000}-"
        for wrong in ("bytes=200-300", "bytes=-5", "bytes=5-4", "lines=1-2", "bytes=a-b", "bytes=1-2,4-5", too_long):
            assert _asked(server, base + "tiles", Range=wrong)[0] == 416, wrong
        others = (
            "/",
            "/x/",
            "/x/tiles",
            server.token,
            f"/{server.token}",
            base + "secret",
            base + "../secret",
            base + "/",
        )
        for other in others:
            assert _asked(server, other)[0] in (400, 404), other
        assert _asked(server, base, Host="evil.example")[0] == 404
        assert _asked(server, base, Host=f"localhost:{server.port}")[0] == 200


@pytest.mark.long
@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_view_serves_until_it_is_stopped_and_leaves_nothing(ends: signal.Signals, tmp_path: Path) -> None:
    path = make_results(tmp_path / "a.h5")
    folder = tmp_path / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "everylink", "view", str(path), "--format", "json"]
    # where the tests run in the background, SIGINT is ignored, and so it would be there
    command = [sys.executable, "-c", RUN_WITH_SIGNALS, *command[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"TMPDIR": str(folder)}) as running:
        try:
            assert running.stdout
            lines = [running.stdout.readline() for _ in range(5)]
            said = json.loads(b"".join(lines))
            assert said["schema"] == "everylink-view/1"
            found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/.{20,}/)", said["address"])
            assert found
            assert said["forwarding"].startswith(f"ssh -L {found[1]}:127.0.0.1:{found[1]} ")
            with closing(http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=60)) as connection:
                connection.request("GET", found[2])
                assert b"Everylink" in connection.getresponse().read()
            assert list(folder.iterdir())
        finally:
            running.send_signal(ends)
            with suppress(subprocess.TimeoutExpired):
                running.wait(60)
            running.kill()
        assert running.returncode == 0
    assert not list(folder.iterdir())


def test_what_cannot_be_viewed_is_one_line(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "a.h5")
    with serving(path, path) as server:
        code, _, error = everylink("view", path, "--port", str(server.port))
    assert (code, error) == (
        2,
        f"everylink: --port {server.port}: Address already in use; leave it out to take a free one\n",
    )
    assert everylink("view", path, "--port", "80")[0] == 2
    loads = make_all_to_all(tmp_path / "l.h5", lambda frm, to: 1e9)
    code, _, error = everylink("view", loads)
    assert code == 2
    assert "not links; use show, report or diagnose" in error
    code, _, error = everylink("report", loads, "-o", tmp_path / "l.html", "--tiles")
    assert code == 2
    assert "--tiles: applies only to links" in error
    code, _, error = everylink("report", path, "-o", tmp_path / "l.pdf", "--tiles")
    assert code == 2
    assert "--tiles: applies only to an HTML page" in error
