"""Which links stay on a host and which leave it: two populations that must not be judged by one scale."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from everylink.links import Links
from everylink.results import Ranks


class LinkClass(StrEnum):
    """Where the two ends of a link lie."""

    SAME_HOST = "same host"
    OTHER_HOST = "other host"


@dataclass(frozen=True)
class ClassMask:
    """The links of one class: `mask` has shape [links]."""

    link_class: LinkClass
    mask: NDArray[np.bool_]


def classes(links: Links, ranks: Ranks) -> tuple[ClassMask, ...]:
    """The classes that occur among these links, other hosts first."""
    same = ranks.host_index[links.frm] == ranks.host_index[links.to]
    both = (ClassMask(LinkClass.OTHER_HOST, ~same), ClassMask(LinkClass.SAME_HOST, same))
    return tuple(c for c in both if c.mask.any())
