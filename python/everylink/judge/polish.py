"""Estimates what hosts add to the times of their links: a robust two-way fit by alternation.

The slower of two slow ends counts, because a message is as slow as its slowest part. So a slow host does not add the
same everywhere: less, or nothing, where something else is as slow anyway. What it adds is therefore estimated for each
class of its links. Only what is certain about a host is subtracted from the links of others; otherwise the noise of few
readings would spread.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import normal_quantile
from everylink.judge.readings import UNKNOWN
from everylink.judge.times import Times
from everylink.robust import (
    LOW_ERROR,
    Matrix,
    Values,
    healthy_spread,
    low_index,
    lower_quantiles,
    moderated,
    wide_spread,
)

FEWEST_SETTLED = 5
CERTAIN = 4.0  # standard errors from which an effect is subtracted from the links of others
LEAST_SPREAD = 1e-3  # real hosts are never exactly alike
READINGS_A_CELL = 2.0  # both directions of a pair count as one reading of it, or nearly so
FEWEST_OF_CLASS, FEWEST_GOOD = 3, 2  # links, and of them good ones, before what a host adds to a class is judged apart
OF_EFFECT = 0.5  # part of the effect that even the quickest links of a class show, if the host is slow
QUICKEST = 0.1  # part of the links of a class, so called
ALIKE = 2.0  # standard errors within which a class agrees with all links
NOTHING: Matrix = np.zeros((0, 0), np.float32)
ROUNDS = 4
Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Class = NDArray[np.int8]
Noises = tuple[float, float]  # of all connections, and of the settled ones


@dataclass(frozen=True)
class Ends:
    """What each host or rank adds as sender, or as receiver (the same with a symmetric kernel); [hosts] each.

    `effect`: log of the factor against its equals; `error`: its standard error; `links`: number of links used.
    """

    effect: Values
    error: Values
    links: NDArray[np.intp]

    @property
    def z(self) -> Values:
        return np.asarray(self.effect / self.error)


@dataclass(frozen=True)
class EndsByClass(Ends):
    """Of the links on which each host shows best. `certain` [hosts, classes]: what it surely adds to a class, or 0."""

    certain: Values


@dataclass(frozen=True)
class Spreads:
    """How noise is estimated. `blind`: classes of links are unknown, so high values may be healthy too."""

    blind: bool

    def of(self, values: NDArray[np.floating]) -> float:
        return wide_spread(values) if self.blind else healthy_spread(values)

    def noise(self, rest: Matrix) -> float:
        """The standard deviation of residuals, with a lower bound that depends on the number of readings."""
        return moderated(self.of(rest), round(float(np.isfinite(rest).sum()) / READINGS_A_CELL))

    def noises(self, rest: Matrix, settled: Mask) -> tuple[float, float]:
        """The noise of all connections, and of the settled ones."""
        return self.noise(rest), self.noise(np.where(settled, rest, UNKNOWN) if settled.any() else NOTHING)


@dataclass(frozen=True)
class Classes:
    """The classes of links, counted from each host: by the kind of the partner, and whether it is near.

    `apart`: the numbers of the classes by which hosts are also judged apart: those with links, if that is more than
    one. `there` [host, partner]: the class of a link as seen from the host; `back`: as seen from the partner.
    `partners`: host number per column. `kind_of` [hosts].
    """

    count: int
    apart: Sequence[int]
    there: Class
    back: Class
    partners: NDArray[np.int64]
    kind_of: NDArray[np.int64]

    def noises(self, rest: Matrix, settled: Mask, spreads: Spreads) -> list[Noises]:
        """The noise of all links, then that of each class `apart`: links that share ways vary more than others."""
        every = [spreads.noises(rest, settled)]
        for number in self.apart:
            own = self.there == number
            every.append(spreads.noises(np.where(own, rest, UNKNOWN), settled & own))
        return every

    def of_hosts(self, added: Values) -> Matrix:
        """[host, partner]: what the host adds, from [hosts, classes]."""
        return np.take_along_axis(added.astype(np.float32), self.there, axis=1)

    def of_partners(self, added: Values) -> Matrix:
        """[host, partner]: what the partner adds, from [hosts, classes]."""
        return np.take_along_axis(added[self.partners].astype(np.float32), self.back.T, axis=1).T


def polish(times: Times, classes: Classes, symmetric: bool, spreads: Spreads) -> tuple[EndsByClass, EndsByClass]:
    """What each host adds as sender and as receiver, from log times without class effects."""
    hosts = len(times.sending)
    sent = received = np.zeros((hosts, classes.count))
    none = np.zeros(hosts)
    send = receive = EndsByClass(none, np.ones(hosts), np.zeros(hosts, np.intp), sent)
    noises = classes.noises(times.sending, times.settled_sending, spreads)
    for _ in range(ROUNDS):
        before = sent, received, noises
        of_partners = classes.of_partners(received)
        send = _ends(times.sending, times.settled_sending, of_partners, classes, noises, spreads)
        sent = send.certain
        if symmetric:
            receive, received = send, sent
        else:
            of_partners = classes.of_partners(sent)
            receive = _ends(times.receiving, times.settled_receiving, of_partners, classes, noises, spreads)
            received = receive.certain
        added = np.maximum(classes.of_hosts(sent), classes.of_partners(received))
        noises = classes.noises(times.sending - added, times.settled_sending, spreads)
        if (sent == before[0]).all() and (received == before[1]).all() and noises == before[2]:
            break  # converged
    return send, receive


def _ends(
    rest: Matrix, settled: Mask, others: Matrix, classes: Classes, noises: Sequence[Noises], spreads: Spreads
) -> EndsByClass:
    """`others` [host, partner]: what the partner adds. By all links of a host, and by those of each class `apart`."""
    whole = _level(rest, settled, others, classes.kind_of, noises[0], spreads)
    surely = _certain(whole)
    best, certain = whole, np.repeat(surely[:, None], classes.count, axis=1)
    for number, noise in zip(classes.apart, noises[1:], strict=True):
        own = np.where(classes.there == number, rest, UNKNOWN)
        level = _level(own, settled, others, classes.kind_of, noise, spreads)
        quick = lower_quantiles(np.where(others > 0, UNKNOWN, own), QUICKEST)[0]  # all links of a slow host are slow
        enough = (np.isfinite(own).sum(axis=1) >= FEWEST_OF_CLASS) & (level.links >= FEWEST_GOOD)
        enough &= quick > OF_EFFECT * level.effect
        differs = np.abs(level.effect - whole.effect) > ALIKE * level.error
        of_class = np.where(_certain(level) > 0, level.effect, np.where(differs, 0.0, surely))
        certain[:, number] = np.where(enough, of_class, surely)
        better = enough & (level.z > best.z) & (level.effect > best.effect)
        best = Ends(*(np.where(better, *pair) for pair in zip(vars(level).values(), vars(best).values(), strict=True)))
    return EndsByClass(best.effect, best.error, best.links, certain)


def _level(rest: Matrix, is_settled: Mask, others: Matrix, kind_of: Index, noises: Noises, spreads: Spreads) -> Ends:
    """A low quantile of each row over partners that are not slow themselves; over all partners if there is no other.

    Every link of a slow host is slow; a link of a healthy host is slow only if its partner is. So the low values of a
    row are the host's own. Settled connections are used instead where they give a smaller error.
    """
    good = rest
    if (others > 0).any():
        good = np.where(others > 0, UNKNOWN, rest)
        none_left = ~np.isfinite(good).any(axis=1)
        good[none_left] = rest[none_left] - others[none_left]
    low, links = _low_of_rows(good, noises[0])
    error = LOW_ERROR * noises[0] / np.sqrt(np.maximum(links, 1))
    if is_settled.any():
        low_settled, settled = _low_of_rows(np.where(is_settled, good, UNKNOWN), noises[1])
        error_settled = LOW_ERROR * noises[1] / np.sqrt(np.maximum(settled, 1))
        better = (settled >= FEWEST_SETTLED) & (error_settled < error)
        low, error = np.where(better, low_settled, low), np.where(better, error_settled, error)
        links = np.where(better, settled, links)
    effect = np.zeros(len(low))
    for kind in range(int(kind_of.max(initial=0)) + 1):
        own = kind_of == kind
        if np.isfinite(low[own]).any():
            effect[own] = np.nan_to_num(low[own] - np.nanmedian(low[own]))
    return Ends(effect, with_spread(error, spreads.of(effect)), links)


def with_spread(error: Values, spread: float) -> Values:
    """Standard errors that include the spread among healthy hosts, as far as `error` does not explain it already."""
    of_hosts = max(spread**2 - float(np.median(error)) ** 2, 0.0)
    return np.asarray(np.sqrt(error**2 + of_hosts + LEAST_SPREAD**2))


def _low_of_rows(matrix: Matrix, noise: float) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of each row's known values, corrected to the middle, and the number of known values; [rows] each.

    The correction for n values of normal noise follows Blom 1958.
    """
    low, known = lower_quantiles(matrix)
    below = normal_quantile((low_index(known) + 0.625) / (np.maximum(known, 1) + 0.25))
    return low - noise * below, known


def _certain(ends: Ends) -> Values:
    return np.where(ends.z > CERTAIN, ends.effect, 0.0)
