"""Folds slow pairs that all leave one group into one part: an uplink of it.

With static routes a cable between switches carries some of the pairs of each host, so that no host and no group is slow
as a whole, but pairs of most hosts of one group are.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Found
from everylink.judge.groups import added_by_ends
from everylink.judge.pairs import CLEAR_OF_PAIR, partners_of
from everylink.judge.readings import Readings
from everylink.judge.trunks import NEAR_PART, Trunk
from everylink.judge.verdict import Side
from everylink.robust import Matrix, Values, known_sample, row_medians

FEWEST_PAIRS = 4  # fewer may be single bad links
FEWEST_HOSTS = 3  # at each end
FEWEST_OF_TWO = 2  # at each end of a way between two groups of which nearly all pairs are slow
MOST_OF_HOST = 0.5  # part of the pairs that one host may have
MANY_ALIKE, ALIKE = 4, 0.04  # pairs of other hosts whose effects (log) differ by no more
FEW_ALIKE, FEW_HOSTS = 2, 12  # likewise, of so few hosts
AS_WHOLE = 0.5  # part of the effect of some pairs that all pairs of their groups show
AS_LONG = 0.2  # part of what ways between groups take longer that others may differ by
FEWEST_AS_LONG, PART_AS_LONG = 2, 0.05  # such pairs of groups, and part of all
FEWEST_APART = 10  # pairs of groups that have no end in common with what is compared
OTHERS, NO_LONGER = 5, 0.25  # times as many ways, or pairs, as slow ones, and part of what these take longer
MOST_WAYS, NEARLY_ALL_PAIRS = 0.75, 0.98  # parts of the others
AS_WAY = 0.66  # part of what a slow trunk takes longer, of ways that are as long
FEWEST_IN_STEPS, STEP = 10, 0.4  # pairs of groups, and the part of what these ways take longer that is a small step
HIGH = 0.9  # quantile of the pairs of a trunk that shows what it adds
WITH_MOST = 0.6  # part of the hosts of other groups
SAME_PARTNERS = 0.6  # part of the slow partners of either that hosts of one switch have in common
ONE_GROUP = 0.9  # part of the pairs from which the other end is one group, too


@dataclass(frozen=True)
class Uplink:
    """`pairs` are slow; all leave `group`, to `other` (-1: to several); `between` pairs of hosts could do so.

    `members`: the hosts of the group; `beside`: other slow pairs of these groups, which may pass it, too.
    """

    group: int
    other: int
    pairs: tuple[Found, ...]
    between: int
    members: frozenset[int]
    beside: tuple[Found, ...] = ()

    @property
    def effect(self) -> float:
        """Log of the median factor."""
        return float(np.median([pair.effect for pair in self.pairs]))

    @property
    def hosts(self) -> int:
        """How many hosts of the group have a slow pair."""
        return len({host for pair in self.pairs for host in pair.subject if host in self.members})

    @property
    def links(self) -> list[tuple[int, int]]:
        """The hosts of each of its pairs."""
        return [(pair.subject[0], pair.subject[1]) for pair in self.pairs]

    def ways(self, group_of: NDArray[np.int64]) -> list[tuple[int, int]]:
        """The groups at the ends of each of its pairs."""
        return [ends for pair in self.pairs if (ends := ends_of_pair(pair, group_of))]

    def explains(self, trunk: Trunk, group_of: NDArray[np.int64]) -> bool:
        """Whether a trunk to single hosts is a part of what this uplink carries."""
        return trunk.other < 0 and (trunk.group == self.group or bool((group_of[list(trunk.far)] == self.group).all()))

    @property
    def z(self) -> float:
        return float(np.median([pair.z for pair in self.pairs]))


def slow_uplinks(
    pairs: Sequence[Found], group_of: NDArray[np.int64], bad: Collection[int], longer: Matrix | None = None
) -> list[Uplink]:
    """The uplinks that explain slow pairs of hosts, the one with most first.

    `bad`: hosts that are slow themselves; `longer`, as from longer_by_pair: given where groups may be several switches.
    """
    found = list(_between_two(pairs, group_of, bad) if longer is None else between_parts(pairs, group_of, longer))
    whole = {pair for uplink in found for pair in uplink.pairs}
    left = [pair for pair in pairs if pair not in whole]
    found = [replace(one, beside=_beside(one, left, group_of)) for one in found]
    beside = {pair for uplink in found for pair in uplink.beside}
    left = [pair for pair in left if pair not in beside]
    size, whole_ways = np.bincount(group_of), len(found) if longer is None else 0
    while (best := _largest(left, group_of)) is not None:
        own = [pair for pair in left if best in ends_of_pair(pair, group_of)]
        of_uplink = set(own)
        left = [pair for pair in left if pair not in of_uplink]
        passed = [at for at, one in enumerate(found[:whole_ways]) if best in (one.group, one.other)]
        if passed:  # in a torus, messages to a group may pass another one
            found[passed[0]] = replace(found[passed[0]], beside=(*found[passed[0]].beside, *own))
            continue
        far = Counter(next(g for g in ends_of_pair(pair, group_of) if g != best) for pair in own)
        other, most = far.most_common(1)[0]
        if most < ONE_GROUP * len(own):
            other = -1
        members = np.flatnonzero(group_of == best).tolist()
        beyond = len(group_of) - int(size[best]) if other < 0 else int(size[other])
        found.append(Uplink(best, other, tuple(own), int(size[best]) * beyond, frozenset(members)))
    return found


def _between_two(pairs: Sequence[Found], group_of: NDArray[np.int64], bad: Collection[int]) -> Iterator[Uplink]:
    """Ways between two small groups of which nearly all pairs are slow, of hosts that are not `bad`; more hosts show as
    a trunk by themselves."""
    of_ways = dict[tuple[int, int], list[Found]]()
    size, bad_ones = np.bincount(group_of), np.bincount(group_of[list(bad)], minlength=int(group_of.max()) + 1)
    for pair in pairs:
        if ends := ends_of_pair(pair, group_of):
            of_ways.setdefault(ends, []).append(pair)
    for ends, own in of_ways.items():
        good = (size - bad_ones)[list(ends)]
        if good.min() >= FEWEST_OF_TWO and len(own) >= ONE_GROUP * good.prod():
            members = frozenset(np.flatnonzero(group_of == ends[0]).tolist())
            yield Uplink(*ends, tuple(own), int(size[list(ends)].prod()), members)


def _beside(uplink: Uplink, left: Sequence[Found], group_of: NDArray[np.int64]) -> tuple[Found, ...]:
    """The pairs that are left between the same groups."""
    ends = set(uplink.ways(group_of))
    return tuple(pair for pair in left if ends_of_pair(pair, group_of) in ends)


def between_parts(pairs: Sequence[Found], group_of: NDArray[np.int64], longer: Matrix) -> Iterator[Uplink]:
    """Ways between parts of two groups, or all of them, of which nearly all pairs are slow, and others are not.

    Groups that show in the times may be several switches. Hosts of one switch are slow with the same others. `longer`
    as from longer_by_pair.
    """
    pairs = [pair for pair in pairs if ends_of_pair(pair, group_of)]
    parts, full = _parts(pairs, group_of), list[tuple[int, int, list[Found]]]()
    for (one, other), own in _by_parts(pairs, parts).items():
        if len(own) >= ONE_GROUP * len(parts[one]) * len(parts[other]):
            full.append((one, other, own))
    small = {one for way in full for one in way[:2] if min(len(parts[end]) for end in way[:2]) < FEWEST_HOSTS}
    size = np.bincount(group_of)
    for one, other, own in full:
        sizes, groups = (len(parts[one]), len(parts[other])), [int(group_of[parts[end][0]]) for end in (one, other)]
        uplink = Uplink(
            groups[0], groups[1], tuple(own), int(np.prod(size[groups])),
            frozenset(np.flatnonzero(group_of == groups[0]).tolist()),
        )  # fmt: skip
        if sizes == tuple(size[groups]):
            is_way = min(sizes) >= FEWEST_OF_TWO
        else:  # one that leads to single hosts, too, is an uplink
            is_way = min(sizes) >= FEWEST_HOSTS and not small & {one, other}
            is_way = is_way and rest_of_way(uplink, pairs, longer, group_of) < NEAR_PART * uplink.effect
        if is_way:
            yield uplink


def _parts(pairs: Sequence[Found], group_of: NDArray[np.int64]) -> list[list[int]]:
    """The hosts of a group that are slow mostly with the same others, as the first of them; without hosts that are slow
    with most others, which have a slow uplink, or are slow themselves."""
    partners = partners_of(pair.subject for pair in pairs)
    size, parts = np.bincount(group_of), list[list[int]]()
    for host, own in sorted(partners.items()):
        if len(own) > WITH_MOST * (len(group_of) - size[group_of[host]]):
            continue
        for part in parts:
            first = partners[part[0]]
            is_alike = len(first & own) > SAME_PARTNERS * len(first | own)
            if is_alike and group_of[part[0]] == group_of[host]:
                part.append(host)
                break
        else:
            parts.append([host])
    return parts


def _by_parts(pairs: Sequence[Found], parts: Sequence[Sequence[int]]) -> dict[tuple[int, int], list[Found]]:
    """Slow pairs by the numbers of the parts at their ends, the smaller one first."""
    part_of = {host: number for number, part in enumerate(parts) for host in part}
    by_parts: dict[tuple[int, int], list[Found]] = {}
    for pair in pairs:
        if part_of.keys() >= set(pair.subject):
            one, other = sorted(part_of[host] for host in pair.subject)
            by_parts.setdefault((one, other), []).append(pair)
    return by_parts


def rest_of_way(
    uplink: Uplink, pairs: Sequence[Found], longer: Matrix, group_of: NDArray[np.int64], bad: Collection[int] = ()
) -> float:
    """What other pairs between the groups of a way take longer that are not slow, log of the factor; 0 if none.

    Without those of `bad` hosts.
    """
    at = np.ix_(group_of == uplink.group, group_of == uplink.other)
    there, back = longer[at], longer.T[at]
    rest, place = np.where(np.isnan(there), back, there), np.full(len(group_of), -1)
    for side in at:
        place[side.ravel()] = np.arange(side.size)
    rest[np.isin(np.flatnonzero(group_of == uplink.group), list(bad))] = np.nan
    rest[:, np.isin(np.flatnonzero(group_of == uplink.other), list(bad))] = np.nan
    for pair in pairs:
        ends = sorted(pair.subject, key=lambda host: group_of[host] != uplink.group)
        if [int(group_of[host]) for host in ends] == [uplink.group, uplink.other]:
            rest[tuple(place[ends])] = np.nan
    known = known_sample(rest)
    return float(np.median(known)) if len(known) else 0.0


def slow_pairs_of(trunk: Trunk, longer: Matrix, effects: Effects, readings: Readings) -> list[Found]:
    """The pairs of hosts that clearly show what a trunk between two groups adds. `longer` as from longer_by_pair."""
    own, far = np.flatnonzero(effects.group_of == trunk.group), np.array(trunk.far)
    block, count = longer[np.ix_(own, far)], readings.cells(own, far).count
    least = max(AS_WHOLE * float(np.nanquantile(block, HIGH)), CLEAR_OF_PAIR * effects.noise)
    return [
        Found(
            "pair", (int(own[i]), int(far[j])), Side.BOTH, float(block[i, j]), float(block[i, j] / effects.noise), 2,
            int(count[i, j]),
        )
        for i, j in np.argwhere(block > least).tolist()
    ]  # fmt: skip


def alike(pairs: Sequence[Found], hosts: int, fewest: int = 0) -> frozenset[Found]:
    """The pairs (or ranks) that have others with other ends and the same effect: what repeats is structure.

    At least `fewest`, or MANY_ALIKE; `hosts`: of the run.
    """
    if not pairs:
        return frozenset()
    many = fewest or (MANY_ALIKE if hosts > FEW_HOSTS else FEW_ALIKE)
    effects = np.array([pair.effect for pair in pairs])
    ends = np.array([pair.subject for pair in pairs], np.int64).reshape(len(pairs), -1)
    found = []
    for pair, effect in zip(pairs, effects.tolist(), strict=True):
        near = np.abs(effects - effect) <= ALIKE
        apart = ~np.isin(ends, pair.subject).any(axis=1)
        if (near & apart).sum() >= many:
            found.append(pair)
    return frozenset(found)


def longer_by_pair(effects: Effects, readings: Readings) -> Matrix:
    """[from, to]: what a pair of hosts takes longer than its ends explain, log of the factor; NaN if not measured."""
    every = np.arange(len(effects.group_of))
    usual = effects.apart_from_ways_at(every[:, None], every[None, :])
    return np.asarray(readings.between_hosts.median - usual, np.float32)


def between_groups(longer: Matrix, group_of: NDArray[np.int64]) -> Matrix:
    """[group, group]: what a pair of hosts of two groups takes `longer`, log of the factor, as from longer_by_pair.

    The median over their pairs; NaN where there are none, and within a group.
    """
    of_groups = [row_medians(longer[:, group_of == group])[0] for group in range(int(group_of.max()) + 1)]
    to_group = np.stack(of_groups, axis=1).astype(np.float32)  # [host, group]
    between = np.stack([row_medians(to_group[group_of == group].T)[0] for group in range(len(of_groups))])
    np.fill_diagonal(between, np.nan)
    return np.asarray(np.fmax(between, between.T), np.float32)


def is_longer_by_design(effect: float, ways: Sequence[tuple[int, int]], between: Matrix) -> bool:
    """Whether the ways between pairs of groups are slow as a whole, and those between others nearly as slow, or slower
    and slower in small steps up to these.

    `effect`: of what is slow on these `ways`, the groups at their ends, some more than once; `between` as from
    between_groups. Ways from the same groups may lead over the same cable, so where there are enough others these are
    compared.
    """
    level = float(np.nanmedian([between[way] for way in ways]))
    if level < AS_WHOLE * effect:
        return False
    others = between.copy()
    for one, other in ways:
        others[one, other] = others[other, one] = np.nan
    ends = sorted({end for way in ways for end in way})
    apart = np.delete(np.delete(between, ends, axis=0), ends, axis=1)
    every, rest, least = _known_once(between), _known_once(apart), level - max(ALIKE, AS_LONG * level)
    if len(rest) < FEWEST_APART:
        if (rest >= least).any():  # of so few ways a good part
            return True
        rest = _known_once(others)
    if (rest >= least).sum() >= max(FEWEST_AS_LONG, PART_AS_LONG * len(rest)):
        return True
    upper = every[(every >= np.median(every)) & (every <= level)]
    return len(every) >= FEWEST_IN_STEPS and bool((np.diff(upper, append=level) <= STEP * level).all())


def are_only_longer(trunks: Sequence[Trunk], between: Matrix | None) -> bool:
    """Whether slow trunks are among the ways between two sets of groups, which are all longer, and of all others, at
    least OTHERS times as many, most are equally long and none is longer: by design more than one would be.

    `between` [group, group]: what ways take longer than others, log of the factor, as from between_groups.
    """
    if between is None or not trunks or any(one.other < 0 for one in trunks):
        return False
    effect = max(one.effect for one in trunks)
    beyond = between - np.nanmedian(between)
    longer = beyond > AS_WAY * effect
    ends = longer[trunks[0].group]
    starts = longer[:, ends].any(axis=1)
    if (ends & starts).any() or (longer != np.outer(starts, ends) | np.outer(ends, starts)).any():
        return False
    others = np.isfinite(beyond) & ~longer
    if others.sum() < OTHERS * longer.sum() or not all(longer[one.group, one.other] for one in trunks):
        return False
    added = added_by_ends(np.where(others, beyond, 0.0), others.astype(np.float64))
    rest, same = beyond[others], NO_LONGER * effect
    is_of_ends = (beyond - added[:, None] - added)[longer].min() <= AS_WAY * effect  # all ways from these are longer
    return bool(not is_of_ends and rest.max() < same and (rest > -same).mean() >= MOST_WAYS)


def is_only_longer(uplink: Uplink, group_of: NDArray[np.int64], longer: Matrix) -> bool:
    """Whether its pairs are all those of FEWEST_HOSTS hosts or more with as many others, and nearly none of the others
    between groups, OTHERS times as many, takes longer, or a part: by design more would.

    `longer` as from longer_by_pair.
    """
    own = sorted({host for pair in uplink.links for host in pair if host in uplink.members})
    far = sorted({host for pair in uplink.links for host in pair if host not in uplink.members})
    if min(len(own), len(far)) < FEWEST_HOSTS or len(uplink.links) < len(own) * len(far):
        return False
    others = np.triu(np.isfinite(longer) & (group_of[:, None] != group_of), 1)
    others[np.ix_(own, far)] = others[np.ix_(far, own)] = False
    rest = longer[others]
    if len(rest) < OTHERS * len(uplink.links):
        return False
    return bool(np.quantile(rest, NEARLY_ALL_PAIRS) - np.median(rest) < NO_LONGER * uplink.effect)


def _known_once(between: Matrix) -> Values:
    """The known values of each pair of groups, in ascending order."""
    values = between[np.triu_indices(len(between), 1)]
    return np.sort(values[np.isfinite(values)]).astype(float)


def ends_of_pair(pair: Found, group_of: NDArray[np.int64]) -> tuple[int, int] | tuple[()]:
    """The two groups of its hosts, smaller number first; empty where both are in one."""
    one, other = sorted(int(group_of[host]) for host in pair.subject)
    return (one, other) if one != other else ()


def _largest(pairs: Sequence[Found], group_of: NDArray[np.int64]) -> int | None:
    """The group that most pairs leave, if they are enough, and of enough hosts."""
    counts = Counter(group for pair in pairs for group in ends_of_pair(pair, group_of))
    for group, count in counts.most_common():
        if count < FEWEST_PAIRS:
            return None
        own = [pair for pair in pairs if group in ends_of_pair(pair, group_of)]
        ends = [Counter(), Counter()]  # type: list[Counter[int]]
        for pair in own:
            for host in pair.subject:
                ends[int(group_of[host] != group)][host] += 1
        if all(len(end) >= FEWEST_HOSTS and max(end.values()) <= MOST_OF_HOST * count for end in ends):
            return group
    return None
