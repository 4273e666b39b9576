"""The beginning of a file, which says of what kind it is; text files of the user's; files that are written whole."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from everylink.errors import FileMissing, FileOfAnotherKind, FileUnreadable, UserMistake


def beginning(path: Path, length: int) -> bytes:
    """The first bytes of a file. Raises a ResultsError for what holds none, and never waits for a pipe."""
    try:
        kind = path.stat().st_mode
        if not stat.S_ISDIR(kind) and not stat.S_ISREG(kind):
            raise FileUnreadable(path, "is a pipe or a device, not a results file")
        with path.open("rb") as file:
            head = file.read(length)
    except FileNotFoundError:
        raise FileMissing(path, "there is no such file") from None
    except IsADirectoryError:
        raise FileUnreadable(path, "is a folder, not a results file") from None
    except OSError as error:
        raise FileUnreadable(path, f"cannot be read: {error.strerror}") from None
    if not head:
        raise FileOfAnotherKind(path, "is empty")
    return head


def text_of(path: Path, largest: int, would_work: str) -> str:
    """All of a text file of the user's. Raises UserMistake, which ends with what would work."""
    try:
        kind = path.stat()
        if not stat.S_ISREG(kind.st_mode):  # a pipe would be waited for
            raise UserMistake(f"{path}: is a folder, a pipe or a device, not a file; {would_work}")
        if kind.st_size > largest:
            raise UserMistake(f"{path}: has {kind.st_size} bytes, more than any such file; {would_work}")
        data = path.read_bytes()
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None
    if not data.strip():
        raise UserMistake(f"{path}: is empty; {would_work}")
    text = data.decode("utf-8-sig", "replace")
    if "\0" in text:
        raise UserMistake(f"{path}: is not text; {would_work}")
    return text


def refuse_existing(path: Path, force: bool) -> None:
    """Raise UserMistake where a file would be overwritten, or its folder is missing: before anything is computed."""
    if path.exists() and not force:
        raise UserMistake(f"{path}: exists; --force overwrites it")
    if not path.absolute().parent.is_dir():
        raise UserMistake(f"{path}: there is no folder {path.absolute().parent}")


@contextmanager
def whole(path: Path, force: bool = False) -> Iterator[Path]:
    """A path to write to, which becomes `path` if all goes well. Raises UserMistake if it cannot be written."""
    refuse_existing(path, force)
    new = path.with_name(path.name + ".new")
    try:
        yield new
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise UserMistake(f"{path}: cannot be written: {error}") from None


class Line(NamedTuple):
    """`number` counts from 1."""

    number: int
    text: str


class Damaged(ValueError):
    """What is wrong with a line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def quoted(text: str, most: int = 60) -> str:
    """A piece of a file fit for a message: short, on one line, nothing that a terminal would obey."""
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[: most + 1])
    return f"'{clean}'" if len(text) <= most else f"'{clean[:most]}...'"
