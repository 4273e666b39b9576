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

from everylink.distributions import normal_quantile, score_of_student
from everylink.judge.readings import UNKNOWN
from everylink.judge.times import Times
from everylink.robust import (
    LOW_ERROR,
    Matrix,
    Values,
    blocks_of_rows,
    healthy_spread,
    in_order,
    known_in_rows,
    known_sample,
    low_index,
    lower_quantiles,
    moderated,
    upper_spread,
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
LEAST_FREEDOM, FREEDOM_OF_HOST = 4.0, 0.1  # of the spread of hosts, which few of them show
ROUNDS = 4
Mask = NDArray[np.bool_]
Index = NDArray[np.int64]
Class = NDArray[np.int8]
Noises = tuple[float, float]  # of all connections, and of the settled ones


@dataclass(frozen=True)
class Ends:
    """What each host or rank adds as sender, or as receiver (the same with a symmetric kernel); [hosts] each.

    `effect`: log of the factor against its equals; `error`: its standard error; `links`: number of links used;
    `freedom`: degrees of freedom of the error, which are few where it comes from how a few hosts differ.
    """

    effect: Values
    error: Values
    links: NDArray[np.intp]
    freedom: Values

    @property
    def z(self) -> Values:
        """Normal scores."""
        return score_of_student(self.effect / self.error, self.freedom)


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

    def noise(self, rest: Matrix, mask: Mask) -> float:
        """The standard deviation of the residuals of a mask, with a lower bound that depends on their number."""
        known = np.count_nonzero(np.isfinite(rest) & mask)
        return moderated(self.of(known_sample(rest, mask)), round(known / READINGS_A_CELL))

    def noises(self, rest: Matrix, settled: Mask, mask: Mask) -> Noises:
        """The noise of all connections of a mask, and of the settled ones among them."""
        return self.noise(rest, mask), self.noise(rest, settled & mask)


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
        every = spreads.noises(rest, settled, np.ones(rest.shape, bool))
        return [every, *(spreads.noises(rest, settled, self.there == number) for number in self.apart)]

    def of_hosts(self, added: Values) -> Matrix:
        """[host, partner]: what the host adds, from [hosts, classes]."""
        made = np.zeros(self.there.shape, np.float32)
        rows = np.flatnonzero(added.any(axis=1))  # most add nothing
        made[rows] = np.take_along_axis(added[rows].astype(np.float32), self.there[rows], axis=1)
        return made

    def of_partners(self, added: Values) -> Matrix:
        """[host, partner]: what the partner adds, from [hosts, classes]."""
        made = np.zeros(self.there.shape, np.float32)
        columns = np.flatnonzero(added[self.partners].any(axis=1))  # most add nothing
        of_column = added[self.partners[columns]].astype(np.float32)
        made[:, columns] = np.take_along_axis(of_column, self.back[:, columns].T, axis=1).T
        return made


@dataclass(frozen=True)
class _Lows:
    """Of each host: low quantiles of its links with partners that are not slow; with all if there is no other; [hosts].

    `low`, `links`: the quantile LOW, and the number of links; `low_settled`, `settled`: likewise of settled
    connections; `quick`: the quantile QUICKEST, NaN where all partners are slow; `measured`: links with all partners.
    """

    low: Values
    links: NDArray[np.intp]
    low_settled: Values
    settled: NDArray[np.intp]
    quick: Values
    measured: NDArray[np.intp]


class _Direction:
    """The links of each host as sender, or as receiver. Keeps their low quantiles while the same partners are slow."""

    def __init__(self, rest: Matrix, settled: Mask, classes: Classes) -> None:
        self._rest, self._settled, self._classes = rest, settled if settled.any() else None, classes
        self._slow: Mask | None = None
        self._lows: list[_Lows] = []

    def lows(self, added: Values) -> list[_Lows]:
        """Of all links, then of each class `apart`; `added` [hosts, classes]: what the partners add."""
        slow = added > 0
        if self._slow is None or (slow != self._slow).any():
            self._slow, self._lows = slow, self._found(self._classes.of_partners(added))
            if any((np.isnan(lows.quick) & (lows.links > 0)).any() for lows in self._lows):
                self._slow = None  # these depend on how much the partners add
        return self._lows

    def _found(self, others: Matrix) -> list[_Lows]:
        parts: list[list[_Lows]] = []
        for rows in blocks_of_rows(self._rest.shape):
            rest, classes = self._rest[rows], self._classes.there[rows]
            settled = None if self._settled is None else self._settled[rows]
            own = [rest, *(np.where(classes == number, rest, UNKNOWN) for number in self._classes.apart)]
            parts.append([_lows(matrix, settled, others[rows]) for matrix in own])
        return [_joined(of_class) for of_class in zip(*parts, strict=True)]


def _joined(parts: Sequence[_Lows]) -> _Lows:
    return _Lows(*(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True)))


def _lows(rest: Matrix, settled: Mask | None, others: Matrix) -> _Lows:
    slow = others > 0
    measured = known_in_rows(rest)
    good = np.where(slow, UNKNOWN, rest) if slow.any() else rest
    links = known_in_rows(good)
    none_left = (links == 0) & (measured > 0)
    if none_left.any():
        good[none_left], links[none_left] = rest[none_left] - others[none_left], measured[none_left]
    low, quick = in_order(good, np.stack([low_index(links), low_index(links, QUICKEST)]), links).astype(float)
    quick[none_left] = np.nan
    if settled is None:
        return _Lows(low, links, low, np.zeros(len(links), np.intp), quick, measured)
    low_settled, of_settled = lower_quantiles(np.where(settled, good, UNKNOWN))
    return _Lows(low, links, low_settled, of_settled, quick, measured)


