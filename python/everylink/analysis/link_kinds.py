"""Which links are alike, and how long the healthy ones of each kind take: what a link would do without its faults."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.findings import Found, find
from everylink.analysis.judge.grouping import Grouping, groups_for
from everylink.analysis.judge.readings import readings
from everylink.links import Links
from everylink.results import Results, Size

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
SAME_HOST, NEAR, FAR = range(3)


@dataclass(frozen=True)
class LinkKinds:
    """`host` and `group` number each rank's host and its host's group (all 0 where no groups show), shape [ranks].

    `known`: whether groups would show.
    """

    host: Index
    group: Index
    known: bool

    @property
    def names(self) -> tuple[str, str, str]:
        """By the numbers that `of` gives."""
        return ("same host", "same group", "other group") if self.group.any() else ("same host", "other host", "")

    def of(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> Index:
        """SAME_HOST, NEAR or FAR of each link, shape [links]."""
        near = np.where(self.group[frm] == self.group[to], NEAR, FAR)
        return np.where(self.host[frm] == self.host[to], SAME_HOST, near).astype(np.int64)


def link_kinds(results: Results, grouping: Grouping | None) -> LinkKinds:
    """Groups are those that are given, else those that the times show."""
    host = results.ranks.host_index.astype(np.int64)
    groups, known = groups_for(results, grouping)
    return LinkKinds(host, groups[host] if known and host.any() else np.zeros(len(host), np.int64), known)


def healthy_medians(results: Results, size: Size, kinds: LinkKinds) -> NDArray[np.float64]:
    """The median of the links of each kind that nothing bad touches, seconds, shape [3]; NaN: none was measured.

    Where all links of a kind touch something bad, of all of them.
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
    """Which links touch what the judgement of this size calls bad, shape [links]."""
    touched = np.zeros(len(links), bool)
    seen = readings(results, size)
    if not seen.count:
        return touched
    group_of = np.zeros(seen.hosts, np.int64)
    group_of[seen.host_of] = kinds.group
    findings = find(seen, group_of, blind=not kinds.known)
    frm, to = seen.host_of[links.frm], seen.host_of[links.to]
    for found in findings.bad:
        touched |= _touches(found, frm, to, group_of, links)
    for trunk in findings.trunks:
        touched |= trunk.carries(frm, to, group_of) | trunk.carries(to, frm, group_of)
    return touched


def _touches(found: Found, frm: Index, to: Index, group_of: Index, links: Links) -> Mask:
    """`frm`, `to`: the hosts of the links."""
    match found.kind:
        case "rank":
            return np.asarray((links.frm == found.subject[0]) | (links.to == found.subject[0]))
        case "group":
            return np.asarray((group_of[frm] == found.subject[0]) != (group_of[to] == found.subject[0]))
        case "host":
            return np.asarray(((frm == found.subject[0]) | (to == found.subject[0])) & (frm != to))
    a, b = found.subject
    return np.asarray(((frm == a) & (to == b)) | ((frm == b) & (to == a)))
