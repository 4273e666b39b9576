"""The kinds of links of a run, and the time of each link at any size: measured, or inferred from its kind."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.judge.findings import Found, find
from everylink.judge.grouping import groups_for
from everylink.judge.kinds import Equals, kinds_of
from everylink.judge.readings import TO_FROM, readings
from everylink.model.groups import Grouping
from everylink.model.links import Links
from everylink.model.results import Results, Size

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
SAME_HOST, NEAR, FAR = range(3)
Seconds = NDArray[np.float64]
Log = Callable[[int, NDArray[np.bool_]], Seconds]
SHORT = 1024  # bytes; up to this size a message's time is all latency
MEASURED, FAILED, NOT_MEASURED = range(3)


@dataclass(frozen=True)
class LinkKinds:
    """`host`, `group`: numbers of each rank's host and its host's group, [ranks]; `group` is all 0 without groups.

    `known`: whether groups would show if there were any.
    """

    host: Index
    group: Index
    known: bool

    @property
    def names(self) -> tuple[str, str, str]:
        """Names, indexed by SAME_HOST, NEAR and FAR."""
        return ("same host", "same group", "other group") if self.group.any() else ("same host", "other host", "")

    def of(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> Index:
        """SAME_HOST, NEAR or FAR for each link, shape [links]."""
        near = np.where(self.group[frm] == self.group[to], NEAR, FAR)
        return np.where(self.host[frm] == self.host[to], SAME_HOST, near).astype(np.int64)


def link_kinds(results: Results, grouping: Grouping | None) -> LinkKinds:
    """Kinds by the given grouping, or else by the groups inferred from the times."""
    host = results.ranks.host_index.astype(np.int64)
    groups, known = groups_for(results, grouping, kinds_of(results))
    return LinkKinds(host, groups[host] if known and host.any() else np.zeros(len(host), np.int64), known)


def healthy_medians(results: Results, size: Size, kinds: LinkKinds) -> NDArray[np.float64]:
    """The median over the links of each kind without a bad component, seconds, shape [3]; NaN: none was measured.

    If all links of a kind touch a bad component, the median is over all of them.
    """
    links = size.links
    kind, known = kinds.of(links.frm, links.to), np.isfinite(links.median) & (links.median > 0)
    good = known & ~_touched(results, size, kinds, links)
    medians = np.full(3, np.nan)
    for number in range(3):
        chosen = good & (kind == number)
        if not chosen.any():
            chosen = known & (kind == number)
        if chosen.any():
            medians[number] = np.median(links.median[chosen].astype(np.float64))
    return medians


def _touched(results: Results, size: Size, kinds: LinkKinds, links: Links) -> Mask:
    """Mask of links that touch a component judged bad at this size, shape [links]."""
    touched = np.zeros(len(links), bool)
    seen = readings(results, size)
    if not seen.count:
        return touched
    group_of = np.zeros(seen.hosts, np.int64)
    group_of[seen.host_of] = kinds.group
    findings = find(seen, Equals(group_of, kinds_of(results).of_host), blind=not kinds.known)
    frm, to = seen.host_of[links.frm], seen.host_of[links.to]
    for found in findings.bad:
        touched |= _touches(found, frm, to, group_of, links)
    for trunk in findings.trunks:
        touched |= trunk.carries(frm, to, group_of) | trunk.carries(to, frm, group_of)
    return touched


def _touches(found: Found, frm: Index, to: Index, group_of: Index, links: Links) -> Mask:
    """Mask of links that touch the finding; `frm`, `to`: hosts of the links."""
    match found.kind:
        case "rank":
            return np.asarray((links.frm == found.subject[0]) | (links.to == found.subject[0]))
        case "group":
            return np.asarray((group_of[frm] == found.subject[0]) != (group_of[to] == found.subject[0]))
        case "host":
            return np.asarray(((frm == found.subject[0]) | (to == found.subject[0])) & (frm != to))
    a, b = found.subject
    return np.asarray(((frm == a) & (to == b)) | ((frm == b) & (to == a)))


@dataclass(frozen=True)
class Filled:
    """Seconds per message, and MEASURED, FAILED or NOT_MEASURED for its link; shape [messages] each."""

    seconds: Seconds
    state: Index


@dataclass(frozen=True)
class LinkTimes:
    """One-way times of all links of a run, for messages of any size.

    Between two sizes, log time is linear in log bytes, link by link. Below the smallest size a message takes as long as
    at that size; above the largest it has the bandwidth of that size (0 bytes count as 1). A link without a time is
    assumed to equal the healthy links of its kind.
    """

    results: Results
    kinds: LinkKinds
    sizes: tuple[Size, ...]
    _matrices: dict[int, tuple[NDArray[np.float32], NDArray[np.int16]]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _medians: dict[int, Seconds] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ranks(self) -> int:
        return len(self.results.ranks)

    def of(self, frm: Index, to: Index, size_bytes: Index) -> Filled:
        """The time of each message over its actual link."""
        state = np.zeros(len(frm), np.int64)

        def log(size: int, chosen: NDArray[np.bool_]) -> Seconds:
            matrix, outcome = self._matrix(size)
            seconds = matrix[frm[chosen], to[chosen]].astype(np.float64)
            unknown = ~(np.isfinite(seconds) & (seconds > 0))
            if unknown.any():
                where = np.flatnonzero(chosen)[unknown]
                state[where] = np.where(outcome[frm[where], to[where]] < 0, NOT_MEASURED, FAILED)
                seconds[unknown] = self._healthy(size, frm[where], to[where])
            return np.log(seconds)

        return Filled(self._interpolated(size_bytes, log), state)

    def healthy(self, frm: Index, to: Index, size_bytes: Index) -> Seconds:
        """The time of each message, seconds, if all links equalled the healthy links of their kind."""
        return self._interpolated(size_bytes, lambda s, chosen: np.log(self._healthy(s, frm[chosen], to[chosen])))

    def latency(self, frm: Index, to: Index) -> Seconds:
        """The part of a message's time in which its ends are free, seconds; 0 if only long messages were measured."""
        first = self.sizes[0].bytes
        return self.of(frm, to, np.full(len(frm), first)).seconds if first <= SHORT else np.zeros(len(frm))

    def healthy_latency(self, frm: Index, to: Index) -> Seconds:
        """The same if all links equalled the healthy links of their kind."""
        first = self.sizes[0].bytes
        return self.healthy(frm, to, np.full(len(frm), first)) if first <= SHORT else np.zeros(len(frm))

    def _matrix(self, size: int) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        if size not in self._matrices:
            links = self.sizes[size].links
            median, outcome = links.matrix("median", self.ranks), links.outcome_matrix(self.ranks)
            turned = self.results.facts.kernel in TO_FROM
            self._matrices[size] = (median.T, outcome.T) if turned else (median, outcome)
        return self._matrices[size]

    def _healthy(self, size: int, frm: Index, to: Index) -> Seconds:
        if size not in self._medians:
            self._medians[size] = healthy_medians(self.results, self.sizes[size], self.kinds)
        kind = self.kinds.of(frm, to)
        seconds = np.asarray(self._medians[size][kind])
        if np.isnan(seconds).any():
            missing = int(np.isnan(seconds).argmax())
            name = self.results.ranks.name
            raise UserMistake(
                f"{self.results.path}: the pattern uses {name(int(frm[missing]))} -> {name(int(to[missing]))}, but no "
                f"link of its kind ({self.kinds.names[kind[missing]]}) has a time at {self.sizes[size].bytes} bytes; "
                "measure it with --schedule all"
            )
        return seconds

    def _interpolated(self, size_bytes: Index, log: Log) -> Seconds:
        """Seconds per message; `log(k, mask)` returns log times at sizes[k] for the masked messages."""
        grid = np.array([max(size.bytes, 1) for size in self.sizes], np.int64)
        wanted = np.maximum(size_bytes, 1)
        below = np.maximum(np.searchsorted(grid, wanted, side="right") - 1, 0)
        found = np.zeros(len(wanted))
        for k in np.unique(below).tolist():
            at = (below == k) & (wanted <= grid[k])
            between = (below == k) & (wanted > grid[k])
            further = np.log(wanted[between] / grid[k])
            if at.any():
                found[at] = log(k, at)
            if between.any() and k == len(grid) - 1:
                found[between] = log(k, between) + further
            elif between.any():
                part = further / np.log(grid[k + 1] / grid[k])
                found[between] = (1 - part) * log(k, between) + part * log(k + 1, between)
        return np.asarray(np.exp(found))


def link_times(results: Results, grouping: Grouping | None = None) -> LinkTimes:
    """The times of a run; without a grouping, groups are inferred from the times. Raises UserMistake without times."""
    sizes = [size for size in results.sizes if np.isfinite(size.links.median).any()]
    if len(sizes) > 1 and sizes[0].bytes == 0 and sizes[1].bytes == 1:
        sizes = sizes[1:]  # equal on a logarithmic scale
    if not sizes:
        raise UserMistake(f"{results.path}: no link has a time")
    return LinkTimes(results, link_kinds(results, grouping), tuple(sizes))
