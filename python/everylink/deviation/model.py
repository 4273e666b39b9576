"""The deviations of one size, as pictures need them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.blocks import Blocks
from everylink.deviation.scale import Codes

Index = NDArray[np.int64]
Shares = NDArray[np.uint8]


@dataclass(frozen=True)
class Lines:
    """Of the links of each rank, as sender or as receiver, [ranks] in drawn order: the lower median as code, and the
    numbers of links that have a time, that take 1.25 times the expected one or more, and that failed."""

    median: Codes
    timed: Index
    slow: Index
    failed: Index


@dataclass(frozen=True)
class Outliers:
    """Links by the places of their ends in the drawn order, and their codes, the slowest first."""

    frm: Index
    to: Index
    code: Codes

    def __len__(self) -> int:
        return len(self.code)


@dataclass(frozen=True)
class Deviations:
    """How far the links of one size are from what is expected, by blocks [from, to] in drawn order, as codes.

    `usual`: of all rows and columns of a block, and of all pairs of hosts in it, the median that deviates most;
    `worst`: its slowest link. Both NOT_MEASURED where no link has a time. `slow`, `failed`, `timed`: parts of its
    links, 255 is all; any that is not 0 is 1 at least. `links`: every link, [ranks, ranks]; None if that was not asked
    for. `outliers`: the slowest links of 1.25 times the expected time or more; `failures`: failed ones; as many of each
    as are kept, while `senders` counts all.
    """

    bytes: int
    blocks: Blocks
    usual: Codes
    worst: Codes
    slow: Shares
    failed: Shares
    timed: Shares
    senders: Lines
    receivers: Lines
    outliers: Outliers
    failures: Outliers
    links: Codes | None
