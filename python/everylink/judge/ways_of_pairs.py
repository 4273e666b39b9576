"""Slow pairs between the same two sets of hosts, or among some hosts, are one verdict, whichever groups they are in.

Groups of two hosts, or those of a network without leaves, may not show in the times.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from everylink.host_lists import folded
from everylink.judge.confidence import calibrated
from everylink.judge.merged import in_place_of
from everylink.judge.names import Names
from everylink.judge.pairs import partners_of
from everylink.judge.verdict import Side, Verdict

FEWEST = 2  # hosts at each end
ALIKE = 0.5  # part of the median effect (log) by which those of the pairs may differ from it
FEWEST_JOINED = 3  # pairs with hosts in common that share a part of their way
FEWEST_AMONG = 3  # hosts all pairs among which are slow
Hosts = frozenset[str]


def ways_of_pairs(verdicts: Sequence[Verdict], names: Names, slow_with_all: Set[str] = frozenset()) -> list[Verdict]:
    """The verdicts, with one in place of slow pairs that are all those between two sets of hosts, all those among some
    hosts, or that have hosts in common and are slow alike: on a trunk, or on these hosts, a group.

    Not in place of pairs of hosts that are `slow_with_all` others alone.
    """
    if names.unit_kind != "host":
        return list(verdicts)
    pairs: dict[Hosts, Verdict] = {}
    for verdict in verdicts:
        if verdict.is_slow_pair and len(ends := frozenset(names.units_of(verdict.subject))) == 2:
            pairs[ends] = verdict
    found, told = list[Verdict](), set[Verdict]()
    for one, other in _ends(partners_of(pairs)):
        own = [pairs[frozenset((a, b))] for a in one for b in other]
        if _are_alike(own, all_of_way=True):
            told |= set(own)
            found.append(_trunk(one, other, own, f"all {len(own)} pairs between them are slow"))
    left = {ends: verdict for ends, verdict in pairs.items() if verdict not in told}
    for hosts, own in _among(left, slow_with_all):
        told |= set(own)
        subject = tuple(name for name in names.units if name in hosts)
        found.append(_one("group", subject, own, f"all {len(own)} pairs among them are slow, and none with others is"))
    left = {ends: verdict for ends, verdict in left.items() if verdict not in told}
    for one, other, own in _joined(left, slow_with_all):
        told |= set(own)
        found.append(_trunk(one, other, own, f"{len(own)} pairs between these hosts are slow, and the hosts are not"))
    return [*(verdict for verdict in verdicts if verdict not in told), *found]


def _ends(partners: Mapping[str, set[str]]) -> list[tuple[list[str], list[str]]]:
    """Sets of hosts that are slow with exactly the same others, and these; each two sets once."""
    like: dict[Hosts, list[str]] = {}
    for host, others in partners.items():
        like.setdefault(frozenset(others), []).append(host)
    both = [(own, sorted(others)) for others, own in like.items() if min(len(own), len(others)) >= FEWEST]
    return [(own, others) for own, others in both if own[0] < others[0] and partners[others[0]] == set(own)]


def _among(pairs: Mapping[Hosts, Verdict], slow_with_all: Set[str]) -> Iterator[tuple[Hosts, list[Verdict]]]:
    """Hosts all pairs among which are slow alike, and none with others; not such that are slow themselves."""
    partners = partners_of(pairs)
    for hosts in dict.fromkeys(frozenset({host, *others}) for host, others in partners.items()):
        is_all = all(partners[host] == hosts - {host} for host in hosts)
        if is_all and len(hosts) >= FEWEST_AMONG and not hosts & slow_with_all:
            own = [pairs[frozenset(ends)] for ends in itertools.combinations(sorted(hosts), 2)]
            if _are_alike(own):
                yield hosts, own


def _joined(
    pairs: Mapping[Hosts, Verdict], slow_with_all: Set[str]
) -> Iterator[tuple[list[str], list[str], list[Verdict]]]:
    """Pairs that are joined by hosts that they have in common, and the two sets of these between which they are, or
    all of them and none.

    Not those of a single host, nor of hosts that are slow themselves.
    """
    partners, left = partners_of(pairs), set(pairs)
    while left:
        first = min(left, key=sorted)
        side = _sides(min(first), partners)
        own = {ends for ends in left if ends & side.keys()}
        left -= own
        one, other = ([host for host in sorted(side) if side[host] is which] for which in (True, False))
        verdicts = [pairs[ends] for ends in sorted(own, key=sorted)]
        is_way = len(own) >= FEWEST_JOINED and min(len(one), len(other)) >= FEWEST
        if is_way and not side.keys() & slow_with_all and _are_alike(verdicts):
            is_between = all(len({side[host] for host in ends}) == 2 for ends in own)
            yield (one, other, verdicts) if is_between else (sorted(side), [], verdicts)


def _sides(first: str, partners: Mapping[str, set[str]]) -> dict[str, bool]:
    """The hosts that are joined to the first one by slow pairs, and at which of two ends each is."""
    side, open_ = {first: True}, [first]
    while open_:
        host = open_.pop()
        for other in partners[host] - side.keys():
            side[other] = not side[host]
            open_.append(other)
    return side


def _are_alike(pairs: Sequence[Verdict], all_of_way: bool = False) -> bool:
    """Those that show at one message size: what is slow makes small messages slow by another factor than large ones.

    Of pairs that are all those of a way, whether none is slower than the others: load may hide a part of what one has.
    """
    for size in {one.bytes for one in pairs}:
        logs = np.log([one.factor or 1.0 for one in pairs if one.bytes == size])
        middle = float(np.median(logs))
        apart = logs - middle if all_of_way else np.abs(logs - middle)
        if (apart > ALIKE * middle).any():
            return False
    return True


def _trunk(one: Sequence[str], other: Sequence[str], pairs: Sequence[Verdict], which: str) -> Verdict:
    subject = tuple(folded(end) for end in (one, other) if end)
    return _one("trunk", subject, pairs, f"{which}: one of the cables between the switches")


def _one(kind: str, subject: tuple[str, ...], pairs: Sequence[Verdict], text: str) -> Verdict:
    """One verdict in place of pairs that are slow alike; `text`: the beginning of its evidence."""
    verdict = replace(in_place_of(pairs, f"{text}; of"), kind=kind, subject=subject, direction=str(Side.BOTH))
    return calibrated(verdict, is_alone=True)
