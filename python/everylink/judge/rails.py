"""Rails that do not reach each other by design: every message between two adapters fails, on all hosts alike."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from everylink.judge.verdict import Structure
from everylink.model.results import Results, Size
from everylink.model.rows import Outcome
from everylink.units import plural

FEWEST_LINKS = 12  # between two adapters, none of which carried a message
Index = NDArray[np.int64]


def without_unreachable(results: Results) -> tuple[Results, list[Structure]]:
    """The results without links between adapters of different rails that do not meet, and what to say of them.

    Two adapters do not meet if no link between them worked on any two hosts, while links of each with its like did.
    """
    devices = sorted(set(results.ranks.device))
    if len(devices) < 2 or not any(size.outcomes.failed for size in results.sizes):
        return results, []
    number = {device: index for index, device in enumerate(devices)}
    of_rank = np.array([number[device] for device in results.ranks.device], np.int64)
    sizes, apart = [], np.zeros((len(devices), len(devices)), bool)
    for size in results.sizes:
        here = _apart(size, of_rank, results.ranks.host_index.astype(np.int64), len(devices))
        apart |= here
        sizes.append(
            replace(size, rows=size.rows.without(_failed_between(size, of_rank, here))) if here.any() else size
        )
    if not apart.any():
        return results, []
    pairs = [(devices[a], devices[b]) for a, b in zip(*np.nonzero(np.triu(apart)), strict=True)]
    names = ", ".join(f"{one} and {other}" for one, other in pairs)
    text = f"{plural(len(pairs), 'pair')} of adapters do not reach each other on any two hosts: {names}"
    found = Structure("rails", tuple(sorted({name for pair in pairs for name in pair})), None, 0, "times", text, "")
    return replace(results, sizes=tuple(sizes)), [found]


def _apart(size: Size, of_rank: Index, host_of: Index, devices: int) -> NDArray[np.bool_]:
    """[device, device]: whether they do not meet."""
    worked, failed = np.zeros((2, devices * devices), np.int64)
    for _, frm, to, outcome in _rows(size):
        apart = host_of[frm] != host_of[to]
        link = of_rank[frm[apart]] * devices + of_rank[to[apart]]
        ok, local = (outcome[apart] == one for one in (Outcome.OK, Outcome.LOCAL))
        worked += np.bincount(link[ok], minlength=len(worked))
        failed += np.bincount(link[~(ok | local)], minlength=len(failed))
    both = [(of + of.T) for of in (worked.reshape(devices, devices), failed.reshape(devices, devices))]
    works = np.diag(both[0]) > 0
    return np.asarray((both[0] == 0) & (both[1] >= FEWEST_LINKS) & works[:, None] & works[None, :])


def _failed_between(size: Size, of_rank: Index, apart: NDArray[np.bool_]) -> Index:
    """The numbers of the rows that failed between adapters that do not meet."""
    parts = [np.zeros(0, np.int64)]
    for begin, frm, to, outcome in _rows(size):
        failed = (outcome != Outcome.OK) & (outcome != Outcome.LOCAL)
        parts.append(begin + np.flatnonzero(apart[of_rank[frm], of_rank[to]] & failed))
    return np.concatenate(parts)


def _rows(size: Size) -> Iterator[tuple[int, Index, Index, NDArray[np.uint8]]]:
    begin = 0
    for frm, to, outcome in size.rows.blocks("frm", "to", "outcome"):
        yield begin, frm.astype(np.int64), to.astype(np.int64), outcome
        begin += len(frm)
