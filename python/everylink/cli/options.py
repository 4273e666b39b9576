"""What the parsers of all commands share: complaints in one line, bandwidths, message sizes."""

import argparse
from typing import NoReturn

from everylink.errors import UserMistake
from everylink.model.results import Results, Size
from everylink.units import parsed_rate, parsed_size, size_text


class Parser(argparse.ArgumentParser):
    """Raises UserMistake where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise UserMistake(f"{self.prog.split()[-1]}: {message}; try {self.prog} --help")


def rate(option: str, text: str | None) -> float | None:
    """Bytes per second of an option that may not be there."""
    try:
        return None if text is None else parsed_rate(text)
    except ValueError as error:
        raise UserMistake(f"{option}: {error}") from None


def chosen_size(results: Results, text: str | None) -> Size:
    """The size that was asked for, `65536` or `64KiB`; the largest one where none was."""
    if not results.sizes:
        raise UserMistake(f"{results.path}: has no message size")
    if text is None:
        return results.sizes[-1]
    wanted = parsed_bytes(text)
    for size in results.sizes:
        if size.bytes == wanted:
            return size
    there = ", ".join(f"{size.bytes} ({size_text(size.bytes)})" for size in results.sizes)
    raise UserMistake(f"--size {text}: was not measured; in {results.path} there are {there}")


def parsed_bytes(text: str) -> int:
    """What --size says. Raises UserMistake."""
    try:
        return parsed_size(text)
    except ValueError as error:
        raise UserMistake(f"--size: {error}") from None
