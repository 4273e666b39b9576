"""Failed links folded into few lines: a host that is dark is one line, not one for each of its links."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links import Links, outcome_text
from everylink.results import Ranks, Results, Size

WORTH_FOLDING = 0.5  # a group is named where at least this part of its links failed
LINES = 10


@dataclass(frozen=True)
class FailedGroup:
    """Failed links that one name covers: `failed` of `links`; `outcomes` counts them, the most frequent first."""

    name: str
    failed: int
    links: int
    outcomes: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        if len(self.outcomes) == 1:
            what = outcome_text(self.outcomes[0][0])
        else:
            what = "failed: " + ", ".join(f"{count} {outcome_text(o)}" for o, count in self.outcomes)
        of_all = f"{self.failed} of {self.links} links " if self.links > 1 else ""
        return f"{self.name}: {of_all}{what}"


@dataclass(frozen=True)
class Failures:
    """All failed links of a size: as groups, and how many the groups leave out."""

    failed: int
    links: int
    groups: tuple[FailedGroup, ...]
    left_out: int


@dataclass(frozen=True)
class _Candidates:
    """Names of one kind; entry i of `of_from` and `of_to` says which name link i belongs to, -1: none."""

    names: list[str]
    of_from: NDArray[np.intp]
    of_to: NDArray[np.intp]

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        ends = (self.of_from[mask], self.of_to[mask & (self.of_to != self.of_from)])
        return sum(
            (np.bincount(e[e >= 0], minlength=len(self.names)) for e in ends), np.zeros(len(self.names), np.intp)
        )

    def of(self, name: int) -> NDArray[np.bool_]:
        return np.equal(self.of_from, name) | np.equal(self.of_to, name)


def fold_failures(results: Results, size: Size) -> Failures:
    """Fold the failed links of one size: the name that covers most of them first, then single links."""
    links = size.links
    if len(links) > 1 and links.failed.all():
        every = _group("all links", links, links.failed)
        return Failures(len(links), len(links), (every,), 0)
    kinds = _kinds(links, results.ranks)
    totals = [kind.count(np.ones(len(links), bool)) for kind in kinds]
    open_ = links.failed.copy()
    groups: list[FailedGroup] = []
    while open_.any() and len(groups) < LINES and (best := _best(kinds, totals, open_)):
        kind, name = best
        inside = kinds[kind].of(name)
        groups.append(_group(kinds[kind].names[name], links, inside))
        open_ &= ~inside
    single = np.flatnonzero(open_)
    for i in single[: LINES - len(groups)]:
        name_of = results.ranks.name
        name_text = f"{name_of(int(links.frm[i]))} -> {name_of(int(links.to[i]))}"
        groups.append(FailedGroup(name_text, 1, 1, ((int(links.outcome[i]), 1),)))
        open_[i] = False
    return Failures(int(links.failed.sum()), len(links), tuple(groups), int(open_.sum()))


def _kinds(links: Links, ranks: Ranks) -> list[_Candidates]:
    """What may be named: hosts, ranks, and either of their directions alone."""
    none = np.full(len(links), -1, np.intp)
    host = ranks.host_index.astype(np.intp)
    hosts = [""] * (int(host.max()) + 1)
    for rank, index in enumerate(host):
        hosts[index] = hosts[index] or ranks.host[rank]
    kinds = []
    for what, of, names in (
        ("host", host, hosts),
        ("rank", np.arange(len(ranks)), [ranks.name(i) for i in range(len(ranks))]),
    ):
        frm, to = of[links.frm], of[links.to]
        kinds.append(_Candidates([f"{what} {n}" for n in names], frm, to))
        kinds.append(_Candidates([f"from {what} {n}" for n in names], frm, none))
        kinds.append(_Candidates([f"to {what} {n}" for n in names], none, to))
    return kinds


def _best(kinds: list[_Candidates], totals: list[NDArray[np.intp]], open_: NDArray[np.bool_]) -> tuple[int, int] | None:
    """The name that covers most open failed links, of two the one with fewer healthy links; None: single links."""

    def offers() -> Iterator[tuple[int, int, int, int]]:
        for k, (kind, total) in enumerate(zip(kinds, totals, strict=True)):
            failed = kind.count(open_)
            worth = (failed >= 2) & (failed >= WORTH_FOLDING * total)
            for name in np.flatnonzero(worth & (failed == np.max(failed, where=worth, initial=0))):
                yield int(failed[name]), -int(total[name]), -k, int(name)

    best = max(offers(), default=None, key=lambda offer: offer[:3])
    return None if best is None else (-best[2], best[3])


def _group(name: str, links: Links, inside: NDArray[np.bool_]) -> FailedGroup:
    outcomes = Counter(links.outcome[inside & links.failed].tolist())
    return FailedGroup(name, outcomes.total(), int(inside.sum()), tuple(outcomes.most_common()))
