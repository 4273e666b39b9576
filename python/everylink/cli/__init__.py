"""The program `everylink`: runs a command, and turns errors into one line and an exit code."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from everylink.cli.options.table import EVERYLINK, PAGE_FORMS
from everylink.errors import EverylinkError, UserMistake
from everylink.exit_codes import Exit
from everylink.nearest import matches, suggestion
from everylink.version import VERSION

Main = Callable[[Sequence[str]], int]
COMMANDS = tuple(command.name for command in EVERYLINK.commands)  # each is a module of this package


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return guarded("everylink", _run, sys.argv[1:] if arguments is None else arguments)


def guarded(program: str, command: Main, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors become one line on standard error."""
    try:
        return command(arguments)
    except EverylinkError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # prevents Python's own message at exit
        return Exit.FAILURE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        raise UserMistake(f"a command is missing: {', '.join(COMMANDS)}; everylink --help explains them")
    first = arguments[0]
    if first.startswith("-"):
        print(_page(first))
        return 0
    return _command(first)(arguments[1:])


def _page(option: str) -> str:
    """The output of an option given instead of a command."""
    from everylink.cli.options import completion
    from everylink.cli.options.help import help_of_program, terminal_width
    from everylink.cli.options.man import man_page
    from everylink.cli.options.table_json import table_json

    known = [name for one in EVERYLINK.options for name in one.names]
    name, equals, form = option.partition("=")
    found = [name] if name in known else matches(name, known) if name.startswith("--") else []
    if len(found) != 1 or (equals and found[0] != "--help"):
        raise UserMistake(f"{option}: unknown option{suggestion(option, known)}; everylink --help lists the options")
    if found[0] in ("-V", "--version"):
        return f"everylink {VERSION}"
    if not equals or form == "text":
        return help_of_program(EVERYLINK, found[0] != "-h", terminal_width()).rstrip("\n")
    pages = {"json": table_json, "man": man_page}
    pages |= {shell.__name__: shell for shell in (completion.bash, completion.zsh, completion.fish)}
    if form in pages:
        return pages[form](EVERYLINK).rstrip("\n")
    raise UserMistake(f"{option}: unknown form{suggestion(form, PAGE_FORMS)}; use {', '.join(PAGE_FORMS)}")


def _command(word: str) -> Main:
    found = matches(word, COMMANDS)
    if len(found) == 1:
        command: Main = import_module(f"everylink.cli.{found[0]}").main
        return command
    if found:
        raise UserMistake(f"{word}: ambiguous command; it may be {' or '.join(found)}")
    raise UserMistake(f"{word}: unknown command{suggestion(word, COMMANDS)}; use {', '.join(COMMANDS)}")
