"""Links that a host could not measure, because it lacked descriptors, memory or an address: no fault of the network."""

from dataclasses import dataclass

from everylink.model.results import Results
from everylink.units import plural

MOST = 10


@dataclass(frozen=True)
class Cause:
    """What hosts lacked; `hosts` in the order of their first rank, `ranks` ascending."""

    cause: str
    hosts: tuple[str, ...]
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        ranks = ", ".join(map(str, self.ranks[:MOST])) + _more(len(self.ranks))
        one_rank, one_host = len(self.ranks) == 1, len(self.hosts) == 1
        hosts = ", ".join(self.hosts[:MOST]) + _more(len(self.hosts))
        return f"{self.cause} on host{'' if one_host else 's'} {hosts} (rank{'' if one_rank else 's'} {ranks})"


@dataclass(frozen=True)
class Unmeasured:
    """`count` of `links` links; `causes` are known once the run has committed them."""

    count: int
    links: int
    causes: tuple[Cause, ...]

    def __str__(self) -> str:
        """The words of everylink-measure (core/coordinator/local_faults.cpp)."""
        why = f": {'; '.join(map(str, self.causes))}" if self.causes else ""
        return f"{self.count} of {plural(self.links, 'link')} could not be measured{why}"


def unmeasured(results: Results) -> Unmeasured | None:
    """The links that a host could not measure, at the size at which they are most; None if there is none."""
    worst = max((size.outcomes for size in results.sizes), key=lambda found: found.unmeasured, default=None)
    if worst is None or not worst.unmeasured:
        return None
    return Unmeasured(worst.unmeasured, worst.links + worst.unmeasured, local_causes(results))


def partly_unmeasured(results: Results) -> list[str]:
    """One sentence where hosts could not measure some links each time, though every link at least once."""
    causes = local_causes(results) if unmeasured(results) is None else ()
    return [f"Some measurements could not be made: {'; '.join(map(str, causes))}."] if causes else []


def local_causes(results: Results) -> tuple[Cause, ...]:
    """What hosts lacked, in alphabetical order."""
    faults = results.local_faults
    by_cause: dict[str, set[int]] = {}
    for rank, cause in zip(faults.rank.tolist(), faults.cause, strict=True):
        by_cause.setdefault(cause, set()).add(rank)
    return tuple(_cause(results, cause, sorted(ranks)) for cause, ranks in sorted(by_cause.items()))


def _cause(results: Results, cause: str, ranks: list[int]) -> Cause:
    return Cause(cause, tuple(dict.fromkeys(results.ranks.host[rank] for rank in ranks)), tuple(ranks))


def _more(count: int) -> str:
    return f" and {count - MOST} more" if count > MOST else ""
