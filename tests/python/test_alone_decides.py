"""What links take alone decides about what is slow with all others, with some of them, or only while others measure."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.io.foreign import bare_ranks
from everylink.judge.confidence import LESS
from everylink.judge.confirm import plan_to_confirm
from everylink.judge.findings import Found, find
from everylink.judge.judge import judge
from everylink.judge.kinds import Equals, Kinds, equals_for, kinds_of, levelled
from everylink.judge.phases import alone_rows, measured_in
from everylink.judge.readings import readings
from everylink.judge.verdict import Scope, Side
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import MAIN, ONE_WAY, QUARTER, Rows, chosen
from pair_rows import rows_of_pairs, run_of

HOSTS, BAD = 24, 5
PAIRS = np.array(list(itertools.combinations(range(HOSTS), 2)))
USUAL, MAIN_PASSES, QUARTERS, ALONES = 100e-6, 3, 6, 9
OF_BAD = np.isin(PAIRS, BAD).any(axis=1)
PARTNER = PAIRS.sum(axis=1) - BAD  # of the bad host, where it is one of the pair
FOUR = Grouping(np.arange(HOSTS) // 6, ("leaf0", "leaf1", "leaf2", "leaf3"))
Values = NDArray[np.float64]


def _run(main: list[Values], quarter: Values, alone: Values) -> Results:
    """A run of one rank per host. `main`: by pass, `quarter`, `alone`: how many times as long each pair takes."""
    random, rows = np.random.default_rng(6), []
    factors = [*main, *[quarter] * QUARTERS, *[alone] * ALONES]
    attempts = [MAIN] * len(main) + [QUARTER] * QUARTERS + [ONE_WAY] * ALONES
    for turn, (factor, attempt) in enumerate(zip(factors, attempts, strict=True)):
        steps = turn * HOSTS + PAIRS.sum(axis=1) % HOSTS
        rows.append(rows_of_pairs(PAIRS, USUAL * factor, steps, attempt, 0.005, random))
    return run_of(np.arange(HOSTS), len(factors) * HOSTS, {1 << 20: rows})


def _of_main(results: Results) -> Results:
    """The main run alone."""
    return replace(results, sizes=tuple(replace(size, rows=size.rows.of_attempt(MAIN)) for size in results.sizes))


def _of_one_byte(results: Results) -> Results:
    """The same times, of messages that show no bandwidth."""
    return replace(results, sizes=tuple(replace(size, bytes=1) for size in results.sizes))


def _shared(scatter: float = 0.3) -> list[Values]:
    """Passes of a main run in which ways are shared, which hides much."""
    load = np.exp(np.abs(scatter * np.random.default_rng(2).standard_normal(len(PAIRS))))
    return [load] * MAIN_PASSES


def _pair(rows: Rows) -> NDArray[np.int64]:
    """Of each row, the place of its pair in PAIRS."""
    places = np.zeros((HOSTS, HOSTS), np.int64)
    places[PAIRS[:, 0], PAIRS[:, 1]] = places[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(len(PAIRS))
    return places[rows.frm, rows.to]


def _with_newer(monkeypatch: pytest.MonkeyPatch, newer: list[int], hosts: int = HOSTS) -> NDArray[np.int64]:
    """The kind of each host, of which these are newer ones; runs are judged by it."""
    kind_of = (~np.isin(np.arange(hosts), newer)).astype(np.int64)
    monkeypatch.setattr("everylink.judge.judge.kinds_of", lambda results: Kinds(kind_of, ("new", "old"), told=True))
    return kind_of


NONE = np.ones(len(PAIRS))


def test_a_host_that_is_slow_alone_with_all_others_is_named_though_load_hides_it() -> None:
    (verdict,) = judge(_run(_shared(), NONE, np.where(OF_BAD, 1.4, 1.0))).verdicts
    assert (verdict.kind, verdict.subject, verdict.symptom) == ("host", ("n5",), "slow")
    assert verdict.evidence.startswith("measured alone, its 16 connections take 1.40x the time of those of other hosts")


@pytest.mark.parametrize(
    ("alone", "in_small", "is_named"),
    [(1.1, False, False), (1.18, False, True), (1.18, True, False), (1.5, True, True)],
)
def test_a_host_behind_a_switch_of_its_own_that_is_a_little_slow_is_named_if_it_is_slower_alone(
    alone: float, in_small: bool, is_named: bool
) -> None:
    """Other jobs may load its uplinks a little, and a switch more lengthens small messages."""
    leaves = Grouping(np.append(np.arange(HOSTS - 1) // 6, 4), ("leaf0", "leaf1", "leaf2", "leaf3", "leaf4"))
    of_last = (PAIRS == HOSTS - 1).any(axis=1)
    loaded, slower = np.where(of_last, 1.1, 1.0), np.where(of_last, alone, 1.0)
    run = _run([loaded] * MAIN_PASSES, loaded, slower)
    found = judge(_of_one_byte(run) if in_small else run, leaves)
    assert [one.subject for one in found.verdicts] == [("n23",)] * is_named
    assert any(one.subject == ("n23",) for one in (*found.verdicts, *found.suspects))


@pytest.mark.parametrize(("alone", "is_named"), [(1.0, False), (1.12, True)])
def test_a_host_that_only_few_links_show_to_be_slow_is_named_if_all_do_alone(alone: float, is_named: bool) -> None:
    """Under load, links between leaves of four differ, which hides it there."""
    leaves = Grouping(np.arange(HOSTS) // 4, tuple(f"leaf{number}" for number in range(6)))
    far = np.where(PAIRS[:, 0] // 4 == PAIRS[:, 1] // 4, 1.0, 1.4)
    load = np.where(far > 1, np.exp(0.08 * np.random.default_rng(3).standard_normal(len(PAIRS))), 1.0)
    loaded, slower = (far * np.where(OF_BAD, factor, 1.0) for factor in (1.12, alone))
    results = _run([loaded * load] * MAIN_PASSES, loaded * load, slower)
    small = _of_one_byte(results)
    assert [one.subject for one in judge(small, leaves).verdicts] == [("n5",)] * is_named


def test_three_hosts_that_are_slow_alone_are_named_though_each_is_compared_with_links_of_the_others() -> None:
    several = [5, 11, 17]
    verdicts = judge(_run(_shared(), NONE, np.where(np.isin(PAIRS, several).any(axis=1), 1.4, 1.0))).verdicts
    assert {verdict.subject for verdict in verdicts} == {(f"n{host}",) for host in several}


def test_pairs_that_were_measured_alone_for_being_slow_do_not_make_a_host_slow() -> None:
    """Nothing is known of the others, alone."""
    slow = OF_BAD & (PARTNER > 13)
    results = _run([np.where(slow, 1.4, 1.0)] * MAIN_PASSES, NONE, np.where(slow, 1.4, 1.0))
    (size,) = results.sizes
    unknown = np.isin(size.rows.frm, BAD) != np.isin(size.rows.to, BAD)
    unknown &= (size.rows.attempt == ONE_WAY) & (size.rows.frm + size.rows.to - BAD <= 13)
    some = replace(size, rows=chosen(size.rows, ~unknown))
    assert not any("measured alone" in one.evidence for one in judge(replace(results, sizes=(some,))).verdicts)


@pytest.mark.parametrize("well", [8, 3])
def test_a_host_that_is_well_alone_with_a_few_others_is_not(well: int) -> None:
    """Those behind its own switch, for instance: what others lies behind it is slow."""
    factor = np.where(OF_BAD & ~np.isin(PARTNER, range(well + 1)), 1.4, 1.0)
    seen = judge(_run([factor] * MAIN_PASSES, factor, factor))
    assert not any(verdict.kind == "host" for verdict in seen.verdicts)
    assert any("n5" in " ".join(suspect.subject) for suspect in seen.suspects)


@pytest.mark.parametrize(("of_near", "is_named"), [(1.0, False), (1.06, True)])
def test_a_host_is_named_whose_short_links_take_longer_too_where_no_groups_show(of_near: float, is_named: bool) -> None:
    """Each host is near to six others, as in a torus, and these are far from each other."""
    is_near = np.isin((PAIRS[:, 1] - PAIRS[:, 0]) % HOSTS, (1, 4, 9, HOSTS - 1, HOSTS - 4, HOSTS - 9))
    factor = np.where(is_near, 1.0, 1.4) * np.where(OF_BAD, np.where(is_near, of_near, 1.06), 1.0)
    run = _run([factor] * MAIN_PASSES, factor, factor)
    small = _of_one_byte(run)
    assert [one.subject for one in judge(small).verdicts] == [("n5",)] * is_named


@pytest.mark.parametrize("is_twin", [False, True])
def test_a_host_that_is_a_little_slow_is_named_though_a_link_looks_well_unless_the_other_end_is_as_slow(
    is_twin: bool,
) -> None:
    """A switch that leads to both would be on the ways of both."""
    own = OF_BAD | (np.isin(PAIRS, 20).any(axis=1) if is_twin else False)
    factor = np.where(own & ~(PAIRS == (5, 20)).all(axis=1), 1.08, 1.0)
    seen = judge(_run([factor] * MAIN_PASSES, factor, factor))
    assert [one.subject for one in seen.verdicts] == ([] if is_twin else [("n5",)])
    assert ("n20",) in {one.subject for one in seen.suspects} or not is_twin


def test_a_host_that_shows_to_be_slow_inside_its_leaf_only_is_measured_alone_with_some_others() -> None:
    """Under load, its links with other leaves take as long as those of others."""
    far = FOUR.group_of[PAIRS[:, 0]] != FOUR.group_of[PAIRS[:, 1]]
    main = _of_main(_run([np.where(far, 2.0, np.where(OF_BAD, 1.3, 1.0))] * MAIN_PASSES, NONE, NONE))
    pairs = plan_to_confirm(main, FOUR).pairs["one-way"].tolist()
    asked = {other for pair in pairs if BAD in pair for other in pair} - {BAD}
    assert asked > set(np.flatnonzero(FOUR.group_of == FOUR.group_of[BAD]).tolist()) - {BAD}
    assert len(asked) >= 8


@pytest.mark.parametrize("ends", [1, 2])
def test_a_host_with_two_slow_pairs_is_measured_alone_with_others(ends: int) -> None:
    """Neither host of a single slow pair is. Of other pairs only controls were measured alone."""
    slow = OF_BAD & np.isin(PARTNER, [3, 4][:ends])
    factor = np.where(slow, 1.5, 1.0)
    run = _run([factor] * 8, factor, factor)
    (size,) = run.sizes
    known = slow | np.isin(PAIRS, [0, 1, 2, 6, 7, 8]).all(axis=1)
    some = (size.rows.attempt == MAIN) | known[_pair(size.rows)]
    run = replace(run, sizes=(replace(size, rows=chosen(size.rows, some)),))
    pairs = plan_to_confirm(run, FOUR).pairs["one-way"].tolist()
    asked = {other for pair in pairs if BAD in pair for other in pair} - {BAD, 3, 4}
    assert (len(asked) >= 8) == (ends > 1)


@pytest.mark.parametrize(
    ("oldest", "well", "factor"), [(6, 0, 1.1), (6, 1, 1.1), (3, 0, 1.1), (2, 0, 1.4), (2, 1, 1.4)]
)
def test_a_host_that_is_slow_alone_with_all_that_could_show_it_is_named_though_they_are_few(
    monkeypatch: pytest.MonkeyPatch, oldest: int, well: int, factor: float
) -> None:
    """Those of a slower kind could not. Of fewer than five, which show it clearly."""
    kind_of = _with_newer(monkeypatch, [*range(oldest + 1), BAD])
    slower = kind_of[PAIRS].any(axis=1)
    alone = np.where(slower, 2.0, np.where(OF_BAD & (well <= PARTNER), factor, 1.0))
    found = judge(
        _run([load * np.where(slower, 2.0, 1.0) for load in _shared(0.05)], np.where(slower, 2.0, 1.0), alone)
    )
    named = not well and (oldest > 5 or factor > 1.2)
    assert [one.subject for one in found.verdicts] == ([("n5",)] if named else [])


@pytest.mark.parametrize("measured", [2, 3])
def test_a_host_whose_links_look_slow_is_named_if_all_that_could_show_it_were_measured(
    monkeypatch: pytest.MonkeyPatch, measured: int
) -> None:
    """Two of three look slow. Where the third was not measured alone, they were chosen since they do."""
    kind_of = _with_newer(monkeypatch, [0, 1, 2, BAD])
    older = kind_of[PAIRS].any(axis=1)
    quiet = np.where(older, 2.0, np.where(OF_BAD, 1.4, 1.0))
    main = [np.where(OF_BAD & (PARTNER == 2), 1.0, quiet)] * 8
    run = _run(main, quiet, quiet)
    (size,) = run.sizes
    some = (size.rows.attempt == MAIN) | ~(OF_BAD & (PARTNER == 2) & (measured < 3))[_pair(size.rows)]
    seen = judge(replace(run, sizes=(replace(size, rows=chosen(size.rows, some)),)))
    named = {one.subject for one in seen.verdicts if one.kind == "host"}
    assert named == ({("n5",)} if measured == 3 else set())


def test_links_with_groups_that_load_makes_slow_tell_of_a_host_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the newer hosts, which could show it, are in these two."""
    kind_of = _with_newer(monkeypatch, [4, BAD, 9, 10, 11, 15, 16, 17, 22, 23])
    older, loaded = kind_of[PAIRS].any(axis=1), np.isin(FOUR.group_of, [1, 2])[PAIRS].any(axis=1)
    far = FOUR.group_of[PAIRS[:, 0]] != FOUR.group_of[PAIRS[:, 1]]
    quiet = np.where(older, 2.0, 1.0)
    main = [quiet * np.where(far, 1.3 + 0.3 * loaded, 1.0) * noise for noise in _shared(0.05)]
    seen = judge(_run(main, quiet, np.where(OF_BAD & ~older, 1.4, quiet)), FOUR)
    assert [one.subject for one in seen.verdicts] == [("n5",)]


