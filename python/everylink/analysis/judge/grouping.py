"""The groups of hosts to judge by: those that were given, or those that show in the times."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.judge.groups import groups_seen, looked_at
from everylink.analysis.judge.placing import groups_known
from everylink.analysis.judge.readings import readings
from everylink.results import Results


@dataclass(frozen=True)
class Grouping:
    """Groups of hosts that were given: a number for each host, -1 where it is not known, and their names by number.

    `told_by`: what the run itself recorded them from, where nobody gave them.
    """

    group_of: NDArray[np.int64]
    names: tuple[str, ...]
    told_by: str = ""


def groups_for(results: Results, grouping: Grouping | None) -> tuple[NDArray[np.int64], bool]:
    """The group of each host, and whether groups are known: given, or measured so far that they would show.

    One grouping holds for all sizes: that of the size at which it explains most, because a fault that shows at one size
    may hide the groups there.
    """
    if grouping is not None:  # a host that is not in it may be anywhere: a group of its own
        unknown = grouping.group_of < 0
        return np.where(unknown, len(grouping.names) + np.cumsum(unknown) - 1, grouping.group_of), True
    best: NDArray[np.int64] | None = None
    most, known = -1.0, False
    for size in results.sizes:
        seen = readings(results, size)
        if not seen.count:
            continue
        looked = looked_at(seen)
        groups, gain = groups_seen(seen, looked)
        known |= groups_known(seen, looked, groups)
        if gain > most:
            best, most = groups, gain
    return np.zeros(int(results.ranks.host_index.max()) + 1, np.int64) if best is None else best, known
