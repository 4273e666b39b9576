"""What is slow alone is named though load hides it: a pair of hosts, a group, or a way between two."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.confirm import plan_to_confirm
from everylink.judge.judge import judge
from everylink.judge.judged import Judged
from everylink.judge.kinds import Kinds
from everylink.judge.trunks import Trunk
from everylink.judge.verdict import Side, Verdict
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Rows
from pair_rows import rows_of_pairs, run_of

HOSTS, BAD = 24, (3, 16)  # a pair that load slows little
MAIN_PASSES, QUARTERS, ALONES = 3, 6, 9
SMALL, LARGE = 1, 1 << 20
USUAL = {SMALL: 1.5e-6, LARGE: 100e-6}
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
Values = NDArray[np.float64]


LOAD = np.exp(np.abs(0.3 * np.random.default_rng(2).standard_normal(len(PAIRS))))


def _run(
    alone: dict[int, Values], alones: int, measured: NDArray[np.bool_] | None = None, load: Values = LOAD
) -> Results:
    """A run of one rank per host. `alone`: by message size, how many times as long each pair takes; `alones`: how often
    all were measured so, or those `measured`; `load`: likewise, what large messages take at least while others are
    sent, which hides much."""
    random, rows = np.random.default_rng(6), dict[int, list[Rows]]()
    attempts = [MAIN] * MAIN_PASSES + [QUARTER] * QUARTERS + [ONE_WAY] * alones
    for size, factor in alone.items():
        for turn, attempt in enumerate(attempts):
            steps = turn * HOSTS + PAIRS.sum(axis=1) % HOSTS
            hides = attempt != ONE_WAY and size == LARGE
            times = USUAL[size] * (np.maximum(load, factor) if hides else factor)
            own = slice(None) if attempt != ONE_WAY or measured is None else measured
            rows.setdefault(size, []).append(rows_of_pairs(PAIRS[own], times[own], steps[own], attempt, 0.005, random))
    return run_of(np.arange(HOSTS), len(attempts) * HOSTS, rows)


def _by_alone(*slow: tuple[int, int], factor: float = 1.5, small: float = 1.0, alones: int = ALONES) -> list[Verdict]:
    """The verdicts by what was measured alone. These pairs are slower by a factor, and another in small messages."""
    is_slow = np.array([pair in slow for pair in map(tuple, PAIRS.tolist())])
    factors = {SMALL: np.where(is_slow, small, 1.0), LARGE: np.where(is_slow, factor, 1.0)}
    return [one for one in judge(_run(factors, alones)).verdicts if one.evidence.startswith("measured alone")]


def test_a_pair_that_is_slow_alone_is_named_though_load_hides_it() -> None:
    (verdict,) = _by_alone(BAD)
    assert (verdict.kind, set(verdict.subject), verdict.symptom) == ("pair", {"n3:3", "n16:16"}, "slow")
    assert verdict.evidence.startswith("measured alone, it takes 1.50x the time of its ends' other links; while all")
    assert verdict.factor == pytest.approx(1.5, rel=0.02)


def test_a_pair_of_which_few_messages_were_sent_alone_is_not_named() -> None:
    """They may have taken a longer way."""
    assert not _by_alone(BAD, alones=4)


def test_a_pair_that_takes_as_many_seconds_longer_in_small_messages_has_a_longer_way() -> None:
    assert not _by_alone(BAD, factor=1.15, small=9.0)


def test_a_pair_that_is_a_little_slower_than_others_differ_is_not_named() -> None:
    assert not _by_alone(BAD, factor=1.06)


def test_many_pairs_that_are_slow_alone_have_something_in_common() -> None:
    assert not _by_alone((1, 2), BAD, (7, 20), (9, 22))


def test_confirm_measures_a_pair_alone_of_which_no_reading_is_short_whatever_load_hides() -> None:
    """Each pair meets others in most steps, so a median tells little; but all meet none in some."""
    factor, random = np.ones(len(PAIRS)), np.random.default_rng(4)
    factor[(np.array(BAD) == PAIRS).all(axis=1)] = 1.5
    rows = []
    for turn, attempt in enumerate([MAIN] * 6 + [QUARTER] * 12):
        load = np.where(random.random(len(PAIRS)) < 0.3, 1.0, random.uniform(1.8, 2.2, len(PAIRS)))
        steps = turn * HOSTS + PAIRS.sum(axis=1) % HOSTS
        rows.append(rows_of_pairs(PAIRS, USUAL[LARGE] * np.maximum(load, factor), steps, attempt, 0.005, random))
    plan = plan_to_confirm(run_of(np.arange(HOSTS), 18 * HOSTS, {LARGE: rows}), None)
    assert BAD in set(map(tuple, plan.pairs["one-way"].tolist()))
    assert len(plan.pairs["one-way"]) < 60


def test_confirm_measures_a_pair_by_ranks_that_are_near_to_the_adapters_of_both_hosts() -> None:
    """Of hosts of two ranks those of the second half have their adapters at the other socket."""
    host_of = np.arange(2 * HOSTS) // 2
    pairs = np.array([pair for pair in itertools.combinations(range(len(host_of)), 2) if pair[0] // 2 != pair[1] // 2])
    times = USUAL[LARGE] * np.where((pairs // 2 == BAD).all(axis=1), 1.5, 1.0)
    steps, random = pairs.sum(axis=1) % len(host_of), np.random.default_rng(4)
    rows = [rows_of_pairs(pairs, times, turn * len(host_of) + steps, MAIN, 0.005, random) for turn in range(3)]
    results = run_of(host_of, 3 * len(host_of), {LARGE: rows})
    is_near = (np.arange(len(host_of)) % 2 == 1) == (host_of >= HOSTS // 2)
    distances = np.where(is_near, 10, 20).astype(np.int32)

    def links(distance: NDArray[np.int32]) -> set[tuple[int, int]]:
        told = replace(results, ranks=replace(results.ranks, numa_distance=distance))
        asked = map(tuple, plan_to_confirm(told, FOUR).pairs["one-way"].tolist())
        return {pair for pair in asked if (pair[0] // 2, pair[1] // 2) == BAD}

    one, other = 2 * BAD[0], 2 * BAD[1]
    assert links(distances) == {(one, other + 1), (one + 1, other)}
    assert links(np.full_like(distances, 10)) == {(one, other), (one + 1, other + 1)}


def _settled(slow: set[tuple[int, int]], alones: int) -> set[tuple[int, int]]:
    """The pairs that --confirm measures alone once more where these are slower than the others, and load hides it."""
    factor = np.where([pair in slow for pair in map(tuple, PAIRS.tolist())], 1.3, 1.0)
    plan = plan_to_confirm(_run({LARGE: factor}, alones), None)
    return set(map(tuple, plan.pairs["one-way"].tolist()))


def test_confirm_measures_few_pairs_that_are_slow_alone_until_they_are_surely_so_whatever_load_hides() -> None:
    assert BAD in _settled({BAD}, alones=3)
    assert BAD not in _settled({BAD}, alones=9)
    assert BAD not in _settled({(1, 2), BAD, (7, 20), (9, 22), (10, 21)}, alones=3)


A_LITTLE = 1.2  # that load hides
FOUR = Grouping(np.arange(HOSTS) // 6, ("leaf0", "leaf1", "leaf2", "leaf3"))
TWELVE = Grouping(np.arange(HOSTS) // 2, tuple(f"leaf{number}" for number in range(HOSTS // 2)))


def _over(*ways: tuple[int, int], leaves: Grouping = FOUR) -> NDArray[np.bool_]:
    """A mask of the pairs between these leaves."""
    return np.array([tuple(ends) in ways for ends in np.sort(leaves.group_of[PAIRS], axis=1).tolist()])


def _parts(
    slow: NDArray[np.bool_], factor: float = 1.5, leaves: Grouping = FOUR, usual: Values | None = None
) -> list[Verdict]:
    """The verdicts by what was measured alone, where these pairs are slower by a factor; `usual`: how many times as
    long each pair takes anyway, of small and of large messages."""
    small, large = np.ones((2, len(PAIRS))) if usual is None else usual
    results = _run({SMALL: small, LARGE: np.where(slow, factor, large)}, ALONES)
    return [one for one in judge(results, leaves).verdicts if one.evidence.startswith("measured alone")]


def _ways(
    slow: NDArray[np.bool_], factor: float = 1.5, leaves: Grouping = FOUR, usual: Values | None = None
) -> list[Verdict]:
    """Those on trunks, which are all."""
    found = _parts(slow, factor, leaves, None if usual is None else np.stack([np.ones(len(PAIRS)), usual]))
    assert all(one.kind == "trunk" for one in found)
    return found


def test_a_way_between_two_leaves_that_is_slow_alone_is_one_verdict() -> None:
    (verdict,) = _ways(_over((0, 2)))
    assert (set(verdict.subject), verdict.direction) == ({"leaf0", "leaf2"}, "both")
    assert verdict.factor == pytest.approx(1.5, rel=0.02)
    assert "the 72 measured connections between the two groups take 1.5" in verdict.evidence


def test_a_way_between_two_leaves_of_two_hosts_is_named_where_leaves_are_told() -> None:
    (verdict,) = _ways(_over((2, 7), leaves=TWELVE), leaves=TWELVE)
    assert (verdict.kind, set(verdict.subject)) == ("trunk", {"leaf2", "leaf7"})


def test_a_way_is_named_alone_though_few_of_the_other_ways_of_its_leaves_were_measured() -> None:
    slow = _over((0, 2))
    measured = slow | (np.arange(len(PAIRS)) % 6 == 0)
    found = judge(_run({SMALL: np.ones(len(PAIRS)), LARGE: np.where(slow, 1.5, 1.0)}, ALONES, measured), FOUR).verdicts
    assert [(one.kind, set(one.subject)) for one in found] == [("trunk", {"leaf0", "leaf2"})]


def test_a_way_that_is_much_slower_than_others_is_named_though_most_pairs_are_slower_than_the_quickest() -> None:
    """A rank on the far socket of a host makes three of four pairs of hosts a little slower."""
    usual = np.where(PAIRS.sum(axis=1) % 4 == 0, 1.0, 1.09)
    (verdict,) = _ways(_over((0, 2)), factor=2.0, usual=usual)
    assert set(verdict.subject) == {"leaf0", "leaf2"}
    assert not _ways(_over((0, 2)), factor=1.13, usual=usual)


RING_LENGTH = np.where(_over((0, 2), (1, 3)), 1.2, 1.0)  # of ways between opposite ones of four leaves


@pytest.mark.parametrize(("longer", "found"), [(RING_LENGTH, {"leaf0", "leaf3"}), (np.ones(len(PAIRS)), set[str]())])
def test_ways_that_may_lead_over_a_slow_one_are_slow_for_it_in_a_ring(longer: Values, found: set[str]) -> None:
    """In one direction, or for half of their pairs."""
    slow = _over((0, 3)) | (_over((0, 2), (1, 3)) & (PAIRS.sum(axis=1) % 2 == 0))
    verdicts = [one for one in _parts(slow, usual=np.stack([longer, np.ones(len(PAIRS))])) if one.kind == "trunk"]
    assert set().union(*(one.subject for one in verdicts)) == found


OF_SWITCH, OF_HALF = PAIRS // 2, PAIRS // (HOSTS // 2)
SWITCH_LENGTH = np.select(  # of two hosts, and halves that are far apart
    [OF_SWITCH[:, 0] == OF_SWITCH[:, 1], OF_HALF[:, 0] == OF_HALF[:, 1]], [1.0, 1.06], 1.6
)


@pytest.mark.parametrize(
    ("longer", "well", "subject"),
    [
        (SWITCH_LENGTH, (), {"n[4-5]", "n[14-15]"}),
        (np.ones(len(PAIRS)), (), {"n4:4", "n14:14"}),  # no switch shows
        (SWITCH_LENGTH, (5, 15), {"n4:4", "n14:14"}),  # one of the pairs beside it
    ],
)
def test_the_way_is_slow_if_pairs_beside_a_slow_one_are_as_slow_alone(
    longer: Values, well: tuple[int, ...], subject: set[str]
) -> None:
    slow = _over((2, 7), leaves=TWELVE) & ~np.isin(PAIRS, well).all(axis=1)
    load = np.where((PAIRS == (4, 14)).all(axis=1), 2.0, 1.6)
    results = _run({SMALL: longer, LARGE: np.where(slow, 1.5, 1.0)}, ALONES, load=load)
    assert [set(one.subject) for one in judge(results).verdicts] == [subject]


@pytest.mark.parametrize("small", [1.28, 1.0])
def test_hosts_behind_a_slow_switch_are_named_alone_though_messages_of_others_that_pass_it_are_as_slow(
    small: float,
) -> None:
    """They are slow in small messages, too, if not with each other."""
    own = np.isin(PAIRS, (6, 7)).any(axis=1) & ~(PAIRS == (6, 7)).all(axis=1)
    passing = _over((0, 8), (0, 9), (0, 10), (1, 8), (1, 9), (1, 10), (4, 8), (4, 9), leaves=TWELVE)
    factors = {SMALL: np.where(own, small, 1.0), LARGE: np.where(own | passing, 1.5, 1.0)}
    found = {host for one in judge(_run(factors, ALONES)).verdicts if one.kind == "host" for host in one.subject}
    assert found == ({"n6", "n7"} if small > 1 else set())


TWO_KINDS = (np.arange(HOSTS) % 6 < 2).astype(np.int64)  # of each leaf, two hosts have adapters of half the rate
OF_SLOWER_KIND = TWO_KINDS[PAIRS].any(axis=1)


@pytest.mark.parametrize(
    ("ways", "kind", "subject", "links"),
    [([(0, 2)], "trunk", {"leaf0", "leaf2"}, 32), ([(0, 1), (0, 2), (0, 3)], "group", {"leaf0"}, 96)],
)
def test_what_is_slow_is_named_though_links_with_a_slower_kind_of_hosts_take_longer_anyway(
    monkeypatch: pytest.MonkeyPatch, ways: list[tuple[int, int]], kind: str, subject: set[str], links: int
) -> None:
    kinds = Kinds(TWO_KINDS, ("fast", "slow"), told=True)
    monkeypatch.setattr("everylink.judge.judge.kinds_of", lambda results: kinds)
    usual = np.stack([np.ones(len(PAIRS)), np.where(OF_SLOWER_KIND, 2.0, 1.0)])
    (verdict,) = _parts(_over(*ways) & ~OF_SLOWER_KIND, A_LITTLE, usual=usual)
    assert (verdict.kind, set(verdict.subject), verdict.links) == (kind, subject, links)


def test_a_way_of_which_some_links_are_well_is_not_named_as_a_whole() -> None:
    assert not _ways(_over((0, 2)) & (PAIRS[:, 0] != 1))


FROM_FIRST = _over((0, 1), (0, 2), (0, 3))


def test_ways_that_are_slow_from_one_leaf_to_all_are_one_verdict_on_the_leaf() -> None:
    (verdict,) = _parts(FROM_FIRST, A_LITTLE)
    assert (verdict.kind, verdict.subject) == ("group", ("leaf0",))
    assert verdict.evidence.startswith(
        "measured alone, its 216 connections to other groups take 1.20x the time of those"
    )


def test_a_leaf_of_which_mostly_links_with_slow_hosts_were_measured_alone_is_not_slow() -> None:
    slow = np.isin(PAIRS, (12, 13, 14)).any(axis=1)
    measured = (slow & _over((0, 2))) | ((np.arange(len(PAIRS)) % 10 == 0) & ~_over((0, 3)))
    results = _run({SMALL: np.ones(len(PAIRS)), LARGE: np.where(slow, 2.0, 1.0)}, ALONES, measured)
    found = judge(results, FOUR).verdicts
    assert {"n12", "n13", "n14"} <= {host for one in found for host in one.subject}
    assert not any(one.kind == "group" and set(one.subject) & {"leaf0", "n0"} for one in found)


@pytest.mark.parametrize(("ends", "found"), [([(0, 1), (0, 2)], {"group"}), ([(0, 1), (1, 2)], {"group", "trunk"})])
def test_a_leaf_that_is_slow_alone_is_named_in_place_of_those_of_its_ways_that_load_shows(
    monkeypatch: pytest.MonkeyPatch, ends: list[tuple[int, int]], found: set[str]
) -> None:
    trunks = [
        Trunk(one, far, tuple(range(6 * far, 6 * far + 6)), (), Side.BOTH, np.log(A_LITTLE), 50.0, 72)
        for one, far in ends
    ]
    monkeypatch.setattr(Judged, "trunks", property(lambda judged: trunks if judged.size.bytes == LARGE else []))
    results = _run({SMALL: np.ones(len(PAIRS)), LARGE: np.where(FROM_FIRST, A_LITTLE, 1.0)}, ALONES)
    assert {one.kind for one in judge(results, FOUR).verdicts} == found


def test_hosts_of_a_leaf_that_are_as_slow_with_each_other_are_no_slow_leaf() -> None:
    hosts = _over((0, 0), (0, 1), (0, 2), (0, 3))
    assert not [one for one in _parts(hosts, A_LITTLE) if one.kind == "group"]


def test_a_leaf_is_not_slow_if_only_its_hosts_of_one_kind_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are of a slower kind, with which these are well."""
    monkeypatch.setattr("everylink.judge.judge.kinds_of", lambda results: Kinds(TWO_KINDS, ("fast", "slow"), told=True))
    slow = np.isin(PAIRS, range(2, 6)).any(axis=1) | OF_SLOWER_KIND
    results = _run({SMALL: np.ones(len(PAIRS)), LARGE: np.where(slow, 2.0, 1.0)}, ALONES)
    assert [one.subject for one in judge(results, FOUR).verdicts] == [("n2", "n3", "n4", "n5")]


