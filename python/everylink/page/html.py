"""Writes the report of links as one self-contained HTML file; the page itself judges nothing."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.compare.comparison import Comparison, compare
from everylink.deviation.blocks import Blocks, blocks_of
from everylink.deviation.colours import PALETTE
from everylink.deviation.marks import Places, groups_of
from everylink.deviation.model import Deviations, Lines, Outliers
from everylink.deviation.reduce import deviations
from everylink.deviation.scale import NOT_MEASURED, PER_LOG, STEPS, Codes
from everylink.deviation.tiles import Matrix, write_tiles
from everylink.deviation.usual import Earlier, Reference, usual_of
from everylink.errors import NotEnoughMemory, UserMistake
from everylink.figure.canvas import time_ticks
from everylink.judge.confidence import stated
from everylink.judge.verdict import NOT_JUDGED, JudgedRun, Verdict
from everylink.links.classes import histogram, summarise
from everylink.links.extremes import slowest
from everylink.links.failed import fold_failures
from everylink.links.hosts import host_names
from everylink.model.changes import Change
from everylink.model.links import Links
from everylink.model.results import Results, Size
from everylink.model.rows import STATISTICS, Outcome, outcome_text
from everylink.page.document import base64_text, document, json_of, packed
from everylink.page.evidence import evidence_of
from everylink.terminal.comparison import change_text, changes_text, failure_text, notes
from everylink.text.host_tables import SECTION, HostTable, report_tables
from everylink.text.run import link_warnings, means_lines, rate_text, remarks, run_lines
from everylink.text.verdicts import (
    MOST,
    MOST_SUSPECTS,
    confidence_text,
    finding_lines,
    headline,
    structure_lines,
    tested_lines,
    title,
    unmeasured_lines,
)
from everylink.units import plural, size_text, tick_text, time_text

View = dict[str, Any]
MOST_BLOCKS = 512  # rows and columns of the matrix that is seen first
LINKS_BUDGET = 9 * 2**20  # bytes of single links in one page, before they are packed: two sizes of 2,048 ranks
STATISTICS_BUDGET = 5 * 2**19  # likewise of their times in seconds, and of what is expected
KEPT_OUTLIERS = 20_000  # of a size, beyond single links
LISTED = 50
MOST_COUNTED = 1024  # ranks
IN_ORDER_OF_USE = ("median", "max", "min", "p99", "mean")


def view(runs: Sequence[JudgedRun], with_links: bool = True) -> View:
    """All data that the page shows, for several runs."""
    compared = list(_compared(runs))
    every = [run.results for run in runs] + [found.matched.new for found in compared]
    budget = _Budget(every if with_links else [], len(runs))
    against = [_against(len(runs) + i, found, budget) for i, found in enumerate(compared)]
    return {
        "runs": [*(_run(i, run, budget) for i, run in enumerate(runs)), *against],
        "outcomes": {int(o): outcome_text(o) for o in Outcome},
        "scale": {"perLog": PER_LOG, "steps": STEPS, "palette": base64_text(PALETTE)},
    }


class _Budget:
    """What the page holds link by link: `links` (run, size), and `statistics` (run, size, statistic).

    Large messages first, and medians before other statistics, which are compared with what is expected, too. Of those
    behind the first `judged` runs, which are comparisons, only medians.
    """

    def __init__(self, runs: Sequence[Results], judged: int) -> None:
        every = [(i, size.bytes, len(run.ranks) ** 2) for i, run in enumerate(runs) for size in reversed(run.sizes)]
        self.links: set[tuple[int, int]] = set()
        left = LINKS_BUDGET
        for i, size, cells in every:
            if cells <= left:
                self.links.add((i, size))
                left -= cells
        self.statistics: set[tuple[int, int, str]] = set()
        left = STATISTICS_BUDGET
        for statistic in IN_ORDER_OF_USE:
            for i, size, cells in every:
                is_median = statistic == "median"
                fits = (i, size) in self.links if is_median else (i, size, "median") in self.statistics
                need = (8 if is_median else 4) * cells  # with what is expected
                if fits and need <= left and (is_median or i < judged):
                    self.statistics.add((i, size, statistic))
                    left -= need


def _compared(runs: Sequence[JudgedRun]) -> Iterator[Comparison]:
    """The first run against each other one that can be compared with it."""
    for run in runs[1:]:
        with suppress(UserMistake, NotEnoughMemory):
            yield compare(runs[0].results, run.results)


def _against(index: int, found: Comparison, budget: _Budget) -> View:
    """A comparison, shown as a run: its links against those of the base, its changes as findings."""
    base, new = found.matched.base, found.matched.new
    earlier = {size.bytes: Earlier.of(size) for size in base.sizes}
    shown = _run(index, JudgedRun(new, NOT_JUDGED), budget, lambda _, size: earlier[size.bytes])
    places = Places(new.ranks, blocks_of(new.ranks, MOST_BLOCKS), {})
    changes = [_change(one, places) for one in (*found.slower, *found.faster)]
    for size in shown["sizes"]:
        size["leftOut"] = []  # what is not compared
    return shown | {
        "name": f"{new.path.name} against {base.path.name}",
        "reference": base.path.name,
        "headline": f"{changes_text(found)}, against {base.path.name}",
        "alarm": found.regression,
        "tested": notes(found),
        "findings": changes[:MOST],
        "leftOut": [max(len(changes) - MOST, 0), 0],
        "warnings": [f"Failed, and did not in {base.path.name}: {failure_text(one)}" for one in found.failed],
        "tables": [],
        "remarks": [f"Did not fail, and failed in {base.path.name}: {failure_text(one)}" for one in found.healed],
    }


def _change(change: Change, places: Places) -> View:
    return {
        "title": change_text(change),
        "suspected": not change.slower,
        "note": "" if change.slower else "faster",
        "confidence": f"{100 * change.confidence:.3g} %",
        "evidence": f"{plural(change.links, 'link')}",
        "because": "",
        "action": "",
        "kind": change.kind,
        "direction": change.direction,
        "bytes": change.bytes,
        "ends": [] if change.kind == "class" else places.ends(change.kind, change.subject),
    }


def _run(
    index: int, judged: JudgedRun, budget: _Budget, reference: Callable[[JudgedRun, Size], Reference] = usual_of
) -> View:
    run, judgement = judged.results, judged.judgement
    blocks = blocks_of(run.ranks, MOST_BLOCKS)
    names, order = host_names(run.ranks), blocks.order
    groups = groups_of(judged)
    places = Places(run.ranks, blocks, groups)
    measured = any(size.outcomes.links for size in run.sizes)
    return {
        "name": run.path.name,
        "reference": "expected",
        "headline": headline(judgement).plain if measured else "nothing was measured",
        "alarm": measured and judgement.conclusion.is_alarm,
        "tested": [*tested_lines(judgement), *unmeasured_lines(judgement)] if measured else [],
        "lines": run_lines(run),
        "findings": [_finding(one, places, False) for one in judgement.verdicts[:MOST]],
        "suspects": [_finding(stated(one), places, True) for one in judgement.suspects[:MOST_SUSPECTS]],
        "leftOut": [max(len(judgement.verdicts) - MOST, 0), max(len(judgement.suspects) - MOST_SUSPECTS, 0)],
        "evidence": evidence_of(judged, places, blocks),
        "inventory": finding_lines(judgement),
        "structure": structure_lines(judgement)[1:],
        "warnings": link_warnings(run),
        "remarks": [*remarks(run), *(judgement.remarks if measured else ())],
        "drain": list(judgement.drain),
        "hosts": [
            [block.name, names[int(run.ranks.host_index[order.ranks[block.begin]])], block.begin, block.end]
            for block in order.blocks
        ],
        "ranks": order.ranks.tolist(),
        "ends": order.ends if run.ranks.in_memory_of_gpus else None,
        "groups": [[name, places.of(name)] for name in groups],
        "directions": run.possible_directions,
        "bandwidthLabel": run.bandwidth_label,
        "means": means_lines(run),
        "tables": [_table(table) for table in report_tables(judged)],
        "times": [row for size in run.sizes for row in _time_rows(run, size)],
        "sizes": [
            _size(
                run, size, reference(judged, size), blocks, (index, size.bytes) in budget.links,
                {name for name in STATISTICS if (index, size.bytes, name) in budget.statistics},
            )
            for size in run.sizes
        ],
    }  # fmt: skip


def _finding(verdict: Verdict, places: Places, suspected: bool) -> View:
    return {
        "title": title(verdict),
        "suspected": suspected,
        "note": "suspected" if suspected else "",
        "confidence": confidence_text(verdict),
        "evidence": verdict.evidence,
        "because": verdict.because,
        "action": verdict.action,
        "kind": verdict.kind,
        "direction": str(verdict.direction),
        "bytes": verdict.bytes,
        "ends": places.ends(verdict.kind, verdict.subject),
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


def _size(run: Results, size: Size, usual: Reference, blocks: Blocks, whole: bool, statistics: set[str]) -> View:
    place, failed = blocks.places, fold_failures(run, size)
    found = deviations(size, usual, blocks, whole)
    links = size.links if statistics else None
    known = [s for s in STATISTICS if links is not None and np.isfinite(links.statistic(s)).any()] or ["median"]
    return {
        "bytes": size.bytes,
        "label": size_text(size.bytes),
        "failed": failed.failed,
        "links": failed.links,
        "heading": failed.heading(),
        "failures": failed.lines(),
        "measuredAll": size.outcomes.links == len(run.ranks) * (len(run.ranks) - 1),
        "deviation": _deviation(found),
        "expected": packed(_expected(usual, blocks)) if "median" in statistics else None,
        "statistics": {
            s: packed(_matrix(links.statistic(s), links, place)) for s in known if links and s in statistics
        },
        "outcomes": None if found.links is None else packed(_outcomes(found.links, size, place)),
        "n": _counts(links, place) if links else None,
        "again": [_again(size.retests, place, i) for i in range(len(size.retests))],
        "alone": [_again(size.alone, place, i) for i in range(len(size.alone))],
        "leftOut": [s for s in known if s not in statistics] if links else [],
        "histogram": _histogram(run, size),
        "slowest": _slowest(run, size, usual, place),
    }


def _deviation(found: Deviations) -> View:
    return {
        "edges": found.blocks.edges.tolist(),
        **{name: packed(getattr(found, name)) for name in ("usual", "worst", "slow", "failed", "timed")},
        "links": None if found.links is None else packed(found.links),
        "senders": _profile(found.senders),
        "receivers": _profile(found.receivers),
        "outliers": None if found.links is not None else _outliers(found.outliers),
        "failures": None if found.links is not None else _outliers(found.failures),
    }


def _profile(lines: Lines) -> View:
    counts = {name: packed(getattr(lines, name).astype("<u4")) for name in ("timed", "slow", "failed")}
    return {"median": packed(lines.median)} | counts


def _outliers(found: Outliers) -> View:
    ends = np.stack([found.frm, found.to], axis=1)[:KEPT_OUTLIERS].astype("<u4")
    return {"ends": packed(ends), "code": packed(found.code[:KEPT_OUTLIERS])}


def _expected(usual: Reference, blocks: Blocks) -> NDArray[np.float32]:
    """Seconds expected of each link, in drawn order."""
    ranks = blocks.order.ranks
    frm, to = (ends.ravel().astype(np.uint32) for ends in np.meshgrid(ranks, ranks, indexing="ij"))
    return np.exp(usual.log_seconds(frm, to)).astype("<f4").reshape(len(ranks), len(ranks))


def _slowest(run: Results, size: Size, usual: Reference, place: NDArray[np.int64]) -> list[list[Any]]:
    """From, to, seconds, times what is expected, seconds and outcome of measuring it again."""
    links = slowest(run, size, LISTED)
    return [
        [
            int(place[link.frm]), int(place[link.to]), link.first, _number(factor), _number(link.second),
            link.second_outcome,
        ]
        for link, factor in zip(links, usual.times_expected(links), strict=True)
    ]  # fmt: skip


def _matrix(values: NDArray[np.float32], links: Links, place: NDArray[np.int64]) -> NDArray[np.float32]:
    matrix = np.full((len(place), len(place)), np.nan, "<f4")
    matrix[place[links.frm], place[links.to]] = values
    return matrix


def _outcomes(codes: Codes, size: Size, place: NDArray[np.int64]) -> NDArray[np.uint8]:
    """In drawn order; 255 where nothing was measured."""
    matrix = np.where(codes == NOT_MEASURED, np.uint8(255), np.uint8(Outcome.OK))
    failed = size.outcomes
    matrix[place[failed.frm], place[failed.to]] = failed.outcome
    return matrix


def _counts(links: Links, place: NDArray[np.int64]) -> int | str | None:
    """Readings behind each link's statistics: a number if all agree, otherwise a matrix; None if that is too large."""
    counts = np.unique(links.n[~links.failed])
    if len(counts) == 1:
        return int(counts[0])
    if len(counts) == 0 or len(place) > MOST_COUNTED:
        return None
    matrix = np.zeros((len(place), len(place)), "<u4")
    matrix[place[links.frm], place[links.to]] = links.n
    return packed(matrix)


