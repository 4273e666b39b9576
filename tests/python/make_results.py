"""Writes results files exactly as docs/results-file.md describes them, so that tests need no core."""

import math
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

Link = tuple[int, int]
COLUMNS: dict[str, str] = {
    "from": "u4", "to": "u4", "step": "u4", "attempt": "u1", "outcome": "u1", "arrived": "i4", "setup": "f4",
    "n": "u4", "min": "f4", "median": "f4", "mean": "f4", "p99": "f4", "max": "f4", "late": "u4",
}  # fmt: skip
ATTRIBUTES: dict[str, Any] = {
    "format": "everylink", "format_version": 1, "created": "2026-11-21T21:42:00Z", "tool_version": "0.1.0",
    "command": "everylink-measure --np 4", "transport": "tcp", "transport_options": "", "bootstrap": "local",
    "memory": "host", "kernel": "semidirectional", "schedule": "all", "serial": 0, "seed": np.uint64(1),
    "messages": 100, "warmups": 10, "window": 0, "buffers": 1, "check": 0, "randomize": 0, "min_iterations": 1,
    "min_runtime": 0.0, "time_limit": 0.0, "num_slowest": 10, "all_to_all": 0, "pinned": 1, "complete": 1,
}  # fmt: skip


def all_links(ranks: int) -> list[Link]:
    """Every ordered pair."""
    return [(i, j) for i in range(ranks) for j in range(ranks) if i != j]


def row(link: Link, median: float, **others: Any) -> dict[str, Any]:
    """A row with statistics relative to its median: min 0.9, mean 1.1, p99 1.5, max 2."""
    values = {"from": link[0], "to": link[1], "step": 0, "attempt": 0, "outcome": 0, "arrived": 100, "setup": 1e-4,
              "n": 1000, "min": 0.9 * median, "median": median, "mean": 1.1 * median, "p99": 1.5 * median,
              "max": 2 * median, "late": 3}  # fmt: skip
    return values | others


def failed_row(link: Link, outcome: int, **others: Any) -> dict[str, Any]:
    """A row of a failed link, without readings."""
    return row(link, float("nan"), outcome=outcome, n=0, late=0, arrived=-1) | others


def steady(link: Link, size: int) -> float:
    """A healthy network, 2 us and 10 GB/s, with small fixed differences between links."""
    return (2e-6 + size / 10e9) * (1 + 0.01 * math.sin(7 * link[0] + 3 * link[1]))


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Convert rows to typed columns."""
    kept = list(rows)
    return {name: np.array([r[name] for r in kept], dtype) for name, dtype in COLUMNS.items()}


def make_results(
    path: Path,
    *,
    hosts: Sequence[str] = ("n0", "n0", "n1", "n1"),
    sizes: Sequence[int] = (65536,),
    time: Callable[[Link, int], float] = steady,
    outcomes: Mapping[Link, int] | None = None,
    extra: Callable[[int], list[dict[str, Any]]] = lambda size: [],
    columns: Mapping[int, Mapping[str, NDArray[Any]]] | None = None,
    steps: int = 3,
    overlap: float = 0.95,
    uncommitted: int = 0,
    attributes: Mapping[str, Any] | None = None,
    host_index: Sequence[int] | None = None,
    remarks: Sequence[str] = (),
    local_faults: Sequence[tuple[int, str]] = (),
) -> Path:
    """Write a file with one rank per entry of `hosts`; `columns` gives whole columns instead of `time`.

    `uncommitted` is how many of the last rows lie behind `rows`. `local_faults`: ranks and what their hosts lacked.
    """
    bad = outcomes or {}
    links = all_links(len(hosts)) if columns is None else []
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        rows = 0
        for size in sizes:
            made = [failed_row(k, bad[k]) if k in bad else row(k, time(k, size)) for k in links] + extra(size)
            given = columns[size] if columns else columns_of(made)
            rows = write_size(file, size, given)
        write_ranks(file, hosts, host_index)
        write_steps(file, steps, overlap)
        if remarks:
            file["remarks"] = np.array([remark.encode() for remark in remarks])
        if local_faults:
            file["local_faults/rank"] = np.array([rank for rank, _ in local_faults], "u4")
            file["local_faults/cause"] = np.array([cause.encode() for _, cause in local_faults])
        counts = {"ranks": len(hosts), "hosts": len(set(hosts)), "steps": np.uint64(steps)}
        all_attributes = ATTRIBUTES | counts | {"rows": np.uint64(rows - uncommitted)} | dict(attributes or {})
        for name, value in all_attributes.items():
            file.attrs[name] = np.bytes_(value.encode() or b"\0") if isinstance(value, str) else value
    return path


def write_size(file: Any, size: int, columns: Mapping[str, NDArray[Any]]) -> int:
    """Write one group below /sizes and return its number of rows."""
    group = file.create_group(f"sizes/{size}")
    group.attrs.update({"bytes": size, "rounds_per_lap": 1, "lead_in": 0})
    for name, values in columns.items():
        group.create_dataset(name, data=values, maxshape=(None,), chunks=(max(1024, min(65536, len(values))),))
    return len(columns["from"])


def write_ranks(file: Any, hosts: Sequence[str], host_index: Sequence[int] | None = None) -> None:
    """Write /ranks: host_index counts hosts in the order of their first rank, unless it is given."""
    group = file.create_group("ranks")
    order = list(dict.fromkeys(hosts))
    group["host_index"] = np.array(host_index or [order.index(h) for h in hosts], "u4")
    group["local_rank"] = np.array([list(hosts[:i]).count(h) for i, h in enumerate(hosts)], "u4")
    group["numa"] = np.full(len(hosts), -1, "i4")
    strings = {"host": hosts, "cores": ["0-1"] * len(hosts), "device": ["lo"] * len(hosts)}
    strings |= {"address": ["127.0.0.1"] * len(hosts), "lanes": [""] * len(hosts), "libraries": [""] * len(hosts)}
    for name, values in strings.items():
        encoded = [value.encode() for value in values]
        group[name] = np.array(encoded, f"S{max(64, *map(len, encoded))}")


def add_slurm_addresses(path: Path, addresses: Sequence[str], pattern: str = "switch.switch.node") -> None:
    """Add the columns with what Slurm's topology plug-in tells each rank."""
    with h5py.File(path, "r+") as file:
        file["ranks/topology_address"] = np.array([address.encode() for address in addresses])
        file["ranks/topology_pattern"] = np.array([pattern.encode()] * len(addresses))


