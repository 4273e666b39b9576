"""Hosts that have what too few have for a kind, such as their processor, or in a small run the rate of their adapters:
they have no equals, so what they take longer says little.

They are fitted with hosts of the kind that they agree with most. If all that have one such thing are slower alike, and
not by much, that is how they are built, perhaps; hosts that are slower by much, or than others like them, are suspects.
Where two others that have it are well, this is not why a host is slow.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from everylink.host_lists import folded
from everylink.judge.merged import one_per_subject
from everylink.judge.names import Names
from everylink.judge.verdict import Structure, Verdict

FEWEST_WELL = 2  # others that have the same, which tell that this is not why a host is slow
MOST, ALIKE = 1.5, 1.1  # factors: of a host that is slower by design; between hosts that have the same
QUESTION = "By design, or slow? A run of such hosts only, or the same hosts on another day, tells."


def of_unlike(verdicts: Iterable[Verdict], names: Names, unlike: Mapping[str, str]) -> list[Verdict]:
    """Those on slow hosts that are unlike others, or ranks there, unless some others that have the same are all well;
    `unlike`: what they have, by their names."""
    slow = {
        one: host for one in verdicts if one.is_end and one.symptom == "slow"
        for host in unlike.keys() & names.units_of(one.subject)
    }  # fmt: skip
    slow_hosts = set(slow.values())

    def has_equals(host: str) -> bool:
        others = {other for other, own in unlike.items() if own == unlike[host]} - {host}
        return len(others) >= FEWEST_WELL and others.isdisjoint(slow_hosts)

    return [one for one, host in slow.items() if not has_equals(host)]


def told_of(verdicts: Sequence[Verdict], unlike: Mapping[str, str]) -> tuple[list[Structure], list[Verdict]]:
    """What the verdicts of `of_unlike`, of all sizes, come to: structure, and suspects."""
    each = one_per_subject(verdicts)
    worst = {one.subject[0]: one for one in each if one.kind == "host"}
    structures, suspects = list[Structure](), [one for one in each if one.kind != "host"]
    for what in dict.fromkeys(unlike[name] for name in worst):
        hosts = [name for name, own in unlike.items() if own == what]
        slow = [worst[name] for name in hosts if name in worst]
        if len(slow) == len(hosts) and _are_alike(slow):
            structures.append(_class(hosts, what, max(slow, key=lambda one: one.factor or 0.0)))
        else:
            suspects += slow
    return structures, suspects


def _are_alike(slow: Iterable[Verdict]) -> bool:
    factors = [one.factor or np.inf for one in slow]
    return max(factors) <= MOST and max(factors) <= ALIKE * min(factors)


def _class(hosts: list[str], what: str, worst: Verdict) -> Structure:
    names, factor = folded(hosts), worst.factor or 1.0
    text = f"{names}: their links take {factor:.2f}x the time of others; no others have their {what}"
    return Structure("class", (names,), factor, worst.bytes, "facts", text, QUESTION)
