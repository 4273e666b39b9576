"""Uses what `--confirm` measured: which direction is slow, and whether it is slow only under load."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Findings, Found
from everylink.judge.readings import Readings
from everylink.judge.trunks import Trunk
from everylink.judge.verdict import Side
from everylink.model.results import Size
from everylink.model.rows import ALONE, ONE_WAY, QUARTER, Outcome, Rows, chosen
from everylink.units import time_text

SIDED = 0.5  # difference between directions, as a part of the effect, from which one direction is the slow one
LEAST = 0.05  # least difference, log of the factor
FEWEST_GOOD = 4  # good links needed for comparison
GONE = 0.35  # if less than this part of the effect remains alone, the effect needs load
GONE_OF_GROUP = 0.5  # likewise of a group, whose many links tell more
GONE_OF_PAIR = 0.5  # likewise of a pair, which others on its way slow no more than it is slow alone
LEAST_ALONE = 0.03  # log of the factor: healthy links are slower than the quickest of their like by less
FEWEST_OF_HOST = 5  # links with others in a phase, of a host that it may tell of
FEWEST_UNDER_LOAD = 4  # readings of a link with others at work, of which the best meets none; fillers have fewer
SETTLED_ALONE, MOST_SURVIVING = 9, 16  # readings of each direction of pairs that are slow alone, if they are few
AS_SLOW, PART_AS_SLOW = 0.3, 0.25  # part of its effect by which a pair may be slower than this part of the controls
HEALTHY = 0.2  # quantile of links measured alone that is healthy, though many of them were suspect
OTHER_PART = 1 << 40  # no number of a bad part
FAR_BEYOND = 1 << 32  # more than any number of units
Links = list[tuple[int, int]]  # from, to


@dataclass(frozen=True)
class OneWay:
    """The slow direction of links measured alone; SEND: from -> to as given. `effect`: log of its factor.

    Where one direction is slow, the other one of the same links is what it is compared with: `usual` log seconds. A
    round trip has half of each, so it shows less. Where both are, `effect` is that of the round trip.
    """

    side: Side
    effect: float
    usual: float

    def __str__(self) -> str:
        if self.side == Side.BOTH:
            return "measured one way, both directions are slow"
        slow, usual = (time_text(float(np.exp(log))) for log in (self.usual + self.effect, self.usual))
        return f"measured one way, {slow} in this direction and {usual} in the other"


@dataclass(frozen=True)
class BestReadings:
    """The best reading of single links in one phase of `--confirm`, [n] each: hosts or ranks, log seconds,
    and of how many readings it is the best."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]
    time: NDArray[np.float64]
    count: NDArray[np.int64]

    @property
    def none(self) -> "BestReadings":
        """Without any."""
        return BestReadings(self.frm[:0], self.to[:0], self.time[:0], self.count[:0])

    def one_way(self, effect: float, links: Links) -> OneWay | None:
        """The slow direction of these links, and its factor; None if they were not measured alone."""
        if not len(self.time):
            return None
        there, back = self._times(links), self._times(_turned(links))
        both = np.isfinite(there) & np.isfinite(back)
        if not both.any():
            return None
        difference = float(np.median(there[both] - back[both]))
        if abs(difference) < max(SIDED * effect, LEAST):
            return OneWay(Side.BOTH, effect, 0.0)
        side = Side.SEND if difference > 0 else Side.RECEIVE
        usual = float(np.median((back if difference > 0 else there)[both]))
        return OneWay(side, abs(difference), usual)

    @cached_property
    def _number(self) -> NDArray[np.int64]:
        """A number for each link, in ascending order."""
        return self.frm * FAR_BEYOND + self.to

    def places(self, links: Links) -> NDArray[np.int64]:
        """Where the readings of these links are, in ascending order; links without a reading are left out."""
        wanted = np.array(sorted({a * FAR_BEYOND + b for a, b in links}), np.int64)
        at = np.searchsorted(self._number, wanted)
        at, wanted = at[at < len(self._number)], wanted[at < len(self._number)]
        return np.asarray(at[self._number[at] == wanted])

    def links_of(self, found: Found | Trunk, group_of: NDArray[np.int64]) -> Links:
        """The link of a pair; for a host, a group or a trunk, its measured links with it, or its group, as sender."""
        if isinstance(found, Trunk):
            return self.between(np.flatnonzero(group_of == found.group), np.array(found.far))
        if found.kind == "pair":
            a, b = found.subject
            return [(a, b)]
        (unit,) = found.subject
        if found.kind == "group":
            inside = group_of == unit
            return self.between(np.flatnonzero(inside), np.flatnonzero(~inside))
        partners = np.unique(np.concatenate([self.to[self.frm == unit], self.frm[self.to == unit]])).tolist()
        return [(unit, p) for p in partners]

    def between(self, own: NDArray[np.integer], far: NDArray[np.integer]) -> Links:
        """The measured links from one set of hosts to another."""
        over = np.isin(self.frm, own) & np.isin(self.to, far)
        return sorted(set(zip(self.frm[over].tolist(), self.to[over].tolist(), strict=True)))

    def _times(self, links: Links) -> NDArray[np.float64]:
        """Log seconds of each of these links, NaN where there is no reading."""
        found = (self.places([link]) for link in links)
        return np.array([self.time[at[0]] if len(at) else np.nan for at in found])


