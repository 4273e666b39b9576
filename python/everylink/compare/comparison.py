"""Compares two runs: what got slower or faster, and which links failed in only one of them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.compare.changed import ChangedEnds, ChangedPair, changed_ends, changed_within, slower_pairs
from everylink.errors import UserMistake
from everylink.judge.readings import Readings, readings
from everylink.links.classes import LinkClass
from everylink.links.failed import FailedGroup, fold_failures
from everylink.links.hosts import host_names
from everylink.links.matching import (
    Matched,
    every_reading,
    main_only,
    match,
    measured_in_both,
    only_links,
    timed_in_both,
)
from everylink.model.changes import Change
from everylink.model.links import Links, keys
from everylink.model.results import Ranks, Results
from everylink.robust import Matrix, confidence, level_score


def worst_first(changes: list[Change]) -> tuple[Change, ...]:
    """Fold changes of one subject at several sizes into one; largest weight first."""
    found: dict[tuple[Any, ...], list[Change]] = {}
    for change in changes:
        found.setdefault((change.kind, change.subject, change.slower), []).append(change)
    folded = []
    for same in found.values():
        worst = max(same, key=lambda change: abs(math.log(change.factor)))
        others = tuple(sorted(change.bytes for change in same if change is not worst))
        folded.append(Change(**{**vars(worst), "also": others}))
    return tuple(sorted(folded, key=lambda change: (-change.weight, change.kind, change.subject)))


@dataclass(frozen=True)
class SizeChanges:
    """`links`: number timed in both runs; `levels`: factor common to all links of a class."""

    bytes: int
    links: int
    levels: dict[LinkClass, float]
    changes: tuple[Change, ...]
    suspects: tuple[Change, ...]


@dataclass(frozen=True)
class _Runs:
    """The links that were timed in both runs, in the same order; `far`: mask of links between hosts.

    `base`, `new`: readings of the main run; `base_again`, `new_again`: including retests. In a run on a single host,
    ranks take the place of hosts.
    """

    bytes: int
    ranks: Ranks
    links: tuple[Links, Links]
    far: NDArray[np.bool_]
    base: Readings
    new: Readings
    base_again: Readings
    new_again: Readings

    @property
    def on_one_host(self) -> bool:
        return int(self.ranks.host_index.max()) == 0

    def by_rank(self) -> "_Runs":
        """The same readings with each rank as a host."""
        count = len(self.ranks)
        parts = (self.base, self.new, self.base_again, self.new_again)
        once = {id(part): replace(part, hosts=count, host_of=np.arange(count)) for part in parts}
        return _Runs(self.bytes, self.ranks, self.links, self.far, *(once[id(part)] for part in parts))

    @cached_property
    def _by_pair(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """A number per link for its pair of hosts, ascending, and the links in that order."""
        pair = self.base.host_of[self.links[0].frm] * self.base.hosts + self.base.host_of[self.links[0].to]
        order = np.argsort(pair, kind="stable")
        return pair[order], order

    def between(self, frm: int, to: int) -> NDArray[np.intp]:
        """The links from one host to another, as indices."""
        pairs, order = self._by_pair
        first, behind = np.searchsorted(pairs, frm * self.base.hosts + to + np.arange(2))
        return order[first:behind]

    def change(
        self, kind: str, names: tuple[str, ...], which: NDArray[np.intp], side: str, effect: float, z: float
    ) -> Change:
        """A change with the median times of these links."""
        base, new = (float(np.median(links.median[which])) for links in self.links)
        return Change(kind, names, side, self.bytes, math.exp(effect), confidence(z), len(which), base, new)


def changes_of_size(matched: Matched, i: int, least: float) -> SizeChanges:
    """Compare the i-th size of both runs; `least`: smallest effect that counts, as a logarithm."""
    runs = _runs(matched, i)
    ranks = runs.ranks
    levels: dict[LinkClass, float] = {}
    changes: list[Change] = []
    suspects: list[Change] = []
    near = ranks.host_index[runs.links[0].frm] == ranks.host_index[runs.links[0].to]
    if near.any() and not runs.on_one_host:
        levels[LinkClass.SAME_HOST] = _near(runs, near, least, changes)
    if runs.far.any():
        far = LinkClass.SAME_HOST if runs.on_one_host else LinkClass.OTHER_HOST
        ends = _ends(runs, None, least)
        levels[far] = ends.level
        changes += _class_change(runs, far, runs.far, ends.level, _far_score(runs, ends))
        _far(runs, ends, least, changes, suspects)
    factors = {link_class: math.exp(level) for link_class, level in levels.items()}
    wanted = tuple(change for change in changes if abs(math.log(change.factor)) > least)
    return SizeChanges(runs.bytes, len(runs.links[0]), factors, wanted, tuple(suspects))


def _runs(matched: Matched, i: int) -> _Runs:
    base, new = matched.base.sizes[i], matched.new.sizes[i]
    keys = timed_in_both(base, new)
    sizes = [only_links(size, keys) for size in (base, new)]
    main = [main_only(size) for size in sizes]
    made = [readings(run, size) for run, size in zip((matched.base, matched.new), main, strict=True)]
    again = [  # usually there are no retests, and the same readings serve
        once if len(size.rows.frm) == len(first.rows.frm) else readings(run, every_reading(size))
        for run, size, first, once in zip((matched.base, matched.new), sizes, main, made, strict=True)
    ]
    links, host = (main[0].links, main[1].links), made[0].host_of
    return _Runs(base.bytes, matched.new.ranks, links, host[links[0].frm] != host[links[0].to], *made, *again)


def _class_change(
    runs: _Runs, link_class: LinkClass, mask: NDArray[np.bool_], level: float, z: float
) -> Iterator[Change]:
    if z > 0:
        yield runs.change("class", (str(link_class),), np.flatnonzero(mask), "both", level, z)


def _near(runs: _Runs, near: NDArray[np.bool_], least: float, changes: list[Change]) -> float:
    """Compare links within hosts; return their common level, log of the factor."""
    links = runs.links[0]
    host = runs.ranks.host_index.astype(np.int64)[links.frm]
    found = changed_within(runs.links, near, host, len(runs.ranks), runs.base.symmetric, least)
    changes += _class_change(runs, LinkClass.SAME_HOST, near, found.level, found.level_z)
    names = host_names(runs.ranks)
    for end in found.hosts:
        own = np.flatnonzero(near & (host == end.number))
        changes.append(runs.change("within", (names[end.number],), own, "both", end.effect, end.z))
    return found.level


def _difference(runs: _Runs) -> Matrix:
    return runs.new.between_hosts.median - runs.base.between_hosts.median


def _ends(runs: _Runs, known: Matrix | None, least: float) -> ChangedEnds:
    """The ends that changed beyond what `known` explains; `known` includes the common level."""
    if known is None:
        return changed_ends(_difference(runs), runs.base.symmetric, least)
    return changed_ends(_difference(runs) - known, runs.base.symmetric, least, 0.0)


def _far_score(runs: _Runs, ends: ChangedEnds) -> float:
    return level_score(ends.level, _difference(runs) - ends.explained, runs.base.hosts)


def _far(runs: _Runs, hosts: ChangedEnds, least: float, changes: list[Change], suspects: list[Change]) -> None:
    """Compare hosts and pairs of hosts; then ranks and pairs of ranks, if hosts have several."""
    several = len(runs.ranks) > runs.base.hosts
    rank_names = [runs.ranks.name(rank) for rank in range(len(runs.ranks))]
    names = rank_names if runs.on_one_host else host_names(runs.ranks)
    changes += _end_changes(runs, "rank" if runs.on_one_host else "host", names, hosts)
    one_way, both_ways = ("hosts", "hosts") if several else ("link", "pair")
    kind = both_ways if runs.base.symmetric else one_way
    pairs = _pair_changes(runs, kind, names if several else rank_names, hosts.explained, least, suspects)
    changes += pairs
    if not several:
        return
    host_of = runs.base.host_of
    by_rank = runs.by_rank()
    known = hosts.explained[np.ix_(host_of, host_of)].copy()
    index = {name: number for number, name in enumerate(names)}
    for pair in pairs:  # a finding about two hosts is not repeated for their ranks
        a, b = (host_of == index[name] for name in pair.subject)
        known[np.ix_(a, b)] = np.nan
        if runs.base.symmetric:
            known[np.ix_(b, a)] = np.nan
    ranks = _ends(by_rank, known, least)
    changes += _end_changes(by_rank, "rank", rank_names, ranks)
    kind = "pair" if runs.base.symmetric else "link"
    changes += _pair_changes(by_rank, kind, rank_names, known + ranks.explained, least, suspects)


def _end_changes(runs: _Runs, kind: str, names: list[str], found: ChangedEnds) -> list[Change]:
    frm, to = runs.base.host_of[runs.links[0].frm], runs.base.host_of[runs.links[0].to]
    changes = []
    for end in found.ends:
        sends, receives = frm == end.number, to == end.number
        mask = runs.far & {"send": sends, "receive": receives, "both": sends | receives}[end.side]
        changes.append(runs.change(kind, (names[end.number],), np.flatnonzero(mask), end.side, end.effect, end.z))
    return changes


def _pair_changes(
    runs: _Runs, kind: str, names: list[str], explained: Matrix, least: float, suspects: list[Change]
) -> list[Change]:
    """Pairs that got slower, then pairs that got faster, which are slower with base and new swapped."""
    base, new = runs.base.between_hosts, runs.new.between_hosts
    slower = slower_pairs(base, new, runs.new_again, explained, least)
    faster = slower_pairs(new, base, runs.base_again, -explained, least)
    suspects += [_pair_change(runs, kind, names, pair, 1, explained) for pair in slower.suspects]
    found = [_pair_change(runs, kind, names, pair, 1, explained) for pair in slower.sure]
    return found + [_pair_change(runs, kind, names, pair, -1, explained) for pair in faster.sure]


def _pair_change(runs: _Runs, kind: str, names: list[str], pair: ChangedPair, sign: int, explained: Matrix) -> Change:
    links = runs.between(pair.frm, pair.to)
    if runs.base.symmetric:
        links = np.concatenate([links, runs.between(pair.to, pair.frm)])
    effect = sign * pair.effect + float(explained[pair.frm, pair.to])
    side = "both" if runs.base.symmetric else "send"
    return runs.change(kind, (names[pair.frm], names[pair.to]), links, side, effect, pair.z)


@dataclass(frozen=True)
class Failure:
    """Links that failed in one run only; `group` names them; they failed at `bytes` and at the sizes in `also`."""

    group: FailedGroup
    bytes: int
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """`failed`: ok in the base; `healed`: failed in the base; changes with the largest weight come first.

    `suspects`: slower in all of their readings, which are too few to be sure. `least`: smallest relative change of a
    time that counts.
    """

    matched: Matched
    least: float
    sizes: tuple[SizeChanges, ...]
    slower: tuple[Change, ...]
    faster: tuple[Change, ...]
    failed: tuple[Failure, ...]
    healed: tuple[Failure, ...]
    suspects: tuple[Change, ...]

    @property
    def regression(self) -> bool:
        return bool(self.slower or self.failed)


def compare(base: Results, new: Results, least: float = 0.05) -> Comparison:
    """Compare two runs. Raises UserMistake with the reason if they cannot be compared."""
    matched = match(base, new)
    if not any(len(measured_in_both(*pair)) for pair in zip(matched.base.sizes, matched.new.sizes, strict=True)):
        raise UserMistake(f"{new.path}: cannot be compared with {base.path}: no link was measured in both")
    sizes = tuple(changes_of_size(matched, i, math.log1p(least)) for i in range(len(matched.base.sizes)))
    changes = worst_first([change for size in sizes for change in size.changes])
    return Comparison(
        matched,
        least,
        sizes,
        tuple(change for change in changes if change.slower),
        tuple(change for change in changes if not change.slower),
        failed_only_in(matched.new, matched.base),
        failed_only_in(matched.base, matched.new),
        worst_first([change for size in sizes for change in size.suspects]),
    )


def failed_only_in(run: Results, other: Results) -> tuple[Failure, ...]:
    """Links that failed in one run and were ok in the other, folded; the same group at several sizes is one entry."""
    found: dict[str, list[Failure]] = {}
    for size, reference in zip(run.sizes, other.sizes, strict=True):
        links = reference.links
        good = keys(links, reference.ranks)[~links.failed]
        for group in fold_failures(run, only_links(size, good)).groups:
            found.setdefault(group.name, []).append(Failure(group, size.bytes))
    return tuple(sorted(map(_folded, found.values()), key=lambda failure: -failure.group.failed))


def _folded(same: Sequence[Failure]) -> Failure:
    worst = max(same, key=lambda failure: failure.group.failed)
    return replace(worst, also=tuple(failure.bytes for failure in same if failure is not worst))