def test_older_hosts_of_its_leaf_do_not_tell_that_a_newer_one_is_well_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """All links with these take as long. One other host of its leaf is newer, and six of other leaves."""
    kind_of = _with_newer(monkeypatch, [4, BAD, 10, 11, 16, 17, 22, 23])
    far = FOUR.group_of[PAIRS[:, 0]] != FOUR.group_of[PAIRS[:, 1]]
    factor = np.where(kind_of[PAIRS].any(axis=1), 2.0, np.where(OF_BAD, 1.5, 1.0)) * np.where(far, 1.2, 1.0)
    seen = judge(_run([factor] * MAIN_PASSES, factor, factor), FOUR)
    assert [(one.subject, one.scope) for one in seen.verdicts] == [(("n5",), Scope.ALL)]


@pytest.mark.parametrize(("with_others", "named"), [(1.3, ["n14"]), (1.6, ["n14", "n15"])])
def test_a_host_that_is_slow_with_its_own_kind_only_in_small_messages_may_be_far_from_it(
    monkeypatch: pytest.MonkeyPatch, with_others: float, named: list[str]
) -> None:
    """What is slow adds to each small message, as at n14. The last two hosts of the second leaf, and all behind
    switches of their own, are newer; the older kind takes 1.3 times as long with all, as n15 does with the newer."""
    leaves = Grouping(np.array([*[0] * 8, *[1] * 8, *range(2, 10)]), tuple(f"leaf{number}" for number in range(10)))
    kind_of = (np.arange(HOSTS) >= 14).astype(np.int64)
    monkeypatch.setattr("everylink.judge.judge.kinds_of", lambda results: Kinds(kind_of, ("old", "new"), told=True))
    newer, (of_14, of_15) = kind_of[PAIRS].all(axis=1), (np.isin(PAIRS, host).any(axis=1) for host in (14, 15))
    factor = np.where(newer, np.where(of_14 | of_15, 1.3, 1.0), np.where(of_15, with_others, 1.3))
    factor = np.where(of_14, 1.5 * factor, factor)
    run = _run([factor] * MAIN_PASSES, factor, factor)
    small = _of_one_byte(run)
    assert sorted(host for one in judge(small, leaves).verdicts for host in one.subject) == named


