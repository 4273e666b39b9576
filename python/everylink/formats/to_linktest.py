"""Writes results of one message size as LinkTest 1.2 does (docs/sion.md)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.steps import first_steps
from everylink.errors import UserMistake
from everylink.files import whole
from everylink.formats import linktest, linktest_payload
from everylink.formats.linktest_payload import (
    COORDINATES,
    LONGEST_HOST,
    MOST,
    MOST_STEPS,
    SETTINGS,
    SUMMARY,
    VERSION,
    Payload,
)
from everylink.formats.losses import has_details, run_losses
from everylink.formats.sion import write_container
from everylink.links import MAIN, RETEST, Links, Outcome, Rows, keys
from everylink.report.words import plural
from everylink.results import Results, Size

Times = NDArray[np.float64]
FAILED_STEP = 1  # a link without a time and without a step is one that was not tried


def write_linktest(results: Results, force: bool = False) -> list[str]:
    """Write the only size to the path of the results; gives a line for each thing that is not in the file."""
    if len(results.sizes) != 1:
        raise UserMistake(f"{results.path}: a SION file holds one message size, and here are {len(results.sizes)}")
    (size,) = results.sizes
    if not len(size.rows.frm):
        raise UserMistake(f"{results.path}: there is no link to write")
    for what, value in (("message size", size.bytes), ("number of messages", results.facts.messages)):
        if value > MOST:
            raise UserMistake(
                f"{results.path}: SION files of LinkTest hold no {what} above {MOST}, and this is {value}"
            )
    made = payload(results, size)
    with whole(results.path, force) as new:
        write_container(new, results.path.name, len(results.ranks), linktest_payload.streams(made))
    return list(_losses(results, size, made))


def payload(results: Results, size: Size) -> Payload:
    """What LinkTest would have written of one size."""
    ranks, links = len(results.ranks), size.links
    times = np.zeros((ranks, ranks))
    times[links.frm, links.to] = _seconds(links)
    steps, together = _steps(size, ranks, results.facts.serial), np.zeros((ranks, ranks))
    steps[(times == 0) & (steps == 0) & (links.outcome_matrix(ranks) > Outcome.OK)] = FAILED_STEP
    if results.facts.all_to_all:
        known = np.flatnonzero((size.rows.attempt == MAIN) & (size.rows.all_to_all > 0))[::-1]  # the first one stays
        step = steps[size.rows.frm[known], size.rows.to[known]]
        inside = (step > 0) & (step < ranks)
        together[size.rows.frm[known][inside], step[inside]] = size.rows.all_to_all[known][inside]
    frm, to, again = _retests(size.rows, times)
    return Payload(
        VERSION, results.ranks.host, np.arange(ranks)[:, None] * (np.arange(COORDINATES) == 0),
        _settings(results, size),
        np.concatenate([_summary(times), _summary(together), np.zeros(SUMMARY - 6)]), times, steps,
        together if results.facts.all_to_all else None,
        *(_padded(column, ranks) for column in (again, times[frm, to], frm, to)),
    )  # fmt: skip


def _seconds(links: Links) -> Times:
    """The time of each link: its mean, or what stands in for it; 0 where it failed."""
    mean = np.where(np.isfinite(links.mean), links.mean, links.median)
    return np.where((mean > 0) & np.isfinite(mean) & ~links.failed, mean, 0).astype(np.float64)


def _steps(size: Size, ranks: int, serial: bool) -> NDArray[np.int32]:
    """The step in which each link was measured first, counted from 1; 0 where that is not known."""
    steps, first = np.zeros((ranks, ranks), np.int32), first_steps(size.rows, ranks, serial)
    if first is not None and first.max() <= MOST_STEPS:
        steps[size.links.frm, size.links.to] = first
    return steps


def _retests(rows: Rows, times: Times) -> tuple[NDArray[Any], NDArray[Any], Times]:
    """From, to and second time of what was measured again, slowest first, at most as many as there are ranks."""
    value = np.where(np.isfinite(rows.mean), rows.mean, rows.median)
    index = np.flatnonzero((rows.attempt == RETEST) & (rows.outcome == Outcome.OK) & (value > 0))
    key = keys(rows, len(times))[index]
    newest = np.sort(len(index) - 1 - np.unique(key[::-1], return_index=True)[1])
    index = index[newest]
    order = np.argsort(-times[rows.frm[index], rows.to[index]], kind="stable")[: len(times)]
    chosen = index[order]
    return rows.frm[chosen], rows.to[chosen], value[chosen].astype(np.float64)


def _settings(results: Results, size: Size) -> NDArray[np.int32]:
    facts, settings = results.facts, np.zeros(SETTINGS, np.int32)
    settings[linktest_payload.MESSAGES] = max(1, facts.messages)
    settings[linktest_payload.BYTES] = size.bytes
    settings[linktest_payload.ALL_TO_ALL] = facts.all_to_all
    settings[linktest_payload.TOGETHER] = 1
    settings[linktest_payload.SERIAL] = facts.serial
    settings[linktest_payload.MIXED] = facts.randomize > 0
    settings[linktest_payload.LAST] = VERSION[0]
    return settings


def _summary(times: Times) -> Times:
    """Minimum, maximum and mean."""
    known = times[times > 0]
    return np.array([known.min(), known.max(), known.mean()] if len(known) else [0.0] * 3)


def _padded(values: NDArray[Any], length: int) -> NDArray[Any]:
    return np.concatenate([values, np.zeros(length - len(values), values.dtype)])


def _losses(results: Results, size: Size, made: Payload) -> Iterator[str]:
    rows, links = size.rows, size.links
    if _more_than_a_mean(links):
        yield "minimum, median, p99, maximum of a link, and how many readings were late: its mean is there"
    if failed := int(links.failed.sum()):
        yield f"in what way {plural(failed, 'link')} failed: without a time, and so read as broken"
    main, retests = (int(np.count_nonzero(rows.attempt == attempt)) for attempt in (MAIN, RETEST))
    if main > len(links):
        yield "what each pass gave: of all there is one mean"
    kept = int(np.count_nonzero(made.again))
    if retests > kept:
        yield f"all that was measured again: {kept} of {plural(retests, 'row')}, the slowest of those that did not fail"
    if again := len(rows.frm) - main - retests:
        yield f"what was measured alone or by --confirm: {plural(again, 'row')}"
    if has_details(rows):
        yield "how long connecting took, and how many messages arrived"
    if long := sum(len(host.encode()) > LONGEST_HOST for host in set(results.ranks.host)):
        yield f"the end of {plural(long, 'name')} of hosts above {LONGEST_HOST} bytes"
    yield from run_losses(results, linktest.KERNEL, linktest.own_remarks(made))


def _more_than_a_mean(links: Links) -> bool:
    ok = ~links.failed
    others = np.stack([links.min, links.p99, links.max])[:, ok]
    return bool(np.isfinite(others).any() or (links.median != links.mean)[ok].any() or links.late[ok].any())
