"""What is to run where: the ranks of each host, with an environment and options of the core of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from everylink.errors import UserMistake

MOST_RANKS = 1 << 24  # that the core takes


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