@pytest.mark.parametrize("slow", [(2, 3, 4, 5), (2, 3, 4)])
def test_hosts_of_a_leaf_that_look_slow_in_small_messages_are_not_the_whole_leaf(
    monkeypatch: pytest.MonkeyPatch, slow: tuple[int, ...]
) -> None:
    """Large ones tell nothing of its older hosts, which take twice the time with all; of four newer ones, one may be
    well."""
    monkeypatch.setattr("everylink.judge.judge.kinds_of", lambda results: Kinds(TWO_KINDS, ("fast", "slow"), told=True))
    of_slow = np.isin(PAIRS, slow).any(axis=1)
    large = np.where(OF_SLOWER_KIND, 2.0, np.where(of_slow, 1.5, 1.0))
    results = _run({SMALL: np.where(of_slow, 1.12, 1.0), LARGE: large}, ALONES)
    found = judge(results, FOUR).verdicts
    assert {host for one in found for host in one.subject} == {f"n{host}" for host in slow}


def test_one_of_three_leaves_that_is_slow_alone_may_be_further_away() -> None:
    three = Grouping(np.arange(HOSTS) // 8, ("leaf0", "leaf1", "leaf2"))
    assert not _parts(_over((0, 1), (0, 2), leaves=three), A_LITTLE, three)


def test_a_leaf_that_is_well_alone_with_another_one_is_near_to_fewer() -> None:
    six = Grouping(np.arange(HOSTS) // 4, tuple(f"leaf{number}" for number in range(6)))
    four, fifth = _over((0, 1), (0, 2), (0, 3), (0, 4), leaves=six), _over((0, 5), leaves=six)
    assert [one.subject for one in _parts(four | fifth, A_LITTLE, six)] == [("leaf0",)]
    assert not [one for one in _parts(four, A_LITTLE, six) if one.kind == "group"]


def test_a_leaf_that_takes_as_many_seconds_longer_in_small_messages_is_further_away() -> None:
    usual = np.stack([np.where(FROM_FIRST, 9.0, 1.0), np.where(FROM_FIRST, A_LITTLE, 1.0)])
    assert not _parts(np.zeros(len(PAIRS), bool), usual=usual)


def test_the_only_pair_inside_a_leaf_that_is_slow_alone_is_named() -> None:
    """Its hosts have no other link of this class, but are well with others."""
    slow = (PAIRS == (6, 7)).all(axis=1)
    usual = np.where(PAIRS[:, 0] // 2 == PAIRS[:, 1] // 2, 1.0, 1.2)
    results = _run({SMALL: np.ones(len(PAIRS)), LARGE: np.where(slow, 1.5, usual)}, ALONES)
    (verdict,) = judge(results, TWELVE).verdicts
    assert (verdict.kind, set(verdict.subject)) == ("pair", {"n6:6", "n7:7"})
