"""Reads files of LinkTest 1.2, and writes results of one message size as such files (docs/sion.md).

Files that Everylink writes are results files as well: everything that LinkTest has no place for is in HDF5 behind
LinkTest's data, and only that is read.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind, UserMistake
from everylink.files import atomic_write
from everylink.io import linktest_payload, results_file
from everylink.io.foreign import bare_facts, bare_ranks, bare_steps, counted_hosts
from everylink.io.formats import Format, register
from everylink.io.hdf5 import Damage
from everylink.io.linktest2 import linktest2_of
from everylink.io.linktest_payload import (
    ALL_TO_ALL,
    BYTES,
    COORDINATES,
    MESSAGES,
    MIXED,
    MOST,
    MOST_STEPS,
    SERIAL,
    SETTINGS,
    SUMMARY,
    VERSION,
    OfAnotherProgram,
    Payload,
    read_payload,
)
from everylink.io.sion import read_container, results_behind, write_container
from everylink.io.steps import first_steps
from everylink.model.links import Links, keys
from everylink.model.results import UNKNOWN, Facts, Results, Size
from everylink.model.rows import MAIN, RETEST, Outcome, Rows

KERNEL_UNKNOWN = (
    "The file does not name its kernel: its bandwidths are twice as high if it was bidirectional. everylink convert "
    "FILE FILE.h5 --kernel NAME writes one that does."
)
MEAN_FOR_MEDIAN = "The file has one time per link, the mean of its messages, which is also used as the median."
NO_TIME = (
    "{} of the links were tried but have no time: they failed. The file does not say how; here they count as broken."
)
PLACED = "LinkTest's coordinates of ranks, such as {} of rank {}, are not kept."
OTHER_EXTREME = (
    "The file gives {:.9g} s as the {} time, but its links have {:.9g} s: it may be damaged, or links are missing."
)
OF_LINKTEST_2 = (
    "is a results file of {}, whose layout is not LinkTest 1's and is not read here; that LinkTest's linktest-report "
    "reads it, and measuring again with Everylink's linktest writes a file that can be read here"
)
Times = NDArray[np.float64]
FAILED_STEP = 1  # marks a link as tried; without time and step, it counts as not measured


def read_results(path: Path) -> Results:
    """Read a file of LinkTest 1.2, or of Everylink in its format. Raises ResultsError."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if program := linktest2_of(file, size):
                raise FileOfAnotherKind(path, OF_LINKTEST_2.format(program))
            container = read_container(file, size)
            if container.results_at:
                return results_file.read_results(path)
            payload = read_payload(file, container)
    except OfAnotherProgram as other:
        raise FileOfAnotherKind(path, f"is a SION file, but not one of LinkTest 1 or 2: {other}") from None
    except Damage as damage:
        raise FileDamaged(path, str(damage)) from None
    except OSError as error:
        raise FileDamaged(path, f"cannot be read: {error.strerror}") from None
    if len(payload.hosts) < 2:
        raise FileOfAnotherKind(path, "has a single rank, and therefore no link")
    results = results_of_payload(payload, path)
    if not any(container.run_id):
        return results
    return results_file.with_parts(replace(results, facts=replace(results.facts, run_id=container.run_id.hex())), None)


def results_of_payload(payload: Payload, path: Path) -> Results:
    """The results in a payload; `path` is the file that it came from."""
    ranks = len(payload.hosts)
    rows = _rows(payload)
    steps = bare_steps(int(rows.step.max()) + 1 if len(rows.step) else 0)
    size = Size(int(payload.settings[BYTES]), 0, ranks, rows)
    return Results(
        path, _facts(payload, rows), bare_ranks(*counted_hosts(payload.hosts)), steps, (size,), own_remarks(payload)
    )


def _facts(payload: Payload, rows: Rows) -> Facts:
    ranks, settings = len(payload.hosts), payload.settings
    every = np.count_nonzero(rows.attempt == MAIN) == ranks * (ranks - 1)
    return bare_facts(
        UNKNOWN, tool_version="LinkTest {}.{}p{}".format(*payload.version), transport=UNKNOWN, bootstrap=UNKNOWN,
        memory=UNKNOWN, schedule="all" if every else UNKNOWN, ranks=ranks, hosts=len(set(payload.hosts)),
        serial=bool(settings[SERIAL]), messages=int(settings[MESSAGES]), randomize=int(bool(settings[MIXED])),
        all_to_all=bool(settings[ALL_TO_ALL]), num_slowest=int(np.count_nonzero(rows.attempt == RETEST)),
    )  # fmt: skip


