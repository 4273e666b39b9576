"""Failed links folded into few lines: a host that is dark is one line, not one for each of its links."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.names import host_names
from everylink.links import Links, Outcome, keys, outcome_text
from everylink.results import Ranks, Results, Size

WORTH_FOLDING = 0.5  # a group is named where at least this part of its links failed
FEW = 3  # fewer failed links are a group only where all of its links failed
LINES = 10


@dataclass(frozen=True)
class Again:
    """What became of failed links that were tried once more alone, each counted once."""

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
    """Failed links that one name covers: `failed` of `links`; `outcomes` counts them, the most frequent first.

    `kind` is all, host, rank, pair or link; `direction` send, receive or both; `subject` names of hosts or ranks, of a
    pair with a direction from and to. `again` is None in a run that tried no link again.
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
    """All failed links of a size: as groups, and how many the groups leave out. Those that were ok alone come last."""

    failed: int
    links: int
    groups: tuple[FailedGroup, ...]
    left_out: int
    again: Again | None

    def heading(self) -> str:
        tried = f"; {self.again}" if self.again else ""
        return f"{self.failed} of {self.links} links{tried}"

    def lines(self, most: int = LINES) -> list[str]:
        """A line each group, and one for what these leave out."""
        left_out = self.left_out + sum(group.failed for group in self.groups[most:])
        return [str(group) for group in self.groups[:most]] + ([f"and {left_out} more links"] if left_out else [])


@dataclass(frozen=True)
class _Naming:
    """How things of a kind are called: `form` takes the names of the subject; with a `base` an id is two numbers."""

    form: str
    kind: str
    direction: str
    name_of: Callable[[int], str]
    base: int | None = None

    def subject(self, i: int) -> tuple[str, ...]:
        return tuple(map(self.name_of, divmod(i, self.base) if self.base else (i,)))


@dataclass(frozen=True)
class _Kind:
    """Names of one kind: each of `ids` says for each link which name it belongs to, -1: none.

    `known` are the names of failed links, `totals` how many links each of them has.
    """

    naming: "_Naming"
    ids: tuple[NDArray[np.int64], ...]
    known: NDArray[np.int64]
    totals: NDArray[np.intp]

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        return _count(self.ids, self.known, mask)

    def of(self, name: int) -> NDArray[np.bool_]:
        return np.asarray(np.any([ids == self.known[name] for ids in self.ids], axis=0))


def fold_failures(results: Results, size: Size) -> Failures:
    """Fold the failed links of one size: the name that covers most of them first, then single links."""
    links, again = size.links, _again(results, size)
    if len(links) > 1 and links.failed.all():
        every = _group(_Naming("all links", "all", "both", str), (), links, links.failed, again)
        return Failures(len(links), len(links), (every,), 0, every.again)
    kinds = _kinds(links, results.ranks) if links.failed.any() else []
    open_ = links.failed.copy()
    groups: list[FailedGroup] = []
    while open_.any() and len(groups) < LINES and (best := _best(kinds, open_)):
        kind, name = best
        inside = kind.of(name)
        groups.append(_group(kind.naming, kind.naming.subject(int(kind.known[name])), links, inside, again))
        open_ &= ~inside
    for i in np.flatnonzero(open_)[: LINES - len(groups)]:
        one = np.arange(len(links)) == i
        link = _Naming("link {} -> {}", "link", "send", results.ranks.name, len(results.ranks))
        subject = link.subject(int(links.frm[i]) * len(results.ranks) + int(links.to[i]))
        groups.append(_group(link, subject, links, one, again))
        open_ &= ~one
    groups.sort(key=lambda group: group.again is not None and group.again.only_under_load)
    in_all = None if again is None else _counted(again[links.failed])
    return Failures(int(links.failed.sum()), len(links), tuple(groups), int(open_.sum()), in_all)


def _again(results: Results, size: Size) -> NDArray[np.int16] | None:
    """For each link the outcome of its attempt alone, -1 where there was none; None where there was none at all."""
    links, alone, ranks = size.links, size.alone, len(results.ranks)
    if not results.facts.failed_not_retried and not any(len(other.alone) for other in results.sizes):
        return None
    key, known = keys(links, ranks), keys(alone, ranks)
    if not len(known):
        return np.full(len(links), -1, np.int16)
    at = np.minimum(np.searchsorted(known, key), len(known) - 1)  # both are ordered
    return np.where(known[at] == key, alone.outcome[at].astype(np.int16), np.int16(-1))


