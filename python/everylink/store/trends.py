"""What was measured night after night, as arrays: of hosts, of one link, of all together."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.deviation.scale import FAILED, NOT_MEASURED, factors
from everylink.store.folder import read_links
from everylink.store.index import Night
from everylink.store.summary import Damaged

Values = NDArray[np.float64]
FAILURE = np.inf  # in place of the log of a time


@dataclass(frozen=True, eq=False)
class Trends:
    """Logs of times / the median of each night, [sizes, hosts, nights], NaN without a time, FAILURE where all links of
    a host failed; `levels`: logs of the medians in seconds, [sizes, nights]; `there`: [hosts, nights], measured."""

    nights: tuple[Night, ...]
    sizes: tuple[int, ...]
    hosts: tuple[str, ...]
    send: Values
    receive: Values
    levels: Values
    there: NDArray[np.bool_]

    @cached_property
    def worse(self) -> Values:
        """The larger of both directions."""
        return np.fmax(self.send, self.receive)

    def of(self, hosts: Sequence[str]) -> "Trends":
        """Those of some of the hosts."""
        rows = [self.hosts.index(host) for host in hosts]
        send, receive = self.send[:, rows], self.receive[:, rows]
        return replace(self, hosts=tuple(hosts), send=send, receive=receive, there=self.there[rows])

    def day(self, night: int) -> str:
        """The date of a night, without the year if it is that of the newest."""
        date, newest = (self.nights[which].summary.date for which in (night, -1))
        return date[5:] if date[:4] == newest[:4] else date


def comparable(nights: Sequence[Night]) -> list[Night]:
    """The nights with the settings of the newest: times of another transport would look like a change."""
    return [night for night in nights if night.summary.settings == nights[-1].summary.settings]


def trends_of(nights: Sequence[Night], only: Sequence[str] = ()) -> Trends:
    """Of these nights, of all hosts or some."""
    sizes = tuple(sorted({size for night in nights for size in night.summary.sizes}))
    lists = dict.fromkeys(night.summary.hosts for night in reversed(nights))
    every = dict.fromkeys(host for names in lists for host in names)
    hosts = tuple(host for host in every if not only or host in only)
    number = {host: place for place, host in enumerate(hosts)}
    shape = (len(sizes), len(hosts), len(nights))
    send, receive = np.full(shape, np.nan), np.full(shape, np.nan)
    levels, there = np.full((len(sizes), len(nights)), np.nan), np.zeros(shape[1:], bool)
    places: dict[tuple[str, ...], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for at, night in enumerate(nights):
        names = night.summary.hosts
        if names not in places:
            both = [(place, number[name]) for place, name in enumerate(names) if name in number]
            theirs, ours = np.array(both, np.intp).reshape(-1, 2).T
            places[names] = theirs, ours
        theirs, ours = places[names]
        there[ours, at] = True
        numbers = night.numbers
        for own, size in enumerate(night.summary.sizes):
            which = sizes.index(size)
            levels[which, at] = night.summary.references[own][0]
            lost = (numbers.timed[own] == 0) & (numbers.failed[own] > 0)
            for values, ends in ((send, numbers.send), (receive, numbers.receive)):
                values[which, ours, at] = np.where(lost, FAILURE, ends[own])[theirs]
    return Trends(tuple(nights), sizes, hosts, send, receive, levels, there)


def of_link(nights: Sequence[Night], sizes: Sequence[int], ends: tuple[str, str]) -> Values:
    """Logs of the times of the links from one host to another / the median of each night, [sizes, nights]; NaN without
    a time, and where single links were thinned out or are damaged; FAILURE where they failed."""
    values = np.full((len(sizes), len(nights)), np.nan)
    for at, night in enumerate(nights):
        names = night.summary.hosts
        if not set(ends) <= set(names):
            continue
        with suppress(Damaged):
            _add_night(values[:, at], night, sizes, names.index(ends[0]), names.index(ends[1]))
    return values


def _add_night(values: Values, night: Night, sizes: Sequence[int], frm: int, to: int) -> None:
    links = read_links(night.folder, len(night.summary.sizes), len(night.summary.hosts))
    if links is None:
        return
    columns = np.flatnonzero(links.host == to)
    for own, size in enumerate(night.summary.sizes):
        if size not in sizes:
            continue
        rows = [links.codes(own, slice(rank, rank + 1))[0, columns] for rank in np.flatnonzero(links.host == frm)]
        codes = np.concatenate(rows)
        timed = np.log(factors(codes[codes > FAILED]))
        if len(timed):
            values[sizes.index(size)] = float(np.median(timed))
        elif (codes == FAILED).any() and not (codes == NOT_MEASURED).all():
            values[sizes.index(size)] = FAILURE
