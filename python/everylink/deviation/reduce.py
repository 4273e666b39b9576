"""Reduces all links of a size to one matrix of blocks, in constant memory however many readings a file has.

A transient makes one link in some hundred slow, so nearly every block of a large matrix has such a link: its worst link
does not tell a slow host from a healthy one. A bad host, rank, switch or way makes whole rows or columns of a block
slow, and a bad pair all links between two hosts, so a block is shown by the medians of these.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.model import Deviations
from everylink.deviation.planes import Planes
from everylink.deviation.scale import FAILED, NOT_MEASURED, Codes
from everylink.deviation.strips import CODES, readings_of_a_link, strip
from everylink.deviation.usual import Reference
from everylink.model.results import Size
from everylink.model.rows import Outcome

STRIP_BYTES = 400 * 2**20  # of links held at the same time


def deviations(size: Size, usual: Reference, blocks: Blocks, with_links: bool = False) -> Deviations:
    """Reads the rows once for each strip of STRIP_BYTES. Raises FileDamaged, NotEnoughMemory."""
    ranks, planes = size.ranks, Planes(blocks)
    whole = np.full((ranks, ranks), NOT_MEASURED, np.int8) if with_links else None
    for begin, end in strips(blocks, STRIP_BYTES // readings_of_a_link(size)) if len(size.rows) else ():
        codes = strip(size, blocks.places, begin, end, CODES, partial(codes_of, usual))
        if whole is not None:
            whole[begin:end] = codes
        planes.add(codes, begin)
        del codes  # before the next one is made
    return planes.done(size.bytes, whole)


def strips(blocks: Blocks, links: int) -> Iterator[tuple[int, int]]:
    """The first place of each strip and the one after its last; a strip has whole blocks, and about `links` links."""
    ranks, edges = int(blocks.edges[-1]), blocks.edges
    together = max(links // ranks, blocks.largest)
    begin = 0
    while begin < ranks:
        end = int(edges[np.searchsorted(edges, begin + together, "right") - 1])
        yield begin, end
        begin = end


def codes_of(
    usual: Reference,
    frm: NDArray[np.uint32],
    to: NDArray[np.uint32],
    outcome: NDArray[np.uint8],
    median: NDArray[np.float32],
) -> Codes:
    """The deviations of readings, [readings]; FAILED where a link failed."""
    codes = usual.codes(frm, to, median)
    codes[outcome != Outcome.OK] = FAILED
    return codes
