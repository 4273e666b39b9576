"""What `show` prints of a run of links, as the fields of a JSON object (docs/json.md)."""

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.usual import usual_of
from everylink.inventory.cables import Cable, Wiring
from everylink.inventory.switches import Typical, cable_rows, switch_rows
from everylink.judge.verdict import JudgedRun
from everylink.links.classes import ClassSummary, summarise
from everylink.links.extremes import EndTimes, both_ends, outside, slowest, times_typical
from everylink.links.failed import fold_failures
from everylink.links.host_pairs import Path, host_pairs
from everylink.links.hosts import host_names
from everylink.links.rails import rails
from everylink.links.turns import bisection_bandwidth, turn_means
from everylink.model.results import Results, Size
from everylink.model.rows import outcome_text
from everylink.text.run import link_warnings
from everylink.text.verdicts import judgement_fields
from everylink.units import bandwidth

SCHEMA = "everylink-summary/1"
SWITCHES_UNKNOWN = (
    "The switches are not known: no host told its neighbours (LLDP), and Slurm no switches. Name a file by --topology: "
    "Slurm's topology.conf, or the output of ibnetdiscover"
)
Fields = dict[str, object]


def summary_fields(run: JudgedRun, most_slowest: int) -> Fields:
    """The run, the judgement, failed links, the times of each size, and the slowest links at the largest size."""
    results, largest = run.results, run.results.sizes[-1:]
    return {
        **run_fields(SCHEMA, run, link_warnings(results)),
        "directions": None if len(results.possible_directions) > 1 else results.directions,
        "sizes": [_size_fields(results, size) for size in results.sizes],
        "slowest": [fields for size in largest for fields in _slowest_fields(run, size, most_slowest)],
    }


def run_fields(schema: str, run: JudgedRun, warnings: list[str]) -> Fields:
    """What every summary begins with, whatever was measured."""
    results, judgement = run.results, run.judgement
    return {
        "schema": schema,
        "file": results.path,
        **judgement_fields(judgement, judgement.conclusion),
        "run": asdict(results.facts),
        "warnings": warnings,
        "run_remarks": results.remarks,
    }


def _size_fields(results: Results, size: Size) -> Fields:
    failures = fold_failures(results, size)
    return {
        "bytes": size.bytes,
        "turn_seconds": None if (means := turn_means(size)) is None else vars(means),
        "bisection_bytes_per_second": None if (rates := bisection_bandwidth(results, size)) is None else vars(rates),
        "classes": [_class_fields(summary) for summary in summarise(results, size).classes],
        "failed": failures.failed,
        "failures": failures.lines(),
    }


def _class_fields(summary: ClassSummary) -> Fields:
    return {
        "class": str(summary.link_class),
        "links": summary.links,
        "failed": summary.failed,
        "seconds": vars(summary.time),
    }


def _slowest_fields(run: JudgedRun, size: Size, most: int) -> list[Fields]:
    links = slowest(run.results, size, most)
    times = zip(links, usual_of(run, size).times_expected(links), times_typical(run.results, size, links), strict=True)
    return [
        {
            **_link_fields(run.results, size, link.frm, link.to, link.first),
            "expected_seconds": link.first / factor,
            "x_expected": factor,
            "x_typical": typical,
            "again_seconds": link.second,
            "again_outcome": None if link.second_outcome is None else outcome_text(link.second_outcome),
        }
        for link, factor, typical in times
    ]


def _link_fields(results: Results, size: Size, frm: int, to: int, seconds: float) -> Fields:
    rates = {1: "bytes_per_second", 2: "bytes_per_second_if_bidirectional"}
    if len(results.possible_directions) == 1:
        rates = {results.directions: "bytes_per_second"}
    return {
        "from": results.ranks.name(frm),
        "to": results.ranks.name(to),
        "bytes": size.bytes,
        "seconds": seconds,
        **{name: bandwidth(size.bytes, seconds, directions) for directions, name in rates.items()},
    }


