"""Selects the links to measure again, so that faults can be told from noise.

A suspect pair of hosts gets more readings of its own links. A suspect host is measured against several hosts that are
not suspect, because a link between two bad hosts says nothing about either.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.comparable import ENOUGH_ALONE
from everylink.judge.confirm_at_times import drawn, pairs_at_times
from everylink.judge.contention import LEAST
from everylink.judge.crowd import crowded_hosts
from everylink.judge.effects import Effects
from everylink.judge.findings import Findings, find
from everylink.judge.grouping import groups_for, pairs_for_groups
from everylink.judge.kinds import MOST_ALONE, equals_for, kinds_of, levelled
from everylink.judge.lateness import late_suspects
from everylink.judge.phases import FEWEST_OF_HOST, alone_rows, measured_in, surviving
from everylink.judge.quiet import is_covered, pairs_to_measure, quiet_readings, slow_with_all
from everylink.judge.ranks_alone import looking_slow, pairs_of_each, sharing
from everylink.judge.readings import Readings, readings
from everylink.judge.screening.plan import plan_to_screen
from everylink.judge.screening.readings import is_screened
from everylink.judge.ways_alone import longest_at_best, to_settle
from everylink.judge.within import SlowWithin, find_within
from everylink.model.groups import Grouping
from everylink.model.plan import Plan
from everylink.model.results import Results, Size
from everylink.model.rows import ALONE, ONE_WAY, ORDER, QUARTER, Outcome, Rows

PARTNERS = 12  # per suspect host
MATES = 3  # of them, from its own group: what leads to the group slows none of these
ROUNDS = 5  # two of them for groups; some suspects appear only after others are cleared
CONTROLS = 12  # pairs of each class that are not suspect
FEWEST_OF_CONTROLS = 4  # hosts that are not suspect
MOST_DRAWN = 4096
MOST_BAD = 64  # bad pairs measured alone, although they are already known to be bad
AGAIN = np.isin(np.arange(256), (ORDER, QUARTER, ONE_WAY, ALONE))  # attempts of `--confirm`, by number
ANY_ATTEMPT = np.ones(256, bool)
FEW_ENDS = 4  # hosts with several slow pairs; more are how a network is built
FEW_LIKE = 6  # ranks at the same place as a slow one, of which all pairs are measured
MOST_RANKS = 4  # per host, each measured with the rank of the same number on the other host


def plan_to_confirm(results: Results, grouping: Grouping | None) -> Plan:
    """The pairs to measure next; none when everything is clear.

    While groups are unknown, the many pairs that reveal them come first, under full load only.
    """
    if is_screened(results):
        return plan_to_screen(results, grouping)
    kinds = kinds_of(results)
    groups, known = groups_for(results, grouping, kinds)
    kinds = kinds.by_group(groups)
    equals = equals_for(results, groups, kinds)
    judged = [(size, seen) for size in results.sizes if (seen := readings(results, size)).count]
    if not known and (for_groups := set().union(*(pairs_for_groups(seen, groups, kinds) for _, seen in judged))):
        return _plan({"order": _rank_pairs(for_groups, results)})
    pairs: set[tuple[int, int]] = set()
    ranks: set[tuple[int, int]] = set()
    once_more: set[tuple[int, int]] = set()
    late: set[tuple[int, int]] = set()
    lightly: set[tuple[int, int]] = set()
    nearest: set[tuple[int, int]] = set()  # pairs of hosts, by the ranks that are nearest to their adapters
    crowded = crowded_hosts(results)  # ranks that wait for a core are slow now and then
    shared = sharing(results.ranks) if known and not crowded else []
    for size, seen in judged:
        seen = levelled(seen, equals)
        rows = alone_rows(size)
        findings, alone = find(seen, equals, blind=not known), _tried_alone(rows, seen)
        wanted = _host_pairs(seen, findings, alone)
        pairs |= wanted | _controls(wanted, seen, findings, alone)
        late |= _pairs_of_late(seen, findings)
        measured = measured_in(rows, seen)
        ranks |= _pairs_of_ranks(rows, seen, findings, looking_slow(measured, findings, shared))
        slow_alone = measured.are_slow(findings)
        survivors = surviving(findings, slow_alone, measured)
        once_more |= _pairs_of_ends([one.subject for one in findings.bad if slow_alone[one]], findings.effects, alone)
        if known and not crowded:
            at_times = pairs_at_times(size, seen, findings, slow_alone)
            lightly |= at_times.lightly
            once_more |= at_times.alone
            at_quarter = quiet_readings(results, size)
            hidden = set() if at_quarter is None else pairs_to_measure(at_quarter, seen, findings.effects)
            lightly |= hidden
            if (hidden or shared) and seen.hosts <= MOST_ALONE:
                nearest |= {pair for pair in itertools.combinations(range(seen.hosts), 2) if not alone.between(*pair)}
            if at_quarter is not None and is_covered(at_quarter):
                at_quarter = levelled(at_quarter, equals)
                quiet = find(at_quarter, equals)
                random = np.random.default_rng(len(lightly))  # any partners do
                wanted = _bad_pairs(quiet, alone) | _pairs_of_trunks(quiet, alone, random)
                wanted |= _pairs_of_hosts(slow_with_all(at_quarter, quiet), seen, quiet, alone, random)
                longest = longest_at_best(size, seen, findings.effects)
                wanted |= {pair for pair in longest if not alone.between(*pair)}
                nearest |= to_settle(measured.of_hosts, findings.effects, longest)
                pairs |= wanted | _controls(wanted, seen, findings, alone)
                survivors += surviving(quiet, measured.are_slow(quiet), measured)
        settled = {(min(pair.subject), max(pair.subject)) for pair in survivors}
        once_more, nearest = once_more | settled, nearest | settled
    within = [one for size in results.sizes for one in find_within(results, size, kinds) if not one.sure]
    pairs = _rank_pairs(pairs, results) | _inner_pairs(within, results) | ranks
    # Messages both ways at once may be slow where those of one way are not, so these are measured alone as well.
    alone_phases = ("alone", "one-way") if results.directions == 2 else ("one-way",)
    never, broken = _failing(results, ANY_ATTEMPT)  # what is broken at a size takes its time limit
    plan = {"order": pairs | _rank_pairs(late, results), "quarter": pairs | (_rank_pairs(lightly, results) - broken)}
    more_alone = _rank_pairs(once_more, results) | _pairs_of_devices(nearest, results)
    if each := pairs_of_each(shared):
        more_alone |= each - _tried(results)
    plan |= dict.fromkeys(alone_phases, pairs | (more_alone - broken))
    in_vain = never | _failing(results, AGAIN)[0]
    return _plan({phase: wanted - in_vain for phase, wanted in plan.items()})


def _failing(results: Results, attempts: NDArray[np.bool_]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Pairs of ranks, the smaller one first, of which some readings in these attempts failed, and none ended ok: at any
    size, and at one size or more."""
    ranks = len(results.ranks)
    failed = [_pairs_that(size, ranks, attempts, are_ok=False) for size in results.sizes]
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *failed]))
    ok = [_pairs_that(size, ranks, attempts, are_ok=True) for size in results.sizes] if len(every) else failed
    never = np.setdiff1d(every, np.concatenate([np.zeros(0, np.int64), *ok]))
    broken = [np.setdiff1d(bad, good) for bad, good in zip(failed, ok, strict=True)]
    return _as_pairs(never, ranks), set().union(*(_as_pairs(pairs, ranks) for pairs in broken))


