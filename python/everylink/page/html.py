"""Writes the report of links as one self-contained HTML file; the page itself judges nothing."""

import base64
import json
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from everylink.figure.canvas import bandwidth_ticks, time_ticks
from everylink.figure.colours import DIAGONAL, FAILED, UNKNOWN, palette
from everylink.judge.verdict import JudgedRun
from everylink.links.classes import histogram, summarise
from everylink.links.extremes import slowest
from everylink.links.failed import fold_failures
from everylink.links.hosts import DrawnOrder, drawn_order
from everylink.links.shading import Scale, Shading, fold_links, shade
from everylink.model.links import Links
from everylink.model.results import Results, Size
from everylink.model.rows import STATISTICS, Outcome, outcome_text
from everylink.text.host_tables import SECTION, HostTable, report_tables
from everylink.text.run import link_warnings, means_lines, rate_text, remarks, run_lines
from everylink.text.verdicts import verdict_text
from everylink.units import bandwidth, bandwidth_text, size_text, tick_text, time_text

View = dict[str, Any]
BUDGET = 40 * 2**20  # bytes of matrices in one page, before base64
FOLDED = 560  # rows and columns of a matrix that exceeds the budget
LISTED = 50
MOST_COUNTED = 1024  # ranks
IN_ORDER_OF_USE = ("median", "max", "min", "p99", "mean")


def view(runs: Sequence[JudgedRun]) -> View:
    """All data that the page shows, for several runs."""
    whole = _within_budget([run.results for run in runs])
    return {
        "runs": [_run(i, run, whole) for i, run in enumerate(runs)],
        "outcomes": {int(o): outcome_text(o) for o in Outcome},
        "colours": {"diagonal": DIAGONAL, "failed": FAILED, "unknown": UNKNOWN},
    }


def _within_budget(runs: Sequence[Results]) -> set[tuple[int, int, str]]:
    """The matrices (run, size, statistic) to embed link by link: medians first, large messages first."""
    left, chosen = BUDGET, set()
    for statistic in IN_ORDER_OF_USE:
        for i, run in enumerate(runs):
            for size in reversed(run.sizes):
                need = 4 * len(run.ranks) ** 2
                if need <= left:
                    chosen.add((i, size.bytes, statistic))
                    left -= need
    return chosen


def _run(index: int, judged: JudgedRun, whole: set[tuple[int, int, str]]) -> View:
    run, judgement = judged.results, judged.judgement
    order = drawn_order(run.ranks)
    return {
        "name": run.path.name,
        "lines": run_lines(run),
        "verdicts": verdict_text(judgement).plain.splitlines() if any(len(size.links) for size in run.sizes) else [],
        "alarm": judgement.conclusion.is_alarm,
        "warnings": link_warnings(run),
        "remarks": remarks(run),
        "names": [run.ranks.name(int(rank)) for rank in order.ranks],
        "blocks": [[block.name, block.begin, block.end] for block in order.blocks],
        "rankLabels": [str(rank) for rank in order.ranks] if len(order.blocks) == 1 else None,
        "directions": run.possible_directions,
        "bandwidthLabel": run.bandwidth_label,
        "barLabel": run.single_bandwidth_label,
        "means": means_lines(run),
        "hosts": [_table(table) for table in report_tables(judged)],
        "times": [row for size in run.sizes for row in _time_rows(run, size)],
        "sizes": [
            _size(run, size, order, {s for s in STATISTICS if (index, size.bytes, s) in whole}) for size in run.sizes
        ],
    }


def _table(table: HostTable) -> View:
    texts = [heading in table.texts for heading in table.headings]
    return {
        "title": table.title, "headings": table.headings, "texts": texts, "rows": table.rows, "note": table.note,
    }  # fmt: skip


def _time_rows(run: Results, size: Size) -> Iterable[list[str]]:
    for c in summarise(run, size).classes:
        cells = [f"{time_text(t)}\n{rate_text(run, size, t)}" for t in vars(c.time).values()]
        yield [size_text(size.bytes), str(c.link_class), str(c.links), str(c.failed), *cells]


def _size(run: Results, size: Size, order: DrawnOrder, whole: set[str]) -> View:
    links = size.links
    failed = fold_failures(run, size)
    place = np.argsort(order.ranks)  # rank -> position in drawn order
    known = [s for s in STATISTICS if np.isfinite(links.statistic(s)).any()] or ["median"]
    bad = links.failed
    return {
        "bytes": size.bytes,
        "label": size_text(size.bytes),
        "failed": failed.failed,
        "links": failed.links,
        "heading": failed.heading(),
        "failures": failed.lines(),
        "failedPlaces": _base64(np.stack([place[links.frm[bad]], place[links.to[bad]]], axis=1).astype("<u4")),
        "failedOutcomes": _base64(links.outcome[bad]),
        "n": _counts(size, place),
        "again": [_again(size.retests, place, i) for i in range(len(size.retests))],
        "alone": [_again(size.alone, place, i) for i in range(len(size.alone))],
        "measuredAll": len(links) == len(run.ranks) * (len(run.ranks) - 1),
        "statistics": {s: _statistic(run, size, order, s, s in whole) for s in known if s in whole or s == "median"},
        "leftOut": [s for s in known if s not in whole],
    }


