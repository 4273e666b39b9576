"""Hosts with a processor that too few have for a kind: they have no equals, so what they take longer says little.

They are fitted with hosts of the kind that they agree with most. If all with one processor are slower alike, and not
by much, that is how they are built, perhaps; hosts that are slower by much, or than others like them, are suspects.
Where two others with its processor are well, this is not why a host is slow.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from everylink.host_lists import folded
from everylink.judge.merged import one_per_subject
from everylink.judge.names import Names
from everylink.judge.verdict import Structure, Verdict

FEWEST_WELL = 2  # others with its processor, which tell that this is not why a host is slow
MOST, ALIKE = 1.5, 1.1  # factors: of a host that is slower by design; between hosts with one processor
QUESTION = "By design, or slow? A run of such hosts only, or the same hosts on another day, tells."


def of_unlike(verdicts: Iterable[Verdict], names: Names, processors: Mapping[str, str]) -> list[Verdict]:
    """Those on slow hosts with a processor of their own, or ranks there, unless some others that have it are all well;
    `processors` by the names of such hosts."""
    slow = {
        one: host for one in verdicts if one.is_end and one.symptom == "slow"
        for host in processors.keys() & names.units_of(one.subject)
    }  # fmt: skip
    slow_hosts = set(slow.values())

    def has_equals(host: str) -> bool:
        others = {other for other, processor in processors.items() if processor == processors[host]} - {host}
        return len(others) >= FEWEST_WELL and others.isdisjoint(slow_hosts)

    return [one for one, host in slow.items() if not has_equals(host)]


def told_of(verdicts: Sequence[Verdict], processors: Mapping[str, str]) -> tuple[list[Structure], list[Verdict]]:
    """What the verdicts of `of_unlike`, of all sizes, come to: structure, and suspects."""
    each = one_per_subject(verdicts)
    worst = {one.subject[0]: one for one in each if one.kind == "host"}
    structures, suspects = list[Structure](), [one for one in each if one.kind != "host"]
    for processor in dict.fromkeys(processors[name] for name in worst):
        hosts = [name for name, own in processors.items() if own == processor]
        slow = [worst[name] for name in hosts if name in worst]
        if len(slow) == len(hosts) and _are_alike(slow):
            structures.append(_class(hosts, processor, max(slow, key=lambda one: one.factor or 0.0)))
        else:
            suspects += slow
    return structures, suspects


def _are_alike(slow: Iterable[Verdict]) -> bool:
    factors = [one.factor or np.inf for one in slow]
    return max(factors) <= MOST and max(factors) <= ALIKE * min(factors)


def _class(hosts: list[str], processor: str, worst: Verdict) -> Structure:
    names, factor = folded(hosts), worst.factor or 1.0
    text = f"{names}: their links take {factor:.2f}x the time of others; no others have their processor, {processor}"
    return Structure("class", (names,), factor, worst.bytes, "facts", text, QUESTION)
