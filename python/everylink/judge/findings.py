"""Tests the fit: finds groups, hosts, ranks and pairs that are slower than chance explains, and suspects."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects, fit
from everylink.judge.kinds import Equals
from everylink.judge.pairs import PairFindings, Pairs, examine_pairs
from everylink.judge.polish import LEAST_SPREAD, Ends, middle
from everylink.judge.profiles import beyond_equals
from everylink.judge.readings import Readings, with_further
from everylink.judge.times import times
from everylink.judge.trunks import Trunk, Trunks, find_trunks
from everylink.judge.verdict import Side
from everylink.robust import LOW_ERROR, Matrix, Values, discoveries, healthy_spread, is_whole, lower_quantiles

BLOCK = 256  # ranks processed together
FEWEST_OF_RANK = 5  # partners; with fewer, most may be slow themselves, or near
FALSE_RATE = 0.001  # expected part of false findings among those called bad
PART_OF_SAMPLE = 0.5  # of the effect in a sample of a host's links, which all its links show
SUSPECT_Z, SUSPECT_EFFECT = 1.5, 0.03
SMALLEST_OF_END = 0.04  # log of the factor; many links tell
# A host is bad if it has this many bad pairs, and they are this part of its measured pairs (a half, if one-way).
FEWEST_FOLDED, PART_FOLDED = 3, 0.4
SIDED = 0.5  # difference between directions, as a part of the effect, from which one direction is the slow one
LEAST_SIDED = 0.05  # least difference, log of the factor
FAR_SLOWER = 2.0  # times the effect of its host: the rank is at fault
CORE_Z, SMALLEST_OF_CORE = 5.0, 0.08  # of ranks of one host: cores differ more
# Log factors of pairs of cores: the least that is reported, and the least that is a fault, as when half of the links
# between two GPUs are down. A core with this many slow pairs is further away by design.
SMALLEST_OF_CORES, FAR_SLOWER_CORES, MANY_PAIRS = 0.2, 0.65, 3
MANY_FREEDOM = 1e9  # degrees of freedom with which Student's t is the normal distribution


def of_ranks(readings: Readings, effects: Effects) -> Ends:
    """The effect of each rank against the better half of its host's ranks, 0 for a rank that is alone there.

    As for hosts, a low quantile of a rank's links is its own effect.
    """
    ranks, host_of = readings.ranks, readings.host_of
    per_host = np.bincount(host_of, minlength=readings.hosts)
    if not (per_host > 1).any():
        return Ends(np.zeros(ranks), np.ones(ranks), np.zeros(ranks, np.intp), np.ones(ranks))
    low, links = _low(readings, effects)
    typical = _lower_median_of_hosts(low, host_of, readings.hosts)
    effect = np.where(per_host[host_of] > 1, np.nan_to_num(low - typical[host_of]), 0.0)
    others = effect[(per_host[host_of] > 1) & (effect != 0)]
    spread = healthy_spread(others) if len(others) else 0.0
    error = np.sqrt(2 * (LOW_ERROR * effects.noise) ** 2 / np.maximum(links, 1) + spread**2 + LEAST_SPREAD**2)
    return Ends(effect, error, links, np.full(ranks, MANY_FREEDOM))


def _low(readings: Readings, effects: Effects) -> tuple[Values, NDArray[np.intp]]:
    """A low quantile of the residuals of each rank's links, both directions, and the number of links; [ranks] each."""
    host_of, further = readings.host_of, readings.further
    low, links = np.full(readings.ranks, np.nan), np.zeros(readings.ranks, np.intp)
    every = np.arange(readings.ranks)
    more = readings.further_times - effects.expected_at(host_of[further.frm], host_of[further.to])
    for begin in range(0, readings.ranks, BLOCK):
        own = every[begin : begin + BLOCK]
        there = readings.first_at(own, every) - effects.expected_at(host_of[own, None], host_of[None, :])
        back = readings.first_at(every, own) - effects.expected_at(host_of[:, None], host_of[None, own])
        best = np.fmin(there, back.T)  # the lower median of two
        cell, time = [], []
        for ends, others in ((further.frm, further.to), (further.to, further.frm)):
            inside = (ends >= begin) & (ends < begin + BLOCK)
            cell.append((ends[inside] - begin) * readings.ranks + others[inside])
            time.append(more[inside])
        used, of_used = with_further(np.stack([there, back.T]), np.concatenate(cell), np.concatenate(time))
        best.flat[used] = of_used.median
        low[own], links[own] = lower_quantiles(best)
    return low, links


