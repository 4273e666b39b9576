"""What may be slow because its messages pass a slow switch, told from what is slow by itself."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.judge.names import Names
from everylink.judge.passing import may_pass, past_slow_switches
from everylink.judge.readings import Readings, readings
from everylink.judge.verdict import Verdict
from everylink.model.rows import MAIN
from pair_rows import rows_of_pairs, run_of

SLOW, HOP = 0.3, 0.1  # logs of factors
GROUPS = np.repeat(np.arange(4), 2)  # 8 hosts, two on each switch
PAIRS = np.array(list(itertools.combinations(range(8), 2)))
NAMES = Names(run_of(np.arange(8), 1, {}), None, GROUPS)


def seen(longer: NDArray[np.float64]) -> Readings:
    """Readings of hosts with a rank each; `longer` [host, host]: log of the factor by which messages take longer."""
    times = 1e-6 * np.exp(longer[tuple(PAIRS.T)])
    run = run_of(np.arange(8), 1, {1: [rows_of_pairs(PAIRS, times, 0, MAIN, 0.0, np.random.default_rng(1))]})
    return readings(run, run.sizes[0])


def chain(slow: int) -> Readings:
    """Switches in a row, one of which is slow."""
    one, other = np.minimum.outer(GROUPS, GROUPS), np.maximum.outer(GROUPS, GROUPS)
    passes = (one <= slow) & (slow <= other) & (one != other)
    return seen(HOP * (other - one) + SLOW * passes)


def tree(slow: int) -> Readings:
    """Switches below one another, one of which is slow."""
    of_slow = (slow == GROUPS[:, None]) ^ (slow == GROUPS)
    return seen(HOP * (GROUPS[:, None] != GROUPS) + SLOW * of_slow)


def slow(kind: str, *subject: str) -> Verdict:
    return Verdict(kind, subject, "both", "slow", 1, 1.3, 0.75, 4, "slow")


SWITCH = slow("group", "n2", "n3")


@pytest.mark.parametrize(
    ("one", "passes"),
    [
        (slow("trunk", "n[0-1]", "n[4-5]"), True),
        (slow("trunk", "n[4-5]", "n[6-7]"), False),  # on one side of the slow switch
        (slow("group", "n0", "n1"), True),
        (slow("group", "n6", "n7"), True),  # with half of the others
        (slow("host", "n0"), True),
        (slow("trunk", "n[4-5]"), True),  # an uplink: with two of the others
        (slow("host", "n5"), True),  # with two of five
        (slow("trunk", "n[2-3]", "n[4-5]"), False),  # one end of it is the slow switch
        (slow("pair", "n0", "n4"), False),  # pairs are told by themselves
    ],
)
def test_in_a_row_of_switches_messages_pass_those_between(one: Verdict, passes: bool) -> None:
    found = dict(past_slow_switches([SWITCH, one], NAMES, chain(1)))
    assert (one in found) == passes
    if passes:
        assert may_pass(one, found[one]).evidence == "slow; its messages may pass the switch of n[2-3], which is slow"


@pytest.mark.parametrize(("factor", "passes"), [(1.3, True), (1.4, False)])
def test_a_group_is_not_slow_for_a_switch_that_is_less_slow(factor: float, passes: bool) -> None:
    one = replace(slow("group", "n0", "n1"), factor=factor)
    assert (one in dict(past_slow_switches([SWITCH, one], NAMES, chain(1)))) == passes


def test_messages_pass_no_switch_at_the_end_of_a_row() -> None:
    verdicts = [slow("group", "n0", "n1"), slow("trunk", "n[2-3]", "n[6-7]"), slow("host", "n5")]
    assert not list(past_slow_switches(verdicts, NAMES, chain(0)))


@pytest.mark.parametrize("one", [slow("trunk", "n[0-1]", "n[4-5]"), slow("group", "n0", "n1"), slow("host", "n7")])
def test_in_a_tree_no_message_passes_another_leaf(one: Verdict) -> None:
    assert not list(past_slow_switches([SWITCH, one], NAMES, tree(1)))


def test_slow_hosts_behind_one_switch_are_told_as_that() -> None:
    hosts = [replace(slow("host", name), confidence=0.96, links=30) for name in ("n2", "n3")]
    way = slow("trunk", "n[0-1]", "n[4-5]")
    assert list(past_slow_switches([*hosts, way], NAMES, chain(1))) == [(way, "n[2-3]")]
    assert not list(past_slow_switches([*hosts[:1], way], NAMES, chain(1)))
    apart = [hosts[0], replace(slow("host", "n4"), confidence=0.96, links=30)]
    assert not list(past_slow_switches([*apart, slow("trunk", "n[0-1]", "n[6-7]")], NAMES, chain(1)))


@pytest.mark.parametrize(("behind", "passes"), [(True, False), (False, True)])
def test_a_host_behind_the_switch_of_slow_ones_is_slow_by_itself(behind: bool, passes: bool) -> None:
    """It is of a kind that takes longer."""
    switch = np.array([1, 1, *[1 if behind else 0] * 2, *[2] * 4])
    own = np.array([SLOW, SLOW, SLOW + HOP, *[0.0] * 5])
    longer = HOP * np.abs(switch[:, None] - switch) + np.maximum.outer(own, own)
    hosts = [replace(slow("host", name), confidence=0.96, links=30) for name in ("n0", "n1")]
    one = replace(slow("host", "n2"), links=3)
    assert (one in dict(past_slow_switches([*hosts, one], NAMES, seen(longer)))) == passes


def test_without_small_messages_or_a_slow_group_nothing_passes_one() -> None:
    way = slow("trunk", "n[0-1]", "n[4-5]")
    assert not list(past_slow_switches([SWITCH, way], NAMES, None))
    assert not list(past_slow_switches([way, slow("host", "n2")], NAMES, chain(1)))
