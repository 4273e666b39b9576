"""Groups of hosts that are known, such as the hosts behind one switch."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Grouping:
    """Groups of hosts that were given: a number for each host, -1 where it is not known, and their names by number.

    `told_by`: what the run itself recorded them from, where nobody gave them. `doubts`: sentences on where what was
    given does not fit the run.
    """

    group_of: NDArray[np.int64]
    names: tuple[str, ...]
    told_by: str = ""
    doubts: tuple[str, ...] = ()
