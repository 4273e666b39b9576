"""Judges hosts and their pairs once more, by what `--confirm` measured of all pairs with a quarter of the ranks busy.

Where messages share ways, pairs differ under full load by what else is on their way, which hides a slow link or host.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.evidence import slow_verdict, trunk_verdict, uplink_verdict
from everylink.judge.findings import Findings, Found, find, hosts_among
from everylink.judge.judged import ALL_PARTNERS, Judged
from everylink.judge.kinds import levelled
from everylink.judge.names import Names
from everylink.judge.pairs import CLEAR_OF_PAIR, SMALLEST_BAD
from everylink.judge.phases import FEWEST_UNDER_LOAD
from everylink.judge.readings import Readings, readings_in
from everylink.judge.uplinks import ONE_GROUP, Uplink, between_parts, ends_of_pair, slow_pairs_of
from everylink.judge.verdict import BANDWIDTH, Verdict
from everylink.judge.ways_alone import are_further
from everylink.model.results import Results, Size
from everylink.model.rows import QUARTER

MOST_HOSTS = 128  # of more, measuring all pairs takes too long
FEWEST_HOSTS = 4
SHARE = 0.5  # part of its effect by which a host must be slow with ALL_PARTNERS
WITH_ALONE = 0.6  # likewise of a host that is slow alone with all that it was measured with
FEWEST_NEAR, FEWEST_NEAR_OF_LOADED = 4, 2  # others in the group of a host, or that could show it
QUICKER = 0.25  # part of what a host adds within its group by which it is quick with further ones,
NOISES = 4.0  # if these differ by less
MOST = 0.6  # of the pairs that a trunk joins: some messages may take a detour
FEWEST_PROVEN = 6  # pairs of an uplink that must be slow alone, if they lead to several groups
COVERED = 0.9  # part of the pairs of hosts that must have been measured


def quiet_readings(results: Results, size: Size) -> Readings | None:
    """The readings with a quarter of the ranks busy; None of messages too small to share much, and of too few or too
    many hosts."""
    hosts = int(results.ranks.host_index.max(initial=0)) + 1
    if size.bytes < BANDWIDTH or not FEWEST_HOSTS <= hosts <= MOST_HOSTS:
        return None
    return readings_in(results, size, QUARTER)


def is_covered(quiet: Readings) -> bool:
    """Whether nearly all pairs of hosts have enough readings."""
    return bool(np.triu(_has_enough(quiet), 1).sum() >= COVERED * quiet.hosts * (quiet.hosts - 1) / 2)


def pairs_to_measure(quiet: Readings, seen: Readings, effects: Effects) -> set[tuple[int, int]]:
    """The pairs of hosts, the smaller number first, that lack readings with a quarter of the ranks busy, where those of
    a class differ so much under full load that a slow link need not show."""
    known = np.isfinite(seen.between_hosts.median)
    frm, to = np.nonzero(np.triu(known | known.T, 1))
    noise = float(np.max(effects.noise_at(frm, to), initial=0.0))
    if CLEAR_OF_PAIR * noise < SMALLEST_BAD:
        return set()
    lacking = ~_has_enough(quiet)[frm, to]
    return set(zip(frm[lacking].tolist(), to[lacking].tolist(), strict=True))


def judged_quietly(judged: Judged, quiet: Readings) -> Judged:
    """The judgement of the same size with a quarter of the ranks busy."""
    equals, alone = judged.findings.effects.equals, judged.alone
    seen = levelled(quiet, equals)
    none = replace(alone, of_hosts=alone.of_hosts.none, of_ranks=alone.of_ranks.none)
    return replace(judged, readings=seen, findings=find(seen, equals), quarter=none, is_quiet=True)


def slow_with_all(quiet: Readings, findings: Findings, part: float = ALL_PARTNERS) -> NDArray[np.int64]:
    """The hosts that are slow with nearly all others that could show it, or with this part of them."""
    effects, cells = findings.effects, quiet.between_hosts
    every, found = np.arange(quiet.hosts), []
    for one in findings.bad:
        if one.kind == "host":
            host = one.subject[0]
            longer = cells.median[host] - effects.class_at(host, every)
            known = np.isfinite(longer) & effects.could_show(host, one.effect)
            enough = min(FEWEST_NEAR, quiet.hosts - 1)
            if known.sum() >= enough and (longer[known] > SHARE * one.effect).mean() >= part:
                found.append(host)
    return np.array(sorted(found), np.int64)


def slow_by_their_ways(quiet: Judged, judged: Judged) -> set[int]:
    """The groups that are slow under full load, and with a quarter of the ranks busy just by ways to some others."""
    ways = quiet.folded_alone
    whole = {one.subject[0] for one in (*quiet.findings.bad, *ways.groups) if one.kind == "group"}
    with_ways = {group for trunk in ways.trunks for group in (trunk.group, trunk.other)}
    return {one.subject[0] for one in judged.unexplained if one.kind == "group"} & with_ways - whole


def more_ends(quiet: Judged, judged: Judged) -> Iterator[Found]:
    """The slow groups, hosts and pairs that show with a quarter of the ranks busy and not under full load.

    But for pairs of hosts that have a fault of their own, or of groups between which a way is slow. A host has to be
    slow alone, and with nearly all others, or all of its group, or with most if it is slow alone with all.
    """
    told = {(one.kind, one.subject) for one in judged.unexplained}
    bad = hosts_among(judged.unexplained, judged.readings)
    groups = {one.subject[0] for one in (*judged.unexplained, *quiet.unexplained) if one.kind == "group"}
    hosts, with_most = (
        set(slow_with_all(quiet.readings, quiet.findings, part).tolist()) for part in (ALL_PARTNERS, WITH_ALONE)
    )
    group_of = quiet.findings.effects.group_of
    yield from (one for one in quiet.unexplained if one.kind == "group" and (one.kind, one.subject) not in told)
    for one in quiet.unexplained:
        if one.kind != "host" or one.subject[0] in bad:
            continue
        is_slow = one in quiet.slow_alone and one.subject[0] in with_most
        is_slow = is_slow and (one.subject[0] in hosts or quiet.alone.slow_with(one, quiet.findings).all)
        is_slow = is_slow or is_slow_near(one, quiet, one.subject[0] in judged.contended_hosts)
        if is_slow and int(group_of[one.subject[0]]) not in groups:
            bad.add(one.subject[0])
            yield one
    ways = judged.slow_ways | quiet.slow_ways
    for one in quiet.unexplained:
        is_new = one.kind == "pair" and (one.kind, one.subject) not in told and not bad & set(one.subject)
        if is_new and ends_of_pair(one, group_of) not in ways:
            yield one


def is_slow_near(host: Found, quiet: Judged, is_under_load: bool) -> bool:
    """Whether a host is slow with nearly all others of its group, alone as well, and no quicker than others with
    further ones: there, what flows are limited to may hide it. `is_under_load`: it is slow under full load, too, so
    fewer others are enough."""
    effects, one = quiet.findings.effects, host.subject[0]
    longer = quiet.longer_with(one)
    known, is_near = np.isfinite(longer), effects.group_of == effects.group_of[one]
    near, far = np.flatnonzero(known & is_near), longer[known & ~is_near]
    fewest = FEWEST_NEAR_OF_LOADED if is_under_load else FEWEST_NEAR
    if len(near) < fewest or (longer[near] > SHARE * host.effect).mean() < ALL_PARTNERS:
        return False
    ((alone, _),) = quiet.alone.longer_than_equals([[(one, other) for other in near.tolist()]], quiet.findings)
    noise = float(np.nanmax(effects.noise_at(one, np.flatnonzero(known & ~is_near)), initial=0.0))
    return bool(alone > SHARE * host.effect) and not (far < -max(QUICKER * host.effect, NOISES * noise)).any()


def more_ways(quiet: Judged, judged: Judged, names: Names, small: Judged | None) -> Iterator[Verdict]:
    """The ways between two groups, or parts of them, that show with a quarter of the ranks busy, and alone, but not
    under full load. Not some pairs of two groups that are further apart by what `small` messages take longer."""
    effects, groups = quiet.findings.effects, {one.subject[0] for one in judged.unexplained if one.kind == "group"}
    groups -= slow_by_their_ways(quiet, judged)
    longer, folded = quiet.longer, quiet.folded_alone
    yield from (slow_verdict(one, quiet, names) for one in folded.groups if one.subject[0] not in groups)
    for trunk in folded.trunks:
        if longer is None or {trunk.group, trunk.other} & groups:
            continue
        slow, parts = slow_pairs_of(trunk, longer, effects, quiet.readings), list[Uplink]()
        pairs = len(trunk.far) * (effects.group_of == trunk.group).sum()
        if not quiet.told and len(slow) < ONE_GROUP * pairs:
            parts = list(between_parts(slow, effects.group_of, longer))
        yield from (uplink_verdict(part, quiet, names) for part in parts if not are_further(part.links, quiet, small))
        is_known = bool(judged.slow_ways & set(trunk.ways(effects.group_of)))
        is_whole = len(slow) >= MOST * pairs or trunk in quiet.edges.trunks  # these are slow by their hosts
        is_whole = is_whole and not quiet.is_slow_with_some(trunk)
        if not parts and is_whole and not is_known:
            yield trunk_verdict(trunk, quiet, names)
    for uplink in quiet.uplinks:
        is_proven = uplink.other >= 0 or sum(pair in quiet.slow_alone for pair in uplink.pairs) >= FEWEST_PROVEN
        if is_proven and not {uplink.group, uplink.other} & groups and not are_further(uplink.links, quiet, small):
            yield uplink_verdict(uplink, quiet, names)


def _has_enough(quiet: Readings) -> NDArray[np.bool_]:
    """Mask of the pairs of hosts that have enough readings, [host, host]."""
    count = quiet.between_hosts.count
    return np.maximum(count, count.T) >= FEWEST_UNDER_LOAD