def _lower_median_of_hosts(low: Values, host_of: NDArray[np.int64], hosts: int) -> Values:
    order = np.lexsort((low, host_of))  # NaN sorts after every number
    known = np.bincount(host_of[np.isfinite(low)], minlength=hosts)
    starts = np.concatenate([[0], np.cumsum(np.bincount(host_of, minlength=hosts))[:-1]])
    return np.where(known > 0, low[order][starts + np.maximum(known - 1, 0) // 2], np.nan)


@dataclass(frozen=True)
class Found:
    """`kind`: group, host, rank or pair; `subject`: its number, for a pair from and to; `effect`: log of the factor."""

    kind: str
    subject: tuple[int, ...]
    side: Side
    effect: float
    z: float
    links: int
    readings: int = 0  # for a pair


@dataclass(frozen=True)
class Findings:
    """`bad` and `trunks` are sure; `suspect_hosts` [n] and the suspects of `pairs` need more readings.

    `tested`: the number of hosts, ranks, groups and pairs tested, by kind. `beyond`: hosts that are slow only with
    other groups. `judged_ways`: between how many pairs of groups trunks were looked for. `repeated`: pairs of cores
    that are slow as many others of these are, so by design.
    """

    effects: Effects
    bad: tuple[Found, ...]
    trunks: tuple[Trunk, ...]
    beyond: frozenset[int]
    judged_ways: int
    suspect_hosts: NDArray[np.intp]
    pairs: PairFindings
    tested: dict[str, int]
    repeated: tuple[Found, ...]

    @property
    def ends(self) -> list[Found]:
        """Slow hosts and groups: what slows all links that end there."""
        return [one for one in self.bad if one.kind in ("host", "group")]

    @cached_property
    def looking_slow(self) -> set[frozenset[int]]:
        """Pairs of hosts that are slow, or may be."""
        suspects = zip(self.pairs.suspects.frm.tolist(), self.pairs.suspects.to.tolist(), strict=True)
        return {frozenset(one.subject) for one in self.bad if one.kind == "pair"} | set(map(frozenset, suspects))


def find(readings: Readings, equals: Equals, blind: bool = False) -> Findings:
    """Fits, then tests every group, host, rank and pair.

    `blind`: the groups are unknown. Links may then differ by group, and ranks cannot be compared.
    """
    effects, trunks = _fitted(readings, equals, blind)
    explained = {host for trunk in trunks.found for host in trunk.own}
    hosts, suspects = _cores(readings, effects) if equals.one_host else _hosts(effects, readings.symmetric)
    by_all = (_by_all_links(found, readings, effects) for found in hosts if found.subject[0] not in explained)
    hosts = [_sided(found, readings, effects) for found in by_all if found is not None]
    seen = examine_pairs(readings, effects)
    known = {found.subject[0] for found in hosts} | explained
    pairs, repeated = pairs_found(seen.bad, effects, readings.symmetric), tuple[Found, ...]()
    if equals.one_host:
        pairs, repeated = _single(pairs)
    else:
        more, pairs = _folded(pairs, seen.measured, known)
        hosts += more
    ranks = of_ranks(readings, effects)
    slow_ranks = [] if blind else [rank for rank in _discovered(ranks) if ranks.links[rank] >= FEWEST_OF_RANK]
    hosts = [found for found in hosts if not _by_its_ranks(found, readings.host_of, ranks, slow_ranks)]
    bad_hosts = {found.subject[0] for found in hosts} | explained
    bad_ranks = [
        Found("rank", (rank,), Side.BOTH, float(ranks.effect[rank]), float(ranks.z[rank]), int(ranks.links[rank]))
        for rank in slow_ranks
        if readings.host_of[rank] not in bad_hosts
    ]
    tested = {
        "group": int(equals.group_of.max()) + 1, "host": int((effects.send.links > 0).sum()),
        "rank": int((ranks.links > 0).sum()), "pair": seen.tested,
    }  # fmt: skip
    groups = () if equals.one_host else _groups(effects, seen)
    bad = (*groups, *hosts, *bad_ranks, *pairs)
    suspects = np.setdiff1d(suspects, list(explained)).astype(np.intp)
    return Findings(effects, bad, trunks.found, trunks.beyond, trunks.judged, suspects, seen, tested, repeated)


def _fitted(readings: Readings, equals: Equals, blind: bool) -> tuple[Effects, Trunks]:
    """Groups, hosts and trunks. Where a trunk shows in few links of each host, hosts are fitted again without it."""
    seen = times(readings)
    effects = fit(seen, equals, readings.symmetric, blind)
    trunks = find_trunks(effects, readings)
    if trunks.ways is None:
        return effects, trunks
    if trunks.on_few:
        return fit(seen, equals, readings.symmetric, blind, trunks.ways), trunks
    return effects.with_ways(trunks.ways), trunks


def _by_all_links(found: Found, readings: Readings, effects: Effects) -> Found | None:
    """A host that is slow by a sample of its links, with the number of all of them if it is so by these; else None."""
    if is_whole(readings.hosts):
        return found
    one, every = found.subject[0], np.arange(readings.hosts)
    both = (Side.SEND,) if readings.symmetric else (Side.SEND, Side.RECEIVE)
    is_slow, count = False, 0
    for side in both if found.side == Side.BOTH else (found.side,):
        of_partner = effects.ends_at(one, every)[1] if side == Side.SEND else effects.ends_at(every, one)[0]
        own = np.where(of_partner > 0, np.nan, _longer(one, side, readings, effects))
        low, links = lower_quantiles(own.reshape(1, -1))
        is_slow |= bool(middle(low, links, effects.noise)[0] > PART_OF_SAMPLE * found.effect)
        count += int(links[0])
    return replace(found, links=count) if is_slow else None


def _sided(found: Found, readings: Readings, effects: Effects) -> Found:
    """A host that seems slow in one direction, with both if links that show it take as long the other way round: what
    it adds there may just be less certain."""
    if readings.symmetric or found.side == Side.BOTH:
        return found
    one, opposite = found.subject[0], Side.RECEIVE if found.side == Side.SEND else Side.SEND
    slow, other = (_longer(one, side, readings, effects) for side in (found.side, opposite))
    longer = (slow - other)[effects.shows(one, np.arange(readings.hosts)) & (slow >= SIDED * found.effect)]
    known = longer[np.isfinite(longer)]
    is_sided = not len(known) or side_of(float(np.median(known)), found.effect) == Side.SEND
    return found if is_sided else replace(found, side=Side.BOTH)


def _longer(host: int, side: Side, readings: Readings, effects: Effects) -> Matrix:
    """What messages from a host, or to it, take longer than ends that add nothing explain, log of the factor, [hosts];
    NaN where they were not measured."""
    one, every = np.array([host]), np.arange(readings.hosts)
    frm, to = (one, every) if side == Side.SEND else (every, one)
    usual = effects.expected_at(frm, to) - effects.added_at(frm, to)
    return np.asarray(readings.cells(frm, to).median.ravel() - usual)


def side_of(longer: float, effect: float) -> Side:
    """The slow direction of links that take `longer` there than back, log of the factor, and are slow by `effect`."""
    if abs(longer) < max(SIDED * effect, LEAST_SIDED):
        return Side.BOTH
    return Side.SEND if longer > 0 else Side.RECEIVE


def _by_its_ranks(found: Found, host_of: NDArray[np.int64], ranks: Ends, slow: Sequence[int]) -> bool:
    """Whether a host only looks slow because some of its ranks are far slower."""
    own = [float(ranks.effect[rank]) for rank in slow if host_of[rank] == found.subject[0]]
    return max(own, default=0.0) > FAR_SLOWER * found.effect


def _groups(effects: Effects, seen: PairFindings) -> list[Found]:
    found = []
    for group in np.flatnonzero(effects.group_effect):
        links = int(seen.far[effects.group_of == group].sum())
        effect, z = float(effects.group_effect[group]), float(effects.group_z[group])
        found.append(Found("group", (int(group),), Side.BOTH, effect, z, links))
    return found


def _hosts(effects: Effects, symmetric: bool) -> tuple[list[Found], NDArray[np.intp]]:
    sides = {Side.BOTH: effects.send} if symmetric else {Side.SEND: effects.send, Side.RECEIVE: effects.receive}
    suspects = np.zeros(len(effects.group_of), bool)
    found: dict[int, dict[Side, Ends]] = {}
    for side, ends in sides.items():
        for host in _discovered(ends):
            found.setdefault(host, {})[side] = ends
        suspects |= (ends.z > SUSPECT_Z) & (ends.effect > SUSPECT_EFFECT)
    hosts = []
    for host, by_side in found.items():
        worst = max(by_side.values(), key=lambda ends: float(ends.effect[host]))
        side = next(iter(by_side)) if len(by_side) == 1 else Side.BOTH
        links = sum(int(ends.links[host]) for ends in by_side.values())
        hosts.append(Found("host", (host,), side, float(worst.effect[host]), float(worst.z[host]), links))
    return hosts, np.flatnonzero(suspects)


def hosts_among(found: Iterable[Found], readings: Readings) -> set[int]:
    """The hosts among these findings, and those of the ranks among them."""
    found = list(found)
    ranks = (one.subject[0] for one in found if one.kind == "rank")
    return {one.subject[0] for one in found if one.kind == "host"} | {int(readings.host_of[rank]) for rank in ranks}


def _cores(readings: Readings, effects: Effects) -> tuple[list[Found], NDArray[np.intp]]:
    """Ranks of one host that are slower than those alike; as _hosts where too little is known for that."""
    beyond = beyond_equals(readings.between_hosts.median, effects.noise) if is_whole(readings.hosts) else None
    if beyond is None:
        return _hosts(effects, readings.symmetric)
    z = beyond.effect / beyond.error
    links = np.isfinite(readings.between_hosts.median).sum(axis=1)
    bad = np.flatnonzero((z > CORE_Z) & (beyond.effect > SMALLEST_OF_CORE)).tolist()
    found = [
        Found("host", (rank,), Side.BOTH, float(beyond.effect[rank]), float(z[rank]), int(links[rank])) for rank in bad
    ]
    return found, np.flatnonzero((z > SUSPECT_Z) & (beyond.effect > SUSPECT_EFFECT))


def _single(pairs: Sequence[Found]) -> tuple[list[Found], tuple[Found, ...]]:
    """Far slower pairs of which neither rank has MANY_PAIRS, and the others: cores that are further apart by design."""
    pairs = [pair for pair in pairs if pair.effect > SMALLEST_OF_CORES]
    count = Counter(end for pair in pairs for end in pair.subject)
    single, rest = list[Found](), list[Found]()
    for pair in pairs:
        is_single = pair.effect > FAR_SLOWER_CORES and max(count[end] for end in pair.subject) < MANY_PAIRS
        (single if is_single else rest).append(pair)
    return single, tuple(rest)


def _discovered(ends: Ends) -> list[int]:
    found = discoveries(ends.z, FALSE_RATE) & (ends.effect > SMALLEST_OF_END)
    return [int(which) for which in np.flatnonzero(found)]


def pairs_found(pairs: Pairs, effects: Effects, symmetric: bool) -> list[Found]:
    """Bad or suspect pairs as findings."""
    noise = effects.noise_at(pairs.frm, pairs.to)
    side, links = (Side.BOTH, 2) if symmetric else (Side.SEND, 1)
    rows = zip(*(column.tolist() for column in (*vars(pairs).values(), pairs.effect / noise)), strict=True)
    return [Found("pair", (a, b), side, effect, z, links, count) for a, b, effect, count, z in rows]


def _folded(pairs: list[Found], measured: NDArray[np.int64], known: set[int]) -> tuple[list[Found], list[Found]]:
    """Replace the bad pairs of a host by one finding if most of its pairs are bad; return hosts and other pairs."""
    hosts: list[Found] = []
    while pairs:
        count = Counter(end for pair in pairs for end in pair.subject if end not in known)
        host, bad = max(count.items(), key=lambda item: (item[1], -item[0]), default=(-1, 0))
        if bad < FEWEST_FOLDED or bad < PART_FOLDED * measured[host]:
            break
        own = [pair for pair in pairs if host in pair.subject]
        sides = {pair.side if pair.subject[0] == host or pair.side == Side.BOTH else Side.RECEIVE for pair in own}
        z = float(np.median([pair.z for pair in own]) * np.sqrt(len(own)))
        effect = float(np.median([pair.effect for pair in own]))
        hosts.append(Found("host", (host,), sides.pop() if len(sides) == 1 else Side.BOTH, effect, z, len(own)))
        known = known | {host}
        pairs = [pair for pair in pairs if host not in pair.subject]
    return hosts, pairs
