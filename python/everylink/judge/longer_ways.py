"""Tells ways between switches that are longer by design from slow ones, by the messages that show bandwidth.

A way over more switches, or over a longer cable, takes longer in latency and carries as much as others. A bad cable or
port between switches costs bandwidth, too: it has fewer lanes, a lower rate, or sends again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.evidence import Judged, Names, slow_verdict, trunk_verdict, uplink_verdict
from everylink.judge.findings import Found
from everylink.judge.trunks import Trunk
from everylink.judge.uplinks import Uplink
from everylink.judge.verdict import BANDWIDTH, Structure, Verdict
from everylink.units import plural

QUESTION = "More switches or longer cables on the way by design, or a slow port? The topology tells."
LEAST, MORE = 0.05, 2.0  # log of the factor, by less of which links of one class differ; times as many seconds
LONGEST_OF_PAIR = np.log(1.5)  # of a pair by itself; what takes longer than a few more switches is a fault
Ends = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class SlowWay:
    """A group, trunk or pair that is slow in messages too small to show bandwidth.

    `ends`: the hosts at one end, and at the other one; of a group, all that are not in it. `links`: those that are
    slow, empty for all between these. `seconds`: how much longer its messages take, alone if that was measured.
    """

    kind: str
    verdict: Verdict
    ends: Ends
    links: tuple[tuple[int, int], ...]
    seconds: float

    @property
    def subject(self) -> tuple[str, tuple[str, ...], int]:
        """Of its verdict: kind, subject and message size."""
        return self.verdict.kind, self.verdict.subject, self.verdict.bytes

    def is_narrow(self, judged: Judged) -> bool | None:
        """Whether its links alone take longer at this size, too, and by more than a longer way adds; None: not known.

        That is as many seconds at all sizes.
        """
        beyond, seconds = _longer_alone(judged, self.ends, self.links)
        return None if np.isnan(beyond) else beyond > LEAST and seconds > MORE * self.seconds


def structures_of(ways: Sequence[SlowWay], names: Names) -> Iterator[Structure]:
    """One for each group and trunk, and one for all pairs."""
    for way in ways:
        if way.kind != "pair":
            which = [names.in_short(sorted(end)) for end in way.ends]
            subject = which[0] if way.kind == "group" else " and ".join(which)
            what = "its links with other groups" if way.kind == "group" else "links between them"
            yield _class(subject, f"{subject}: {what} take", way)
    if pairs := [way for way in ways if way.kind == "pair"]:
        worst = max(pairs, key=lambda way: way.verdict.factor or 1.0)
        example = " and ".join(names.in_short(end) for end in worst.ends)
        takes = "takes" if len(pairs) == 1 else "take up to"
        yield _class("pairs", f"{plural(len(pairs), 'pair')}, such as {example}, {takes}", worst)


def _class(subject: str, beginning: str, way: SlowWay) -> Structure:
    factor = way.verdict.factor or 1.0
    text = f"{beginning} {factor:.2f}x the time of others in small messages, and no longer in large ones"
    return Structure("class", (subject,), factor, way.verdict.bytes, "times", text, QUESTION)


def slow_ways(judged: Judged, names: Names) -> Iterator[SlowWay]:
    """The groups, trunks and pairs that are slow at a size, if this is too small to show bandwidth."""
    if judged.size.bytes >= BANDWIDTH:
        return
    for one in judged.unexplained:
        if one.kind == "group" or (one.kind == "pair" and one.effect < LONGEST_OF_PAIR):
            yield _way(one.kind, _ends(one, judged), (), slow_verdict(one, judged, names), one.effect, judged)
    for trunk in judged.trunks:
        yield _way("trunk", _ends(trunk, judged), (), trunk_verdict(trunk, judged, names), trunk.effect, judged)
    for uplink in judged.uplinks:
        links = tuple((pair.subject[0], pair.subject[1]) for pair in uplink.pairs)
        yield _way("trunk", _ends(uplink, judged), links, uplink_verdict(uplink, judged, names), uplink.effect, judged)


def _way(
    kind: str, ends: Ends, links: tuple[tuple[int, int], ...], verdict: Verdict, effect: float, judged: Judged
) -> SlowWay:
    seconds = _longer_alone(judged, ends, links)[1]
    if np.isnan(seconds):  # not measured alone
        typical = judged.findings.effects.typical
        seconds = float(np.exp(np.nanmedian(typical)) * np.expm1(effect))
    return SlowWay(kind, verdict, ends, links, seconds)


def _longer_alone(judged: Judged, ends: Ends, links: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """As PhaseReadings.longer_than_equals, of some links, or all between two sets of hosts."""
    alone = judged.alone
    between = alone.of_hosts.between(*(np.array(sorted(end)) for end in ends))
    return alone.longer_than_equals(list(links) or between, judged.findings)


def _ends(one: Found | Trunk | Uplink, judged: Judged) -> Ends:
    group_of = judged.findings.effects.group_of
    match one:
        case Trunk():
            return _hosts(group_of == one.group), frozenset(one.far)
        case Uplink():
            hosts = frozenset(host for pair in one.pairs for host in pair.subject)
            return hosts & one.members, hosts - one.members
    if one.kind == "pair":
        return frozenset(one.subject[:1]), frozenset(one.subject[1:])
    return _hosts(group_of == one.subject[0]), _hosts(group_of != one.subject[0])


def _hosts(mask: NDArray[np.bool_]) -> frozenset[int]:
    return frozenset(np.flatnonzero(mask).tolist())


def is_longer_by_design(narrow: Sequence[bool | None]) -> bool:
    """By what SlowWay.is_narrow says at each size that shows bandwidth: at one it is not, and at none it is."""
    return False in narrow and True not in narrow
