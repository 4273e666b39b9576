"""The payload of LinkTest 1.2 in a SION file (docs/sion.md): converts bytes to checked arrays, and back."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from everylink.files import printable
from everylink.io.hdf5 import Damage
from everylink.io.sion import Container, Order

ID = b"LKTST"
MAJOR = 1
VERSION = (1, 2, 1)
HOST, LONGEST_HOST = 256, 254
COORDINATES, COORDINATES_OF_LATER, LATER = 4, 6, 4  # six from version 1.4 on
SETTINGS, SUMMARY = 10, 10
MESSAGES, BYTES, ALL_TO_ALL, TOGETHER, SERIAL, MIXED, LAST = 0, 1, 2, 3, 4, 5, 9  # indices into the settings
MOST_STEPS = 2**20
MOST = 2**31 - 1


class OfAnotherProgram(Exception):
    """The id or version shows that the payload is not of LinkTest."""


@dataclass(frozen=True)
class Payload:
    """Everything that LinkTest 1.2 writes for n ranks. Times are in seconds, 0 if not measured.

    `times` and `steps` are [from, to], shape [n, n]; `all_to_all` is [rank, step], shape [n, n], or None. The slowest
    links (`frm`, `to`) with their `first` and second (`again`) times have n entries; unused ones at the end are 0.
    """

    version: tuple[int, ...]
    hosts: tuple[str, ...]
    coordinates: NDArray[np.int32]
    settings: NDArray[np.int32]
    summary: NDArray[np.float64]
    times: NDArray[np.float64]
    steps: NDArray[np.int32]
    all_to_all: NDArray[np.float64] | None
    again: NDArray[np.float64]
    first: NDArray[np.float64]
    frm: NDArray[np.int32]
    to: NDArray[np.int32]


class _Stream:
    """Reads fields from a rank's bytes. Errors name the field, the rank and the offset in the file."""

    def __init__(self, data: bytes, order: Order, rank: int, place: int) -> None:
        self._data, self._order, self._rank, self._place = data, order, rank, place
        self.at = 0

    def take(self, name: str, kind: str, count: int) -> NDArray[Any]:
        dtype = np.dtype(kind).newbyteorder(self._order)
        if self.at + count * dtype.itemsize > len(self._data):
            raise self.wrong(name, 0, f"extends beyond the {len(self._data)} bytes of the rank")
        values = np.frombuffer(self._data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def numbers(self, name: str, count: int, low: int, high: int) -> NDArray[Any]:
        begin = self.at
        values = self.take(name, "i4", count)
        self.refuse(name, begin, values, (values < low) | (values > high), f"expected {low} to {high}")
        return values

    def times(self, name: str, count: int) -> NDArray[Any]:
        begin = self.at
        values = self.take(name, "f8", count)
        possible = np.isfinite(values) & (values >= 0) & (values <= np.finfo(np.float32).max)
        self.refuse(name, begin, values, ~possible, "expected a time in seconds")
        return values

    def refuse(self, name: str, begin: int, values: NDArray[Any], bad: NDArray[np.bool_], wanted: str) -> None:
        if bad.any():
            i = int(bad.argmax())
            self.at = begin
            raise self.wrong(
                f"{name} {i}" if len(values) > 1 else name, i * values.itemsize, f"is {values[i]}; {wanted}"
            )

    def wrong(self, name: str, further: int, what: str) -> Damage:
        return Damage(f"{name} of rank {self._rank} at byte {self._place + self.at + further} {what}")


def read_payload(file: IO[bytes], container: Container) -> Payload:
    """Read the payload of an opened file. Raises Damage or OfAnotherProgram."""
    ranks = len(container.at)
    stream = _stream(file, container, 0, 45 * ranks + 1024)
    version, host, coordinates = _head(stream)
    settings = _settings(stream)
    begin, summary = stream.at, stream.take("the summary", "f8", SUMMARY)
    stream.refuse("the summary", begin, summary, ~np.isfinite(summary), "expected a number")
    with_all = bool(settings[ALL_TO_ALL])
    rows = [_measured(stream, ranks, with_all)]
    again, first = (stream.times(name, ranks) for name in ("the second time", "the first time"))
    frm, to = (stream.numbers(name, ranks, 0, ranks - 1) for name in ("the slow link's from", "the slow link's to"))
    _refuse_more(stream, container, 0)
    hosts, places = [host], [coordinates]
    for rank in range(1, ranks):
        stream = _stream(file, container, rank, 20 * ranks + 1024)
        other, host, coordinates = _head(stream)
        if other != version:
            raise Damage(f"rank {rank} has version {_text(other)}, but rank 0 has {_text(version)}")
        hosts.append(host)
        places.append(coordinates)
        rows.append(_measured(stream, ranks, with_all))
        _refuse_more(stream, container, rank)
    times, steps, all_to_all = (np.stack(part) for part in zip(*rows, strict=True))
    return Payload(
        version, tuple(hosts), _own(np.stack(places)), _own(settings), _own(summary), _own(times), _own(steps),
        _own(all_to_all) if with_all else None, _own(again), _own(first), _own(frm), _own(to),
    )  # fmt: skip


def _own(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers in this machine's byte order."""
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _stream(file: IO[bytes], container: Container, rank: int, most: int) -> _Stream:
    length, place = int(container.length[rank]), int(container.at[rank])
    if length > most:
        raise Damage(f"rank {rank} has {length} bytes at byte {place}, more than LinkTest writes")
    return _Stream(container.stream(file, rank), container.order, rank, place)


def _head(stream: _Stream) -> tuple[tuple[int, ...], str, NDArray[Any]]:
    name = stream.take("the id", "S1", len(ID)).tobytes()
    if name != ID:
        stream.at = 0
        raise OfAnotherProgram(str(stream.wrong("the id", 0, f"is '{printable(name.decode(errors='replace'))}'")))
    version = tuple(stream.take("the version", "i4", 3).tolist())
    if version[0] != MAJOR:
        raise OfAnotherProgram(f"its version is {_text(version)}")
    begin, raw = stream.at, stream.take("the host", "S1", HOST).tobytes()
    if b"\0" not in raw:
        stream.at = begin
        raise stream.wrong("the host", 0, "has no end")
    count = COORDINATES_OF_LATER if version[1] >= LATER else COORDINATES
    host = printable(raw[: raw.index(b"\0")].decode(errors="replace"))
    return version, host, stream.take("the coordinates", "i4", count)


def _text(version: tuple[int, ...]) -> str:
    return f"{version[0]}.{version[1]}p{version[2]}"


def _settings(stream: _Stream) -> NDArray[Any]:
    begin, settings = stream.at, stream.take("the settings", "i4", SETTINGS)
    limits = np.array([(-MOST - 1, MOST)] * SETTINGS)
    limits[[MESSAGES, TOGETHER]], limits[BYTES] = [(1, MOST), (0, 1)], (0, MOST)
    bad = (settings < limits[:, 0]) | (settings > limits[:, 1])
    low, high = limits[int(bad.argmax())]
    stream.refuse("setting", begin, settings, bad, f"expected {low} to {high}")
    return settings


def _measured(stream: _Stream, ranks: int, with_all: bool) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    times = stream.times("the time", ranks)
    steps = stream.numbers("the step", ranks, 0, MOST_STEPS)
    return times, steps, stream.times("the all-to-all", ranks) if with_all else np.empty(0)


def _refuse_more(stream: _Stream, container: Container, rank: int) -> None:
    if stream.at < container.length[rank]:
        raise stream.wrong("the data", 0, f"ends, but the rank has {container.length[rank]} bytes")


def streams(payload: Payload) -> Iterator[bytes]:
    """The bytes of each rank, little-endian."""
    ranks = len(payload.hosts)
    for rank in range(ranks):
        host = payload.hosts[rank].encode()[:LONGEST_HOST].ljust(HOST, b"\0")
        parts = [ID, struct.pack("<3i", *payload.version), host, payload.coordinates[rank].astype("<i4").tobytes()]
        if rank == 0:
            parts += [payload.settings.astype("<i4").tobytes(), payload.summary.astype("<f8").tobytes()]
        parts += [payload.times[rank].astype("<f8").tobytes(), payload.steps[rank].astype("<i4").tobytes()]
        if payload.all_to_all is not None:
            parts.append(payload.all_to_all[rank].astype("<f8").tobytes())
        if rank == 0:
            parts += [column.astype("<f8").tobytes() for column in (payload.again, payload.first)]
            parts += [column.astype("<i4").tobytes() for column in (payload.frm, payload.to)]
        yield b"".join(parts)
