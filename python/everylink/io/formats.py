"""The formats of results files: each module that knows one registers it here, and nothing here knows any of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from everylink.model.results import Results


@dataclass(frozen=True)
class Format:
    """A format by the end of its files' names; `name` is how a user is told of it.

    `signature` is what its files begin with, and `read` makes results of one; a format without these does not say of
    itself what it is. `write` takes results and whether to overwrite, and gives a line for each thing that is lost.
    """

    suffix: str
    name: str
    write: Callable[[Results, bool], list[str]]
    signature: bytes = b""
    read: Callable[[Path], Results] | None = None


FORMATS: dict[str, Format] = {}  # by suffix


def register(known: Format) -> None:
    """Make a format known to `read`, and to what converts."""
    FORMATS[known.suffix] = known


def format_of(begins: bytes) -> Format | None:
    """The format of a file by what it begins with."""
    return next((known for known in FORMATS.values() if known.signature and begins.startswith(known.signature)), None)


def longest_signature() -> int:
    """How much of a file must be read to know its format."""
    return max(len(known.signature) for known in FORMATS.values())
