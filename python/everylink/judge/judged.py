"""What one size says of hosts, ranks, pairs, groups and ways: slow alone, too, or by load, or as others are."""

import itertools
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import (
    CLEAR_ALONE,
    ENOUGH_ALONE,
    ENOUGH_OF_FEW,
    GONE,
    LEAST_ALONE,
    USUAL_OF_SLOW,
    SlowWith,
)
from everylink.judge.confidence import FEWEST_LINKS
from everylink.judge.drifting import Drift, find_drift
from everylink.judge.edges import NEARLY_ALL, Edges, folded_ways, slow_at_the_edge
from everylink.judge.equal_load import (
    LoadedGroup,
    slow_adapters_at_equal_load,
    slow_at_equal_load,
    slow_ways_at_equal_load,
)
from everylink.judge.findings import Findings, Found, hosts_among
from everylink.judge.kinds import many_alike
from everylink.judge.pairs import CLEAR_OF_PAIR
from everylink.judge.phases import (
    FEWEST_OF_HOST,
    PhaseReadings,
    UnderLoad,
    alone_rows,
    measured_in,
    under_load,
)
from everylink.judge.planes import SlowPlane, slow_rails
from everylink.judge.readings import Readings
from everylink.judge.trunks import NEAR_PART, Trunk
from everylink.judge.uplinks import (
    FEWEST_OF_TWO,
    Uplink,
    alike,
    between_groups,
    is_longer_by_design,
    is_only_longer,
    longer_by_pair,
    rest_of_way,
    slow_uplinks,
)
from everylink.judge.verdict import BANDWIDTH, Side
from everylink.model.results import Ranks, Size
from everylink.model.rows import chosen
from everylink.robust import Matrix, Values, is_whole, lower_quantiles, row_medians

MANY_ENDS, PART_OF_ENDS, SAME_ALONE = 12, 0.4, 0.05  # hosts of pairs that are as slow alone: log of the factor
MANY_RANKS, PART_OF_HOSTS = 4, 0.1  # other ranks that are slow alike, and part of the hosts
ALL_PARTNERS = 0.75  # part of the other hosts with which a host must be slow
FURTHER_WAY = 0.03  # log of the factor of small messages, by less of which ways with as many switches differ
FURTHER = 2.0  # times as many seconds as small messages take longer
MOST_HOSTS = 0.4  # of all, of a group that may be slow
CLEAR_OF_LINKS = 2.0  # times what single links differ by, from which what ranks share is slow
MANY_PAIRS, MOST_QUICKER = 0.3, 0.1  # part of the pairs of a host that look slow; of those that do surely not
FEWEST_EQUALS = 5  # hosts of a kind, of which one may be slow by what its ranks share, or at each length
FEWEST_QUICK, QUICK_WITH = 3, 0.25  # others with which a host is quicker than usual, and part of all
QUICK_WAY = 0.25  # part of what a slow group adds that its nearest way to another one must show
FEWEST_INSIDE = 3  # pairs of other hosts of a kind, each inside a group
FEWEST_NEAR = 3  # links of a host inside its group, which tell that it is well there
FEWEST_SHORT, SHORT_PART = 2, 8  # all of the quickest links of a host must be slow: two, or an eighth of its links
LINKS_PER_WELL = 15  # of a slow host, for each one that may look well
MOST_IN_ORDER = 1024  # hosts: putting the links of more in order takes long
FEWEST_OF_KIND = 3  # links of a host with others of its kind, alone
INSIDE = 0.5  # part of what a host adds to its links which those with others must show, also inside its group
GROUPS_OF_ALIKE = 3  # of hosts that are slow alike, if groups are told: those of fewer may share what is slow
BESIDE = 0.5  # part of it by which load alone may make another host slow
FEWEST_OTHERS, MOST_OTHERS = 3, 0.5  # ways between groups at the far end of an uplink, and part of them that are slow
SOME_ARE_WELL = 0.25  # quantile of the links of a host inside its group, some of which lead to slow hosts
PROVEN = 0.25  # part of the pairs of an uplink that must be slow alone


