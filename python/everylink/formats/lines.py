"""Lines of a text file with their numbers, so that a complaint can say where."""

from typing import NamedTuple


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
