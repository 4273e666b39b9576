"""Network Sanitizer's lines, from what client-server or all-to-all measured (docs/network-sanitizer.md).

Its bandwidth "MB/s" means MiB/s. Its latency is the time per request or message, here in true microseconds.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.load.service import clients_and_servers, service_sums
from everylink.model.loads import BULK, PUT, Load
from everylink.model.rows import Outcome

MIB, MICRO = 2**20, 1e-6
VALUES = "   time(s)   bw(MB/s) lat(us)       iops"
HEADER = f"Dir size(B) {VALUES}"
GROUPS = f"{'SUM':>37}{'MIN':>40}{'MAX':>41}{'':20}"
CONNECTIONS = f"#             src             dest {HEADER}"
WORDS = {"put": "Put", "get": "Get", "": "Und"}  # undirected: an all-to-all
Name = Callable[[int], str]


@dataclass(frozen=True)
class Work:
    """What a client, a rank or a connection did: `messages` of one size in `seconds`."""

    bytes: int
    messages: int
    seconds: float

    @property
    def values(self) -> tuple[float, float, float, float]:
        """Seconds, MiB/s, microseconds per message, messages per second."""
        rate = self.messages / self.seconds
        return self.seconds, rate * self.bytes / MIB, 1 / (rate * MICRO), rate


def lines(load: Load) -> Iterator[str]:
    """Per direction and size the sum, minimum and maximum over all clients, or over all ranks of an all-to-all."""
    for variant in _variants(load):
        yield GROUPS
        yield f"{HEADER} {VALUES} {VALUES}"
        for size in load.sizes:
            works = _clients(load, variant, size) if variant else _senders(load, size)
            yield _start(variant, size) + (_groups(works) if works else _why_none(load, _rows(load, variant, size)))


def connections(load: Load, name: Name) -> Iterator[str]:
    """One line per direction, size and connection: from a client to each server, or from each rank to each other."""
    flows = load.flows
    for variant in _variants(load):
        for size in load.sizes:
            yield CONNECTIONS
            rows = _rows(load, variant, size)
            frm, to = clients_and_servers(load, rows) if variant else (flows.frm[rows], flows.to[rows])
            for row, src, dest in zip(rows.tolist(), frm.tolist(), to.tolist(), strict=True):
                work = Work(size, int(flows.messages[row]), float(flows.seconds[row]))
                fine = flows.ok[row] and work.seconds > 0 and work.messages
                said = _values(work.values) if fine else _why_none(load, np.array([row]))
                yield f" {name(src):>16} {name(dest):>16} {_start(variant, size)}{said}"


def failed(load: Load) -> int:
    """The number of connections, of all directions and sizes, that failed."""
    return int(np.count_nonzero(load.flows.failed))


def unmeasured(load: Load) -> int:
    """The number of connections, of all directions and sizes, that a host could not measure."""
    return int(np.count_nonzero(load.flows.outcome == Outcome.LOCAL))


def _variants(load: Load) -> Sequence[str]:
    return ("put", "get") if load.name == "client-server" else ("",)


def _rows(load: Load, variant: str, size: int) -> NDArray[np.intp]:
    """The flows of a direction and size, in the order of the rounds."""
    flows = load.flows
    chosen = load.scenes.bytes[flows.scene] == size
    if variant:
        chosen &= (flows.kind == PUT) == (variant == "put")
    return np.flatnonzero(chosen)


def _clients(load: Load, variant: str, size: int) -> list[Work]:
    """Each client's work with all servers together."""
    return [
        Work(size, client.requests, client.seconds)
        for scene in service_sums(load)
        if (scene.variant, scene.bytes) == (variant, size)
        for client in scene.clients
        if client.requests and client.seconds > 0
    ]


def _senders(load: Load, size: int) -> list[Work]:
    """What each rank sent to all others, one round after the other."""
    flows = load.flows
    rows = _rows(load, "", size)
    rows = rows[flows.ok[rows] & (flows.kind[rows] == BULK) & (flows.seconds[rows] > 0) & (flows.messages[rows] > 0)]
    by_rank = {rank: rows[flows.frm[rows] == rank] for rank in np.unique(flows.frm[rows]).tolist()}
    seconds, messages = flows.seconds, flows.messages
    return [Work(size, int(messages[mine].sum()), float(seconds[mine].sum())) for mine in by_rank.values()]


def _why_none(load: Load, rows: NDArray[np.intp]) -> str:
    """In place of the values of these flows."""
    return " NOT MEASURED" if (load.flows.outcome[rows] == Outcome.LOCAL).all() else " FAILED"


def _start(variant: str, size: int) -> str:
    return f"{WORDS[variant]:>3} {size:7d}"


def _groups(works: Sequence[Work]) -> str:
    columns = list(zip(*(work.values for work in works), strict=True))
    return "".join(_values([reduce(column) for column in columns]) for reduce in (math.fsum, min, max))


def _values(values: Sequence[float]) -> str:
    seconds, bandwidth, latency, rate = values
    return f" {seconds:10.1f} {bandwidth:10.0f} {latency:7.2f} {rate:10.0f}"