def _again(again: Links, place: NDArray[np.int64], i: int) -> View:
    ends = [int(place[again.frm[i]]), int(place[again.to[i]])]
    return {"link": ends, "outcome": int(again.outcome[i])} | {s: _number(again.statistic(s)[i]) for s in STATISTICS}


def _histogram(run: Results, size: Size) -> View | None:
    counted = histogram(run, size)
    if counted is None:
        return None
    low, high = np.log(counted.edges[[0, -1]])
    ticks = time_ticks(float(counted.edges[0]), float(counted.edges[-1]), 6)
    return {
        "places": [float(p) for p in (np.log(counted.edges) - low) / (high - low)],
        "counts": {str(c): counts.tolist() for c, counts in counted.counts.items()},
        "ticks": [[float((np.log(t) - low) / (high - low)), tick_text(time_text(t))] for t in ticks],
        "edges": [time_text(e) for e in counted.edges],
        "seconds": [float(e) for e in counted.edges],
    }


def _number(value: float | None) -> float | None:
    """NaN as None, because JSON has no NaN."""
    return None if value is None or math.isnan(value) else float(value)


def write_html(runs: Sequence[JudgedRun], path: Path, tiles: Path | None = None, served: bool = False) -> list[Path]:
    """Write one page for all runs, and with `tiles` a file of all single links, which the page reads: one that the user
    chooses, or that is served beside it. Return the paths written. Raises FileDamaged, NotEnoughMemory, OSError."""
    shown = view(runs)
    key = sha256(json_of(shown).encode()).hexdigest()[:16]
    text = _page(runs, shown | {"tiles": key if tiles else None, "served": served, "live": False}, served)
    path.write_text(text, encoding="utf-8")
    if tiles is None:
        return [path]
    write_tiles(_matrices(runs), key, tiles)
    return [path, tiles]


def live_page(run: JudgedRun) -> str:
    """A page that shows a run while it goes on: it gets what was measured as server-sent events."""
    return _page([run], view([run], with_links=False) | {"tiles": None, "served": True, "live": True}, served=True)


def live_planes(found: Deviations) -> str:
    """What such a page shows of a size, as JSON."""
    return json_of({"bytes": found.bytes, "deviation": _deviation(found)})


def _page(runs: Sequence[JudgedRun], shown: View, served: bool) -> str:
    title = ", ".join(run.results.path.name for run in runs)
    return document("page.html", SCRIPTS, shown, title=title, section=SECTION, served=served)


def _matrices(runs: Sequence[JudgedRun]) -> list[Matrix]:
    return [
        Matrix(i, size, usual_of(run, size), blocks_of(run.results.ranks, MOST_BLOCKS).places)
        for i, run in enumerate(runs)
        for size in run.results.sizes
    ]


SCRIPTS = ("data.js", "matrix.js", "tiles.js", "lists.js", "again.js", "order.js", "page.js", "live.js")
