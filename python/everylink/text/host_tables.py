"""Tables of hosts, switches and cables, as texts: the terminal and every page of a report show the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everylink.explain.because import NONE_SEEN, was_read
from everylink.host_lists import folded, folded_numbers
from everylink.inventory.cables import GIVEN, Wiring, wiring_of_run
from everylink.inventory.cluster import Cluster, cluster_of
from everylink.inventory.equals import slowdowns
from everylink.inventory.folding import parts_text
from everylink.inventory.gpus import gpu_of, ways_of
from everylink.inventory.meanings import GPU, kind_of_part
from everylink.inventory.switches import CableRow, SwitchRow, Typical, cable_rows, switch_rows
from everylink.judge.verdict import JudgedRun
from everylink.links.host_pairs import Path, have_several_paths, host_pairs, how_many_pairs
from everylink.links.hosts import host_names
from everylink.links.rails import rails
from everylink.model.results import Results, Size
from everylink.text.run import rate_text
from everylink.units import number_text, plural, size_text, time_text

SECTION = "Hosts, adapters and cables"
GPUS = "GPUs"
MOST_IN_REPORT = 15
NOT_TOLD = "-"


@dataclass(frozen=True)
class HostTable:
    """`texts`: headings of the columns that hold no numbers. `note`: what is left out, and which command lists it."""

    title: str
    headings: tuple[str, ...]
    texts: frozenset[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def report_tables(run: JudgedRun) -> list[HostTable]:
    """What a report says of hosts, adapters and cables; empty where neither the run nor a topology file tells any."""
    findings = [findings_table(run)] if was_read(run.results) else []
    return [*findings, *gpu_tables(run.results), *link_tables(run)]


def gpu_tables(results: Results) -> list[HostTable]:
    """The table of GPUs, of runs in their memory."""
    return [gpus_table(results)] if results.ranks.in_memory_of_gpus else []


def link_tables(run: JudgedRun) -> list[HostTable]:
    """Of these the switches, the cables and the pairs of hosts at the largest size, the worst first."""
    results, most = run.results, MOST_IN_REPORT
    tables: list[HostTable] = []
    if run.topology is None and not was_read(results):
        return tables
    for size in results.sizes[-1:]:
        if wiring := wiring_of_run(results, run.topology):
            subjects = run.judgement.subjects
            listing = f"everylink show FILE --switches{_file(wiring)} --all lists them"
            switches = sorted(switch_rows(results, size, wiring, subjects), key=_badness, reverse=True)
            tables.append(switches_table(results, size, switches, wiring, most, listing))
            if cables := cable_rows(results, size, wiring, subjects):
                tables.append(cables_table(results, size, cables, wiring, most, listing))
        if have_several_paths(results.ranks):
            tables.append(host_pairs_table(results, size, most, "everylink show FILE --host-pairs --all lists them"))
    return tables


def _badness(row: SwitchRow) -> tuple[float, ...]:
    every = (row.within, row.to_others, row.from_others)
    slowest = max((one.seconds for one in every if one.seconds == one.seconds), default=0.0)
    return row.verdicts, sum(one.failed for one in every), slowest


def findings_table(run: JudgedRun) -> HostTable:
    """What deviates on hosts, the most severe first."""
    judgement, findings = run.judgement, run.judgement.findings
    rows = [
        (one.severity, one.kind, folded(one.hosts), parts_text(one.parts), one.text)
        for one in findings[:MOST_IN_REPORT]
    ]
    explains = any(verdict.because not in ("", NONE_SEEN) for verdict in judgement.verdicts)
    title = "Other deviations from equals than the causes of verdicts" if explains else "Deviations from equals"
    note = "" if findings else f"none ({plural(len(run.results.inventory.hosts), 'host')} read)"
    if (left := len(findings) - len(rows)) > 0:
        note = f"{left} more; everylink diagnose FILE --all lists them"
    headings = ("severity", "kind", "hosts", "parts", "what deviates")
    return HostTable(title, headings, frozenset(headings), rows, note)


def gpus_table(results: Results) -> HostTable:
    """The GPUs whose memory held the messages: what equal ones are and what lies around them, the most frequent
    first."""
    told = cluster_of(results) if was_read(results) else None
    of_gpus: dict[tuple[str, ...], list[int]] = {}
    for rank in np.flatnonzero(results.ranks.gpu >= 0).tolist():
        of_gpus.setdefault(_gpu_cells(results, rank, told), []).append(rank)
    kinds = sorted(of_gpus.items(), key=lambda one: -len(one[1]))
    rows = [(_gpus_text(results, ranks), *cells) for cells, ranks in kinds[:MOST_IN_REPORT]]
    headings = ("GPUs", "model", "messages", "to device", "to other GPUs", "NVLinks up", "PCIe", "ECC", "slowed by")
    note = _left_out(
        len(kinds), len(rows), "everylink inventory FILE and everylink export FILE --what places list them"
    )
    return HostTable("GPUs whose memory held the messages", headings, frozenset(headings), rows, note)


def _gpus_text(results: Results, ranks: Sequence[int]) -> str:
    """`n[0-3]: 0-7`, hosts with the same of their GPUs together."""
    names, gpus = host_names(results.ranks), dict[int, set[int]]()
    for rank in ranks:
        gpus.setdefault(int(results.ranks.host_index[rank]), set()).add(int(results.ranks.gpu[rank]))
    hosts: dict[str, list[str]] = {}
    for host, numbers in gpus.items():
        hosts.setdefault(folded_numbers(map(str, sorted(numbers))), []).append(names[host])
    return "; ".join(f"{folded(some)}: {numbers}" for numbers, some in hosts.items())


def _gpu_cells(results: Results, rank: int, cluster: Cluster | None) -> tuple[str, ...]:
    """The model of a rank's GPU, how its messages went, and what its inventory tells."""
    ranks = results.ranks
    of_rank = (ranks.gpu_name[rank], ranks.gpu_path[rank] or NOT_TOLD, ranks.gpu_to_device[rank] or NOT_TOLD)
    if cluster is None:
        return (*of_rank, *[NOT_TOLD] * 5)
    host, gpu = int(ranks.host_index[rank]), gpu_of(cluster, rank)

    def told(part: str, name: str) -> str:
        return cluster.inventory.value_of(host, part, name)

    ways = Counter(way for part, way in ways_of(cluster, gpu, host).items() if kind_of_part(part) == GPU)
    links = [told(link, "state") for link in cluster.ports_of(gpu)]
    up = f"{links.count('active')} of {len(links)}" if links else "none"
    own = f"pci/{told(gpu, 'pci')}"
    lanes = [told(own, f"{which}_link_width") for which in ("current", "max")]
    pcie = (
        f"x{lanes[0]} of x{lanes[1]}, {told(own, 'max_link_speed').removesuffix(' PCIe')}" if all(lanes) else NOT_TOLD
    )
    to_gpus = ", ".join(f"{way}: {count}" for way, count in sorted(ways.items())) or NOT_TOLD
    slowed = slowdowns(told(gpu, "throttle_reasons"))
    return (*of_rank, to_gpus, up, pcie, told(gpu, "ecc_mode") or NOT_TOLD, slowed)


