"""Judges a results file: the fewest components that explain what was measured, worst first."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from everylink.judge.confidence import calibrated
from everylink.judge.contention import matched_alone, only_under_load
from everylink.judge.crowd import crowd_remarks, crowded_hosts, less_certain
from everylink.judge.effects import FEWEST_GROUPS, FEWEST_HOSTS, Effects
from everylink.judge.evidence import (
    Judged,
    Names,
    confidence_of,
    loaded_verdict,
    plane_verdict,
    slow_verdict,
    trunk_verdict,
    uplink_verdict,
    within_verdict,
)
from everylink.judge.expect import Expectation, below_expectation
from everylink.judge.expected import Expected, expected_of
from everylink.judge.findings import FAR_SLOWER, Found, find, pairs_found
from everylink.judge.grouping import groups_for
from everylink.judge.intermittent import Intermittent, find_intermittent, score
from everylink.judge.intermittent_alone import alone_steps, find_alone
from everylink.judge.kinds import Equals, Kinds, equals_for, kinds_of, levelled
from everylink.judge.lateness import Late, late_hosts, late_suspects
from everylink.judge.longer_ways import LongerPairs, SlowWay, are_narrow, is_longer_by_design, slow_ways, structures_of
from everylink.judge.pairs import partners_of
from everylink.judge.phases import FEWEST_UNDER_LOAD, alone_rows, measured_in, quarter_rows
from everylink.judge.planes import slow_planes
from everylink.judge.quiet import is_covered, judged_quietly, more_ends, more_ways, quiet_readings
from everylink.judge.rails import without_unreachable
from everylink.judge.readings import readings
from everylink.judge.rows_of_hosts import rows_of_hosts
from everylink.judge.structure import each_once, oversubscribed, structures_at
from everylink.judge.trunks import FEWEST_ENDS, Trunk, are_too_many
from everylink.judge.verdict import BANDWIDTH, FEW_HOSTS, SURE, SYMPTOMS, Judgement, Scope, Side, Structure, Verdict
from everylink.judge.ways_of_pairs import ways_of_pairs
from everylink.judge.within import find_within
from everylink.links.failed import Failures, fold_failures
from everylink.links.planned import links_planned
from everylink.links.unmeasured import partly_unmeasured, unmeasured
from everylink.model.changes import Change
from everylink.model.groups import Grouping
from everylink.model.results import UNKNOWN, Results, Size
from everylink.model.rows import ONE_WAY, Outcome
from everylink.units import plural, size_text, time_text

FALSE_RATE = 0.001
OUTCOMES: dict[int, str] = {
    Outcome.TIMEOUT: "timeout", Outcome.BROKEN: "broken", Outcome.CORRUPT: "corrupt", Outcome.ABSENT: "absent",
    Outcome.PRESUMED: "timeout",
}  # fmt: skip
MOST_INSIDE = 0.6  # of the pairs inside a group: what is slow is all of it
MANY_FAILED = 16  # links of one part, of which none but a few work: that does not happen by chance
MUCH = 1.25  # by which a part must be slower than the larger one that it belongs to, for a verdict of its own
OF_GROUP = 1.5  # times the effect (log) of a group by which a trunk at its end must be slower, likewise
SHARED = 1.6  # times as slow again may be a link that crosses a slow trunk: others share it at the same time
MANY_OF_HOST, PART_OF_HOST = 3, 0.09  # slow pairs of a host, and part of its partners, from which it is at fault
SAME_AS_FAR = 0.05  # log of the factor
SHOWN_SUSPECT_Z = 3.0
FEW_BAD, PART_BAD = 2, 0.05  # limits on bad hosts while groups are unknown
SLOW_AT_TIMES = ("slow", "drifting", "flapping", "intermittent")
AT_TIMES = ("loss", "flapping", "intermittent")  # some messages or steps take `factor` times as long
FAR_MORE = 4.0  # times as much longer: it happens in a part of the steps
KINDS_OF_CHANGES = {"class": "group", "within": "host", "hosts": "pair"}  # kinds of `compare` -> kinds of verdicts
FEW_TO_COMPARE, MOST_OF_FEW = 13, 1 / 3  # if more than this part of so few is slow, which are healthy is unknown
MANY_OF_FEW = "More than a third of so few look slow, so it cannot be told which are well: --expect or --baseline can."
UNKNOWN_GROUPS = (
    "Too few links were measured to see which hosts share a switch, so what looks slow may be how groups differ: "
    "--topology FILE names them."
)


@dataclass(frozen=True)
class Earlier:
    """An earlier run, and what became slower since then according to a comparison."""

    path: Path
    slower: Sequence[Change]


def judge(
    results: Results,
    grouping: Grouping | None = None,
    expected: Expectation | None = None,
    earlier: Earlier | None = None,
    alone: Results | None = None,
) -> Judgement:
    """Judge every size. A subject that shows at several sizes is reported once, at the clearest.

    Links are compared with each other, and optionally with what is `expected`, with an `earlier` run, and with a run
    that measured each pair of the same ranks `alone`. Raises UserMistake if the runs do not fit.
    """
    if alone is not None:
        alone = matched_alone(results, alone)
    results, rails = without_unreachable(results)
    found: list[Verdict] = [] if expected is None else list(below_expectation(results, expected))
    if earlier is not None:
        found += _slower_than_before(earlier)
    kinds = kinds_of(results)
    groups, known = groups_for(results if alone is None else alone, grouping, kinds)
    equals = equals_for(results, groups, kinds)
    names = Names(results, grouping, groups)
    collected = _compared(results, names, kinds, equals, known)
    collected.structure += rails
    verdicts = one_per_subject(found + collected.found)
    if alone is not None:
        serial = _compared(alone, Names(alone, grouping, groups), kinds, equals, known)
        verdicts = only_under_load(verdicts, judgement(alone, serial, one_per_subject(serial.found)))
        collected.structure += oversubscribed(results, alone, groups, names)
    verdicts = _smallest_explanation(verdicts, names)
    verdicts = [one for one in verdicts if (one.kind, one.subject, one.bytes) not in collected.longer]
    return judgement(results, collected, rows_of_hosts(verdicts, names))


def _smallest_explanation(verdicts: Sequence[Verdict], names: Names) -> list[Verdict]:
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
        pairs = [one for one in kept if _is_slow_pair(one) and len(names.units_of(one.subject)) == 2]
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


@dataclass
class LinkVerdicts:
    """What comparing the links of a run with each other yields.

    `longer`: kind, subject and size of what is found, but slow by design.
    """

    found: list[Verdict] = field(default_factory=list)
    suspects: list[Verdict] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    structure: list[Structure] = field(default_factory=list)
    not_looked_for: list[str] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    longer: frozenset[tuple[str, tuple[str, ...], int]] = frozenset()


def _compared(results: Results, names: Names, kinds: Kinds, equals: Equals, known: bool) -> LinkVerdicts:
    """`known`: whether the groups are known."""
    collected, longer, bad_hosts = LinkVerdicts(), LongerPairs(), frozenset[int]()
    of_quiet = list[Verdict]()  # ways, at the largest size that shows any
    under_load, narrow_ways = list[Verdict](), dict[SlowWay, list[bool | None]]()
    crowded, of_rails, kinds_of_hosts = crowded_hosts(results), set[tuple[str, ...]](), dict[tuple[str, ...], float]()
    behind_rails = set[frozenset[str]]()  # the hosts of groups of which a rail is slow
    for size in results.sizes:
        collected.found += failed_verdicts(fold_failures(results, size), size)
        seen = readings(results, size)
        if not seen.count:
            continue
        seen = levelled(seen, equals)
        findings = find(seen, equals, blind=not known)
        collected.expected.append(expected_of(size, seen, findings.effects))
        judged = Judged(
            results.ranks, names.grouping is not None, size, seen, findings,
            alone=measured_in(alone_rows(size), seen, bad_elsewhere=bad_hosts),
            quarter=measured_in(quarter_rows(size), seen, FEWEST_UNDER_LOAD, bad_hosts),
            one_way=measured_in(size.rows.of_attempt(ONE_WAY), seen),
        )  # fmt: skip
        bad_hosts |= {one.subject[0] for one in judged.unexplained if one.kind == "host"}
        slow = list(_slow(judged, names))
        sure = slow if known else _sure_without_groups(slow, seen.hosts)
        if len(sure) < len(slow):
            collected.remarks.append(UNKNOWN_GROUPS)
        elif FEW_HOSTS <= seen.hosts < FEW_TO_COMPARE and sum(map(_is_end, slow)) > seen.hosts * MOST_OF_FEW:
            sure = [verdict for verdict in slow if not _is_end(verdict)]
            collected.remarks.append(MANY_OF_FEW)
        at_quarter = quiet_readings(results, size) if known and not crowded else None
        quiet = judged_quietly(judged, at_quarter) if at_quarter is not None and is_covered(at_quarter) else None
        within = find_within(results, size)
        clear = [*sure, *_late(judged, names), *_trunks(judged, names)]
        ways = judged.slow_ways if quiet is None else judged.slow_ways | quiet.slow_ways
        clear += [*_drifting(judged, names), *_intermittent(judged, names, crowded, ways)]
        clear += [within_verdict(host, size, names) for host in within if host.sure]
        planes = slow_planes(results.ranks, seen, kinds)
        clear += [plane_verdict(plane, size, names) for plane in planes]
        clear += [plane_verdict(rail, size, names, of_group=True) for rail in judged.rails]
        if quiet is not None:
            clear += [slow_verdict(found, quiet, names) for found in more_ends(quiet, judged)]
            of_quiet = [calibrated(one, is_alone=True) for one in more_ways(quiet, judged, names)] or of_quiet
            longer.see(quiet, names)
        of_rails |= {names.of(one)[1] for one in judged.of_rails}
        behind_rails |= {frozenset(names.units[host] for host in rail.hosts) for rail in judged.rails}
        for one in judged.repeated_hosts:
            kinds_of_hosts[names.of(one)[1]] = max(kinds_of_hosts.get(names.of(one)[1], 0.0), float(np.exp(one.effect)))
        certain = set(sure)
        unclear = [verdict for verdict in slow if verdict not in certain]
        unclear += [within_verdict(host, size, names) for host in within if not host.sure]
        unclear += _suspects(judged, names)
        if seen.hosts < FEW_HOSTS:
            clear, unclear = _without_ends(clear, unclear, names)
        is_alone = results.facts.serial or not judged.alone.is_empty
        collected.found += [calibrated(verdict, is_alone) for verdict in clear]
        under_load += [calibrated(loaded_verdict(loaded, judged, names), is_alone) for loaded in judged.loaded]
        collected.suspects += unclear
        if names.grouping is not None:
            collected.remarks += names.grouping.doubts
            if names.grouping.told_by:
                leaves, told_by = len(names.grouping.names), names.grouping.told_by
                collected.remarks.append(f"Groups of hosts are the {leaves} leaf switches of {told_by}.")
        collected.not_looked_for += _not_looked_for(judged, names.unit_kind)
        collected.remarks += _coverage_remarks(results, judged, names.unit_kind)
        longer.add(judged, names)
        collected.structure += structures_at(results, judged, names, kinds, {plane.device for plane in planes})
        narrow_ways |= {way: [] for way in slow_ways(judged, names)}
        if size.bytes >= BANDWIDTH:
            for narrow, is_narrow in zip(narrow_ways.values(), are_narrow(list(narrow_ways), judged), strict=True):
                narrow.append(is_narrow)
    by_design = [way for way, narrow in narrow_ways.items() if is_longer_by_design(narrow)]
    collected.structure += structures_of(by_design, names)
    collected.longer = frozenset(way.subject for way in by_design)
    collected.found = [
        one for one in collected.found
        if not (one.kind == "rank" and one.subject in of_rails) and not _is_of_a_kind(one, kinds_of_hosts)
        and not (one.kind == "group" and frozenset(names.units_of(one.subject)) in behind_rails)
    ]  # fmt: skip
    collected.found += of_quiet
    named = {one.subject for one in collected.found if one.kind in ("group", "trunk")}
    collected.found += [one for one in under_load if one.subject not in named]
    collected.found = [one for one in collected.found if not (_is_slow_pair(one) and longer.explain(one))]
    return collected


def _is_of_a_kind(verdict: Verdict, kinds: Mapping[tuple[str, ...], float]) -> bool:
    """Whether a slow host is no slower than at a size at which many hosts are as slow; `kinds`: its factor there."""
    return (
        verdict.kind == "host"
        and verdict.symptom == "slow"
        and (verdict.factor or 1.0) <= kinds.get(verdict.subject, 0)
    )


def _is_slow_pair(verdict: Verdict) -> bool:
    return verdict.kind in ("pair", "link") and verdict.symptom == "slow"


def judgement(results: Results, collected: LinkVerdicts, verdicts: list[Verdict]) -> Judgement:
    sure, doubtful = less_certain(results, verdicts)
    bad = {verdict.subject for verdict in sure}
    bad |= {(host,) for verdict in sure if verdict.scope is Scope.EACH for host in verdict.subject}
    open_ = [suspect for suspect in one_per_subject([*doubtful, *collected.suspects]) if suspect.subject not in bad]
    measured = max((size.outcomes.links for size in results.sizes), default=0)
    failed = max((size.outcomes.failed for size in results.sizes), default=0)
    order = sorted(sure, key=lambda verdict: verdict.worth)
    remarks = [*partly_unmeasured(results), *crowd_remarks(results), *collected.remarks]
    return Judgement(
        verdicts=tuple(order),
        suspects=tuple(sorted(open_, key=lambda suspect: suspect.worth)),
        links_measured=measured,
        links_failed=failed,
        sizes=tuple(size.bytes for size in results.sizes if size.outcomes.links),
        remarks=tuple(dict.fromkeys(remarks)),
        links_planned=links_planned(results),
        links_possible=len(results.ranks) * (len(results.ranks) - 1),
        not_looked_for=tuple(dict.fromkeys(collected.not_looked_for)),
        structure=each_once(collected.structure),
        unmeasured=() if (left := unmeasured(results)) is None else (left,),
        expected=tuple(collected.expected),
    )


def _sure_without_groups(slow: list[Verdict], hosts: int) -> list[Verdict]:
    """Without known groups only few bad hosts are sure; many at once, or a pair, may be how groups differ."""
    bad = [verdict for verdict in slow if _is_end(verdict)]
    return bad if len(bad) <= max(FEW_BAD, PART_BAD * hosts) else []


def _is_end(verdict: Verdict) -> bool:
    return verdict.kind in ("host", "rank")


def _without_ends(
    clear: Sequence[Verdict], unclear: Sequence[Verdict], names: Names
) -> tuple[list[Verdict], list[Verdict]]:
    """Verdicts and suspects of fewer than FEW_HOSTS ends, any of which may be at fault: one suspect for all of them.

    A rank of several on its host is a suspect by itself: it was compared with these, but not with ranks at its place.
    """
    accusing = [verdict for verdict in clear if _is_end(verdict)]
    ends = [verdict for verdict in (*accusing, *unclear) if verdict.kind == names.unit_kind]
    suspects = [verdict for verdict in (*accusing, *unclear) if verdict not in ends]
    worst = min(ends, key=lambda verdict: verdict.worth, default=None)
    if worst is not None:
        text = f"of {worst.subject[0]}: {worst.evidence}"
        suspects.append(replace(worst, subject=tuple(names.units), direction=Side.BOTH, evidence=text))
    return [verdict for verdict in clear if verdict not in accusing], suspects


def _slower_than_before(earlier: Earlier) -> Iterable[Verdict]:
    """What became slower since the earlier run; failures are reported by themselves."""
    for change in earlier.slower:
        kind, subject = KINDS_OF_CHANGES.get(change.kind, change.kind), change.subject
        if change.kind == "class":
            subject = ("all hosts",)
        text = f"{time_text(change.new_seconds)} where {earlier.path} has {time_text(change.base_seconds)}"
        confidence = min(change.confidence, SURE)
        yield Verdict(
            kind, subject, change.direction, "slow", change.bytes, change.factor, confidence, change.links, text
        )


def failed_verdicts(failures: Failures, size: Size) -> Iterable[Verdict]:
    for group in failures.groups:
        retried = group.again is not None and not group.again.untried
        confidence = SURE if retried or group.failed >= MANY_FAILED else 0.9
        yield Verdict(
            "group" if group.kind == "all" else group.kind, group.subject or ("all ranks",),
            group.direction, OUTCOMES.get(group.outcomes[0][0], "broken"), size.bytes, None, confidence, group.failed,
            str(group).removeprefix(f"{group.name}: "),
        )  # fmt: skip


def _slow(judged: Judged, names: Names) -> Iterable[Verdict]:
    effects = judged.findings.effects
    for found in judged.unexplained:
        if not (_is_of_one_way(found, effects) or (names.grouping is None and _is_in_no_group(found, effects))):
            yield slow_verdict(found, judged, names)


def _is_of_one_way(found: Found, effects: Effects) -> bool:
    """Whether it is a host of which only links with one other group of several show that it is slow: the way to that
    group may be."""
    if found.kind != "host":
        return False
    host, group_of = found.subject[0], effects.group_of
    every = np.arange(len(group_of))
    shown = np.unique(group_of[effects.shows(host, every) & (every != host)])
    return len(shown) == 1 and shown[0] != group_of[host] and len(np.unique(group_of)) > 2


def _is_in_no_group(found: Found, effects: Effects) -> bool:
    """Whether it is a pair inside a group, or a host that is slow inside its group only, which takes what links between
    groups take.

    Where groups were found in the times, it may just be that it does not belong into one.
    """
    if found.kind not in ("host", "pair"):
        return False
    one, group_of = found.subject[0], effects.group_of
    others = np.array(found.subject[1:]) if found.kind == "pair" else np.arange(len(group_of))
    if found.kind == "host":
        others = others[effects.shows(one, others) & (others != one)]
    if not len(others) or (group_of[others] != group_of[one]).any():
        return False
    kinds = effects.equals.kind_of
    far = effects.typical[kinds[one], kinds[others], 0]
    usual = effects.expected_at(one, others) if found.kind == "pair" else effects.class_at(one, others)
    return bool(np.median(np.abs(usual + found.effect - far)) < SAME_AS_FAR)


def _trunks(judged: Judged, names: Names) -> Iterable[Verdict]:
    for trunk in judged.trunks:
        yield trunk_verdict(trunk, judged, names)
    for uplink in judged.uplinks:
        yield uplink_verdict(uplink, judged, names)


def _late(judged: Judged, names: Names) -> Iterable[Verdict]:
    for late in late_hosts(judged.readings):
        yield _late_verdict(late, judged, names)


def _late_verdict(late: Late, judged: Judged, names: Names) -> Verdict:
    if late.is_loss:
        text = (
            f"{late.rate:.1%} of its messages are late, by {late.lateness:.0f} times the usual time on average, as if "
            f"packets were lost and sent again; of other {names.unit_kind}s {late.usual_rate:.1%}, by "
            f"{late.usual_lateness:.0f} times"
        )
    else:
        text = f"{late.rate:.2%} of its messages take more than twice the usual time, typical are {late.usual_rate:.2%}"
    return Verdict(
        names.unit_kind, (names.units[late.host],), Side.BOTH, "loss" if late.is_loss else "jitter", judged.size.bytes,
        late.factor, confidence_of(late.z, judged.readings.hosts), late.links, text,
    )  # fmt: skip


def _drifting(judged: Judged, names: Names) -> Iterable[Verdict]:
    for host in judged.drift.hosts:
        text = (
            f"from the first step to the last one its links became {np.exp(host.rise):.2f}x as long, those of others "
            f"{np.exp(host.usual):.2f}x"
        )
        yield Verdict(
            names.unit_kind, (names.units[host.host],), Side.BOTH, "drifting", judged.size.bytes,
            float(np.exp(host.rise - host.usual)), confidence_of(host.score, 1), host.links, text,
        )  # fmt: skip


def _intermittent(
    judged: Judged, names: Names, crowded: Collection[str], ways: Collection[tuple[int, int]]
) -> Iterable[Verdict]:
    """`ways`: between groups that are slow, of which no host may be blamed; the smaller number first."""
    bad = {found.subject[0] for found in judged.findings.bad if found.kind == "host"}
    bad |= {found.host for found in (*judged.drift.hosts, *judged.drift.together)}
    bad |= {int(judged.readings.host_of[rank]) for rank in judged.slow_ranks}
    pairs = [found.subject for found in judged.findings.bad if found.kind == "pair"]
    seen, effects = judged.readings, judged.findings.effects
    under_load = find_intermittent(judged.size, seen, effects, bad, pairs)
    alone: list[Intermittent] = []
    if not crowded and not effects.equals.one_host:
        bad = (bad - judged.contended_hosts) | {found.host for found in under_load}
        steps = alone_steps(alone_rows(judged.size), seen, effects).without_ways(ways, effects.group_of)
        alone = find_alone(steps, bad)
    for found in (*under_load, *alone):
        how = "measured alone, slow" if found.is_alone else "slow"
        in_stretches = f", in {found.stretches} stretches" if found.stretches else ""
        text = (
            f"{how} in {found.slow} of {found.steps} steps{in_stretches}, then {np.exp(found.factor):.2f}x the time; "
            f"others in {max(found.others, 0):.1%} of theirs"
        )
        symptom = "flapping" if found.stretches else "intermittent"
        yield Verdict(
            names.unit_kind, (names.units[found.host],), Side.BOTH, symptom, judged.size.bytes,
            float(np.exp(found.factor)), confidence_of(score(found), 1), found.steps, text,
        )  # fmt: skip


def _suspects(judged: Judged, names: Names) -> Iterable[Verdict]:
    findings, symmetric = judged.findings, judged.readings.symmetric
    ends = [findings.effects.send] if symmetric else [findings.effects.send, findings.effects.receive]
    told = judged.contended_hosts | {one.subject[0] for one in judged.repeated_hosts}
    for host in sorted(set(findings.suspect_hosts.tolist()) - told):
        worst = max(ends, key=lambda end: float(end.z[host]))
        if worst.z[host] > SHOWN_SUSPECT_Z:
            found = Found(
                "host", (host,), Side.BOTH, float(worst.effect[host]), float(worst.z[host]), int(worst.links[host])
            )
            yield slow_verdict(found, judged, names)
    for late in late_suspects(judged.readings):
        if late.z > SHOWN_SUSPECT_Z:
            yield calibrated(_late_verdict(late, judged, names), is_alone=False)
    for one in (judged.unproven - judged.of_uplinks) | judged.doubtful:
        yield trunk_verdict(one, judged, names) if isinstance(one, Trunk) else slow_verdict(one, judged, names)
    for found in pairs_found(findings.pairs.suspects, findings.effects, symmetric):
        yield slow_verdict(found, judged, names)


def one_per_subject(found: Sequence[Verdict]) -> list[Verdict]:
    """One verdict per subject: the worst one, whose evidence also names the others.

    The link of two ranks and their pair are one subject, unless both links have verdicts; these are one pair if both
    are slow.
    """
    links = Counter(frozenset(subject) for subject in {one.subject for one in found if one.kind == "link"})
    by_subject: dict[tuple[str, Collection[str]], list[Verdict]] = {}
    for verdict in found:
        ends = frozenset(verdict.subject)
        is_pair = verdict.kind in ("pair", "link") and links[ends] < 2
        by_subject.setdefault(("pair", ends) if is_pair else (verdict.kind, verdict.subject), []).append(verdict)
    return _paired([_merged(verdicts) for verdicts in by_subject.values()])


def _paired(found: Sequence[Verdict]) -> list[Verdict]:
    """Two links between the same ranks that are slow are one pair, which both directions tell of."""
    slow = {one.subject: one for one in found if one.kind == "link" and one.symptom == "slow"}
    kept: list[Verdict] = []
    for verdict in found:
        back = slow.get(verdict.subject[::-1]) if slow.get(verdict.subject) is verdict else None
        if back is None:
            kept.append(verdict)
        elif (verdict.worth, verdict.subject) <= (back.worth, back.subject):
            text = f"{verdict.evidence}; in the other direction {back.factor or 1:.2f}x the time"
            links = verdict.links + back.links
            kept.append(replace(verdict, kind="pair", direction=Side.BOTH, links=links, evidence=text))
    return kept


def _merged(verdicts: list[Verdict]) -> Verdict:
    symptom = _worst_symptom(verdicts)
    alike = [verdict for verdict in verdicts if verdict.symptom == symptom]
    # A pair with one slow direction may be slow both ways at another size: acknowledgements take that direction.
    sided = [verdict for verdict in alike if verdict.kind in ("pair", "link") and verdict.direction != Side.BOTH]
    worst = max(sided or alike, key=lambda verdict: (verdict.factor or 0.0, verdict.links, verdict.bytes))
    also = [f"{verdict.symptom} at {size_text(verdict.bytes)}" for verdict in verdicts if verdict is not worst]
    if not also:
        return worst
    return replace(worst, evidence=f"{worst.evidence}; also {', '.join(dict.fromkeys(also))}")


def _worst_symptom(verdicts: Sequence[Verdict]) -> str:
    """In the order of SYMPTOMS, but not `slow` where what happens at times costs far more."""
    worst = min((verdict.symptom for verdict in verdicts), key=SYMPTOMS.index)
    if worst != "slow":
        return worst
    slower = {
        symptom: max((one.factor or 1.0 for one in verdicts if one.symptom == symptom), default=1.0) - 1
        for symptom in ("slow", *AT_TIMES)
    }
    return next((symptom for symptom in AT_TIMES if slower[symptom] > FAR_MORE * slower["slow"]), worst)


def _not_looked_for(judged: Judged, kind: str) -> Iterable[str]:
    """Which components could not be judged, and why."""
    effects, count = judged.findings.effects, judged.readings.hosts
    if count < FEW_HOSTS:
        yield f"slow {kind}s (that takes {FEW_HOSTS} or more)"
    known = f"of {FEWEST_HOSTS} {kind}s; {effects.whole_groups} known)"
    if effects.whole_groups < FEWEST_GROUPS:
        yield f"slow groups (that takes {FEWEST_GROUPS} groups {known}"
    ways = effects.whole_groups * (effects.whole_groups - 1) // 2
    left_out = ways - judged.findings.judged_ways
    if effects.whole_groups < FEWEST_ENDS:
        yield f"slow trunks (that takes {FEWEST_ENDS} groups {known}"
    elif are_too_many(effects):
        yield f"slow trunks ({effects.whole_groups:,} groups of {count:,} {kind}s are too many)"
    elif left_out:
        yield f"slow trunks between {left_out:,} of {ways:,} pairs of groups (too few links between them were measured)"


def _coverage_remarks(results: Results, judged: Judged, unit_kind: str) -> Iterable[str]:
    seen, facts = judged.readings, results.facts
    pairs = judged.findings.pairs
    known = pairs.tested
    whole = seen.hosts * (seen.hosts - 1)
    if seen.hosts < FEW_HOSTS:
        yield (
            f"With {seen.hosts} {unit_kind}s, a slow one cannot be identified: that takes {FEW_HOSTS} or more. Whether "
            "they are as fast as they should be, --expect or --baseline tells."
        )
    if known < 0.9 * whole and seen.hosts > 2:
        yield f"{known} of {whole} connections between hosts were measured: a bad one among the others does not show."
    if pairs.left_out:
        yield f"{plural(pairs.left_out, 'more pair')} to be measured again than the {len(pairs.suspects)} slowest."
    if facts.kernel == UNKNOWN:
        yield "The kernel is unknown: times count as those of round trips, and a link slow one way only does not show."
    if not facts.complete:
        yield "The run was not through: judged are the links so far."
