"""The fewest verdicts that explain what is slow: without parts that are slow because a larger one is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from everylink.judge.evidence import Names
from everylink.judge.findings import FAR_SLOWER
from everylink.judge.pairs import partners_of
from everylink.judge.verdict import Scope, Side, Verdict
from everylink.judge.ways_of_pairs import ways_of_pairs

MOST_INSIDE = 0.6  # of the pairs inside a group: what is slow is all of it
MUCH = 1.25  # by which a part must be slower than the larger one that it belongs to, for a verdict of its own
OF_GROUP = 1.5  # times the effect (log) of a group by which a trunk at its end must be slower, likewise
SHARED = 1.6  # times as slow again may be a link that crosses a slow trunk: others share it at the same time
MANY_OF_HOST, PART_OF_HOST = 3, 0.09  # slow pairs of a host, and part of its partners, from which it is at fault
SLOW_AT_TIMES = ("slow", "drifting", "flapping", "intermittent")


def smallest_explanation(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
    """Without ranks, pairs and trunks that are hardly slower than their host, group or trunk: its fault is why.

    What a slow group adds is on the links that leave it, so it is not why a pair inside it is slow, unless most are:
    then all of its hosts are, which the ways that leave it may hide.
    Without hosts that are slow within only, if a rank of theirs is slow, and hosts of which a rank is far slower at any
    size: it is why.
    """
    of_ranks: dict[str, float] = {}
    for verdict in verdicts:
        if verdict.kind == "rank" and verdict.symptom == "slow":
            factor = verdict.factor or 1.0
            of_ranks.update({unit: max(of_ranks.get(unit, 1.0), factor) for unit in names.units_of(verdict.subject)})
    verdicts = [one for one in verdicts if not _is_by_its_rank(one, of_ranks)]
    hosts: dict[str, float] = {}
    groups: list[tuple[set[str], float, bool]] = []
    trunks = {one: names.ends_of(one) for one in verdicts if one.kind == "trunk" and one.symptom == "slow"}
    between = [(ends, trunk.factor or 0.0) for trunk, ends in trunks.items() if len(ends) == 2]
    leaving = [(ends[0], trunk.factor or 0.0) for trunk, ends in trunks.items() if len(ends) == 1]
    for verdict in verdicts:
        if verdict.kind in ("host", "group") and verdict.symptom in SLOW_AT_TIMES:
            units, factor = names.units_of(verdict.subject), verdict.factor or 0.0
            if verdict.kind == "group":
                groups.append((units, factor, _are_mostly_slow(units, verdicts, names)))
            else:
                hosts.update({unit: max(hosts.get(unit, 0.0), factor) for unit in units})
    kept = []
    for verdict in verdicts:
        units, inside = names.units_of(verdict.subject), verdict.kind in ("pair", "link")
        of_ends = [hosts.get(unit, 0.0) for unit in units]
        of_ends += [factor for own, factor, whole in groups if units & own and (whole or not (inside and units <= own))]
        of_ends += [SHARED * factor for (one, other), factor in between if inside and units & one and units & other]
        of_ends += [SHARED * factor for own, factor in leaving if inside and len(units & own) == 1]
        if verdict in trunks:
            of_ends = [factor**OF_GROUP / MUCH for own, factor, _ in groups if own in trunks[verdict]]
        small = verdict in trunks or (verdict.kind in ("rank", "pair", "link") and verdict.kind != names.unit_kind)
        if inside and any(whole and units <= own for own, _, whole in groups):
            of_ends.append(np.inf)
        if not (small and verdict.symptom == "slow" and (verdict.factor or 0.0) <= MUCH * max(of_ends, default=0.0)):
            kept.append(verdict)
    return _hosts_of_pairs(ways_of_pairs(kept, names), names)


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
    """Whether most pairs among these hosts have verdicts."""
    pairs = {frozenset(names.units_of(one.subject)) for one in verdicts if one.kind in ("pair", "link")}
    return sum(pair <= units for pair in pairs) >= MOST_INSIDE * len(units) * (len(units) - 1) / 2
