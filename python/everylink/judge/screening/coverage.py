"""Says exactly what a screening covered."""

import numpy as np

from everylink.judge.covered import Coverage
from everylink.judge.screening.fit import FEWEST_HOSTS, Level, way_between
from everylink.judge.screening.readings import Index, ScreenReadings


def coverage_of(seen: ScreenReadings, levels: tuple[Level, ...]) -> Coverage:
    """Of one size; of what `--confirm` measured as well only the pairs count."""
    used = seen.is_full
    times = np.bincount(seen.one[used], minlength=seen.hosts) + np.bincount(seen.other[used], minlength=seen.hosts)
    pairs = len(np.unique(way_between(seen.one, seen.other, seen.hosts)))
    ways = ways_known = least = 0
    if levels:
        whole = int((levels[0].sizes >= FEWEST_HOSTS).sum())
        ways = whole * (whole - 1) // 2
        count = _ways_measured(seen, levels[0])[1]
        ways_known, least = len(count), int(count.min()) if len(count) else 0
    known = times[times > 0]
    of_all = pairs / (seen.hosts * (seen.hosts - 1) / 2)
    lowest, middle = (int(np.min(known)), int(np.median(known))) if len(known) else (0, 0)
    return Coverage(seen.hosts, len(known), lowest, middle, of_all, ways, ways_known, least)


def _ways_measured(seen: ScreenReadings, level: Level) -> tuple[Index, Index]:
    """The ways between two groups of several hosts that were measured, by number, and how often each was."""
    own = level.sizes >= FEWEST_HOSTS
    one, other = level.of_host[seen.one], level.of_host[seen.other]
    used = seen.is_full & (one != other) & own[one] & own[other]
    return np.unique(way_between(one[used], other[used], len(level.names)), return_counts=True)