@dataclass(frozen=True)
class _Comparable:
    """What makes readings of a phase comparable, [n] each: a number for the class of the link, and for its bad part.

    The bad part: a bad host, group or rank at an end, another number where that receives; 0: none.
    """

    best: BestReadings
    of_class: NDArray[np.int64]
    part: NDArray[np.int64]

    def without(self, links: Links) -> "_Comparable":
        """The same, but these links are no good ones to compare with: messages that pass a slow switch, for instance,
        are as slow as its own. Those of parts that have too few others are."""
        part, at = self.part.copy(), self.best.places(links)
        part[at] = np.where(part[at] == 0, OTHER_PART, part[at])
        for number in np.unique(self.of_class).tolist():
            own = self.of_class == number
            if (part[own] == 0).sum() < FEWEST_GOOD:
                part[own] = self.part[own]
        return replace(self, part=part)

    @cached_property
    def _like(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """By class and bad part the readings, the best first."""
        order, begins = self._in_order
        first = order[begins].tolist()
        parts = np.split(self.best.time[order], begins[1:])
        return {(int(self.of_class[at]), int(self.part[at])): part for at, part in zip(first, parts, strict=False)}

    @cached_property
    def _in_order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the readings are by class, bad part and time, and where in this order each part begins."""
        order = np.lexsort((self.best.time, self.part, self.of_class))
        of_class, part = self.of_class[order], self.part[order]
        changes = (np.diff(of_class, prepend=-1) != 0) | (np.diff(part, prepend=-1) != 0)
        return order, np.flatnonzero(changes)

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        """How many better readings of its class and part there are; [n]."""
        order, begins = self._in_order
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
        return rank

    def _usual(self, of_class: int, part: int, own: NDArray[np.int64]) -> float:
        """What healthy readings take, log seconds, without these `own` ones; NaN if there are too few."""
        like = self._like.get((of_class, part), np.zeros(0))
        own = np.sort(self._rank[own[(self.of_class[own] == of_class) & (self.part[own] == part)]])
        count = len(like) - len(own)
        if count < FEWEST_GOOD:
            return np.nan
        at = HEALTHY * (count - 1)
        wanted = np.array([int(at), int(at) + 1])
        low, high = like[wanted + np.searchsorted(own - np.arange(len(own)), wanted, "right")]
        return float(low + (high - low) * (at - int(at)))

    def are_slow(
        self, effect: float, links: Links, is_pair: bool, gone: float = GONE, unless_usual: bool = False
    ) -> bool | None:
        """Whether these links keep their effect against others of their class, which no bad end slows.

        Links of a pair that has a bad end are compared with other links of that end. None if too few are known; but a
        pair with a bad end then has no proof of its own, so False. `unless_usual`: not where a good part of the others
        take as long.
        """
        both = [*links, *_turned(links)]
        beyond = ((one, self.beyond_usual(one, both, is_pair)) for one in (links, _turned(links)))
        known = [(one, median) for one, median in beyond if np.isfinite(median)]
        if not known:
            return False if is_pair and bool((self.part[self.best.places(both)] > 0).any()) else None
        slow = (one for one, median in known if median >= max(gone * effect, LEAST_ALONE))
        return any(not (unless_usual and self._are_usual(one, effect)) for one in slow)

    def beyond_usual(self, links: Links, without: Links, is_pair: bool) -> float:
        """The median of what these links take beyond what is usual `without` some; NaN where that is not known."""
        own, left_out = self.best.places(links), self.best.places(without)
        of_class, part = self.of_class[own].tolist(), (self.part[own] * is_pair).tolist()
        usual = {key: self._usual(*key, left_out) for key in set(zip(of_class, part, strict=True))}
        beyond = self.best.time[own] - [usual[key] for key in zip(of_class, part, strict=True)]
        beyond = beyond[np.isfinite(beyond)]
        return float(np.median(beyond)) if len(beyond) else np.nan

    def longer_than_usual(self, links: Links) -> tuple[float, float]:
        """How much longer these links take than what is usual, in the slower direction: log of the factor, and
        seconds."""
        longest, both = (np.nan, np.nan), [*links, *_turned(links)]
        for one in (links, _turned(links)):
            beyond = self.beyond_usual(one, both, False)
            if np.isfinite(beyond) and not beyond <= longest[0]:
                seconds = float(np.exp(np.median(self.best.time[self.best.places(one)])))
                longest = beyond, -seconds * float(np.expm1(-beyond))
        return longest

    def _are_usual(self, links: Links, effect: float) -> bool:
        """Whether most of these links are no slower than a good part of those of their class that have no bad end,
        such as those with hosts that are further away."""
        as_slow = []
        for at in self.best.places(links).tolist():
            like = self._like.get((int(self.of_class[at]), 0), np.zeros(0))
            if len(like) >= FEWEST_GOOD:
                as_slow.append(1 - np.searchsorted(like, self.best.time[at] - AS_SLOW * effect) / len(like))
        return bool(as_slow) and float(np.median(as_slow)) >= PART_AS_SLOW


@dataclass(frozen=True)
class PhaseReadings:
    """The best readings of a phase of `--confirm`, between hosts and between ranks.

    `bad_elsewhere`: hosts that are slow at another message size; `host_of` [ranks].
    """

    of_hosts: BestReadings
    of_ranks: BestReadings
    bad_elsewhere: frozenset[int]
    host_of: NDArray[np.int64]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured in this phase."""
        return not len(self.of_ranks.time)

    def knows_little_of(self, one: Found | Trunk, group_of: NDArray[np.int64]) -> bool:
        """Whether it is a host or rank of which too few links were measured in this phase, though it has more."""
        if isinstance(one, Trunk) or one.kind not in ("host", "rank"):
            return False
        readings = self.of_hosts if one.kind == "host" else self.of_ranks
        return len(readings.links_of(one, group_of)) < min(FEWEST_OF_HOST, one.links)

    def are_slow(self, findings: Findings) -> dict[Found | Trunk, bool | None]:
        """Of each finding, whether its links are slow in this phase, too; None: not known."""
        group_of = findings.effects.group_of
        slow: dict[Found | Trunk, bool | None] = dict(self._ends_slow(findings))
        bad = _still_bad(slow)
        hosts = self._hosts_comparable(findings, bad)
        ranks = self._ranks_comparable(findings)
        bad_hosts = _hosts_of(bad) | _in_groups(bad, findings)
        for one in findings.bad:
            if one.kind == "rank":
                links = self.of_ranks.links_of(one, group_of)
                good = [(a, b) for a, b in links if int(self.host_of[b]) not in bad_hosts] or links
                known = not self.knows_little_of(one, group_of)
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
        back = _turned(links)
        faster = back if one_way.side == Side.SEND else links
        comparable = self._hosts_comparable(findings, [one for one in findings.bad if one.kind in ("host", "group")])
        is_slow = comparable.beyond_usual(faster, [*links, *back], False) > max(GONE * one_way.effect, LEAST)
        return OneWay(Side.BOTH, found.effect, 0.0) if is_slow else one_way

    def longer_than_equals(self, ways: Sequence[Links], findings: Findings) -> list[tuple[float, float]]:
        """How much longer the links of each way, without those of slow hosts, take than their like, in the slower
        direction: log of the factor, and seconds. NaN where that was not measured in this phase."""
        hosts = [one for one in findings.bad if one.kind == "host"]
        comparable, bad = self._hosts_comparable(findings, hosts), _hosts_of(hosts) | self.bad_elsewhere
        return [comparable.longer_than_usual(_without(bad, links) or links) for links in ways]

    def like_controls(self, findings: Findings) -> frozenset[Found]:
        """The pairs that are no slower than a good part of the links of their class that nothing is known against.

        Then ways of the class differ in length by design. Only pairs without a bad end.
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
            own = own[comparable.part[own] == 0]
            if len(own):
                slower = int(own[np.argmax(best.time[own])])
                like = best.time[control & (comparable.of_class == comparable.of_class[slower])]
                as_slow = like >= best.time[slower] - AS_SLOW * pair.effect
                if as_slow.sum() >= max(FEWEST_GOOD, PART_AS_SLOW * len(like)):
                    found.append(pair)
        return frozenset(found)

    def _ends_slow(self, findings: Findings) -> Mapping[Found | Trunk, bool | None]:
        """Of each host and group, by its links with others that are not bad; of a group, not in bad groups either."""
        ends = [one for one in findings.bad if one.kind in ("host", "group")]
        hosts, bad = self._hosts_comparable(findings, ends), _hosts_of(ends)
        beside = hosts.without(self._links_of_ways(findings)) if ends else hosts
        in_groups = _in_groups(ends, findings)
        slow: dict[Found | Trunk, bool | None] = {}
        for one in ends:
            links = self.of_hosts.links_of(one, findings.effects.group_of)
            if one.kind == "group":
                links = _without(bad | (in_groups - _members(one, findings)), links)
                slow[one] = _with_most(
                    beside.are_slow(one.effect, part, False, GONE_OF_GROUP, unless_usual=True)
                    for part in _by_far_group(links, findings.effects.group_of)
                )
            elif not self.knows_little_of(one, findings.effects.group_of):
                links = _that_show(_without(bad - set(one.subject), links), findings.effects)
                like = beside if _shows_in_its_group(one, findings.effects) else hosts
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
        return [*there, *_turned(there)]

    def _hosts_comparable(self, findings: Findings, bad: Sequence[Found]) -> _Comparable:
        best, effects = self.of_hosts, findings.effects
        of_ranks = {int(self.host_of[one.subject[0]]) for one in findings.bad if one.kind == "rank"}
        part = _bad_parts(bad, _hosts_of(bad) | of_ranks | self.bad_elsewhere, best, effects.group_of)
        return _Comparable(best, effects.class_number(best.frm, best.to), part)

    def _ranks_comparable(self, findings: Findings) -> _Comparable:
        """Ranks are compared with those at the same place of other hosts."""
        best, place_of = self.of_ranks, findings.effects.equals.position_of
        frm, to = self.host_of[best.frm], self.host_of[best.to]
        of_class = findings.effects.class_number(frm, to)
        part = np.zeros(len(best.time), np.int64)
        if len(place_of):
            places = int(place_of.max(initial=0)) + 2
            of_class = (of_class * places + place_of[best.frm] + 1) * places + place_of[best.to] + 1
        for found in findings.bad:
            ends = (best.frm, best.to) if found.kind == "rank" else (frm, to)
            if found.kind in ("rank", "host"):
                part[(ends[0] == found.subject[0]) | (ends[1] == found.subject[0])] = 1
        return _Comparable(best, of_class, part)


@dataclass(frozen=True)
class UnderLoad:
    """`contention`: bad only while others measure; alone as fast as equals, and hosts and trunks with a quarter of the
    ranks, too: what several ranks share, such as an adapter or one of many uplinks, may be bad and not show alone.

    `unproven`: pairs, groups and trunks that nobody measured alone, and hosts and ranks of which too few links were, in
    a run that measured others so; and a few pairs that were slow alone, but not often enough to be sure. `slow_alone`:
    what was measured so, and is slow.
    """

    contention: frozenset[Found | Trunk]
    unproven: frozenset[Found | Trunk]
    slow_alone: frozenset[Found | Trunk]


def under_load(findings: Findings, alone: PhaseReadings, quarter: PhaseReadings) -> UnderLoad:
    """Tells load from faults by the phases of `--confirm`."""
    slow_alone, slow_in_quarter = alone.are_slow(findings), quarter.are_slow(findings)
    contention = (
        one
        for one, slow in slow_alone.items()
        if slow is False and (_needs_load(one, findings) or not slow_in_quarter[one])
    )
    unproven: set[Found | Trunk] = set()
    if not alone.is_empty:
        group_of = findings.effects.group_of
        unproven = {
            one for one, slow in slow_alone.items()
            if slow is None and (_is_way(one) or alone.knows_little_of(one, group_of))
        }  # fmt: skip
        unproven |= set(surviving(findings, slow_alone, alone))
    proven = frozenset(one for one, slow in slow_alone.items() if slow)
    return UnderLoad(frozenset(contention), frozenset(unproven), proven)


def surviving(findings: Findings, slow_alone: Mapping[Found | Trunk, bool | None], alone: PhaseReadings) -> list[Found]:
    """The few pairs that are slow alone, too, but have few readings: a message takes a longer way now and then."""
    pairs = [found for found in findings.bad if found.kind == "pair" and slow_alone[found]]
    if len(pairs) > MOST_SURVIVING:
        return []
    best = alone.of_hosts
    readings = {(a, b): n for a, b, n in zip(best.frm.tolist(), best.to.tolist(), best.count.tolist(), strict=True)}
    return [pair for pair in pairs if readings.get((pair.subject[0], pair.subject[1]), 0) < SETTLED_ALONE]


def _both_ways(pair: Found) -> Links:
    one, other = pair.subject
    return [(one, other), (other, one)]


def _turned(links: Links) -> Links:
    return [(b, a) for a, b in links]


def _that_show(links: Links, effects: Effects) -> Links:
    """Of the links of a slow host those with partners with which it shows; all, if it does with none."""
    if not links:
        return links
    mask = effects.shows(links[0][0], np.array([partner for _, partner in links], np.int64))
    return [link for link, shown in zip(links, mask.tolist(), strict=True) if shown] or links


def _shows_in_its_group(host: Found, effects: Effects) -> bool:
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


def _is_way(one: Found | Trunk) -> bool:
    """Whether it is a way between hosts, which others may share, and no end."""
    return isinstance(one, Trunk) or one.kind in ("pair", "group")


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
    """Of the rows of one phase of `--confirm` the best of each link: messages may take a longer way, or meet others.

    `fewest`: readings of a link that counts; `bad_elsewhere` as in PhaseReadings. `typical`: the lower median in place
    of the best.
    """
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    frm, to = (ranks[good].astype(np.int64) for ranks in (rows.frm, rows.to))
    time = np.log(rows.median[good].astype(np.float64))
    of_hosts = _of_each(seen.host_of[frm], seen.host_of[to], time, fewest, typical)
    return PhaseReadings(of_hosts, _of_each(frm, to, time, fewest, typical), bad_elsewhere, seen.host_of)


def _of_each(
    frm: NDArray[np.int64], to: NDArray[np.int64], time: NDArray[np.float64], fewest: int, typical: bool
) -> BestReadings:
    """The best reading of each link, or the lower median."""
    number = frm * FAR_BEYOND + to
    order = np.lexsort((time, number))
    link, first, count = np.unique(number[order], return_index=True, return_counts=True)
    enough = count >= fewest
    link, first, count = link[enough], first[enough], count[enough].astype(np.int64)
    chosen_time = time[order][first + (count - 1) // 2 * typical]
    return BestReadings(link // FAR_BEYOND, link % FAR_BEYOND, chosen_time, count)
