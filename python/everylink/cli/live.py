"""`--live`: shows a run in a browser while it goes on.

A thread follows the results file. It may use PART of a core, so that the run beside it does not notice: it reads what
is new once a second, or as seldom as that takes, and makes matrices only while a browser shows them.
"""

import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from everylink.deviation.blocks import blocks_of
from everylink.deviation.following import Following
from everylink.errors import EverylinkError
from everylink.io.read import read
from everylink.io.stored import NO_ROWS
from everylink.judge.verdict import NOT_JUDGED, JudgedRun
from everylink.model.results import Results
from everylink.page.html import MOST_BLOCKS, live_page, live_planes
from everylink.page.server import Events, Page, Server
from everylink.terminal.progress import Event, progress_text
from everylink.text.json_text import json_text
from everylink.text.verdicts import finding_lines, headline, title

PART = 0.008  # of a core
EVERY = 1.0  # seconds
MOST_TOLD = 10  # failed links on the terminal; the run's summary folds all
WAITING = "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=1><title>Everylink</title>"


class Live:
    """Serves the page from the beginning of a run to its end. What goes wrong here never ends the run."""

    def __init__(self, port: int | None) -> None:
        """Raises UserMistake if the port is taken."""
        self._events = Events()
        self._server = Server({"": Page(self._page), "events": self._events}, port)
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._path: Path | None = None
        self._results: Results | None = None
        self._following: Following | None = None
        self._undrawn = False
        self._progress, self._failed, self._slower = "starting", 0, list[str]()
        self._told, self._untold = 0, list[str]()  # failed links, on the terminal
        self._serving = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.5}, daemon=True)
        self._reading = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Self:
        self._serving.start()
        self._reading.start()
        print(f"Live: {self._server.address}", file=sys.stderr)
        print(f"From another machine, first: {self._server.forwarding}", file=sys.stderr, flush=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_following()
        self._events.end()
        self._server.shutdown()
        self._server.server_close()

    def take(self, event: Event) -> Event:
        """Takes an event of the core. Returns it with what the terminal has to say, too: the hosts that are slower so
        far, and which of the first links to fail it has not named yet."""
        with self._lock:
            match event:
                case {"event": "plan", "output": str(output)} if output and Path(output) != self._path:
                    self._path, self._results, self._following, self._told = Path(output), None, None, 0
                    self._events.forget()
                case {"event": "step" | "retest"}:
                    self._progress = progress_text(event)
                    self._failed = int(event.get("links_failed", self._failed))
            if event["event"] == "text":
                return event
            failures, self._untold = self._untold, []
        more = {"slower": self._slower, "failures": failures}
        return event | {name: lines for name, lines in more.items() if lines}

    def end(self, run: JudgedRun) -> None:
        """Send the conclusion, after all that was measured."""
        self._stop_following()
        with suppress(EverylinkError, OSError):
            self._look()
        judgement = run.judgement
        lines = [*map(title, judgement.verdicts), *finding_lines(judgement)]
        lines.append(f"The run has ended. everylink view {run.results.path} shows all of it.")
        self._send(
            "end", {"headline": headline(judgement).plain, "alarm": judgement.conclusion.is_alarm, "lines": lines}
        )

    def _stop_following(self) -> None:
        self._stop.set()
        self._reading.join()

    def _send(self, name: str, fields: dict[str, Any]) -> None:
        self._events.send(name, json_text(fields))

    def _page(self) -> str:
        with self._lock:
            results = self._results
        if results is None:
            return WAITING
        empty = replace(results, sizes=tuple(replace(size, rows=NO_ROWS) for size in results.sizes))
        return live_page(JudgedRun(empty, NOT_JUDGED))

    def _follow(self) -> None:
        """Never uses more than PART of the time since the beginning, but for what it does at once."""
        began, used = time.monotonic(), time.thread_time()
        while not self._stop.wait(max(EVERY, began + (time.thread_time() - used) / PART - time.monotonic())):
            with suppress(EverylinkError, OSError):  # the file is not there yet, or is just being written
                self._look()

    def _look(self) -> None:
        following = self._begun()
        if following is None:
            return
        self._undrawn |= following.read()
        with self._lock:
            self._slower = [str(one) for one in following.slower()]
            self._untold += following.failures[self._told : MOST_TOLD]
            self._told = min(len(following.failures), MOST_TOLD)
            tested = ["Measuring; what is structure and what is a fault is judged at the end."]
            said = {"headline": self._progress, "tested": tested, "failed": self._failed, "slower": self._slower}
        self._send("said", said | {"file": following.path.name, "failures": following.failures})
        if self._undrawn and self._events.has_readers:
            self._undrawn = False
            for found in following.deviations():
                self._events.send(f"size-{found.bytes}", live_planes(found))

    def _begun(self) -> Following | None:
        """What follows the results file of now, once it is there."""
        with self._lock:
            path, following = self._path, self._following
        if path is None or following is not None:
            return following
        results = read(path)
        following = Following(path, results.ranks, blocks_of(results.ranks, MOST_BLOCKS))
        with self._lock:
            if path == self._path:
                self._results, self._following = results, following
        return following
