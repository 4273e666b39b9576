"""Completion of the command line for bash, zsh and fish.

`everylink run` also takes the options of everylink-measure. They come from that program's own completion, if it is
installed.
"""

import shlex
from collections.abc import Iterable, Iterator

from everylink.cli.options.option import Command, Option, Program

INDENT = "    "


def bash(program: Program) -> str:
    """The script for bash: source it, or install it as share/bash-completion/completions/everylink."""
    return "\n".join(_bash(program)) + "\n"


def _bash(program: Program) -> Iterator[str]:
    yield f"# bash completion of {program.name}, made by {program.name} --help=bash"
    yield "_everylink() {"
    yield "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= options= i"
    yield "  for ((i = 1; i < COMP_CWORD; ++i)); do"
    yield f"    case ${{COMP_WORDS[i]}} in {'|'.join(command.name for command in program.commands)})"
    yield "      command=${COMP_WORDS[i]}; break ;;"
    yield "    esac"
    yield "  done"
    yield "  if [[ $current == '=' ]]; then"
    yield "    current="
    yield "  elif [[ $previous == '=' ]]; then"
    yield "    previous=${COMP_WORDS[COMP_CWORD - 2]}"
    yield "  fi"
    yield "  local IFS=$'\\n'"
    yield "  case $command:$previous in"
    yield from _bash_values("", program.options)
    for command in program.commands:
        yield from _bash_values(command.name, command.options)
    yield "  esac"
    yield "  case $command in"
    commands = [command.name for command in program.commands]
    yield f"  '') options='{' '.join([*_names(program.options), *commands])}' ;;"
    for command in program.commands:
        yield f"  {command.name}) options='{' '.join(_names(command.options))}' ;;"
    yield "  esac"
    yield "  if [[ -n $command && $current != -* ]]; then"
    yield "    compopt -o filenames 2>/dev/null"
    yield '    COMPREPLY=($(compgen -f -- "$current"))'
    yield "  else"
    yield '    COMPREPLY=($(IFS=\' \' compgen -W "$options" -- "$current"))'
    yield "  fi"
    passes_on = "|".join(command.name for command in program.commands if command.passes_on)
    yield "  case $command in"
    yield f'  {passes_on}) _everylink_add_core "$i" ;;'
    yield "  esac"
    yield "}"
    yield "# Adds the options of everylink-measure to those of `everylink run`."
    yield "_everylink_add_core() {"
    yield "  declare -F _completion_loader >/dev/null && _completion_loader everylink-measure 2>/dev/null"
    yield "  declare -F _everylink_measure >/dev/null || return 0"
    yield '  local ours=("${COMPREPLY[@]}") words=("everylink-measure" "${COMP_WORDS[@]:$1 + 1}")'
    yield "  local COMP_CWORD=$((COMP_CWORD - $1)) COMP_WORDS"
    yield '  COMP_WORDS=("${words[@]}")'
    yield "  COMPREPLY=()"
    yield "  _everylink_measure"
    yield '  COMPREPLY+=("${ours[@]}")'
    yield "}"
    yield f"complete -F _everylink {program.name}"


def _bash_values(command: str, options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        if option.positional or option.refused or not option.value:
            continue
        names = "|".join(f"{command}:{name}" for name in option.names)
        offered = option.choices or option.suggestions
        if offered:
            yield f"  {names}) COMPREPLY=($(IFS=' ' compgen -W '{' '.join(offered)}' -- \"$current\")); return ;;"
        elif option.unit == "file":
            yield f'  {names}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;'
        else:
            yield f"  {names}) COMPREPLY=(); return ;;"


def _names(options: Iterable[Option]) -> list[str]:
    return [name for option in options if not option.positional and not option.refused for name in option.names]


def zsh(program: Program) -> str:
    """The script for zsh; install it as share/zsh/site-functions/_everylink."""
    return "\n".join(_zsh(program)) + "\n"


def _zsh(program: Program) -> Iterator[str]:
    yield f"#compdef {program.name}"
    yield f"# zsh completion of {program.name}, made by {program.name} --help=zsh"
    yield "_everylink() {"
    yield "  local context state state_descr line"
    yield "  typeset -A opt_args"
    yield "  _arguments -C \\"
    yield from (f"{INDENT}{spec} \\" for spec in _zsh_specs(program.options))
    yield f"{INDENT}'1:command:->command' '*::argument:->argument'"
    yield "  case $state in"
    yield "  command)"
    yield "    local -a commands=("
    yield from (f"      {shlex.quote(f'{command.name}:{_plain(command.brief)}')}" for command in program.commands)
    yield "    )"
    yield "    _describe command commands ;;"
    yield "  argument)"
    yield "    case $words[1] in"
    for command in program.commands:
        yield f"    ({command.name})"
        yield from _zsh_command(command)
        yield "      ;;"
    yield "    esac ;;"
    yield "  esac"
    yield "}"
    yield '[[ $funcstack[1] = _everylink ]] && _everylink "$@" || compdef _everylink everylink'


def _zsh_command(command: Command) -> Iterator[str]:
    yield "      _arguments \\"
    yield from (f"        {spec} \\" for spec in _zsh_specs(command.options))
    yield "        '*:file:_files'"
    if command.passes_on:
        yield "      (( $+functions[_everylink_measure] )) || autoload -Uz _everylink-measure"
        yield "      (( $+functions[_everylink_measure] )) && _everylink_measure"


def _zsh_specs(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        if option.positional or option.refused:
            continue
        others = "*" if option.repeats else f"({' '.join(option.names)})"
        for name in option.names:
            joins = "" if not option.value else "=" if name.startswith("--") else "+"
            what = _plain(option.brief).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
            yield shlex.quote(f"{others}{name}{joins}[{what}]{_zsh_value(option)}")


def _zsh_value(option: Option) -> str:
    if not option.value:
        return ""
    offered = " ".join(word.replace(":", "\\:") for word in option.choices or option.suggestions)
    action = f"({offered})" if offered else "_files" if option.unit == "file" else ""
    value = option.value.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    return f":{value}:{action}"


def fish(program: Program) -> str:
    """The script for fish; install it as share/fish/vendor_completions.d/everylink.fish."""
    return "\n".join(_fish(program)) + "\n"


def _fish(program: Program) -> Iterator[str]:
    yield f"# fish completion of {program.name}, made by {program.name} --help=fish"
    yield f"complete -c {program.name} -f"
    for command in program.commands:
        yield (
            f"complete -c {program.name} -n __fish_use_subcommand -a {command.name} -d {_fish_quoted(command.brief)}"
        )
    yield from _fish_options(program.name, "__fish_use_subcommand", program.options)
    for command in program.commands:
        condition = f"'__fish_seen_subcommand_from {command.name}'"
        yield from _fish_options(program.name, condition, command.options)
        if command.passes_on:
            yield (
                f"complete -c {program.name} -n {condition} -a "
                "'(complete -C \"everylink-measure \"(commandline -ct | string escape))'"
            )
        elif any(option.positional and option.unit == "file" for option in command.options):
            yield f"complete -c {program.name} -n {condition} -F"


def _fish_options(program: str, condition: str, options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        if option.positional or option.refused:
            continue
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        offered = option.choices or option.suggestions
        value = ""
        if option.value and option.long != "--help":
            value = " -r -F" if option.unit == "file" else " -x"
        if offered:
            value += f" -a {_fish_quoted(' '.join(offered))}"
        yield f"complete -c {program} -n {condition} {names}{value} -d {_fish_quoted(option.brief)}"


def _plain(text: str) -> str:
    return text.replace("`", "")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
