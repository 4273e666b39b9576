"""Writes the history of a store, or of a host or link, as one self-contained HTML file without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from everylink.host_lists import folded
from everylink.page.document import document
from everylink.store.story import History, State, Story, change_text
from everylink.store.subject import OfSubject
from everylink.terminal.history import (
    context_of,
    end_of,
    heading_of,
    line_text,
    missing_of,
    range_text,
    scale_of,
    title_of,
)
from everylink.units import size_text, time_text

Values = NDArray[np.float64]
WIDTH, HEIGHT, EDGE = 640, 96, 8  # of a drawing, without its labels
MOST_CHANGES, MOST_POINTS = 200, 120
USUAL = 1.0


@dataclass(frozen=True)
class Shown:
    """A curve with what is said of it."""

    heading: str
    text: str
    alarm: bool
    picture: Markup | None


def write_history(found: History, notes: Sequence[str], path: Path) -> None:
    """One page of all that there is to tell. Raises OSError."""
    levels = [
        Shown("", f"median of all links at {size_text(size)}, {level_text(level)}", False, drawn(level, found))
        for size, level in zip(found.trends.sizes, np.exp(found.trends.levels), strict=True)
    ]
    stories = [_of_story(one, found) for one in found.stories]
    told = [end_of(found), *context_of(found), *found.levels]
    _write(path, "Everylink: history", title_of(found), told, [("", stories), ("All hosts", levels)], found, notes)


def write_subject(one: OfSubject, notes: Sequence[str], path: Path) -> None:
    """One page of a host, or of the links between two. Raises OSError."""
    lines = [
        Shown(
            f"{size_text(line.bytes)} {line.way}",
            "; ".join((line_text(line), *line.events)),
            bool(line.events),
            drawn(line.curve, one.history),
        )
        for line in one.lines
    ]
    stories = [_of_story(story, one.history) for story in one.stories]
    told = [title_of(one.history), *context_of(one.history), *missing_of(one)]
    parts = [("Times the median of all", lines), ("What is told of it", stories)]
    _write(path, f"Everylink: {one.subject}", one.subject, told, parts, one.history, notes)


def _write(
    path: Path, title: str, headline: str, told: Sequence[str], parts: Sequence[tuple[str, Sequence[Shown]]],
    found: History, notes: Sequence[str],
) -> None:  # fmt: skip
    changes = [(found.trends.day(at), folded(one.hosts), change_text(one)) for at, one in found.changes[::-1]]
    kept = changes[:MOST_CHANGES]
    text = document(
        "history.html", title=title, headline=headline, told=told, parts=[part for part in parts if part[1]],
        changes=kept, left=len(changes) - len(kept), notes=list(notes),
    )  # fmt: skip
    path.write_text(text, encoding="utf-8")


def _of_story(story: Story, found: History) -> Shown:
    curve = story.curve
    alarm = story.state in (State.NEW, State.KNOWN, State.FLAPPING, State.DRIFTING)
    text = story.text
    if curve is not None and np.isfinite(curve).any():
        text += f"; {range_text(curve)} the usual time at {size_text(story.bytes)}"
    return Shown(heading_of(story.state), text, alarm, None if curve is None else drawn(curve, found))


def level_text(level: Values) -> str:
    known = level[np.isfinite(level)]
    return f"{time_text(float(known.min()))} to {time_text(float(known.max()))}" if len(known) else "no times"


def drawn(curve: Values, found: History) -> Markup | None:
    """A line over the nights, with the dates and the range; a cross where it failed, and a dashed line at USUAL, where
    it is in the range. None if nothing is known."""
    finite = curve[np.isfinite(curve)]
    nights = found.trends.nights
    if not len(finite) and not np.isinf(curve).any():
        return None
    low, high = scale_of(curve)
    x = EDGE + (WIDTH - 2 * EDGE) * np.arange(len(curve)) / max(len(curve) - 1, 1)
    height = HEIGHT - 2 * EDGE
    y = EDGE + height * (1 - (np.where(np.isfinite(curve), curve, low) - low) / (high - low))
    marks = [f'<path class="fails" d="M{a - 3:.1f} {EDGE}l6 6m0 -6l-6 6"/>' for a in x[np.isinf(curve)].tolist()]
    points = [
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2"/>'
        for a, b, known in zip(x.tolist(), y.tolist(), np.isfinite(curve).tolist(), strict=True)
        if known
    ]
    if low <= USUAL <= high:
        at = EDGE + height * (1 - (USUAL - low) / (high - low))
        marks.append(f'<path class="usual" d="M{EDGE} {at:.1f}H{WIDTH - EDGE}"/>')
    first, last = (nights[which].summary.date for which in (0, -1))
    marks.append(f'<path class="curve" d="{_path(x, y, curve)}"/>')
    marks += points if len(curve) <= MOST_POINTS else []
    return Markup(
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="nights">{"".join(marks)}</svg>'
        f'<p class="pale ends"><span>{first}</span><span>{last}</span></p>'
    )


def _path(x: Values, y: Values, curve: Values) -> str:
    """A line with a gap at each night that is not known."""
    steps, pen = list[str](), "M"
    for a, b, known in zip(x.tolist(), y.tolist(), np.isfinite(curve).tolist(), strict=True):
        if known:
            steps.append(f"{pen}{a:.1f} {b:.1f}")
        pen = "L" if known else "M"
    return "".join(steps)
