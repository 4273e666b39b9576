"""Finds when values changed from night to night, at once or slowly (docs/decisions/0123).

Whether there is a change at all: the largest standardised difference of means over all places of one change (Hinkley,
Biometrika 57:1, 1970; James, James and Siegmund, Biometrika 74:71, 1987). Where: the pieces, each constant or a line,
of least squares with a penalty for each, by dynamic programming (Jackson et al., IEEE Signal Process. Lett. 12:105,
2005; without the pruning of Killick, Fearnhead and Eckley, JASA 107:1590, 2012). Single nights that stand out are
clipped before, as by the bounded loss of Fearnhead and Rigaill (JASA 114:169, 2019).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Values = NDArray[np.float64]  # logs of times / a reference, [series, nights]; NaN where there is none
FEWEST = 8  # nights in which a change is looked for
FALSE_RATE = 0.01  # that a change is found in any of all series although there is none
LEAST = log(1.03)  # smaller changes are not told
SMALLEST_NOISE = 0.001
CLIP = 3.0  # standard deviations from the median of five nights
SHORTEST, SHORTEST_LINE = 3, 6  # nights of a piece
PENALTY = 2.0  # times that of the Bayesian information criterion
MOST_VALUES, MOST_CELLS = 2**21, 2**24  # of all series, and of the programme: beyond that nights are taken together


@dataclass(frozen=True)
class Event:
    """A change of a series. `slow`: it grows from night `begin` to night `end`, each night by `rate`; else it is there
    at night `begin`. `before`, `after`: logs."""

    slow: bool
    begin: int
    end: int
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def rate(self) -> float:
        return self.change / max(self.end - self.begin, 1)


def events_of(values: Values) -> list[list[Event]]:
    """The changes of each series; none where there are fewer than FEWEST nights."""
    series, nights = values.shape
    found: list[list[Event]] = [[] for _ in range(series)]
    if nights < FEWEST or not series:
        return found
    first = _odd(values.size / MOST_VALUES)
    taken = _together(values, first)
    noise = _noise(taken)
    clipped = _clipped(taken, noise)
    changed = np.flatnonzero(_scores(clipped, noise) > _limit(series, nights))
    if not len(changed):
        return found
    second = _odd(taken.shape[1] * np.sqrt(len(changed) / MOST_CELLS))
    pieces_of = _pieces(_together(clipped[changed], second), noise[changed] / np.sqrt(second))
    together = first * second
    for which, pieces in zip(changed.tolist(), pieces_of, strict=True):
        for one in _events(pieces):
            begin, end = _first_known(values[which], one.begin * together), min(one.end * together, nights - 1)
            found[which].append(Event(one.slow, begin, end if one.slow else begin, one.before, one.after))
    return found


def _first_known(values: NDArray[np.float64], night: int) -> int:
    """The first night from this one on that was measured."""
    return night + int(np.argmax(np.isfinite(values[night:])))


def _noise(values: Values) -> Values:
    """The standard deviation of each series, by the differences of its nights, [series]; not less than half of the
    usual one."""
    steps = np.abs(np.diff(_filled(values), axis=1))
    own = np.asarray(np.median(steps, axis=1) * 1.4826 / np.sqrt(2), np.float64)
    known = own[np.isfinite(own)]
    usual = float(np.median(known)) if len(known) else 0.0
    return np.asarray(np.maximum(np.nan_to_num(own), max(usual / 2, SMALLEST_NOISE)))


def _filled(values: Values) -> Values:
    """Unknown nights as the last known one before them, else as the first one after; 0 where nothing is known."""
    known = np.isfinite(values)
    last = np.maximum.accumulate(np.where(known, np.arange(values.shape[1]), -1), axis=1)
    first = np.argmax(known, axis=1)[:, None]
    filled = np.take_along_axis(values, np.where(last < 0, first, last), axis=1)
    return np.where(np.isfinite(filled), filled, 0.0)


def _clipped(values: Values, noise: Values) -> Values:
    """Without nights that stand out alone, or by two."""
    windows = np.lib.stride_tricks.sliding_window_view(_filled(values), 5, axis=1)
    middle = np.pad(np.median(windows, axis=2), ((0, 0), (2, 2)), mode="edge")
    room = CLIP * noise[:, None]
    return np.where(np.isfinite(values), np.clip(values, middle - room, middle + room), np.nan)


def _scores(values: Values, noise: Values) -> Values:
    """The largest standardised difference between the means before and after a night, [series]."""
    known = np.isfinite(values)
    count = np.cumsum(known, axis=1)[:, :-1]
    total = np.cumsum(np.where(known, values, 0.0), axis=1)
    left, right = count, known.sum(axis=1)[:, None] - count
    enough = (left >= SHORTEST) & (right >= SHORTEST)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = total[:, :-1] / left - (total[:, -1:] - total[:, :-1]) / right
        score = np.abs(gap) / (noise[:, None] * np.sqrt(1 / left + 1 / right))
    return np.asarray(np.where(enough, score, 0.0).max(axis=1))


def _limit(series: int, nights: int) -> float:
    return float(-ndtri(FALSE_RATE / 2 / series / nights))


def _together(values: Values, count: int) -> Values:
    """The lower median of each `count` nights: the night of a change belongs to one of its sides, not between them."""
    if count == 1:
        return values
    short = -values.shape[1] % count
    padded = np.pad(values, ((0, 0), (0, short)), constant_values=np.nan).reshape(len(values), -1, count)
    known = np.isfinite(padded).sum(axis=2, keepdims=True)
    middle = np.take_along_axis(np.sort(padded, axis=2), np.maximum(known - 1, 0) // 2, axis=2)
    return np.asarray(middle[:, :, 0], np.float64)


def _odd(count: float) -> int:
    """How many nights to take together: the smallest odd number that is at least `count`."""
    return max(int(np.ceil(count)) // 2 * 2 + 1, 1) if count > 1 else 1


@dataclass(frozen=True)
class _Piece:
    """Nights from `begin` up to `end`, with the fitted values at both ends."""

    begin: int
    end: int
    first: float
    last: float
    line: bool


class _Sums:
    """Sums over the nights from i to j of each series, for all i at once."""

    def __init__(self, values: Values) -> None:
        known = np.isfinite(values)
        y, t = np.where(known, values, 0.0), np.arange(values.shape[1], dtype=np.float64)
        terms = (known.astype(np.float64), known * t, known * t * t, y, y * t, y * y)
        self._sums = [np.pad(np.cumsum(term, axis=1), ((0, 0), (1, 0))) for term in terms]

    def until(self, end: int) -> tuple[Values, Values, Values]:
        """For all begins, [series, begins]: nights, and the squares that a constant and a line leave."""
        w, t, tt, y, ty, yy = (one[:, end : end + 1] - one[:, :end] for one in self._sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            constant = np.maximum(yy - y * y / w, 0.0)
            along = ty - t * y / w
            line = np.maximum(constant - along * along / (tt - t * t / w), 0.0)
        return w, constant, line

    def fitted(self, which: int, begin: int, end: int, line: bool) -> tuple[float, float]:
        """The values at both ends of a piece."""
        w, t, tt, y, ty, _ = (float(one[which, end] - one[which, begin]) for one in self._sums)
        slope = (ty - t * y / w) / (tt - t * t / w) if line else 0.0
        middle = y / w - slope * t / w
        return middle + slope * begin, middle + slope * (end - 1)


def _pieces(values: Values, noise: Values) -> Iterator[list[_Piece]]:
    """Of each series, the pieces of least squares with their penalties."""
    series, nights = values.shape
    sums = _Sums(values)
    penalty = PENALTY * log(nights)
    best = np.full((series, nights + 1), np.inf)
    best[:, 0] = -2 * penalty  # the first piece has no place of a change
    begins = np.zeros((series, nights + 1), np.int64)
    lines = np.zeros((series, nights + 1), bool)
    for end in range(1, nights + 1):
        w, constant, line = sums.until(end)
        scale = noise[:, None] ** 2
        costs = np.where(w >= SHORTEST, constant / scale + 2 * penalty, np.inf)
        of_lines = np.where(w >= SHORTEST_LINE, line / scale + 3 * penalty, np.inf)
        is_line = of_lines < costs
        total = best[:, :end] + np.where(is_line, of_lines, costs)
        begin = np.argmin(total, axis=1)
        rows = np.arange(series)
        best[:, end], begins[:, end], lines[:, end] = total[rows, begin], begin, is_line[rows, begin]
    for which in range(series):
        pieces: list[_Piece] = []
        end = nights
        while end > 0 and np.isfinite(best[which, end]):
            begin, line_here = int(begins[which, end]), bool(lines[which, end])
            pieces.append(_Piece(begin, end, *sums.fitted(which, begin, end, line_here), line_here))
            end = begin
        yield pieces[::-1]


def _events(pieces: list[_Piece]) -> Iterator[Event]:
    """The changes within and between pieces that are large enough to be told."""
    level = pieces[0].first if pieces else 0.0
    for number, piece in enumerate(pieces):
        if number and abs(piece.first - level) >= LEAST:
            yield Event(False, piece.begin, piece.begin, level, piece.first)
            level = piece.first
        if piece.line and abs(piece.last - piece.first) >= LEAST:
            yield Event(True, piece.begin, piece.end - 1, piece.first, piece.last)
            level = piece.last
        elif not piece.line:
            level = piece.first
