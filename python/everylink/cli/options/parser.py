"""Parses a command line by the table. argparse does the work; abbreviations and error messages are handled here."""

import argparse
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from everylink.cli.options.help import help_of, terminal_width
from everylink.cli.options.option import Command, Option
from everylink.cli.options.values import value_of
from everylink.errors import UserMistake
from everylink.nearest import matches, suggestion


def parsed(command: Command, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; `given` holds the long names that occur in it.

    Raises UserMistake, and SystemExit after printing help.
    """
    words = _in_full(command, arguments)
    options = _parser(command).parse_args(words)
    options.given = {word.partition("=")[0] for word in words if word.startswith("--")}
    return options


def parsed_in_part(command: Command, arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of a command that passes unknown words on, and those words. Raises like `parsed`."""
    return _parser(command).parse_known_args(_joined(command, arguments))


class _Parser(argparse.ArgumentParser):
    """Raises UserMistake instead of printing the usage and exiting."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (.*): expected one argument$", r"\1 requires a value", message)
        _, is_command, name = self.prog.partition(" ")  # the program's own name begins every message
        raise UserMistake(f"{name}{': ' * bool(is_command)}{message}; {self.prog} --help lists the options")


class _Help(argparse.Action):
    def __init__(self, command: Command, detailed: bool, **others: Any) -> None:
        super().__init__(nargs=0, **others)
        self.command, self.detailed = command, detailed

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(help_of(self.command, self.detailed, terminal_width()), end="")
        parser.exit()


class _Refused(argparse.Action):
    """An option of another program that is not supported."""

    def __init__(self, reason: str, **others: Any) -> None:
        super().__init__(nargs="?", **others)
        self.reason = reason

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> NoReturn:
        raise UserMistake(f"{option_string}: {self.reason}")


def _parser(command: Command) -> _Parser:
    parser = _Parser(prog=command.program, add_help=False, allow_abbrev=False)
    for option in command.options:
        _add(parser, command, option)
    return parser


def _add(parser: _Parser, command: Command, option: Option) -> None:
    if option.names == ("-h",) or option.names == ("--help",):
        action = partial(_Help, command, option.long == "--help")
        parser.add_argument(*option.names, action=action)  # type: ignore[arg-type]
    elif option.names == ("-V",):
        parser.add_argument(*option.names, action="version", version=command.version)
    elif option.refused:
        parser.add_argument(*option.names, action=partial(_Refused, option.refused))  # type: ignore[arg-type]
    elif option.unit == "none":
        parser.add_argument(*option.names, action="store_true")
    elif option.positional:
        nargs = None if not option.repeats else "+" if option.required else "*"
        parser.add_argument(*option.names, metavar=option.value, type=partial(value_of, option), nargs=nargs)
    else:
        default = value_of(option, option.default) if option.default else [] if option.repeats else None
        parser.add_argument(
            *option.names, metavar=option.value, type=partial(value_of, option), required=option.required,
            action="append" if option.repeats else "store", default=default,
        )  # fmt: skip


def _in_full(command: Command, arguments: Sequence[str]) -> list[str]:
    """The arguments with every long option in full. Raises UserMistake for an unknown or ambiguous option."""
    known = [name for option in command.options for name in option.names if name.startswith("--")]
    words = list(arguments)
    options = words.index("--") if "--" in words else len(words)
    for i in range(options):
        name, equals, value = words[i].partition("=")
        if name.startswith("--"):
            words[i] = f"{_full_name(command, name, known)}{equals}{value}"
    return _joined(command, words)


def _full_name(command: Command, name: str, known: Sequence[str]) -> str:
    found = matches(name, known)
    if len(found) == 1:
        return found[0]
    if found:
        raise UserMistake(f"{name}: ambiguous; it may be {' or '.join(found)}")
    raise UserMistake(f"{name}: unknown option{suggestion(name, known)}; {command.program} --help lists the options")


def _joined(command: Command, arguments: Sequence[str]) -> list[str]:
    """Joins options to values that may begin with a dash, which argparse would take for options, and to no value where
    that may be left out."""
    dashes, optional = (
        {name for option in command.options if getattr(option, which) for name in option.names}
        for which in ("dashes", "optional")
    )
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in dashes:
            joined[-1] += f"={argument}"
        elif argument in optional:
            joined.append(f"{argument}=")
        else:
            joined.append(argument)
    return joined
