"""Names of the subjects of verdicts."""

from collections.abc import Container, Iterable

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import expanded, folded
from everylink.judge.findings import Found
from everylink.judge.verdict import Side, Verdict
from everylink.links.hosts import host_names
from everylink.model.groups import Grouping
from everylink.model.results import Results


class Names:
    """Names of subjects: hosts, or ranks if all are on one host; groups by their label or their hosts."""

    def __init__(self, results: Results, grouping: Grouping | None, groups: NDArray[np.int64]) -> None:
        ranks = results.ranks
        self.hosts = host_names(ranks)
        self.rank = ranks.name
        self.units = self.hosts if len(self.hosts) > 1 else [ranks.name(rank) for rank in range(len(ranks))]
        self.unit_kind = "host" if len(self.hosts) > 1 else "rank"
        self.one_each = len(self.hosts) == len(ranks)
        self.grouping = grouping
        self.groups = groups
        self._known = frozenset(self.units)
        self._labels = {} if grouping is None else {name: number for number, name in enumerate(grouping.names)}
        self.host_of = ranks.host_index.astype(np.int64)
        self._devices, self._host_of = ranks.device, ranks.host_index
        self._first_rank = {int(host): rank for rank, host in reversed(list(enumerate(ranks.host_index)))}

    def group(self, group: int) -> tuple[str, ...]:
        if self.grouping is not None and group < len(self.grouping.names):
            return (self.grouping.names[group],)
        return tuple(self.units[host] for host in np.flatnonzero(self.groups == group))

    def units_of(self, subject: Iterable[str]) -> set[str]:
        """The hosts (ranks, in a run on one host) of a verdict's subject: of groups, hosts and ranks."""
        units = set()
        for name in subject:
            if name in self._labels:
                units |= {self.units[host] for host in np.flatnonzero(self.groups == self._labels[name])}
            else:
                units.add(name if name in self._known else name.rpartition(":")[0])
        return units

    def ends_of(self, trunk: Verdict) -> list[set[str]]:
        """The hosts at each end of a trunk: those of a group, or of a node set."""
        number = {self.group_in_short(group): group for group in np.unique(self.groups).tolist()}
        return [
            {self.units[host] for host in np.flatnonzero(self.groups == number[name])} if name in number
            else _hosts_of_set(name) for name in trunk.subject
        ]  # fmt: skip

    def group_in_short(self, group: int) -> str:
        """The group's label, or its hosts as a node set."""
        names = self.group(group)
        return names[0] if len(names) == 1 else folded(names)

    def in_short(self, units: Iterable[int]) -> str:
        """Hosts as a node set."""
        return folded([self.units[unit] for unit in units])

    def on_one_device(self, rank: int, slow: Container[int]) -> str:
        """Names the device if exactly the ranks of this host that use it are slow; otherwise empty."""
        here = np.flatnonzero(self._host_of == self._host_of[rank]).tolist()
        device = self._devices[rank]
        others = sorted({self._devices[other] for other in here} - {device})
        if not device or not others or any((other in slow) != (self._devices[other] == device) for other in here):
            return ""
        return f"; of its host just what is on {device} is slow, and nothing on {', '.join(others)}"

    def of(self, found: Found) -> tuple[str, tuple[str, ...]]:
        """The kind and the subject of a verdict."""
        match found.kind:
            case "group":
                return "group", self.group(found.subject[0])
            case "host":
                return self.unit_kind, (self.units[found.subject[0]],)
            case "rank":
                return "rank", (self.rank(found.subject[0]),)
        if len(self.hosts) == 1:
            return ("link" if found.side == Side.SEND else "pair"), tuple(self.units[i] for i in found.subject)
        if self.one_each:
            names = tuple(self.rank(self._first_rank[i]) for i in found.subject)
            return ("link" if found.side == Side.SEND else "pair"), names
        return "pair", tuple(self.hosts[i] for i in found.subject)


def _hosts_of_set(name: str) -> set[str]:
    """Empty where a host has a name that no node set can hold."""
    try:
        return set(expanded(name))
    except ValueError:
        return set()
