"""The program `everylink`: runs a command, and turns errors into one line and an exit code."""

import _thread
import errno
import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from everylink.cli.options.table import EVERYLINK, PAGE_FORMS
from everylink.errors import EverylinkError, RowsDamaged, UserMistake
from everylink.exit_codes import Exit
from everylink.files import printable
from everylink.nearest import matches, suggestion
from everylink.version import VERSION

Main = Callable[[Sequence[str]], int]
TRACEBACK = "EVERYLINK_TRACEBACK"
EPOCH = "SOURCE_DATE_EPOCH"
MOST_BLAS_THREADS = 64  # of OpenBLAS in the wheels of NumPy and SciPy
COMMANDS = tuple(command.name for command in EVERYLINK.commands)  # each is a module of this package


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return guarded("everylink", _run, sys.argv[1:] if arguments is None else arguments)


def guarded(program: str, command: Main, arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors, also those of libraries, become one line on standard error.

    EVERYLINK_TRACEBACK=1 lets an unexpected exception through.
    """
    try:
        _prepare()
        try:
            return command(arguments)
        finally:
            sys.stdout.flush()  # here a full or closed standard output is an exception
    except EverylinkError as error:
        return _failed(program, str(error), error.exit_code)
    except BrokenPipeError:
        return Exit.FAILURE  # who reads our output wants no more of it
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except OSError as error:
        return _failed(program, _said_of(error), Exit.FAILURE)
    except MemoryError:
        return _failed(program, "not enough memory (ulimit -v limits it)", Exit.FAILURE)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        return _failed(program, f"{type(error).__name__}: {error} ({TRACEBACK}=1 shows where)", Exit.FAILURE)
    finally:
        _close_output()


def _prepare() -> None:
    """Make the program independent of where it was started: closed files, and settings for windows."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # else the next file would be standard input or output
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
            if name == "stdout":
                raise EverylinkError("standard output is closed")
    if not os.environ.get(TRACEBACK):  # what libraries cannot raise, such as no memory to free something, is no fault
        sys.unraisablehook = lambda _: None
        sys.excepthook = lambda *_: None
        warnings.showwarning = lambda *_, **__: None  # of libraries; our own are lines of the output
    _check_epoch()
    _use_possible_threads()
    os.environ["MPLBACKEND"] = "agg"  # matplotlib draws files only; a wrong name here would be an exception
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it warns where there is no home folder


def _use_possible_threads() -> None:
    """Keep NumPy and SciPy to one thread where not all of theirs can be started, as with a low ulimit -u.

    Each has an OpenBLAS of its own, which starts a thread per core, and interrupts the process where that fails.
    threading.Thread would wait for ever for a thread that has no memory to begin.
    """
    enough, ended = threading.Event(), threading.Semaphore(0)

    def wait() -> None:
        enough.wait()
        ended.release()

    started = 0
    try:
        for _ in range(2 * min(os.cpu_count() or 1, MOST_BLAS_THREADS)):
            _thread.start_new_thread(wait, ())
            started += 1
    except RuntimeError:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    finally:
        enough.set()
        while started and ended.acquire(timeout=1):
            started -= 1


def _check_epoch() -> None:
    """Refuse a SOURCE_DATE_EPOCH that NumPy and matplotlib, which read it, would not understand."""
    if not (epoch := os.environ.get(EPOCH, "")):
        os.environ.pop(EPOCH, None)
    elif not re.fullmatch(r"[0-9]{1,11}", epoch):
        raise UserMistake(f"{EPOCH}={epoch}: must be a number of seconds since 1970")


def _said_of(error: OSError) -> str:
    if error.errno == errno.EMFILE:
        return "too many files are open; raise ulimit -n"
    return f"{error.filename or 'output'}: {error.strerror or error}"


def _failed(program: str, message: str, code: int) -> int:
    """Print one line, whatever the message quotes: spaces for line ends, a mark for other control characters."""
    line = printable(" ".join(message.splitlines()))
    with suppress(OSError):
        print(f"{program}: {line}", file=sys.stderr, flush=True)
    return code


def _close_output() -> None:
    """Drop what cannot be written, so that Python does not try again, and complain, at its exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: Sequence[str]) -> int:
    if not arguments:
        raise UserMistake(f"a command is missing: {', '.join(COMMANDS)}; everylink --help explains them")
    first = arguments[0]
    if first.startswith("-"):
        print(_page(first))
        return 0
    command = _command(first)
    try:
        return command(arguments[1:])
    except RowsDamaged:
        return command(arguments[1:])  # which leaves them out now


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
