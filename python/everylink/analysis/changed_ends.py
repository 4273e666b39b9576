"""Which hosts, or ranks, got slower or faster: the fit of judge/effects.py over differences of log times."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from everylink.analysis.changes import FALSE_RATE, sure
from everylink.analysis.judge.effects import fit
from everylink.analysis.judge.robust import Matrix, Values, discoveries, row_medians, spread
from everylink.analysis.judge.times import whole

CUT, FEW_LINKS = 3.0, 6  # standard deviations; of an end
SIDES = ("send", "receive")


@dataclass(frozen=True)
class ChangedEnd:
    """`number`: host or rank; `effect`: log of the factor, `z` its score, `side`: send, receive or both."""

    number: int
    side: str
    effect: float
    z: float


@dataclass(frozen=True)
class ChangedEnds:
    """`level` is what all have in common (log of the factor); `explained` [from, to] is that and the ends' effects."""

    level: float
    ends: tuple[ChangedEnd, ...]
    explained: Matrix


@dataclass(frozen=True)
class _Found:
    """What each end adds, 0 where that is not certain, and its score: sending, receiving."""

    effect: tuple[Values, Values]
    z: tuple[Values, Values]

    @property
    def explained(self) -> Matrix:
        """Of two ends the slower counts."""
        return np.maximum(self.effect[0][:, None], self.effect[1][None, :]).astype(np.float32)


def changed_ends(difference: Matrix, symmetric: bool, least: float, level: float | None = None) -> ChangedEnds:
    """Fit differences [from, to], NaN where there is none: slower ends, and faster ones, each against all others.

    A level that is known already is not estimated again. An end counts where it changed by more than `least`
    both against the others and against itself.
    """
    slower, faster = _found(difference, symmetric, least), _found(-difference, symmetric, least)
    ends_explain = slower.explained - faster.explained
    if level is None:
        rest = (difference - ends_explain)[np.isfinite(difference)]
        level = float(np.median(rest)) if len(rest) else 0.0
    itself = row_medians(difference)[0], row_medians(difference.T)[0]
    ends = []
    for sign, found in ((1, slower), (-1, faster)):
        for number, side, strongest in _named(found, symmetric):
            effect = level + sign * float(found.effect[strongest][number])
            if sign * effect > least and sign * itself[strongest][number] > least:  # else only the others changed
                ends.append(ChangedEnd(number, side, effect, float(found.z[strongest][number])))
    return ChangedEnds(level, tuple(ends), np.float32(level) + ends_explain)


def _found(difference: Matrix, symmetric: bool, least: float) -> _Found:
    """Ends that are slower than the others.

    Where there are so few links that the fit goes by the fastest of each end, a single fast pair would make the other
    ends look slow: it is cut to size.
    """
    known = difference[np.isfinite(difference)]
    if not len(known):
        nothing = np.zeros(len(difference))
        return _Found((nothing, nothing), (nothing, nothing))
    if len(known) < FEW_LINKS * len(difference):
        difference = np.maximum(difference, np.float32(np.median(known) - CUT * spread(known)))
    effects = fit(whole(difference), np.zeros(len(difference), np.int64), symmetric)
    count = len(known) // (2 if symmetric else 1)
    scores = [sure(np.where(ends.links > 0, ends.z, 0.0), count) for ends in (effects.send, effects.receive)]
    sides = [
        np.where(discoveries(z, FALSE_RATE) & (ends.effect > least) & (ends.links > 0), ends.effect, 0.0)
        for ends, z in zip((effects.send, effects.receive), scores, strict=True)
    ]
    return _Found((sides[0], sides[1]), (scores[0], scores[1]))


def _named(found: _Found, symmetric: bool) -> Iterator[tuple[int, str, int]]:
    """Each end that was found: its number, the side, and on which side it is strongest."""
    for number in np.flatnonzero(np.maximum(*found.effect) > 0).tolist():
        sides = [side for side in (0, 1) if found.effect[side][number] > 0]
        strongest = max(sides, key=lambda side: float(found.effect[side][number]))
        yield number, "both" if symmetric or len(sides) == 2 else SIDES[sides[0]], strongest
