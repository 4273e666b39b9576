"""The command `everylink`: finds the command by an unambiguous beginning, and turns errors into one line and a code."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from everylink.errors import EverylinkError, UserMistake
from everylink.version import VERSION

Command = Callable[[Sequence[str]], int]
COMMANDS = (  # each a module beside this one
    "run", "show", "report", "diagnose", "compare", "merge", "convert", "export", "simulate", "predict",
)  # fmt: skip
USAGE = """usage: everylink COMMAND ...

  run      measure every link of this machine or of an MPI job, then show what was found
  show     print a results file: failed links, times, bandwidths, slowest links, a map
  report   draw results files as one HTML page, PDF or PNG
  diagnose name what is bad: host, rank, link or group
  compare  say what got slower or faster between two runs
  merge    combine runs of the same ranks and settings into one results file
  convert  turn results into another format: ours, LinkTest's, comma-separated values, NumPy's
  export   write one table or matrix of a results file as text or picture, for gnuplot and others
  simulate write the results file of a made-up cluster with planted faults
  predict  say what a communication pattern would cost on the links that were measured

everylink COMMAND --help explains a command. Exit codes: 0 ok, 1 a fault of the machine or of Everylink,
2 a mistake in what was asked for, 3 (run) measured, but some link failed, (diagnose) faults found,
(compare) something got slower."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return guarded("everylink", _run, sys.argv[1:] if arguments is None else arguments)


def guarded(program: str, command: Command, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors become one line on standard error."""
    try:
        return command(arguments)
    except EverylinkError as error:
        print(f"{program}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains at exit
        return 1
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        raise UserMistake(f"a command is missing: {', '.join(COMMANDS)}; try everylink --help")
    if arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0
    if arguments[0] == "--version":
        print(f"everylink {VERSION}")
        return 0
    return _command(arguments[0])(arguments[1:])


def _command(name: str) -> Command:
    matches = [known for known in COMMANDS if known.startswith(name)]
    if name in COMMANDS:
        matches = [name]
    if len(matches) == 1:
        command: Command = import_module(f"everylink.cli.{matches[0]}").main
        return command
    problem = f"may be {' or '.join(matches)}" if matches else f"is unknown; there are {', '.join(COMMANDS)}"
    raise UserMistake(f"command '{name}' {problem}")
