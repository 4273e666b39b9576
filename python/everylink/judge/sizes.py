"""Compares the links of a run with each other, size by size, and then what the sizes say of each other."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.at_times import at_times, late_verdict
from everylink.judge.confidence import calibrated
from everylink.judge.coverage import coverage_remarks, not_looked_for
from everylink.judge.crowd import crowded_hosts
from everylink.judge.effects import FEW_GROUPS, Effects
from everylink.judge.evidence import (
    alone_verdict,
    class_within,
    inside_verdict,
    loaded_verdict,
    one_direction_verdict,
    plane_verdict,
    slow_verdict,
    together_verdict,
    trunk_verdict,
    uplink_subject,
    uplink_verdict,
    within_verdict,
)
from everylink.judge.expected import Expected, expected_of
from everylink.judge.findings import Found, find, hosts_among, pairs_found
from everylink.judge.full_load import full_load
from everylink.judge.injection import slow_together
from everylink.judge.inside import slow_inside
from everylink.judge.judged import Judged
from everylink.judge.kinds import Equals, Kinds, levelled
from everylink.judge.lateness import late_suspects
from everylink.judge.longer_ways import (
    LongerPairs,
    Sites,
    SlowWay,
    are_narrow,
    is_longer_by_design,
    seconds_between_groups,
    sites_of,
    slow_ways,
    structures_of,
)
from everylink.judge.names import Names
from everylink.judge.one_direction import slow_in_one_direction
from everylink.judge.phases import FEWEST_UNDER_LOAD, alone_rows, measured_in, quarter_rows
from everylink.judge.planes import slow_planes
from everylink.judge.quiet import (
    is_covered,
    judged_quietly,
    more_ends,
    more_ways,
    quiet_readings,
    slow_by_their_ways,
)
from everylink.judge.ranks_alone import looking_slow, measured_alone, sharing
from everylink.judge.readings import Readings, readings
from everylink.judge.smallest import MUCH
from everylink.judge.structure import fewer_cables, gap_alone, structures_at
from everylink.judge.trunks import Trunk
from everylink.judge.unlike_hosts import of_unlike, told_of
from everylink.judge.verdict import BANDWIDTH, FEW_HOSTS, SURE, Scope, Side, Structure, Verdict
from everylink.judge.ways_alone import groups_by_alone, pairs_beside, pairs_by_alone, way_verdict, ways_by_alone
from everylink.judge.within import find_within, slow_by_design
from everylink.links.failed import Failures, fold_failures
from everylink.model.results import Results, Size
from everylink.model.rows import ONE_WAY, Outcome
from everylink.robust import Values, is_whole, known_sample

OUTCOMES: dict[int, str] = {
    Outcome.TIMEOUT: "timeout", Outcome.BROKEN: "broken", Outcome.CORRUPT: "corrupt", Outcome.ABSENT: "absent",
    Outcome.PRESUMED: "timeout",
}  # fmt: skip
MANY_FAILED = 16  # links of one part, of which none but a few work: that does not happen by chance
OF_ONE_LINK = 2  # ranks of a host that has one inner link, which cannot tell which of them is slow
FEWEST_AS_LONG, PART_AS_LONG = 8, 0.05  # links between groups that take as long as a pair inside one, and part of all
CLEARLY_MORE = 1.25  # times the effect (log) of a host, from which another one adds to what both take
LITTLE, RATHER_LITTLE, FEWEST_SINGLE = 0.15, 0.2, 4  # logs of factors; hosts alone in their groups to compare one with
QUICK = 0.1  # quantile of the times between hosts
FEWEST_OF_KINDS = 12  # times between hosts of two kinds, other than the host itself, of which there is one
SAME_AS_FAR, CLEAR_OF_SAME = 0.05, 0.1  # logs of factors: what hosts add counts as the same, and as clearly more
FEWEST_BEYOND = 6  # links of a host with other groups, if those inside its group are well: a way may be slow
SHOWN_SUSPECT_Z = 3.0
FEW_BAD, PART_BAD = 2, 0.05  # limits on bad hosts while groups are unknown
FEW_TO_COMPARE, MOST_OF_FEW = 13, 1 / 3  # if more than this part of so few is slow, which are healthy is unknown
MANY_OF_FEW = "More than a third of so few look slow, so it cannot be told which are well: --expect or --baseline can."
FEWEST_WAYS = 3  # between two groups like these: of two, the other one may be the one that differs
PART_OF_GAP = 0.5  # of what links to others take longer (log), by which one of few groups may be further
ONE_OF_THREE = (
    "Of three groups, or the ways between them, a slow one may just be longer: --expect or --baseline can tell."
)
UNKNOWN_GROUPS = (
    "Too few links were measured to see which hosts share a switch, so what looks slow may be how groups differ: "
    "--topology FILE names them."
)


@dataclass
class LinkVerdicts:
    """What comparing the links of a run with each other yields.

    `longer`: kind, subject and size of what is found, but slow by design. `slow_with_all`: hosts at the ends of
    slow pairs that were slow alone with all others. `by_design`: slow pairs that are no verdicts, since others are as
    slow. `small`: readings of small messages; None if there are none.
    """

    found: list[Verdict] = field(default_factory=list)
    suspects: list[Verdict] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    structure: list[Structure] = field(default_factory=list)
    not_looked_for: list[str] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    longer: frozenset[tuple[str, tuple[str, ...], int]] = frozenset()
    slow_with_all: set[str] = field(default_factory=set)
    by_design: list[Verdict] = field(default_factory=list)
    ok_alone: set[tuple[str, ...]] = field(default_factory=set)  # of failed links that were ok when tried again
    small: Readings | None = None


def compared(results: Results, names: Names, kinds: Kinds, equals: Equals, known: bool) -> LinkVerdicts:
    """`known`: whether the groups are known."""
    sizes = _Sizes(results, names, kinds, equals, known)
    for size in results.sizes:
        sizes.see(size)
    return sizes.told()


class _Sizes:
    """Takes one size after the other; some of what they show is told only by all of them."""

    def __init__(self, results: Results, names: Names, kinds: Kinds, equals: Equals, known: bool) -> None:
        self._results, self._names, self._kinds, self._equals, self._known = results, names, kinds, equals, known
        self._crowded = crowded_hosts(results)
        self._shared = sharing(results.ranks) if known and not self._crowded else []
        self._collected = LinkVerdicts()
        self._bad_hosts, self._slow_ranks = frozenset[int](), frozenset[int]()
        self._looking_slow = set[int]()  # ranks, not just while others measure
        self._small: Judged | None = None  # the largest size below BANDWIDTH
        self._sites: Sites | None = None  # as it shows them
        self._built_unlike = {self._names.units[host]: text for host, text in kinds.unlike.items()}
        self._unlike = list[Verdict]()  # on hosts that have no equals
        self._differ_within = set[str]()  # hosts whose own ranks are slow with each other, by design
        self._longer = LongerPairs()
        self._narrow_ways = dict[SlowWay, dict[int, bool | None]]()  # by message size
        self._near_each_other = set[int]()  # hosts that look slow in small messages, but not with each other
        self._quiet_ways = list[Verdict]()  # at the largest size that shows any
        self._at_equal_load = list[Verdict]()
        self._fewer_cables = set[tuple[str, ...]]()  # groups, which is structure
        self._ways_alone = list[Verdict]()
        self._of_rails = set[tuple[str, ...]]()  # ranks
        self._behind_rails = set[frozenset[str]]()  # the hosts of groups of which a rail is slow
        self._kinds_of_hosts = dict[tuple[str, ...], float]()  # hosts that many are as slow as, and their factors

    def see(self, size: Size) -> None:
        results, names, collected = self._results, self._names, self._collected
        failures = fold_failures(results, size)
        collected.found += failed_verdicts(failures, size)
        collected.ok_alone |= {one.subject for one in failures.groups if one.again and one.again.only_under_load}
        seen = readings(results, size)
        if not seen.count:
            return
        judged = self._judged(size, levelled(seen, self._equals))
        quiet = self._judged_quietly(judged)
        within = [
            one for one in find_within(results, size, self._kinds)
            if not (len(one.ranks) == 1 and judged.slow_ranks.issuperset(one.ranks))
        ]  # fmt: skip
        by_design = slow_by_design(within)
        within = [one for one in within if one not in by_design]
        self._differ_within |= {names.units[one.host] for one in by_design}
        is_alone = results.facts.serial or not judged.alone.is_empty
        sure, unclear = self._slow(judged)
        ways = judged.slow_ways if quiet is None else judged.slow_ways | quiet.slow_ways
        slow_at_times, doubtful = at_times(judged, names, self._crowded, ways)
        clear = [*sure, *self._of_parts(judged), *slow_at_times]
        clear += [within_verdict(host, size, names) for host in within if host.sure]
        planes = slow_planes(results.ranks, judged.readings, self._kinds, judged.alone.of_ranks)
        clear += [plane_verdict(plane, size, names) for plane in planes]
        clear = self._with_less_load(clear, judged, quiet)
        clear, of_few = self._apart(clear, judged)
        clear = self._with_alone(clear, judged, quiet)
        unclear += [*of_few, *(within_verdict(host, size, names) for host in within if not host.sure)]
        unclear += [*_suspects(judged, names), *doubtful]
        if judged.readings.hosts < FEW_HOSTS:
            clear, unclear = _without_ends(clear, unclear, names)
        clear = [one for one in clear if not self._is_further(one, judged)]
        if size.bytes < BANDWIDTH:
            looking_slow = {one.subject[0]: one.effect for one in judged.findings.bad if one.kind == "host"}
            self._near_each_other |= self._quick_with_some(looking_slow, looking_slow, judged)[1]
        may_be_well = list(dict.fromkeys([*self._may_be_well(clear, judged, quiet), *self._of_no_group(clear, judged)]))
        self._unlike += (unlike := of_unlike(clear, names, self._built_unlike))
        clear = [one for one in clear if one not in may_be_well and one not in unlike]
        unclear += may_be_well
        collected.found += [calibrated(verdict, is_alone) for verdict in clear]
        collected.suspects += unclear
        collected.expected.append(expected_of(size, judged.readings, judged.findings.effects))
        collected.structure += structures_at(results, judged, names, self._kinds, {plane.device for plane in planes})
        collected.structure += [class_within(by_design, size, names)] if by_design else []
        self._remark(judged)
        self._keep(judged, quiet, is_alone)

    def told(self) -> LinkVerdicts:
        """What all sizes yield."""
        collected, names = self._collected, self._names
        self._tell_longer_ways()
        found = [one for one in collected.found if not self._is_of_larger(one)] + self._quiet_ways
        slow_groups = [names.units_of(one.subject) for one in found if one.kind == "group" and one.symptom == "slow"]
        loaded = [one for one in self._at_equal_load if one.subject not in self._fewer_cables]
        for less_sure in (self._ways_alone, loaded):
            named = {frozenset(one.subject) for one in found if one.kind in ("group", "trunk")}
            found += [
                one for one in less_sure if frozenset(one.subject) not in named
                and not any(end <= group for end in names.ends_of(one) if end for group in slow_groups)
            ]  # fmt: skip
        found = [one for one in found if not self._is_of_group_alone(one)]
        found = self._without_sites(found)
        self._tell_unlike_hosts()
        collected.by_design = [one for one in found if one.is_slow_pair and self._longer.explain(one)]
        by_design = set(collected.by_design)
        found = [one for one in found if one not in by_design]
        doubtful = self._doubtful(found)
        collected.suspects += [one for one in found if one in doubtful]  # in their order
        collected.found = [one for one in found if one not in doubtful]
        collected.small = None if self._small is None else self._small.readings
        return collected

    def _doubtful(self, found: Sequence[Verdict]) -> set[Verdict]:
        """Those of the verdicts that another part, or how hosts are built, may explain: within a host, a rank of it; on
        a group whose hosts differ within, or on such a host that is a little slow; on a pair from a group that is a
        suspect; on a rank of a host that has no equals."""
        names = self._names
        of_named = {unit for one in found if one.kind == "rank" for unit in names.units_of(one.subject)}
        within = [one for one in found if one.kind == "host" and one.scope == Scope.WITHIN]
        doubtful = {one for one in within if one.subject[0] not in of_named and self._may_be_of_a_rank(one)}
        within += [one for one in self._collected.suspects if one.kind == "host" and one.scope == Scope.WITHIN]
        differ_within = self._differ_within | {one.subject[0] for one in within}
        little = (one for one in found if one.is_slow_host and np.log(one.factor or np.inf) <= LITTLE)
        groups = (one for one in found if one.is_slow_group)
        doubtful |= {one for one in (*groups, *little) if names.units_of(one.subject) <= differ_within}
        doubtful |= {one for one in found if one.is_slow_pair and self._may_be_of_a_group(one)}
        return doubtful | {one for one in found if one.kind == "rank" and self._may_be_of_its_host(one)}

    def _tell_unlike_hosts(self) -> None:
        """What takes longer at hosts that have no equals: structure, and suspects, in place of other suspects there."""
        collected = self._collected
        structures, suspects = told_of(self._unlike, self._built_unlike)
        collected.structure += structures
        told = set(of_unlike(collected.suspects, self._names, self._built_unlike)) if self._unlike else set()
        collected.suspects = [one for one in collected.suspects if one not in told] + suspects

    def _may_be_of_its_host(self, rank: Verdict) -> bool:
        """Whether its host has no equals at some size, and is as slow there: its ranks may differ as well."""
        factor, hosts = rank.factor or np.inf, self._names.units_of(rank.subject)
        return any(
            one.is_slow_host and hosts >= set(one.subject) and factor <= (one.factor or 1.0) for one in self._unlike
        )

    def _without_sites(self, found: list[Verdict]) -> list[Verdict]:
        """The verdicts but those on groups, and on ways and pairs between two, that are slow as ways between sites
        differ, which is told."""
        sites = self._sites
        if self._small is None or sites is None:
            return found
        group_of = self._small.findings.effects.group_of
        groups = [self._names.group_in_short(number) for number in range(int(group_of.max()) + 1)]
        self._collected.structure.append(sites.structure(groups, self._small.size.bytes))
        whole = {self._names.group(number) for number in range(len(groups))}
        between = (
            one for one in found
            if one.kind == "trunk" or (one.kind == "group" and one.subject in whole) or self._is_between_groups(one)
        )  # fmt: skip
        by_design = {one for one in between if one.symptom == "slow" and sites.explain(one)}
        return [one for one in found if one not in by_design]

    def _is_between_groups(self, verdict: Verdict) -> bool:
        """Whether it is on a pair of hosts of two groups."""
        if verdict.kind not in ("pair", "link"):
            return False
        hosts = [self._names.units.index(unit) for unit in self._names.units_of(verdict.subject)]
        return len(set(self._equals.group_of[hosts].tolist())) > 1

    def _tell_longer_ways(self) -> None:
        """Groups, trunks and pairs that are slow at some sizes, or all, and longer by design. Not the only trunk that
        takes longer."""
        collected, names = self._collected, self._names
        only = {way.verdict.subject for way in self._narrow_ways if way.is_only_longer}
        is_narrow = {way: narrow for way, narrow in self._narrow_ways.items() if way.verdict.subject not in only}
        ways = [way for way, narrow in is_narrow.items() if way.is_far or is_longer_by_design(narrow.values())]
        ways = [way for way in ways if way.kind != "host" or any(map(way.is_as_far, ways))]
        far = {way.verdict.subject for way in ways if way.is_far}
        far_trunks = {(names.in_short(sorted(way.ends[0])),) for way in ways if way.is_far}
        usual = {one.bytes: seconds_between_groups(one.typical) for one in collected.expected}
        every = (*collected.found, *self._quiet_ways, *self._at_equal_load)
        found = [one for one in every if one.symptom == "slow"]
        longer = [
            one for one in found
            if one.subject in (far if one.kind == "group" else far_trunks)
            or any(way.explains(one, usual[one.bytes], is_narrow[way].get(one.bytes)) for way in ways)
        ]  # fmt: skip
        collected.longer = frozenset((one.kind, one.subject, one.bytes) for one in longer)
        collected.longer |= {way.subject for way in ways}
        slow = {one.subject for one in found if one.bytes >= BANDWIDTH and one not in longer}
        collected.structure += structures_of([way for way in ways if way.verdict.subject not in slow], names)

    def _judged(self, size: Size, seen: Readings) -> Judged:
        judged = Judged(
            self._results.ranks, self._names.grouping is not None, size, seen,
            find(seen, self._equals, blind=not self._known),
            alone=measured_in(alone_rows(size), seen, bad_elsewhere=self._bad_hosts),
            quarter=measured_in(quarter_rows(size), seen, FEWEST_UNDER_LOAD, self._bad_hosts),
            one_way=measured_in(size.rows.of_attempt(ONE_WAY), seen),
        )  # fmt: skip
        self._bad_hosts |= {one.subject[0] for one in judged.unexplained if one.kind == "host"}
        self._slow_ranks |= {one.subject[0] for one in judged.unexplained if one.kind == "rank"}
        return judged

    def _judged_quietly(self, judged: Judged) -> Judged | None:
        """None where too little was measured with a quarter of the ranks busy."""
        if not self._known or self._crowded:
            return None
        quiet = quiet_readings(self._results, judged.size)
        return judged_quietly(judged, quiet) if quiet is not None and is_covered(quiet) else None

    def _slow(self, judged: Judged) -> tuple[list[Verdict], list[Verdict]]:
        """What is slow, and what may be; adds why it is not sure."""
        slow, hosts = list(_slow(judged, self._names)), judged.readings.hosts
        sure = slow if self._known else _sure_without_groups(slow, hosts)
        if len(sure) < len(slow):
            self._collected.remarks.append(UNKNOWN_GROUPS)
        elif FEW_HOSTS <= hosts < FEW_TO_COMPARE and len(self._ends(slow)) > hosts * MOST_OF_FEW:
            sure = [verdict for verdict in slow if not verdict.is_end]
            self._collected.remarks.append(MANY_OF_FEW)
        certain = set(sure)
        return sure, [verdict for verdict in slow if verdict not in certain]

    def _apart(self, clear: Iterable[Verdict], judged: Judged) -> tuple[list[Verdict], list[Verdict]]:
        """The verdicts but those on one group of three, or the way between two of them, that may just be further away,
        or on some ways from fewer than four groups that nobody named; and these. Adds why they are not sure. Groups
        that are slower do not count: two of the others may be near to each other."""
        clear, effects = list(clear), judged.findings.effects
        if not any(one.kind in ("group", "trunk") for one in clear):
            return clear, []
        numbers = np.unique(effects.group_of).tolist()
        groups = {self._names.group(group): group for group in numbers}
        in_short = {self._names.group_in_short(group): group for group in numbers}
        factors = [one.factor or np.inf for one in clear if one.kind == "group" and one.subject in groups]
        of_some_pairs = {uplink_subject(uplink, judged, self._names): uplink for uplink in judged.uplinks}
        kept, of_few = list[Verdict](), list[Verdict]()
        for one in clear:
            factor, is_unsure = one.factor or np.inf, False
            if one.kind == "group" and one.subject in groups:
                slower = sum(other > factor for other in factors)
                is_little = bool(np.log(factor) < np.fmax(PART_OF_GAP * effects.gap, LITTLE))
                number = groups[one.subject]
                is_unsure = effects.groups_as_large(number) - slower < FEW_GROUPS and (judged.is_quiet or slower > 0)
                is_unsure |= is_little and len(effects.groups_like(number)) - slower < FEW_GROUPS
            elif one.kind == "trunk":
                ends = [in_short[end] for end in one.subject if end in in_short]
                are_few = effects.whole_groups < FEW_GROUPS
                if len(ends) == len(one.subject):
                    is_unsure = are_few and bool(np.log(factor) < PART_OF_GAP * effects.gap)
                if len(ends) == 2 and one.subject not in of_some_pairs:
                    is_unsure |= effects.ways_like(*ends) < FEWEST_WAYS + bool(np.log(factor) < LITTLE)
                elif self._names.grouping is None:  # some of the ways from a group that may be none
                    is_unsure |= are_few and not judged.is_only_longer(of_some_pairs.get(one.subject))
            (of_few if is_unsure else kept).append(one)
        if of_few:
            self._collected.remarks.append(ONE_OF_THREE)
        return kept, of_few

    def _ends(self, slow: Iterable[Verdict]) -> set[str]:
        """The hosts of verdicts on hosts and ranks; the ranks, in a run on one host."""
        return set().union(*(self._names.units_of(one.subject) for one in slow if one.is_end))

    def _with_less_load(self, clear: list[Verdict], judged: Judged, quiet: Judged | None) -> list[Verdict]:
        """The verdicts with those on what shows with a quarter of the ranks busy only."""
        if quiet is None:
            return clear
        by_ways = {self._names.group(group) for group in slow_by_their_ways(quiet, judged)}
        clear = [one for one in clear if one.kind != "group" or one.subject not in by_ways]
        more, of_few = self._apart((slow_verdict(one, quiet, self._names) for one in more_ends(quiet, judged)), quiet)
        self._collected.suspects += of_few
        return self._with(clear, more)

    def _with_alone(self, clear: list[Verdict], judged: Judged, quiet: Judged | None) -> list[Verdict]:
        """The verdicts with those on what shows alone only."""
        names = self._names
        told = {one.subject for one in clear if one.kind == names.unit_kind}
        alone = judged.by_alone(quiet, self._small, self._slow_ranks)
        by_alone = (alone_verdict(one, judged, names) for one in alone)
        found = [one for one in by_alone if one.subject not in told]
        for judgement in (judged,) if quiet is None else (judged, quiet):
            self._looking_slow |= judgement.ranks_looking_slow
        self._looking_slow |= looking_slow(judged.alone, judged.findings, [*self._shared, measured_alone(judged.alone)])
        by_alone = (alone_verdict(one, judged, names) for one in judged.ranks_by_alone(self._looking_slow, self._small))
        found += by_alone
        named = self._numbers(self._units([*clear, *found], "host", "rank", "group"))
        found += [
            one_direction_verdict(one, judged, names)
            for one in slow_in_one_direction(judged.one_way, judged.findings.effects, named)
            if judged.one_way.knows_devices(one.subject[0], judged.ranks.device)
        ]
        clear = self._with_ways_alone(self._with(clear, found), judged, quiet)
        return self._with_full_load(clear, judged)

    def _with_ways_alone(self, clear: list[Verdict], judged: Judged, quiet: Judged | None) -> list[Verdict]:
        """The verdicts with those on pairs that show alone only; keeps those on such ways between two groups. None at
        the ends of other parts."""
        names = self._names
        named = [(one.is_slow_pair, names.units_of(one.subject)) for one in clear]
        for pair in pairs_by_alone(judged, quiet, self._small):
            verdict = alone_verdict(pair, judged, names)
            ends = names.units_of(verdict.subject)
            if not any(hosts == ends if is_pair else hosts & ends for is_pair, hosts in named):
                self._longer.see_pair(pair, judged, names)
                clear.append(verdict)
        clear = self._with_pairs_beside(clear, judged)
        of_parts, of_others = self._units(clear, "host", "rank", "group"), self._units(clear, "rank", "group")
        trunks = [names.ends_of(one) for one in clear if one.kind == "trunk"]
        told, slow_hosts = of_parts.union(*itertools.chain(*trunks)), self._numbers(of_parts)
        for group in groups_by_alone(judged, self._small, slow_hosts):
            verdict = alone_verdict(group, judged, names)
            hosts = names.units_of(verdict.subject)
            beside = of_others.union(*itertools.chain(*(ends for ends in trunks if hosts not in ends)))
            if beside.isdisjoint(hosts):
                told |= hosts
                self._ways_alone.append(calibrated(verdict, is_alone=True))
        for way in ways_by_alone(judged, self._small, slow_hosts):
            verdict = way_verdict(way, judged, names)
            if not any(told & end for end in names.ends_of(verdict)):
                self._ways_alone.append(calibrated(verdict, is_alone=True))
        return clear

    def _with_pairs_beside(self, clear: list[Verdict], judged: Judged) -> list[Verdict]:
        """The verdicts with those on pairs of hosts that share a slow way with a pair of these."""
        names, told = self._names, {frozenset(one.subject) for one in clear if one.is_slow_pair}
        more = dict[frozenset[str], Verdict]()
        for pair in (one for one in clear if one.is_slow_pair):
            ends = sorted(self._numbers(names.units_of(pair.subject)))
            beside = pairs_beside((ends[0], ends[1]), judged, self._small) if len(ends) == 2 else ()
            for found in beside:
                self._longer.see_pair(found, judged, names)
                verdict = alone_verdict(found, judged, names)
                more[frozenset(verdict.subject)] = verdict
        return [*clear, *(verdict for ends, verdict in more.items() if ends not in told)]

    def _with_full_load(self, clear: list[Verdict], judged: Judged) -> list[Verdict]:
        """The verdicts with those on hosts of several ranks that are slow while all of these work: inside their group,
        or together."""
        names, equals = self._names, judged.findings.effects.equals
        if judged.size.bytes < BANDWIDTH or equals.one_host or not self._known or self._crowded:
            return clear
        load = full_load(judged.size, judged.readings)
        if load is None:
            return clear
        told = self._numbers(self._units([*self._collected.found, *clear], "host", "rank", "group"))
        inside = [one for one in slow_inside(load, equals, told) if judged.has_several(one.found.subject[0])]
        found = [inside_verdict(one, judged, names) for one in inside]
        if not told and not found and judged.readings.has_most_links:  # hosts reach less with those that are slow
            together = (one for one in slow_together(load, equals) if judged.has_several(one.subject[0]))
            found = [together_verdict(one, judged, names) for one in together]
        return self._with(clear, found)

    def _units(self, verdicts: Iterable[Verdict], *kinds: str) -> set[str]:
        """The hosts of the verdicts of these kinds, but for those within hosts."""
        parts = (one for one in verdicts if one.kind in kinds and one.scope is not Scope.WITHIN)
        return set().union(*(self._names.units_of(one.subject) for one in parts))

    def _numbers(self, units: Set[str]) -> set[int]:
        """The numbers of these hosts."""
        return {number for number, unit in enumerate(self._names.units) if unit in units}

    def _with(self, clear: list[Verdict], found: list[Verdict]) -> list[Verdict]:
        """The verdicts with those found, and without pairs of hosts among these, which were compared as if they were
        well."""
        hosts = {one.subject[0] for one in found if one.kind == self._names.unit_kind}
        return [*(one for one in clear if not (one.is_slow_pair and hosts & self._names.units_of(one.subject))), *found]

    def _of_parts(self, judged: Judged) -> Iterator[Verdict]:
        """Slow trunks, uplinks, and rails of groups."""
        names = self._names
        yield from (trunk_verdict(trunk, judged, names) for trunk in judged.trunks)
        yield from (uplink_verdict(uplink, judged, names) for uplink in judged.uplinks)
        yield from (plane_verdict(rail, judged.size, names, of_group=True) for rail in judged.rails)

    def _remark(self, judged: Judged) -> None:
        """What was not looked for, and who told the groups."""
        collected, names = self._collected, self._names
        if names.grouping is not None:
            collected.remarks += names.grouping.doubts
            if names.grouping.told_by:
                leaves, told_by = len(names.grouping.names), names.grouping.told_by
                collected.remarks.append(f"Groups of hosts are the {leaves} leaf switches of {told_by}.")
        collected.not_looked_for += not_looked_for(judged, names.unit_kind)
        collected.remarks += coverage_remarks(self._results, judged, names.unit_kind)

    def _keep(self, judged: Judged, quiet: Judged | None, is_alone: bool) -> None:
        """What is told when all sizes are seen."""
        names = self._names
        if quiet is not None:
            ways, of_few = self._apart(more_ways(quiet, judged, names, self._small), quiet)
            self._quiet_ways = [calibrated(one, is_alone=True) for one in ways] or self._quiet_ways
            self._collected.suspects += of_few
            self._longer.see(quiet, names)
        for judgement in (judged,) if quiet is None else (judged, quiet):
            self._collected.slow_with_all |= {names.units[host] for host in judgement.slow_with_all}
        self._longer.add(judged, names)
        for loaded in judged.loaded:
            if loaded.has_fewer_cables:
                self._collected.structure.append(fewer := fewer_cables(loaded, judged, names))
                self._fewer_cables.add(fewer.subject)
            elif self._small is None or not self._small.is_further(loaded):
                verdict = calibrated(loaded_verdict(loaded, judged, names), is_alone)
                (self._at_equal_load if loaded.among_alike else self._collected.suspects).append(verdict)
        self._of_rails |= {names.of(one)[1] for one in judged.of_rails}
        self._behind_rails |= {frozenset(names.units[host] for host in rail.hosts) for rail in judged.rails}
        for one in judged.repeated_hosts:
            subject, factor = names.of(one)[1], float(np.exp(one.effect))
            self._kinds_of_hosts[subject] = max(self._kinds_of_hosts.get(subject, 0.0), factor)
        if judged.size.bytes < BANDWIDTH:
            self._small, self._sites = judged, sites_of(judged)
        self._narrow_ways |= {way: {} for way in slow_ways(judged, names)}
        if judged.size.bytes >= BANDWIDTH:
            narrow = are_narrow(list(self._narrow_ways), judged)
            for known, is_narrow in zip(self._narrow_ways.values(), narrow, strict=True):
                known[judged.size.bytes] = is_narrow

    def _is_further(self, verdict: Verdict, judged: Judged) -> bool:
        """Whether it is a slow host that is a little further from others, behind a longer cable or one more switch; or
        at a site that is further from others, if it is well with the hosts there."""
        if not verdict.is_slow_host:
            return False
        host = self._names.units.index(verdict.subject[0])
        is_of_site = self._sites is not None and self._sites.explain(verdict) and judged.is_well_near(host)
        return is_of_site or judged.host_is_further(host, self._small)

    def _may_be_well(self, clear: Sequence[Verdict], judged: Judged, quiet: Judged | None) -> list[Verdict]:
        """Those of the verdicts on slow hosts where the way to the host, or how it is built, may be all that is slow:
        a little slow if it is alone in its group, in small messages rather little; in small messages, or a little slow,
        if it is quick with hosts that would see a slow one; rather little, if it is with a slow one. Not those that are
        slow with nearly all for what their ranks share."""
        filled = {one.subject[0] for one in judged.filled}
        hosts = {one: self._names.units.index(one.subject[0]) for one in clear if one.is_slow_host}
        slow = {one: host for one, host in hosts.items() if host not in filled}
        added = {host: float(np.log(one.factor or np.inf)) for one, host in slow.items()}
        effect = {one: max(added[host], judged.effect_alone(host)) for one, host in slow.items()}
        alone = self._behind_their_switches(judged.findings.effects)
        is_small = judged.size.bytes < BANDWIDTH
        loads = [judged] if quiet is None else [judged, quiet]
        asked = {
            host: effect[one] for one, host in slow.items()
            if (is_small or effect[one] <= RATHER_LITTLE)
            and not all(load.is_slow_at_each_length(host, effect[one]) for load in loads)
        }  # fmt: skip
        quick, among = self._quick_with_some(asked, added, judged)
        return [
            one for one, host in slow.items()
            if (host in quick and (is_small or effect[one] <= LITTLE))
            or (host in among and (is_small or effect[one] <= RATHER_LITTLE))
            or (host in alone and effect[one] <= (RATHER_LITTLE if is_small else LITTLE))
        ]  # fmt: skip

    def _of_no_group(self, clear: Sequence[Verdict], judged: Judged) -> Iterator[Verdict]:
        """Those of the verdicts on hosts that are slow in small messages, or now and then, that rest on links inside a
        group that may not be theirs: they looked slow in small messages, but not with each other."""
        is_small, near = judged.size.bytes < BANDWIDTH, {self._names.units[host] for host in self._near_each_other}
        of_near = (one for one in clear if one.subject[0] in near and one.scope is not Scope.WITHIN)
        for one in of_near:
            if (is_small and one.is_slow_host) or (one.kind == "host" and one.symptom == "intermittent"):
                yield one

    @staticmethod
    def _behind_their_switches(effects: Effects) -> set[int]:
        """The hosts that are alone in their groups, as few are: all their ways pass uplinks that other jobs, say, may
        load."""
        size = np.bincount(effects.group_of)
        are_few = (size == 1).sum() < FEWEST_SINGLE and effects.whole_groups > 0
        return set(np.flatnonzero(size[effects.group_of] == 1).tolist()) if are_few else set()

    @staticmethod
    def _quick_with_some(
        asked: Mapping[int, float], slow: Mapping[int, float], judged: Judged
    ) -> tuple[set[int], set[int]]:
        """Those of the hosts `asked` for that are as quick as any with the other one of a group of two, or where no
        groups are known with any other; and with another one of the `slow` hosts: what leads to both, such as a further
        switch, may be all that is slow. As any of their kinds, if enough links of others of these were measured, and
        with one that could show it, and with which it is not slow alone. Of those asked for: their effects; of the
        `slow` ones: what they add under load, which does not count in small messages of one that adds clearly less;
        logs of factors."""
        seen, effects = judged.readings, judged.findings.effects
        if not asked or not is_whole(seen.hosts):
            return set(), set()
        times, group_of, kind_of = seen.between_hosts.median, effects.group_of, effects.equals.kind_of
        size, every = np.bincount(group_of)[group_of], np.arange(seen.hosts)
        adds = np.zeros(seen.hosts)
        if judged.size.bytes < BANDWIDTH:
            adds[list(slow)] = list(slow.values())
        quickest = float(np.quantile(known_sample(times), QUICK))

        def quickest_of(host: int, kind: int) -> float:
            own, other = ((kind_of == one) & (every != host) for one in (kind_of[host], kind))
            known = known_sample(times[np.ix_(own, other)])
            return float(np.quantile(known, QUICK)) if len(known) >= FEWEST_OF_KINDS else quickest

        def quick_with(host: int) -> NDArray[np.bool_]:
            like = np.array([quickest_of(host, kind) for kind in range(effects.equals.kinds)])[kind_of]
            least = CLEARLY_MORE * adds[host] if adds[host] >= CLEAR_OF_SAME else np.inf
            added = np.where(adds > least, adds, 0.0)
            quick = effects.could_show(host, asked[host]) & (seen.with_each(host) - added < like + SAME_AS_FAR)
            alone = np.flatnonzero(quick & (added == 0))
            return np.asarray(quick & ~judged.slow_alone_with(host, alone, asked[host]))

        of_two = (group_of[:, None] == group_of) & (size == 2) if group_of.any() else np.ones(times.shape, bool)
        found = {host: quick_with(host) for host in asked}
        among = {host for host, quick in found.items() if quick[list(slow)].any()}
        return {host for host, quick in found.items() if quick[of_two[host]].any()}, among

    def _may_be_of_a_rank(self, within: Verdict) -> bool:
        """Whether it is a host of two ranks, one of which looks slow with other hosts, too."""
        host_of = self._names.host_of
        ranks = np.flatnonzero(host_of == self._names.hosts.index(within.subject[0]))
        return len(ranks) == OF_ONE_LINK and not self._looking_slow.isdisjoint(ranks.tolist())

    def _is_of_group_alone(self, verdict: Verdict) -> bool:
        """Whether it is a slow host of a group that is slow alone, and well inside it, and no slower than that."""
        factor = verdict.factor or np.inf
        groups = (one for one in self._ways_alone if one.is_slow_group and factor <= MUCH * (one.factor or 1.0))
        is_host = verdict.is_slow_host and verdict.scope is not Scope.WITHIN
        return is_host and any(verdict.subject[0] in self._names.units_of(one.subject) for one in groups)

    def _may_be_of_a_group(self, pair: Verdict) -> bool:
        """Whether it leads from a group that is a suspect, and is no slower than that."""
        ends, factor = self._names.units_of(pair.subject), pair.factor or np.inf
        slow = (one for one in self._collected.suspects if one.is_slow_group and factor <= (one.factor or 1.0))
        return any(len(ends & self._names.units_of(one.subject)) == 1 for one in slow)

    def _is_of_larger(self, verdict: Verdict) -> bool:
        """Whether it is of a slow rail, or a slow host that is no slower than at a size at which many are as slow."""
        match verdict.kind:
            case "rank":
                return verdict.subject in self._of_rails
            case "group":
                return frozenset(self._names.units_of(verdict.subject)) in self._behind_rails
            case "host" if verdict.symptom == "slow":
                return (verdict.factor or 1.0) <= self._kinds_of_hosts.get(verdict.subject, 0.0)
        return False


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
    may_be_apart = names.grouping is None and judged.size.bytes < BANDWIDTH and is_whole(judged.readings.hosts)
    may_be_apart &= any(found.kind == "pair" for found in judged.unexplained)
    between = _times_between_groups(judged) if may_be_apart else np.zeros(0)
    for found in judged.unexplained:
        in_no_group = names.grouping is None and _is_in_no_group(found, judged) and not _is_slower_alone(found, judged)
        is_of_way = _is_of_one_way(found, effects)
        is_of_way |= found.links < FEWEST_BEYOND and (_is_beyond(found, judged) or _is_a_little_beyond(found, judged))
        may_be_well = is_of_way or in_no_group or _is_as_long_as_some(found, effects, between)
        if not may_be_well or (found.kind == "host" and judged.is_slow_near_and_far(found)):
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


def _is_beyond(found: Found, judged: Judged) -> bool:
    """Whether it is a host that is as fast as others inside its group."""
    return found.kind == "host" and found.subject[0] in judged.findings.beyond


def _is_a_little_beyond(found: Found, judged: Judged) -> bool:
    """Whether it is a host that is a little slow, and well inside its group."""
    return found.kind == "host" and found.effect <= LITTLE and judged.is_well_near(found.subject[0])


def _is_in_no_group(found: Found, judged: Judged) -> bool:
    """Whether it is a pair inside a group, or a host that is slow inside its group only, which takes what links between
    groups take; one of several pairs, and a host in small messages, which no load hides (not a core), at most that.

    Where groups were found in the times, it may just be that it does not belong into one.
    """
    effects = judged.findings.effects
    if found.kind not in ("host", "pair"):
        return False
    one, others, group_of = found.subject[0], _far_ends(found, effects), effects.group_of
    if any(other.kind == "group" and other.subject[0] == group_of[one] for other in judged.findings.bad):
        others = others[group_of[others] == group_of[one]]  # the group is why those with others are slow
    if not len(others) or (group_of[others] != group_of[one]).any():
        return False
    kinds = effects.equals.kind_of
    far = effects.typical[kinds[one], kinds[others], 0]
    usual = effects.expected_at(one, others) if found.kind == "pair" else effects.class_at(one, others)
    beyond = usual + found.effect - far
    pairs = sum(
        other.kind == "pair" and set(group_of[list(other.subject)].tolist()) == {int(group_of[one])}
        for other in judged.unexplained
    )
    at_most = pairs > 1 if found.kind == "pair" else judged.size.bytes < BANDWIDTH
    return bool(np.median(beyond if at_most and not effects.equals.one_host else np.abs(beyond)) < SAME_AS_FAR)


def _times_between_groups(judged: Judged) -> Values:
    """What links between groups take that nothing is known against, log seconds."""
    effects, bad = judged.findings.effects, hosts_among(judged.findings.bad, judged.readings)
    groups = {one.subject[0] for one in judged.findings.bad if one.kind == "group"}
    every = np.arange(len(effects.group_of))
    good = np.flatnonzero(~np.isin(effects.group_of, list(groups)) & ~np.isin(every, list(bad)))
    far = effects.group_of[good][:, None] != effects.group_of[good]
    times = judged.readings.between_hosts.median[np.ix_(good, good)][far]
    return np.asarray(times[np.isfinite(times)], float)


def _is_as_long_as_some(found: Found, effects: Effects, between: Values) -> bool:
    """Whether it is a pair inside a group that takes longer than most links `between` groups in messages too small to
    share much, but no longer than a part of them do: ways differ in length, and its hosts may be in two groups."""
    end, other, group_of = found.subject[0], found.subject[-1], effects.group_of
    if found.kind != "pair" or not len(between) or group_of[end] != group_of[other]:
        return False
    own = float(effects.expected_at(end, other)) + found.effect - SAME_AS_FAR
    as_long = int((between >= own).sum())
    return bool(np.median(between) < own) and as_long >= max(FEWEST_AS_LONG, PART_AS_LONG * len(between))


def _far_ends(found: Found, effects: Effects) -> NDArray[np.int64]:
    """The other host of a pair; those with which a host shows that it is slow."""
    if found.kind == "pair":
        return np.array(found.subject[1:], np.int64)
    one, every = found.subject[0], np.arange(len(effects.group_of))
    return np.asarray(every[effects.shows(one, every) & (every != one)])


def _is_slower_alone(found: Found, judged: Judged) -> bool:
    """Whether a host or pair takes longer alone than links between groups do, compared with those inside one."""
    effects = judged.findings.effects
    others = _far_ends(found, effects)
    gap = gap_alone(judged, effects.class_number(np.full_like(others, found.subject[0]), others))
    if gap is None:
        return False
    if found.kind == "pair":
        ((longer, _),) = judged.alone.longer_than_equals([[(found.subject[0], found.subject[1])]], judged.findings)
    else:
        longer = judged.alone.slow_with(found, judged.findings).effect
    return bool(longer > max(gap, 0.0) + SAME_AS_FAR)


def _sure_without_groups(slow: list[Verdict], hosts: int) -> list[Verdict]:
    """Without known groups only few bad hosts are sure; many at once, or a pair, may be how groups differ."""
    bad = [verdict for verdict in slow if verdict.is_end]
    return bad if len(bad) <= max(FEW_BAD, PART_BAD * hosts) else []


def _without_ends(
    clear: Sequence[Verdict], unclear: Sequence[Verdict], names: Names
) -> tuple[list[Verdict], list[Verdict]]:
    """Verdicts and suspects of fewer than FEW_HOSTS ends, any of which may be at fault: one suspect for all of them.

    A rank of several on its host is a suspect by itself: it was compared with these, but not with ranks at its place.
    """
    accusing = [verdict for verdict in clear if verdict.is_end]
    ends = [verdict for verdict in (*accusing, *unclear) if verdict.kind == names.unit_kind]
    suspects = [verdict for verdict in (*accusing, *unclear) if verdict not in ends]
    worst = min(ends, key=lambda verdict: verdict.worth, default=None)
    if worst is not None:
        text = f"of {worst.subject[0]}: {worst.evidence}"
        suspects.append(replace(worst, subject=tuple(names.units), direction=Side.BOTH, evidence=text))
    return [verdict for verdict in clear if verdict not in accusing], suspects


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
            yield calibrated(late_verdict(late, judged, names), is_alone=False)
    for one in (judged.unproven - judged.of_uplinks) | judged.doubtful:
        yield trunk_verdict(one, judged, names) if isinstance(one, Trunk) else slow_verdict(one, judged, names)
    for found in pairs_found(findings.pairs.suspects, findings.effects, symmetric):
        yield slow_verdict(found, judged, names)
