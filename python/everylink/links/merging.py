"""Combines runs of the same ranks and settings into one.

By median, all rows are kept, and reading pools them (docs/results-file.md). By min, each link has the times of the run
in which its median was smallest. Either way, a link that failed in any run counts as failed: a cable that works four
times out of five is faulty.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.io.results_file import evened
from everylink.links.matching import value_text
from everylink.model.inventory import joined as joined_inventories
from everylink.model.links import keys
from everylink.model.results import LocalFaults, Ranks, Results, Steps
from everylink.model.rows import MAIN, STATISTICS, Outcome, Rows, chosen, joined
from everylink.units import plural, size_text

WAYS = ("median", "min")
SAME = {
    "transport": "--mode", "transport_options": "options of --mode", "memory": "--memory", "kernel": "the kernel",
    "schedule": "--schedule", "serial": "--serial-tests", "messages": "--num-messages",
    "warmups": "--num-warmup-messages", "window": "--window", "buffers": "--num-multi-buf", "check": "--check",
    "all_to_all": "--all-to-all",
}  # fmt: skip
OWN_STEPS = 2  # by min: one for the fastest rows and one for failures, so that neither replaces the other


def merged(runs: Sequence[Results], by: str) -> Results:
    """Combine runs into one, with the path of the first. Raises UserMistake, which names the setting that differs."""
    _refuse_differences(runs)
    even = [evened(run) for run in runs]
    combined = _joined(even) if by == "median" else _fastest(even)
    facts = replace(
        runs[0].facts,
        created=max(run.facts.created for run in runs),
        complete=all(run.facts.complete for run in runs),
        ended=max(run.facts.ended for run in runs),
        interrupted=any(run.facts.interrupted for run in runs),
        failed_not_retried=sum(run.facts.failed_not_retried for run in runs),
        run_id="",  # unsaved rows are already merged
    )
    how = f"merged by {by} from {len(runs)} runs: {', '.join(str(run.path) for run in runs)}"
    remarks = dict.fromkeys([how, *(remark for run in runs for remark in run.remarks)])
    return replace(
        combined, facts=facts, remarks=tuple(remarks), rows_from_parts=0, parts_left_out=(),
        read_inventory=lambda: joined_inventories([run.inventory for run in runs]),
    )  # fmt: skip


def _refuse_differences(runs: Sequence[Results]) -> None:
    first = runs[0]
    for i, run in enumerate(runs[1:], 1):
        pair = f"{run.path}: cannot be merged with {first.path}"
        same = [other for other in runs[:i] if run.facts.run_id and other.facts.run_id == run.facts.run_id]
        if same:
            raise UserMistake(f"{run.path}: is the same run as {same[0].path}; give each run once")
        for name, option in SAME.items():
            ours, theirs = getattr(run.facts, name), getattr(first.facts, name)
            if ours != theirs:
                raise UserMistake(f"{pair}: {option} is {value_text(ours)} here, {value_text(theirs)} there")
        sizes = [", ".join(size_text(size.bytes) for size in r.sizes) for r in (run, first)]
        if sizes[0] != sizes[1]:
            raise UserMistake(f"{pair}: sizes are {sizes[0]} here, {sizes[1]} there")
        _refuse_other_ranks(pair, run.ranks, first.ranks)


def _refuse_other_ranks(pair: str, ours: Ranks, theirs: Ranks) -> None:
    if len(ours) != len(theirs):
        raise UserMistake(f"{pair}: {plural(len(ours), 'rank')} here, {len(theirs)} there")
    for rank in range(len(ours)):
        places = [(r.host[rank], int(r.host_index[rank]), int(r.local_rank[rank])) for r in (ours, theirs)]
        if places[0] != places[1]:
            here, there = (f"local rank {local} of {host} (host {index})" for host, index, local in places)
            raise UserMistake(f"{pair}: rank {rank} is {here} here, {there} there")


def _joined(runs: Sequence[Results]) -> Results:
    """All rows of all runs, concatenated."""
    sizes = []
    for i, size in enumerate(runs[0].sizes):
        rows = [_shifted(run.sizes[i].rows.held(), shift) for run, shift in zip(runs, _shifts(runs, 0), strict=True)]
        sizes.append(replace(size, rows=joined(rows)))
    return replace(
        runs[0], sizes=tuple(sizes), steps=_steps([run.steps for run in runs]), local_faults=_local_faults(runs)
    )


def _local_faults(runs: Sequence[Results]) -> LocalFaults:
    """What any run says, each once."""
    every = (zip(run.local_faults.rank.tolist(), run.local_faults.cause, strict=True) for run in runs)
    found = sorted({one for faults in every for one in faults})
    return LocalFaults(np.array([rank for rank, _ in found], np.uint32), tuple(cause for _, cause in found))


def _shifts(runs: Sequence[Results], first: int) -> list[int]:
    """The first step of each run after concatenation."""
    counts = [len(run.steps.began) for run in runs]
    return [first + sum(counts[:i]) for i in range(len(runs))]


def _shifted(rows: Rows, shift: int) -> Rows:
    return replace(rows, step=(rows.step + np.uint32(shift)).astype(np.uint32))


def _steps(parts: Sequence[Steps]) -> Steps:
    return Steps(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


@dataclass(frozen=True)
class _Best:
    """For each link of all runs: the values of the fastest run, and the first outcome that was not ok, else -1."""

    values: dict[str, NDArray[Any]]
    measured: NDArray[np.bool_]
    failure: NDArray[np.int16]


def _fastest(runs: Sequence[Results]) -> Results:
    ranks = len(runs[0].ranks)
    known = [keys(size.links, ranks) for run in runs for size in run.sizes]
    links = np.unique(np.concatenate(known)) if known else np.empty(0, np.int64)
    best = [_best(runs, i, links) for i in range(len(runs[0].sizes))]
    both = np.flatnonzero(np.any([b.measured & (b.failure >= 0) for b in best], axis=0)) if best else links
    sizes = []
    for i, (size, found) in enumerate(zip(runs[0].sizes, best, strict=True)):
        everything = np.arange(len(links))
        outcome = np.where(found.measured, np.int16(Outcome.OK), np.maximum(found.failure, Outcome.OK))
        main = _rows(links, everything, ranks, outcome, found.values, step=0)
        failed = _rows(links, both, ranks, np.where(found.measured, np.maximum(found.failure, 0), 0), {}, step=1)
        later = [
            _shifted(_not_pooled(run.sizes[i].rows), shift)
            for run, shift in zip(runs, _shifts(runs, OWN_STEPS), strict=True)
        ]
        sizes.append(replace(size, rows=joined([main, failed, *later])))
    overlap = np.full(OWN_STEPS, min((run.overlap for run in runs), default=np.nan), np.float32)
    none = np.zeros(OWN_STEPS, np.uint32)
    own = Steps(none, np.zeros(OWN_STEPS, np.uint64), np.zeros(OWN_STEPS), overlap, none)
    steps = _steps([own, *(run.steps for run in runs)])
    return replace(runs[0], sizes=tuple(sizes), steps=steps, local_faults=_local_faults(runs))


def _not_pooled(rows: Rows) -> Rows:
    """Later attempts, and links that a host could not measure."""
    return chosen(rows, (rows.attempt != MAIN) | (rows.outcome == Outcome.LOCAL))


def _best(runs: Sequence[Results], i: int, links: NDArray[np.int64]) -> _Best:
    values: dict[str, NDArray[Any]] = {name: np.full(len(links), np.nan, np.float32) for name in STATISTICS}
    values |= {name: np.zeros(len(links), np.int64) for name in ("n", "late")}
    failure = np.full(len(links), -1, np.int16)
    for run in runs:
        found = run.sizes[i].links
        at = np.searchsorted(links, keys(found, len(run.ranks)))
        faster = ~(found.median >= values["median"][at]) & np.isfinite(found.median)
        for name, column in values.items():
            column[at[faster]] = getattr(found, name)[faster]
        new = found.failed & (failure[at] < 0)
        failure[at[new]] = found.outcome[new]
    return _Best(values, np.isfinite(values["median"]), failure)


def _rows(
    links: NDArray[np.int64],
    index: NDArray[np.intp],
    ranks: int,
    outcome: NDArray[Any],
    values: dict[str, Any],
    step: int,
) -> Rows:
    """Rows of the main run for the links at `index`; without values they have no times."""
    count = len(index)
    unknown = np.full(count, np.nan, np.float32)
    known: dict[str, Any] = {name: values[name][index] if values else unknown for name in STATISTICS}
    for name in ("n", "late"):
        known[name] = (values[name][index] if values else np.zeros(count)).astype(np.uint32)
    return Rows(
        frm=(links[index] // ranks).astype(np.uint32), to=(links[index] % ranks).astype(np.uint32),
        step=np.full(count, step, np.uint32), attempt=np.full(count, MAIN, np.uint8),
        outcome=outcome[index].astype(np.uint8), arrived=np.full(count, -1, np.int32), setup=unknown,
        all_to_all=unknown, **known,
    )  # fmt: skip
