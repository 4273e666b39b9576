"""What became of each host and link over many nights: new, known, flapping, drifting, cured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import exp

import numpy as np
from numpy.typing import NDArray

from everylink.host_lists import folded
from everylink.inventory.meanings import HOST
from everylink.inventory.versus import Changed
from everylink.store.drift import LEAST, Event, events_of
from everylink.store.index import Index, Night
from everylink.store.summary import OF_TWO, Seen
from everylink.store.trends import Trends, comparable, of_link, trends_of
from everylink.units import plural, size_text

Values = NDArray[np.float64]
Acknowledged = Callable[[str, Sequence[str], str], str]  # kind, hosts, time -> what is acknowledged of them, or empty
FLAPS = 3  # times that a finding came
STILL_SLOW = 0.5  # of what a host takes in nights in which it is found
NEAR = 1  # nights between a change and what goes with it
FAST = 0.001  # of a slow change each night: slower ones are told by the month
MOST_PAIRS = 20  # whose single links are read


class State(StrEnum):
    """What a story says, in the order in which they are told."""

    NEW = "new"
    KNOWN = "known"
    DRIFTING = "drifting"
    FLAPPING = "flapping"
    CURED = "cured"
    ONCE = "once"
    QUIET = "acknowledged"


@dataclass(frozen=True)
class Episode:
    """Nights, from and to, in which something was found whenever it was measured."""

    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Story:
    """`subject`: `host n17`, `hosts n[4-7]`, `pair n3 n9`; `sentences` say it. `curve`: times the usual time at
    messages of `bytes`, [nights], infinite where it failed, NaN where it was not measured; None if it is not known."""

    state: State
    subject: str
    hosts: tuple[str, ...]
    sentences: tuple[str, ...]
    episodes: tuple[Episode, ...]
    bytes: int
    curve: Values | None
    since: str
    key: str

    @property
    def kind(self) -> str:
        """host, pair, link, ..."""
        return self.key.partition(" ")[0]

    @property
    def text(self) -> str:
        return f"{self.subject}: {'; '.join(self.sentences)}"


@dataclass(frozen=True, eq=False)
class History:
    """`left_out`: nights with other settings than the newest; `changes`: of hosts, with the night; `levels`: events of
    all hosts together, by message size."""

    trends: Trends
    stories: tuple[Story, ...]
    levels: tuple[str, ...]
    changes: tuple[tuple[int, Changed], ...]
    left_out: int

    @property
    def steady(self) -> int:
        """Hosts of which there is nothing to tell."""
        told = {host for story in self.stories for host in story.hosts}
        return sum(host not in told for host in self.trends.hosts)


def history_of(index: Index, most: int, acknowledged: Acknowledged = lambda kind, hosts, time: "") -> History:
    """The history of the newest `most` nights."""
    newest = index.nights(most)
    nights = comparable(newest) if newest else []
    trends = trends_of(nights)
    changes = tuple((at, one) for at, night in enumerate(nights) for one in _folded(index.changes(night)))
    found = index.findings(nights)
    by_host, sizes = _events_by_host(trends)
    told = _Told(trends, changes, found, acknowledged)
    stories = [*told.of_hosts(by_host, sizes), *told.of_others()]
    stories = [_quiet(one, nights, acknowledged) for one in stories]
    order = list(State)
    stories.sort(key=lambda one: (order.index(one.state), one.subject))
    levels = tuple(_levels(trends))
    return History(trends, tuple(stories), levels, changes, len(newest) - len(nights))


def _quiet(story: Story, nights: Sequence[Night], acknowledged: Acknowledged) -> Story:
    said = acknowledged(story.kind, story.hosts, nights[-1].summary.time) if story.hosts else ""
    if not said or story.state in (State.CURED, State.ONCE):
        return story
    return replace(story, state=State.QUIET, sentences=(*story.sentences, said))


def _folded(changes: Sequence[Changed]) -> list[Changed]:
    """Equal changes of hosts that were last measured in different nights as one."""
    hosts: dict[tuple[object, ...], list[str]] = {}
    for one in changes:
        hosts.setdefault((one.parts, one.name, one.title, one.before, one.after), []).extend(one.hosts)
    return [Changed(tuple(those), *key) for key, those in hosts.items()]  # type: ignore[arg-type]


def _events_by_host(trends: Trends) -> tuple[list[list[Event]], list[int]]:
    """The changes of each host at the size at which they are largest, and the number of that size."""
    worse = np.where(np.isfinite(trends.worse), trends.worse, np.nan)
    sizes, hosts, nights = worse.shape
    every = events_of(worse.reshape(-1, nights))
    found, chosen = [], []
    for host in range(hosts):
        of_sizes = [every[size * hosts + host] for size in range(sizes)]
        largest = [max((abs(event.change) for event in events), default=0.0) for events in of_sizes]
        best = int(np.argmax(largest)) if sizes else 0
        chosen.append(best if sizes and largest[best] else sizes - 1)
        found.append(of_sizes[best] if sizes else [])
    return found, chosen


def _levels(trends: Trends) -> list[str]:
    """What changed for all hosts together."""
    said = []
    for size, events in zip(trends.sizes, events_of(trends.levels), strict=True):
        said += [f"all hosts at {size_text(size)}: {event_text(event, trends)}" for event in events]
    return said


def event_text(event: Event, trends: Trends) -> str:
    """`1.07x the time since 11-20`, or that it degrades slowly."""
    factor, day = exp(event.change), trends.day(event.begin)
    if event.slow:
        often, rate = ("night", event.rate) if abs(event.rate) >= FAST else ("month", 30 * event.rate)
        nights = len(trends.nights)
        until = "now" if event.end >= nights - 2 - nights // 50 else f"until {trends.day(event.end)}"
        verb, percent = "degrades" if factor > 1 else "improves", 100 * abs(exp(rate) - 1)
        return f"{verb} slowly since about {day}: {percent:.1f} % a {often}, {until} {factor:.2f}x the time"
    return f"{factor:.2f}x the time since {day}"


@dataclass(eq=False)
class _Track:
    """A finding over the nights. `seen`: by night; `measured`: nights in which it could have been found."""

    key: str
    seen: dict[int, Seen] = field(default_factory=dict)
    measured: list[int] = field(default_factory=list)

    @property
    def last(self) -> Seen:
        return self.seen[max(self.seen)]

    def episodes(self, also: frozenset[int] = frozenset()) -> tuple[Episode, ...]:
        """`also`: nights that count as found."""
        nights, episodes = sorted({*self.measured, *self.seen}), list[Episode]()
        before = False
        for night in nights:
            now = night in self.seen or night in also
            if now and before:
                episodes[-1] = Episode(episodes[-1].begin, night)
            elif now:
                episodes.append(Episode(night, night))
            before = now
        return tuple(episodes)


class _Told:
    """Makes stories of findings, changes of times, and changes of hosts."""

    def __init__(
        self,
        trends: Trends,
        changes: Sequence[tuple[int, Changed]],
        found: Sequence[Sequence[Seen]],
        acknowledged: Acknowledged,
    ) -> None:
        self.trends, self.changes, self.acknowledged = trends, changes, acknowledged
        self.worse = trends.worse
        self.number = {host: place for place, host in enumerate(trends.hosts)}
        self.tracks: dict[str, _Track] = {}
        self.told_with_hosts: set[str] = set()  # keys of findings of several hosts together
        for night, seen in enumerate(found):
            for one in seen:
                self.tracks.setdefault(one.key, _Track(one.key)).seen[night] = one
        for track in self.tracks.values():
            rows = [self.number[host] for host in track.last.hosts if host in self.number]
            if len(rows) == len(track.last.hosts):
                track.measured = np.flatnonzero(trends.there[rows].all(axis=0)).tolist()

    @property
    def newest(self) -> int:
        return len(self.trends.nights) - 1

    # hosts

    def of_hosts(self, events: Sequence[list[Event]], sizes: Sequence[int]) -> list[Story]:
        """A story for each host that has one; hosts that changed in the same way have one together."""
        single: dict[tuple[object, ...], list[tuple[str, _Track | None, int]]] = {}
        known: dict[tuple[object, ...], tuple[Event, ...]] = {}
        hosts = dict.fromkeys(
            [*self.trends.hosts, *(k.removeprefix("host ") for k in self.tracks if k.startswith("host "))]
        )
        for host in hosts:
            track, row = self.tracks.get(f"host {host}"), self.number.get(host)
            own = [] if row is None else events[row]
            size = -1 if row is None else sizes[row]
            if track is not None and size >= 0 and not own and track.last.bytes in self.trends.sizes:
                size = self.trends.sizes.index(track.last.bytes)
            if track is None and not own:
                continue
            episodes = () if track is None else track.episodes(self._still_slow(track, row, size, own))
            if len(episodes) >= FLAPS:
                own = []
            steps = tuple((event.begin, event.change > 0, event.slow) for event in own)
            alone = (host,) if any(event.slow for event in own) else ()
            alike = () if steps else (episodes, None if track is None else track.last.symptom)
            known_of = self.acknowledged("host", (host,), self.trends.nights[-1].summary.time)
            signature = (steps, size, alone, alike, known_of)
            single.setdefault(signature, []).append((host, track, size))
            known.setdefault(signature, tuple(own))
        return [self._of_hosts(those, known[signature]) for signature, those in single.items()]

    def _still_slow(self, track: _Track, row: int | None, size: int, events: Sequence[Event]) -> frozenset[int]:
        """Nights in which the host was as slow as in those in which it was found: the judge missed it by a little."""
        if row is None or size < 0:
            return frozenset()
        return self._as_slow(self.worse[size, row], track, events)

    def _as_slow(self, values: Values, track: _Track, events: Sequence[Event]) -> frozenset[int]:
        """Nights whose values are like those of the nights in which it was found; of what is slow only."""
        found = float(np.median([values[night] for night in track.seen]))
        if track.last.symptom != "slow" or not np.isfinite(found):
            return frozenset()
        usual = self._usual(values, track, events)
        least = found - max(STILL_SLOW * (found - usual), LEAST)
        return frozenset(np.flatnonzero(values > least).tolist())

    def _usual(self, values: Values, track: _Track | None, events: Sequence[Event]) -> float:
        """What a host took before it changed, else while nothing was found of it, else what all hosts take."""
        if events:
            return events[0].before
        free = [value for night, value in enumerate(values) if track is None or night not in track.seen]
        finite = [value for value in free if np.isfinite(value)]
        return float(np.median(finite)) if finite else 0.0

    def _of_hosts(self, those: list[tuple[str, _Track | None, int]], events: tuple[Event, ...]) -> Story:
        hosts, size = tuple(host for host, _, _ in those), those[0][2]
        subject = f"host {hosts[0]}" if len(hosts) == 1 else f"hosts {folded(hosts)}"
        tracks = [track for _, track, _ in those if track is not None]
        rows = [self.number[host] for host in hosts if host in self.number]
        curve = None
        if rows and size >= 0:
            curves = [self.worse[size, row] - self._usual(self.worse[size, row], track, events) for row, track in
                      zip(rows, [track for host, track, _ in those if host in self.number], strict=True)]  # fmt: skip
            curve = np.exp(np.median(curves, axis=0))
        bytes = self.trends.sizes[size] if size >= 0 else 0
        if not tracks and (group := self._group_of(hosts)) is not None:
            self.told_with_hosts.add(group.key)
            tracks = [group]
        track = max(tracks, key=lambda one: len(one.seen), default=None)
        episodes = () if track is None else track.episodes(
            self._still_slow(track, self.number.get(hosts[0]), size, events)
        )  # fmt: skip
        return self._story(subject, hosts, track, episodes, events, bytes, curve)

    def _group_of(self, hosts: tuple[str, ...]) -> _Track | None:
        """The finding that is of these hosts together."""
        groups = (track for track in self.tracks.values() if track.last.kind == "group")
        return next((track for track in groups if set(track.last.hosts) == set(hosts)), None)

    def _story(
        self, subject: str, hosts: tuple[str, ...], track: _Track | None, episodes: tuple[Episode, ...],
        events: tuple[Event, ...], bytes: int, curve: Values | None,
    ) -> Story:  # fmt: skip
        state = self._state(track, episodes, events)
        sentences = [] if track is None else [self._found_text(track, episodes, state)]
        turns = {night for one in episodes for night in (one.begin, one.end + 1)}
        apart = [one for one in events if one.slow or all(abs(one.begin - night) > NEAR for night in turns)]
        sentences = [event_text(event, self.trends) for event in apart] + sentences
        over = state in (State.CURED, State.ONCE)
        sentences += self._changes_text(hosts, turns | {event.begin for event in events}, "with" if over else "since")
        first = min([*(one.begin for one in episodes), *(one.begin for one in events)], default=0)
        since = self.trends.nights[first].summary.date
        key = track.key if track is not None else f"host {','.join(hosts)}"
        return Story(state, subject, hosts, tuple(sentences), episodes, bytes, curve, since, key)

    def _state(self, track: _Track | None, episodes: tuple[Episode, ...], events: tuple[Event, ...]) -> State:
        if len(episodes) >= FLAPS:
            return State.FLAPPING
        is_found = bool(episodes) and track is not None and self._last_measured(track) <= episodes[-1].end
        if is_found:
            fresh = len(episodes) == 1 and episodes[0].begin == self.newest and self.newest > 0
            return State.NEW if fresh and not events else State.KNOWN
        if episodes and not (events and events[-1].change > 0 and events[-1].begin > episodes[-1].end):
            nights = sum(one.end - one.begin + 1 for one in episodes)
            return State.ONCE if nights <= 2 else State.CURED
        return State.DRIFTING

    def _last_measured(self, track: _Track) -> int:
        return max([*track.measured, *track.seen])

    def _found_text(self, track: _Track, episodes: tuple[Episode, ...], state: State) -> str:
        day = self.trends.day
        what = track.last.text.partition(": ")[2] or track.last.text
        first, last = episodes[0], episodes[-1]
        if state is State.FLAPPING:
            of = plural(len({*track.measured, *track.seen}), "night")
            came = f"came {len(episodes)} times, last on {day(last.end)}"
            return f"flaps: found in {len(track.seen)} of {of}, {came}: {what}"
        if state is State.NEW:
            return f"new on {day(last.begin)}: {what}"
        if state in (State.KNOWN, State.DRIFTING):
            again = f", and from {day(first.begin)} to {day(first.end)}" if len(episodes) == 2 else ""
            began = "found all the time" if last.begin == 0 else f"found since {day(last.begin)}"
            return f"{began}{again}: {what}"
        clean = [night for night in track.measured if night > last.end]
        if first.begin == last.end:
            return f"on {day(first.begin)} only: {what}"
        if len(episodes) == 2 and state is State.ONCE:
            return f"on {day(first.begin)} and {day(last.begin)} only: {what}"
        nights, cured = plural(len(track.seen), "night"), f"; cured on {day(clean[0])}" if clean else ""
        return f"found from {day(first.begin)} to {day(last.end)} ({nights}): {what}{cured}"

    def _changes_text(self, hosts: tuple[str, ...], nights: set[int], word: str) -> list[str]:
        """What changed on these hosts when their times did."""
        said = []
        for at, one in self.changes:
            near = [night for night in nights if 0 < night <= self.newest and -NEAR <= at - night <= NEAR]
            if near and 2 * len(set(hosts) & set(one.hosts)) > len(hosts):
                said.append(f"{word} the {one.title} change of {self.trends.day(at)} ({values_text(one)})")
        return said

    # pairs, trunks, groups, settings

    def of_others(self) -> list[Story]:
        """A story for each finding that of_hosts left. Of pairs, the single links are read."""
        told = self.told_with_hosts
        others = [track for key, track in self.tracks.items() if not key.startswith("host ") and key not in told]
        pairs = [track for track in others if track.last.kind in OF_TWO]
        read = {id(track) for track in sorted(pairs, key=lambda track: -max(track.seen))[:MOST_PAIRS]}
        return [self._of_other(track, id(track) in read) for track in others]

    def _of_other(self, track: _Track, is_read: bool) -> Story:
        curve, last, also = None, track.last, frozenset[int]()
        if is_read and len(last.hosts) == 2 and last.bytes in self.trends.sizes:
            ends = last.hosts[0], last.hosts[1]
            size = [last.bytes]
            own = np.fmax(*(of_link(self.trends.nights, size, way)[0] for way in (ends, ends[::-1])))
            curve, also = np.exp(own - self._usual(own, track, ())), self._as_slow(own, track, ())
        episodes = track.episodes(also)
        subject, _, _ = last.text.partition(": ")
        return self._story(subject, last.hosts, track, episodes, (), last.bytes, curve)


def change_text(one: Changed) -> str:
    """`firmware of ib/mlx5_0 1.0 -> 2.0`."""
    return f"{one.title}{'' if one.parts == (HOST,) else ' of'} {values_text(one)}"


def values_text(one: Changed) -> str:
    """`ib/mlx5_0 1.0 -> 2.0`; without the part if it is the host itself."""
    more = " and others" if len(one.parts) > 2 else ""
    where = "" if one.parts == (HOST,) else f"{', '.join(one.parts[:2])}{more} "
    return f"{where}{one.before or 'nothing'} -> {one.after or 'nothing'}"
