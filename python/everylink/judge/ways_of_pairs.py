"""Slow pairs between the same two sets of hosts are one verdict on the way between these, whichever groups they are in.

Groups of two hosts, or those of a network without leaves, may not show in the times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from everylink.host_lists import folded
from everylink.judge.confidence import calibrated
from everylink.judge.evidence import Names
from everylink.judge.pairs import partners_of
from everylink.judge.verdict import Side, Verdict

FEWEST = 2  # hosts at each end
ALIKE = 0.5  # part of the median effect (log) by which those of the pairs may differ from it
Set = frozenset[str]


def ways_of_pairs(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
    """The verdicts, with one on a trunk in place of slow pairs that are all those between two sets of hosts."""
    if names.unit_kind != "host":
        return list(verdicts)
    pairs: dict[Set, Verdict] = {}
    for verdict in verdicts:
        if verdict.is_slow_pair and len(ends := frozenset(names.units_of(verdict.subject))) == 2:
            pairs[ends] = verdict
    trunks, told = list[Verdict](), set[Verdict]()
    for one, other in _ends(partners_of(pairs)):
        own = [pairs[frozenset((a, b))] for a in one for b in other]
        if _are_alike(own):
            told |= set(own)
            trunks.append(_trunk(one, other, own))
    return [*(verdict for verdict in verdicts if verdict not in told), *trunks]


def _ends(partners: Mapping[str, set[str]]) -> list[tuple[list[str], list[str]]]:
    """Sets of hosts that are slow with exactly the same others, and these; each two sets once."""
    like: dict[Set, list[str]] = {}
    for host, others in partners.items():
        like.setdefault(frozenset(others), []).append(host)
    both = [(own, sorted(others)) for others, own in like.items() if min(len(own), len(others)) >= FEWEST]
    return [(own, others) for own, others in both if own[0] < others[0] and partners[others[0]] == set(own)]


def _are_alike(pairs: Sequence[Verdict]) -> bool:
    logs = np.log([one.factor or 1.0 for one in pairs])
    middle = float(np.median(logs))
    return bool((np.abs(logs - middle) <= ALIKE * middle).all())


def _trunk(one: Sequence[str], other: Sequence[str], pairs: Sequence[Verdict]) -> Verdict:
    worst = max(pairs, key=lambda pair: pair.factor or 1.0)
    text = (
        f"all {len(pairs)} pairs between them are slow: one of the cables between the switches; of "
        f"{' and '.join(worst.subject)}: {worst.evidence}"
    )
    verdict = replace(
        worst, kind="trunk", subject=(folded(one), folded(other)), direction=str(Side.BOTH), evidence=text,
        factor=float(np.median([pair.factor or 1.0 for pair in pairs])), links=sum(pair.links for pair in pairs),
        confidence=min(pair.confidence for pair in pairs),
    )  # fmt: skip
    return calibrated(verdict, is_alone=True)
