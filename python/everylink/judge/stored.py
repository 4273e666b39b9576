"""Keeps the judgement of a large run beside its results file, so that it is judged once (docs/decisions/0093).

The first line of FILE.judgement is a checksum over what was judged, this program, and the rest of the file. A file that
is damaged, or of anything else, does not match it: it is ignored, and made anew.
"""

import base64
import hashlib
import json
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Protocol, get_args, get_origin, get_type_hints

import numpy as np

from everylink.errors import EverylinkError
from everylink.files import atomic_write
from everylink.io.stored import StoredRows
from everylink.judge.judge import judge
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.version import VERSION

FORMAT = b"everylink-judgement/1 "
LARGEST = 2**28  # bytes; 20,000 suspects take some 10 MB
COSTLY_HOSTS = 1024  # fewer are judged in less than two seconds
SETTLED_SECONDS = 2  # file systems tell changes within this time as one


def judged_once(results: Results, grouping: Grouping | None) -> Judgement:
    """As judge: of a large run what an earlier call stored, if the file, the groups and the program are the same.

    Raises UserMistake. That nothing can be stored is no error.
    """
    if results.facts.hosts < COSTLY_HOSTS and not _in_file(results):
        return judge(results, grouping)
    place = _Place.of(results, grouping)
    if place is None:
        return judge(results, grouping)
    if (known := place.read()) is not None:
        return known
    judgement = judge(results, grouping)
    place.write(judgement)
    return judgement


def _in_file(results: Results) -> bool:
    """Whether rows are read from the file while they are judged."""
    return any(isinstance(size.rows, StoredRows) for size in results.sizes)


@dataclass(frozen=True)
class _Place:
    """The file for the judgement of what was read from `source`.

    `key`: a checksum of what is judged; `state`: what tells that the source was changed, if rows are still in it.
    """

    path: Path
    source: Path
    key: bytes
    state: tuple[int, ...]

    @classmethod
    def of(cls, results: Results, grouping: Grouping | None) -> "_Place | None":
        """None where the results are those of no file, or of one that was changed just now."""
        source = results.path
        try:
            now = source.stat()
        except OSError:
            return None
        state = _state(now) if _in_file(results) else ()
        if not stat.S_ISREG(now.st_mode) or (state and time.time() - now.st_ctime < SETTLED_SECONDS):
            return None
        checksum = hashlib.sha256(FORMAT + _program())
        judged = {field.name: getattr(results, field.name) for field in fields(Results) if field.name != "path"}
        for part in (state, judged | {"read_inventory": results.inventory}, grouping):
            _add(checksum, part)
        return cls(source.with_name(f"{source.name}.judgement"), source, checksum.digest(), state)

    def read(self) -> Judgement | None:
        """What is stored, if it is that of these results and belongs to whom they belong; else None."""
        try:
            there = self.path.lstat()
            if not stat.S_ISREG(there.st_mode) or there.st_size > LARGEST or there.st_uid != self.source.stat().st_uid:
                return None
            head, _, text = self.path.read_bytes().partition(b"\n")
            return _made(Judgement, json.loads(text)) if head == self._head(text) else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def write(self, judgement: Judgement) -> None:
        """Store it, if the results are the user's own and were not changed since they were judged."""
        try:
            now = self.source.stat()
            if now.st_uid != os.geteuid() or (self.state and self.state != _state(now)) or not self._is_free():
                return
            text = json.dumps(_plain(judgement), separators=(",", ":")).encode()
            with atomic_write(self.path, force=True) as new:
                new.write_bytes(self._head(text) + b"\n" + text)
        except (OSError, EverylinkError):
            return

    def _head(self, text: bytes) -> bytes:
        return FORMAT + hashlib.sha256(self.key + text).hexdigest().encode()

    def _is_free(self) -> bool:
        """Whether nothing but a judgement is in this place."""
        if not os.path.lexists(self.path):
            return True
        if not stat.S_ISREG(self.path.lstat().st_mode):  # opening a pipe would block
            return False
        with self.path.open("rb") as file:
            return file.read(len(FORMAT)) == FORMAT


def _state(now: os.stat_result) -> tuple[int, ...]:
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


@cache
def _program() -> bytes:
    """A checksum of this program: another version may judge otherwise."""
    checksum = hashlib.sha256(VERSION.encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        checksum.update(path.read_bytes())
    return checksum.digest()


class _Checksum(Protocol):
    def update(self, data: Any, /) -> None: ...


def _add(checksum: _Checksum, value: object) -> None:
    """Add a value of dataclasses, arrays, tuples, texts and numbers. The path of the results does not count."""
    if isinstance(value, StoredRows):
        value = value.source
    checksum.update(f"{type(value).__name__}(".encode())
    if isinstance(value, np.ndarray):
        checksum.update(f"{value.dtype.str}{value.shape}".encode())
        checksum.update(np.ascontiguousarray(value).data)
    elif isinstance(value, tuple | Mapping) or is_dataclass(value):
        for part in _parts(value):
            _add(checksum, part)
    elif not isinstance(value, Path):
        checksum.update(repr(value).encode())
    checksum.update(b")")


def _parts(value: Any) -> Any:
    if isinstance(value, Mapping):
        return tuple(value.items())
    return tuple(getattr(value, field.name) for field in fields(value)) if is_dataclass(value) else value


def _plain(value: Any) -> Any:
    """As values of JSON; of an array type, shape and bytes."""
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode()]
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _made(kind: Any, value: Any) -> Any:
    """The value of a type from what _plain gave. Raises ValueError, TypeError or KeyError if it is none."""
    origin = get_origin(kind)
    if origin is UnionType:
        return None if value is None else _made(get_args(kind)[0], value)
    if origin is tuple:
        return tuple(_made(get_args(kind)[0], part) for part in value)
    if origin is np.ndarray:
        dtype, shape, data = value
        return np.frombuffer(base64.b64decode(data), np.dtype(dtype)).reshape(shape)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{field.name: _made(hints[field.name], value[field.name]) for field in fields(kind)})  # type: ignore[operator]
    if issubclass(kind, StrEnum):
        return kind(value)
    if not isinstance(value, kind) and not (kind is float and isinstance(value, int)):
        raise TypeError(f"{value} is not of type {kind}")
    return value