def test_a_host_that_was_measured_alone_with_a_slow_group_only_is_not_accused() -> None:
    leaves = Grouping(np.repeat(range(5), [4, 4, 8, 4, 4]), tuple(f"leaf{number}" for number in range(5)))
    one, other = np.isin(PAIRS, range(8, 16)).T
    far = np.where(one != other, 1.5, 1.0)
    results = _run([far] * MAIN_PASSES, far, far)
    (size,) = results.sizes
    unknown = (OF_BAD & ~(one | other))[_pair(size.rows)] & (size.rows.attempt == ONE_WAY)
    seen = judge(replace(results, sizes=(replace(size, rows=chosen(size.rows, ~unknown)),)), leaves)
    assert [verdict.subject for verdict in seen.verdicts] == [("leaf2",)]


def test_a_host_that_differs_as_little_as_others_do_alone_gets_no_verdict() -> None:
    factor = np.where(OF_BAD, 1.06, 1.0)
    vary = np.exp(0.05 * np.random.default_rng(8).random(HOSTS))[PAIRS].max(axis=1)
    assert [one.subject for one in judge(_run([factor] * MAIN_PASSES, NONE, factor)).verdicts] == [("n5",)]
    assert not judge(_run([factor] * MAIN_PASSES, NONE, np.maximum(factor, vary))).verdicts


