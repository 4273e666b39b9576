"""The fewest verdicts that explain what is slow: without parts that are slow because a larger one is."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from everylink.judge.findings import FAR_SLOWER
from everylink.judge.names import Names
from everylink.judge.pairs import partners_of
from everylink.judge.verdict import BANDWIDTH, Scope, Side, Verdict
from everylink.judge.ways_of_pairs import ways_of_pairs

MOST_INSIDE = 0.6  # of the pairs inside a group: what is slow is all of it
HALF = 0.5  # of the hosts of a group: what they are slower by is what the group seems to be
AS_GROUP = 0.2  # part of the effect (log) of a slow group by which that of a pair inside may differ from it
MUCH = 1.25  # by which a part must be slower than the larger one that it belongs to, for a verdict of its own
OF_GROUP = 1.5  # times the effect (log) of a group by which a trunk at its end must be slower, likewise
SHARED = 1.6  # times as slow again may be a link over a slow trunk or from a slow group: others are on its way, too
MANY_OF_HOST, PART_OF_HOST = 3, 0.09  # slow pairs of a host, and part of its partners, from which it is at fault
SLOW_AT_TIMES = ("slow", "drifting", "flapping", "intermittent")


def smallest_explanation(
    verdicts: Sequence[Verdict],
    names: Names,
    slow_with_all: Set[str] = frozenset(),
    longer: Sequence[Verdict] = (),
    further: Set[Verdict] = frozenset(),
) -> list[Verdict]:
    """Without ranks, pairs and trunks that are hardly slower than their host, group or trunk: its fault is why.

    What a slow group adds is on the links that leave it, so it is not why a pair inside it is slow, unless most are, or
    this one is just as slow: then all of its hosts are, which the ways that leave it may hide.
    Without groups and trunks half of whose hosts, at one end, are slower by themselves, and in large messages without
    trunks of which a part is.
    Without hosts that are slow within only, if a rank of theirs is slow, and hosts of which a rank is far slower at any
    size: it is why. `slow_with_all`: hosts that are slow alone with all others; `longer`: slow pairs whose way may be
    longer by design; they also tell whether links inside a group are slow. `further`: verdicts on parts that are
    farther away by design, which explain only small messages.
    """
    of_ranks: dict[str, float] = {}
    for verdict in verdicts:
        if verdict.is_slow_rank:
            factor = verdict.factor or 1.0
            of_ranks.update({unit: max(of_ranks.get(unit, 1.0), factor) for unit in names.units_of(verdict.subject)})
    verdicts = [one for one in verdicts if not _is_by_its_rank(one, of_ranks)]
    of_small = of_large = _Larger(verdicts, names, of_ranks, longer)
    if not further.isdisjoint(verdicts):
        of_large = _Larger([one for one in verdicts if one not in further], names, of_ranks, longer)
    larger = ((one, of_large if one.bytes >= BANDWIDTH else of_small) for one in verdicts)
    kept = [one for one, parts in larger if not (parts.explain(one) or parts.are_half_of(one))]
    return _hosts_of_pairs(ways_of_pairs(kept, names, slow_with_all), names)


class _Larger:
    """The larger parts that verdicts name: hosts, by the factor of their own or of their slowest rank; groups, and
    whether most pairs inside are slow, too; trunks, by the hosts at one end or at both."""

    def __init__(
        self, verdicts: Sequence[Verdict], names: Names, of_ranks: Mapping[str, float], longer: Sequence[Verdict]
    ) -> None:
        self._names = names
        self._hosts, self._with_ranks = dict[str, float](), dict(of_ranks)
        self._groups: list[tuple[set[str], float, bool]] = []
        self._trunks: list[tuple[list[set[str]], float]] = []
        self._parts: list[set[str]] = []  # the hosts of slow ranks, pairs and links
        for verdict in verdicts:
            units, factor = names.units_of(verdict.subject), verdict.factor or 0.0
            if verdict.kind == "trunk" and verdict.symptom == "slow":
                self._trunks.append((names.ends_of(verdict), factor))
            elif verdict.kind in ("rank", "pair", "link") and verdict.symptom == "slow":
                self._parts.append(units)
            elif verdict.kind == "group" and verdict.symptom in SLOW_AT_TIMES:
                self._groups.append((units, factor, _are_mostly_slow(units, [*verdicts, *longer], names)))
            elif verdict.kind == "host" and verdict.symptom in SLOW_AT_TIMES:
                self._hosts.update({unit: max(self._hosts.get(unit, 0.0), factor) for unit in units})
                then = factor if verdict.symptom == "slow" else np.inf  # how slow it was while a pair was measured
                self._with_ranks.update({unit: max(self._with_ranks.get(unit, 0.0), then) for unit in units})

    def explain(self, verdict: Verdict) -> bool:
        """Whether it is a slow rank, pair or trunk that is hardly slower than a larger part which it belongs to."""
        if verdict.symptom != "slow" or verdict.kind == self._names.unit_kind:
            return False
        units = self._names.units_of(verdict.subject)
        match verdict.kind:
            case "rank":
                usual = [
                    *self._of_hosts(units, self._hosts),
                    *(factor for own, factor, _ in self._groups if units & own),
                ]
            case "pair" | "link":
                usual = [
                    *self._of_hosts(units, self._with_ranks),
                    *self._of_groups(units, verdict),
                    *self._of_trunks(units),
                ]
            case "trunk":
                ends = [end for end in self._names.ends_of(verdict) if end]
                of_groups = [(factor, own) for own, factor, _ in self._groups if any(end <= own for end in ends)]
                usual = [np.inf if self._have_ways(own) else factor**OF_GROUP / MUCH for factor, own in of_groups]
                if len(ends) == 1:
                    whole = (others[0] for others, _ in self._trunks if len(others) == 1)
                    usual += [np.inf for other in whole if ends[0] < other]
                usual += [np.inf for end in ends if self._is_half_slower(end, verdict)]
                if verdict.bytes >= BANDWIDTH and self._has_slower_part(ends, verdict.factor or 0.0):
                    usual.append(np.inf)
            case _:
                return False
        return (verdict.factor or 0.0) <= MUCH * max(usual, default=0.0)

    def are_half_of(self, verdict: Verdict) -> bool:
        """Whether it is a slow group, half of whose hosts or more are slower by themselves: they are why, unless a part
        of the others, or the link between two of them, is named, too."""
        if verdict.kind != "group" or verdict.symptom != "slow":
            return False
        units = self._names.units_of(verdict.subject)
        others = units - self._hosts.keys()
        return self._is_half_slower(units, verdict) and not any(part <= others for part in self._parts)

    def _is_half_slower(self, units: set[str], verdict: Verdict) -> bool:
        """Whether half of these hosts or more are slower by themselves than a group or trunk of theirs."""
        slower = [unit for unit in units if self._hosts.get(unit, 0.0) > (verdict.factor or 1.0)]
        return len(slower) >= HALF * len(units) > 0

    def _has_slower_part(self, ends: Sequence[set[str]], factor: float) -> bool:
        """Whether a slower trunk leads between parts of two ends: large messages over other cables of this way wait for
        those over that one."""
        ways = [others for others, slower in self._trunks if len(ends) == len(others) == 2 and slower > factor]
        turns = (turn for others in ways for turn in (others, others[::-1]) if others not in (ends, ends[::-1]))
        return any(one <= ends[0] and other <= ends[1] for one, other in turns)

    def _have_ways(self, group: set[str]) -> bool:
        """Whether several slow trunks lead from a group to others."""
        return sum(len(ends) == 2 and any(end <= group for end in ends) for ends, _ in self._trunks) > 1

    @staticmethod
    def _of_hosts(units: Iterable[str], hosts: Mapping[str, float]) -> Iterator[float]:
        return (hosts[unit] for unit in units if unit in hosts)

    def _of_groups(self, pair: set[str], verdict: Verdict) -> Iterator[float]:
        """Of a pair inside, that of a group where most are slow, or that is as slow as it: whatever its own."""
        for own, factor, whole in self._groups:
            if pair <= own:
                apart = abs(np.log((verdict.factor or np.inf) / factor)) if factor else np.inf
                yield np.inf if whole or apart <= AS_GROUP * np.log(factor) else 0.0
            elif pair & own:
                yield SHARED * factor

    def _of_trunks(self, pair: set[str]) -> Iterator[float]:
        for ends, factor in self._trunks:
            crosses = all(pair & end for end in ends) if len(ends) == 2 else len(pair & ends[0]) == 1
            if crosses:
                yield SHARED * factor


def _hosts_of_pairs(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
    """A host in place of its slow pairs, if it has many of them."""
    kept = list(verdicts)
    while True:
        pairs = [one for one in kept if one.is_slow_pair and len(names.units_of(one.subject)) == 2]
        partners = partners_of(names.units_of(one.subject) for one in pairs)
        host = max(partners, key=lambda unit: len(partners[unit]), default="")
        if len(partners.get(host, ())) < max(MANY_OF_HOST, PART_OF_HOST * (len(names.units) - 1)):
            return kept
        own = {one: None for one in pairs if host in names.units_of(one.subject)}
        kept = [*(one for one in kept if one not in own), _host_of_pairs(host, list(own), len(partners[host]), names)]


def _host_of_pairs(host: str, pairs: Sequence[Verdict], partners: int, names: Names) -> Verdict:
    """Its direction is that of all pairs, if they have one."""
    sides = {_side_of(host, one, names) for one in pairs}
    worst = max(pairs, key=lambda one: one.factor or 0.0)
    text = f"with {partners} of the other {names.unit_kind}s its links are slow; the worst: {worst.evidence}"
    factor = float(np.median([one.factor or 1.0 for one in pairs]))
    return replace(
        worst, kind=names.unit_kind, subject=(host,), direction=sides.pop() if len(sides) == 1 else Side.BOTH,
        factor=factor, confidence=min(one.confidence for one in pairs), links=sum(one.links for one in pairs),
        evidence=text,
    )  # fmt: skip


def _side_of(host: str, pair: Verdict, names: Names) -> str:
    """The direction of a pair as seen from a host at one of its ends."""
    if pair.direction == Side.BOTH:
        return Side.BOTH
    is_first = host in names.units_of(pair.subject[:1])
    return Side.SEND if is_first == (pair.direction == Side.SEND) else Side.RECEIVE


def _is_by_its_rank(verdict: Verdict, of_ranks: Mapping[str, float]) -> bool:
    """Whether a host is slow because of a rank; `of_ranks`: by host, the factor of its slowest one."""
    if verdict.kind != "host" or verdict.subject[0] not in of_ranks:
        return False
    far_slower = FAR_SLOWER * np.log(verdict.factor or 1.0) < np.log(of_ranks[verdict.subject[0]])
    return verdict.scope == Scope.WITHIN or (verdict.symptom == "slow" and bool(far_slower))


def _are_mostly_slow(units: set[str], verdicts: Sequence[Verdict], names: Names) -> bool:
    """Whether most pairs among these hosts have verdicts, or one of their hosts has."""
    pairs = {frozenset(names.units_of(one.subject)) for one in verdicts if one.kind in ("pair", "link")}
    hosts = {unit for one in verdicts if one.is_slow_host for unit in one.subject}
    others = units - hosts
    every, among_others = (math.comb(len(some), 2) for some in (units, others))
    return sum(pair <= others for pair in pairs) + every - among_others >= MOST_INSIDE * every
