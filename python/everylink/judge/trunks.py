"""Finds slow paths between switches: all hosts of a group are slow to the same other hosts, and no host is slow itself.

In a dragonfly, two groups have a cable of their own, so all links between them are slow. In a fat tree with static
routes, the links of one group with the hosts that share a path up are slow, and those of the host whose messages come
down it. The median over the group's hosts separates this from chance without many readings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import FEWEST_HOSTS, GROUP_CERTAIN, SMALLEST_GROUP, Effects
from everylink.judge.polish import LEAST_SPREAD
from everylink.judge.verdict import Side
from everylink.robust import MEDIAN_ERROR, Matrix, Values, row_medians, spread

WHOLE = 0.75  # part of a group's hosts from which the path leads to the whole group
OF_ALL = 0.5  # part of groups, or of hosts, from which the host, or the group, is slow itself
FEWEST_ENDS = 2  # groups that a trunk may join
FEWEST_FAR = 3  # one or two may be slow for other reasons
NEAR_PART = 0.34  # part of what a host adds to far links; below it, its near links are healthy
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Trunk:
    """The path from a group to another one, or to the `far` hosts of several, and to its `own` hosts from all others.

    `group`, `other`: group numbers; `other` is -1 if there are several; `side` as seen from `group`; `effect`: log of
    the factor; `z`: its score; `links`: number of links used.
    """

    group: int
    other: int
    far: tuple[int, ...]
    own: tuple[int, ...]
    side: Side
    effect: float
    z: float
    links: int

    def carries(self, frm: NDArray[np.int64], to: NDArray[np.int64], group_of: NDArray[np.int64]) -> Mask:
        """Which of these links between hosts use the trunk, as seen from its group's end."""
        to_far = (group_of[frm] == self.group) & np.isin(to, self.far)
        return np.asarray(to_far | (np.isin(frm, self.own) & (group_of[to] != self.group)))


@dataclass(frozen=True)
class Trunks:
    """`effects`: without what the trunks add; `beyond`: hosts that are slow only with other groups."""

    found: tuple[Trunk, ...]
    effects: Effects
    beyond: frozenset[int]


@dataclass(frozen=True)
class _Paths:
    """[group, host]: the median of what the links of a group's hosts with this host add, its score, and their number.

    `links` has two for each pair of hosts whose directions are read together.
    """

    effect: Values
    z: Values
    links: Index


def find_trunks(effects: Effects, symmetric: bool) -> Trunks:
    """The trunks that explain what groups and hosts do not. Needs two groups of three hosts or more."""
    members = [np.flatnonzero(effects.group_of == group) for group in range(int(effects.group_of.max()) + 1)]
    if not effects.keeps_links or effects.whole_groups < FEWEST_ENDS:
        return Trunks((), effects, frozenset())
    beyond = _only_beyond(effects)
    bad = np.maximum(effects.sent, effects.received).max(axis=1) > 0
    found: list[Trunk] = []
    for side in (Side.BOTH,) if symmetric else (Side.SEND, Side.RECEIVE):
        paths = _paths(effects, members, beyond, side)
        found += _folded(paths, members, beyond, bad, effects.group_of, side)
    found = _each_once(found, members)
    explained = {host for trunk in found for host in trunk.own}
    rest, expected = effects.rest, effects.expected
    if found:
        rest, expected = rest.copy(), expected.copy()
        for trunk in found:
            _take(trunk, members[trunk.group], rest, expected)
    alone = frozenset(int(host) for host in np.flatnonzero(beyond) if int(host) not in explained)
    return Trunks(tuple(found), replace(effects, rest=rest, expected=expected), alone)


def _only_beyond(effects: Effects) -> Mask:
    """Mask of hosts that are slow with other groups and, as far as measured, healthy within their own."""
    beyond = np.zeros(len(effects.group_of), bool)
    added = np.maximum(effects.sent, effects.received).max(axis=1)
    for host in np.flatnonzero(added > 0).tolist():
        near = np.flatnonzero((effects.group_of == effects.group_of[host]) & (added <= 0))
        if len(near) < FEWEST_HOSTS:
            continue
        back = effects.rest[near, host] + effects.added_at(near, host)
        there = effects.rest[host, near] + effects.added_at(host, near)
        inside = np.concatenate([there, back])
        inside = inside[np.isfinite(inside)]
        beyond[host] = len(inside) >= FEWEST_HOSTS and np.median(inside) < NEAR_PART * added[host]
    return beyond