@dataclass(frozen=True)
class Judged:
    """One size with its readings and findings. `told`: whether the groups are, and not found in the times.

    `is_quiet`: whether the readings are those with a quarter of the ranks busy, not those under full load.
    """

    ranks: Ranks
    told: bool
    size: Size
    readings: Readings
    findings: Findings
    alone: PhaseReadings
    quarter: PhaseReadings
    one_way: PhaseReadings
    is_quiet: bool = False

    @cached_property
    def _under_load(self) -> UnderLoad:
        return under_load(self.findings, self.alone, self.quarter)

    @cached_property
    def contention(self) -> frozenset[Found | Trunk]:
        """What is slow only while others measure, so no fault."""
        return (self._under_load.contention | self._of_loaded_groups) - self.filled

    @property
    def _of_loaded_groups(self) -> frozenset[Found]:
        """Hosts that are well alone, and inside their group, as are nearly all others of it: what they share is loaded,
        such as uplinks that are fewer than others have."""
        well = [one for one in self._under_load.well_alone if _is_a(one, "host") and self.is_well_near(one.subject[0])]
        group_of = self.findings.effects.group_of
        of_each = group_of[[one.subject[0] for one in well]]
        count, size = np.bincount(of_each, minlength=len(group_of)), np.bincount(group_of, minlength=len(group_of))
        loaded = (count >= NEARLY_ALL * size) & (size >= self.fewest_hosts)
        return frozenset(one for one, group in zip(well, of_each.tolist(), strict=True) if loaded[group])

    @cached_property
    def filled(self) -> frozenset[Found]:
        """Hosts of several ranks that are slow only while all measure, but with nearly all others, inside their group,
        too, and by clearly more than single links differ, and than load makes other hosts slow, or if these are several
        also groups. No way between groups explains that: what their ranks share is slow, and a single rank does not
        fill it. Not by a sample of partners: the ways to these may be why; nor in runs of very many hosts."""
        if self.size.bytes < BANDWIDTH or not is_whole(self.readings.hosts):
            return frozenset()
        with_some = (one for one in self._under_load.with_some if not self.alone.slow_with(one, self.findings).slow)
        loaded = [one for one in (*self._under_load.contention, *with_some) if _is_a(one, "host")]
        kind_of = self.findings.effects.equals.kind_of
        equals = np.bincount(kind_of)[kind_of]
        hosts = (one for one in loaded if equals[one.subject[0]] >= FEWEST_EQUALS)
        several = (
            one for one in hosts if self.has_several(one.subject[0]) and one.subject[0] not in self.findings.beyond
        )
        with_all = (one for one in several if self._is_slow_with_nearly_all(one))
        clear = (one for one in with_all if one.effect > CLEAR_OF_LINKS * self.findings.effects.noise)
        found = [one for one in clear if self._longer_inside(one) >= INSIDE * one.effect]
        if not found or not self.readings.has_most_links:
            return frozenset()
        if len(found) > 1 and not self.findings.effects.group_of.any():
            return frozenset()  # groups that do not show may be why several are
        groups = [one for one in self._under_load.contention if _is_a(one, "group")] if len(found) > 1 else []
        beside = max((one.effect for one in (*loaded, *groups) if one not in found), default=0.0)
        if self._longer_than_usual is not None:
            others = np.delete(self._longer_than_usual, [one.subject[0] for one in found], axis=0)
            beside = max(beside, float(np.max(row_medians(others)[0], initial=0.0)))
        return frozenset(one for one in found if beside < BESIDE * one.effect)

    def _is_slow_with_nearly_all(self, host: Found) -> bool:
        """Whether a host is slow with nearly all others that could show it."""
        one = host.subject[0]
        longer = self.longer_with(one)
        known = longer[np.isfinite(longer) & self.findings.effects.could_show(one, host.effect)]
        return len(known) > 0 and bool((known > INSIDE * host.effect).mean() >= ALL_PARTNERS)

    def _longer_inside(self, slow: Found) -> float:
        """The median of what the links of a host with others of its group that could show it take longer than those
        inside groups do usually, log of the factor; longer than those between groups where few others are inside."""
        effects, host = self.findings.effects, slow.subject[0]
        longer = self.longer_with(host)
        if self._are_few_inside(host):
            kind_of = effects.equals.kind_of
            longer = self.readings.with_each(host) - effects.typical[kind_of[host], kind_of, 0]
        near = (effects.group_of == effects.group_of[host]) & np.isfinite(longer)
        near &= effects.could_show(host, slow.effect)
        return float(np.median(longer[near])) if near.any() else 0.0

    def _are_few_inside(self, host: int) -> bool:
        """Whether too few links inside groups are of two others of its kind: what these take is what its own do."""
        effects = self.findings.effects
        own = np.setdiff1d(np.flatnonzero(effects.equals.kind_of == effects.equals.kind_of[host]), [host])
        size = np.unique(effects.group_of[own], return_counts=True)[1]
        return int((size * (size - 1) // 2).sum()) < FEWEST_INSIDE

    def longer_with(self, host: int) -> Matrix:
        """What links between a host and each other one take longer than those of their class, log of the factor, in the
        slower direction, [hosts]; NaN where not known."""
        usual = self.findings.effects.class_at(host, np.arange(self.readings.hosts))
        return np.asarray(self.readings.with_each(host) - usual)

    def has_several(self, host: int) -> bool:
        """Whether a host has several ranks, of which one alone may not fill what they share."""
        return int((self.readings.host_of == host).sum()) > 1

    @property
    def contended_hosts(self) -> set[int]:
        """Hosts that are slow only while others measure."""
        return {one.subject[0] for one in self.contention if _is_a(one, "host")}

    @cached_property
    def unproven(self) -> frozenset[Found | Trunk]:
        """What may be slow only while others measure, or only with some others. And large groups: where one holds so
        many of the hosts, the others may be the ones that differ."""
        group_of = self.findings.effects.group_of
        size = np.bincount(group_of)
        groups = [one for one in self.findings.bad if one.kind == "group"]
        large = (one for one in groups if size[one.subject[0]] > MOST_HOSTS * size.sum())
        some = {one for one in self.slow_alone if self.is_slow_with_some(one) or self._is_usual(one)}
        some -= {one for one in some if _is_a(one, "host") and self.is_slow_at_each_length(one.subject[0], one.effect)}
        some |= self._under_load.with_some - self.filled
        some |= {one for one in self.findings.bad if _is_a(one, "host") and self._may_be_well(one)}
        some |= {one for one in groups if self._is_quick_with_a_group(one)}
        hosts = (one for one in some if _is_a(one, "host"))
        at_the_edge = {one for one in hosts if int(group_of[one.subject[0]]) in self._at_the_edge}
        return self._under_load.unproven | frozenset(large) | (some - at_the_edge)

    def _may_be_well(self, slow: Found) -> bool:
        """Whether something else may be why a host looks slow."""
        return self._is_within_noise(slow) or self._is_well_inside(slow) or self._is_quick_with_many(slow)

    def _is_within_noise(self, slow: Found) -> bool:
        """Whether few links show a host to be slow, and by less than single links differ twice; but for one that is
        slow alone with all others."""
        host, effect = slow.subject[0], slow.effect
        is_little = slow.links < FEWEST_LINKS and effect < CLEAR_OF_LINKS * self.findings.effects.noise
        return is_little and not self.effect_alone(host) and not self.is_slow_at_each_length(host, effect)

    def _is_well_inside(self, slow: Found) -> bool:
        """Whether a host is neither slow alone nor inside its group: ways from there, which others load, explain it."""
        effects, host = self.findings.effects, slow.subject[0]
        if slow not in self._under_load.well_alone:
            return False
        near = (effects.group_of == effects.group_of[host]) & np.isfinite(self.readings.with_each(host))
        return int(near.sum()) >= FEWEST_NEAR and self._longer_inside(slow) < INSIDE * slow.effect

    def _is_quick_with_many(self, slow: Found) -> bool:
        """Whether a host is quicker than usual with many others, and as quick as hosts of its kind are with theirs: it
        is near to these, and further from its own kind. What is slow adds to all links, and makes none quicker."""
        host, kind_of = slow.subject[0], self.findings.effects.equals.kind_of
        if not is_whole(self.readings.hosts):
            return False
        own = self.longer_with(host)
        quick = own < -INSIDE * slow.effect
        alike = np.setdiff1d(np.flatnonzero(kind_of == kind_of[host]), [host])
        are_few = quick.sum() < max(FEWEST_QUICK, QUICK_WITH * np.isfinite(own).sum())
        if are_few or not len(alike) or self._longer_than_usual is None:
            return False
        best = float(np.nanmedian(lower_quantiles(self._longer_than_usual[alike], QUICK_WITH)[0]))
        return bool(np.median(own[quick]) <= best + INSIDE * slow.effect)

    def _is_well_with_other_kinds(self, slow: Found) -> bool:
        """Whether a host is well with as many hosts of other kinds, as near, as it is slow with: what makes it slow
        would slow these links, too. They are well if they take clearly less time than its slow ones or, in messages so
        small that what is slow adds to each, no longer than usual. Not of very many hosts."""
        host, effects = slow.subject[0], self.findings.effects
        if effects.equals.kinds < 2 or not is_whole(self.readings.hosts):
            return False
        group_of, kind_of = effects.group_of, effects.equals.kind_of
        shows, time = effects.shows(host, np.arange(len(group_of))), self.readings.with_each(host)
        near = group_of == group_of[host]
        as_near = np.isin(near, near[shows]) & ~np.isin(kind_of, kind_of[shows])
        known = shows & np.isfinite(time)
        if not known.any():
            return False
        well = time < np.quantile(time[known], USUAL_OF_SLOW) - GONE * slow.effect
        if self.size.bytes < BANDWIDTH:
            well |= self.longer_with(host) < GONE * slow.effect
        return int((as_near & well).sum()) >= max(FEWEST_OF_HOST, int(shows.sum()))

    def _is_quick_with_a_group(self, slow: Found) -> bool:
        """Whether a group is as quick with another one as others are with the nearest one: what is slow adds to all of
        its ways, so it is just near to fewer groups."""
        nearest, group = self._nearest_groups, slow.subject[0]
        if nearest is None:
            return False
        return bool(nearest[group] < np.nanmedian(np.delete(nearest, group)) + QUICK_WAY * slow.effect)

    @cached_property
    def _nearest_groups(self) -> Values | None:
        """What the quickest way of each group to another one takes longer than is usual for the kinds of their hosts,
        log of the factor, [group]; None as _longer_than_usual."""
        longer = self._longer_than_usual
        return None if longer is None else lower_quantiles(between_groups(longer, self.findings.effects.group_of), 0)[0]

    @cached_property
    def _longer_than_usual(self) -> Matrix | None:
        """Of each host `longer_with`, [host, host]; None in runs that are too large to hold all links, and on one
        host."""
        effects, every = self.findings.effects, np.arange(self.readings.hosts)
        if not is_whole(self.readings.hosts) or effects.equals.one_host:
            return None
        times = self.readings.between_hosts.median
        return np.asarray(np.fmax(times, times.T) - effects.class_at(every[:, None], every[None, :]))

    def is_slow_at_each_length(self, host: int, effect: float) -> bool:
        """Whether the links of a host take longer than those of others of its kind, the quickest ones compared with the
        quickest ones, and so on, by half of this `effect`, log of the factor. Where no groups show, links of one class
        may differ in length: those that look well are then the short ones. One or two that look well do not count if
        the others at their ends are well with most: a switch that leads to both would be on the ways of both. Not of
        very many hosts, nor where links were not measured."""
        longer, links = self._beyond_equals(host), self._longer_than_usual
        if longer is None or links is None:
            return False
        are_slow = longer >= INSIDE * effect
        count = max(FEWEST_SHORT, len(are_slow) // SHORT_PART)
        well = int((~are_slow[:count]).sum())
        if well > len(are_slow) // LINKS_PER_WELL or are_slow.mean() < ALL_PARTNERS:
            return False
        others = map(self._beyond_equals, np.argsort(links[host])[:well].tolist())
        are_well = all(other is not None and np.median(other) < INSIDE * effect for other in others)
        return are_well and bool(are_slow[well : well + count].all())

    def _beyond_equals(self, host: int) -> Values | None:
        """What its links take longer than those of its kind, as _in_order, log of the factor; None of few equals."""
        kind_of = self.findings.effects.equals.kind_of
        others = np.setdiff1d(np.flatnonzero(kind_of == kind_of[host]), list(self.hosts_looking_slow))
        if self._in_order is None or len(others) < FEWEST_EQUALS:
            return None
        return np.asarray(self._in_order[host] - np.median(self._in_order[others], axis=0), float)

    @cached_property
    def _in_order(self) -> Matrix | None:
        """What the links of each host take longer than is usual for its kind, log of the factor, ascending,
        [host, hosts - 1]; None as _longer_than_usual, where groups show, and of more than MOST_IN_ORDER hosts."""
        groups_show = bool(self.findings.effects.group_of.any())
        if groups_show or self.readings.hosts > MOST_IN_ORDER or self._longer_than_usual is None:
            return None
        return np.sort(self._longer_than_usual, axis=1)[:, :-1]  # without the host itself, which is NaN

    def _is_usual(self, one: Found | Trunk) -> bool:
        """Whether it is a host or rank that is hardly slower alone than others differ."""
        return (_is_a(one, "host") or _is_a(one, "rank")) and self.alone.slow_with(one, self.findings).is_usual

    @cached_property
    def _usually_alone(self) -> PhaseReadings:
        """Typical readings alone in place of the best: a few messages may take a detour."""
        return measured_in(alone_rows(self.size), self.readings, typical=True)

    def is_slow_with_some(self, one: Found | Trunk) -> bool:
        """Whether some of its links are slow alone, and others, which could show it, are not; of a host also those
        under load, if they are with other kinds of hosts."""
        if _is_a(one, "pair"):
            return False
        if _is_a(one, "host") and self._is_well_with_other_kinds(one):
            return True
        if _is_a(one, "rank") and self.alone.is_slow_near(one, self.findings) is False:
            return True
        if _is_way(one):
            return all(phase.slow_with(one, self.findings).some for phase in (self.alone, self._usually_alone))
        return self.alone.slow_with(one, self.findings).is_no_end

    @property
    def slow_alone(self) -> frozenset[Found | Trunk]:
        """What was measured alone, and is slow there, too."""
        return self._under_load.slow_alone

    @cached_property
    def longer(self) -> Matrix | None:
        """What pairs take longer than their ends explain; None in runs that are too large to hold all links, and
        without groups of several hosts."""
        several = (np.bincount(self.findings.effects.group_of) >= FEWEST_OF_TWO).any()
        whole = is_whole(self.readings.hosts) and several
        return longer_by_pair(self.findings.effects, self.readings) if whole else None

    @cached_property
    def between(self) -> Matrix | None:
        """What ways between groups take longer, likewise."""
        return None if self.longer is None else between_groups(self.longer, self.findings.effects.group_of)

    def is_only_longer(self, uplink: Uplink | None) -> bool:
        """As uplinks.is_only_longer, in messages that show bandwidth."""
        if uplink is None or self.longer is None or self.size.bytes < BANDWIDTH:
            return False
        return is_only_longer(uplink, self.findings.effects.group_of, self.longer)

    def is_further(self, way: LoadedGroup) -> bool:
        """Whether messages between two groups take longer at this size, too, than those between others."""
        if way.other < 0 or self.between is None:
            return False
        others = self.between.copy()
        others[[way.group, way.other], [way.other, way.group]] = np.nan
        return bool(self.between[way.group, way.other] - np.nanmedian(others) > FURTHER_WAY)

    def _is_by_design(self, one: Trunk | Uplink) -> bool:
        """Whether a trunk or uplink is slow as ways between other groups are, or may be, as no other group has such
        hosts."""
        if self.between is None:
            return False
        if isinstance(one, Uplink) and one.other < 0 and len(self.findings.effects.groups_like(one.group)) < 2:
            return True
        ways = one.ways(self.findings.effects.group_of)
        return is_longer_by_design(one.effect, ways, self.between)

    def _is_of_whole_way(self, uplink: Uplink) -> bool:
        """Whether it is some pairs between two groups of which the others are slow, too: it is the way that is."""
        if self.longer is None or uplink.other < 0:
            return False
        group_of = self.findings.effects.group_of
        rest = rest_of_way(uplink, self._slow_pairs, self.longer, group_of, self.hosts_looking_slow)
        return rest > NEAR_PART * uplink.effect

    def _is_of_hosts(self, uplink: Uplink) -> bool:
        """Whether the hosts at its far end are slow with each other as well, over other ways: all of these hosts have
        something that costs most between two that do."""
        far = {host for pair in uplink.pairs for host in pair.subject} - uplink.members
        group_of, slow = self.findings.effects.group_of, {frozenset(pair.subject) for pair in self._slow_pairs}
        ways = [pair for pair in itertools.combinations(sorted(far), 2) if group_of[pair[0]] != group_of[pair[1]]]
        return len(ways) >= FEWEST_OTHERS and sum(frozenset(way) in slow for way in ways) >= MOST_OTHERS * len(ways)

    @cached_property
    def hosts_looking_slow(self) -> set[int]:
        return {one.subject[0] for one in self.findings.bad if one.kind == "host"}

    @cached_property
    def _slow_pairs(self) -> list[Found]:
        """Pairs that are slow, and not just while others measure, nor because both hosts are of a class."""
        return [one for one in self.findings.bad if one.kind == "pair" and one not in self.contention | self._of_class]

    @cached_property
    def _alike(self) -> dict[Found, Found]:
        """Hosts that are slow alike under load, or alone, and many: another kind of hosts, or hosts behind other
        switches; where groups are told, if they are in several. Each as load shows it, and as its links alone do."""
        slow = [one for one in self.findings.bad if one.kind == "host" and one not in self.contention]
        hosts, many, group_of = self.readings.hosts, many_alike(self.readings.hosts), self.findings.effects.group_of
        if self.told:
            slow = [one for one in slow if (group_of == group_of[one.subject[0]]).sum() > 1]
        are_of_few = self.told and len({int(group_of[one.subject[0]]) for one in slow}) < GROUPS_OF_ALIKE
        if self.findings.effects.equals.one_host or len(slow) <= many or are_of_few:
            return {}
        alone = {one: self._alone("host", one.subject[0])[0] for one in slow}
        under_load = alike(slow, hosts, many)
        by_alone = alike([one for one in alone.values() if one.links], hosts, many)
        return {one: same for one, same in alone.items() if one in under_load or same in by_alone}

    @cached_property
    def _of_class(self) -> frozenset[Found]:
        """Pairs of two of these hosts: a round trip pays for both."""
        hosts = {one.subject[0] for one in self._alike}
        return frozenset(one for one in self.findings.bad if one.kind == "pair" and hosts.issuperset(one.subject))

    @cached_property
    def _ways_of_pairs(self) -> list[Uplink]:
        """The ways that explain slow pairs of hosts: uplinks, and ways that are longer by design."""
        longer = self.longer if self._slow_pairs and not self.told else None
        return slow_uplinks(self._slow_pairs, self.findings.effects.group_of, self.hosts_looking_slow, longer)

    @cached_property
    def uplinks(self) -> list[Uplink]:
        """Uplinks of groups that are slow; where pairs were measured alone, some of theirs were, and are slow, and not
        just as slow as a good part of their like."""
        proven = self._under_load.slow_alone - self._like_controls
        return [
            uplink for uplink in self._ways_of_pairs
            if not self._is_by_design(uplink) and not self._is_of_whole_way(uplink) and not self._is_of_hosts(uplink)
            and (self.alone.is_empty or sum(pair in proven for pair in uplink.pairs) >= PROVEN * len(uplink.pairs))
        ]  # fmt: skip

    def by_alone(self, quiet: "Judged | None", small: "Judged | None", slow_ranks: Set[int]) -> tuple[Found, ...]:
        """Hosts that are slow by what was measured alone, though not under load; a few, as many are another kind.

        Of messages that show bandwidth, and by more seconds than `small` ones take longer: a host may be further away.
        Pairs that were measured because they look slow say nothing of the others of a host, unless many do, nor does
        one of its ranks. A host that is slow at another size need be no slower than all others: messages that pass its
        switch may take as long. `quiet`: the judgement with a quarter of the ranks busy; `slow_ranks`: those at any
        size.
        """
        if self.findings.effects.equals.one_host or self.size.bytes < BANDWIDTH:
            return ()
        pairs, found = self.findings.looking_slow | (quiet.findings.looking_slow if quiet else set()), list[Found]()
        told, of_ranks = hosts_among(self.unexplained, self.readings), set(self.readings.host_of[list(slow_ranks)])
        unloaded = self._without_loaded_groups
        beside = unloaded._without_ranks(slow_ranks)
        tell = sorted(set(self.alone.hosts_that_tell()) - told)
        by = {host: beside if host in of_ranks else unloaded for host in tell}
        left_out = {host: unloaded._selected(host, pairs) for host in tell}
        seen = {
            host: by[host]._told_alone(host, left_out[host])
            for host in tell if by[host].alone.knows_devices(host, self.ranks.device)
        }  # fmt: skip
        slow_hosts = {host for host, (_, _, slow) in seen.items() if slow.may_be_all}
        are_few = len(slow_hosts | told) <= many_alike(self.readings.hosts)
        for host in sorted(slow_hosts):
            judged, one, slow = seen[host]
            if not slow.all and are_few:  # and a good part of what each of them is compared with
                one, slow = judged._with_selected(host, left_out[host], slow_hosts)
            is_slow = slow.all or (slow.may_be_all and host in self.alone.bad_elsewhere)
            is_near = is_slow and not _is_further(slow.seconds, "host", host, small)
            if is_near and judged._is_slow_near(one, set(tell) - slow_hosts):
                found.append(one)
        many = alike([*found, *self._alike.values()], self.readings.hosts, many_alike(self.readings.hosts))
        return tuple(one for one in found if one not in many)

    @property
    def _without_loaded_groups(self) -> "Judged":
        """The same without the groups that are slow only while others measure: alone, their ways slow no host."""
        loaded = {one for one in self._under_load.well_alone if _is_a(one, "group")}
        if not loaded:
            return self
        bad = tuple(one for one in self.findings.bad if one not in loaded)
        return replace(self, findings=replace(self.findings, bad=bad))

    def _told_alone(self, host: int, selected: Set[frozenset[int]]) -> tuple["Judged", Found, SlowWith]:
        """As _with_selected, and by which judgement: where other kinds of hosts do not tell that it may be slow, by one
        in which its own does, though these are few."""
        one, slow = self._with_selected(host, selected)
        if not slow.may_be_all and self.findings.effects.equals.kinds > 1:
            by_its_kind = replace(self, alone=replace(self.alone, fewest_of_kinds=FEWEST_OF_KIND + 1))
            own, of_kind = by_its_kind._with_selected(host, selected)
            if of_kind.may_be_all:
                return by_its_kind, own, of_kind
        return self, one, slow

    def _without(self, hosts: Set[int]) -> "Judged":
        """The same, but links of these hosts are no good ones to compare with alone."""
        return replace(self, alone=replace(self.alone, bad_elsewhere=self.alone.bad_elsewhere | hosts))

    def _with_selected(
        self, host: int, selected: Set[frozenset[int]], slow_hosts: Set[int] = frozenset()
    ) -> tuple[Found, SlowWith]:
        """As _alone without some `selected` pairs of a host, and compared with links of no `slow_hosts`; fewer others
        are enough if all of them are slow, and the selected ones as well. Nothing is selected where all that could show
        it were measured."""
        one, slow = (self._without(slow_hosts) if slow_hosts else self)._alone("host", host, selected)
        if slow.links < slow.enough and slow.slow == slow.links:
            of_all, whole = self._alone("host", host)
            if whole.may_be_all and slow.links >= ENOUGH_OF_FEW:
                slow = replace(slow, enough=slow.links)
            elif whole.may_be_all and self.alone.is_with_all_that_show(host, self.findings.effects):
                one, slow = of_all, whole
        return one, slow

    def _selected(self, host: int, pairs: Set[frozenset[int]]) -> Set[frozenset[int]]:
        """Those of these pairs that a host has, which were measured alone as they look slow. None if many do, and none
        of its others take less time under load than these alone: they tell of all of them."""
        own = {pair for pair in pairs if host in pair}
        if len(own) < MANY_PAIRS * (self.readings.hosts - 1) or not is_whole(self.readings.hosts):
            return own
        best, times = self.alone.of_hosts, self.readings.with_each(host)
        usual = float(np.median(best.time[(best.frm == host) | (best.to == host)]))
        quicker = times[np.isfinite(times)] < usual - GONE * self._alone("host", host)[1].effect
        return own if quicker.mean() > MOST_QUICKER else set()

    def _without_ranks(self, ranks: Set[int]) -> "Judged":
        """The same without what was measured alone of some ranks."""
        if not ranks:
            return self
        rows, left_out = alone_rows(self.size), list(ranks)
        rows = chosen(rows, ~np.isin(rows.frm, left_out) & ~np.isin(rows.to, left_out))
        return replace(self, alone=measured_in(rows, self.readings, bad_elsewhere=self.alone.bad_elsewhere))

    def _alone(self, kind: str, number: int, without: Set[frozenset[int]] = frozenset()) -> tuple[Found, SlowWith]:
        """A host or rank as its links alone show it, and how many are slow; `without`: pairs of hosts that do not
        count. Of a host, fewer links are enough if all are slow, fewer than ENOUGH_OF_FEW clearly, and it was measured
        with ENOUGH_ALONE others, of which the rest are of kinds that could not show it."""
        one = Found(kind, (number,), Side.BOTH, 0.0, 0.0, 0)
        slow = self.alone.slow_with(one, self.findings, without)
        if kind == "host" and not without and FEWEST_OF_KIND <= slow.links == slow.slow:
            measured, could_show = self.alone.partners(number, self.findings.effects)
            is_clear = slow.links >= ENOUGH_OF_FEW or slow.effect > CLEAR_ALONE
            if measured >= ENOUGH_ALONE and could_show == slow.links and is_clear:
                slow = replace(slow, enough=min(slow.enough, slow.links))
        return replace(one, effect=slow.effect, z=slow.z, links=slow.links), slow

    def effect_alone(self, host: int) -> float:
        """How much longer the links of a host take alone, log of the factor; 0 unless nearly all do."""
        slow = self._alone("host", host)[1]
        return slow.effect if slow.all else 0.0

    def is_slow_near_and_far(self, slow: Found) -> bool:
        """Whether a host is slow alone with nearly all others, with those of its group and with those of others."""
        one, with_all = self._alone("host", slow.subject[0])
        phase, findings = self.alone, self.findings
        return with_all.all and bool(phase.is_slow_near(one, findings) and phase.is_slow_beyond(one, findings))

    def slow_alone_with(self, host: int, others: NDArray[np.int64], effect: float) -> NDArray[np.bool_]:
        """Mask [hosts] of those of the `others` with which a host takes longer alone, by half of its effect or more."""
        slow = np.zeros(self.readings.hosts, bool)
        longer = self.alone.longer_than_equals([[(host, other)] for other in others.tolist()], self.findings)
        slow[others] = [log > max(INSIDE * effect, LEAST_ALONE) for log, _ in longer]
        return slow

    def seconds_alone(self, kind: str, number: int) -> float:
        """How much longer the links that show a host or rank take alone; 0 where that was not measured."""
        return self._alone(kind, number)[1].seconds

    def host_is_further(self, host: int, small: "Judged | None") -> bool:
        """Whether messages of a host that show bandwidth take longer alone, but no more than twice as many seconds as
        `small` ones: if that is a fault, these show it better."""
        seconds = self.seconds_alone("host", host) if self.size.bytes >= BANDWIDTH else 0.0
        return seconds > 0 and _is_further(seconds, "host", host, small)

    def is_well_near(self, host: int) -> bool:
        """Whether links of a host with others of its group are as quick as usual; a part, as some of these are slow."""
        effects = self.findings.effects
        near = np.setdiff1d(np.flatnonzero(effects.group_of == effects.group_of[host]), [host])
        beyond = self.longer_with(host)[near]
        known = beyond[np.isfinite(beyond)]
        return bool(len(known)) and float(np.quantile(known, SOME_ARE_WELL)) < LEAST_ALONE

    @property
    def ranks_looking_slow(self) -> set[int]:
        """The slow ranks but for those that load explains, or that are slow as many are."""
        explained = self.contention | self._ranks_alike | self.of_rails
        return {one.subject[0] for one in self.findings.bad if one.kind == "rank" and one not in explained}

    def ranks_by_alone(self, looking_slow: Set[int], small: "Judged | None") -> tuple[Found, ...]:
        """Of ranks that look slow, at another size or with a quarter of the ranks busy, those that are by what was
        measured alone, though not under load, and by more seconds than `small` messages take longer."""
        if self.findings.effects.equals.one_host or self.size.bytes < BANDWIDTH:
            return ()
        told, found = hosts_among(self.unexplained, self.readings), list[Found]()
        for rank in sorted(looking_slow):
            one, slow = self._alone("rank", rank)
            is_slow = slow.all and self.alone.is_slow_near(one, self.findings) is not False
            is_slow &= not _is_further(slow.seconds, "rank", rank, small)
            if is_slow and not hosts_among([one], self.readings) & told:
                found.append(one)
        many = self._ranks_among_many(found)
        return tuple(one for one in found if one not in many)

    def _is_slow_near(self, host: Found, well: Set[int]) -> bool:
        """Whether a host is slow alone with others of its group, too: else what leads to this may be. Where that cannot
        be compared, whether it has no others, or they are all `well`."""
        number, group_of = host.subject[0], self.findings.effects.group_of
        is_slow = self.alone.is_slow_near(host, self.findings)
        others = set(np.flatnonzero(group_of == group_of[number]).tolist()) - {number}
        return others <= well if is_slow is None else is_slow

    @cached_property
    def slow_with_all(self) -> set[int]:
        """The hosts at the ends of slow pairs that are slow alone with all others."""
        ends = sorted({host for pair in self._slow_pairs for host in pair.subject})
        return {host for host in ends if self._alone("host", host)[1].all}

    @cached_property
    def of_uplinks(self) -> frozenset[Found | Trunk]:
        """The findings that uplinks explain."""
        group_of = self.findings.effects.group_of
        trunks = [trunk for trunk in self.findings.trunks if any(up.explains(trunk, group_of) for up in self.uplinks)]
        return frozenset([*(pair for one in self.uplinks for pair in (*one.pairs, *one.beside)), *trunks])

    @cached_property
    def _explained(self) -> frozenset[Found | Trunk]:
        return self.contention | self.unproven | self.of_uplinks

    def _left(self, kind: str) -> list[Found]:
        """The findings of a kind that neither load nor an uplink explains."""
        return [one for one in self.findings.bad if one.kind == kind and one not in self._explained]

    @cached_property
    def _like_controls(self) -> frozenset[Found]:
        return self.alone.like_controls(self.findings)

    @cached_property
    def repeated(self) -> frozenset[Found]:
        """Pairs that are slow as others of other hosts are: ways that are longer by design, such as in a torus."""
        pairs = self._left("pair")
        longer = {pair for way in self._ways_of_pairs if self._is_by_design(way) for pair in way.pairs}
        longer |= alike(pairs, self.readings.hosts) | self._like_controls | self._alike_alone(pairs)
        return frozenset(longer - self._explained)

    def _alike_alone(self, pairs: Sequence[Found]) -> set[Found]:
        """Those of these pairs that are no slower alone than pairs of many other hosts: their ways are longer by
        design, and load shows more of it on some."""
        known = self.alone.longer_than_equals([[(one.subject[0], one.subject[1])] for one in pairs], self.findings)
        longer = {pair: log for pair, (log, _) in zip(pairs, known, strict=True) if log > LEAST_ALONE}
        needed = max(MANY_ENDS, PART_OF_ENDS * self.readings.hosts)

        def hosts_as_slow(pair: Found, least: float) -> int:
            others = (one for one, log in longer.items() if log > least and not set(one.subject) & set(pair.subject))
            return len({host for one in others for host in one.subject})

        return {pair for pair, log in longer.items() if hosts_as_slow(pair, log - SAME_ALONE) >= needed}

    @cached_property
    def doubtful(self) -> frozenset[Found]:
        """Pairs that are slow, but hardly more so than pairs of healthy hosts may differ."""
        if self.findings.effects.equals.one_host:
            return frozenset()
        return frozenset(one for one in self._left("pair") if one.z < CLEAR_OF_PAIR) - self.repeated

    @cached_property
    def _ranks_alike(self) -> frozenset[Found]:
        """Ranks that are equally slow on many hosts."""
        return self._ranks_among_many(self._left("rank"))

    def _ranks_among_many(self, ranks: Sequence[Found]) -> frozenset[Found]:
        hosts = self.readings.hosts
        return alike(ranks, hosts, max(MANY_RANKS, round(PART_OF_HOSTS * hosts)))

    @cached_property
    def rails(self) -> list[SlowPlane]:
        """Rails that are slow on all hosts of one group."""
        slow = {one.subject[0]: one.effect for one in self._ranks_alike}
        return slow_rails(self.ranks, self.readings.host_of, self.findings.effects.group_of, slow)

    @cached_property
    def of_rails(self) -> frozenset[Found]:
        """The ranks on these rails."""
        on = {rank for rail in self.rails for rank in rail.ranks(self.ranks, self.readings.host_of)}
        return frozenset(one for one in self.findings.bad if one.kind == "rank" and one.subject[0] in on)

    @property
    def repeated_ranks(self) -> frozenset[Found]:
        """Ranks that are slow alike, and not for a rail: by design two ranks may share a port, for instance."""
        return self._ranks_alike - self.of_rails

    @property
    def fewest_hosts(self) -> int:
        """Hosts of a group that are enough to name it, or a way from it: two if groups are told."""
        return FEWEST_OF_TWO if self.told else self.findings.effects.fewest_hosts

    @cached_property
    def edges(self) -> Edges:
        """Groups of which nearly all hosts are slow, and well among each other; of the trunks those slow alone, too."""
        effects = self.findings.effects
        if effects.equals.one_host:
            return Edges()
        left = self.contention | self._under_load.unproven
        hosts = [one for one in self.findings.bad if one.kind == "host" and one not in left]
        edges = slow_at_the_edge(hosts, effects, self.readings, self.fewest_hosts)
        return replace(edges, trunks=tuple(trunk for trunk in edges.trunks if not self._is_gone_alone(trunk)))

    def _is_gone_alone(self, part: Found | Trunk) -> bool:
        """Whether the links of a group or trunk were measured alone, and are hardly slow there."""
        links = self.alone.of_hosts.links_of(part, self.findings.effects.group_of)
        ((beyond, _),) = self.alone.longer_than_equals([links], self.findings)
        return beyond < GONE * part.effect

    @property
    def _at_the_edge(self) -> set[int]:
        """Their numbers."""
        of_trunks = (trunk.group for trunk in self.edges.trunks)
        return {*(one.subject[0] for one in self.edges.groups), *of_trunks}

    @cached_property
    def repeated_hosts(self) -> frozenset[Found]:
        """The hosts of a class that neither load nor a way explains."""
        group_of = self.findings.effects.group_of
        left = [one for one in self._left("host") if int(group_of[one.subject[0]]) not in self._at_the_edge]
        return frozenset(one for one in left if one in self._alike)

    @cached_property
    def unexplained(self) -> tuple[Found, ...]:
        """Slow groups, hosts, ranks and pairs, but for what load, an uplink or the length of a way may explain.

        A group in place of its hosts where nearly all of these are slow with other groups only.
        """
        told = self._explained | self.repeated | self._ranks_alike | self.of_rails | self.doubtful | self.repeated_hosts
        told |= self._of_class
        rest = [one for one in self.findings.bad if one not in told]
        group_of, is_group = self.findings.effects.group_of, {one.subject[0] for one in rest if one.kind == "group"}
        kept = (one for one in rest if one.kind != "host" or int(group_of[one.subject[0]]) not in self._at_the_edge)
        at_the_edge = (one for one in self.edges.groups if not self._is_gone_alone(one))
        groups = {one.subject: one for one in (*self._folded.groups, *at_the_edge)}
        return (*(one for one in groups.values() if one.subject[0] not in is_group), *kept)

    @cached_property
    def trunks(self) -> tuple[Trunk, ...]:
        """Slow trunks, likewise; without those that are hardly slower than others of other groups."""
        return (*self._folded.trunks, *(one for one in self._trunks_left if one.other < 0))

    @cached_property
    def _trunks_left(self) -> tuple[Trunk, ...]:
        """Those that neither load nor an uplink nor the length of ways explains."""
        slow = (one for one in self.findings.trunks if one not in self._explained)
        return (*(one for one in slow if not self._is_by_design(one)), *self.edges.trunks)

    @cached_property
    def _folded(self) -> Edges:
        """Groups in place of their trunks to nearly all others."""
        return folded_ways([one for one in self._trunks_left if one.other >= 0], self.findings.effects)

    @cached_property
    def slow_trunks(self) -> tuple[Trunk, ...]:
        """Slow trunks between two groups that are slow alone, too: by the best readings, or by typical ones, since a
        few messages may take a detour."""
        usually = self._usually_alone.are_slow(self.findings)
        slow = (one for one in self.findings.trunks if one.other >= 0 and (one in self.slow_alone or usually[one]))
        return (*(one for one in slow if not self._is_by_design(one)), *self.edges.trunks)

    @cached_property
    def folded_alone(self) -> Edges:
        """Groups in place of their slow trunks to nearly all others, and the other slow trunks, all slow alone, too."""
        return folded_ways(self.slow_trunks, self.findings.effects)

    @cached_property
    def slow_ways(self) -> frozenset[tuple[int, int]]:
        """The groups at the ends of slow trunks and uplinks, the smaller number first."""
        trunks = (*self.trunks, *self.slow_trunks) if self.is_quiet else self.trunks
        found: tuple[Trunk | Uplink, ...] = (*trunks, *self.uplinks)
        return frozenset(way for one in found for way in one.ways(self.findings.effects.group_of))

    @cached_property
    def loaded(self) -> tuple[LoadedGroup, ...]:
        """Groups that are slower with others than equal ones under equal load, which nothing else explains."""
        bad = [one for one in self.findings.bad if one not in self.contention]
        hosts = hosts_among(bad, self.readings)
        told = {one.subject[0] for one in bad if one.kind == "group"} | {uplink.group for uplink in self.uplinks}
        told |= {group for trunk in self.trunks for group in (trunk.group, trunk.other)}
        found = slow_at_equal_load(self.size, self.readings, self.findings.effects, hosts)
        groups = tuple(one for one in found if one.group not in told)
        if self.size.bytes < BANDWIDTH:
            return groups
        whole = {one.subject[0] for one in bad if one.kind == "host"}
        device = self.ranks.device
        of_device = slow_adapters_at_equal_load(self.size, self.readings, self.findings.effects, device, whole)
        named = told | {one.group for one in groups} | self._with_a_slow_part(bad)
        groups += tuple(one for one in of_device if one.group not in named)
        ways = slow_ways_at_equal_load(self.size, self.readings, self.findings.effects, hosts)
        known = self.slow_ways
        return (*groups, *(one for one in ways if (one.group, one.other) not in known))

    def _with_a_slow_part(self, bad: Sequence[Found]) -> set[int]:
        """The groups of which one host has slow ranks or pairs, which make its adapters slow under equal load."""
        parts = hosts_among([one for one in bad if one.kind == "rank"], self.readings)
        parts |= {host for one in bad if one.kind == "pair" for host in one.subject}
        groups, count = np.unique(self.findings.effects.group_of[list(parts)], return_counts=True)
        return set(groups[count == 1].tolist())

    @cached_property
    def drift(self) -> Drift:
        """What changed in the course of the run."""
        return find_drift(self.size, self.readings, self.findings.effects)

    @property
    def slow_ranks(self) -> set[int]:
        return {found.subject[0] for found in self.findings.bad if found.kind == "rank"}


def _is_further(seconds: float, kind: str, number: int, small: Judged | None) -> bool:
    """Whether a host or rank takes no more seconds longer than a longer way adds, which is as many as to `small`
    messages."""
    return small is not None and seconds <= FURTHER * small.seconds_alone(kind, number)


def _is_a(one: Found | Trunk, kind: str) -> TypeGuard[Found]:
    return isinstance(one, Found) and one.kind == kind


def _is_way(one: Found | Trunk) -> bool:
    """Whether it is a way between hosts, which others may share, and no end."""
    return isinstance(one, Trunk) or one.kind in ("pair", "group")
