"""Whether clients that ask for the same get the same: a verdict on shares that no single client explains."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from everylink.analysis.judge.verdict import SURE, Verdict
from everylink.analysis.service_sums import ServiceSums, jain_index

LEAST_JAIN = 0.9  # of fair shares: rates that spread by less than a third of their mean
FEWEST_CLIENTS = 3
MOST_NAMED = 4


def unfair(sums: Sequence[ServiceSums], named: set[int], name: Callable[[int], str], large: int) -> Iterable[Verdict]:
    """At most one verdict: on the direction and the kind of sizes, below `large` or not, whose shares are least even.

    Clients that were `named` slow are left out. Chance is in turn for one and for another: so it counts what each
    client has over all scenes, the mean of the logarithms of its rates.
    """
    found = []
    for variant in dict.fromkeys(scene.variant for scene in sums):
        for is_large in (False, True):
            scenes = [s for s in sums if s.variant == variant and (s.bytes >= large) == is_large]
            shares = _shares(scenes, named)
            jain = jain_index(list(shares.values()))
            if len(shares) >= FEWEST_CLIENTS and jain < LEAST_JAIN:
                found.append((jain, _verdict(scenes, shares, jain, name)))
    return [verdict for _, verdict in sorted(found, key=lambda one: one[0])[:1]]


def _shares(scenes: Sequence[ServiceSums], named: set[int]) -> dict[int, float]:
    """What each client has of the rate of all, over all scenes in which it has one."""
    logs: dict[int, list[float]] = {}
    for scene in scenes:
        for client in scene.clients:
            if client.rank not in named and client.requests and client.rate > 0:
                logs.setdefault(client.rank, []).append(float(np.log(client.rate / scene.rate)))
    return {rank: float(np.exp(np.mean(values))) for rank, values in logs.items()}


def _verdict(
    scenes: Sequence[ServiceSums], shares: dict[int, float], jain: float, name: Callable[[int], str]
) -> Verdict:
    worst = min((scene for scene in scenes if scene.finishers), key=lambda scene: scene.jain)
    ends = [client for client in worst.finishers if client.rank in shares]
    below = sum(scene.jain < LEAST_JAIN for scene in scenes)
    named = ends[: min(MOST_NAMED, len(ends) // 2)]
    last = ", ".join(f"{name(one.rank)} after {one.seconds:.4g} s" for one in named)
    text = (
        f"Jain's index over {len(shares)} clients is {jain:.2f}, in {below} of {len(scenes)} scenes of "
        f"{worst.variant or 'requests'} below {LEAST_JAIN}; last were {last}, first was {name(ends[-1].rank)} after "
        f"{ends[-1].seconds:.4g} s; no single client explains it"
    )
    sure = float(np.clip(below / len(scenes), 0.5, SURE))
    return Verdict(
        "group", ("all clients",), "both", "unfair", worst.bytes, ends[0].seconds / ends[-1].seconds, sure,
        worst.flows, text,
    )  # fmt: skip
