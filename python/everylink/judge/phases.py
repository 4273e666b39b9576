"""Uses what `--confirm` measured: which direction is slow, and whether it is slow only under load."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import (
    AS_SLOW,
    ENOUGH_ALONE,
    ENOUGH_OF_FEW,
    FAR_BEYOND,
    FEWEST_GOOD,
    GONE,
    LEAST_ALONE,
    SHOWN_ALONE,
    BestReadings,
    Comparable,
    Links,
    OneWay,
    SlowWith,
    turned,
)
from everylink.judge.effects import Effects
from everylink.judge.findings import LEAST_SIDED, Findings, Found
from everylink.judge.readings import Readings
from everylink.judge.trunks import Trunk
from everylink.judge.verdict import Side
from everylink.model.results import Size
from everylink.model.rows import ALONE, ONE_WAY, QUARTER, Outcome, Rows, chosen
from everylink.robust import medians_of

GONE_OF_GROUP = 0.5  # part of the effect of a group, whose many links tell more; see GONE
GONE_OF_PAIR = 0.5  # likewise of a pair, which others on its way slow no more than it is slow alone
FEWEST_OF_RANK = 3  # links with ranks at its place, of which there are no more, that tell by themselves
FEWEST_KNOWN = 2  # of these, that can be compared with others: of one the rank at the other end may be slow
FEWEST_OF_HOST = 5  # links with others in a phase, of a host that it may tell of
FEWEST_TO_COMPARE = 8  # readings of ranks of a class, of which a rank has some itself
FEWEST_UNDER_LOAD = 4  # readings of a link with others at work, of which the best meets none; fillers have fewer
SETTLED_ALONE, MOST_SURVIVING = 9, 16  # readings of each direction of pairs that are slow alone, if they are few
SAME_PLACES = 0.03  # log of the factor that places may seem to add for noise
PART_LIKE = 0.15  # part of the controls that a pair may be as slow as


@dataclass(frozen=True)
class PhaseReadings:
    """The best readings of a phase of `--confirm`, between hosts and between ranks.

    `bad_elsewhere`: hosts that are slow at another message size; `host_of` [ranks]. `fewest_of_kinds`:
    hosts of kinds that could show a slow one, where only these tell of it; where they are fewer, all kinds do.
    """

    of_hosts: BestReadings
    of_ranks: BestReadings
    bad_elsewhere: frozenset[int]
    host_of: NDArray[np.int64]
    fewest_of_kinds: int = ENOUGH_OF_FEW + 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured in this phase."""
        return not len(self.of_ranks.time)

    def knows_little_of(self, one: Found | Trunk, effects: Effects) -> bool:
        """Whether it is a host or rank of which too few links were measured in this phase, though it has more: a rank
        with those at the same place of other hosts."""
        if isinstance(one, Trunk) or one.kind not in ("host", "rank"):
            return False
        readings, has = self.of_hosts if one.kind == "host" else self.of_ranks, one.links
        if one.kind == "rank":
            has = self._like(one.subject[0], effects) or has
        return len(readings.links_of(one, effects.group_of)) < min(FEWEST_OF_HOST, has)

    def _like(self, rank: int, effects: Effects) -> int:
        """The number of other hosts with a rank at its place; 0: not known."""
        place_of = effects.equals.position_of
        if not len(place_of) or place_of[rank] < 0:
            return 0
        return len(np.unique(self.host_of[place_of == place_of[rank]])) - 1

    def are_slow(self, findings: Findings) -> dict[Found | Trunk, bool | None]:
        """Of each finding, whether its links are slow in this phase, too; None: not known."""
        group_of = findings.effects.group_of
        slow: dict[Found | Trunk, bool | None] = dict(self._ends_slow(findings))
        bad = _still_bad(slow)
        hosts = self._hosts_comparable(findings, bad)
        ranks = self.ranks_comparable(findings)
        bad_hosts = _hosts_of(bad) | _in_groups(bad, findings) | self.bad_elsewhere
        for one in findings.bad:
            if one.kind == "rank":
                links = self.of_ranks.links_of(one, group_of)
                good = [(a, b) for a, b in links if int(self.host_of[b]) not in bad_hosts] or links
                known = np.isfinite(ranks.each_beyond_healthy(good)).sum() >= FEWEST_KNOWN
                known &= not self.knows_little_of(one, findings.effects)
                slow[one] = ranks.are_slow(one.effect, good, False, unless_usual=True) if known else None
            elif one.kind == "pair":
                slow[one] = hosts.are_slow(one.effect, _both_ways(one)[:1], True, GONE_OF_PAIR)
        beside = hosts.without(self._links_of_ways(findings)) if findings.trunks else hosts
        for trunk in findings.trunks:
            links = _without(_hosts_of(bad), self.of_hosts.links_of(trunk, group_of))
            slow[trunk] = beside.are_slow(trunk.effect, links, False, unless_usual=True)
        return slow

    def slow_direction(self, found: Found, findings: Findings) -> OneWay | None:
        """The slow direction of a host or pair; None if it was not measured in this phase.

        Of both directions if the faster one is slow, too, against others of its class.
        """
        links = self.of_hosts.links_of(found, findings.effects.group_of)
        one_way = self.of_hosts.one_way(found.effect, links)
        if one_way is None or one_way.side == Side.BOTH:
            return one_way
        back = turned(links)
        faster = back if one_way.side == Side.SEND else links
        comparable = self._hosts_comparable(findings, findings.ends)
        is_slow = comparable.beyond_usual(faster, [*links, *back], False) > max(GONE * one_way.effect, LEAST_SIDED)
        return OneWay(Side.BOTH, found.effect, 0.0) if is_slow else one_way

    def hosts_that_tell(self) -> list[int]:
        """The hosts with enough links measured in this phase for a verdict by these alone."""
        ends = np.concatenate([self.of_hosts.frm, self.of_hosts.to])
        return np.flatnonzero(np.bincount(ends) >= self._enough).tolist() if len(ends) else []

    def partners(self, host: int, effects: Effects) -> tuple[int, int]:
        """With how many others a host was measured in this phase, and with how many of kinds that could show it."""
        frm, to, kind_of = self.of_hosts.frm, self.of_hosts.to, effects.equals.kind_of
        others = np.unique(np.concatenate([to[frm == host], frm[to == host]]))
        return len(others), int(np.isin(kind_of[others], self._kinds_that_show(host, effects)).sum())

    def is_with_all_that_show(self, host: int, effects: Effects) -> bool:
        """Whether a host was measured in this phase with all others of kinds that could show it."""
        of_kinds = np.isin(effects.equals.kind_of, self._kinds_that_show(host, effects))
        of_kinds[host] = False
        return self.partners(host, effects)[1] == int(of_kinds.sum())

    def _kinds_that_show(self, host: int, effects: Effects) -> list[int]:
        """The kinds of hosts with which one shows that it is slow; all kinds if these have too few hosts to tell."""
        every, kind_of = np.arange(len(effects.group_of)), effects.equals.kind_of
        kinds = np.unique(kind_of[effects.shows(host, every)]).tolist() or [int(kind_of[host])]
        are_few = np.isin(kind_of, kinds).sum() < self.fewest_of_kinds
        return np.unique(kind_of).tolist() if are_few else kinds

    @property
    def _enough(self) -> int:
        """The links that tell of a host by themselves: nearly all that it has, if these are few."""
        others = int(self.host_of.max(initial=0))
        return min(ENOUGH_ALONE, max(others - 2, ENOUGH_OF_FEW))

    def slow_with(self, one: Found | Trunk, findings: Findings, without: Set[frozenset[int]] = frozenset()) -> SlowWith:
        """How many links of a host, rank, group or trunk are slow in this phase, of those that could show it.

        Those that take as long anyway, over narrower ways, do not. `without`: pairs of hosts that do not count.
        """
        comparable, links = self._that_could_show(one, findings)
        links = [link for link in links if frozenset(link) not in without]
        enough = self._enough
        if isinstance(one, Found) and one.kind == "rank" and (like := self._like(one.subject[0], findings.effects)):
            enough = min(enough, max(like, FEWEST_OF_RANK))
        return replace(comparable.slow_among(links), enough=enough)

    def knows_devices(self, host: int, device: Sequence[str]) -> bool:
        """Whether links of all adapters that a host uses were measured: of some only, these may be slow alone."""
        own = np.flatnonzero(self.host_of == host).tolist()
        measured = set(self.of_ranks.frm.tolist()) & set(own)
        return {device[rank] for rank in own} == {device[rank] for rank in measured}

    def is_slow_near(self, one: Found, findings: Findings) -> bool | None:
        """Whether a host or rank is slow with other hosts of its own group, too; None if no such link is known."""
        longer = self._longer_with(one, [one.subject[0]], findings, near=True)
        return None if np.isnan(longer) else longer >= max(SHOWN_ALONE * one.effect, LEAST_ALONE)

    def is_slow_beyond(self, host: Found, findings: Findings) -> bool:
        """Whether a host is slow with those of other groups, more than others of its own that look well."""
        group_of, own = findings.effects.group_of, host.subject[0]
        well = set(np.flatnonzero(group_of == group_of[own]).tolist()) - _hosts_of(findings.bad)
        usual = np.fmax(self._longer_with(host, sorted(well), findings, near=False), 0.0)
        longer = self._longer_with(host, [own], findings, near=False) - usual
        return bool(longer >= max(SHOWN_ALONE * host.effect, LEAST_ALONE))

    def _longer_with(self, one: Found, units: Sequence[int], findings: Findings, near: bool) -> float:
        """What most links of these hosts, or ranks as `one` is, with others of their group (`near`), or of other
        groups, take longer than usual (log); NaN if none is known. Of hosts, those with kinds that could show it."""
        group_of, kind_of = findings.effects.group_of, findings.effects.equals.kind_of
        if one.kind == "rank":
            readings, comparable, host_of = self.of_ranks, self.ranks_comparable(findings), self.host_of
        else:
            readings, host_of = self.of_hosts, np.arange(len(group_of))
            comparable = self._hosts_comparable(findings, findings.ends)
        links = [link for unit in units for link in readings.links_of(replace(one, subject=(unit,)), group_of)]
        links = [(a, b) for a, b in links if (group_of[host_of[a]] == group_of[host_of[b]]) == near]
        if one.kind == "host":
            kinds = self._kinds_that_show(one.subject[0], findings.effects)
            links = [(a, b) for a, b in links if int(kind_of[b]) in kinds]
        slower = comparable.each_beyond_healthy(links)
        known = slower[np.isfinite(slower)]
        return float(np.quantile(known, 0.5, method="lower")) if len(known) else np.nan  # of two, the quicker one

    def _that_could_show(self, one: Found | Trunk, findings: Findings) -> tuple[Comparable, Links]:
        """What the links of a host, rank, group or trunk are to be compared with, and those links of it that pass
        nothing else that is bad, and have no partner of a slower kind."""
        effects, ends = findings.effects, findings.ends
        bad, group_of = _hosts_of(ends) | self.bad_elsewhere, effects.group_of
        if isinstance(one, Found) and one.kind == "rank":
            host = int(self.host_of[one.subject[0]])
            links = self.of_ranks.links_of(one, group_of)
            return self.ranks_comparable(findings), [
                (a, b) for a, b in links if int(self.host_of[b]) not in bad | _in_groups(ends, findings) - {host}
            ]
        links, beside = self.of_hosts.links_of(one, group_of), self._hosts_comparable(findings, ends)
        if isinstance(one, Trunk) or one.kind == "group":
            in_groups = _in_groups(ends, findings)
            own = {host for a, b in links for host in (a, b)} if isinstance(one, Trunk) else _members(one, findings)
            return beside.without(self._links_of_ways(findings)), _without(bad | (in_groups - own), links)
        (host,) = one.subject
        kind_of, kinds = effects.equals.kind_of, self._kinds_that_show(host, effects)
        is_beyond = host in findings.beyond
        in_other_groups = _in_other_groups(one, _in_groups(ends, findings), findings)
        return beside, [
            (a, b) for a, b in _without((bad | in_other_groups) - {host}, links)
            if int(kind_of[b]) in kinds and not (is_beyond and group_of[a] == group_of[b])
        ]  # fmt: skip

    def longer_than_equals(self, ways: Sequence[Links], findings: Findings) -> list[tuple[float, float]]:
        """How much longer the links of each way, without those of slow hosts, take than their like, in the slower
        direction: log of the factor, and seconds. NaN where that was not measured in this phase."""
        hosts = [one for one in findings.bad if one.kind == "host"]
        comparable, bad = self._hosts_comparable(findings, hosts), _hosts_of(hosts) | self.bad_elsewhere
        return [comparable.longer_than_usual(_without(bad, links) or links) for links in ways]

    def like_controls(self, findings: Findings) -> frozenset[Found]:
        """The pairs that are no slower than a good part of the links of their class that nothing is known against.

        Then ways of the class differ in length by design.
        """
        slow, best = self.are_slow(findings), self.of_hosts
        comparable = self._hosts_comparable(findings, _still_bad(slow))
        links = {found: _both_ways(found) for found in findings.bad if found.kind == "pair" and slow[found]}
        control = comparable.part == 0
        control[best.places([link for both in links.values() for link in both])] = False
        slow_trunks = [trunk for trunk in findings.trunks if slow[trunk]]
        control[best.places(self._links_of_trunks(slow_trunks, findings))] = False
        found = []
        for pair, both in links.items():
            own = best.places(both)
            if len(own):
                slower = int(own[np.argmax(best.time[own])])
                like = best.time[control & (comparable.of_class == comparable.of_class[slower])]
                as_slow = like >= best.time[slower] - AS_SLOW * pair.effect
                if as_slow.sum() >= max(FEWEST_GOOD, PART_LIKE * len(like)):
                    found.append(pair)
        return frozenset(found)

    def _ends_slow(self, findings: Findings) -> Mapping[Found | Trunk, bool | None]:
        """Of each host and group, by its links with others that are not bad; of a group, not in bad groups either.
        Where that tells nothing, they are well if they are so with groups of which it tells nothing, either."""
        slow = self._slow_beside(findings.ends, findings)
        unknown = [one for one in findings.ends if slow[one] is None]
        if any(one.kind == "group" for one in unknown):
            bad = [one for one in findings.ends if slow[one] or (slow[one] is None and one.kind == "host")]
            with_more = self._slow_beside(bad, findings)
            slow |= {one: False for one in unknown if with_more[one] is False}
        return slow

    def _slow_beside(self, ends: Sequence[Found], findings: Findings) -> dict[Found | Trunk, bool | None]:
        """Of each slow host and group, by its links with others that are none of the `ends`."""
        hosts, bad = self._hosts_comparable(findings, ends), _hosts_of(ends)
        beside = hosts.without(self._links_of_ways(findings)) if findings.ends else hosts
        in_groups = _in_groups(ends, findings)
        slow: dict[Found | Trunk, bool | None] = {}
        for one in findings.ends:
            links = self.of_hosts.links_of(one, findings.effects.group_of)
            if one.kind == "group":
                links = _without(bad | (in_groups - _members(one, findings)), links)
                links = _without(self.bad_elsewhere, links) or links
                slow[one] = _with_most(
                    beside.are_slow(one.effect, part, False, GONE_OF_GROUP, unless_usual=True)
                    for part in _by_far_group(links, findings.effects.group_of)
                )
            elif not self.knows_little_of(one, findings.effects):
                links = _that_show(_without(bad - set(one.subject), links), findings.effects)
                links = _without(_in_other_groups(one, in_groups, findings), links) or links
                like = beside if shows_in_its_group(one, findings.effects) else hosts
                slow[one] = like.are_slow(one.effect, links, False, unless_usual=True)
            else:
                slow[one] = None
        return slow

    def _links_of_ways(self, findings: Findings) -> Links:
        """The links of slow trunks and pairs, both directions."""
        pairs = [link for one in findings.bad if one.kind == "pair" for link in _both_ways(one)]
        return pairs + self._links_of_trunks(findings.trunks, findings)

    def _links_of_trunks(self, trunks: Iterable[Trunk], findings: Findings) -> Links:
        """The links of these trunks, both directions."""
        there = [link for trunk in trunks for link in self.of_hosts.links_of(trunk, findings.effects.group_of)]
        return [*there, *turned(there)]

    def _hosts_comparable(self, findings: Findings, bad: Sequence[Found]) -> Comparable:
        best, effects = self.of_hosts, findings.effects
        of_ranks = {int(self.host_of[one.subject[0]]) for one in findings.bad if one.kind == "rank"}
        hosts, of_class = _hosts_of(bad) | self.bad_elsewhere, effects.class_number(best.frm, best.to)
        comparable = Comparable(best, of_class, _bad_parts(bad, hosts, best, effects.group_of))
        if of_ranks <= hosts:
            return comparable
        return comparable.with_parts(_bad_parts(bad, hosts | of_ranks, best, effects.group_of))

    def ranks_comparable(self, findings: Findings) -> Comparable:
        """Ranks are compared with those at the same place of other hosts; where these are too few, with all, less what
        their places add."""
        best, place_of = self.of_ranks, findings.effects.equals.position_of
        frm, to = self.host_of[best.frm], self.host_of[best.to]
        of_class = findings.effects.class_number(frm, to)
        part = np.zeros(len(best.time), np.int64)
        if len(place_of):
            best, of_class = _by_place(best, of_class, place_of)
        for found in findings.bad:
            ends = (best.frm, best.to) if found.kind == "rank" else (frm, to)
            if found.kind in ("rank", "host"):
                part[(ends[0] == found.subject[0]) | (ends[1] == found.subject[0])] = 1
        elsewhere = list(self.bad_elsewhere)
        part[np.isin(frm, elsewhere) | np.isin(to, elsewhere)] = 1
        return Comparable(best, of_class, part)


