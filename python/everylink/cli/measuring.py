"""Runs the core once: shows its progress, and keeps what it says of its results. `run` and `check` use it."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.console import Console

from everylink.launch.launcher import Start
from everylink.terminal.progress import Event, display, parse_event

if TYPE_CHECKING:  # pages take longer to load than a short run takes
    from everylink.cli.live import Live


@dataclass(frozen=True)
class Ran:
    """The exit code of the core, its results file if it named one, and the number of links that it says it tried."""

    code: int
    output: Path | None
    links: int


def measure(
    start: Start,
    core_options: Sequence[str],
    console: Console | None,
    log: TextIO | None = None,
    linktest_lines: bool = False,
    errors: TextIO | None = None,
    again: bool = False,
    live: "Live | None" = None,
) -> Ran:
    """Run the core and display its progress, unless there is no console. With `log`, its lines of text go there.

    LinkTest's lines are displayed only with `linktest_lines`, and nothing but those and the progress when the core
    measures `again` what it has described. With `live`, a browser shows the run, too. Standard error goes to `errors`,
    or to ours.
    """
    outputs: list[str] = []
    links = [0]
    with ExitStack() as stack:
        shown = stack.enter_context(display(console)) if console else None

        def on_line(line: str) -> None:
            event: Event = parse_event(line) if live is None else live.take(parse_event(line))
            if isinstance(event.get("output"), str):
                outputs.append(event["output"])
            if event["event"] == "end":
                links.append(int(event.get("links_ok", 0)) + int(event.get("links_failed", 0)))
            if log and event["event"] == "text":
                print(event.get("text", ""), file=log)
            elif shown and (linktest_lines or not (event.get("linktest") or (again and event["event"] == "text"))):
                shown.show(event)

        code = start(["--progress", "json", *core_options], on_line, errors)
    return Ran(code, Path(outputs[-1]) if outputs else None, links[-1])


@contextmanager
def live_of(options: Namespace) -> "Iterator[Live | None]":
    """What --live asks for; None without it. Raises UserMistake if the port is taken."""
    if options.live is None:
        yield None
        return
    from everylink.cli.live import Live

    with Live(options.live or None) as live:
        yield live
