"""Groups of hosts that are known, such as the hosts behind one switch."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Grouping:
    """Groups of hosts that were given: a number for each host, -1 where it is not known, and their names by number.

    `told_by`: what the run itself recorded them from, where nobody gave them. `doubts`: sentences on where what was
    given does not fit the run. `above`: each level of switches above theirs, from below: the number of the switch of
    each group, [groups], and the names by that number; the name is empty where a group has none there.
    """

    group_of: NDArray[np.int64]
    names: tuple[str, ...]
    told_by: str = ""
    doubts: tuple[str, ...] = ()
    above: tuple[tuple[NDArray[np.int64], tuple[str, ...]], ...] = ()
