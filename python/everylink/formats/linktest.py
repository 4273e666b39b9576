"""Reads LinkTest's results (docs/sion.md) as Results: what such a file does not hold is not known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everylink.errors import FileDamaged, FileOfAnotherKind
from everylink.formats.bare import bare_facts, bare_ranks, bare_steps, counted_hosts
from everylink.formats.linktest_payload import (
    ALL_TO_ALL,
    BYTES,
    MESSAGES,
    MIXED,
    SERIAL,
    OfLinkTest2,
    Payload,
    read_payload,
)
from everylink.formats.results_file import with_parts
from everylink.formats.sion import read_container
from everylink.hdf5 import Damage
from everylink.links import MAIN, RETEST, Outcome, Rows
from everylink.results import UNKNOWN, Facts, Results, Size

KERNEL = "semidirectional"
MEAN_FOR_MEDIAN = "The file has one time of each link, the mean of its messages: it stands for the median, too."
NO_TIME = (
    "{} of the links were tried and have no time: they failed, in what way the file does not say; here they broke."
)
COORDINATES = "Of the coordinates that LinkTest gave the ranks, such as {} of rank {}, nothing is kept."
OTHER_EXTREME = (
    "The file calls {:.9g} s the {} time, and it is {:.9g} s: it may be damaged, its links are not all there."
)


def read_results(path: Path) -> Results:
    """Read a file of LinkTest 1.2, or of everylink-measure in its format. Raises ResultsError."""
    try:
        with path.open("rb") as file:
            container = read_container(file, path.stat().st_size)
            payload = read_payload(file, container)
    except OfLinkTest2 as other:
        what = f"is a SION file, but none of LinkTest 1.2: {other}; it may be of LinkTest 2, which is not read"
        raise FileOfAnotherKind(path, what) from None
    except Damage as damage:
        raise FileDamaged(path, str(damage)) from None
    except OSError as error:
        raise FileDamaged(path, f"cannot be read: {error.strerror}") from None
    if len(payload.hosts) < 2:
        raise FileOfAnotherKind(path, "has one rank, and so no link")
    results = results_of_payload(payload, path)
    if not any(container.behind_name):
        return results
    return with_parts(replace(results, facts=replace(results.facts, run_id=container.behind_name.hex())), None)


def results_of_payload(payload: Payload, path: Path) -> Results:
    """Results with the path of the file that the payload came from."""
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
        KERNEL, tool_version="LinkTest {}.{}p{}".format(*payload.version), transport=UNKNOWN, bootstrap=UNKNOWN,
        memory=UNKNOWN, schedule="all" if every else UNKNOWN, ranks=ranks, hosts=len(set(payload.hosts)),
        serial=bool(settings[SERIAL]), messages=int(settings[MESSAGES]), randomize=int(bool(settings[MIXED])),
        all_to_all=bool(settings[ALL_TO_ALL]), num_slowest=int(np.count_nonzero(rows.attempt == RETEST)),
    )  # fmt: skip


def _rows(payload: Payload) -> Rows:
    """The main run in the order of ranks, then what was measured again, each in a step of its own behind all others."""
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
    """What a reader must know of numbers that come from such a file."""
    ranks = len(payload.hosts)
    said = [MEAN_FOR_MEDIAN]
    others = ~np.eye(ranks, dtype=bool)
    untimed = int(np.count_nonzero((payload.times == 0) & (payload.steps > 0) & others))
    if untimed:
        said.append(NO_TIME.format(untimed))
    plain = payload.coordinates.copy() * 0
    plain[:, 0] = np.arange(ranks)
    if placed := np.flatnonzero((payload.coordinates != plain).any(axis=1)).tolist():
        said.append(COORDINATES.format(",".join(map(str, payload.coordinates[placed[0]].tolist())), placed[0]))
    times: NDArray[np.float64] = payload.times[others & (payload.times > 0)]
    if len(times):
        for claimed, name, found in zip(
            payload.summary, ("least", "longest"), (times.min(), times.max()), strict=False
        ):
            if abs(claimed - found) > 1e-6 * found:
                said.append(OTHER_EXTREME.format(claimed, name, found))
    return tuple(said)
