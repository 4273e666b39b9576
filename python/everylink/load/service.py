"""What clients and servers achieved in each scene; quantiles over many flows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from everylink.model.loads import GET, PUT, Flows, Load
from everylink.model.rows import Outcome

LEAST_FOR_P99 = 100  # readings
HALVINGS = 44  # bisections when searching a quantile
Values = NDArray[np.float64]
Index = NDArray[np.intp]
KEPT = 4  # patterns with cached sums: judging, tables and diagrams use the same


def pooled_mean(flows: Flows, rows: NDArray[np.intp]) -> float:
    """The mean of these flows in seconds, weighted by their number of readings; NaN if there are none."""
    rows = _timed(flows, rows)
    weight = flows.n[rows].astype(np.float64)
    return float(np.average(flows.mean[rows], weights=weight)) if len(rows) else float("nan")


def pooled_quantile(flows: Flows, rows: NDArray[np.intp], part: float) -> float:
    """A quantile in seconds of all readings of these flows; NaN without readings, or with too few for a p99.

    Each flow's distribution function is interpolated linearly: 0 at its min, 1/2 at its median, 0.99 at its p99 if
    known, 1 at its max.
    """
    rows = _timed(flows, rows)
    weight = flows.n[rows].astype(np.float64)
    if not len(rows) or (part > 0.5 and weight.sum() < LEAST_FOR_P99):
        return float("nan")
    low, middle, p99, high = (np.asarray(c[rows], np.float64) for c in (flows.min, flows.median, flows.p99, flows.max))
    unknown = ~np.isfinite(p99)
    p99 = np.where(unknown, middle + 0.98 * (high - middle), p99)  # on the line from the median to the max
    knots = np.maximum.accumulate([low, middle, p99, high], axis=0)
    begin, end = float(knots[0].min()), float(knots[3].max())
    for _ in range(HALVINGS):
        at = (begin + end) / 2
        if np.average(_part_below(knots, at), weights=weight) < part:
            begin = at
        else:
            end = at
    return end


def _timed(flows: Flows, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    known = np.isfinite(flows.mean[rows] + flows.min[rows] + flows.median[rows] + flows.max[rows])
    return np.asarray(rows[known & (flows.n[rows] > 0) & flows.ok[rows]])


def _part_below(knots: Values, at: float) -> Values:
    """The fraction of each flow's readings that are at most this long."""
    below = np.zeros(knots.shape[1])
    for first, last, part in zip(knots, knots[1:], (0.5, 0.49, 0.01), strict=False):
        width = last - first
        inside = np.divide(at - first, width, out=np.asarray(at >= last, np.float64), where=width > 0)
        below += part * np.clip(inside, 0, 1)
    return below


@dataclass(frozen=True)
class Waiting:
    """Seconds from request to reply on the clients' clocks; NaN: unknown."""

    mean: float
    median: float
    p99: float


@dataclass(frozen=True)
class Party:
    """A client or server in one scene; `rows`: its flows that ended ok; `failed`: the number of failed flows.

    `seconds`: time until its last reply; `rate`: bytes per second. NaN: unknown.
    """

    rank: int
    failed: int
    requests: int
    seconds: float
    rate: float
    load: Load
    rows: Index

    @property
    def waiting(self) -> Waiting:
        """Computed on demand, because it takes long for many flows."""
        return _waiting(self.load, self.rows)

    @property
    def service(self) -> float:
        """The mean service time at the servers, seconds."""
        return _service(self.load, self.rows)


