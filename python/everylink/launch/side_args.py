"""What --servers-args and --clients-args may say: variables, options of the core for these ranks, words for mpiexec."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from everylink.errors import UserMistake
from everylink.launch.job import environment_of

OWN_OPTIONS = ("--rails", "--interface", "--mode", "-m")  # of the core, that need not be the same for all ranks
WOULD_WORK = "-env NAME VALUE, --rails, --interface and --mode work, and with --launcher mpiexec its own arguments"


@dataclass
class SideArgs:
    """What they say."""

    environment: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)  # for mpiexec


def words_of(text: str, option: str) -> list[str]:
    """Split like a shell. Raises UserMistake."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UserMistake(f"{option} '{text}': {error}") from None


def side_args(text: str, option: str, launcher: str, ours: Mapping[str, str]) -> SideArgs:
    """Variables in the form of hydra's mpiexec or of Open MPI's, whatever the launcher. Raises UserMistake."""
    found = SideArgs()
    words = iter(words_of(text, option))
    for word in words:
        name, equals, value = word.partition("=")
        if word == "-env":
            found.environment |= environment_of([_setting(words, option)], ours, f"{option} -env")
        elif word == "-x":
            found.environment |= environment_of([_next(words, option, word)], ours, f"{option} -x")
        elif name in OWN_OPTIONS:
            found.options += [name, value if equals else _next(words, option, word)]
        elif launcher == "mpiexec":
            found.arguments.append(word)
        else:
            raise UserMistake(f"{option}: '{word}' says nothing to --launcher {launcher}; {WOULD_WORK}")
    return found


def mode_of(core_options: Sequence[str], otherwise: str) -> str:
    """What options of the core say of --mode, the last word of which counts."""
    words = iter(core_options)
    for word in words:
        if word in ("-m", "--mode"):
            otherwise = next(words, otherwise)
        elif word.startswith("--mode="):
            otherwise = word.removeprefix("--mode=")
        elif word.startswith("-m"):
            otherwise = word.removeprefix("-m")
    return otherwise


def _setting(words: Iterator[str], option: str) -> str:
    """NAME=VALUE, as Network Sanitizer's guide writes it, or the two words that hydra wants."""
    name = _next(words, option, "-env")
    return name if "=" in name else f"{name}={_next(words, option, f'-env {name}')}"


def _next(words: Iterator[str], option: str, before: str) -> str:
    word = next(words, None)
    if word is None:
        raise UserMistake(f"{option}: behind '{before}' its value is missing; {WOULD_WORK}")
    return word
