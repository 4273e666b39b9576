"""What a screening measures again: what looks slow, against hosts that nothing is known against."""

from collections.abc import Iterator, Sequence

import numpy as np

from everylink.judge.screening.compared import Screened, screened_sizes
from everylink.judge.screening.fit import FEWEST, Fit
from everylink.judge.screening.parts import Part, State
from everylink.judge.screening.readings import Index, ScreenReadings
from everylink.model.groups import Grouping
from everylink.model.plan import PHASES, Phase, Plan
from everylink.model.results import Results

MOST_STEPS = 30  # of a screening, with what it measures again
OF_SET, OF_INSIDE = 12, 4  # pairs of a group or way, and inside a group
CONTROLS, FEWEST_CONTROLS, PART_OF_CONTROLS = 24, 2, 8  # pairs that nothing is known against: an eighth of all
NEAR = 8  # hosts are near each other if their numbers differ by less than this part of all
TRIED = 12  # partners of a host, until one is of its kind and no slow way is between
MOST_RANKS = 4  # per host, each measured with the rank of the same number on the other host
QUARTER, FEW = (phase for phase in PHASES if phase.name in ("quarter", "few"))
STEPS = 6  # of a plan
OF_SET_WITH_FEW, CONTROL_SETS = 4, 6  # pairs of a group or way, and others of its kind, measured with few ranks busy
DRAWN = 60  # ways, to find those that nothing is known against


