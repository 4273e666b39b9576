"""What got slower or faster between two runs, and which links failed in one of them only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from everylink.analysis.changes import Change, worst_first
from everylink.analysis.changes_of_size import SizeChanges, changes_of_size
from everylink.analysis.failed import FailedGroup, fold_failures
from everylink.analysis.matching import Matched, match, measured_in_both, only_links
from everylink.errors import UserMistake
from everylink.links import keys
from everylink.results import Results


@dataclass(frozen=True)
class Failure:
    """Links that failed in one run only: `group` names them, at `bytes` and the sizes `also`."""

    group: FailedGroup
    bytes: int
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """`failed` were ok in the base, `healed` failed there; of changes those that weigh most come first.

    Suspects are slower in all of their readings, which are too few to be sure. `least` is the smallest part of a time
    that counts.
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
    """Compare two runs. Raises UserMistake, which names what keeps them from being compared."""
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
    """The links that failed in one run and were measured well in the other, folded; equal groups of sizes in one."""
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