@dataclass(frozen=True)
class UnderLoad:
    """`contention`: bad only while others measure; alone as fast as equals, and hosts and trunks with a quarter of the
    ranks, too: what several ranks share, such as an adapter or one of many uplinks, may be bad and not show alone. And
    pairs that are so with a quarter only: what made them slow alone was not the link.

    `unproven`: pairs, groups and trunks that nobody measured alone, hosts and ranks of which too few links were, and
    ranks, and hosts of slow groups or among several kinds, whose links there could not be compared with any, in a run
    that measured others so; and a few pairs that were slow alone, but not often enough to be sure. `slow_alone`: what
    was measured so, and is slow; `well_alone`: what was measured so, and is not. `with_some`: hosts and trunks between
    two groups that are slow with a quarter of the ranks, and not alone, with some others only.
    """

    contention: frozenset[Found | Trunk]
    unproven: frozenset[Found | Trunk]
    slow_alone: frozenset[Found | Trunk]
    well_alone: frozenset[Found | Trunk]
    with_some: frozenset[Found | Trunk]


def under_load(findings: Findings, alone: PhaseReadings, quarter: PhaseReadings) -> UnderLoad:
    """Tells load from faults by the phases of `--confirm`."""
    slow_alone, slow_in_quarter = alone.are_slow(findings), quarter.are_slow(findings)
    well = frozenset(one for one, slow in slow_alone.items() if slow is False)
    contention = frozenset(one for one in well if _needs_load(one, findings) or not slow_in_quarter[one])
    pairs = (one for one in findings.bad if one.kind == "pair")
    contention |= {one for one in pairs if slow_alone[one] and slow_in_quarter[one] is False}
    unproven: set[Found | Trunk] = set()
    if not alone.is_empty:
        unknown = (one for one, slow in slow_alone.items() if slow is None)
        in_groups = _in_groups(findings.ends, findings)
        has_kinds = findings.effects.equals.kinds > 1  # a host may have hardly any equals
        unproven = {
            one for one in unknown
            if isinstance(one, Trunk) or one.kind != "host" or one.subject[0] in in_groups or has_kinds
            or alone.knows_little_of(one, findings.effects)
        }  # fmt: skip
        unproven |= set(surviving(findings, slow_alone, alone))
    with_some = frozenset(one for one in well - contention if not quarter.slow_with(one, findings).all)
    proven = frozenset(one for one, slow in slow_alone.items() if slow)
    return UnderLoad(contention, frozenset(unproven), proven, well, with_some)


