"""File access: reading a file's signature, reading text from the user, and writing atomically."""

import errno
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from everylink.errors import EverylinkError, FileMissing, FileOfAnotherKind, FileUnreadable, UserMistake

FAULTS_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def beginning(path: Path, length: int) -> bytes:
    """The first `length` bytes of a file, enough to recognise its format.

    Raises ResultsError if the path is missing, unreadable, empty or not a regular file. It never blocks on a pipe.
    """
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


def text_of(path: Path, largest: int, advice: str) -> str:
    """The contents of a text file of at most `largest` bytes. Raises UserMistake; most messages end with `advice`."""
    try:
        kind = path.stat()
        if not stat.S_ISREG(kind.st_mode):  # opening a pipe would block
            raise UserMistake(f"{path}: is a folder, a pipe or a device, not a file; {advice}")
        if kind.st_size > largest:
            raise UserMistake(f"{path}: is too large ({kind.st_size} bytes, limit {largest}); {advice}")
        data = path.read_bytes()
    except OSError as error:
        raise UserMistake(f"{path}: cannot be read: {error.strerror}") from None
    if not data.strip():
        raise UserMistake(f"{path}: is empty; {advice}")
    text = data.decode("utf-8-sig", "replace")
    if "\0" in text:
        raise UserMistake(f"{path}: is not text; {advice}")
    return text


def refuse_other_format(path: Path, *also: str) -> None:
    """Raise UserMistake if the suffix of a results file names neither HDF5 nor a format of `also`, as the core does."""
    if path.suffix[1:].isalpha() and path.suffix not in also:
        endings = " or ".join((".h5", *also))
        raise UserMistake(f"{path}: a results file ends in {endings}; everylink convert writes other formats")


def refuse_existing(path: Path, force: bool) -> None:
    """Raise UserMistake if the file exists (unless `force`) or its folder is missing. Call it before computing.

    What is not a file is never overwritten: renaming a file to /dev/null would replace the device.
    """
    if path.exists() and not path.is_file():
        raise UserMistake(f"{path}: is a folder, a pipe or a device, not a file")
    if path.exists() and not force:
        raise UserMistake(f"{path}: exists; --force overwrites it")
    if not path.parent.is_dir():
        raise UserMistake(f"{path}: folder {path.parent} does not exist")


@contextmanager
def atomic_write(path: Path, force: bool = False) -> Iterator[Path]:
    """Write a file atomically: yields a temporary path, which is renamed to `path` on success.

    Whatever happens, nothing else is left. Raises UserMistake if the file exists (unless `force`) or cannot be written,
    EverylinkError if the disk is full or broken.
    """
    refuse_existing(path, force)
    new = path.with_name(path.name + ".new")
    try:
        yield new
        new.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        new.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> EverylinkError:
    """The error to raise if a file could not be written."""
    kind = EverylinkError if error.errno in FAULTS_OF_DISKS else UserMistake
    return kind(f"{path}: cannot be written: {error.strerror or error}")


class Line(NamedTuple):
    """A line of a text file; `number` counts from 1."""

    number: int
    text: str


class Damaged(ValueError):
    """An error in one line of a text file; lines count from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def printable(text: str) -> str:
    """The text with characters that are not printable, such as control characters, replaced."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def quoted(text: str, most: int = 60) -> str:
    """Text from a file, quoted for a message: one line of at most `most` characters, without control characters."""
    clean = printable(text[: most + 1])
    return f"'{clean}'" if len(text) <= most else f"'{clean[:most]}...'"
