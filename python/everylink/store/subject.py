"""The history of one host, or of the links from one host to another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.inventory.versus import Changed
from everylink.nearest import suggestion
from everylink.store.drift import events_of
from everylink.store.story import History, Story, event_text
from everylink.store.trends import FAILURE, Trends, of_link

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Line:
    """Times at messages of `bytes` in one direction, [nights]: `seconds`, and times the median of all links or hosts of
    each night (`curve`); NaN without a time, infinite where it failed. `events`: what changed."""

    bytes: int
    way: str
    seconds: Values
    curve: Values
    events: tuple[str, ...]

    @property
    def usual(self) -> float:
        """The median of the curve before the newest night; NaN where nothing is known."""
        known = self.curve[:-1][np.isfinite(self.curve[:-1])]
        return float(np.median(known)) if len(known) else np.nan


@dataclass(frozen=True, eq=False)
class OfSubject:
    """`missing`: nights that measured both ends, but whose single links were thinned out or damaged."""

    subject: str
    history: History
    lines: tuple[Line, ...]
    stories: tuple[Story, ...]
    changes: tuple[tuple[int, Changed], ...]
    missing: int


def ends_of(words: Sequence[str]) -> tuple[str, ...]:
    """The host, or both hosts, that the user names: `n3`, `n3 n9` or `n3>n9`. Raises UserMistake."""
    ends = tuple(end.strip() for word in words for end in word.replace("->", ">").split(">"))
    if len(ends) > 2 or not all(ends) or len(set(ends)) < len(ends):
        raise UserMistake(f"{' '.join(words)}: must be a host, as in n3, or two, as in n3 n9 or 'n3>n9'")
    return ends


def subject_history(whole: History, ends: tuple[str, ...]) -> OfSubject:
    """Of the nights of a history. Raises UserMistake if a host was not measured in any of them."""
    known = whole.trends.hosts
    for end in ends:
        if end not in known:
            nights = len(whole.trends.nights)
            raise UserMistake(f"{end}: was not measured in the newest {nights} runs{suggestion(end, known)}")
    trends = whole.trends.of(ends)
    lines = _of_host(trends) if len(ends) == 1 else _of_ways(trends, (ends[0], ends[1]))
    subject = f"host {ends[0]}" if len(ends) == 1 else f"links between {ends[0]} and {ends[1]}"
    wanted = set(ends)
    stories = tuple(one for one in whole.stories if wanted.intersection(one.hosts))
    changes = tuple(
        (at, replace(one, hosts=tuple(sorted(wanted.intersection(one.hosts)))))
        for at, one in whole.changes
        if wanted.intersection(one.hosts)
    )
    both = trends.there.all(axis=0)
    there = np.zeros(len(trends.nights), bool)
    for line in lines:
        there |= ~np.isnan(line.curve)
    missing = int(np.count_nonzero(both & ~there)) if len(ends) == 2 else 0
    return OfSubject(subject, whole, tuple(lines), stories, changes, missing)


def _of_host(trends: Trends) -> list[Line]:
    ways = (("sends", trends.send[:, 0]), ("receives", trends.receive[:, 0]))
    return [_line(trends, size, way, values[size]) for size in range(len(trends.sizes)) for way, values in ways]


def _of_ways(trends: Trends, ends: tuple[str, str]) -> list[Line]:
    ways = [(f"{a} -> {b}", of_link(trends.nights, trends.sizes, (a, b))) for a, b in (ends, ends[::-1])]
    return [_line(trends, size, way, values[size]) for size in range(len(trends.sizes)) for way, values in ways]


def _line(trends: Trends, size: int, way: str, values: Values) -> Line:
    finite = np.where(values == FAILURE, np.nan, values)
    events = tuple(event_text(event, trends) for event in events_of(finite[None])[0])
    return Line(trends.sizes[size], way, np.exp(values + trends.levels[size]), np.exp(values), events)


def factor_of(line: Line) -> float:
    """The newest night / the usual one."""
    newest = float(line.curve[-1])
    return newest / line.usual if np.isfinite(newest) else newest
