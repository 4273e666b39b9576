"""Writes results as a matrix of comma-separated values, which csv_matrix.py reads."""

import csv
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.steps import links_in_steps
from everylink.errors import UserMistake
from everylink.files import whole
from everylink.formats.csv_matrix import OPTIONAL, OUTCOME_NAMES, REQUIRED
from everylink.formats.losses import has_details, run_losses
from everylink.links import CONFIRM, MAIN, Links, Outcome, Rows, chosen
from everylink.report.words import plural
from everylink.results import Results, Size

COLUMNS = REQUIRED + OPTIONAL


def write_csv(results: Results, force: bool = False) -> list[str]:
    """Write all sizes to the path of the results; gives a line for each thing that is not in the file."""
    _refuse_what_cannot_be_read(results)
    with whole(results.path, force) as new, new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for size in results.sizes:
            writer.writerows(_lines(size.links, results, size.bytes))
            writer.writerows(_lines(_again(size), results, size.bytes))
    return list(_losses(results))


def _again(size: Size) -> Rows:
    return chosen(size.rows, (size.rows.attempt != MAIN) & (size.rows.attempt <= CONFIRM))


def _lines(links: Links | Rows, results: Results, size_bytes: int) -> Iterator[tuple[Any, ...]]:
    hosts = results.ranks.host
    attempt = links.attempt.tolist() if isinstance(links, Rows) else repeat(MAIN, len(links.frm))
    frm, to = links.frm.tolist(), links.to.tolist()
    ok = links.outcome == Outcome.OK
    times = (_texts(np.where(ok, getattr(links, name), np.float32(np.nan))) for name in ("min", "p99", "max", "mean"))
    # a link whose median is not known has a mean
    seconds = _texts(np.where(np.isfinite(links.median), links.median, links.mean))
    outcomes = (OUTCOME_NAMES[outcome] for outcome in links.outcome.tolist())
    return zip(
        frm, to, (hosts[rank] for rank in frm), (hosts[rank] for rank in to), repeat(size_bytes, len(frm)), seconds,
        *times, outcomes, links.late.tolist(), links.n.tolist(), attempt, strict=True,
    )  # fmt: skip


def _texts(values: NDArray[np.float32]) -> list[str]:
    """The shortest texts that are read back as the same float32; empty where there is no time."""
    known = np.isfinite(values) & (values > 0)
    return [str(value) if there else "" for value, there in zip(values, known.tolist(), strict=True)]


def _refuse_what_cannot_be_read(results: Results) -> None:
    if not any(len(size.rows.frm) for size in results.sizes):
        raise UserMistake(f"{results.path}: there is no link to write")
    for size in results.sizes:
        linked = np.zeros(len(results.ranks), bool)
        linked[size.rows.frm], linked[size.rows.to] = True, True
        missing = np.flatnonzero(~linked)
        if len(missing) and missing[0] < np.flatnonzero(linked).max():
            raise UserMistake(f"{results.path}: rank {missing[0]} has no link, and a rank without one has no line")
        if size.rows.outcome.max() >= len(OUTCOME_NAMES):
            raise UserMistake(f"{results.path}: outcome {size.rows.outcome.max()} has no name")
        ok = size.rows.outcome == Outcome.OK
        if not ((size.rows.median > 0) | (size.rows.mean > 0))[ok].all():
            raise UserMistake(f"{results.path}: a link that is ok has no time above 0, and a line needs one")


def _losses(results: Results) -> Iterator[str]:
    rows = results.sizes[-1].rows
    if int(np.count_nonzero(rows.attempt == MAIN)) > len(results.sizes[-1].links):
        yield "what each pass gave: a link has the values of all together"
    if links_in_steps(rows):
        yield "in which step each link was measured"
    if further := int(np.count_nonzero(rows.attempt > CONFIRM)):
        yield f"what was measured in one direction by --confirm: {plural(further, 'row')}"
    if np.isfinite(rows.all_to_all).any():
        yield "the times of the all-to-all"
    if has_details(rows):
        yield "how long connecting took, and how many messages arrived"
    if without := len(results.ranks) - 1 - int(max(rows.frm.max(), rows.to.max())):
        yield f"{plural(without, 'rank')} without a link"
    yield from run_losses(results, None)