def surviving(findings: Findings, slow_alone: Mapping[Found | Trunk, bool | None], alone: PhaseReadings) -> list[Found]:
    """The few pairs that are slow alone, too, but have few readings: a message takes a longer way now and then."""
    pairs = [found for found in findings.bad if found.kind == "pair" and slow_alone[found]]
    if len(pairs) > MOST_SURVIVING:
        return []
    best = alone.of_hosts
    readings = {(a, b): n for a, b, n in zip(best.frm.tolist(), best.to.tolist(), best.count.tolist(), strict=True)}
    return [pair for pair in pairs if readings.get((pair.subject[0], pair.subject[1]), 0) < SETTLED_ALONE]


def _by_place(
    best: BestReadings, of_class: NDArray[np.int64], place_of: NDArray[np.int64]
) -> tuple[BestReadings, NDArray[np.int64]]:
    """The readings between ranks in classes by the places of both, [n].

    Where that leaves too few, as on few hosts, all of a class without places, less what their places add: what the
    quickest of all readings between two places takes beyond the median of its class. A slow rank is not in all.
    """
    places = int(place_of.max(initial=0)) + 2
    one, other = place_of[best.frm] + 1, place_of[best.to] + 1
    narrow = (of_class * places + one) * places + other
    _, of_narrow, count = np.unique(narrow, return_inverse=True, return_counts=True)
    between = np.minimum(one, other) * places + np.maximum(one, other)
    _, of_both, has = np.unique(between, return_inverse=True, return_counts=True)
    few = (count[of_narrow] < FEWEST_TO_COMPARE) & (has[of_both] >= FEWEST_GOOD)
    classes, usual = medians_of(best.time, of_class)
    beyond = best.time - usual[np.searchsorted(classes, of_class)]
    added = np.full(len(has), np.inf)
    np.minimum.at(added, of_both, beyond)
    time = np.where(few, best.time - added[of_both], best.time)
    return replace(best, time=time), np.where(few, -1 - of_class, narrow)


