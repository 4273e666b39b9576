"""Groups of hosts that are slow alike, and too many of all to be faults: they are built that way, perhaps."""

from collections.abc import Sequence

import numpy as np

from everylink.judge.names import Names
from everylink.judge.verdict import Structure, Verdict

MANY, PART_OF_GROUPS, ALIKE = 3, 1 / 4, 0.05  # groups, part of those of several hosts; by how much they differ (log)
QUESTION = "By design, or slow? Their switches, cables and settings against those of the other groups tell."


def without_alike(verdicts: Sequence[Verdict], names: Names) -> tuple[list[Verdict], list[Structure]]:
    """The verdicts but those on such groups, and what is told of these."""
    number = {names.group(number): number for number in np.unique(names.groups).tolist()}
    slow = [one for one in verdicts if one.is_slow_group and one.subject in number]
    several = int((np.bincount(names.groups) > 1).sum())
    factors = [one.factor or 1.0 for one in slow]
    if len(slow) < max(MANY, PART_OF_GROUPS * several) or np.ptp(np.log(factors)) > ALIKE:
        return list(verdicts), []
    groups = sorted(names.group_in_short(number[one.subject]) for one in slow)
    text = f"{', '.join(groups)}: their links to other groups take {max(factors):.2f}x the time of the others'"
    built = Structure("class", tuple(groups), max(factors), slow[0].bytes, "times", text, QUESTION)
    return [one for one in verdicts if one not in slow], [built]
