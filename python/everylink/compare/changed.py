"""Finds hosts, ranks and pairs that got slower or faster: fits differences of log times as judge/effects.py does."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import fit
from everylink.judge.kinds import Equals
from everylink.judge.readings import Cells, Readings
from everylink.judge.times import whole
from everylink.model.links import Links, keys
from everylink.robust import (
    FALSE_RATE,
    LIKELY_Z,
    Matrix,
    Values,
    discoveries,
    level_score,
    medians_of,
    most_of,
    normal_score,
    row_medians,
    score_of_chance,
    spread,
    tempered_spread,
)

CUT, FEW_LINKS = 3.0, 6  # standard deviations; links per end
SIDES = ("send", "receive")
SUSPECT_Z = 4.5  # standard deviations


@dataclass(frozen=True)
class ChangedEnd:
    """`number`: host or rank; `side`: send, receive or both; `effect`: log of the factor; `z`: its score."""

    number: int
    side: str
    effect: float
    z: float


@dataclass(frozen=True)
class ChangedEnds:
    """`level`: common to all links (log of the factor); `explained` [from, to]: the level plus the ends' effects."""

    level: float
    ends: tuple[ChangedEnd, ...]
    explained: Matrix


@dataclass(frozen=True)
class _Found:
    """What each end adds as sender and as receiver, 0 where uncertain, and the scores; [ends] each."""

    effect: tuple[Values, Values]
    z: tuple[Values, Values]

    @property
    def explained(self) -> Matrix:
        """[from, to]: the larger effect of the two ends."""
        return np.maximum(self.effect[0][:, None], self.effect[1][None, :]).astype(np.float32)