def _both_ways(pair: Found) -> Links:
    one, other = pair.subject
    return [(one, other), (other, one)]


def _that_show(links: Links, effects: Effects) -> Links:
    """Of the links of a slow host those with partners with which it shows; all, if it does with none."""
    if not links:
        return links
    mask = effects.shows(links[0][0], np.array([partner for _, partner in links], np.int64))
    return [link for link, shown in zip(links, mask.tolist(), strict=True) if shown] or links


def shows_in_its_group(host: Found, effects: Effects) -> bool:
    """Whether a host is slow with most hosts of its own group: no way between groups explains that."""
    number, group_of = host.subject[0], effects.group_of
    mates = np.setdiff1d(np.flatnonzero(group_of == group_of[number]), [number])
    return bool(len(mates)) and float(np.mean(effects.shows(number, mates))) > 0.5


def _by_far_group(links: Links, group_of: NDArray[np.int64]) -> list[Links]:
    """The links of a group by the group that they lead to: of one there may be more, as the way there is suspect."""
    parts: dict[int, Links] = {}
    for a, b in links:
        parts.setdefault(int(group_of[b]), []).append((a, b))
    return list(parts.values())


def _with_most(slow: Iterable[bool | None]) -> bool | None:
    """Whether most of those that are known are slow; None if none is."""
    known = [one for one in slow if one is not None]
    return 2 * sum(known) > len(known) if known else None


