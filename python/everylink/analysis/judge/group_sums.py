"""Sums over the links between groups of hosts, and what a grouping costs by them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.robust import Matrix

Groups = NDArray[np.int64]
Sums = NDArray[np.floating]


@dataclass(frozen=True)
class Links:
    """Log times [host, host] less their mean, 0 where they are not known; `weight`: 1 where they are, else 0.

    `squares`: the sum of their squares.
    """

    flat: Matrix
    weight: Matrix
    squares: float


@dataclass(frozen=True)
class Parts:
    """Sums and numbers of the links from each part of the hosts to each, [part, part]."""

    sums: Sums
    counts: Sums

    def joined(self, of_part: Groups) -> "Parts":
        """Parts that have one number become one."""
        members = members_of(of_part).astype(np.float64)
        return Parts(members.T @ self.sums @ members, members.T @ self.counts @ members)


def parts_of(links: Links, of_host: Groups) -> Parts:
    members = members_of(of_host)
    return Parts(*((members.T @ matrix @ members).astype(np.float64) for matrix in (links.flat, links.weight)))


def cost_of(parts: Parts, links: Links) -> float:
    """Bayesian information criterion: a mean inside each group, and for links between two what each of them adds.

    Links come in pairs, so half of them count.
    """
    inside, within = np.diag(parts.sums), np.diag(parts.counts)
    between, outside = (matrix - np.diag(np.diag(matrix)) for matrix in (parts.sums, parts.counts))
    adds = np.linalg.lstsq(np.diag(outside.sum(axis=1)) + outside, between.sum(axis=1), rcond=None)[0]
    explained = float((inside**2 / np.maximum(within, 1)).sum() + 2 * adds @ between.sum(axis=1))
    left = links.squares - explained
    half, count, hosts = float(parts.counts.sum()) / 2, len(parts.sums), len(links.flat)
    parameters = 2 * count * np.log(half) + (2 * hosts * np.log(count) if count > 1 else 0.0)
    return float(half * np.log(max(left, 1e-9) / (2 * half)) + parameters)


def members_of(groups: Groups) -> Matrix:
    members = np.zeros((len(groups), int(groups.max()) + 1), np.float32)
    members[np.arange(len(groups)), groups] = 1
    return members


def gap_of(links: Links, groups: Groups) -> float:
    """By how much links between groups are slower than those inside."""
    parts = parts_of(links, groups)
    inside, near = np.trace(parts.sums), np.trace(parts.counts)
    between, far = parts.sums.sum() - inside, parts.counts.sum() - near
    return float(between / far - inside / near) if near and far else 0.0


def means_of(links: Links, members: Matrix, unknown: float) -> NDArray[np.float64]:
    """[host, group]: the mean of a host's links to a group."""
    return mean_of(links.flat @ members, links.weight @ members, unknown)


def mean_of(sums: Sums, counts: Sums, unknown: float) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, sums / counts, unknown)
