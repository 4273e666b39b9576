"""Finds pairs of hosts, groups, and ways between two groups, that are slow by what `--confirm` measured alone, though
others hide it under load."""

import itertools
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import FEWEST_GOOD, HEALTHY, LEAST_ALONE, NEARLY_ALL, BestReadings, Links
from everylink.judge.confidence import confidence_of
from everylink.judge.effects import FEW_GROUPS, SMALLEST_GROUP, Effects
from everylink.judge.evidence import HIDDEN
from everylink.judge.findings import Found, hosts_among
from everylink.judge.judged import FURTHER, Judged
from everylink.judge.names import Names
from everylink.judge.pairs import partners_of
from everylink.judge.passing import near_hosts, ways_past
from everylink.judge.phases import GONE_OF_PAIR, SETTLED_ALONE, alone_rows, best_of_each, measured_in
from everylink.judge.readings import Readings
from everylink.judge.trunks import Trunk
from everylink.judge.uplinks import FEWEST_OF_TWO
from everylink.judge.verdict import BANDWIDTH, Side, Verdict
from everylink.model.results import Size
from everylink.model.rows import MAIN, ORDER, QUARTER, Outcome, chosen
from everylink.robust import is_whole

FEWEST_READINGS = 6  # of each direction, of which the best counts: a message takes a longer way now and then
LEAST = 0.08  # log of the factor by which a pair is longer than nearly all of its class
CLEAR = 0.7  # part of its effect by which it is longer than any other link of its ends
FEWEST_OF_END = 2  # readings of other links that each end must have
FEWEST_OF_LINK, MOST_BY_CHANCE = 3, 0.1  # readings of a link; links that chance may make long in all their readings
BOTH = 0.5  # part of it in the other direction: one way of a pair may share a cable with others
MOST = 2  # such pairs of a run: more have a way in common, or are longer by design
MOST_LOOKED_AT, MOST_PART = 24, 0.75  # pairs, of those that take longest at best, and the part that are well
MIDDLE = 0.5  # quantile of a class
MOST_SETTLED = 4  # pairs that take longer alone than nearly all, whatever load shows
FEW = 2  # of these pairs that a host may have, wherever they lead
UNDER_LOAD = np.isin(np.arange(256), (MAIN, ORDER, QUARTER))  # attempts, by number
FEWEST_LINKS, FEWEST_WAYS = 8, 5  # of a way between two groups, and other such ways to compare it with
MOST_SLOW, FEWEST_OF_GROUP = 0.75, 2  # part of the links of a group, and other groups to which they lead
ALL_SLOW, ALL_WELL = 0.9, 0.9  # part of its links, and of those of other ways of its groups
Index = NDArray[np.int64]
Times = NDArray[np.float64]


def pairs_by_alone(judged: Judged, quiet: Judged | None, small: Judged | None) -> tuple[Found, ...]:
    """Pairs that take longer alone than nearly all of their class, and than all other links of their two ends, both
    ways.

    Of messages that show bandwidth, and by more seconds than `small` ones take longer: ways differ in length. Not where
    another part that may be slow is at one of their ends, or where they are much slower while others measure; and not
    where a reading under load was quicker, or one between other ranks of the two hosts that were measured alone. Nor
    where readings of that length are so common on other links that all of the pair's may be long by chance.
    """
    effects, best = judged.findings.effects, judged.alone.of_hosts
    if effects.equals.one_host or judged.size.bytes < BANDWIDTH or not len(best.time):
        return ()
    of_class = effects.class_number(best.frm, best.to)
    doubtful = _hosts_of_parts(judged) | (_hosts_of_parts(quiet) if quiet else set())
    slower, quickest, longer = dict[tuple[int, int], float](), _quickest(judged), _longer_than_best(judged)
    for at in np.flatnonzero((_beyond(best, of_class, MOST_PART) >= LEAST) & (best.count >= FEWEST_READINGS)).tolist():
        ends, usual = (int(best.frm[at]), int(best.to[at])), _usual_of_ends(best, of_class, at)
        if usual is None or not doubtful.isdisjoint(ends):
            continue
        effect = float(best.time[at]) - usual
        by_chance = len(best.time) * float((longer > CLEAR * effect).mean()) ** int(best.count[at])
        if quickest.get(ends, np.inf) - usual >= CLEAR * effect and by_chance < MOST_BY_CHANCE:
            slower[ends] = effect
    found, by_load = [], _effects_of_pairs(judged) | (_effects_of_pairs(quiet) if quiet else {})
    for one, other in slower:
        less, effect = sorted((slower[one, other], slower.get((other, one), 0.0)))
        is_load = effect < GONE_OF_PAIR * by_load.get(frozenset((one, other)), 0.0)
        if one < other and less >= BOTH * effect and not is_load and not are_further([(one, other)], judged, small):
            found.append(Found("pair", (one, other), Side.BOTH, effect, effect / LEAST_ALONE, 1))
    return tuple(found) if len(found) <= MOST else ()


