"""The kinds of hosts: hosts of one kind are equals, and only a host that differs from its equals is judged.

What the hosts say comes first: processors, adapters and their rates. Where they say nothing of their adapters, what
shows in the times tells: classes of hosts that are alike within, and differ from each other.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import NotEnoughMemory
from everylink.inventory.cluster import (
    PROCESSOR,
    SMALLEST_CLASS,
    Cluster,
    cluster_of,
    kinds_of_hosts,
    smallest_class,
)
from everylink.judge.positions import places_of, positions_of
from everylink.judge.readings import UNKNOWN, Readings, readings, readings_in, rows_inside
from everylink.model.results import Results, Size
from everylink.model.rows import ONE_WAY, Outcome, Rows
from everylink.robust import (
    Matrix,
    Values,
    both_ways,
    is_whole,
    known_sample,
    lower_quantiles,
    medians_of,
    row_medians,
    sampled,
)

Index = NDArray[np.int64]
Block = tuple[Any, ...]  # rows and columns of a matrix
LOW_PART = 0.15  # quantile of a row: what a host can do with the best of its partners
USUAL_PARTS = (0.5, 0.75)  # quantiles; where half of the partners are near, the first lies between near and far
QUARTILES = (0.25, 0.75)
QUICK_LINK = 2  # of its links this one tells what a host can do at best
AS_SLOW = 0.25  # part of the difference of two classes (log) up to which a host between them is of the slower one
SAME = 0.02  # log of the factor: a partner that is slower than this is slower
TIGHT = 0.015  # largest standard deviation within a class, log of the factor
APART = 0.04  # least difference between two classes, log of the factor
WITH_FASTER = 0.25  # part of it by which a class is slow with a faster one: of small messages, each end adds its own
MOSTLY = 0.8  # part of the hosts that classes must hold
FEWEST_ALONE, LOW_ALONE = 6, 0.2  # links, and their quantile: of those measured alone many are suspects
MOST_ALONE, MOSTLY_ALONE = 16, 0.9  # hosts, of which `--confirm` may measure all pairs alone; part that tells
GONE_ALONE = 0.35  # part of the difference of two classes below which it needs load
MANY_HOSTS, PART_ALIKE = 4, 0.125  # other hosts that are slow alike, and part of all; a chassis has fewer
MOSTLY_MEASURED, FEW_MEASURED = 0.5, 2  # part of the links of two hosts' ranks, and their number
FEWEST_OF_GROUP, FEWEST_WHOLE = 2, 2  # hosts of a kind in a group, and groups of a kind, from which it goes by group
FEWEST_WITH_KINDS = 2 * SMALLEST_CLASS  # hosts that can be of two kinds, as they say themselves
TOLD = 0.9  # part of the hosts that must say what their adapters can do


@dataclass(frozen=True)
class Equals:
    """What makes links comparable: the number of the group and of the kind of each host, [hosts].

    `position_of` [ranks]: a number for the place of a rank on its host, the same on all hosts; -1: not known. Empty
    where ranks are not compared. `one_host`: what counts as hosts are the ranks of one.
    """

    group_of: Index
    kind_of: Index
    position_of: Index = field(default_factory=lambda: np.zeros(0, np.int64))
    one_host: bool = False

    @classmethod
    def of_groups(cls, group_of: Index) -> "Equals":
        """Hosts of one kind."""
        return cls(group_of, np.zeros(len(group_of), np.int64))

    @cached_property
    def kinds(self) -> int:
        return int(self.kind_of.max(initial=0)) + 1


@dataclass(frozen=True)
class Kinds:
    """The kind of each host, [hosts]. `names`: what each kind has, empty where only the times tell (`told` false).

    `unlike`: what hosts have that too few have for a kind, such as `processor, Xeon Gold 6140`. `other_rates`: of hosts
    whose adapters are not those of their kind.
    """

    of_host: Index
    names: tuple[str, ...]
    told: bool
    unlike: Mapping[int, str] = field(default_factory=dict)
    other_rates: Mapping[int, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(self.names)

    def told_text(self, kind: int, hosts_in_short: Callable[[Sequence[int]], str], more: str) -> str:
        """The hosts of a kind, what they have, `more` about them, and those counted among them that have other
        adapters."""
        own = np.flatnonzero(self.of_host == kind).tolist()
        text = f"{hosts_in_short([host for host in own if host not in self.other_rates])}: {self.names[kind]}{more}"
        rates = dict.fromkeys(self.other_rates[host] for host in own if host in self.other_rates)
        of_each = {rate: [host for host in own if self.other_rates.get(host) == rate] for rate in rates}
        few = " and ".join(f"{hosts_in_short(hosts)} ({rate})" for rate, hosts in of_each.items())
        return f"{text}; {few} compared with them, too few to be a kind" if few else text

    def by_group(self, group_of: Index) -> "Kinds":
        """The kinds that only the times tell, where they go by group: the one host of another kind than all others of
        its group is of theirs, and slow, or slower than it was. `group_of` [hosts].

        They go by group if the hosts of all other groups are of one kind each, and every kind has two such groups.
        """
        if self.told or self.count < 2:
            return self
        has = np.zeros((int(group_of.max()) + 1, self.count), np.int64)
        np.add.at(has, (group_of, self.of_host), 1)
        rest, usual = has.sum(axis=1) - has.max(axis=1), has.argmax(axis=1)
        several = has.max(axis=1) >= FEWEST_OF_GROUP
        whole = np.bincount(usual[several & (rest == 0)], minlength=self.count)
        if rest.sum() != 1 or whole.min() < FEWEST_WHOLE or not several[rest == 1].all():
            return self
        return replace(self, of_host=np.where(rest[group_of] == 1, usual[group_of], self.of_host))

    def levelled(self, matrix: Matrix, rows: Index, columns: Index) -> Matrix:
        """Log times [row, column] minus the median of their class, the kinds of the two hosts."""
        if self.count < 2:
            return matrix
        made = matrix.copy()
        for _, _, at in blocks_of_kinds(self.of_host[rows], self.of_host[columns], self.count):
            known = known_sample(made[at])
            if len(known):
                made[at] -= np.float32(np.median(known))
        return made


def blocks_of_kinds(of_row: Index, of_column: Index, kinds: int) -> Iterator[tuple[int, int, Block]]:
    """Every two kinds with the part of a matrix that lies between their hosts; `of_...`: the kind of each."""
    if kinds == 1:
        yield 0, 0, (slice(None), slice(None))  # a view, not a copy
        return
    rows, columns = ([np.flatnonzero(of_each == kind) for kind in range(kinds)] for of_each in (of_row, of_column))
    for one, other in itertools.product(range(kinds), repeat=2):
        yield one, other, np.ix_(rows[one], columns[other])


def many_alike(hosts: int) -> int:
    """With how many others that are slow alike a host is another kind, by design."""
    return max(MANY_HOSTS, int(PART_ALIKE * hosts))


def kinds_of(results: Results) -> Kinds:
    """The kinds of the hosts of a run; of its ranks, in a run on one host."""
    hosts = int(results.ranks.host_index.max()) + 1
    told = told_kinds(results) if hosts > 1 else None
    if told is not None and (told.count > 1 or not is_whole(hosts)):  # of more hosts, readings may not be kept
        return told
    if hosts == 1:
        hosts = len(results.ranks)
    least = 1 if told is None else many_alike(hosts) + 1
    for classes in (_classes_at, _classes_alone, _classes_inside):
        by_size = [found for size in results.sizes if (found := classes(results, size)) is not None]
        seen = _with_neighbours(seen_kinds(by_size, hosts), by_size)
        if seen.count > 1 and int(np.bincount(seen.of_host).min()) >= least:
            return seen if told is None else replace(seen, unlike=told.unlike)
    return seen if told is None else told


def _with_neighbours(seen: Kinds, by_size: Sequence[Index]) -> Kinds:
    """The kinds with those outliers next to hosts of the smallest one, if these are in a row: hosts of one lot, some of
    which are slower still."""
    own = np.flatnonzero(seen.of_host == np.bincount(seen.of_host).argmin())
    outliers = set(np.flatnonzero(np.any([classes == 0 for classes in by_size], axis=0)).tolist())
    first, last = int(own[0]), int(own[-1])
    if seen.count < 2 or not outliers.union(own.tolist()).issuperset(range(first, last)):
        return seen
    while first - 1 in outliers:
        first -= 1
    while last + 1 in outliers:
        last += 1
    every = np.arange(len(seen.of_host))
    return replace(seen, of_host=np.where((first <= every) & (every <= last), seen.of_host[own[0]], seen.of_host))


def _classes_at(results: Results, size: Size) -> Index | None:
    """The classes of hosts that the times of one size show, unless links measured alone do not."""
    seen = readings(results, size)
    classes = seen_classes(seen)
    return None if classes is None or _need_load(classes, size.rows.of_attempt(ONE_WAY), seen) else classes


def _classes_alone(results: Results, size: Size) -> Index | None:
    """The classes that the times of links measured alone show, if most of all links of few hosts were: load may hide
    them."""
    if len(np.unique(results.ranks.host_index)) > MOST_ALONE:
        return None
    seen = readings_in(results, size, ONE_WAY)
    known = np.isfinite(seen.between_hosts.median)
    return seen_classes(seen) if known.sum() >= MOSTLY_ALONE * seen.hosts * (seen.hosts - 1) else None


def _classes_inside(results: Results, size: Size) -> Index | None:
    """The classes that links between the ranks of each host show, which no fault of a network hides; None in a run on
    one host."""
    host_of = results.ranks.host_index.astype(np.int64)
    if not host_of.any():
        return None
    frm, _, time = rows_inside(size, host_of)
    numbers, middle = medians_of(time, host_of[frm])
    usual = np.full(int(host_of.max()) + 1, np.nan)
    usual[numbers] = middle
    return classes_of(usual)


def _need_load(classes: Index, rows: Rows, seen: Readings) -> bool:
    """Whether hosts of some class are slower than those of the fastest one only while others measure.

    By the quickest links, alone, that have a host of the slower class, and those between hosts of the fastest one,
    against those of all readings. Unknown where few were measured alone, or where a run is too large to hold all links.
    """
    if not is_whole(seen.hosts):
        return False
    alone, every = _lower_by_hosts(rows, seen), np.arange(seen.hosts)
    loaded = seen.cells(every, every).median
    for number in range(2, int(classes.max()) + 1):
        of_class, fastest = (classes == number), (classes == 1)
        slower = of_class[:, None] & (of_class | fastest)[None, :]
        links = slower | slower.T, fastest[:, None] & fastest[None, :]
        known = [alone[there & np.isfinite(alone)] for there in links]
        if min(map(len, known)) < FEWEST_ALONE:
            continue
        own, usual = (float(np.quantile(one, LOW_ALONE)) for one in known)
        apart = float(np.subtract(*(np.nanmedian(loaded[there]) for there in links)))
        if own - usual < GONE_ALONE * apart:
            return True
    return False


def _lower_by_hosts(rows: Rows, seen: Readings) -> Matrix:
    """The best of these readings between each two hosts, log seconds [host, host]; NaN where there is none."""
    best = np.full((seen.hosts, seen.hosts), np.inf)
    ok = (rows.outcome == Outcome.OK) & (rows.median > 0)
    ends = tuple(seen.host_of[ranks[ok].astype(np.int64)] for ranks in (rows.frm, rows.to))
    np.minimum.at(best, ends, np.log(rows.median[ok].astype(np.float64)))
    return np.where(np.isfinite(best), best, np.nan)


def told_kinds(results: Results) -> Kinds | None:
    """By the inventory; nothing where too few hosts say what their adapters can do."""
    try:
        cluster = cluster_of(results)
    except NotEnoughMemory:
        return None
    hosts = cluster.inventory.hosts
    if not len(hosts):
        return None
    rates = _rates(cluster)
    if sum(map(bool, rates)) < TOLD * len(cluster.names):
        return None
    texts = {"": 0}
    codes = np.array([texts.setdefault(rates[host], len(texts)) for host in hosts.tolist()], np.int64)
    kind = kinds_of_hosts(hosts, [cluster.kind[hosts], codes], len(cluster.names))
    kind = np.maximum(kind, 0)
    members = [np.flatnonzero(kind == one).tolist() for one in range(int(kind.max()) + 1)]
    names = [_most(rates[host] for host in own) for own in members]
    other_rates = {
        host: rates[host] for own, name in zip(members, names, strict=True)
        for host in own if rates[host] not in ("", name)
    }  # fmt: skip
    of_each = [cluster.texts_at(*PROCESSOR, np.array(own, np.int64)) for own in members]
    processors = [_most(texts) for texts in of_each]
    if len(set(names)) < len(names) and all(processors):
        names = [f"{name}, {processor}" for name, processor in zip(names, processors, strict=True)]
    unlike = {
        host: f"processor, {text}"
        for own, texts, usual in zip(members, of_each, processors, strict=True)
        for host, text in zip(own, texts, strict=True) if text and usual and text != usual
    }  # fmt: skip
    if len(rates) < FEWEST_WITH_KINDS and len(set(rates)) > 1 and not cluster.is_of_one_model:
        adapters = {host: f"adapters, {rate}" for host, rate in enumerate(rates) if rate}
        unlike |= {host: f"{text}, and {unlike[host]}" if host in unlike else text for host, text in adapters.items()}
    return Kinds(kind, tuple(names), True, unlike, other_rates)


def _rates(cluster: Cluster) -> list[str]:
    """What the adapters of each host that carry the run can do: `100 Gbit/s`; empty where it is not known."""
    by_host: list[list[float]] = [[] for _ in cluster.names]
    for part, hosts in cluster.adapters_of_run():
        for rates in cluster.gigabits(part, hosts):
            for host, gigabits in zip(hosts.tolist(), rates, strict=True):
                if gigabits:
                    by_host[host].append(gigabits)
    return [" + ".join(f"{rate:g}" for rate in sorted(rates)) + " Gbit/s" if rates else "" for rates in by_host]


def _most(texts: Iterable[str]) -> str:
    several = list(texts)
    return max(dict.fromkeys(several), key=several.count, default="")


def seen_kinds(by_size: Iterable[Index], hosts: int) -> Kinds:
    """By the times of all sizes: classes at one size split those at the others."""
    features = [classes - 1 for classes in by_size]  # -1: an outlier, whatever its kind
    if not features:
        return Kinds(np.zeros(hosts, np.int64), ("",), False)
    kind = kinds_of_hosts(np.arange(hosts), features, hosts)
    return Kinds(kind, ("",) * (int(kind.max()) + 1), False)


def seen_classes(seen: Readings) -> Index | None:
    """The class of each host at one size, as in classes_of.

    A link tells only of its slower end, so a host's links with partners that are not slower than itself show what it
    can do. Hosts of a slow class are slow among each other, too: those of a leaf with a slow uplink are not. And with
    those of faster classes: those at the ends of a slow way are not.
    """
    every, partners = np.arange(seen.hosts), sampled(seen.hosts)
    there = seen.between_hosts.median if len(partners) == seen.hosts else seen.cells(every, partners).median
    times = there if seen.symmetric else both_ways(there, seen.cells(partners, every).median.T)
    low = lower_quantiles(times, LOW_PART)[0]
    of_equals = np.where(low[partners][None, :] <= low[:, None] + SAME, times, UNKNOWN)
    for part in USUAL_PARTS:
        capacity = lower_quantiles(of_equals, part)[0]
        capacity = np.where(np.isfinite(capacity), capacity, low)
        classes = classes_of(capacity)
        if classes is not None:
            left_out = _not_slow_with_all(times, classes, partners, capacity)
            left_out |= _quick_with_some(times, classes, capacity)
            classes = _without(classes, left_out) if left_out else classes
        if classes is not None:
            return _as_with_others(_with_outliers(classes, capacity, of_equals), times, partners)
    return None


def _as_with_others(classes: Index, times: Matrix, partners: Index) -> Index:
    """The classes with those hosts in a slower one that take as long as this one with the hosts of every class but
    their own, and longer than their own one does, if this is left large enough: near to some hosts of a quicker class,
    a host is quick with these."""
    numbers, of_partner = np.arange(1, int(classes.max()) + 1), classes[partners]
    with_class = np.stack([row_medians(np.where(of_partner == one, times, UNKNOWN))[0] for one in numbers], axis=1)
    usual = np.stack([row_medians(with_class[classes == one].T)[0] for one in numbers])
    hosts, found = np.flatnonzero(classes > 0), classes.copy()
    own = classes[hosts] - 1
    apart = np.abs(with_class[hosts][:, None, :] - usual)  # [host, class that it may be of, class of its partners]
    apart[np.arange(len(hosts)), :, own] = 0.0
    apart = apart.max(axis=2)
    alike = apart <= SAME
    other = alike.argmax(axis=1)
    moved = (alike.sum(axis=1) == 1) & (other > own) & (apart[np.arange(len(hosts)), own] > SAME)
    found[hosts[moved]] = other[moved] + 1
    left = np.bincount(found, minlength=len(numbers) + 1)
    return np.where(left[classes] >= smallest_class(len(hosts)), found, classes)


def _with_outliers(classes: Index, capacity: Values, of_equals: Matrix) -> Index:
    """The classes with those outliers of which one can tell where they belong.

    Between two classes that is the faster one, but for the last part of the way to the slower one: faults only lengthen
    times. Of those that are slower than all classes it is that with which one agrees in both quartiles: of a host with
    as many near partners as far ones, one slow link may decide on which side the middle of its links is. `of_equals`
    [host, partner]: the times with partners that are not slower; `capacity`: from these.
    """
    outliers = np.flatnonzero((classes == 0) & np.isfinite(capacity)).tolist()
    if not outliers:
        return classes
    found, last, quartiles = classes.copy(), int(classes.max()), [lower_quantiles(of_equals, at)[0] for at in QUARTILES]
    of_class = [np.flatnonzero(classes == number) for number in range(1, last + 1)]
    level, *levels = (np.array([float(np.median(of[own])) for own in of_class]) for of in (capacity, *quartiles))
    for host in outliers:
        faster = int((level < capacity[host]).sum())
        if 0 < faster < last:
            fast, slow = level[faster - 1 : faster + 1].tolist()
            found[host] = faster + (slow - capacity[host] < AS_SLOW * (slow - fast))
        elif faster == last:
            apart = [np.abs(of[host] - own) for of, own in zip(quartiles, levels, strict=True)]
            alike = np.flatnonzero(np.max(apart, axis=0) <= SAME)
            found[host] = alike[0] + 1 if len(alike) == 1 else 0
    return found


def _not_slow_with_all(times: Matrix, classes: Index, partners: Index, capacity: Values) -> set[int]:
    """The classes whose hosts are not slow among each other, or not with those of faster classes: hosts at the ends of
    one slow way are slow with each other only, and those of a leaf with a slow uplink are well among each other."""
    level = [float(np.median(capacity[classes == number])) for number in range(1, int(classes.max()) + 1)]
    of_partner, found = classes[partners], set[int]()
    for number in range(1, len(level) + 1):
        own = np.flatnonzero(classes == number)
        among = known_sample(times[np.ix_(own, np.flatnonzero(of_partner == number))])
        faster = known_sample(times[np.ix_(own, np.flatnonzero((of_partner > 0) & (of_partner < number)))])
        is_well = not len(among) or np.median(among) < level[number - 1] - SAME
        least = level[0] + WITH_FASTER * (level[number - 1] - level[0])
        if is_well or (len(faster) and np.median(faster) < least):
            found.add(number)
    return found


def _quick_with_some(times: Matrix, classes: Index, capacity: Values) -> set[int]:
    """The slower classes whose quickest links take hardly longer than those of the fastest one: what makes a host slow
    makes all of its links slow, so these are near to fewer others. `times` [host, partner]."""
    quickest = quick_links(times)
    quickest = np.where(np.isnan(quickest), np.inf, quickest)
    of_class = [classes == number for number in range(1, int(classes.max()) + 1)]
    usual, best = ([float(np.median(of[own])) for own in of_class] for of in (capacity, quickest))
    longer = zip(np.subtract(best, best[0]), np.subtract(usual, usual[0]), strict=True)
    return {number for number, (at_best, usually) in enumerate(longer, 1) if at_best < WITH_FASTER * usually}


def quick_links(times: Matrix) -> Matrix:
    """The second shortest time of each row, [rows]; NaN where fewer are known. The shortest one may be of a partner
    that was idle, or on the same machine."""
    at = min(QUICK_LINK, times.shape[1]) - 1
    return np.asarray(np.partition(times, at, axis=1)[:, at])


def _without(classes: Index, left_out: Set[int]) -> Index | None:
    """The classes without some, whose hosts are outliers then; None if hardly two are left."""
    kept = np.setdiff1d(np.arange(1, int(classes.max()) + 1), list(left_out))
    found = np.where(np.isin(classes, kept), np.searchsorted(kept, classes) + 1, 0)
    return found if len(kept) > 1 and (found > 0).sum() >= MOSTLY * (classes > 0).sum() else None


def classes_of(values: Values) -> Index | None:
    """The class of each value, from 1 on; 0: an outlier. None unless there are two classes or more.

    Classes are tight, apart, and large enough not to be a few faulty hosts.
    """
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return None
    order = known[np.argsort(values[known], kind="stable")]
    ordered = values[order]
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(ordered) > APART) + 1, [len(ordered)]])
    least = smallest_class(len(known))
    classes, held, number = np.zeros(len(values), np.int64), 0, 0
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if end - begin >= least and np.std(ordered[begin:end]) <= TIGHT:
            number += 1
            classes[order[begin:end]] = number
            held += end - begin
    return classes if number > 1 and held >= MOSTLY * len(known) else None


def equals_for(results: Results, group_of: Index, kinds: Kinds) -> Equals:
    """Which hosts and ranks of a run are equals."""
    one_host = int(results.ranks.host_index.max(initial=0)) == 0
    return Equals(group_of, kinds.of_host, positions_of(results.ranks, kinds.of_host), one_host)


def levelled(seen: Readings, equals: Equals) -> Readings:
    """The readings without what the places of ranks on their hosts add."""
    place_of, group_of, kind_of = equals.position_of, equals.group_of, equals.kind_of
    has_several = int(place_of.max(initial=-1)) > 0
    usual = _usual_of_hosts(seen, equals) if has_several and is_whole(seen.hosts) else None
    return seen.levelled(places_of(seen.first, place_of, seen.host_of, group_of, kind_of, usual))


def _usual_of_hosts(seen: Readings, equals: Equals) -> Matrix | None:
    """What links between each two hosts usually take, log seconds, [from, to]; NaN where few links of their ranks were
    measured; None if these are most.

    A few are enough if all hosts of a kind have ranks at the same places. Otherwise, if only ranks of equal number met,
    all links of a host that has its slow ranks elsewhere may be slow.
    """
    ranks, links = np.bincount(seen.host_of, minlength=seen.hosts), seen.links_of_hosts()
    every = np.outer(ranks, ranks)
    measured = links >= FEW_MEASURED if _have_same_places(seen, equals) else links > MOSTLY_MEASURED * every
    if measured.sum() <= (links > 0).sum() / 2:
        return None
    return np.where(measured, seen.between_hosts.median, UNKNOWN)


def _have_same_places(seen: Readings, equals: Equals) -> bool:
    """Whether the hosts of each kind have ranks at the same places."""
    place_of = equals.position_of
    has, known = np.zeros((seen.hosts, int(place_of.max()) + 1), bool), place_of >= 0
    has[seen.host_of[known], place_of[known]] = True
    return len(np.unique(has, axis=0)) <= equals.kinds