def plan_to_screen(results: Results, grouping: Grouping | None) -> Plan:
    """Disjoint pairs, each of which measures a part that is slow or suspect at any size and has too few fresh readings,
    the largest parts first; none where the steps that are left do not suffice for one more round.

    A quarter of the ranks are busy, but in the second round where links share ways: then few.
    """
    sizes = screened_sizes(results, grouping)
    steps = max((one.seen.steps for one in sizes), default=MOST_STEPS)
    is_second = any(one.seen.is_fresh.any() for one in sizes) and not any(one.seen.is_few.any() for one in sizes)
    phase = FEW if is_second and any(one.shares_ways for one in sizes) else QUARTER
    per_step = max(1, int(phase.busy * len(results.ranks) / 2))
    room = per_step * (STEPS // phase.readings) if steps + STEPS <= MOST_STEPS else 0
    wanted = _Pairs(results, sizes, steps).wanted(phase, room)
    return Plan({phase.name: np.array(sorted(wanted), np.int64).reshape(-1, 2)})


def fresh_readings(seen: ScreenReadings) -> Index:
    """How many fresh readings each host has, [hosts]."""
    used = seen.is_fresh
    return np.bincount(seen.one[used], minlength=seen.hosts) + np.bincount(seen.other[used], minlength=seen.hosts)


class _Pairs:
    """Chooses pairs of hosts; no host is in two of them."""

    def __init__(self, results: Results, sizes: list[Screened], steps: int) -> None:
        host_of = results.ranks.host_index.astype(np.int64)
        self._hosts = int(host_of.max(initial=0)) + 1
        order = np.argsort(host_of, kind="stable")
        self._ranks = np.split(order, np.cumsum(np.bincount(host_of))[:-1])
        self._sizes = sizes
        self._random = np.random.default_rng([self._hosts, steps])  # other partners in each turn; repeatable per file
        self._doubted = np.zeros(self._hosts, bool)
        for one in sizes:
            for end in np.flatnonzero(one.fitted.ends.bad | one.fitted.ends.suspect):
                self._doubted[end % self._hosts] = True
            for group in (group for group in one.fitted.groups if group.is_sure):
                self._doubted[np.isin(one.fitted.levels[group.level].of_host, group.groups)] = True
        self._taken = np.zeros(self._hosts, bool)
        self._good = self._random.permutation(np.flatnonzero(~self._doubted))
        self._next = 0

    def wanted(self, phase: Phase, room: int) -> set[tuple[int, int]]:
        """Pairs of ranks, no more than `room`, the smaller number first."""
        chosen: list[tuple[int, int]] = []
        if room > 0:
            controls = min(CONTROLS, max(FEWEST_CONTROLS, room // PART_OF_CONTROLS))
            for pair in self._with_few_busy() if phase is FEW else self._with_a_quarter_busy(controls):
                ranks = list(zip(self._ranks[pair[0]], self._ranks[pair[1]], strict=False))[:MOST_RANKS]
                if len(chosen) + len(ranks) > room:
                    break
                chosen += [(int(min(a, b)), int(max(a, b))) for a, b in ranks]
        return set(chosen)

    def _with_few_busy(self) -> Iterator[tuple[int, int]]:
        """Pairs over groups and ways that may be slow by themselves, over others of their kinds, and second partners of
        hosts."""
        levels = self._sizes[0].fitted.levels
        shared = [one for one in self._sizes if one.shares_ways]
        for one in shared:
            for group in one.fitted.groups:
                self._doubted[np.isin(levels[group.level].of_host, group.groups)] = True
        self._good = self._random.permutation(np.flatnonzero(~self._doubted))
        for kind in ("group", "trunk"):
            for level in range(len(levels)):
                own = [part for one in shared for part in one.parts if part.kind == kind and part.level == level]
                effect = {part.numbers: part.effect for part in own if part.state is not State.LOAD}
                others = self._others(kind, level, {part.numbers for part in own}) if effect else []
                for numbers in [*others, *sorted(effect, key=lambda of: -effect[of])]:
                    yield from self._over(levels[level].of_host, numbers)
        parts = {part.numbers[0]: part for one in self._sizes for part in one.parts if part.kind == "host"}
        for host, part in parts.items():
            if part.state is State.SLOW and not self._taken[host]:
                yield from self._with_good(host)

    def _others(self, kind: str, level: int, slow: set[tuple[int, ...]]) -> Sequence[tuple[int, ...]]:
        """Groups, or ways between two, of which nothing is known."""
        large = self._random.permutation(np.flatnonzero(self._sizes[0].fitted.levels[level].sizes >= OF_SET_WITH_FEW))
        if kind == "group":
            return [(group,) for group in large.tolist() if (group,) not in slow][:CONTROL_SETS]
        drawn = (self._random.permutation(large)[:2] for _ in range(DRAWN if len(large) > 1 else 0))
        ways = dict.fromkeys((int(min(two)), int(max(two))) for two in drawn)
        return [way for way in ways if way not in slow][:CONTROL_SETS]

    def _over(self, of_host: Index, numbers: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Pairs of a group with good hosts, or over a way."""
        doubted = len(numbers) == 1
        ends = [self._some(np.flatnonzero(of_host == number), OF_SET_WITH_FEW, doubted) for number in numbers]
        yield from self._meet(*ends, *([self._some_good(len(ends[0]))] if doubted else []))

    def _with_a_quarter_busy(self, controls: int) -> Iterator[tuple[int, int]]:
        parts = [(one.fitted, part) for one in self._sizes for part in one.parts if part.needs_more]
        if not parts:
            return
        yield from self._controls(controls)
        for kind, sure in (("host", True), ("trunk", None), ("group", None), ("host", False), ("pair", None)):
            own = [(fitted, part) for fitted, part in parts if part.kind == kind and sure in (None, part.is_sure)]
            for fitted, part in sorted(own, key=lambda one: -one[1].effect):
                yield from self._of(fitted, part)
        yield from self._slowest()

    def _controls(self, count: int) -> Iterator[tuple[int, int]]:
        """Pairs that nothing is known against, of each distance."""
        levels = self._sizes[0].fitted.levels
        for _ in range(count):
            two = self._some_good(2)
            if len(two) == 2:
                yield from self._meet(two[:1], two[1:])
        for number, level in enumerate(levels if count > FEWEST_CONTROLS else ()):
            below = levels[number - 1].of_host if number else np.arange(self._hosts)
            left = count
            for group in self._random.permutation(np.unique(level.of_host)).tolist():
                own = self._some(np.flatnonzero(level.of_host == group), 2 * OF_INSIDE)
                apart = [(a, b) for a, b in zip(own[::2], own[1::2], strict=False) if below[a] != below[b]][:left]
                left -= len(apart)
                yield from self._meet(*np.array(apart, np.int64).reshape(-1, 2).T)
                if not left:
                    break

    def _slowest(self) -> Iterator[tuple[int, int]]:
        """The slowest hosts that are not suspect, to fill up the ranks that would be idle otherwise."""
        worst = np.full(self._hosts, -np.inf)
        for one in self._sizes:
            z = np.nan_to_num(one.fitted.ends.z, nan=-np.inf).reshape(-1, self._hosts).max(axis=0)
            worst = np.maximum(worst, np.where(fresh_readings(one.seen) < FEWEST, z, -np.inf))
        for host in np.argsort(-worst).tolist():
            if worst[host] == -np.inf:
                return
            if not self._taken[host]:
                yield from self._with_good(host)

    def _of(self, fitted: Fit, part: Part) -> Iterator[tuple[int, int]]:
        match part.kind:
            case "trunk":
                of_host = fitted.levels[part.level].of_host
                ends = (self._part(np.flatnonzero(of_host == number)) for number in part.numbers)
                yield from self._meet(*ends)
            case "group":
                own = np.flatnonzero(fitted.levels[part.level].of_host == part.numbers[0])
                some = self._part(own, doubted=True)
                yield from self._meet(some, self._some_good(len(some)))
                inner = self._some(own, 2 * OF_INSIDE, doubted=True)
                half = len(inner) // 2
                yield from self._meet(inner[:half], inner[half:])
            case "host":
                (host,) = part.numbers
                if not self._taken[host]:
                    yield from self._with_good(host)
            case "pair":
                one, other = part.numbers
                if not (self._taken[one] or self._taken[other]):
                    yield from self._meet(np.array([one]), np.array([other]))

    def _with_good(self, host: int) -> Iterator[tuple[int, int]]:
        """A host with one of its kind that nothing is known against, nor against the way to it."""
        self._taken[host] = True
        kind_of = self._sizes[0].fitted.kinds.of_host
        for _ in range(TRIED):
            other = self._some_good(1)
            if len(other) and self._is_apart(host, int(other[0])) and kind_of[host] == kind_of[other[0]]:
                yield from self._meet(np.array([host]), other)
                return

    def _is_apart(self, host: int, other: int) -> bool:
        """Whether two hosts are not over a way that looks slow, nor near each other in number where no switches are
        known: links behind one switch may be quicker."""
        if not self._sizes[0].fitted.levels and abs(host - other) * NEAR < self._hosts:
            return False
        return not any(
            {one.fitted.levels[way.level].of_host[host], one.fitted.levels[way.level].of_host[other]} == set(way.groups)
            for one in self._sizes
            for way in one.fitted.ways
        )

    def _meet(self, one: Index, other: Index) -> Iterator[tuple[int, int]]:
        for a, b in zip(one.tolist(), other.tolist(), strict=False):
            self._taken[[a, b]] = True
            yield a, b

    def _part(self, hosts: Index, doubted: bool = False) -> Index:
        """Some hosts of a group, no more than a quarter: with more, its ways would be as busy as under full load."""
        return self._some(hosts, min(OF_SET, max(1, int(QUARTER.busy * len(hosts)))), doubted)

    def _some(self, hosts: Index, most: int, doubted: bool = False) -> Index:
        """Up to `most` of these hosts, none of which is in a pair yet."""
        free = hosts[~self._taken[hosts] & (doubted | ~self._doubted[hosts])]
        return self._random.permutation(free)[:most]

    def _some_good(self, most: int) -> Index:
        """Up to `most` hosts that nothing is known against, none of which is in a pair yet."""
        found: list[int] = []
        while len(found) < most and self._next < len(self._good):
            host = int(self._good[self._next])
            self._next += 1
            if not self._taken[host]:
                found.append(host)
        return np.array(found, np.int64)
