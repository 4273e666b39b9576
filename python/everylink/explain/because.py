"""Joins a judgement with the inventory: the cause of each verdict, and what deviates without being slow."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from everylink.errors import NotEnoughMemory
from everylink.inventory.cluster import Cluster
from everylink.inventory.drift import Deviation, Drift, drift_of
from everylink.inventory.meanings import (
    DEVICE,
    GPU,
    HOST,
    NET,
    PCI,
    PROVING,
    Severity,
    counter,
    device_of,
    kind_of_part,
)
from everylink.inventory.retransmits import loss_of_host, loss_of_ranks
from everylink.io.topology import Topology
from everylink.judge.verdict import Finding, Judgement, Side, Verdict
from everylink.model.results import Results

NONE_SEEN = "no cause seen in adapters, links, settings and counters"
EQUALS_OF_FAULT = 2  # with fewer, a host may be as it should be
SETTINGS = (  # slow by themselves; versions only perhaps
    "governor", "smt", "processors", "cpu_model", "iommu", "mtu", "acs", "max_read_request", "pkey", "gid", "ip",
    "traffic",
)  # fmt: skip
BETWEEN_TWO = ("mtu", "ip", "gid", "pkey", "sm_lid", "address", "node_guid")  # keep two apart, although each is well
HARMLESS = ("name",)  # a host name used twice slows nothing down


def explained(results: Results, judgement: Judgement, topology: Topology | None = None) -> Judgement:
    """The judgement with a cause for each verdict, and with what else deviates on the hosts that were read.

    `topology`: what a file tells, where the cables of ports end among it.
    """
    if not was_read(results):
        return judgement
    found = drift_of(results, topology)
    verdicts = tuple(replace(one, because=_cause(one, found)) for one in judgement.verdicts)
    causes = [one.because for one in verdicts]
    others = [one for one in found.deviations if not any(cause.endswith(one.sentence) for cause in causes)]
    findings = tuple(_finding(one) for one in others if one.severity is not Severity.INFO)
    return replace(judgement, verdicts=verdicts, findings=findings)


def _finding(one: Deviation) -> Finding:
    kind = "errors" if counter(one.name).family in PROVING else "config"
    is_fault = one.severity is Severity.CRITICAL and one.equals_count >= EQUALS_OF_FAULT
    return Finding(kind, one.hosts, one.parts, str(one.severity), one.sentence, is_fault)


def was_read(results: Results) -> bool:
    """Whether the file has an inventory that fits into memory."""
    try:
        return len(results.inventory) > 0
    except NotEnoughMemory:
        return False


def _cause(verdict: Verdict, found: Drift) -> str:
    """What deviates most on the accused host or between the accused two; empty where it was not read."""
    cluster = found.cluster
    ends = [_end(cluster, name) for name in verdict.subject]
    if not ends or any(end is None or end[0] not in cluster.inventory.hosts for end in ends):
        return ""
    known = [end for end in ends if end is not None]
    candidates = [one for one in found.deviations if _may_explain(one, verdict, known, cluster)]
    best = min(candidates, key=_order, default=None)
    if (best is None or best.severity is not Severity.CRITICAL) and (loss := _loss(verdict, known, found)):
        return f"because: {loss}"
    if best is None:
        return NONE_SEEN if verdict.is_end else ""
    return f"{'because' if _order(best)[0] < len(_ORDER) - 1 else 'perhaps because'}: {best.sentence}"


def _loss(verdict: Verdict, ends: Sequence[tuple[int, int | None]], found: Drift) -> str:
    """What TCP sent again on the accused links, if that is more than elsewhere."""
    ranks = found.cluster.ranks
    if not len(found.cluster.inventory.retransmits.rank):
        return ""
    if verdict.kind == "host":
        return str(loss_of_host(found.counters, ends[0][0]) or "")
    if verdict.kind not in ("pair", "link") or len(ends) != 2:
        return ""
    there, back = (
        [rank] if rank is not None else np.flatnonzero(ranks.host_index == host).tolist() for host, rank in ends
    )
    links = [(a, b) for a in there for b in back]
    if verdict.direction == Side.BOTH:
        links += [(b, a) for a, b in links]
    return str(loss_of_ranks(found.counters, links) or "")


def _end(cluster: Cluster, name: str) -> tuple[int, int | None] | None:
    """The index of a host, and the rank if the name is that of a rank."""
    ranks = cluster.ranks
    if name in cluster.names:
        return cluster.names.index(name), None
    rank = ranks.numbers.get(name)
    return None if rank is None else (int(ranks.host_index[rank]), rank)


def _may_explain(one: Deviation, verdict: Verdict, ends: Sequence[tuple[int, int | None]], cluster: Cluster) -> bool:
    grew = counter(one.name).family in PROVING and one.value.startswith("+")
    if (one.severity is Severity.INFO and not grew) or one.name in HARMLESS:
        return False
    if all(_is_of_gpus(part, one.numbers[0], cluster) for part in one.parts):
        return False
    hosts = {host for host, _ in ends}
    if verdict.kind not in ("host", "rank", "pair", "link"):
        shared = hosts.intersection(one.numbers)
        return 2 * len(shared) >= max(len(hosts), len(one.numbers))
    if verdict.kind in ("pair", "link") and one.name not in BETWEEN_TWO and not grew:
        return False
    return any(host in one.numbers and _concerns(one, host, rank, cluster) for host, rank in ends)


def _is_of_gpus(part: str, host: int, cluster: Cluster) -> bool:
    """Whether a part carries nothing but what GPUs do: no messages of today's modes."""

    def leads_to(*kinds: str) -> bool:
        return any(part in _functions(device, host, cluster) for kind in kinds for device in cluster.parts_of(kind))

    if kind_of_part(part) == PCI:
        return leads_to(GPU) and not leads_to(DEVICE, NET)
    return kind_of_part(device_of(part)) == GPU


def _concerns(one: Deviation, host: int, rank: int | None, cluster: Cluster) -> bool:
    """Whether a deviation is of the host itself, or of an adapter of the rank, as far as that is known."""
    if rank is None or one.parts == (HOST,):
        return True
    own = _parts_of_rank(rank, host, cluster)
    return not own or bool(own.intersection(one.parts))


def _parts_of_rank(rank: int, host: int, cluster: Cluster) -> set[str]:
    """The adapters that a rank uses, with their ports, interfaces and PCI functions; empty if not known."""
    ranks = cluster.ranks
    used = cluster.parts_in(f"{ranks.device[rank]} {ranks.lanes[rank]}")
    used |= {cluster.interfaces[host, part] for part in used if (host, part) in cluster.interfaces}
    used |= {part for part in cluster.parts_of(NET) if cluster.interfaces.get((host, part)) in used}
    ports = {port for device in used for port in cluster.ports_of(device)}
    return used | ports | {part for device in used for part in _functions(device, host, cluster)}


def _functions(device: str, host: int, cluster: Cluster) -> list[str]:
    texts = cluster.inventory.texts
    levels = ((level, np.flatnonzero(level.hosts == host)) for level in cluster.levels(device))
    return [texts[int(level.parts[at[0]])] for level, at in levels if len(at)]


def _order(one: Deviation) -> tuple[int, int]:
    """Sort key: what explains best first."""
    place = next(place for place, applies in enumerate(_ORDER) if applies(one))
    return place, len(one.hosts)


_ORDER: tuple[Callable[[Deviation], bool], ...] = (
    lambda one: one.severity is Severity.CRITICAL,
    lambda one: counter(one.name).family in PROVING,
    lambda one: one.name in SETTINGS or kind_of_part(one.parts[0]) == PCI,
    lambda one: True,
)