def _paths(effects: Effects, members: Sequence[Index], beyond: Mask, side: Side) -> _Paths:
    hosts = len(effects.group_of)
    effect, known = np.full((len(members), hosts), np.nan), np.zeros((len(members), hosts), np.intp)
    every = np.arange(hosts)
    bad = np.maximum(effects.sent, effects.received).max(axis=1) > 0
    for group, own in enumerate(members):
        rows = own[~bad[own]]
        if len(rows) < FEWEST_HOSTS:
            continue
        # A host that is slow only beyond its switch was taken as slow itself; its residuals are restored here.
        if side == Side.RECEIVE:
            added = effects.added_at(every[:, None], rows[None, :])
            block = effects.rest[:, rows] + np.where(beyond[:, None], added, np.float32(0))
        else:
            added = effects.added_at(rows[:, None], every[None, :]).T
            block = effects.rest[rows].T + np.where(beyond[:, None], added, np.float32(0))
        block[own] = np.nan
        effect[group], known[group] = row_medians(block)
    effect[known < FEWEST_HOSTS] = np.nan
    error = MEDIAN_ERROR * effects.noise / np.sqrt(np.maximum(known, 1))
    usual = spread(effect)  # groups differ for other reasons too, such as further switches between them
    links = known * (2 if side == Side.BOTH else 1)
    return _Paths(effect, effect / np.sqrt(np.maximum(error, usual) ** 2 + LEAST_SPREAD**2), links)


def _folded(
    paths: _Paths, members: Sequence[Index], beyond: Mask, bad: Mask, group_of: Index, side: Side
) -> Iterator[Trunk]:
    """`bad`: hosts that are slow themselves, so that the ways to them need not be."""
    known = np.isfinite(paths.effect)
    slow = (paths.effect > SMALLEST_GROUP) & (paths.z > GROUP_CERTAIN)
    # Slow from most groups: the path to the host itself, which belongs to the trunk of its group if there is one.
    everywhere = (slow.sum(axis=0) >= 2) & (slow.sum(axis=0) >= OF_ALL * known.sum(axis=0))
    slow[:, everywhere | (bad & ~beyond)] = False
    for group in range(len(members)):
        columns = np.flatnonzero(slow[group])
        if not len(columns) or len(columns) > OF_ALL * known[group].sum():
            continue
        rest = columns
        for other in np.unique(group_of[columns]).tolist():
            of_other = columns[group_of[columns] == other]
            measured = int(known[group, members[other]].sum())
            if measured >= FEWEST_HOSTS and len(of_other) >= WHOLE * measured:
                yield _trunk(paths, group, other, members[other], side, ())
                rest = np.setdiff1d(rest, of_other)
        if len(rest) >= FEWEST_FAR:
            own = tuple(int(host) for host in members[group] if beyond[host] and everywhere[host])
            yield _trunk(paths, group, -1, rest, side, own)


def _trunk(paths: _Paths, group: int, other: int, far: Index, side: Side, own: tuple[int, ...]) -> Trunk:
    effect = float(np.nanmedian(paths.effect[group, far]))
    z = float(np.nanmedian(paths.z[group, far]) * np.sqrt(np.isfinite(paths.z[group, far]).sum()))
    links = int(paths.links[group, far].sum())
    return Trunk(group, other, tuple(far.tolist()), own, side, effect, z, links)


def _each_once(found: Sequence[Trunk], members: Sequence[Index]) -> list[Trunk]:
    """Merge the two ends of a path between two groups: from its sending end, or both directions."""
    between: dict[tuple[int, int], Trunk] = {}
    for trunk in found:
        if trunk.other >= 0:
            if trunk.side == Side.RECEIVE:
                far = tuple(members[trunk.group].tolist())
                trunk = replace(trunk, group=trunk.other, other=trunk.group, far=far, side=Side.SEND)
            between.setdefault((trunk.group, trunk.other), trunk)
    single = [trunk for trunk in found if trunk.other < 0]
    for (one, other), trunk in between.items():
        back = between.get((other, one))
        if back is None or one < other:
            single.append(trunk if back is None else _both_ways(trunk, back))
    return single


def _both_ways(trunk: Trunk, back: Trunk) -> Trunk:
    links = trunk.links if trunk.side == Side.BOTH else trunk.links + back.links
    return replace(trunk, side=Side.BOTH, effect=max(trunk.effect, back.effect), z=max(trunk.z, back.z), links=links)


def _take(trunk: Trunk, own: Index, rest: Matrix, expected: Matrix) -> None:
    """Move the effect of a trunk from `rest` to `expected`, in place."""
    far = np.array(trunk.far)
    directions = {Side.SEND: [(own, far)], Side.RECEIVE: [(far, own)], Side.BOTH: [(own, far), (far, own)]}
    for senders, receivers in directions[trunk.side]:
        rest[np.ix_(senders, receivers)] -= np.float32(trunk.effect)
        expected[np.ix_(senders, receivers)] += np.float32(trunk.effect)
