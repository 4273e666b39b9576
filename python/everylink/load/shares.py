"""Finds ranks, hosts and servers that get less than their share, and shares that are unfair overall."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import equal_means_chance
from everylink.judge.verdict import SURE, Verdict
from everylink.load.service import ServiceSums, jain_index, rows_by
from everylink.model.results import Ranks
from everylink.robust import MEDIAN_ERROR, Values, discoveries, healthy_spread, moderated, normal_score, spread

FALSE_RATE = 0.001
FEWEST = 2  # readings that a slow one must have
FEW, LEAST_OF_FEW = 5, 1.75  # with fewer readings than FEW, at least this factor
MOST = 1 / 3  # of all: if more look slow, the healthy ones cannot be identified
LOW, QUARTER = 0.5, 0.25  # quantiles
Index = NDArray[np.int64]
LEAST_JAIN = 0.9  # for fair shares: rates spread by less than a third of their mean
FEWEST_CLIENTS = 3
MOST_NAMED = 4


@dataclass(frozen=True)
class Slow:
    """A slow unit among `tested` equals: the factor of its time, from `readings` readings, with score `z`.

    `worst`: the number of the reading that shows it most.
    """

    unit: int
    factor: float
    z: float
    readings: int
    tested: int
    worst: int


def slow_ones(unit: Index, group: Index, seconds: Values, least: float) -> list[Slow]:
    """Units that take at least `least` times as long as the others of the same groups, beyond chance.

    A reading counts by its excess over the lower quartile of its group, because disturbances only lengthen; a unit
    counts by the median of its readings. Chance covers the spread between equals, and the spread within a unit's
    readings (its own, or the pooled one if larger).
    """
    known = np.flatnonzero(np.isfinite(seconds) & (seconds > 0))
    excess, compared = _excess(group[known], np.log(seconds[known]))
    known, excess = known[compared], excess[compared]
    rows = {one: mine for one, mine in rows_by(unit[known], np.arange(len(known))) if len(mine) >= FEWEST}
    if len(rows) < 2:
        return []
    own = [excess[mine] for mine in rows.values()]
    effect = np.array([np.median(readings) for readings in own])
    effect -= np.quantile(effect, LOW, method="lower")  # of two units, the faster one
    apart = moderated(healthy_spread(effect), len(effect))
    rest = np.concatenate([readings - np.median(readings) for readings in own])
    usual = spread(rest) * np.sqrt(len(rest) / (len(rest) - len(own)))
    within = np.array([MEDIAN_ERROR * max(spread(readings), usual) / np.sqrt(len(readings)) for readings in own])
    z = normal_score(effect / np.hypot(apart, within), len(effect))
    wanted = np.log([max(least, LEAST_OF_FEW) if len(readings) < FEW else least for readings in own])
    often = np.array([np.quantile(readings, QUARTER) for readings in own]) > wanted / 2
    bad = discoveries(z, FALSE_RATE) & (effect >= wanted) & often
    found = []
    for i, (one, mine) in enumerate(rows.items()):
        if bad[i]:
            worst = int(known[mine[own[i].argmax()]])
            found.append(Slow(one, float(np.exp(effect[i])), float(z[i]), len(mine), len(rows), worst))
    return found


def too_many(slow: Sequence[Slow]) -> bool:
    """Whether too many look slow to identify the healthy ones. A single slow one is never too many."""
    return bool(slow) and len(slow) > max(1, MOST * slow[0].tested)


def shared_device(ranks: Ranks, judged: Sequence[int], slow: Sequence[int]) -> str:
    """The device that all slow ranks use, on two hosts or more, and no other rank uses; otherwise empty."""
    devices = {ranks.device[rank] for rank in slow}
    others = {ranks.device[rank] for rank in judged if rank not in set(slow)}
    hosts = {int(ranks.host_index[rank]) for rank in slow}
    return devices.pop() if len(devices) == 1 and others and not devices & others and len(hosts) > 1 else ""


def _excess(group: Index, value: Values) -> tuple[Values, NDArray[np.bool_]]:
    """The excess of each value over the lower quartile of its group, and whether the group has two values or more."""
    excess, compared = np.zeros(len(value)), np.zeros(len(value), bool)
    for _, rows in rows_by(group, np.arange(len(group))):
        if len(rows) > 1:
            excess[rows] = value[rows] - np.quantile(value[rows], QUARTER)
            compared[rows] = True
    return excess, compared


def unfair(sums: Sequence[ServiceSums], named: set[int], name: Callable[[int], str], large: int) -> Iterable[Verdict]:
    """At most one verdict: the direction and size class (below `large` or not) with the least even shares.

    Clients that were `named` slow are left out. Chance favours a different client each time. So a client counts by its
    mean over the scenes, and only if clients differ by more than one client does from scene to scene.
    """
    found = []
    variants = list(dict.fromkeys(scene.variant for scene in sums))
    for wanted in [variants, *([variant] for variant in variants)]:
        for is_large in (False, True):
            scenes = [s for s in sums if s.variant in wanted and (s.bytes >= large) == is_large]
            shares = _shares(scenes, named)
            jain = jain_index([float(np.exp(np.mean(logs))) for logs in shares.values()])
            if len(shares) >= FEWEST_CLIENTS and jain < LEAST_JAIN and _differ(list(shares.values())):
                found.append((jain, _verdict(scenes, set(shares), jain, name)))
    return [verdict for _, verdict in sorted(found, key=lambda one: one[0])[:1]]


def _shares(scenes: Sequence[ServiceSums], named: set[int]) -> dict[int, list[float]]:
    """Each client's share of the total rate, as a logarithm, in each scene where it has one."""
    logs: dict[int, list[float]] = {}
    for scene in scenes:
        for client in scene.clients:
            if client.rank not in named and client.requests and client.rate > 0:
                logs.setdefault(client.rank, []).append(float(np.log(client.rate / scene.rate)))
    return logs


def _differ(shares: list[list[float]]) -> bool:
    """Whether clients differ beyond chance, by an analysis of variance; False for a single scene."""
    if sum(map(len, shares)) <= len(shares):
        return False
    if all(np.ptp(logs) == 0 for logs in shares):
        return True  # simulated runs
    return equal_means_chance([np.array(logs) for logs in shares]) < FALSE_RATE


def _verdict(scenes: Sequence[ServiceSums], clients: set[int], jain: float, name: Callable[[int], str]) -> Verdict:
    worst = min((scene for scene in scenes if scene.finishers), key=lambda scene: scene.jain)
    ends = [client for client in worst.finishers if client.rank in clients]
    below = sum(scene.jain < LEAST_JAIN for scene in scenes)
    named = ends[: min(MOST_NAMED, len(ends) // 2)]
    last = ", ".join(f"{name(one.rank)} after {one.seconds:.4g} s" for one in named)
    text = (
        f"Jain's index over {len(clients)} clients is {jain:.2f}, in {below} of {len(scenes)} scenes below "
        f"{LEAST_JAIN}; of {worst.variant or 'requests'} last were {last}, first was {name(ends[-1].rank)} after "
        f"{ends[-1].seconds:.4g} s; no single client explains it"
    )
    sure = float(np.clip(below / len(scenes), 0.5, SURE))
    return Verdict(
        "group", ("all clients",), "both", "unfair", worst.bytes, ends[0].seconds / ends[-1].seconds, sure,
        worst.flows, text,
    )  # fmt: skip
