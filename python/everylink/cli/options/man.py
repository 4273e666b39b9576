"""The man page everylink.1: every command with its options, in roff."""

from collections.abc import Iterable, Iterator

from everylink.cli.options.help import description, sentence, spelling
from everylink.cli.options.option import Command, Example, Note, Option, Program
from everylink.version import VERSION


def man_page(program: Program) -> str:
    """The page as roff source."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    yield f'.TH {_escaped(program.name.upper())} 1 "" "Everylink {VERSION}" "User Commands"'
    yield from (".nh", ".ad l", ".SH NAME", f"{_escaped(program.name)} \\- {_escaped(program.brief)}")
    yield from (".SH SYNOPSIS", f"{_bold(program.name)} \\fICOMMAND\\fR [OPTIONS]")
    yield from (".SH DESCRIPTION", _text(program.summary), ".PP", "Commands:")
    for command in program.commands:
        yield from (".TP 12", _bold(command.name), _text(sentence(command.brief)))
    yield ".SH OPTIONS"
    yield from _options(program.options)
    for command in program.commands:
        yield from _command(command)
    for note in program.notes:
        yield f".SH {_escaped(note.title.upper())}"
        yield from _note(note)
    yield ".SH EXAMPLES"
    yield from _examples(program.examples)
    yield from (".SH SEE ALSO", ".BR everylink\\-measure (1)")


def _command(command: Command) -> Iterator[str]:
    yield from (f'.SH "{_escaped(command.program.upper())}"', _text(command.summary), ".PP")
    yield f"{_bold(command.program)} {_escaped(command.usage.removeprefix(command.program + ' '))}"
    for group, options in command.groups():
        if group != "Help":
            yield f".SS {_escaped(group)}"
            yield from _options(options)
    for note in command.notes:
        yield f".SS {_escaped(note.title)}"
        yield from _note(note)
    if command.examples:
        yield ".SS Examples"
        yield from _examples(command.examples)


def _options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        yield from (".TP", _spelled(option), _text(description(option)))


def _spelled(option: Option) -> str:
    if option.positional:
        return f"\\fI{_escaped(spelling(option))}\\fR"
    names = ", ".join(map(_bold, option.names))
    value = spelling(option).removeprefix(", ".join(option.names)).removeprefix(" ")
    gap = "" if value.startswith("[") or not value else " "
    return f"{names}{gap}\\fI{_escaped(value)}\\fR" if value else names


def _note(note: Note) -> Iterator[str]:
    if note.text:
        yield _text(note.text)
    for name, meaning in note.items:
        yield from (".TP", _bold(name), _text(sentence(meaning)))


def _examples(examples: Iterable[Example]) -> Iterator[str]:
    for example in examples:
        yield from (".PP", _text(example.what), ".PP", ".RS 4", ".nf", _text(example.line), ".fi", ".RE")


def _bold(text: str) -> str:
    return f"\\fB{_escaped(text)}\\fR"


def _text(text: str) -> str:
    """A line of text, escaped so that roff does not read it as a request."""
    escaped = _escaped(text)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
