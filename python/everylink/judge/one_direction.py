"""Finds hosts that send or receive more slowly, by what `--confirm` measured alone one way.

Each link is compared with the same one the other way round, so that its length, and whatever else both directions
share, cancels: in a torus, where links of one class differ in length, or where ways are loaded, that shows what a
comparison with other links hides.
"""

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.kinds import many_alike
from everylink.judge.phases import PhaseReadings
from everylink.judge.verdict import Side
from everylink.robust import spread

LEAST, CLEAR = 0.05, 6.0  # log of the factor between the directions, and times as much as hosts differ otherwise
HALF, WITH_ALL = 0.5, 0.9  # part of that which a link must show, and part of the links of a host
FEWEST_EQUALS = 4  # hosts of its kind with which one is compared, itself among them
LEAST_SPREAD = 0.005  # of hosts, log of the factor
Times = NDArray[np.float64]


def slow_in_one_direction(one_way: PhaseReadings, effects: Effects, told: Set[int]) -> list[Found]:
    """The hosts that take longer in one direction than in the other with nearly all of which that was measured, and
    with those of their own group, too; the clearest first. `told`: those that are known to be slow: their links do not
    count. None if so many do that they may be built so."""
    longer = _sent_longer(one_way, len(effects.group_of))
    longer[list(told)] = longer[:, list(told)] = np.nan
    tell, found = sorted(set(one_way.hosts_that_tell()) - told), list[Found]()
    while (worst := _worst(longer, tell, effects)) is not None:
        found.append(worst)
        longer[worst.subject[0]] = longer[:, worst.subject[0]] = np.nan
    return found if len(found) <= many_alike(len(longer)) else []


def _sent_longer(one_way: PhaseReadings, hosts: int) -> Times:
    """How much longer a link takes than the same one the other way round, log of the factor, [from, to]; NaN where not
    both are known."""
    times = np.full((hosts, hosts), np.nan)
    times[one_way.of_hosts.frm, one_way.of_hosts.to] = one_way.of_hosts.time
    return np.asarray(times - times.T)


def _worst(longer: Times, tell: list[int], effects: Effects) -> Found | None:
    """The host that takes longest in one direction, beyond the middle of its kind."""
    of_host = np.full(len(longer), np.nan)
    known = [host for host in tell if np.isfinite(longer[host]).any()]
    of_host[known] = [np.nanmedian(longer[host]) for host in known]
    kind_of = effects.equals.kind_of
    for kind in np.unique(kind_of).tolist():
        own = (kind_of == kind) & np.isfinite(of_host)
        of_host[own] -= np.median(of_host[own]) if own.sum() >= FEWEST_EQUALS else np.nan
    clear = CLEAR * max(spread(of_host[np.isfinite(of_host)]), LEAST_SPREAD) if np.isfinite(of_host).any() else np.inf
    likely = [host for host in known if abs(of_host[host]) >= max(LEAST, clear)]  # not NaN
    for host in sorted(likely, key=lambda host: -abs(of_host[host])):
        effect, side = float(abs(of_host[host])), Side.SEND if of_host[host] > 0 else Side.RECEIVE
        own = longer[host] * np.sign(of_host[host])
        if _is_of_host(host, own, HALF * effect, effects.group_of):
            links = int(np.isfinite(own).sum())
            return Found("host", (host,), side, effect, CLEAR * effect / clear * float(np.sqrt(links)), links)
    return None


def _is_of_host(host: int, own: Times, least: float, group_of: NDArray[np.int64]) -> bool:
    """Whether nearly all of its links show it, also those inside its group: else the way from there may be slow."""
    known = np.isfinite(own)
    near = known & (group_of == group_of[host])
    if (own[known] >= least).mean() < WITH_ALL:
        return False
    has_mates = (group_of == group_of[host]).sum() > 1
    return bool(np.median(own[near]) >= least) if near.any() else not has_mates
