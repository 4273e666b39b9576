"""Folds slow hosts of one group, and slow trunks from it, into one part: the group, or its trunks to some others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.readings import Readings
from everylink.judge.trunks import NEAR_PART, Trunk
from everylink.judge.uplinks import AS_WHOLE, FEWEST_HOSTS
from everylink.judge.verdict import Side
from everylink.robust import Matrix, known_sample

NEARLY_ALL = 0.75  # of the hosts of a group, or of the trunks from it: the group is slow
FEWEST_TRUNKS = 2  # for which a group may stand
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Edges:
    """`groups` that are slow with all others, and `trunks` from groups to those others with which they are slow."""

    groups: tuple[Found, ...] = ()
    trunks: tuple[Trunk, ...] = ()


def slow_at_the_edge(hosts: Sequence[Found], effects: Effects, readings: Readings, fewest: int) -> Edges:
    """The groups of `fewest` hosts or more of which nearly all are among these slow ones, and are well among each
    other."""
    of_group: dict[int, list[Found]] = {}
    for found in hosts:
        of_group.setdefault(int(effects.group_of[found.subject[0]]), []).append(found)
    size, groups, trunks = np.bincount(effects.group_of), list[Found](), list[Trunk]()
    for group, own in of_group.items():
        if len(own) < max(fewest, NEARLY_ALL * int(size[group])):
            continue
        effect = float(np.median([found.effect for found in own]))
        members = np.array([found.subject[0] for found in own])
        if not _longer(members, members, effects, readings) < NEAR_PART * effect:
            continue
        links, z = sum(found.links for found in own), max(found.z for found in own)
        slow = Found("group", (group,), Side.BOTH, effect, z, links)
        ways = list(_slow_with(slow, members, effects, readings))
        if ways and _others_are_well(ways, effects):
            trunks += ways
        else:
            groups.append(slow)
    return Edges(tuple(groups), tuple(trunks))


def folded_ways(trunks: Sequence[Trunk], effects: Effects) -> Edges:
    """The groups that have slow trunks to all groups of some kind of hosts, two or more, or to nearly all; and the
    trunks of others."""
    groups, left = list[Found](), list(trunks)
    for group in sorted({end for trunk in trunks for end in (trunk.group, trunk.other)}):
        own = [trunk for trunk in left if group in (trunk.group, trunk.other)]
        ways = [trunk if trunk.group == group else _turned(trunk, effects) for trunk in own]
        is_most = len(ways) >= NEARLY_ALL * (effects.whole_groups - 1) and len(ways) > FEWEST_TRUNKS
        if len(ways) >= FEWEST_TRUNKS and (is_most or not _others_are_well(ways, effects)):
            effect, z = float(np.median([way.effect for way in ways])), max(way.z for way in ways)
            groups.append(Found("group", (group,), Side.BOTH, effect, z, sum(way.links for way in ways)))
            left = [trunk for trunk in left if trunk not in own]
    return Edges(tuple(groups), tuple(left))


def _turned(trunk: Trunk, effects: Effects) -> Trunk:
    """A trunk between two groups from its other end."""
    far = tuple(np.flatnonzero(effects.group_of == trunk.group).tolist())
    return replace(trunk, group=trunk.other, other=trunk.group, far=far)


def _others_are_well(ways: Sequence[Trunk], effects: Effects) -> bool:
    """Whether there are groups with which one group is not slow, at the far ends of none of these ways from it, though
    its links with them usually take no longer. With those of a slower kind it might not show."""
    size, group_of, group = np.bincount(effects.group_of), effects.group_of, ways[0].group
    slow = {group, *(way.other for way in ways)}
    others = (other for other in np.flatnonzero(size >= FEWEST_HOSTS).tolist() if other not in slow)
    own = np.flatnonzero(group_of == group)
    longest = max(_usual(own, np.array(way.far), effects) for way in ways)
    return any(
        _have_equals(group, other, effects) and _usual(own, np.flatnonzero(group_of == other), effects) <= longest
        for other in others
    )


def _have_equals(one: int, other: int, effects: Effects) -> bool:
    """Whether there are links between two further groups, or one of them and `other`, of the same kinds of hosts as
    most of those between two groups: else these are compared with nothing."""
    group_of, kind_of = effects.group_of, effects.equals.kind_of
    kinds = (np.bincount(kind_of[group_of == end]).argmax() for end in (one, other))
    near, far = (set(group_of[kind_of == kind].tolist()) - {one} for kind in kinds)
    return bool(near and far) and len(near | far) > 1


def _usual(frm: Index, to: Index, effects: Effects) -> float:
    """The median of what links from some hosts to others usually take, log seconds; NaN if unknown."""
    return _median(effects.class_at(frm[:, None], to[None, :]))


def _slow_with(slow: Found, members: Index, effects: Effects, readings: Readings) -> Iterator[Trunk]:
    """The trunks from a slow group, of these hosts, to each other group with which it is slow."""
    size = np.bincount(effects.group_of)
    for other in np.flatnonzero(size >= FEWEST_HOSTS).tolist():
        far = np.flatnonzero(effects.group_of == other)
        longer = _longer(members, far, effects, readings)
        if other != slow.subject[0] and longer > AS_WHOLE * slow.effect:
            links = 2 * len(members) * len(far)
            yield Trunk(slow.subject[0], other, tuple(far.tolist()), (), Side.BOTH, longer, slow.z, links)


def _longer(frm: Index, to: Index, effects: Effects, readings: Readings) -> float:
    """The median of what links from some hosts to others take longer than usual, log of the factor; NaN if unknown."""
    return _median(readings.cells(frm, to).median - effects.class_at(frm[:, None], to[None, :]))


def _median(times: Matrix) -> float:
    """Of the known ones; NaN if there are none."""
    known = known_sample(times)
    return float(np.median(known)) if len(known) else np.nan
