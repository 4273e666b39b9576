"""Which rows of a file no run can have measured, and sentences about rows that are left out."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.model.loads import GET
from everylink.model.rows import ALONE, Outcome

LAST_ATTEMPT = ALONE
LONGEST = 1e6  # seconds; no run waits that long for a message
TIMES = ("setup", "min", "median", "mean", "p99", "max", "all_to_all")
CLOCKS = ("seconds", "sent_seconds")  # of flows; always known
FLOW_TIMES = ("min", "median", "mean", "p99", "max", "service_mean", "service_median", "service_p99")
ORDER = (("min", "median"), ("median", "max"), ("min", "mean"), ("mean", "max"), ("median", "p99"), ("p99", "max"))
ROUNDING = 1e-4  # of statistics that were merged or converted
MOST_NAMED = 5  # regions of a table
DAMAGE = "are damaged"  # by their checksum; else what they have

Region = tuple[int, int]  # first row and end

Mask = NDArray[np.bool_]


def impossible(columns: Mapping[str, NDArray[Any]], ranks: int, steps: int | None) -> Iterator[tuple[str, Mask]]:
    """What is wrong with rows, and with which; only what these columns tell. `steps`: of the file, None: not known."""
    for name in ("frm", "to"):
        if name in columns:
            yield "a rank that there is not", columns[name] >= ranks
    if "frm" in columns and "to" in columns:
        yield "a link from a rank to itself", columns["frm"] == columns["to"]
    if "attempt" in columns:
        yield "an unknown attempt", columns["attempt"] > LAST_ATTEMPT
    if "outcome" in columns:
        yield "an unknown outcome", columns["outcome"] > max(Outcome)
    if "step" in columns and steps is not None:
        yield "a step that there is not", columns["step"] >= steps
    for name in TIMES:
        if name in columns:
            yield "an impossible time", (columns[name] < 0) | (columns[name] > LONGEST)
    for low, high in ORDER:
        if low in columns and high in columns:
            with np.errstate(over="ignore"):
                yield f"a {low} above its {high}", columns[low] > columns[high] * (1 + ROUNDING)


def regions_of(mask: Mask) -> Iterator[Region]:
    """The rows of a mask as regions, first row and end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def impossible_flows(columns: Mapping[str, NDArray[Any]], ranks: int, scenes: int) -> Iterator[tuple[str, Mask]]:
    """As impossible, of the flows of a load pattern."""
    yield "a scene that there is not", columns["scene"] >= scenes
    for name in ("frm", "to"):
        yield "a rank that there is not", columns[name] >= ranks
    yield "an unknown outcome", columns["outcome"] > max(Outcome)
    yield "an unknown kind", columns["kind"] > GET
    for name in CLOCKS:
        yield "an impossible time", ~((columns[name] >= 0) & (columns[name] <= LONGEST))
    for name in FLOW_TIMES:
        yield "an impossible time", (columns[name] < 0) | (columns[name] > LONGEST)


def told_apart(
    found: Mapping[str, Iterable[Region]], path: Path, of: str, length: int, what: str = "row"
) -> tuple[Mask, list[str]]:
    """The rows that are left out, of `length`, and a sentence for each reason: `rows 1024-2047 of x.h5, 64 KiB, are
    damaged: left out`. A row is named for the first reason alone.

    `of`: which table; reasons are DAMAGE or what the rows have.
    """
    gone, said = np.zeros(length, bool), []
    for why in sorted(found, key=lambda why: why != DAMAGE):
        new = np.zeros(length, bool)
        for begin, end in found[why]:
            new[begin:end] = True
        new &= ~gone
        gone |= new
        if new.any():
            said.append(sentence(new, path, of, why, what))
    return gone, said


def sentence(mask: Mask, path: Path, of: str, why: str, what: str = "row") -> str:
    """What is wrong with these rows."""
    regions = list(regions_of(mask))
    named = [str(begin) if end == begin + 1 else f"{begin}-{end - 1}" for begin, end in regions[:MOST_NAMED]]
    one = len(regions) == 1 and regions[0][1] == regions[0][0] + 1
    if more := sum(end - begin for begin, end in regions[MOST_NAMED:]):
        named.append(f"and {more} more")
    told = why.replace("are", "is", 1) if one and why == DAMAGE else why
    told = told if why == DAMAGE else f"{'has' if one else 'have'} {why}"
    return f"{what}{'' if one else 's'} {', '.join(named)} of {path}{f', {of},' if of else ''} {told}: left out"
