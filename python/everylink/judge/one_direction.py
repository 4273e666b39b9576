"""Finds hosts that send or receive more slowly, by what `--confirm` measured alone one way.

Each link is compared with the same one the other way round, so that its length, and whatever else both directions
share, cancels: in a torus, where links of one class differ in length, or where ways are loaded, that shows what a
comparison with other links hides.
"""

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import BestReadings
from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.kinds import many_alike
from everylink.judge.phases import PhaseReadings
from everylink.judge.verdict import Side
from everylink.robust import spread

LEAST, CLEAR = 0.05, 6.0  # log of the factor between the directions, and times as much as hosts differ otherwise
HALF, WITH_ALL = 0.5, 0.9  # part of that which a link must show, and part of the links of a host
MOST_OTHERS, FEWEST_OTHERS = 0.75, 8  # part of the links between others that must not show it, and how many there are
FEWEST_EQUALS = 4  # hosts of its kind with which one is compared, itself among them
LEAST_SPREAD = 0.005  # of hosts, log of the factor
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
Times = NDArray[np.float64]


def slow_in_one_direction(one_way: PhaseReadings, effects: Effects, told: Set[int]) -> list[Found]:
    """The hosts that take longer in one direction than in the other with nearly all of which that was measured, and
    with those of their own group, too; the clearest first. `told`: those that are known to be slow: their links do not
    count. None if more hosts do than can be faults: then they may be built that way."""
    best = one_way.of_hosts
    hosts = np.setdiff1d(np.concatenate([best.frm, best.to]), list(told)).astype(np.int64)
    group_of, kind_of = effects.group_of[hosts], effects.equals.kind_of[hosts]
    longer, tell, found = _sent_longer(best, hosts), np.isin(hosts, one_way.hosts_that_tell()), list[Found]()
    while (at := _worst(beyond := _beyond_kind(longer, tell, kind_of), longer, group_of)) is not None:
        effect, links = float(abs(beyond[at])), int(np.isfinite(longer[at]).sum())
        side, z = Side.SEND if beyond[at] > 0 else Side.RECEIVE, effect / LEAST_SPREAD * float(np.sqrt(links))
        found.append(Found("host", (int(hosts[at]),), side, effect, z, links))
        longer[at] = longer[:, at] = np.nan
    return found if len(found) <= many_alike(len(effects.group_of)) else []


def _sent_longer(best: BestReadings, hosts: Index) -> Times:
    """How much longer a link between two of these hosts takes than the same one the other way round, log of the factor,
    [from, to]; NaN where not both are known."""
    times, among = np.full((len(hosts), len(hosts)), np.nan), np.isin(best.frm, hosts) & np.isin(best.to, hosts)
    frm, to = (np.searchsorted(hosts, end[among]) for end in (best.frm, best.to))
    times[frm, to] = best.time[among]
    return np.asarray(times - times.T)


def _beyond_kind(longer: Times, tell: Mask, kind_of: Index) -> Times:
    """How much longer each host usually sends than it receives, beyond the middle of its kind, log of the factor; NaN
    for hosts that do not `tell`, or of which too few equals do."""
    of_host = np.full(len(longer), np.nan)
    known = np.flatnonzero(tell & np.isfinite(longer).any(axis=1))
    of_host[known] = [np.nanmedian(longer[host]) for host in known]
    for kind in np.unique(kind_of).tolist():
        own = (kind_of == kind) & np.isfinite(of_host)
        of_host[own] -= np.median(of_host[own]) if own.sum() >= FEWEST_EQUALS else np.nan
    return of_host


def _worst(beyond: Times, longer: Times, group_of: Index) -> int | None:
    """The host that takes longest in one direction."""
    known = beyond[np.isfinite(beyond)]
    if not len(known):
        return None
    likely = np.abs(beyond) >= max(LEAST, CLEAR * max(spread(known), LEAST_SPREAD))  # not NaN
    for host in sorted(np.flatnonzero(likely).tolist(), key=lambda one: -abs(beyond[one])):
        own, least = longer[host] * np.sign(beyond[host]), HALF * abs(beyond[host])
        if _is_of_host(host, own, least, group_of) and _are_well(np.delete(np.delete(longer, host, 0), host, 1), least):
            return int(host)
    return None


def _is_of_host(host: int, own: Times, least: float, group_of: Index) -> bool:
    """Whether nearly all of its links show it, also those inside its group: else the way from there may be slow."""
    known, mates = np.isfinite(own), group_of == group_of[host]
    if (own[known] >= least).mean() < WITH_ALL:
        return False
    near = own[known & mates]
    return bool(np.median(near) >= least) if len(near) else mates.sum() == 1


def _are_well(longer: Times, least: float) -> bool:
    """Whether most links between other hosts show less: else some kinds of hosts, which nobody told, may send more
    slowly to others than these to them."""
    known = np.abs(longer[np.isfinite(longer)])
    return len(known) >= FEWEST_OTHERS and bool(np.quantile(known, MOST_OTHERS) < least)
