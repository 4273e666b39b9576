"""Selects the links that tell whether a host is slow now and then.

Each host is measured in steps enough that one of them would be slow: where the main run has too few, with a quarter of
the ranks busy. Suspects, and pairs that nothing is known against, are measured alone, until they are found or cleared.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.findings import Findings, Found
from everylink.judge.intermittent import ENOUGH, FEWEST_PARTNERS, MOST_SUSPECTS, AtTimes, slow_at_times
from everylink.judge.intermittent_alone import alone_steps, find_alone, suspects_alone
from everylink.judge.phases import alone_rows, measured_in
from everylink.judge.readings import Readings
from everylink.judge.trunks import Trunk
from everylink.model.results import Size
from everylink.model.rows import QUARTER
from everylink.robust import is_whole

FEWEST_TO_TELL = 4  # hosts
PARTNERS, CONTROLS = 20, 24  # of each suspect; pairs inside groups, and as many between them
FEWEST_TO_CLEAR, ENOUGH_ALONE = 55, 140  # steps of a suspect, alone: none of them slow, or enough to tell
READINGS = 6  # of a pair in the phase `quarter`
MOST_DRAWN = 4096
Pairs = set[tuple[int, int]]  # of hosts, the smaller number first
Index = NDArray[np.int64]


@dataclass(frozen=True)
class PairsAtTimes:
    """Pairs of hosts to measure `lightly`, with a quarter of the ranks busy, and `alone`."""

    lightly: Pairs
    alone: Pairs


def pairs_at_times(
    size: Size, seen: Readings, findings: Findings, slow_alone: Mapping[Found | Trunk, bool | None]
) -> PairsAtTimes:
    """What to measure next; nothing where all hosts are found or cleared. `slow_alone`: of each finding.

    Not of the ranks of one host, which wait for cores now and then, and of very many ranks.
    """
    if not is_whole(seen.ranks) or seen.hosts < FEWEST_TO_TELL or findings.effects.equals.one_host:
        return PairsAtTimes(set(), set())
    slow = _slow_hosts(seen, findings, slow_alone)
    pairs = [found.subject for found in findings.bad if found.kind == "pair"]
    at_times = slow_at_times(size, seen, findings.effects, slow, pairs)
    well = np.setdiff1d(np.arange(seen.hosts), list(slow))
    near = _near(at_times, well, findings.effects)
    hidden = [host for host, others in near.items() if len(others) < FEWEST_PARTNERS]
    known = measured_in(size.rows.of_attempt(QUARTER), seen, READINGS).of_hosts
    measured = {(min(a, b), max(a, b)) for a, b in zip(known.frm.tolist(), known.to.tolist(), strict=True)}
    lightly: Pairs = set()
    for host, others in near.items():
        lightly |= drawn(host, others, -(-(ENOUGH - int(at_times.steps[host])) // READINGS), host)
    suspects = {*at_times.suspects, *hidden[:MOST_SUSPECTS]}
    return PairsAtTimes(lightly - measured, _alone(size, seen, findings.effects, slow, suspects))


def _slow_hosts(seen: Readings, findings: Findings, slow_alone: Mapping[Found | Trunk, bool | None]) -> set[int]:
    """The hosts that are slow all the time, or have such a rank; not those that are as fast as others alone."""
    slow = {found.subject[0] for found in findings.bad if found.kind == "host" and slow_alone[found] is not False}
    return slow | {int(seen.host_of[found.subject[0]]) for found in findings.bad if found.kind == "rank"}


def _near(at_times: AtTimes, well: Index, effects: Effects) -> dict[int, Index]:
    """Of each host that has too few steps the other ones, of those that are well, whose links with it would show it."""
    near: dict[int, Index] = {}
    for host in np.flatnonzero(at_times.steps < ENOUGH).tolist():
        others = well[effects.group_of[well] == effects.group_of[host]] if at_times.near_only else well
        near[host] = others[others != host]
    return near


def _alone(size: Size, seen: Readings, effects: Effects, slow: set[int], suspects: set[int]) -> Pairs:
    """Pairs of each suspect that is neither found nor cleared with hosts that are not suspect, and pairs of these."""
    steps = alone_steps(alone_rows(size), seen, effects)
    suspects = (suspects | set(suspects_alone(steps))) - slow
    cleared = (steps.steps >= FEWEST_TO_CLEAR) & (steps.slow_steps == 0) | (steps.steps >= ENOUGH_ALONE)
    found = {one.host for one in find_alone(steps, slow)}
    open_ = [host for host in sorted(suspects - found) if not cleared[host]]
    if not open_:
        return set()
    well = np.setdiff1d(np.arange(seen.hosts), list(slow))
    good = np.setdiff1d(well, list(suspects))
    kind_of = effects.equals.kind_of
    pairs = _controls(good, effects, int(steps.steps.sum()))
    for host in open_:
        like = good[kind_of[good] == kind_of[host]]  # a slower kind hides it
        partners = next((hosts for hosts in (like, good) if len(hosts) >= FEWEST_TO_TELL), well)
        pairs |= drawn(host, partners, PARTNERS, int(steps.steps[host]))
    return pairs


def drawn(host: int, partners: Index, count: int, draw: int) -> Pairs:
    """Pairs of a host with `count` of these partners. `draw`: seeds the choice."""
    some = np.random.default_rng([host, draw]).permutation(partners[partners != host])[:count]
    return {(min(host, other), max(host, other)) for other in some.tolist()}


def _controls(good: Index, effects: Effects, draw: int) -> Pairs:
    """Pairs of hosts that are not suspect, some inside groups and some between them; none of very few hosts."""
    if len(good) < FEWEST_TO_TELL:
        return set()
    some = np.sort(np.random.default_rng(draw).choice(good, (MOST_DRAWN, 2)), axis=1)
    some = some[some[:, 0] < some[:, 1]]
    near = effects.group_of[some[:, 0]] == effects.group_of[some[:, 1]]
    pairs: Pairs = set()
    for of_class in (some[near], some[~near]):
        pairs |= set(list(dict.fromkeys((a, b) for a, b in of_class.tolist()))[:CONTROLS])
    return pairs
