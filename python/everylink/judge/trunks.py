"""Finds slow paths between switches: all hosts of a group are slow to the same other hosts, and no host is slow itself.

In a dragonfly, two groups have a cable of their own, so all links between them are slow. In a fat tree with static
routes, the links of one group with the hosts that share a path up are slow, and those of the host whose messages come
down it; inside a host nothing is routed so, and cores that are further from a part of others are so by design. The
median over the group's hosts separates this from chance without many readings. Where few links were measured (samples
of partners), those between two groups are taken together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import FEWEST_HOSTS, GROUP_CERTAIN, SMALLEST_GROUP, Effects, Ways
from everylink.judge.polish import LEAST_SPREAD
from everylink.judge.readings import HOST_BLOCK, UNKNOWN, Readings
from everylink.judge.verdict import Side
from everylink.robust import MEDIAN_ERROR, Matrix, Values, is_whole, row_medians, spread

WHOLE = 0.75  # part of a group's hosts from which the path leads to the whole group
OF_ALL = 0.5  # part of groups, or of hosts, from which the host, or the group, is slow itself
FEWEST_ENDS = 2  # groups that a trunk may join
FEWEST_FAR, FEWEST_ALONE = 3, 4  # one or two may be slow for other reasons; without hosts of the group that share it
NEAR_PART = 0.34  # part of what a host adds to far links; below it, its near links are healthy
ENOUGH_LINKS = 32  # of a group with each other host: more of very many hosts tell little more
FEWEST_LINKS = 8  # between two groups, of FEWEST_HOSTS of each, taken together
SLOW_PART = 0.5  # part of the effect that even the quicker links show, if all are slow
QUICKER = 0.25  # part of the links, so called
MOST_PATHS = 2**25  # groups times hosts: more need too much memory
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

    def ways(self, group_of: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Its group and that of each host at the far end, the smaller number first."""
        others = group_of[list(self.far)].tolist()
        return [(min(self.group, other), max(self.group, other)) for other in others]


@dataclass(frozen=True)
class Trunks:
    """`ways`: what the trunks add, if there are any; `beyond`: hosts that are slow only with other groups.

    `on_few`: whether a trunk rests on few links of each host, so that hosts may look slow by it. `judged`: of how many
    pairs of groups enough links were measured.
    """

    found: tuple[Trunk, ...]
    ways: Ways | None
    beyond: frozenset[int]
    on_few: bool
    judged: int


@dataclass(frozen=True)
class _Paths:
    """[group, host]: the median of what the links of a group's hosts with this host add, and its score.

    Groups are those of `_Search`.
    """

    effect: Values
    z: Values


@dataclass(frozen=True)
class _Pooled:
    """The links of one group's hosts with those of each other group, taken together; one entry per other group.

    `group`, `other`: groups, as numbered in `_Search`; `effect`: the median of what they add; `quicker`: their quantile
    QUICKER; `links`: number of links.
    """

    group: Index
    other: Index
    effect: Values
    quicker: Values
    links: Index


_NOTHING = _Pooled(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), np.zeros(0), np.zeros(0, np.intp))


def find_trunks(effects: Effects, readings: Readings) -> Trunks:
    """The trunks that explain what groups and hosts do not. Needs two groups of three hosts or more."""
    search = _Search(effects, readings)
    if not search.is_possible:
        return Trunks((), None, frozenset(), False, 0)
    found: list[Trunk] = []
    judged = np.zeros((search.groups, search.groups), bool)
    few = False
    for side in (Side.BOTH,) if readings.symmetric else (Side.SEND, Side.RECEIVE):
        paths, pooled = search.looked(side)
        of_many, of_few = list(search.folded(paths, side)), list(search.of_pooled(pooled, side))
        found += of_many + of_few
        few |= bool(of_few)
        judged |= search.judged(paths, pooled)
    found = _each_once(found, search.members_of)
    explained = {host for trunk in found for host in trunk.own}
    alone = frozenset(int(host) for host in np.flatnonzero(search.beyond) if int(host) not in explained)
    ways = _ways(found, search.members_of, len(effects.group_of)) if found else None
    return Trunks(tuple(found), ways, alone, few, int(np.triu(judged | judged.T, 1).sum()))


def are_too_many(effects: Effects) -> bool:
    """Whether trunks between so many groups are not looked for."""
    return effects.whole_groups * len(effects.group_of) > MOST_PATHS


