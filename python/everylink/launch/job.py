"""What is to run where: the ranks of each host, with an environment and options of the core of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from everylink.errors import UserMistake

MOST_RANKS = 1 << 24  # that the core takes


@dataclass(frozen=True)
class HostRanks:
    """The ranks `first` to `first + count - 1`, all on one host."""

    host: str
    first: int
    count: int
    environment: Mapping[str, str]
    options: Sequence[str]


@dataclass(frozen=True)
class Job:
    """Ranks are numbered host by host."""

    hosts: Sequence[HostRanks]

    @property
    def size(self) -> int:
        return sum(one.count for one in self.hosts)


def job_on(hosts: Sequence[str], ranks: int, environment: Mapping[str, str]) -> Job:
    """So many ranks on each host, all alike. Raises UserMistake."""
    total = len(hosts) * ranks
    if not 2 <= total <= MOST_RANKS:
        raise UserMistake(f"--hosts, --nranks: make {total} ranks; 2 to {MOST_RANKS} work")
    return Job([HostRanks(host, i * ranks, ranks, environment, []) for i, host in enumerate(hosts)])


def environment_of(settings: Sequence[str], ours: Mapping[str, str]) -> dict[str, str]:
    """Of --env KEY=VALUE, or --env KEY: as it is here. Raises UserMistake."""
    return dict(_variables(settings, ours))


def _variables(settings: Sequence[str], ours: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not name.isidentifier() or not name.isascii():
            raise UserMistake(f"--env {setting}: '{name}' is no name of a variable; NAME=VALUE works")
        if not equals and name not in ours:
            raise UserMistake(f"--env {name}: is not set here; {name}=VALUE sets it")
        value = value if equals else ours[name]
        if any(character in value for character in "\n\r\0"):
            raise UserMistake(f"--env {name}: its value has more than one line")
        yield name, value