def host_pairs_table(results: Results, size: Size, most: int | None, listing: str) -> HostTable:
    """The best and the worst path of the pairs of hosts whose paths differ most; `listing`: what lists the others."""
    names, rail = host_names(results.ranks), rails(results.ranks)
    rows = []
    for pair in host_pairs(results, size, most):
        ends = (cell for path in (pair.best, pair.worst) for cell in _path_cells(results, size, path, rail))
        slow = ", ".join(f"{one.rail} of {names[one.host]} {one.times:.2f}x" for one in pair.slow_rails)
        counts = f"{pair.ratio:.2f}", str(pair.paths), str(pair.failed)
        rows.append((" - ".join(names[host] for host in pair.hosts), *ends, *counts, slow))
    title = f"Best and worst path of pairs of hosts at {size_text(size.bytes)}"
    headings = ("hosts", "best path", "one-way", "worst path", "one-way", "x best", "paths", "failed", "slow rail")
    note = _left_out(how_many_pairs(results, size), len(rows), listing)
    return HostTable(title, headings, frozenset(headings) - {"x best", "paths", "failed"}, rows, note)


def _path_cells(results: Results, size: Size, path: Path, rail: tuple[str, ...]) -> tuple[str, str]:
    """The ends of a path with their rails, and its time and bandwidth."""
    ends = " -> ".join(f"{results.ranks.name(rank)} {rail[rank]}".rstrip() for rank in (path.frm, path.to))
    return ends, f"{time_text(path.seconds)} {rate_text(results, size, path.seconds)}"


