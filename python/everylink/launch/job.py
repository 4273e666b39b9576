"""What is to run where: the hosts that are named, and the ranks of each, with environment and options."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from ClusterShell.NodeSet import NodeSet, NodeSetException
from ClusterShell.NodeUtils import GroupResolverError, GroupSourceError

from everylink.errors import UserMistake
from everylink.files import text_of
from everylink.host_lists import MOST_HOSTS, expanded, how_many

MOST_RANKS = 1 << 24  # that the core takes
PARTS = re.compile(r"((?:[^,!&^\[\]]|\[[^\[\]]*\])+)|([,!&^])")
NAME = re.compile(r"\w[\w.\-]*")  # nothing that ssh would take for an option
JOIN: dict[str, Callable[[NodeSet, NodeSet], None]] = {
    ",": NodeSet.update, "!": NodeSet.difference_update, "&": NodeSet.intersection_update,
    "^": NodeSet.symmetric_difference_update,
}  # fmt: skip
LARGEST_FILE = 64 * 1024 * 1024


@dataclass(frozen=True)
class HostRanks:
    """The ranks `first` to `first + count - 1`, all on one host; `arguments` are mpiexec's, for these ranks alone."""

    host: str
    first: int
    count: int
    environment: Mapping[str, str]
    options: Sequence[str]
    arguments: Sequence[str] = ()


@dataclass(frozen=True)
class Job:
    """Ranks are numbered host by host, `in_order` whatever a launcher would make of the hosts.

    `named_by`: the options of the command line that name them.
    """

    hosts: Sequence[HostRanks]
    named_by: str = "--hosts"
    in_order: bool = False

    @property
    def size(self) -> int:
        return sum(one.count for one in self.hosts)

    @property
    def alike(self) -> list[list[HostRanks]]:
        """Hosts one after the other, in parts that have all but the number of ranks in common."""
        groups = groupby(self.hosts, key=lambda one: (one.environment, list(one.options), list(one.arguments)))
        return [list(group) for _, group in groups]

    @property
    def environment(self) -> dict[str, str]:
        """What all ranks have in common."""
        (first, *others) = [part[0].environment for part in self.alike]
        return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}

    def own_environment(self, part: Sequence[HostRanks]) -> dict[str, str]:
        """What these have beside it."""
        common = self.environment
        return {name: value for name, value in part[0].environment.items() if name not in common}

    def with_options(self, core_options: Sequence[str]) -> "Job":
        """The same with options of the core for all ranks; those of their own stay last, for the later word counts."""
        return replace(self, hosts=[replace(one, options=[*core_options, *one.options]) for one in self.hosts])


@dataclass(frozen=True)
class Side:
    """Hosts that are all alike."""

    hosts: Sequence[str]
    ranks: int
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Sequence[str] = ()
    arguments: Sequence[str] = ()


def job_of(sides: Sequence[Side], named_by: str = "--hosts", counted_by: str = "--nranks") -> Job:
    """The ranks of the first side, then those of the next one. Raises UserMistake."""
    total = sum(len(side.hosts) * side.ranks for side in sides)
    if not 2 <= total <= MOST_RANKS:
        raise UserMistake(f"{named_by}, {counted_by}: make {total} ranks; 2 to {MOST_RANKS} work")
    hosts: list[HostRanks] = []
    first = 0
    for side in sides:
        for host in side.hosts:
            hosts.append(HostRanks(host, first, side.ranks, side.environment, side.options, side.arguments))
            first += side.ranks
    return Job(hosts, named_by, in_order=len(sides) > 1)


def environment_of(settings: Sequence[str], ours: Mapping[str, str], option: str = "--env") -> dict[str, str]:
    """Of --env KEY=VALUE, or --env KEY: as it is here. Raises UserMistake."""
    return dict(_variables(settings, ours, option))


