"""Ways between switches that load hides under full load, which show with a quarter of the ranks busy."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.findings import Found
from everylink.judge.judge import judge
from everylink.judge.uplinks import between_parts, is_longer_by_design, slow_uplinks
from everylink.judge.verdict import Side, Verdict
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Rows
from pair_rows import rows_of_pairs, run_of

HOSTS, EACH = 24, 6
GROUP = np.arange(HOSTS) // EACH
TOLD = Grouping(GROUP, ("g0", "g1", "g2", "g3"))
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
ALONE, QUARTERS, ALONES = 100e-6, 6, 10
Mask = NDArray[np.bool_]


def _between(one: range, other: range) -> Mask:
    """Mask of the pairs between two sets of hosts, the first one before the second."""
    return np.asarray(np.isin(PAIRS[:, 0], one) & np.isin(PAIRS[:, 1], other))


def _run(
    slow: Mask, alone: float = 1.5, detours: float = 0.0, far: Mask | None = None, longer: Mask | None = None
) -> Results:
    """A run whose pairs differ by what shares their ways, which hides that the `slow` ones take 1.5 times as long.

    `alone`: how many times as long they take alone, but for that part of the readings, the `detours`; so take many
    pairs with a quarter of the ranks. `far`: pairs that take 2 times as long by design. `longer`: others that take as
    long alone.
    """
    random = np.random.default_rng(4)
    load = np.exp(np.abs(0.3 * random.standard_normal(len(PAIRS))))
    usual = ALONE * np.where(np.zeros(len(PAIRS), bool) if far is None else far, 2.0, 1.0)
    rows = [_rows(usual * load, MAIN, random, turn) for turn in range(3)]
    for turn in range(QUARTERS + ALONES):
        factor = 1.5 if turn < QUARTERS else alone
        here = slow if longer is None or turn < QUARTERS else slow | longer
        times = usual * np.where(here & (random.random(len(PAIRS)) >= detours), factor, 1.0)
        rows.append(_rows(times, QUARTER if turn < QUARTERS else ONE_WAY, random, 3 + turn))
    return run_of(np.arange(HOSTS), (3 + QUARTERS + ALONES) * HOSTS, {1 << 20: rows})


def _rows(times: NDArray[np.float64], attempt: int, random: np.random.Generator, turn: int) -> Rows:
    """Those of each turn are in steps of their own."""
    return rows_of_pairs(PAIRS, times, turn * HOSTS + PAIRS.sum(axis=1) % HOSTS, attempt, 0.005, random)


def _verdict(results: Results, grouping: Grouping | None = TOLD) -> Verdict:
    (verdict,) = judge(results, grouping).verdicts
    return verdict


G0, G1, G2, G3 = (range(first, first + EACH) for first in range(0, HOSTS, EACH))


def test_a_trunk_that_load_hides_is_named_by_what_a_quarter_of_the_ranks_shows() -> None:
    verdict = _verdict(_run(_between(G1, G3)))
    assert (verdict.kind, set(verdict.subject), verdict.symptom) == ("trunk", {"g1", "g3"}, "slow")
    assert verdict.factor == pytest.approx(1.5, rel=0.05)
    assert "take 149.9 us, others 99.94 us" in verdict.evidence


def test_a_trunk_that_is_slow_only_with_others_gets_no_verdict() -> None:
    assert not judge(_run(_between(G1, G3), alone=1.0), TOLD).verdicts


@pytest.mark.long
def test_a_trunk_is_no_slower_alone_than_others_if_a_quarter_of_all_ways_take_as_long() -> None:
    one, several = _between(G0, G2), _between(G0, G2) | _between(G0, G3)
    assert _verdict(_run(_between(G1, G3), longer=one)).kind == "trunk"
    assert not judge(_run(_between(G1, G3), longer=several), TOLD).verdicts


def test_a_trunk_is_slow_alone_though_the_best_readings_took_a_detour() -> None:
    assert _verdict(_run(_between(G1, G3), detours=0.3)).kind == "trunk"
    assert not judge(_run(_between(G1, G3), alone=1.0, detours=0.3), TOLD).verdicts


def test_a_way_between_parts_of_two_groups_that_show_in_the_times_is_named_by_its_hosts() -> None:
    of_four = np.asarray(GROUP[PAIRS[:, 0]] != GROUP[PAIRS[:, 1]])
    verdict = _verdict(_run(_between(range(6, 9), range(21, 24)), far=of_four), None)
    assert (verdict.kind, set(verdict.subject)) == ("trunk", {"n[6-8]", "n[21-23]"})


def test_of_fewer_than_four_groups_that_show_in_the_times_some_of_the_ways_may_be_longer_by_design() -> None:
    both = range(2 * EACH), range(2 * EACH, HOSTS)
    judgement = judge(_run(_between(G1, G3), far=_between(*both)))
    assert not judgement.verdicts
    assert ("trunk", {"n[6-11]", "n[18-23]"}) in [(one.kind, set(one.subject)) for one in judgement.suspects]


def test_nothing_is_slow_in_a_healthy_run() -> None:
    assert not judge(_run(_between(G1, G3) & False), TOLD).verdicts


def _pairs(ends: NDArray[np.int64]) -> list[Found]:
    return [Found("pair", (one, other), Side.BOTH, 0.5, 20.0, 2, 9) for one, other in ends.tolist()]


def _parts_of(
    mask: Mask, others: float = 0.0, groups: tuple[int, ...] = (0, 0, 1, 1)
) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The hosts at the ends of the ways found where the pairs of the mask take exp(0.5) times as long; the `others`
    between the same groups take exp(others) times as long. `groups`: that of each switch."""
    coarse = np.repeat(groups, EACH)
    longer = np.full((HOSTS, HOSTS), others, np.float32)
    longer[tuple(PAIRS[mask].T)] = 0.5
    found = between_parts(_pairs(PAIRS[mask]), coarse, longer)
    ends = (zip(*(sorted(pair.subject) for pair in one.pairs), strict=True) for one in found)
    return {(tuple(sorted(set(one))), tuple(sorted(set(other)))) for one, other in ends}


