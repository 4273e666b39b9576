"""Writes the flows of load patterns as comma-separated values: one line per flow, units in the header."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everylink.files import atomic_write
from everylink.io.csv_matrix import OUTCOME_NAMES
from everylink.model.loads import BULK, GET, PING, PUT, Load
from everylink.model.results import Results

KINDS = {BULK: "bulk", PING: "ping", PUT: "put", GET: "get"}
COUNTS = ("messages", "sent_messages", "n")
TIMES = (
    "seconds", "sent_seconds", "min", "median", "mean", "p99", "max", "service_mean", "service_median", "service_p99",
)  # fmt: skip
COLUMNS = (
    "pattern", "scene", "began (s)", "size (B)", "point", "variant", "from", "to", "host from", "host to", "kind",
    "outcome", "rate (B/s)", *COUNTS, "time (s)", "sent_time (s)", *(f"{name} (s)" for name in TIMES[2:]),
)  # fmt: skip
UNKNOWN = ""


def write_load_csv(results: Results, force: bool = False, size: int | None = None) -> int:
    """Write all flows, or those of one size, to the path of the results; return the number of lines."""
    count = 0
    with atomic_write(results.path, force) as new, new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for load in results.loads:
            chosen = load.scenes.bytes[load.flows.scene] == (size or 0)
            for line in _lines(load, results.ranks.host, np.flatnonzero(chosen | (size is None))):
                writer.writerow(line)
                count += 1
    return count


def flows_of_host(results: Results, index: int, names: Sequence[str]) -> Iterator[Sequence[object]]:
    """The same lines, header first, of the flows from and to one host; `names` of the hosts, by index."""
    host = results.ranks.host_index
    hosts = [names[number] for number in host.tolist()]
    yield COLUMNS
    for load in results.loads:
        flows = load.flows
        yield from _lines(load, hosts, np.flatnonzero((host[flows.frm] == index) | (host[flows.to] == index)))


def _lines(load: Load, hosts: Sequence[str], rows: NDArray[np.intp]) -> Iterator[tuple[Any, ...]]:
    """The flows `rows` of a load; `hosts`: the name of each rank's host."""
    flows, scenes = load.flows, load.scenes
    rate = np.where(flows.kind[rows] == BULK, load.rate[rows], _served_rate(load)[rows])
    scene = flows.scene[rows]
    frm, to = flows.frm[rows].tolist(), flows.to[rows].tolist()
    outcomes = [OUTCOME_NAMES[o] if o < len(OUTCOME_NAMES) else str(o) for o in flows.outcome[rows].tolist()]
    yield from zip(
        [load.name] * len(rows), scene.tolist(), scenes.began[scene].tolist(), scenes.bytes[scene].tolist(),
        scenes.point[scene].tolist(), [load.variant_of(one) for one in scene.tolist()], frm, to,
        [hosts[rank] for rank in frm], [hosts[rank] for rank in to],
        [KINDS.get(kind, str(kind)) for kind in flows.kind[rows].tolist()], outcomes, _texts(rate),
        *(getattr(flows, name)[rows].tolist() for name in COUNTS),
        *(_texts(getattr(flows, name)[rows]) for name in TIMES), strict=True,
    )  # fmt: skip


def _served_rate(load: Load) -> NDArray[np.float64]:
    """Bytes per second of each client-server connection, [flows]; NaN for other flows."""
    flows = load.flows
    known = np.isin(flows.kind, (PUT, GET)) & flows.ok & (flows.seconds > 0)
    sent = flows.messages * load.scenes.bytes[flows.scene].astype(np.float64)
    return np.asarray(np.divide(sent, flows.seconds, out=np.full(len(flows), np.nan), where=known))


def _texts(values: NDArray[np.floating]) -> list[str]:
    """The shortest texts that read back as the same numbers; empty if unknown."""
    return [str(value) if value > 0 else UNKNOWN for value in values]