def pairs_beside(pair: tuple[int, int], judged: Judged, small: Judged | None) -> tuple[Found, ...]:
    """The pairs of hosts behind the same two switches as those of a slow one, with it, if all of them are slow alone as
    it is: then the way between these switches is. None where no switches of several hosts show at its ends.

    Of messages that show bandwidth; `small` ones show switches.
    """
    of_hosts = not judged.findings.effects.equals.one_host and is_whole(judged.readings.hosts)
    if small is None or not of_hosts or judged.size.bytes < BANDWIDTH:
        return ()
    near, far = (near_hosts(host, small.readings.between_hosts.median).tolist() for host in pair)
    if min(len(near), len(far)) < FEWEST_OF_TWO or not set(near).isdisjoint(far):
        return ()
    pairs = list(itertools.product(near, far))
    longer = [log for log, _ in judged.alone.longer_than_equals([[link] for link in pairs], judged.findings)]
    least = max(BOTH * longer[pairs.index(pair)], LEAST_ALONE)
    if not all(log >= least for log in longer):
        return ()
    return tuple(
        Found("pair", ends, Side.BOTH, log, log / LEAST_ALONE, 1) for ends, log in zip(pairs, longer, strict=True)
    )


def ways_by_alone(judged: Judged, small: Judged | None, slow_hosts: Set[int]) -> Iterator[Trunk]:
    """Ways between two groups of which nearly all links are slow alone, while nearly all of the other ways of these
    groups are well, as are those of most other groups, but for those that may lead over it.

    Of messages and by seconds as of pairs_by_alone; `slow_hosts`: those whose links do not count.
    """
    if judged.findings.effects.equals.one_host or judged.size.bytes < BANDWIDTH:
        return
    between, group_of = _between_groups(judged, slow_hosts), judged.findings.effects.group_of
    ways = len(between.median)
    if ways <= FEWEST_WAYS:
        return
    for number in np.flatnonzero((between.median >= SMALLEST_GROUP) & (between.links >= FEWEST_LINKS)).tolist():
        own, effect = between.of_way == number, float(between.median[number])
        groups = int(between.groups[0, number]), int(between.groups[1, number])
        past = _are_past(groups, effect, between, small)
        if (~past & (between.median >= effect / 2)).sum() > (1 - ALL_WELL) * ways + 1:
            continue
        beside = ~own & ~past[between.of_way] & np.isin(between.groups[:, between.of_way], groups).any(axis=0)
        are_slow = (between.beyond[own] >= effect / 2).mean() >= ALL_SLOW
        are_well = beside.any() and (between.beyond[beside] < effect / 2).mean() >= ALL_WELL
        links = list(zip(between.frm[own].tolist(), between.to[own].tolist(), strict=True))
        hosts = Counter(group_of[list(set(itertools.chain(*links)))].tolist())
        if (
            min(hosts.values()) >= judged.fewest_hosts
            and are_slow
            and are_well
            and not are_further(links, judged, small)
        ):
            far, z = np.flatnonzero(group_of == groups[1]).tolist(), effect / LEAST_ALONE * float(np.sqrt(len(links)))
            yield Trunk(*groups, tuple(far), (), Side.BOTH, effect, z, len(links))


