"""A diagram as values, which the figure and the page draw."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from everylink.load.axes import Axis
from everylink.units import plural

BAR = 0.8  # width of all bars at one place


class Mark(StrEnum):
    """How the points of a series are drawn; bars begin at 0."""

    LINE = "line"
    DOTTED = "dotted"
    BAR = "bar"
    DOT = "dot"


@dataclass(frozen=True)
class Point:
    """A value `y` at `x`, with an interval from `low` to `high` around it, NaN if there is none.

    `at` says in words what `x` is, `text` what is known there; `note` is written beside the mark.
    """

    x: float
    y: float
    at: str
    text: str
    low: float = math.nan
    high: float = math.nan
    note: str = ""


@dataclass(frozen=True)
class Series:
    """Points that belong together; `interval` names their intervals, `hue` counts the colours of a diagram.

    `width`: that of a bar, in units of the x axis.
    """

    name: str
    points: tuple[Point, ...]
    mark: Mark = Mark.LINE
    hue: int = 0
    interval: str = ""
    width: float = BAR


@dataclass(frozen=True)
class Rule:
    """A line at a value of the x or the y axis, or a band where `high` is above `low`; `is_limit`: something ends."""

    name: str
    axis: str
    low: float
    high: float
    hue: int = -1
    is_limit: bool = False


@dataclass(frozen=True)
class Diagram:
    """Some series over a common axis."""

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    rules: tuple[Rule, ...] = ()


def known_points(points: Iterable[Point]) -> tuple[Point, ...]:
    """Those that have a place on a logarithmic axis."""
    return tuple(point for point in points if math.isfinite(point.y) and point.y > 0)


def values_of(series: Iterable[Series]) -> list[float]:
    return [point.y for one in series for point in one.points]


def failed_text(failed: int, flows: int) -> str:
    """What follows a value of which some flows failed."""
    return f"; {failed} of {plural(flows, 'flow')} failed" if failed else ""