class _Search:
    """Looks for paths from the groups that have FEWEST_HOSTS hosts or more, numbered from 0 here."""

    def __init__(self, effects: Effects, readings: Readings) -> None:
        self._effects, self._readings = effects, readings
        group_of = effects.group_of
        order = np.argsort(group_of, kind="stable")
        self.members_of = np.split(order, np.cumsum(np.bincount(group_of))[:-1])
        self._whole = np.flatnonzero(np.bincount(group_of) >= FEWEST_HOSTS)
        self._number = np.full(len(self.members_of), -1)
        self._number[self._whole] = np.arange(len(self._whole))
        self._bad = np.maximum(effects.sent, effects.received).max(axis=1) > 0
        self.groups = len(self._whole)
        self.is_possible = self.groups >= FEWEST_ENDS and not are_too_many(effects)
        self.beyond = self._only_beyond() if self.is_possible else np.zeros(len(group_of), bool)

    def _good(self, group: int) -> Index:
        """The hosts of a group that are not slow themselves."""
        own = self.members_of[group]
        return np.asarray(own[~self._bad[own]])

    def _rest(self, frm: Index, to: Index) -> Matrix:
        """Residuals of the links from some hosts to others, [from, to]."""
        median = self._readings.cells(frm, to).median
        return np.asarray(median - self._effects.expected_at(frm[:, None], to[None, :]), np.float32)

    def _only_beyond(self) -> Mask:
        """Mask of hosts that are slow with other groups and, as far as measured, healthy within their own."""
        effects, every, kind_of = self._effects, np.arange(len(self._bad)), self._effects.equals.kind_of
        beyond = np.zeros(len(self._bad), bool)
        added = np.maximum(effects.sent, effects.received).max(axis=1)
        for host in every[self._bad]:
            near = self._good(effects.group_of[host])
            if len(near) < FEWEST_HOSTS:
                continue
            inside = self._added_inside(host, near)
            beyond[host] = len(inside) >= FEWEST_HOSTS and np.median(inside) < NEAR_PART * added[host]
            kinds = kind_of[effects.shows(host, every)]  # others may take as long anyway
            showing = near[np.isin(kind_of[near], kinds)]
            if beyond[host] and 0 < len(showing) < len(near):
                inside = self._added_inside(host, showing)
                beyond[host] = not len(inside) or np.median(inside) < NEAR_PART * added[host]
        return beyond

    def _added_inside(self, host: int, near: Index) -> Values:
        """What links of a host with these of its group add, both ways; those that were measured."""
        one, effects = np.array([host]), self._effects
        there = self._rest(one, near)[0] + effects.added_at(host, near)
        back = self._rest(near, one)[:, 0] + effects.added_at(near, host)
        inside = np.concatenate([there, back])
        return np.asarray(inside[np.isfinite(inside)])

    def looked(self, side: Side) -> tuple[_Paths, _Pooled]:
        """The paths of groups of which many links were measured, and for the others their links taken together."""
        hosts = len(self._bad)
        shape = self.groups, hosts
        effect, known = np.full(shape, np.nan), np.zeros(shape, np.intp)
        pooled = [_NOTHING]
        part = min(self._readings.count / max(self._readings.ranks, 1) ** 2, 1.0)  # of all links that were measured
        for number, group in enumerate(self._whole.tolist()):
            rows = self._good(group)
            if len(rows) < FEWEST_HOSTS:
                continue
            if len(rows) * part < FEWEST_HOSTS:
                pooled.append(self._taken_together(number, rows, side))
                continue
            if not is_whole(hosts):
                rows = rows[:: max(int(len(rows) * part / ENOUGH_LINKS), 1)]
            block = np.concatenate([self._beyond_group(some, side) for some in _slices(rows)], axis=1)
            effect[number], known[number] = row_medians(block)
        effect[known < FEWEST_HOSTS] = np.nan
        error = MEDIAN_ERROR * self._effects.noise / np.sqrt(np.maximum(known, 1))
        z = effect / _with_usual(error, effect)
        columns = zip(*(vars(one).values() for one in pooled), strict=True)
        return _Paths(effect, z), _Pooled(*map(np.concatenate, columns))

    def _beyond_group(self, rows: Index, side: Side) -> Matrix:
        """[host, row]: residuals of the links between hosts of a group and all others.

        A host that is slow only beyond its switch was taken as slow itself; its residuals are restored here.
        """
        effects, every = self._effects, np.arange(len(self._bad))
        if side == Side.RECEIVE:
            block, added = self._rest(every, rows), effects.added_at(every[:, None], rows[None, :])
        else:
            block, added = self._rest(rows, every).T, effects.added_at(rows[:, None], every[None, :]).T
        block = block + np.where(self.beyond[:, None], added, np.float32(0))
        block[effects.group_of == effects.group_of[rows[0]]] = UNKNOWN
        return block

    def _taken_together(self, number: int, rows: Index, side: Side) -> _Pooled:
        """The links of these hosts of a group with each other group, without hosts that are slow themselves."""
        parts = []
        for some in _slices(rows):
            block = self._beyond_group(some, side)
            block[self._bad & ~self.beyond] = UNKNOWN
            host, row = np.nonzero(np.isfinite(block))
            parts.append((host, block[host, row], some[row]))
        host, time, end = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        other = self._number[self._effects.group_of[host]]
        order = np.lexsort((time, other))[np.count_nonzero(other < 0) :]
        host, time, end, other = (column[order] for column in (host, time, end, other))
        groups, first, links = np.unique(other, return_index=True, return_counts=True)
        enough = links >= FEWEST_LINKS
        for which in np.flatnonzero(enough):
            own = slice(first[which], first[which] + links[which])
            enough[which] = min(len(np.unique(host[own])), len(np.unique(end[own]))) >= FEWEST_HOSTS
        groups, first, links = (column[enough] for column in (groups, first, links))
        middle = (time[first + (links - 1) // 2] + time[first + links // 2]) / 2
        quicker = time[first + (links * QUICKER).astype(np.intp)]
        return _Pooled(np.full(len(groups), number), groups, middle.astype(float), quicker.astype(float), links)

    def judged(self, paths: _Paths, pooled: _Pooled) -> Mask:
        """[group, group]: whether enough links from one to the other were measured."""
        judged = np.zeros((self.groups, self.groups), bool)
        judged[pooled.group, pooled.other] = True
        for number, known in enumerate(np.isfinite(paths.effect)):
            count = np.bincount(self._effects.group_of[known], minlength=len(self._number))[self._whole]
            judged[number] |= count >= FEWEST_HOSTS
        return judged

    def of_pooled(self, pooled: _Pooled, side: Side) -> Iterator[Trunk]:
        """The paths between two groups of which nearly all links are slow, but not those with most other groups."""
        error = MEDIAN_ERROR * self._effects.noise / np.sqrt(pooled.links)
        z = pooled.effect / _with_usual(error, pooled.effect)
        slow = (pooled.effect > SMALLEST_GROUP) & (z > GROUP_CERTAIN) & (pooled.quicker > SLOW_PART * pooled.effect)
        slow_ones, known = (np.bincount(pooled.group, weights, self.groups) for weights in (slow, None))
        is_itself = slow_ones > OF_ALL * known
        for which in np.flatnonzero(slow & ~is_itself[pooled.group] & ~is_itself[pooled.other]):
            group, other = int(self._whole[pooled.group[which]]), int(self._whole[pooled.other[which]])
            far = tuple(self.members_of[other].tolist())
            links = int(pooled.links[which]) * _directions(side)
            yield Trunk(group, other, far, (), side, float(pooled.effect[which]), float(z[which]), links)

    def folded(self, paths: _Paths, side: Side) -> Iterator[Trunk]:
        """The paths from groups to other groups, and to hosts of several."""
        known, group_of = np.isfinite(paths.effect), self._effects.group_of
        slow = (paths.effect > SMALLEST_GROUP) & (paths.z > GROUP_CERTAIN)
        # Slow from most groups: the path to the host itself, which belongs to the trunk of its group if there is one.
        everywhere = (slow.sum(axis=0) >= 2) & (slow.sum(axis=0) >= OF_ALL * known.sum(axis=0))
        slow[:, everywhere | (self._bad & ~self.beyond)] = False  # the ways to hosts that are slow need not be
        for number, group in enumerate(self._whole.tolist()):
            columns = np.flatnonzero(slow[number])
            if not len(columns) or len(columns) > OF_ALL * known[number].sum():
                continue
            rest = columns
            for other in np.unique(group_of[columns]).tolist():
                of_other = columns[group_of[columns] == other]
                measured = int(known[number, self.members_of[other]].sum())
                if measured >= FEWEST_HOSTS and len(of_other) >= WHOLE * measured:
                    yield self._trunk(paths, number, other, self.members_of[other], side, ())
                    rest = np.setdiff1d(rest, of_other)
            own = self.members_of[group]
            own = own[self.beyond[own] & everywhere[own]]
            if len(rest) >= (FEWEST_FAR if len(own) else FEWEST_ALONE) and not self._effects.equals.one_host:
                yield self._trunk(paths, number, -1, rest, side, tuple(own.tolist()))

    def _trunk(self, paths: _Paths, number: int, other: int, far: Index, side: Side, own: tuple[int, ...]) -> Trunk:
        z = paths.z[number, far]
        effect, score = float(np.nanmedian(paths.effect[number, far])), float(np.nanmedian(z))
        group = int(self._whole[number])
        rows = self._good(group)
        measured = self._readings.cells(*((far, rows) if side == Side.RECEIVE else (rows, far))).median
        links = int(np.isfinite(measured).sum()) * _directions(side)
        return Trunk(group, other, tuple(far.tolist()), own, side, effect, score * np.sqrt(np.isfinite(z).sum()), links)


def _slices(rows: Index) -> Iterator[Index]:
    for begin in range(0, len(rows), HOST_BLOCK):
        yield rows[begin : begin + HOST_BLOCK]


def _directions(side: Side) -> int:
    """How many links a residual stands for."""
    return 2 if side == Side.BOTH else 1


def _with_usual(error: Values, effect: Values) -> Values:
    """Standard errors: groups differ for other reasons too, such as further switches between them."""
    return np.asarray(np.sqrt(np.maximum(error, spread(effect)) ** 2 + LEAST_SPREAD**2))


def _each_once(found: Sequence[Trunk], members: Sequence[Index]) -> list[Trunk]:
    """Merge the two ends of a path between two groups: from its sending end, or both directions.

    Without ways to single hosts that lie at the other end of such a path; and without those between some hosts of one
    group and some of another one, which are told by their pairs.
    """
    between: dict[tuple[int, int], Trunk] = {}
    for trunk in found:
        if trunk.other >= 0:
            if trunk.side == Side.RECEIVE:
                far = tuple(members[trunk.group].tolist())
                trunk = replace(trunk, group=trunk.other, other=trunk.group, far=far, side=Side.SEND)
            between.setdefault((trunk.group, trunk.other), trunk)
    single = [trunk for trunk in found if trunk.other < 0 and not _is_part(trunk, between, members)]
    single = [trunk for trunk in single if not any(_meet(trunk, other, members) for other in single)]
    for (one, other), trunk in between.items():
        back = between.get((other, one))
        if back is None or one < other:
            single.append(trunk if back is None else _both_ways(trunk, back))
    return single


def _is_part(trunk: Trunk, between: Iterable[tuple[int, int]], members: Sequence[Index]) -> bool:
    others = [one if trunk.group == other else other for one, other in between if trunk.group in (one, other)]
    return any(np.isin(trunk.far, members[other]).mean() >= WHOLE for other in others)


def _meet(one: Trunk, other: Trunk, members: Sequence[Index]) -> bool:
    """Whether each of two ways leads to hosts of the other one's group only."""
    there, back = np.isin(one.far, members[other.group]), np.isin(other.far, members[one.group])
    return bool(there.all() and back.all() and not one.own and not other.own)


def _both_ways(trunk: Trunk, back: Trunk) -> Trunk:
    links = trunk.links if trunk.side == Side.BOTH else trunk.links + back.links
    return replace(trunk, side=Side.BOTH, effect=max(trunk.effect, back.effect), z=max(trunk.z, back.z), links=links)


def _ways(trunks: Sequence[Trunk], members: Sequence[Index], hosts: int) -> Ways:
    ends = sorted({trunk.group for trunk in trunks})
    row_of = np.zeros(len(members), np.int64)
    row_of[ends] = np.arange(1, len(ends) + 1)
    there, back = np.zeros((2, len(ends) + 1, hosts), np.float32)
    for trunk in trunks:
        row, far = row_of[trunk.group], list(trunk.far)
        for side, matrix in ((Side.SEND, there), (Side.RECEIVE, back)):
            if trunk.side in (side, Side.BOTH):
                matrix[row, far] = np.maximum(matrix[row, far], np.float32(trunk.effect))
    return Ways(row_of, there, back)