def _pairs_that(size: Size, ranks: int, attempts: NDArray[np.bool_], are_ok: bool) -> NDArray[np.int64]:
    """Numbers of the pairs of ranks that have readings in these attempts that ended ok, or failed."""
    parts = [np.zeros(0, np.int64)]
    for frm, to, attempt, outcome in size.rows.blocks("frm", "to", "attempt", "outcome"):
        wanted = attempts[attempt] & ((outcome == Outcome.OK) == are_ok)
        one, other = frm[wanted].astype(np.int64), to[wanted].astype(np.int64)
        parts.append(np.unique(np.minimum(one, other) * ranks + np.maximum(one, other)))
    return np.unique(np.concatenate(parts))


def _as_pairs(numbers: NDArray[np.int64], ranks: int) -> set[tuple[int, int]]:
    return {divmod(number, ranks) for number in numbers.tolist()}


@dataclass(frozen=True)
class Alone:
    """Hosts `frm` and `to` of the links that were measured alone, or attempted alone."""

    frm: NDArray[np.int64]
    to: NDArray[np.int64]

    def between(self, a: int, b: int) -> bool:
        """Whether a link between the two hosts, in either direction, is among them."""
        return bool(((self.frm == a) & (self.to == b)).any())

    def touched(self, hosts: int) -> NDArray[np.bool_]:
        """Mask of the hosts that have a link among them, [hosts]."""
        touched = np.zeros(hosts, bool)
        touched[self.frm] = touched[self.to] = True
        return touched


