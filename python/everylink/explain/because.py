"""Joins a judgement with the inventory: the cause of each verdict, and what deviates without being slow."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from everylink.errors import NotEnoughMemory
from everylink.explain.pcie_switches import one_per_switch
from everylink.explain.staged import staged_findings
from everylink.inventory.cluster import Cluster
from everylink.inventory.drift import Deviation, Drift, drift_of
from everylink.inventory.gpus import GpusOfRun
from everylink.inventory.meanings import (
    DEVICE,
    HOST,
    NET,
    PCI,
    PROVING,
    Severity,
    counter,
    kind_of_part,
)
from everylink.inventory.retransmits import loss_of_host, loss_of_ranks
from everylink.io.topology import Topology
from everylink.judge.verdict import Finding, Judgement, Scope, Side, Verdict
from everylink.model.results import Results

NONE_SEEN = "no cause seen in adapters, links, settings and counters"
EQUALS_OF_FAULT = 2  # with fewer, a host may be as it should be
SETTINGS = (  # slow by themselves; versions only perhaps
    "governor", "smt", "processors", "cpu_model", "iommu", "mtu", "acs", "max_read_request", "pkey", "gid", "ip",
    "traffic", "throttle_reasons",
)  # fmt: skip
BETWEEN_TWO = ("mtu", "ip", "gid", "pkey", "sm_lid", "address", "node_guid")  # keep two apart, although each is well
CUDA = "cuda"  # the mode between GPUs of a host or of an NVLink domain
HARMLESS = ("name",)  # a host name used twice slows nothing down


def explained(results: Results, judgement: Judgement, topology: Topology | None = None) -> Judgement:
    """The judgement with a cause for each verdict, and with what else deviates on the hosts that were read.

    `topology`: what a file tells, where the cables of ports end among it.
    """
    if not was_read(results):
        return replace(judgement, findings=staged_findings(results, has_adapters=False))
    found = drift_of(results, topology)
    staged = staged_findings(results, has_adapters=bool(found.cluster.parts_of(DEVICE)))
    judgement = replace(judgement, verdicts=one_per_switch(judgement.verdicts, found.cluster))
    verdicts = tuple(
        replace(one, because=_cause(one, found, results.facts.transport == CUDA)) for one in judgement.verdicts
    )
    causes = [one.because for one in verdicts]
    others = [one for one in found.deviations if not any(cause.endswith(one.sentence) for cause in causes)]
    findings = tuple(_finding(one) for one in others if one.severity is not Severity.INFO)
    return replace(judgement, verdicts=verdicts, findings=(*staged, *findings))


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


def _cause(verdict: Verdict, found: Drift, in_mode_cuda: bool) -> str:
    """What deviates most on the accused host or between the accused two; empty where it was not read."""
    cluster = found.cluster
    ends = [_end(cluster, name) for name in verdict.subject]
    over_nvlinks = in_mode_cuda or len(cluster.names) == 1 or _is_within(verdict, ends)
    if not ends or any(end is None or end[0] not in cluster.inventory.hosts for end in ends):
        return ""
    known = [end for end in ends if end is not None]
    gpus = GpusOfRun(cluster, over_nvlinks)
    candidates = [one for one in found.deviations if _may_explain(one, verdict, known, gpus)]
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


def _is_within(verdict: Verdict, ends: Sequence[tuple[int, int | None] | None]) -> bool:
    """Whether it rests on links within one host."""
    is_pair = verdict.kind in ("pair", "link") and len({end and end[0] for end in ends}) == 1
    return is_pair or verdict.scope is Scope.WITHIN


def _may_explain(one: Deviation, verdict: Verdict, ends: Sequence[tuple[int, int | None]], gpus: GpusOfRun) -> bool:
    grew = counter(one.name).family in PROVING and one.value.startswith("+")
    if (one.severity is Severity.INFO and not grew) or one.name in HARMLESS:
        return False
    at = next((host for host, _ in ends if host in one.numbers), one.numbers[0])
    if all(gpus.is_idle(part, at) for part in one.parts):
        return False
    hosts = {host for host, _ in ends}
    if verdict.kind == "rank" and verdict.scope is Scope.EACH:
        return all(host in one.numbers and _concerns(one, host, rank, gpus) for host, rank in ends)
    if verdict.kind not in ("host", "rank", "pair", "link"):
        shared = hosts.intersection(one.numbers)
        return 2 * len(shared) >= max(len(hosts), len(one.numbers))
    if verdict.kind in ("pair", "link") and one.name not in BETWEEN_TWO and not grew:
        return len(ends) == 2 and ends[0][0] in one.numbers and gpus.joins(one.parts, ends)
    return any(host in one.numbers and _concerns(one, host, rank, gpus) for host, rank in ends)


def _concerns(one: Deviation, host: int, rank: int | None, gpus: GpusOfRun) -> bool:
    """Whether a deviation is of the host itself, or of an adapter or GPU of the rank, as far as that is known."""
    if rank is None or one.parts == (HOST,):
        return True
    own = _parts_of_rank(rank, host, gpus.cluster) | gpus.parts_of_rank(rank)
    return not own or bool(own.intersection(one.parts))


def _parts_of_rank(rank: int, host: int, cluster: Cluster) -> set[str]:
    """The adapters that a rank uses, with their ports, interfaces and PCI functions; empty if not known."""
    ranks = cluster.ranks
    used = cluster.parts_in(f"{ranks.device[rank]} {ranks.lanes[rank]}")
    used |= {cluster.interfaces[host, part] for part in used if (host, part) in cluster.interfaces}
    used |= {part for part in cluster.parts_of(NET) if cluster.interfaces.get((host, part)) in used}
    ports = {port for device in used for port in cluster.ports_of(device)}
    return used | ports | {part for device in used for part in cluster.functions_of(device, host)}


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
