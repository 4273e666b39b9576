"""Converts the user's text to the value of an option: one function per unit."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from everylink.cli.options.option import Option, Unit
from everylink.errors import UserMistake
from everylink.nearest import suggestion
from everylink.units import parsed_rate, parsed_size

LONGEST_NUMBER = 18  # digits
LARGEST_MESSAGE = 2**40
NAME_THE_TEXT = ("bytes", "sizes", "rate")  # units whose errors already quote the text
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|)", re.ASCII)
SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def value_of(option: Option, text: str) -> Any:
    """The value of an option; "" if it may be left out and is. Raises UserMistake if the text is invalid."""
    if option.optional and text == "":
        return text
    try:
        return READERS[option.unit](option, text)
    except ValueError as error:
        given = "" if option.unit in NAME_THE_TEXT else f" {text or repr(text)}"
        raise UserMistake(f"{option.long}{given}: {error}") from None


def _choice(option: Option, text: str) -> str:
    if text not in option.choices:
        raise ValueError(f"unknown{suggestion(text, option.choices)}; use {_listed(option.choices)}")
    return text


def _listed(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _count(option: Option, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]+", text, re.ASCII):
        raise ValueError("not a whole number")
    number = int(text[: LONGEST_NUMBER + 1])
    _check_range(option, number if len(text) <= LONGEST_NUMBER else math.copysign(math.inf, number))
    return number


def _fraction(option: Option, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError("not a number") from None
    _check_range(option, number)
    return number


def _check_range(option: Option, number: float) -> None:
    low, high = option.range
    if number == math.inf and high is None:
        raise ValueError("is too large")
    if not low <= number <= (math.inf if high is None else high):
        raise ValueError(f"must be {f'at least {low}' if high is None else f'from {low} to {high}'}")


def _percent(option: Option, text: str) -> float:
    match = PERCENT.fullmatch(text.strip())
    if match is None or not 0 < float(match[1]) <= 1000:
        raise ValueError("must be a percentage such as 5%, above 0% and up to 1000%")
    return float(match[1]) / 100


def _sizes(option: Option, text: str) -> list[int]:
    sizes = [parsed_size(word) for word in text.split(",")]
    if min(sizes) < 1 or max(sizes) > LARGEST_MESSAGE:
        raise ValueError("message sizes must be from 1 B to 1 TiB")
    if len(set(sizes)) < len(sizes):
        raise ValueError("a message size is given twice")
    return sizes


def _seconds(option: Option, text: str) -> float:
    match = DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError("must be a time such as 90s, 5m or 1h")
    seconds = float(match[1]) * SECONDS[match[2]]
    _check_range(option, seconds)
    return seconds


def _file(option: Option, text: str) -> Path:
    if not text:
        raise ValueError("names no file")
    return Path(text)


READERS: dict[Unit, Callable[[Option, str], Any]] = {
    "text": lambda option, text: text,
    "choice": _choice,
    "file": _file,
    "count": _count,
    "bytes": lambda option, text: parsed_size(text),
    "sizes": _sizes,
    "rate": lambda option, text: parsed_rate(text),
    "percent": _percent,
    "fraction": _fraction,
    "seconds": _seconds,
}
