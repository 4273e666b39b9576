"""A job: hosts, and the ranks of each with their environment and options."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path

from ClusterShell.NodeSet import NodeSet
from ClusterShell.NodeUtils import GroupResolverError, GroupSourceError

from everylink.errors import UserMistake
from everylink.files import text_of
from everylink.host_lists import MOST_HOSTS, NOT_A_SET, expanded, folded, folded_by_reason, how_many, node_set
from everylink.units import plural

MOST_RANKS = 1 << 24  # limit of the core
PARTS = re.compile(r"((?:[^,!&^\[\]]|\[[^\[\]]*\])+)|([,!&^])")
NAME = re.compile(r"\w[\w.\-]*")  # never an option of ssh
JOIN: dict[str, Callable[[NodeSet, NodeSet], None]] = {
    ",": NodeSet.update, "!": NodeSet.difference_update, "&": NodeSet.intersection_update,
    "^": NodeSet.symmetric_difference_update,
}  # fmt: skip
LARGEST_FILE = 64 * 1024 * 1024


@dataclass(frozen=True)
class HostRanks:
    """The ranks `first` to `first + count - 1` on one host. `arguments` of mpiexec apply only to these ranks."""

    host: str
    first: int
    count: int
    environment: Mapping[str, str]
    options: Sequence[str]
    arguments: Sequence[str] = ()


@dataclass(frozen=True)
class Job:
    """Ranks are numbered host by host. If `in_order`, launchers must keep the order of the hosts.

    `named_by`: the options of the command line that name the hosts.
    """

    hosts: Sequence[HostRanks]
    named_by: str = "--hosts"
    in_order: bool = False

    @property
    def size(self) -> int:
        return sum(one.count for one in self.hosts)

    @property
    def parts(self) -> list[list[HostRanks]]:
        """Consecutive hosts with equal environment, options and arguments."""
        groups = groupby(self.hosts, key=lambda one: (one.environment, list(one.options), list(one.arguments)))
        return [list(group) for _, group in groups]

    @property
    def environment(self) -> dict[str, str]:
        """The variables that all ranks share."""
        (first, *others) = [part[0].environment for part in self.parts]
        return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}

    def own_environment(self, part: Sequence[HostRanks]) -> dict[str, str]:
        """The variables of this part that not all ranks share."""
        common = self.environment
        return {name: value for name, value in part[0].environment.items() if name not in common}

    def with_options(self, core_options: Sequence[str]) -> "Job":
        """The job with these options for all ranks, before their own: of two equal options, the core takes the last."""
        return replace(self, hosts=[replace(one, options=[*core_options, *one.options]) for one in self.hosts])


class UnusableHosts(UserMistake):
    """Hosts of a job on which no rank can start: `reasons` by host. The message folds hosts with the same reason."""

    def __init__(self, reasons: Mapping[str, str], job: Job) -> None:
        self.reasons = {host: _without_name(reason, host) for host, reason in reasons.items()}
        said = "; ".join(f"{hosts}: {reason}" for hosts, reason in folded_by_reason(self.reasons))
        super().__init__(f"{job.named_by}: nothing was started; {said}")


def warn_of_one_machine(machines: Mapping[str, str]) -> None:
    """Warn on standard error, once, of hosts that are the same machine; `machines`: what identifies it, by host."""
    names = defaultdict[str, list[str]](list)
    for host, machine in machines.items():
        names[machine].append(host)
    for machine, hosts in names.items():
        if machine and len(hosts) > 1:
            _warn(f"{' and '.join(hosts) if len(hosts) == 2 else folded(hosts)} are the same machine")


@cache
def _warn(text: str) -> None:
    print(f"everylink: {text}", file=sys.stderr, flush=True)


def _without_name(reason: str, host: str) -> str:
    return reason.replace(f" {host} ", " ").replace(f" {host}:", ":").removeprefix(f"{host}: ")


@dataclass(frozen=True)
class Side:
    """Hosts with equal settings; `ranks` on each."""

    hosts: Sequence[str]
    ranks: int
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Sequence[str] = ()
    arguments: Sequence[str] = ()


def job_of(sides: Sequence[Side], named_by: str = "--hosts", counted_by: str = "--nranks") -> Job:
    """The job with the ranks of all sides in order. Raises UserMistake if the number of ranks is out of range."""
    total = sum(len(side.hosts) * side.ranks for side in sides)
    if not 2 <= total <= MOST_RANKS:
        raise UserMistake(f"{named_by}, {counted_by}: {plural(total, 'rank')} in total; use 2 to {MOST_RANKS}")
    hosts: list[HostRanks] = []
    first = 0
    for side in sides:
        for host in side.hosts:
            hosts.append(HostRanks(host, first, side.ranks, side.environment, side.options, side.arguments))
            first += side.ranks
    return Job(hosts, named_by, in_order=len(sides) > 1)


def environment_of(settings: Sequence[str], ours: Mapping[str, str], option: str = "--env") -> dict[str, str]:
    """The variables of --env KEY=VALUE, or --env KEY, which takes the value from `ours`. Raises UserMistake."""
    return dict(_variables(settings, ours, option))


def _variables(settings: Sequence[str], ours: Mapping[str, str], option: str) -> Iterator[tuple[str, str]]:
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name.isidentifier() or not name.isascii():
            raise UserMistake(f"{option} {setting}: '{name}' is not a variable name; use NAME=VALUE")
        if not equals and name not in ours:
            raise UserMistake(f"{option} {name}: is not set here; use {name}=VALUE")
        value = value if equals else ours[name]
        if any(character in value for character in "\n\r\0"):
            raise UserMistake(f"{option} {name}: the value has more than one line")
        yield name, value


def hosts_of(text: str, option: str, groups: Mapping[str, str] | None = None) -> list[str]:
    """The hosts of a node set, each once, in ClusterShell's order (n2 before n10). Raises UserMistake.

    `groups`: node sets by name; a name that is not among them is that of a file, or of a group of ClusterShell.
    """
    found = NodeSet()
    for operator, part in _parts(text, option):
        JOIN[operator](found, _set_of(part, option, groups or {}))
        if len(found) > MOST_HOSTS:
            raise UserMistake(f"{option} {text}: has more than {MOST_HOSTS} hosts")
    return _names_in(found, text, option)


def hosts_in_file(path: Path, option: str) -> list[str]:
    """The hosts in a file, each once, in ClusterShell's order. Raises UserMistake."""
    return _names_in(NodeSet.fromlist(_hosts_in(path, f"{option} {path}")), str(path), option)


