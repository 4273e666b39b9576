"""Which hosts speak for all of them where these are many: a median over two thousand is as good as one over all."""

import numpy as np
from numpy.typing import NDArray

MOST_WHOLE = 4096  # hosts; of more, a part is looked at
SAMPLED = 2048
LANDMARKS, MOST_PLACED = 128, 1024  # hosts; of sixteen groups each has two landmarks or more in 95 of 100 draws
ALL_LANDMARKS = 160  # hosts, up to which the few others are not worth placing
SEED = 28000  # any, but always the same: the same file, the same verdicts
Index = NDArray[np.int64]


def is_whole(hosts: int) -> bool:
    """Whether so many hosts are all looked at."""
    return hosts <= MOST_WHOLE


def sampled(hosts: int) -> Index:
    """Numbers of hosts in order: all of them, or so many by chance."""
    if is_whole(hosts):
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, SAMPLED, replace=False))


def landmarks(hosts: int) -> Index:
    """Numbers in order of the hosts that --confirm measures with each other where too few links are known.

    None where hosts are so many that to place the others would take too long.
    """
    if hosts > MOST_PLACED:
        return np.zeros(0, np.int64)
    if hosts <= ALL_LANDMARKS:
        return np.arange(hosts)
    return np.sort(np.random.default_rng(SEED).choice(hosts, LANDMARKS, replace=False))