def _counts(size: Size, place: NDArray[np.intp]) -> int | str | None:
    """Readings behind each link's statistics: a number if all agree, otherwise a matrix; None if that is too large."""
    links, counts = size.links, np.unique(size.links.n[~size.links.failed])
    if len(counts) == 1:
        return int(counts[0])
    if len(counts) == 0 or len(place) > MOST_COUNTED:
        return None
    matrix = np.zeros((len(place), len(place)), "<u4")
    matrix[place[links.frm], place[links.to]] = links.n
    return _base64(matrix)


def _again(again: Links, place: NDArray[np.intp], i: int) -> View:
    ends = [int(place[again.frm[i]]), int(place[again.to[i]])]
    return {"link": ends, "outcome": int(again.outcome[i])} | {s: _number(again.statistic(s)[i]) for s in STATISTICS}


def _statistic(run: Results, size: Size, order: DrawnOrder, name: str, whole: bool) -> View:
    ranks = len(run.ranks)
    fold = 1 if whole else -(-ranks // FOLDED)
    shading = shade(run, size, order, -(-ranks // fold), name)
    seconds = fold_links(size.links, size.links.statistic(name), order, fold, np.ones(len(size.links), bool))
    rows = slowest(run, size, LISTED, name)
    place = np.argsort(order.ranks)
    return {
        "fold": fold,
        "seconds": _base64(seconds.astype("<f4")),
        "scales": {str(c): _scale(scale, size, run) for c, scale in shading.scales.items()},
        "palettes": {str(c): _base64(palette(c)) for c in shading.scales},
        "sameHost": _same_host_runs(shading),
        "histogram": _histogram(run, size, name),
        "slowest": [
            [int(place[r.frm]), int(place[r.to]), r.first, r.ratio, _number(r.second), r.second_outcome] for r in rows
        ],
    }


def _same_host_runs(shading: Shading) -> list[list[int]]:
    """For each row, the range of columns on its host; hosts are drawn as blocks, so there is one range per row."""
    same = shading.same_host
    return [[int(row.argmax()), int(row.argmax() + row.sum())] if row.any() else [0, 0] for row in same]


def _scale(scale: Scale, size: Size, run: Results) -> View:
    times = time_ticks(scale.low, scale.high, 6)
    fast, slow = (bandwidth(size.bytes, t, run.directions) for t in (scale.low, scale.high))
    rates = bandwidth_ticks(slow, fast, 5) if slow > 0 else np.array([])
    rate_places = scale.position(size.bytes * run.directions / rates)
    return {
        "low": scale.low,
        "high": scale.high,
        "beyond": [time_text(scale.min), time_text(scale.max)]
        if scale.max > scale.high or scale.min < scale.low
        else None,
        "times": [[float(p), tick_text(time_text(t))] for p, t in zip(scale.position(times), times, strict=True)],
        "rates": [[float(p), tick_text(bandwidth_text(r))] for p, r in zip(rate_places, rates, strict=True)],
    }


def _histogram(run: Results, size: Size, name: str) -> View | None:
    counted = histogram(run, size, name)
    if counted is None:
        return None
    low, high = np.log(counted.edges[[0, -1]])
    ticks = time_ticks(float(counted.edges[0]), float(counted.edges[-1]), 6)
    return {
        "places": [float(p) for p in (np.log(counted.edges) - low) / (high - low)],
        "counts": {str(c): counts.tolist() for c, counts in counted.counts.items()},
        "ticks": [[float((np.log(t) - low) / (high - low)), tick_text(time_text(t))] for t in ticks],
        "edges": [time_text(e) for e in counted.edges],
    }


def _number(value: float | None) -> float | None:
    """NaN as None, because JSON has no NaN."""
    return None if value is None or math.isnan(value) else float(value)


def _base64(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()


def write_html(runs: Sequence[JudgedRun], path: Path) -> list[Path]:
    """Write one page for all runs; return the paths written."""
    assets = files("everylink.page") / "assets"
    template, style, script = (
        assets.joinpath(name).read_text("utf-8") for name in ("page.html", "page.css", "page.js")
    )
    data = json.dumps(view(runs), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    title = ", ".join(run.results.path.name for run in runs)
    text = page.render(title=title, section=SECTION, style=Markup(style), script=Markup(script), data=Markup(data))
    path.write_text(text, encoding="utf-8")
    return [path]