def groups_by_alone(judged: Judged, small: Judged | None, slow_hosts: Set[int]) -> Iterator[Found]:
    """Groups of which most links are slow alone, and most with each other group, while nearly all between others are
    well, and those inside them; where there are four groups or more. With one other only, the way between the two is
    slow; of a group that is well with another one, what is slow is not what leads to all. Nor where only links of some
    hosts of it show that, which are slow, or look so in small messages, of which no kind of hosts hides it.

    Of messages and by seconds as of pairs_by_alone; `slow_hosts`: those whose links do not count for other groups.
    """
    effects = judged.findings.effects
    if effects.equals.one_host or judged.size.bytes < BANDWIDTH:
        return
    between, group_of = _between_groups(judged, frozenset()), effects.group_of
    looking_slow = slow_hosts | (set() if small is None else small.hosts_looking_slow)
    of_slow = np.isin(between.frm, list(slow_hosts)) | np.isin(between.to, list(slow_hosts))
    for group in np.unique(between.groups).tolist():
        of_group = (between.groups == group).any(axis=0)[between.of_way]
        is_from = group_of[between.frm] == group
        near, far = np.where(is_from, (between.frm, between.to), (between.to, between.frm))
        own, others = of_group & ~np.isin(far, list(slow_hosts)), ~of_group & ~of_slow
        ways = np.unique(between.of_way[own])
        if len(ways) < FEWEST_OF_GROUP:
            continue
        longer = [float(np.median(between.beyond[own & (between.of_way == way)])) for way in ways]
        effect = float(np.median(longer))
        if effect < SMALLEST_GROUP or not others.any() or effects.groups_as_large(group) < FEW_GROUPS:
            continue
        are_slow = (between.beyond[own] >= effect / 2).mean() >= MOST_SLOW and min(longer) >= effect / 2
        are_well = (between.beyond[others] < effect / 2).mean() >= ALL_WELL
        links = list(zip(between.frm[own].tolist(), between.to[own].tolist(), strict=True))
        of_each = {host: between.beyond[own & (near == host)] for host in set(near[own].tolist())}
        showing = {host for host, beyond in of_each.items() if np.median(beyond) >= effect / 2}
        if (
            _is_whole(group, judged)
            and len(showing) >= judged.fewest_hosts  # else it may be the one of its kind
            and (showing - looking_slow or looking_slow >= set(np.flatnonzero(group_of == group).tolist()))
            and are_slow
            and are_well
            and _is_well_inside(group, judged, effect)
            and not are_further(links, judged, small)
        ):
            z = effect / LEAST_ALONE * float(np.sqrt(len(links)))
            yield Found("group", (group,), Side.BOTH, effect, z, len(links))


@dataclass(frozen=True)
class _Between:
    """Links that were measured alone between hosts of two groups, [links] each: the hosts, how much longer they take
    than healthy ones of their class (log), and the number of their way; `groups` [2, ways], and of each way the median
    of what its links take longer, and their number."""

    frm: Index
    to: Index
    beyond: Times
    of_way: Index
    groups: Index
    median: Times
    links: Index


def _quickest(judged: Judged) -> dict[tuple[int, int], float]:
    """The best reading of each link of two hosts, under any load or alone, between any of their ranks; log seconds."""
    best = measured_in(chosen(judged.size.rows, UNDER_LOAD[judged.size.rows.attempt]), judged.readings).of_hosts
    alone, host_of = judged.alone.of_ranks, judged.readings.host_of
    frm, to = np.append(best.frm, host_of[alone.frm]), np.append(best.to, host_of[alone.to])
    quickest = best_of_each(frm, to, np.append(best.time, alone.time))
    links = zip(quickest.frm.tolist(), quickest.to.tolist(), strict=True)
    return dict(zip(links, quickest.time.tolist(), strict=True))


def _longer_than_best(judged: Judged) -> Times:
    """How much longer each reading alone is than the best one of its link, log of the factor, of links with several."""
    rows, best = alone_rows(judged.size), judged.alone.of_ranks
    good = (rows.outcome == Outcome.OK) & (rows.median > 0)
    ranks = len(judged.ranks)
    link = rows.frm[good].astype(np.int64) * ranks + rows.to[good]
    of_best = best.frm * ranks + best.to
    order = np.argsort(of_best)
    at = order[np.searchsorted(of_best[order], link)]
    longer = np.log(rows.median[good].astype(np.float64)) - best.time[at]
    return np.asarray(longer[best.count[at] >= FEWEST_OF_LINK])


def _is_whole(group: int, judged: Judged) -> bool:
    """Whether links of all hosts of a group with others were measured alone."""
    group_of, best = judged.findings.effects.group_of, judged.alone.of_hosts
    between = group_of[best.frm] != group_of[best.to]
    known = np.concatenate([best.frm[between], best.to[between]])
    return bool(np.isin(np.flatnonzero(group_of == group), known).all())