def switches_table(
    results: Results, size: Size, switches: Sequence[SwitchRow], wiring: Wiring, most: int | None, listing: str
) -> HostTable:
    """These switches; of more than `most` the worst ones, the worst first. `listing`: what lists the others."""
    names = host_names(results.ranks)
    rows = []
    is_cut = most is not None and len(switches) > most
    for row in sorted(switches, key=_badness, reverse=True)[:most] if is_cut else switches:
        links = (row.within, row.to_others, row.from_others)
        counts = (sum(one.links for one in links), sum(one.failed for one in links), row.verdicts)
        times = (_typical_text(results, size, one) for one in links)
        hosts = folded(names[host] for host in row.hosts)
        rows.append((row.switch, str(len(row.hosts)), *times, *map(str, counts), hosts))
    label = results.bandwidth_label
    title = f"Switches at {size_text(size.bytes)}, told by {wiring.told_by}: median one-way time and {label}"
    title += ", the worst first" if is_cut else ""
    headings = (
        "switch", "hosts", "within", "to others", "from others", "links", "failed", "verdicts", "which hosts",
    )  # fmt: skip
    note = _left_out(len(switches), len(rows), listing)
    return HostTable(title, headings, frozenset({"switch", "which hosts"}), rows, note)


def cables_table(
    results: Results, size: Size, cables: Sequence[CableRow], wiring: Wiring, most: int | None, listing: str
) -> HostTable:
    """The first `most` of these cables; `listing`: what lists the others."""
    names = host_names(results.ranks)
    rows = []
    for row in cables[:most]:
        cable, both = row.cable, (row.sends, row.receives)
        ends = f"{names[cable.host]} {cable.adapter}", f"{cable.switch} {cable.switch_port}"
        counts = (sum(one.links for one in both), sum(one.failed for one in both), row.verdicts)
        times = (_typical_text(results, size, one) for one in both)
        rows.append((*ends, *times, number_text(row.ratio, 3), *map(str, counts)))
    title = f"Slowest cables at {size_text(size.bytes)}: median one-way time of their links between hosts"
    texts = ("host and adapter", "switch and port")
    headings = (*texts, "sends", "receives", "x typical", "links", "failed", "verdicts")
    note = _left_out(len(cables), len(rows), listing)
    if others := len(wiring.cables) - len(cables):
        idle = f"{plural(others, 'more cable')} of these hosts carried no link of this run"
        note = f"{note}\n{idle}" if note else idle
    return HostTable(title, headings, frozenset(texts), rows, note)


def _typical_text(results: Results, size: Size, links: Typical) -> str:
    return f"{time_text(links.seconds)} {rate_text(results, size, links.seconds)}"


def _left_out(count: int, shown: int, listing: str) -> str:
    return f"{count - shown} more; {listing}" if count > shown else ""


def _file(wiring: Wiring) -> str:
    """The option that the command needs, too."""
    return " --topology FILE" if GIVEN in wiring.told_by else ""