def _without(hosts: Set[int], links: Links) -> Links:
    """Those with none of these hosts at an end."""
    return [(a, b) for a, b in links if a not in hosts and b not in hosts]


def _needs_load(one: Found | Trunk, findings: Findings) -> bool:
    """Whether what is as fast as others alone is no fault, though it may be slow with a quarter of the ranks.

    So are the ways of one host or pair, which may meet the same others there, a rank, which shares its own part with
    none, and a group: whether it is slower than its equals under equal load is judged apart
    (everylink.judge.equal_load).
    """
    if isinstance(one, Trunk):
        return one.other < 0
    return one.kind in ("pair", "rank", "group") or (one.kind == "host" and one.subject[0] in findings.beyond)


def _still_bad(slow: Mapping[Found | Trunk, bool | None]) -> list[Found]:
    """The hosts and groups that are slow in this phase, too, as far as is known."""
    return [
        one for one, is_slow in slow.items() if isinstance(one, Found) and one.kind in ("host", "group")
        and is_slow is not False
    ]  # fmt: skip


def _members(group: Found, findings: Findings) -> set[int]:
    return set(np.flatnonzero(findings.effects.group_of == group.subject[0]).tolist())


def _in_groups(bad: Sequence[Found], findings: Findings) -> set[int]:
    """The hosts of the groups among these."""
    return {host for one in bad if one.kind == "group" for host in _members(one, findings)}


