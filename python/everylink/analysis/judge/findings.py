"""What the fit finds: groups, hosts, ranks and pairs that are slower than chance explains, and those to measure again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.effects import Effects, Ends, fit
from everylink.analysis.judge.readings import Cells, Readings
from everylink.analysis.judge.robust import Values, discoveries

FALSE_RATE = 0.001  # of what is called bad
SMALLEST_HOST, SMALLEST_PAIR = 0.04, 0.04  # log of the factor: less is how fabrics are
SUSPECT_Z, SUSPECT_EFFECT = 1.5, 0.03
PAIR_Z, PAIR_SUSPECT_Z = 4.5, 3.5
SETTLED_READINGS = 7  # of a pair, after which it is judged; a disturbed reading is as rare as two in a hundred


@dataclass(frozen=True)
class Found:
    """`subject`: group, host, or from and to; `effect`: log of the factor."""

    kind: str
    subject: tuple[int, ...]
    effect: float
    z: float
    links: int


@dataclass(frozen=True)
class Findings:
    """`bad` are sure; `suspect_hosts` and `suspect_pairs` [suspects, 2] want more readings."""

    effects: Effects
    bad: tuple[Found, ...]
    suspect_hosts: NDArray[np.intp]
    suspect_pairs: NDArray[np.intp]


def find(readings: Readings, group_of: NDArray[np.int64]) -> Findings:
    """Fit, then test every group, host and pair."""
    cells = readings.between_hosts
    matrix = cells.median
    effects = fit(matrix, group_of, readings.symmetric)
    bad = [
        Found("group", (int(g),), float(effects.group_effect[g]), float(effects.group_z[g]), _links_of_group(matrix, group_of, int(g)))
        for g in np.flatnonzero(effects.group_effect)
    ]
    sides = [("both", effects.send)] if readings.symmetric else [("send", effects.send), ("receive", effects.receive)]
    suspects: set[int] = set()
    hosts: dict[int, dict[str, Found]] = {}
    for side, ends in sides:
        for host in _bad_hosts(ends):
            hosts.setdefault(host, {})[side] = Found(side, (host,), float(ends.effect[host]), float(ends.z[host]), int(ends.links[host]))
        suspects |= set(np.flatnonzero((ends.z > SUSPECT_Z) & (ends.effect > SUSPECT_EFFECT)).tolist())
    for host, found in hosts.items():
        best = max(found.values(), key=lambda f: f.effect)
        side = next(iter(found)) if len(found) == 1 else "both"
        bad.append(Found(f"host {side}", (host,), best.effect, best.z, sum(f.links for f in found.values())))
    pairs, suspect_pairs = _pairs(effects, cells, readings.symmetric)
    return Findings(effects, tuple(bad + pairs), np.array(sorted(suspects), np.intp), suspect_pairs)


def _links_of_group(matrix: NDArray[np.float32], group_of: NDArray[np.int64], group: int) -> int:
    inside = group_of == group
    return int(np.isfinite(matrix[np.ix_(inside, ~inside)]).sum() + np.isfinite(matrix[np.ix_(~inside, inside)]).sum())


def _bad_hosts(ends: Ends) -> list[int]:
    found = discoveries(ends.z, FALSE_RATE) & (ends.effect > SMALLEST_HOST)
    return [int(host) for host in np.flatnonzero(found)]


def _pairs(effects: Effects, cells: Cells, symmetric: bool) -> tuple[list[Found], NDArray[np.intp]]:
    """Pairs of hosts whose own link is slow: bad once there are readings enough, suspect until then."""
    rest = np.triu(effects.rest, 1) if symmetric else effects.rest
    z: Values = np.where(np.isfinite(rest), rest / effects.noise, 0.0)
    likely = (z > PAIR_SUSPECT_Z) & (rest > SMALLEST_PAIR)
    settled = cells.count >= SETTLED_READINGS
    low = rest - (cells.median - cells.quartile)  # most readings must be slow, not just half of them
    frm, to = np.nonzero(likely & settled & (low > PAIR_SUSPECT_Z * effects.noise))
    bad = [
        Found("pair" if symmetric else "link", (int(a), int(b)), float(rest[a, b]), float(z[a, b]), 2 if symmetric else 1)
        for a, b in zip(frm, to, strict=True)
    ]
    return bad, np.argwhere(likely & ~settled)
