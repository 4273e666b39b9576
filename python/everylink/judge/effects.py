"""Estimates what hosts and groups of hosts add to the times of their links: a robust two-way fit.

log time = class + the larger of what the two ends add + noise. The class of a link: the kinds of its two hosts, and
whether they are in one group. Tukey's median polish (Exploratory Data Analysis, 1977), with two changes. The slower of
two slow ends counts, because a message is as slow as its slowest part. Only what is certain about a host is subtracted
from the links of others; otherwise the noise of few readings would spread.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.kinds import Block, Equals, blocks_of_kinds
from everylink.judge.polish import LEAST_SPREAD, NOTHING, Classes, EndsByClass, Spreads, polish
from everylink.judge.readings import UNKNOWN
from everylink.judge.times import Times
from everylink.robust import (
    MEDIAN_ERROR,
    Matrix,
    Values,
    both_ways,
    healthy_spread,
    known_sample,
    lower_quantiles,
    row_medians,
)

PASSES = 2
LOWER_QUARTILE = 0.25
SHOWN = 0.5  # part of what a host adds
FEW_GROUPS = 4  # of fewer, one may just be further from the others
GROUP_CERTAIN, SMALLEST_GROUP = 5.0, 0.06  # smaller group effects occur in healthy fabrics
FEWEST_GROUPS, FEWEST_HOSTS = 3, 3  # with two groups, all links between them are slow, whichever is at fault
LIKE = 0.5  # part of the hosts of a kind that a group has, which others have that are compared with it
GROUPS_OF_TWO = 4  # if there are no others: enough to tell what the hosts of one share
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Ways:
    """What paths between switches add to links, log of the factor.

    `there` [rows, hosts]: to each host from the hosts of a group; `back`: from each host to them. `row_of` [groups]:
    the row of each group in both; 0, which adds nothing, for most.
    """

    row_of: Index
    there: Matrix
    back: Matrix

    def added_at(self, frm: Index | int, to: Index | int, group_of: Index) -> Matrix:
        """What they add to links between hosts; two arrays broadcast as in an index."""
        there = self.there[self.row_of[group_of[frm]], to]
        return np.asarray(np.maximum(there, self.back[self.row_of[group_of[to]], frm]))


@dataclass(frozen=True)
class Effects:
    """`noise`: the standard deviation of the residuals after classes, groups and hosts; `class_noise`
    [kinds, kinds, 2]: that of each class, as `typical`.

    `expected` [hosts, hosts]: fitted log seconds; empty with too many hosts. Use `expected_at`.
    `sent`, `received` [hosts, classes]: what each host surely adds, log of the factor, by the class of its links: twice
    the kind of the partner, and 1 more if it is near.

    `typical` [kinds, kinds, 2]: log seconds of a link between groups, and within one, by the kinds of its hosts.
    `group_effect`, `group_z` [groups]: 0 where a group is like the others.
    """

    send: EndsByClass
    receive: EndsByClass
    sent: Values
    received: Values
    typical: Values
    equals: Equals
    group_effect: Values
    group_z: Values
    expected: Matrix
    noise: float
    class_noise: Values
    ways: Ways | None = None

    @property
    def group_of(self) -> Index:
        return self.equals.group_of

    def expected_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """Fitted log seconds of links between hosts; two arrays broadcast as in an index."""
        if len(self.expected):
            return np.asarray(self.expected[frm, to])
        fitted = np.asarray(self.class_at(frm, to) + self.added_at(frm, to), np.float32)
        return fitted if self.ways is None else fitted + self.ways.added_at(frm, to, self.group_of)

    def apart_from_ways_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """As expected_at, without what slow ways add."""
        expected = self.expected_at(frm, to)
        return expected if self.ways is None else expected - self.ways.added_at(frm, to, self.group_of)

    def with_ways(self, ways: Ways) -> "Effects":
        """The same with what paths between switches add."""
        expected, every = self.expected, np.arange(len(self.group_of))
        if len(expected):
            expected = expected + ways.added_at(every[:, None], every[None, :], self.group_of)
        return replace(self, expected=expected, ways=ways)

    @property
    def fewest_hosts(self) -> int:
        """Hosts of a group that are enough to tell what all of them share from what one of them has."""
        return _fewest_hosts(np.bincount(self.group_of))

    @property
    def whole_groups(self) -> int:
        """The number of groups that have at least `fewest_hosts` hosts."""
        return int((np.bincount(self.group_of) >= self.fewest_hosts).sum())

    def groups_as_large(self, group: int) -> int:
        """The number of groups with which one can be compared, itself among them. If there are three or more, a larger
        one counts as several of its size: load may not tell the leaves of it from each other."""
        size = np.bincount(self.group_of)
        whole = size[size >= self.fewest_hosts]
        return len(whole) if len(whole) < FEWEST_GROUPS else int(np.maximum(whole // size[group], 1).sum())

    def groups_like(self, group: int) -> Index:
        """The groups with which one can be compared, itself among them: those that have hosts enough, and half as many
        of its usual kind."""
        of_kind = self.equals.kind_of == np.bincount(self.equals.kind_of[self.group_of == group]).argmax()
        count = np.bincount(self.group_of[of_kind], minlength=int(self.group_of.max()) + 1)
        whole = np.bincount(self.group_of) >= self.fewest_hosts
        return np.flatnonzero(whole & (count >= LIKE * count[group]))

    def ways_like(self, one: int, other: int) -> int:
        """The number of ways between two groups with which that between these can be compared, itself among them."""
        ends = self.groups_like(one), self.groups_like(other)
        common = len(np.intersect1d(*ends))  # no way leads to its own end, and those between two of these count once
        return len(ends[0]) * len(ends[1]) - common - common * (common - 1) // 2

    @property
    def gap(self) -> float:
        """How much more links between groups take than links inside, log of the factor; NaN without either."""
        gaps = self.typical[..., 0] - self.typical[..., 1]
        return float(np.median(gaps[np.isfinite(gaps)])) if np.isfinite(gaps).any() else np.nan

    def added_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """What the slower end, or its group, adds to links between hosts; two arrays broadcast as in an index."""
        return np.maximum(*self.ends_at(frm, to))

    def both_ends_at(self, frm: Index, to: Index) -> Matrix:
        """How much more both ends together may slow a round trip: one may slow the request, the other the reply."""
        one, other = self.ends_at(frm, to)
        less, more = np.minimum(one, other), np.maximum(one, other)
        return np.asarray(np.log1p(np.exp(less - more) - np.exp(-more)), np.float32)  # (e^one + e^other - 1) / e^more

    def ends_at(self, frm: Index | int, to: Index | int) -> tuple[Matrix, Matrix]:
        """What each end adds to links between hosts; to links with other groups what its group adds, too."""
        near = self.group_of[frm] == self.group_of[to]
        group = (self.group_effect[self.group_of[end]].astype(np.float32) for end in (frm, to))
        of_groups = (np.where(near, np.float32(0), of_group) for of_group in group)
        kind = self.equals.kind_of
        of_hosts = (
            self.sent[frm, 2 * kind[to] + near].astype(np.float32),
            self.received[to, 2 * kind[frm] + near].astype(np.float32),
        )
        one, other = (np.maximum(*parts) for parts in zip(of_groups, of_hosts, strict=True))
        return one, other

    def shows(self, host: int, partners: Index) -> Mask:
        """Mask of the partners with which a slow host shows by itself: it adds most of what it can, they do not.

        With partners of a slower kind it may not show; [partners].
        """
        sent, by_receiver = self.ends_at(host, partners)
        by_sender, received = self.ends_at(partners, host)
        own, of_partner = np.maximum(sent, received), np.maximum(by_sender, by_receiver)
        return np.asarray((own > 0) & (own >= SHOWN * own.max(initial=0)) & (of_partner < SHOWN * own))

    def could_show(self, host: int, effect: float) -> Mask:
        """Mask of the others with which a host shows what it adds to links with the kind with which it is quickest, if
        it is slow with all: not those of kinds with which links as near take as much longer anyway, since these are
        slower, or flows are limited; [hosts]."""
        near = self.group_of == self.group_of[host]
        quickest = np.fmin.reduce(self.typical[self.equals.kind_of[host]])
        longer = self.class_at(host, np.arange(len(near))) - quickest[near.astype(np.int64)]
        return np.asarray(~(longer >= effect))

    def class_number(self, frm: Index, to: Index) -> Index:
        """A number for the class of each link between hosts; both directions have one number."""
        one, other = (self.equals.kind_of[end] for end in (frm, to))
        kinds = np.minimum(one, other) * self.equals.kinds + np.maximum(one, other)
        return np.asarray(2 * kinds + (self.group_of[frm] == self.group_of[to]))

    def noise_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """The noise of the classes of links between hosts; two arrays broadcast as in an index."""
        near = self.group_of[frm] == self.group_of[to]
        kinds = self.equals.kind_of
        return np.asarray(self.class_noise[kinds[frm], kinds[to], near.astype(np.int64)], np.float32)

    def class_at(self, frm: Index | int, to: Index | int) -> Matrix:
        """Log seconds of the classes of links between hosts; two arrays broadcast as in an index."""
        near = self.group_of[frm] == self.group_of[to]
        kinds = self.equals.kind_of
        return np.asarray(self.typical[kinds[frm], kinds[to], near.astype(np.int64)], np.float32)


def fit(times: Times, equals: Equals, symmetric: bool, blind: bool = False, ways: Ways | None = None) -> Effects:
    """Fit groups and hosts, and leave out what `ways` add. `blind` as in Spreads."""
    if ways is not None:
        times = _without_ways(times, ways, equals.group_of, symmetric)
    spreads = Spreads(blind)
    group_of = equals.group_of
    of_partner = group_of[times.partners]
    near = group_of[:, None] == of_partner[None, :]
    classes = _classes(equals, times, near)
    good: Mask = np.ones(near.shape, bool)
    for _ in range(PASSES):  # the second pass takes the typical time of a class without the bad links
        typical = _class_medians(times, equals, near, good)
        of_class = _by_class(typical, equals, times.partners, near)
        rest = times.sending - of_class
        back = rest if symmetric else times.receiving - of_class
        group_effect, group_z = _groups(rest, back, group_of, of_partner, near)
        of_groups = _between_groups(group_effect[group_of], group_effect[of_partner], near)
        # A slow group hides its slow hosts. A host is therefore judged by its other links, if it has any;
        # otherwise by what it adds on top of its group.
        sending, hidden = _unhidden(rest, of_groups, None)
        receiving = sending if symmetric else _unhidden(back, of_groups, hidden)[0]
        send, receive = polish(replace(times, sending=sending, receiving=receiving), classes, symmetric, spreads)
        beyond = np.where(hidden, group_effect[group_of], 0.0)[:, None]  # of hosts judged by what they add to a group
        sent, received = (np.where(part > 0, part + beyond, 0.0) for part in (send.certain, receive.certain))
        taken = np.maximum(of_groups, np.maximum(classes.of_hosts(sent), classes.of_partners(received)))
        good = taken <= 0
    rest = rest - taken
    noise = spreads.noise(rest, np.ones(rest.shape, bool))
    class_noise = _each_class(equals, times.partners, near, lambda mask, at: spreads.noise(rest[at], mask))
    whole = len(times.partners) == len(group_of)
    expected: Matrix = of_class + taken if whole else NOTHING
    effects = Effects(
        send, receive, sent, received, typical, equals, group_effect, group_z, expected, noise, class_noise
    )
    return effects if ways is None else effects.with_ways(ways)


def _without_ways(times: Times, ways: Ways, group_of: Index, symmetric: bool) -> Times:
    every, partners = np.arange(len(group_of))[:, None], times.partners[None, :]
    sending = times.sending - ways.added_at(every, partners, group_of)
    receiving = sending if symmetric else times.receiving - ways.added_at(partners, every, group_of)
    return replace(times, sending=sending, receiving=receiving)


def _classes(equals: Equals, times: Times, near: Mask) -> Classes:
    count = 2 * equals.kinds
    of_kind = (2 * equals.kind_of).astype(np.int8)
    there = of_kind[times.partners][None, :] + near
    known = np.isfinite(times.sending) | np.isfinite(times.receiving)
    measured = [number for number in range(count) if (known & (there == number)).any()]
    apart = measured if len(measured) > 1 else ()
    return Classes(count, apart, there, of_kind[:, None] + near, times.partners, equals.kind_of)


def _class_medians(times: Times, equals: Equals, near: Mask, good: Mask) -> Values:
    """The median of each class, [kinds, kinds, 2] as in Effects; over good links if there are any.

    Of a class without links: that of the same kinds, moved by what the other kinds differ near and far.
    """

    def usual(mask: Mask, at: Block) -> float:
        cells = times.sending[at]
        for chosen in (mask & good[at], mask):
            if len(known := known_sample(cells, chosen)):
                return float(np.median(known))
        return np.nan

    typical = _each_class(equals, times.partners, near, usual)
    far, inside = typical[..., 0], typical[..., 1]
    gap = (inside - far)[np.isfinite(inside - far)]
    usual_gap = float(np.median(gap)) if len(gap) else np.nan
    return np.stack(
        [np.where(np.isnan(far), inside - usual_gap, far), np.where(np.isnan(inside), far + usual_gap, inside)], -1
    )


def _each_class(equals: Equals, partners: Index, near: Mask, of_class: Callable[[Mask, Block], float]) -> Values:
    """A value of each class, [kinds, kinds, 2], from the links of it within a block of rows and columns."""
    found = np.full((equals.kinds, equals.kinds, 2), np.nan)
    for one, other, at in blocks_of_kinds(equals.kind_of, equals.kind_of[partners], equals.kinds):
        for inside in (0, 1):
            found[one, other, inside] = of_class(near[at] == bool(inside), at)
    return found


def _by_class(typical: Values, equals: Equals, partners: Index, near: Mask) -> Matrix:
    if equals.kinds == 1:
        return np.where(near, np.float32(typical[0, 0, 1]), np.float32(typical[0, 0, 0]))
    kinds = equals.kind_of[:, None], equals.kind_of[partners][None, :]
    return np.asarray(typical[(*kinds, near.astype(np.int64))], np.float32)


def _unhidden(rest: Matrix, of_groups: Matrix, hidden: Mask | None) -> tuple[Matrix, Mask]:
    """Residuals that no slow group hides, and a mask of hosts without any; for these, what they add to their group."""
    if not of_groups.any():
        return rest, np.zeros(len(rest), bool) if hidden is None else hidden
    shown = np.where(of_groups > 0, UNKNOWN, rest)
    if hidden is None:
        hidden = ~np.asarray(np.isfinite(shown).any(axis=1))
    return np.where(hidden[:, None], rest - of_groups, shown), hidden


def _fewest_hosts(sizes: NDArray[np.int64]) -> int:
    """Of a group, enough to tell what all of them share: two where most groups have two and the others look like
    several of these, and are several, not just two hosts that happen to be near to each other. `sizes`: of all groups.
    """
    are_twos = (sizes % 2 == 0).all() and (sizes == 2).mean() > 0.5 and sizes.sum() >= 2 * GROUPS_OF_TWO
    return 2 if are_twos else FEWEST_HOSTS


def _groups(
    rest: Matrix, back: Matrix, group_of: NDArray[np.int64], of_partner: NDArray[np.int64], near: Mask
) -> tuple[Values, Values]:
    """What each group adds to its links with other groups, log of the factor, and its score; [groups] each.

    A group is as slow as the faster of its hosts: the lower quartile over its hosts of the lower quartile over peer
    groups of the median link. So neither slow hosts inside nor slow partners outside make the group slow.
    """
    count = int(group_of.max()) + 1
    effect, z = np.zeros(count), np.zeros(count)
    sizes = np.bincount(group_of, minlength=count)
    whole = np.flatnonzero(sizes >= _fewest_hosts(sizes))  # single hosts say nothing about a group
    if len(whole) < FEWEST_GROUPS:
        return effect, z
    far = np.where(near, UNKNOWN, rest if back is rest else both_ways(rest, back))
    seen = [group for group in whole if (of_partner == group).any()]
    far = far[:, np.argsort(of_partner, kind="stable")]  # the partners of a group side by side
    end = np.cumsum(np.bincount(of_partner, minlength=count))
    begin = end - np.bincount(of_partner, minlength=count)
    to_group = np.stack([row_medians(far[:, begin[group] : end[group]])[0] for group in seen], axis=1)
    to_group = to_group.astype(np.float32)
    of_host = lower_quantiles(to_group, LOWER_QUARTILE)[0]
    level, within = np.full(count, np.nan), np.full(len(rest), np.nan)
    with np.errstate(all="ignore"):
        for group in whole:
            own = group_of == group
            level[group] = lower_quantiles(of_host[None, own].astype(np.float32), LOWER_QUARTILE)[0][0]
            if np.isfinite(of_host[own]).any():
                within[own] = of_host[own] - np.nanmedian(of_host[own])
    error = MEDIAN_ERROR * max(healthy_spread(within), LEAST_SPREAD)
    effect = np.nan_to_num(level - np.nanmedian(level))
    z = effect / (error / np.sqrt(np.maximum(sizes, 1)))
    bad = (effect > SMALLEST_GROUP) & (z > GROUP_CERTAIN)
    return np.where(bad, effect, 0.0), np.where(bad, z, 0.0)


def _between_groups(of_host: Values, of_partner: Values, near: Mask) -> Matrix:
    """What slow groups add to each link: the larger of the effects of the two ends' groups."""
    if not of_host.any():
        return np.broadcast_to(np.float32(0), near.shape)
    of_link = np.maximum(of_host.astype(np.float32)[:, None], of_partner.astype(np.float32)[None, :])
    return np.where(near, np.float32(0), of_link)
