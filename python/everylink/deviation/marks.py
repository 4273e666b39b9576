"""Where the ends of a verdict are in a drawn matrix."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from everylink.deviation.blocks import Blocks
from everylink.host_lists import expanded
from everylink.io.topology import grouping_of
from everylink.judge.verdict import ON, JudgedRun
from everylink.links.hosts import host_names
from everylink.model.results import Ranks

Span = tuple[int, int]  # places from, up to but excluding


class Places:
    """Finds the places of hosts, ranks, node sets and `groups` (hosts by the name of the group)."""

    def __init__(self, ranks: Ranks, blocks: Blocks, groups: Mapping[str, Sequence[str]]) -> None:
        place = blocks.places
        self._known: dict[str, list[int]] = {}
        names = host_names(ranks)
        for rank, host in enumerate(ranks.host_index.tolist()):
            self._known.setdefault(names[host], []).append(int(place[rank]))
        self._known |= {name: [int(place[rank])] for name, rank in ranks.numbers.items()}
        self._groups = groups

    def of(self, *names: str) -> list[Span]:
        """One span for each stretch of neighbouring places; none where nothing has these names."""
        hosts = [host for name in names for host in self._hosts(name)]
        places = np.unique([place for host in hosts for place in self._known.get(host, ())]).astype(np.int64)
        parts = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
        return [(int(part[0]), int(part[-1]) + 1) for part in parts]

    def ends(self, kind: str, subject: Iterable[str]) -> list[list[Span]]:
        """Of a pair, link or trunk the spans of each end, of what has one end those of all that it names."""
        names = list(subject)
        if kind in ("pair", "link", "trunk") and len(names) == 2:
            return [self.of(name) for name in names]
        return [self.of(*names)]

    def _hosts(self, name: str) -> Sequence[str]:
        return [name] if name in self._known else self._groups.get(name) or _in_set(name)


def _in_set(name: str) -> list[str]:
    """The hosts of a node set, also of one that is followed by a device."""
    try:
        return expanded(name.partition(ON)[0])
    except ValueError:
        return []


def groups_of(judged: JudgedRun) -> Mapping[str, Sequence[str]]:
    """The groups that were given, or that the run recorded: their hosts by name."""
    grouping = grouping_of(judged.results, judged.topology)
    if grouping is None:
        return {}
    hosts = host_names(judged.results.ranks)
    return {
        name: [hosts[host] for host in np.flatnonzero(grouping.group_of == number)]
        for number, name in enumerate(grouping.names)
    }
