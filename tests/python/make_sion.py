"""Writes SION files of LinkTest 1.2 exactly as docs/sion.md describes them, in every layout."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEAD = 1088  # bytes, and 16 for each rank


@dataclass
class Run:
    """A measurement of LinkTest; matrices have shape [from, to]."""

    hosts: Sequence[str]
    times: NDArray[Any]
    steps: NDArray[Any]
    all_to_all: NDArray[Any] | None = None  # [rank, step]
    slow: Sequence[tuple[int, int, float]] = ()  # from, to, second time
    messages: int = 3
    size: int = 131072  # bytes of a message
    serial: int = 0
    mixed: int = 0
    version: tuple[int, int, int] = (1, 2, 1)
    coordinates: NDArray[Any] | None = None
    after_host: bytes = field(default=b"a")  # byte 255, which LinkTest never sets


def partner_steps(ranks: int) -> NDArray[np.int32]:
    """The step in which LinkTest measures each pair of an even number of ranks."""
    steps = np.zeros((ranks, ranks), np.int32)
    for step in range(1, ranks):
        for a in range(1, ranks):
            b = (2 * (ranks - step) - a) % (ranks - 1) or ranks - 1
            partner = 0 if a == ranks - step else b
            steps[a, partner] = steps[partner, a] = step
    return steps


def random_run(seed: int, ranks: int, all_to_all: bool) -> Run:
    """A run of an even number of ranks on several hosts, with distinct times."""
    draw = np.random.default_rng(seed)
    others = ~np.eye(ranks, dtype=bool)
    times = np.where(others, draw.permutation(ranks * ranks).reshape(ranks, ranks) + 1, 0) * np.float32(1.3e-6)
    together = (draw.random((ranks, ranks)) * 1e-3 + 1e-6).astype(np.float32)
    together[:, 0] = 0
    order = np.argsort(-times.ravel(), kind="stable")[: int(draw.integers(0, ranks + 1))]
    return Run(
        hosts=[f"n{rank // int(draw.integers(1, 3))}" for rank in range(ranks)],
        times=times.astype(np.float32), steps=partner_steps(ranks),
        all_to_all=together if all_to_all else None,
        slow=[(int(k) // ranks, int(k) % ranks, float(np.float32(draw.random() * 1e-5 + 1e-7))) for k in order],
        messages=int(draw.integers(1, 1000)), size=int(draw.integers(0, 2**31 - 1)),
        serial=int(draw.integers(2)), mixed=int(draw.integers(2)),
    )  # fmt: skip


def streams(run: Run, order: str = "<") -> list[bytes]:
    """The data of each rank."""
    ranks, made = len(run.hosts), []
    known = np.asarray(run.times, float)[np.asarray(run.times) > 0]
    summary = [known.min(), known.max(), known.mean()] if len(known) else [0, 0, 0]
    if run.all_to_all is None:
        summary += [0, 0, 0]
    else:
        given = np.asarray(run.all_to_all, float)[:, 1:]
        summary += [given.min(), given.max(), given.mean()]
    for rank in range(ranks):
        place = [rank, 0, 0, 0] if run.coordinates is None else run.coordinates[rank]
        host = run.hosts[rank].encode().ljust(255, b"\0") + run.after_host
        data = b"LKTST" + struct.pack(order + "3i", *run.version) + host + struct.pack(f"{order}{len(place)}i", *place)
        if rank == 0:
            settings = [run.messages, run.size, int(run.all_to_all is not None), 1, run.serial, run.mixed, 0, 0, 0, 1]
            data += struct.pack(order + "10i", *settings) + struct.pack(order + "10d", *summary, 0, 0, 0, 0)
        data += (
            np.asarray(run.times[rank], order + "f8").tobytes() + np.asarray(run.steps[rank], order + "i4").tobytes()
        )
        if run.all_to_all is not None:
            data += np.asarray(run.all_to_all[rank], order + "f8").tobytes()
        if rank == 0:
            slow = [*run.slow, *[(0, 0, 0.0)] * (ranks - len(run.slow))]
            data += struct.pack(f"{order}{ranks}d", *(again for _, _, again in slow))
            data += struct.pack(f"{order}{ranks}d", *(float(run.times[frm][to]) for frm, to, _ in slow))
            data += struct.pack(f"{order}{ranks}i", *(frm for frm, _, _ in slow))
            data += struct.pack(f"{order}{ranks}i", *(to for _, to, _ in slow))
        made.append(data)
    return made


def sion(
    parts: Sequence[bytes],
    order: str = "<",
    data_order: str | None = None,
    block: int = 4096,
    version: int = 5,
    spare: Sequence[int] | None = None,
    ranks: Sequence[int] | None = None,
    flag: int = 50 << 32,
) -> bytes:
    """A container. `spare`: unused bytes at the end of each chunk; `ranks`: the rank of each task."""
    count = len(parts)
    ranks = range(count) if ranks is None else ranks
    chunks = [len(parts[rank]) + (spare[task] if spare else 0) for task, rank in enumerate(ranks)]
    places = [-(-chunk // block) * block for chunk in chunks] if version <= 3 else chunks
    first = -(-(HEAD + 16 * count) // block) * block
    end = first + sum(places)
    word = {"<": 0, ">": 1}
    meta, data = word[order], word[data_order or order]
    head = b"sion" + bytes([meta, data, data, meta])
    head += struct.pack(f"{order}6i", 1007, 6, version, block, count, 1)
    if version >= 3:
        head += struct.pack(f"{order}i2q", 0, flag, 0)
    head += b"pingpong_results_bin.sion".ljust(1024, b"\0")
    head += struct.pack(f"{order}{count}q", *ranks) + struct.pack(f"{order}{count}q", *chunks)
    head += struct.pack(f"{order}iq", 1, end)
    whole = bytearray(end)
    whole[: len(head)] = head
    at = first
    for task, rank in enumerate(ranks):
        whole[at : at + len(parts[rank])] = parts[rank]
        at += places[task]
    whole += struct.pack(f"{order}{count}q", *[1] * count)
    whole += struct.pack(f"{order}{count}q", *(len(parts[rank]) for rank in ranks))
    return bytes(whole)


def write_sion(path: Path, run: Run, **container: Any) -> Path:
    """Write a file; see sion()."""
    data_order = container.get("data_order") or container.get("order", "<")
    path.write_bytes(sion(streams(run, data_order), **container))
    return path
