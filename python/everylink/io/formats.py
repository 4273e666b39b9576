"""The registry of formats of results files. Each format's module registers itself; nothing here depends on one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from everylink.model.results import Results


@dataclass(frozen=True)
class Format:
    """A format, selected by the `suffix` of a file name; messages use `name`.

    Files begin with `signature`, and `read` returns their results; a format without these cannot be recognised.
    `write` takes results and whether to overwrite, and returns a line for each thing that is lost.
    """

    suffix: str
    name: str
    write: Callable[[Results, bool], list[str]]
    signature: bytes = b""
    read: Callable[[Path], Results] | None = None


FORMATS: dict[str, Format] = {}  # by suffix


def register(known: Format) -> None:
    """Register a format for reading and converting."""
    FORMATS[known.suffix] = known


def format_of(begins: bytes) -> Format | None:
    """The format of a file with these first bytes; None if unknown."""
    return next((known for known in FORMATS.values() if known.signature and begins.startswith(known.signature)), None)


def longest_signature() -> int:
    """The number of bytes that must be read to recognise a format."""
    return max(len(known.signature) for known in FORMATS.values())
