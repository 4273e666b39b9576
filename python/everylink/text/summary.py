"""What `show` prints of a run of links, as the fields of a JSON object (docs/json.md)."""

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from everylink.judge.verdict import JudgedRun
from everylink.links.classes import ClassSummary, summarise
from everylink.links.extremes import EndTimes, SlowLink, both_ends, outside, slowest
from everylink.links.failed import fold_failures
from everylink.links.hosts import host_names
from everylink.links.turns import turn_means
from everylink.model.results import Results, Size
from everylink.model.rows import outcome_text
from everylink.text.run import link_warnings
from everylink.text.verdicts import judgement_fields
from everylink.units import bandwidth

SCHEMA = "everylink-summary/1"
Fields = dict[str, object]


def summary_fields(run: JudgedRun, most_slowest: int) -> Fields:
    """The run, the judgement, failed links, the times of each size, and the slowest links at the largest size."""
    results, largest = run.results, run.results.sizes[-1:]
    return {
        **run_fields(SCHEMA, run, link_warnings(results)),
        "directions": None if len(results.possible_directions) > 1 else results.directions,
        "sizes": [_size_fields(results, size) for size in results.sizes],
        "slowest": [
            _slow_fields(results, size, link) for size in largest for link in slowest(results, size, most_slowest)
        ],
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


def _slow_fields(results: Results, size: Size, link: SlowLink) -> Fields:
    return {
        **_link_fields(results, size, link.frm, link.to, link.first),
        "x_typical": link.ratio,
        "again_seconds": link.second,
        "again_outcome": None if link.second_outcome is None else outcome_text(link.second_outcome),
    }


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
