"""Estimates what hosts add to the times of their links: a robust two-way fit by alternation.

The slower of two slow ends counts, because a message is as slow as its slowest part. Only what is certain about a host
is subtracted from the links of others; otherwise the noise of few readings would spread.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import normal_quantile
from everylink.judge.times import Times
from everylink.robust import LOW_ERROR, Matrix, Values, healthy_spread, low_index, moderated, wide_spread

FEWEST_SETTLED = 5
CERTAIN = 4.0  # standard errors from which an effect is subtracted from the links of others
LEAST_SPREAD = 1e-3  # real hosts are never exactly alike
READINGS_A_CELL = 2.0  # both directions of a pair count as one reading of it, or nearly so
NOTHING: Matrix = np.zeros((0, 0), np.float32)
ROUNDS = 4
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Ends:
    """What each host adds as sender, or as receiver (the same with a symmetric kernel); [hosts] each.

    `effect`: log of the factor against the others; `error`: its standard error; `links`: number of links used.
    """

    effect: Values
    error: Values
    links: NDArray[np.intp]

    @property
    def z(self) -> Values:
        return np.asarray(self.effect / self.error)


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
        return self.noise(rest), self.noise(np.where(settled, rest, np.float32(np.nan)) if settled.any() else NOTHING)


def polish(times: Times, symmetric: bool, spreads: Spreads) -> tuple[Ends, Ends]:
    """What each host adds as sender and as receiver, from log times without class effects."""
    sent = received = np.zeros(len(times.sending))
    send = receive = Ends(sent, np.ones(len(sent)), np.zeros(len(sent), np.intp))
    noises = spreads.noises(times.sending, times.settled_sending)
    for _ in range(ROUNDS):
        before = sent, received, noises
        send = _ends(times.sending, times.settled_sending, received[times.partners], noises, spreads)
        sent = certain(send)
        if symmetric:
            receive, received = send, sent
        else:
            receive = _ends(times.receiving, times.settled_receiving, sent[times.partners], noises, spreads)
            received = certain(receive)
        added = np.maximum(sent[:, None], received[times.partners]).astype(np.float32)
        noises = spreads.noises(times.sending - added, times.settled_sending)
        if (sent == before[0]).all() and (received == before[1]).all() and noises == before[2]:
            break  # converged
    return send, receive


def _ends(rest: Matrix, is_settled: Mask, others: Values, noises: tuple[float, float], spreads: Spreads) -> Ends:
    """A low quantile of each row over partners that are not slow themselves; over all partners if there is no other.

    Every link of a slow host is slow; a link of a healthy host is slow only if its partner is. So the low values of a
    row are the host's own. Settled connections are used instead where they give a smaller error.
    """
    good = rest
    if (others > 0).any():
        good = np.where(others > 0, np.float32(np.nan), rest)
        none_left = ~np.isfinite(good).any(axis=1)
        good[none_left] = rest[none_left] - others.astype(np.float32)
    low, links = _low_of_rows(good, noises[0])
    error = LOW_ERROR * noises[0] / np.sqrt(np.maximum(links, 1))
    if is_settled.any():
        low_settled, settled = _low_of_rows(np.where(is_settled, good, np.float32(np.nan)), noises[1])
        error_settled = LOW_ERROR * noises[1] / np.sqrt(np.maximum(settled, 1))
        better = (settled >= FEWEST_SETTLED) & (error_settled < error)
        low, error = np.where(better, low_settled, low), np.where(better, error_settled, error)
    effect = np.nan_to_num(low - np.nanmedian(low)) if np.isfinite(low).any() else np.zeros(len(low))
    return Ends(effect, with_spread(error, spreads.of(effect)), links)


def with_spread(error: Values, spread: float) -> Values:
    """Standard errors that include the spread among healthy hosts, as far as `error` does not explain it already."""
    of_hosts = max(spread**2 - float(np.median(error)) ** 2, 0.0)
    return np.asarray(np.sqrt(error**2 + of_hosts + LEAST_SPREAD**2))


def _low_of_rows(matrix: Matrix, noise: float) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of each row's known values, corrected to the middle, and the number of known values; [rows] each.

    The correction for n values of normal noise follows Blom 1958.
    """
    ordered = np.sort(matrix, axis=1)
    known = np.isfinite(matrix).sum(axis=1)
    at = low_index(known)
    below = normal_quantile((at + 0.625) / (np.maximum(known, 1) + 0.25))
    return np.asarray(ordered[np.arange(len(matrix)), at] - noise * below, float), known


def certain(ends: Ends) -> Values:
    return np.where(ends.z > CERTAIN, ends.effect, 0.0)