def _tried(results: Results) -> set[tuple[int, int]]:
    """The pairs of ranks, the smaller one first, that were measured alone, or attempted."""
    rows = map(alone_rows, results.sizes)
    return set().union(*(_unordered(of.frm, of.to) for of in rows))


def _unordered(frm: NDArray[np.integer], to: NDArray[np.integer]) -> set[tuple[int, int]]:
    """The pairs of links, the smaller number first."""
    return {(min(a, b), max(a, b)) for a, b in zip(frm.tolist(), to.tolist(), strict=True)}


def _tried_alone(rows: Rows, seen: Readings) -> Alone:
    return Alone(*(seen.host_of[ranks.astype(np.int64)] for ranks in (rows.frm, rows.to)))


def _plan(pairs: Mapping[str, set[tuple[int, int]]]) -> Plan:
    return Plan({name: np.array(sorted(of), np.int64).reshape(-1, 2) for name, of in pairs.items()})


def _host_pairs(seen: Readings, findings: Findings, alone: Alone) -> set[tuple[int, int]]:
    """Pairs of hosts. Includes bad pairs that were measured only to reveal groups, so never alone and one way."""
    worst = findings.pairs.suspects
    pairs = _unordered(worst.frm, worst.to)
    pairs |= _bad_pairs(findings, alone)
    random = np.random.default_rng(len(findings.suspect_hosts))  # any partners do; repeatable per file
    pairs |= _pairs_of_trunks(findings, alone, random)
    for found in findings.bad:
        if found.kind == "group":
            own = np.flatnonzero(findings.effects.group_of == found.subject[0])
            far = np.setdiff1d(np.arange(seen.hosts), own)
            pairs |= _pairs_between(own, far, alone, random)
    return pairs | _pairs_of_hosts(findings.suspect_hosts, seen, findings, alone, random)


def _pairs_of_trunks(findings: Findings, alone: Alone, random: np.random.Generator) -> set[tuple[int, int]]:
    pairs: set[tuple[int, int]] = set()
    for trunk in findings.trunks:
        own = np.flatnonzero(findings.effects.group_of == trunk.group)
        pairs |= _pairs_between(own, np.array(trunk.far), alone, random)
    return pairs


def _pairs_of_hosts(
    suspects: NDArray[np.integer], seen: Readings, findings: Findings, alone: Alone, random: np.random.Generator
) -> set[tuple[int, int]]:
    """Some pairs of each suspect host with hosts that are not; none of a host that has enough, some of them alone."""
    good, group_of = _partners(seen, suspects), findings.effects.group_of
    enough = findings.pairs.settled >= min(PARTNERS, len(good) - 1)
    pairs: set[tuple[int, int]] = set()
    for host in suspects[~(enough & alone.touched(seen.hosts))[suspects]].tolist():
        showing = _showing(host, good, findings.effects)
        partners = random.choice(showing, min(PARTNERS, len(showing)), replace=False)
        if len(partners) < ENOUGH_ALONE:  # alone others show it, too
            others = np.setdiff1d(good, [*partners, host])
            more = random.choice(others, min(ENOUGH_ALONE - len(partners), len(others)), replace=False)
            partners = np.union1d(partners, more)
        mates = good[(group_of[good] == group_of[host]) & (good != host)]
        if (group_of != group_of[host]).any():
            partners = np.union1d(partners, random.choice(mates, min(MATES, len(mates)), replace=False))
        pairs |= {(min(host, p), max(host, p)) for p in partners.tolist() if p != host}
    return pairs


def _pairs_of_ends(slow: Iterable[tuple[int, ...]], effects: Effects, alone: Alone) -> set[tuple[int, int]]:
    """Of each host with several of these `slow` pairs more pairs, first with hosts of its kind: the host may be slow.

    Other subjects than pairs do not count. Not of more hosts than FEW_ENDS, nor what was measured alone before.
    """
    count = Counter(host for subject in slow if len(subject) == 2 for host in subject)
    ends = [host for host, pairs in count.items() if pairs > 1]
    pairs: set[tuple[int, int]] = set()
    for host in ends if len(ends) <= FEW_ENDS else []:
        is_like = effects.equals.kind_of == effects.equals.kind_of[host]
        wanted = drawn(host, np.flatnonzero(is_like), PARTNERS, 0)
        wanted |= drawn(host, np.flatnonzero(~is_like), max(ENOUGH_ALONE - len(wanted), 0), 0)
        pairs |= {pair for pair in wanted if not alone.between(*pair)}
    return pairs


