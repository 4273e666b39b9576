"""The option table as JSON, in the form of `everylink-measure --help=json`."""

import json
from typing import Any

from everylink.cli.options.option import Command, Option, Program
from everylink.version import VERSION


def table_json(program: Program) -> str:
    """The program and its commands."""
    table = {
        "program": program.name,
        "version": VERSION,
        "summary": program.brief,
        "options": [_option(option) for option in program.options],
        "commands": [_command(command) for command in program.commands],
        "examples": [{"what": example.what, "line": example.line} for example in program.examples],
        "notes": [{"title": note.title, "text": note.text} for note in program.notes],
    }
    return json.dumps(table, indent=2)


def _command(command: Command) -> dict[str, Any]:
    return {
        "name": command.name,
        "summary": command.brief,
        "usage": [command.usage],
        "options": [_option(option) for option in command.listed],
        "examples": [{"what": example.what, "line": example.line} for example in command.examples],
        "notes": [{"title": n.title, "text": n.text, "items": dict(n.items)} for n in command.notes],
    }


def _option(option: Option) -> dict[str, Any]:
    has_range = option.unit in ("count", "fraction")
    return {
        "names": list(option.names),
        "value": option.value,
        "unit": option.unit,
        "list": option.repeats,
        "optional": option.optional,
        "required": option.required,
        "range": list(option.range) if has_range else [None, None],
        "choices": list(option.choices),
        "group": option.group,
        "brief": option.brief,
        "more": option.more,
        "default": option.stated_default,
    }
