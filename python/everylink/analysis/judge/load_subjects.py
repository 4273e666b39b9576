"""What of a load pattern is called slow: ranks, the host of all of them, or the device that they share."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everylink.analysis.judge.evidence import Names, confidence_of
from everylink.analysis.judge.shares import Slow, shared_device, too_many
from everylink.analysis.judge.verdict import Verdict
from everylink.analysis.judge.verdicts import Said
from everylink.results import Results

TOO_MANY = "More than a third of the {} look slow, so it cannot be told which are well."
OTHER_WAY = {"send": "receiving", "receive": "sending"}


@dataclass(frozen=True)
class Seen:
    """One that is slow in messages of one direction, and where that shows most."""

    slow: Slow
    direction: str
    bytes: int
    evidence: str


def say(results: Results, names: Names, said: Said, who: str, seen: Sequence[Seen], judged: Sequence[int]) -> set[int]:
    """A verdict each, one on their host where all of its ranks are slow, or one on the device that all share.

    Gives the ranks that are named, none where these are too many to be sure.
    """
    by_rank: dict[int, list[Seen]] = {}
    for one in seen:
        by_rank.setdefault(one.slow.unit, []).append(one)
    slow = sorted(by_rank)
    if device := shared_device(results.ranks, judged, slow):
        worst = max(seen, key=lambda one: one.slow.factor)
        which = names.rank(worst.slow.unit)
        text = f"all {len(slow)} {who} on {device} are slow, and none of the others; {which}: "
        said.found.append(_verdict(("group", (f"{who} on {device}",)), list(seen), text, len(slow)))
        return set(slow)
    verdicts = list(_of_ranks(results, names, by_rank, judged))
    if too_many([ones[0].slow for ones in by_rank.values()]):
        said.suspects += verdicts
        said.remarks.append(TOO_MANY.format(who))
        return set()
    said.found += verdicts
    return set(slow)


def _of_ranks(
    results: Results, names: Names, by_rank: dict[int, list[Seen]], judged: Sequence[int]
) -> Iterable[Verdict]:
    host_of = results.ranks.host_index
    done: set[int] = set()
    for rank, ones in by_rank.items():
        host = int(host_of[rank])
        if host in done:
            continue
        here = [other for other in judged if host_of[other] == host]
        whole = len(names.hosts) > 1 and all(other in by_rank for other in here)
        if whole:
            done.add(host)
            ones = [one for other in here for one in by_rank[other]]
        subject = ("host", (names.hosts[host],)) if whole else ("rank", (names.rank(rank),))
        device = "" if whole else names.on_one_device(rank, set(by_rank))
        yield _verdict(subject, ones, "", len(here) if whole else 1, device)


def _verdict(
    subject: tuple[str, tuple[str, ...]], ones: list[Seen], before: str, ranks: int, behind: str = ""
) -> Verdict:
    """The clearest of what was seen of a subject speaks for it."""
    worst = max(ones, key=lambda one: one.slow.factor)
    ways = {one.direction for one in ones}
    if others := [one.slow.factor for one in ones if one.direction != worst.direction]:
        behind = f"; {OTHER_WAY[worst.direction]} {max(others):.2f} times" + behind
    surest = max(confidence_of(one.slow.z, one.slow.tested) for one in ones)
    readings = math.ceil(sum(one.slow.readings for one in ones) / max(ranks, 1))
    return Verdict(
        *subject, ways.pop() if len(ways) == 1 else "both", "slow", worst.bytes, worst.slow.factor, surest, readings,
        before + worst.evidence + behind,
    )  # fmt: skip