def _bad_pairs(findings: Findings, alone: Alone) -> set[tuple[int, int]]:
    """The worst of the pairs that are bad and were not measured alone."""
    bad = sorted((found for found in findings.bad if found.kind == "pair"), key=lambda found: -found.effect)
    return {(min(found.subject), max(found.subject)) for found in bad[:MOST_BAD] if not alone.between(*found.subject)}


def _showing(host: int, good: NDArray[np.int64], effects: Effects) -> NDArray[np.int64]:
    """The partners with which a host shows that it is slow, if these are enough to tell; else all."""
    shown = good[effects.shows(host, good)]
    return shown if len(shown) >= FEWEST_OF_HOST else good


def _pairs_of_late(seen: Readings, findings: Findings) -> set[tuple[int, int]]:
    """Of each host that looks late, pairs with hosts that nothing is known against."""
    late = [suspect.host for suspect in late_suspects(seen)]
    good = _partners(seen, np.union1d(late, findings.suspect_hosts))
    pairs: set[tuple[int, int]] = set()
    for host in late:
        partners = np.random.default_rng(host).permutation(good[good != host])[:PARTNERS]  # any do; repeatable
        pairs |= {(min(host, partner), max(host, partner)) for partner in partners.tolist()}
    return pairs


def _partners(seen: Readings, suspects: NDArray[np.integer]) -> NDArray[np.int64]:
    """The hosts that are not suspect; all where these are few."""
    good = np.setdiff1d(np.arange(seen.hosts), suspects)
    return good if len(good) >= PARTNERS else np.arange(seen.hosts)


def _controls(wanted: set[tuple[int, int]], seen: Readings, findings: Findings, alone: Alone) -> set[tuple[int, int]]:
    """Pairs that nothing is known against, to compare with; none that were measured before.

    Of each class of the `wanted` ones. Of all classes where links between groups are far slower: so that it can be told
    whether they are alone, too.
    """
    effects = findings.effects
    if not wanted and not effects.gap > LEAST:
        return set()
    suspect = np.zeros(seen.hosts, bool)
    suspect[findings.suspect_hosts] = True
    for found in findings.bad:
        if found.kind == "host":
            suspect[list(found.subject)] = True
    good = np.flatnonzero(~suspect)
    if len(good) < FEWEST_OF_CONTROLS:
        return set()
    random = np.random.default_rng(seen.hosts)  # any do; repeatable per file
    some = np.sort(random.choice(len(good), (MOST_DRAWN, 2)), axis=1)
    some = np.unique(good[some[some[:, 0] < some[:, 1]]], axis=0)
    random.shuffle(some)
    some = np.concatenate([np.unique(np.stack([alone.frm, alone.to], axis=1), axis=0), some])
    of_class = effects.class_number(some[:, 0], some[:, 1])
    needed = set(of_class.tolist() if effects.gap > LEAST else [])
    if wanted:
        needed |= set(effects.class_number(*np.array(sorted(wanted), np.int64).T).tolist())
    known = _unordered(alone.frm, alone.to)
    chosen: set[tuple[int, int]] = set()
    for number in needed:
        chosen |= {(min(a, b), max(a, b)) for a, b in some[of_class == number][:CONTROLS].tolist()}
    return chosen - known - wanted


