"""Shows a run in progress: a live bar on a terminal, otherwise a few plain lines."""

import json
import time
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.text import Text

from everylink.units import duration_text

Event = dict[str, Any]
MOST_SLOWER = 2  # hosts in a line
PLAIN_EVERY, PLAIN_PART = 10.0, 0.1  # least seconds, and least part of the run, between lines without a terminal


def parse_event(line: str) -> Event:
    """Parse an event; any other line, from a launcher or a library, becomes a text event."""
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("event"), str):
        return value
    return {"event": "text", "text": line}


class Display(Protocol):
    """Takes the core's events one at a time."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def show(self, event: Event) -> None: ...


def display(console: Console) -> Display:
    """The display that suits this console."""
    return LiveDisplay(console) if console.is_terminal else PlainDisplay(console)


class PlainDisplay:
    """Prints the core's lines as they arrive, and progress at most every PLAIN_EVERY seconds and PLAIN_PART."""

    def __init__(self, console: Console) -> None:
        self._out = console.file
        self._next = time.monotonic() + PLAIN_EVERY
        self._next_part = dict.fromkeys(("step", "retest"), PLAIN_PART)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.flush()

    def show(self, event: Event) -> None:
        for line in failure_lines(event):
            self._print(line)
        if event["event"] == "text":
            self._print(str(event.get("text", "")))
        elif (line := progress_text(event)) and self._is_due(event):
            self._print(line)

    def _is_due(self, event: Event) -> bool:
        now, done, kind = time.monotonic(), done_part(event), event["event"]
        if now < self._next or done < self._next_part[kind]:
            return False
        self._next, self._next_part[kind] = now + PLAIN_EVERY, done + PLAIN_PART
        return True

    def _print(self, line: str) -> None:
        self._out.write(line + "\n")
        self._out.flush()


class LiveDisplay:
    """Keeps a progress bar below the core's lines."""

    def __init__(self, console: Console) -> None:
        columns = (BarColumn(bar_width=30), TaskProgressColumn(), TextColumn("{task.description}", markup=False))
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("starting", total=1.0)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        for line in failure_lines(event):
            self._progress.console.print(Text(line), soft_wrap=True)
        if event["event"] == "text":
            self._progress.console.print(Text(str(event.get("text", ""))), soft_wrap=True)
        elif line := progress_text(event):
            self._progress.update(self._task, description=line, completed=done_part(event))


def failure_lines(event: Event) -> list[str]:
    """The links that failed since the event before."""
    return [f"FAILED {link}" for link in event.get("failures", ())]


def progress_text(event: Event) -> str:
    """The progress in an event, in words; empty for other events."""
    match event:
        case {"event": "step", "step": int(step), "steps": int(steps)}:
            failed = event.get("links_failed", 0)
            parts = [f"step {step} of {steps}, {event.get('links_done', 0)} links"]
            parts += [f"{failed} FAILED"] if failed else []
            left = event.get("seconds_left")
            parts += [f"about {duration_text(left)} left"] if isinstance(left, int | float) and left >= 0 else []
            parts += [f"slower so far: {', '.join(slower[:MOST_SLOWER])}"] if (slower := event.get("slower")) else []
            return ", ".join(parts)
        case {"event": "retest", "done": int(done), "of": int(total)}:
            return f"measuring the slowest links again, {done} of {total}"
    return ""


def done_part(event: Event) -> float:
    """The finished part of what is measured, 0 to 1: by time if the core estimates it, otherwise by steps."""
    match event:
        case {"event": "step", "seconds": int() | float() as gone, "seconds_left": int() | float() as left} if (
            left >= 0 and gone + left > 0
        ):
            return float(gone / (gone + left))
        case {"event": "step", "step": int(step), "steps": int(steps)} if steps > 0:
            return step / steps
        case {"event": "retest", "done": int(done), "of": int(total)} if total > 0:
            return done / total
    return 1.0