def _is_well_inside(group: int, judged: Judged, effect: float) -> bool:
    """Whether most links inside a group take less than half of this longer alone than healthy ones inside others, log
    of the factor; and some were measured."""
    effects, best = judged.findings.effects, judged.alone.of_hosts
    inside = (effects.group_of[best.frm] == group) & (effects.group_of[best.to] == group)
    beyond = _beyond(best, effects.class_number(best.frm, best.to), HEALTHY)[inside]
    return bool(inside.any()) and float(np.median(beyond)) < effect / 2


def _between_groups(judged: Judged, slow_hosts: Set[int]) -> _Between:
    """Those of groups of several hosts, without those of slow hosts, and on each way of the quickest kinds of hosts:
    what takes longer anyway may hide what is slow."""
    effects, best = judged.findings.effects, judged.alone.of_hosts
    group_of, counts = effects.group_of, np.bincount(effects.group_of) >= FEWEST_OF_TWO
    counts = counts[group_of] & ~np.isin(np.arange(len(group_of)), list(slow_hosts))
    beyond = _beyond(best, effects.class_number(best.frm, best.to), HEALTHY)
    ends = np.sort(np.stack([group_of[best.frm], group_of[best.to]]), axis=0)
    at = np.flatnonzero(counts[best.frm] & counts[best.to] & (ends[0] != ends[1]) & np.isfinite(beyond))
    count, usual = len(group_of), best.time - beyond
    number = ends[0] * count + ends[1]
    at = at[_are_quickest(usual[at], number[at])]
    way, of_way, links = np.unique(number[at], return_inverse=True, return_counts=True)
    beyond = beyond[at]
    median = np.array([np.median(beyond[of_way == number]) for number in range(len(links))])
    return _Between(best.frm[at], best.to[at], beyond, of_way, np.stack(np.divmod(way, count)), median, links)


def _are_quickest(usual: Times, way: Index) -> NDArray[np.bool_]:
    """Mask of the links that usually take hardly longer than the quickest ones of their way, [links]."""
    _, of_way = np.unique(way, return_inverse=True)
    quickest = np.full(int(of_way.max(initial=-1)) + 1, np.inf)
    np.minimum.at(quickest, of_way, usual)
    return np.asarray(usual <= quickest[of_way] + LEAST)


def _are_past(groups: tuple[int, int], effect: float, between: _Between, small: Judged | None) -> NDArray[np.bool_]:
    """Mask of the ways that may lead over that between two groups, and are no slower, [ways]: as in a torus."""
    if small is None or small.between is None:
        return np.zeros(len(between.median), bool)
    past = ways_past(*groups, small.between)[between.groups[0], between.groups[1]]
    return np.asarray(past & (between.median <= effect))


def way_verdict(way: Trunk, judged: Judged, names: Names) -> Verdict:
    """Of one of ways_by_alone. Subject: both groups."""
    factor = float(np.exp(way.effect))
    text = (
        f"measured alone, the {way.links} measured connections between the two groups take {factor:.2f}x the time of "
        f"those between others; {HIDDEN}: look between the switches"
    )
    subject = tuple(names.group_in_short(group) for group in (way.group, way.other))
    confidence = confidence_of(way.z, judged.findings.tested["group"])
    return Verdict("trunk", subject, str(Side.BOTH), "slow", judged.size.bytes, factor, confidence, way.links, text)


def longest_at_best(size: Size, seen: Readings, effects: Effects) -> set[tuple[int, int]]:
    """A few pairs, the smaller number first, of which even the best reading under any load takes longer than the best
    readings of most of their class: where ways are shared, this shows a slow link that a median hides.

    Not those of a host that has several of them to several groups: that may be the host, or what all of these pass.
    """
    best = measured_in(chosen(size.rows, UNDER_LOAD[size.rows.attempt]), seen).of_hosts
    beyond = _beyond(best, effects.class_number(best.frm, best.to), MOST_PART)
    longest = np.argsort(-beyond, kind="stable")
    pairs = list(dict.fromkeys(_pairs_at(best, longest[beyond[longest] >= LEAST])))
    groups = {host: {int(effects.group_of[other]) for other in others} for host, others in partners_of(pairs).items()}
    many = {host for host, count in Counter(itertools.chain(*pairs)).items() if count > FEW and len(groups[host]) > 1}
    return set([pair for pair in pairs if many.isdisjoint(pair)][:MOST_LOOKED_AT])


