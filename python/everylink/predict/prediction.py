"""Predicts the cost of a traffic pattern: phases of messages over links with known times."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.inventory.ceilings import ceiling_of_run
from everylink.judge.readings import ONE_WAY
from everylink.links.hosts import host_names
from everylink.model.results import Results
from everylink.predict.patterns import Index, Messages, Pattern
from everylink.predict.times import FAILED, NOT_MEASURED, SHORT, Filled, LinkTimes
from everylink.units import size_text

Seconds = NDArray[np.float64]
Times = Callable[[Messages], tuple[Seconds, Seconds]]
COSTLY = 10


def exchange(pattern: Pattern, times: Times) -> Seconds:
    """When each rank finishes, seconds, shape [ranks]; `times` returns the time and the latency of each message."""
    finished = np.zeros(pattern.ranks)
    for k in range(pattern.phases):
        messages = pattern.phase(k)
        seconds, latency = times(messages)
        begin = np.maximum(finished[messages.frm], finished[messages.to])
        latency = np.minimum(latency, seconds)
        busy = seconds - latency
        ends = begin + latency + np.maximum(shared(messages.frm, busy), shared(messages.to, busy))
        np.maximum.at(finished, messages.frm, ends)
        np.maximum.at(finished, messages.to, ends)
    return finished


def shared(end: Index, busy: Seconds) -> Seconds:
    """How long each message takes, [messages], if each end divides its time equally among its messages.

    `busy`: seconds each would take alone. Of k equal messages each takes k times as long; the longest ends last.
    """
    order = np.lexsort((busy, end))
    ends, alone = end[order], busy[order]
    starts = np.flatnonzero(np.diff(ends, prepend=-1))
    counts = np.diff(starts, append=len(ends))
    before = np.cumsum(alone) - alone
    place = np.arange(len(ends)) - np.repeat(starts, counts)
    shorter = before - np.repeat(before[starts], counts)
    longer = np.repeat(counts, counts) - place  # including itself
    result = np.empty(len(ends))
    result[order] = shorter + longer * alone
    return result


@dataclass(frozen=True)
class CostlyMessage:
    """A message, its ranks and its time; `healthy`: time on healthy links of its kind; `state` as in times.py."""

    frm: int
    to: int
    bytes: int
    seconds: float
    healthy: float
    state: int


@dataclass(frozen=True)
class Bound:
    """The least time that the adapters of the busiest host need: `seconds` to send, or receive, `bytes`; `limit`: what
    limits them, as `PCIe 4.0 x8`.
    """

    host: str
    bytes: int
    limit: str
    seconds: float


@dataclass(frozen=True)
class Prediction:
    """`rank_seconds` [ranks]: when each rank finishes. `healthy`: seconds of the exchange if no link had a fault.

    `costly`: the messages that take longest, longest first; `failed`, `not_measured`: number of messages over links
    without a time of their own. `bound`: None where the hosts do not tell what their adapters carry.
    """

    pattern: Pattern
    messages: int
    bytes: int
    rank_seconds: Seconds
    healthy: float
    costly: tuple[CostlyMessage, ...]
    failed: int
    not_measured: int
    bound: Bound | None
    remarks: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """Seconds of the whole exchange: when the last rank finishes."""
        return float(self.rank_seconds.max())


def predict(pattern: Pattern, times: LinkTimes) -> Prediction:
    """Predict one exchange. Raises UserMistake if nothing is known about a link that the pattern needs."""
    finished = exchange(pattern, lambda m: (times.of(m.frm, m.to, m.bytes).seconds, times.latency(m.frm, m.to)))
    healthy = exchange(pattern, lambda m: (times.healthy(m.frm, m.to, m.bytes), times.healthy_latency(m.frm, m.to)))
    costly: list[tuple[float, int, int, int, int]] = []
    states: Counter[int] = Counter()
    count = total = longest = 0
    for messages in map(pattern.phase, range(pattern.phases)):
        found = times.of(messages.frm, messages.to, messages.bytes)
        costly = sorted([*costly, *_costly(messages, found)], key=lambda message: -message[0])[:COSTLY]
        states.update(found.state.tolist())
        count += len(messages)
        total += int(messages.bytes.sum(dtype=np.float64))  # integers would overflow
        longest = max(longest, int(messages.bytes.max()))
    remarks = tuple(_remarks(times, pattern, longest))
    return Prediction(
        pattern, count, total, finished, float(healthy.max()), _beside_healthy(costly, times), states[FAILED],
        states[NOT_MEASURED], bound_of(pattern, times.results), remarks,
    )  # fmt: skip


def bound_of(pattern: Pattern, results: Results) -> Bound | None:
    """The least time that the adapters need for an exchange, where the hosts tell what they carry."""
    ceiling = ceiling_of_run(results)
    if ceiling is None:
        return None
    host = results.ranks.host_index
    ranks = np.bincount(host)
    sent, received = np.zeros(len(ranks)), np.zeros(len(ranks))
    for messages in map(pattern.phase, range(pattern.phases)):
        frm, to = host[messages.frm], host[messages.to]
        far = frm != to
        sent += np.bincount(frm[far], messages.bytes[far], len(ranks))
        received += np.bincount(to[far], messages.bytes[far], len(ranks))
    most = np.maximum(sent, received)
    seconds = most / (ranks * ceiling.rate)
    busiest = int(seconds.argmax())
    return Bound(host_names(results.ranks)[busiest], int(most[busiest]), ceiling.limit, float(seconds[busiest]))


def _costly(messages: Messages, found: Filled) -> Iterator[tuple[float, int, int, int, int]]:
    """The longest messages of a phase: seconds, from, to, bytes, state."""
    for i in np.argsort(-found.seconds, kind="stable")[:COSTLY].tolist():
        ends = int(messages.frm[i]), int(messages.to[i])
        yield float(found.seconds[i]), *ends, int(messages.bytes[i]), int(found.state[i])


def _beside_healthy(costly: list[tuple[float, int, int, int, int]], times: LinkTimes) -> tuple[CostlyMessage, ...]:
    frm, to, size_bytes = (np.array([message[k] for message in costly], np.int64) for k in (1, 2, 3))
    healthy = times.healthy(frm, to, size_bytes).tolist()
    return tuple(
        CostlyMessage(message[1], message[2], message[3], message[0], usual, message[4])
        for message, usual in zip(costly, healthy, strict=True)
    )


def _remarks(times: LinkTimes, pattern: Pattern, longest: int) -> Iterator[str]:
    """What the prediction assumes, and which measurement would remove the assumption."""
    results: Results = times.results
    sizes = [size.bytes for size in times.sizes]
    if len(sizes) == 1:
        only = size_text(sizes[0])
        yield f"Only {only} was measured: shorter messages are assumed to take as long, longer ones have its bandwidth."
    elif longest > sizes[-1]:
        yield f"Messages above {size_text(sizes[-1])} were not measured: they are assumed to have its bandwidth."
    if sizes[0] > SHORT:
        yield (
            f"No message of {size_text(SHORT)} or less was measured, so the latency is unknown: a rank's messages are "
            "assumed to follow each other."
        )
    if results.facts.kernel in ONE_WAY:
        yield "The times are per message in a window and exclude latency; --bidirectional includes it."
    elif len(results.possible_directions) > 1:
        yield "The file does not name its kernel: its times are taken as those of one direction at a time."
    elif results.directions == 1 and pattern.name != "tree":
        yield "One direction was measured at a time, but ranks send and receive at once; --bidirectional measures that."
    if results.facts.serial:
        yield "One pair was measured at a time, so contention between the messages of different ranks is left out."
