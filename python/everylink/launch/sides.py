"""Servers and clients: two lists of hosts, each with its own number of ranks, environment and options, as one job."""

import shlex
import subprocess
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.host_lists import folded
from everylink.launch.job import Job, Side, environment_of, hosts_in_file, hosts_of, job_of
from everylink.model.loads import PATTERNS

OWN_OPTIONS = ("--rails", "--interface", "--mode", "-m")  # of the core, that need not be the same for all ranks
WOULD_WORK = "-env NAME VALUE, --rails, --interface and --mode work, and with --launcher mpiexec its own arguments"
SERVERS, CLIENTS = "servers", "clients"
OF_A_SIDE = ("nranks", "args", "env")  # --servers-nranks, ...
ANSWER_LIMIT = 20.0  # seconds, for the core


@dataclass
class SideArgs:
    """What they say."""

    environment: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)  # for mpiexec


def words_of(text: str | None, option: str) -> list[str]:
    """Split as in a shell. Raises UserMistake."""
    try:
        return shlex.split(text or "")
    except ValueError as error:
        raise UserMistake(f"{option} '{text}': {error}") from None


def side_args(text: str | None, option: str, launcher: str, ours: Mapping[str, str]) -> SideArgs:
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


def are_named(options: Namespace) -> bool:
    """Whether --servers or --clients, or their files, name hosts."""
    return bool(_named(options))


def with_implied_pattern(options: Namespace, core_options: Sequence[str]) -> list[str]:
    """The core's options with the pattern that servers and clients mean where none is named. Raises UserMistake."""
    core_options = _with_number(options, list(core_options))
    sides = _named(options)
    for side in (SERVERS, CLIENTS):
        for option in OF_A_SIDE:
            if getattr(options, f"{side}_{option}") and side not in sides:
                raise UserMistake(f"--{side}-{option}: belongs to --{side}, and no hosts of {side} are named")
    if not sides:
        return core_options
    if CLIENTS not in sides:
        raise UserMistake(
            "--servers: clients are missing: --clients 'client[1-4]'; or a number of ranks, without hosts"
        )
    wanted = "client-server" if SERVERS in sides else "all-to-all"
    chosen = [word for word in core_options if word in PATTERNS]
    if not chosen:  # in front, because the core takes no word for a pattern that might be an option's value
        return [wanted, *core_options]
    if "client-server" in chosen and SERVERS not in sides:
        raise UserMistake("--clients: servers are missing: --servers 'server[2-3]'")
    if wanted not in chosen:
        raise UserMistake(f"{_options_of(sides)}: mean {wanted}; for {chosen[0]}, --hosts 'n[1-8]' says where")
    return core_options


def sides_of(options: Namespace, launcher: str, ours: Mapping[str, str]) -> dict[str, Side]:
    """Servers, then clients, as the options say. Raises UserMistake."""
    sides = {name: _side(options, name, launcher, ours) for name in _named(options)}
    if len(sides) > 1 and (both := set(sides[SERVERS].hosts) & set(sides[CLIENTS].hosts)):
        raise UserMistake(
            f"--servers, --clients: both name {folded(sorted(both))}; a host is one or the other, or requests would "
            "not cross the network"
        )
    return sides


def job_of_sides(sides: Mapping[str, Side]) -> Job:
    """Ranks of servers come first, and the core is told how many they are. Raises UserMistake."""
    jobs = list(sides.values())
    if SERVERS in sides:
        count = ("--servers", str(len(sides[SERVERS].hosts) * sides[SERVERS].ranks))
        jobs = [replace(side, options=[*count, *side.options]) for side in jobs]
    return job_of(jobs, _options_of(sides), ", ".join(f"--{name}-nranks" for name in sides))


def check_options(core: Path, sides: Mapping[str, Side], core_options: Sequence[str]) -> None:
    """Raise UserMistake for what the core refuses: the words of a rank that is not the first would not be heard."""
    common = mode_of(core_options, "tcp")
    modes = {name: mode_of(side.options, common) for name, side in sides.items()}
    if len({mode.partition(":")[0] for mode in modes.values()}) > 1:
        said = " and ".join(f"{name} --mode {mode}" for name, mode in modes.items())
        raise UserMistake(f"--servers-args, --clients-args: {said}, which do not understand each other")
    for name, side in sides.items():
        if side.options and (said := _refusal(core, ["--mode", modes[name], *side.options])):
            raise UserMistake(f"--{name}-args: {said}")


def _with_number(options: Namespace, core_options: list[str]) -> list[str]:
    """A plain number of servers is the core's own option: the first ranks of --np or --hosts."""
    text = options.servers or ""
    if not (text.isascii() and text.isdecimal()):
        return core_options
    if CLIENTS in _named(options):
        raise UserMistake(f"--servers {text}: is a number; beside --clients hosts are wanted: --servers 'server[2-3]'")
    options.servers = None
    pattern = [] if any(word in PATTERNS for word in core_options) else ["client-server"]
    return [*pattern, *core_options, "--servers", text]


def _named(options: Namespace) -> list[str]:
    """Which of the two have hosts."""
    return [
        side
        for side in (SERVERS, CLIENTS)
        if getattr(options, side) is not None or getattr(options, f"{side}_file") is not None
    ]


def _options_of(sides: Iterable[str]) -> str:
    return ", ".join(f"--{name}" for name in sides)


def _side(options: Namespace, name: str, launcher: str, ours: Mapping[str, str]) -> Side:
    said = side_args(getattr(options, f"{name}_args"), f"--{name}-args", launcher, ours)
    environment = environment_of(options.env, ours)
    environment |= environment_of(getattr(options, f"{name}_env"), ours, f"--{name}-env") | said.environment
    ranks = getattr(options, f"{name}_nranks") or 1
    return Side(_hosts(options, name), ranks, environment, said.options, said.arguments)


def _hosts(options: Namespace, name: str) -> list[str]:
    text, file = getattr(options, name), getattr(options, f"{name}_file")
    if file is None:
        return hosts_of(text, f"--{name}")
    if text is not None:
        raise UserMistake(f"--{name}, --{name}-file: name hosts twice; --{name} 'n1,@FILE' takes both")
    return hosts_in_file(file, f"--{name}-file")


def _refusal(core: Path, words: Sequence[str]) -> str:
    """What the core says against options, in one line; nothing where it takes them."""
    try:
        done = subprocess.run(
            [core, *words, "--list"], capture_output=True, text=True, timeout=ANSWER_LIMIT, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise CoreError(f"{core} --list gave no answer within {ANSWER_LIMIT:.0f} s") from None
    return done.stderr.strip().partition(": ")[2] if done.returncode == UserMistake.exit_code else ""
