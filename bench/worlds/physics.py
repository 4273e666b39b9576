"""What messages of one step cost: latency + bytes / the rate that each flow gets of the ways it shares.

A way is anything that several flows may share: the sending or the receiving side of an adapter, a cable between
switches. The rates of the flows of a step are max-min fair (Bertsekas and Gallager 1992, 6.5.2).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NONE = -1  # pads the ways of a flow
EQUAL = 1 + 1e-9  # rates that differ by less are the same
Index = NDArray[np.int64]
Values = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Flows:
    """Messages between ranks, one entry each; flows of the same `phase` run at the same time.

    `ways` [flow, hop] is padded with NONE; `limit` is what a flow reaches alone where no way is narrower, bytes per
    second; `latency` in seconds.
    """

    phase: Index
    frm: Index
    to: Index
    ways: Index
    limit: Values
    latency: Values


def fair_rates(key: Index, capacity: Values, limit: Values) -> Values:
    """Bytes per second of each flow. `key` [flow, hop]: the ways of each flow in its phase, numbers of `capacity`."""
    rate: Values = limit.copy()
    used = key != NONE
    flows_on = np.bincount(key[used], minlength=len(capacity))
    lone = used & (flows_on[key] == 1)
    rate = np.minimum(rate, np.where(lone, capacity[key], np.inf).min(axis=1, initial=np.inf))
    used &= ~lone
    open_ = np.flatnonzero(used.any(axis=1))  # flows whose rate is not settled
    left = capacity.astype(np.float64).copy()
    flows_on = np.bincount(key[open_][used[open_]], minlength=len(capacity))
    while len(open_):
        ways, on = key[open_], used[open_]
        with np.errstate(divide="ignore", invalid="ignore"):
            fair: Values = left / flows_on
        share = np.where(on, fair[ways], np.inf)
        reach = np.minimum(share.min(axis=1), rate[open_])
        slack = np.bincount(ways[on & (reach[:, None] * EQUAL < share)], minlength=len(capacity)) > 0
        full = on & (share <= reach[:, None] * EQUAL) & ~slack[ways]
        settled = full.any(axis=1) | (rate[open_] <= reach * EQUAL)
        rate[open_[settled]] = reach[settled]
        gone = on[settled]
        at = ways[settled][gone]
        left -= np.bincount(at, np.repeat(reach[settled], gone.sum(axis=1)), len(capacity))
        flows_on -= np.bincount(at, minlength=len(capacity))
        left = np.maximum(left, 0.0)
        open_ = open_[~settled]
    return np.asarray(rate)


def hashed(*numbers: Index | int) -> NDArray[np.uint64]:
    """A random number of 64 bits for each combination, always the same one (SplitMix64)."""
    value = np.zeros(1, np.uint64)
    with np.errstate(over="ignore"):
        for number in numbers:
            value = value + np.asarray(number).astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
            value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            value = value ^ (value >> np.uint64(31))
    return value


def chance(*numbers: Index | int) -> Values:
    """The same as a number from 0 to 1."""
    return np.asarray((hashed(*numbers) >> np.uint64(11)) * 2.0**-53)
