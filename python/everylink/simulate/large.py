"""Writes the results file of a made-up cluster of very many links, some of them at a time."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from everylink.files import whole
from everylink.formats.results_file import IN_MEMORY
from everylink.formats.write import append_rows, write_results
from everylink.links import BLOCK, Rows
from everylink.results import read
from everylink.simulate.confirm import confirmed
from everylink.simulate.fabric import Fabric
from everylink.simulate.results import measured
from everylink.stored import StoredRows


def is_large(fabric: Fabric) -> bool:
    """Whether all links of a fabric are too many to be held in memory."""
    return fabric.ranks * (fabric.ranks - 1) > IN_MEMORY


def write_large(fabric: Fabric, sizes: list[int], path: Path, command: str, confirm: bool, force: bool) -> None:
    """Every link once, then what the judge suspects again."""
    none = np.zeros(0, np.int64)
    with whole(path, force) as new:
        results = measured(fabric, (none, none), sizes, new, command)
        write_results(results, force=True, room=fabric.ranks * (fabric.ranks - 1))
        append_rows(new, {size: _blocks(fabric, size) for size in sizes})
        if confirm:
            again = confirmed(fabric, read(new))
            append_rows(new, {s.bytes: [s.rows.added] for s in again.sizes if isinstance(s.rows, StoredRows)})


def _blocks(fabric: Fabric, size: int) -> Iterator[Rows]:
    """All links by (from, to), each block of them with noise of its own."""
    others = fabric.ranks - 1
    for draw, begin in enumerate(range(0, fabric.ranks * others, BLOCK)):
        link = np.arange(begin, min(begin + BLOCK, fabric.ranks * others))
        frm, to = np.divmod(link, others)
        yield fabric.measure(frm, to + (to >= frm), size, draw=draw)