def _in_other_groups(host: Found, hosts: Set[int], findings: Findings) -> set[int]:
    """Those of these hosts that are not of its group."""
    group_of = findings.effects.group_of
    return {other for other in hosts if group_of[other] != group_of[host.subject[0]]}


def _hosts_of(bad: Sequence[Found]) -> set[int]:
    return {one.subject[0] for one in bad if one.kind == "host"}


def _bad_parts(
    bad: Sequence[Found], hosts: Set[int], best: BestReadings, group_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    part = np.zeros(len(best.time), np.int64)
    for group in (found.subject[0] for found in bad if found.kind == "group"):
        sends, receives = group_of[best.frm] == group, group_of[best.to] == group
        part[sends & ~receives] = 1 + 2 * group
        part[receives & ~sends] = 2 + 2 * group
    for host in sorted(hosts):
        number = 1 + 2 * (len(group_of) + host)
        part[best.frm == host] = number
        part[best.to == host] = number + 1
    return part


def alone_rows(size: Size) -> Rows:
    """The rows of links measured alone: by the run's own kernel where there are such, else one way."""
    own = size.rows.of_attempt(ALONE)
    return own if len(own) else size.rows.of_attempt(ONE_WAY)


def quarter_rows(size: Size) -> Rows:
    """The rows of links measured with a quarter of the ranks busy, of those that were measured alone, too.

    Others were measured to find what is slow now and then, and only inside groups: no equals of a suspect's links.
    """
    rows, alone = size.rows.of_attempt(QUARTER), alone_rows(size)
    pair, known = (of.frm.astype(np.int64) * FAR_BEYOND + of.to for of in (rows, alone))
    return chosen(rows, np.isin(pair, known))


def measured_in(
    rows: Rows, seen: Readings, fewest: int = 1, bad_elsewhere: frozenset[int] = frozenset(), typical: bool = False
) -> PhaseReadings:
    """Of the rows of one phase of `--confirm` the best of each link: messages may take a longer way, or meet others. Of
    hosts those between two of them.

    `fewest`: readings of a link that counts; `bad_elsewhere` as in PhaseReadings. `typical`: the lower median in place
    of the best.
    """
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (ranks[good].astype(np.int64) for ranks in (rows.frm, rows.to))
    time = np.log(rows.median[good].astype(np.float64))
    apart = np.flatnonzero(seen.host_of[frm] != seen.host_of[to])
    quick = apart[_between_quick_places(seen, frm[apart], to[apart], time[apart])]
    of_hosts = best_of_each(seen.host_of[frm[quick]], seen.host_of[to[quick]], time[quick], fewest, typical)
    return PhaseReadings(of_hosts, best_of_each(frm, to, time, fewest, typical), bad_elsewhere, seen.host_of)


def _between_quick_places(
    seen: Readings, frm: NDArray[np.int64], to: NDArray[np.int64], time: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Mask of the readings between ranks whose places add nothing in this phase, [n]. Of some hosts only ranks at a far
    socket, say, may have been measured: these hosts would look slow, and a slow host may not show there.

    What places add: the median, over the pairs of hosts of which ranks at several places were measured, of what the
    best reading between two places takes more than the best of all; where these are few, what they add in the run. At
    least half of what links between two ranks at either place do: of two hosts of which each has its slow ranks
    elsewhere, no link may be between two quick ones.
    """
    if seen.places is None or not len(frm):
        return np.ones(len(frm), bool)
    place, group = seen.places.of_rank + 1, seen.places.group_of
    places = len(seen.places.added[0]) + 1
    kind = ((group[frm] == group[to]) * places + place[frm]) * places + place[to]
    hosts = seen.host_of[frm] * FAR_BEYOND + seen.host_of[to]
    link, of_link = np.unique(np.stack([hosts, kind]), axis=1, return_inverse=True)
    best = np.full(link.shape[1], np.inf)
    np.minimum.at(best, of_link.reshape(-1), time)
    pair, of_pair, several = np.unique(link[0], return_inverse=True, return_counts=True)
    quickest = np.full(len(pair), np.inf)
    np.minimum.at(quickest, of_pair, best)
    told = several[of_pair] > 1
    added = np.tile(seen.places.beyond_quickest(), 2)
    for one in np.unique(link[1][told]).tolist():
        own = (best - quickest[of_pair])[told & (link[1] == one)]
        if len(own) >= FEWEST_GOOD:
            added[one] = float(np.median(own))
    table = added.reshape(2, places, places)
    of_place = np.diagonal(table, axis1=1, axis2=2)
    table = np.maximum(table, np.maximum(of_place[:, :, None], of_place[:, None, :]) / 2)
    return np.asarray(table.ravel()[kind] <= SAME_PLACES)


def best_of_each(
    frm: NDArray[np.int64], to: NDArray[np.int64], time: NDArray[np.float64], fewest: int = 1, typical: bool = False
) -> BestReadings:
    """The best reading of each link that has `fewest` or more, or the lower median; [n] each, log seconds."""
    number = frm * FAR_BEYOND + to
    order = np.lexsort((time, number))
    link, first, count = np.unique(number[order], return_index=True, return_counts=True)
    enough = count >= fewest
    link, first, count = link[enough], first[enough], count[enough].astype(np.int64)
    chosen_time = time[order][first + (count - 1) // 2 * typical]
    return BestReadings(link // FAR_BEYOND, link % FAR_BEYOND, chosen_time, count)