def _pairs_of_ranks(rows: Rows, seen: Readings, findings: Findings, more: Set[int]) -> set[tuple[int, int]]:
    """Of each slow rank, and of some `more`, pairs with ranks at the same place of hosts that nothing is known against,
    and some of these.

    None for ranks that were measured alone before, in `rows`, with enough others: those of `more` may show alone only.
    """
    place_of = findings.effects.equals.position_of
    slow = sorted({found.subject[0] for found in findings.bad if found.kind == "rank"} | more)
    if not slow:
        return set()
    known = _unordered(rows.frm, rows.to)
    partners = Counter(itertools.chain.from_iterable(known))
    bad = {int(seen.host_of[rank]) for rank in slow} | {int(host) for host in findings.suspect_hosts}
    pairs: set[tuple[int, int]] = set()
    for rank in slow:
        if partners[rank] >= (ENOUGH_ALONE if rank in more else FEWEST_OF_HOST):
            continue
        like = np.flatnonzero((place_of == place_of[rank]) & ~np.isin(seen.host_of, list(bad)))
        like = like[np.unique(seen.host_of[like], return_index=True)[1]]
        like = np.random.default_rng(rank).permutation(like)[:PARTNERS]  # any do; repeatable per file
        of_rank = {(min(rank, other), max(rank, other)) for other in like.tolist()} - known
        if of_rank:
            few = len(like) <= FEW_LIKE  # that many pairs tell little
            beside = itertools.combinations(like.tolist(), 2) if few else itertools.pairwise(like.tolist())
            pairs |= of_rank | {(min(a, b), max(a, b)) for a, b in beside}
    return pairs


def _pairs_between(
    own: NDArray[np.int64], far: NDArray[np.int64], alone: Alone, random: np.random.Generator
) -> set[tuple[int, int]]:
    """Some pairs from a group to hosts of others; none if such pairs were already measured alone."""
    if (np.isin(alone.frm, own) & np.isin(alone.to, far)).any():
        return set()
    number = min(PARTNERS, len(own), len(far))
    ends = zip(random.choice(own, number, False).tolist(), random.choice(far, number, False).tolist(), strict=True)
    return {(min(a, b), max(a, b)) for a, b in ends}


def _pairs_of_devices(pairs: set[tuple[int, int]], results: Results) -> set[tuple[int, int]]:
    """Of each two hosts pairs of the first ranks on their adapters, of those nearest to them, in the order of these."""
    first: dict[int, dict[str, int]] = {}
    host_of, device, distance = results.ranks.host_index, results.ranks.device, results.ranks.numa_distance
    for rank in np.argsort(distance, kind="stable").tolist():
        first.setdefault(int(host_of[rank]), {}).setdefault(device[rank], rank)
    ranks: set[tuple[int, int]] = set()
    for a, b in pairs:
        ends = zip(sorted(first[a].values())[:MOST_RANKS], sorted(first[b].values())[:MOST_RANKS], strict=False)
        ranks |= {(min(x, y), max(x, y)) for x, y in ends}
    return ranks


def _rank_pairs(pairs: set[tuple[int, int]], results: Results) -> set[tuple[int, int]]:
    """Pairs of ranks with equal number on their two hosts; in a run on one host the pairs are already ranks.

    Where other ranks of the two are near to the adapters, in order of their distance: otherwise none of the pairs might
    be of two near ones.
    """
    host_of = results.ranks.host_index.astype(np.int64)
    if host_of.max() == 0:
        return pairs
    on = _ranks_on_hosts(host_of)
    place = list(zip(results.ranks.device, results.ranks.numa_distance.tolist(), strict=True))
    places = [[place[rank] for rank in own] for own in on]
    nearest = [sorted(own, key=place.__getitem__) for own in on]
    ranks: set[tuple[int, int]] = set()
    for a, b in pairs:
        ends = (on[a], on[b]) if places[a] == places[b] else (nearest[a], nearest[b])
        ranks |= {(min(x, y), max(x, y)) for x, y in zip(*(own[:MOST_RANKS] for own in ends), strict=False)}
    return ranks


def _inner_pairs(slow: Sequence[SlowWithin], results: Results) -> set[tuple[int, int]]:
    """All pairs among the first MOST_RANKS ranks of each host, those of each rank with others of its host, and each
    pair itself."""
    on = _ranks_on_hosts(results.ranks.host_index.astype(np.int64)) if slow else []
    pairs: set[tuple[int, int]] = set()
    for one in slow:
        ranks = sorted({*one.ranks, *(on[one.host][:MOST_RANKS] if len(one.ranks) < 2 else ())})
        pairs |= {pair for pair in itertools.combinations(ranks, 2) if not one.ranks or set(pair) & set(one.ranks)}
    return pairs


def _ranks_on_hosts(host_of: NDArray[np.int64]) -> list[list[int]]:
    order = np.argsort(host_of, kind="stable")
    starts = np.searchsorted(host_of[order], np.arange(int(host_of.max()) + 2))
    return [order[begin:end].tolist() for begin, end in itertools.pairwise(starts)]
