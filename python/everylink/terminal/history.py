"""Prints the history of a store: what became of hosts and links, with a curve for each, or one JSON object."""

from collections.abc import Sequence
from math import isinf, isnan

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from everylink.host_lists import folded
from everylink.store.story import History, State, Story, change_text
from everylink.store.subject import Line, OfSubject
from everylink.terminal.comparison import print_changes
from everylink.text.json_text import json_text
from everylink.units import plural, size_text, time_text

SCHEMA, SUBJECT_SCHEMA = "everylink-history/1", "everylink-history-of/1"
BARS = {"utf-8": "▁▂▃▄▅▆▇█", "ascii": "_.-=+*#@"}
FAILED, UNKNOWN = "x", " "
LEAST_RANGE = 1.25  # of a curve: smaller differences are drawn small
MOST_POINTS = 90
STYLES = {State.NEW: "bold red", State.KNOWN: "red", State.DRIFTING: "yellow", State.FLAPPING: "magenta"}


def sparkline(curve: NDArray[np.float64], ascii_only: bool) -> str:
    """A character for each night, from the smallest value up, but at least a range of LEAST_RANGE; x where it failed,
    blank where nothing was measured. Of many nights several are one character, the largest of them."""
    bars = BARS["ascii" if ascii_only else "utf-8"]
    together = max(1, -(-len(curve) // MOST_POINTS))
    padded = np.pad(curve, (0, -len(curve) % together), constant_values=np.nan).reshape(-1, together)
    known = np.where(np.isnan(padded), -np.inf, padded).max(axis=1)
    low, high = scale_of(curve)
    return "".join(_bar(float(value), low, high, bars) for value in known)


def scale_of(curve: NDArray[np.float64]) -> tuple[float, float]:
    """The values at the bottom and the top of a drawing: a range of LEAST_RANGE or more; from 1 where none is known."""
    finite = curve[np.isfinite(curve)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (1.0, 1.0)
    return low, max(high, low * LEAST_RANGE)


def _bar(value: float, low: float, high: float, bars: str) -> str:
    if isnan(value) or value == -np.inf:
        return UNKNOWN
    if isinf(value):
        return FAILED
    return bars[min(int((value - low) / (high - low) * len(bars)), len(bars) - 1)]


def range_text(curve: NDArray[np.float64]) -> str:
    """`1.00x to 1.21x`."""
    finite = curve[np.isfinite(curve)]
    return f"{finite.min():.2f}x to {finite.max():.2f}x" if len(finite) else "no times"


def is_ascii(console: Console) -> bool:
    return "utf" not in console.encoding


def print_history(found: History, notes: Sequence[str], everything: bool, console: Console) -> None:
    """What became of hosts and links, the newest first; then what changed on hosts."""
    console.print(Text(title_of(found), style="bold"), soft_wrap=True)
    for line in (*context_of(found), *notes):
        console.print(Text("  " + line), soft_wrap=True)
    for line in found.levels:
        console.print(Text(f"{'ALL':9}", style="yellow"), Text(line), soft_wrap=True)
    for story in found.stories:
        _print_story(story, console)
        if story.curve is not None and np.isfinite(story.curve).any():
            curve, range_ = sparkline(story.curve, is_ascii(console)), range_text(story.curve)
            console.print(Text(f"{'':10}{curve}  {range_} at {size_text(story.bytes)}"), soft_wrap=True)
    lines = [f"{found.trends.day(at)}: {folded(one.hosts)}: {change_text(one)}" for at, one in found.changes[::-1]]
    print_changes("CHANGED", "cyan", lines, everything, console)
    console.print(Text(end_of(found)), soft_wrap=True)


def _print_story(story: Story, console: Console) -> None:
    style = STYLES.get(story.state, "green")
    console.print(Text(f"{heading_of(story.state):9}", style=style), Text(story.text), soft_wrap=True)


def heading_of(state: State) -> str:
    return "ACK" if state is State.QUIET else state.upper()


def print_subject(one: OfSubject, notes: Sequence[str], console: Console) -> None:
    """The times of one host, or of the links between two, night after night."""
    console.print(Text(f"{one.subject}: {title_of(one.history)}", style="bold"), soft_wrap=True)
    for said in (*context_of(one.history), *missing_of(one), *notes):
        console.print(Text("  " + said), soft_wrap=True)
    sizes = max((len(size_text(line.bytes)) for line in one.lines), default=0)
    ways = max((len(line.way) for line in one.lines), default=0)
    for line in one.lines:
        curve = sparkline(line.curve, is_ascii(console))
        console.print(
            Text(f"{size_text(line.bytes):>{sizes}}  {line.way:{ways}}  {curve}  {line_text(line)}"), soft_wrap=True
        )
    for line in one.lines:
        for event in line.events:
            console.print(Text(f"{size_text(line.bytes)} {line.way}: {event}"), soft_wrap=True)
    for story in one.stories:
        _print_story(story, console)
    trends = one.history.trends
    for at, change in one.changes[::-1]:
        changed = f"{trends.day(at)}: {', '.join(change.hosts)}: {change_text(change)}"
        console.print(Text(f"{'CHANGED':9}", style="cyan"), Text(changed), soft_wrap=True)


def line_text(line: Line) -> str:
    """`102.3 us in the newest run, 1.21x the median of all, usually 1.00x`."""
    seconds, factor = float(line.seconds[-1]), float(line.curve[-1])
    if isnan(seconds):
        newest = "no time in the newest run"
    elif isinf(seconds):
        newest = "failed in the newest run"
    else:
        newest = f"{time_text(seconds)} in the newest run, {factor:.2f}x the median of all"
    return newest if isnan(line.usual) else f"{newest}, usually {line.usual:.2f}x"


def missing_of(one: OfSubject) -> list[str]:
    if not one.missing:
        return []
    return [f"single links of {plural(one.missing, 'run')} are no longer kept, or not measured"]


def title_of(found: History) -> str:
    nights = found.trends.nights
    if not nights:
        return "no runs"
    dates = f"{nights[0].summary.date} to {nights[-1].summary.date}"
    return f"{plural(len(nights), 'night')}, {dates}: {plural(len(found.trends.hosts), 'host')}"


def context_of(found: History) -> list[str]:
    """What else the reader should know."""
    lines = []
    if found.left_out:
        lines.append(f"{plural(found.left_out, 'run')} with other settings than the newest left out")
    back = [night.summary.time for night in found.trends.nights if night.summary.clock_went_back]
    if back:
        lines.append(f"the clock went back before {', '.join(back[:3])}{' and others' if len(back) > 3 else ''}")
    return lines


def end_of(found: History) -> str:
    counts = [f"{sum(one.state is state for one in found.stories)} {state}" for state in State]
    said = ", ".join(count for count in counts if not count.startswith("0 "))
    return f"{f'{said}; ' if said else ''}{plural(found.steady, 'host')} steady"


def history_json(found: History, notes: Sequence[str]) -> str:
    """One JSON object, described in docs/history.md."""
    nights = found.trends.nights
    return json_text(
        {
            "schema": SCHEMA,
            "nights": [night.summary.time for night in nights],
            "hosts": len(found.trends.hosts),
            "steady": found.steady,
            "left_out": found.left_out,
            "all_hosts": found.levels,
            "stories": [_story(one, found) for one in found.stories],
            "changes": [vars(one) | {"time": nights[at].summary.time} for at, one in found.changes],
            "notes": list(notes),
        }
    )


def subject_json(one: OfSubject, notes: Sequence[str]) -> str:
    """One JSON object, described in docs/history.md."""
    nights = one.history.trends.nights
    return json_text(
        {
            "schema": SUBJECT_SCHEMA,
            "subject": one.subject,
            "nights": [night.summary.time for night in nights],
            "lines": [vars(line) | {"usual": line.usual} for line in one.lines],
            "stories": [_story(story, one.history) for story in one.stories],
            "changes": [vars(change) | {"time": nights[at].summary.time} for at, change in one.changes],
            "nights_without_links": one.missing,
            "notes": list(notes),
        }
    )


def _story(one: Story, found: History) -> dict[str, object]:
    nights = found.trends.nights
    episodes = [[nights[each.begin].summary.time, nights[each.end].summary.time] for each in one.episodes]
    return {
        "state": str(one.state), "subject": one.subject, "affected": one.hosts, "said": one.sentences,
        "since": one.since, "episodes": episodes, "bytes": one.bytes, "curve": one.curve,
    }  # fmt: skip
