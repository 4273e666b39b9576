"""Servers and clients: two lists of hosts as one job, each with its own number of ranks, environment and options."""

import shlex
import subprocess
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.host_lists import folded
from everylink.launch.core_line import PAIRS, CoreTable, table_of
from everylink.launch.job import Job, Side, environment_of, hosts_in_file, hosts_of, job_of

OWN_OPTIONS = ("--rails", "--interface", "--mode", "-m")  # options of the core that may differ between ranks
ADVICE = "use -env NAME VALUE, --rails, --interface, --mode, or with --launcher mpiexec its own arguments"
SERVERS, CLIENTS = "servers", "clients"
OF_A_SIDE = ("nranks", "args", "env")  # --servers-nranks, ...
ANSWER_LIMIT = 20.0  # seconds for the core


@dataclass
class SideArgs:
    """The parsed --servers-args or --clients-args."""

    environment: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)  # for mpiexec


def shell_words(text: str | None, option: str) -> list[str]:
    """The words of a text, split as in a shell. Raises UserMistake."""
    try:
        return shlex.split(text or "")
    except ValueError as error:
        raise UserMistake(f"{option} '{text}': {error}") from None


def side_args(text: str | None, option: str, launcher: str, ours: Mapping[str, str]) -> SideArgs:
    """Parse --servers-args or --clients-args. Variables have hydra's or Open MPI's form, whatever the launcher.

    Raises UserMistake.
    """
    found = SideArgs()
    words = iter(shell_words(text, option))
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
            raise UserMistake(f"{option}: '{word}' does not apply to --launcher {launcher}; {ADVICE}")
    return found


def _setting(words: Iterator[str], option: str) -> str:
    """NAME=VALUE in one word (as in Network Sanitizer's guide), or as two words (hydra)."""
    name = _next(words, option, "-env")
    return name if "=" in name else f"{name}={_next(words, option, f'-env {name}')}"


def _next(words: Iterator[str], option: str, before: str) -> str:
    word = next(words, None)
    if word is None:
        raise UserMistake(f"{option}: '{before}' requires a value; {ADVICE}")
    return word


def are_named(options: Namespace) -> bool:
    """Whether --servers or --clients, or their files, name hosts."""
    return bool(_named(options))


def with_implied_pattern(options: Namespace, core_options: Sequence[str], table: CoreTable) -> list[str]:
    """The core's options, with the load pattern that --servers and --clients imply. Raises UserMistake."""
    core_options = _with_number(options, list(core_options), table)
    sides = _named(options)
    for side in (SERVERS, CLIENTS):
        for option in OF_A_SIDE:
            if getattr(options, f"{side}_{option}") and side not in sides:
                raise UserMistake(f"--{side}-{option} requires hosts in --{side} or --{side}-file")
    if not sides:
        return core_options
    if CLIENTS not in sides:
        raise UserMistake(
            "--servers: clients are missing; add --clients 'client[1-4]', or give a number of ranks instead of hosts"
        )
    wanted = "client-server" if SERVERS in sides else "all-to-all"
    chosen = table.line(core_options).pattern
    if chosen is None:
        return [wanted, *core_options]
    if chosen == "client-server" and SERVERS not in sides:
        raise UserMistake("--clients: servers are missing; add --servers 'server[2-3]'")
    if chosen != wanted:
        raise UserMistake(f"{_options_of(sides)}: the pattern is {wanted}; for {chosen}, use --hosts 'n[1-8]'")
    return core_options


def sides_of(options: Namespace, launcher: str, ours: Mapping[str, str]) -> dict[str, Side]:
    """The servers, then the clients, by name. Raises UserMistake, also if a host is both."""
    sides = {name: _side(options, name, launcher, ours) for name in _named(options)}
    if len(sides) > 1 and (both := set(sides[SERVERS].hosts) & set(sides[CLIENTS].hosts)):
        raise UserMistake(
            f"--servers, --clients: both name {folded(sorted(both))}; a host must be one or the other, since requests "
            "within a host do not cross the network"
        )
    return sides


def job_of_sides(sides: Mapping[str, Side]) -> Job:
    """The job: ranks of servers first, with their number as the core's option --servers. Raises UserMistake."""
    jobs = list(sides.values())
    if SERVERS in sides:
        count = ("--servers", str(len(sides[SERVERS].hosts) * sides[SERVERS].ranks))
        jobs = [replace(side, options=[*count, *side.options]) for side in jobs]
    return job_of(jobs, _options_of(sides), ", ".join(f"--{name}-nranks" for name in sides))


def check_options(core: Path, sides: Mapping[str, Side], core_options: Sequence[str]) -> None:
    """Raise UserMistake for options that the core refuses, since only rank 0 would print the core's message."""
    modes = {name: _mode_of([*core_options, *side.options], table_of(core)) for name, side in sides.items()}
    if len({mode.partition(":")[0] for mode in modes.values()}) > 1:
        said = " and ".join(f"{name} --mode {mode}" for name, mode in modes.items())
        raise UserMistake(f"--servers-args, --clients-args: {said}; both sides must use the same mode")
    for name, side in sides.items():
        if side.options and (said := _refusal(core, ["--mode", modes[name], *side.options])):
            raise UserMistake(f"--{name}-args: {said}")


def _mode_of(core_options: Sequence[str], table: CoreTable) -> str:
    return table.line(core_options).values.get("--mode", table.options[PAIRS]["--mode"].default)


def _with_number(options: Namespace, core_options: list[str], table: CoreTable) -> list[str]:
    """Pass a plain number of servers on to the core: that many first ranks of --np or --hosts."""
    text = options.servers or ""
    if not (text.isascii() and text.isdecimal()):
        return core_options
    if CLIENTS in _named(options):
        raise UserMistake(f"--servers {text}: is a number; with --clients, name hosts, as in --servers 'server[2-3]'")
    options.servers = None
    pattern = [] if table.line(core_options).pattern else ["client-server"]
    return [*pattern, *core_options, "--servers", text]


def _named(options: Namespace) -> list[str]:
    """The sides that have hosts."""
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
        raise UserMistake(f"--{name} and --{name}-file exclude each other; --{name} 'n1,@FILE' takes both")
    return hosts_in_file(file, f"--{name}-file")


def _refusal(core: Path, words: Sequence[str]) -> str:
    """The core's objection to options, in one line; empty if it accepts them. Raises CoreError."""
    try:
        done = subprocess.run(
            [core, *words, "--list"], capture_output=True, text=True, timeout=ANSWER_LIMIT, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise CoreError(f"{core} --list did not answer within {ANSWER_LIMIT:.0f} s") from None
    return done.stderr.strip().partition(": ")[2] if done.returncode == UserMistake.exit_code else ""