def outside_fields(results: Results, size: Size, below: float | None, above: float | None) -> Fields:
    """The links of one size that are slower or faster than limits in bytes per second."""
    found, links = outside(results, size, below, above), size.links

    def listed(index: NDArray[np.intp]) -> list[Fields]:
        return [_link_fields(results, size, int(links.frm[i]), int(links.to[i]), float(links.median[i])) for i in index]

    return {"slow": listed(found.slow), "fast": listed(found.fast), "untimed": found.untimed}


def host_fields(results: Results, size: Size) -> list[Fields]:
    """Each host as sender and receiver."""
    names = host_names(results.ranks)
    return [
        {
            "host": names[i],
            "class": str(both.link_class),
            "sends": _end_fields(results, both.sending, i, size.links.to),
            "receives": _end_fields(results, both.receiving, i, size.links.frm),
        }
        for both in both_ends(results, size, results.ranks.host_index)
        for i in np.flatnonzero(both.sending.links + both.receiving.links).tolist()
    ]


def _end_fields(results: Results, end: EndTimes, i: int, peers: NDArray[np.uint32]) -> Fields:
    worst = int(end.worst_link[i])
    return {
        "links": end.links[i],
        "failed": end.failed[i],
        "mean_seconds": end.mean[i],
        "worst_seconds": end.worst[i],
        "worst_with": results.ranks.name(int(peers[worst])) if worst >= 0 else None,
    }


def host_pair_fields(results: Results, size: Size, most: int | None) -> list[Fields]:
    """The best and the worst path of the pairs of hosts whose paths differ most."""
    names, rail = host_names(results.ranks), rails(results.ranks)

    def fields(path: Path) -> Fields:
        ends = {"from_rail": rail[path.frm] or None, "to_rail": rail[path.to] or None}
        return _link_fields(results, size, path.frm, path.to, path.seconds) | ends

    return [
        {
            "hosts": [names[host] for host in pair.hosts],
            "paths": pair.paths,
            "failed": pair.failed,
            "x_best": pair.ratio,
            "best": fields(pair.best),
            "worst": fields(pair.worst),
            "slow_rails": [
                {"host": names[one.host], "rail": one.rail, "x_others": one.times} for one in pair.slow_rails
            ],
        }
        for pair in host_pairs(results, size, most)
    ]


def switch_fields(run: JudgedRun, size: Size, wiring: Wiring | None) -> Fields:
    """Every switch and every cable between a host and a switch; null where they are not known."""
    results, subjects = run.results, run.judgement.subjects
    if wiring is None:
        return {"switches_told_by": None, "switches": None, "cables": None}
    names = host_names(results.ranks)
    rows = cable_rows(results, size, wiring, subjects)
    used = {row.cable for row in rows}

    def ends(cable: Cable) -> Fields:
        return {
            "host": names[cable.host],
            "part": cable.part,
            "switch": cable.switch,
            "switch_port": cable.switch_port or None,
        }

    cables = [
        ends(row.cable)
        | {
            "sends": _typical_fields(results, size, row.sends),
            "receives": _typical_fields(results, size, row.receives),
            "x_typical": row.ratio,
            "verdicts": row.verdicts,
        }
        for row in rows
    ]
    idle = [
        ends(cable) | {"sends": None, "receives": None, "x_typical": None, "verdicts": None}
        for cable in wiring.cables
        if cable not in used
    ]
    switches = [
        {
            "switch": row.switch,
            "hosts": [names[host] for host in row.hosts],
            "ranks": row.ranks,
            "within": _typical_fields(results, size, row.within),
            "to_others": _typical_fields(results, size, row.to_others),
            "from_others": _typical_fields(results, size, row.from_others),
            "verdicts": row.verdicts,
        }
        for row in switch_rows(results, size, wiring, subjects)
    ]
    return {"switches_told_by": wiring.told_by, "switches": switches, "cables": cables + idle}


def _typical_fields(results: Results, size: Size, links: Typical) -> Fields:
    return {
        "links": links.links,
        "failed": links.failed,
        "seconds": links.seconds,
        "bytes_per_second": bandwidth(size.bytes, links.seconds, results.directions),
    }
