"""Writes files of load patterns exactly as docs/results-file.md describes them, so that tests need no core."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from make_results import make_results

SCENES = {"bytes": "u8", "point": "u4", "variant": "u1", "began": "f8", "gone": "u4"}
FLOWS = {
    "scene": "u4", "from": "u4", "to": "u4", "kind": "u1", "outcome": "u1", "seconds": "f8", "messages": "u8",
    "sent_seconds": "f8", "sent_messages": "u8", "n": "u4", "min": "f4", "median": "f4", "mean": "f4", "p99": "f4",
    "max": "f4",
}  # fmt: skip
SERVICE = ("service_mean", "service_median", "service_p99")  # columns of newer files
SIZE = 1 << 20
GB = 1e9


def flow(scene: int, frm: int, to: int, rate: float, **others: Any) -> dict[str, Any]:
    """A bulk flow at this rate, bytes/s, for one second."""
    messages = round(rate / SIZE)
    values = {"scene": scene, "from": frm, "to": to, "kind": 0, "outcome": 0, "seconds": messages * SIZE / rate}
    values |= {"messages": messages, "sent_seconds": 1.0, "sent_messages": messages, "n": 0}
    return values | dict.fromkeys(("min", "median", "mean", "p99", "max"), np.nan) | others


def ping(scene: int, frm: int, to: int, mean: float, p99: float) -> dict[str, Any]:
    """A victim's flow: the median is nine tenths of the mean."""
    times = {"min": mean / 2, "median": 0.9 * mean, "mean": mean, "p99": p99, "max": 2 * mean}
    return flow(scene, frm, to, SIZE, kind=1, n=1000, **times)


def served(scene: int, kind: int, client: int, server: int, latency: float, **others: Any) -> dict[str, Any]:
    """A put (2) or get (3) of a thousand requests, one after the other; half of each at the server."""
    frm, to = (server, client) if kind == 2 else (client, server)
    times = {"min": latency / 2, "median": latency, "mean": latency, "p99": 2 * latency, "max": 3 * latency, "n": 1000}
    count = {"messages": 1000, "sent_messages": 1000, "seconds": 1000 * latency, "sent_seconds": 1000 * latency}
    service = {"service_mean": latency / 2, "service_median": latency / 2, "service_p99": latency}
    return flow(scene, frm, to, SIZE, kind=kind) | times | count | service | others


def make_service(
    path: Path,
    latency: Callable[[int, int, int], float],
    *,
    servers: int = 2,
    clients: int = 6,
    sizes: Sequence[int] = (SIZE,),
    noise: float = 0.0,
    seed: int = 1,
    hosts: Sequence[str] | None = None,
    devices: Sequence[str] | None = None,
    failed: Callable[[int, int], bool] = lambda client, server: False,
    outcome: int = 2,
) -> Path:
    """A file of client-server: `latency(kind, client, server)` in seconds, a put and a get of each size.

    `outcome` is that of the flows that failed.
    """
    draw = np.random.default_rng(seed)
    flows = []
    for scene in range(2 * len(sizes)):
        kind = 2 + scene % 2
        for client in range(servers, servers + clients):
            for server in range(servers):
                seconds = latency(kind, client, server) * sizes[scene // 2] / SIZE * math.exp(noise * draw.normal())
                lost = {"outcome": outcome, "messages": 0, "seconds": 0.0, "n": 0} if failed(client, server) else {}
                flows.append(served(scene, kind, client, server, seconds, **lost))
    count = 2 * len(sizes)
    return make_load(
        path, "client-server", flows, [1] * count, variant=[i % 2 for i in range(count)], variants="put,get",
        point="in flight", ranks=servers + clients, sizes=[sizes[i // 2] for i in range(count)],
        attributes={"servers": np.int32(servers), "duration": 0.0}, hosts=hosts, devices=devices,
    )  # fmt: skip


def make_all_to_all(path: Path, rate: Callable[[int, int], float], *, ranks: int = 8) -> Path:
    """A file of rounds: in round d, every rank has flows to and from the rank d after it."""
    flows = [flow(d - 1, i, (i + d) % ranks, rate(i, (i + d) % ranks)) for d in range(1, ranks) for i in range(ranks)]
    return make_load(path, "all-to-all", flows, range(1, ranks), point="round", ranks=ranks)


def make_load(
    path: Path,
    name: str,
    flows: Sequence[Mapping[str, Any]],
    points: Sequence[int],
    *,
    variant: Sequence[int] | None = None,
    variants: str = "\0",
    point: str = "senders",
    ranks: int = 8,
    uncommitted: int = 0,
    attributes: Mapping[str, Any] | None = None,
    sizes: Sequence[int] | None = None,
    hosts: Sequence[str] | None = None,
    devices: Sequence[str] | None = None,
) -> Path:
    """Write a file of one pattern; `uncommitted`: how many of its last flows are beyond the committed `rows`."""
    names = hosts or [f"n{i}" for i in range(ranks)]
    make_results(path, hosts=names, sizes=(), steps=0, attributes={"schedule": name, "kernel": "unidirectional"})
    with h5py.File(path, "r+") as file:
        if devices:
            file["ranks/device"][...] = np.array([device.encode() for device in devices])
        file.create_group("sizes")
        group = file.create_group(f"patterns/{name}")
        chosen = {"point": point, "variants": variants, "options": "root=0", "duration": 1.0, "window": 0}
        counts = {"scenes": np.uint64(len(points)), "rows": np.uint64(len(flows) - uncommitted)}
        for key, value in (chosen | counts | dict(attributes or {})).items():
            group.attrs[key] = np.bytes_(value.encode()) if isinstance(value, str) else value
        scenes = {
            "bytes": sizes or [SIZE] * len(points), "point": points, "variant": variant or [0] * len(points),
            "began": range(len(points)), "gone": [0] * len(points),
        }  # fmt: skip
        for column, dtype in SCENES.items():
            group[f"scenes/{column}"] = np.array(list(scenes[column]), dtype)
        for column, dtype in FLOWS.items():
            group[f"flows/{column}"] = np.array([one[column] for one in flows], dtype)
        for column in SERVICE if any(SERVICE[0] in one for one in flows) else ():
            group[f"flows/{column}"] = np.array([one[column] for one in flows], "f4")
    return path


def make_pattern(path: Path, name: str) -> Path:
    """A small file of the pattern with this name."""
    if name == "client-server":
        return make_service(path, lambda kind, client, server: 1e-4 * client, sizes=(SIZE // 4, SIZE))
    if name == "all-to-all":
        return make_all_to_all(path, lambda i, j: (1 + i) * GB, ranks=4)
    if name == "victim":
        flows = [ping(0, 2, 3, 2e-6, 4e-6), ping(1, 2, 3, 5e-6, 40e-6), flow(1, 1, 0, GB)]
        return make_load(path, name, flows, [0, 0], variant=[0, 1], variants="alone,loaded", point="repeat")
    if name in ("incast", "outcast"):
        ends = [(k, 0) if name == "incast" else (0, k) for k in range(1, 8)]
        counts = (1, 2, 4, 7)
        flows = [flow(i, *end, 8 * GB / count) for i, count in enumerate(counts) for end in ends[:count]]
        return make_load(path, name, flows, counts, point="senders" if name == "incast" else "receivers")
    flows = [flow(i, k, (k + i + 1) % 8, (8 + i) * GB) for i in range(7) for k in range(8)]
    variants = {"variant": [0] + [1] * 6, "variants": "natural,random"} if name == "ring" else {}
    return make_load(path, name, flows, range(1, 8), point="distance" if name == "shift" else "draw", **variants)  # type: ignore[arg-type]
