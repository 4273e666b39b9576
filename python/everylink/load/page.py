"""Writes the report of load patterns as one self-contained HTML file; the page itself computes only positions."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.colours import PALETTE
from everylink.deviation.marks import Places, groups_of
from everylink.deviation.scale import PER_LOG, STEPS
from everylink.errors import UserMistake
from everylink.figure.matrix import matrix_labels
from everylink.judge.confidence import stated
from everylink.judge.verdict import JudgedRun, Verdict
from everylink.load.conclusions import all_conclusions
from everylink.load.diagram import Diagram, Point
from everylink.load.diagrams import diagrams_of
from everylink.load.matrix import matrix_of
from everylink.load.tables import tables
from everylink.load.words import load_lines, load_warnings
from everylink.model.loads import Load
from everylink.model.results import Ranks, Size
from everylink.page.document import base64_text, document, packed
from everylink.text.host_tables import SECTION, report_tables
from everylink.text.run import remarks
from everylink.text.verdicts import (
    MOST,
    MOST_SUSPECTS,
    confidence_text,
    drain_lines,
    finding_lines,
    headline,
    structure_lines,
    tested_lines,
    title,
    unmeasured_lines,
)
from everylink.units import plural

View = dict[str, Any]
SCRIPTS = ("data.js", "patterns.js")
MOST_CELLS = 512  # rows and columns of the matrix
LABELLED = 2000  # pixels in which all its labels must fit: the page leaves out what does not fit
FEW = 12  # rows of a table that is open, and lines of conclusions


def write_load_html(runs: Sequence[JudgedRun], path: Path) -> list[Path]:
    """Write one page for all runs; return the paths written. Raises UserMistake if some runs hold links."""
    if of_links := [run.results.path for run in runs if not run.results.loads]:
        raise UserMistake(f"{of_links[0]}: holds links, the others load patterns; an HTML page takes one kind only")
    title = ", ".join(run.results.path.name for run in runs)
    shown = [_run(run) for run in runs]
    text = document("patterns.html", SCRIPTS, view(runs), title=title, section=SECTION, few=FEW, runs=shown)
    path.write_text(text, encoding="utf-8")
    return [path]


def view(runs: Sequence[JudgedRun]) -> View:
    """What the page draws: the diagrams and the matrix of each pattern, in the order of runs and patterns."""
    return {
        "loads": [
            {
                "diagrams": [_diagram(diagram) for diagram in diagrams_of(run.results, load)],
                "matrix": _matrix(run, load),
            }
            for run in runs
            for load in run.results.loads
        ],
        "scale": {"perLog": PER_LOG, "steps": STEPS, "palette": base64_text(PALETTE)},
    }


def _run(judged: JudgedRun) -> View:
    """What the page says of a run."""
    run, judgement = judged.results, judged.judgement
    return {
        "name": run.path.name,
        "headline": headline(judgement).plain,
        "alarm": judgement.conclusion.is_alarm,
        "said": [line for load in run.loads for line in all_conclusions(load, run.ranks.name)],
        "warnings": load_warnings(run),
        "findings": [_finding(one, False) for one in judgement.verdicts[:MOST]]
        + [_finding(stated(one), True) for one in judgement.suspects[:MOST_SUSPECTS]],
        "left_out": _left_out(len(judgement.verdicts) - MOST, len(judgement.suspects) - MOST_SUSPECTS),
        "lines": [*finding_lines(judgement), *drain_lines(judgement), *structure_lines(judgement)],
        "tested": [*tested_lines(judgement), *unmeasured_lines(judgement)],
        "remarks": [*remarks(run), *judgement.remarks],
        "facts": load_lines(run),
        "hosts": report_tables(judged),
        "loads": [{"name": load.name, "tables": list(tables(run, load))} for load in run.loads],
    }


def _finding(verdict: Verdict, suspected: bool) -> View:
    lines = [f"{verdict.evidence}; confidence {confidence_text(verdict)}", verdict.because, verdict.action]
    return {"title": title(verdict), "suspected": suspected, "lines": list(filter(None, lines))}


def _left_out(verdicts: int, suspects: int) -> str:
    left = [f"{verdicts} more"] * (verdicts > 0) + [plural(suspects, "more suspect")] * (suspects > 0)
    return f"and {', '.join(left)}: everylink diagnose --format json has all" if left else ""


def _diagram(diagram: Diagram) -> View:
    return {
        "title": diagram.title,
        "x": vars(diagram.x),
        "y": vars(diagram.y),
        "series": [vars(series) | {"points": list(map(_point, series.points))} for series in diagram.series],
        "rules": list(map(vars, diagram.rules)),
    }


def _point(point: Point) -> View:
    """Without what it does not have, because JSON has no NaN."""
    return {name: value for name, value in vars(point).items() if value != "" and value == value}


def _matrix(judged: JudgedRun, load: Load) -> View | None:
    matrix = matrix_of(judged, load, MOST_CELLS)
    if matrix is None:
        return None
    found, ranks = matrix.found, judged.results.ranks
    blocks = found.blocks
    labels = matrix_labels(blocks.order, blocks.edges, LABELLED)
    places = Places(ranks, blocks, groups_of(judged))
    return {
        "title": matrix.title,
        "bytes": matrix.size.bytes,
        "what": labels.what,
        "labels": list(zip(labels.places, labels.texts, strict=True)),
        "names": list(_names(ranks, blocks)),
        "folded": len(blocks) < len(ranks),
        "marked": [_cells(places.ends(one.kind, one.subject), blocks) for one in judged.judgement.verdicts[:MOST]],
        **{name: packed(getattr(found, name)) for name in ("usual", "failed", "timed")},
        "seconds": None if len(blocks) < len(ranks) else packed(_seconds(matrix.size, blocks)),
    }


def _names(ranks: Ranks, blocks: Blocks) -> Iterator[str]:
    """Of the ranks or hosts in each row and column."""
    order, hosts = blocks.order.ranks, set(blocks.hosts.tolist())
    for begin, end in pairwise(blocks.edges.tolist()):
        first, last = int(order[begin]), int(order[end - 1])
        if end - begin == 1:
            yield ranks.name(first)
        elif {begin, end} <= hosts:
            yield " .. ".join(dict.fromkeys((ranks.host[first], ranks.host[last])))
        else:
            yield f"{ranks.name(first)} .. {ranks.name(last)}"


def _cells(ends: Sequence[Sequence[tuple[int, int]]], blocks: Blocks) -> list[tuple[int, int]]:
    """The rows and columns, from and up to, with these places."""
    first, last = (
        np.searchsorted(blocks.edges, [span[k] - k for end in ends for span in end], "right") - 1 for k in (0, 1)
    )
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def _seconds(size: Size, blocks: Blocks) -> NDArray[np.float32]:
    """For a message of each connection, at the median; NaN where it is not known."""
    links, place, ranks = size.links, blocks.places, len(blocks)
    seconds = np.full((ranks, ranks), np.nan, "<f4")
    seconds[place[links.frm], place[links.to]] = links.median
    return seconds
