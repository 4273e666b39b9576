"""A store of runs: a folder in which each run is a folder of its own that never changes (docs/decisions/0116).

everylink-store.json   says that this is a store, and of which version
runs/YYYY/NAME/        a run, as `folder` describes it; complete as soon as it is there
incoming/NAME/         a run that is being measured, or one that was not finished
acks/ID.json           what `everylink ack` was told
index.sqlite           made from all of these, unless it is kept elsewhere
"""

import errno
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from everylink.errors import EverylinkError, UserMistake
from everylink.files import FAULTS_OF_DISKS, text_of, unwritable
from everylink.units import plural

MARKER, SCHEMA = "everylink-store.json", "everylink-store/1"
RUNS, INCOMING, ACKS, INDEX = "runs", "incoming", "acks", "index.sqlite"
LARGEST_MARKER = 4096  # bytes


@dataclass(frozen=True)
class Store:
    """A store, and the file of its index, which may be on another file system."""

    path: Path
    index: Path

    def folders(self) -> Iterator[tuple[str, Path]]:
        """The runs: name and folder, in the order of their names, which begin with the time. Raises EverylinkError."""
        try:
            years = sorted(entry.path for entry in os.scandir(self.path / RUNS) if entry.is_dir())
            for year in years:
                yield from ((entry.name, Path(entry.path)) for entry in _by_name(year) if entry.is_dir())
        except FileNotFoundError:
            return
        except OSError as error:
            raise EverylinkError(f"{self.path}: cannot be read: {error.strerror}") from None

    def unfinished(self) -> list[Path]:
        """What was being measured, or is."""
        folder = self.path / INCOMING
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def new_folder(self, name: str) -> Path:
        """A folder in `incoming` that did not exist. Raises EverylinkError."""
        for more in ("", *(f"-{number}" for number in range(2, 100))):
            folder = self.path / INCOMING / f"{name}{more}"
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise unwritable(self.path, error) from None
            return folder
        raise EverylinkError(f"{self.path}: {INCOMING}/{name} exists a hundred times; remove those of no use")

    def publish(self, folder: Path, name: str) -> Path:
        """Make a folder of `incoming` a run, which from then on is complete or, after any failure, still in `incoming`.

        Every byte is on the disk before the name is there. Raises EverylinkError.
        """
        target = self.path / RUNS / name[:4] / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            for file in folder.iterdir():
                _synced(file)
            _synced(folder)
            folder.rename(target)
            for parent in (target.parent, target.parent.parent, folder.parent):
                _synced(parent)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise EverylinkError(f"{self.path}: the run {name} is already in the store") from None
            raise EverylinkError(f"{unwritable(self.path, error)}; the run is kept in {folder}") from None
        return target


def opened(path: Path, index: Path | None = None) -> Store:
    """A store that exists. Raises UserMistake if this is none, or one that this version cannot read."""
    if not path.is_dir():
        said = "is not a folder" if path.exists() else "there is no such store"
        raise UserMistake(f"{path}: {said}; everylink check --store {path} makes one")
    marker = path / MARKER
    if not marker.exists():
        raise UserMistake(f"{path}: is not a store: it has no {MARKER}; everylink check --store makes a store")
    _check(path, text_of(marker, LARGEST_MARKER, f"write {json.dumps({'schema': SCHEMA})} into it"))
    return Store(path, index or path / INDEX)


def opened_or_new(path: Path, index: Path | None = None) -> Store:
    """A store, which is made in a new or an empty folder. Raises UserMistake, EverylinkError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if (path / MARKER).exists():
            return opened(path, index)
        others = [entry.name for entry in os.scandir(path) if not entry.name.startswith(f"{MARKER}.")]
        if others:
            raise UserMistake(f"{path}: is not a store: it has {plural(len(others), 'file')}, but no {MARKER}")
        new = path / f"{MARKER}.{os.urandom(4).hex()}"
        new.write_text(json.dumps({"schema": SCHEMA}) + "\n", encoding="utf-8")
        _synced(new)
        new.replace(path / MARKER)
        _synced(path)
    except FileExistsError:
        raise UserMistake(f"{path}: is a file, not a folder; name a new folder for the store") from None
    except OSError as error:
        raise unwritable(path, error) from None
    return Store(path, index or path / INDEX)


def _check(path: Path, text: str) -> None:
    try:
        schema = json.loads(text)["schema"]
    except (ValueError, TypeError, KeyError, RecursionError):
        schema = None
    name, _, version = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if name != SCHEMA.partition("/")[0]:
        said = f"is damaged; if {RUNS}/ beside it has runs, write {json.dumps({'schema': SCHEMA})} into it"
        raise UserMistake(f"{path / MARKER}: {said}")
    if schema != SCHEMA:
        raise UserMistake(f"{path}: is a store of version {version[:20]}, this Everylink reads version 1; use its own")


def _by_name(folder: str) -> list[os.DirEntry[str]]:
    return sorted(os.scandir(folder), key=lambda entry: entry.name)


def _synced(path: Path) -> None:
    """Let what was written reach the disk. Some file systems refuse that for folders, which is no failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in FAULTS_OF_DISKS or not path.is_dir():
            raise
    finally:
        os.close(handle)