def _names_in(found: NodeSet, text: str, option: str) -> list[str]:
    hosts = [str(host) for host in found]
    if not hosts:
        raise UserMistake(f"{option} '{text}': names no host; use a node set such as 'n[8-11]'")
    for host in hosts:
        if not NAME.fullmatch(host):
            raise UserMistake(f"{option} {text}: '{host}' is not a host name")
    return hosts


def _parts(text: str, option: str) -> Iterator[tuple[str, str]]:
    """Each part with the operator before it. As in ClusterShell, operators apply from left to right."""
    pieces = [match[0].strip() for match in PARTS.finditer(text)]
    if "".join(pieces) != re.sub(r"\s*([,!&^])\s*", r"\1", text.strip()):
        raise UserMistake(f"{option} '{text}': unbalanced brackets; write a node set as 'n[8-11]'")
    operator = ","
    for piece in pieces:
        if piece in JOIN:
            operator = piece
        elif piece:
            yield operator, piece
            operator = ","


def _set_of(part: str, option: str, groups: Mapping[str, str]) -> NodeSet:
    if part.startswith("@") and part[1:] in groups:
        others = {name: text for name, text in groups.items() if name != part[1:]}
        return NodeSet.fromlist(hosts_of(groups[part[1:]], f"{option} {part}:", others))
    if part.startswith("@") and _is_file(part[1:], option):
        return NodeSet.fromlist(_hosts_in(Path(part[1:]), f"{option} {part}"))
    try:
        too_many = how_many(part) > MOST_HOSTS  # ClusterShell would hold a billion
    except ValueError:
        raise UserMistake(f"{option} {part}: is not a node set such as n[8-11]") from None
    if too_many:
        raise UserMistake(f"{option} {part}: has more than {MOST_HOSTS} hosts")
    try:
        found = node_set(part)
    except (*NOT_A_SET, GroupResolverError, GroupSourceError) as error:
        raise UserMistake(f"{option} {part}: is not a node set such as n[8-11]: {error}") from None
    if part.startswith("@") and not found:
        raise UserMistake(
            f"{option} {part}: {part[1:]} is neither a file nor a group of ClusterShell (cluset --list shows groups)"
        )
    return found


def _is_file(name: str, option: str) -> bool:
    if not Path(name).exists():
        if "/" in name:
            raise UserMistake(f"{option} @{name}: there is no such file")
        return False
    try:
        is_group = "/" not in name and bool(NodeSet(f"@{name}"))
    except (*NOT_A_SET, GroupResolverError, GroupSourceError):
        is_group = False
    if is_group:
        raise UserMistake(
            f"{option} @{name}: is both a group and a file; use @./{name} for the file, or another folder for the group"
        )
    return True


def _hosts_in(path: Path, given: str) -> list[str]:
    """Names and lists, separated by blanks or commas, on any number of lines; # begins a comment.

    `given` is the option and its value, for messages.
    """
    hosts = []
    text = text_of(path, LARGEST_FILE, f"{given} must list hosts, as n[8-11] or one per line")
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            if not (word := word.strip(",")):
                continue
            try:
                hosts += expanded(word)
            except ValueError as error:
                raise UserMistake(f"{given}, line {number}: '{word[:60]}' {error}") from None
    return hosts
