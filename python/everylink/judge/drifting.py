"""Finds hosts that become slower in the course of the run while their equals do not.

The trend of a link is the slope of its readings over the steps of the main run (least squares), so what the link costs
by itself does not count. That of a host is the median over its links of one class, less that of all links of the class:
what all share is no fault. It is tested against how far the trends of all hosts scatter (the empirical null of Efron
2004). The readings of a host that passes must also rise with the steps: in a host that is slow now and then, few
readings of each link make a trend by chance. What `--confirm` measured does not count: other pairs then run at the same
time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.distributions import normal_quantile, student_tail
from everylink.judge.effects import Effects
from everylink.judge.readings import Readings
from everylink.model.results import Size
from everylink.robust import Matrix, Values, is_whole, spread

FEWEST_READINGS, FEWEST_LINKS, FEWEST_HOSTS = 3, 3, 4
FEWEST_PARTNERS = 6
SMALLEST = 0.05  # log of the factor from the first step to the last one
OF_EXCESS = 0.5  # of what a host has too much at the end: otherwise it was slow from the beginning
NEARLY_ALL, OF_RISE = 0.2, 0.4  # all links of the host rise: this quantile of them by this part of the median
PARTS, FALLS_BACK = 6, 0.5  # parts of the run; from one to a later one it loses no more than this part of its rise
FALSE_RATE = 0.001
LEAST_SCATTER = 0.01  # of the steps of a link, variance: a tenth of the run
LEAST_SPREAD = 1e-4  # of the trends of hosts, log of the factor
MOST_PART = 0.1  # of the hosts: if more drift, it is something that they share
Index = NDArray[np.int64]


@dataclass(frozen=True)
class Drifting:
    """A host that became slower: by `rise`, log of the factor from the first step to the last one, the others by
    `usual`; on `links`. `chance`: how often one of the hosts would by chance."""

    host: int
    rise: float
    usual: float
    links: int
    chance: float

    @property
    def score(self) -> float:
        """The normal score of its chance."""
        return float(-normal_quantile(np.clip(self.chance, 1e-300, 0.5)))


@dataclass(frozen=True)
class Drift:
    """`hosts` became slower by themselves, the clearest first. `together`: hosts that did, but that share a cause.

    `usual`: the trend of all links, log of the factor; 0 where it is small or was not measured.
    """

    hosts: tuple[Drifting, ...] = ()
    together: tuple[Drifting, ...] = ()
    usual: float = 0.0


def find_drift(size: Size, seen: Readings, effects: Effects) -> Drift:
    """What changed in the course of the run.

    Nothing for runs of fewer than three passes, of fewer than four hosts, and of very many ranks.
    """
    if seen.hosts < FEWEST_HOSTS or not is_whole(seen.ranks) or 2 * len(seen.further.time) < seen.count:
        return Drift()
    lines = _lines(size, seen, effects)
    known = np.flatnonzero(np.isfinite(lines.slope))
    if not len(known):
        return Drift()
    usual = float(np.median(lines.slope[known]))
    found: dict[int, Drifting] = {}
    classes = list(_by_class(lines, known, seen, effects))
    tested = seen.hosts * len(classes)
    for of_class in classes:
        for one in _beyond_chance(of_class, len(classes)):
            known_better = one.host in found and found[one.host].chance <= one.chance
            if not known_better and _is_steady(one, _readings_of(one.host, of_class, size, seen, effects), tested):
                found[one.host] = one
    drifting = tuple(sorted(found.values(), key=lambda one: one.chance))
    usual = usual if usual > SMALLEST else 0.0
    if _share_a_cause(drifting, effects.group_of):
        return Drift((), drifting, usual)
    return Drift(drifting, (), usual)


@dataclass(frozen=True)
class _Lines:
    """Of each link of ranks, from * ranks + to: its slope and its fitted end, log seconds; NaN: too few readings."""

    slope: Matrix
    end: Matrix


def _lines(size: Size, seen: Readings, effects: Effects) -> _Lines:
    """Fitted by sums over the rows; the run goes from -1/2 to 1/2."""
    cells = seen.ranks**2
    sums = np.zeros((5, cells), np.float32)
    last = max(1, *(int(step.max(initial=0)) for _, _, _, step in seen.main_rows(size, "step")))
    usual = np.float32(np.nanmedian(effects.typical))  # sums of small numbers are more exact
    for frm, to, median, step in seen.main_rows(size, "step"):
        link = frm.astype(np.int64) * seen.ranks + to
        when, time = step / np.float32(last) - np.float32(0.5), np.log(median) - usual
        for total, values in zip(sums, (np.ones_like(time), when, time, when * when, when * time), strict=True):
            np.add.at(total, link, values.astype(np.float32))
    count, of_when, of_time, square, product = sums
    with np.errstate(all="ignore"):
        scatter = square - of_when * of_when / count
        slope = (product - of_when * of_time / count) / scatter
        end = of_time / count + slope * (np.float32(0.5) - of_when / count) + usual
        enough = (count >= FEWEST_READINGS) & (scatter > LEAST_SCATTER * count)
    return _Lines(*(np.where(enough, fitted, np.float32(np.nan)) for fitted in (slope, end)))


@dataclass(frozen=True)
class _OfClass:
    """Of the links of one class: trends of hosts, those of nearly all their links, what they have too much at the end,
    and the number of links, [hosts] each; NaN: too few links. `usual`: the trend of these links; `number`: of the
    class."""

    rise: Values
    least: Values
    excess: Values
    links: Index
    usual: float
    number: int


def _by_class(lines: _Lines, known: Index, seen: Readings, effects: Effects) -> Iterator[_OfClass]:
    frm, to = np.divmod(known, seen.ranks)
    one, other = seen.host_of[frm], seen.host_of[to]
    excess = lines.end[known] - seen.added_by_places(frm, to) - effects.class_at(one, other)
    number = effects.class_number(one, other)
    for which in np.unique(number):
        own = number == which
        usual = float(np.median(lines.slope[known][own]))
        of_hosts = _of_hosts(one[own], other[own], lines.slope[known][own] - usual, excess[own], seen.hosts)
        yield _OfClass(*of_hosts, usual, int(which))


def _of_hosts(
    one: Index, other: Index, slope: Values, excess: Values, hosts: int
) -> tuple[Values, Values, Values, Index]:
    """Over each host's links the median of the slope and its quantile NEARLY_ALL, the median excess, and the number."""
    rise, least, beyond = np.full((3, hosts), np.nan)
    ends, slope, excess = np.concatenate([one, other]), np.tile(slope, 2), np.tile(excess, 2)
    order = np.argsort(ends, kind="stable")
    links = np.bincount(ends, minlength=hosts)
    stop = np.cumsum(links)
    for host in np.flatnonzero(links >= FEWEST_LINKS).tolist():
        own = order[stop[host] - links[host] : stop[host]]
        rise[host], beyond[host] = np.median(slope[own]), np.median(excess[own])
        least[host] = np.quantile(slope[own], NEARLY_ALL)
    return rise, least, beyond, links


