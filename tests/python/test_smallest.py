"""Verdicts on parts that are slow because a larger part is."""

from pathlib import Path

import numpy as np
import pytest

from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.judge.names import Names
from everylink.judge.smallest import smallest_explanation
from everylink.judge.verdict import Verdict
from everylink.model.results import Results

HOSTS, EACH = 8, 2
HOST_OF = np.repeat(np.arange(HOSTS), EACH)
RANKS = bare_ranks([f"n{host}" for host in HOST_OF], HOST_OF, np.tile(np.arange(EACH), HOSTS))
RUN = Results(
    Path("run.h5"), bare_facts("semidirectional", ranks=len(RANKS), hosts=HOSTS, messages=9), RANKS, bare_steps(9), ()
)
NAMES = Names(RUN, None, np.arange(HOSTS) // 4)
PAIR = ("n1", "n5")


def _verdict(kind: str, *subject: str, factor: float, symptom: str = "slow") -> Verdict:
    return Verdict(kind, subject, "both", symptom, 1 << 20, factor, 0.9, 4, "")


@pytest.mark.parametrize(
    ("larger", "least"),
    [
        (_verdict("host", "n1", factor=1.4), 1.4 * 1.25),
        (_verdict("rank", "n5:11", factor=1.4), 1.4 * 1.25),
        (_verdict("trunk", "n[0-3]", "n[4-7]", factor=1.4), 1.4 * 1.6 * 1.25),
        (_verdict("group", "n0", "n1", "n2", "n3", factor=1.4), 1.4 * 1.6 * 1.25),
        (_verdict("host", "n1", factor=1.1, symptom="drifting"), np.inf),
        (_verdict("host", "n5", factor=1.3, symptom="intermittent"), np.inf),
        (_verdict("host", "n1", factor=1.3, symptom="jitter"), 0.0),
        (_verdict("host", "n2", factor=9.0), 0.0),
    ],
)
def test_a_pair_is_told_beside_a_larger_part_from_some_factor_on(larger: Verdict, least: float) -> None:
    for factor in (1.2, 1.7, 2.0, 3.0, 9.0):
        pair = _verdict("pair", *PAIR, factor=factor)
        assert smallest_explanation([larger, pair], NAMES) == ([larger, pair] if factor > least else [larger])


def test_hosts_and_failures_are_told_beside_slow_groups_and_hosts() -> None:
    both = [
        _verdict("group", "n0", "n1", "n2", "n3", factor=1.4),
        _verdict("host", "n1", factor=1.3),
        _verdict("pair", *PAIR, factor=1.0, symptom="timeout"),
    ]
    assert smallest_explanation(both, NAMES) == both


def test_a_trunk_at_the_end_of_some_hosts_is_a_part_of_that_of_all_of_them() -> None:
    whole, part = _verdict("trunk", "n[0-3]", factor=1.2), _verdict("trunk", "n[0-1]", factor=1.6)
    assert smallest_explanation([whole, part], NAMES) == [whole]
    other = _verdict("trunk", "n[3-4]", factor=1.6)
    assert smallest_explanation([whole, other], NAMES) == [whole, other]


@pytest.mark.parametrize(("factor", "kept"), [(1.3, False), (1.1, True)])
def test_a_way_of_which_a_part_is_slower_is_told_by_this_part(factor: float, kept: bool) -> None:
    """Messages of the others wait for those that take it."""
    whole = _verdict("trunk", "n[0-3]", "n[4-7]", factor=1.2)
    part = _verdict("trunk", "n[4-5]", "n[0-3]", factor=factor)
    assert smallest_explanation([whole, part], NAMES) == [*[whole] * kept, part]


@pytest.mark.parametrize(("factor", "kept"), [(1.2, False), (1.4, True)])
def test_a_trunk_is_told_beside_slow_hosts_at_half_of_an_end_if_it_is_slower(factor: float, kept: bool) -> None:
    hosts = [_verdict("host", name, factor=1.3) for name in ("n1", "n2")]
    trunk = _verdict("trunk", "n[0-3]", "n[4-7]", factor=factor)
    assert smallest_explanation([*hosts, trunk], NAMES) == [*hosts, *[trunk] * kept]
    assert smallest_explanation([hosts[0], trunk], NAMES) == [hosts[0], trunk]


@pytest.mark.parametrize(("factor", "kept"), [(1.1, True), (1.36, False), (1.45, False), (1.6, True)])
def test_a_pair_inside_a_slow_group_that_is_as_slow_is_slow_because_of_it(factor: float, kept: bool) -> None:
    group, pair = _verdict("group", "n0", "n1", "n2", "n3", factor=1.4), _verdict("pair", "n1", "n2", factor=factor)
    assert smallest_explanation([group, pair], NAMES) == [group, *[pair] * kept]


def test_a_group_of_slow_hosts_is_told_if_a_part_of_the_others_is_slow_too() -> None:
    group = _verdict("group", "n0", "n1", "n2", "n3", factor=1.4)
    hosts = [_verdict("host", name, factor=1.5) for name in ("n1", "n2")]
    rank = _verdict("rank", "n3:6", factor=1.5)
    assert smallest_explanation([group, *hosts], NAMES) == hosts
    assert smallest_explanation([group, *hosts, rank], NAMES) == [group, *hosts]


@pytest.mark.parametrize("others", [1, 2])
def test_ways_from_a_slow_group_to_several_others_are_its_own(others: int) -> None:
    group = _verdict("group", "n0", "n1", factor=1.1)
    ways = [_verdict("trunk", "n[0-1]", far, factor=1.6) for far in ("n[2-3]", "n[4-5]")[:others]]
    names = Names(RUN, None, np.arange(HOSTS) // 2)
    assert smallest_explanation([group, *ways], names) == ([group] if others > 1 else [group, *ways])
