"""The index of a store: a SQLite database that is made from the folders, and can always be made again.

It is read and written as a whole: into memory, and beside its place, where it is renamed. So no lock is ever taken,
none is left, and it works on every file system. If two write at once, one of the two files stays, and whoever reads it
adds the runs that it lacks (docs/decisions/0116).
"""

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from everylink.inventory.versus import Changed, versus
from everylink.store.folder import OfHosts, read_facts, read_hosts, read_summary, rounded, unrounded
from everylink.store.layout import Store
from everylink.store.summary import Damaged, Seen, Summary

VERSION = 2
LOOK_BACK = 60  # runs in which the last facts of a host are looked for
TABLES = """
CREATE TABLE meta(version INTEGER);
CREATE TABLE hosts(id INTEGER PRIMARY KEY, names TEXT UNIQUE);
CREATE TABLE runs(name TEXT PRIMARY KEY, path TEXT, id TEXT UNIQUE, place REAL, day TEXT, hosts INTEGER, summary TEXT,
                  numbers BLOB, facts TEXT, compared TEXT);
CREATE INDEX by_place ON runs(place);
CREATE TABLE findings(run TEXT, key TEXT, finding TEXT);
CREATE INDEX of_run ON findings(run);
CREATE TABLE changes(run TEXT, hosts TEXT, parts TEXT, name TEXT, title TEXT, before TEXT, after TEXT);
CREATE INDEX changes_of_run ON changes(run);
"""


@dataclass(frozen=True, eq=False)
class Night:
    """A run of the index, with its numbers unpacked on use."""

    name: str
    folder: Path
    summary: Summary
    packed: bytes

    @cached_property
    def numbers(self) -> OfHosts:
        shape = (2, len(self.summary.sizes), len(self.summary.hosts))
        data = zlib.decompress(self.packed)
        values = unrounded(np.frombuffer(data, "<i2", shape[0] * shape[1] * shape[2]).reshape(shape))
        counts = np.frombuffer(data, "<u4", offset=2 * values.size).reshape(shape).astype(np.int64)
        return OfHosts(*values, *counts)


class Index:
    """The runs of a store. `notes`: sentences about folders that cannot be used, and about the index itself."""

    def __init__(self, database: sqlite3.Connection, notes: list[str]) -> None:
        self._database, self.notes = database, notes

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM runs").fetchone()[0])

    def nights(self, most: int | None = None) -> list[Night]:
        """The newest `most` runs, all of them if it is None, with the oldest first."""
        rows = self._database.execute(
            "SELECT name, path, summary, names, numbers FROM runs JOIN hosts ON hosts.id = runs.hosts "
            "ORDER BY place DESC, name DESC LIMIT ?",
            (-1 if most is None else most,),
        )
        hosts: dict[str, tuple[str, ...]] = {}
        return [_night(row, hosts) for row in rows][::-1]

    def newest_place(self) -> float | None:
        place: float | None = self._database.execute("SELECT max(place) FROM runs").fetchone()[0]
        return place

    def findings(self, nights: Sequence[Night]) -> list[list[Seen]]:
        """Those of each of these runs."""
        by_run: dict[str, list[Seen]] = {}
        for run, text in self._database.execute("SELECT run, finding FROM findings ORDER BY rowid"):
            by_run.setdefault(run, []).append(_seen(text))
        return [by_run.get(night.name, []) for night in nights]

    def changes(self, night: Night) -> list[Changed]:
        """What the hosts were not when they were measured before."""
        rows = self._database.execute(
            "SELECT hosts, parts, name, title, before, after FROM changes WHERE run = ?", (night.name,)
        )
        return [Changed(tuple(json.loads(h)), tuple(json.loads(p)), *rest) for h, p, *rest in rows]

    def folder_of(self, id: str) -> Path | None:
        """Of a run that is already there."""
        row = self._database.execute("SELECT path FROM runs WHERE id = ?", (id,)).fetchone()
        return None if row is None else Path(row[0])

    def days(self) -> list[tuple[str, str]]:
        """Day and name of each run, the newest first."""
        return list(self._database.execute("SELECT day, name FROM runs ORDER BY place DESC, name DESC"))


def index_of(store: Store, *, anew: bool = False) -> Index:
    """The index, with every run that is in the store now. Raises EverylinkError if the store cannot be read."""
    database = None if anew else _read(store.index)
    notes: list[str] = []
    was = _names(database) if database else {}
    if database is None:
        database = sqlite3.connect(":memory:")
        database.executescript(TABLES)
        database.execute("INSERT INTO meta VALUES(?)", (VERSION,))
    there = dict(store.folders())
    for name in [name for name, path in was.items() if there.get(name) is None or str(there[name]) != path]:
        _remove(database, name)
    known = _names(database)
    added = [name for name in there if name not in known]
    for name in added:
        _add(database, name, there[name], notes)
    if len(_names(database)) != len(was) or added or anew:
        _compare(database)
        database.commit()
        _write(database, store, notes)
    return Index(database, notes)


