"""Writes files of load patterns exactly as docs/results-file.md describes them, so that tests need no core."""

from collections.abc import Mapping, Sequence
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
SIZE = 1 << 20


def flow(scene: int, frm: int, to: int, rate: float, **others: Any) -> dict[str, Any]:
    """A bulk flow of so many bytes a second for a second."""
    messages = round(rate / SIZE)
    values = {"scene": scene, "from": frm, "to": to, "kind": 0, "outcome": 0, "seconds": messages * SIZE / rate}
    values |= {"messages": messages, "sent_seconds": 1.0, "sent_messages": messages, "n": 0}
    return values | dict.fromkeys(("min", "median", "mean", "p99", "max"), np.nan) | others


def ping(scene: int, frm: int, to: int, mean: float, p99: float) -> dict[str, Any]:
    """A victim's flow: the median is nine tenths of the mean."""
    times = {"min": mean / 2, "median": 0.9 * mean, "mean": mean, "p99": p99, "max": 2 * mean}
    return flow(scene, frm, to, SIZE, kind=1, n=1000, **times)


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
) -> Path:
    """Write a file of one pattern; `uncommitted` is how many of its last flows lie behind `rows`."""
    make_results(path, hosts=[f"n{i}" for i in range(ranks)], sizes=(), steps=0, attributes={"schedule": name})
    with h5py.File(path, "r+") as file:
        file.create_group("sizes")
        group = file.create_group(f"patterns/{name}")
        chosen = {"point": point, "variants": variants, "options": "root=0", "duration": 1.0, "window": 0}
        counts = {"scenes": np.uint64(len(points)), "rows": np.uint64(len(flows) - uncommitted)}
        for key, value in (chosen | counts | dict(attributes or {})).items():
            group.attrs[key] = np.bytes_(value.encode()) if isinstance(value, str) else value
        scenes = {
            "bytes": [SIZE] * len(points), "point": points, "variant": variant or [0] * len(points),
            "began": range(len(points)), "gone": [0] * len(points),
        }  # fmt: skip
        for column, dtype in SCENES.items():
            group[f"scenes/{column}"] = np.array(list(scenes[column]), dtype)
        for column, dtype in FLOWS.items():
            group[f"flows/{column}"] = np.array([one[column] for one in flows], dtype)
    return path