def write_steps(file: Any, steps: int, overlap: float) -> None:
    """Write /steps."""
    group = file.create_group("steps")
    group["iteration"] = np.zeros(steps, "u4")
    group["seed"] = np.zeros(steps, "u8")
    group["began"] = np.arange(steps, dtype="f8")
    group["overlap"] = np.full(steps, overlap, "f4")
    group["gone"] = np.zeros(steps, "u4")


PART_ROW = {
    "bytes": "Q", "from": "I", "to": "I", "step": "I", "attempt": "B", "outcome": "B", "check": "H",
    "arrived": "i", "setup": "f", "n": "I", "min": "f", "median": "f", "mean": "f", "p99": "f", "max": "f",
    "late": "I", "all_to_all": "f",
}  # fmt: skip


def part_bytes(run_id: str, rank: int, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A file of unsaved rows as docs/results-file.md describes it. Each row needs `bytes` in addition to row()."""
    head = struct.pack("<8s16sII", b"everylp2", bytes.fromhex(run_id), rank, 0)
    form = struct.Struct("<" + "".join(PART_ROW.values()))

    def packed(row: Mapping[str, Any]) -> bytes:
        filled = {"check": 0, "all_to_all": float("nan")} | dict(row)
        check = zlib.crc32(form.pack(*(filled[name] for name in PART_ROW))) & 0xFFFF
        return form.pack(*((filled | {"check": check})[name] for name in PART_ROW))

    return head + b"".join(packed(row) for row in rows)


def write_part(results: Path, run_id: str, rank: int, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write the unsaved rows of a rank beside a results file."""
    folder = results.with_name(results.name + ".parts")
    folder.mkdir(exist_ok=True)
    (folder / str(rank)).write_bytes(part_bytes(run_id, rank, rows))
    return folder / str(rank)


def as_left_by_a_kill(path: Path, killed: Path) -> Path:
    """Copy a file while a single-writer-multiple-reader writer holds it open, as SIGKILL would leave it."""
    with h5py.File(path, "a", libver=("v110", "v110"), locking=False) as file:
        file.attrs["complete"] = 0
        file.swmr_mode = True
        file.flush()
        shutil.copyfile(path, killed)
    return killed


def write_on(path: Path) -> None:
    """Add a row as the core does. Waits for a line on standard input before committing it, and again at the end."""
    with h5py.File(path, "a", libver=("v110", "v110"), locking=False) as file:
        file.swmr_mode = True
        for name, values in columns_of([row((0, 1), 1.0)]).items():
            column = file[f"sizes/65536/{name}"]
            column.resize((column.shape[0] + 1,))
            column[-1:] = values
        file.flush()
        print("extended", flush=True)
        sys.stdin.readline()
        file.attrs["rows"] = file.attrs["rows"] + np.uint64(1)
        file.flush()
        print("committed", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    write_on(Path(sys.argv[-1]))