def test_hosts_of_one_switch_are_those_that_are_slow_with_the_same_others() -> None:
    mask = _between(G0, G2) | _between(G1, G3)
    mask &= ~(PAIRS == (0, 12)).all(axis=1)  # one that did not show
    assert _parts_of(mask) == {(tuple(G0), tuple(G2)), (tuple(G1), tuple(G3))}


def test_no_way_is_made_of_the_pairs_that_happen_to_be_slowest_of_all_between_two_groups() -> None:
    assert _parts_of(_between(G0, G2))
    assert not _parts_of(_between(G0, G2), others=0.4)


def test_hosts_that_are_slow_with_most_others_make_no_way_of_their_own() -> None:
    assert not _parts_of(_between(G0, range(2 * EACH, HOSTS)))


def test_a_way_that_leads_to_single_hosts_too_is_left_to_the_uplink_of_its_group() -> None:
    to_some = _between(range(3), G2)
    assert _parts_of(to_some, groups=(0, 0, 1, 2)) == {(tuple(range(3)), tuple(G2))}
    assert not _parts_of(to_some | _between(G2, range(18, 19)), groups=(0, 0, 1, 2))


def test_ways_over_one_cable_share_an_end_and_are_no_longer_by_design() -> None:
    between = np.zeros((10, 10), np.float32)
    np.fill_diagonal(between, np.nan)
    cable = [(3, 4), (0, 3), (3, 9), (2, 4), (4, 8)]
    for one, other in cable:
        between[one, other] = between[other, one] = 0.6
    assert not is_longer_by_design(0.6, [(3, 4)], between)
    assert is_longer_by_design(0.6, [(0, 3)], between)  # it may be the length of the ways to 4 and from 3
    between[5, 6] = between[6, 5] = between[1, 7] = between[7, 1] = 0.6
    assert is_longer_by_design(0.6, [(3, 4)], between)


@pytest.mark.parametrize(("bad", "ways"), [((0,), [(0, 1)]), ((), [(0, -1)])])
def test_pairs_of_a_host_that_is_slow_itself_hide_no_way_between_two_groups(
    bad: tuple[int, ...], ways: list[tuple[int, int]]
) -> None:
    slow = _between(range(1, EACH), G1) | _between(range(1, EACH), range(2 * EACH, 2 * EACH + 3))
    found = slow_uplinks(_pairs(PAIRS[slow]), GROUP, bad)
    assert [(one.group, one.other) for one in found] == ways
    assert sum(len(one.pairs) + len(one.beside) for one in found) == slow.sum()