def _rows(payload: Payload) -> Rows:
    """The main run in the order of ranks, then the retests, each in its own step after all others."""
    ranks = len(payload.hosts)
    main = np.flatnonzero(((payload.times > 0) | (payload.steps > 0)) & ~np.eye(ranks, dtype=bool))
    again = np.flatnonzero((payload.again > 0) & (payload.frm != payload.to))
    frm = np.concatenate([main // ranks, payload.frm[again]]).astype(np.uint32)
    to = np.concatenate([main % ranks, payload.to[again]]).astype(np.uint32)
    step = payload.steps.ravel()[main]
    behind = max(int(step.max(initial=0)), 1)
    main_step = np.maximum(step - 1, 0)
    times = np.concatenate([payload.times.ravel()[main], payload.again[again]]).astype(np.float32)
    ok = times > 0
    count, unknown = len(frm), np.full(len(frm), np.nan, np.float32)
    seconds = np.where(ok, times, np.float32(np.nan))
    all_to_all = unknown.copy()
    if payload.all_to_all is not None:
        known = (step > 0) & (step < ranks)
        found = payload.all_to_all[main[known] // ranks, step[known]]
        all_to_all[: len(main)][known] = np.where(found > 0, found, np.nan)
    return Rows(
        frm=frm, to=to, step=np.concatenate([main_step, behind + np.arange(len(again))]).astype(np.uint32),
        attempt=np.repeat(np.array([MAIN, RETEST], np.uint8), [len(main), len(again)]),
        outcome=np.where(ok, Outcome.OK, Outcome.BROKEN).astype(np.uint8), arrived=np.full(count, -1, np.int32),
        setup=unknown, n=np.where(ok, payload.settings[MESSAGES], 0).astype(np.uint32), min=unknown, median=seconds,
        mean=seconds, p99=unknown, max=unknown, late=np.zeros(count, np.uint32), all_to_all=all_to_all,
    )  # fmt: skip


def own_remarks(payload: Payload) -> tuple[str, ...]:
    """Remarks that qualify the numbers from such a file."""
    ranks = len(payload.hosts)
    said = [MEAN_FOR_MEDIAN, KERNEL_UNKNOWN]
    others = ~np.eye(ranks, dtype=bool)
    untimed = int(np.count_nonzero((payload.times == 0) & (payload.steps > 0) & others))
    if untimed:
        said.append(NO_TIME.format(untimed))
    plain = payload.coordinates.copy() * 0
    plain[:, 0] = np.arange(ranks)
    if placed := np.flatnonzero((payload.coordinates != plain).any(axis=1)).tolist():
        said.append(PLACED.format(",".join(map(str, payload.coordinates[placed[0]].tolist())), placed[0]))
    times: NDArray[np.float64] = payload.times[others & (payload.times > 0)]
    if len(times):
        for claimed, name, found in zip(
            payload.summary, ("least", "longest"), (times.min(), times.max()), strict=False
        ):
            if abs(claimed - found) > 1e-6 * found:
                said.append(OTHER_EXTREME.format(claimed, name, found))
    return tuple(said)


def write_linktest(results: Results, force: bool = False) -> list[str]:
    """Write the only size to the path of the results. Returns no lines, since nothing is lost.

    Raises UserMistake if there is not exactly one size, no link, or a number too large for the format.
    """
    if len(results.sizes) != 1:
        raise UserMistake(f"{results.path}: a SION file holds one message size, but there are {len(results.sizes)}")
    (size,) = results.sizes
    if not len(size.rows.frm):
        raise UserMistake(f"{results.path}: there is no link to write")
    for what, value in (("message size", size.bytes), ("number of messages", results.facts.messages)):
        if value > MOST:
            raise UserMistake(f"{results.path}: the {what} is {value}, but SION files of LinkTest hold at most {MOST}")
    streams = list(linktest_payload.streams(payload(results, size)))
    results_at = results_behind(len(streams), sum(map(len, streams)))
    with atomic_write(results.path, force) as new:
        results_file.write_to(new, results, behind=results_at)
        write_container(new, results.path.name, streams, results_at)
    return []


def payload(results: Results, size: Size) -> Payload:
    """One size as the payload that LinkTest would have written."""
    ranks, links = len(results.ranks), size.links
    times = np.zeros((ranks, ranks))
    times[links.frm, links.to] = _seconds(links)
    steps, together = _steps(size, ranks, results.facts.serial), np.zeros((ranks, ranks))
    steps[(times == 0) & (steps == 0) & (links.outcome_matrix(ranks) > Outcome.OK)] = FAILED_STEP
    if results.facts.all_to_all:
        known = np.flatnonzero((size.rows.attempt == MAIN) & (size.rows.all_to_all > 0))[
            ::-1
        ]  # reversed, so the first one remains
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
    """Seconds of each link: its mean, else its median; 0 if it failed. Shape [links]."""
    mean = np.where(np.isfinite(links.mean), links.mean, links.median)
    return np.where((mean > 0) & np.isfinite(mean) & ~links.failed, mean, 0).astype(np.float64)


def _steps(size: Size, ranks: int, serial: bool) -> NDArray[np.int32]:
    """The step in which each link was first measured, counted from 1; 0 if unknown. Shape [ranks, ranks]."""
    steps, first = np.zeros((ranks, ranks), np.int32), first_steps(size.rows, ranks, serial)
    if first is not None and first.max() <= MOST_STEPS:
        steps[size.links.frm, size.links.to] = first
    return steps


def _retests(rows: Rows, times: Times) -> tuple[NDArray[Any], NDArray[Any], Times]:
    """From, to and second time in seconds of the retests, slowest first; at most one entry per rank."""
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
    """Minimum, maximum and mean in seconds."""
    known = times[times > 0]
    return np.array([known.min(), known.max(), known.mean()] if len(known) else [0.0] * 3)


def _padded(values: NDArray[Any], length: int) -> NDArray[Any]:
    return np.concatenate([values, np.zeros(length - len(values), values.dtype)])


register(Format(".sion", "SION", write_linktest, b"sion", read_results))