@dataclass(frozen=True)
class ServiceSums:
    """One scene; each transfer counts once. `rate`: bytes per second until the last client had its last reply.

    `clients` and `servers` are in rank order. `jain`: 1 if all clients had the same rate, 1 / their number if one had
    everything (Jain, Chiu, Hawe 1984).
    """

    bytes: int
    point: int
    variant: str
    flows: int
    failed: int
    requests: int
    seconds: float
    rate: float
    waiting: Waiting
    service: float
    jain: float
    clients: tuple[Party, ...]
    servers: tuple[Party, ...]

    @property
    def requests_a_second(self) -> float:
        return self.requests / self.seconds if self.seconds > 0 else math.nan

    @property
    def finishers(self) -> tuple[Party, ...]:
        """The clients with a known end, last one first."""
        known = [client for client in self.clients if client.seconds > 0]
        return tuple(sorted(known, key=lambda client: -client.seconds))

    @property
    def spread(self) -> float:
        """The last client's time / the first client's time; NaN without clients."""
        ends = self.finishers
        return ends[0].seconds / ends[-1].seconds if ends else math.nan


@lru_cache(maxsize=KEPT)
def service_sums(load: Load) -> tuple[ServiceSums, ...]:
    """The sums of every scene, in the order of the scenes."""
    return tuple(_sums(load, i, rows) for i, rows in enumerate(load.rows_of_scenes()))


def clients_and_servers(load: Load, rows: Index) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The client rank and the server rank of each of these flows."""
    put = load.flows.kind[rows] == PUT
    frm, to = load.flows.frm[rows], load.flows.to[rows]
    return np.where(put, to, frm), np.where(put, frm, to)


def rows_by(key: NDArray[np.integer], rows: Index) -> list[tuple[int, Index]]:
    """Each value of a key, ascending, with its rows."""
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order].astype(np.int64), prepend=-1))
    return [(int(key[mine[0]]), rows[mine]) for mine in np.split(order, starts[1:]) if len(mine)]


def jain_index(rates: Sequence[float]) -> float:
    """How evenly rates are shared, from 1 / n to 1; NaN without rates."""
    known = np.array([rate for rate in rates if math.isfinite(rate)])
    return float(known.sum() ** 2 / (len(known) * (known**2).sum())) if (known > 0).any() else math.nan


def _sums(load: Load, number: int, rows: Index) -> ServiceSums:
    flows, size = load.flows, int(load.scenes.bytes[number])
    rows = rows[np.isin(flows.kind[rows], (PUT, GET))]
    client, server = clients_and_servers(load, rows)
    clients = tuple(_party(load, rank, mine, size, served=False) for rank, mine in rows_by(client, rows))
    servers = tuple(_party(load, rank, mine, size, served=True) for rank, mine in rows_by(server, rows))
    seconds = max((one.seconds for one in clients if one.seconds > 0), default=math.nan)
    requests = sum(one.requests for one in clients)
    good = rows[flows.ok[rows]]
    return ServiceSums(
        size,
        int(load.scenes.point[number]),
        load.variant_of(number),
        len(rows),
        int(np.count_nonzero(flows.failed[rows])),
        requests,
        seconds,
        requests * size / seconds,
        _waiting(load, good),
        _service(load, good),
        jain_index([one.rate for one in clients]),
        clients,
        servers,
    )


def _party(load: Load, rank: int, rows: Index, size: int, served: bool) -> Party:
    flows = load.flows
    good = rows[flows.outcome[rows] == Outcome.OK]
    counts, times = (flows.sent_messages, flows.sent_seconds) if served else (flows.messages, flows.seconds)
    requests = sum(counts[good].tolist())
    seconds = float(times[good].max(initial=0.0)) or math.nan
    rate = requests * size / seconds
    failed = int(np.count_nonzero(load.flows.failed[rows]))
    return Party(rank, failed, requests, seconds, rate, load, good)


def _waiting(load: Load, rows: Index) -> Waiting:
    flows = load.flows
    return Waiting(pooled_mean(flows, rows), pooled_quantile(flows, rows, 0.5), pooled_quantile(flows, rows, 0.99))


def _service(load: Load, rows: Index) -> float:
    """The mean time at the server in seconds, weighted by its requests."""
    known = rows[np.isfinite(load.flows.service_mean[rows]) & (load.flows.sent_messages[rows] > 0)]
    weight = load.flows.sent_messages[known].astype(np.float64)
    return float(np.average(load.flows.service_mean[known], weights=weight)) if len(known) else math.nan
