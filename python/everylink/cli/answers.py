"""What a command answers, in the forms that every command has: text, one line (--quiet), one JSON object."""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from everylink.terminal.console import terminal
from everylink.text.json_text import json_text

FILES = "everylink-files/1"


@dataclass(frozen=True)
class Answer:
    """`brief` is what --quiet prints; empty: nothing. `forms`: the other forms of --format that the command has."""

    text: Callable[[Console], object]
    brief: str | Text
    json: Callable[[], str]
    forms: Mapping[str, Callable[[], str]] = field(default_factory=dict)


def give(answer: Answer, options: Namespace) -> None:
    """Print the answer in the form that the options of the command select."""
    if options.format == "json":
        print(answer.json())
    elif options.format in answer.forms:
        if said := answer.forms[options.format]():
            print(said)
    elif not options.quiet:
        answer.text(terminal())
    elif answer.brief:
        terminal().print(answer.brief, soft_wrap=True)


def is_brief(options: Namespace) -> bool:
    """Whether nothing but the answer itself may be printed."""
    return bool(options.quiet or options.format != "text")


def files_answer(files: Sequence[Path], lines: Sequence[str], summary: str = "", notes: Sequence[str] = ()) -> Answer:
    """The answer of a command that writes files.

    `lines` are its text. `summary` says what the files hold, and `notes` what they do not.
    """
    fields = {"schema": FILES, "files": files, "summary": summary or None, "notes": notes}
    return Answer(lambda console: print(*lines, sep="\n") if lines else None, "", lambda: json_text(fields))
