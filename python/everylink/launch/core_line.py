"""What a command line of the core says, read by the core's own table of options (`everylink-measure --help=json`)."""

import json
import os
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from everylink.errors import CoreError
from everylink.launch.core import AS_RANK_0
from everylink.nearest import matches

PAIRS = "pairs"  # the core's name for a run without a load pattern
TABLE_LIMIT = 10.0  # seconds


@dataclass(frozen=True)
class CoreOption:
    """An option of the core, named by its long name; `default` is empty if it has none."""

    name: str
    takes_value: bool
    default: str


@dataclass(frozen=True)
class _Part:
    """Words of a command line that belong together; `option` is None where they are no option of the core."""

    option: CoreOption | None
    value: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class CoreLine:
    """The load pattern that a command line names, and the value of each option on it, by long name ("": a flag).

    Of an option that is given twice the last value counts, as in the core. `unknown`: long options that the core would
    refuse. Other words that it would refuse are left out.
    """

    pattern: str | None
    values: Mapping[str, str]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class CoreTable:
    """`patterns`: the names of the load patterns. `options`: for each of them, and for PAIRS, options by every name."""

    patterns: tuple[str, ...]
    options: Mapping[str, Mapping[str, CoreOption]]

    def line(self, words: Sequence[str]) -> CoreLine:
        """What these words say."""
        pattern = self._pattern(words)
        parts = list(self._parts(words, pattern))
        names = [part.words[0].partition("=")[0] for part in parts if part.option is None]
        unknown = tuple(
            name for name in names if name.startswith("--") and not matches(name, self.options[pattern or PAIRS])
        )
        return CoreLine(pattern, {part.option.name: part.value for part in parts if part.option}, unknown)

    def without(self, name: str, words: Sequence[str]) -> list[str]:
        """The words but for the option of this long name."""
        parts = self._parts(words, self._pattern(words))
        return [word for part in parts if part.option is None or part.option.name != name for word in part.words]

    def default(self, name: str) -> str:
        """The default of an option, by its long name."""
        return self.options[PAIRS][name].default

    def _pattern(self, words: Sequence[str]) -> str | None:
        every = {name: option for options in self.options.values() for name, option in options.items()}
        plain = (part.words[0] for part in _parts_of(words, every) if part.option is None)
        return next((word for word in plain if word in self.patterns), None)

    def _parts(self, words: Sequence[str], pattern: str | None) -> Iterator[_Part]:
        return _parts_of(words, self.options[pattern or PAIRS])


@cache
def table_of(core: Path) -> CoreTable:
    """The table that the core prints. Raises CoreError if it prints none."""
    try:
        done = subprocess.run(
            [core, "--help=json"], capture_output=True, text=True, timeout=TABLE_LIMIT, stdin=subprocess.DEVNULL,
            env=os.environ | AS_RANK_0,
        )  # fmt: skip
        return _table(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        raise CoreError(f"{core} --help=json did not answer within {TABLE_LIMIT:.0f} s") from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise CoreError(f"{core} --help=json printed no table of options") from None


def _table(table: Any) -> CoreTable:
    patterns = tuple(pattern["name"] for pattern in table["patterns"])
    options: dict[str, dict[str, CoreOption]] = {command: {} for command in (PAIRS, *patterns)}
    for entry in table["options"]:
        long = next((name for name in entry["names"] if name.startswith("--")), entry["names"][0])
        option = CoreOption(long, bool(entry["value"]) and not entry["optional"], entry["default"])
        for command in entry["applies_to"]:
            more = entry["in_patterns"].get(command, {}).get("more_names", [])
            options[command] |= dict.fromkeys([*entry["names"], *more], option)
    return CoreTable(patterns, options)


def _parts_of(words: Sequence[str], options: Mapping[str, CoreOption]) -> Iterator[_Part]:
    """Every option with its value, and every word that belongs to none, in their order. -vn5 is -v and -n5."""
    rest = deque(words)
    while rest:
        word = rest.popleft()
        is_long = word.startswith("--")
        name, equals, value = word.partition("=") if is_long else (word[:2], word[2:], word[2:])
        known = [known for known in options if known.startswith("--") == is_long]
        found = matches(name, known) if name.startswith("-") else []
        option = options[found[0]] if len(found) == 1 else None
        if option and not option.takes_value and not is_long and value:
            rest.appendleft(f"-{value}")
            yield _Part(option, "", (name,))
        elif option and option.takes_value and not equals and rest:
            value = rest.popleft()
            yield _Part(option, value, (word, value))
        else:
            yield _Part(option, value, (word,))
