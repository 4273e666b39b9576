"""Whether clients that ask for the same get the same: a verdict on shares that no single client explains."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy import stats

from everylink.analysis.judge.verdict import SURE, Verdict
from everylink.analysis.service_sums import ServiceSums, jain_index

LEAST_JAIN = 0.9  # of fair shares: rates that spread by less than a third of their mean
FEWEST_CLIENTS = 3
MOST_NAMED = 4
FALSE_RATE = 0.001


def unfair(sums: Sequence[ServiceSums], named: set[int], name: Callable[[int], str], large: int) -> Iterable[Verdict]:
    """At most one verdict: on the direction and the kind of sizes, below `large` or not, whose shares are least even.

    Clients that were `named` slow are left out. Chance is in turn for one and for another: so it counts what each
    client has in the mean over the scenes, and only where clients differ by more than one does from scene to scene.
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
    """What each client has of the rate of all, as a logarithm, in each scene in which it has one."""
    logs: dict[int, list[float]] = {}
    for scene in scenes:
        for client in scene.clients:
            if client.rank not in named and client.requests and client.rate > 0:
                logs.setdefault(client.rank, []).append(float(np.log(client.rate / scene.rate)))
    return logs


def _differ(shares: list[list[float]]) -> bool:
    """Whether clients differ by more than chance, by an analysis of variance; never of a single scene."""
    if sum(map(len, shares)) <= len(shares):
        return False
    if all(np.ptp(logs) == 0 for logs in shares):
        return True  # made-up ones
    return bool(stats.f_oneway(*shares).pvalue < FALSE_RATE)


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
