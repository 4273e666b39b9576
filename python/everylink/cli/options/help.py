"""Help as text: `-h` has one line per option, `--help` the full descriptions."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from textwrap import fill as fill_text

from everylink.cli.options.option import Command, Example, Note, Option, Program

fill = partial(fill_text, break_on_hyphens=False)
WIDTH_OF_FILES = 80  # used if the output is not a terminal
NARROWEST = 40
COLUMN = 32  # start of the brief descriptions


def terminal_width() -> int:
    """The width of the terminal, or WIDTH_OF_FILES without one."""
    return max(NARROWEST, shutil.get_terminal_size((WIDTH_OF_FILES, 24)).columns)


def help_of(command: Command, detailed: bool, width: int) -> str:
    """Help of one command."""
    parts = [fill(command.summary, width), fill(f"Usage: {command.usage}", width, subsequent_indent=" " * 7)]
    parts += [_group(name, options, detailed, width) for name, options in command.groups()]
    if detailed:
        parts += _examples(command.examples)
    parts += [_note(note, width) for note in command.notes if detailed or note.items]
    return "\n\n".join(parts) + "\n"


def help_of_program(program: Program, detailed: bool, width: int) -> str:
    """Help of the program: its commands and options."""
    usage = f"Usage: {program.name} COMMAND [OPTIONS]\n       {program.name} COMMAND --help"
    commands = [_row(command.name, command.brief, width, 12) for command in program.commands]
    parts = [fill(program.summary, width), usage, "\n".join(["Commands", *commands])]
    parts += [_group("Options", program.options, detailed, width)]
    if detailed:
        parts += _examples(program.examples)
    parts += [_note(note, width) for note in program.notes if detailed or note.title == "Exit status"]
    return "\n\n".join(parts) + "\n"


def spelling(option: Option) -> str:
    """`-o, --output FILE`; a positional argument appears as its value, `FILE...`."""
    if option.positional:
        return option.value + ("..." if option.repeats else "")
    value = f"[={option.value}]" if option.optional else f" {option.value}" if option.value else ""
    return ", ".join(option.names) + value


def description(option: Option) -> str:
    """The full description of an option."""
    sentences = [sentence(option.brief)]
    sentences += [option.more] if option.more else []
    listed = ", ".join(choice for choice in option.choices)
    sentences += [f"One of {listed}."] if listed and not all(word in option.more for word in option.choices) else []
    sentences += [f"Default: {option.stated_default}."] if option.stated_default else []
    sentences += ["May be given several times."] if _says_repeats(option) else []
    sentences += ["Required."] if option.required and not option.positional else []
    return " ".join(sentences)


def sentence(phrase: str) -> str:
    """A phrase of the table as a sentence: capitalised (unless a file name comes first), with a full stop."""
    first = phrase.split(" ", 1)[0]
    capital = phrase if "." in first or "," in first else phrase[:1].upper() + phrase[1:]
    return f"{capital}." if not capital.endswith(".") else capital


def _says_repeats(option: Option) -> bool:
    return option.repeats and not option.positional and "several times" not in option.more


def _group(name: str, options: Iterable[Option], detailed: bool, width: int) -> str:
    lines = [name]
    for option in options:
        if detailed:
            indent = " " * 6
            lines += [f"  {spelling(option)}"]
            lines += [fill(description(option), width, initial_indent=indent, subsequent_indent=indent)]
        else:
            default = f" ({option.stated_default})" if option.stated_default else ""
            lines += [_row(spelling(option), option.brief + default, width, COLUMN)]
    return "\n".join(lines)


def _row(left: str, right: str, width: int, column: int) -> str:
    """Two columns. A left cell that is too long gets a line of its own."""
    indent = " " * (column + 2)
    if len(left) >= column - 1:
        return f"  {left}\n" + fill(right, width, initial_indent=indent, subsequent_indent=indent)
    return fill(right, width, initial_indent=f"  {left:{column}}", subsequent_indent=indent)


def _examples(examples: Sequence[Example]) -> Iterator[str]:
    if examples:
        yield "\n".join(["Examples", *(f"  {example.what}\n      {example.line}" for example in examples)])


def _note(note: Note, width: int) -> str:
    lines = [note.title]
    if note.text:
        lines += [fill(note.text, width, initial_indent="  ", subsequent_indent="  ")]
    column = max((len(name) for name, _ in note.items), default=0) + 2
    lines += [_row(name, meaning, width, column) for name, meaning in note.items]
    return "\n".join(lines)
