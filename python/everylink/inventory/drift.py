"""The deviations of hosts from their equals: each cause once, equal ones of several hosts and parts in one line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from everylink.host_lists import folded
from everylink.inventory.changes import CounterFindings
from everylink.inventory.cluster import Cluster, cluster_of
from everylink.inventory.duplicates import Duplicate, duplicates
from everylink.inventory.equals import MISSING, PRESENT, Found, Split, compared
from everylink.inventory.folding import fold, parts_text
from everylink.inventory.meanings import (
    DEVICE,
    HOST,
    NEEDS_A_LINK,
    NET,
    PORT,
    SAME_ELSEWHERE,
    Family,
    Severity,
    counter,
    device_of,
    fact,
    kind_of_part,
)
from everylink.inventory.meanings import TITLES_OF_PARTS as TITLES
from everylink.io.topology import Topology
from everylink.model.results import Results

STATES = ("state", "phys_state", "operstate", "carrier", "port/link")


@dataclass(frozen=True)
class Deviation:
    """What these hosts have and their equals do not. Parts and names are those of /inventory.

    `numbers`: the indices of the hosts. `usual`: the value of the `equals_count` others; 0: there are none to compare
    with.
    """

    hosts: tuple[str, ...]
    numbers: tuple[int, ...]
    parts: tuple[str, ...]
    name: str
    value: str
    usual: str
    equals_count: int
    severity: Severity
    sentence: str


@dataclass(frozen=True, eq=False)
class Drift:
    """What an inventory shows of a run. `deviations`: the most severe first."""

    cluster: Cluster
    counters: CounterFindings
    deviations: tuple[Deviation, ...]
    splits: tuple[Split, ...]

    @cached_property
    def is_critical(self) -> bool:
        return any(one.severity is Severity.CRITICAL for one in self.deviations)


def drift_of(results: Results, topology: Topology | None = None) -> Drift:
    """Compare the hosts of a run; empty where nothing was read. `topology`: may tell where the cables of ports end."""
    return _drift(cluster_of(results, topology))


@lru_cache(maxsize=1)  # verdicts, and what is shown beside them, ask for the same
def _drift(cluster: Cluster) -> Drift:
    comparison = compared(cluster)
    counters = CounterFindings(cluster)
    found = unexplained(cluster, [*comparison.found, *counters.found()])
    deviations = [*_folded(cluster, found), *(_of_duplicate(cluster, one) for one in duplicates(cluster))]
    order = sorted(deviations, key=lambda one: (-one.severity, one.parts != (HOST,), one.numbers, one.parts, one.name))
    return Drift(cluster, counters, tuple(order), _once(comparison.splits))


def _once(splits: Sequence[Split]) -> tuple[Split, ...]:
    """Splits of the same hosts and values as one, with all the parts that are split so."""
    parts: dict[tuple[str, tuple[tuple[str, tuple[int, ...]], ...]], list[str]] = {}
    for split in splits:
        parts.setdefault((split.name, split.classes), []).append(split.part)
    return tuple(Split(parts_text(sorted(set(several))), *key) for key, several in parts.items())


def unexplained(cluster: Cluster, found: Sequence[Found]) -> list[Found]:
    """The deviations without those that others of the same host explain."""
    names: dict[tuple[int, str], set[str]] = {}
    for one in found:
        names.setdefault((one.host, one.part), set()).add(one.name)
    kept = []
    for one in found:
        own = names[one.host, one.part]
        device = cluster.interfaces.get((one.host, one.part), device_of(one.part))
        parts = (device, *cluster.ports_of(device))
        of_device = set().union(*(names.get((one.host, part), ()) for part in parts))
        of_host = names.get((one.host, HOST), set())
        if not (
            _is_explained(one, own | of_host | (of_device if kind_of_part(one.part) == PORT else set()))
            or (one.name in NEEDS_A_LINK and (own | of_device).intersection(STATES) - {one.name})
            or (device != one.part and kind_of_part(one.part) == NET and SAME_ELSEWHERE.get(one.name) in of_device)
        ):
            kept.append(one)
    return kept


def _is_explained(one: Found, others: set[str]) -> bool:
    reasons = fact(kind_of_part(one.part), one.name).explained_by
    return any(
        name != one.name and (name in reasons or any(r.endswith("/") and name.startswith(r) for r in reasons))
        for name in others
    )


def _folded(cluster: Cluster, found: Sequence[Found]) -> Iterator[Deviation]:
    """Equal deviations of several hosts and parts as one."""
    whats = (
        (one.host, one.part, (one.name, one.value, one.usual, one.equals, one.severity, one.told)) for one in found
    )
    for numbers, parts, (name, value, usual, equals, severity, told) in fold(whats):
        names = tuple(cluster.names[number] for number in numbers)
        what = told or _told(parts, name, value, usual, equals)
        sentence = f"{folded(names)}: {what}{_cable(cluster, numbers, parts, name, severity)}"
        yield Deviation(names, numbers, parts, name, value, usual, equals, severity, sentence)


def _cable(cluster: Cluster, numbers: Sequence[int], parts: Sequence[str], name: str, severity: Severity) -> str:
    """Where the cable of a single port ends, if that port is down, slow, or saw errors."""
    at_port = severity is Severity.CRITICAL or counter(name).family in (Family.ERRORS, Family.RECOVERY)
    if len(numbers) > 1 or len(parts) > 1 or not at_port or kind_of_part(parts[0]) not in (PORT, NET, DEVICE):
        return ""
    neighbour = cluster.neighbour(numbers[0], parts[0])
    return f"; its cable ends at {neighbour}" if neighbour else ""


def _told(parts: Sequence[str], name: str, value: str, usual: str, equals: int) -> str:
    """`firmware 28.39.1002 of ib/mlx5_[0-1]; the other 62 have 28.43.2566`."""
    kind = kind_of_part(parts[0])
    where = "" if kind == HOST else f" of {parts_text(parts)}"
    others = f"the other {equals} have" if equals != 1 else "the other one has"
    if name == PRESENT:
        return f"{parts_text(parts)} {'is' if len(parts) == 1 else 'are'} {MISSING}; {others} {usual_of(parts)}"
    said = f"{TITLES.get((kind, name), fact(kind, name).title)} {value}{where}"
    if equals:
        return f"{said}; {others} {usual}"
    return f"{said}, of {usual} that both ends can do" if name.endswith("_width") else f"{said}; its siblings: {usual}"


def usual_of(parts: Sequence[str]) -> str:
    return "it" if len(parts) == 1 else "them"


def _of_duplicate(cluster: Cluster, one: Duplicate) -> Deviation:
    numbers = tuple(sorted({host for host, _ in one.owners}))
    names = tuple(cluster.names[number] for number in numbers)
    parts = tuple(sorted({part for _, part in one.owners}))
    where = "" if parts == (HOST,) else f" ({parts_text(parts)})"
    title = fact(kind_of_part(parts[0]), one.name).title
    sentence = f"{folded(names)}: the same {title}, {one.value}{where}"
    return Deviation(names, numbers, parts, one.name, one.value, "", 0, one.severity, sentence)