def _beyond_chance(of: _OfClass, classes: int) -> Iterator[Drifting]:
    measured = np.flatnonzero(np.isfinite(of.rise))
    if len(measured) < FEWEST_HOSTS:
        return
    typical = float(np.median(of.rise[measured]))
    faster = max(SMALLEST, -of.usual - typical)  # the others, where all changed: a host is slower by more than that
    z = (of.rise - typical) / max(spread(of.rise[measured]), LEAST_SPREAD)
    for host in measured.tolist():
        rise = float(of.rise[host]) - typical
        chance = float(student_tail(z[host], len(measured) - 2)) * len(measured) * classes
        is_slower = float(of.rise[host]) + of.usual > faster
        is_large = is_slower and rise > SMALLEST and rise >= OF_EXCESS * of.excess[host]
        if chance < FALSE_RATE and is_large and of.least[host] - typical > OF_RISE * rise:
            yield Drifting(host, float(of.rise[host]) + of.usual, of.usual + typical, int(of.links[host]), chance)


@dataclass(frozen=True)
class _Own:
    """Readings of a host with its partners, the best of each pair and step: number of the partner, step, log seconds
    beyond those of its class and the trend of all."""

    partner: Index
    step: Index
    beyond: Values


def _readings_of(host: int, of: _OfClass, size: Size, seen: Readings, effects: Effects) -> _Own:
    parts: list[tuple[Index, Index, Values]] = []
    for frm, to, median, step in seen.main_rows(size, "step"):
        one, other = seen.host_of[frm], seen.host_of[to]
        own = ((one == host) | (other == host)) & (effects.class_number(one, other) == of.number)
        time = np.log(median[own].astype(np.float64)) - seen.added_by_places(frm[own], to[own])
        time -= effects.class_at(one[own], other[own])
        parts.append((np.where(one == host, other, one)[own], step[own].astype(np.int64), time))
    partner, step, beyond = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((beyond, step, partner))
    partner, step, beyond = partner[order], step[order], beyond[order]
    first = np.append(True, (partner[1:] != partner[:-1]) | (step[1:] != step[:-1]))
    partner, step, beyond = partner[first], step[first], beyond[first]
    return _Own(partner, step, beyond - of.usual * step / step.max())


def _is_steady(drifting: Drifting, own: _Own, tested: int) -> bool:
    """Whether the readings with each partner rise with the steps, in an order that chance does not explain, and do not
    fall back in between; of enough partners, whose ways may have become slower. `tested`: how many orders were."""
    if len(np.unique(own.partner)) < FEWEST_PARTNERS:
        return False
    is_order = _order_chance(own) * tested < FALSE_RATE
    return is_order and _most_lost(own) < FALLS_BACK * (drifting.rise - drifting.usual)


def _order_chance(own: _Own) -> float:
    """How often readings in a random order would rise so: a rank correlation within partners."""
    _, partner, count = np.unique(own.partner, return_inverse=True, return_counts=True)
    step, time = (values - (np.bincount(partner, values) / count)[partner] for values in (own.step, own.beyond))
    freedom = len(step) - len(count) - 1
    if freedom < 1:
        return 1.0
    rank = np.unique(time, return_inverse=True)[1].reshape(-1)
    correlation = float(np.corrcoef(step, rank)[0, 1])
    return float(student_tail(correlation * np.sqrt(freedom / max(1 - correlation**2, 1e-9)), freedom))


def _most_lost(own: _Own) -> float:
    """The most that a part of the run is faster than one before it, log of the factor."""
    part = own.step * PARTS // (int(own.step.max()) + 1)
    middle = np.array([np.median(own.beyond[part == one]) for one in np.unique(part)])
    return float((np.maximum.accumulate(middle) - middle).max())


def _share_a_cause(drifting: tuple[Drifting, ...], group_of: Index) -> bool:
    """Whether so many hosts became slower, or all of a group, that it is not each by itself."""
    if len(drifting) <= 1:
        return False
    of_group = np.bincount(group_of[[one.host for one in drifting]], minlength=int(group_of.max()) + 1)
    whole = (of_group > 1) & (of_group == np.bincount(group_of))
    return bool(whole.any()) or len(drifting) > MOST_PART * len(group_of)
