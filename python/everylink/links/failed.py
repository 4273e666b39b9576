"""Folds failed links into few lines: one line for a host with many failed links instead of one line per link.

The core folds what it prints by the same rules (core/coordinator/failures.cpp).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.links.hosts import host_names
from everylink.model.links import keys
from everylink.model.outcomes import Outcomes, links_between
from everylink.model.results import Ranks, Results, Size
from everylink.model.rows import Outcome, outcome_text
from everylink.units import plural

WORTH_FOLDING = 0.5  # fraction of a group's links that must have failed
FEW = 3  # with fewer failed links, all links of the group must have failed
LINES = 10


@dataclass(frozen=True)
class Again:
    """The outcomes of failed links that were tried again alone, each counted once."""

    failed: int
    ok: int
    untried: int

    @property
    def only_under_load(self) -> bool:
        return self.ok > 0 and not self.failed and not self.untried

    def __str__(self) -> str:
        texts = {"failed again alone": self.failed, "ok alone": self.ok, "not tried again": self.untried}
        said = {text: count for text, count in texts.items() if count}
        return ", ".join(text if len(said) == 1 else f"{count} {text}" for text, count in said.items())


@dataclass(frozen=True)
class FailedGroup:
    """Failed links under one name: `failed` of `links`; `outcomes` are (outcome, count), most frequent first.

    `kind` is all, host, rank, pair or link; `direction` is send, receive or both; `subject` names hosts or ranks, for a
    directed pair from and to. `again` is None if the run tried no link again.
    """

    name: str
    kind: str
    direction: str
    subject: tuple[str, ...]
    failed: int
    links: int
    outcomes: tuple[tuple[int, int], ...]
    again: Again | None = None

    def __str__(self) -> str:
        if len(self.outcomes) == 1:
            what = outcome_text(self.outcomes[0][0])
        else:
            what = "failed (" + ", ".join(f"{count} {outcome_text(o)}" for o, count in self.outcomes) + ")"
        if self.kind == "pair" and self.name.startswith("pair "):
            what = f"both links {what}"
        elif self.links > 1:
            what = f"{self.failed} of {self.links} links {what}"
        if self.again and self.again.only_under_load:
            return f"{self.name}: {what} under load, {self.again}"
        return f"{self.name}: {what}, {self.again}" if self.again else f"{self.name}: {what}"


@dataclass(frozen=True)
class Failures:
    """All failed links of a size: groups (those that were ok alone come last), and the number of links left out."""

    failed: int
    links: int
    groups: tuple[FailedGroup, ...]
    left_out: int
    again: Again | None

    def heading(self) -> str:
        tried = f"; {self.again}" if self.again else ""
        return f"{self.failed} of {self.links} links{tried}"

    def lines(self, most: int = LINES) -> list[str]:
        """One line per group, up to `most`, and one for the links left out."""
        left_out = self.left_out + sum(group.failed for group in self.groups[most:])
        return [str(group) for group in self.groups[:most]] + (
            [f"and {plural(left_out, 'more link')}"] if left_out else []
        )


@dataclass(frozen=True)
class _Naming:
    """How one kind is named: `form` takes the names of the subject. With a `base`, an id encodes two numbers."""

    form: str
    kind: str
    direction: str
    name_of: Callable[[int], str]
    base: int | None = None

    def subject(self, i: int) -> tuple[str, ...]:
        return tuple(map(self.name_of, divmod(i, self.base) if self.base else (i,)))


@dataclass(frozen=True)
class _Kind:
    """The names of one kind. Each of `ids`, shape [failed], is the name that a failed link belongs to, -1 for none.

    `known` are the ids that occur, `totals` their numbers of links, shape [known] each.
    """

    naming: "_Naming"
    ids: tuple[NDArray[np.int64], ...]
    known: NDArray[np.int64]
    totals: NDArray[np.int64]

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The number of failed links of each name within the mask."""
        counts = np.zeros(len(self.known), np.intp)
        for part in self.ids:
            inside = part[mask]
            at = np.searchsorted(self.known, inside[inside >= 0])
            counts += np.bincount(at, minlength=len(self.known))
        return counts

    def of(self, name: int) -> NDArray[np.bool_]:
        return np.asarray(np.any([ids == self.known[name] for ids in self.ids], axis=0))


def fold_failures(results: Results, size: Size) -> Failures:
    """Fold the failed links of one size greedily: names that cover most of them first, then single links."""
    links, again = size.outcomes, _again(results, size)
    everything = np.ones(links.failed, bool)
    if links.links > 1 and links.failed == links.links:
        every = _group(_Naming("all links", "all", "both", str), (), links, everything, links.links, again)
        return Failures(links.links, links.links, (every,), 0, every.again)
    kinds = _kinds(links, results.ranks) if links.failed else []
    open_ = everything.copy()
    groups: list[FailedGroup] = []
    while open_.any() and len(groups) < LINES and (best := _best(kinds, open_)):
        kind, name = best
        inside = kind.of(name)
        subject = kind.naming.subject(int(kind.known[name]))
        groups.append(_group(kind.naming, subject, links, inside, int(kind.totals[name]), again))
        open_ &= ~inside
    link = _Naming("link {} -> {}", "link", "send", results.ranks.name, len(results.ranks))
    for i in np.flatnonzero(open_)[: LINES - len(groups)]:
        one = np.arange(links.failed) == i
        subject = link.subject(int(links.frm[i]) * len(results.ranks) + int(links.to[i]))
        groups.append(_group(link, subject, links, one, 1, again))
        open_ &= ~one
    groups.sort(key=lambda group: group.again is not None and group.again.only_under_load)
    in_all = None if again is None else _counted(again)
    return Failures(links.failed, links.links, tuple(groups), int(open_.sum()), in_all)