def test_hosts_are_well_alone_with_groups_that_nothing_else_tells_of() -> None:
    """All links of a group that looks slow lead to others that do, but those to few hosts. One host is slow alone."""
    slow_alone, looking_slow = 6, range(6, 12)
    run = _run([NONE] * MAIN_PASSES, NONE, np.where(np.isin(PAIRS, slow_alone).any(axis=1), 1.5, 1.0))
    (size,) = run.sizes
    seen = readings(run, size)
    findings = find(seen, Equals.of_groups(FOUR.group_of))
    groups = [Found("group", (group,), Side.BOTH, 0.3, 20.0, 200) for group in (0, 2, 3)]
    hosts = [Found("host", (host,), Side.BOTH, 0.5, 30.0, 20) for host in looking_slow]
    slow = measured_in(alone_rows(size), seen).are_slow(replace(findings, bad=(*groups, *hosts)))
    assert {one.subject[0] for one in hosts if slow[one] is False} == {*looking_slow} - {slow_alone}
    assert slow[hosts[0]] is not False


def test_a_host_of_which_only_ranks_at_a_far_socket_were_measured_is_not_slow() -> None:
    """Of most pairs of hosts ranks at both sockets were, which tells what the far one adds."""
    hosts, random = 16, np.random.default_rng(9)
    pairs = np.array([(2 * a + k, 2 * b + k) for a, b in itertools.combinations(range(hosts), 2) for k in (0, 1)])
    times = USUAL * np.where(pairs[:, 0] % 2 == 1, 1.3, 1.0)
    is_far_only = (pairs // 2 == BAD).any(axis=1) & (pairs[:, 0] % 2 == 0)
    rows = [rows_of_pairs(pairs, times, turn * 400 + np.arange(len(pairs)), MAIN, 0.005, random) for turn in range(3)]
    some = ~is_far_only
    rows += [
        rows_of_pairs(pairs[some], times[some], turn * 400 + np.arange(some.sum()), ONE_WAY, 0.005, random)
        for turn in range(3, 6)
    ]
    results = run_of(np.arange(2 * hosts) // 2, 6 * 400, {1 << 20: rows})
    (size,) = results.sizes
    equals = equals_for(results, np.zeros(hosts, np.int64), kinds_of(results))
    seen = levelled(readings(results, size), equals)
    alone = measured_in(alone_rows(size), seen)
    host = Found("host", (BAD,), Side.BOTH, 0.0, 0.0, 0)
    assert seen.places is not None
    assert alone.slow_with(host, find(seen, equals)).slow == 0
    assert BAD not in alone.hosts_that_tell()
    assert BAD + 1 in alone.hosts_that_tell()


def test_what_the_ranks_of_a_host_take_with_each_other_alone_says_nothing_of_links_between_hosts() -> None:
    random = np.random.default_rng(9)
    pairs = np.array(list(itertools.combinations(range(2 * HOSTS), 2)))
    times = USUAL * np.where(pairs[:, 0] // 2 == pairs[:, 1] // 2, 0.2, 1.0)
    rows = [rows_of_pairs(pairs, times, turn, attempt, 0.005, random) for turn, attempt in enumerate((MAIN, ONE_WAY))]
    results = run_of(np.arange(2 * HOSTS) // 2, 2, {1 << 20: rows})
    (size,) = results.sizes
    alone = measured_in(alone_rows(size), readings(results, size))
    assert len(alone.of_hosts.time) == HOSTS * (HOSTS - 1)
    assert (alone.of_hosts.frm != alone.of_hosts.to).all()
    assert len(alone.of_ranks.time) == 2 * len(pairs)


def test_hosts_that_are_slower_only_while_all_measure_are_no_other_kind() -> None:
    edge = np.isin(PAIRS, range(8)).any(axis=1)
    loaded = [np.where(edge, 1.3, 1.0)] * MAIN_PASSES
    assert kinds_of(_run(loaded, NONE, np.where(edge, 1.3, 1.0))).count == 2
    assert kinds_of(_run(loaded, NONE, NONE)).count == 1


def test_hosts_at_the_ends_of_a_slow_way_are_no_other_kind() -> None:
    """Of two thirds of all hosts most pairs are slow, and a third of each one's, but none with the others."""
    between = (np.sort(PAIRS // 8, axis=1) == (0, 2)).all(axis=1)
    way = np.where(between, 1.5, 1.0)
    assert kinds_of(_of_main(_run([way] * MAIN_PASSES, way, way))).count == 1


def test_a_host_that_is_slow_at_times_only_while_others_measure_is_a_suspect() -> None:
    random = np.random.default_rng(3)
    main = [np.where(OF_BAD & (random.random(len(PAIRS)) < 0.2), 1.5, 1.0) for _ in range(MAIN_PASSES)]
    seen = judge(_run(main, NONE, NONE))
    assert not seen.verdicts
    assert (("n5",), "intermittent") in [(one.subject, one.symptom) for one in seen.suspects]
    without = _of_main(_run(main, NONE, NONE))
    assert [(one.subject, one.symptom) for one in judge(without).verdicts] == [(("n5",), "intermittent")]


def test_a_host_that_is_slow_alone_only_with_one_that_is_slow_at_times_is_a_suspect() -> None:
    random, one_by_one = np.random.default_rng(0), np.arange(len(PAIRS))
    of_slow = np.isin(PAIRS, 20).any(axis=1)

    def at_times(often: Values) -> Values:
        return USUAL * np.where(random.random(len(PAIRS)) < often, 1.5, 1.0)

    rows = []
    for turn in range(MAIN_PASSES):
        times = at_times(np.where(of_slow, 0.3, np.where(OF_BAD, 0.1, 0.0)))
        rows.append(rows_of_pairs(PAIRS, times, turn * HOSTS + PAIRS.sum(axis=1) % HOSTS, MAIN, 0.005, random))
    for turn in range(3):
        often = np.where(of_slow, np.where(OF_BAD, 0.9, 0.3), 0.0)
        steps = (MAIN_PASSES + turn) * len(PAIRS) + one_by_one
        rows.append(rows_of_pairs(PAIRS, at_times(often), steps, ONE_WAY, 0.005, random))
    seen = judge(run_of(np.arange(HOSTS), (MAIN_PASSES + 3) * len(PAIRS), {1 << 20: rows}))
    assert [(one.subject, one.symptom) for one in seen.verdicts] == [(("n20",), "intermittent")]
    assert (("n5",), "intermittent") in [(one.subject, one.symptom) for one in seen.suspects]


def test_a_host_of_which_load_makes_a_rank_look_slow_may_be_slow_at_times() -> None:
    random, each = np.random.default_rng(8), 2
    every = np.array(list(itertools.combinations(range(each * HOSTS), 2)))
    ranks = every[np.diff(every // each, axis=1)[:, 0] > 0]
    of_rank, of_host = np.isin(ranks, each * BAD).any(axis=1), np.isin(ranks // each, BAD).any(axis=1)

    def judged(often: float) -> list[tuple[tuple[str, ...], str]]:
        one_by_one, main = np.arange(len(ranks)), np.where(of_rank, 1.3, 1.0)
        rows = [rows_of_pairs(ranks, USUAL * main, turn, MAIN, 0.005, random) for turn in range(MAIN_PASSES)]
        for turn in range(MAIN_PASSES, MAIN_PASSES + 3):
            alone = np.where(of_host & (random.random(len(ranks)) < often), 1.5, 1.0)
            steps = turn * len(ranks) + one_by_one
            rows.append(rows_of_pairs(ranks, USUAL * alone, steps, ONE_WAY, 0.005, random))
        run = run_of(np.arange(each * HOSTS) // each, (MAIN_PASSES + 3) * len(ranks), {1 << 20: rows})
        return [(one.subject, one.symptom) for one in judge(run).verdicts]

    assert judged(0.3) == [(("n5",), "intermittent")]
    assert judged(0.0) == []


@pytest.mark.parametrize(("own", "others", "symptoms"), [(2.0, 1.0, {"drifting"}), (1.0, 0.5, set())])
def test_a_host_drifts_if_it_becomes_slower_and_not_if_the_others_become_faster(
    own: float, others: float, symptoms: set[str]
) -> None:
    main = []
    for turn in range(MAIN_PASSES):
        part = turn / (MAIN_PASSES - 1)
        main.append(np.where(OF_BAD, 2.0 * own**part, 2.0 * others**part))
    assert {one.symptom for one in judge(_run(main, NONE, NONE)).verdicts} == symptoms


@pytest.mark.parametrize(("far_alone", "named"), [(1.0, [("n5",)]), (1.5, [])])
def test_a_host_that_takes_what_links_between_groups_take_may_be_in_no_group_unless_these_are_quick_alone(
    far_alone: float, named: list[tuple[str, ...]]
) -> None:
    far = (PAIRS[:, 0] // 8) != (PAIRS[:, 1] // 8)
    loaded = np.where(far | OF_BAD, 1.5, 1.0)
    alone = np.where(OF_BAD, 1.5, np.where(far, far_alone, 1.0))
    further = np.where(far, 2.0, 1.0)  # in small messages, which show the groups
    run, small = _run([loaded] * MAIN_PASSES, alone, alone), _run([further] * MAIN_PASSES, further, further)
    both = replace(run, sizes=(replace(small.sizes[0], bytes=1), *run.sizes))
    assert [one.subject for one in judge(both).verdicts] == named


def test_a_host_that_is_slow_alone_with_others_as_well_is_not_just_in_no_group() -> None:
    """Though load makes it look as slow inside its group as links between groups are, and no slower with others."""
    far = (PAIRS[:, 0] // 8) != (PAIRS[:, 1] // 8)
    loaded, alone = np.where(far | OF_BAD, 1.5, 1.0), np.where(far, 1.5, 1.0) * np.where(OF_BAD, 1.3, 1.0)
    run = _of_one_byte(_run([loaded] * MAIN_PASSES, alone, alone))
    assert [one.subject for one in judge(run).verdicts] == [("n5",)]


def test_a_host_of_a_group_that_is_further_from_others_is_not_slow_with_these() -> None:
    """A further switch leads to all of the group, and another one to this host."""
    own, far = np.isin(PAIRS, range(8)).any(axis=1), (PAIRS[:, 0] // 8) != (PAIRS[:, 1] // 8)
    times = np.where(far, np.where(own, 1.6, 1.4), np.where(OF_BAD, 1.26, 1.0))
    assert not judge(_of_one_byte(_run([times] * MAIN_PASSES, times, times))).verdicts


def test_a_group_of_half_of_the_hosts_may_be_how_the_others_differ() -> None:
    """So it is named only among smaller ones."""
    half = np.isin(PAIRS, range(12))
    far = np.where(half[:, 0] != half[:, 1], 1.5, 1.0)
    three = Grouping(np.repeat([0, 1, 2], [12, 6, 6]), ("half", "leaf0", "leaf1"))
    assert not any(one.kind == "group" for one in judge(_run([far] * 3, far, far), three).verdicts)
    leaf = np.isin(PAIRS, range(6))
    far = np.where(leaf[:, 0] != leaf[:, 1], 1.5, 1.0)
    assert [one.subject for one in judge(_run([far] * 3, far, far), FOUR).verdicts] == [("leaf0",)]


def test_a_trunk_of_which_some_pairs_are_well_alone_is_not_named_as_a_whole() -> None:
    first, second = np.isin(PAIRS, range(6)), np.isin(PAIRS, range(18, 24))
    trunk = (first & second[:, ::-1]).any(axis=1)
    part = trunk & (np.isin(PAIRS, range(2)).any(axis=1))
    seen = judge(_run(_shared(), np.where(trunk, 1.5, 1.0), np.where(part, 1.5, 1.0)), FOUR)
    assert ("leaf0", "leaf3") not in [one.subject for one in seen.verdicts]
    seen = judge(_run(_shared(), np.where(trunk, 1.5, 1.0), np.where(trunk, 1.5, 1.0)), FOUR)
    assert [sorted(one.subject) for one in seen.verdicts] == [["leaf0", "leaf3"]]


def test_all_pairs_of_few_hosts_are_measured_alone_where_load_hides_much() -> None:
    def alone(hosts: int, scatter: float) -> int:
        run = _run(_shared(scatter), NONE, NONE)
        (size,) = run.sizes
        few = (size.rows.frm < hosts) & (size.rows.to < hosts) & (size.rows.attempt == MAIN)
        ranks = bare_ranks([f"n{host}" for host in range(hosts)], np.arange(hosts), np.zeros(hosts, np.int64))
        some = replace(run, ranks=ranks, sizes=(replace(size, rows=chosen(size.rows, few)),))
        return len(plan_to_confirm(some, None).pairs.get("one-way", ()))

    assert alone(12, 0.3) == 12 * 11 // 2
    assert alone(20, 0.3) < 20 * 19 // 2


@pytest.mark.parametrize(("factor", "named"), [(1.06, False), (1.5, True)])
def test_a_host_that_hardly_loses_by_being_slow_at_times_gets_no_verdict(factor: float, named: bool) -> None:
    random = np.random.default_rng(3)
    main = [np.where(OF_BAD & (random.random(len(PAIRS)) < 0.12), factor, 1.0) for _ in range(MAIN_PASSES)]
    said = judge(_of_main(_run(main, NONE, NONE))).verdicts
    assert [(one.subject, one.symptom) for one in said] == [(("n5",), "intermittent")] * named


def test_hosts_that_are_slow_at_times_as_others_of_their_kind_are_get_no_verdict() -> None:
    random, slower = np.random.default_rng(4), np.isin(PAIRS, range(18, HOSTS)).any(axis=1)
    at_times = [slower & (random.random(len(PAIRS)) < 0.2) for _ in range(6)]

    def said(bad: NDArray[np.bool_]) -> list[tuple[tuple[str, ...], str]]:
        main = [np.where(slower, 1.3, 1.0) * np.where(now | (bad & (random.random(len(PAIRS)) < 0.25)), 1.5, 1.0)
                for now in at_times]  # fmt: skip
        return [(one.subject, one.symptom) for one in judge(_of_main(_run(main, NONE, NONE))).verdicts]

    assert not said(np.zeros(len(PAIRS), bool))
    assert said(np.asarray(np.isin(PAIRS, 20).any(axis=1))) == [(("n20",), "intermittent")]


@pytest.mark.parametrize("measured", ["nothing", "its own links", "all"])
def test_a_rank_that_could_not_be_compared_alone_is_a_suspect_where_others_were_measured_so(measured: str) -> None:
    random = np.random.default_rng(5)
    rows = [
        rows_of_pairs(PAIRS, USUAL * np.where(OF_BAD, 1.3, 1.0), turn, MAIN, 0.005, random)
        for turn in range(MAIN_PASSES)
    ]
    own = {"nothing": np.zeros(len(PAIRS), bool), "its own links": OF_BAD, "all": np.ones(len(PAIRS), bool)}[measured]
    alone = USUAL * np.where(OF_BAD, 1.3, 1.0)
    rows += [rows_of_pairs(PAIRS[own], alone[own], turn, ONE_WAY, 0.005, random) for turn in range(ALONES)]
    seen = judge(run_of(np.arange(HOSTS) // 3, 9, {1 << 20: rows}))
    named = [(one.kind, one.subject) for one in (seen.suspects if measured == "its own links" else seen.verdicts)]
    assert named == [("rank", ("n1:5",))]
    assert len(seen.verdicts) == (measured != "its own links")


def test_a_rank_is_not_accused_by_the_only_link_alone_that_can_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rank at the other end may be what is slow. Of its own kind of hosts too few others were measured alone."""
    host, random, bad = np.arange(HOSTS) // 3, np.random.default_rng(5), 5
    kind_of = _with_newer(monkeypatch, [1, 2, 3, 4], 8)
    apart = host[PAIRS[:, 0]] != host[PAIRS[:, 1]]
    older, of_bad = kind_of[host[PAIRS]].any(axis=1), np.isin(PAIRS, bad).any(axis=1)
    last = (PAIRS % 3 == 2).all(axis=1)
    usual = USUAL * np.where(older, 2.0, 1.0)
    main, alone = usual * np.where(of_bad, 1.3, 1.0), usual * np.where(of_bad & older, 1.3, 1.0)
    measured = apart & last & np.where(of_bad, ~older | np.isin(PAIRS, 2).any(axis=1), older)
    rows = [rows_of_pairs(PAIRS[apart], main[apart], turn, MAIN, 0.005, random) for turn in range(MAIN_PASSES)]
    rows += [rows_of_pairs(PAIRS[measured], alone[measured], turn, ONE_WAY, 0.005, random) for turn in range(ALONES)]
    seen = judge(run_of(host, 9, {1 << 20: rows}))
    assert not seen.verdicts
    assert [(one.kind, one.subject) for one in seen.suspects] == [("rank", ("n1:5",))]


@pytest.mark.parametrize(
    ("each", "near", "part", "verdicts"),
    [(2, True, 1.0, 1), (2, True, 0.8, 1), (2, True, 0.6, 0), (2, False, 1.0, 0), (1, True, 1.0, 0)],
)
def test_a_host_that_is_slow_only_while_all_its_ranks_measure_shares_something_slow_with_none_but_them(
    each: int, near: bool, part: float, verdicts: int
) -> None:
    """With others of its leaf, too; of one rank it would show alone. `part` of all links was measured: of a sample the
    ways to these may be slow."""
    hosts, random = 16, np.random.default_rng(9)
    leaves = Grouping(np.arange(hosts) // 4, ("a", "b", "c", "d"))
    ranks = np.array(list(itertools.combinations(range(each * hosts), 2)))
    ranks = ranks[(ranks[:, 0] // each != ranks[:, 1] // each) & (random.random(len(ranks)) < part)]
    ends = ranks // each
    slow = (ends == BAD).any(axis=1) & (near | (ends[:, 0] // 4 != ends[:, 1] // 4))
    steps = np.arange(len(ranks))
    rows = [rows_of_pairs(ranks, USUAL * np.where(slow, 1.3, 1.0), steps, MAIN, 0.005, random) for _ in range(3)]
    rows += [rows_of_pairs(ranks, USUAL * np.ones(len(ranks)), steps, ONE_WAY, 0.005, random) for _ in range(3)]
    seen = judge(run_of(np.arange(each * hosts) // each, len(ranks), {1 << 20: rows}), leaves)
    for verdict in seen.verdicts:  # a sample shows as well that it is slow inside its leaf
        assert (verdict.kind, verdict.subject, verdict.direction, verdict.confidence) == ("host", ("n5",), "both", LESS)
    assert sum("only while all its ranks measure" in verdict.evidence for verdict in seen.verdicts) == verdicts