def _variables(settings: Sequence[str], ours: Mapping[str, str], option: str) -> Iterator[tuple[str, str]]:
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name.isidentifier() or not name.isascii():
            raise UserMistake(f"{option} {setting}: '{name}' is no name of a variable; NAME=VALUE works")
        if not equals and name not in ours:
            raise UserMistake(f"{option} {name}: is not set here; {name}=VALUE sets it")
        value = value if equals else ours[name]
        if any(character in value for character in "\n\r\0"):
            raise UserMistake(f"{option} {name}: its value has more than one line")
        yield name, value


def hosts_of(text: str, option: str) -> list[str]:
    """The hosts of a node set, each once, in ClusterShell's order (n2 before n10). Raises UserMistake."""
    found = NodeSet()
    for operator, part in _parts(text, option):
        JOIN[operator](found, _set_of(part, option))
        if len(found) > MOST_HOSTS:
            raise UserMistake(f"{option} {text}: has more than {MOST_HOSTS} hosts")
    return _names_in(found, text, option)


def hosts_in_file(path: Path, option: str) -> list[str]:
    """The hosts of a file, in the same order. Raises UserMistake."""
    return _names_in(NodeSet.fromlist(_hosts_in(path, f"{option} {path}")), str(path), option)


def _names_in(found: NodeSet, text: str, option: str) -> list[str]:
    hosts = [str(host) for host in found]
    if not hosts:
        raise UserMistake(f"{option} '{text}': names no host; 'n[8-11]' does")
    for host in hosts:
        if not NAME.fullmatch(host):
            raise UserMistake(f"{option} {text}: '{host}' is no name of a host")
    return hosts


def _parts(text: str, option: str) -> Iterator[tuple[str, str]]:
    """Each part behind the operator before it; as in ClusterShell, operators are applied from left to right."""
    pieces = [match[0].strip() for match in PARTS.finditer(text)]
    if "".join(pieces) != re.sub(r"\s*([,!&^])\s*", r"\1", text.strip()):
        raise UserMistake(f"{option} '{text}': a bracket is open; 'n[8-11]' is closed")
    operator = ","
    for piece in pieces:
        if piece in JOIN:
            operator = piece
        elif piece:
            yield operator, piece
            operator = ","


def _set_of(part: str, option: str) -> NodeSet:
    if part.startswith("@") and _is_file(part[1:], option):
        return NodeSet.fromlist(_hosts_in(Path(part[1:]), f"{option} {part}"))
    try:
        too_many = how_many(part) > MOST_HOSTS
    except ValueError:
        too_many = False  # ClusterShell says what is wrong with it
    if too_many:
        raise UserMistake(f"{option} {part}: has more than {MOST_HOSTS} hosts")
    try:
        found = NodeSet(part)
    except (NodeSetException, GroupResolverError, GroupSourceError, ValueError) as error:
        raise UserMistake(f"{option} {part}: is no node set such as n[8-11]: {error}") from None
    if part.startswith("@") and not found:
        raise UserMistake(
            f"{option} {part}: there is neither a file {part[1:]} nor such a group of ClusterShell's (cluset --list "
            "shows them)"
        )
    return found


def _is_file(name: str, option: str) -> bool:
    if not Path(name).exists():
        if "/" in name:
            raise UserMistake(f"{option} @{name}: there is no such file")
        return False
    try:
        is_group = "/" not in name and bool(NodeSet(f"@{name}"))
    except (NodeSetException, GroupResolverError, GroupSourceError, ValueError):
        is_group = False
    if is_group:
        raise UserMistake(f"{option} @{name}: is a group and a file; @./{name} is the file, or go to another folder")
    return True


def _hosts_in(path: Path, said: str) -> list[str]:
    """Names and lists, with blanks or commas between them, on any number of lines; # begins a comment."""
    hosts = []
    text = text_of(path, LARGEST_FILE, f"{said} wants names of hosts, n[8-11] or one a line")
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].split():
            if not (word := word.strip(",")):
                continue
            try:
                hosts += expanded(word)
            except ValueError as error:
                raise UserMistake(f"{said}, line {number}: '{word[:60]}' {error}") from None
    return hosts
