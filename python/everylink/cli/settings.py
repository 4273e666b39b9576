"""`everylink.toml`: what `check`, `store`, `history` and `ack` take where the command line does not say otherwise.

Three files are read, of the system, the user and the project; of each setting the last one counts.
"""

import os
import tomllib
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from everylink.cli.options.option import Command, Option
from everylink.cli.options.table import CHECK
from everylink.cli.options.values import value_of
from everylink.errors import UserMistake
from everylink.files import quoted
from everylink.host_lists import HOST_LIST
from everylink.judge.expect import parse_expectation
from everylink.nearest import suggestion
from everylink.store.keep import Kept
from everylink.store.layout import Store, opened, opened_or_new

NAME = "everylink.toml"
SYSTEM = Path("/etc/everylink") / NAME
LARGEST = 1 << 20  # bytes
MOST_DAYS = 100_000


@dataclass(frozen=True)
class Settings:
    """Of no file every field is empty. `files`: those that were read; `groups`: node sets by name."""

    hosts: str | None = None
    launcher: str | None = None
    mode: str | None = None
    within: float | None = None
    topology: Path | None = None
    expect: str | None = None
    store: Path | None = None
    index: Path | None = None
    kept: Kept = field(default_factory=Kept)
    groups: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    def of(self, options: Namespace, name: str) -> Any:
        """An option of the command line, or if it was not given, the setting of this name."""
        given, setting = getattr(options, name), getattr(self, name)
        return given if f"--{name}" in options.given or setting is None else setting

    def store_to_read(self, options: Namespace) -> Store:
        """The store that a command is about. Raises UserMistake without one."""
        return opened(self._folder(options), self.index)

    def store_to_fill(self, options: Namespace) -> Store:
        """The same; it is made if need be."""
        return opened_or_new(self._folder(options), self.index)

    def _folder(self, options: Namespace) -> Path:
        folder: Path | None = self.of(options, "store")
        if folder is None:
            raise UserMistake(f"--store is missing; name the folder, or set folder in [store] of {NAME}")
        return folder


def settings_now() -> Settings:
    """What the files say that are there. Raises UserMistake for the first thing that is wrong in one."""
    settings = Settings()
    for path in (SYSTEM, *_of_user(), Path(NAME)):
        if path.is_file():
            settings = with_file(settings, path)
    return settings


def _of_user() -> list[Path]:
    """The user's file; none where the user has no home, as in a container with a number for a user."""
    try:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser())
    except RuntimeError:
        return []
    return [folder / "everylink" / NAME]


def with_file(settings: Settings, path: Path) -> Settings:
    """The settings, with what this file says instead. Raises UserMistake."""
    try:
        if path.stat().st_size > LARGEST:
            raise UserMistake(f"{path}: is too large (limit {LARGEST} bytes)")
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserMistake(f"{path}: is not TOML: {error}") from None
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None
    found: dict[str, Any] = {"files": (*settings.files, path)}
    for table, values in tables.items():
        if table not in TABLES:
            raise UserMistake(f"{path}: [{table}] is unknown{suggestion(table, TABLES)}; use {', '.join(TABLES)}")
        if not isinstance(values, dict):
            raise UserMistake(f"{path}: {table} is not a table; begin it with [{table}]")
        if table == "groups":
            found["groups"] = dict(settings.groups) | {
                name: _group(path, name, value) for name, value in values.items()
            }
            continue
        for name, value in values.items():
            known = TABLES[table]
            if name not in known:
                raise UserMistake(f"{path}: {table}.{name} is unknown{suggestion(name, known)}; use {', '.join(known)}")
            found |= known[name](path, f"{table}.{name}", value)
    days = {name: found.pop(name) for name in ("links", "results") if name in found}
    return replace(settings, **found, kept=replace(settings.kept, **days))


def _group(path: Path, name: str, value: object) -> str:
    text = _text(path, f"groups.{name}", value)
    if not HOST_LIST.fullmatch(name) or "[" in name:
        raise UserMistake(f"{path}: groups.{quoted(name)} is not the name of a group; use letters, digits, - and _")
    return text


def _text(path: Path, name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserMistake(f'{path}: {name} must be a text, as in {name.partition(".")[2]} = "..."')
    return value


Read = Callable[[Path, str, object], dict[str, Any]]


def _as_option(command: Command, name: str) -> Read:
    """A setting that is read as the option of a command is."""
    option: Option = next(one for one in command.options if f"--{name}" in one.names)

    def read(path: Path, setting: str, value: object) -> dict[str, Any]:
        text = _text(path, setting, value)
        try:
            return {name: value_of(option, text)}
        except UserMistake as error:
            raise UserMistake(f"{path}: {setting}: {error}") from None

    return read


def _path(field: str) -> Read:
    """A path, relative to the folder of the file."""

    def read(path: Path, setting: str, value: object) -> dict[str, Any]:
        text = _text(path, setting, value)
        if "\0" in text:
            raise UserMistake(f"{path}: {setting} has a null character, which no path can have")
        try:
            return {field: path.parent / Path(text).expanduser()}
        except RuntimeError:
            raise UserMistake(f"{path}: {setting}: {quoted(text)}: the home of this user is not known") from None

    return read


def _expectation(path: Path, setting: str, value: object) -> dict[str, Any]:
    text = _text(path, setting, value)
    try:
        parse_expectation(text)
    except UserMistake as error:
        raise UserMistake(f"{path}: {setting}: {error}") from None
    return {"expect": text}


def _days(field: str) -> Read:
    def read(path: Path, setting: str, value: object) -> dict[str, Any]:
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_DAYS:
            raise UserMistake(f"{path}: {setting} must be a number of days from 1 to {MOST_DAYS}")
        return {field: value}

    return read


TABLES: dict[str, dict[str, Read]] = {
    "check": {
        "hosts": _as_option(CHECK, "hosts"),
        "launcher": _as_option(CHECK, "launcher"),
        "mode": _as_option(CHECK, "mode"),
        "within": _as_option(CHECK, "within"),
        "topology": _path("topology"),
        "expect": _expectation,
    },
    "groups": {},
    "store": {
        "folder": _path("store"),
        "index": _path("index"),
        "links": _days("links"),
        "results": _days("results"),
    },
}