def _read(path: Path) -> sqlite3.Connection | None:
    """The database in memory; None where there is none that this version can use."""
    database = sqlite3.connect(":memory:")
    with suppress(OSError, sqlite3.Error, MemoryError, OverflowError):
        database.deserialize(path.read_bytes())
        (version,) = database.execute("SELECT version FROM meta").fetchone()
        if version == VERSION and database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
            return database
    database.close()
    return None


def _write(database: sqlite3.Connection, store: Store, notes: list[str]) -> None:
    """Beside its place, then renamed. That it cannot be written is no error: the next question makes it again."""
    new = store.index.with_name(f"{store.index.name}.{os.urandom(4).hex()}.new")  # processes of two hosts may be equal
    try:
        with new.open("wb") as file:
            file.write(database.serialize())
            file.flush()
            os.fsync(file.fileno())
        new.replace(store.index)
    except OSError as error:
        notes.append(f"{store.index}: the index cannot be written ({error.strerror}), so it is made for each question")
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _names(database: sqlite3.Connection) -> dict[str, str]:
    return dict(database.execute("SELECT name, path FROM runs"))


def _remove(database: sqlite3.Connection, name: str) -> None:
    for table, column in (("runs", "name"), ("findings", "run"), ("changes", "run")):
        database.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))


def _add(database: sqlite3.Connection, name: str, folder: Path, notes: list[str]) -> None:
    """Add a run; one that is damaged, or there already, is left out with a note."""
    try:
        summary, _ = read_summary(folder)
        numbers = read_hosts(folder, len(summary.sizes), len(summary.hosts))
    except Damaged as why:
        notes.append(f"{folder}: left out, {why}")
        return
    twin = database.execute("SELECT path FROM runs WHERE id = ?", (summary.id,)).fetchone()
    if twin is not None:
        notes.append(f"{folder}: left out, the same run as {twin[0]}")
        return
    names = "\0".join(summary.hosts)
    database.execute("INSERT OR IGNORE INTO hosts(names) VALUES(?)", (names,))
    (hosts,) = database.execute("SELECT id FROM hosts WHERE names = ?", (names,)).fetchone()
    kept = json.dumps(asdict(replace(summary, hosts=(), findings=())))
    times, counts = np.stack([numbers.send, numbers.receive]), np.stack([numbers.timed, numbers.failed])
    packed = zlib.compress(rounded(times).tobytes() + counts.astype("<u4").tobytes())
    values = (name, str(folder), summary.id, summary.place, summary.date, hosts, kept, packed, summary.facts, None)
    database.execute("INSERT INTO runs VALUES(?,?,?,?,?,?,?,?,?,?)", values)
    rows = ((name, seen.key, json.dumps(asdict(seen))) for seen in summary.findings)
    database.executemany("INSERT INTO findings VALUES(?,?,?)", rows)


def _night(row: tuple[Any, ...], hosts: dict[str, tuple[str, ...]]) -> Night:
    """`hosts`: those of lists that were split already: most nights have the same."""
    name, path, text, names, numbers = row
    said: dict[str, Any] = json.loads(text)
    if names not in hosts:
        hosts[names] = tuple(names.split("\0"))
    said |= {"hosts": hosts[names], "findings": (), "sizes": tuple(said["sizes"])}
    said["references"] = tuple(map(tuple, said["references"]))
    return Night(name, Path(path), Summary(**said), numbers)


def _seen(text: str) -> Seen:
    said = json.loads(text)
    return Seen(**said | {"hosts": tuple(said["hosts"])})


# --- what hosts are --------------------------------------------------------------------------------------------


def _compare(database: sqlite3.Connection) -> None:
    """What changed on the hosts of each run since the run before: of those that it has not been compared with yet."""
    rows = database.execute(
        "SELECT name, path, names, facts, compared FROM runs JOIN hosts ON hosts.id = runs.hosts "
        "WHERE facts != '' ORDER BY place, name"
    ).fetchall()
    before: list[tuple[str, Path, tuple[str, ...], str]] = []
    for name, path, names, facts, compared in rows:
        hosts = tuple(names.split("\0"))
        last = before[-1][0] if before else ""
        if compared != last:
            database.execute("DELETE FROM changes WHERE run = ?", (name,))
            with suppress(Damaged):
                database.executemany(
                    "INSERT INTO changes VALUES(?,?,?,?,?,?,?)",
                    ((name, *row) for row in _changes(Path(path), hosts, facts, before[-LOOK_BACK:])),
                )
            database.execute("UPDATE runs SET compared = ? WHERE name = ?", (last, name))
        before.append((name, Path(path), hosts, facts))


def _changes(
    folder: Path, hosts: tuple[str, ...], facts: str, before: Sequence[tuple[str, Path, tuple[str, ...], str]]
) -> Iterator[tuple[str, ...]]:
    """Each host against the last run that had it; equal facts are not read."""
    left = set(hosts)
    for _, earlier, names, their_facts in reversed(before):
        both = left.intersection(names)
        if both and not (their_facts == facts and names == hosts):
            for one in versus(read_facts(earlier, names), read_facts(folder, hosts)).changes:
                if changed := [host for host in one.hosts if host in both]:
                    yield json.dumps(changed), json.dumps(one.parts), one.name, one.title, one.before, one.after
        left -= both
        if not left:
            return