def changed_ends(difference: Matrix, symmetric: bool, least: float, level: float | None = None) -> ChangedEnds:
    """Fit differences [from, to], NaN if unknown; find slower and faster ends, each against all others.

    A given `level` is not estimated again. An end counts only if it changed by more than `least` both against the
    others and against itself.
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
            if sign * effect > least and sign * itself[strongest][number] > least:  # otherwise only the others changed
                ends.append(ChangedEnd(number, side, effect, float(found.z[strongest][number])))
    return ChangedEnds(level, tuple(ends), np.float32(level) + ends_explain)


def _found(difference: Matrix, symmetric: bool, least: float) -> _Found:
    """Ends that are slower than the others.

    With few links the fit follows the fastest link of each end, so a single fast pair would make other ends look slow;
    such outliers are clipped.
    """
    known = difference[np.isfinite(difference)]
    if not len(known):
        nothing = np.zeros(len(difference))
        return _Found((nothing, nothing), (nothing, nothing))
    if len(known) < FEW_LINKS * len(difference):
        difference = np.maximum(difference, np.float32(np.median(known) - CUT * spread(known)))
    effects = fit(whole(difference), Equals.of_groups(np.zeros(len(difference), np.int64)), symmetric)
    count = len(known) // (2 if symmetric else 1)
    scores = [normal_score(np.where(ends.links > 0, ends.z, 0.0), count) for ends in (effects.send, effects.receive)]
    sides = [
        np.where(discoveries(z, FALSE_RATE) & (ends.effect > least) & (ends.links > 0), ends.effect, 0.0)
        for ends, z in zip((effects.send, effects.receive), scores, strict=True)
    ]
    return _Found((sides[0], sides[1]), (scores[0], scores[1]))


def _named(found: _Found, symmetric: bool) -> Iterator[tuple[int, str, int]]:
    """For each end found: its number, its side or both, and the index of the side where it changed most."""
    for number in np.flatnonzero(np.maximum(*found.effect) > 0).tolist():
        sides = [side for side in (0, 1) if found.effect[side][number] > 0]
        strongest = max(sides, key=lambda side: float(found.effect[side][number]))
        yield number, "both" if symmetric or len(sides) == 2 else SIDES[sides[0]], strongest


@dataclass(frozen=True)
class Within:
    """`level`: common to all hosts (log of the factor); `level_z`: its score, 0 if chance explains it."""

    level: float
    level_z: float
    hosts: tuple[ChangedEnd, ...]


def changed_within(
    links: tuple[Links, Links],
    near: NDArray[np.bool_],
    host: NDArray[np.int64],
    ranks: int,
    symmetric: bool,
    least: float,
) -> Within:
    """Compare links within hosts (mask `near`) by the median of each host; `host`: host of each link, [links]."""
    before, after = (_log_times(part, ranks, symmetric)[near] for part in links)
    numbers, change = medians_of(after - before, host[near])
    level = float(np.median(change))
    z = (change - level) / tempered_spread(change - level)
    singly = (np.log(links[1].median) - np.log(links[0].median))[near] - level
    found = []
    for sign in (1, -1):
        score = np.minimum(normal_score(sign * z, len(change)), _score_of_chance(sign * singly, host[near]))
        far = (sign * change > least) & (sign * (change - level) > least)
        found += [
            ChangedEnd(int(numbers[i]), "both", float(change[i]), float(score[i]))
            for i in np.flatnonzero(discoveries(score, FALSE_RATE) & far)
        ]
    return Within(level, level_score(level, change - level, len(change)), tuple(found))


def _score_of_chance(change: Values, host: NDArray[np.int64]) -> Values:
    """For each host, how improbable it is that most of its links are slow by chance; 0 if most are not."""
    long = change > LIKELY_Z * tempered_spread(change)
    _, index, count = np.unique(host, return_inverse=True, return_counts=True)
    most = np.bincount(index[long], minlength=len(count)) >= most_of(count)
    alone = int((long & ~most[index]).sum())
    return np.where(most, score_of_chance(count, alone, len(change)), 0.0)


def _log_times(links: Links, ranks: int, symmetric: bool) -> Values:
    """Log seconds; with a symmetric kernel the shorter of both directions, because disturbances only lengthen."""
    times = np.log(links.median.astype(np.float64))
    if symmetric:
        own, reverse = keys(links, ranks), links.to.astype(np.int64) * ranks + links.frm
        at = np.minimum(np.searchsorted(own, reverse), len(own) - 1)
        times = np.minimum(times, np.where(own[at] == reverse, times[at], np.inf))
    return times


@dataclass(frozen=True)
class ChangedPair:
    """`frm`, `to`: hosts or ranks; `effect`: log of the factor; `z`: its score; `readings`: number of readings used."""

    frm: int
    to: int
    effect: float
    z: float
    readings: int


@dataclass(frozen=True)
class ChangedPairs:
    """`sure`: found; `suspects`: slow in all of their readings, but with too few readings."""

    sure: tuple[ChangedPair, ...]
    suspects: tuple[ChangedPair, ...]


def slower_pairs(before: Cells, after: Cells, again: Readings, explained: Matrix, least: float) -> ChangedPairs:
    """Pairs that are slower after than before; `again`: all readings after, including retests.

    For faster pairs, swap before and after and negate `explained`.
    """
    symmetric, cells = again.symmetric, again.between_hosts
    change = after.median - before.median
    rest = change - explained
    measured = np.isfinite(rest) & (np.triu(np.ones(rest.shape, bool), 1) if symmetric else True)
    noise = tempered_spread(rest[measured])
    z = normal_score(np.where(measured, rest, 0.0) / noise, int(measured.sum()))
    lowest = cells.quartile - before.median - explained
    likely = measured & (z > LIKELY_Z) & (rest > least) & (lowest > LIKELY_Z * noise)
    likely &= change > max(least, LIKELY_Z * noise)  # otherwise it only stayed the same while its ends changed
    frm, to = np.nonzero(likely)
    alone = _long_alone(again, before, explained, lowest, LIKELY_Z * noise)
    count = cells.count[frm, to]
    score = np.minimum(z[frm, to], score_of_chance(count, alone, again.count))
    found = _discovered(score, int(measured.sum()))
    pairs = [
        ChangedPair(int(frm[i]), int(to[i]), float(rest[frm[i], to[i]]), float(score[i]), int(count[i]))
        for i in range(len(frm))
    ]
    certain = tuple(pair for pair, is_sure in zip(pairs, found, strict=True) if is_sure)
    suspects = tuple(
        pair for pair, is_sure in zip(pairs, found, strict=True) if not is_sure and z[pair.frm, pair.to] > SUSPECT_Z
    )
    return ChangedPairs(certain, suspects)


def _long_alone(again: Readings, before: Cells, explained: Matrix, lowest: Matrix, limit: float) -> int:
    """The number of slow readings in pairs that are not slow otherwise."""
    frm, to, time = again.each()
    frm, to = again.host_of[frm], again.host_of[to]
    long = time - before.median[frm, to] - explained[frm, to] > limit
    return int((long & ~(lowest[frm, to] > limit)).sum())


def _discovered(score: Values, tests: int) -> NDArray[np.bool_]:
    """Which scores are discoveries among `tests` tests, if all tests not listed found nothing."""
    padded = np.concatenate([score, np.full(max(tests - len(score), 0), -np.inf)])
    return discoveries(padded, FALSE_RATE)[: len(score)]