def to_settle(alone: BestReadings, effects: Effects, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of these pairs that look slow alone, and were measured so too few times; and of all others, if they are
    few, those that take longer than nearly all of their class."""
    of_class = effects.class_number(alone.frm, alone.to)
    few = alone.count < SETTLED_ALONE
    longer, longest = (_beyond(alone, of_class, part) >= LEAST for part in (MOST_PART, NEARLY_ALL))
    others = set(_pairs_at(alone, np.flatnonzero(longest)))
    known = pairs | (others if len(others) <= MOST_SETTLED else set())
    return known.intersection(_pairs_at(alone, np.flatnonzero(longer & few)))


def _pairs_at(best: BestReadings, at: Index) -> list[tuple[int, int]]:
    """The hosts of these readings, the smaller number first."""
    ends = np.sort(np.stack([best.frm[at], best.to[at]], axis=1), axis=1).tolist()
    return [(one, other) for one, other in ends]


def _beyond(best: BestReadings, of_class: Index, quantile: float) -> Times:
    """How much longer each reading is than a quantile of its class, log of the factor; of few, none is."""
    beyond = np.full(len(best.time), -np.inf)
    for number in np.unique(of_class).tolist():
        own = of_class == number
        if own.sum() > FEWEST_GOOD:
            beyond[own] = best.time[own] - np.quantile(best.time[own], quantile)
    return beyond


def _usual_of_ends(best: BestReadings, of_class: Index, at: int) -> float | None:
    """What other links of its ends take that have the class of a reading, log seconds; None if one of them, or more
    than a tenth of its class, takes nearly as long, or too few were measured.

    Where an end has too few of this class, such as the only host of its kind in a group, its other links count by how
    much longer they take than the middle of their own classes.
    """
    ends = int(best.frm[at]), int(best.to[at])
    at_ends = [(best.frm == end) | (best.to == end) for end in ends]
    others = ~(at_ends[0] & at_ends[1])
    alike = others & (of_class == of_class[at])
    if alike.sum() <= FEWEST_GOOD or best.time[at] - np.quantile(best.time[alike], NEARLY_ALL) < LEAST:
        return None
    times = [best.time[is_at & alike] for is_at in at_ends]
    if min(map(len, times)) < FEWEST_OF_END:
        longer = _beyond(best, of_class, MIDDLE) + np.median(best.time[alike])
        times = [
            own if len(own) >= FEWEST_OF_END else longer[is_at & others & np.isfinite(longer)]
            for own, is_at in zip(times, at_ends, strict=True)
        ]
    if min(map(len, times)) < FEWEST_OF_END:
        return None
    usual, longest = (max(float(of(own)) for own in times) for of in (np.median, np.max))
    return usual if longest - usual <= (1 - CLEAR) * (float(best.time[at]) - usual) else None


def _hosts_of_parts(judged: Judged) -> set[int]:
    """The hosts that something slow other than a pair reaches, or may reach."""
    group_of = judged.findings.effects.group_of
    parts = [one for one in judged.findings.bad if one.kind != "pair" and one not in judged.contention]
    groups = {one.subject[0] for one in parts if one.kind == "group"} | {uplink.group for uplink in judged.uplinks}
    groups |= {group for trunk in judged.trunks for group in (trunk.group, trunk.other)}
    return hosts_among(parts, judged.readings) | set(np.flatnonzero(np.isin(group_of, list(groups))).tolist())


def _effects_of_pairs(judged: Judged) -> dict[frozenset[int], float]:
    """What slow pairs of hosts add while others measure, log of the factor."""
    return {frozenset(one.subject): one.effect for one in judged.findings.bad if one.kind == "pair"}


def are_further(links: Links, judged: Judged, small: Judged | None) -> bool:
    """Whether these take at most twice as many seconds longer than equals as small messages do."""
    if small is None:
        return False
    ((_, seconds),) = judged.alone.longer_than_equals([links], judged.findings)
    ((_, of_small),) = small.alone.longer_than_equals([links], small.findings)
    return bool(seconds <= FURTHER * max(of_small, 0.0))
