"""One verdict in place of those on all ways between two sets of groups, which are slow alike."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from everylink.judge.merged import in_place_of
from everylink.judge.names import Names
from everylink.judge.verdict import Side, Verdict

ALIKE = 0.1  # by which ways over one part differ, log of the factor
Hosts = frozenset[str]


@dataclass(frozen=True)
class _Way:
    """A verdict on the way between two groups of hosts, `ends` in its order."""

    verdict: Verdict
    ends: tuple[Hosts, Hosts]

    def turned(self) -> "_Way":
        return _Way(self.verdict, self.ends[::-1])

    def is_alike(self, other: "_Way") -> bool:
        one, two = self.verdict, other.verdict
        beyond = np.log((one.factor or 1.0) / (two.factor or 1.0))
        return one.bytes == two.bytes and one.direction == two.direction and bool(abs(beyond) < ALIKE)


def joined_ways(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
    """The verdicts, with one on the way between two sets of groups in place of those on each way between these."""
    joined, told, ways = list[Verdict](), set[Verdict](), list(_ways(verdicts, names))
    for way in ways:
        own = [] if way.verdict in told else _between_two_sets(way, ways)
        if len(own) > 1:
            told |= {one.verdict for one in own}
            joined.append(_joined(own, names))
    return [*(one for one in verdicts if one not in told), *joined]


def _ways(verdicts: Sequence[Verdict], names: Names) -> Iterator[_Way]:
    for one in verdicts:
        if one.kind == "trunk" and one.symptom == "slow" and len(one.subject) == 2:
            first, second = map(frozenset, names.ends_of(one))
            if first and second:
                yield _Way(one, (first, second))


def _between_two_sets(first: _Way, ways: Sequence[_Way]) -> list[_Way]:
    """All ways between the groups that are joined by ways like this one, the ends of each from the same set; empty if
    there are others between some of these groups, or too few between the two sets."""
    alike = [way for way in ways if first.is_alike(way)]
    if first.verdict.direction == Side.BOTH:
        alike += [way.turned() for way in alike]
    ends = {way.ends[1] for way in alike if way.ends[0] == first.ends[0]}
    starts = {way.ends[0] for way in alike if way.ends[1] in ends}
    own = [way for way in alike if way.ends[0] in starts]
    is_whole = not starts & ends and len(own) == len(starts) * len(ends) and all(way.ends[1] in ends for way in own)
    return own if is_whole else []


def _joined(ways: Sequence[_Way], names: Names) -> Verdict:
    number = {unit: at for at, unit in enumerate(names.units)}
    sides = (set[str]().union(*(way.ends[side] for way in ways)) for side in (0, 1))
    subject = tuple(names.in_short(sorted(number[unit] for unit in side)) for side in sides)
    text = f"{len(ways)} ways between groups of these, all slow; between"
    return replace(in_place_of([way.verdict for way in ways], text), subject=subject)