def _counted(again: NDArray[np.int16]) -> Again:
    ok, untried = int((again == Outcome.OK).sum()), int((again < 0).sum())
    return Again(len(again) - ok - untried, ok, untried)


def _group(
    naming: _Naming,
    subject: tuple[str, ...],
    links: Links,
    inside: NDArray[np.bool_],
    again: NDArray[np.int16] | None,
) -> FailedGroup:
    failed = inside & links.failed
    outcomes = Counter(links.outcome[failed].tolist())
    tried = None if again is None else _counted(again[failed])
    return FailedGroup(
        naming.form.format(*subject), naming.kind, naming.direction, subject,
        outcomes.total(), int(inside.sum()), tuple(outcomes.most_common()), tried,
    )  # fmt: skip


def _kinds(links: Links, ranks: Ranks) -> list[_Kind]:
    """What may be named: hosts and ranks, either of their directions alone, and what lies between two of them."""
    hosts, host = host_names(ranks), ranks.host_index.astype(np.int64)
    found: list[tuple[_Naming, tuple[NDArray[np.int64], ...]]] = []
    for what, of, name in (("host", host, hosts.__getitem__), ("rank", np.arange(len(ranks)), ranks.name)):
        frm, to = of[links.frm], of[links.to]
        apart = frm != to
        found.append((_Naming(what + " {}", what, "both", name), (frm, np.where(apart, to, -1))))
        found.append((_Naming(f"from {what} {{}}", what, "send", name), (frm,)))
        found.append((_Naming(f"to {what} {{}}", what, "receive", name), (to,)))
    for between, of, name in (
        ("pair {} <-> {}", np.arange(len(ranks)), ranks.name),
        ("hosts {} <-> {}", host, hosts.__getitem__),
    ):
        frm, to = of[links.frm], of[links.to]
        low, high = np.minimum(frm, to), np.maximum(frm, to)
        ids = np.where(low != high, low * len(ranks) + high, -1)
        found.append((_Naming(between, "pair", "both", name, len(ranks)), (ids,)))
    frm, to = host[links.frm], host[links.to]
    one_way = np.where(frm != to, frm * len(ranks) + to, -1)
    found.append((_Naming("host {} -> host {}", "pair", "send", hosts.__getitem__, len(ranks)), (one_way,)))
    return [_kind(naming, ids, links.failed) for naming, ids in found]


def _kind(naming: _Naming, ids: tuple[NDArray[np.int64], ...], failed: NDArray[np.bool_]) -> _Kind:
    known = np.unique(np.concatenate([part[failed] for part in ids]))
    known = known[known >= 0]
    return _Kind(naming, ids, known, _count(ids, known, np.ones(len(failed), bool)))


def _count(ids: tuple[NDArray[np.int64], ...], known: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    counts = np.zeros(len(known), np.intp)
    for part in ids if len(known) else ():
        at = np.minimum(np.searchsorted(known, part[mask]), len(known) - 1)
        counts += np.bincount(at[known[at] == part[mask]], minlength=len(known))
    return counts


def _best(kinds: list[_Kind], open_: NDArray[np.bool_]) -> tuple[_Kind, int] | None:
    """The name that covers most open failed links, of two the one with fewer healthy links; None: single links."""

    def offers() -> Iterator[tuple[int, int, int, int]]:
        for k, kind in enumerate(kinds):
            failed = kind.count(open_)
            worth = (failed >= FEW) & (failed >= WORTH_FOLDING * kind.totals)
            worth |= (failed >= 2) & (failed == kind.totals)
            for name in np.flatnonzero(worth & (failed == np.max(failed, where=worth, initial=0))):
                yield int(failed[name]), -int(kind.totals[name]), -k, int(name)

    best = max(offers(), default=None, key=lambda offer: offer[:3])
    return None if best is None else (kinds[-best[2]], best[3])