def polish(times: Times, classes: Classes, symmetric: bool, spreads: Spreads) -> tuple[EndsByClass, EndsByClass]:
    """What each host adds as sender and as receiver, from log times without class effects.

    Where that does not settle, the lesser of the last two rounds: two sets of hosts may look slow in turns, each beside
    the other.
    """
    hosts = len(times.sending)
    sent = received = np.zeros((hosts, classes.count))
    none = np.zeros(hosts)
    send = receive = EndsByClass(none, np.ones(hosts), np.zeros(hosts, np.intp), np.ones(hosts), sent)
    noises = classes.noises(times.sending, times.settled_sending, spreads)
    sending = _Direction(times.sending, times.settled_sending, classes)
    receiving = sending if symmetric else _Direction(times.receiving, times.settled_receiving, classes)
    for _ in range(ROUNDS):
        before, last = (sent, received), (send, receive)
        send = _ends(sending.lows(received), classes, noises, spreads)
        sent = send.certain
        receive = send if symmetric else _ends(receiving.lows(sent), classes, noises, spreads)
        received = receive.certain
        if (sent == before[0]).all() and (received == before[1]).all():
            break  # converged, and so has the noise
        added = np.maximum(classes.of_hosts(sent), classes.of_partners(received))
        noises = classes.noises(times.sending - added, times.settled_sending, spreads)
    else:
        send = _lesser(last[0], send)
        receive = send if symmetric else _lesser(last[1], receive)
    return send, receive


def _lesser(one: EndsByClass, other: EndsByClass) -> EndsByClass:
    """Of each host what is less clear."""
    first = one.z < other.z
    fields = zip(vars(one).values(), vars(other).values(), strict=True)
    return EndsByClass(*(np.where(first if a.ndim == 1 else first[:, None], a, b) for a, b in fields))


def _ends(lows: Sequence[_Lows], classes: Classes, noises: Sequence[Noises], spreads: Spreads) -> EndsByClass:
    """What each host adds, by all its links, and by those of each class `apart`, where these say something else."""
    whole = _level(lows[0], classes.kind_of, noises[0], spreads)
    surely = _certain(whole)
    best, certain = whole, np.repeat(surely[:, None], classes.count, axis=1)
    for number, low, noise in zip(classes.apart, lows[1:], noises[1:], strict=True):
        level = _level(low, classes.kind_of, noise, spreads)
        enough = (low.measured >= FEWEST_OF_CLASS) & (level.links >= FEWEST_GOOD)
        enough &= low.quick > OF_EFFECT * level.effect  # all links of a slow host are slow
        differs = np.abs(level.effect - whole.effect) > ALIKE * level.error
        of_class = np.where(_certain(level) > 0, level.effect, np.where(differs, 0.0, surely))
        certain[:, number] = np.where(enough, of_class, surely)
        better = enough & (level.z > best.z) & ((level.effect > best.effect) | (best.z < CERTAIN))
        best = Ends(*(np.where(better, *pair) for pair in zip(vars(level).values(), vars(best).values(), strict=True)))
    return EndsByClass(best.effect, best.error, best.links, best.freedom, certain)


def _level(lows: _Lows, kind_of: Index, noises: Noises, spreads: Spreads) -> Ends:
    """Every link of a slow host is slow; a link of a healthy host is slow only if its partner is.

    So the low values of a row are the host's own. Settled connections are used instead where they give a smaller error.
    """
    links = lows.links
    low = middle(lows.low, links, noises[0])
    error = LOW_ERROR * noises[0] / np.sqrt(np.maximum(links, 1))
    error_settled = LOW_ERROR * noises[1] / np.sqrt(np.maximum(lows.settled, 1))
    better = (lows.settled >= FEWEST_SETTLED) & (error_settled < error)
    low = np.where(better, middle(lows.low_settled, lows.settled, noises[1]), low)
    error, links = np.where(better, error_settled, error), np.where(better, lows.settled, links)
    effect = np.zeros(len(low))
    for kind in range(int(kind_of.max(initial=0)) + 1):
        own = kind_of == kind
        if np.isfinite(low[own]).any():
            effect[own] = np.nan_to_num(low[own] - np.nanmedian(low[own]))
    measured = links > 0
    whole = with_spread(error, max(spreads.of(effect), upper_spread(effect[measured])))
    return Ends(effect, whole, links, _freedom(error, whole, int(measured.sum())))


def _freedom(error: Values, whole: Values, hosts: int) -> Values:
    """Degrees of freedom of the `whole` errors, which include how the hosts differ (Welch 1947, Satterthwaite 1946)."""
    of_hosts = np.maximum(whole**2 - error**2 - LEAST_SPREAD**2, LEAST_SPREAD**4)
    return np.asarray((LEAST_FREEDOM + FREEDOM_OF_HOST * hosts) * (whole**2 / of_hosts) ** 2)


def with_spread(error: Values, spread: float) -> Values:
    """Standard errors that include the spread among healthy hosts, as far as `error` does not explain it already."""
    of_hosts = max(spread**2 - float(np.median(error)) ** 2, 0.0)
    return np.asarray(np.sqrt(error**2 + of_hosts + LEAST_SPREAD**2))


def middle(low: Values, known: NDArray[np.intp], noise: float) -> Values:
    """Low quantiles of `known` values each, corrected to the middle; [rows].

    The correction for n values of normal noise follows Blom 1958.
    """
    below = normal_quantile((low_index(known) + 0.625) / (np.maximum(known, 1) + 0.25))
    return np.asarray(low - noise * below)


def _certain(ends: Ends) -> Values:
    return np.where(ends.z > CERTAIN, ends.effect, 0.0)
