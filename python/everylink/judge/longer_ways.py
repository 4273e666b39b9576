"""Tells ways between switches that are longer by design from slow ones, by the messages that show bandwidth.

A way over more switches, or over a longer cable, takes longer in latency and carries as much as others. A bad cable or
port between switches costs bandwidth, too: it has fewer lanes, a lower rate, or sends again.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.evidence import slow_verdict, trunk_verdict, uplink_verdict
from everylink.judge.findings import Found
from everylink.judge.judged import Judged
from everylink.judge.names import Names
from everylink.judge.trunks import Trunk
from everylink.judge.uplinks import Uplink, are_only_longer
from everylink.judge.verdict import BANDWIDTH, Structure, Verdict
from everylink.robust import Values, is_whole, medians_of
from everylink.units import plural, time_text

QUESTION = "More switches or longer cables on the way by design, or a slow port? The topology tells."
FAR_QUESTION = "At another site, or behind a router or tunnel, by design? No fault of a cable delays small messages so."
LEAST, MORE = 0.05, 2.0  # log of the factor, by less of which links of one class differ; times as many seconds
MOST_OF_THEM, FEWEST_OTHERS = 0.9, 4  # quantile of the pairs that are slow as others are; such pairs that tell
LONGEST_OF_PAIR = np.log(2.0)  # of a pair by itself; what takes longer than a few more switches is a fault
AS_FAR = 1.25  # times as many seconds: a host in no group may be as far away as a group
FAR, FAR_SECONDS = np.log(4.0), 10e-6  # by which small messages of a group take longer: log of the factor, and seconds
Sides = tuple[frozenset[int], frozenset[int]]
Ends = frozenset[str]  # of a pair
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SlowWay:
    """A group, trunk or pair, or a host that is in no group, that is slow in messages too small to show bandwidth.

    `ends`: the hosts at one end, and at the other one; of a group or host, all others. `links`: those that are
    slow, empty for all between these. `seconds`: how much longer its messages take, alone if that was measured.
    `is_only_longer`: whether it is a trunk, and all ways between other groups are equally long.
    """

    kind: str
    verdict: Verdict
    ends: Sides
    links: Pairs
    seconds: float
    is_only_longer: bool = False

    @property
    def subject(self) -> tuple[str, tuple[str, ...], int]:
        """Of its verdict: kind, subject and message size."""
        return self.verdict.kind, self.verdict.subject, self.verdict.bytes

    @property
    def is_far(self) -> bool:
        """Whether it is a group so far away from all others that its ways to them are of another kind."""
        return self.kind == "group" and np.log(self.verdict.factor or 1.0) > FAR and self.seconds > FAR_SECONDS

    def is_as_far(self, group: "SlowWay") -> bool:
        """Whether it takes as many seconds longer as a group does."""
        return group.kind == "group" and 1 / AS_FAR < self.seconds / max(group.seconds, 1e-12) < AS_FAR

    def explains(self, verdict: Verdict, usual: float, is_narrow: bool | None) -> bool:
        """Whether it is the same group, no more seconds slower at another size, or not so alone; `usual`: seconds of
        links between groups there; `is_narrow`: as are_narrow says."""
        is_same = self.kind == verdict.kind == "group" and verdict.subject == self.verdict.subject
        return is_same and (is_narrow is False or usual * ((verdict.factor or 1.0) - 1) <= MORE * self.seconds)


def are_narrow(ways: Sequence[SlowWay], judged: Judged) -> list[bool | None]:
    """Of each way, whether its links alone take longer at this size, too, and by more than a longer way adds.

    A longer way adds as many seconds at all sizes. None: not known.
    """
    longer = _longer_alone([(way.ends, way.links) for way in ways], judged)
    return [
        None if np.isnan(beyond) else beyond > LEAST and seconds > MORE * way.seconds
        for way, (beyond, seconds) in zip(ways, longer, strict=True)
    ]


@dataclass(frozen=True)
class Sites:
    """Groups of hosts that are far from each other, and not equally far: seconds of small messages `inside` a group,
    and over the `shortest` and `longest` way between two."""

    inside: float
    shortest: float
    longest: float

    def explain(self, verdict: Verdict) -> bool:
        """Whether it is slower by no more than ways between the sites differ; a flow with a window also takes twice as
        long over twice the way."""
        return (verdict.factor or 1.0) <= self.longest / self.shortest

    def structure(self, groups: Sequence[str], size: int) -> Structure:
        """What is said of these groups; `size`: bytes of the messages."""
        shortest, longest, inside = map(time_text, (self.shortest, self.longest, self.inside))
        text = (
            f"{plural(len(groups), 'group')} of hosts ({', '.join(groups)}): small messages between two of them take "
            f"{shortest} to {longest}, inside {inside}; so ways between them are compared with nothing"
        )
        return Structure("class", tuple(groups), self.longest / self.inside, size, "times", text, FAR_QUESTION)


def sites_of(judged: Judged) -> Sites | None:
    """None where groups are not far from each other in small messages, or equally far; and of very many hosts."""
    typical = judged.findings.effects.typical
    if not is_whole(judged.readings.hosts) or not _may_be_sites(typical):
        return None
    group_of, times = judged.findings.effects.group_of, judged.readings.between_hosts.median
    one, other = np.nonzero(np.isfinite(times))
    groups = int(group_of.max()) + 1
    way = np.minimum(group_of[one], group_of[other]) * groups + np.maximum(group_of[one], group_of[other])
    ways, usual = medians_of(times[one, other].astype(np.float64), way)
    is_inside = ways // groups == ways % groups
    if is_inside.all() or not is_inside.any():
        return None
    inside, between = (np.exp(usual[which]) for which in (is_inside, ~is_inside))
    found = Sites(float(np.median(inside)), float(between.min()), float(between.max()))
    is_far = found.shortest > np.exp(FAR) * found.inside and found.shortest - found.inside > FAR_SECONDS
    return found if is_far and found.longest - found.shortest > FAR_SECONDS else None


def _may_be_sites(typical: Values) -> bool:
    """Whether any class of links between groups takes that much longer than one inside them, by Effects.typical: what
    each way takes need not be known of others."""
    between, inside = (typical[..., near][np.isfinite(typical[..., near])] for near in (0, 1))
    return bool(len(between) and len(inside)) and bool(between.max() - inside.min() > FAR)


@dataclass
class LongerPairs:
    """Pairs whose way is slow as others are, at any size: longer by design, or over a slow uplink, which may show at
    one size in many pairs, and at another in a few.

    `seconds`: by how much the messages of a pair may take longer for that. A longer way adds as many seconds to large
    messages as to small ones. `usual`: seconds of a message of a slow pair without what it takes longer, by its size.
    `repeated`: pairs that large messages show to be slow as others are; `beyond`: what slow pairs take longer alone, by
    their size: log of the factor and seconds. `hosts`: of each slow pair; `small`: the judgement of the largest size
    below BANDWIDTH.
    """

    seconds: dict[Ends, float] = field(default_factory=dict)
    usual: dict[tuple[Ends, int], float] = field(default_factory=dict)
    repeated: set[Ends] = field(default_factory=set)
    beyond: dict[tuple[Ends, int], tuple[float, float]] = field(default_factory=dict)
    hosts: dict[Ends, tuple[int, ...]] = field(default_factory=dict)
    small: Judged | None = None

    def see(self, judged: Judged, names: Names) -> None:
        """The slow pairs of one size."""
        for found in judged.findings.bad:
            if found.kind == "pair":
                self.see_pair(found, judged, names)

    def see_pair(self, pair: Found, judged: Judged, names: Names) -> None:
        """A pair that is slow at this size."""
        expected, ends = judged.findings.effects.expected_at(*pair.subject), frozenset(names.of(pair)[1])
        self.usual[ends, judged.size.bytes] = float(np.exp(expected))
        self.hosts[ends] = pair.subject

    def add(self, judged: Judged, names: Names) -> None:
        """Those of one size that are longer by design, or of an uplink."""
        self.see(judged, names)
        size = judged.size.bytes
        of_uplinks = (pair for uplink in judged.uplinks for pair in uplink.pairs)
        for pair in (*judged.repeated, *of_uplinks):
            ends = frozenset(names.of(pair)[1])
            longer = MORE * self.usual[ends, size] * np.expm1(pair.effect) if size < BANDWIDTH else np.inf
            self.seconds[ends] = max(self.seconds.get(ends, 0.0), float(longer))
        if size < BANDWIDTH:
            self.small = judged
        else:
            self.repeated |= {frozenset(names.of(pair)[1]) for pair in judged.repeated}
        alone = _pairs_alone(self.hosts, judged)
        self.beyond |= {(ends, size): longer for ends, longer in alone.items() if longer[0] > 0}

    def explain(self, verdict: Verdict) -> bool:
        """Whether a slow pair takes no longer than that; so do those of which the usual time is not known."""
        ends, size = frozenset(verdict.subject), verdict.bytes
        beyond = self._beyond_others(ends, size)
        if beyond is not None and (beyond < LEAST or ends in self.repeated):
            return beyond < LEAST
        longer = self.usual.get((ends, size), 0.0) * ((verdict.factor or 1.0) - 1)
        _, alone = self.beyond.get((ends, size), (0.0, longer))
        if size >= BANDWIDTH and alone <= MORE * self._in_small.get(ends, -1.0):
            return True
        return ends in self.seconds and longer <= self.seconds[ends]

    @cached_property
    def _in_small(self) -> dict[Ends, float]:
        """How many seconds longer small messages of the slow pairs of all sizes take alone, where this is known and not
        little."""
        if self.small is None:
            return {}
        longer = _pairs_alone(self.hosts, self.small)
        return {ends: seconds for ends, (beyond, seconds) in longer.items() if beyond > LEAST}

    def _beyond_others(self, ends: Ends, size: int) -> float | None:
        """How much longer a pair takes alone than nearly all of those that are slow as others are, log of the factor;
        None where that is not known."""
        others = [self.beyond[one, size][0] for one in self.repeated if one != ends and (one, size) in self.beyond]
        if (ends, size) not in self.beyond or len(others) < FEWEST_OTHERS:
            return None
        return self.beyond[ends, size][0] - float(np.quantile(others, MOST_OF_THEM))


def structures_of(ways: Sequence[SlowWay], names: Names) -> Iterator[Structure]:
    """One for each group and trunk, and one for all pairs."""
    for way in ways:
        if way.is_far:
            subject = names.in_short(sorted(way.ends[0]))
            text = f"{subject}: its small messages to other groups take {time_text(way.seconds)} longer than others"
            yield Structure(
                "class", (subject,), way.verdict.factor or 1.0, way.verdict.bytes, "times", text, FAR_QUESTION
            )
        elif way.kind != "pair":
            which = [names.in_short(sorted(end)) for end in way.ends]
            subject = " and ".join(which) if way.kind == "trunk" else which[0]
            what = "links between them" if way.kind == "trunk" else "its links with other groups"
            yield _class(subject, f"{subject}: {what} take", way)
    if pairs := [way for way in ways if way.kind == "pair"]:
        worst = max(pairs, key=lambda way: way.verdict.factor or 1.0)
        example = " and ".join(names.in_short(end) for end in worst.ends)
        takes = "takes" if len(pairs) == 1 else "take up to"
        yield _class("pairs", f"{plural(len(pairs), 'pair')}, such as {example}, {takes}", worst)


def _class(subject: str, beginning: str, way: SlowWay) -> Structure:
    factor = way.verdict.factor or 1.0
    text = f"{beginning} {factor:.2f}x the time of others in small messages, and large ones are delayed no further"
    return Structure("class", (subject,), factor, way.verdict.bytes, "times", text, QUESTION)


def slow_ways(judged: Judged, names: Names) -> list[SlowWay]:
    """The groups, trunks, pairs, and hosts in no group that are slow at a size, if this is too small to show
    bandwidth."""
    if judged.size.bytes >= BANDWIDTH:
        return []
    group_of = judged.findings.effects.group_of
    in_group = np.bincount(group_of)
    found: list[tuple[str, Found | Trunk | Uplink, Verdict]] = [
        (one.kind, one, slow_verdict(one, judged, names)) for one in judged.unexplained
        if one.kind == "group" or (one.kind == "pair" and one.effect < LONGEST_OF_PAIR)
        or (one.kind == "host" and in_group[group_of[one.subject[0]]] == 1)
    ]  # fmt: skip
    found += [("trunk", trunk, trunk_verdict(trunk, judged, names)) for trunk in judged.trunks]
    found += [("trunk", uplink, uplink_verdict(uplink, judged, names)) for uplink in judged.uplinks]
    parts = [(_ends(one, judged), _links(one)) for _, one, _ in found]
    typical = judged.findings.effects.typical
    between = seconds_between_groups(typical)
    usual = between if np.isfinite(between) else float(np.exp(np.nanmedian(typical)))
    ways, are_only = [], are_only_longer(judged.trunks, judged.between)
    for (kind, one, verdict), (ends, links), (_, seconds) in zip(
        found, parts, _longer_alone(parts, judged), strict=True
    ):
        if np.isnan(seconds):  # not measured alone
            seconds = float(usual * np.expm1(one.effect))
        ways.append(SlowWay(kind, verdict, ends, links, seconds, are_only and isinstance(one, Trunk)))
    return ways


def seconds_between_groups(typical: Values) -> float:
    """What links between groups usually take, of Effects.typical; infinity where there is only one group."""
    between = typical[..., 0][np.isfinite(typical[..., 0])]
    return float(np.exp(np.median(between))) if len(between) else np.inf


def _pairs_alone(hosts: Mapping[Ends, tuple[int, ...]], judged: Judged) -> dict[Ends, tuple[float, float]]:
    """As PhaseReadings.longer_than_equals, of each of these pairs."""
    longer = judged.alone.longer_than_equals([[(one, other)] for one, other in hosts.values()], judged.findings)
    return dict(zip(hosts, longer, strict=True))


def _longer_alone(parts: Sequence[tuple[Sides, Pairs]], judged: Judged) -> list[tuple[float, float]]:
    """As PhaseReadings.longer_than_equals, of some links, or of all between two sets of hosts."""
    if not parts:
        return []
    alone = judged.alone
    ways = [
        list(links) or alone.of_hosts.between(*(np.array(sorted(end)) for end in ends))
        for ends, links in parts
    ]  # fmt: skip
    return alone.longer_than_equals(ways, judged.findings)


def _links(one: Found | Trunk | Uplink) -> Pairs:
    """The links that are slow; empty for all between its ends."""
    return tuple(one.links) if isinstance(one, Uplink) else ()


def _ends(one: Found | Trunk | Uplink, judged: Judged) -> Sides:
    group_of = judged.findings.effects.group_of
    match one:
        case Trunk():
            return _hosts(group_of == one.group), frozenset(one.far)
        case Uplink():
            hosts = frozenset(host for pair in one.pairs for host in pair.subject)
            return hosts & one.members, hosts - one.members
    if one.kind == "pair":
        return frozenset(one.subject[:1]), frozenset(one.subject[1:])
    group = group_of[one.subject[0]] if one.kind == "host" else one.subject[0]
    return _hosts(group_of == group), _hosts(group_of != group)


def _hosts(mask: NDArray[np.bool_]) -> frozenset[int]:
    return frozenset(np.flatnonzero(mask).tolist())


def is_longer_by_design(narrow: Collection[bool | None]) -> bool:
    """By what are_narrow says at each size that shows bandwidth: at one it is not, and at none it is."""
    return False in narrow and True not in narrow
