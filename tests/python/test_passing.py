"""What may be slow because its messages pass a slow switch, told from what is slow by itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.judge.evidence import Names
from everylink.judge.passing import may_pass, past_slow_switches
from everylink.judge.verdict import Verdict
from everylink.model.results import Results
from everylink.robust import Matrix

SLOW, HOP = 0.3, 0.1  # logs of factors
GROUPS = np.repeat(np.arange(4), 2)  # 8 hosts, two on each switch
RANKS = bare_ranks([f"n{host}" for host in range(8)], np.arange(8), np.zeros(8, np.int64))
RUN = Results(Path("run.h5"), bare_facts("semidirectional", ranks=8, hosts=8, messages=9), RANKS, bare_steps(9), ())
NAMES = Names(RUN, None, GROUPS)


def chain(slow: int) -> Matrix:
    """Switches in a row, one of which is slow: log seconds of messages between the hosts of each two."""
    one, other = np.minimum.outer(GROUPS, GROUPS), np.maximum.outer(GROUPS, GROUPS)
    passes = (one <= slow) & (slow <= other) & (one != other)
    return np.asarray(HOP * (other - one) + SLOW * passes, np.float32)


def tree(slow: int) -> Matrix:
    """Switches below one another, one of which is slow."""
    of_slow = (slow == GROUPS[:, None]) ^ (slow == GROUPS)
    return np.asarray(HOP * (GROUPS[:, None] != GROUPS) + SLOW * of_slow, np.float32)


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


def test_messages_pass_no_switch_at_the_end_of_a_row() -> None:
    verdicts = [slow("group", "n0", "n1"), slow("trunk", "n[2-3]", "n[6-7]"), slow("host", "n5")]
    assert not list(past_slow_switches(verdicts, NAMES, chain(0)))


@pytest.mark.parametrize("one", [slow("trunk", "n[0-1]", "n[4-5]"), slow("group", "n0", "n1"), slow("host", "n7")])
def test_in_a_tree_no_message_passes_another_leaf(one: Verdict) -> None:
    assert not list(past_slow_switches([SWITCH, one], NAMES, tree(1)))


def test_slow_hosts_behind_one_switch_are_told_as_that() -> None:
    hosts = [replace(slow("host", name), confidence=0.96) for name in ("n2", "n3")]
    way = slow("trunk", "n[0-1]", "n[4-5]")
    assert list(past_slow_switches([*hosts, way], NAMES, chain(1))) == [(way, "n[2-3]")]
    assert not list(past_slow_switches([*hosts[:1], way], NAMES, chain(1)))
    apart = [hosts[0], replace(slow("host", "n4"), confidence=0.96)]
    assert not list(past_slow_switches([*apart, slow("trunk", "n[0-1]", "n[6-7]")], NAMES, chain(1)))


def test_without_small_messages_or_a_slow_group_nothing_passes_one() -> None:
    way = slow("trunk", "n[0-1]", "n[4-5]")
    assert not list(past_slow_switches([SWITCH, way], NAMES, None))
    assert not list(past_slow_switches([way, slow("host", "n2")], NAMES, chain(1)))
