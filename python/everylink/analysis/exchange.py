"""How long a pattern takes: when each rank is through with its messages, phase by phase.

The model. A rank begins a phase when it is through with the one before; a message begins when both of its ends have
begun the phase, as long messages do in every MPI library. A message of time t keeps both of its ends busy for t less
its latency; what one rank sends in a phase shares its way out, what it receives its way in, each message an equal
part at any time (processor sharing). A message takes its latency and what the busier of its ends takes; a rank is
through with a phase when all of its messages are. Sending and receiving do not disturb each other beyond what the
kernel has measured, and neither do messages of different ranks beyond what ran at the same time in the measurement.
With one message out and one in, as in a ring, a shift, a tree or a round of an all-to-all, that is the time measured.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from everylink.analysis.patterns import Index, Messages, Pattern

Seconds = NDArray[np.float64]
Times = Callable[[Messages], tuple[Seconds, Seconds]]


def exchange(pattern: Pattern, times: Times) -> Seconds:
    """When each rank is through, seconds, shape [ranks]; `times` gives time and latency of each message."""
    through = np.zeros(pattern.ranks)
    for k in range(pattern.phases):
        messages = pattern.phase(k)
        seconds, latency = times(messages)
        begin = np.maximum(through[messages.frm], through[messages.to])
        latency = np.minimum(latency, seconds)
        busy = seconds - latency
        ends = begin + latency + np.maximum(shared(messages.frm, busy), shared(messages.to, busy))
        np.maximum.at(through, messages.frm, ends)
        np.maximum.at(through, messages.to, ends)
    return through


def shared(end: Index, busy: Seconds) -> Seconds:
    """How long each message takes at an end that gives all of its messages an equal part, shape [messages].

    `busy` is how long each would take alone: of k equal ones each takes k times as long, the longest as long as all.
    """
    order = np.lexsort((busy, end))
    ends, alone = end[order], busy[order]
    starts = np.flatnonzero(np.diff(ends, prepend=-1))
    counts = np.diff(starts, append=len(ends))
    before = np.cumsum(alone) - alone
    place = np.arange(len(ends)) - np.repeat(starts, counts)
    shorter = before - np.repeat(before[starts], counts)
    longer = np.repeat(counts, counts) - place  # itself among them
    result = np.empty(len(ends))
    result[order] = shorter + longer * alone
    return result