def _again(results: Results, size: Size) -> NDArray[np.int16] | None:
    """The outcome of each failed link alone, -1 if not tried, shape [failed]; None if no link was tried alone."""
    failed, ranks = size.outcomes, len(results.ranks)
    if not results.facts.failed_not_retried and not any(len(other.alone) for other in results.sizes):
        return None
    alone = size.alone
    key, known = failed.frm.astype(np.int64) * ranks + failed.to, keys(alone, ranks)
    if not len(known):
        return np.full(len(key), -1, np.int16)
    at = np.minimum(np.searchsorted(known, key), len(known) - 1)  # both are sorted
    tried = (known[at] == key) & (alone.outcome[at] != Outcome.LOCAL)
    return np.where(tried, alone.outcome[at].astype(np.int16), np.int16(-1))


def _counted(again: NDArray[np.int16]) -> Again:
    ok, untried = int((again == Outcome.OK).sum()), int((again < 0).sum())
    return Again(len(again) - ok - untried, ok, untried)


def _group(
    naming: _Naming,
    subject: tuple[str, ...],
    links: Outcomes,
    inside: NDArray[np.bool_],
    total: int,
    again: NDArray[np.int16] | None,
) -> FailedGroup:
    """The group of the failed links `inside`, under a name that has `total` links."""
    outcomes = Counter(links.outcome[inside].tolist())
    tried = None if again is None else _counted(again[inside])
    return FailedGroup(
        naming.form.format(*subject), naming.kind, naming.direction, subject,
        outcomes.total(), total, tuple(sorted(outcomes.items(), key=lambda one: (-one[1], one[0]))), tried,
    )  # fmt: skip


def _kinds(links: Outcomes, ranks: Ranks) -> list[_Kind]:
    """All kinds of names: hosts and ranks, in both or one direction, and pairs of them."""
    count, names = len(ranks), host_names(ranks)
    host, each = ranks.host_index.astype(np.int64), np.arange(len(ranks))
    found: list[_Kind] = []
    for what, of, name in (("host", host, names.__getitem__), ("rank", each, ranks.name)):
        frm, to = of[links.frm], of[links.to]
        sent, received = (_sums(of, part) for part in (links.sent, links.received))
        every = np.arange(len(sent))
        inside = links_between(links, of, every, every) if what == "host" else 0
        both = (frm, np.where(frm != to, to, -1))
        for form, direction, ids, totals in (
            (what + " {}", "both", both, sent + received - inside),
            (f"from {what} {{}}", "send", (frm,), sent),
            (f"to {what} {{}}", "receive", (to,), received),
        ):
            known = _names(ids)
            found.append(_Kind(_Naming(form, what, direction, name), ids, known, totals[known]))
    for form, of, name in (
        ("pair {} <-> {}", each, ranks.name),
        ("hosts {} <-> {}", host, names.__getitem__),
    ):
        frm, to = of[links.frm], of[links.to]
        ids = (np.where(frm != to, np.minimum(frm, to) * count + np.maximum(frm, to), -1),)
        known = _names(ids)
        low, high = np.divmod(known, count)
        totals = links_between(links, of, low, high) + links_between(links, of, high, low)
        found.append(_Kind(_Naming(form, "pair", "both", name, count), ids, known, totals))
    frm, to = host[links.frm], host[links.to]
    one_way = (np.where(frm != to, frm * count + to, -1),)
    known = _names(one_way)
    naming = _Naming("host {} -> host {}", "pair", "send", names.__getitem__, count)
    return [*found, _Kind(naming, one_way, known, links_between(links, host, *np.divmod(known, count)))]


def _names(ids: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
    known = np.unique(np.concatenate(ids))
    return known[known >= 0]


def _sums(of: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sums of the ranks' counts by the host or rank `of` each."""
    return np.bincount(of, weights=counts).astype(np.int64)


def _best(kinds: list[_Kind], open_: NDArray[np.bool_]) -> tuple[_Kind, int] | None:
    """The name with most open failed links, among equals with fewest healthy ones; None if only single links remain."""

    def offers() -> Iterator[tuple[int, int, int, int]]:
        for k, kind in enumerate(kinds):
            failed = kind.count(open_)
            worth = (failed >= FEW) & (failed >= WORTH_FOLDING * kind.totals)
            worth |= (failed >= 2) & (failed == kind.totals)
            for name in np.flatnonzero(worth & (failed == np.max(failed, where=worth, initial=0))):
                yield int(failed[name]), -int(kind.totals[name]), -k, int(name)

    best = max(offers(), default=None, key=lambda offer: offer[:3])
    return None if best is None else (kinds[-best[2]], best[3])
