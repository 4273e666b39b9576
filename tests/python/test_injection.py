"""A host of which all ranks together reach less than those of others is named, though ways hide it and groups do not
show."""

from dataclasses import replace

import numpy as np
import pytest

from everylink.judge.full_load import FullLoad, full_load
from everylink.judge.injection import slow_together
from everylink.judge.inside import slow_inside
from everylink.judge.judge import judge
from everylink.judge.kinds import Equals
from everylink.judge.readings import readings
from everylink.model.results import Results
from everylink.model.rows import MAIN, Outcome
from pair_rows import rows_of_pairs, run_of

HOSTS, RANKS, STEPS, SIZE = 16, 4, 120, 1 << 20
HOST_OF = np.arange(HOSTS * RANKS) // RANKS
LEAF = np.arange(HOSTS) // 4  # which nobody knows, with an uplink for half of the messages
ONE_GROUP = Equals.of_groups(np.zeros(HOSTS, np.int64))


def _load(capacity: dict[int, float], few_uplinks: int = -1) -> FullLoad:
    results = _results(capacity, few_uplinks)
    load = full_load(results.sizes[0], readings(results, results.sizes[0]))
    assert load is not None
    return load


def _results(capacity: dict[int, float], few_uplinks: int = -1, orders: int = STEPS) -> Results:
    """Ranks in pairs drawn anew in each step, half of the steps inside leaves; a host carries one message per rank at
    full rate, or a part of that. `few_uplinks`: a leaf with half as many. `orders`: after which pairs are the same."""
    random, rows = np.random.default_rng(7), []
    drawn = [random.permutation(len(HOST_OF)) for _ in range(orders)]
    carried, out = np.full(HOSTS, float(RANKS)), np.where(np.arange(4) == few_uplinks, 4.0, 8.0)
    for host, part in capacity.items():
        carried[host] *= part
    for step in range(STEPS):
        order = drawn[step % orders]
        if step // 2 % 2:
            order = order[np.argsort(LEAF[HOST_OF[order]], kind="stable")]
        pairs = order.reshape(-1, 2)
        ends = HOST_OF[pairs]
        pairs, ends = pairs[ends[:, 0] != ends[:, 1]], ends[ends[:, 0] != ends[:, 1]]
        leaf = LEAF[ends]
        far = leaf[:, 0] != leaf[:, 1]
        of_host = np.bincount(ends.ravel(), minlength=HOSTS) / carried
        of_leaf = np.bincount(leaf[far].ravel(), minlength=4) / out
        times = np.maximum(np.maximum(of_host[ends].max(axis=1), far * of_leaf[leaf].max(axis=1)), 1.0)
        rows.append(rows_of_pairs(pairs, 1e-4 * times, step, MAIN, 0.01, random))
    return run_of(HOST_OF, STEPS, {SIZE: rows})


def test_a_host_of_which_all_ranks_reach_less_than_those_of_others_is_found() -> None:
    (found,) = slow_together(_load({5: 0.7}), ONE_GROUP)
    assert (found.kind, found.subject) == ("host", (5,))
    assert np.exp(-found.effect) == pytest.approx(0.7, abs=0.05)


def test_hosts_that_all_reach_as_much_are_well() -> None:
    assert not slow_together(_load({}), ONE_GROUP)
    assert not slow_together(_load({5: 0.95}), ONE_GROUP)


def test_many_hosts_that_reach_less_are_of_another_kind() -> None:
    assert not slow_together(_load({1: 0.7, 5: 0.7, 9: 0.7}), ONE_GROUP)


def test_half_of_a_group_that_reaches_less_may_have_narrower_ways() -> None:
    load, group = _load({4: 0.7, 9: 0.7}), np.where(np.isin(np.arange(HOSTS), [4, 9, 13]), 1, 0)
    assert {found.subject for found in slow_together(load, ONE_GROUP)} == {(4,), (9,)}
    assert not slow_together(load, Equals.of_groups(group))


def test_hosts_of_a_leaf_with_fewer_uplinks_are_not_found() -> None:
    assert not slow_together(_load({}, few_uplinks=2), ONE_GROUP)


def test_of_very_many_rows_those_of_some_steps_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _load({5: 0.7})
    monkeypatch.setattr("everylink.judge.full_load.MOST_ROWS", len(whole.time) // 2)
    part = _load({5: 0.7})
    assert 0 < len(part.time) < 0.6 * len(whole.time)
    assert [found.subject for found in slow_together(part, ONE_GROUP)] == [(5,)]


def test_of_too_many_ranks_it_is_said_that_their_hosts_are_not_compared_so(monkeypatch: pytest.MonkeyPatch) -> None:
    results = _results({5: 0.7})
    said = "hosts that are slow only while all of their ranks work (more than 63 ranks)"
    assert said not in judge(results).not_looked_for
    monkeypatch.setattr("everylink.judge.full_load.MOST_RANKS", 63)
    monkeypatch.setattr("everylink.judge.coverage.MOST_RANKS", 63)
    assert said in judge(results).not_looked_for
    assert full_load(results.sizes[0], readings(results, results.sizes[0])) is None


@pytest.mark.parametrize(("orders", "is_whole"), [(STEPS, True), (60, False)])
def test_what_ranks_reach_together_is_not_looked_for_by_a_sample_of_partners(orders: int, is_whole: bool) -> None:
    """Which ways these partners are behind decides that."""
    results = _results({}, orders=orders)
    assert readings(results, results.sizes[0]).has_most_links == is_whole
    said = "hosts of which all ranks together reach less (that takes two thirds of all links)"
    assert (said not in judge(results).not_looked_for) == is_whole


def test_where_no_message_ended_well_no_host_is_found() -> None:
    results = _results({5: 0.7})
    (size,) = results.sizes
    failed = replace(size, rows=replace(size.rows, outcome=np.full(len(size.rows), Outcome.TIMEOUT, np.uint8)))
    load = full_load(failed, readings(results, failed))
    assert load is not None
    assert not slow_together(load, ONE_GROUP)
    assert not slow_inside(load, ONE_GROUP, frozenset())


def test_there_is_no_full_load_where_each_host_has_one_rank() -> None:
    random = np.random.default_rng(1)
    rows = [rows_of_pairs(np.array([[0, 1], [2, 3]]), np.full(2, 1e-4), 0, MAIN, 0.01, random)]
    results = run_of(np.arange(4), 1, {SIZE: rows})
    assert full_load(results.sizes[0], readings(results, results.sizes[0])) is None


@pytest.mark.parametrize(("near_steps", "found"), [(True, [(5,)]), (False, [])])
def test_a_host_that_sends_more_to_other_groups_than_others_do_is_not_slow(
    near_steps: bool, found: list[tuple[int]]
) -> None:
    """Half of the steps are inside leaves; host 5 carries less, or does not work with all its ranks in these."""
    load = _load({5: 0.7} if near_steps else {})
    if not near_steps:
        near = LEAF[load.frm] == LEAF[load.to]
        load.full[load.step[near & ((load.frm == 5) | (load.to == 5))], 5] = False
    assert [one.subject for one in slow_together(load, Equals.of_groups(LEAF))] == found


def test_a_host_in_no_group_is_compared_though_it_sends_to_other_groups_only() -> None:
    """What makes it slow may be why it seems to be in none."""
    in_none = np.where(np.arange(HOSTS) == 5, 4, LEAF)
    assert [one.subject for one in slow_together(_load({5: 0.7}), Equals.of_groups(in_none))] == [(5,)]
