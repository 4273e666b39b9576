"""The types of the option table. Fields are named as in `everylink-measure --help=json`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Unit = Literal["none", "text", "choice", "file", "count", "bytes", "sizes", "rate", "percent", "fraction", "seconds"]


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, or one positional argument, which has a single name without dashes.

    `brief` is a phrase without a full stop, `more` consists of sentences; long help joins them.
    """

    names: tuple[str, ...]
    brief: str
    group: str
    value: str = ""  # name of the value in help
    unit: Unit = "none"  # none: an option without a value
    more: str = ""
    choices: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()  # values that completion offers; others are valid, too
    range: tuple[float, float | None] = (1, None)  # of a count or a fraction
    default: str = ""  # as the user would write it
    otherwise: str = ""  # what happens without the option, if no default value says so
    required: bool = False
    optional: bool = False  # the value may be left out, and is joined by =
    repeats: bool = False  # may be given several times, each time with one more value
    dashes: bool = False  # the value may begin with a dash
    refused: str = ""  # for an unsupported option of another program: what to do instead

    @property
    def positional(self) -> bool:
        return not self.names[0].startswith("-")

    @property
    def takes_value(self) -> bool:
        return self.unit != "none" and not self.positional

    @property
    def long(self) -> str:
        """The longest name, which messages use."""
        return max(self.names, key=len)

    @property
    def stated_default(self) -> str:
        return self.default or self.otherwise


def _argument(option: Option) -> str:
    """A positional argument in a usage line: `FILE`, `FILE...` or `[HOSTS...]`."""
    words = option.value + ("..." if option.repeats else "")
    return words if option.required else f"[{words}]"


@dataclass(frozen=True)
class Example:
    """`what` is a sentence that ends in a colon."""

    what: str
    line: str


@dataclass(frozen=True)
class Note:
    """A titled paragraph, a titled list of names with their meanings, or both."""

    title: str
    text: str = ""
    items: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command of everylink; `program` is what the user types to start it."""

    program: str
    brief: str  # for the list of commands
    summary: str
    options: tuple[Option, ...]
    examples: tuple[Example, ...] = ()
    notes: tuple[Note, ...] = ()
    version: str = ""  # what -V prints
    passes_on: bool = False  # options that are not in the table go to another program
    passed_to: str = "[PATTERN] [OPTIONS OF everylink-measure]"  # in the usage

    @property
    def name(self) -> str:
        return self.program.rpartition(" ")[2]

    @property
    def listed(self) -> tuple[Option, ...]:
        """The options that help shows."""
        return tuple(option for option in self.options if not option.refused)

    @property
    def usage(self) -> str:
        """One line with the required options and arguments."""
        words = [self.program]
        if any(not option.positional and not option.required for option in self.listed):
            words.append("[OPTIONS]")
        required = [option for option in self.listed if option.required and option.takes_value]
        words += [f"{option.names[0]} {option.value}" for option in required]
        words += [_argument(option) for option in self.listed if option.positional]
        if self.passes_on:
            words.append(self.passed_to)
        return " ".join(words)

    def groups(self) -> Iterator[tuple[str, list[Option]]]:
        """The groups in the order in which they first appear, with their options."""
        for group in dict.fromkeys(option.group for option in self.listed):
            yield group, [option for option in self.listed if option.group == group]


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program with commands."""

    name: str
    brief: str
    summary: str
    commands: tuple[Command, ...]
    options: tuple[Option, ...]  # given instead of a command
    notes: tuple[Note, ...] = ()
    examples: tuple[Example, ...] = ()
